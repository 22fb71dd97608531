//! One test binary, from `running 3 tests` to `test result: …`.

use std::collections::{HashMap, HashSet};

use ralph_core::finding::{Place, TestCounts, TestState};

use super::super::Collector;
use super::super::panics::Panics;
use super::docs::DocTests;
use super::target::{Source, Targets};

/// The maximum number of failed tests whose names are remembered.
const FAILED_KEPT: usize = 20_000;

/// The effect of a line on the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The block goes on.
    Going,
    /// The line was its last.
    Over,
    /// The line belongs to what follows: the binary ended without a result.
    BrokenOff,
}

/// A test binary that is running.
#[derive(Debug)]
pub(super) struct Block {
    target: String,
    source: Source,
    /// The number of tests it announced.
    announced: u64,
    seen: TestCounts,
    /// Failed tests, and whether their output was shown.
    failed: HashMap<String, Shown>,
    phase: Phase,
    /// The id being put together, to save allocations.
    id: String,
}

/// Tells if the output of a failed test was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
}

#[derive(Debug)]
enum Phase {
    /// Tests end.
    Running,
    /// A test prints while its line is not finished yet.
    Printing(Unfinished),
    /// Cargo said that the binary failed, but not yet how.
    Crashed,
    /// The output of failed tests is shown.
    Details {
        /// The test whose output follows, with what was shown of it.
        current: Option<(String, Panics)>,
        /// The names below the last `failures:`, if nothing else followed it.
        listed: Option<Vec<String>>,
    },
}

#[derive(Debug)]
struct Unfinished {
    name: String,
    output: Panics,
    /// The result that the last line gave. It is that of the test unless more is printed.
    state: Option<TestState>,
}

impl Block {
    /// A binary of this name that announced so many tests.
    pub(super) fn new(target: String, source: Source, announced: u64) -> Self {
        Self {
            target,
            source,
            announced,
            seen: TestCounts::default(),
            failed: HashMap::new(),
            phase: Phase::Running,
            id: String::new(),
        }
    }

    /// Takes in the next line.
    pub(super) fn line(
        &mut self,
        line: &str,
        docs: &mut DocTests,
        out: &mut Collector,
    ) -> Progress {
        match &mut self.phase {
            Phase::Running => self.running(line, docs, out),
            Phase::Printing(_) => self.printing(line, docs, out),
            Phase::Crashed => self.crashed(line, docs, out),
            Phase::Details { .. } => self.details(line, docs, out),
        }
    }

    /// Takes in that the binary ended without a result.
    pub(super) fn break_off(mut self, why: &str, docs: &mut DocTests, out: &mut Collector) {
        self.report_crash(why, docs, out);
    }

    fn running(&mut self, line: &str, docs: &mut DocTests, out: &mut Collector) -> Progress {
        if let Some(rest) = line.strip_prefix("test ") {
            if let Some(counts) = rest.strip_prefix("result: ").and_then(result) {
                return self.finish(counts, out);
            }
            self.test_line(rest, docs, out);
            return Progress::Going;
        }
        self.aside(line, docs, out)
    }

    /// A line of the running phase that no test begins.
    fn aside(&mut self, line: &str, docs: &mut DocTests, out: &mut Collector) -> Progress {
        if line == "failures:" {
            self.phase = Phase::Details { current: None, listed: Some(Vec::new()) };
        } else if let Some(name) = line.strip_suffix(" --- FAILED") {
            self.remember_failed(name);
        } else if line.starts_with("error: test failed")
            || line.starts_with("error: doctest failed")
        {
            self.phase = Phase::Crashed;
        } else if is_header(line) {
            self.report_crash("the test binary ended early", docs, out);
            return Progress::BrokenOff;
        } else if let Some((_, rest)) = line.split_once("test ")
            && let Some((name, end)) = rest.rsplit_once(" ... ")
            && let (Some(state), false) = (ended(end), name.contains(' '))
        {
            // Printed text without a line end stands before the test's line.
            self.note(name, state, docs, out);
        }
        Progress::Going
    }

    /// Reads the rest of a line behind `test `: `name ... ok`.
    fn test_line(&mut self, rest: &str, docs: &mut DocTests, out: &mut Collector) {
        let Some((name, end)) = split_outcome(rest) else { return };
        let name = bare(name);
        if let Some(state) = ended(end) {
            self.note(name, state, docs, out);
            return;
        }
        let mut output = Panics::of(name);
        let state = None;
        let crashed = end.starts_with("error: test failed");
        if !crashed {
            output.line(end, out);
        }
        self.phase = Phase::Printing(Unfinished { name: name.to_owned(), output, state });
    }

