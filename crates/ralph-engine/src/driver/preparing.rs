//! Finds out all that must be known before the first or next turn.

use ralph_core::claim::Claim;
use ralph_core::feedback::Feedback;
use ralph_core::progress::Progress;
use ralph_core::prompt::PromptSections;
use ralph_core::{Decision, Evidence, Run, decide, wording};
use ralph_store::IterationRecord;

use super::{Driver, turn};
use crate::error::EngineError;
use crate::events::{RunEvent, RunStart};
use crate::steps;

impl Driver<'_> {
    /// Finds out all that must be known before the first or next turn.
    pub(crate) fn prepare(&mut self, run: Run, how: RunStart) -> Result<Run, EngineError> {
        self.snapshot_start(&run, how)?;
        let run = match how {
            RunStart::New => run,
            RunStart::Resumed => {
                self.outside().note_rest(&run)?;
                let run = self.close_lost_turn(run)?;
                self.snapshot_taker().snapshot_changes_at_rest(&run);
                run
            }
        };
        let run = if run.baseline.is_none() {
            self.take_baseline(&run)?
        } else if run.iteration == 0 || self.checks.gates.is_empty() {
            run
        } else {
            self.finish_if_done(&run)?
        };
        match self.inputs.answer.take() {
            Some(answer) if run.state.is_active() => self.add_answer_to_prompt(&run, answer),
            Some(_) | None => Ok(run),
        }
    }

    /// Puts the user's answer into the next prompt. It replaces the text for an
    /// absent user.
    fn add_answer_to_prompt(&mut self, run: &Run, answer: String) -> Result<Run, EngineError> {
        let told = if self.checks.gates.is_empty() { None } else { Some(run.feedback.clone()) };
        let feedback = PromptSections { answer, ..told.unwrap_or_default() };
        self.record(run, Run { feedback, ..run.clone() }, None)
    }

    /// Stores a record for a turn that a crash interrupted.
    fn close_lost_turn(&mut self, run: Run) -> Result<Run, EngineError> {
        if run.iteration == 0 || self.context.is_recorded(&run)? {
            return Ok(run);
        }
        self.snapshot_lost_turn(&run);
        let now = self.context.clock.now();
        let record = turn::interrupted_record(&run, now);
        let spent = ralph_agents::read_usage(&self.context.usage_file()).unwrap_or_default();
        let next = Run { updated_at: now, usage: run.usage + spent, ..run.clone() };
        self.record(&run, next, Some(&record))
    }

    fn take_baseline(&mut self, run: &Run) -> Result<Run, EngineError> {
        let mut evidence = self.gatherer().no_turn();
        if self.checks.gates.is_empty() {
            // No program ran since the snapshot of the start.
            let start = self.snapshots.kept.as_ref().map(|snapshot| snapshot.tree.clone());
            evidence.tree = Some(start.map_or_else(|| self.context.tree.tree(), Ok)?);
        } else {
            self.gatherer().look_at_files(run, &mut evidence)?;
            self.snapshot_taker().note_outside_changes();
        }
        if let Some(state) = self.context.requested_state(run)? {
            // Interrupted gates tell nothing about the start.
            return self.stop_on_request(run, state);
        }
        self.outside().remember_surroundings(&evidence.gates, Some(run.started_at))?;
        let now = self.context.clock.now();
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
        if self.checks.gates.is_empty() {
            return;
        }
        if let Some(text) = wording::weak_checks(run, evidence) {
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
    }

    /// Ends the run if its work was finished while no driver worked on it. The
    /// gates' results are then stored as an iteration without a turn. If it is
    /// not finished, the agent gets the current results.
    fn finish_if_done(&mut self, run: &Run) -> Result<Run, EngineError> {
        let began = self.context.clock.now();
        let mut evidence = self.gatherer().no_turn();
        if !run.progress.held.is_empty() {
            // The work was done except for held changes, which the user may
            // have allowed since.
            evidence.text.clone_from(&run.last_output);
        }
        self.gatherer().gather_file_evidence(run, &mut evidence)?;
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
        let lesson = self.lessons().prepare_lesson(&looked, &evidence, &mut next);
        let next = self.record(run, next, Some(&record))?;
        self.lessons().save_lesson(lesson);
        Ok(next)
    }
}
