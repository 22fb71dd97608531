//! A note as the index knew it, for a log that lost a part of it.

use serde::{Deserialize, Serialize};

use super::{EventActor, EventContext, NoteContent};

/// A note and all that became of it. Who wrote it and where is the event's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestoredNote {
    /// The note.
    pub note: NoteContent,
    /// When it was first written down, in milliseconds since 1970.
    pub recorded: i64,
    /// Since when it holds as it is.
    pub valid_from: i64,
    /// Whether the user wrote it, or checks proved it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verified: bool,
    /// When it ended, who said so, why, and what took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<(i64, EventActor, String, Option<String>)>,
    /// Other tasks that came to the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<EventContext>,
    /// What outcomes are counted for.
    pub believed_at: i64,
    /// What outcomes add for and against it, as the bits of the numbers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub outcomes: [u64; 2],
    /// How often it was shown, cited, credited and discredited, and its tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counts: [u64; 5],
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
