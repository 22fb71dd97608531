//! The JSON of sessions of agents.

use ralph_core::Timestamp;
use ralph_memory::{SessionMessage, SessionRecord};
use serde::Serialize;
use serde_json::{Value, json};

use super::{SCHEMA, moment};
use crate::recall::RecallResult;

/// A session, and whether its host is alive.
#[derive(Clone, Debug)]
pub struct ListedSession {
    /// The session.
    pub session: SessionRecord,
    /// True if a living process could continue it by itself.
    pub is_alive: bool,
}

#[derive(Serialize)]
struct SessionView<'a> {
    id: &'a str,
    session_id: Option<&'a str>,
    run_id: Option<&'a str>,
    task: Option<&'a str>,
    state: &'static str,
    mode: &'static str,
    alive: bool,
    worktree: Option<&'a str>,
    files: &'a [String],
    last_failure: Option<&'a str>,
    last_message: Option<MessageView<'a>>,
    last_checkpoint: String,
    created_at: String,
    updated_at: String,
}

#[derive(Serialize)]
struct MessageView<'a> {
    at: String,
    who: &'static str,
    text: &'a str,
}

/// Returns sessions, the latest first.
pub fn list(sessions: &[ListedSession]) -> Value {
    let views: Vec<SessionView<'_>> = sessions.iter().map(view).collect();
    json!({ "schema": SCHEMA, "sessions": views })
}

/// Returns a session with its messages.
pub fn one(seen: &ListedSession) -> Value {
    let messages: Vec<MessageView<'_>> = seen.session.messages.iter().map(message).collect();
    json!({ "schema": SCHEMA, "session": view(seen), "messages": messages })
}

/// Returns the context for an agent that resumes a session, and the command
/// line that resumes it in its host.
pub fn resumed(seen: &ListedSession, found: &RecallResult, command: Option<&[String]>) -> Value {
    let shown = found.shown.as_ref();
    json!({
        "schema": SCHEMA,
        "session": view(seen),
        "text": shown.map_or("", |shown| shown.text.as_str()),
        "tokens": shown.map_or(0, |shown| shown.tokens),
        "command": command,
    })
}

fn view(seen: &ListedSession) -> SessionView<'_> {
    let SessionRecord {
        id,
        task,
        external,
        state,
        mode,
        worktree,
        last_checkpoint,
        messages,
        files,
        last_failure,
        created,
        updated,
        run,
        is_broken: _,
        taken_up: _,
    } = &seen.session;
    SessionView {
        id,
        session_id: external.as_deref(),
        run_id: run.as_deref(),
        task: task.as_deref(),
        state: state.word(),
        mode: mode.word(),
        alive: seen.is_alive,
        worktree: worktree.as_deref(),
        files,
        last_failure: last_failure.as_deref(),
        last_message: messages.last().map(message),
        last_checkpoint: at(*last_checkpoint),
        created_at: at(*created),
        updated_at: at(*updated),
    }
}

fn message(message: &SessionMessage) -> MessageView<'_> {
    MessageView { at: at(message.at), who: message.who.word(), text: &message.text }
}

fn at(millis: i64) -> String {
    moment(Timestamp::from_millis(millis))
}
