//! The loop: starts the agent, judges its turns, and repeats until the run
//! ends.

mod attending;
mod context;
mod early;
mod gates;
mod hands;
mod hidden;
mod judging;
mod keeping;
mod last_lines;
pub(crate) mod leftovers;
mod loose;
mod making;
mod memory;
mod notes;
mod original;
mod outcomes;
mod packages;
mod preparing;
mod preserve;
mod pulse;
pub(crate) mod refusals;
mod session;
mod suite;
mod summary;
mod surroundings;
mod tampering;
mod test_places;
pub(crate) mod timing;
pub(crate) mod turn;
mod watch;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use ralph_agents::{Agent, NoticeMood, RunNotice, TurnReply};
use ralph_core::evidence::TurnEnd;
use ralph_core::state::{PauseReason, RunFailure, RunState, WaitReason};
use ralph_core::usage::Usage;
use ralph_core::{Decision, Evidence, Run, Timestamp, decide, wording};
use ralph_files::LogFailure as _;
use ralph_memory::SessionRecord;
use ralph_proc::Enclosure;
use ralph_redact::redact;
use ralph_store::{IterationRecord, OwnerRequest, RunStep, RunVersion, StoreError};

use crate::command_log::record_seal;
use crate::error::EngineError;
use crate::events::{IterationSummary, RunEvent, RunStart};
use crate::host::HostedLoop;
use crate::recall::NoteRecall;
use crate::seal::{SealedFiles, UnsealedReason};
use crate::steps;
use attending::is_interruption;
use keeping::SnapshotTaker;
use outcomes::LessonWriter;
use outcomes::TurnLesson;
use pulse::DriverHeartbeat;
use refusals::RefusalOutcome;
use session::SessionLog;
use surroundings::OutsideWatch;
use turn::TurnRunner;

pub use context::{RunContext, RunPlaces};
pub use gates::{CheckSet, EvidenceGatherer};
pub(crate) use keeping::SnapshotState;
pub use session::{log_changes_of, log_end_of};
pub(crate) use suite::jobs;

/// Time between two checks for requests while a driver waits.
const LOOK: Duration = Duration::from_millis(200);

/// Drives a run, turn by turn. The parts that do the work are made from it when they are
/// needed, each with what it uses.
pub struct Driver<'a> {
    /// The services and places of the run.
    pub context: RunContext<'a>,
    /// The checks that prove the work.
    pub checks: CheckSet,
    /// The inputs of the agent's turns.
    pub inputs: TurnInputs,
    /// The use of the memory.
    pub memory: MemoryUse,
    pub(crate) snapshots: SnapshotState,
    /// The reason why the evidence is not sealed, if it is not.
    unsealed: Option<UnsealedReason>,
}

/// The inputs of the agent's turns.
#[derive(Default)]
pub struct TurnInputs {
    /// The environment of the agent.
    pub agent_env: Vec<(OsString, OsString)>,
    /// The user's answer on resuming, ready to be read.
    pub answer: Option<String>,
    /// The user's own continuation prompt.
    pub template: Option<String>,
    /// The sandbox of the agent; `None` if it works without one.
    pub enclosure: Option<Arc<dyn Enclosure>>,
}

/// The use of the memory by a run.
#[derive(Default)]
pub struct MemoryUse {
    /// The recall of notes for the agent; `None` for no notes.
    pub recall: Option<NoteRecall>,
    /// True if results of checks are stored for later runs.
    pub remembers: bool,
    /// The session of a resumed run as it was left, until its first turn.
    pub left: Option<SessionRecord>,
}

/// The result of a judged turn.
pub(crate) struct JudgedTurn {
    pub(crate) evidence: Evidence,
    pub(crate) record: IterationRecord,
    pub(crate) next: Run,
    pub(crate) lesson: TurnLesson,
    decision: Decision,
}

impl<'a> Driver<'a> {
    /// Returns a driver that has done nothing yet.
    pub fn new(
        context: RunContext<'a>,
        checks: CheckSet,
        inputs: TurnInputs,
        memory: MemoryUse,
    ) -> Self {
        let snapshots = SnapshotState::default();
        Self { context, checks, inputs, memory, snapshots, unsealed: None }
    }

    /// Returns the part that gathers the evidence of a turn.
    pub fn gatherer(&mut self) -> EvidenceGatherer<'_, 'a> {
        let Self { context, checks, snapshots, .. } = self;
        EvidenceGatherer { context, checks, agent_left: &mut snapshots.agent_left }
    }

    /// Returns the part that handles the events of a host.
    pub fn hosted(&mut self) -> HostedLoop<'_, 'a> {
        HostedLoop { driver: self }
    }

    pub(crate) fn outside(&self) -> OutsideWatch<'_, 'a> {
        OutsideWatch { context: &self.context, checks: &self.checks }
    }

