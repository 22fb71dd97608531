//! The text of Ruby's minitest, with or without `-v`, also inside of Rails.
//!
//! Ids are `Class#test_name`.

use ralph_core::finding::{SourceLocation, TestState};

use super::FindingCollector;
use super::lines::LineClaim;
use super::said::FailureMessage;
use super::spot::{PrintedLocation, place_in};

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct MinitestText {
    /// The test that runs; what it prints stands behind its name.
    running: Option<String>,
    /// The kind of report that the last line announced.
    heading: Option<TestState>,
    report: Option<MinitestReport>,
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// The report about a test that did not pass.
#[derive(Debug)]
struct MinitestReport {
    id: String,
    state: TestState,
    place: SourceLocation,
    said: FailureMessage,
    /// True once the frames of a stack trace were reached.
    traced: bool,
}

impl MinitestText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some(counts) = MinitestCounts::parse(line) {
            self.ended(&counts, out);
            return LineClaim::Taken;
        }
        if let Some(state) = heading(line) {
            self.close(out);
            self.heading = Some(state);
            return LineClaim::Free;
        }
        if let Some(state) = self.heading.take()
            && let Some((id, place)) = headed(line, out)
        {
            self.report = Some(MinitestReport {
                id,
                state,
                place,
                said: FailureMessage::default(),
                traced: false,
            });
            return LineClaim::Taken;
        }
        if let Some(report) = &mut self.report {
            // Rails shows how to repeat it, and goes on with other tests.
            if line.starts_with("bin/rails test ") || line.starts_with("rails test ") {
                self.close(out);
            } else {
                report.line(line, out);
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

    /// `Class#test_name = 0.00 s = .`, with what the test prints after the
    /// first sign. Those that do not pass are shown later.
    fn verbose(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let (before, mark) = match result(line) {
            Some((before, mark)) => (before, Some(mark)),
            None => (line, None),
        };
        // Names of specs may hold anything, and so may what tests print.
        let is_time = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let bare = before.rsplit_once(" = ").filter(|(_, time)| mark.is_some() && is_time(time));
        let named = bare.or_else(|| before.split_once(" = "));
        let named = named.map(|(name, _)| name).filter(|name| is_id(name));
        if let Some(name) = named {
            self.running = Some(name.to_owned());
        }
        let Some(mark) = mark else {
            return if named.is_some() { LineClaim::Taken } else { LineClaim::Free };
        };
        let Some(id) = self.running.take() else { return LineClaim::Free };
        if mark == "." {
            self.passed += 1;
            out.test(&id, TestState::Passed);
        }
        LineClaim::Taken
    }

    fn close(&mut self, out: &mut FindingCollector) {
        let Some(MinitestReport { id, state, place, said, .. }) = self.report.take() else {
            return;
        };
        match state {
            TestState::Passed => {}
            TestState::Failed => {
                self.failed += 1;
                out.failed(&id, place, said.as_str());
            }
            TestState::Skipped => {
                self.skipped += 1;
                out.test(&id, TestState::Skipped);
            }
        }
    }

    fn ended(&mut self, counts: &MinitestCounts, out: &mut FindingCollector) {
        self.close(out);
        out.runs_tests();
        let MinitestCounts { runs, failed, skipped } = *counts;
        let passed = runs.saturating_sub(failed).saturating_sub(skipped);
        out.unnamed_tests(TestState::Passed, passed.saturating_sub(self.passed));
        out.unnamed_tests(TestState::Failed, failed.saturating_sub(self.failed));
        out.unnamed_tests(TestState::Skipped, skipped.saturating_sub(self.skipped));
        *self = Self::default();
    }
}

impl MinitestReport {
    fn line(&mut self, line: &str, out: &FindingCollector) {
        let is_frame = line.starts_with("    ") && line.contains(":in ");
        if is_frame {
            self.traced = true;
            if self.place.file.is_empty() {
                self.place = place_in(line, out);
            }
        } else if !self.traced {
            self.said.line(line);
        }
    }
}

/// `4 runs, 2 assertions, 1 failures, 1 errors, 1 skips`.
struct MinitestCounts {
    runs: u64,
    failed: u64,
    skipped: u64,
}

impl MinitestCounts {
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(", ");
        let mut next = |word: &str| -> Option<u64> {
            let (number, rest) = parts.next()?.split_once(' ')?;
            let known = rest == word || rest.strip_suffix('s') == Some(word);
            known.then(|| number.parse::<u32>().ok().map(u64::from))?
        };
        let runs = next("run")?;
        next("assertion")?;
        let failed = next("failure")? + next("error")?;
        Some(Self { runs, failed, skipped: next("skip")? })
    }
}

/// Returns the kind of report that `  1) Failure:` or a bare `Failure:` announces.
fn heading(line: &str) -> Option<TestState> {
    let word = match line.trim_start().split_once(") ") {
        Some((number, word)) if number.parse::<u32>().is_ok() => word,
        Some(_) => return None,
        None => line,
    };
    match word.trim_end() {
        "Failure:" | "Error:" => Some(TestState::Failed),
        "Skipped:" => Some(TestState::Skipped),
        _ => None,
    }
}

/// Id and place from `Class#test_name [file:3]:` or `Class#test_name:`.
fn headed(line: &str, out: &FindingCollector) -> Option<(String, SourceLocation)> {
    let text = line.trim_end().strip_suffix(':')?;
    let (name, spot) = match text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")) {
        Some((name, place)) => (name, PrintedLocation::parse(place)),
        None => (text, None),
    };
    let place = spot.map_or_else(SourceLocation::default, |spot| spot.place(out));
    is_id(name).then(|| (name.to_owned(), place))
}

/// Returns the text before the time of a test, and the mark behind it.
fn result(line: &str) -> Option<(&str, &str)> {
    let (before, mark) = line.rsplit_once(" s = ")?;
    let digits = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_mark = matches!(mark, "." | "F" | "E" | "S");
    (is_mark && digits.len() < before.len()).then_some((before, mark))
}

/// True if a text is the name of a test: of a class, and of one of its methods. Those of specs have
/// words in them.
fn is_id(text: &str) -> bool {
    let Some((class, method)) = text.split_once("#test_") else { return false };
    // A spec is called what it describes, and its examples are numbered.
    let is_numbered = || {
        let (number, name) = method.split_once('_').unwrap_or_default();
        number.len() == 4 && number.parse::<u32>().is_ok() && !name.is_empty()
    };
    !class.is_empty()
        && !method.is_empty()
        && (class.starts_with(char::is_uppercase) || is_numbered())
}
