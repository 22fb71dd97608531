//! A loop inside a host: handles each event of a session for its run.
//!
//! The host takes the turns. When one ends, we judge it as the driver does, and
//! answer. After an error of ours the host continues as without us.

mod broken;
mod looks;
mod moving;
mod place;
mod presence;
mod summary;
mod transcript;
mod trouble;

use std::path::PathBuf;

use ralph_agents::TurnReply;
use ralph_agents::host::CapScope;
use ralph_agents::limits::LimitPatterns;
use ralph_core::diagnostics::GateTotals;
use ralph_core::errand::PendingActions;
use ralph_core::evidence::TurnEnd;
use ralph_core::host::{
    AgentMode, EventAgent, HostChannel, HostEvent, HostEventKind, HostReply, HostTurnEnd, NoteTone,
    PromptEvent, ReplyEffect, SessionEvent, ToolEvent, ToolUse, TurnEvent,
};
use ralph_core::run::{Baseline, NewRun};
use ralph_core::state::{PauseReason, RunState, WaitReason};
use ralph_core::wording::{NextPrompt, auto_continue_line, host as wording};
use ralph_core::{Evidence, Run, SessionId, Timestamp, decide, question};
use ralph_files::LogFailure as _;
use ralph_snapshot::{SnapshotLabel, Snapshots};
use ralph_store::{NewEvent, OwnerRequest, SqliteStore, StoreError};
use serde_json::json;

use crate::driver::refusals::RefusalOutcome;
use crate::driver::{Driver, turn};
use crate::error::EngineError;
use crate::events::RunStart;
use crate::loops;
use crate::steps;
use crate::undo;

pub use looks::{LookResult, LookStore, record_look};
pub use place::{SessionDir, SessionLiveness};
pub(crate) use transcript::complete;
pub use transcript::{QueuedWords, queued};

/// Maximum stored length of a tool's arguments, in characters.
const ABOUT_CHARS: usize = 500;

/// A session of a host, and what the host supports.
#[derive(Clone, Debug)]
pub struct HostedSession {
    /// The session.
    pub session: SessionId,
    /// Its folder in the state home.
    pub place: SessionDir,
    /// Maximum number of times in a row that the host lets an agent continue;
    /// `None` for no limit.
    pub cap: Option<u32>,
    /// The continuations that count.
    pub cap_scope: CapScope,
    /// The way to make the session continue.
    pub reach: HostChannel,
    /// The file in the project for a summary of the session; `None` for hosts
    /// that make none.
    pub summary_file: Option<PathBuf>,
    /// The process of the host that calls us; 0 if unknown.
    pub caller: u32,
    /// True if a user is present who could answer.
    pub has_user: bool,
    /// The wording of providers' limits.
    pub limits: LimitPatterns,
}

/// Stores a new run for a session. The session's hooks know of it from then on.
pub fn start(
    store: &SqliteStore,
    place: &SessionDir,
    new: NewRun,
    now: Timestamp,
) -> Result<Run, EngineError> {
    let run = loops::start(store, new, now)?;
    if let Err(source) = place.mark(&run.id) {
        // It would block other runs for ever and never progress.
        loops::request(store, &run, OwnerRequest::Stop, now)?;
        return Err(EngineError::Write { path: place.folder().to_owned(), source });
    }
    Ok(run)
}

/// Stores the uses of tools in the present turn of a run.
pub fn record_tools(
    store: &SqliteStore,
    session: Option<&SessionId>,
    run: &Run,
    uses: &[ToolUse],
    now: Timestamp,
) -> Result<(), EngineError> {
    for used in uses {
        let files: Vec<String> =
            used.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        let about: String = used.about.chars().take(ABOUT_CHARS).collect();
        let error = used.error.as_ref().map(|text| text.chars().take(ABOUT_CHARS).collect());
        let error: Option<String> = error;
        let data = json!({
            "tool": used.tool, "id": used.id, "files": files, "about": about, "error": error,
        });
        store.append(&NewEvent {
            run: Some(run.id.clone()),
            iteration: Some(run.iteration),
            session: session.cloned(),
            kind: "tool_used".to_owned(),
            at: now,
            data: data.to_string(),
        })?;
    }
    Ok(())
}

/// A loop inside a host: handles the events of the session that owns a run.
pub struct HostedLoop<'d, 'a> {
    pub(crate) driver: &'d mut Driver<'a>,
}

