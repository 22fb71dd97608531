//! What one turn showed: how it ended, what was said, what the gates found.

mod change;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::finding::{Counts, Level, Reading};
use crate::ids::{Approach, TreeId};
use crate::original::may_pass;
use crate::policy::{Criterion, GateSpec, Need};
use crate::time::{Timestamp, render_span};
use crate::usage::Usage;

pub use change::{Bite, BitingTest, Edit, Weakening};

/// All that is known when a turn of the agent is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// How the turn ended.
    pub turn: TurnEnd,
    /// The final assistant text, decoded from the agent's own format.
    pub text: String,
    /// What the gates found on the present tree.
    pub gates: Vec<GateReport>,
    /// The present tree; `None` when nobody needed to know.
    pub tree: Option<TreeId>,
    /// What the turn changed; `None` when it changed nothing or nobody looked.
    pub approach: Option<Approach>,
    /// Checks that were made weaker since the run was armed.
    pub weakened: Vec<Weakening>,
    /// Stands for the contents of the files that were; `None` if nobody looked.
    pub weakened_state: Option<String>,
    /// Other edits of tests and checks: reported, not held against the run.
    pub edited: Vec<Edit>,
    /// Fingerprints of tests that failed and passed on the same tree.
    pub flaky: BTreeSet<String>,
    /// Fingerprints of tests that passed at the start and fail now.
    pub broken: BTreeSet<String>,
    /// New tests that fail on the code of the start.
    pub biting: Vec<BitingTest>,
    /// Whether tests failed at the start and the present ones do not know it:
    /// they pass on the code of the start, too.
    pub forgets_failure: bool,
    /// Whether the user accepted changes of tests and checks that would be held.
    pub accepts_changes: bool,
    /// What this turn cost; `None` when the agent did not say.
    pub usage: Option<Usage>,
    /// The time that went into proof beyond the gates: no limit counts it.
    pub aside: Duration,
    /// When the evidence was complete.
    pub now: Timestamp,
}

/// How a turn of the agent ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The agent fell silent by itself, without an error.
    Finished,
    /// The user interrupted the turn.
    UserAbort,
    /// The provider refuses work for now.
    ProviderLimit {
        /// When it will accept work again, if it said so.
        until: Option<Timestamp>,
    },
    /// The agent asked for a person by a structured request.
    HumanAsked {
        /// What it asked.
        question: String,
    },
    /// Background work or children of the agent are still running.
    ChildrenRunning,
    /// The agent ended with an error.
    Failed {
        /// What happened, in one line.
        what: String,
    },
    /// We ended the turn because it took too long.
    TimedOut(Timeout),
    /// The work tree or its repository no longer exists.
    WorkTreeGone {
        /// The folder that is missing.
        folder: String,
    },
}

/// Which clock ran out on a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// No output for this long.
    Idle(Duration),
    /// The turn as a whole took this long.
    Wall(Duration),
}

/// What one gate found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateReport {
    /// The gate's name.
    pub name: String,
    /// Whether success depends on it.
    pub need: Need,
    /// The command, as a person would read it.
    pub command: String,
    /// What it came to.
    pub verdict: Verdict,
    /// Fingerprints of what fails: tests, diagnostics. Of a gate that passed,
    /// only known failures that may stay.
    pub failing: BTreeSet<String>,
    /// What was read in its output.
    pub reading: Reading,
    /// The end of its output, redacted.
    pub tail: String,
    /// How long it ran; zero when the answer was already known.
    pub elapsed: Duration,
    /// Whether the answer is that of an earlier run on the same tree.
    pub cached: bool,
    /// What the answer cost, where that is known.
    pub usage: Option<Usage>,
    /// How much of the gate was run.
    pub extent: Extent,
}

/// How much of a gate was run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// The tests that touch what changed; they fail, so nobody waited for the
    /// others. Such a gate never passed.
    Affected,
}

/// What a gate came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The check passed.
    Pass,
    /// The check failed.
    Fail(Fault),
    /// The check was made, but what it printed and how it ended contradict
    /// each other. Never a pass.
    Unclear {
        /// How, in one line.
        reason: String,
    },
    /// The check could not be made. Never a pass.
    Unknown {
        /// Why not, in one line.
        reason: String,
    },
}

/// How a failing gate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// With this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was still running after this long.
    Timeout(Duration),
    /// In good order, but with this many findings that may not be left.
    Findings(u64),
    /// With the word that the work is not what was asked for.
    Refused,
}

