//! The loop: starts the agent, judges its turns, and goes on until the end.

mod attending;
mod early;
mod gates;
mod hands;
mod hidden;
mod judging;
mod keeping;
mod last_lines;
pub(crate) mod leftovers;
mod loose;
mod memory;
mod notes;
mod original;
mod outcomes;
mod packages;
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
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ralph_agents::{Agent, Mood, News, Spoken};
use ralph_checks::Gate;
use ralph_checks::judge::Judge;
use ralph_checks::security::Chosen;
use ralph_core::evidence::{TurnEnd, Weakening};
use ralph_core::locale::Locale;
use ralph_core::redact::redact;
use ralph_core::state::{Failure, Pause, State, Wait};
use ralph_core::usage::Usage;
use ralph_core::{Decision, Evidence, Run, Timestamp, TreeId, decide, wording};
use ralph_memory::Session;
use ralph_proc::Supervisor;
use ralph_snapshot::{Snapshot, WorkTree};
use ralph_store::{IterationRecord, Request, RunStore, Step, StoreError, Version};

use crate::affected::AffectedTests;
use crate::clock::{Clock, Interrupt};
use crate::command_log::record_seal;
use crate::error::EngineError;
use crate::events::{Begin, Event, IterationSummary, Sink};
use crate::ledger::Ledger;
use crate::recall::Recall;
use crate::seal::{SealedFiles, Unsealed};
use crate::steps;
use attending::is_interruption;
use outcomes::Lesson;
use pulse::Pulse;
use refusals::Refused;

pub use session::{keep_changes_of, keep_end_of};
pub(crate) use suite::jobs;

/// How often a waiting driver looks for requests of others.
const LOOK: Duration = Duration::from_millis(200);

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
    /// Check the work.
    pub gates: Vec<Box<dyn Gate>>,
    /// Is asked when nothing else stands in the way of success.
    pub judge: Option<Judge>,
    /// When gates have to be done, because nobody waits longer for them;
    /// `None` if they may take their time.
    pub until: Option<Instant>,
    /// What gates that read the files themselves look at.
    pub chosen: Chosen,
    /// Tells which tests go first; `None` if the user wants none to.
    pub affected: Option<AffectedTests>,
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
    /// What the user tells the agent on resuming, ready to be read.
    pub answer: Option<String>,
    /// The user's own continuation prompt.
    pub template: Option<String>,
    /// What the agent is shown of the memory; `None` for nothing.
    pub recall: Option<Recall>,
    /// Folders without which there is nothing to work on.
    pub foundations: Vec<PathBuf>,
    /// The state home of the project once its repository is gone.
    pub shelter: PathBuf,
    /// The newest snapshot.
    pub kept: Option<Snapshot>,
    /// The files as the agent left them in this turn, if they were named.
    pub agent_left: Option<TreeId>,
    /// Whether what checks show is kept for later runs.
    pub remembers: bool,
    /// The run as it was left before it went on, until a turn was taken.
    pub left: Option<Session>,
    /// What is held against the present turn, whatever its files say.
    pub held: Vec<Weakening>,
    /// Why the evidence is not sealed, if it is not.
    pub unsealed: Option<Unsealed>,
}

/// What a turn came to.
pub(crate) struct Judged {
    pub(crate) evidence: Evidence,
    pub(crate) record: IterationRecord,
    pub(crate) next: Run,
    pub(crate) lesson: Lesson,
    decision: Decision,
}

