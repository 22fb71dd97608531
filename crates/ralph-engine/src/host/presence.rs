//! Handles users who open, prompt, interrupt and leave a session.

use ralph_agents::host::CapScope;
use ralph_core::errand::PendingActions;
use ralph_core::host::{HostChannel, HostReply, NoteTone, ReplyEffect, SessionStart};
use ralph_core::state::{PauseReason, RunState, WaitReason};
use ralph_core::wording::{NextPrompt, host as wording, told};
use ralph_core::{Evidence, Run};
use ralph_files::LogFailure as _;

use super::{HostedLoop, HostedSession};
use crate::error::EngineError;
use crate::steps;

impl HostedLoop<'_, '_> {
    /// Handles a session that is opened again. A run that paused because of its
    /// client resumes and reports that. A run that the user interrupted reports
    /// how to resume it.
    pub(super) fn session_started(
        &mut self,
        run: &Run,
        start: SessionStart,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        match (start, &run.state) {
            (SessionStart::Resumed, RunState::Running)
                if hosted.place.is_at_work_beside(hosted.caller) =>
            {
                // The client that takes the turn is alive; this one only
                // watches.
                Ok(HostReply::silent())
            }
            (SessionStart::Resumed, RunState::Paused(PauseReason::Interrupted)) => {
                let woken = self.wake(run)?;
                Ok(goes_on_again(&woken))
            }
            (SessionStart::Resumed, RunState::Running) => {
                // Its client was killed: the turn that it took will never end.
                let dropped = self.drop_turn(run.clone())?;
                Ok(goes_on_again(&dropped))
            }
            (SessionStart::Resumed, RunState::Paused(PauseReason::Aborted)) => {
                Ok(HostReply::silent().with_note(wording::rests(run)))
            }
            (
                SessionStart::Compacted
                | SessionStart::Resumed
                | SessionStart::Cleared
                | SessionStart::Forked,
                state,
            ) if state.is_active() => {
                Ok(HostReply::of(ReplyEffect::Tell { context: NextPrompt::new(run).reminder() }))
            }
            (_, _) => Ok(HostReply::silent()),
        }
    }

    /// Handles a prompt of the user. If the host does not report aborts, a
    /// prompt during a turn counts as one.
    pub(super) fn prompted(
        &mut self,
        run: &Run,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let is_at_cap = hosted.cap_scope == CapScope::SincePrompt
            && hosted.cap.is_some_and(|cap| hosted.place.continued() >= cap);
        if hosted.cap_scope == CapScope::SincePrompt {
            hosted.place.set_continued(0);
        }
        match &run.state {
            // The host did not report the end of the last continuation.
            RunState::Running if is_at_cap && self.is_under_way(run)? => Ok(HostReply::silent()),
            RunState::Running if self.is_under_way(run)? => {
                if hosted.reach == HostChannel::Messages {
                    return Ok(HostReply::silent());
                }
                self.driver.snapshot_turn(run, None);
                let left =
                    self.driver.stop_on_request(run, RunState::Paused(PauseReason::Aborted))?;
                Ok(HostReply::silent().with_note(wording::rests(&left)))
            }
            RunState::Running => {
                let begun = self.begin_next(run)?;
                if begun.state == RunState::Running {
                    return Ok(HostReply::silent());
                }
                Ok(self.after_turn(&begun, &hosted.place))
            }
            RunState::Waiting(WaitReason::Child | WaitReason::Host | WaitReason::Limit { .. }) => {
                self.go_on_with_turn(run)?;
                Ok(HostReply::silent())
            }
            RunState::Waiting(WaitReason::Human { .. }) if self.is_under_way(run)? => {
                // The turn that could not continue does now, under its number.
                let run = self.go_on_with_turn(run)?;
                Ok(HostReply::of(ReplyEffect::Tell { context: NextPrompt::new(&run).reminder() }))
            }
            RunState::Waiting(WaitReason::Human { .. }) | RunState::Paused(PauseReason::Capped) => {
                let begun = self.begin_next(run)?;
                if begun.state != RunState::Running {
                    return Ok(self.after_turn(&begun, &hosted.place));
                }
                let context = NextPrompt::new(&begun).reminder();
                Ok(HostReply::of(ReplyEffect::Tell { context })
                    .with_note(wording::iteration(&begun)))
            }
            RunState::Paused(
                PauseReason::Asked | PauseReason::Interrupted | PauseReason::Aborted,
            )
            | RunState::Success(_)
            | RunState::Failed(_)
            | RunState::Stopped => Ok(HostReply::silent()),
        }
    }

    /// Handles the end of a turn in plan mode: the user has to read the plan,
    /// and the turn does not count.
    pub(super) fn planned(&mut self, run: &Run) -> Result<HostReply, EngineError> {
        if !run.state.is_active() {
            return Ok(HostReply::silent());
        }
        let question = told::plan_mode(run.policy.locale).to_owned();
        let waiting = RunState::Waiting(WaitReason::Human { question });
        let next = self.driver.record(
            run,
            steps::moved_to(run, waiting, self.driver.context.clock.now()),
            None,
        )?;
        Ok(HostReply::silent().with_note(wording::rests(&next)))
    }

    /// Handles a session that was left. If a turn is under way, the user
    /// interrupted it, since a session can be cleared or left only then.
    pub(super) fn session_ended(
        &mut self,
        run: &Run,
        reason: &str,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        self.note(run, "session_ended", reason)?;
        let mut reply = HostReply::silent();
        let by_hand = matches!(reason, "clear" | "prompt_input_exit");
        let is_cut = run.state == RunState::Running && self.is_under_way(run)?;
        if reason == "clear" {
            // The session that follows a cleared one takes over the run.
            hosted.place.note_cleared();
        }
        if run.state.is_active() && (reason != "clear" || is_cut) {
            self.driver.snapshot_turn(run, None);
            // The old session is the only one left once this one is gone.
            let alone = Run { errands: PendingActions::default(), ..run.clone() };
            let pause =
                if by_hand && is_cut { PauseReason::Aborted } else { PauseReason::Interrupted };
            let left = self.driver.stop_on_request(&alone, RunState::Paused(pause))?;
            if hosted.reach == HostChannel::Messages {
                reply = reply.with_note(told::session_gone(&left)).in_tone(NoteTone::Warning);
            }
        }
        self.driver.context.ledger.store().checkpoint().or_log("moving the log of the store");
        Ok(reply)
    }
}

fn goes_on_again(run: &Run) -> HostReply {
    HostReply::of(ReplyEffect::Tell { context: NextPrompt::new(run).reminder() })
        .with_note(wording::goes_on(run))
}

/// Returns the reply after a turn, with the changes of tests and checks.
pub(super) fn with_changes(reply: HostReply, next: &Run, evidence: &Evidence) -> HostReply {
    let locale = next.policy.locale;
    let weakened = told::weakened(&evidence.weakened, locale);
    let edited = || told::edited(&evidence.edited, &next.policy).filter(|_| next.state.is_ended());
    let (Some(text), Some(note)) = (weakened.or_else(edited), &reply.note) else { return reply };
    let brief = reply.brief.as_ref().map(|brief| format!("{brief}\n{text}"));
    let note = format!("{note}\n{text}");
    HostReply { brief, ..reply }.with_note(note)
}
