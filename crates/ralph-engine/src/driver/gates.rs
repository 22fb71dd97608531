//! Runs gates, computes trees, and compares a turn's changes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use ralph_checks::Gate;
use ralph_checks::judge::CriterionJudge;
use ralph_checks::security::{EarlierContents, MOST_EARLIER, ScanScope, ScanSelection};
use ralph_core::decide::{awaits_judge, is_otherwise_done};
use ralph_core::evidence::{Evidence, GateReport, TurnEnd};
use ralph_core::policy::{GateImportance, PassCondition};
use ralph_core::run::Baseline;
use ralph_core::{Run, TreeId, wording};
use ralph_snapshot::{ChangeKind, EarlierFile, SnapshotLabel, Snapshots, TreeChange, TreeError};
use ralph_store::GatePass;

use super::leftovers::LeftoverFiles;
use super::original::StartTrial;
use super::suite::{GateRunner, PassRecall};
use super::surroundings::OutsideWatch;
use super::{RunContext, preserve};
use crate::affected::AffectedTests;
use crate::error::EngineError;
use crate::events::RunEvent;
use crate::stamps::GateStamps;

/// Number of rounds if gates change the files they ran on.
const ROUNDS: u32 = 2;

/// The checks that prove the work of a run.
pub struct CheckSet {
    /// The gates.
    pub gates: Vec<Box<dyn Gate>>,
    /// The judge, who is asked if nothing else prevents success.
    pub judge: Option<CriterionJudge>,
    /// The time by which gates have to be done, because the caller waits no
    /// longer; `None` for no limit.
    pub until: Option<Instant>,
    /// The files for gates that read files themselves.
    pub chosen: ScanSelection,
    /// Finds the tests that run first; `None` if the user wants none to.
    pub affected: Option<AffectedTests>,
    /// The environment of gates.
    pub gate_env: Vec<(OsString, OsString)>,
}

/// Gathers the evidence of a turn: runs the gates, computes trees, and compares
/// them with the start.
pub struct EvidenceGatherer<'d, 'a> {
    pub(super) context: &'d mut RunContext<'a>,
    pub(super) checks: &'d mut CheckSet,
    /// The tree as the agent left it in this turn, if it was computed.
    pub(super) agent_left: &'d mut Option<TreeId>,
}

