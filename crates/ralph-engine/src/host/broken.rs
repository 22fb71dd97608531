//! Handles turns that broke off, and the waits that follow.

use std::time::Duration;

use ralph_agents::Spoken;
use ralph_agents::limits::Said;
use ralph_core::evidence::TurnEnd;
use ralph_core::host::{Breakage, BreakageKind, Effect, HostReply, Reach, Tone};
use ralph_core::redact::redact;
use ralph_core::state::{Pause, State, Wait};
use ralph_core::wording::{host as wording, told};
use ralph_core::{Run, Timestamp};
use ralph_proc::Ending;
use ralph_store::RunStore;

use super::{Hosted, TurnOver};
use crate::driver::Driver;
use crate::error::EngineError;
use crate::steps;
use crate::wire::local_time;

impl Driver<'_> {
    /// Handles a turn that ended with an error.
    pub(super) fn turn_broken(
        &mut self,
        run: &Run,
        breakage: &Breakage,
        hosted: &Hosted,
    ) -> Result<HostReply, EngineError> {
        if !run.state.is_active() || hosted.place.is_answered(breakage.message.as_deref()) {
            return Ok(HostReply::silent());
        }
        let now = self.clock.now();
        let said = Said { text: "", stderr: &breakage.text, ending: Ending::Exited(1) };
        let hit = hosted.limits.find(&said, now);
        let state = match (breakage.kind, hit, hosted.reach) {
            (BreakageKind::Aborted, _, _) => State::Paused(Pause::Aborted),
            (BreakageKind::Refused, _, _) => {
                let why = redact(&breakage.text);
                State::Waiting(Wait::Human {
                    question: wording::refused_key(&why, run.policy.locale),
                })
            }
            (_, Some(hit), Reach::Messages) => {
                return self.limited(run, breakage, hit.until, hosted);
            }
            (BreakageKind::Limit, None, Reach::Messages) => {
                return self.limited(run, breakage, None, hosted);
            }
            // A provider that is busy for everyone has not limited this user.
            (BreakageKind::Overloaded, _, Reach::Answers)
            | (BreakageKind::Other, None, Reach::Answers) => State::Waiting(Wait::Host),
            (_, Some(hit), _) => State::Waiting(Wait::Limit { until: hit.until.unwrap_or(now) }),
            (BreakageKind::Limit, None, _) => State::Waiting(Wait::Limit { until: now }),
            (BreakageKind::Overloaded | BreakageKind::Other, None, Reach::Messages) => {
                return self.try_again(run, breakage, hosted);
            }
        };
        let next = if breakage.kind == BreakageKind::Aborted {
            self.keep_turn(run, None);
            self.leave(run, state)?
        } else {
            self.record(run, steps::moved_to(run, state, now), None)?
        };
        hosted.place.set_answered(breakage.message.as_deref());
        Ok(HostReply::silent().with_note(wording::rests(&next)).in_tone(Tone::Warning))
    }

    /// Counts a broken turn as failed, so that an agent which cannot work at
    /// all is not asked for ever.
    fn try_again(
        &mut self,
        run: &Run,
        breakage: &Breakage,
        hosted: &Hosted,
    ) -> Result<HostReply, EngineError> {
        let what = redact(breakage.text.lines().next().unwrap_or_default()).into_owned();
        let end = TurnEnd::Failed { what: what.clone() };
        let spoken = Spoken { end, text: String::new(), usage: None };
        let turn = TurnOver { spoken, message: &breakage.message, hook: false };
        let reply = self.turn_over(run, turn, hosted)?;
        match (&reply.effect, self.ledger.store().run(&run.id)?) {
            (Effect::GoOn { .. }, Some(next)) => {
                let note = told::provider_failed(&what, &next);
                Ok(reply.with_note(note).in_tone(Tone::Error))
            }
            (_, _) => Ok(reply),
        }
    }

    /// Handles a turn that the provider refused. It is taken again under its
    /// number once the provider accepts work.
    fn limited(
        &mut self,
        run: &Run,
        breakage: &Breakage,
        until: Option<Timestamp>,
        hosted: &Hosted,
    ) -> Result<HostReply, EngineError> {
        let end = TurnEnd::ProviderLimit { until };
        let spoken = Spoken { end, text: String::new(), usage: None };
        let turn = TurnOver { spoken, message: &breakage.message, hook: false };
        self.turn_over(run, turn, hosted)
    }

    /// Resumes a run at the end of its wait, unless it resumed, ended or must
    /// wait longer.
    pub(super) fn due(&mut self, run: &Run, hosted: &Hosted) -> Result<HostReply, EngineError> {
        let State::Waiting(Wait::Limit { until }) = run.state else {
            return Ok(HostReply::silent());
        };
        let now = self.clock.now();
        if now < until {
            return Ok(HostReply::of(Effect::Wake { after: until.since(now) }));
        }
        let waited = self.record(run, steps::waited(run, now), None)?;
        let begun = self.begin_next(&waited)?;
        Ok(self.after_turn(&begun, &hosted.place))
    }
}

/// Returns the reply for a paused or waiting run. One that waits for a provider
/// resumes by itself if the host can wake it.
pub(super) fn resting(run: &Run, now: Timestamp) -> HostReply {
    let (effect, note) = match run.state {
        State::Waiting(Wait::Limit { until }) => {
            // The host is asked to wake the run even if the time has just
            // passed.
            let after = until.since(now).max(Duration::from_millis(1));
            (Effect::Wake { after }, wording::waits(&local_time(until), run.policy.locale))
        }
        State::Waiting(Wait::Human { .. } | Wait::Child | Wait::Host)
        | State::Running
        | State::Paused(_)
        | State::Success(_)
        | State::Failed(_)
        | State::Stopped => (Effect::None, wording::rests(run)),
    };
    HostReply::of(effect).with_note(note).in_tone(Tone::Warning)
}
