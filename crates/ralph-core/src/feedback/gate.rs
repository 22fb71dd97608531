//! Feedback about a gate that does not pass: its most important failures, and its
//! raw output only if nothing in it was recognised.

use std::collections::BTreeSet;

use super::last_chars;
use crate::evidence::{GateExtent, GateReport, Verdict, is_absent};
use crate::finding::{Finding, FindingLevel, TestFailure, test_name};

/// Number of findings, and of failing tests, listed for each gate.
const NAMED: usize = 8;

/// Number of characters of a gate's raw output that are repeated.
const TAIL_CHARS: usize = 3000;

/// Number of characters of a message that are repeated.
const MESSAGE_CHARS: usize = 200;

/// Number of lines of a test's message that are repeated: values that differ stand
/// below the sentence that names the difference.
const SAID_LINES: usize = 5;
const SAID_CHARS: usize = 400;

/// The feedback about a gate that does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateFeedback {
    /// Its name.
    pub name: String,
    /// Its command.
    pub command: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The part of it that ran.
    pub extent: GateExtent,
    /// Tests that fail: first those that passed at the start, then new ones.
    pub tests: Vec<FailedTest>,
    /// Number of failing tests beyond the listed ones.
    pub more_tests: u64,
    /// Number of failing tests that are counted and have no name.
    pub unnamed_tests: u64,
    /// Findings that keep the gate from passing, or all findings if no such one is
    /// known. The worst come first, new ones first among equals.
    pub problems: Vec<ReportedFinding>,
    /// Number of findings beyond the listed ones.
    pub more_problems: u64,
    /// Tests that failed and passed on the same tree.
    pub flaky: Vec<String>,
    /// End of its output; empty if the lists above explain the failure.
    pub tail: String,
}

/// The time since which something fails, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailingSince {
    /// It passed at the start.
    Start,
    /// It did not fail after the last iteration.
    LastIteration,
    /// It failed after the last iteration, too, or there was none.
    Earlier,
}

/// A failing test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTest {
    /// Its name, as its tool writes it.
    pub id: String,
    /// Location, as `file:line`; empty if unknown.
    pub place: String,
    /// The first few lines of its message, joined.
    pub said: String,
    /// The time since which it fails.
    pub since: FailingSince,
}

/// A finding shown to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedFinding {
    /// Severity.
    pub level: FindingLevel,
    /// Location, as `file:line`; empty for the project as a whole.
    pub place: String,
    /// The tool's message, on one line.
    pub message: String,
    /// The tool and its rule.
    pub source: String,
    /// The time since which it is there.
    pub since: FailingSince,
}

/// The state before the turn, as fingerprints.
pub(super) struct PastFailures<'a> {
    /// Failures after the last iteration.
    pub(super) failing: &'a BTreeSet<String>,
    /// Tests that passed at the start and fail now.
    pub(super) broken: &'a BTreeSet<String>,
    /// Tests whose result is unreliable.
    pub(super) flaky: &'a BTreeSet<String>,
}

impl PastFailures<'_> {
    fn since(&self, print: &str) -> FailingSince {
        if self.broken.contains(print) {
            FailingSince::Start
        } else if self.failing.is_empty() || !is_absent(print, self.failing) {
            // If nothing failed before, everything is new and needs no mark.
            FailingSince::Earlier
        } else {
            FailingSince::LastIteration
        }
    }
}

impl GateFeedback {
    /// Describes this gate without a comparison to earlier turns.
    pub(crate) fn alone(gate: &GateReport) -> Self {
        let none = BTreeSet::new();
        Self::of(gate, &PastFailures { failing: &none, broken: &none, flaky: &none })
    }

