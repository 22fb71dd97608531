//! The JSON of sessions of agents.

use ralph_core::Timestamp;
use ralph_memory::{SessionMessage, SessionRecord};
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

/// Returns sessions, the latest first.
pub fn list(sessions: &[ListedSession]) -> Value {
    let views: Vec<Value> = sessions.iter().map(view).collect();
    json!({ "schema": SCHEMA, "sessions": views })
}

/// Returns a session with its messages.
pub fn one(seen: &ListedSession) -> Value {
    let messages: Vec<Value> = seen.session.messages.iter().map(message).collect();
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

fn view(seen: &ListedSession) -> Value {
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
    json!({
        "id": id,
        "session_id": external,
        "run_id": run,
        "task": task,
        "state": state.word(),
        "mode": mode.word(),
        "alive": seen.is_alive,
        "worktree": worktree,
        "files": files,
        "last_failure": last_failure,
        "last_message": messages.last().map(message),
        "last_checkpoint": at(*last_checkpoint),
        "created_at": at(*created),
        "updated_at": at(*updated),
    })
}

fn message(message: &SessionMessage) -> Value {
    json!({ "at": at(message.at), "who": message.who.word(), "text": message.text })
}

fn at(millis: i64) -> String {
    moment(Timestamp::from_millis(millis))
}