impl<'a> EvidenceGatherer<'_, 'a> {
    pub(super) fn gate_runner(&mut self) -> GateRunner<'_, 'a> {
        GateRunner { context: self.context, checks: self.checks }
    }

    pub(super) fn outside(&self) -> OutsideWatch<'_, 'a> {
        OutsideWatch { context: self.context, checks: self.checks }
    }

    fn trial(&mut self) -> StartTrial<'_, 'a> {
        StartTrial { context: self.context, checks: self.checks }
    }

    pub(super) fn no_turn(&self) -> Evidence {
        Evidence {
            turn: TurnEnd::Finished,
            text: String::new(),
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
            aside: std::time::Duration::ZERO,
            usage: None,
            now: self.context.clock.now(),
        }
    }

    /// Returns the results of the gates on the present tree, for a run that may
    /// not be stored.
    pub fn survey(&mut self, run: &Run) -> Result<Evidence, EngineError> {
        let mut evidence = self.no_turn();
        self.look_at_files(run, &mut evidence)?;
        // There is no start to compare checks with.
        evidence.weakened.clear();
        evidence.weakened_state = None;
        Ok(evidence)
    }

    /// Returns the results of the gates of a run that another process drives.
    /// Passes are stored, so the judge of the turn need not run them again;
    /// nothing else of the run changes.
    pub fn check_gates(&mut self, run: &Run) -> Result<Evidence, EngineError> {
        self.context.interrupt.interrupt_on_request(self.context.tree.handle());
        let mut evidence = self.no_turn();
        let start =
            || Snapshots::new(&self.context.tree, run.id.clone()).get(SnapshotLabel::Start).ok();
        // Without a baseline the results now would count as one.
        let baseline = run.baseline.clone().unwrap_or_else(|| Baseline {
            tree: start().map(|start| start.tree),
            ..Baseline::default()
        });
        let run = Run { baseline: Some(baseline), ..run.clone() };
        // A pass that may complete the run must be executed in it.
        self.check_files(&run, &mut evidence, PassRecall::Since(run.started_at))?;
        self.trial().precompute_judgement(&run, &mut evidence)?;
        Ok(evidence)
    }

    /// Adds gates, tree and approach to the evidence, as far as needed.
    pub(crate) fn look_at_files(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if self.checks.gates.is_empty() {
            if run.progress.needs_tree(&evidence.turn, &evidence.text) {
                evidence.tree = Some(self.context.tree.tree()?);
            }
        } else {
            self.check_files(run, evidence, PassRecall::All)?;
            self.confirm(run, evidence)?;
            self.trial().judge_by_start(run, evidence)?;
            evidence.weakened_state = self.outside().state_of_weakened(&evidence.weakened);
        }
        self.ask_judge(run, evidence)
    }

    /// Executes remembered gates again if all other evidence says that the run
    /// is done. A pass that completes a run must be executed in this run, on
    /// these files.
    fn confirm(&mut self, run: &Run, evidence: &mut Evidence) -> Result<(), EngineError> {
        let is_done = is_otherwise_done(run, &run.policy, evidence);
        let is_old =
            evidence.gates.iter().any(|gate| gate.cached && gate.need == GateImportance::Required);
        if !is_old || !(is_done || awaits_judge(run, &run.policy, evidence)) {
            return Ok(());
        }
        let recall = match run.session() {
            // A hook may not have the time: `ralph check --wait` executed them
            // in this run.
            Some(_) => PassRecall::Since(run.started_at),
            None => PassRecall::Nothing,
        };
        evidence.weakened.clear();
        evidence.edited.clear();
        evidence.accepts_changes = false;
        let began = Instant::now();
        self.check_files(run, evidence, recall)?;
        evidence.aside = evidence.aside.saturating_add(began.elapsed());
        Ok(())
    }

    /// Adds the results of the gates on the present tree.
    fn check_files(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
        recall: PassRecall,
    ) -> Result<(), EngineError> {
        let mut leftovers = LeftoverFiles::load(&self.context.places.folder);
        self.context.tree.leave_out(leftovers.untouched(&self.context.places.root));
        let mut before = self.context.tree.tree()?;
        self.agent_left.get_or_insert_with(|| before.clone());
        if let Some(last) = &run.tree {
            evidence.approach = known(self.context.tree.approach(last, &before))?.flatten();
        }
        self.choose_files(run, &before)?;
        for round in 1..=ROUNDS {
            let sealed = self.context.sealed_for_gates(run);
            let shown = self.gate_runner().run_gates(run, &before, recall)?;
            self.context.restore_sealed_files(run, sealed)?;
            evidence.gates = shown.reports;
            evidence.flaky.extend(shown.flaky);
            let is_known = |report: &GateReport| report.cached;
            let after = if evidence.gates.iter().all(is_known) {
                // No gate ran that could have changed a file.
                before.clone()
            } else {
                self.tree_after_gates(run, &before, &mut leftovers)?
            };
            let settled = after == before;
            self.gate_runner().forget_passes(&evidence.gates, &before)?;
            if settled {
                self.gate_runner().remember_passes(&evidence.gates, &before)?;
            }
            before = after;
            if settled || round == ROUNDS || evidence.gates.iter().any(GateReport::blocks) {
                break;
            }
        }
        evidence.tree = Some(before);
        if run.baseline.is_none() {
            preserve::remember(&self.context.places.folder, &evidence.gates)?;
        }
        forgive_known_failures(run, evidence);
        preserve::compare(&self.context.places.folder, run.policy.locale, evidence);
        self.look_at_checks(run, evidence);
        self.outside().look_at_programs(run, evidence);
        self.context.end_strays(run);
        evidence.weakened.extend(self.context.held.iter().cloned());
        let before = run.baseline.as_ref().map(|baseline| &baseline.failing);
        for (report, gate) in evidence.gates.iter_mut().zip(&self.checks.gates) {
            report.hold_to(&run.policy.zero, &run.task.targets);
            match (gate.spec().bar, before) {
                (PassCondition::NoWorse, Some(before)) => report.forgive(before, &run.task.targets),
                (PassCondition::NoWorse, None)
                | (PassCondition::Clean | PassCondition::NoErrors, _) => {}
            }
        }
        Ok(())
    }

    /// Gives gates that read files themselves the files that the run changed.
    fn choose_files(&self, run: &Run, present: &TreeId) -> Result<(), EngineError> {
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let changes = match start {
            Some(start) => known(self.context.tree.changes(start, present))?,
            None => Some(Vec::new()),
        };
        let files = changes.as_ref().map(|changes| {
            let there = changes.iter().filter(|one| one.kind != ChangeKind::Removed);
            ScanScope::Only(there.map(|one| one.path.clone()).collect())
        });
        // If the start is no longer stored, every file is checked.
        self.checks.chosen.set(files.unwrap_or(ScanScope::All));
        if start.is_some() && self.checks.gates.iter().any(|gate| gate.spec().is_memory()) {
            self.checks.chosen.set_before(self.before(run, present, &changes.unwrap_or_default()));
        }
        Ok(())
    }

    /// Returns the contents of changed files at the start of the run. Without
    /// them everything in those files counts.
    fn before(&self, run: &Run, present: &TreeId, changes: &[TreeChange]) -> EarlierContents {
        let snapshots = Snapshots::new(&self.context.tree, run.id.clone());
        let earlier = snapshots
            .get(SnapshotLabel::Start)
            .and_then(|start| snapshots.earlier(&start, present, MOST_EARLIER));
        let added = changes.iter().filter(|one| one.kind == ChangeKind::Added);
        let added: BTreeSet<&Path> = added.map(|one| one.path.as_path()).collect();
        let was_there =
            |file: &EarlierFile| file.contents.is_some() || !added.contains(file.path.as_path());
        let earlier = earlier.unwrap_or_default().into_iter().filter(was_there);
        earlier.map(|file| (file.path, file.contents)).collect()
    }

    /// Returns the tree after the gates. Files that gates created are left out
    /// of it until another program changes them.
    fn tree_after_gates(
        &mut self,
        run: &Run,
        before: &TreeId,
        leftovers: &mut LeftoverFiles,
    ) -> Result<TreeId, EngineError> {
        leftovers.refresh(&self.context.places.root);
        let after = self.context.tree.tree()?;
        let changes = known(self.context.tree.changes(before, &after))?.unwrap_or_default();
        if let [_, ..] = changes.as_slice() {
            let files = changes.iter().map(|change| change.path.as_path());
            let text = wording::changed_by_checks(files, run.policy.locale);
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
        let created = changes.into_iter().filter(|change| change.kind == ChangeKind::Added);
        let grown = leftovers.add(&self.context.places.root, created.map(|change| change.path));
        leftovers.save(&self.context.places.folder)?;
        if grown == 0 {
            return Ok(after);
        }
        self.context.tree.leave_out(leftovers.untouched(&self.context.places.root));
        Ok(self.context.tree.tree()?)
    }
}

