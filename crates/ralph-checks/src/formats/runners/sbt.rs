//! sbt, with `ScalaTest`, `MUnit` and `JUnit`.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::figures::after;
use super::{RunnerDialect, RunnerLine};

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct SbtText {
    /// The suite of `ScalaTest` that runs.
    suite: String,
}

impl RunnerDialect for SbtText {
    fn name(&self) -> &'static str {
        "sbt"
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"["
    }

    fn outside<'a>(&mut self, line: &'a str, _: &FindingCollector) -> Option<RunnerLine<'a>> {
        let text = levelled(line)?.trim();
        if let Some((_, figures)) = text.split_once(": Total ") {
            let known = ["Passed: ", "Failed: ", "Error: "].iter().any(|it| text.starts_with(it));
            return known.then(|| RunnerLine::Counts(counts(figures)));
        }
        if text.starts_with("No tests were executed") || text.starts_with("No tests to run for ") {
            return Some(RunnerLine::Begins);
        }
        if let Some((name, _)) = text.strip_prefix("- ").and_then(|it| it.split_once(" *** FAILED"))
        {
            let id = match self.suite.as_str() {
                "" => name.to_owned(),
                suite => format!("{suite} > {name}"),
            };
            return Some(RunnerLine::failure(id));
        }
        if let Some((name, said)) = text.strip_prefix("==> X ").and_then(|it| it.split_once("  ")) {
            let said = said.split_once("s ").map_or(said, |(_, said)| said);
            return Some(RunnerLine::Failure { id: name.to_owned(), said, at: None });
        }
        if let Some(suite) = text.strip_suffix(':').filter(|suite| !suite.contains(' ')) {
            suite.clone_into(&mut self.suite);
            return None;
        }
        let (name, said) = text.strip_prefix("Test ")?.split_once(" failed: ")?;
        let said = said.rsplit_once(", took ").map_or(said, |(said, _)| said);
        Some(RunnerLine::Failure { id: name.to_owned(), said, at: None })
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        if let Some(next) = self.outside(line, out) {
            return next;
        }
        match levelled(line) {
            Some(text) if text.starts_with("  ") && text.trim_start().starts_with("at ") => {
                RunnerLine::Trace(text)
            }
            Some(text) if text.starts_with("  ") => RunnerLine::Said(text),
            Some(_) | None => RunnerLine::Over,
        }
    }
}

/// The text of `[error] text`, with its indentation.
fn levelled(line: &str) -> Option<&str> {
    ["[info] ", "[error] ", "[warn] "].iter().find_map(|level| line.strip_prefix(level))
}

/// `3, Failed 1, Errors 0, Passed 1, Skipped 1`.
fn counts(text: &str) -> TestCounts {
    let sum = |words: &[&str]| words.iter().map(|word| after(text, word)).sum();
    TestCounts {
        passed: after(text, "Passed"),
        failed: sum(&["Failed", "Errors"]),
        skipped: sum(&["Skipped", "Ignored", "Canceled", "Pending"]),
    }
}