    /// Describes this gate.
    pub(super) fn of(gate: &GateReport, past: &PastFailures<'_>) -> Self {
        let (flaky, steady): (Vec<_>, Vec<_>) =
            gate.failing_tests().partition(|(_, print)| past.flaky.contains(*print));
        let mut tests: Vec<FailedTest> =
            steady.iter().map(|(id, print)| failed_test(gate, id, past.since(print))).collect();
        tests.sort_by_key(|test| test.since);
        let counted = gate.reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        let all_tests = counted.saturating_sub(flaky.len() as u64).max(tests.len() as u64);
        tests.truncate(NAMED);

        let listed = gate.reading.findings.iter();
        let mut problems: Vec<&Finding> =
            listed.clone().filter(|found| gate.failing.contains(&found.fingerprint)).collect();
        if problems.is_empty() && tests.is_empty() && !gate.passed() {
            // Any finding may be the cause: an info, or one that the bar allows.
            problems = listed.collect();
        }
        problems.sort_by_key(|found| (found.level, past.since(&found.fingerprint), &found.place));
        let not_listed = if gate.reading.tests.is_none() { gate.reading.beyond } else { 0 };
        let all_problems = problems.len() as u64 + not_listed;
        problems.truncate(NAMED);

        let is_understood = !(tests.is_empty() && problems.is_empty() && flaky.is_empty());
        let tail = if is_understood { "" } else { last_chars(&gate.tail, TAIL_CHARS) };
        Self {
            name: gate.name.clone(),
            command: gate.command.clone(),
            verdict: gate.verdict.clone(),
            extent: gate.extent,
            more_tests: all_tests - tests.len() as u64,
            unnamed_tests: gate.unnamed_tests(),
            tests,
            more_problems: all_problems - problems.len() as u64,
            problems: problems.iter().map(|found| problem(found, past)).collect(),
            flaky: flaky.iter().take(NAMED).map(|(id, _)| test_name(id).to_owned()).collect(),
            tail: tail.to_owned(),
        }
    }
}

fn failed_test(gate: &GateReport, id: &str, since: FailingSince) -> FailedTest {
    let tests = gate.reading.tests.as_ref();
    let known = tests.and_then(|tests| tests.failures.get(id));
    let TestFailure { place, message } = known.cloned().unwrap_or_default();
    let (id, said) = (test_name(id).to_owned(), first_lines(&message));
    FailedTest { id, place: place.display(), said, since }
}

fn problem(finding: &Finding, past: &PastFailures<'_>) -> ReportedFinding {
    let rule = finding.rule.as_deref().map_or_else(String::new, |rule| format!(" {rule}"));
    ReportedFinding {
        level: finding.level,
        place: finding.place.display(),
        message: first_line(&finding.message),
        source: format!("{}{rule}", finding.tool),
        since: past.since(&finding.fingerprint),
    }
}

/// Returns the first line with content, with single spaces.
fn first_line(text: &str) -> String {
    cut(flat_lines(text).next().unwrap_or_default(), MESSAGE_CHARS)
}

/// Joins the first lines with content, up to the stack trace.
fn first_lines(text: &str) -> String {
    let is_frame = |line: &String| line.starts_with("at ") || line.starts_with("stack backtrace:");
    let mut said = String::new();
    for line in flat_lines(text).take_while(|line| !is_frame(line)).take(SAID_LINES) {
        match said.chars().next_back() {
            None => {}
            Some(':') => said.push(' '),
            Some(_) => said.push_str(" | "),
        }
        said.push_str(&line);
    }
    if said.is_empty() { first_line(text) } else { cut(said, SAID_CHARS) }
}

