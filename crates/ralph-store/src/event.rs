//! What happened, in order: the record that only grows.

use ralph_core::{RunId, SessionId, Timestamp};

/// Something that happened and is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The iteration it belongs to.
    pub iteration: Option<u32>,
    /// The session of the host it happened in.
    pub session: Option<SessionId>,
    /// What kind of thing happened.
    pub kind: String,
    /// When it happened.
    pub at: Timestamp,
    /// The facts, as a JSON object.
    pub data: String,
}

/// An event and its place in the order of all events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number: later events have higher ones; numbers may be left out.
    pub seq: u64,
    /// The event.
    pub event: NewEvent,
}

/// Which events are asked for, oldest first.
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
