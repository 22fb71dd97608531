//! Handles turns that broke off, and the waits that follow.

use std::time::Duration;

use ralph_agents::TurnReply;
use ralph_agents::limits::LimitSearchText;
use ralph_core::evidence::TurnEnd;
use ralph_core::host::{
    HostChannel, HostReply, HostTurnError, NoteTone, ReplyEffect, TurnErrorKind,
};
use ralph_core::state::{PauseReason, RunState, WaitReason};
use ralph_core::wording::{host as wording, told};
use ralph_core::{Run, Timestamp};
use ralph_proc::ExitReason;
use ralph_redact::redact;

use super::{HostedLoop, HostedSession, TurnOver};
use crate::error::EngineError;
use crate::steps;
use crate::wire::local_time;

impl HostedLoop<'_, '_> {
    /// Handles a turn that ended with an error.
    pub(super) fn turn_broken(
        &mut self,
        run: &Run,
        breakage: &HostTurnError,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        if !run.state.is_active() || hosted.place.is_answered(breakage.message.as_deref()) {
            return Ok(HostReply::silent());
        }
        let now = self.driver.context.clock.now();
        let said =
            LimitSearchText { text: "", stderr: &breakage.text, ending: ExitReason::Exited(1) };
        let hit = hosted.limits.find(&said, now);
        let state = match (breakage.kind, hit, hosted.reach) {
            (TurnErrorKind::Aborted, _, _) => RunState::Paused(PauseReason::Aborted),
            (TurnErrorKind::Refused, _, _) => {
                let why = redact(&breakage.text);
                RunState::Waiting(WaitReason::Human {
                    question: wording::refused_key(&why, run.policy.locale),
                })
            }
            (_, Some(hit), HostChannel::Messages) => {
                return self.limited(run, breakage, hit.until, hosted);
            }
            (TurnErrorKind::Limit, None, HostChannel::Messages) => {
                return self.limited(run, breakage, None, hosted);
            }
            // A provider that is busy for everyone has not limited this user.
            (TurnErrorKind::Overloaded, _, HostChannel::Answers)
            | (TurnErrorKind::Other, None, HostChannel::Answers) => {
                RunState::Waiting(WaitReason::Host)
            }
            (_, Some(hit), _) => {
                RunState::Waiting(WaitReason::Limit { until: hit.until.unwrap_or(now) })
            }
            (TurnErrorKind::Limit, None, _) => RunState::Waiting(WaitReason::Limit { until: now }),
            (TurnErrorKind::Overloaded | TurnErrorKind::Other, None, HostChannel::Messages) => {
                return self.try_again(run, breakage, hosted);
            }
        };
        let next = if breakage.kind == TurnErrorKind::Aborted {
            self.driver.snapshot_turn(run, None);
            self.driver.stop_on_request(run, state)?
        } else {
            self.driver.record(run, steps::moved_to(run, state, now), None)?
        };
        hosted.place.set_answered(breakage.message.as_deref());
        Ok(HostReply::silent().with_note(wording::rests(&next)).in_tone(NoteTone::Warning))
    }

    /// Counts a broken turn as failed, so that an agent which cannot work at
    /// all is not asked for ever.
    fn try_again(
        &mut self,
        run: &Run,
        breakage: &HostTurnError,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let what = redact(breakage.text.lines().next().unwrap_or_default()).into_owned();
        let end = TurnEnd::Failed { what: what.clone() };
        let spoken = TurnReply { end, text: String::new(), usage: None };
        let turn = TurnOver { spoken, message: &breakage.message, hook: false };
        let reply = self.turn_over(run, turn, hosted)?;
        match (&reply.effect, self.driver.context.ledger.store().run(&run.id)?) {
            (ReplyEffect::GoOn { .. }, Some(next)) => {
                let note = told::provider_failed(&what, &next);
                Ok(reply.with_note(note).in_tone(NoteTone::Error))
            }
            (_, _) => Ok(reply),
        }
    }

    /// Handles a turn that the provider refused. It is taken again under its
    /// number once the provider accepts work.
    fn limited(
        &mut self,
        run: &Run,
        breakage: &HostTurnError,
        until: Option<Timestamp>,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let end = TurnEnd::ProviderLimit { until };
        let spoken = TurnReply { end, text: String::new(), usage: None };
        let turn = TurnOver { spoken, message: &breakage.message, hook: false };
        self.turn_over(run, turn, hosted)
    }

    /// Resumes a run at the end of its wait, unless it resumed, ended or must
    /// wait longer.
    pub(super) fn due(
        &mut self,
        run: &Run,
        hosted: &HostedSession,
    ) -> Result<HostReply, EngineError> {
        let RunState::Waiting(WaitReason::Limit { until }) = run.state else {
            return Ok(HostReply::silent());
        };
        let now = self.driver.context.clock.now();
        if now < until {
            return Ok(HostReply::of(ReplyEffect::Wake { after: until.since(now) }));
        }
        let waited = self.driver.record(run, steps::waited(run, now), None)?;
        let begun = self.begin_next(&waited)?;
        Ok(self.after_turn(&begun, &hosted.place))
    }
}

/// Returns the reply for a paused or waiting run. One that waits for a provider
/// resumes by itself if the host can wake it.
pub(super) fn resting(run: &Run, now: Timestamp) -> HostReply {
    let (effect, note) = match run.state {
        RunState::Waiting(WaitReason::Limit { until }) => {
            // The host is asked to wake the run even if the time has just
            // passed.
            let after = until.since(now).max(Duration::from_millis(1));
            (ReplyEffect::Wake { after }, wording::waits(&local_time(until), run.policy.locale))
        }
        RunState::Waiting(WaitReason::Human { .. } | WaitReason::Child | WaitReason::Host)
        | RunState::Running
        | RunState::Paused(_)
        | RunState::Success(_)
        | RunState::Failed(_)
        | RunState::Stopped => (ReplyEffect::None, wording::rests(run)),
    };
    HostReply::of(effect).with_note(note).in_tone(NoteTone::Warning)
}
