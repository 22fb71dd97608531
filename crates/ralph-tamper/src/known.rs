//! Tests that are known from a closer reading of the code than an outline.

use super::language::FileLanguage;
use super::paths;

/// A test by its name and the line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTest {
    /// Its own name or title.
    pub name: String,
    /// From 1.
    pub line: u32,
}

/// Knows which functions of a file are tests.
pub trait TestCatalog: Sync {
    /// Returns the tests in a file that declare themselves; `None` if that is not known. It must
    /// not count a function of the program, as that could not be removed any more.
    fn tests_in(&self, path: &str, contents: &[u8]) -> Option<Vec<KnownTest>>;
}

/// Knows of no test: the outline has the word.
#[derive(Clone, Copy, Debug)]
pub struct EmptyTestCatalog;

impl TestCatalog for EmptyTestCatalog {
    fn tests_in(&self, _path: &str, _contents: &[u8]) -> Option<Vec<KnownTest>> {
        None
    }
}

/// The tests that are known in a version of a file. `None` if none can be known: then the other
/// version must not be asked either, as a test known in only one of them would look like an edit.
pub(super) fn tests(who: &dyn TestCatalog, path: &str, text: &str) -> Option<Vec<KnownTest>> {
    if may_tell(path, text) { who.tests_in(path, text.as_bytes()) } else { Some(Vec::new()) }
}

/// True if a file has anything that makes a test of a function: parsing a file without it would be
/// a waste.
fn may_tell(path: &str, text: &str) -> bool {
    let language = FileLanguage::of(path);
    if language.is_some_and(|language| paths::is_passed_over(path, language)) {
        return false;
    }
    let signs: &[&str] = match language {
        Some(FileLanguage::Rust) => &["test]", "test(", "test_case", "quickcheck", "bench]"],
        Some(FileLanguage::Java | FileLanguage::Php) => &["Test"],
        Some(FileLanguage::CSharp) => &["Test", "Fact", "Theory"],
        Some(FileLanguage::C | FileLanguage::Cpp) => &["TEST"],
        Some(FileLanguage::Ruby) => &["describe ", "Test"],
        // Nothing is known there that the outline does not see: runners go by
        // names, or the signs are the same.
        Some(
            FileLanguage::Python
            | FileLanguage::Go
            | FileLanguage::JavaScript
            | FileLanguage::TypeScript
            | FileLanguage::Tsx
            | FileLanguage::Shell
            | FileLanguage::Bats
            | FileLanguage::Kotlin,
        )
        | None => &[],
    };
    signs.iter().any(|sign| text.contains(sign))
}