impl GateRunner<'_, '_> {
    fn remember_passes(&self, reports: &[GateReport], tree: &TreeId) -> Result<(), EngineError> {
        let stamps =
            GateStamps::new(&self.context.tree, &self.context.places.root, &self.checks.gate_env);
        for (gate, report) in self.checks.gates.iter().zip(reports) {
            if report.passed() && !report.cached {
                let (reading, stamp) = (report.reading.clone(), stamps.of(gate.spec()));
                let pass = GatePass { reading, stamp, at: self.context.clock.now() };
                self.context.ledger.store().remember_pass(&gate.key(), tree, &pass)?;
            }
        }
        Ok(())
    }

    /// Deletes earlier passes of gates that do not pass now.
    fn forget_passes(&self, reports: &[GateReport], tree: &TreeId) -> Result<(), EngineError> {
        for (gate, report) in self.checks.gates.iter().zip(reports) {
            if !report.passed() {
                self.context.ledger.store().forget_pass(&gate.key(), tree)?;
            }
        }
        Ok(())
    }
}

/// Accepts failures of tests that failed at the start, if the user allowed it.
fn forgive_known_failures(run: &Run, evidence: &mut Evidence) {
    if !run.policy.allowed.known_failures {
        return;
    }
    for report in &mut evidence.gates {
        let now = report.failing.clone();
        let known = run.baseline.as_ref().map_or(&now, |baseline| &baseline.failing);
        report.forgive_tests(known);
    }
}

/// Turns the error for a tree that is no longer stored, as after `git gc`, into
/// `None`.
pub(super) fn known<T>(answer: Result<T, TreeError>) -> Result<Option<T>, TreeError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(TreeError::UnknownTree { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
