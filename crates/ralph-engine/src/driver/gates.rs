//! Runs gates, computes trees, and compares a turn's changes.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use ralph_checks::security::{EarlierContents, MOST_EARLIER, ScanScope};
use ralph_core::claim::Claim;
use ralph_core::decide::{awaits_judge, is_otherwise_done};
use ralph_core::evidence::{Evidence, GateReport, TurnEnd};
use ralph_core::feedback::Feedback;
use ralph_core::policy::{GateImportance, PassCondition};
use ralph_core::progress::Progress;
use ralph_core::prompt::PromptSections;
use ralph_core::run::Baseline;
use ralph_core::{Decision, Run, TreeId, decide, wording};
use ralph_snapshot::{ChangeKind, EarlierFile, SnapshotLabel, Snapshots, TreeChange, TreeError};
use ralph_store::{GatePass, IterationRecord, RunStore};

use super::leftovers::LeftoverFiles;
use super::suite::PassRecall;
use super::{Driver, preserve, turn};
use crate::error::EngineError;
use crate::events::{RunEvent, RunStart};
use crate::stamps::GateStamps;
use crate::steps;

/// Number of rounds if gates change the files they ran on.
const ROUNDS: u32 = 2;

impl Driver<'_> {
    /// Finds out all that must be known before the first or next turn.
    pub(crate) fn prepare(&mut self, run: Run, how: RunStart) -> Result<Run, EngineError> {
        self.snapshot_start(&run, how)?;
        let run = match how {
            RunStart::New => run,
            RunStart::Resumed => {
                self.note_rest(&run)?;
                let run = self.close_lost_turn(run)?;
                self.snapshot_changes_at_rest(&run);
                run
            }
        };
        let run = if run.baseline.is_none() {
            self.take_baseline(&run)?
        } else if run.iteration == 0 || self.gates.is_empty() {
            run
        } else {
            self.finish_if_done(&run)?
        };
        match self.answer.take() {
            Some(answer) if run.state.is_active() => self.add_answer_to_prompt(&run, answer),
            Some(_) | None => Ok(run),
        }
    }

    /// Puts the user's answer into the next prompt. It replaces the text for an
    /// absent user.
    fn add_answer_to_prompt(&mut self, run: &Run, answer: String) -> Result<Run, EngineError> {
        let told = if self.gates.is_empty() { None } else { Some(run.feedback.clone()) };
        let feedback = PromptSections { answer, ..told.unwrap_or_default() };
        self.record(run, Run { feedback, ..run.clone() }, None)
    }

    /// Stores a record for a turn that a crash interrupted.
    fn close_lost_turn(&mut self, run: Run) -> Result<Run, EngineError> {
        if run.iteration == 0 || self.is_recorded(&run)? {
            return Ok(run);
        }
        self.snapshot_lost_turn(&run);
        let now = self.clock.now();
        let record = turn::interrupted_record(&run, now);
        let spent = ralph_agents::read_usage(&self.usage_file()).unwrap_or_default();
        let next = Run { updated_at: now, usage: run.usage + spent, ..run.clone() };
        self.record(&run, next, Some(&record))
    }

    fn take_baseline(&mut self, run: &Run) -> Result<Run, EngineError> {
        let mut evidence = self.no_turn();
        if self.gates.is_empty() {
            // No program ran since the snapshot of the start.
            let start = self.kept.as_ref().map(|snapshot| snapshot.tree.clone());
            evidence.tree = Some(start.map_or_else(|| self.tree.tree(), Ok)?);
        } else {
            self.look_at_files(run, &mut evidence)?;
            self.note_outside_changes();
        }
        if let Some(state) = self.requested_state(run)? {
            // Interrupted gates tell nothing about the start.
            return self.stop_on_request(run, state);
        }
        self.remember_surroundings(&evidence.gates, Some(run.started_at))?;
        let now = self.clock.now();
        self.warn_of_weak_checks(run, &evidence);
        let next = Run {
            // The time limit is for the agent's work, which has not started
            // yet.
            asleep: now.since(run.started_at),
            baseline: Some(steps::baseline(&evidence)),
            progress: Progress::at_start(&evidence),
            tree: evidence.tree,
            updated_at: now,
            ..run.clone()
        };
        self.record(run, next, None)
    }

    /// Warns the user at once if the checks of a run cannot prove its task, or
    /// if many tests fail that may have nothing to do with it.
    fn warn_of_weak_checks(&mut self, run: &Run, evidence: &Evidence) {
        if self.gates.is_empty() {
            return;
        }
        if let Some(text) = wording::weak_checks(run, evidence) {
            self.emit(&RunEvent::Notice { run, text: &text });
        }
    }

    /// Ends the run if its work was finished while no driver worked on it. The
    /// gates' results are then stored as an iteration without a turn. If it is
    /// not finished, the agent gets the current results.
    fn finish_if_done(&mut self, run: &Run) -> Result<Run, EngineError> {
        let began = self.clock.now();
        let mut evidence = self.no_turn();
        if !run.progress.held.is_empty() {
            // The work was done except for held changes, which the user may
            // have allowed since.
            evidence.text.clone_from(&run.last_output);
        }
        self.gather_file_evidence(run, &mut evidence)?;
        let judgement = decide(run, &run.policy, &evidence);
        let Decision::Complete(_) = judgement.decision else {
            let told = Feedback::gather(run, &run.policy, &evidence, &Claim::None, &run.progress);
            let feedback = wording::sections(&told, &run.policy);
            let usage = run.usage + evidence.spent();
            return self.record(run, Run { feedback, usage, ..run.clone() }, None);
        };
        let record = IterationRecord {
            number: run.iteration + 1,
            turn: "no_turn".to_owned(),
            log: None,
            ..turn::iteration_record(run, &judgement, &evidence, began)
        };
        let last_output = run.last_output.clone();
        let mut next = Run { last_output, ..steps::conclude(run, &judgement, &evidence) };
        let looked = Run { iteration: record.number, ..run.clone() };
        let lesson = self.prepare_lesson(&looked, &evidence, &mut next);
        let next = self.record(run, next, Some(&record))?;
        self.save_lesson(lesson);
        Ok(next)
    }

    fn no_turn(&self) -> Evidence {
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
            now: self.clock.now(),
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
        self.interrupt.interrupt_on_request(self.tree.handle());
        let mut evidence = self.no_turn();
        let start = || Snapshots::new(&self.tree, run.id.clone()).get(SnapshotLabel::Start).ok();
        // Without a baseline the results now would count as one.
        let baseline = run.baseline.clone().unwrap_or_else(|| Baseline {
            tree: start().map(|start| start.tree),
            ..Baseline::default()
        });
        let run = Run { baseline: Some(baseline), ..run.clone() };
        // A pass that may complete the run must be executed in it.
        self.check_files(&run, &mut evidence, PassRecall::Since(run.started_at))?;
        self.precompute_judgement(&run, &mut evidence)?;
        Ok(evidence)
    }

    /// Adds gates, tree and approach to the evidence, as far as needed.
    pub(crate) fn look_at_files(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if self.gates.is_empty() {
            if run.progress.needs_tree(&evidence.turn, &evidence.text) {
                evidence.tree = Some(self.tree.tree()?);
            }
        } else {
            self.check_files(run, evidence, PassRecall::All)?;
            self.confirm(run, evidence)?;
            self.judge_by_start(run, evidence)?;
            evidence.weakened_state = self.state_of_weakened(&evidence.weakened);
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
        let mut leftovers = LeftoverFiles::load(&self.folder);
        self.tree.leave_out(leftovers.untouched(&self.root));
        let mut before = self.tree.tree()?;
        self.agent_left.get_or_insert_with(|| before.clone());
        if let Some(last) = &run.tree {
            evidence.approach = known(self.tree.approach(last, &before))?.flatten();
        }
        self.choose_files(run, &before)?;
        for round in 1..=ROUNDS {
            let sealed = self.sealed_for_gates(run);
            let shown = self.run_gates(run, &before, recall)?;
            self.restore_sealed_files(run, sealed)?;
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
            self.forget_passes(&evidence.gates, &before)?;
            if settled {
                self.remember_passes(&evidence.gates, &before)?;
            }
            before = after;
            if settled || round == ROUNDS || evidence.gates.iter().any(GateReport::blocks) {
                break;
            }
        }
        evidence.tree = Some(before);
        if run.baseline.is_none() {
            preserve::remember(&self.folder, &evidence.gates)?;
        }
        forgive_known_failures(run, evidence);
        preserve::compare(&self.folder, run.policy.locale, evidence);
        self.look_at_checks(run, evidence);
        self.look_at_programs(run, evidence);
        self.end_strays(run);
        evidence.weakened.extend(self.held.iter().cloned());
        let before = run.baseline.as_ref().map(|baseline| &baseline.failing);
        for (report, gate) in evidence.gates.iter_mut().zip(&self.gates) {
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
            Some(start) => known(self.tree.changes(start, present))?,
            None => Some(Vec::new()),
        };
        let files = changes.as_ref().map(|changes| {
            let there = changes.iter().filter(|one| one.kind != ChangeKind::Removed);
            ScanScope::Only(there.map(|one| one.path.clone()).collect())
        });
        // If the start is no longer stored, every file is checked.
        self.chosen.set(files.unwrap_or(ScanScope::All));
        if start.is_some() && self.gates.iter().any(|gate| gate.spec().is_memory()) {
            self.chosen.set_before(self.before(run, present, &changes.unwrap_or_default()));
        }
        Ok(())
    }

    /// Returns the contents of changed files at the start of the run. Without
    /// them everything in those files counts.
    fn before(&self, run: &Run, present: &TreeId, changes: &[TreeChange]) -> EarlierContents {
        let snapshots = Snapshots::new(&self.tree, run.id.clone());
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
        leftovers.refresh(&self.root);
        let after = self.tree.tree()?;
        let changes = known(self.tree.changes(before, &after))?.unwrap_or_default();
        if let [_, ..] = changes.as_slice() {
            let files = changes.iter().map(|change| change.path.as_path());
            let text = wording::changed_by_checks(files, run.policy.locale);
            self.emit(&RunEvent::Notice { run, text: &text });
        }
        let created = changes.into_iter().filter(|change| change.kind == ChangeKind::Added);
        let grown = leftovers.add(&self.root, created.map(|change| change.path));
        leftovers.save(&self.folder)?;
        if grown == 0 {
            return Ok(after);
        }
        self.tree.leave_out(leftovers.untouched(&self.root));
        Ok(self.tree.tree()?)
    }

    fn remember_passes(&self, reports: &[GateReport], tree: &TreeId) -> Result<(), EngineError> {
        let stamps = GateStamps::new(&self.tree, &self.root, &self.gate_env);
        for (gate, report) in self.gates.iter().zip(reports) {
            if report.passed() && !report.cached {
                let (reading, stamp) = (report.reading.clone(), stamps.of(gate.spec()));
                let pass = GatePass { reading, stamp, at: self.clock.now() };
                self.ledger.store().remember_pass(&gate.key(), tree, &pass)?;
            }
        }
        Ok(())
    }

    /// Deletes earlier passes of gates that do not pass now.
    fn forget_passes(&self, reports: &[GateReport], tree: &TreeId) -> Result<(), EngineError> {
        for (gate, report) in self.gates.iter().zip(reports) {
            if !report.passed() {
                self.ledger.store().forget_pass(&gate.key(), tree)?;
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
