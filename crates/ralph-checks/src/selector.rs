//! One test, chosen as the project's own runner chooses it.

mod files;

use std::path::Path;

use ralph_core::policy::{Criterion, GateCommand, GateSpec};

use crate::affected::{TestArgumentKind, TestRunner, runner, within};
use crate::invariants::TestLookup;

/// A test by its file, its name, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestSelector<'a> {
    file: Option<&'a str>,
    /// Its name, with what it is in.
    name: Option<&'a str>,
}

impl<'a> TestSelector<'a> {
    /// Reads `FILE`, `NAME` or `FILE::NAME`; `None` for what could be taken for
    /// an option, or is nothing.
    fn parse(text: &'a str, runner: &TestRunner) -> Option<Self> {
        let is_file = |part: &str| {
            runner.endings.iter().any(|end| part.ends_with(end)) || part.starts_with("./")
        };
        let is_bad = |part: &str| {
            part.is_empty() || part.starts_with('-') || part.contains(char::is_control)
        };
        let (file, name) = match text.split_once("::") {
            Some((file, name)) if is_file(file) => (Some(file), Some(name)),
            None if is_file(text) => (Some(text), None),
            Some(_) | None => (None, Some(text)),
        };
        (!file.is_some_and(is_bad) && !name.is_some_and(is_bad)).then_some(Self { file, name })
    }
}

/// The gate for one test alone; `None` if its command cannot choose this one.
pub(crate) fn selecting(spec: &GateSpec, selector: &str) -> Option<GateSpec> {
    let GateCommand::Argv(words) = &spec.command else { return None };
    if spec.criterion != Criterion::TestPass {
        return None;
    }
    let runner = runner(words)?;
    let TestSelector { file, name } = TestSelector::parse(selector, runner)?;
    let file = match file {
        Some(file) => Some(within(file, &spec.dir)?),
        None => None,
    };
    let mut words = words.clone();
    match runner.takes {
        TestArgumentKind::Files(before) => {
            choose_files(runner, before, TestSelector { file, name }, &mut words);
        }
        TestArgumentKind::Packages => {
            words.extend(name.map(|name| format!("-run={}", each_part(name))));
            if let Some(file) = file {
                words.retain(|word| !word.ends_with("..."));
                words.push(folder(file));
            }
        }
        TestArgumentKind::Names => {
            words.push("--".to_owned());
            // A binary of tests is chosen by no file; names are unlike enough.
            words.push(name?.to_owned());
        }
        TestArgumentKind::Classes => {
            let class = file.and_then(|file| file.rsplit('/').next()?.strip_suffix(".php"));
            let pattern = match (class, name) {
                (Some(class), Some(name)) => format!(r"(^|\\){class}::{}", escaped(name)),
                (Some(class), None) => format!(r"(^|\\){class}::"),
                (None, name) => escaped(name?),
            };
            words.push(format!("--filter=/{pattern}/"));
        }
    }
    Some(GateSpec { command: GateCommand::Argv(words), ..spec.clone() })
}

fn choose_files(
    runner: &TestRunner,
    before: &[&str],
    TestSelector { file, name }: TestSelector<'_>,
    words: &mut Vec<String>,
) {
    let is_pytest = runner.program == "pytest";
    if is_pytest {
        words.push("--rootdir=.".to_owned());
    }
    match (name, runner.program) {
        (Some(name), "pytest") if file.is_none() => {
            words.extend(["-k".to_owned(), name.to_owned()]);
        }
        (None, _) | (_, "pytest") => {}
        (Some(name), "node") => words.push(format!("--test-name-pattern={}", escaped(name))),
        (Some(name), "rspec") => words.extend(["-e".to_owned(), name.to_owned()]),
        (Some(name), "rails") => words.extend(["-n".to_owned(), name.to_owned()]),
        (Some(name), _) => words.extend(["-t".to_owned(), escaped(name)]),
    }
    if let Some(file) = file {
        words.extend(before.iter().map(|&word| word.to_owned()));
        let inner = name.filter(|_| is_pytest).map(|name| format!("::{name}"));
        words.push(format!("{file}{}", inner.unwrap_or_default()));
    }
}

/// Returns the text that must be part of the id of a test that was meant, if it is known.
pub(crate) fn telling_name<'a>(selector: &'a str, spec: &GateSpec) -> Option<&'a str> {
    let GateCommand::Argv(words) = &spec.command else { return None };
    let name = TestSelector::parse(selector, runner(words)?)?.name?;
    let last = name.rsplit("::").next().unwrap_or(name);
    Some(last).filter(|last| !last.is_empty())
}

/// The file that a selector names, seen from the project's root.
pub(crate) fn file_of<'a>(selector: &'a str, spec: &GateSpec) -> Option<&'a str> {
    let GateCommand::Argv(words) = &spec.command else { return None };
    TestSelector::parse(selector, runner(words)?)?.file
}

/// Looks for a test among the files of a project. Where a name is put
/// together while tests run, its last part may be in no file.
pub(crate) fn seek(selector: &str, spec: &GateSpec, root: &Path) -> TestLookup {
    let file = file_of(selector, spec);
    if let Some(file) = file.filter(|file| !root.join(file).exists()) {
        return TestLookup::NoFile(file.to_owned());
    }
    let Some(name) = telling_name(selector, spec) else { return TestLookup::Found };
    // What a runner adds for parameters and parts of a test is in no file.
    let bare = name.split(['[', '/']).next().unwrap_or(name);
    let is_there = match file {
        Some(file) => files::mention(&root.join(file), bare),
        None => files::any_mentions(root, bare),
    };
    if is_there { TestLookup::Found } else { TestLookup::NoName(name.to_owned()) }
}