impl Driver<'_> {
    /// Lets the agent work until the run ends, waits for a person or is
    /// paused.
    ///
    /// The run must belong to this process. Returns it as it was left.
    pub fn drive(&mut self, agent: &dyn Agent, run: Run, how: Begin) -> Result<Run, EngineError> {
        self.tell(&Event::RunStarted { run: &run, how });
        agent.show(&News { text: &wording::host::armed(&run), mood: Mood::Plain });
        self.tree.seal();
        self.interrupt.reach(self.tree.handle());
        ralph_proc::adopt_strays();
        self.unsealed = match how {
            _ if !ralph_proc::close_memory() => Some(Unsealed::Open),
            Begin::Resumed => Some(Unsealed::Resumed),
            Begin::New => None,
        };
        self.left = self.as_it_was_left(&run, how);
        self.keep_opening(&run, how);
        let mut reached = run.clone();
        let left = self.prepare(run, how).and_then(|run| {
            reached = run;
            self.turns(agent, &mut reached)
        });
        let left = match left {
            Err(error) if is_interruption(&error) => {
                let state = State::Paused(Pause::Interrupted);
                self.leave(&reached, state).map(|run| reached = run)
            }
            left => left,
        };
        match left {
            Ok(()) => {
                self.keep_closing(&reached);
                let is_success = matches!(reached.state, State::Success(_));
                let learned = if is_success { self.consolidate(&reached) } else { None };
                let unsealed = self.unsealed;
                // The report can do without; the event below tells it, too.
                let now = self.clock.now();
                let _ = record_seal(self.ledger.store(), &reached, unsealed, now);
                let learned = learned.as_deref();
                self.tell(&Event::RunEnded { run: &reached, learned, unsealed });
                show_end(agent, &reached);
                // The run is on record; folding the log can wait for the next one.
                let _ = self.ledger.store().checkpoint();
                Ok(reached)
            }
            Err(error) => {
                let error = taken_over(error);
                reached = self.stop_driving(reached, &error);
                self.keep_breakage(&reached, &error.to_string());
                self.tell(&Event::RunBroken { run: &reached, error: &error.to_string() });
                Err(error)
            }
        }
    }

    /// Takes turns until the run is no longer active; `run` is always what
    /// was recorded last.
    fn turns(&mut self, agent: &dyn Agent, run: &mut Run) -> Result<(), EngineError> {
        while run.state.is_active() {
            *run = if let State::Waiting(Wait::Limit { until }) = run.state {
                self.wait_until(run, until)?
            } else if let Some(state) = self.wish(run)? {
                self.leave(run, state)?
            } else if let Some(failure) = self.exhausted(run) {
                self.leave(run, State::Failed(failure))?
            } else {
                self.iterate(agent, run)?
            };
        }
        Ok(())
    }

    /// The limit that forbids another turn. Limits are judged after every turn
    /// as well; here they bind a run that was interrupted during its last one.
    pub(crate) fn exhausted(&self, run: &Run) -> Option<Failure> {
        let spent = run.spent(self.clock.now());
        if run.iteration == 0 { None } else { run.policy.limits.reached_by(&spent) }
    }

    /// One turn: begun on record, taken, judged, and on record again.
    fn iterate(&mut self, agent: &dyn Agent, run: &Run) -> Result<Run, EngineError> {
        let began = self.clock.now();
        let run = &self.record(run, steps::begin_turn(run, began), None)?;
        // Whatever becomes of the turn, it was paid for.
        let mut paid = run.usage;
        match self.take_and_judge(agent, run, began, &mut paid) {
            Err(error) if is_interruption(&error) => {
                self.keep_turn(run, None);
                let state = State::Paused(Pause::Interrupted);
                self.leave(&Run { usage: paid, ..run.clone() }, state)
            }
            next => next,
        }
    }

    fn take_and_judge(
        &mut self,
        agent: &dyn Agent,
        run: &Run,
        began: Timestamp,
        paid: &mut Usage,
    ) -> Result<Run, EngineError> {
        self.tell(&Event::IterationStarted { run });
        agent.show(&News { text: &wording::host::iteration(run), mood: Mood::Plain });
        self.held.clear();
        self.agent_left = None;
        let sealed = SealedFiles::of(&self.folder);
        let taken = self.take_turn(agent, run)?;
        *paid = run.usage + taken.spoken.usage.unwrap_or_default();
        if taken.wish.is_some() {
            self.tree.handle().go_on();
        }
        self.end_strays(run);
        self.put_right(run, Some(sealed))?;
        self.left = None;
        self.keep_answer(run, &taken.spoken.text);
        if let Some(state) = taken.wish {
            self.keep_turn(run, None);
            return self.leave(&Run { usage: *paid, ..run.clone() }, state);
        }
        let refused = self.note_refusals(agent, run, &taken.refusals)?;
        let judged = self.judge(run, taken.spoken, began, refused)?;
        self.keep_turn(run, Some(&judged.evidence));
        if let Some(state) = self.wish(run)? {
            let usage = run.usage + judged.evidence.spent();
            return self.leave(&Run { usage, ..run.clone() }, state);
        }
        let Judged { record, next, lesson, decision, .. } = judged;
        // A turn that could not be taken is begun again, so it has no record.
        let taken = next.iteration == run.iteration;
        let next = self.record(run, next, taken.then_some(&record))?;
        self.write_down(lesson);
        self.tell_judgement(&next, &record, &decision);
        Ok(next)
    }

    /// What a turn that began then came to, in which the agent may have been
    /// refused something. Nothing is on record yet.
    pub(crate) fn judge(
        &mut self,
        run: &Run,
        spoken: Spoken,
        began: Timestamp,
        refused: Option<Refused>,
    ) -> Result<Judged, EngineError> {
        let mut evidence = self.gather(run, spoken)?;
        let mut judgement = decide(run, &run.policy, &evidence);
        if let Some(question) = refused.as_ref().and_then(|refused| refused.question.clone())
            && is_in_vain(&judgement.decision)
        {
            evidence.turn = TurnEnd::HumanAsked { question: redact(&question).into_owned() };
            judgement = decide(run, &run.policy, &evidence);
        }
        let record = turn::iteration_record(run, &judgement, &evidence, began);
        let mut next = steps::conclude(run, &judgement, &evidence);
        if let Some(refused) = refused.filter(|_| next.state == State::Running) {
            next.feedback.refusals = redact(&refused.told).into_owned();
        }
        let lesson = self.learn(run, &evidence, &mut next);
        Ok(Judged { evidence, record, next, lesson, decision: judgement.decision })
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
                weakened: &record.weakened,
                edited: &record.edited,
            },
        });
        if let Decision::Wait(wait) = decision {
            self.tell(&Event::Waiting { run: next, wait });
        }
    }

    /// Waits for a provider's limit to lift.
    fn wait_until(&mut self, run: &Run, until: Timestamp) -> Result<Run, EngineError> {
        let mut pulse = Pulse::new(self.clock.now());
        loop {
            let now = self.clock.now();
            if now >= until {
                self.note_outside_changes();
                return self.record(run, steps::waited(run, now), None);
            }
            self.interrupt.wait(until.since(now).min(LOOK));
            self.sink.tick(self.clock.now());
            pulse.ask(self.ledger.store(), run, self.clock.now())?;
            if let Some(state) = self.wish(run)? {
                return self.leave(run, state);
            }
        }
    }

    /// What the user or another process wants instead of another turn.
    pub(crate) fn wish(&mut self, run: &Run) -> Result<Option<State>, EngineError> {
        if self.interrupt.is_raised() {
            // It is heard: what an orderly end needs is still done.
            self.tree.handle().go_on();
            return Ok(Some(State::Paused(Pause::Interrupted)));
        }
        let request = self.ledger.store().pending(&run.id, run.epoch)?;
        Ok(request.map(wished_state))
    }

    /// Leaves the run because somebody wished so.
    pub(crate) fn leave(&mut self, run: &Run, state: State) -> Result<Run, EngineError> {
        self.tree.handle().go_on();
        let now = self.clock.now();
        let record = (run.iteration > 0 && !self.is_recorded(run)?)
            .then(|| turn::interrupted_record(run, now));
        let mut next = steps::moved_to(run, state, now);
        if run.session().is_some() {
            // A hook may be running gates for this very turn: it is too late now.
            next.epoch += 1;
        }
        self.record(run, next, record.as_ref())
    }

    /// Lets a run that broke rest until somebody resumes it, as far as that can
    /// be written: nothing drives it any more.
    fn stop_driving(&mut self, run: Run, error: &EngineError) -> Run {
        if matches!(error, EngineError::TakenOver { .. }) {
            return run;
        }
        // A turn may have begun since.
        let run = self.ledger.store().run(&run.id).ok().flatten().unwrap_or(run);
        if !run.state.is_active() {
            return run;
        }
        let state = State::Paused(Pause::Interrupted);
        // A store that cannot be asked may be replaced by the next one.
        let left = self.leave(&run, state.clone()).or_else(|_| {
            let next = steps::moved_to(&run, state, self.clock.now());
            self.record(&run, next, None)
        });
        left.unwrap_or(run)
    }

    pub(crate) fn is_recorded(&self, run: &Run) -> Result<bool, EngineError> {
        Ok(self.ledger.store().is_decided(&run.id, run.iteration)?)
    }

    /// Writes the next state of the run, if nobody else moved it meanwhile.
    pub(crate) fn record(
        &mut self,
        before: &Run,
        next: Run,
        iteration: Option<&IterationRecord>,
    ) -> Result<Run, EngineError> {
        // The repository that held our state may be gone, and making it again
        // would be worse than losing the record.
        if self.ledger.place_is_gone() && !self.take_shelter(before) {
            return Ok(next);
        }
        self.heal(before)?;
        let expected = Version::of(before);
        let step = Step { run: &next, iteration, events: &[] };
        match self.ledger.store().save(expected, &step) {
            Err(StoreError::Damaged { .. }) => {
                self.ledger.begin_next_generation(before)?;
                let text = "the store was damaged; it was left in place and a new one was begun";
                self.tell(&Event::Notice { run: &next, text });
                self.ledger.store().save(expected, &step)?;
            }
            saved => saved?,
        }
        Ok(next)
    }

    /// Puts the run on record where it is found without a repository, if the
    /// files are still there; says whether it is.
    fn take_shelter(&mut self, run: &Run) -> bool {
        let is_safe = self.root.is_dir() && self.ledger.move_to(&self.shelter, run).is_ok();
        if is_safe {
            self.folder = self.shelter.join("runs").join(run.id.as_str());
            self.remembers = false;
            let text = match run.policy.locale {
                Locale::En => {
                    "the repository was deleted while the agent worked, and with it its history and the snapshots: this run cannot be rolled back, and the files are as the agent left them"
                }
                Locale::Ko => {
                    "에이전트가 작업하는 동안 저장소가 삭제되어 커밋 기록과 스냅샷이 함께 사라졌습니다. 이 실행은 되돌릴 수 없으며 파일은 에이전트가 남긴 그대로입니다"
                }
            };
            self.tell(&Event::Notice { run, text });
        }
        is_safe
    }

    /// Puts the run on record again when its store was deleted.
    pub(crate) fn heal(&mut self, run: &Run) -> Result<(), EngineError> {
        if self.ledger.restore_if_lost(run)? {
            let text = "the state was deleted while the run was going on; it was written again";
            self.tell(&Event::Notice { run, text });
        }
        Ok(())
    }

    pub(crate) fn tell(&mut self, event: &Event<'_>) {
        self.sink.event(event, self.clock.now());
    }
}

