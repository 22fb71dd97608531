//! `cargo xtask conformance`: every promised behaviour names an existing test, and at
//! least one that uses the command line.

use std::collections::BTreeMap;
use std::path::Path;

use crate::failure::TaskFailure;
use crate::finding::{self, RuleViolation};
use crate::rust_source::RustSource;
use crate::workspace::{self, WorkspaceFile};
use crate::{options, say};

const DOCUMENT: &str = "docs/conformance.md";

/// Tests below this folder run the binary as a user does.
const END_TO_END: &str = "crates/ralph-cli/tests/";

/// The behaviours that must have a row. Rows are only added.
const EXPECTED: &[&str] = &[
    "ENG-1", "ENG-2", "ENG-3", "ENG-4", "ENG-5", "ENG-6", "ENG-7", "ENG-8", "ENG-9", "ENG-10",
    "OC-1", "OC-2", "OC-3", "OC-4", "OC-5", "OC-6", "OC-7", "OC-8", "SC-1", "SC-2", "SC-3", "SC-4",
    "SC-5", "SC-6", "SC-7", "SC-8", "SC-9", "SC-10", "DX-1", "DX-2", "DX-3", "DX-4", "DX-5",
    "DX-6", "DX-7", "DX-8", "DX-9", "DX-10", "DX-11", "DX-12", "DX-13", "MEM-1", "MEM-2", "MEM-3",
    "MEM-4", "MEM-5", "MEM-6", "MEM-7", "MEM-8", "MEM-9", "MEM-10", "MEM-11", "MEM-12", "MEM-13",
    "EV-1", "EV-2", "EV-3", "EV-4", "EV-5", "EV-6", "EV-7", "SBX-1", "SBX-2", "TRU-1",
];

/// The name of a test function to the files that have one of that name.
type FilesByTestName = BTreeMap<String, Vec<String>>;

struct ConformanceRow<'a> {
    line: usize,
    id: &'a str,
    status: &'a str,
    tests: Vec<&'a str>,
}

/// Runs the check; takes no arguments.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    options::none(args)?;
    check(&workspace::root())
}

/// Compares the document with the tests of the workspace.
pub(crate) fn check(root: &Path) -> Result<(), TaskFailure> {
    let files = workspace::files(root)?;
    let document = files.iter().find(|file| file.path == DOCUMENT);
    let Some(document) = document.and_then(|file| file.text.as_deref()) else {
        return Err(TaskFailure::Failed(format!("{DOCUMENT} is missing")));
    };
    finding::report("conformance", findings(document, &tests_of(&files), EXPECTED))?;
    say::line(&format!("{} behaviours have their tests", rows(document).len()));
    Ok(())
}

fn tests_of(files: &[WorkspaceFile]) -> FilesByTestName {
    let mut tests = FilesByTestName::new();
    for file in files.iter().filter(|file| file.has_extension("rs")) {
        // A file that does not parse is a finding of tidy.
        let Some(Ok(source)) = file.text.as_deref().map(RustSource::parse) else { continue };
        for name in source.tests() {
            tests.entry(name.to_owned()).or_default().push(file.path.clone());
        }
    }
    tests
}

fn findings(document: &str, tests: &FilesByTestName, expected: &[&str]) -> Vec<RuleViolation> {
    let rows = rows(document);
    let mut found: Vec<RuleViolation> =
        rows.iter().flat_map(|row| row_findings(row, tests)).collect();
    for id in expected {
        let mut own = rows.iter().filter(|row| row.id == *id);
        if own.next().is_none() {
            found.push(RuleViolation::new(DOCUMENT, 1, format!("{id} has no row"), "add one"));
        }
        for row in own {
            let what = format!("{id} has a second row");
            found.push(RuleViolation::new(DOCUMENT, row.line, what, "keep one row per id"));
        }
    }
    found
}

fn row_findings(row: &ConformanceRow<'_>, tests: &FilesByTestName) -> Vec<RuleViolation> {
    let mut found = Vec::new();
    let mut add =
        |what: String, remedy| found.push(RuleViolation::new(DOCUMENT, row.line, what, remedy));
    if !["yes", "partly"].contains(&row.status) {
        add(format!("{} has the status `{}`", row.id, row.status), "write `yes` or `partly`");
    }
    if row.tests.is_empty() {
        add(format!("{} names no test", row.id), "name the test that proves it");
    }
    let mut end_to_end = false;
    for name in &row.tests {
        match tests.get(*name) {
            Some(paths) => end_to_end |= paths.iter().any(|path| path.starts_with(END_TO_END)),
            None => add(
                format!("{} names `{name}`, which is no test", row.id),
                "write the test or correct the name",
            ),
        }
    }
    if !end_to_end {
        add(format!("{} has no end-to-end test", row.id), "name one from crates/ralph-cli/tests");
    }
    found
}

