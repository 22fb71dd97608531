//! Small runs, policies and evidence for tests; each test changes the part it is about.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::decide::{Decision, TurnJudgement, decide};
use crate::evidence::{
    Evidence, GateExtent, GateFault, GateReport, TurnEnd, Verdict, WeakenedCheck,
};
use crate::finding::{Finding, FindingLevel, SourceLocation, TestFailure, TestState, ToolReport};
use crate::format::OutputFormat;
use crate::ids::{Approach, Hunk, RunId, TreeId};
use crate::policy::{
    Criterion, GateCommand, GateImportance, GateSpec, PassCondition, Policy, RunLimits, Trust,
    TurnLimits,
};
use crate::progress::Progress;
use crate::run::{AgentRef, Baseline, NewRun, Owner, Run, Task};
use crate::time::Timestamp;
use crate::usage::Usage;

/// A final text that claims under the default rules.
pub(crate) const CLAIM: &str = "All is in place.\n\n<promise>DONE</promise>";

/// A final text that claims nothing.
pub(crate) const WORKING: &str = "I changed the parser.";

/// Start time of every sample run.
pub(crate) const START: i64 = 1_700_000_000_000;

/// Returns the time `minutes` after the start.
pub(crate) fn minute(minutes: u32) -> Timestamp {
    Timestamp::from_millis(START + i64::from(minutes) * 60_000)
}

/// The required gate `tests` judges the work.
pub(crate) fn gated() -> Policy {
    Policy {
        trust: Trust::Evidence,
        limits: RunLimits::for_gates(),
        turns: TurnLimits::default(),
        gates: vec![gate("tests", GateImportance::Required)],
        ..Policy::promise()
    }
}

pub(crate) fn gate(name: &str, need: GateImportance) -> GateSpec {
    GateSpec {
        name: name.to_owned(),
        criterion: Criterion::Custom,
        command: GateCommand::Argv(vec!["make".to_owned(), name.to_owned()]),
        dir: String::new(),
        format: OutputFormat::Exit,
        bar: PassCondition::Clean,
        timeout: Duration::from_mins(1),
        need,
    }
}

/// A run in its first turn, without failures at the start.
pub(crate) fn run(policy: &Policy) -> Run {
    let new = NewRun {
        task: Task { text: "Fix the parser.".to_owned(), ..Task::default() },
        worktree: "/project".to_owned(),
        agent: AgentRef::default(),
        policy: policy.clone(),
        owner: Owner::Driver { pid: 1, started: 1, heartbeat: minute(0) },
    };
    Run { iteration: 1, ..Run::new(RunId::from_bits(0x5eed), new, minute(0)) }
}

/// A run whose gate `tests` had these failures on tree `A` before the first turn.
pub(crate) fn run_from(policy: &Policy, failing: &[&str]) -> Run {
    let failing = set(failing);
    let tree = Some(TreeId::new("A"));
    let red = if failing.is_empty() { BTreeSet::new() } else { set(&["tests"]) };
    Run {
        progress: Progress::from_baseline(failing.clone(), tree.clone()),
        baseline: Some(Baseline { tree, red, failing, ..Baseline::default() }),
        ..run(policy)
    }
}

/// A turn that ended normally with `text`; its files were not examined.
pub(crate) fn turn(text: &str) -> Evidence {
    Evidence {
        turn: TurnEnd::Finished,
        text: text.to_owned(),
        gates: Vec::new(),
        tree: None,
        approach: None,
        weakened: Vec::new(),
        edited: Vec::new(),
        flaky: BTreeSet::new(),
        broken: BTreeSet::new(),
        weakened_state: None,
        biting: Vec::new(),
        forgets_failure: false,
        accepts_changes: false,
        aside: Duration::ZERO,
        usage: Some(Usage::default()),
        now: minute(1),
    }
}

impl Evidence {
    pub(crate) fn ending(self, turn: TurnEnd) -> Self {
        Self { turn, ..self }
    }

    pub(crate) fn crashing(self) -> Self {
        self.ending(TurnEnd::Failed { what: "exit code 1".to_owned() })
    }

    pub(crate) fn on_tree(self, tree: &str) -> Self {
        Self { tree: Some(TreeId::new(tree)), ..self }
    }

    /// Adds one change of this name.
    pub(crate) fn trying(self, hunk: &str) -> Self {
        self.trying_all([hunk])
    }

