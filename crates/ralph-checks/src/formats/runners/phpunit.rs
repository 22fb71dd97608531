//! `PHPUnit` without a report in XML.
//!
//! Ids are `Class::method`, with the name of a data set.

use ralph_core::finding::{TestCounts, TestState};

use super::super::FindingCollector;
use super::super::spot::PrintedLocation;
use super::figures::{after, counted, numbered};
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct PhpunitText {
    /// True while the runner runs.
    begun: bool,
    /// True once the duration was printed: lines before it may come from a test.
    timed: bool,
    listed: TestList,
    /// Its last count: the message of a failure may look like one.
    counts: TestCounts,
}

/// The kind of tests in a list.
#[derive(Clone, Copy, Debug, Default)]
enum TestList {
    Failed,
    Skipped,
    /// Nothing, or what does not matter.
    #[default]
    Other,
}

impl RunnerDialect for PhpunitText {
    fn name(&self) -> &'static str {
        "PHPUnit"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"PTONFEW-0123456789"
    }

    fn left(&mut self) -> TestCounts {
        std::mem::take(&mut self.counts)
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        let version = line.strip_prefix("PHPUnit ").and_then(|rest| rest.chars().next());
        if version.is_some_and(|digit| digit.is_ascii_digit()) {
            (self.begun, self.timed, self.listed) = (true, false, TestList::Other);
            return Some(RunnerLine::Counts(self.left()));
        }
        if !self.begun {
            return None;
        }
        if line == "No tests executed!" {
            return Some(RunnerLine::Begins);
        }
        if line.starts_with("Time: ") {
            self.timed = true;
            return Some(RunnerLine::Own);
        }
        if !self.timed {
            return None;
        }
        if let Some(kind) = listed(line) {
            self.listed = kind;
            return Some(RunnerLine::Own);
        }
        // What is wrong with a class has the name of its kind alone.
        let is_name = |name: &str| name.contains("::") || name.chars().all(char::is_alphabetic);
        if let Some((_, name)) = numbered(line).filter(|(_, name)| is_name(name)) {
            return Some(match self.listed {
                TestList::Failed => RunnerLine::failure(id(name)),
                TestList::Skipped => RunnerLine::Ended(id(name), TestState::Skipped),
                TestList::Other => RunnerLine::Own,
            });
        }
        if matches!(line, "--" | "FAILURES!" | "ERRORS!" | "WARNINGS!") {
            return Some(RunnerLine::Own);
        }
        self.counts = counts(line)?;
        Some(RunnerLine::Own)
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if let Some(next) = self.outside(line, out) {
            return next;
        }
        let is_path =
            |spot: &PrintedLocation<'_>| spot.has_ending("php") && !spot.file.contains(": ");
        if PrintedLocation::parse(line).is_some_and(|spot| is_path(&spot)) {
            return RunnerLine::Trace(line);
        }
        RunnerLine::Said(line)
    }
}

/// Returns the kind of list that `There were 2 failures:` announces.
fn listed(line: &str) -> Option<TestList> {
    let rest = line.strip_prefix("There was ").or_else(|| line.strip_prefix("There were "))?;
    let [(_, what)] = counted(rest.strip_suffix(':')?, ", ")?[..] else { return None };
    Some(match what.split(' ').next()?.trim_end_matches('s') {
        "error" | "failure" => TestList::Failed,
        "skipped" | "incomplete" => TestList::Skipped,
        _ => TestList::Other,
    })
}

/// A name without the values of its data set, which may be anything.
fn id(name: &str) -> String {
    let values =
        name.find(" with data set ").and_then(|at| name[at..].find(" (").map(|to| at + to));
    name[..values.unwrap_or(name.len())].to_owned()
}

/// `Tests: 11, Assertions: 6, Errors: 2, …` or `OK (1 test, 1 assertion)`.
fn counts(line: &str) -> Option<TestCounts> {
    if let Some(figures) = line.strip_prefix("OK (") {
        let figures = counted(figures.strip_suffix(')')?, ", ")?;
        let passed = figures.iter().find(|(_, what)| what.starts_with("test"))?.0;
        return Some(TestCounts { passed, ..TestCounts::default() });
    }
    if !line.starts_with("Tests: ") || !line.contains(", Assertions: ") {
        return None;
    }
    let failed = after(line, "Errors") + after(line, "Failures");
    let skipped = after(line, "Skipped") + after(line, "Incomplete");
    let passed = after(line, "Tests").saturating_sub(failed + skipped);
    Some(TestCounts { passed, failed, skipped })
}