impl HostedLoop<'_, '_> {
    /// Prepares a run that a session owns, and starts its first turn.
    ///
    /// If the process ends meanwhile, the run is stored without a baseline and
    /// continues without one.
    pub fn arm(&mut self, run: Run) -> Result<Run, EngineError> {
        let run = self.driver.prepare(run, RunStart::New)?;
        if !run.state.is_active() {
            return Ok(run);
        }
        let now = self.driver.context.clock.now();
        let run = self.driver.record(&run, steps::begin_turn(&run, now), None)?;
        // Every later hook reads the whole log when it opens the store.
        self.driver.context.ledger.store().checkpoint().or_log("moving the log of the store");
        Ok(run)
    }

    /// Starts a loop without a request, because a turn left errors.
    pub fn go_on_because_of(
        &mut self,
        run: &Run,
        evidence: &Evidence,
    ) -> Result<HostReply, EngineError> {
        self.driver.snapshot_start(run, RunStart::New)?;
        self.driver.outside().remember_surroundings(&evidence.gates, None)?;
        let red = evidence.gates.iter().filter(|gate| gate.is_red());
        let red = red.map(|gate| gate.name.clone()).collect();
        let baseline = run.baseline.clone().map(|known| Baseline { red, ..known });
        let began = Run { iteration: 1, baseline, ..run.clone() };
        let judgement = decide(&began, &began.policy, evidence);
        let mut next = steps::conclude(&began, &judgement, evidence);
        if next.state == RunState::Running {
            next = steps::begin_turn(&next, self.driver.context.clock.now());
            next.feedback.verdict =
                auto_continue_line(GateTotals::of(&evidence.gates), &next.policy);
        }
        let lesson = self.driver.lessons().prepare_lesson(&began, evidence, &mut next);
        let record = turn::iteration_record(&began, &judgement, evidence, run.started_at);
        let next = self.driver.record(run, next, Some(&record))?;
        self.driver.lessons().save_lesson(lesson);
        if next.state != RunState::Running {
            return Ok(HostReply::silent().with_note(wording::rests(&next)));
        }
        Ok(HostReply::of(go_on(&next)).with_note(wording::began_by_itself(&next)))
    }

    /// Continues a run that a session has just taken over: starts its next
    /// turn, unless a limit forbids that.
    pub fn adopt(&mut self, run: Run) -> Result<Run, EngineError> {
        let run = self.driver.prepare(run, RunStart::Resumed)?;
        match self.driver.context.exhausted(&run) {
            Some(failure) if run.state.is_active() => {
                self.driver.stop_on_request(&run, RunState::Failed(failure))
            }
            None if run.state == RunState::Running => {
                let begun = steps::begin_turn(&run, self.driver.context.clock.now());
                self.driver.record(&run, begun, None)
            }
            Some(_) | None => Ok(run),
        }
    }

    /// Stores that the turn of a run with a new owner will never end. The next
    /// one starts with the user's next prompt.
    pub fn drop_turn(&mut self, run: Run) -> Result<Run, EngineError> {
        if !self.is_under_way(&run)? {
            return Ok(run);
        }
        self.driver.snapshot_lost_turn(&run);
        let now = self.driver.context.clock.now();
        let record = turn::interrupted_record(&run, now);
        self.driver.record(&run, Run { updated_at: now, ..run.clone() }, Some(&record))
    }

    /// Handles an event of the session that owns `run`.
    ///
    /// `heard` is the start of this process: another process has already
    /// answered an event that is older than the run's last step.
    pub fn answer_host(
        &mut self,
        run: &Run,
        event: &HostEvent,
        hosted: &HostedSession,
        heard: Timestamp,
    ) -> Result<HostReply, EngineError> {
        let is_ours = event.session.as_ref() == run.session() && event.actor == EventAgent::Main;
        if !is_ours || is_answered(run.updated_at, heard, self.driver.context.clock.now()) {
            return Ok(HostReply::silent());
        }
        let answered = self.answer_once(run, event, hosted);
        if !is_too_late(&answered) {
            return answered;
        }
        // The host may have carried out an action while the gates ran. Any
        // other faster process has answered.
        match self.driver.context.ledger.store().run(&run.id)? {
            Some(now) if is_same_turn(run, &now) => {
                unless_too_late(self.answer_once(&now, event, hosted))
            }
            Some(_) | None => Ok(HostReply::silent()),
        }
    }

