//! `cargo xtask test`: everything a change must pass, in one command.

use std::path::Path;
use std::time::Instant;

use crate::cargo::Cargo;
use crate::failure::Failure;
use crate::options::{self, Given};
use crate::table::Table;
use crate::tally::Tally;
use crate::{conformance, docs, say, tidy, tools, workspace};

type Outcome = (Tally, Result<(), Failure>);

struct Step {
    name: &'static str,
    run: fn(&Path) -> Outcome,
}

/// Cheap steps first, so that the usual slips are told within seconds.
const ALL: &[Step] = &[
    Step { name: "fmt", run: fmt },
    Step { name: "tidy", run: |root| untallied(tidy::check(root)) },
    Step { name: "clippy", run: clippy },
    TOOLS,
    TESTS,
    Step { name: "doc tests", run: doc_tests },
    Step { name: "doc", run: doc },
    Step { name: "conformance", run: |root| untallied(conformance::check(root)) },
    Step { name: "docs --check", run: |root| untallied(docs::check(root)) },
];
const QUICK: &[Step] = &[TOOLS, TESTS];
const TOOLS: Step = Step { name: "tools", run: |root| untallied(tools::install(root).map(|_| ())) };
const TESTS: Step = Step { name: "tests", run: tests };

/// Runs the steps in order and stops at the first that does not hold.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    let steps = match options::only_flag(args, "--quick")? {
        Given::Yes => QUICK,
        Given::No => ALL,
    };
    run_steps(steps, &workspace::root())
}

fn run_steps(steps: &[Step], root: &Path) -> Result<(), Failure> {
    let mut table = Table::new(&["step", "result", "seconds"]);
    let mut sum = Tally::default();
    let mut result = Ok(());
    for step in steps {
        say::line(&format!("\n==> {}", step.name));
        let started = Instant::now();
        let (tally, outcome) = (step.run)(root);
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

fn untallied(result: Result<(), Failure>) -> Outcome {
    (Tally::default(), result)
}

fn fmt(root: &Path) -> Outcome {
    untallied(
        needs_component(root, "fmt", "rustfmt")
            .and_then(|()| Cargo::new(root, &["fmt", "--all", "--check"]).run()),
    )
}

fn clippy(root: &Path) -> Outcome {
    let args = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    untallied(
        needs_component(root, "clippy", "clippy").and_then(|()| Cargo::new(root, &args).run()),
    )
}

fn needs_component(root: &Path, command: &str, component: &str) -> Result<(), Failure> {
    if Cargo::new(root, &[command, "--version"]).works() {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "cargo {command} is not installed; run `rustup component add {component}`"
    )))
}

fn tests(root: &Path) -> Outcome {
    let nextest = ["nextest", "run", "--workspace", "--no-fail-fast"];
    // Doc tests are a step of their own, also where cargo test would add them.
    let libtest = ["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"];
    let has_nextest = Cargo::new(root, &["nextest", "--version"]).works();
    let args: &[&str] = if has_nextest { &nextest } else { &libtest };
    match tools::install(root) {
        Ok(path) => {
            refuse_silence(Cargo::new(root, args).env(tools::PATH_VARIABLE, &path).count_tests())
        }
        Err(failure) => untallied(Err(failure)),
    }
}

/// A runner that succeeds without a single test has proven nothing.
fn refuse_silence((tally, result): Outcome) -> Outcome {
    if result.is_ok() && tally.passed == 0 {
        return untallied(Err(Failure::Failed("the test runner reported no test".to_owned())));
    }
    (tally, result)
}

fn doc_tests(root: &Path) -> Outcome {
    Cargo::new(root, &["test", "--workspace", "--doc"]).count_tests()
}

fn doc(root: &Path) -> Outcome {
    let args = ["doc", "--no-deps", "--workspace"];
    untallied(Cargo::new(root, &args).env("RUSTDOCFLAGS", "-D warnings").run())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(_: &Path) -> Outcome {
        (Tally { passed: 1, failed: 0 }, Ok(()))
    }

    fn fails(_: &Path) -> Outcome {
        (Tally { passed: 0, failed: 1 }, Err(Failure::Failed("one test".to_owned())))
    }

    fn is_never_reached(_: &Path) -> Outcome {
        panic!("a step ran after one that failed")
    }

    #[test]
    fn the_first_failing_step_ends_the_run_and_is_its_result() {
        let steps = [
            Step { name: "a", run: passes },
            Step { name: "b", run: fails },
            Step { name: "c", run: is_never_reached },
        ];
        let result = run_steps(&steps, Path::new("."));
        assert_eq!(result, Err(Failure::Failed("one test".to_owned())));
    }

    #[test]
    fn steps_that_all_hold_are_a_success() {
        assert_eq!(run_steps(&[Step { name: "a", run: passes }], Path::new(".")), Ok(()));
    }

    #[test]
    fn a_runner_that_ran_nothing_is_not_believed() {
        let (_, silent) = refuse_silence((Tally::default(), Ok(())));
        assert!(silent.is_err());
        let (tally, spoken) = refuse_silence((Tally { passed: 2, failed: 0 }, Ok(())));
        assert_eq!((tally.passed, spoken), (2, Ok(())));
    }
}
