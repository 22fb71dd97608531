//! `dart test` and `flutter test`.
//!
//! Ids are the names as they are printed, with their file where it is.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::super::located::extension;
use super::super::spot::PrintedLocation;
use super::figures::whole;
use super::{RunnerDialect, RunnerLine};

/// Nothing has to be remembered between the lines.
#[derive(Debug)]
pub(super) struct DartText;

impl RunnerDialect for DartText {
    fn name(&self) -> &'static str {
        "dart"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"0123456789"
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        let (counts, text) = progress(line)?;
        if let Some(name) = text.strip_suffix(" [E]") {
            return Some(RunnerLine::failure(name.to_owned()));
        }
        Some(match text {
            "All tests passed!" | "Some tests failed." | "All tests skipped." => {
                RunnerLine::Counts(counts)
            }
            _ => RunnerLine::Begins,
        })
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if !line.is_empty() && !line.starts_with("  ") {
            return self.outside(line, out).unwrap_or(RunnerLine::Over);
        }
        if let Some(spot) = frame(line) {
            return RunnerLine::At(spot);
        }
        let is_package = line.trim_start().starts_with("package:");
        if is_package { RunnerLine::Trace("") } else { RunnerLine::Said(line) }
    }
}

/// Counts and text from `00:01 +3 ~1 -2: text`. A terminal overwrites the line.
fn progress(line: &str) -> Option<(TestCounts, &str)> {
    let line = line.rsplit('\r').next()?;
    let (head, text) = line.split_once(": ")?;
    let (time, figures) = head.split_once(" +")?;
    let (minutes, seconds) = time.split_once(':')?;
    whole(minutes).zip(whole(seconds).filter(|_| seconds.len() == 2))?;
    let mut counts = TestCounts::default();
    let mut figures = figures.split(' ');
    counts.passed = u64::from(whole(figures.next()?)?);
    for figure in figures {
        let number = |rest: &str| whole(rest).map(u64::from);
        match (figure.strip_prefix('~'), figure.strip_prefix('-')) {
            (Some(skipped), _) => counts.skipped = number(skipped)?,
            (None, Some(failed)) => counts.failed = number(failed)?,
            (None, None) => return None,
        }
    }
    Some((counts, text.trim_end()))
}

/// The place in `  test/till_test.dart 12:5  main.<fn>`.
fn frame(line: &str) -> Option<PrintedLocation<'_>> {
    let mut words = line.split_whitespace();
    let file = words.next().filter(|file| extension(file) == Some("dart"))?;
    if file.contains(':') {
        return None;
    }
    let (row, column) = words.next()?.split_once(':')?;
    Some(PrintedLocation { file, line: whole(row)?, column: whole(column) })
}
