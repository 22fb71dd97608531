//! Runs of a few tests before all of them: how a runner is told which.
//!
//! A command is narrowed only where every word of it is understood. What is
//! chosen need not be complete: whatever it shows, only the whole gate passes.

use std::collections::BTreeSet;
use std::time::Duration;

use ralph_core::policy::{Criterion, GateCommand, GateSpec};

/// Beyond so many files, or tests where a runner takes these, the whole gate
/// may be as quick.
const MOST: usize = 24;

/// A narrowed run gets this part of the gate's time, and no more than that.
const SHARE: u32 = 4;
const LONGEST: Duration = Duration::from_mins(1);

/// A test that touches what changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AffectedTest {
    /// Its file, relative to the project's root and with `/`.
    pub path: String,
    /// Its name with what it is in; `None` for all tests of the file.
    pub name: Option<String>,
}

/// The kind of arguments by which a runner can be narrowed to a few tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestArgumentKind {
    /// Files, behind these words.
    Files(&'static [&'static str]),
    /// Folders, instead of `./...`.
    Packages,
    /// Names of tests, behind `--`.
    Names,
    /// A pattern for classes.
    Classes,
}

/// A runner whose command line is understood.
pub(crate) struct TestRunner {
    /// The last part of its program's path, and the words that must follow.
    pub(crate) program: &'static str,
    words: &'static [&'static str],
    pub(crate) takes: TestArgumentKind,
    /// The endings of files that it can run.
    pub(crate) endings: &'static [&'static str],
    /// Options with a value of their own.
    valued: &'static [&'static str],
}

const SCRIPTS: &[&str] = &[".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];

const RUNNERS: &[TestRunner] = &[
    TestRunner {
        program: "pytest",
        words: &[],
        takes: TestArgumentKind::Files(&[]),
        endings: &[".py"],
        valued: &["-n", "-p", "-k", "-m", "-o", "-W", "-c"],
    },
    TestRunner {
        program: "vitest",
        words: &["run"],
        takes: TestArgumentKind::Files(&[]),
        endings: SCRIPTS,
        valued: &["--config", "-c"],
    },
    TestRunner {
        program: "jest",
        words: &[],
        takes: TestArgumentKind::Files(&["--runTestsByPath"]),
        endings: SCRIPTS,
        valued: &["--config", "-c"],
    },
    TestRunner {
        program: "node",
        words: &[],
        takes: TestArgumentKind::Files(&[]),
        endings: SCRIPTS,
        valued: &["--import", "--require", "-r"],
    },
    TestRunner {
        program: "bun",
        words: &["test"],
        takes: TestArgumentKind::Files(&[]),
        endings: SCRIPTS,
        valued: &[],
    },
    TestRunner {
        program: "rspec",
        words: &[],
        takes: TestArgumentKind::Files(&[]),
        endings: &["_spec.rb"],
        valued: &["--format", "--out"],
    },
    TestRunner {
        program: "rails",
        words: &["test"],
        takes: TestArgumentKind::Files(&[]),
        endings: &["_test.rb"],
        valued: &[],
    },
    TestRunner {
        program: "phpunit",
        words: &[],
        takes: TestArgumentKind::Classes,
        endings: &["Test.php"],
        valued: &["--log-junit", "-c", "--configuration"],
    },
    TestRunner {
        program: "go",
        words: &["test"],
        takes: TestArgumentKind::Packages,
        endings: &["_test.go"],
        valued: &[],
    },
    TestRunner {
        program: "cargo",
        words: &["test"],
        takes: TestArgumentKind::Names,
        endings: &[".rs"],
        valued: &["-p", "--package", "--features", "-F"],
    },
];

/// The gate for these tests alone; `None` if its command cannot be narrowed,
/// or if it would not be worth it.
pub(crate) fn narrowed(spec: &GateSpec, tests: &[AffectedTest]) -> Option<GateSpec> {
    let GateCommand::Argv(words) = &spec.command else { return None };
    if spec.criterion != Criterion::TestPass {
        return None;
    }
    let runner = runner(words)?;
    let inside: Vec<(&str, Option<&str>)> = tests
        .iter()
        .filter_map(|test| Some((within(&test.path, &spec.dir)?, test.name.as_deref())))
        .filter(|(path, _)| runner.endings.iter().any(|end| path.ends_with(end)))
        .collect();
    let mut words = words.clone();
    match runner.takes {
        TestArgumentKind::Files(before) => {
            let files = few(inside.iter().map(|(path, _)| (*path).to_owned()))?;
            if runner.program == "pytest" && spec.dir.is_empty() {
                // Otherwise a project without settings is named from the files.
                words.push("--rootdir=.".to_owned());
            }
            words.extend(before.iter().map(|&word| word.to_owned()));
            words.extend(files);
        }
        TestArgumentKind::Packages => {
            let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
            let folders = inside.iter().map(|(path, _)| folder(path));
            let folders = few(folders.map(|it| it.map_or(".".to_owned(), |it| format!("./{it}"))))?;
            words.retain(|word| !word.ends_with("..."));
            words.extend(folders);
        }
        TestArgumentKind::Names => {
            let names = few(inside.iter().filter_map(|(_, name)| Some((*name)?.to_owned())))?;
            words.push("--".to_owned());
            words.extend(names);
        }
        TestArgumentKind::Classes => {
            let class =
                |path: &str| path.rsplit('/').next()?.strip_suffix(".php").map(str::to_owned);
            let classes = few(inside.iter().filter_map(|(path, _)| class(path)))?;
            let classes: Vec<String> = classes.into_iter().collect();
            words.push(format!("--filter=/({})::/", classes.join("|")));
        }
    }
    let timeout = (spec.timeout / SHARE).min(LONGEST);
    Some(GateSpec { command: GateCommand::Argv(words), timeout, ..spec.clone() })
}

/// The runner that a command calls, if it chooses no tests yet.
pub(crate) fn runner(words: &[String]) -> Option<&'static TestRunner> {
    let (runner, at) = RUNNERS.iter().find_map(|runner| Some((runner, runner.end_in(words)?)))?;
    runner.understands(&words[at..]).then_some(runner)
}

