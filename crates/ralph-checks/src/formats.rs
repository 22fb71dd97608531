//! Reads the output of tools: findings and test outcomes, in bounded memory.
//!
//! One module for each form. A reader takes its input as it comes and hands
//! what it finds to a [`FindingCollector`]; it never guesses, and text it does not
//! know is passed over or, where the form has a grammar, refused.

mod biome;
mod cargo;
mod collector;
mod ctest;
mod eslint;
mod failure_lines;
mod go_test;
mod go_text;
mod jest;
mod json;
mod junit;
mod libtest;
mod lines;
mod located;
mod minitest_text;
mod mypy;
mod name_filter;
mod nextest;
mod oxlint;
mod panics;
mod plain_diagnostics;
mod plain_tests;
mod printed;
mod pyright;
mod pytest_text;
mod rubocop;
mod ruff;
mod runners;
mod rustc_text;
mod said;
#[cfg(test)]
mod sampled;
mod sarif;
mod shellcheck;
mod spot;
mod tap;
mod tsc;
mod unittest_text;

use std::io::{self, BufRead};

use ralph_core::finding::{TestCounts, ToolReport};
use ralph_core::format::OutputFormat;

pub use collector::{FindingCollector, ToolFinding};
pub(crate) use printed::one_line;
pub(crate) use ruff::level as ruff_level;

/// Output that is not in the form it should be in.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The bytes could not be read at all.
    #[error("its output cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The output breaks the grammar of its form.
    #[error("its output is not what {form} prints: {what}")]
    Form {
        /// The form, such as `junit`.
        form: &'static str,
        /// A description of the error, with the place where there is one.
        what: String,
    },
    /// The report that a command should have written is not there.
    #[error("it wrote no report")]
    NoReport {
        /// The results recognised in everything it printed.
        printed: Box<ToolReport>,
    },
    /// The report contradicts the printed output.
    #[error(
        "its report tells of {} tests and none that failed, but it printed {}",
        report.collected(), describe(*printed)
    )]
    Contradiction {
        /// The counts of the report.
        report: TestCounts,
        /// The counts of the printed output.
        printed: TestCounts,
    },
}

fn describe(printed: TestCounts) -> String {
    match printed.failed {
        0 => "no result".to_owned(),
        failed => format!("that {failed} failed"),
    }
}

/// Reads the output of a tool in the given form.
///
/// What was found before an error is kept in `out`.
pub fn read(
    format: OutputFormat,
    input: &mut dyn BufRead,
    out: &mut FindingCollector,
) -> Result<(), FormatError> {
    match format {
        OutputFormat::Exit => Ok(()),
        OutputFormat::Text => read_text(input, out),
        OutputFormat::Cargo => cargo::read(input, out),
        OutputFormat::Libtest => libtest::read(input, out),
        OutputFormat::Nextest => nextest::read(input, out),
        OutputFormat::Junit => junit::read(input, out),
        OutputFormat::Jest => jest::read(input, out),
        OutputFormat::Tap => tap::read(input, out),
        OutputFormat::GoTest => go_test::read(input, out),
        OutputFormat::Ctest => ctest::read(input, out),
        OutputFormat::Tsc => tsc::read(input, out),
        OutputFormat::Eslint => eslint::read(input, out),
        OutputFormat::Biome => biome::read(input, out),
        OutputFormat::Oxlint => oxlint::read(input, out),
        OutputFormat::Ruff => ruff::read(input, out),
        OutputFormat::Mypy => mypy::read(input, out),
        OutputFormat::Pyright => pyright::read(input, out),
        OutputFormat::Shellcheck => shellcheck::read(input, out),
        OutputFormat::Rubocop => rubocop::read(input, out),
        OutputFormat::Sarif => sarif::read(input, out),
    }
}

/// Every test runner that is known by its plain text, as the documentation
/// names it.
pub fn text_runners() -> Vec<&'static str> {
    plain_tests::names()
}

/// Plain text, in one pass for all that may stand in it.
fn read_text(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut tests = plain_tests::PlainTests::default();
    let mut diagnostics = plain_diagnostics::PlainDiagnostics::default();
    let mut failures = failure_lines::FailureLines::default();
    lines::each(input, |line| match tests.line(line, out) {
        lines::LineClaim::Taken => {}
        lines::LineClaim::Free => {
            failures.line(line, out);
            diagnostics.line(line, out);
        }
    })?;
    tests.finish(out);
    Ok(())
}

#[cfg(test)]
#[path = "formats/robustness_tests.rs"]
mod robustness_tests;
