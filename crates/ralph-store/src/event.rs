//! Events of runs and sessions, in order. Events are only ever added.

use ralph_core::{RunId, SessionId, Timestamp};

/// A new event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The iteration it belongs to.
    pub iteration: Option<u32>,
    /// The session of the host it happened in.
    pub session: Option<SessionId>,
    /// The kind of event, such as `tool_used`.
    pub kind: String,
    /// The time of the event.
    pub at: Timestamp,
    /// The facts, as a JSON object.
    pub data: String,
}

/// An event and its place in the order of all events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number. Later events have higher numbers; there may be gaps.
    pub seq: u64,
    /// The event.
    pub event: NewEvent,
}

/// A filter for events, which are returned oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQuery {
    /// Only those of this run.
    pub run: Option<RunId>,
    /// Only those of this session.
    pub session: Option<SessionId>,
    /// Only those with a higher number; 0 for all.
    pub after: u64,
    /// At most this many.
    pub limit: u32,
}
