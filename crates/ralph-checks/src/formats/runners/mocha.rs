//! mocha, with its reporters for people (`spec`, `dot`, `min`, `list` …): all
//! of them end with the same summary, and then show the failures.
//!
//! Ids are `outer > inner > title`.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::figures::{counted, indent, numbered};
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct MochaText {
    /// True once the summary started.
    summed: bool,
    /// Failures that are still to be shown.
    left: u32,
    /// The number of the last failure shown.
    last: u32,
    title: TitleLines,
    /// True if the last line was empty.
    blank: bool,
    /// True once the failure showed its stack trace.
    traced: bool,
}

/// The lines of a title.
#[derive(Debug, Default)]
struct TitleLines {
    /// The number of lines that were read; zero after the title.
    read: usize,
    /// True if the last line read ended with a colon, which ends a title.
    ended: bool,
}

impl RunnerDialect for MochaText {
    fn name(&self) -> &'static str {
        "mocha"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"0123456789"
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        let text = line.strip_prefix("  ").filter(|text| !text.starts_with(' '))?;
        if self.left > 0
            && let Some((number, title)) = numbered(line)
            && number == self.last + 1
        {
            (self.last, self.left) = (number, self.left - 1);
            self.title = TitleLines { read: 1, ended: title.ends_with(':') };
            self.traced = false;
            return Some(RunnerLine::failure(named(title).to_owned()));
        }
        // What failed may print the like of a summary, until all of it was shown.
        if self.left > 0 {
            return None;
        }
        let [(number, what)] = counted(text, ", ")?[..] else { return None };
        let none = TestCounts::default();
        let counts = match what {
            "pending" if self.summed => TestCounts { skipped: number, ..none },
            "failing" if self.summed => {
                (self.left, self.last) = (u32::try_from(number).ok()?, 0);
                self.summed = false;
                TestCounts { failed: number, ..none }
            }
            "passing" => TestCounts { passed: number, ..none },
            _ if what.starts_with("passing (") && what.ends_with(')') => {
                TestCounts { passed: number, ..none }
            }
            _ => return None,
        };
        self.summed |= what.starts_with("passing");
        Some(RunnerLine::Counts(counts))
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        // Each part of the title is indented further than the one before it,
        // and only the last one ends with a colon.
        if self.title.read > 0 {
            let (at, known) = (indent(line), 5 + 2 * self.title.read);
            let is_part = at == known || !self.title.ended && at > known;
            let goes_on = !self.title.ended && at < 5 && !line.is_empty();
            if is_part || goes_on {
                self.title.ended = line.ends_with(':');
            }
            if is_part {
                self.title.read += 1;
                return RunnerLine::Name(named(line));
            }
            if goes_on {
                return RunnerLine::NextLine(named(line));
            }
        }
        self.title.read = 0;
        // An empty line stands before each failure and each summary.
        let after_blank = std::mem::replace(&mut self.blank, line.trim().is_empty());
        if after_blank && let Some(next) = self.outside(line, out) {
            return next;
        }
        if line.trim_start().starts_with("at ") {
            self.traced = true;
            return RunnerLine::Trace(line);
        }
        if self.traced && self.left == 0 && line.is_empty() {
            return RunnerLine::Over;
        }
        RunnerLine::Said(line)
    }
}

/// A title without the colon that mocha puts behind the last one.
fn named(title: &str) -> &str {
    title.strip_suffix(':').unwrap_or(title).trim()
}
