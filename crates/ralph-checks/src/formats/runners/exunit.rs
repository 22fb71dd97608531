//! Elixir's `ExUnit`, as `mix test` prints it.
//!
//! Ids are `Module > name`.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::super::spot::PrintedLocation;
use super::figures::{counted, indent, numbered};
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct ExunitText {
    /// True if the last line told the duration.
    finished: bool,
    /// True if only the name of a failure was read so far.
    named: bool,
}

impl RunnerDialect for ExunitText {
    fn name(&self) -> &'static str {
        "ExUnit"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"FT0123456789"
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        let finished = std::mem::take(&mut self.finished);
        if line.starts_with("Finished in ") && line.ends_with(" sync)") {
            self.finished = true;
            return Some(RunnerLine::Own);
        }
        if line == "There are no tests to run" {
            return Some(RunnerLine::Begins);
        }
        if let Some(counts) = counts(line).filter(|_| finished) {
            return Some(RunnerLine::Counts(counts));
        }
        // Numbers end in one column: `  9) test`, ` 10) test`.
        let (number, name) = numbered(line).filter(|_| indent(line) <= 2)?;
        if number < 100 && indent(line) + number.to_string().len() != 3 {
            return None;
        }
        let id = id(name)?;
        self.named = true;
        Some(RunnerLine::failure(id))
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        let text = line.trim_start();
        if std::mem::take(&mut self.named) {
            // A test may have printed the like of it.
            return match PrintedLocation::parse(text)
                .filter(|spot| indent(line) == 5 && is_script(spot))
            {
                Some(spot) => RunnerLine::At(spot),
                None if text.starts_with("** (") => RunnerLine::Said(text),
                None => RunnerLine::Retract,
            };
        }
        if !text.is_empty() && indent(line) < 5 {
            return self.outside(line, out).unwrap_or(RunnerLine::Over);
        }
        // Below it are places, of which the first is that of the assertion.
        if text == "stacktrace:"
            || PrintedLocation::find_in_line(text).is_some_and(|spot| is_script(&spot))
        {
            return RunnerLine::Trace(text);
        }
        RunnerLine::Said(text)
    }
}

fn is_script(spot: &PrintedLocation<'_>) -> bool {
    spot.has_ending("exs") || spot.has_ending("ex")
}

/// From `test name (Module)`, or `Module: failure on setup_all callback, …`.
fn id(text: &str) -> Option<String> {
    if let Some((module, _)) = text.split_once(": failure on setup_all callback") {
        return Some(module.to_owned());
    }
    let (kind, rest) = text.split_once(' ')?;
    let (name, module) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    match kind {
        "test" => Some(format!("{module} > {name}")),
        "doctest" | "property" => Some(format!("{module} > {kind} {name}")),
        _ => None,
    }
}

/// `1 doctest, 8 tests, 4 failures, 2 invalid, 1 skipped`; of no tests only
/// that there were no failures.
fn counts(line: &str) -> Option<TestCounts> {
    let (mut all, mut failed, mut skipped) = (0, 0, 0);
    for (number, what) in counted(line, ", ")? {
        match what.trim_end_matches('s') {
            "test" | "doctest" | "property" | "propertie" | "feature" => {
                all += number;
            }
            "failure" | "invalid" => failed += number,
            "skipped" | "excluded" => skipped += number,
            _ => return None,
        }
    }
    Some(TestCounts { passed: all.saturating_sub(failed + skipped), failed, skipped })
}
