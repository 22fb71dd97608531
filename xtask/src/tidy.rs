//! `cargo xtask tidy`: house rules that the compiler does not know.
//!
//! A rule is a pure function from paths and texts to findings, with a test that breaks
//! it. Exceptions are rows of a table with a reason.

mod manifest;
mod rust;
mod sentences;
mod text;
mod tree;

use std::path::Path;

use crate::failure::TaskFailure;
use crate::finding::{self, RuleViolation};
use crate::workspace::{self, WorkspaceFile};
use crate::{names, options, say};

/// A path, or a folder with a final `/`, that a rule skips, and the reason.
type Exemption = (&'static str, &'static str);

/// Runs the rules; takes no arguments.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    options::none(args)?;
    check(&workspace::root())
}

/// Applies every rule to the files of the workspace.
pub(crate) fn check(root: &Path) -> Result<(), TaskFailure> {
    let files = workspace::files(root)?;
    finding::report("tidy", findings(&files))?;
    say::line(&format!("{} files are tidy", files.len()));
    Ok(())
}

fn findings(files: &[WorkspaceFile]) -> Vec<RuleViolation> {
    let mut found = tree::check(files);
    found.extend(names::check(files));
    for file in files {
        let Some(text) = file.text.as_deref() else { continue };
        found.extend(text::check(file, text));
        if is_fixture(&file.path) {
            continue;
        }
        found.extend(manifest::check(&file.path, text));
        if file.has_extension("rs") {
            found.extend(rust::check(&file.path, text));
            found.extend(sentences::check(&file.path, text));
        }
    }
    found
}

fn is_exempt(path: &str, table: &[Exemption]) -> bool {
    table.iter().any(|(known, _)| path == *known || known.ends_with('/') && path.starts_with(known))
}

/// Returns true if the file is input of a test instead of a part of the product.
fn is_fixture(path: &str) -> bool {
    let is_project = ["tests/projects/", "tests/evidence/", "tests/attacks/"]
        .iter()
        .any(|at| path.starts_with(at));
    is_project || path.split('/').any(|part| part == "fixtures")
}

/// Returns true if the whole file is test code.
pub(crate) fn is_test_file(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    name == "tests.rs" || name.ends_with("_tests.rs") || parts.any(|folder| folder == "tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tidy_file_has_no_findings_and_a_fixture_need_not_be_rust() {
        let files = [
            WorkspaceFile::sample("crates/a/src/lib.rs", "//! A crate.\n"),
            WorkspaceFile::sample("crates/a/tests/fixtures/broken.rs", "fn {"),
            WorkspaceFile::sample("tests/projects/a/src/lib.rs", "fn {"),
            WorkspaceFile::sample("tests/projects/a/Cargo.toml", "[package]\n"),
        ];
        assert_eq!(findings(&files), []);
    }

    #[test]
    fn rules_of_every_kind_are_applied() {
        let files = [
            WorkspaceFile::sample("notes", ""),
            WorkspaceFile::sample("xtask/src/main.rs", "fn main() {}\n"),
            WorkspaceFile::sample("xtask/Cargo.toml", "[package]\n"),
        ];
        let paths: Vec<String> = findings(&files).into_iter().map(|found| found.path).collect();
        assert_eq!(paths, ["notes", "xtask/src/main.rs", "xtask/Cargo.toml"]);
    }

    #[test]
    fn an_exemption_is_a_file_or_a_folder() {
        let table = [("a/b.rs", "why"), ("c/", "why")];
        let exempt = |path| is_exempt(path, &table);
        assert!(exempt("a/b.rs") && exempt("c/d/e.rs"));
        assert!(!exempt("a/b.rs.txt") && !exempt("cd"));
    }

    #[test]
    fn test_files_are_known_by_folder_or_name() {
        assert!(is_test_file("crates/a/tests/it/main.rs"));
        assert!(is_test_file("crates/a/src/claim_tests.rs"));
        assert!(!is_test_file("crates/a/src/contests.rs"));
    }
}
