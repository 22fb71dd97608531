//! Decides who may call what: anyone, or only the user.
//!
//! A loop judges its agent, so the agent must not control it. Reading is open to anyone.
//! Starting, ending, loosening and deleting is the user's while the calling agent has an
//! open run.

use ralph_core::Run;
use ralph_core::host::{HostEventKind, ToolEvent};
use ralph_core::run::Owner;
use ralph_core::wording::one_line;
use ralph_files::LogFailure as _;

use crate::app::App;
use crate::caller::{self, InvocationKind};
use crate::command_log;
use crate::user_error::UserError;

/// Number of characters of a command line that are repeated.
pub const TYPED_CHARS: usize = 200;

/// The callers that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRight {
    /// Anyone, including an agent in its own loop.
    Anyone,
    /// The user, and agents without an open run.
    UserOnly,
}

/// Returns who may cause an event. The user's events can change a loop, so they are
/// ignored in a turn of our driver.
pub fn of_event(what: &HostEventKind) -> CallRight {
    match what {
        HostEventKind::Tools(ToolEvent::Asked(_) | ToolEvent::Used(_))
        | HostEventKind::Other { .. } => CallRight::Anyone,
        HostEventKind::Tools(ToolEvent::PermissionAsked { .. } | ToolEvent::PermissionAnswered)
        | HostEventKind::HostStarted
        | HostEventKind::Action(_)
        | HostEventKind::Session(_)
        | HostEventKind::Prompt(_)
        | HostEventKind::Turn(_) => CallRight::UserOnly,
    }
}

/// Returns an error for a user's command that was typed in a turn of our driver: it did
/// not come from that session.
pub fn ensure_in_session(app: &App, right: CallRight, text: &str) -> Result<(), UserError> {
    if right == CallRight::Anyone {
        return Ok(());
    }
    match caller::open_run(app, InvocationKind::Child) {
        Some(run) if !is_of_session(&run) => Err(refused(app, &run, &shortened(text), None)),
        Some(_) | None => Ok(()),
    }
}

/// Returns an error for a user's tool if the calling agent has an open run.
pub fn ensure_tool(app: &App, name: &str) -> Result<(), UserError> {
    match caller::open_run(app, InvocationKind::Child) {
        Some(run) => Err(refused(app, &run, name, None)),
        None => Ok(()),
    }
}

/// Returns true if a session owns the run.
pub fn is_of_session(run: &Run) -> bool {
    matches!(run.owner, Some(Owner::Session(_)))
}

/// Records the attempt, and makes the error that tells what the user can do.
pub fn refused(app: &App, run: &Run, tried: &str, in_session: Option<&str>) -> UserError {
    // An attempt that cannot be recorded is refused, too.
    if let Ok(Some(store)) = app.existing_store() {
        let recorded = command_log::record_refusal(&store, run, tried, app.now());
        recorded.or_log("recording a refused command");
    }
    let id = &run.id;
    let is_command = tried.starts_with("ralph ");
    let by_hand = if is_command { tried.to_owned() } else { format!("ralph stop --run {id}") };
    let in_session = in_session.filter(|_| is_of_session(run));
    let (english, korean) = match in_session {
        Some(word) => (format!(" or `{word}` in the session"), format!(" 또는 세션에서 `{word}`")),
        None => (String::new(), String::new()),
    };
    let hint = if is_command {
        format!("ask the user to type `{by_hand}` in a terminal{english}; the attempt is on record")
    } else {
        format!(
            "finish the task, or ask the user to type /cancel-ralph in the session or `{by_hand}` \
             in a terminal; the attempt is on record"
        )
    };
    let korean_hint = format!(
        "사용자에게 터미널에서 `{by_hand}`{korean} 입력을 부탁하세요. 이 시도는 기록되었습니다"
    );
    UserError::refused(format!("an agent cannot call `{tried}` while its own run {id} is open"))
        .with_hint(hint)
        .in_korean(
            format!(
                "에이전트는 자신의 루프 {id} 이(가) 끝나기 전에는 `{tried}` 을(를) 실행할 수 없습니다"
            ),
            Some(&korean_hint),
        )
}

/// Redacts and shortens what was typed.
pub fn shortened(text: &str) -> String {
    one_line(&ralph_redact::redact(text), TYPED_CHARS)
}

#[cfg(test)]
mod tests {
    use ralph_core::host::{
        HostTurnEnd, PromptEvent, SessionEvent, SessionStart, ToolUse, TurnEvent,
    };

    use super::CallRight::{Anyone, UserOnly};
    use super::*;

    #[test]
    fn what_goes_on_in_a_turn_is_told_by_anyone_and_the_rest_by_the_user() {
        let tool = ToolUse::default();
        for (what, right) in [
            (HostEventKind::Tools(ToolEvent::Asked(tool.clone())), Anyone),
            (HostEventKind::Tools(ToolEvent::Used(vec![tool])), Anyone),
            (HostEventKind::Session(SessionEvent::Started(SessionStart::New)), UserOnly),
            (HostEventKind::Session(SessionEvent::Ended { reason: String::new() }), UserOnly),
            (HostEventKind::Turn(TurnEvent::Ended(HostTurnEnd::default())), UserOnly),
            (HostEventKind::Tools(ToolEvent::PermissionAnswered), UserOnly),
            (HostEventKind::HostStarted, UserOnly),
            (HostEventKind::Prompt(PromptEvent::Woken), UserOnly),
            (HostEventKind::Prompt(PromptEvent::Due), UserOnly),
        ] {
            assert_eq!(of_event(&what), right, "{what:?}");
        }
    }
}
