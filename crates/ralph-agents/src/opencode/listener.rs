//! Builds the outcome of a turn from its events.
//!
//! A line is an event of the server, or one of the courier's own:
//! `ralph.session`, `ralph.failed`, `ralph.lost` and `ralph.paid`.

use ralph_core::SessionId;
use ralph_core::evidence::TurnEnd;
use ralph_core::time::Timestamp;
use ralph_core::usage::Usage;
use ralph_proc::ExitReason;
use serde_json::Value;

use super::consent::{self, PermissionRequest};
use super::follow::{OpenCodeError, OpenCodeTurnState, usage};
use crate::TurnReply;
use crate::command::plain_end;
use crate::limits::{LimitPatterns, LimitSearchText, moment_named};
use crate::listen::{
    AgentTurnOutcome, BUDGET_SPENT, OutputPiece, OutputPieceKind, RefusedAction, ShownOutput,
    TurnCutReason, TurnListener, TurnProcessEnd, TurnStatus,
};
use crate::session::{AgentConversation, SessionAfterTurn, TurnSession};

/// Milliseconds above which a time named by the provider is used; else our own
/// waiting times are better.
const FAR: i64 = 30_000;

/// Parses the events of one turn.
pub(super) struct OpenCodeListener<'a> {
    limits: &'a LimitPatterns,
    mode: &'a str,
    /// The session that is continued, if any.
    resumed: Option<&'a AgentConversation>,
    follow: OpenCodeTurnState,
    failed: Option<String>,
    is_lost: bool,
    /// Usage outside the conversation.
    paid: Usage,
    refusals: Vec<RefusedAction>,
    remarks: Vec<String>,
}

impl<'a> OpenCodeListener<'a> {
    pub(super) fn new(limits: &'a LimitPatterns, mode: &'a str, seat: TurnSession<'a>) -> Self {
        let resumed = match seat {
            TurnSession::Resumed(session) => Some(session),
            TurnSession::Nowhere | TurnSession::New(_) | TurnSession::After { .. } => None,
        };
        Self {
            limits,
            mode,
            resumed,
            follow: OpenCodeTurnState::default(),
            failed: None,
            is_lost: false,
            paid: Usage::default(),
            refusals: Vec::new(),
            remarks: Vec::new(),
        }
    }

    fn take(&mut self, event: &Value) -> Vec<OutputPiece> {
        let words = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap_or_default() {
            "ralph.session" => {
                let before = event["before"].as_array().into_iter().flatten();
                let before = before.filter_map(Value::as_str).map(str::to_owned);
                self.follow = OpenCodeTurnState::new(&words("id"), before);
            }
            "ralph.failed" => self.failed = Some(words("what")),
            "ralph.lost" => self.is_lost = true,
            "ralph.paid" => self.paid = self.paid + usage(&event["info"]),
            "ralph.progress" => {
                return vec![OutputPiece::new(OutputPieceKind::Note, words("text"))];
            }
            "ralph.remark" => self.remarks.push(words("text")),
            _ => return self.happening(event),
        }
        Vec::new()
    }

    fn happening(&mut self, event: &Value) -> Vec<OutputPiece> {
        if let Some(asked) =
            PermissionRequest::read(event).filter(|asked| !asked.is_granted(self.mode))
        {
            let refusal = asked.refusal();
            let piece =
                OutputPiece::new(OutputPieceKind::Note, format!("denied: {}", refusal.what));
            if !self.refusals.contains(&refusal) {
                self.refusals.push(refusal);
            }
            return vec![piece];
        }
        if let Some((_, words, _)) = consent::question(event) {
            let remark = format!("the agent was told that nobody is here to answer: {words}");
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
        }
        self.follow.take(event)
    }

    fn kept(&self) -> SessionAfterTurn {
        if self.is_lost {
            return SessionAfterTurn::Lost;
        }
        if self.follow.is_deleted {
            return SessionAfterTurn::Nothing;
        }
        let before = self.resumed.map_or(Usage::default(), |session| session.charged);
        match (SessionId::new(self.follow.session()), self.resumed) {
            (Some(id), _) => SessionAfterTurn::Session(AgentConversation {
                id,
                charged: before + self.follow.usage(),
                context: None,
            }),
            (None, Some(session)) => SessionAfterTurn::Session(session.clone()),
            (None, None) => SessionAfterTurn::Nothing,
        }
    }

