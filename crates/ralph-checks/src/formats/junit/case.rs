//! One test case of a report.

use std::borrow::Cow;

use ralph_core::finding::{SourceLocation, TestState};

use super::super::FindingCollector;
use super::super::lines::uncoloured;
use super::super::panics::PanicReader;
use super::super::said::FailureMessage;
use super::super::spot::PrintedLocation;

/// The maximum length of a text that is looked at.
const LOOKED_AT: usize = 16 * 1024;

/// The trouble that an element inside a test case reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JunitCaseFailure {
    /// It failed.
    Failed,
    /// It was not asked, or nothing came of it.
    Skipped,
}

/// A suite around test cases.
#[derive(Debug, Default)]
pub(super) struct JunitSuite {
    pub(super) name: String,
    pub(super) file: String,
}

/// A test case as it is read.
#[derive(Debug, Default)]
pub(super) struct JunitCase {
    name: String,
    class: Option<String>,
    file: String,
    line: Option<u32>,
    /// True if its attributes say that it did not run.
    idle: bool,
    trouble: Option<JunitCaseFailure>,
    /// True if it may fail, because it is still to be done.
    todo: bool,
    /// The short message of what went wrong.
    message: String,
    /// The long description of its failure.
    said: String,
    /// The output of the test.
    printed: String,
}

impl JunitCase {
    /// Takes in an attribute of the test case.
    pub(super) fn attribute(&mut self, key: &str, value: Cow<'_, str>) {
        match key {
            "name" => self.name = value.into_owned(),
            "classname" => self.class = Some(value.into_owned()),
            "class" => {
                self.class.get_or_insert_with(|| value.into_owned());
            }
            "file" => self.file = value.into_owned(),
            "line" | "lineno" => self.line = value.parse().ok(),
            "status" | "result" => {
                self.idle |= matches!(value.as_ref(), "notrun" | "disabled" | "suppressed");
            }
            _ => {}
        }
    }

    /// Takes in an element that says what went wrong.
    pub(super) fn trouble(&mut self, kind: JunitCaseFailure, message: &str, class: &str) {
        self.todo |= kind == JunitCaseFailure::Skipped && class == "todo";
        // A test without assertions does not fail in the eyes of PHPUnit.
        let harmless = class.ends_with("RiskyTestError");
        // CTest calls a test skipped whose program is missing, yet fails.
        let missing = message.starts_with("Unable to find executable");
        let kind = match kind {
            JunitCaseFailure::Failed if harmless => return,
            JunitCaseFailure::Skipped if missing => JunitCaseFailure::Failed,
            JunitCaseFailure::Failed | JunitCaseFailure::Skipped => kind,
        };
        if self.trouble != Some(JunitCaseFailure::Failed) {
            self.trouble = Some(kind);
            message.clone_into(&mut self.message);
            self.said.clear();
        }
    }

    /// Takes in text about what went wrong.
    pub(super) fn said(&mut self, text: &str) {
        append(&mut self.said, text);
    }

    /// Takes in text that the test printed.
    pub(super) fn printed(&mut self, text: &str) {
        append(&mut self.printed, text);
    }

    /// True if it is known to have failed.
    pub(super) fn has_failed(&self) -> bool {
        self.trouble == Some(JunitCaseFailure::Failed)
    }

    /// Reports the case, given the suites around it, the outermost first.
    pub(super) fn report(self, suites: &[JunitSuite], out: &mut FindingCollector) {
        let id = self.id(suites, out);
        match self.trouble.filter(|_| !self.todo) {
            None if self.todo => out.test(&id, TestState::Skipped),
            None if self.idle => out.test(&id, TestState::Skipped),
            None => out.test(&id, TestState::Passed),
            Some(JunitCaseFailure::Skipped) => out.test(&id, TestState::Skipped),
            Some(JunitCaseFailure::Failed) if self.said.starts_with("thread '") => {
                let mut panics = PanicReader::of(&self.name);
                self.said.lines().for_each(|line| panics.line(line, out));
                panics.report(&id, None, out);
            }
            Some(JunitCaseFailure::Failed) => {
                let said = uncoloured(&self.said);
                let suite_file = suites.last().map_or("", |suite| suite.file.as_str());
                let place = self.place(&said, suite_file, out);
                out.failed(&id, place, self.told(&said).as_str());
            }
        }
    }

    fn id(&self, suites: &[JunitSuite], out: &FindingCollector) -> String {
        let class = match self.class.as_deref() {
            // Node names no class, but nests its suites.
            None | Some("test") => Cow::Owned(path(suites)),
            Some(class) => Cow::Borrowed(class),
        };
        if self.name.is_empty() || class == self.name {
            class.into_owned()
        } else if self.name.starts_with('/') {
            // Node names a file that cannot be loaded.
            out.place(&self.name, None, None).file
        } else if class.is_empty() {
            self.name.clone()
        } else {
            format!("{class}::{}", self.name)
        }
    }

    fn place(&self, said: &str, suite_file: &str, out: &FindingCollector) -> SourceLocation {
        let spots = [said, &self.message, &self.printed];
        if let Some(spot) = spots.into_iter().find_map(PrintedLocation::find) {
            return spot.place(out);
        }
        let file = if self.file.is_empty() { suite_file } else { &self.file };
        out.place(file, self.line, None)
    }

    /// The short message, or the beginning of the long one, or the output.
    fn told(&self, said: &str) -> FailureMessage {
        let mut told = FailureMessage::default();
        // Some shorten the message and mark it so; some say nothing by it.
        if !self.message.ends_with("...") && self.message != "collection failure" {
            told.text(&uncoloured(&self.message));
        }
        if told.is_empty() {
            // What pytest could not import stands below the way there.
            for line in said.lines().filter_map(|line| line.strip_prefix("E  ")) {
                told.line(line.trim_start());
            }
        }
        if told.is_empty() {
            told.before_trace(said);
        }
        if told.is_empty() {
            told.text(&uncoloured(&self.printed));
        }
        told
    }
}

/// The names of suites within each other.
fn path(suites: &[JunitSuite]) -> String {
    let names = suites.iter().map(|suite| suite.name.as_str());
    // PHPUnit calls the outermost one by the folder, which may be anywhere.
    let names = names.filter(|name| !name.is_empty() && !name.starts_with('/'));
    names.collect::<Vec<_>>().join(" > ")
}

fn append(kept: &mut String, text: &str) {
    let room = LOOKED_AT.saturating_sub(kept.len());
    kept.push_str(&text[..text.floor_char_boundary(room)]);
}
