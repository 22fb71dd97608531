//! Decides how a turn ended, from the client's last result, never from its exit
//! code or a single field alone.

use ralph_core::evidence::TurnEnd;
use ralph_proc::ExitReason;

use super::result::ResultLine;
use super::stream::ClaudeTurnState;
use crate::command::{plain_end, stderr_of};
use crate::limits::{LimitPatterns, LimitSearchText, moment_named};
use crate::listen::{BUDGET_SPENT, TurnCutReason, TurnProcessEnd};

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClaudeTurnResult {
    pub(super) end: TurnEnd,
    pub(super) text: String,
    /// A note for the user.
    pub(super) remark: Option<String>,
}

impl ClaudeTurnResult {
    fn new(end: TurnEnd, text: &str) -> Self {
        Self { end, text: text.to_owned(), remark: None }
    }

    fn failed(stream: &ClaudeTurnState, what: impl Into<String>) -> Self {
        Self::new(TurnEnd::Failed { what: what.into() }, &stream.last_text)
    }
}

/// Judges a turn after its process has ended.
pub(super) fn judge(
    stream: &ClaudeTurnState,
    closing: &TurnProcessEnd<'_>,
    limits: &LimitPatterns,
) -> ClaudeTurnResult {
    let finished = stream.result.as_ref().filter(|_| stream.is_over());
    match (closing.outcome.ending, closing.cut) {
        // The result may have arrived just before we stopped the client.
        (ExitReason::Stopped, Some(TurnCutReason::Budget)) => match finished {
            Some(result) => of_result(stream, result, closing, limits),
            // This is not a failure of the agent.
            None => ClaudeTurnResult::new(TurnEnd::Finished, BUDGET_SPENT),
        },
        (ExitReason::Stopped, Some(TurnCutReason::Hopeless)) => {
            of_provider(stream, None, closing, limits)
        }
        (ExitReason::Stopped, None) => ClaudeTurnResult::new(TurnEnd::UserAbort, &stream.last_text),
        (ExitReason::Stopped, Some(TurnCutReason::Lingering))
        | (ExitReason::Exited(_) | ExitReason::Signaled(_), _) => match &stream.result {
            Some(result) => of_result(stream, result, closing, limits),
            None => silent(stream, closing, limits),
        },
        (ExitReason::WallTimeout | ExitReason::IdleTimeout, _) => match finished {
            Some(result) => of_result(stream, result, closing, limits),
            None => ClaudeTurnResult::new(
                plain_end(closing.outcome.ending, "", closing.clock),
                &stream.last_text,
            ),
        },
    }
}

/// Judges a client that ended without a result.
fn silent(
    stream: &ClaudeTurnState,
    closing: &TurnProcessEnd<'_>,
    limits: &LimitPatterns,
) -> ClaudeTurnResult {
    let ending = closing.outcome.ending;
    let stderr = stderr_of(closing.outcome);
    let said = LimitSearchText { text: "", stderr: &stderr, ending };
    if let Some(hit) = limits.find(&said, closing.clock.now) {
        return ClaudeTurnResult::new(
            TurnEnd::ProviderLimit { until: hit.until },
            &stream.last_text,
        );
    }
    if let TurnEnd::Failed { what } = plain_end(ending, &stderr, closing.clock) {
        return ClaudeTurnResult::failed(stream, format!("{what} (without a result)"));
    }
    // When interrupted during a turn, the client may exit with 0 and without a
    // result.
    if stream.session.is_some() {
        return ClaudeTurnResult::new(TurnEnd::UserAbort, &stream.last_text);
    }
    ClaudeTurnResult::failed(stream, "the agent ended without a result")
}

fn of_result(
    stream: &ClaudeTurnState,
    result: &ResultLine,
    closing: &TurnProcessEnd<'_>,
    limits: &LimitPatterns,
) -> ClaudeTurnResult {
    match (result.terminal.as_str(), result.is_error) {
        ("aborted_streaming" | "aborted_tools", _) => {
            ClaudeTurnResult::new(TurnEnd::UserAbort, &stream.last_text)
        }
        // The work is not done, but nothing failed. The text so far was not
        // meant as the final one, so it is dropped.
        ("max_turns" | "budget_exhausted", _) => {
            ClaudeTurnResult::new(TurnEnd::Finished, result.complaint())
        }
        ("api_error", _) => of_provider(stream, Some(result), closing, limits),
        (_, true) if has_provider_trouble(stream, result) => {
            of_provider(stream, Some(result), closing, limits)
        }
        (_, true) => ClaudeTurnResult::failed(stream, result.complaint()),
        (_, false) => completed(stream, result, closing, limits),
    }
}