    fn answer_once(
        &mut self,
        run: &Run,
        event: &HostEvent,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if is_before(event, hosted) {
            return Ok(HostReply::silent());
        }
        let answered = match &event.what {
            HostEventKind::Session(SessionEvent::Started(start)) => {
                self.session_started(run, *start, hosted)
            }
            HostEventKind::Prompt(PromptEvent::Sent { text, .. })
                if is_own_prompt(run, text) || self.is_said_between(run, event, hosted)? =>
            {
                Ok(HostReply::silent())
            }
            HostEventKind::Prompt(PromptEvent::Sent { .. }) if run.errands.first().is_some() => {
                self.prompted_while_moving(run, hosted)
            }
            HostEventKind::Prompt(PromptEvent::Sent { .. }) => self.prompted(run, hosted),
            HostEventKind::Prompt(PromptEvent::Woken) => self.woken(run),
            HostEventKind::Turn(TurnEvent::Ended(_)) if event.mode == Some(AgentMode::Plan) => {
                self.planned(run)
            }
            HostEventKind::Turn(TurnEvent::Ended(silence)) => self.turn_ended(run, silence, hosted),
            HostEventKind::Turn(TurnEvent::Broken(breakage)) => {
                self.turn_broken(run, breakage, hosted)
            }
            HostEventKind::Tools(ToolEvent::PermissionAsked { what }) => {
                self.permission_asked(run, what)
            }
            HostEventKind::Tools(ToolEvent::PermissionAnswered) => self.permission_answered(run),
            HostEventKind::Prompt(PromptEvent::NotDelivered { attempts, error }) => {
                self.not_delivered(run, *attempts, error)
            }
            HostEventKind::Session(SessionEvent::Ended { reason }) => {
                self.session_ended(run, reason, hosted)
            }
            HostEventKind::Prompt(PromptEvent::Due) => self.due(run, hosted),
            HostEventKind::Session(SessionEvent::Compacting) => self.note(run, "compacting", ""),
            HostEventKind::Session(SessionEvent::Compacted { summary, message }) => {
                self.note(run, "compacted", summary)?;
                self.compacted(run, message.as_deref(), hosted)
            }
            HostEventKind::Prompt(PromptEvent::Command { .. })
            | HostEventKind::Tools(ToolEvent::Asked(_) | ToolEvent::Used(_))
            | HostEventKind::Turn(TurnEvent::ChildEnded)
            | HostEventKind::HostStarted
            | HostEventKind::Action(_)
            | HostEventKind::Other { .. } => Ok(HostReply::silent()),
        };
        if matches!(
            event.what,
            HostEventKind::Prompt(PromptEvent::Sent { .. } | PromptEvent::Woken)
                | HostEventKind::Turn(TurnEvent::Ended(_))
        ) {
            hosted.place.note_asked(event.prompt.as_deref());
        }
        answered
    }

    /// Returns true if the prompt came in the middle of a turn that continues
    /// with it: it then belongs to the prompts of that turn.
    fn is_said_between(
        &self,
        run: &Run,
        event: &HostEvent,
        hosted: &HostedSession,
    ) -> Result<bool, EngineError> {
        let is_known = |prompt: &String| hosted.place.was_asked(prompt);
        let is_known = event.prompt.as_ref().is_some_and(is_known);
        Ok(is_known && run.state == RunState::Running && self.is_under_way(run)?)
    }

    /// Continues a turn whose reason to wait is over.
    fn woken(&mut self, run: &Run) -> Result<HostReply, EngineError> {
        if run.state.is_active() {
            self.go_on_with_turn(run)?;
        }
        Ok(HostReply::silent())
    }

    fn turn_ended(
        &mut self,
        run: &Run,
        silence: &HostTurnEnd,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if !run.state.is_active() || hosted.place.is_answered(silence.message.as_deref()) {
            return Ok(HostReply::silent());
        }
        if !silence.background.is_empty() {
            // The host wakes the agent when that is done. The end of the turn
            // does not count.
            if run.state != RunState::Waiting(WaitReason::Child) {
                let now = self.driver.context.clock.now();
                let waiting = steps::moved_to(run, RunState::Waiting(WaitReason::Child), now);
                self.driver.record(run, waiting, None)?;
            }
            return Ok(HostReply::silent());
        }
        let text = silence.text.clone().unwrap_or_default();
        let spoken = TurnReply { end: TurnEnd::Finished, text, usage: None };
        let turn = TurnOver { spoken, message: &silence.message, hook: silence.follows_hook };
        self.turn_over(run, turn, hosted)
    }

