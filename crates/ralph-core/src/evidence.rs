//! The evidence of one turn: how it ended, its final text, the results of its gates.

mod change;
mod unnamed;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::finding::{FindingCounts, FindingLevel, ToolReport};
use crate::ids::{Approach, TreeId};
use crate::original::may_pass;
use crate::policy::{Criterion, GateImportance, GateSpec};
use crate::time::{Timestamp, render_span};
use crate::usage::Usage;

pub use change::{OldCodeFailure, ProofTest, TestEdit, WeakenedCheck};
pub use unnamed::{UNNAMED_TEST, is_absent};

/// Everything known at the end of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The way the turn ended.
    pub turn: TurnEnd,
    /// The final assistant text, decoded from the agent's own format.
    pub text: String,
    /// Reports of the gates on the current tree.
    pub gates: Vec<GateReport>,
    /// The current tree; `None` if it was not needed.
    pub tree: Option<TreeId>,
    /// The hunks of the turn; `None` if it changed nothing or was not examined.
    pub approach: Option<Approach>,
    /// Checks that were weakened since the run was armed.
    pub weakened: Vec<WeakenedCheck>,
    /// Digest of the weakened files' contents; `None` if they were not examined.
    pub weakened_state: Option<String>,
    /// Other edits of tests and checks: reported, but no reason to refuse success.
    pub edited: Vec<TestEdit>,
    /// Fingerprints of tests that failed and passed on the same tree.
    pub flaky: BTreeSet<String>,
    /// Fingerprints of tests that passed at the start and fail now.
    pub broken: BTreeSet<String>,
    /// New tests that fail on the code as it was at the start.
    pub biting: Vec<ProofTest>,
    /// True if tests failed at the start and the current tests do not reveal that
    /// failure: they pass on the code of the start, too.
    pub forgets_failure: bool,
    /// True if the user accepted changes of tests and checks that would block success.
    pub accepts_changes: bool,
    /// Usage of this turn; `None` if the agent reported none.
    pub usage: Option<Usage>,
    /// Time spent on proof beyond the gates; limits do not count it.
    pub aside: Duration,
    /// Time at which the evidence was complete.
    pub now: Timestamp,
}

/// The way a turn of the agent ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The agent stopped by itself, without an error.
    Finished,
    /// The user interrupted the turn.
    UserAbort,
    /// The provider refuses work for now.
    ProviderLimit {
        /// The end of the limit, if the provider named one.
        until: Option<Timestamp>,
    },
    /// The agent asked for a person with a structured request.
    HumanAsked {
        /// The question.
        question: String,
    },
    /// Background work or children of the agent are still running.
    ChildrenRunning,
    /// The agent ended with an error.
    Failed {
        /// The error, in one line.
        what: String,
    },
    /// The turn took too long and was ended.
    TimedOut(TurnTimeout),
    /// The work tree or its repository no longer exists.
    WorkTreeGone {
        /// The folder that is missing.
        folder: String,
    },
}

/// The limit that a turn exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnTimeout {
    /// No output for this long.
    Idle(Duration),
    /// The turn as a whole took this long.
    Wall(Duration),
}

/// The result of one gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateReport {
    /// The gate's name.
    pub name: String,
    /// Required or advisory.
    pub need: GateImportance,
    /// The command, as a person would type it.
    pub command: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Fingerprints of failing tests and diagnostics. A gate that passed lists only
    /// known failures that are allowed to stay.
    pub failing: BTreeSet<String>,
    /// The findings and tests parsed from its output.
    pub reading: ToolReport,
    /// The end of its output, redacted.
    pub tail: String,
    /// Run time; zero if the result was already known.
    pub elapsed: Duration,
    /// True if the result comes from an earlier run on the same tree.
    pub cached: bool,
    /// Usage of the gate itself, if known.
    pub usage: Option<Usage>,
    /// The part of the gate that ran.
    pub extent: GateExtent,
}

/// The part of a gate that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GateExtent {
    /// All of it.
    #[default]
    Whole,
    /// Only the tests that cover the changes. They failed, so the others were not
    /// run. Such a gate never passed.
    Affected,
}