    pub(crate) fn snapshot_taker(&mut self) -> SnapshotTaker<'_, 'a> {
        SnapshotTaker { context: &mut self.context, state: &mut self.snapshots }
    }

    pub(crate) fn lessons(&self) -> LessonWriter<'_, 'a> {
        LessonWriter {
            context: &self.context,
            checks: &self.checks,
            memory: &self.memory,
            kept: self.snapshots.kept.as_ref(),
        }
    }

    pub(crate) fn session_log(&self) -> SessionLog<'_, 'a> {
        SessionLog { context: &self.context, memory: &self.memory }
    }

    fn turn_runner(&mut self) -> TurnRunner<'_, 'a> {
        let Self { context, inputs, memory, .. } = self;
        TurnRunner { context, inputs, memory }
    }

    /// Lets the agent work until the run ends, waits for a person or is paused.
    ///
    /// The run must belong to this process. Returns its last state.
    pub fn drive(
        &mut self,
        agent: &dyn Agent,
        run: Run,
        how: RunStart,
    ) -> Result<Run, EngineError> {
        self.context.emit(&RunEvent::RunStarted { run: &run, how });
        agent.show(&RunNotice { text: &wording::host::armed(&run), mood: NoticeMood::Plain });
        self.context.tree.seal();
        self.context.interrupt.interrupt_on_request(self.context.tree.handle());
        ralph_proc::adopt_strays();
        self.unsealed = match how {
            _ if !ralph_proc::close_memory() => Some(UnsealedReason::Open),
            RunStart::Resumed => Some(UnsealedReason::Resumed),
            RunStart::New => None,
        };
        self.memory.left = self.session_log().as_it_was_left(&run, how);
        self.session_log().log_start(&run, how, self.inputs.answer.as_deref());
        let mut reached = run.clone();
        let left = self.prepare(run, how).and_then(|run| {
            reached = run;
            self.turns(agent, &mut reached)
        });
        let left = match left {
            Err(error) if is_interruption(&error) => {
                let state = RunState::Paused(PauseReason::Interrupted);
                self.stop_on_request(&reached, state).map(|run| reached = run)
            }
            left => left,
        };
        match left {
            Ok(()) => {
                self.session_log().log_end(&reached);
                let is_success = matches!(reached.state, RunState::Success(_));
                let learned = if is_success { self.lessons().consolidate(&reached) } else { None };
                let unsealed = self.unsealed;
                // A report works without the seal; the event below carries it, too.
                let now = self.context.clock.now();
                record_seal(self.context.ledger.store(), &reached, unsealed, now)
                    .or_log("storing the seal");
                let learned = learned.as_deref();
                self.context.emit(&RunEvent::RunEnded { run: &reached, learned, unsealed });
                show_end(agent, &reached);
                // The run is stored; moving the log into the database can wait.
                self.context.ledger.store().checkpoint().or_log("moving the log of the store");
                Ok(reached)
            }
            Err(error) => {
                let error = taken_over(error);
                reached = self.pause_after_error(reached, &error);
                self.session_log().log_failure(&reached, &error.to_string());
                self.context
                    .emit(&RunEvent::RunBroken { run: &reached, error: &error.to_string() });
                Err(error)
            }
        }
    }

    /// Takes turns until the run is no longer active. `run` is always the state
    /// that was stored last.
    fn turns(&mut self, agent: &dyn Agent, run: &mut Run) -> Result<(), EngineError> {
        while run.state.is_active() {
            *run = if let RunState::Waiting(WaitReason::Limit { until }) = run.state {
                self.wait_until(run, until)?
            } else if let Some(state) = self.context.requested_state(run)? {
                self.stop_on_request(run, state)?
            } else if let Some(failure) = self.context.exhausted(run) {
                self.stop_on_request(run, RunState::Failed(failure))?
            } else {
                self.iterate(agent, run)?
            };
        }
        Ok(())
    }

    /// Carries out one iteration: stores its start, takes and judges the turn,
    /// and stores the result.
    fn iterate(&mut self, agent: &dyn Agent, run: &Run) -> Result<Run, EngineError> {
        let began = self.context.clock.now();
        let run = &self.record(run, steps::begin_turn(run, began), None)?;
        let _span = tracing::debug_span!("turn", run = %run.id, number = run.iteration).entered();
        // The turn was paid for, whatever its result.
        let mut paid = run.usage;
        match self.run_and_judge_turn(agent, run, began, &mut paid) {
            Err(error) if is_interruption(&error) => {
                self.snapshot_turn(run, None);
                let state = RunState::Paused(PauseReason::Interrupted);
                self.stop_on_request(&Run { usage: paid, ..run.clone() }, state)
            }
            next => next,
        }
    }