/// Tells whoever looks at the agent how the run ended, or that it rests.
fn show_end(agent: &dyn Agent, run: &Run) {
    let (text, mood) = match &run.state {
        State::Success(_) => (wording::host::ended(run, None), Mood::Good),
        State::Failed(_) | State::Stopped => {
            let limit = wording::host::limit_reached(run).map(str::to_owned);
            (limit.unwrap_or_else(|| wording::host::ended(run, None)), Mood::Bad)
        }
        State::Running | State::Waiting(_) | State::Paused(_) => {
            (wording::host::rests(run), Mood::Bad)
        }
    };
    agent.show(&News { text: &text, mood });
}

/// Whether a turn came to nothing that a person could not change by allowing
/// the agent what it needs.
fn is_in_vain(decision: &Decision) -> bool {
    match decision {
        Decision::Continue(_) => true,
        Decision::GiveUp(failure) => {
            matches!(failure, Failure::NoProgress | Failure::Circular(_))
        }
        Decision::Complete(_) | Decision::Wait(_) | Decision::Pause(_) => false,
    }
}

/// A writer that lost says so in the engine's words.
fn taken_over(error: EngineError) -> EngineError {
    if let EngineError::Store(StoreError::Stale { run }) = error {
        return EngineError::TakenOver { run };
    }
    error
}

/// The state that a request of another process leads to.
pub(crate) fn wished_state(request: Request) -> State {
    match request {
        Request::Stop => State::Stopped,
        Request::Pause => State::Paused(Pause::Asked),
    }
}
