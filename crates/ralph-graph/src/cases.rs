//! Lists the tests of a file without an index.

use std::path::Path;

use crate::facts::{CodePurpose, ParseHealth, SourceDefinition};
use crate::language::SourceLanguage;
use crate::read::SourceReader;
use crate::skip;

/// A test by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedTestCase {
    /// Its own name or title, without those around it.
    pub name: String,
    /// The line of the name.
    pub line: u32,
}

/// Returns the tests of a file with this path and these contents, in the order
/// of the text: those that are marked as test cases. `None` if the language is
/// unknown or the file does not follow its grammar.
pub fn in_file(path: &Path, contents: &[u8]) -> Option<Vec<NamedTestCase>> {
    let language = SourceLanguage::of(path, contents)?;
    if skip::reason(path, contents).is_some() {
        return None;
    }
    let facts = SourceReader::new().read(language, contents).ok()?;
    if facts.health != ParseHealth::Whole {
        return None;
    }
    let cases = facts.definitions.iter().filter(|it| it.purpose == CodePurpose::Case);
    let case = |it: &SourceDefinition| {
        let name = facts.names.text(it.name).to_owned();
        NamedTestCase { name, line: it.name_span.line }
    };
    Some(cases.map(case).collect())
}

#[cfg(test)]
#[path = "cases_tests.rs"]
mod tests;