fn has_provider_trouble(stream: &ClaudeTurnState, result: &ResultLine) -> bool {
    result.status.is_some() || stream.error.is_some()
}

/// Judges a turn that ended by itself.
fn completed(
    stream: &ClaudeTurnState,
    result: &ResultLine,
    closing: &TurnProcessEnd<'_>,
    limits: &LimitPatterns,
) -> ClaudeTurnResult {
    let said = LimitSearchText { text: &result.text, stderr: "", ending: ExitReason::Exited(0) };
    if let Some(hit) = limits.find(&said, closing.clock.now) {
        let until = stream.refused_until.or(hit.until);
        return waiting(until, stream, &result.text);
    }
    // Without any activity of the agent the work is not finished: a hook may
    // have refused the prompt, or the model may not exist.
    if !stream.is_alive {
        let what = match result.complaint() {
            "" | "completed" => "the agent neither said nor did anything",
            complaint => complaint,
        };
        return ClaudeTurnResult::failed(stream, what);
    }
    let text = if result.text.trim().is_empty() { &stream.last_text } else { &result.text };
    let remark = stream.is_capped.then(|| {
        "the client capped the turn: its hooks kept it going too often in a row (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP raises the cap)".to_owned()
    });
    ClaudeTurnResult { remark, ..ClaudeTurnResult::new(TurnEnd::Finished, text) }
}

fn waiting(
    until: Option<ralph_core::time::Timestamp>,
    stream: &ClaudeTurnState,
    said: &str,
) -> ClaudeTurnResult {
    let said = super::pieces::one_line(said, 200);
    let remark = (!said.is_empty()).then(|| format!("the provider refuses work for now: {said}"));
    ClaudeTurnResult {
        remark,
        ..ClaudeTurnResult::new(TurnEnd::ProviderLimit { until }, &stream.last_text)
    }
}

/// A kind of provider error.
enum ProviderErrorKind {
    /// A usage limit, perhaps with the time at which it resets.
    Limit,
    /// A temporary outage.
    Outage,
    /// The credentials are not accepted.
    Credentials,
    /// A permanent error.
    Other,
}

fn of_provider(
    stream: &ClaudeTurnState,
    result: Option<&ResultLine>,
    closing: &TurnProcessEnd<'_>,
    limits: &LimitPatterns,
) -> ClaudeTurnResult {
    let said = result.map_or("", |result| result.complaint());
    let now = closing.clock.now;
    match trouble(stream, result, closing, limits) {
        ProviderErrorKind::Limit => {
            waiting(stream.refused_until.or_else(|| moment_named(said, now)), stream, said)
        }
        // A short outage must not end a run that works through the night.
        // Waiting costs no iteration, becomes slower each time and is bounded.
        ProviderErrorKind::Outage => waiting(None, stream, said),
        ProviderErrorKind::Credentials => ClaudeTurnResult::failed(
            stream,
            format!(
                "the provider does not accept the credentials{}: start `claude` once to sign in, or set ANTHROPIC_API_KEY",
                if said.is_empty() { String::new() } else { format!(" ({said})") }
            ),
        ),
        ProviderErrorKind::Other => ClaudeTurnResult::failed(stream, said),
    }
}

fn trouble(
    stream: &ClaudeTurnState,
    result: Option<&ResultLine>,
    closing: &TurnProcessEnd<'_>,
    limits: &LimitPatterns,
) -> ProviderErrorKind {
    let retry = stream.retry.as_ref();
    let status = match result {
        Some(result) => result.status,
        None => retry.and_then(|retry| retry.status),
    };
    match status {
        Some(429) => return ProviderErrorKind::Limit,
        Some(401 | 403) => return ProviderErrorKind::Credentials,
        Some(408 | 500..=599) => return ProviderErrorKind::Outage,
        Some(_) => return ProviderErrorKind::Other,
        None => {}
    }
    match stream.error.as_deref().or_else(|| retry.map(|retry| retry.error.as_str())) {
        Some("rate_limit") => ProviderErrorKind::Limit,
        Some("overloaded" | "server_error") => ProviderErrorKind::Outage,
        Some("authentication_failed" | "oauth_org_not_allowed" | "cloud_credential_error") => {
            ProviderErrorKind::Credentials
        }
        Some(_) | None => {
            let text = result.map_or("", |result| result.text.as_str());
            let said = LimitSearchText { text, stderr: "", ending: ExitReason::Exited(1) };
            let unreachable = retry.is_some_and(|retry| retry.status.is_none());
            if limits.find(&said, closing.clock.now).is_some() {
                ProviderErrorKind::Limit
            } else if unreachable {
                ProviderErrorKind::Outage
            } else {
                ProviderErrorKind::Other
            }
        }
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