impl TestRunner {
    /// Returns the index just behind the words that call the runner, if they do.
    fn end_in(&self, words: &[String]) -> Option<usize> {
        let is_program = |word: &String| word.rsplit('/').next() == Some(self.program);
        let program = words.iter().position(is_program)?;
        let rest = words.get(program + 1..)?;
        let is_called =
            rest.iter().map(String::as_str).take(self.words.len()).eq(self.words.iter().copied());
        (is_called && is_led_by(&words[..program])).then_some(program + 1 + self.words.len())
    }

    /// True if only options follow, so that the command chooses no tests yet.
    fn understands(&self, words: &[String]) -> bool {
        let mut rest = words.iter();
        let mut has_all = self.takes != TestArgumentKind::Packages;
        let mut is_test = self.program != "node";
        while let Some(word) = rest.next() {
            is_test |= word == "--test";
            if self.valued.contains(&word.as_str()) {
                rest.next();
            } else if self.takes == TestArgumentKind::Packages
                && word.starts_with("./")
                && word.ends_with("...")
            {
                has_all = true;
            } else if !word.starts_with('-') || word == "--" {
                return false;
            }
        }
        has_all && is_test
    }
}

/// True if these words only say how the next one is started.
fn is_led_by(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = match words.as_slice() {
        ["uv" | "poetry" | "pdm" | "hatch" | "pipenv", "run", rest @ ..]
        | ["bundle" | "pnpm" | "yarn", "exec", rest @ ..] => rest,
        words => words,
    };
    match words {
        [] | ["npx" | "yarn" | "bunx"] | ["npx" | "bunx", "--no-install"] => true,
        [python, "-m"] => python.rsplit('/').next().is_some_and(|name| name.starts_with("python")),
        _ => false,
    }
}

/// The path as seen from a folder; `None` outside.
pub(crate) fn within<'a>(path: &'a str, dir: &str) -> Option<&'a str> {
    if dir.is_empty() { Some(path) } else { path.strip_prefix(dir)?.strip_prefix('/') }
}

