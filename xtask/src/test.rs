//! `cargo xtask test`: everything that a change must pass, in one command.

use std::path::Path;
use std::time::Instant;

use crate::cargo::Cargo;
use crate::failure::TaskFailure;
use crate::scope::{self, TestScope};
use crate::table::TextTable;
use crate::tally::TestTally;
use crate::workspace::WorkspaceFile;
use crate::{conformance, say, tidy, tools, workspace};

/// Part of the path of slow tests, which `cargo xtask prove` runs.
pub(crate) const LONG_TESTS: &str = "::prove::";

type TestStepOutcome = (TestTally, Result<(), TaskFailure>);

/// The input of the steps.
struct TestStepInput {
    root: std::path::PathBuf,
    scope: TestScope,
    needs_tools: bool,
}

struct TestStep {
    name: &'static str,
    run: fn(&TestStepInput) -> TestStepOutcome,
}

const FMT: TestStep = TestStep { name: "fmt", run: fmt };
const TIDY: TestStep = TestStep { name: "tidy", run: |place| untallied(tidy::check(&place.root)) };
const CLIPPY: TestStep = TestStep { name: "clippy", run: clippy };
const TOOLS: TestStep =
    TestStep { name: "tools", run: |place| untallied(tools_path(place).map(|_| ())) };
const TESTS: TestStep = TestStep { name: "tests", run: tests };
const DOC_TESTS: TestStep = TestStep { name: "doc tests", run: doc_tests };
const DOC: TestStep = TestStep { name: "doc", run: doc };
const CONFORMANCE: TestStep =
    TestStep { name: "conformance", run: |place| untallied(conformance::check(&place.root)) };

/// Cheap steps come first, so that common mistakes show within seconds.
const ALL: &[TestStep] = &[FMT, TIDY, CONFORMANCE, CLIPPY, TOOLS, TESTS, DOC_TESTS, DOC];
const SOME: &[TestStep] = &[FMT, TIDY, CLIPPY, TOOLS, TESTS];
const QUICK: &[TestStep] = &[TOOLS, TESTS];

/// Runs the steps in order and stops at the first that does not hold.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let wanted = TestRequest::parse(args)?;
    let root = workspace::root();
    let packages = scope::packages(&root)?;
    let (steps, scope) = match wanted {
        TestRequest::Everything => (ALL, TestScope::Workspace),
        TestRequest::Quick => (QUICK, TestScope::Workspace),
        TestRequest::Packages(names) => (SOME, scope::named(names, &packages)?),
        TestRequest::Changed => match scope::changed(&root, &packages)? {
            TestScope::Workspace => (ALL, TestScope::Workspace),
            TestScope::Packages(names) if names.is_empty() => {
                say::line("no package differs from the main branch");
                return Ok(());
            }
            some @ TestScope::Packages(_) => (SOME, some),
        },
    };
    if let TestScope::Packages(names) = &scope {
        say::line(&format!("testing {}", names.join(", ")));
    }
    let needs_tools = scope.needs_tools(&packages);
    run_steps(steps, &TestStepInput { root, scope, needs_tools })
}

/// The parsed arguments.
#[derive(Debug, PartialEq, Eq)]
enum TestRequest {
    Everything,
    Quick,
    Changed,
    Packages(Vec<String>),
}

impl TestRequest {
    fn parse(args: &[String]) -> Result<Self, TaskFailure> {
        let mut names = Vec::new();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_str() {
                "-p" | "--package" => match rest.next() {
                    Some(name) => names.push(name.clone()),
                    None => {
                        return Err(TaskFailure::Usage(format!(
                            "{arg} needs the name of a package"
                        )));
                    }
                },
                "--quick" if args.len() == 1 => return Ok(Self::Quick),
                "--changed" if args.len() == 1 => return Ok(Self::Changed),
                "--quick" | "--changed" => {
                    return Err(TaskFailure::Usage(format!("{arg} goes with no other argument")));
                }
                _ => {
                    let known = "-p CRATE, --changed, --quick";
                    return Err(TaskFailure::Usage(format!(
                        "unknown argument `{arg}`; known: {known}"
                    )));
                }
            }
        }
        Ok(if names.is_empty() { Self::Everything } else { Self::Packages(names) })
    }
}

fn run_steps(steps: &[TestStep], place: &TestStepInput) -> Result<(), TaskFailure> {
    let mut table = TextTable::new(&["step", "result", "seconds"]);
    let mut sum = TestTally::default();
    let mut result = Ok(());
    for step in steps {
        say::line(&format!("\n==> {}", step.name));
        let started = Instant::now();
        let (tally, outcome) = (step.run)(place);
        sum += tally;
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        table.row([step.name, word, &format!("{:.1}", started.elapsed().as_secs_f64())]);
        result = outcome;
        if result.is_err() {
            break;
        }
    }
    say::line(&format!("\n{}\n\n{sum}", table.render()));
    result
}

fn untallied(result: Result<(), TaskFailure>) -> TestStepOutcome {
    (TestTally::default(), result)
}

fn fmt(place: &TestStepInput) -> TestStepOutcome {
    let root = &place.root;
    untallied(
        needs_component(root, "fmt", "rustfmt")
            .and_then(|()| Cargo::new(root, &["fmt", "--all", "--check"]).run()),
    )
}

fn clippy(place: &TestStepInput) -> TestStepOutcome {
    let scope = place.scope.arguments();
    let args = [&["clippy"], &scope[..], &["--all-targets", "--", "-D", "warnings"]].concat();
    untallied(
        needs_component(&place.root, "clippy", "clippy")
            .and_then(|()| Cargo::new(&place.root, &args).run()),
    )
}

