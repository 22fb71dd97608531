//! Tests that the code graph sees and an outline does not.

use std::path::Path;

use ralph_graph::cases::{self, NamedTestCase};

use super::language::FileLanguage;
use super::paths;

/// Returns the tests in a version of a file that declare themselves. `None` if that is not known:
/// then the other version must not be asked either, as a test known in only one of them would look
/// like an edit.
pub(super) fn tests(path: &str, text: &str) -> Option<Vec<NamedTestCase>> {
    if may_tell(path, text) {
        cases::in_file(Path::new(path), text.as_bytes())
    } else {
        Some(Vec::new())
    }
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
