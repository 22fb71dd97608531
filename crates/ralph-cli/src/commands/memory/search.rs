//! `ralph memory search`: finds notes by words.

use std::path::PathBuf;

use ralph_core::memory::label::NoteLabel;
use ralph_engine::wire::memory as wire;
use ralph_memory::{GroupHit, NoteHit, SearchQuery, StoredNote};
use serde_json::Value;

use super::WhichArgs;
use super::books::UserNotebooks;
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
enum SearchResults {
    Notes(Vec<NoteHit>),
    Groups(Vec<GroupHit>),
}

impl SearchResults {
    fn json(&self, label: impl FnMut(&StoredNote) -> NoteLabel) -> Value {
        match self {
            Self::Notes(found) => wire::found(found, label),
            Self::Groups(found) => wire::groups(found),
        }
    }
}

pub(super) fn run(books: &UserNotebooks<'_>, args: &SearchArgs) -> Result<u8, CliError> {
    books.refuse_unknown_kinds(&args.which.kind)?;
    if let Some(path) = &args.queries {
        let queries: Vec<String> = super::questions(path)?.lines().map(super::question).collect();
        let mut label = books.labels();
        for (index, query) in queries.iter().enumerate() {
            let found = answer(books, args, query)?;
            out::line(wire::of_query(found.json(&mut label), query, index));
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
    let found = answer(books, args, query)?;
    super::print(args.json.then(|| found.json(books.labels())), || match &found {
        SearchResults::Notes(found) => books.answers.found(found, books.labels()),
        SearchResults::Groups(found) => books.answers.groups(found),
    });
    Ok(0)
}

/// Returns the answer to a question, from all selected notebooks.
fn answer(
    books: &UserNotebooks<'_>,
    args: &SearchArgs,
    query: &str,
) -> Result<SearchResults, CliError> {
    books.refuse_nowhere()?;
    let query =
        SearchQuery { text: query.to_owned(), limit: args.limit, filters: args.which.filters() };
    let (notes, scopes) = (&books.notes, args.which.homes());
    Ok(if args.groups {
        SearchResults::Groups(notes.search_groups(&scopes, &query)?)
    } else {
        SearchResults::Notes(notes.search(&scopes, &query)?)
    })
}
