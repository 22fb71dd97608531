//! Which tests a file has, for those who have no index.

use std::path::Path;

use crate::facts::{Definition, FileFacts, Health, Imported, Purpose};
use crate::language::Language;
use crate::read::Reader;
use crate::skip;

/// A test by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// Its own name or title, without what it is in.
    pub name: String,
    /// The line of the name.
    pub line: u32,
}

/// Functions that are tests if they are given a title, unless they are the
/// project's own.
const WORDS: [&str; 3] = ["it", "test", "specify"];

/// The tests in a file with this path and these contents, in the order of the
/// text: those that say themselves that they are run. `None` if that cannot be
/// told, as the language is not known or the file does not follow its grammar.
pub fn in_file(path: &Path, contents: &[u8]) -> Option<Vec<Case>> {
    let language = Language::of(path, contents)?;
    if skip::reason(path, contents).is_some() {
        return None;
    }
    let facts = Reader::new().read(language, contents).ok()?;
    if facts.health != Health::Whole {
        return None;
    }
    if has_own_words(&facts) {
        return Some(Vec::new());
    }
    let cases = facts.definitions.iter().filter(|it| it.purpose == Purpose::Case);
    let case = |it: &Definition| {
        let name = facts.names.text(it.name).to_owned();
        Case { name, line: it.name_span.line }
    };
    Some(cases.map(case).collect())
}

/// Whether what is called like a test is something that the project made.
fn has_own_words(facts: &FileFacts) -> bool {
    let is_word = |name| WORDS.contains(&facts.names.text(name));
    let is_given = facts.imports.iter().any(|import| match import.imported {
        Imported::Name { local, .. } | Imported::Module { local: Some(local) } => is_word(local),
        Imported::Module { local: None } | Imported::Everything => false,
    });
    // A test may have such a title, but none is a function of that name.
    let is_made = |it: &&Definition| it.purpose != Purpose::Case && is_word(it.name);
    is_given || facts.definitions.iter().find(is_made).is_some()
}

#[cfg(test)]
#[path = "cases_tests.rs"]
mod tests;
