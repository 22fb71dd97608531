//! The text of Python's `unittest`, with or without `-v`.
//!
//! Ids are `module.Class.test`.

use std::collections::HashSet;

use ralph_core::finding::TestState;

use super::FindingCollector;
use super::lines::LineClaim;
use super::said::FailureMessage;
use super::spot::{PrintedLocation, place_in};

/// The words before the name of a test that passed although it was expected to fail.
const UNEXPECTED: &str = "UNEXPECTED SUCCESS: ";

/// The functions called around the tests of a class or a module.
const AROUND: [&str; 4] = [".setUpClass", ".tearDownClass", ".setUpModule", ".tearDownModule"];

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct UnittestText {
    /// The failure that is shown: its id and what it said.
    report: Option<(String, FailureMessage)>,
    /// True if the last line was a rule, below which a failure may start.
    ruled: bool,
    /// Tests of which one or more failures were shown: subtests belong to
    /// them, and what goes wrong around a class is none.
    broken: HashSet<String>,
    passed: u64,
    failed: u64,
    skipped: u64,
    /// The number of tests that ran, once it was printed.
    ran: Option<u64>,
}

impl UnittestText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let ruled = std::mem::replace(&mut self.ruled, is_rule(line, '='));
        if self.ruled {
            self.close(out);
            return LineClaim::Free;
        }
        if ruled && let Some(id) = reported(line) {
            self.failed += 1;
            out.test(&id, TestState::Failed);
            let test = id.split(' ').next().unwrap_or(&id);
            if !AROUND.iter().any(|name| test.ends_with(name)) {
                self.broken.insert(test.to_owned());
            }
            let mut said = FailureMessage::default();
            if line.starts_with(UNEXPECTED) {
                said.line("it passed, but was expected to fail");
            }
            self.report = Some((id, said));
            return LineClaim::Taken;
        }
        if let Some(ran) = ran(line) {
            self.close(out);
            self.ran = Some(ran);
            out.runs_tests();
            return LineClaim::Taken;
        }
        if self.ran.is_some() && (line.starts_with("OK") || line.starts_with("FAILED")) {
            self.last_line(line, out);
            return LineClaim::Taken;
        }
        if let Some((_, said)) = &mut self.report {
            if !is_rule(line, '-') {
                said.line(line);
            }
            return LineClaim::Taken;
        }
        self.verbose(line, out)
    }

    /// True while a failure is shown, so that the lines belong to it.
    pub(super) fn is_inside(&self) -> bool {
        self.report.is_some()
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.close(out);
    }

    /// `test_a (module.Class.test_a) ... ok`. Failures are shown later.
    fn verbose(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let Some((name, end)) = line.rsplit_once(" ... ") else { return LineClaim::Free };
        let Some(id) = id(name.trim()) else { return LineClaim::Free };
        if end == "ok" {
            self.passed += 1;
            out.test(&id, TestState::Passed);
        } else if end.starts_with("skipped ") || end == "expected failure" {
            self.skipped += 1;
            out.test(&id, TestState::Skipped);
        } else if !matches!(end, "FAIL" | "ERROR" | "") {
            return LineClaim::Free;
        }
        LineClaim::Taken
    }

    fn close(&mut self, out: &mut FindingCollector) {
        let Some((id, said)) = self.report.take() else { return };
        let text = said.as_str();
        let spots = text.lines().rev().find_map(PrintedLocation::find_in_line);
        let place = spots.map_or_else(|| place_in(text, out), |spot| spot.place(out));
        // The first line behind the last frame that is not indented names the
        // error; lines that show two values side by side may follow.
        let frame = text.lines().collect::<Vec<_>>();
        let frame = frame.iter().rposition(|line| line.starts_with("  File ")).unwrap_or(0);
        let told = |line: &&str| !line.starts_with(' ') && !line.is_empty();
        let lines = text.lines().skip(frame).skip_while(|line| !told(line));
        // Marks below a line point at nothing where that is one of many.
        let lines = lines.filter(|line| !line.starts_with('?'));
        let mut message = FailureMessage::default();
        lines.for_each(|line| message.line(line));
        out.failed(&id, place, message.as_str());
    }

    /// `FAILED (failures=1, errors=1, skipped=1)` or `OK`.
    fn last_line(&mut self, line: &str, out: &mut FindingCollector) {
        let inner = line.split_once(" (").map_or("", |(_, inner)| inner.trim_end_matches(')'));
        let figure = |name: &str| -> u64 {
            let mut figures = inner.split(", ").filter_map(|figure| figure.split_once('='));
            let number = figures.find(|(what, _)| *what == name).map(|(_, number)| number);
            number.and_then(|number| number.parse::<u32>().ok()).map_or(0, u64::from)
        };
        let skipped = figure("skipped") + figure("expected failures");
        let ran = self.ran.unwrap_or(0);
        let unexpected = figure("unexpected successes");
        let failed = self.failed.max(figure("failures") + figure("errors") + unexpected);
        let unnamed = failed.saturating_sub(self.failed);
        let passed = ran.saturating_sub(unnamed + self.broken.len() as u64);
        out.unnamed_tests(TestState::Failed, unnamed);
        out.unnamed_tests(
            TestState::Passed,
            passed.saturating_sub(skipped).saturating_sub(self.passed),
        );
        out.unnamed_tests(TestState::Skipped, skipped.saturating_sub(self.skipped));
        *self = Self::default();
    }
}

/// The id in `FAIL: test_a (module.Class.test_a) (n=1)`.
fn reported(line: &str) -> Option<String> {
    let kinds = ["FAIL: ", "ERROR: ", UNEXPECTED];
    id(kinds.iter().find_map(|kind| line.strip_prefix(kind))?)
}

/// The id from `test_a (module.Class.test_a)`, or `(module.Class)` of old.
fn id(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(" (")?;
    let (path, rest) = rest.split_once(')')?;
    if name.contains(' ') || !path.contains('.') || path.contains(' ') {
        return None;
    }
    let full = match path.rsplit_once('.') {
        Some((_, last)) if last == name => path.to_owned(),
        Some(_) | None => format!("{path}.{name}"),
    };
    // What follows tells subtests apart.
    Some(format!("{full}{}", rest.trim_end()))
}

/// The number in `Ran 4 tests in 0.001s`.
fn ran(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("Ran ")?;
    let (number, rest) = rest.split_once(" test")?;
    rest.contains(" in ").then(|| number.parse::<u32>().ok().map(u64::from))?
}

fn is_rule(line: &str, mark: char) -> bool {
    line.len() == 70 && line.chars().all(|c| c == mark)
}
