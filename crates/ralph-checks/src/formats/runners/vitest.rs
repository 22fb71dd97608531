//! vitest without its JSON reporter.
//!
//! Ids are those of its report: `file::outer > inner > title`.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::figures::counted;
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct VitestText {
    /// True once failures are shown: before that, tests may print anything.
    showing: bool,
    /// True if the last line counted files.
    summed: bool,
}

impl RunnerDialect for VitestText {
    fn name(&self) -> &'static str {
        "vitest"
    }

    fn first_bytes(&self) -> &'static [u8] {
        "RFTN⎯".as_bytes()
    }

    fn outside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> Option<RunnerLine<'a>> {
        let summed = std::mem::take(&mut self.summed);
        if line.starts_with('⎯') {
            return Some(self.banner(line.trim_matches(['⎯', ' '])));
        }
        if let Some(name) = line.strip_prefix(" FAIL  ").filter(|_| self.showing) {
            return Some(RunnerLine::failure(id(name, out)));
        }
        if line.starts_with(" RUN  v") || line.starts_with("No test files found") {
            self.showing = false;
            return Some(RunnerLine::Begins);
        }
        if line.starts_with(" Test Files  ") {
            (self.summed, self.showing) = (true, false);
            return Some(RunnerLine::Own);
        }
        let figures = line.trim_start().strip_prefix("Tests  ").filter(|_| summed)?;
        counts(figures).map(RunnerLine::Counts)
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if let Some(next) = self.outside(line, out) {
            return next;
        }
        let text = line.trim_start();
        if text.starts_with('❯') || is_code(text) {
            return RunnerLine::Trace(line);
        }
        RunnerLine::Said(line)
    }
}

impl VitestText {
    /// A title between lines, or a line without one.
    fn banner<'a>(&mut self, title: &str) -> RunnerLine<'a> {
        if title.starts_with("Failed ") || title == "Unhandled Errors" {
            self.showing = true;
            RunnerLine::Own
        } else if self.showing && (title.starts_with("Un") || title.starts_with("Type")) {
            RunnerLine::failure(title.to_owned())
        } else {
            RunnerLine::Own
        }
    }
}

/// From `|project| file > outer > title`, or `file [ file ]` for all of it.
fn id(name: &str, out: &FindingCollector) -> String {
    let name = name.trim();
    let name = match name.strip_prefix('|').and_then(|name| name.split_once("| ")) {
        Some((_, name)) => name,
        None => name,
    };
    match name.split_once(" > ") {
        Some((file, title)) => format!("{}::{title}", out.place(file, None, None).file),
        None => out.place(name.split(" [ ").next().unwrap_or(name), None, None).file,
    }
}

/// True if the line shows the code: `12| test(…)`.
fn is_code(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with('|')
}

/// `3 failed | 3 passed | 1 skipped | 1 todo (8)`, or `no tests`.
fn counts(text: &str) -> Option<TestCounts> {
    let mut counts = TestCounts::default();
    let text = text.split(" (").next()?.trim();
    if text == "no tests" {
        return Some(counts);
    }
    for (number, what) in counted(text, " | ")? {
        match what {
            "failed" => counts.failed += number,
            "passed" | "expected fail" => counts.passed += number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}