/// The result of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The check passed.
    Pass,
    /// The check failed.
    Fail(GateFault),
    /// The check ran, but its output and its exit status contradict each other.
    /// Never a pass.
    Unclear {
        /// The contradiction, in one line.
        reason: String,
    },
    /// The check could not run. Never a pass.
    Unknown {
        /// The obstacle, in one line.
        reason: String,
    },
}

/// The way in which a gate failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateFault {
    /// It exited with this code.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It was still running after this long.
    Timeout(Duration),
    /// It ran to its end, but left this many forbidden findings.
    Findings(u64),
    /// A judge rejected the work.
    Refused,
}

impl Verdict {
    /// Returns the name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Unclear { .. } => "unclear",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Returns true if the check ran to its end, whatever the result.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Pass
            | Self::Unclear { .. }
            | Self::Fail(GateFault::Exit(_) | GateFault::Findings(_) | GateFault::Refused) => true,
            Self::Fail(GateFault::Signal(_) | GateFault::Timeout(_)) | Self::Unknown { .. } => {
                false
            }
        }
    }

    /// Describes the verdict in a few words.
    pub fn describe(&self) -> String {
        match self {
            Self::Pass => "passed".to_owned(),
            Self::Fail(GateFault::Exit(code)) => format!("failed with exit code {code}"),
            Self::Fail(GateFault::Signal(signal)) => format!("killed by signal {signal}"),
            Self::Fail(GateFault::Timeout(limit)) => {
                format!("timed out after {}", render_span(*limit))
            }
            Self::Fail(GateFault::Findings(1)) => "failed with 1 finding".to_owned(),
            Self::Fail(GateFault::Findings(count)) => format!("failed with {count} findings"),
            Self::Fail(GateFault::Refused) => "did not accept the work".to_owned(),
            Self::Unclear { reason } => format!("unclear: {reason}"),
            Self::Unknown { reason } => format!("unknown: {reason}"),
        }
    }
}

impl GateReport {
    /// Creates the report of a gate that could not run.
    pub fn unknown(spec: &GateSpec, reason: String) -> Self {
        Self {
            name: spec.name.clone(),
            need: spec.need,
            command: spec.command.display(),
            verdict: Verdict::Unknown { reason },
            failing: BTreeSet::new(),
            reading: ToolReport::default(),
            tail: String::new(),
            elapsed: Duration::ZERO,
            cached: false,
            usage: None,
            extent: GateExtent::Whole,
        }
    }

    /// Creates the report of a gate that passed earlier on the same tree.
    pub fn remembered(spec: &GateSpec, reading: ToolReport) -> Self {
        let report = Self::unknown(spec, String::new());
        Self { verdict: Verdict::Pass, reading, cached: true, ..report }
    }

    /// Returns the report without details that are not needed later.
    #[must_use]
    pub fn brief(&self) -> Self {
        Self { reading: self.reading.brief(), ..self.clone() }
    }

    /// Returns true if the gate passed.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }

    /// Returns true if the check ran and gave a result. A gate without a result
    /// neither passed nor failed.
    pub fn has_result(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown { .. })
    }

    /// Returns true if this is the report of a judge.
    pub fn is_judge(&self) -> bool {
        self.name == GateSpec::JUDGE
    }

    /// Returns true if this is the judge's opinion about the progress.
    pub fn is_opinion(&self) -> bool {
        self.name == GateSpec::OPINION
    }

    /// Returns true if this is the report about notes that have to hold.
    pub fn is_memory(&self) -> bool {
        self.name == Criterion::Memory.name()
    }

    /// Returns true if the gate blocks success.
    pub fn blocks(&self) -> bool {
        self.need == GateImportance::Required && !self.passed()
    }

    /// Returns true if the gate blocks success with a result of its own.
    pub fn is_red(&self) -> bool {
        self.blocks() && self.has_result()
    }

    /// Returns the ids and fingerprints of the tests that keep the gate from passing.
    pub fn failing_tests(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = self.reading.tests.as_ref();
        let is_known = move |id: &str| known.is_some_and(|tests| tests.states.contains_key(id));
        self.failing.iter().filter_map(move |print| {
            let rest = print.strip_prefix("test ")?;
            // The fingerprint is `test FOLDER: ID` if the gate runs in a folder of its own.
            let inner = || rest.split_once(": ").map(|(_, id)| id);
            let id = if is_known(rest) { Some(rest) } else { inner().filter(|id| is_known(id)) };
            Some((id?, print.as_str()))
        })
    }

    /// Counts the failures that the output does not explain; at least one if the
    /// gate fails without any explanation.
    pub fn unexplained(&self) -> u64 {
        let FindingCounts { errors, security, warnings, infos: _ } = self.reading.counts;
        let failed = self.reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        let held_up_by_warnings = warnings > 0 && !self.failing.is_empty();
        if self.passed() || failed > 0 || errors > 0 || security > 0 || held_up_by_warnings {
            return 0;
        }
        (self.failing.len() as u64).max(1)
    }

    /// Returns the fingerprints of all problems in this gate.
    ///
    /// A gate that fails without details gets a fingerprint of its own, so that
    /// fixing it counts as progress.
    pub fn fingerprints(&self) -> BTreeSet<String> {
        if self.passed() {
            return BTreeSet::new();
        }
        if self.failing.is_empty() {
            return BTreeSet::from([format!("gate:{}", self.name)]);
        }
        self.failing.clone()
    }
}

