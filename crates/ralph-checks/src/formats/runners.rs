//! Test runners that print for people: what each of them says, line by line.
//!
//! A runner is known by its own lines, whatever command started it. Each has a
//! small module that translates a line into a [`RunnerLine`]; names, messages,
//! places and counts are put together here, for all of them alike.

mod dart;
mod dotnet;
mod exunit;
mod figures;
mod gradle;
mod jest;
mod mocha;
mod node;
mod phpunit;
mod rspec;
mod sbt;
mod shown;
mod surefire;
mod swift;
mod vitest;

use std::fmt;

use ralph_core::finding::{TestCounts, TestState};

use self::shown::ShownFailure;
use super::FindingCollector;
use super::lines::LineClaim;
use super::spot::PrintedLocation;

/// The meaning of a runner's line.
#[derive(Debug)]
enum RunnerLine<'a> {
    /// Tests are run, even if there turns out to be none.
    Begins,
    /// A test failed. The lines that follow are about it.
    Failure { id: String, said: &'a str, at: Option<PrintedLocation<'a>> },
    /// The failed test has this name inside of the one so far.
    Name(&'a str),
    /// The name of the failed test goes on in another line.
    NextLine(&'a str),
    /// The failed test is here.
    At(PrintedLocation<'a>),
    /// The failed test says this.
    Said(&'a str),
    /// A line of a stack trace: it may name a place, and the message is over.
    Trace(&'a str),
    /// A test ended, and nothing more is said about it.
    Ended(String, TestState),
    /// These passed.
    Passed(Vec<String>),
    /// The runner's own count of tests.
    Counts(TestCounts),
    /// The line is the runner's, and a failure that was shown is over.
    Own,
    /// The line is the runner's, and nothing follows from it.
    Skip,
    /// The failure that was shown is over, and the line may belong to any runner.
    Over,
    /// It only looked like a failure.
    Retract,
}

impl RunnerLine<'_> {
    /// A test failed, and nothing else is known yet.
    fn failure(id: String) -> Self {
        Self::Failure { id, said: "", at: None }
    }
}

/// The lines of one runner.
trait RunnerDialect: fmt::Debug {
    /// The runner's usual name.
    fn name(&self) -> &'static str;

    /// The bytes that its lines outside of failures begin with, indentation
    /// aside. Lines that begin otherwise are not shown to it.
    fn first_bytes(&self) -> &'static [u8];

    /// The bytes that more of its lines end with.
    fn last_bytes(&self) -> &'static [u8] {
        &[]
    }

    /// A line while no failure is shown; `None` if it is not the runner's.
    fn outside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> Option<RunnerLine<'a>>;

    /// A line while a failure of this runner is shown.
    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a>;

    /// Returns tests that the runner counted and has not reported yet, once there are no more
    /// lines.
    fn left(&mut self) -> TestCounts {
        TestCounts::default()
    }
}

/// Every runner, in the order in which it is asked.
fn dialects() -> Vec<Box<dyn RunnerDialect>> {
    vec![
        Box::new(mocha::MochaText::default()),
        Box::new(jest::JestText::default()),
        Box::new(vitest::VitestText::default()),
        Box::new(rspec::RspecText::default()),
        Box::new(phpunit::PhpunitText::default()),
        Box::new(surefire::SurefireText::default()),
        Box::new(gradle::GradleText::default()),
        Box::new(dotnet::DotnetText::default()),
        Box::new(sbt::SbtText::default()),
        Box::new(exunit::ExunitText::default()),
        Box::new(swift::SwiftText::default()),
        Box::new(dart::DartText),
        Box::new(node::NodeText::default()),
    ]
}

/// The runners that are known.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    dialects().into_iter().map(|dialect| dialect.name())
}

/// Takes in the text of any of the runners, line by line.
#[derive(Debug)]
pub(super) struct RunnerTexts {
    dialects: Vec<Box<dyn RunnerDialect>>,
    /// The runners that a line may belong to, by its first and its last byte: a bit for each. Most
    /// lines belong to none.
    by_first: [u16; 256],
    by_last: [u16; 256],
    /// The failure that is shown, and the runner that shows it.
    shown: Option<(usize, ShownFailure)>,
    /// The tests that the runners counted.
    counted: TestCounts,
    /// The part of the counted tests that were named.
    named: TestCounts,
}

impl Default for RunnerTexts {
    fn default() -> Self {
        let dialects = dialects();
        let (mut by_first, mut by_last) = ([0; 256], [0; 256]);
        for (index, dialect) in dialects.iter().enumerate() {
            for (table, bytes) in
                [(&mut by_first, dialect.first_bytes()), (&mut by_last, dialect.last_bytes())]
            {
                for byte in bytes {
                    table[usize::from(*byte)] |= 1 << index;
                }
            }
        }
        let (shown, counted, named) = (None, TestCounts::default(), TestCounts::default());
        Self { dialects, by_first, by_last, shown, counted, named }
    }
}

impl RunnerTexts {
    /// True while a failure is shown, so that the lines belong to it.
    pub(super) fn is_inside(&self) -> bool {
        self.shown.is_some()
    }

    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some((index, _)) = &self.shown {
            let index = *index;
            let said = self.dialects[index].inside(line, out);
            if self.take(index, said, out) == LineClaim::Taken {
                return LineClaim::Taken;
            }
        }
        let mut candidates = self.candidates(line);
        while candidates != 0 {
            let index = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            if let Some(said) = self.dialects[index].outside(line, out) {
                return self.take(index, said, out);
            }
        }
        LineClaim::Free
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.close(out);
        for index in 0..self.dialects.len() {
            let left = self.dialects[index].left();
            self.count(&left);
        }
        let (counted, named) = (std::mem::take(&mut self.counted), std::mem::take(&mut self.named));
        out.unnamed_tests(TestState::Passed, counted.passed.saturating_sub(named.passed));
        out.unnamed_tests(TestState::Failed, counted.failed.saturating_sub(named.failed));
        out.unnamed_tests(TestState::Skipped, counted.skipped.saturating_sub(named.skipped));
    }

    fn candidates(&self, line: &str) -> u16 {
        let bytes = line.as_bytes();
        let first = bytes.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        let of = |table: &[u16; 256], byte: Option<&u8>| {
            byte.map_or(0, |byte| table[usize::from(*byte)])
        };
        of(&self.by_first, first) | of(&self.by_last, bytes.last())
    }

    fn take(
        &mut self,
        index: usize,
        said: RunnerLine<'_>,
        out: &mut FindingCollector,
    ) -> LineClaim {
        match said {
            RunnerLine::Failure { id, said, at } => {
                // Several tests may share what is said below their names.
                let shares = |(of, shown): &mut (usize, ShownFailure)| {
                    *of == index && said.is_empty() && shown.also(&id)
                };
                if !self.shown.as_mut().is_some_and(shares) {
                    self.close(out);
                    let mut shown = ShownFailure::of(id);
                    if let Some(spot) = at {
                        shown.at(&spot, out);
                    }
                    shown.say(said, out);
                    self.shown = Some((index, shown));
                }
            }
            RunnerLine::Name(part) => self.showing(|shown, _| shown.name(" > ", part), out),
            RunnerLine::NextLine(part) => self.showing(|shown, _| shown.name("\n", part), out),
            RunnerLine::At(spot) => self.showing(|shown, out| shown.at(&spot, out), out),
            RunnerLine::Said(text) => self.showing(|shown, out| shown.say(text, out), out),
            RunnerLine::Trace(text) => self.showing(|shown, out| shown.trace(text, out), out),
            RunnerLine::Skip => {}
            RunnerLine::Begins => {
                self.close(out);
                out.runs_tests();
            }
            RunnerLine::Ended(id, state) => {
                self.close(out);
                self.name(out, |out| out.test(&id, state));
            }
            RunnerLine::Passed(ids) => {
                self.close(out);
                self.name(out, |out| ids.iter().for_each(|id| out.test(id, TestState::Passed)));
            }
            RunnerLine::Counts(counts) => {
                self.close(out);
                out.runs_tests();
                self.count(&counts);
            }
            RunnerLine::Own => self.close(out),
            RunnerLine::Over => {
                self.close(out);
                return LineClaim::Free;
            }
            RunnerLine::Retract => {
                self.shown = None;
                return LineClaim::Free;
            }
        }
        LineClaim::Taken
    }

    fn count(&mut self, counts: &TestCounts) {
        let sum = &mut self.counted;
        sum.passed = sum.passed.saturating_add(counts.passed);
        sum.failed = sum.failed.saturating_add(counts.failed);
        sum.skipped = sum.skipped.saturating_add(counts.skipped);
    }

    fn showing(
        &mut self,
        add: impl FnOnce(&mut ShownFailure, &FindingCollector),
        out: &FindingCollector,
    ) {
        if let Some((_, shown)) = &mut self.shown {
            add(shown, out);
        }
    }

    fn close(&mut self, out: &mut FindingCollector) {
        if let Some((_, shown)) = self.shown.take() {
            self.name(out, |out| shown.report(out));
        }
    }

    /// Reports tests by name, and remembers how many that were: a name that
    /// was there before counts once.
    fn name(&mut self, out: &mut FindingCollector, report: impl FnOnce(&mut FindingCollector)) {
        let before = out.test_counts();
        report(out);
        let after = out.test_counts();
        let add = |named: &mut u64, before: u64, after: u64| {
            *named = (*named + after).saturating_sub(before);
        };
        add(&mut self.named.passed, before.passed, after.passed);
        add(&mut self.named.failed, before.failed, after.failed);
        add(&mut self.named.skipped, before.skipped, after.skipped);
    }
}
