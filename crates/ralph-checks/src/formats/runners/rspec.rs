//! `RSpec` with its formatters for people.
//!
//! Ids are full descriptions, as it prints them.

use ralph_core::finding::{TestCounts, TestState};

use super::super::FindingCollector;
use super::figures::{counted, indent, numbered};
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct RspecText {
    /// The kind of examples in the current list.
    listed: Option<TestState>,
    last: LastLine,
    /// True if the shown error came from outside of examples: it is not indented.
    outer: bool,
    traced: bool,
}

/// The kind of the last line.
#[derive(Debug, Default, PartialEq, Eq)]
enum LastLine {
    #[default]
    Other,
    /// It said how long the run took.
    Finished,
    /// A title, or a line of it: the example has only its name so far.
    Title,
}

impl RunnerDialect for RspecText {
    fn name(&self) -> &'static str {
        "RSpec"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"FPAN0123456789"
    }

    fn outside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> Option<RunnerLine<'a>> {
        let finished = std::mem::take(&mut self.last) == LastLine::Finished;
        if line == "Failures:" || line.starts_with("Pending: (Failures listed here") {
            let failed = line == "Failures:";
            self.listed = Some(if failed { TestState::Failed } else { TestState::Skipped });
            return Some(RunnerLine::Own);
        }
        if let Some(what) = line.strip_prefix("An error occurred ") {
            (self.outer, self.traced) = (true, false);
            let file = what.strip_prefix("while loading ").and_then(|rest| rest.split(' ').next());
            let id = match file {
                Some(file) => out.place(file.trim_end_matches('.'), None, None).file,
                None => format!("An error occurred {}", what.trim_end_matches('.')),
            };
            return Some(RunnerLine::failure(id));
        }
        if line == "No examples found." {
            return Some(RunnerLine::Begins);
        }
        if line.starts_with("Finished in ") && line.contains("(files took ") {
            (self.last, self.listed) = (LastLine::Finished, None);
            return Some(RunnerLine::Own);
        }
        if finished {
            return counts(line).map(RunnerLine::Counts);
        }
        let listed = self.listed.filter(|_| indent(line) == 2)?;
        let (_, title) = numbered(line)?;
        self.last = LastLine::Title;
        let title = title.strip_suffix(" FIXED").unwrap_or(title).to_owned();
        self.outer = false;
        Some(match listed {
            TestState::Failed | TestState::Passed => RunnerLine::failure(title),
            TestState::Skipped => RunnerLine::Ended(title, TestState::Skipped),
        })
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        let text = line.trim_start();
        // What went wrong is indented; a title may have lines itself.
        let titled = std::mem::take(&mut self.last) == LastLine::Title;
        if titled && !self.outer && indent(line) == 0 && !line.is_empty() {
            self.last = LastLine::Title;
            return RunnerLine::NextLine(line);
        }
        if text.starts_with("# ") {
            self.traced = true;
            return RunnerLine::Trace(text);
        }
        let over = match (self.outer, text.is_empty()) {
            (true, is_empty) => is_empty && self.traced,
            (false, is_empty) => !is_empty && indent(line) < 5,
        };
        if over {
            return self.outside(line, out).unwrap_or(RunnerLine::Over);
        }
        // It may name another file as well, which is nothing to go by.
        if self.outer && text.starts_with("rspec ") {
            return RunnerLine::Skip;
        }
        RunnerLine::Said(text)
    }
}

/// `10 examples, 5 failures, 3 pending, 1 error occurred outside of examples`.
fn counts(line: &str) -> Option<TestCounts> {
    let (mut all, mut failed, mut skipped, mut outer) = (None, 0, 0, 0);
    for (number, what) in counted(line, ", ")? {
        match what {
            "example" | "examples" => all = Some(number),
            "failure" | "failures" => failed = number,
            "pending" => skipped = number,
            what if what.ends_with("occurred outside of examples") => outer = number,
            _ => return None,
        }
    }
    let passed = all?.saturating_sub(failed + skipped);
    Some(TestCounts { passed, failed: failed + outer, skipped })
}