impl GateReport {
    /// Turns the report of the affected tests into a report of the whole gate.
    ///
    /// Failures in `before` that belong to this gate and were not run again are
    /// carried over: a skipped test is not a fixed test. `print` returns the
    /// fingerprint of a test.
    #[must_use]
    pub fn of_affected(
        mut self,
        before: &BTreeSet<String>,
        print: &dyn Fn(&str) -> String,
    ) -> Self {
        self.extent = GateExtent::Affected;
        let Some(tests) = &mut self.reading.tests else { return self };
        let run: BTreeSet<String> = tests.states.keys().map(|id| print(id)).collect();
        let of_gate = print("");
        let carried = before.iter().filter(|one| one.starts_with(&of_gate) && !run.contains(*one));
        let carried: Vec<String> = carried.cloned().collect();
        tests.counts.failed = tests.counts.failed.saturating_add(carried.len() as u64);
        self.failing.extend(carried);
        self
    }
}

impl GateReport {
    /// Makes the gate fail if findings of the levels in `zero` are left in one of
    /// `targets`, or anywhere if there are no targets.
    pub fn hold_to(&mut self, zero: &BTreeSet<FindingLevel>, targets: &[String]) {
        let is_about =
            |file: &str| targets.is_empty() || targets.iter().any(|target| is_below(file, target));
        let left = self.reading.findings.iter();
        let left = left.filter(|found| zero.contains(&found.level) && is_about(&found.place.file));
        let left: BTreeSet<String> = left.map(|found| found.fingerprint.clone()).collect();
        if left.is_empty() || !self.passed() {
            return;
        }
        self.verdict = Verdict::Fail(GateFault::Findings(left.len() as u64));
        self.failing = left;
        // The user asked for no findings at all, so the gate is required.
        self.need = GateImportance::Required;
    }

    /// Returns true if the gate ran to its end and its result can be trusted.
    pub fn could_tell(&self) -> bool {
        matches!(
            &self.verdict,
            Verdict::Pass
                | Verdict::Fail(GateFault::Exit(_) | GateFault::Findings(_) | GateFault::Refused)
        )
    }

    /// Makes the gate pass if its only failures are tests that already failed `before`.
    pub fn forgive_tests(&mut self, before: &BTreeSet<String>) {
        let Some(tests) = &self.reading.tests else { return };
        let is_known = |print: &String| print.starts_with("test ") && before.contains(print);
        let is_explained = !self.failing.is_empty() && self.reading.counts.errors == 0;
        if !matches!(self.verdict, Verdict::Fail(GateFault::Exit(_))) || !is_explained {
            return;
        }
        let unnamed = tests.counts.failed > self.failing.len() as u64;
        if self.failing.iter().all(is_known) && !unnamed {
            self.verdict = Verdict::Pass;
        } else {
            self.failing.retain(|print| !is_known(print));
        }
    }