impl Verdict {
    /// The name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Unclear { .. } => "unclear",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Whether the check was run to its end, whatever it came to.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Pass
            | Self::Unclear { .. }
            | Self::Fail(Fault::Exit(_) | Fault::Findings(_) | Fault::Refused) => true,
            Self::Fail(Fault::Signal(_) | Fault::Timeout(_)) | Self::Unknown { .. } => false,
        }
    }

    /// What it came to, in a few words.
    pub fn describe(&self) -> String {
        match self {
            Self::Pass => "passed".to_owned(),
            Self::Fail(Fault::Exit(code)) => format!("failed with exit code {code}"),
            Self::Fail(Fault::Signal(signal)) => format!("killed by signal {signal}"),
            Self::Fail(Fault::Timeout(limit)) => format!("timed out after {}", render_span(*limit)),
            Self::Fail(Fault::Findings(1)) => "failed with 1 finding".to_owned(),
            Self::Fail(Fault::Findings(count)) => format!("failed with {count} findings"),
            Self::Fail(Fault::Refused) => "did not accept the work".to_owned(),
            Self::Unclear { reason } => format!("unclear: {reason}"),
            Self::Unknown { reason } => format!("unknown: {reason}"),
        }
    }
}

impl GateReport {
    /// The report of a gate that could not be run.
    pub fn unknown(spec: &GateSpec, reason: String) -> Self {
        Self {
            name: spec.name.clone(),
            need: spec.need,
            command: spec.command.display(),
            verdict: Verdict::Unknown { reason },
            failing: BTreeSet::new(),
            reading: Reading::default(),
            tail: String::new(),
            elapsed: Duration::ZERO,
            cached: false,
            usage: None,
            extent: Extent::Whole,
        }
    }

    /// The report of a gate that passed on the same tree before.
    pub fn remembered(spec: &GateSpec, reading: Reading) -> Self {
        let report = Self::unknown(spec, String::new());
        Self { verdict: Verdict::Pass, reading, cached: true, ..report }
    }

    /// The report without what nobody looks up later.
    #[must_use]
    pub fn brief(&self) -> Self {
        Self { reading: self.reading.brief(), ..self.clone() }
    }

    /// Whether the gate passed.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }

