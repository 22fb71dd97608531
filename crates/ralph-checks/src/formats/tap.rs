//! The Test Anything Protocol, versions 12 to 14, with nested subtests, as
//! `node --test`, `prove -v`, bats and others print it; and plain `prove`.
//!
//! Ids are `outer > inner > description`. Only leaves count as tests: a test
//! with subtests is reported when it fails though none of them did.

mod diagnostic;
mod point;
mod tree;
mod yaml;

use std::io::BufRead;
use std::path::Path;

use ralph_core::finding::{FindingLevel, SourceLocation, TestState};

use super::lines::{self, LineClaim};
use super::said::FailureMessage;
use super::{FindingCollector, FormatError, ToolFinding};
use diagnostic::TapDiagnostics;
use point::TapPoint;
use tree::{ExplainedTapPoint, TapTree};
use yaml::TapYamlBlock;

/// The number of spaces by which a subtest is indented.
const INDENT: usize = 4;

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut tap = TapText::default();
    lines::each(input, |line| {
        tap.line(line, out);
    })?;
    tap.finish(out);
    Ok(())
}

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct TapText {
    started: bool,
    tree: TapTree,
    diagnostics: TapDiagnostics,
    /// The last test point, while more may be said about it.
    current: Option<TapCurrentPoint>,
    /// The number of points that the outermost plans promise.
    planned: u64,
    /// The place and the message of a failure of the whole file that `prove` runs.
    fallen: (SourceLocation, FailureMessage),
    /// The last error that a comment told of since the last test point.
    thrown: String,
}

#[derive(Debug)]
struct TapCurrentPoint {
    depth: usize,
    point: TapPoint,
    yaml: Option<TapYamlBlock>,
}

impl TapText {
    /// True if the line can only begin a document of this form. The plan may come at the end; then
    /// the first test does.
    pub(super) fn begins_with(line: &str) -> bool {
        let number = line.strip_prefix("not ").unwrap_or(line).strip_prefix("ok 1");
        let is_first = number.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let is_test = |file: &str| Path::new(file).extension().is_some_and(|end| end == "t");
        let is_file = || proved(line).is_some_and(|(file, _)| is_test(file));
        line.starts_with("TAP version ") || plan(line).is_some() || is_first || is_file()
    }