    fn printing(&mut self, line: &str, docs: &mut DocTests, out: &mut Collector) -> Progress {
        let over = line.starts_with("test ") || line == "failures:" || is_header(line);
        let Phase::Printing(unfinished) = &mut self.phase else { return Progress::Going };
        if !over {
            if let Some(why) = exit_reason(line) {
                self.report_crash(why, docs, out);
                return Progress::Over;
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
            return Progress::Going;
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Running);
        if let Phase::Printing(Unfinished { name, output, state: Some(state) }) = phase {
            self.note(&name, state, docs, out);
            if state == TestState::Failed {
                self.report(&name, output, docs, out);
            }
        }
        self.running(line, docs, out)
    }

    fn crashed(&mut self, line: &str, docs: &mut DocTests, out: &mut Collector) -> Progress {
        if let Some(why) = exit_reason(line) {
            self.report_crash(why, docs, out);
            return Progress::Over;
        }
        if is_header(line) {
            self.report_crash("the test binary ended early", docs, out);
            return Progress::BrokenOff;
        }
        Progress::Going
    }

    fn details(&mut self, line: &str, docs: &mut DocTests, out: &mut Collector) -> Progress {
        if let Some(name) = shown(line).map(bare)
            && self.failed.get(name) == Some(&Shown::No)
        {
            self.failed.insert(name.to_owned(), Shown::Yes);
            let next =
                Phase::Details { current: Some((name.to_owned(), Panics::of(name))), listed: None };
            self.close_details(next, docs, out);
            return Progress::Going;
        }
        if let Some(counts) = line.strip_prefix("test result: ").and_then(result)
            && self.is_own(counts)
        {
            let phase = self.close_details(Phase::Running, docs, out);
            if let Phase::Details { listed: Some(listed), .. } = phase
                && self.seen.failed < counts.failed
            {
                for name in listed {
                    self.note(&name, TestState::Failed, docs, out);
                }
            }
            return self.finish(counts, out);
        }
        self.shown_line(line, out);
        Progress::Going
    }

    /// A line of a failed test's output, or of the list of failed tests.
    fn shown_line(&mut self, line: &str, out: &Collector) {
        let Phase::Details { current, listed } = &mut self.phase else { return };
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
        let Phase::Details { listed: Some(listed), .. } = &self.phase else { return false };
        if counts.collected() != self.announced || listed.len() == FAILED_KEPT {
            return counts.collected() == self.announced;
        }
        let named: HashSet<&str> = listed.iter().map(String::as_str).collect();
        listed.len() as u64 == counts.failed
            && self.failed.keys().all(|name| named.contains(name.as_str()))
    }

    /// Goes on to the next phase, reporting what was shown in this one.
    fn close_details(&mut self, next: Phase, docs: &mut DocTests, out: &mut Collector) -> Phase {
        let mut phase = std::mem::replace(&mut self.phase, next);
        if let Phase::Details { current, .. } = &mut phase
            && let Some((name, output)) = current.take()
        {
            self.report(&name, output, docs, out);
        }
        phase
    }

    fn note(&mut self, name: &str, state: TestState, docs: &mut DocTests, out: &mut Collector) {
        match state {
            TestState::Passed => self.seen.passed += 1,
            TestState::Skipped => self.seen.skipped += 1,
            TestState::Failed => {
                self.seen.failed += 1;
                self.remember_failed(name);
            }
        }
        if self.source == Source::Documentation {
            docs.ended(&self.target, name, state, out);
        } else {
            self.name(name);
            out.test(&self.id, state);
        }
    }

    fn report(&mut self, name: &str, output: Panics, docs: &mut DocTests, out: &mut Collector) {
        if self.source == Source::Documentation {
            docs.printed(&self.target, name, output, out);
        } else {
            self.name(name);
            output.report(&self.id, None, out);
        }
    }

    fn remember_failed(&mut self, name: &str) {
        if self.failed.len() < FAILED_KEPT {
            self.failed.entry(name.to_owned()).or_insert(Shown::No);
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
    fn report_crash(&mut self, why: &str, docs: &mut DocTests, out: &mut Collector) {
        let phase = std::mem::replace(&mut self.phase, Phase::Running);
        match phase {
            Phase::Printing(Unfinished { name, mut output, .. }) => {
                output.line(why, out);
                self.note(&name, TestState::Failed, docs, out);
                self.report(&name, output, docs, out);
            }
            Phase::Details { current: Some((name, output)), .. } => {
                self.report(&name, output, docs, out);
            }
            // Other tools may say that they run tests, too.
            Phase::Running if self.target.is_empty() && self.seen.collected() == 0 => {}
            Phase::Running | Phase::Crashed | Phase::Details { current: None, .. } => {
                let id = if self.target.is_empty() { "test binary" } else { &self.target };
                out.failed(id, Place::default(), why);
            }
        }
    }

    /// Adds what the result counts but no line named.
    fn finish(&self, counts: TestCounts, out: &mut Collector) -> Progress {
        let seen = self.seen;
        out.unnamed_tests(TestState::Passed, counts.passed.saturating_sub(seen.passed));
        out.unnamed_tests(TestState::Failed, counts.failed.saturating_sub(seen.failed));
        out.unnamed_tests(TestState::Skipped, counts.skipped.saturating_sub(seen.skipped));
        Progress::Over
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
    line.starts_with("   ") && Targets::default().note_header(line)
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