    /// Whether the check was made and came to something. What a gate without
    /// a result would have said is unknown: it neither passed nor failed.
    pub fn has_result(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown { .. })
    }

    /// Whether this is what a judge said.
    pub fn is_judge(&self) -> bool {
        self.name == GateSpec::JUDGE
    }

    /// Whether this is what the judge thinks of the progress.
    pub fn is_opinion(&self) -> bool {
        self.name == GateSpec::OPINION
    }

    /// Whether this is what became of notes that have to hold.
    pub fn is_memory(&self) -> bool {
        self.name == Criterion::Memory.name()
    }

    /// Whether the gate keeps the run from succeeding.
    pub fn blocks(&self) -> bool {
        self.need == Need::Required && !self.passed()
    }

    /// Whether the gate keeps the run from succeeding by what it showed.
    pub fn is_red(&self) -> bool {
        self.blocks() && self.has_result()
    }

    /// The tests that keep the gate from passing: their ids and fingerprints.
    pub fn failing_tests(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = self.reading.tests.as_ref();
        let is_known = move |id: &str| known.is_some_and(|tests| tests.states.contains_key(id));
        self.failing.iter().filter_map(move |print| {
            let rest = print.strip_prefix("test ")?;
            // `test FOLDER: ID`, where the gate runs in a folder of its own.
            let inner = || rest.split_once(": ").map(|(_, id)| id);
            let id = if is_known(rest) { Some(rest) } else { inner().filter(|id| is_known(id)) };
            Some((id?, print.as_str()))
        })
    }

    /// How many things fail here that the output says nothing about; one at
    /// least if the gate fails without any explanation.
    pub fn unexplained(&self) -> u64 {
        let Counts { errors, security, warnings, infos: _ } = self.reading.counts;
        let failed = self.reading.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        let held_up_by_warnings = warnings > 0 && !self.failing.is_empty();
        if self.passed() || failed > 0 || errors > 0 || security > 0 || held_up_by_warnings {
            return 0;
        }
        (self.failing.len() as u64).max(1)
    }

    /// Everything in this gate that is not right, as fingerprints.
    ///
    /// A gate that fails without details stands for itself, so that fixing
    /// it is progress.
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
    /// The report of tests that touch what changed, as one of the whole gate.
    ///
    /// Of `before`, what failed in this gate and was not run again still
    /// counts: to be left out is not to be fixed. `print` gives a test's
    /// fingerprint.
    #[must_use]
    pub fn of_affected(
        mut self,
        before: &BTreeSet<String>,
        print: &dyn Fn(&str) -> String,
    ) -> Self {
        self.extent = Extent::Affected;
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
    /// Lets the gate fail if findings are left that may not be: of one of
    /// these levels, in one of these files or folders, or anywhere if none is
    /// named.
    pub fn hold_to(&mut self, zero: &BTreeSet<Level>, targets: &[String]) {
        let is_about =
            |file: &str| targets.is_empty() || targets.iter().any(|target| is_below(file, target));
        let left = self.reading.findings.iter();
        let left = left.filter(|found| zero.contains(&found.level) && is_about(&found.place.file));
        let left: BTreeSet<String> = left.map(|found| found.fingerprint.clone()).collect();
        if left.is_empty() || !self.passed() {
            return;
        }
        self.verdict = Verdict::Fail(Fault::Findings(left.len() as u64));
        self.failing = left;
        // The user asked for none to be left, whoever finds them.
        self.need = Need::Required;
    }

    /// Whether the gate came to an end and told what is right and what is not.
    pub fn could_tell(&self) -> bool {
        match &self.verdict {
            Verdict::Pass | Verdict::Fail(Fault::Exit(_) | Fault::Findings(_) | Fault::Refused) => {
                true
            }
            Verdict::Fail(Fault::Signal(_) | Fault::Timeout(_))
            | Verdict::Unclear { .. }
            | Verdict::Unknown { .. } => false,
        }
    }

    /// Lets the gate pass if nothing fails in it but tests that failed
    /// `before`.
    pub fn forgive_tests(&mut self, before: &BTreeSet<String>) {
        let Some(tests) = &self.reading.tests else { return };
        let is_known = |print: &String| print.starts_with("test ") && before.contains(print);
        let is_explained = !self.failing.is_empty() && self.reading.counts.errors == 0;
        if !matches!(self.verdict, Verdict::Fail(Fault::Exit(_))) || !is_explained {
            return;
        }
        let unnamed = tests.counts.failed > self.failing.len() as u64;
        if self.failing.iter().all(is_known) && !unnamed {
            self.verdict = Verdict::Pass;
        } else {
            self.failing.retain(|print| !is_known(print));
        }
    }

    /// Holds only that against the gate which was not there `before`, in one
    /// of these files or folders, or anywhere if none is named. What a gate
    /// could not tell is held against nobody.
    pub fn forgive(&mut self, before: &BTreeSet<String>, targets: &[String]) {
        if !self.could_tell() {
            self.need = Need::Advisory;
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
        } else if self.verdict != Verdict::Fail(Fault::Refused) && !self.failing.is_empty() {
            self.verdict = Verdict::Fail(Fault::Findings(worse.len() as u64));
        }
        self.reading.findings.retain(|found| worse.contains(&found.fingerprint));
        self.failing = worse;
    }
}