/// Returns the chosen arguments without duplicates; `None` if there are none or too many.
fn few(chosen: impl Iterator<Item = String>) -> Option<BTreeSet<String>> {
    // What begins like an option would be taken for one.
    let chosen: BTreeSet<String> = chosen.filter(|word| !word.starts_with('-')).collect();
    (1..=MOST).contains(&chosen.len()).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use ralph_core::format::OutputFormat;
    use ralph_core::policy::{GateImportance, PassCondition};

    use super::*;

    fn spec(line: &str, dir: &str) -> GateSpec {
        GateSpec {
            name: "test_pass".to_owned(),
            criterion: Criterion::TestPass,
            command: GateCommand::Argv(line.split(' ').map(str::to_owned).collect()),
            dir: dir.to_owned(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: Duration::from_mins(2),
            need: GateImportance::Required,
        }
    }

    fn test(path: &str) -> AffectedTest {
        let (path, name) =
            path.split_once('#').map_or((path, None), |(path, name)| (path, Some(name)));
        AffectedTest { path: path.to_owned(), name: name.map(str::to_owned) }
    }

    #[track_caller]
    fn check((line, dir): (&str, &str), tests: &[&str], want: Option<&str>) {
        let tests: Vec<AffectedTest> = tests.iter().map(|path| test(path)).collect();
        let found = narrowed(&spec(line, dir), &tests);
        assert_eq!(found.map(|spec| spec.command.display()).as_deref(), want, "{line}");
    }

    #[test]
    fn runners_are_told_which_tests_in_their_own_way() {
        let py = ["tests/test_a.py#TestA.test_x", "tests/test_a.py#TestA.test_y", "tests/b.js"];
        check(
            ("python3 -m pytest --junitxml={report}", ""),
            &py,
            Some("python3 -m pytest '--junitxml={report}' --rootdir=. tests/test_a.py"),
        );
        check(
            ("uv run pytest -n 4", "api"),
            &["api/test_b.py"],
            Some("uv run pytest -n 4 test_b.py"),
        );
        let js = ["src/a.test.ts", "test/b.mjs"];
        check(
            ("node_modules/.bin/vitest run --reporter=json", ""),
            &js,
            Some("node_modules/.bin/vitest run --reporter=json src/a.test.ts test/b.mjs"),
        );
        check(
            ("npx jest --json", ""),
            &js,
            Some("npx jest --json --runTestsByPath src/a.test.ts test/b.mjs"),
        );
        check(
            ("node --test-reporter=tap --test", ""),
            &js,
            Some("node --test-reporter=tap --test src/a.test.ts test/b.mjs"),
        );
        let go = ["store/a_test.go#TestA", "store/b_test.go", "main_test.go"];
        check(("go test -json ./...", ""), &go, Some("go test -json . ./store"));
        let rust = ["src/a.rs#tests::adds", "tests/b.rs"];
        check(
            ("cargo test --workspace --no-fail-fast", ""),
            &rust,
            Some("cargo test --workspace --no-fail-fast -- tests::adds"),
        );
        check(
            ("bundle exec rspec", ""),
            &["spec/a_spec.rb"],
            Some("bundle exec rspec spec/a_spec.rb"),
        );
        check(
            ("vendor/bin/phpunit --log-junit {report}", ""),
            &["tests/ATest.php", "tests/x/BTest.php"],
            Some("vendor/bin/phpunit --log-junit '{report}' '--filter=/(ATest|BTest)::/'"),
        );
    }

    #[test]
    fn a_command_that_chooses_tests_already_is_left_alone() {
        for line in [
            "pytest tests/unit",
            "npm test",
            "cargo test -- fast",
            "cargo test name",
            "go test ./store",
            "node run.js",
            "node --test test/",
            "tox run -e pytest",
            "make pytest",
            "sh run-pytest.sh",
        ] {
            let all = ["tests/test_a.py", "a_test.go", "a.test.js", "src/a.rs#tests::a"];
            check((line, ""), &all, None);
        }
    }

    #[test]
    fn nothing_too_much_and_what_lies_elsewhere_is_not_run_first() {
        check(("pytest", ""), &[], None);
        check(("pytest", "api"), &["web/test_a.py"], None);
        check(("pytest", ""), &["-x.py"], None);
        let many: Vec<String> = (0..=MOST).map(|at| format!("test_{at}.py")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        check(("pytest", ""), &many, None);
        let lint = GateSpec { criterion: Criterion::LintClean, ..spec("pytest", "") };
        assert_eq!(narrowed(&lint, &[test("test_a.py")]), None);
    }

    #[test]
    fn a_narrowed_run_has_a_part_of_the_time() {
        let found = narrowed(&spec("pytest", ""), &[test("test_a.py")]).unwrap();
        assert_eq!(found.timeout, Duration::from_secs(30));
    }
}