fn folder(file: &str) -> String {
    let folder = match file.strip_suffix(".go") {
        Some(_) => file.rsplit_once('/').map_or("", |(folder, _)| folder),
        None => file,
    };
    match folder.trim_start_matches("./") {
        "" => ".".to_owned(),
        inner => format!("./{inner}"),
    }
}

/// A name of a test and of tests in it, each as an expression of its own.
fn each_part(name: &str) -> String {
    let parts: Vec<String> = name.split('/').map(|part| format!("^{}$", escaped(part))).collect();
    parts.join("/")
}

/// A name as a regular expression that matches it.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if r"\^$.|?*+()[]{}/".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ralph_core::format::OutputFormat;
    use ralph_core::policy::{GateImportance, PassCondition};

    use super::*;

    #[track_caller]
    fn check((line, dir): (&str, &str), selector: &str, want: Option<&str>) {
        let spec = GateSpec {
            name: "test_pass".to_owned(),
            criterion: Criterion::TestPass,
            command: GateCommand::Argv(line.split(' ').map(str::to_owned).collect()),
            dir: dir.to_owned(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: Duration::from_mins(2),
            need: GateImportance::Required,
        };
        let found = selecting(&spec, selector).map(|spec| spec.command.display());
        assert_eq!(found.as_deref(), want, "{line} {selector}");
    }

    #[test]
    fn every_runner_is_told_of_one_test_in_its_own_words() {
        let py = ("python3 -m pytest", "");
        check(py, "tests/a.py::T::x", Some("python3 -m pytest --rootdir=. tests/a.py::T::x"));
        check(py, "tests/a.py", Some("python3 -m pytest --rootdir=. tests/a.py"));
        check(py, "test_x", Some("python3 -m pytest --rootdir=. -k test_x"));
        check(("pytest", "api"), "api/t.py::x", Some("pytest --rootdir=. t.py::x"));
        check(("npx vitest run", ""), "a.test.ts::adds", Some("npx vitest run -t adds a.test.ts"));
        check(("npx jest", ""), "a b?", Some(r"npx jest -t 'a b\?'"));
        let node = ("node --test-reporter=tap --test", "");
        let want = "node --test-reporter=tap --test --test-name-pattern=adds t/a.mjs";
        check(node, "t/a.mjs::adds", Some(want));
        check(("go test -json ./...", ""), "TestA", Some("go test -json ./... '-run=^TestA$'"));
        let want = "go test -json ./... '-run=^TestA$/^sub$'";
        check(("go test -json ./...", ""), "TestA/sub", Some(want));
        let want = "go test -json '-run=^TestA$' ./store";
        check(("go test -json ./...", ""), "store/a_test.go::TestA", Some(want));
        let want = "cargo test --workspace -- tests::adds";
        check(("cargo test --workspace", ""), "tests::adds", Some(want));
        check(("bundle exec rspec", ""), "a_spec.rb", Some("bundle exec rspec a_spec.rb"));
        let anchored = r"phpunit '--filter=/(^|\\)ATest::x/'";
        check(("phpunit", ""), "t/ATest.php::x", Some(anchored));
    }

    #[test]
    fn what_cannot_be_chosen_is_not_run_as_something_else() {
        check(("pytest", ""), "--collect-only", None);
        check(("pytest", ""), "", None);
        check(("pytest", "api"), "web/t.py::x", None);
        check(("make test", ""), "x", None);
        check(("pytest tests/unit", ""), "x", None);
        check(("cargo test", ""), "tests/it.rs", None);
    }

    #[test]
    fn a_test_is_sought_in_its_file_or_in_all() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("tests")).unwrap();
        std::fs::write(root.path().join("tests/a.py"), "def test_x():\n    pass\n").unwrap();
        let spec = GateSpec {
            name: String::new(),
            criterion: Criterion::TestPass,
            command: GateCommand::Argv(vec!["pytest".to_owned()]),
            dir: String::new(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: Duration::ZERO,
            need: GateImportance::Required,
        };
        for (selector, want) in [
            ("tests/a.py", TestLookup::Found),
            ("tests/a.py::test_x[1-2]", TestLookup::Found),
            ("test_x", TestLookup::Found),
            ("tests/b.py::test_x", TestLookup::NoFile("tests/b.py".to_owned())),
            ("tests/a.py::test_y", TestLookup::NoName("test_y".to_owned())),
            ("test_y", TestLookup::NoName("test_y".to_owned())),
        ] {
            assert_eq!(seek(selector, &spec, root.path()), want, "{selector}");
        }
    }

    #[test]
    fn a_test_is_known_again_by_the_end_of_its_name() {
        let spec = |line: &str| GateSpec {
            name: String::new(),
            criterion: Criterion::TestPass,
            command: GateCommand::Argv(line.split(' ').map(str::to_owned).collect()),
            dir: String::new(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: Duration::ZERO,
            need: GateImportance::Required,
        };
        assert_eq!(telling_name("tests/a.py::T::x", &spec("pytest")), Some("x"));
        assert_eq!(telling_name("tests/a.py", &spec("pytest")), None);
        assert_eq!(telling_name("a::b::c", &spec("cargo test")), Some("c"));
    }
}