/// Whether a file is `target` or lies below it.
fn is_below(file: &str, target: &str) -> bool {
    let target = target.trim_start_matches('@').trim_start_matches("./").trim_end_matches('/');
    let rest = file.strip_prefix(target);
    target.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Evidence {
    /// Fingerprints of everything that is not right in any gate.
    pub fn failing(&self) -> BTreeSet<String> {
        self.gates.iter().flat_map(GateReport::fingerprints).collect()
    }

    /// Fingerprints of everything that a gate showed to be wrong. A gate
    /// without a result showed nothing.
    pub fn shown_failing(&self) -> BTreeSet<String> {
        let shown = self.gates.iter().filter(|gate| gate.has_result());
        shown.flat_map(GateReport::fingerprints).collect()
    }

    /// Fingerprints of everything that was measured and is not right. What a
    /// judge thinks is none of it: it is not asked every time, and silence
    /// must not look like a fix.
    pub fn measured_failing(&self) -> BTreeSet<String> {
        let measured = self.gates.iter().filter(|gate| !gate.is_judge() && !gate.is_opinion());
        measured.flat_map(GateReport::fingerprints).collect()
    }

    /// Whether a test of these fingerprints was executed and passed.
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

    /// What the turn and its gates cost, as far as that is known.
    pub fn spent(&self) -> Usage {
        let gates = self.gates.iter().filter_map(|gate| gate.usage);
        gates.fold(self.usage.unwrap_or_default(), |sum, usage| sum + usage)
    }

    /// Whether every required gate passed. Gates that did not run are missing
    /// evidence: the caller compares names with the policy.
    pub fn passed(&self, name: &str) -> bool {
        self.gates.iter().any(|gate| gate.name == name && gate.passed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Place, TestCounts, TestState, Tests};
    use crate::samples::{report, set, tested};

    fn warned_in(file: &str) -> GateReport {
        let place = Place { file: file.to_owned(), ..Place::default() };
        let finding = Finding {
            tool: "lint".to_owned(),
            rule: None,
            level: Level::Warning,
            place,
            message: "unused".to_owned(),
            fingerprint: "lint - unused".to_owned(),
        };
        let mut passed = report("lint", Verdict::Pass);
        passed.need = Need::Advisory;
        passed.reading.findings.push(finding);
        passed
    }

    fn held(file: &str, zero: Level, targets: &[&str]) -> GateReport {
        let mut report = warned_in(file);
        let targets: Vec<String> = targets.iter().map(|&target| target.to_owned()).collect();
        report.hold_to(&[zero].into(), &targets);
        report
    }

    #[test]
    fn findings_that_may_not_be_left_fail_their_gate_and_are_required() {
        let report = held("src/a.rs", Level::Warning, &[]);
        assert_eq!(report.verdict, Verdict::Fail(Fault::Findings(1)));
        assert_eq!(report.failing, set(&["lint - unused"]));
        assert!(report.blocks());
    }

    #[test]
    fn findings_of_other_levels_may_be_left() {
        assert!(held("src/a.rs", Level::Error, &[]).passed());
    }

    #[test]
    fn only_what_is_worse_than_before_is_held_against_a_gate() {
        let failing = |prints: &[&str]| GateReport {
            failing: set(prints),
            ..report("lint", Verdict::Fail(Fault::Exit(1)))
        };
        let held = |mut report: GateReport, targets: &[String]| {
            report.forgive(&set(&["old", "gate:lint"]), targets);
            (report.passed(), report.failing.len())
        };
        assert_eq!(held(failing(&["old"]), &[]), (true, 0));
        assert_eq!(held(failing(&["old", "new"]), &[]), (false, 1));
        assert_eq!(held(failing(&[]), &[]), (true, 0));
        let mut elsewhere = warned_in("src/a.rs");
        elsewhere.verdict = Verdict::Fail(Fault::Exit(1));
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
        let failed = || report("lint", Verdict::Fail(Fault::Exit(1)));
        assert_eq!(report("lint", Verdict::Pass).unexplained(), 0);
        assert_eq!(failed().unexplained(), 1);
        assert_eq!(GateReport { failing: set(&["a", "b"]), ..failed() }.unexplained(), 2);
        let mut warned = warned_in("src/a.rs");
        warned.reading.counts.warnings = 1;
        warned.verdict = Verdict::Fail(Fault::Exit(1));
        // The warning is not what it fails for.
        assert_eq!(warned.unexplained(), 1);
        warned.failing = set(&["lint - unused"]);
        assert_eq!(warned.unexplained(), 0);
    }

    #[test]
    fn only_findings_in_the_targets_count() {
        for target in ["src", "src/", "./src", "@src/", "src/a.rs", ""] {
            assert!(!held("src/a.rs", Level::Warning, &[target]).passed(), "{target}");
        }
        for target in ["sr", "lib", "src/a.rs/b"] {
            assert!(held("src/a.rs", Level::Warning, &[target]).passed(), "{target}");
        }
    }

    #[test]
    fn what_was_not_run_again_still_fails() {
        let mut report = report("test_pass", Verdict::Fail(Fault::Exit(1)));
        report.failing = set(&["test web: b"]);
        let mut tests = Tests::default();
        for (id, state) in [("a", TestState::Passed), ("b", TestState::Failed)] {
            tests.states.insert(id.to_owned(), state);
        }
        tests.counts = TestCounts { passed: 1, failed: 1, skipped: 0 };
        report.reading.tests = Some(tests);
        let before = set(&["test web: a", "test web: b", "test web: c", "test api: d", "lint x"]);
        let report = report.of_affected(&before, &|id| format!("test web: {id}"));
        assert_eq!(report.extent, Extent::Affected);
        assert_eq!(report.failing, set(&["test web: b", "test web: c"]));
        assert_eq!(report.reading.tests.map(|tests| tests.counts.failed), Some(2));
    }
}