    fn run_and_judge_turn(
        &mut self,
        agent: &dyn Agent,
        run: &Run,
        began: Timestamp,
        paid: &mut Usage,
    ) -> Result<Run, EngineError> {
        self.context.emit(&RunEvent::IterationStarted { run });
        agent.show(&RunNotice { text: &wording::host::iteration(run), mood: NoticeMood::Plain });
        self.context.held.clear();
        self.snapshots.agent_left = None;
        let sealed = SealedFiles::of(&self.context.places.folder);
        let taken = self.turn_runner().take_turn(agent, run)?;
        *paid = run.usage + taken.spoken.usage.unwrap_or_default();
        if taken.wish.is_some() {
            self.context.tree.handle().go_on();
        }
        self.context.end_strays(run);
        self.context.restore_sealed_files(run, Some(sealed))?;
        self.memory.left = None;
        self.session_log().log_answer(run, &taken.spoken.text);
        if let Some(state) = taken.wish {
            self.snapshot_turn(run, None);
            return self.stop_on_request(&Run { usage: *paid, ..run.clone() }, state);
        }
        let refused = self.note_refusals(agent, run, &taken.refusals)?;
        let judged = self.judge(run, taken.spoken, began, refused)?;
        self.snapshot_turn(run, Some(&judged.evidence));
        if let Some(state) = self.context.requested_state(run)? {
            let usage = run.usage + judged.evidence.spent();
            return self.stop_on_request(&Run { usage, ..run.clone() }, state);
        }
        let JudgedTurn { record, next, lesson, decision, .. } = judged;
        // A turn that could not be taken is started again, so it has no record.
        let taken = next.iteration == run.iteration;
        let next = self.record(run, next, taken.then_some(&record))?;
        self.lessons().save_lesson(lesson);
        self.emit_judgement(&next, &record, &decision);
        Ok(next)
    }

    /// Judges a turn that started at `began`; `refused` holds what the agent
    /// was refused. Nothing is stored yet.
    pub(crate) fn judge(
        &mut self,
        run: &Run,
        spoken: TurnReply,
        began: Timestamp,
        refused: Option<RefusalOutcome>,
    ) -> Result<JudgedTurn, EngineError> {
        let mut evidence = self.gatherer().gather_evidence(run, spoken)?;
        let mut judgement = decide(run, &run.policy, &evidence);
        if let Some(question) = refused.as_ref().and_then(|refused| refused.question.clone())
            && is_in_vain(&judgement.decision)
        {
            evidence.turn = TurnEnd::HumanAsked { question: redact(&question).into_owned() };
            judgement = decide(run, &run.policy, &evidence);
        }
        let record = turn::iteration_record(run, &judgement, &evidence, began);
        let mut next = steps::conclude(run, &judgement, &evidence);
        if let Some(refused) = refused.filter(|_| next.state == RunState::Running) {
            next.feedback.refusals = redact(&refused.told).into_owned();
        }
        let lesson = self.lessons().prepare_lesson(run, &evidence, &mut next);
        Ok(JudgedTurn { evidence, record, next, lesson, decision: judgement.decision })
    }

    fn emit_judgement(&mut self, next: &Run, record: &IterationRecord, decision: &Decision) {
        self.context.emit(&RunEvent::IterationEnded {
            run: next,
            iteration: record.number,
            summary: IterationSummary {
                decision: &record.decision,
                claim: &record.claim,
                turn: &record.turn,
                failing: record.failing,
                elapsed: record.ended_at.since(record.started_at),
                gates: &record.gates,
                weakened: &record.weakened,
                edited: &record.edited,
            },
        });
        if let Decision::Wait(wait) = decision {
            self.context.emit(&RunEvent::Waiting { run: next, wait });
        }
    }

    /// Waits until a provider's limit ends.
    fn wait_until(&mut self, run: &Run, until: Timestamp) -> Result<Run, EngineError> {
        let mut pulse = DriverHeartbeat::new(self.context.clock.now());
        loop {
            let now = self.context.clock.now();
            if now >= until {
                self.snapshot_taker().note_outside_changes();
                return self.record(run, steps::waited(run, now), None);
            }
            self.context.interrupt.wait(until.since(now).min(LOOK));
            self.context.sink.tick(self.context.clock.now());
            pulse.ask(self.context.ledger.store(), run, self.context.clock.now())?;
            if let Some(state) = self.context.requested_state(run)? {
                return self.stop_on_request(run, state);
            }
        }
    }

