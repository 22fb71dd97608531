//! Looking at the files: gates, trees, and what a turn changed.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use ralph_checks::Site;
use ralph_core::evidence::{Evidence, GateReport, TurnEnd, Verdict};
use ralph_core::progress::Progress;
use ralph_core::{Decision, Run, TreeId, decide};
use ralph_snapshot::ChangeKind;
use ralph_store::RunStore;

use super::{Driver, leftovers, turn};
use crate::error::EngineError;
use crate::events::{Begin, Event};
use crate::steps;

/// Gates run a second time when they changed the very files they looked at.
const ROUNDS: u32 = 2;

impl Driver<'_> {
    /// What has to be known before the first or next turn.
    pub(crate) fn prepare(&mut self, run: Run, how: Begin) -> Result<Run, EngineError> {
        self.tree.leave_out(leftovers::load(&self.folder));
        let run = match how {
            Begin::New => run,
            Begin::Resumed => self.close_lost_turn(run)?,
        };
        if run.baseline.is_none() {
            return self.take_baseline(&run);
        }
        if run.iteration == 0 || self.gates.is_empty() {
            return Ok(run);
        }
        self.finish_if_done(run)
    }

    /// A turn that was begun before a crash gets its record: it was lost.
    fn close_lost_turn(&mut self, run: Run) -> Result<Run, EngineError> {
        if run.iteration == 0 || self.is_recorded(&run)? {
            return Ok(run);
        }
        let now = self.clock.now();
        let record = turn::interrupted_record(&run, now);
        let next = Run { updated_at: now, ..run.clone() };
        self.record(&run, next, Some(&record))
    }

    fn take_baseline(&mut self, run: &Run) -> Result<Run, EngineError> {
        let mut evidence = self.no_turn();
        if self.gates.is_empty() {
            evidence.tree = Some(self.tree.tree()?);
        } else {
            self.look_at_files(run, &mut evidence)?;
        }
        let next = Run {
            baseline: Some(steps::baseline(&evidence)),
            progress: Progress::from_baseline(evidence.failing(), evidence.tree.clone()),
            tree: evidence.tree,
            updated_at: self.clock.now(),
            ..run.clone()
        };
        self.record(run, next, None)
    }

    /// The work may have been finished while nobody drove the run.
    fn finish_if_done(&mut self, run: Run) -> Result<Run, EngineError> {
        let mut evidence = self.no_turn();
        self.look_at_files(&run, &mut evidence)?;
        let judgement = decide(&run, &run.policy, &evidence);
        let Decision::Complete(proof) = judgement.decision else { return Ok(run) };
        let state = ralph_core::State::Success(proof);
        let mut next = steps::moved_to(&run, state, self.clock.now());
        next.tree = evidence.tree;
        self.record(&run, next, None)
    }

    fn no_turn(&self) -> Evidence {
        Evidence {
            turn: TurnEnd::Finished,
            text: String::new(),
            gates: Vec::new(),
            tree: None,
            approach: None,
            weakened: Vec::new(),
            usage: None,
            now: self.clock.now(),
        }
    }

    /// Adds gates, tree and approach to the evidence, as far as they matter.
    pub(crate) fn look_at_files(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if self.gates.is_empty() {
            if run.progress.needs_tree(&evidence.turn, &evidence.text) {
                evidence.tree = Some(self.tree.tree()?);
            }
            return Ok(());
        }
        let mut before = self.tree.tree()?;
        if let Some(last) = &run.tree {
            evidence.approach = self.tree.approach(last, &before)?;
        }
        for round in 1..=ROUNDS {
            evidence.gates = self.run_gates(run, &before)?;
            let after = self.tree_after_gates(&before)?;
            let settled = after == before;
            if settled {
                self.remember_passes(&evidence.gates, &before)?;
            }
            before = after;
            if settled || round == ROUNDS || evidence.gates.iter().any(GateReport::blocks) {
                break;
            }
        }
        evidence.tree = Some(before);
        Ok(())
    }

    fn run_gates(&mut self, run: &Run, tree: &TreeId) -> Result<Vec<GateReport>, EngineError> {
        let mut reports = Vec::with_capacity(self.gates.len());
        for index in 0..self.gates.len() {
            let report = self.run_gate(index, run, tree)?;
            self.tell(&Event::GateFinished { report: &report, iteration: run.iteration });
            reports.push(report);
        }
        Ok(reports)
    }

    fn run_gate(
        &mut self,
        index: usize,
        run: &Run,
        tree: &TreeId,
    ) -> Result<GateReport, EngineError> {
        let gate = &self.gates[index];
        let spec = gate.spec();
        if self.ledger.store().has_passed(&gate.key(), tree)? {
            return Ok(GateReport {
                name: spec.name.clone(),
                need: spec.need,
                command: spec.command.display(),
                verdict: Verdict::Pass,
                failing: BTreeSet::new(),
                tail: String::new(),
                elapsed: Duration::ZERO,
                cached: true,
            });
        }
        let started = Event::GateStarted { name: &spec.name, iteration: run.iteration };
        self.sink.event(&started, self.clock.now());
        let (interrupt, store) = (&self.interrupt, self.ledger.store());
        let (sink, clock) = (&mut *self.sink, self.clock);
        let mut stop = || {
            sink.tick(clock.now());
            interrupt.is_raised() || matches!(store.pending(&run.id, run.epoch), Ok(Some(_)))
        };
        let site = Site { supervisor: &self.supervisor, root: &self.root, env: &self.gate_env };
        Ok(gate.run(&site, &mut stop))
    }

    /// The tree once the gates are done; files that gates created are left
    /// out of it from now on.
    fn tree_after_gates(&mut self, before: &TreeId) -> Result<TreeId, EngineError> {
        let after = self.tree.tree()?;
        if after == *before {
            return Ok(after);
        }
        let created: BTreeSet<PathBuf> = self
            .tree
            .changes(before, &after)?
            .into_iter()
            .filter(|change| change.kind == ChangeKind::Added)
            .map(|change| change.path)
            .collect();
        if created.is_empty() {
            return Ok(after);
        }
        let mut left_out = leftovers::load(&self.folder);
        left_out.extend(created);
        leftovers::save(&self.folder, &left_out)?;
        self.tree.leave_out(&left_out);
        Ok(self.tree.tree()?)
    }

    fn remember_passes(&self, reports: &[GateReport], tree: &TreeId) -> Result<(), EngineError> {
        let now = self.clock.now();
        for (gate, report) in self.gates.iter().zip(reports) {
            if report.passed() && !report.cached {
                self.ledger.store().remember_pass(&gate.key(), tree, now)?;
            }
        }
        Ok(())
    }
}
