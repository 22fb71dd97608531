//! Gradle. It counts tests only where one failed; a task that passes stands
//! for its tests.
//!
//! Ids are `:task > Class > method`.

use ralph_core::finding::{TestCounts, TestState};

use super::super::FindingCollector;
use super::figures::counted;
use super::{RunnerDialect, RunnerLine};

/// The maximum number of tasks remembered until the build ends.
const TASKS: usize = 1_000;

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct GradleText {
    /// The task that runs tests.
    task: String,
    /// True if only the name of a failure was read so far.
    named: bool,
    /// Tasks that did not fail so far, and none of whose tests is named.
    passed: Vec<String>,
}

impl RunnerDialect for GradleText {
    fn name(&self) -> &'static str {
        "Gradle"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b">:B0123456789"
    }

    fn last_bytes(&self) -> &'static [u8] {
        b"D"
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        if let Some((task, outcome)) = task(line) {
            return self.task(task, outcome);
        }
        if line.starts_with("BUILD SUCCESSFUL in ") || line.starts_with("BUILD FAILED in ") {
            let passed = std::mem::take(&mut self.passed);
            self.task.clear();
            return (!passed.is_empty()).then_some(RunnerLine::Passed(passed));
        }
        if let Some(counts) = counts(line) {
            return Some(RunnerLine::Counts(counts));
        }
        let (name, end) = line.rsplit_once(' ')?;
        if !name.contains(" > ") || name.starts_with(' ') {
            return None;
        }
        // The line of a task may be lost in what was printed at once.
        let task = if self.task.is_empty() { ":test" } else { &self.task };
        let id = format!("{task} > {name}");
        self.named = end == "FAILED";
        let said = match end {
            "FAILED" => RunnerLine::failure(id),
            _ if self.task.is_empty() => return None,
            "PASSED" => RunnerLine::Ended(id, TestState::Passed),
            "SKIPPED" => RunnerLine::Ended(id, TestState::Skipped),
            _ => return None,
        };
        self.passed.retain(|task| *task != self.task);
        Some(said)
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        let indented = line.starts_with(' ');
        if std::mem::take(&mut self.named) && !indented && self.task.is_empty() {
            return RunnerLine::Retract;
        }
        if !indented {
            return self.outside(line, out).unwrap_or(RunnerLine::Over);
        }
        let is_frame = line.trim_start().starts_with("at ");
        if is_frame { RunnerLine::Trace(line) } else { RunnerLine::Said(line) }
    }
}

impl GradleText {
    fn task<'a>(&mut self, task: &str, outcome: &str) -> Option<RunnerLine<'a>> {
        let name = task.rsplit(':').next().unwrap_or(task);
        // `cleanTest` removes what `test` left.
        if name != "test" && (!name.ends_with("Test") || name.starts_with("clean")) {
            return None;
        }
        task.clone_into(&mut self.task);
        self.passed.retain(|passed| passed != task);
        match outcome {
            "" | "UP-TO-DATE" | "FROM-CACHE" if self.passed.len() < TASKS => {
                self.passed.push(task.to_owned());
            }
            "NO-SOURCE" => return Some(RunnerLine::Begins),
            _ => {}
        }
        Some(RunnerLine::Own)
    }
}

/// Task and outcome from `> Task :app:test FAILED`, or `:test` of old.
fn task(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("> Task ").unwrap_or(line);
    let (task, outcome) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_name = |c: char| c.is_alphanumeric() || ":_-.".contains(c);
    let known =
        matches!(outcome, "" | "UP-TO-DATE" | "FROM-CACHE" | "NO-SOURCE" | "FAILED" | "SKIPPED");
    (task.starts_with(':') && task.len() > 1 && task.chars().all(is_name) && known)
        .then_some((task, outcome))
}

/// `5 tests completed, 2 failed, 1 skipped`.
fn counts(line: &str) -> Option<TestCounts> {
    let (mut all, mut failed, mut skipped) = (None, 0, 0);
    for (number, what) in counted(line, ", ")? {
        match what {
            "test completed" | "tests completed" => all = Some(number),
            "failed" => failed = number,
            "skipped" => skipped = number,
            _ => return None,
        }
    }
    Some(TestCounts { passed: all?.saturating_sub(failed + skipped), failed, skipped })
}