fn needs_component(root: &Path, command: &str, component: &str) -> Result<(), TaskFailure> {
    if Cargo::new(root, &[command, "--version"]).works() {
        return Ok(());
    }
    Err(TaskFailure::Failed(format!(
        "cargo {command} is not installed; run `rustup component add {component}`"
    )))
}

/// Returns the search path with the tools, and installs them if tests use them.
fn tools_path(place: &TestStepInput) -> Result<Option<String>, TaskFailure> {
    if place.needs_tools {
        tools::install(&place.root, tools::ToolSet::Usual).map(Some)
    } else {
        Ok(None)
    }
}

fn tests(place: &TestStepInput) -> TestStepOutcome {
    match tools_path(place) {
        Ok(path) => run_tests(&place.root, &place.scope, path.as_deref(), &["--skip", LONG_TESTS]),
        Err(failure) => untallied(Err(failure)),
    }
}

/// Runs the tests of some packages that match this filter.
pub(crate) fn run_tests(
    root: &Path,
    scope: &TestScope,
    tools: Option<&str>,
    filter: &[&str],
) -> TestStepOutcome {
    let has_nextest = Cargo::new(root, &["nextest", "--version"]).works();
    // Doc tests are a separate step, even if cargo test would add them.
    let libtest = ["test", "--no-fail-fast", "--lib", "--bins", "--tests"];
    let runner: &[&str] =
        if has_nextest { &["nextest", "run", "--no-fail-fast"] } else { &libtest };
    let scope = scope.arguments();
    let args = [runner, &scope[..], &["--"], filter].concat();
    let mut call = Cargo::new(root, &args);
    if let Some(path) = tools {
        call = call.env(tools::PATH_VARIABLE, path);
    }
    refuse_silence(call.count_tests())
}

/// Returns an error if a runner succeeded without running a test.
fn refuse_silence((tally, result): TestStepOutcome) -> TestStepOutcome {
    if result.is_ok() && tally.passed == 0 {
        return untallied(Err(TaskFailure::Failed("the test runner reported no test".to_owned())));
    }
    (tally, result)
}

/// Runs the examples in documentation comments, if there are any. Otherwise the
/// libraries would be compiled again for nothing.
fn doc_tests(place: &TestStepInput) -> TestStepOutcome {
    let has_example = |text: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| line.starts_with("/// ```") || line.starts_with("//! ```"))
    };
    let files = match workspace::files(&place.root) {
        Ok(files) => files,
        Err(failure) => return untallied(Err(failure)),
    };
    let is_source =
        |file: &&WorkspaceFile| file.path.starts_with("crates/") && file.has_extension("rs");
    let mut sources = files.iter().filter(is_source);
    if !sources.any(|file| file.text.as_deref().is_some_and(has_example)) {
        say::line("no documentation comment has an example");
        return untallied(Ok(()));
    }
    Cargo::new(&place.root, &["test", "--workspace", "--doc"]).count_tests()
}

fn doc(place: &TestStepInput) -> TestStepOutcome {
    let args = ["doc", "--no-deps", "--workspace"];
    untallied(Cargo::new(&place.root, &args).env("RUSTDOCFLAGS", "-D warnings").run())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nowhere() -> TestStepInput {
        TestStepInput { root: ".".into(), scope: TestScope::Workspace, needs_tools: false }
    }

    #[test]
    fn packages_changes_and_quick_are_asked_for_one_at_a_time() {
        let parse = |args: &[&str]| {
            TestRequest::parse(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(parse(&[]), Ok(TestRequest::Everything));
        assert_eq!(parse(&["--quick"]), Ok(TestRequest::Quick));
        assert_eq!(parse(&["--changed"]), Ok(TestRequest::Changed));
        let names = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(parse(&["-p", "a", "--package", "b"]), Ok(TestRequest::Packages(names)));
        for wrong in [&["-p"][..], &["--quik"], &["--quick", "-p", "a"], &["-p", "a", "--changed"]]
        {
            assert_eq!(parse(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }

    fn passes(_: &TestStepInput) -> TestStepOutcome {
        (TestTally { passed: 1, failed: 0 }, Ok(()))
    }

    fn fails(_: &TestStepInput) -> TestStepOutcome {
        (TestTally { passed: 0, failed: 1 }, Err(TaskFailure::Failed("one test".to_owned())))
    }

    fn is_never_reached(_: &TestStepInput) -> TestStepOutcome {
        panic!("a step ran after one that failed")
    }

    #[test]
    fn the_first_failing_step_ends_the_run_and_is_its_result() {
        let steps = [
            TestStep { name: "a", run: passes },
            TestStep { name: "b", run: fails },
            TestStep { name: "c", run: is_never_reached },
        ];
        let result = run_steps(&steps, &nowhere());
        assert_eq!(result, Err(TaskFailure::Failed("one test".to_owned())));
    }

    #[test]
    fn steps_that_all_hold_are_a_success() {
        assert_eq!(run_steps(&[TestStep { name: "a", run: passes }], &nowhere()), Ok(()));
    }

    #[test]
    fn a_runner_that_ran_nothing_is_not_believed() {
        let (_, silent) = refuse_silence((TestTally::default(), Ok(())));
        assert!(silent.is_err());
        let (tally, spoken) = refuse_silence((TestTally { passed: 2, failed: 0 }, Ok(())));
        assert_eq!((tally.passed, spoken), (2, Ok(())));
    }
}
