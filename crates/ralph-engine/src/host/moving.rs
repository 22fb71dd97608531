//! Moves a run from one session of its host to the next.
//!
//! The remaining actions are stored before the host learns of them. The host
//! reports the result of each action and gets the next one. If it dies in
//! between, the stored list tells where to continue.

use ralph_agents::summary::publish;
use ralph_core::Run;
use ralph_core::errand::{ActionRequest, PendingAction, PendingActions};
use ralph_core::host::{
    ActionOutput, ActionReport, HostAction, HostActionKind, HostChannel, HostEvent, HostEventKind,
    HostReply, NoteTone, PromptEvent, ReplyEffect, SessionEvent,
};
use ralph_core::policy::ContextMode;
use ralph_core::run::Owner;
use ralph_core::state::{PauseReason, RunState};
use ralph_core::wording::{NextPrompt, host, told};
use ralph_redact::redact;

use super::trouble::MOST_ATTEMPTS;
use super::{HostedLoop, HostedSession, SessionDir, summary, unless_too_late};
use crate::error::EngineError;

impl HostedLoop<'_, '_> {
    /// Handles the restart of a run's host, which may have lost its pending
    /// action, and even the session.
    pub fn answer_start(
        &mut self,
        run: &Run,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if !run.state.is_active() {
            return Ok(HostReply::silent());
        }
        if run.errands.first().is_some() {
            return unless_too_late(self.remind(run, hosted));
        }
        let deed = HostAction::Check { session: hosted.session.clone() };
        Ok(HostReply::of(ReplyEffect::Do { run: run.id.clone(), deed }))
    }

    /// Handles an event in a session that the run has left.
    pub fn answer_left(
        &mut self,
        run: &Run,
        event: &HostEvent,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let answered = match (&event.what, &event.session) {
            (HostEventKind::Prompt(PromptEvent::Sent { .. }), Some(session)) => {
                let errands = run.errands.sparing(session);
                self.record_move_step(run, Run { errands, ..run.clone() }, None)
            }
            // Our own action may have caused it.
            (HostEventKind::Session(SessionEvent::Ended { .. }), _) => Ok(HostReply::silent()),
            (_, _) => self.remind(run, hosted),
        };
        unless_too_late(answered)
    }

    /// Handles the host's report about an action.
    pub fn answer_report(
        &mut self,
        run: &Run,
        report: &ActionReport,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if let Err(error) = &report.result {
            self.note(run, "errand_failed", &redact(&format!("{:?}: {error}", report.deed)))?;
        }
        let answered = match (report.deed, run.errands.first()) {
            (HostActionKind::Check, None) => self.checked(run, report, hosted),
            (HostActionKind::Summarize, Some(PendingAction::Summarize)) => {
                self.summarized(run, report, hosted)
            }
            (HostActionKind::Create, Some(PendingAction::Create)) => {
                self.created(run, report, hosted)
            }
            (HostActionKind::Select, Some(PendingAction::Select)) => self.done(run, hosted),
            (HostActionKind::Prompt, Some(PendingAction::Prompt(_))) => {
                self.prompt_reported(run, report, hosted)
            }
            (HostActionKind::Delete, Some(PendingAction::Delete(left))) => {
                SessionDir::new(self.driver.context.ledger.home(), left).unmark();
                self.done(run, hosted)
            }
            (_, _) => self.remind(run, hosted),
        };
        unless_too_late(answered)
    }

    /// Asks for the first action again if the process that was asked is gone.
    pub(super) fn remind(
        &mut self,
        run: &Run,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let lives = |asked: &ActionRequest| {
            let is_known = asked.pid != 0;
            !is_known || ralph_proc::process_start_time(asked.pid) == Some(asked.started)
        };
        if run.errands.is_due(self.driver.context.clock.now(), lives) {
            return self.record_move_step(run, run.clone(), Some(hosted));
        }
        Ok(HostReply::silent())
    }

    /// Handles a prompt in the session that owns the run, while the run is
    /// about to move or to start its next turn.
    pub(super) fn prompted_while_moving(
        &mut self,
        run: &Run,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        match run.errands.first() {
            Some(PendingAction::Select | PendingAction::Prompt(_))
                if run.state == RunState::Running =>
            {
                // The user's first prompt carries ours.
                let context = self.restart_prompt(run);
                let errands = run.errands.after_prompt();
                self.record_move_step(run, Run { errands, ..run.clone() }, None)?;
                Ok(HostReply::of(ReplyEffect::Tell { context }))
            }
            Some(PendingAction::Summarize | PendingAction::Create) => {
                let errands = run.errands.sparing(&hosted.session);
                self.record_move_step(run, Run { errands, ..run.clone() }, None)
            }
            Some(
                PendingAction::Select
                | PendingAction::Prompt(_)
                | PendingAction::Hear
                | PendingAction::Delete(_),
            )
            | None => self.prompted(run, hosted),
        }
    }

