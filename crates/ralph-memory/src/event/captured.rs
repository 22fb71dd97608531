//! What is captured of sessions.

use serde::{Deserialize, Serialize};

/// A tool that was used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUseRecord {
    /// Its name.
    pub tool: String,
    /// The files it touched, from the root of the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What it was about, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A commit that was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRecord {
    /// Its name.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// The files it touched, from the root of the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The commit that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
}

/// How a session stands.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It goes on.
    #[default]
    Active,
    /// It was left and can go on.
    Paused,
    /// Its work is done.
    Completed,
    /// It ended with an error.
    Failed,
}

impl SessionStatus {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Completed, Self::Failed];

    /// Its name, as it is stored and typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}
