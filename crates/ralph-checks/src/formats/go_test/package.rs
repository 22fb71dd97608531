//! One package while its tests run.

use std::collections::{HashMap, HashSet};

use ralph_core::finding::{SourceLocation, TestState};

use super::super::FindingCollector;
use super::super::said::FailureMessage;
use super::super::spot::PrintedLocation;
use super::build::{self, GoModule};

/// The maximum number of running tests whose output is kept.
const RUNNING: usize = 10_000;

/// The result of a test or a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum GoTestResult {
    Passed,
    Failed,
    Skipped,
}

impl GoTestResult {
    /// The state of a test that ended so.
    pub(in super::super) fn state(self) -> TestState {
        match self {
            Self::Passed => TestState::Passed,
            Self::Failed => TestState::Failed,
            Self::Skipped => TestState::Skipped,
        }
    }

    /// The end in `--- FAIL: `.
    pub(in super::super) fn parse(word: &str) -> Option<Self> {
        match word {
            "PASS" => Some(Self::Passed),
            "FAIL" => Some(Self::Failed),
            "SKIP" => Some(Self::Skipped),
            _ => None,
        }
    }
}

/// A test, or, with an empty test, a package.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct GoTestName<'a> {
    pub(in super::super) package: &'a str,
    pub(in super::super) test: &'a str,
}

/// A package whose tests run.
#[derive(Debug, Default)]
pub(in super::super) struct GoPackageRun {
    /// Tests that run, with what they printed.
    running: HashMap<String, FailureMessage>,
    /// Tests that failed only or also because a subtest did.
    parents: HashSet<String>,
    failed: bool,
    /// True once a panic of a known test ended all others.
    panicked: bool,
    /// The output from outside of tests.
    said: FailureMessage,
    /// The id being put together, to save allocations.
    id: String,
}

impl GoPackageRun {
    /// Takes in that a test begins.
    pub(in super::super) fn run(&mut self, test: &str) {
        if self.running.len() < RUNNING && !self.running.contains_key(test) {
            self.running.insert(test.to_owned(), FailureMessage::default());
        }
    }

    /// Takes in what was printed.
    pub(in super::super) fn output(
        &mut self,
        names: &GoTestName<'_>,
        output: &str,
        out: &mut FindingCollector,
    ) {
        let line = output.trim_end();
        if names.test.is_empty() {
            if let Some((_, why)) = build::failed_package(line) {
                self.said.line(why);
            } else if !is_frame(line) {
                self.said.line(line);
            }
            return;
        }
        if line.starts_with("=== ") {
            return;
        }
        if let Some((before, end)) = marker(line, names.test) {
            // Printed text without a line end hides the end from `go` itself.
            if !before.trim().is_empty() && end == GoTestResult::Passed {
                self.running.remove(names.test);
                out.test(self.name(names), TestState::Passed);
            }
            return;
        }
        if let Some(said) = self.running.get_mut(names.test) {
            said.line(line);
        }
    }

    /// Takes in how a test ended.
    pub(in super::super) fn test_ended(
        &mut self,
        names: &GoTestName<'_>,
        end: GoTestResult,
        module: &GoModule,
        out: &mut FindingCollector,
    ) {
        let said = self.running.remove(names.test);
        if end != GoTestResult::Failed {
            out.test(self.name(names), end.state());
            return;
        }
        self.failed = true;
        self.panicked |= said.as_ref().is_some_and(panics);
        if let Some((parent, _)) = names.test.rsplit_once('/') {
            self.parents.insert(parent.to_owned());
        }
        if self.parents.remove(names.test) {
            if let Some((parent, _)) = names.test.rsplit_once('/') {
                self.parents.insert(parent.to_owned());
            }
            out.test(self.name(names), TestState::Failed);
        } else {
            let (place, message) = told(&said.unwrap_or_default(), names.package, module, out);
            out.failed(self.name(names), place, message.as_str());
        }
    }

    /// Takes in how the package ended: with it ends what still runs.
    pub(in super::super) fn ended(
        mut self,
        name: &str,
        end: GoTestResult,
        module: &GoModule,
        out: &mut FindingCollector,
    ) {
        let mut running: Vec<(String, FailureMessage)> = self.running.drain().collect();
        running.sort_by(|(a, _), (b, _)| b.cmp(a));
        self.panicked |= running.iter().any(|(_, said)| panics(said));
        for (test, mut said) in running {
            let names = GoTestName { package: name, test: &test };
            // It waited for its turn, or was cut off in it.
            if self.panicked && !panics(&said) && !self.parents.contains(&test) {
                out.test(self.name(&names), TestState::Skipped);
                continue;
            }
            if end == GoTestResult::Failed && said.is_empty() {
                said.line("it did not end");
            }
            self.running.insert(test.clone(), said);
            self.test_ended(&names, end, module, out);
        }
        if end == GoTestResult::Failed && !self.failed {
            let (place, message) = told(&self.said, name, module, out);
            out.failed(name, place, message.as_str());
        }
    }

    fn name(&mut self, names: &GoTestName<'_>) -> &str {
        self.id.clear();
        if !names.package.is_empty() {
            self.id.push_str(names.package);
            self.id.push('.');
        }
        self.id.push_str(names.test);
        &self.id
    }
}

/// Returns the text before `--- PASS: test (0.00s)` at the end of a line, and the result.
fn marker<'a>(line: &'a str, test: &str) -> Option<(&'a str, GoTestResult)> {
    if !line.ends_with("s)") {
        return None;
    }
    let at = line.rfind("--- ")?;
    let (word, rest) = line[at + 4..].split_once(": ")?;
    let end = GoTestResult::parse(word)?;
    rest.strip_prefix(test)?.starts_with(" (").then_some((&line[..at], end))
}

/// Lines that say how the package ended.
fn is_frame(line: &str) -> bool {
    line == "PASS" || line == "FAIL" || line.starts_with("ok  \t") || line.starts_with("FAIL\t")
}

/// True if a panic was printed.
fn panics(said: &FailureMessage) -> bool {
    said.as_str().lines().any(|line| line.starts_with("panic: "))
}

/// Returns the place where a test went wrong, and its message: a panic, or else the text from its
/// first `file.go:3: message` on, or else all of it.
fn told(
    said: &FailureMessage,
    package: &str,
    module: &GoModule,
    out: &FindingCollector,
) -> (SourceLocation, FailureMessage) {
    let text = said.as_str();
    let spot = PrintedLocation::find(text).filter(|spot| spot.has_ending("go"));
    let place = spot.map_or_else(SourceLocation::default, |spot| {
        out.place(&module.file(package, spot.file), Some(spot.line), spot.column)
    });
    let mut message = FailureMessage::default();
    let from = text.lines().position(|line| {
        line.starts_with("panic: ")
            || line.trim_start().split_once(": ").is_some_and(|(place, _)| is_logged(place))
    });
    for (index, line) in text.lines().skip(from.unwrap_or(0)).enumerate() {
        if line.starts_with("goroutine ") {
            break;
        }
        let line = line.trim_start();
        match line.split_once(": ").filter(|(place, _)| index == 0 && is_logged(place)) {
            Some((_, logged)) => message.line(logged),
            None => message.line(line),
        }
    }
    (place, message)
}

/// True if a test logged a message that follows this place: `file.go:3`.
fn is_logged(place: &str) -> bool {
    PrintedLocation::parse(place).is_some_and(|spot| spot.has_ending("go"))
}
