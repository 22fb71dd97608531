//! Turns that break off, permissions that are asked for, and words that do not
//! reach the agent.

use ralph_agents::Spoken;
use ralph_agents::limits::Said;
use ralph_core::Run;
use ralph_core::evidence::TurnEnd;
use ralph_core::host::{Breakage, BreakageKind, Effect, HostReply, Reach, Tone};
use ralph_core::redact::redact;
use ralph_core::state::{Pause, State, Wait};
use ralph_core::wording::host as wording;
use ralph_proc::Ending;

use super::{Hosted, TurnOver};
use crate::driver::Driver;
use crate::error::EngineError;
use crate::steps;

/// How often the agent is told to go on when that does not reach it.
pub(super) const MOST_ATTEMPTS: u32 = 5;

impl Driver<'_> {
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
                State::Waiting(Wait::Human { question: redact(&breakage.text).into_owned() })
            }
            (_, Some(hit), _) => State::Waiting(Wait::Limit { until: hit.until.unwrap_or(now) }),
            (BreakageKind::Limit, None, _) => State::Waiting(Wait::Limit { until: now }),
            (BreakageKind::Overloaded | BreakageKind::Other, None, Reach::Answers) => {
                State::Waiting(Wait::Host)
            }
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

    /// A turn that broke off counts as one that failed, so that an agent which
    /// cannot work at all is not asked for ever.
    fn try_again(
        &mut self,
        run: &Run,
        breakage: &Breakage,
        hosted: &Hosted,
    ) -> Result<HostReply, EngineError> {
        let what = redact(breakage.text.lines().next().unwrap_or_default()).into_owned();
        let end = TurnEnd::Failed { what };
        let spoken = Spoken { end, text: String::new(), usage: None };
        let turn = TurnOver { spoken, message: &breakage.message, hook: false };
        self.turn_over(run, turn, hosted)
    }

    pub(super) fn permission_asked(
        &mut self,
        run: &Run,
        what: &str,
    ) -> Result<HostReply, EngineError> {
        if run.state != State::Running {
            return Ok(HostReply::silent());
        }
        let question = redact(what).into_owned();
        let state = State::Waiting(Wait::Human { question });
        self.record(run, steps::moved_to(run, state, self.clock.now()), None)?;
        // The host asks by itself.
        Ok(HostReply::silent())
    }

    pub(super) fn permission_answered(&mut self, run: &Run) -> Result<HostReply, EngineError> {
        if matches!(run.state, State::Waiting(Wait::Human { .. })) && self.is_under_way(run)? {
            self.go_on_with_turn(run)?;
        }
        Ok(HostReply::silent())
    }

    /// The turn was begun and the agent does not know. It is told again, a few
    /// times.
    pub(super) fn not_delivered(
        &mut self,
        run: &Run,
        attempts: u32,
        error: &str,
    ) -> Result<HostReply, EngineError> {
        self.note(run, "not_delivered", &redact(error))?;
        if run.state != State::Running {
            return Ok(HostReply::silent());
        }
        if attempts < MOST_ATTEMPTS {
            return Ok(HostReply::of(Effect::GoOn { reason: wording::go_on(run) }));
        }
        let left = self.leave(run, State::Paused(Pause::Interrupted))?;
        Ok(HostReply::silent().with_note(wording::rests(&left)).in_tone(Tone::Warning))
    }
}
