//! `ralph memory search`.

use std::path::PathBuf;

use ralph_engine::wire::memory as wire;
use ralph_memory::{Found, GroupHit, MemoryError, Notebook, Query};
use serde_json::Value;

use super::WhichArgs;
use super::books::Books;
use crate::error::CliError;
use crate::out;

/// Find notes by words, the best first
///
/// A note needs one of the words; rare words count more. The same question
/// has the same answer until notes change.
#[derive(clap::Args, Debug)]
pub(crate) struct SearchArgs {
    /// What is looked for
    #[arg(value_name = "QUERY", required_unless_present = "queries", conflicts_with = "queries")]
    query: Option<String>,
    /// Answer every line of a file (`-` reads standard input), with one JSON object per line
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Find groups, such as the sessions of an import, instead of notes
    #[arg(long)]
    groups: bool,
    #[command(flatten)]
    which: WhichArgs,
    /// How many to find
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was found.
enum Answer {
    Notes(Vec<Found>),
    Groups(Vec<GroupHit>),
}

impl Answer {
    fn json(&self) -> Value {
        match self {
            Self::Notes(found) => wire::found(found),
            Self::Groups(found) => wire::groups(found),
        }
    }
}

pub(super) fn run(books: &Books<'_>, args: &SearchArgs) -> Result<u8, CliError> {
    let home = books.home(args.which.home());
    if let Some(path) = &args.queries {
        let text = super::questions(path)?;
        let all = books.ask(&home, |notebook| {
            text.lines().map(|line| answer(notebook, args, line)).collect::<Result<Vec<_>, _>>()
        })?;
        let mut all = all.unwrap_or_default().into_iter();
        for (index, query) in text.lines().enumerate() {
            let answer = all.next().unwrap_or_else(|| nothing(args));
            out::line(wire::of_query(answer.json(), query, index));
        }
        return Ok(0);
    }
    let query = args.query.as_deref().unwrap_or_default();
    let found = books.ask(&home, |notebook| answer(notebook, args, query))?;
    let found = found.unwrap_or_else(|| nothing(args));
    super::print(args.json.then(|| found.json()), || match &found {
        Answer::Notes(found) => books.answers.found(found),
        Answer::Groups(found) => books.answers.groups(found),
    });
    Ok(0)
}

fn answer(notebook: &Notebook, args: &SearchArgs, query: &str) -> Result<Answer, MemoryError> {
    let query = Query { text: query.to_owned(), limit: args.limit, filters: args.which.filters() };
    if args.groups {
        Ok(Answer::Groups(notebook.search_groups(&query)?))
    } else {
        Ok(Answer::Notes(notebook.search(&query)?))
    }
}

fn nothing(args: &SearchArgs) -> Answer {
    if args.groups { Answer::Groups(Vec::new()) } else { Answer::Notes(Vec::new()) }
}