    /// Notes the process that is asked for the first action, if there is one.
    pub(super) fn stamp(&self, run: &mut Run, hosted: &HostedSession) {
        if run.errands.first().is_none() {
            return;
        }
        let at = self.driver.context.clock.now();
        run.errands.asked = Some(match ralph_proc::process_start_time(hosted.caller) {
            Some(started) => ActionRequest { pid: hosted.caller, started, at },
            None => ActionRequest { pid: 0, started: 0, at },
        });
    }

    /// Returns the next action for the host, after this number of attempts.
    pub(super) fn next_deed(&self, run: &Run, attempts: u32) -> Option<ReplyEffect> {
        let session = run.session()?.clone();
        let errand = run.errands.first()?;
        let is_running = run.state == RunState::Running;
        let deed = match errand {
            PendingAction::Delete(session) => HostAction::Delete { session: session.clone() },
            PendingAction::Summarize if is_running => HostAction::Summarize { session },
            PendingAction::Create if is_running => {
                HostAction::Create { instead_of: session, title: host::title(run) }
            }
            PendingAction::Select if is_running => HostAction::Select { session },
            PendingAction::Prompt(old) if is_running => {
                let text = self.restart_prompt(run);
                HostAction::Prompt { session, like: Some(old.clone()), text, attempts }
            }
            PendingAction::Summarize
            | PendingAction::Create
            | PendingAction::Select
            | PendingAction::Prompt(_)
            | PendingAction::Hear => return None,
        };
        Some(ReplyEffect::Do { run: run.id.clone(), deed })
    }

    /// Stores a step of a move, and asks `asked`, if given, for the next
    /// action. Every step raises the epoch, so that of two processes with the
    /// same event one is too late.
    fn record_move_step(
        &mut self,
        run: &Run,
        next: Run,
        asked: Option<&HostedSession>,
    ) -> Result<HostReply, EngineError> {
        // The time of the last change stays: a turn that ends meanwhile would
        // count as answered.
        let mut next = Run { epoch: run.epoch + 1, ..next };
        if let Some(hosted) = asked {
            self.stamp(&mut next, hosted);
        }
        let next = self.driver.record(run, next, None)?;
        let effect = asked.and_then(|_| self.next_deed(&next, 0)).unwrap_or_default();
        Ok(HostReply::of(effect))
    }

    fn done(&mut self, run: &Run, hosted: &HostedSession) -> Result<HostReply, EngineError> {
        let errands = run.errands.without_first();
        self.record_move_step(run, Run { errands, ..run.clone() }, Some(hosted))
    }

    fn checked(
        &mut self,
        run: &Run,
        report: &ActionReport,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if !run.state.is_active() {
            return Ok(HostReply::silent());
        }
        if report.result.is_ok() {
            // The process that should have woken it lost the request.
            return self.due(run, hosted);
        }
        hosted.place.unmark();
        self.driver.snapshot_turn(run, None);
        let alone = Run { errands: PendingActions::default(), ..run.clone() };
        let left =
            self.driver.stop_on_request(&alone, RunState::Paused(PauseReason::Interrupted))?;
        Ok(HostReply::silent().with_note(told::session_gone(&left)).in_tone(NoteTone::Warning))
    }

    fn summarized(
        &mut self,
        run: &Run,
        report: &ActionReport,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let kept = match &report.result {
            Ok(ActionOutput::Summary(text)) => self.keep_summary(run, text, hosted)?,
            Ok(ActionOutput::Nothing | ActionOutput::Session(_)) => {
                Some("it has no summary".to_owned())
            }
            Err(error) => Some(redact(error).into_owned()),
        };
        let reply = self.done(run, hosted)?;
        Ok(match kept {
            None => reply,
            Some(why) => reply
                .with_note(host::not_summarized(&why, run.policy.locale))
                .in_tone(NoteTone::Warning),
        })
    }

