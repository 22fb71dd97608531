//! Shell scripts: `ShellCheck` and Bats, for the project as a whole.

use std::collections::BTreeSet;

use ralph_core::format::Format;
use ralph_core::policy::Criterion;

use super::draft::Draft;
use super::sight::{Folder, is_of, is_within};

/// Looks for scripts at every run, so that new ones are checked as well.
const SHELLCHECK: &str = "find . -name .?* -prune -o -name node_modules -prune -o -name vendor -prune \
                          -o -name target -prune -o -type f -name *.sh \
                          -exec shellcheck --format=json1 {} +";

pub(super) fn lint(folder: &Folder<'_>) -> Vec<Draft> {
    if !folder.is_root() {
        return Vec::new();
    }
    let configured = folder.has(".shellcheckrc");
    let script = folder.all_files().find(|(_, file)| is_of(file, "sh"));
    let why = match script {
        Some(_) if configured => ".shellcheckrc".to_owned(),
        Some((at, file)) => at.name_of(file),
        None => return Vec::new(),
    };
    let draft = Draft::new(folder, Criterion::LintClean, "shellcheck", SHELLCHECK);
    vec![draft.reads(Format::Shellcheck).because(why).needs(folder, "shellcheck")]
}

pub(super) fn tests(folder: &Folder<'_>) -> Vec<Draft> {
    if !folder.is_root() {
        return Vec::new();
    }
    let with_tests: BTreeSet<&str> = folder
        .all_files()
        .filter(|(_, file)| is_of(file, "bats"))
        .map(|(at, _)| at.dir())
        .collect();
    let Some(first) = with_tests.first() else { return Vec::new() };
    // From the root Bats would descend into installed packages.
    let flat = first.is_empty();
    let mut words: Vec<String> = ["bats", "--formatter", "tap"].map(str::to_owned).to_vec();
    if !flat {
        words.push("--recursive".to_owned());
    }
    for dir in &with_tests {
        let inside = |other: &&str| other != dir && is_within(dir, other);
        if flat || !with_tests.iter().any(inside) {
            words.push(if dir.is_empty() { ".".to_owned() } else { (*dir).to_owned() });
        }
    }
    let why = if flat { "*.bats".to_owned() } else { format!("{first}/*.bats") };
    vec![
        Draft::of_words(folder, Criterion::TestPass, "bats", words).reads(Format::Tap).because(why),
    ]
}
