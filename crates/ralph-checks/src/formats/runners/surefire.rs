//! Maven's Surefire and Failsafe.
//!
//! Ids are those of their reports: `package.Class::method`.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::figures::after;
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct SurefireText {
    /// The class whose tests run.
    class: String,
}

impl RunnerDialect for SurefireText {
    fn name(&self) -> &'static str {
        "Surefire"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"["
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        let text = levelled(line)?;
        if let Some(class) = text.strip_prefix("Running ") {
            class.trim().clone_into(&mut self.class);
            return Some(RunnerLine::Begins);
        }
        if text == "No tests to run." {
            return Some(RunnerLine::Begins);
        }
        if text.starts_with("Tests run: ") {
            // What a class comes to is part of what all of them come to.
            if let Some((_, class)) = text.rsplit_once(" in ") {
                class.trim().clone_into(&mut self.class);
            }
            let is_part = text.contains("Time elapsed: ");
            return Some(if is_part { RunnerLine::Own } else { RunnerLine::Counts(counts(text)) });
        }
        let name = text.strip_suffix("<<< FAILURE!").or_else(|| text.strip_suffix("<<< ERROR!"))?;
        let (name, _) = name.split_once("Time elapsed: ")?;
        let name = name.trim_end().trim_end_matches("--").trim_end();
        Some(RunnerLine::failure(self.id(name)))
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if line.is_empty() || levelled(line).is_some() {
            return self.outside(line, out).unwrap_or(RunnerLine::Over);
        }
        if line.trim_start().starts_with("at ") {
            return RunnerLine::Trace(line);
        }
        RunnerLine::Said(line)
    }
}

impl SurefireText {
    /// From `method(package.Class)`, `package.Class.method` or `method`.
    fn id(&self, name: &str) -> String {
        if let Some(method) = name.strip_prefix(&format!("{}.", self.class)) {
            return format!("{}::{method}", self.class);
        }
        match name.strip_suffix(&format!("({})", self.class)) {
            Some(method) => format!("{}::{method}", self.class),
            None if name == self.class => name.to_owned(),
            None => format!("{}::{name}", self.class),
        }
    }
}

/// The text of `[ERROR] text`.
fn levelled(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('[')?;
    let known = ["INFO] ", "ERROR] ", "WARNING] "];
    known.iter().find_map(|level| rest.strip_prefix(level)).map(str::trim_end)
}

fn counts(text: &str) -> TestCounts {
    let failed = after(text, "Failures") + after(text, "Errors");
    let skipped = after(text, "Skipped");
    let passed = after(text, "run").saturating_sub(failed + skipped);
    TestCounts { passed, failed, skipped }
}