/// Iterates over the lines with content, with single spaces.
fn flat_lines(text: &str) -> impl Iterator<Item = String> {
    let flat = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(flat).filter(|line| !line.is_empty())
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::GateFault;
    use crate::samples::{found, report, set, tested};

    fn news(gate: &GateReport, [failing, broken, flaky]: [&[&str]; 3]) -> GateFeedback {
        let (failing, broken, flaky) = (set(failing), set(broken), set(flaky));
        GateFeedback::of(gate, &PastFailures { failing: &failing, broken: &broken, flaky: &flaky })
    }

    #[test]
    fn tests_that_worked_at_the_start_come_first_and_new_ones_next() {
        let gate = tested(&["z"], &["a", "b", "c", "d"]);
        let news = news(&gate, [&["test a", "test d"], &["test d"], &["test b"]]);
        let order: Vec<_> = news.tests.iter().map(|test| (&*test.id, test.since)).collect();
        assert_eq!(
            order,
            [
                ("d", FailingSince::Start),
                ("c", FailingSince::LastIteration),
                ("a", FailingSince::Earlier)
            ]
        );
        assert_eq!((news.flaky, news.more_tests), (vec!["b".to_owned()], 0));
        let first = &news.tests[0];
        assert_eq!((&*first.place, &*first.said), ("tests/d:7", "expected d | got nothing"));
    }

    #[test]
    fn findings_come_worst_first_and_new_ones_first_among_equals() {
        let gate = found(&[
            ("a", FindingLevel::Warning),
            ("b", FindingLevel::Error),
            ("c", FindingLevel::Error),
            ("d", FindingLevel::Security),
        ]);
        let old = gate.reading.findings[1].fingerprint.clone();
        let news = news(&gate, [&[&old], &[], &[]]);
        let order: Vec<_> = news.problems.iter().map(|problem| &*problem.place).collect();
        assert_eq!(order, ["c:3", "b:2", "d:4", "a:1"]);
        assert_eq!(news.problems[0].source, "lint R1");
        assert_eq!(news.problems[1].since, FailingSince::Earlier);
    }

    #[test]
    fn what_does_not_keep_the_gate_from_passing_is_not_told() {
        let mut gate = found(&[("a", FindingLevel::Error), ("b", FindingLevel::Warning)]);
        gate.failing.remove(&gate.reading.findings[1].fingerprint);
        assert_eq!(news(&gate, [&[], &[], &[]]).problems.len(), 1);
    }

    #[test]
    fn a_gate_that_fails_with_remarks_alone_tells_them() {
        let mut gate = found(&[("a", FindingLevel::Info), ("b", FindingLevel::Warning)]);
        gate.failing.clear();
        let places: Vec<_> =
            news(&gate, [&[], &[], &[]]).problems.into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["b:2", "a:1"]);
    }

    #[test]
    fn long_lists_end_and_say_how_many_more_there_are() {
        let names: Vec<String> = (10..40).map(|number| format!("t{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut gate = tested(&[], &names);
        // The list was cut: there are more tests than names.
        gate.reading.tests.as_mut().unwrap().counts.failed = 100;
        let many = news(&gate, [&[], &[], &["test t10"]]);
        assert_eq!((many.tests.len(), many.more_tests), (8, 91));
        let listed: Vec<_> = names.iter().map(|name| (*name, FindingLevel::Error)).collect();
        let mut gate = found(&listed);
        gate.reading.beyond = 5;
        let many = news(&gate, [&[], &[], &[]]);
        assert_eq!((many.problems.len(), many.more_problems), (8, 27));
    }

    #[test]
    fn the_raw_output_is_told_only_where_nothing_was_understood() {
        let silent = GateReport {
            tail: "Segmentation fault".to_owned(),
            ..report("tests", Verdict::Fail(GateFault::Signal(11)))
        };
        assert_eq!(news(&silent, [&[], &[], &[]]).tail, "Segmentation fault");
        let clear = GateReport { tail: "raw".to_owned(), ..tested(&[], &["a"]) };
        assert_eq!(news(&clear, [&[], &[], &[]]).tail, "");
        assert_eq!(news(&clear, [&[], &[], &["test a"]]).tail, "");
    }

    #[test]
    fn what_a_test_said_is_told_with_the_values_below_its_first_line() {
        let check = |text: &str, want: &str| assert_eq!(first_lines(text), want, "{text}");
        check(
            "Expected values to be strictly equal:\n\n5 !== 4\n",
            "Expected values to be strictly equal: 5 !== 4",
        );
        check(
            "assertion `left == right` failed\n  left: 1\n right: 2\nstack backtrace:\n 0: x",
            "assertion `left == right` failed | left: 1 | right: 2",
        );
        check(
            "TypeError: x is not a function\n    at file.js:3:1",
            "TypeError: x is not a function",
        );
        check("at sea", "at sea");
        check(&"a\n".repeat(50), "a | a | a | a | a");
        assert_eq!(first_lines(&"가".repeat(900)).chars().count(), SAID_CHARS + 1);
    }

    #[test]
    fn messages_are_told_on_one_short_line() {
        assert_eq!(first_line("\n \n  a \t b\r\nc"), "a b");
        assert_eq!(first_line(""), "");
        assert_eq!(first_line(&"가".repeat(500)).chars().count(), MESSAGE_CHARS + 1);
    }
}