    /// Judges a turn and returns the reply.
    fn turn_over(
        &mut self,
        run: &Run,
        turn: TurnOver<'_>,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let run = self.go_on_with_turn(run)?;
        let run = self.begun(run)?;
        let spoke = turn.spoken.end == TurnEnd::Finished;
        let used = hosted.place.take_use();
        let began = run.updated_at;
        let asked = question_for(&turn.spoken, hosted);
        let judged = self.driver.judge(&run, turn.spoken, began, asked)?;
        let may_differ = match &judged.evidence.tree {
            Some(tree) => run.tree.as_ref() != Some(tree),
            None => used,
        };
        if may_differ {
            let snapshots = Snapshots::new(&self.driver.context.tree, run.id.clone());
            self.driver.snapshots.kept = undo::last(&snapshots.list()?).cloned();
            self.driver.snapshot_turn(&run, Some(&judged.evidence));
        }
        let counts = match hosted.cap_scope {
            CapScope::WithoutTools => hosted.cap.is_some() && turn.hook && !used,
            CapScope::SincePrompt => hosted.cap.is_some(),
        };
        let continued = if counts { hosted.place.continued() } else { 0 };
        let mut next = judged.next.clone();
        if next.state == RunState::Running {
            next = match hosted.cap {
                Some(cap) if continued >= cap => steps::moved_to(
                    &next,
                    RunState::Paused(PauseReason::Capped),
                    self.driver.context.clock.now(),
                ),
                Some(_) | None => steps::begin_turn(&next, self.driver.context.clock.now()),
            };
        }
        let errands = if spoke { run.errands.after_turn() } else { run.errands.after_prompt() };
        next.errands = moving::planned(errands, &next, spoke.then_some(hosted));
        self.stamp(&mut next, hosted);
        // A turn that could not be taken is started again, so it has no record.
        let taken = judged.next.iteration == run.iteration;
        let next = self.driver.record(&run, next, taken.then_some(&judged.record))?;
        self.driver.lessons().save_lesson(judged.lesson);
        hosted.place.set_answered(turn.message.as_deref());
        if next.state == RunState::Running && hosted.cap.is_some() {
            hosted.place.set_continued(continued + 1);
        }
        let reply = self.after_turn(&next, &hosted.place);
        let reply = presence::with_changes(reply, &next, &judged.evidence);
        Ok(match (self.next_deed(&next, 0), &reply.effect) {
            // Only this reply wakes the run; other actions can wait.
            (Some(_), ReplyEffect::Wake { .. }) | (None, _) => reply,
            (Some(effect), _) => HostReply { effect, ..reply },
        })
    }

    /// Returns the reply after a turn was judged.
    fn after_turn(&self, next: &Run, place: &SessionDir) -> HostReply {
        match &next.state {
            RunState::Running => HostReply::of(go_on(next)).with_note(wording::iteration(next)),
            RunState::Waiting(_) | RunState::Paused(_) => {
                broken::resting(next, self.driver.context.clock.now())
            }
            RunState::Success(_) | RunState::Failed(_) | RunState::Stopped => {
                place.unmark();
                self.driver.session_log().log_host_success(next);
                let moved = self.driver.context.ledger.store().checkpoint();
                moved.or_log("moving the log of the store");
                let is_success = matches!(next.state, RunState::Success(_));
                let is_error = next.state.reason() == Some("agent_error");
                let otherwise = if is_error { NoteTone::Error } else { NoteTone::Warning };
                let tone = if is_success { NoteTone::Success } else { otherwise };
                let brief = wording::limit_reached(next).map(str::to_owned);
                let learned =
                    if is_success { self.driver.lessons().consolidate(next) } else { None };
                let note = wording::ended(next, learned.as_deref());
                let reply = HostReply::silent().with_note(note);
                reply.with_brief(brief).in_tone(tone)
            }
        }
    }

    /// Stores an event.
    fn note(&mut self, run: &Run, kind: &str, text: &str) -> Result<HostReply, EngineError> {
        let text: String = text.chars().take(ABOUT_CHARS).collect();
        self.driver.context.ledger.store().append(&NewEvent {
            run: Some(run.id.clone()),
            iteration: Some(run.iteration),
            session: run.session().cloned(),
            kind: kind.to_owned(),
            at: self.driver.context.clock.now(),
            data: json!({ "text": text }).to_string(),
        })?;
        Ok(HostReply::silent())
    }

    fn is_under_way(&self, run: &Run) -> Result<bool, EngineError> {
        Ok(run.iteration > 0 && !self.driver.context.is_recorded(run)?)
    }

    /// Makes a paused run running again, without starting a turn.
    fn wake(&mut self, run: &Run) -> Result<Run, EngineError> {
        let woken = steps::woken(run, run, self.driver.context.clock.now());
        self.driver.record(run, woken, None)
    }

