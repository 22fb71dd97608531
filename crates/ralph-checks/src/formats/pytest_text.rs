//! The text of pytest: verbose lines, the short summary and the last line.
//!
//! Ids are pytest's own, `path::Class::name[parameter]`.

use std::collections::HashMap;

use ralph_core::finding::{SourceLocation, TestCounts, TestState};

use super::FindingCollector;
use super::lines::LineClaim;
use super::said::FailureMessage;
use super::spot::{PrintedLocation, worded};

/// The maximum number of failures remembered from their reports to the summary.
const REPORTS: usize = 1_000;

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct PytestText {
    stage: PytestSection,
    /// Tests that were named, by how they ended.
    named: TestCounts,
    /// The report that is being read: its title, place and message.
    report: Option<(String, SourceLocation, FailureMessage)>,
    reports: HashMap<String, (SourceLocation, FailureMessage)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PytestSection {
    #[default]
    Outside,
    /// Tests run.
    Session,
    /// Failures are shown.
    Reports,
    /// Failures are listed.
    Summary,
}

impl PytestText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some(title) = banner(line, '=') {
            return self.banner(title, out);
        }
        match self.stage {
            PytestSection::Outside => self.anywhere(line, out),
            PytestSection::Session => {
                if !self.verbose(line, out) {
                    self.anywhere(line, out);
                }
                LineClaim::Taken
            }
            PytestSection::Reports => {
                self.report_line(line, out);
                LineClaim::Taken
            }
            PytestSection::Summary => {
                self.anywhere(line, out);
                LineClaim::Taken
            }
        }
    }

    /// True while a session runs, so that the lines belong to it.
    pub(super) fn is_inside(&self) -> bool {
        self.stage != PytestSection::Outside
    }

    fn banner(&mut self, title: &str, out: &mut FindingCollector) -> LineClaim {
        self.close_report();
        match title {
            "test session starts" => {
                out.runs_tests();
                self.stage = PytestSection::Session;
            }
            "FAILURES" | "ERRORS" => self.stage = PytestSection::Reports,
            "short test summary info" => self.stage = PytestSection::Summary,
            _ => return self.last_line(title, out),
        }
        LineClaim::Taken
    }

    /// Lines that are sure wherever they stand: with `-q` no banner is printed.
    fn anywhere(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let known = ["FAILED ", "ERROR ", "SUBFAILED"];
        if known.iter().any(|word| line.starts_with(word)) {
            return self.listed(line, out);
        }
        // Cheap signs first: most lines are something else.
        if line.ends_with('s') || line.ends_with(')') {
            return self.last_line(line, out);
        }
        LineClaim::Free
    }

    /// `FAILED tests/test_a.py::test_b - message`.
    fn listed(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        // A subtest is told before its file: `SUBFAILED[why] (n=1) test_a.py::test_b`.
        let is_subtest = line.starts_with("SUBFAILED");
        let begins_id = |at: &usize| {
            !is_subtest || line[at + 1..].split_once("::").is_some_and(|(file, _)| is_python(file))
        };
        let at = line.match_indices(' ').map(|(at, _)| at).find(begins_id);
        let Some((word, rest)) = at.map(|at| line.split_at(at)) else { return LineClaim::Free };
        let rest = rest.trim_start();
        // Parameters may hold the mark that stands before the message.
        let is_whole = |id: &str| !id.contains('[') || id.ends_with(']');
        let mut marks = rest.match_indices(" - ").map(|(at, _)| at);
        let (id, message) = match marks.find(|at| is_whole(&rest[..*at])) {
            Some(at) => (rest[..at].trim(), &rest[at + 3..]),
            None => (rest.trim(), ""),
        };
        let file = id.split("::").next().unwrap_or(id);
        if !is_python(file) {
            return LineClaim::Free;
        }
        let title = id.split_once("::").map_or(id, |(_, name)| name).replace("::", ".");
        let title = match word.strip_prefix("SUBFAILED") {
            Some(subtest) => format!("{title} {subtest}"),
            None => title,
        };
        let (place, said) = self.reports.remove(&title).unwrap_or_default();
        let place = if place.file.is_empty() { out.place(file, None, None) } else { place };
        let message = if said.is_empty() { message } else { said.as_str() };
        out.failed(id, place, message);
        self.named.failed += 1;
        LineClaim::Taken
    }

    /// `tests/test_a.py::test_b PASSED [ 50%]`. Failures are listed later, so
    /// that they are not counted here.
    fn verbose(&mut self, line: &str, out: &mut FindingCollector) -> bool {
        let Some((id, rest)) = line
            .split_once("::")
            .and_then(|(file, _)| is_python(file).then(|| split_status(line)).flatten())
        else {
            return false;
        };
        let state = match rest.split([' ', '[']).next() {
            Some("PASSED" | "XPASS") => TestState::Passed,
            Some("SKIPPED" | "XFAIL") => TestState::Skipped,
            Some("FAILED" | "ERROR") => TestState::Failed,
            Some(_) | None => return false,
        };
        out.test(id, state);
        match state {
            TestState::Passed => self.named.passed += 1,
            TestState::Skipped => self.named.skipped += 1,
            TestState::Failed => {}
        }
        true
    }

    fn report_line(&mut self, line: &str, out: &mut FindingCollector) {
        if let Some(title) = banner(line, '_') {
            self.close_report();
            let title = ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "]
                .iter()
                .find_map(|prefix| title.strip_prefix(prefix))
                .unwrap_or(title);
            self.report =
                Some((title.to_owned(), SourceLocation::default(), FailureMessage::default()));
            return;
        }
        let Some((_, place, said)) = &mut self.report else { return };
        if let Some(message) = line.strip_prefix("E  ") {
            said.line(message.trim_start());
            // Of a file that is no Python, only this names the place.
            if let Some(spot) = worded(message, "File \"", "\", line ") {
                *place = spot.place(out);
            }
        } else if let Some(spot) = PrintedLocation::find_in_line(line)
            && line.starts_with(spot.file)
        {
            // The last one is where it was raised.
            *place = spot.place(out);
        }
    }

    fn close_report(&mut self) {
        if let Some((title, place, said)) = self.report.take()
            && self.reports.len() < REPORTS
        {
            self.reports.insert(title, (place, said));
        }
    }

    /// `2 failed, 3 passed, 1 skipped in 0.02s`.
    fn last_line(&mut self, title: &str, out: &mut FindingCollector) -> LineClaim {
        let Some(counts) = figures(title) else { return LineClaim::Free };
        let named = std::mem::take(&mut self.named);
        out.runs_tests();
        out.unnamed_tests(TestState::Passed, counts.passed.saturating_sub(named.passed));
        out.unnamed_tests(TestState::Failed, counts.failed.saturating_sub(named.failed));
        out.unnamed_tests(TestState::Skipped, counts.skipped.saturating_sub(named.skipped));
        *self = Self::default();
        LineClaim::Taken
    }
}

