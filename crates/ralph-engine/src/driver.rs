//! The loop: starts the agent, judges its turns, and goes on until the end.

mod gates;
mod leftovers;
mod turn;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use ralph_agents::Agent;
use ralph_checks::Gate;
use ralph_core::state::{Pause, State, Wait};
use ralph_core::{Decision, Run, Timestamp, decide};
use ralph_proc::Supervisor;
use ralph_snapshot::WorkTree;
use ralph_store::{IterationRecord, Request, RunStore, Step, StoreError, Version};

use crate::clock::{Clock, Interrupt};
use crate::error::EngineError;
use crate::events::{Begin, Event, IterationSummary, Sink};
use crate::ledger::Ledger;
use crate::steps;

/// How often a waiting driver looks for requests of others.
const LOOK: Duration = Duration::from_millis(200);

/// How turns are taken.
#[derive(Clone, Debug)]
pub struct TurnRules {
    /// A turn without output is ended after this long.
    pub idle: Duration,
    /// A turn is ended after this long.
    pub wall: Duration,
    /// The time an agent has to end in good order once told to.
    pub grace: Duration,
    /// The user's own continuation prompt.
    pub template: Option<String>,
}

/// Everything a driver works with.
pub struct Driver<'a> {
    /// Where the run is kept.
    pub ledger: Ledger,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Where events go.
    pub sink: &'a mut dyn Sink,
    /// Set by Ctrl-C.
    pub interrupt: Interrupt,
    /// Starts and ends processes.
    pub supervisor: Supervisor,
    /// Does the work.
    pub agent: Box<dyn Agent>,
    /// Check the work.
    pub gates: Vec<Box<dyn Gate>>,
    /// The files.
    pub tree: WorkTree,
    /// The project's root.
    pub root: PathBuf,
    /// The run's own folder in the state home.
    pub folder: PathBuf,
    /// What the agent gets.
    pub agent_env: Vec<(OsString, OsString)>,
    /// What gates get.
    pub gate_env: Vec<(OsString, OsString)>,
    /// How turns are taken.
    pub rules: TurnRules,
}

impl Driver<'_> {
    /// Drives the run until it ends, waits for a person or is paused.
    ///
    /// The run must belong to this process. Returns it as it was left.
    pub fn drive(&mut self, run: Run, how: Begin) -> Result<Run, EngineError> {
        self.tell(&Event::RunStarted { run: &run, how });
        let run = match self.prepare(run, how).and_then(|run| self.turns(run)) {
            Ok(run) => run,
            Err(EngineError::Store(StoreError::Stale { run })) => {
                return Err(EngineError::TakenOver { run });
            }
            Err(error) => return Err(error),
        };
        self.tell(&Event::RunEnded { run: &run });
        self.ledger.store().checkpoint()?;
        Ok(run)
    }

    fn turns(&mut self, mut run: Run) -> Result<Run, EngineError> {
        while run.state.is_active() {
            if let State::Waiting(Wait::Limit { until }) = run.state {
                run = self.wait_until(&run, until)?;
                continue;
            }
            if let Some(state) = self.wish(&run)? {
                run = self.leave(&run, state)?;
                break;
            }
            run = match run.policy.limits.reached_by(&run.spent(self.clock.now())) {
                // Judged after every turn as well; here it binds a run that was
                // interrupted during its last one.
                Some(failure) => self.leave(&run, State::Failed(failure))?,
                None => self.iterate(&run)?,
            };
        }
        Ok(run)
    }

    /// One turn: begun on record, taken, judged, and on record again.
    fn iterate(&mut self, run: &Run) -> Result<Run, EngineError> {
        let began = self.clock.now();
        let run = &self.record(run, steps::begin_turn(run, began), None)?;
        self.tell(&Event::IterationStarted { run });
        let taken = self.take_turn(run)?;
        if let Some(state) = taken.wish {
            return self.leave(run, state);
        }
        let evidence = self.gather(run, taken)?;
        if let Some(state) = self.wish(run)? {
            return self.leave(run, state);
        }
        let judgement = decide(run, &run.policy, &evidence);
        let record = turn::iteration_record(run, &judgement, &evidence, began);
        let next = steps::conclude(run, &judgement, &evidence);
        // A turn that could not be taken is begun again, so it has no record.
        let taken = next.iteration == run.iteration;
        let next = self.record(run, next, taken.then_some(&record))?;
        self.tell_judgement(&next, &record, &judgement.decision);
        Ok(next)
    }

    fn tell_judgement(&mut self, next: &Run, record: &IterationRecord, decision: &Decision) {
        self.tell(&Event::IterationEnded {
            run: next,
            iteration: record.number,
            summary: IterationSummary {
                decision: &record.decision,
                claim: &record.claim,
                turn: &record.turn,
                failing: record.failing,
                elapsed: record.ended_at.since(record.started_at),
                gates: &record.gates,
            },
        });
        if let Decision::Wait(wait) = decision {
            self.tell(&Event::Waiting { run: next, wait });
        }
    }

    /// Waits for a provider's limit to lift.
    fn wait_until(&mut self, run: &Run, until: Timestamp) -> Result<Run, EngineError> {
        let began = run.updated_at;
        loop {
            let now = self.clock.now();
            if now >= until {
                let next = steps::waited(run, now.since(began), now);
                return self.record(run, next, None);
            }
            self.interrupt.wait(until.since(now).min(LOOK));
            if let Some(state) = self.wish(run)? {
                return self.leave(run, state);
            }
        }
    }

    /// What the user or another process wants instead of another turn.
    pub(crate) fn wish(&mut self, run: &Run) -> Result<Option<State>, EngineError> {
        if self.interrupt.is_raised() {
            return Ok(Some(State::Paused(Pause::Interrupted)));
        }
        let request = self.ledger.store().pending(&run.id, run.epoch)?;
        Ok(request.map(wished_state))
    }

    /// Leaves the run because somebody wished so.
    fn leave(&mut self, run: &Run, state: State) -> Result<Run, EngineError> {
        let now = self.clock.now();
        let record = (run.iteration > 0 && !self.is_recorded(run)?)
            .then(|| turn::interrupted_record(run, now));
        self.record(run, steps::moved_to(run, state, now), record.as_ref())
    }

    pub(crate) fn is_recorded(&self, run: &Run) -> Result<bool, EngineError> {
        Ok(self.ledger.store().iteration(&run.id, run.iteration)?.is_some())
    }

    /// Writes the next state of the run, if nobody else moved it meanwhile.
    pub(crate) fn record(
        &mut self,
        before: &Run,
        next: Run,
        iteration: Option<&IterationRecord>,
    ) -> Result<Run, EngineError> {
        if self.ledger.restore_if_lost(before)? {
            let text = "the state was deleted while the run was going on; it was written again";
            self.tell(&Event::Notice { run: &next, text });
        }
        let expected = Version { epoch: before.epoch, iteration: before.iteration };
        let step = Step { run: &next, iteration, events: &[] };
        self.ledger.store().save(expected, &step)?;
        Ok(next)
    }

    pub(crate) fn tell(&mut self, event: &Event<'_>) {
        self.sink.event(event, self.clock.now());
    }
}

/// The state that a request of another process leads to.
pub(crate) fn wished_state(request: Request) -> State {
    match request {
        Request::Stop => State::Stopped,
        Request::Pause => State::Paused(Pause::Asked),
    }
}