fn rows(document: &str) -> Vec<ConformanceRow<'_>> {
    document.lines().enumerate().filter_map(|(at, line)| row(at + 1, line)).collect()
}

/// Parses `| id | behaviour | status | tests |`; `None` for the header and the rule.
fn row(line: usize, text: &str) -> Option<ConformanceRow<'_>> {
    let inner = text.trim().strip_prefix('|')?.trim_end_matches('|');
    let (id, rest) = inner.split_once('|')?;
    // It splits from the end, so that the behaviour may contain an escaped bar.
    let mut cells = rest.rsplitn(3, '|').map(str::trim);
    let (tests, status) = (cells.next()?, cells.next()?);
    let id = id.trim();
    if id == "id" || id.starts_with("--") {
        return None;
    }
    let names = tests.split([' ', ',', '`']).filter(|name| !name.is_empty());
    let tests = names.map(|name| name.rsplit("::").next().unwrap_or(name)).collect();
    Some(ConformanceRow { line, id, status, tests })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "| id | behaviour | status | tests |\n|---|---|---|---|\n";

    fn tests() -> FilesByTestName {
        tests_of(&[
            WorkspaceFile::sample("crates/ralph-cli/tests/it/run.rs", "#[test] fn a_run_ends() {}"),
            WorkspaceFile::sample(
                "crates/ralph-core/src/limits.rs",
                "fn not_a_test() {}\nmod tests { #[test] fn a_limit_holds() {} }",
            ),
        ])
    }

    #[track_caller]
    fn check(rows: &str, expected: &[&str], want: &[&str]) {
        let document = format!("# Title\n\n{HEADER}{rows}");
        let found = findings(&document, &tests(), expected);
        let what: Vec<&str> = found.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(what, want);
    }

    #[test]
    fn a_row_with_an_end_to_end_test_holds() {
        check("| A-1 | ends | yes | `a_run_ends` |\n", &["A-1"], &[]);
        check("| A-1 | ends | partly | `it::run::a_run_ends`, `a_limit_holds` |\n", &["A-1"], &[]);
        check("| A-1 | `tag\\|word` | yes | a_run_ends |", &["A-1"], &[]);
    }

    #[test]
    fn an_expected_id_without_a_row_is_found() {
        check("| A-1 | ends | yes | `a_run_ends` |\n", &["A-1", "A-2"], &["A-2 has no row"]);
    }

    #[test]
    fn a_second_row_for_an_id_is_found() {
        let row = "| A-1 | ends | yes | `a_run_ends` |\n";
        check(&row.repeat(2), &["A-1"], &["A-1 has a second row"]);
    }

    #[test]
    fn a_row_without_tests_is_found() {
        let want = ["A-1 names no test", "A-1 has no end-to-end test"];
        check("| A-1 | ends | yes | |\n", &["A-1"], &want);
    }

    #[test]
    fn a_named_function_that_is_no_test_is_found() {
        check(
            "| A-1 | ends | yes | `a_run_ends` `not_a_test` `nowhere` |\n",
            &["A-1"],
            &["A-1 names `not_a_test`, which is no test", "A-1 names `nowhere`, which is no test"],
        );
    }

    #[test]
    fn unit_tests_alone_are_not_enough() {
        let want = ["A-1 has no end-to-end test"];
        check("| A-1 | holds | yes | `a_limit_holds` |\n", &["A-1"], &want);
    }

    #[test]
    fn a_status_is_yes_or_partly() {
        let want = ["A-1 has the status `soon`"];
        check("| A-1 | ends | soon | `a_run_ends` |\n", &["A-1"], &want);
    }

    #[test]
    fn a_finding_points_at_its_row() {
        let document = format!("# Title\n\n{HEADER}| A-1 | ends | soon | `a_run_ends` |\n");
        assert_eq!(findings(&document, &tests(), &[])[0].line, 5);
    }
}
