//! The text of `cargo nextest run`.
//!
//! Ids are `binary-id$module::name`, with nextest's own binary ids. Status
//! words end at column 12; what failing tests printed is indented below.

use std::io::BufRead;

use ralph_core::finding::TestState;

use super::lines::{self, LineClaim};
use super::panics::PanicReader;
use super::rustc_text::RustcText;
use super::{FindingCollector, FormatError};

/// The column at which status words end.
const STATUS_WIDTH: usize = 12;

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut nextest = NextestText::default();
    lines::each(input, |line| {
        nextest.line(line, out);
    })?;
    nextest.finish(out);
    Ok(())
}

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct NextestText {
    stage: NextestStage,
    /// The failed test whose output follows.
    current: Option<(String, PanicReader)>,
    rustc: RustcText,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NextestStage {
    /// Things are built.
    #[default]
    Before,
    /// Tests run.
    Running,
    /// Those that failed are listed once more.
    Summed,
}

impl NextestText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if is_start(line) {
            self.finish(out);
            self.stage = NextestStage::Running;
            out.runs_tests();
            return LineClaim::Taken;
        }
        if self.stage == NextestStage::Before {
            return self.rustc.line(line, out);
        }
        if let Some(status) = NextestStatusLine::parse(line) {
            self.status(&status, out);
            return LineClaim::Taken;
        }
        if self.stage == NextestStage::Summed {
            return self.rustc.line(line, out);
        }
        if let Some((id, output)) = &mut self.current {
            let printed = line.strip_prefix("    ").unwrap_or(line);
            if !is_frame(printed) && printed.trim_start() != name(id) {
                output.line(printed, out);
            }
        }
        LineClaim::Taken
    }

    /// Takes in a line only if it begins a run or repeats what failed in it;
    /// what the compiler says is left to others.
    pub(super) fn begin(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let listed = self.stage == NextestStage::Summed && NextestStatusLine::parse(line).is_some();
        if listed || is_start(line) { self.line(line, out) } else { LineClaim::Free }
    }

    /// True while tests run, so that the lines belong to them.
    pub(super) fn is_inside(&self) -> bool {
        self.stage == NextestStage::Running
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.close(out);
        self.rustc.finish(out);
    }

    fn status(&mut self, status: &NextestStatusLine<'_>, out: &mut FindingCollector) {
        self.close(out);
        if status.word == "Summary" {
            note_skipped(status.rest, out);
            self.stage = NextestStage::Summed;
            return;
        }
        let Some((id, name)) = id(status.rest) else { return };
        let Some(state) = self.state(status) else { return };
        out.test(&id, state);
        if state == TestState::Failed && self.stage == NextestStage::Running {
            let mut output = PanicReader::of(name);
            if !status.word.ends_with("FAIL") {
                // The word is all there is when a signal ended the test.
                output.line(status.word, out);
            }
            self.current = Some((id, output));
        }
    }

    fn state(&self, status: &NextestStatusLine<'_>) -> Option<TestState> {
        match status.word.strip_prefix("TRY ").and_then(|word| word.split_once(' ')) {
            // An attempt that is not the last carries no number of its test.
            Some((_, "PASS" | "LEAK")) => Some(TestState::Passed),
            Some((_, _)) if self.stage == NextestStage::Summed => Some(TestState::Failed),
            Some((_, _)) => counter(status.rest).map(|_| TestState::Failed),
            None => match status.word {
                "PASS" | "LEAK" => Some(TestState::Passed),
                "SKIP" => Some(TestState::Skipped),
                "FAIL" | "TIMEOUT" | "ABORT" | "LEAK-FAIL" | "FAIL + LEAK" | "FLKY-FL" => {
                    Some(TestState::Failed)
                }
                word if word.starts_with("FLAKY ") => Some(TestState::Passed),
                word if word.starts_with("SIG") => Some(TestState::Failed),
                _ => None,
            },
        }
    }

    fn close(&mut self, out: &mut FindingCollector) {
        if let Some((id, output)) = self.current.take() {
            output.report(&id, None, out);
        }
    }
}

/// A line that begins with a status word.
struct NextestStatusLine<'a> {
    /// Such as `PASS`, `TRY 1 FAIL` or `SIGABRT`.
    word: &'a str,
    /// The text after the time.
    rest: &'a str,
}

impl<'a> NextestStatusLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let (word, rest) = text.split_once(" [")?;
        // Longer words are not indented at all.
        let fits = indent + word.len() == STATUS_WIDTH
            || (indent == 0 && word.len() > STATUS_WIDTH && word.starts_with("TRY "));
        let (_, rest) = rest.split_once("] ")?;
        fits.then_some(Self { word, rest: rest.trim_start() })
    }
}

/// True if the line is `Starting 12 tests across 4 binaries`.
fn is_start(line: &str) -> bool {
    line.strip_prefix("    Starting ").is_some_and(|rest| rest.contains(" across "))
}

/// True if the line is one that libtest prints around the output of the single test.
fn is_frame(line: &str) -> bool {
    ["running 1 test", "test ", "failures:", "---- ", "  stdout ", "  stderr "]
        .iter()
        .any(|frame| line.starts_with(frame))
}

/// The rest after `(3/12) `.
fn counter(rest: &str) -> Option<&str> {
    let (numbers, rest) = rest.strip_prefix('(')?.split_once(") ")?;
    let numeric = |c: char| c.is_ascii_digit() || c == '/' || c == ' ';
    numbers.chars().all(numeric).then_some(rest)
}

/// Id and name from `(3/12) shop::it module::name`.
fn id(rest: &str) -> Option<(String, &str)> {
    let rest = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(") ")?.1,
        None => rest,
    };
    let (binary, name) = rest.trim().rsplit_once(' ')?;
    let binary = binary.trim();
    (!binary.contains(' ')).then(|| (format!("{binary}${name}"), name))
}

/// The test's name within an id.
fn name(id: &str) -> &str {
    id.split_once('$').map_or(id, |(_, name)| name)
}

/// Counts the skipped of `12 tests run: 5 passed, 7 failed, 2 skipped`, which
/// are not named.
fn note_skipped(rest: &str, out: &mut FindingCollector) {
    let figures = rest.split_once(": ").map_or("", |(_, figures)| figures);
    for figure in figures.split(", ") {
        if let Some((number, "skipped")) = figure.split_once(' ')
            && let Ok(number) = number.parse::<u32>()
        {
            out.unnamed_tests(TestState::Skipped, u64::from(number));
        }
    }
}