    pub(crate) fn trying_all<'a>(self, hunks: impl IntoIterator<Item = &'a str>) -> Self {
        Self { approach: Approach::new(hunks.into_iter().map(hunk)), ..self }
    }

    pub(crate) fn weakening(self) -> Self {
        let what = "test removed".to_owned();
        let weakened = vec![WeakenedCheck { place: "tests/it.rs:3".to_owned(), what }];
        Self { weakened, ..self }
    }

    pub(crate) fn at(self, minutes: u32) -> Self {
        Self { now: minute(minutes), ..self }
    }

    pub(crate) fn reporting(mut self, report: GateReport) -> Self {
        self.gates.push(report);
        self
    }

    /// Adds a report of the gate `tests`; it passed unless there are failures.
    pub(crate) fn failing_tests(self, failing: &[&str]) -> Self {
        let verdict =
            if failing.is_empty() { Verdict::Pass } else { Verdict::Fail(GateFault::Exit(1)) };
        let failing = set(failing);
        self.reporting(GateReport { failing, ..report("tests", verdict) })
    }
}

pub(crate) fn report(name: &str, verdict: Verdict) -> GateReport {
    GateReport {
        name: name.to_owned(),
        need: GateImportance::Required,
        command: format!("make {name}"),
        verdict,
        failing: BTreeSet::new(),
        reading: ToolReport::default(),
        tail: String::new(),
        elapsed: Duration::ZERO,
        cached: false,
        usage: None,
        extent: GateExtent::Whole,
    }
}

/// Returns a hunk made from a name.
pub(crate) fn hunk(name: &str) -> Hunk {
    Hunk::new(name.bytes().fold(7, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    }))
}

/// A report of the gate `lint` with a finding of this level in each of these files,
/// on lines 1, 2, 3 and so on.
pub(crate) fn found(findings: &[(&str, FindingLevel)]) -> GateReport {
    let mut lint = report("lint", Verdict::Fail(GateFault::Exit(1)));
    for (line, (file, level)) in (1..).zip(findings) {
        let mut finding = Finding {
            tool: "lint".to_owned(),
            rule: Some("R1".to_owned()),
            level: *level,
            place: SourceLocation { file: (*file).to_owned(), line: Some(line), column: None },
            message: format!("{} here", level.name()),
            fingerprint: String::new(),
        };
        finding.identify("");
        lint.reading.counts.add(*level, 1);
        lint.failing.insert(finding.fingerprint.clone());
        lint.reading.findings.push(finding);
    }
    lint
}

/// A report of the gate `tests` with these tests; it passed unless one failed.
pub(crate) fn tested(passed: &[&str], failed: &[&str]) -> GateReport {
    let verdict = if failed.is_empty() { Verdict::Pass } else { Verdict::Fail(GateFault::Exit(1)) };
    let mut gate = report("tests", verdict);
    let tests = gate.reading.tests.get_or_insert_default();
    for (ids, state) in [(passed, TestState::Passed), (failed, TestState::Failed)] {
        tests.states.extend(ids.iter().map(|id| ((*id).to_owned(), state)));
    }
    tests.counts.passed = passed.len() as u64;
    tests.counts.failed = failed.len() as u64;
    for id in failed {
        let place = SourceLocation { file: format!("tests/{id}"), line: Some(7), column: None };
        let message = format!("expected {id}\ngot nothing");
        tests.failures.insert((*id).to_owned(), TestFailure { place, message });
        gate.failing.insert(format!("test {id}"));
    }
    gate
}

pub(crate) fn set(items: &[&str]) -> BTreeSet<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

/// Carries a run over one turn, as the engine does.
pub(crate) fn advance(run: &mut Run, evidence: &Evidence) -> TurnJudgement {
    let judgement = decide(run, &run.policy, evidence);
    run.progress = judgement.progress.clone();
    run.usage = run.usage + evidence.spent();
    run.restarts += u32::from(crate::decide::is_restart(&evidence.turn));
    if let Decision::Continue(_) = judgement.decision {
        run.iteration += 1;
    }
    judgement
}

/// Plays the turns until one does not lead to another; returns their number and the
/// last decision.
#[track_caller]
pub(crate) fn play(mut run: Run, turns: impl IntoIterator<Item = Evidence>) -> (usize, Decision) {
    let mut last = None;
    for (index, evidence) in turns.into_iter().enumerate() {
        let decision = advance(&mut run, &evidence).decision;
        let goes_on = matches!(decision, Decision::Continue(_));
        last = Some((index + 1, decision));
        if !goes_on {
            break;
        }
    }
    last.expect("at least one turn")
}