    /// Ignores every problem that was already there `before` or lies outside of
    /// `targets`. Without targets, every file counts. A gate without a clear result
    /// becomes advisory.
    pub fn forgive(&mut self, before: &BTreeSet<String>, targets: &[String]) {
        if !self.could_tell() {
            self.need = GateImportance::Advisory;
        }
        if self.passed() || !self.could_tell() {
            return;
        }
        let is_about =
            |file: &str| targets.is_empty() || targets.iter().any(|target| is_below(file, target));
        let elsewhere = self.reading.findings.iter().filter(|found| !is_about(&found.place.file));
        let elsewhere: BTreeSet<&String> = elsewhere.map(|found| &found.fingerprint).collect();
        let worse = self.fingerprints().into_iter();
        let worse = worse.filter(|print| !before.contains(print) && !elsewhere.contains(print));
        let worse: BTreeSet<String> = worse.collect();
        if worse.is_empty() {
            self.verdict = Verdict::Pass;
        } else if self.verdict != Verdict::Fail(GateFault::Refused) && !self.failing.is_empty() {
            self.verdict = Verdict::Fail(GateFault::Findings(worse.len() as u64));
        }
        self.reading.findings.retain(|found| worse.contains(&found.fingerprint));
        self.failing = worse;
    }
}