/// The title in `==== title ====`.
fn banner(line: &str, mark: char) -> Option<&str> {
    let title = line.strip_prefix(mark)?.trim_start_matches(mark);
    let title = title.strip_suffix(mark)?.trim_end_matches(mark);
    title.strip_prefix(' ')?.strip_suffix(' ')
}

fn is_python(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| ending == "py") && !file.contains(' ')
}

/// Id and what follows from `id PASSED [ 50%]`. Ids may hold spaces.
fn split_status(line: &str) -> Option<(&str, &str)> {
    ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL", "XPASS"].iter().find_map(|word| {
        let at = line.find(&format!(" {word}"))?;
        Some((&line[..at], &line[at + 1..]))
    })
}

/// The counts of the last line, if it is one.
fn figures(title: &str) -> Option<TestCounts> {
    let (figures, time) = title.rsplit_once(" in ")?;
    if !time.starts_with(|c: char| c.is_ascii_digit()) || !time.contains('s') {
        return None;
    }
    if figures == "no tests ran" {
        return Some(TestCounts::default());
    }
    let mut counts = TestCounts::default();
    for figure in figures.split(", ") {
        let (number, what) = figure.split_once(' ')?;
        let number = u64::from(number.parse::<u32>().ok()?);
        match what {
            "passed" | "xpassed" => counts.passed += number,
            "failed" | "error" | "errors" => counts.failed += number,
            "skipped" | "xfailed" => counts.skipped += number,
            "deselected" | "warning" | "warnings" | "rerun" | "subtests passed"
            | "subtests failed" | "subtests skipped" => {}
            _ => return None,
        }
    }
    Some(counts)
}
