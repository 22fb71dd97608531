//! Finds the file of a test that a runner names.
//!
//! Some runners name the file of a test, some its module, some only the test. A
//! user who accepts a changed file accepts all tests in it.

use std::path::Path;

use ralph_core::finding::test_name;
use ralph_tamper::{TamperRules, tests_in};

use super::tampering::FileVersions;

/// Characters that may precede the name of a test in its id.
const SEPARATORS: [char; 7] = [':', '.', '/', '>', '$', ' ', '#'];

/// Returns true if the id of a test names the file it is in.
pub(super) fn is_of_file(id: &str, path: &str) -> bool {
    let stem = Path::new(path).with_extension("");
    let module = stem.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(".");
    id.contains(path) || (module.contains('.') && id.contains(&module))
}

/// Returns the changed files that may contain a test: those that its id names,
/// or else those that had a test of its name at the start, or have one now.
pub(super) fn holders<'f>(id: &str, files: &'f [FileVersions]) -> Vec<&'f str> {
    let paths = files.iter().map(FileVersions::path);
    let named: Vec<&str> = paths.filter(|path| is_of_file(id, path)).collect();
    if !named.is_empty() {
        return named;
    }
    let has_test = |file: &FileVersions, text: &str| {
        let tests = tests_in(file.path(), text);
        tests.iter().any(|(name, _)| ends_with_name(id, name))
    };
    let then = files.iter().filter(|file| has_test(file, &file.old_text()));
    let then: Vec<&str> = then.map(FileVersions::path).collect();
    if !then.is_empty() {
        return then;
    }
    let now = files.iter().filter(|file| has_test(file, &file.new_text()));
    now.map(FileVersions::path).collect()
}

/// Returns true if the user accepted changes of a test: by its id, or by every
/// changed file that may contain it.
pub(super) fn allows_test(rules: &TamperRules, id: &str, files: &[FileVersions]) -> bool {
    if rules.allow_test(id) || rules.allow_test(test_name(id)) {
        return true;
    }
    let holders = holders(id, files);
    !holders.is_empty() && holders.iter().all(|path| rules.allows(path))
}

fn ends_with_name(id: &str, name: &str) -> bool {
    let head = id.strip_suffix(name).filter(|_| !name.is_empty());
    head.is_some_and(|head| head.is_empty() || head.ends_with(SEPARATORS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_ends_with_the_name_of_its_test_or_not() {
        for id in ["adds", "sums > adds", "tests::adds", "shop$adds", "a.test.js adds"] {
            assert!(ends_with_name(id, "adds"), "{id}");
        }
        assert!(!ends_with_name("readds", "adds") && !ends_with_name("adds", ""));
    }
}
