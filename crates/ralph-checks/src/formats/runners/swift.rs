//! `swift test`, with `XCTest` and Swift Testing.
//!
//! Ids are `Class.method`, or the name of a test function.

use ralph_core::finding::TestState;

use super::super::FindingCollector;
use super::super::spot::PrintedLocation;
use super::figures::counted;
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct SwiftText {
    /// True once tests run: errors before that are those of the compiler.
    begun: bool,
}

impl RunnerDialect for SwiftText {
    fn name(&self) -> &'static str {
        "swift"
    }

    fn first_bytes(&self) -> &'static [u8] {
        // Marks of Swift Testing, a private one on some systems included.
        b"TE/\xe2\xf4\xf3\xee\xef"
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        if let Some(rest) = line.strip_prefix("Test Case '") {
            self.begun = true;
            let (name, end) = rest.split_once("' ")?;
            return Some(match state(end) {
                Some(state) => RunnerLine::Ended(method(name), state),
                None => RunnerLine::Begins,
            });
        }
        if let Some(rest) = line.trim_start().strip_prefix("Executed ") {
            let tests = rest.split_once(", with ").and_then(|(tests, _)| counted(tests, ", "));
            return tests.map(|_| RunnerLine::Begins);
        }
        if line.starts_with('/') {
            let (spot, rest) = line.split_once(": error: ").filter(|_| self.begun)?;
            let at = PrintedLocation::parse(spot).filter(|spot| spot.has_ending("swift"));
            let (name, said) = rest.split_once(" : ").filter(|_| at.is_some())?;
            return Some(RunnerLine::Failure { id: method(name), said, at });
        }
        let text = marked(line)?;
        if let Some(rest) = text.strip_prefix("Test run with ") {
            return counted(rest.split(" test").next()?, ", ")
                .is_none()
                .then_some(RunnerLine::Begins);
        }
        let rest = text.strip_prefix("Test ")?;
        if let Some((name, issue)) = rest.split_once(" recorded an issue ") {
            // With a table of arguments, they stand before the place.
            let (spot, said) = issue.split_once(": ")?;
            let at = PrintedLocation::parse(spot.rsplit(' ').next()?);
            return Some(RunnerLine::Failure { id: name.to_owned(), said, at });
        }
        let ends = [" passed after ", " failed after ", " skipped"];
        let at = ends.iter().find_map(|end| rest.find(end))?;
        let state = state(rest[at..].trim_start())?;
        Some(RunnerLine::Ended(rest[..at].to_owned(), state))
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        match line.trim_start().strip_prefix("↳ ") {
            Some(detail) => RunnerLine::Said(detail),
            None => self.outside(line, out).unwrap_or(RunnerLine::Over),
        }
    }
}

fn state(end: &str) -> Option<TestState> {
    match end.split([' ', '.', ':']).next()? {
        "passed" => Some(TestState::Passed),
        "failed" => Some(TestState::Failed),
        "skipped" => Some(TestState::Skipped),
        _ => None,
    }
}

/// `Class.method`, also from `-[Module.Class method]`.
fn method(name: &str) -> String {
    match name.strip_prefix("-[").and_then(|name| name.strip_suffix(']')) {
        Some(name) => name.replace(' ', "."),
        None => name.to_owned(),
    }
}

/// Returns the text after the mark with which a line of Swift Testing begins.
fn marked(line: &str) -> Option<&str> {
    let mut chars = line.chars();
    let mark = chars.next().filter(|mark| !mark.is_ascii())?;
    let rest = &line[mark.len_utf8()..];
    rest.starts_with(' ').then(|| rest.trim_start())
}