    /// Stores a summary in both places. Returns the error of the one that the
    /// loop does not need.
    fn keep_summary(
        &mut self,
        run: &Run,
        text: &str,
        hosted: &HostedSession,
    ) -> Result<Option<String>, EngineError> {
        summary::keep(&self.driver.context.places.folder, &hosted.session, text)?;
        let Some(path) = &hosted.summary_file else { return Ok(None) };
        let Err(error) = publish(&self.driver.context.places.root, path, text) else {
            return Ok(None);
        };
        let error = format!("cannot write {}: {error}", path.display());
        self.note(run, "summary_not_written", &error)?;
        Ok(Some(error))
    }

    fn created(
        &mut self,
        run: &Run,
        report: &ActionReport,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let session = match &report.result {
            Ok(ActionOutput::Session(session)) if Some(session) != run.session() => session,
            Ok(ActionOutput::Session(_) | ActionOutput::Nothing | ActionOutput::Summary(_)) => {
                return self.continue_in_session(run, "it names no new one");
            }
            Err(error) => return self.continue_in_session(run, &redact(error)),
        };
        if run.state != RunState::Running {
            return Ok(HostReply::silent());
        }
        let place = SessionDir::new(self.driver.context.ledger.home(), session);
        place
            .mark(&run.id)
            .map_err(|source| EngineError::Write { path: place.folder().to_owned(), source })?;
        let errands = run.errands.without_first();
        let owner = Some(Owner::Session(session.clone()));
        let moved = Run { errands, owner, ..run.clone() };
        let is_left = moved.errands.leaves(&hosted.session);
        let reply = self.record_move_step(run, moved, Some(hosted))?;
        if !is_left {
            hosted.place.unmark();
        }
        Ok(reply)
    }

    /// Continues the loop in its present session.
    fn continue_in_session(&mut self, run: &Run, why: &str) -> Result<HostReply, EngineError> {
        let errands = run.errands.after_turn();
        self.record_move_step(run, Run { errands, ..run.clone() }, None)?;
        if run.state != RunState::Running {
            return Ok(HostReply::silent());
        }
        let reply = HostReply::of(super::go_on(run));
        Ok(reply.with_note(host::not_moved(why, run.policy.locale)).in_tone(NoteTone::Warning))
    }

    fn prompt_reported(
        &mut self,
        run: &Run,
        report: &ActionReport,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if report.result.is_ok() {
            return self.done(run, hosted);
        }
        if run.state == RunState::Running && report.attempts < MOST_ATTEMPTS {
            self.record_move_step(run, run.clone(), Some(hosted))?;
            return Ok(HostReply::of(self.next_deed(run, report.attempts).unwrap_or_default()));
        }
        let left = self.driver.stop_on_request(run, RunState::Paused(PauseReason::Interrupted))?;
        Ok(HostReply::silent().with_note(host::rests(&left)).in_tone(NoteTone::Warning))
    }

    /// Returns the prompt for a session that replaces another one: the driver's
    /// prompt, with the summary of the old session.
    fn restart_prompt(&self, run: &Run) -> String {
        let prompt = NextPrompt::new(run).with_template(self.driver.inputs.template.as_deref());
        if run.policy.context != ContextMode::Summarize {
            return prompt.render();
        }
        let summed_up = |text: &str| host::summary_of_old_session(text, run.policy.locale);
        let told = match summary::load(&self.driver.context.places.folder) {
            Some(known) if follows(&run.errands, &known.of) => summed_up(&known.text),
            Some(known) => {
                format!("{}\n\n{}", summed_up(&known.text), self.driver.context.summary(run))
            }
            None => self.driver.context.summary(run),
        };
        prompt.with_summary(told).render()
    }
}

/// Returns the remaining actions after a turn, with those of a move if there is
/// one. `hosted` is the session of the turn, if it answered.
pub(super) fn planned(
    errands: PendingActions,
    next: &Run,
    hosted: Option<&HostedSession>,
) -> PendingActions {
    let moves = next.state == RunState::Running && next.moves();
    match (next.policy.old_session, hosted) {
        (Some(fate), Some(hosted)) if moves && hosted.reach == HostChannel::Messages => {
            errands.with_move(next.policy.context, &hosted.session, fate)
        }
        (_, _) => errands,
    }
}

/// Returns true if the next session follows this one.
fn follows(errands: &PendingActions, session: &str) -> bool {
    let is_it = |errand: &PendingAction| matches!(errand, PendingAction::Prompt(old) if old.as_str() == session);
    errands.list.iter().any(is_it)
}
