//! One test binary, from `running 3 tests` to `test result: …`.

use std::collections::{HashMap, HashSet};

use ralph_core::finding::{SourceLocation, TestCounts, TestState};

use super::super::FindingCollector;
use super::super::panics::PanicReader;
use super::docs::DocTests;
use super::target::{TestBinaryTracker, TestOrigin};

/// The maximum number of failed tests whose names are remembered.
const FAILED_KEPT: usize = 20_000;

/// The effect of a line on the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestBinaryProgress {
    /// The block goes on.
    Going,
    /// The line was its last.
    Over,
    /// The line belongs to what follows: the binary ended without a result.
    BrokenOff,
}

/// A test binary that is running.
#[derive(Debug)]
pub(super) struct TestBinaryRun {
    target: String,
    source: TestOrigin,
    /// The number of tests it announced.
    announced: u64,
    seen: TestCounts,
    /// Failed tests, and whether their output was shown.
    failed: HashMap<String, FailureVisibility>,
    phase: TestBinaryPhase,
    /// The id being put together, to save allocations.
    id: String,
}

/// Tells if the output of a failed test was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureVisibility {
    Yes,
    No,
}

#[derive(Debug)]
enum TestBinaryPhase {
    /// Tests end.
    Running,
    /// A test prints while its line is not finished yet.
    Printing(UnfinishedTest),
    /// Cargo said that the binary failed, but not yet how.
    Crashed,
    /// The output of failed tests is shown.
    Details {
        /// The test whose output follows, with what was shown of it.
        current: Option<(String, PanicReader)>,
        /// The names below the last `failures:`, if nothing else followed it.
        listed: Option<Vec<String>>,
    },
}

#[derive(Debug)]
struct UnfinishedTest {
    name: String,
    output: PanicReader,
    /// The result that the last line gave. It is that of the test unless more is printed.
    state: Option<TestState>,
}

impl TestBinaryRun {
    /// A binary of this name that announced so many tests.
    pub(super) fn new(target: String, source: TestOrigin, announced: u64) -> Self {
        Self {
            target,
            source,
            announced,
            seen: TestCounts::default(),
            failed: HashMap::new(),
            phase: TestBinaryPhase::Running,
            id: String::new(),
        }
    }

