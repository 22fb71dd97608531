//! Handles permission requests, shortened conversations, and prompts that do
//! not reach the agent.

use ralph_core::Run;
use ralph_core::host::{HostChannel, HostReply, NoteTone};
use ralph_core::state::{PauseReason, RunState, WaitReason};
use ralph_core::wording::host as wording;
use ralph_redact::redact;

use super::{HostedLoop, HostedSession};
use crate::error::EngineError;
use crate::steps;

/// Maximum number of attempts to deliver a prompt to the agent.
pub(super) const MOST_ATTEMPTS: u32 = 5;

impl HostedLoop<'_, '_> {
    pub(super) fn permission_asked(
        &mut self,
        run: &Run,
        what: &str,
    ) -> Result<HostReply, EngineError> {
        if run.state != RunState::Running {
            return Ok(HostReply::silent());
        }
        let question = redact(what).into_owned();
        let state = RunState::Waiting(WaitReason::Human { question });
        self.driver.record(
            run,
            steps::moved_to(run, state, self.driver.context.clock.now()),
            None,
        )?;
        // The host asks the user itself.
        Ok(HostReply::silent())
    }

    pub(super) fn permission_answered(&mut self, run: &Run) -> Result<HostReply, EngineError> {
        if matches!(run.state, RunState::Waiting(WaitReason::Human { .. }))
            && self.is_under_way(run)?
        {
            self.go_on_with_turn(run)?;
        }
        Ok(HostReply::silent())
    }

    /// Handles a shortened conversation. If the host reports it at the end of a
    /// turn, the user had it shortened during the turn, which ended the turn
    /// early: the agent is told to continue.
    pub(super) fn compacted(
        &mut self,
        run: &Run,
        message: Option<&str>,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let is_silent = hosted.reach == HostChannel::Messages && message.is_some();
        let is_ours = run.state == RunState::Running && run.errands.first().is_none();
        if !is_silent || !is_ours || !self.is_under_way(run)? {
            return self.remind(run, hosted);
        }
        if hosted.place.is_answered(message) {
            return Ok(HostReply::silent());
        }
        hosted.place.set_answered(message);
        Ok(HostReply::of(super::go_on(run)))
    }

    /// Handles a turn whose prompt did not reach the agent. The prompt is sent
    /// again, a few times.
    pub(super) fn not_delivered(
        &mut self,
        run: &Run,
        attempts: u32,
        error: &str,
    ) -> Result<HostReply, EngineError> {
        self.note(run, "not_delivered", &redact(error))?;
        if run.state != RunState::Running {
            return Ok(HostReply::silent());
        }
        if attempts < MOST_ATTEMPTS {
            return Ok(HostReply::of(super::go_on(run)));
        }
        let left = self.driver.stop_on_request(run, RunState::Paused(PauseReason::Interrupted))?;
        Ok(HostReply::silent().with_note(wording::rests(&left)).in_tone(NoteTone::Warning))
    }
}