    /// Starts the next turn of a paused run, unless a limit forbids it.
    fn begin_next(&mut self, run: &Run) -> Result<Run, EngineError> {
        let woken = self.wake(run)?;
        if let Some(failure) = self.driver.context.exhausted(&woken) {
            return self.driver.stop_on_request(&woken, RunState::Failed(failure));
        }
        let now = self.driver.context.clock.now();
        self.driver.record(&woken, steps::begin_turn(&woken, now), None)
    }

    /// Continues a waiting turn under its number.
    fn go_on_with_turn(&mut self, run: &Run) -> Result<Run, EngineError> {
        if run.state == RunState::Running {
            return Ok(run.clone());
        }
        let now = self.driver.context.clock.now();
        self.driver.record(run, steps::moved_to(run, RunState::Running, now), None)
    }

    /// Makes sure that the run has a turn and a baseline, whoever started it.
    fn begun(&mut self, run: Run) -> Result<Run, EngineError> {
        let mut next = run.clone();
        if next.baseline.is_none() {
            let snapshots = Snapshots::new(&self.driver.context.tree, run.id.clone());
            let start = match snapshots.get(SnapshotLabel::Start) {
                Ok(start) => start,
                Err(_) => snapshots.take(SnapshotLabel::Start, self.driver.context.clock.now())?,
            };
            next.baseline = Some(Baseline { tree: Some(start.tree), ..Baseline::default() });
        }
        if !self.is_under_way(&run)? {
            next = steps::begin_turn(&next, self.driver.context.clock.now());
        }
        if next == run { Ok(run) } else { self.driver.record(&run, next, None) }
    }
}

/// Turns the error of a process that was too late into silence: one process
/// answers an event.
fn unless_too_late(answered: Result<HostReply, EngineError>) -> Result<HostReply, EngineError> {
    if is_too_late(&answered) { Ok(HostReply::silent()) } else { answered }
}

fn is_too_late(answered: &Result<HostReply, EngineError>) -> bool {
    let late = |error: &EngineError| {
        matches!(
            error,
            EngineError::Store(StoreError::Stale { .. } | StoreError::AlreadyDecided { .. })
        )
    };
    answered.as_ref().is_err_and(late)
}

/// Returns true if an event belongs to the time before the run, which is about
/// to start or resume.
fn is_before(event: &HostEvent, hosted: &HostedSession) -> bool {
    let is_end = matches!(event.what, HostEventKind::Session(SessionEvent::Ended { .. }));
    !is_end && hosted.place.is_arming()
}

/// Returns true if only host actions changed a run.
fn is_same_turn(before: &Run, now: &Run) -> bool {
    let with = |run: &Run| Run { epoch: 0, errands: PendingActions::default(), ..run.clone() };
    before.epoch != now.epoch && with(before) == with(now)
}

/// Returns true if a run changed after an event arrived. A time in the future
/// does not count: the clock was set back.
fn is_answered(updated: Timestamp, heard: Timestamp, now: Timestamp) -> bool {
    heard < updated && updated <= now
}

/// A turn that is to be judged.
struct TurnOver<'a> {
    spoken: TurnReply,
    /// The host's name for the message it ended with.
    message: &'a Option<String>,
    /// True if a hook made the agent take it.
    hook: bool,
}

/// Returns the effect that makes the agent take its next turn.
fn go_on(run: &Run) -> ReplyEffect {
    ReplyEffect::GoOn { reason: NextPrompt::in_conversation(run).render() }
}

/// Returns true if the host reports as a prompt what we told the agent to go on with.
fn is_own_prompt(run: &Run, text: &str) -> bool {
    let own = || NextPrompt::in_conversation(run).render();
    run.state == RunState::Running && text.trim_end() == own().trim_end()
}

/// Returns the question that the agent ended its turn with, if a user is
/// present to answer.
fn question_for(spoken: &TurnReply, hosted: &HostedSession) -> Option<RefusalOutcome> {
    let question = question::asks(&spoken.text).filter(|_| hosted.has_user)?;
    Some(RefusalOutcome { told: String::new(), question: Some(question) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_turned_back_silences_nobody() {
        let at = Timestamp::from_millis;
        assert!(!is_answered(at(1), at(2), at(3)), "the event came after the step");
        assert!(is_answered(at(2), at(1), at(3)), "somebody was faster");
        assert!(!is_answered(at(9_000_000), at(1), at(3)), "the clock was turned back");
    }
}
