//! Node's own runner as it prints for people: its reporter `spec`, which newer
//! versions take everywhere.
//!
//! Ids are `file > title`: failures are listed without what is around them.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::super::spot::PrintedLocation;
use super::figures::whole;
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct NodeText {
    /// The counts so far; they end with the duration.
    counts: Option<TestCounts>,
    /// True while failures are listed.
    listing: bool,
    /// The file of the failure of which only the place is known.
    file: Option<String>,
    /// True if its title may go on in the next line.
    titled: bool,
}

impl RunnerDialect for NodeText {
    fn name(&self) -> &'static str {
        "node --test"
    }

    fn first_bytes(&self) -> &'static [u8] {
        "ℹ✖t".as_bytes()
    }

    fn outside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> Option<RunnerLine<'a>> {
        if let Some(figure) = line.strip_prefix("ℹ ") {
            return self.figure(figure);
        }
        if line == "✖ failing tests:" {
            self.listing = true;
            return Some(RunnerLine::Own);
        }
        let at = line.strip_prefix("test at ").filter(|_| self.listing)?;
        let spot = PrintedLocation::parse(at)?;
        let file = spot.place(out).file;
        self.file = Some(file.clone());
        Some(RunnerLine::Failure { id: file, said: "", at: Some(spot) })
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if let Some(file) = self.file.take() {
            let Some(title) = line.strip_prefix("✖ ") else { return RunnerLine::Retract };
            if title.to_ascii_lowercase().contains(" # todo") {
                return RunnerLine::Retract;
            }
            let name = without_time(title);
            self.titled = name.len() == title.len();
            // A file that does not load is a test that is named after it.
            let is_file = out.place(name, None, None).file == file;
            return if is_file { RunnerLine::Skip } else { RunnerLine::Name(name) };
        }
        let titled = std::mem::take(&mut self.titled);
        if line.is_empty() || line.starts_with("  ") {
            let is_frame = line.trim_start().starts_with("at ");
            return if is_frame { RunnerLine::Trace(line) } else { RunnerLine::Said(line) };
        }
        if let Some(next) = self.outside(line, out) {
            return next;
        }
        if titled {
            let name = without_time(line);
            self.titled = name.len() == line.len();
            return RunnerLine::NextLine(name);
        }
        RunnerLine::Over
    }
}

impl NodeText {
    /// `tests 27`, and more of the kind.
    fn figure<'a>(&mut self, figure: &str) -> Option<RunnerLine<'a>> {
        let (what, number) = figure.split_once(' ')?;
        if what == "duration_ms" {
            return self.counts.take().map(RunnerLine::Counts);
        }
        let number = u64::from(whole(number)?);
        if what == "tests" {
            (self.counts, self.listing) = (Some(TestCounts::default()), false);
            return Some(RunnerLine::Begins);
        }
        let counts = self.counts.as_mut()?;
        match what {
            "pass" => counts.passed += number,
            "fail" | "cancelled" => counts.failed += number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        }
        Some(RunnerLine::Own)
    }
}

/// A title without the time its test took: `adds (1.67ms)`.
fn without_time(title: &str) -> &str {
    match title.rsplit_once(" (") {
        Some((name, time)) if time.ends_with("ms)") => name,
        Some(_) | None => title,
    }
}