    /// Takes in the next line.
    pub(super) fn line(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryProgress {
        match &mut self.phase {
            TestBinaryPhase::Running => self.running(line, docs, out),
            TestBinaryPhase::Printing(_) => self.printing(line, docs, out),
            TestBinaryPhase::Crashed => self.crashed(line, docs, out),
            TestBinaryPhase::Details { .. } => self.details(line, docs, out),
        }
    }

    /// Takes in that the binary ended without a result.
    pub(super) fn break_off(mut self, why: &str, docs: &mut DocTests, out: &mut FindingCollector) {
        self.report_crash(why, docs, out);
    }

    fn running(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryProgress {
        if let Some(rest) = line.strip_prefix("test ") {
            if let Some(counts) = rest.strip_prefix("result: ").and_then(result) {
                return self.finish(counts, out);
            }
            self.test_line(rest, docs, out);
            return TestBinaryProgress::Going;
        }
        self.aside(line, docs, out)
    }

    /// A line of the running phase that no test begins.
    fn aside(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryProgress {
        if line == "failures:" {
            self.phase = TestBinaryPhase::Details { current: None, listed: Some(Vec::new()) };
        } else if let Some(name) = line.strip_suffix(" --- FAILED") {
            self.remember_failed(name);
        } else if line.starts_with("error: test failed")
            || line.starts_with("error: doctest failed")
        {
            self.phase = TestBinaryPhase::Crashed;
        } else if is_header(line) {
            self.report_crash("the test binary ended early", docs, out);
            return TestBinaryProgress::BrokenOff;
        } else if let Some((_, rest)) = line.split_once("test ")
            && let Some((name, end)) = rest.rsplit_once(" ... ")
            && let (Some(state), false) = (ended(end), name.contains(' '))
        {
            // Printed text without a line end stands before the test's line.
            self.note(name, state, docs, out);
        }
        TestBinaryProgress::Going
    }

    /// Reads the rest of a line behind `test `: `name ... ok`.
    fn test_line(&mut self, rest: &str, docs: &mut DocTests, out: &mut FindingCollector) {
        let Some((name, end)) = split_outcome(rest) else { return };
        let name = bare(name);
        if let Some(state) = ended(end) {
            self.note(name, state, docs, out);
            return;
        }
        let mut output = PanicReader::of(name);
        let state = None;
        let crashed = end.starts_with("error: test failed");
        if !crashed {
            output.line(end, out);
        }
        self.phase =
            TestBinaryPhase::Printing(UnfinishedTest { name: name.to_owned(), output, state });
    }

    fn printing(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryProgress {
        let over = line.starts_with("test ") || line == "failures:" || is_header(line);
        let TestBinaryPhase::Printing(unfinished) = &mut self.phase else {
            return TestBinaryProgress::Going;
        };
        if !over {
            if let Some(why) = exit_reason(line) {
                self.report_crash(why, docs, out);
                return TestBinaryProgress::Over;
            }
            let end = |word: &str| line.ends_with(word);
            match (end("ok"), end("FAILED")) {
                (true, _) => unfinished.state = Some(TestState::Passed),
                (_, true) => unfinished.state = Some(TestState::Failed),
                (false, false) => {}
            }
            let cargo = line == "Caused by:" || line.starts_with("error: test failed");
            if line != "FAILED" && !cargo {
                unfinished.output.line(line, out);
            }
            return TestBinaryProgress::Going;
        }
        let phase = std::mem::replace(&mut self.phase, TestBinaryPhase::Running);
        if let TestBinaryPhase::Printing(UnfinishedTest { name, output, state: Some(state) }) =
            phase
        {
            self.note(&name, state, docs, out);
            if state == TestState::Failed {
                self.report(&name, output, docs, out);
            }
        }
        self.running(line, docs, out)
    }

    fn crashed(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryProgress {
        if let Some(why) = exit_reason(line) {
            self.report_crash(why, docs, out);
            return TestBinaryProgress::Over;
        }
        if is_header(line) {
            self.report_crash("the test binary ended early", docs, out);
            return TestBinaryProgress::BrokenOff;
        }
        TestBinaryProgress::Going
    }

    fn details(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryProgress {
        if let Some(name) = shown(line).map(bare)
            && self.failed.get(name) == Some(&FailureVisibility::No)
        {
            self.failed.insert(name.to_owned(), FailureVisibility::Yes);
            let next = TestBinaryPhase::Details {
                current: Some((name.to_owned(), PanicReader::of(name))),
                listed: None,
            };
            self.close_details(next, docs, out);
            return TestBinaryProgress::Going;
        }
        if let Some(counts) = line.strip_prefix("test result: ").and_then(result)
            && self.is_own(counts)
        {
            let phase = self.close_details(TestBinaryPhase::Running, docs, out);
            if let TestBinaryPhase::Details { listed: Some(listed), .. } = phase
                && self.seen.failed < counts.failed
            {
                for name in listed {
                    self.note(&name, TestState::Failed, docs, out);
                }
            }
            return self.finish(counts, out);
        }
        self.shown_line(line, out);
        TestBinaryProgress::Going
    }

    /// A line of a failed test's output, or of the list of failed tests.
    fn shown_line(&mut self, line: &str, out: &FindingCollector) {
        let TestBinaryPhase::Details { current, listed } = &mut self.phase else { return };
        if line == "failures:" {
            *listed = Some(Vec::new());
            return;
        }
        if let (Some(names), Some(name)) = (listed.as_mut(), line.strip_prefix("    ")) {
            if names.len() < FAILED_KEPT {
                names.push(name.to_owned());
            }
            return;
        }
        if !line.is_empty() {
            *listed = None;
        }
        if let Some((_, output)) = current {
            output.line(line, out);
        }
    }

    /// True if a result is that of this binary, not one that a test printed: its numbers match the
    /// announced tests and the failures listed above it.
    fn is_own(&self, counts: TestCounts) -> bool {
        let TestBinaryPhase::Details { listed: Some(listed), .. } = &self.phase else {
            return false;
        };
        if counts.collected() != self.announced || listed.len() == FAILED_KEPT {
            return counts.collected() == self.announced;
        }
        let named: HashSet<&str> = listed.iter().map(String::as_str).collect();
        listed.len() as u64 == counts.failed
            && self.failed.keys().all(|name| named.contains(name.as_str()))
    }

    /// Goes on to the next phase, reporting what was shown in this one.
    fn close_details(
        &mut self,
        next: TestBinaryPhase,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) -> TestBinaryPhase {
        let mut phase = std::mem::replace(&mut self.phase, next);
        if let TestBinaryPhase::Details { current, .. } = &mut phase
            && let Some((name, output)) = current.take()
        {
            self.report(&name, output, docs, out);
        }
        phase
    }

    fn note(
        &mut self,
        name: &str,
        state: TestState,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) {
        match state {
            TestState::Passed => self.seen.passed += 1,
            TestState::Skipped => self.seen.skipped += 1,
            TestState::Failed => {
                self.seen.failed += 1;
                self.remember_failed(name);
            }
        }
        if self.source == TestOrigin::Documentation {
            docs.ended(&self.target, name, state, out);
        } else {
            self.name(name);
            out.test(&self.id, state);
        }
    }

    fn report(
        &mut self,
        name: &str,
        output: PanicReader,
        docs: &mut DocTests,
        out: &mut FindingCollector,
    ) {
        if self.source == TestOrigin::Documentation {
            docs.printed(&self.target, name, output, out);
        } else {
            self.name(name);
            output.report(&self.id, None, out);
        }
    }

    fn remember_failed(&mut self, name: &str) {
        if self.failed.len() < FAILED_KEPT {
            self.failed.entry(name.to_owned()).or_insert(FailureVisibility::No);
        }
    }

    /// Puts the id of a test together.
    fn name(&mut self, name: &str) {
        self.id.clear();
        if !self.target.is_empty() {
            self.id.push_str(&self.target);
            self.id.push('$');
        }
        self.id.push_str(name);
    }

    /// The test that was running failed, or, if that is not known, the binary.
    fn report_crash(&mut self, why: &str, docs: &mut DocTests, out: &mut FindingCollector) {
        let phase = std::mem::replace(&mut self.phase, TestBinaryPhase::Running);
        match phase {
            TestBinaryPhase::Printing(UnfinishedTest { name, mut output, .. }) => {
                output.line(why, out);
                self.note(&name, TestState::Failed, docs, out);
                self.report(&name, output, docs, out);
            }
            TestBinaryPhase::Details { current: Some((name, output)), .. } => {
                self.report(&name, output, docs, out);
            }
            // Other tools may say that they run tests, too.
            TestBinaryPhase::Running if self.target.is_empty() && self.seen.collected() == 0 => {}
            TestBinaryPhase::Running
            | TestBinaryPhase::Crashed
            | TestBinaryPhase::Details { current: None, .. } => {
                let id = if self.target.is_empty() { "test binary" } else { &self.target };
                out.failed(id, SourceLocation::default(), why);
            }
        }
    }

    /// Adds what the result counts but no line named.
    fn finish(&self, counts: TestCounts, out: &mut FindingCollector) -> TestBinaryProgress {
        let seen = self.seen;
        out.unnamed_tests(TestState::Passed, counts.passed.saturating_sub(seen.passed));
        out.unnamed_tests(TestState::Failed, counts.failed.saturating_sub(seen.failed));
        out.unnamed_tests(TestState::Skipped, counts.skipped.saturating_sub(seen.skipped));
        TestBinaryProgress::Over
    }
}

/// Name and end from `name ... ok`.
fn split_outcome(rest: &str) -> Option<(&str, &str)> {
    // The common ends are short, so looking from the end is quick.
    for end in ["ok", "FAILED", "ignored"] {
        if let Some(name) = rest.strip_suffix(end).and_then(|rest| rest.strip_suffix(" ... ")) {
            return Some((name, end));
        }
    }
    rest.split_once(" ... ").or_else(|| Some((rest.strip_suffix(" ...")?, "")))
}

/// Returns the result of a test, by the text after its name.
fn ended(end: &str) -> Option<TestState> {
    // A measured time may follow.
    match end.split([' ', ',', ':']).next() {
        Some("ok") if end.len() == 2 || end.starts_with("ok <") => Some(TestState::Passed),
        Some("FAILED") if end.len() == 6 || end.starts_with("FAILED ") => Some(TestState::Failed),
        Some("ignored") if end.len() == 7 || end.starts_with("ignored,") => {
            Some(TestState::Skipped)
        }
        Some("bench") => Some(TestState::Passed),
        Some(_) | None => None,
    }
}

/// A name without what is expected of the test.
fn bare(name: &str) -> &str {
    for expected in [" - should panic", " - compile fail", " - compile"] {
        if let Some(name) = name.strip_suffix(expected) {
            return name;
        }
    }
    name
}

/// The name in `---- name stdout ----`.
fn shown(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// Returns the reason for which a binary ended, from cargo's `process didn't exit successfully: …`.
fn exit_reason(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("process didn't exit successfully: ")?;
    let at = rest.rfind("` (").map_or(0, |at| at + 2);
    Some(&rest[at..])
}

fn is_header(line: &str) -> bool {
    line.starts_with("   ") && TestBinaryTracker::default().note_header(line)
}

/// The figures in `ok. 3 passed; 0 failed; 1 ignored; 0 measured; …`.
fn result(text: &str) -> Option<TestCounts> {
    let (_, figures) = text.split_once(". ")?;
    let mut counts = TestCounts::default();
    for figure in figures.split("; ").take(4) {
        let (number, what) = figure.split_once(' ')?;
        let number = u64::from(number.parse::<u32>().ok()?);
        match what {
            "passed" | "measured" => counts.passed += number,
            "failed" => counts.failed = number,
            "ignored" => counts.skipped = number,
            _ => return None,
        }
    }
    Some(counts)
}
