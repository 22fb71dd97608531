//! The text of `ctest`.

use std::io::BufRead;

use ralph_core::finding::TestState;

use super::lines::{self, LineClaim};
use super::said::FailureMessage;
use super::spot::place_in;
use super::{FindingCollector, FormatError};

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut ctest = CtestText::default();
    lines::each(input, |line| {
        ctest.line(line, out);
    })?;
    ctest.finish(out);
    Ok(())
}

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct CtestText {
    started: bool,
    /// The failed test whose output follows, with how it ended.
    failed: Option<(String, String, TestOutput)>,
    /// The lines that a test printed before its result, with `ctest -V`.
    printed: TestOutput,
}

/// The output of a test.
#[derive(Debug, Default)]
struct TestOutput {
    all: FailureMessage,
    /// From the first line on that tells of a failure.
    telling: FailureMessage,
}

impl TestOutput {
    fn line(&mut self, line: &str) {
        self.all.line(line);
        if !self.telling.is_empty() || tells_of_failure(line) {
            self.telling.line(line);
        }
    }

    /// Returns the text that explains the failure: tests that passed may have printed before.
    fn why(&self) -> &str {
        if self.telling.is_empty() { self.all.as_str() } else { self.telling.as_str() }
    }
}

impl CtestText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some((name, end)) = result(line) {
            self.close(out);
            self.started = true;
            self.ended(name, end, out);
            return LineClaim::Taken;
        }
        if line.starts_with("Test project ") || line == "No tests were found!!!" {
            out.runs_tests();
            self.started = true;
            return LineClaim::Taken;
        }
        if !self.started {
            return LineClaim::Free;
        }
        if line.contains("% tests passed, ") && line.contains(" tests failed out of ") {
            self.close(out);
            self.started = false;
        } else if is_start(line) || line.starts_with("The following tests ") {
            self.close(out);
            self.printed = TestOutput::default();
        } else if let Some((_, _, said)) = &mut self.failed {
            said.line(line);
        } else if let Some(printed) = verbose(line) {
            self.printed.line(printed);
        } else {
            return LineClaim::Free;
        }
        LineClaim::Taken
    }

    /// True if the output of a test is shown, so that the lines belong to it.
    pub(super) fn is_inside(&self) -> bool {
        self.failed.is_some()
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.close(out);
    }

    fn ended(&mut self, name: &str, end: &str, out: &mut FindingCollector) {
        let printed = std::mem::take(&mut self.printed);
        if end.starts_with("Passed") {
            out.test(name, TestState::Passed);
        } else if end.starts_with("***Skipped") || end.starts_with("***Not Run (Disabled)") {
            out.test(name, TestState::Skipped);
        } else {
            out.test(name, TestState::Failed);
            self.failed = Some((name.to_owned(), reason(end), printed));
        }
    }

    fn close(&mut self, out: &mut FindingCollector) {
        let Some((name, reason, said)) = self.failed.take() else { return };
        let place = match place_in(said.why(), out) {
            nowhere if nowhere.file.is_empty() => place_in(said.all.as_str(), out),
            place => place,
        };
        let mut message = FailureMessage::default();
        if said.all.is_empty() || reason != "Failed" {
            message.line(&reason);
        }
        message.text(said.why());
        out.failed(&name, place, message.as_str());
    }
}

/// Name and end from `2/8 Test #2: name .......***Failed  0.01 sec`.
fn result(line: &str) -> Option<(&str, &str)> {
    let (numbers, rest) = line.trim_start().split_once(" Test ")?;
    let (number, total) = numbers.split_once('/')?;
    number.parse::<u32>().ok()?;
    total.parse::<u32>().ok()?;
    let (number, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    number.parse::<u32>().ok()?;
    // Names may hold dots themselves; the leader is what stands before a state.
    let at = rest.find(" ...").or_else(|| rest.find("..."))?;
    let (name, rest) = (rest[..at].trim_end(), rest[at..].trim_start_matches([' ', '.']));
    (!name.is_empty()).then(|| (name, rest.trim_start()))
}

/// True if a line that a test printed is about a failure.
fn tells_of_failure(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let mut words = line.split(|c: char| !c.is_ascii_alphabetic());
    let passes = ["pass", "passed", "ok"];
    ["fail", "error", "assert"].iter().any(|word| line.contains(word))
        && !words.any(|word| passes.contains(&word))
}

/// Returns the way a test ended, without the time: `Exception: SegFault`.
fn reason(end: &str) -> String {
    let end = end.trim_end().strip_suffix(" sec").unwrap_or(end);
    let end = end.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end();
    end.replace("***", " ").trim().trim_end_matches(':').to_owned()
}

/// True if the line is `    Start 3: name`.
fn is_start(line: &str) -> bool {
    let number = |rest: &str| rest.split_once(": ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
    line.trim_start().strip_prefix("Start ").is_some_and(|rest| number(rest.trim_start()))
}

/// Returns the text that the test printed in `2: text`.
fn verbose(line: &str) -> Option<&str> {
    let (number, printed) = line.split_once(": ")?;
    number.trim_start().parse::<u32>().ok()?;
    let ours = ["Test command: ", "Working Directory: ", "Test timeout computed to be: "];
    (!ours.iter().any(|known| printed.starts_with(known))).then_some(printed)
}