    /// True once a document has started.
    pub(super) fn is_started(&self) -> bool {
        self.started
    }

    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if self.in_details(line, text, out) {
            return LineClaim::Taken;
        }
        let depth = indent / INDENT;
        if let Some(point) = TapPoint::parse(text).filter(|_| indent.is_multiple_of(INDENT)) {
            self.start(out);
            self.diagnostics.next_point(out);
            self.current = Some(TapCurrentPoint { depth, point, yaml: None });
            return LineClaim::Taken;
        }
        if let Some(note) = text.strip_prefix('#') {
            if let Some(name) = note.trim_start().strip_prefix("Subtest: ") {
                self.tree.announce(depth, point::unescaped(name.trim()));
            } else {
                if is_error(note.trim()) {
                    note.trim().clone_into(&mut self.thrown);
                }
                self.diagnostics.line(note, out);
            }
            return if self.started { LineClaim::Taken } else { LineClaim::Free };
        }
        self.other(line, out)
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.close(out);
        self.tree.finish(out);
        self.diagnostics.finish(out);
        let seen = self.tree.outermost();
        if seen < self.planned && !self.tree.has_file() {
            let message = format!("{} tests were planned, {seen} ran", self.planned);
            broke_off(&message, self.planned - seen, out);
        }
    }

    /// Takes in a line of details, or ends them.
    fn in_details(&mut self, line: &str, text: &str, out: &mut FindingCollector) -> bool {
        let Some(current) = &mut self.current else { return false };
        if let Some(yaml) = &mut current.yaml {
            if !yaml.ends_with(line) {
                yaml.line(line, out);
                return true;
            }
        } else if text == "---" {
            current.yaml = Some(TapYamlBlock::at(line.len() - text.len()));
            return true;
        }
        self.close(out);
        text == "..."
    }

    /// Lines that are neither points nor comments.
    fn other(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some(planned) = plan(line) {
            self.start(out);
            self.planned = self.planned.saturating_add(u64::from(planned));
        } else if line.starts_with("TAP version ") {
            self.start(out);
        } else if let Some(reason) = line.strip_prefix("Bail out!") {
            broke_off(&format!("Bail out! {}", reason.trim()), 1, out);
        } else if let Some((file, end)) = proved(line) {
            self.start(out);
            self.tree.enter_file(file, out);
            self.fallen = <(SourceLocation, FailureMessage)>::default();
            self.file_ended(end, out);
        } else if ["Dubious, test returned ", "Failed ", "No subtests run"]
            .iter()
            .any(|begin| line.starts_with(begin))
        {
            self.file_ended(line, out);
        } else {
            return LineClaim::Free;
        }
        LineClaim::Taken
    }

    fn start(&mut self, out: &mut FindingCollector) {
        if !self.started {
            self.started = true;
            out.runs_tests();
        }
    }

    /// Counts the verdict of `prove` about a whole file if no test point gives one.
    fn file_ended(&mut self, end: &str, out: &mut FindingCollector) {
        let file = self.tree.file().to_owned();
        if end.is_empty() || file.is_empty() {
            return;
        }
        if end == "ok" {
            if self.tree.outermost() == 0 {
                out.test(&file, TestState::Passed);
            }
        } else if end.starts_with("skipped") {
            out.test(&file, TestState::Skipped);
        } else if !self.tree.has_failed() {
            let (told_at, told) = self.diagnostics.left(out);
            let (place, said) = &mut self.fallen;
            if place.line.is_none() {
                let is_told = !told_at.file.is_empty();
                *place = if is_told { told_at } else { out.place(&file, None, None) };
            }
            said.line(end.trim());
            said.text(&told);
            out.failed(&file, place.clone(), said.as_str());
        }
    }

    fn close(&mut self, out: &mut FindingCollector) {
        let Some(TapCurrentPoint { depth, point, yaml }) = self.current.take() else { return };
        let thrown = std::mem::take(&mut self.thrown);
        let told = match (point.state, yaml) {
            (TestState::Failed, Some(yaml)) => Some(match yaml.told() {
                // Of a file that does not load node says no more than that.
                (place, message) if message == "test failed" && !thrown.is_empty() => {
                    (place, thrown)
                }
                told => told,
            }),
            (TestState::Failed, None) => Some(self.diagnostics.about(&point.name)),
            (TestState::Passed | TestState::Skipped, _) => None,
        };
        let silent = told.as_ref().is_some_and(|(_, message)| message.is_empty());
        let leaf = ExplainedTapPoint { name: named(point.name, out), state: point.state, told };
        if let Some((name, id)) = self.tree.ended(depth, leaf, out)
            && silent
        {
            self.diagnostics.expect(name, id);
        }
    }
}

/// Tests that were not reached have no names, and failed.
fn broke_off(message: &str, missing: u64, out: &mut FindingCollector) {
    let found =
        ToolFinding { tool: "tap", rule: None, level: FindingLevel::Error, message, context: "" };
    out.finding(SourceLocation::default(), &found);
    out.unnamed_tests(TestState::Failed, missing);
}

/// True if a line is `TypeError: message`.
fn is_error(line: &str) -> bool {
    let kind = line.split_once(": ").map_or("", |(kind, _)| kind);
    let kind = kind.split_once(" [").map_or(kind, |(kind, _)| kind);
    kind.ends_with("Error") && kind.chars().all(char::is_alphanumeric)
}

/// A test named after its file is named after it the way we do.
fn named(name: String, out: &FindingCollector) -> String {
    if name.starts_with('/') { out.place(&name, None, None).file } else { name }
}

/// The number in `1..5`.
fn plan(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("1..")?;
    let number = rest.split([' ', '#']).next()?;
    number.parse().ok()
}

/// File and end from `t/till.t .. ok`.
fn proved(line: &str) -> Option<(&str, &str)> {
    let (file, rest) = line.split_once(" ..")?;
    let end = rest.trim_start_matches('.');
    let known = end.trim().is_empty()
        || ["ok", "skipped", "Failed ", "Dubious"].iter().any(|word| end.trim().starts_with(word));
    (!file.is_empty() && !file.contains(' ') && known).then(|| (file, end.trim()))
}