    /// Leaves the run because of a request.
    pub(crate) fn stop_on_request(
        &mut self,
        run: &Run,
        state: RunState,
    ) -> Result<Run, EngineError> {
        self.context.tree.handle().go_on();
        let now = self.context.clock.now();
        let record = (run.iteration > 0 && !self.context.is_recorded(run)?)
            .then(|| turn::interrupted_record(run, now));
        let mut next = steps::moved_to(run, state, now);
        if run.session().is_some() {
            // A hook may be running gates for this turn: its result comes too
            // late.
            next.epoch += 1;
        }
        self.record(run, next, record.as_ref())
    }

    /// Pauses a run that broke, if that can be written: no driver works on it
    /// any more.
    fn pause_after_error(&mut self, run: Run, error: &EngineError) -> Run {
        if matches!(error, EngineError::TakenOver { .. }) {
            return run;
        }
        // A turn may have started since.
        let run = self.context.ledger.store().run(&run.id).ok().flatten().unwrap_or(run);
        if !run.state.is_active() {
            return run;
        }
        let state = RunState::Paused(PauseReason::Interrupted);
        // A damaged store may be replaced by the next generation.
        let left = self.stop_on_request(&run, state.clone()).or_else(|_| {
            let next = steps::moved_to(&run, state, self.context.clock.now());
            self.record(&run, next, None)
        });
        left.unwrap_or(run)
    }

    /// Stores the next state of the run, unless another process changed it.
    pub(crate) fn record(
        &mut self,
        before: &Run,
        next: Run,
        iteration: Option<&IterationRecord>,
    ) -> Result<Run, EngineError> {
        // The repository with our state may be deleted. Making it again would
        // be worse than losing the record.
        if self.context.ledger.place_is_gone() && !self.move_to_fallback_home(before) {
            return Ok(next);
        }
        self.context.restore_deleted_run(before)?;
        let expected = RunVersion::of(before);
        let step = RunStep { run: &next, iteration, events: &[] };
        match self.context.ledger.store().save(expected, &step) {
            Err(StoreError::Damaged { .. }) => {
                self.context.ledger.begin_next_generation(before)?;
                let text = "the store was damaged; it was left in place and a new one was begun";
                self.context.emit(&RunEvent::Notice { run: &next, text });
                self.context.ledger.store().save(expected, &step)?;
            }
            saved => saved?,
        }
        Ok(next)
    }

    /// Moves the run to the state home that needs no repository, if the files
    /// still exist. Returns true if that worked.
    fn move_to_fallback_home(&mut self, run: &Run) -> bool {
        let is_safe = self.context.places.root.is_dir()
            && self.context.ledger.move_to(&self.context.places.shelter, run).is_ok();
        if is_safe {
            self.context.places.folder =
                self.context.places.shelter.join("runs").join(run.id.as_str());
            self.memory.remembers = false;
            let text = run.policy.locale.say(
                "the repository was deleted while the agent worked, and with it its history and the snapshots: this run cannot be rolled back, and the files are as the agent left them",
                "에이전트가 작업하는 동안 저장소가 삭제되어 커밋 기록과 스냅샷이 함께 사라졌습니다. 이 실행은 되돌릴 수 없으며 파일은 에이전트가 남긴 그대로입니다",
            );
            self.context.emit(&RunEvent::Notice { run, text });
        }
        is_safe
    }
}

/// Shows in the agent's own window how the run ended or that it rests.
fn show_end(agent: &dyn Agent, run: &Run) {
    let (text, mood) = match &run.state {
        RunState::Success(_) => (wording::host::ended(run, None), NoticeMood::Good),
        RunState::Failed(_) | RunState::Stopped => {
            let limit = wording::host::limit_reached(run).map(str::to_owned);
            (limit.unwrap_or_else(|| wording::host::ended(run, None)), NoticeMood::Bad)
        }
        RunState::Running | RunState::Waiting(_) | RunState::Paused(_) => {
            (wording::host::rests(run), NoticeMood::Bad)
        }
    };
    agent.show(&RunNotice { text: &text, mood });
}

/// Returns true if a turn brought nothing, for a reason that a person could
/// change by allowing the agent what it needs.
fn is_in_vain(decision: &Decision) -> bool {
    match decision {
        Decision::Continue(_) => true,
        Decision::GiveUp(failure) => {
            matches!(failure, RunFailure::NoProgress | RunFailure::Circular(_))
        }
        Decision::Complete(_) | Decision::Wait(_) | Decision::Pause(_) => false,
    }
}

/// Turns a lost compare-and-swap into the engine's own error.
fn taken_over(error: EngineError) -> EngineError {
    if let EngineError::Store(StoreError::Stale { run }) = error {
        return EngineError::TakenOver { run };
    }
    error
}

/// Returns the state that a request of another process leads to.
pub(crate) fn state_for_request(request: OwnerRequest) -> RunState {
    match request {
        OwnerRequest::Stop => RunState::Stopped,
        OwnerRequest::Pause => RunState::Paused(PauseReason::Asked),
    }
}
