//! Findings and test results, as parsed from the output of a gate's tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::line::inline;

/// The severity of a finding, ordered from worst to harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingLevel {
    /// Wrong.
    Error,
    /// Exploitable.
    Security,
    /// Doubtful.
    Warning,
    /// Worth knowing.
    Info,
}

impl FindingLevel {
    /// All levels, the worst first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Security, Self::Warning, Self::Info];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Security => "security",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// One finding of a tool in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The tool, such as `ruff` or `rustc`.
    pub tool: String,
    /// The tool's own name for the kind of finding, such as `F401`.
    pub rule: Option<String>,
    /// Severity.
    pub level: FindingLevel,
    /// Location.
    pub place: SourceLocation,
    /// The tool's message, on one line.
    pub message: String,
    /// Identity of the finding; it stays the same when lines move.
    pub fingerprint: String,
}

/// A location in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// Path relative to the project's root, with `/`; empty for the project as a whole.
    pub file: String,
    /// Line number, from 1.
    pub line: Option<u32>,
    /// Column number, from 1.
    pub column: Option<u32>,
}

impl SourceLocation {
    /// Renders `file:line`, or only the part that is known.
    pub fn display(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", inline(&self.file)),
            None => inline(&self.file).into_owned(),
        }
    }
}

impl Finding {
    /// Sets the fingerprint from parts that stay the same when lines are added above.
    ///
    /// `context` distinguishes findings with equal tool, rule, file and message:
    /// the symbol, or the text of the line. It may be empty.
    pub fn identify(&mut self, context: &str) {
        let rule = self.rule.as_deref().unwrap_or("-");
        let message = normalised(&self.message);
        self.fingerprint = format!("{} {rule} {}: {message}", self.tool, self.place.file);
        let context = normalised(context);
        if !context.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(self.fingerprint, " @ {context}");
        }
    }
}

/// Maximum length of a normalised text, in characters.
const NORMALISED_CHARS: usize = 200;

/// Removes details that change without a real change: numbers, addresses and white space.
pub fn normalised(text: &str) -> String {
    let mut out = String::new();
    let mut last = ' ';
    let mut in_name = false;
    for c in text.trim().chars().take(4 * NORMALISED_CHARS) {
        in_name = c.is_alphabetic() || c == '_' || in_name && c.is_ascii_digit();
        let c = match c {
            c if c.is_whitespace() || c.is_control() => ' ',
            // A digit inside a word belongs to a name; alone it is a number.
            c if c.is_ascii_digit() && !in_name => '#',
            c => c,
        };
        if !(c == last && (c == ' ' || c == '#')) {
            out.push(c);
        }
        last = c;
    }
    match out.char_indices().nth(NORMALISED_CHARS) {
        Some((end, _)) => out[..end].to_owned(),
        None => out.trim_end().to_owned(),
    }
}

/// Returns the name of a test as its tool prints it.
///
/// An id may begin with the test's binary and a `$`, to distinguish tests with equal names.
pub fn test_name(id: &str) -> &str {
    let is_target = |c: char| c.is_ascii_alphanumeric() || "_-:/#".contains(c);
    match id.split_once('$') {
        Some((target, name)) if target.chars().all(is_target) && !name.is_empty() => name,
        Some(_) | None => id,
    }
}

/// The result of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestState {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It did not run.
    Skipped,
}

impl TestState {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// A failed test, with the details that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestFailure {
    /// Location of the test or of the failure.
    pub place: SourceLocation,
    /// Its message, shortened.
    pub message: String,
}

/// The test results of a gate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestResults {
    /// Result of each test by id. Bounded: see [`ToolReport::beyond`].
    pub states: BTreeMap<String, TestState>,
    /// Details of the failed tests.
    pub failures: BTreeMap<String, TestFailure>,
    /// Number of tests per result.
    pub counts: TestCounts,
    /// Number of tests that the runner printed beside its report; zero if no such
    /// line was recognised, or if it writes no report.
    pub printed: u64,
}

/// The number of tests per result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Number of tests that passed.
    pub passed: u64,
    /// Number of tests that failed.
    pub failed: u64,
    /// Number of tests that did not run.
    pub skipped: u64,
}

impl TestCounts {
    /// Returns the number of all tests.
    pub fn collected(self) -> u64 {
        self.passed + self.failed + self.skipped
    }
}

/// The number of findings per level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// Number of errors.
    pub errors: u64,
    /// Number of security findings.
    pub security: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Number of infos.
    pub infos: u64,
}

impl FindingCounts {
    /// Adds `more` findings of one level.
    pub fn add(&mut self, level: FindingLevel, more: u64) {
        match level {
            FindingLevel::Error => self.errors += more,
            FindingLevel::Security => self.security += more,
            FindingLevel::Warning => self.warnings += more,
            FindingLevel::Info => self.infos += more,
        }
    }

