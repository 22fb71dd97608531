//! `dotnet test`, on either of its platforms.
//!
//! Ids are those of the test framework: `Namespace.Class.Method`.

use ralph_core::finding::{TestCounts, TestState};

use super::super::FindingCollector;
use super::super::spot::worded;
use super::figures::{after, whole};
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct DotnetText {
    /// True while a summary of several lines is being read.
    summed: bool,
    /// True once the trace of a failure was reached.
    traced: bool,
}

impl RunnerDialect for DotnetText {
    fn name(&self) -> &'static str {
        "dotnet"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"FPSTNfpst"
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        if let Some((id, state)) = ended(line) {
            self.traced = false;
            return Some(match state {
                TestState::Failed => RunnerLine::failure(id),
                TestState::Passed | TestState::Skipped => RunnerLine::Ended(id, state),
            });
        }
        let total = line.strip_prefix("Total tests: ").and_then(whole);
        if total.is_some() || line.starts_with("Test run summary: ") {
            self.summed = true;
            return Some(RunnerLine::Begins);
        }
        if self.summed && line.starts_with(' ') {
            return part(line).map(RunnerLine::Counts);
        }
        self.summed = false;
        let told = ["Failed!  - ", "Passed!  - ", "Skipped! - ", "Test summary: total: "];
        if told.iter().any(|start| line.starts_with(start)) {
            let either = |one, other| after(line, one).max(after(line, other));
            let passed = either("Passed", "succeeded");
            let (failed, skipped) = (either("Failed", "failed"), either("Skipped", "skipped"));
            return Some(RunnerLine::Counts(TestCounts { passed, failed, skipped }));
        }
        let none = line.starts_with("No test is available in ")
            || line.starts_with("No test matches the given testcase filter");
        none.then_some(RunnerLine::Begins)
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if let Some(next) = self.outside(line, out) {
            return next;
        }
        match line.trim() {
            "Error Message:" => return RunnerLine::Skip,
            "Stack Trace:" | "Standard Output Messages:" => {
                self.traced = true;
                return RunnerLine::Trace("");
            }
            "" if self.traced => return RunnerLine::Over,
            _ => {}
        }
        if line.trim_start().starts_with("at ") {
            self.traced = true;
            let spot = worded(line, " in ", ":line ");
            return spot.map_or(RunnerLine::Trace(line), RunnerLine::At);
        }
        if self.traced { RunnerLine::Trace(line) } else { RunnerLine::Said(line) }
    }
}

/// From `  Failed Name [5 ms]`, or `failed Name (5ms)`.
fn ended(line: &str) -> Option<(String, TestState)> {
    let (word, rest) = line.trim_start().split_once(' ')?;
    let timed = |open: &str, close: char| {
        let (name, time) = rest.trim_end().strip_suffix(close)?.rsplit_once(open)?;
        let is_time = time.ends_with('s') && time.contains(|c: char| c.is_ascii_digit());
        is_time.then(|| name.to_owned())
    };
    let state = match word {
        "Passed" | "passed" => TestState::Passed,
        "Failed" | "failed" => TestState::Failed,
        "Skipped" | "skipped" => TestState::Skipped,
        _ => return None,
    };
    let indented = line.starts_with("  ");
    let is_upper = word.starts_with(char::is_uppercase);
    let name = match (indented, is_upper) {
        (true, true) => timed(" [", ']')?,
        (false, false) => timed(" (", ')')?,
        (true, false) | (false, true) => return None,
    };
    Some((name, state))
}

/// A line such as `     Passed: 1` or `  succeeded: 1`.
fn part(line: &str) -> Option<TestCounts> {
    let (what, number) = line.trim().split_once(": ")?;
    let number = u64::from(whole(number.trim())?);
    let none = TestCounts::default();
    match what {
        "Passed" | "succeeded" => Some(TestCounts { passed: number, ..none }),
        "Failed" | "failed" => Some(TestCounts { failed: number, ..none }),
        "Skipped" | "skipped" => Some(TestCounts { skipped: number, ..none }),
        _ => None,
    }
}
