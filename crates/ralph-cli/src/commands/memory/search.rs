//! `ralph memory search`: finds notes by words.

use std::path::PathBuf;

use ralph_core::memory::label::Label;
use ralph_engine::wire::memory as wire;
use ralph_memory::{Found, GroupHit, Known, MemoryError, Notebook, Query};
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
    /// Answer every line of a file (`-` reads standard input), text or a JSON string, with one JSON object per line
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Find groups, such as the sessions of an import, instead of notes
    #[arg(long)]
    groups: bool,
    #[command(flatten)]
    which: WhichArgs,
    /// How many to find
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10, value_parser = super::some())]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The results of a search.
enum Answer {
    Notes(Vec<Found>),
    Groups(Vec<GroupHit>),
}

impl Answer {
    fn json(&self, label: impl FnMut(&Known) -> Label) -> Value {
        match self {
            Self::Notes(found) => wire::found(found, label),
            Self::Groups(found) => wire::groups(found),
        }
    }

    /// Merges the results of another notebook, the best first. Among equal scores the
    /// first notebook's stay in front.
    fn join(&mut self, other: Self, limit: usize) {
        match (self, other) {
            (Self::Notes(found), Self::Notes(more)) => {
                found.extend(more);
                // The sort is stable, so a larger limit only adds results at the end.
                found.sort_by(|one, other| other.score.total_cmp(&one.score));
                found.truncate(limit);
            }
            (Self::Groups(found), Self::Groups(more)) => {
                found.extend(more);
                found.sort_by(|one, other| other.score.total_cmp(&one.score));
                found.truncate(limit);
            }
            (Self::Notes(_), Self::Groups(_)) | (Self::Groups(_), Self::Notes(_)) => {}
        }
    }
}

pub(super) fn run(books: &Books<'_>, args: &SearchArgs) -> Result<u8, CliError> {
    books.refuse_unknown_kinds(&args.which.kind)?;
    if let Some(path) = &args.queries {
        let queries: Vec<String> = super::questions(path)?.lines().map(super::question).collect();
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        let mut label = books.labels();
        for (index, found) in answers(books, args, &queries)?.into_iter().enumerate() {
            out::line(wire::of_query(found.json(&mut label), queries[index], index));
        }
        return Ok(0);
    }
    let query = args.query.as_deref().unwrap_or_default();
    if query.trim().is_empty() {
        return Err(CliError::usage("there is nothing to look for")
            .with_hint("give words, or see all with `ralph memory list`")
            .in_korean(
                "찾을 말이 없습니다",
                Some("찾을 말을 주거나 `ralph memory list` 로 모두 보세요"),
            ));
    }
    let found = answers(books, args, &[query])?.pop().unwrap_or_else(|| nothing(args));
    super::print(args.json.then(|| found.json(books.labels())), || match &found {
        Answer::Notes(found) => books.answers.found(found, books.labels()),
        Answer::Groups(found) => books.answers.groups(found),
    });
    Ok(0)
}

/// Returns the answers to questions, from all selected notebooks.
fn answers(
    books: &Books<'_>,
    args: &SearchArgs,
    queries: &[&str],
) -> Result<Vec<Answer>, CliError> {
    let mut all: Vec<Answer> = queries.iter().map(|_| nothing(args)).collect();
    for scope in args.which.homes() {
        let found = books.ask_of(&args.which, scope, |notebook| {
            queries.iter().map(|query| answer(notebook, args, query)).collect::<Result<Vec<_>, _>>()
        })?;
        for (known, more) in all.iter_mut().zip(found.unwrap_or_default()) {
            known.join(more, args.limit);
        }
    }
    Ok(all)
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