    /// Returns the number of findings of one level.
    pub fn of(self, level: FindingLevel) -> u64 {
        match level {
            FindingLevel::Error => self.errors,
            FindingLevel::Security => self.security,
            FindingLevel::Warning => self.warnings,
            FindingLevel::Info => self.infos,
        }
    }

    /// Subtracts `others`.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self {
            errors: self.errors.saturating_sub(others.errors),
            security: self.security.saturating_sub(others.security),
            warnings: self.warnings.saturating_sub(others.warnings),
            infos: self.infos.saturating_sub(others.infos),
        }
    }
}

/// The findings and tests parsed from the output of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolReport {
    /// The findings. Bounded: see [`ToolReport::beyond`].
    pub findings: Vec<Finding>,
    /// Number of findings per level.
    pub counts: FindingCounts,
    /// The tests, if the tool runs tests.
    pub tests: Option<TestResults>,
    /// Number of findings and tests that were counted but are not listed.
    pub beyond: u64,
    /// Lines that look like the name of a failure, without numbers and times. They
    /// are used only without better information, and are not stored.
    pub failure_lines: BTreeSet<String>,
}

/// Maximum number of findings in a brief reading.
const BRIEF_FINDINGS: usize = 200;

/// Maximum number of tests in a brief reading.
const BRIEF_TESTS: usize = 500;

impl ToolReport {
    /// Returns the reading without details that are not needed later: tests that
    /// passed, and the end of long lists. The counts stay.
    #[must_use]
    pub fn brief(&self) -> Self {
        let mut brief = self.clone();
        brief.failure_lines.clear();
        brief.findings.truncate(BRIEF_FINDINGS);
        let mut dropped = self.findings.len() - brief.findings.len();
        if let Some(tests) = &mut brief.tests {
            let before = tests.states.len();
            let mut left = BRIEF_TESTS;
            tests.states.retain(|_, state| {
                let keep = *state != TestState::Passed && left > 0;
                left -= usize::from(keep);
                keep
            });
            dropped += before - tests.states.len();
        }
        brief.beyond += dropped as u64;
        brief
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(line: u32, message: &str) -> Finding {
        let mut finding = Finding {
            tool: "ruff".to_owned(),
            rule: Some("F401".to_owned()),
            level: FindingLevel::Error,
            place: SourceLocation { file: "src/a.py".to_owned(), line: Some(line), column: None },
            message: message.to_owned(),
            fingerprint: String::new(),
        };
        finding.identify("");
        finding
    }

    #[test]
    fn a_fingerprint_stays_when_lines_move() {
        let here = finding(3, "`os` imported but unused at line 3");
        let there = finding(90, "`os`  imported but unused at line 90");
        assert_eq!(here.fingerprint, there.fingerprint);
        assert_eq!(here.fingerprint, "ruff F401 src/a.py: `os` imported but unused at line #");
    }

    #[test]
    fn context_tells_equal_messages_apart() {
        let (mut one, mut other) = (finding(1, "unused"), finding(1, "unused"));
        one.identify("fn a()");
        other.identify("fn b()");
        assert_ne!(one.fingerprint, other.fingerprint);
    }

    #[test]
    fn a_brief_reading_lists_what_went_wrong_and_counts_the_rest() {
        let states = (0..1000).map(|i| {
            (format!("t{i}"), if i % 3 == 0 { TestState::Failed } else { TestState::Passed })
        });
        let counts = TestCounts { passed: 666, failed: 334, skipped: 0 };
        let tests = TestResults { states: states.collect(), counts, ..TestResults::default() };
        let findings = vec![finding(1, "x"); 300];
        let whole = ToolReport { findings, tests: Some(tests), ..ToolReport::default() };
        let brief = whole.brief();
        assert_eq!(brief.findings.len(), 200);
        let tests = brief.tests.unwrap();
        assert_eq!((tests.states.len(), tests.counts), (334, counts));
        assert_eq!(brief.beyond, 100 + 666);
    }

    #[test]
    fn a_test_is_called_what_its_tool_calls_it() {
        for (id, name) in [
            ("2$four_and_nine_subtract", "four_and_nine_subtract"),
            ("rs::t$doubles", "doubles"),
            ("bin/shop#2$cart::adds", "cart::adds"),
            ("tests/test_a.py::test_b[$5]", "tests/test_a.py::test_b[$5]"),
            ("a.test.js > it costs $5", "a.test.js > it costs $5"),
            ("ends with $", "ends with $"),
        ] {
            assert_eq!(test_name(id), name);
        }
    }

    #[test]
    fn names_keep_their_digits() {
        assert_eq!(normalised("utf8 and v2_0 at 0x3f, 12.5 s"), "utf8 and v2_0 at #x3f, #.# s");
        assert_eq!(normalised("u32 is not i128, 640 x 480"), "u32 is not i128, # x #");
        assert_eq!(normalised(&"ä".repeat(500)).chars().count(), 200);
    }
}
