//! Targets of `make` and recipes of `just` with telling names.

use ralph_core::policy::Criterion;

use super::draft::Draft;
use super::sight::{Folder, is_of};

/// What a target of this name stands for; the first that exists is taken.
const MEANINGS: [(Criterion, &[&str]); 4] = [
    (Criterion::TestPass, &["test", "tests", "check"]),
    (Criterion::BuildSuccess, &["build", "all"]),
    (Criterion::LintClean, &["lint"]),
    (Criterion::TypeCheck, &["typecheck", "type-check", "types"]),
];

pub(super) fn make(folder: &Folder<'_>) -> Vec<Draft> {
    let Some(file) = folder.first(&["GNUmakefile", "makefile", "Makefile"]) else {
        return Vec::new();
    };
    let text = folder.read(file).unwrap_or_default();
    let mut drafts = drafts(folder, "make", file, &targets(&text));
    let builds = drafts.iter().any(|draft| draft.criterion == Criterion::BuildSuccess);
    let in_c = ["c", "cc", "cpp", "cxx"];
    let source = folder.all_files().find(|(_, file)| in_c.iter().any(|kind| is_of(file, kind)));
    if let (false, Some((at, source))) = (builds, source) {
        let why = format!("{file}, and {}", at.name_of(source));
        drafts.push(Draft::new(folder, Criterion::BuildSuccess, "make", "make").because(why));
    }
    drafts
}

pub(super) fn just(folder: &Folder<'_>) -> Vec<Draft> {
    let Some(file) = folder.first(&["justfile", "Justfile", ".justfile"]) else {
        return Vec::new();
    };
    let text = folder.read(file).unwrap_or_default();
    drafts(folder, "just", file, &recipes(&text))
}

fn drafts(folder: &Folder<'_>, tool: &'static str, file: &str, names: &[&str]) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (criterion, meant) in MEANINGS {
        if let Some(name) = meant.iter().find(|name| names.contains(*name)) {
            let why = format!("{file}: `{name}`");
            let line = format!("{tool} {name}");
            drafts.push(Draft::new(folder, criterion, tool, &line).because(why));
        }
    }
    drafts
}

fn targets(text: &str) -> Vec<&str> {
    let rules = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '.']));
    let rules = rules.filter_map(|line| line.split_once(':'));
    let rules = rules.filter(|(names, rest)| !rest.starts_with('=') && !names.contains('='));
    rules.flat_map(|(names, _)| names.split_whitespace()).collect()
}

fn recipes(text: &str) -> Vec<&str> {
    let rules = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '[']));
    let rules = rules.filter_map(|line| line.split_once(':'));
    let rules = rules.filter(|(_, rest)| !rest.starts_with('='));
    rules
        .filter_map(|(head, _)| head.split_whitespace().next())
        .map(|it| it.trim_start_matches('@'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_from_assignments_and_recipes() {
        let text = "CC := gcc\nX = a:b\n.PHONY: test\nall: main.o\n\ttest: no\ncheck test:: all\n";
        assert_eq!(targets(text), ["all", "check", "test"]);
    }

    #[test]
    fn recipes_may_be_quiet_and_have_parameters() {
        let text =
            "v := '1'\n# lint:\n[unix]\n@test filter='': build\n  x: y\nbuild:\nalias t := test\n";
        assert_eq!(recipes(text), ["test", "build"]);
    }
}