    fn end(&mut self, closing: &TurnProcessEnd<'_>) -> TurnEnd {
        let ending = closing.outcome.ending;
        if let Some(what) = &self.failed {
            return TurnEnd::Failed { what: what.clone() };
        }
        match (ending, closing.cut) {
            // This is not a failure of the agent.
            (ExitReason::Stopped, Some(TurnCutReason::Budget)) => TurnEnd::Finished,
            (ExitReason::Stopped | ExitReason::WallTimeout | ExitReason::IdleTimeout, _) => {
                plain_end(ending, "", closing.clock)
            }
            (ExitReason::Exited(_) | ExitReason::Signaled(_), _) => self.own_end(closing.clock.now),
        }
    }

    /// Returns the end of a turn that was not stopped.
    fn own_end(&mut self, now: Timestamp) -> TurnEnd {
        if let Some(retry) = self.follow.retry.clone() {
            let until = Some(Timestamp::from_millis(retry.next));
            let far = retry.next.saturating_sub(now.as_millis()) > FAR;
            return self.wait(&retry.message, until.filter(|_| far));
        }
        if self.follow.is_deleted {
            return failed("the session was deleted during the turn");
        }
        if let Some(trouble) = self.follow.trouble().cloned() {
            return self.of_trouble(&trouble, now);
        }
        if !self.follow.is_alive() {
            return failed("the agent neither said nor did anything");
        }
        let text = self.follow.text();
        let said = LimitSearchText { text: &text, stderr: "", ending: ExitReason::Exited(0) };
        match self.limits.find(&said, now) {
            Some(hit) => TurnEnd::ProviderLimit { until: hit.until },
            None => TurnEnd::Finished,
        }
    }

    fn of_trouble(&mut self, trouble: &OpenCodeError, now: Timestamp) -> TurnEnd {
        let OpenCodeError { name, message, status } = trouble;
        let said = LimitSearchText { text: message, stderr: "", ending: ExitReason::Exited(1) };
        let words = if message.is_empty() { name } else { message };
        match (name.as_str(), status) {
            ("MessageAbortedError", _) => TurnEnd::UserAbort,
            ("ProviderAuthError", _) | (_, Some(401 | 403)) => failed(&format!(
                "the provider does not accept the credentials ({words}): `opencode auth login` signs in"
            )),
            (_, Some(429)) => self.wait(words, moment_named(message, now)),
            // A short outage must not end a run that works through the night.
            (_, Some(408 | 500..=599)) => self.wait(words, None),
            (_, _) => match self.limits.find(&said, now) {
                Some(hit) => self.wait(words, hit.until),
                None => failed(words),
            },
        }
    }

    fn wait(&mut self, words: &str, until: Option<Timestamp>) -> TurnEnd {
        self.remarks.push(format!("the provider refuses work for now: {words}"));
        TurnEnd::ProviderLimit { until }
    }
}

impl TurnListener for OpenCodeListener<'_> {
    /// Lines arrive whole: the courier sends one at a time.
    fn read_output(&mut self, bytes: &[u8]) -> ShownOutput {
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let events = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        ShownOutput::Pieces(events.flat_map(|event| self.take(&event)).collect())
    }

    fn spent(&self) -> Usage {
        self.follow.usage() + self.paid
    }

    fn standing(&self) -> TurnStatus {
        TurnStatus::Working
    }

    fn conclude(&mut self, closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome {
        let end = self.end(closing);
        // The user must act on it now, not only at the end of the run.
        self.remarks.extend(self.failed.clone());
        let known = self.follow.is_alive() || self.paid != Usage::default();
        let text = match (closing.outcome.ending, closing.cut) {
            (ExitReason::Stopped, Some(TurnCutReason::Budget)) => BUDGET_SPENT.to_owned(),
            (_, _) => self.follow.text(),
        };
        AgentTurnOutcome {
            spoken: TurnReply { end, text, usage: known.then(|| self.spent()) },
            kept: self.kept(),
            refusals: std::mem::take(&mut self.refusals),
            remarks: std::mem::take(&mut self.remarks),
        }
    }
}

fn failed(what: &str) -> TurnEnd {
    TurnEnd::Failed { what: what.to_owned() }
}

#[cfg(test)]
#[path = "listener_tests.rs"]
mod tests;