/// Returns true if `file` is `target` or lies below it.
fn is_below(file: &str, target: &str) -> bool {
    let target = target.trim_start_matches('@').trim_start_matches("./").trim_end_matches('/');
    let rest = file.strip_prefix(target);
    target.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Evidence {
    /// Returns the fingerprints of all problems in all gates.
    pub fn failing(&self) -> BTreeSet<String> {
        self.gates.iter().flat_map(GateReport::fingerprints).collect()
    }

    /// Returns the fingerprints of all problems that gates with a result reported.
    pub fn shown_failing(&self) -> BTreeSet<String> {
        let shown = self.gates.iter().filter(|gate| gate.has_result());
        shown.flat_map(GateReport::fingerprints).collect()
    }

    /// Returns the fingerprints of all problems except those that a judge named. A
    /// judge is not asked every time, and its silence must not look like a fix.
    pub fn measured_failing(&self) -> BTreeSet<String> {
        let measured = self.gates.iter().filter(|gate| !gate.is_judge() && !gate.is_opinion());
        measured.flat_map(GateReport::fingerprints).collect()
    }

    /// Returns true if a test with one of these fingerprints ran and passed.
    pub fn mends_any(&self, failing: &BTreeSet<String>) -> bool {
        let passed = |gate: &GateReport, id: &str| {
            let tests = gate.reading.tests.as_ref();
            tests.is_some_and(|tests| may_pass(tests, id))
        };
        failing.iter().filter_map(|print| print.strip_prefix("test ")).any(|rest| {
            let inner = rest.split_once(": ").map(|(_, id)| id);
            let ids = [Some(rest), inner];
            let mut ids = ids.into_iter().flatten();
            ids.any(|id| self.gates.iter().any(|gate| passed(gate, id)))
        })
    }

    /// Returns the known usage of the turn and its gates.
    pub fn spent(&self) -> Usage {
        let gates = self.gates.iter().filter_map(|gate| gate.usage);
        gates.fold(self.usage.unwrap_or_default(), |sum, usage| sum + usage)
    }

    /// Returns true if the gate called `name` passed. A gate that did not run is
    /// missing here; the caller compares the names with the policy.
    pub fn passed(&self, name: &str) -> bool {
        self.gates.iter().any(|gate| gate.name == name && gate.passed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, SourceLocation, TestCounts, TestResults, TestState};
    use crate::samples::{report, set, tested};

    fn warned_in(file: &str) -> GateReport {
        let place = SourceLocation { file: file.to_owned(), ..SourceLocation::default() };
        let finding = Finding {
            tool: "lint".to_owned(),
            rule: None,
            level: FindingLevel::Warning,
            place,
            message: "unused".to_owned(),
            fingerprint: "lint - unused".to_owned(),
        };
        let mut passed = report("lint", Verdict::Pass);
        passed.need = GateImportance::Advisory;
        passed.reading.findings.push(finding);
        passed
    }

    fn held(file: &str, zero: FindingLevel, targets: &[&str]) -> GateReport {
        let mut report = warned_in(file);
        let targets: Vec<String> = targets.iter().map(|&target| target.to_owned()).collect();
        report.hold_to(&[zero].into(), &targets);
        report
    }

    #[test]
    fn findings_that_may_not_be_left_fail_their_gate_and_are_required() {
        let report = held("src/a.rs", FindingLevel::Warning, &[]);
        assert_eq!(report.verdict, Verdict::Fail(GateFault::Findings(1)));
        assert_eq!(report.failing, set(&["lint - unused"]));
        assert!(report.blocks());
    }

    #[test]
    fn findings_of_other_levels_may_be_left() {
        assert!(held("src/a.rs", FindingLevel::Error, &[]).passed());
    }

    #[test]
    fn only_what_is_worse_than_before_is_held_against_a_gate() {
        let failing = |prints: &[&str]| GateReport {
            failing: set(prints),
            ..report("lint", Verdict::Fail(GateFault::Exit(1)))
        };
        let held = |mut report: GateReport, targets: &[String]| {
            report.forgive(&set(&["old", "gate:lint"]), targets);
            (report.passed(), report.failing.len())
        };
        assert_eq!(held(failing(&["old"]), &[]), (true, 0));
        assert_eq!(held(failing(&["old", "new"]), &[]), (false, 1));
        assert_eq!(held(failing(&[]), &[]), (true, 0));
        let mut elsewhere = warned_in("src/a.rs");
        elsewhere.verdict = Verdict::Fail(GateFault::Exit(1));
        elsewhere.failing = [elsewhere.reading.findings[0].fingerprint.clone()].into();
        assert_eq!(held(elsewhere.clone(), &["src/b.rs".to_owned()]), (true, 0));
        assert_eq!(held(elsewhere, &["src".to_owned()]), (false, 1));
        let mut unknown = report("lint", Verdict::Unknown { reason: String::new() });
        unknown.forgive(&set(&[]), &[]);
        assert!(!unknown.blocks());
    }

    #[test]
    fn failing_tests_are_known_by_their_ids_wherever_the_gate_runs() {
        let mut report = tested(&[], &["a::one", "b: two"]);
        report.failing = set(&["test a::one", "test web: b: two", "test gone", "lint - a: b"]);
        let found: Vec<_> = report.failing_tests().collect();
        assert_eq!(found, [("a::one", "test a::one"), ("b: two", "test web: b: two")]);
    }

    #[test]
    fn what_the_output_does_not_explain_counts_as_one_thing_at_least() {
        let failed = || report("lint", Verdict::Fail(GateFault::Exit(1)));
        assert_eq!(report("lint", Verdict::Pass).unexplained(), 0);
        assert_eq!(failed().unexplained(), 1);
        assert_eq!(GateReport { failing: set(&["a", "b"]), ..failed() }.unexplained(), 2);
        let mut warned = warned_in("src/a.rs");
        warned.reading.counts.warnings = 1;
        warned.verdict = Verdict::Fail(GateFault::Exit(1));
        // The warning is not the reason of the failure.
        assert_eq!(warned.unexplained(), 1);
        warned.failing = set(&["lint - unused"]);
        assert_eq!(warned.unexplained(), 0);
    }

    #[test]
    fn only_findings_in_the_targets_count() {
        for target in ["src", "src/", "./src", "@src/", "src/a.rs", ""] {
            assert!(!held("src/a.rs", FindingLevel::Warning, &[target]).passed(), "{target}");
        }
        for target in ["sr", "lib", "src/a.rs/b"] {
            assert!(held("src/a.rs", FindingLevel::Warning, &[target]).passed(), "{target}");
        }
    }

    #[test]
    fn what_was_not_run_again_still_fails() {
        let mut report = report("test_pass", Verdict::Fail(GateFault::Exit(1)));
        report.failing = set(&["test web: b"]);
        let mut tests = TestResults::default();
        for (id, state) in [("a", TestState::Passed), ("b", TestState::Failed)] {
            tests.states.insert(id.to_owned(), state);
        }
        tests.counts = TestCounts { passed: 1, failed: 1, skipped: 0 };
        report.reading.tests = Some(tests);
        let before = set(&["test web: a", "test web: b", "test web: c", "test api: d", "lint x"]);
        let report = report.of_affected(&before, &|id| format!("test web: {id}"));
        assert_eq!(report.extent, GateExtent::Affected);
        assert_eq!(report.failing, set(&["test web: b", "test web: c"]));
        assert_eq!(report.reading.tests.map(|tests| tests.counts.failed), Some(2));
    }
}
