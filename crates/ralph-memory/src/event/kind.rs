//! What kind of thing a note is about.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use ralph_core::memory::belief::Days;

/// What kind of thing a note is about.
///
/// In the log, on the command line and in the index it is its word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// What holds always and is shown always.
    Constitution,
    /// How something is done.
    Skill,
    /// How things look here.
    Pattern,
    /// What goes wrong.
    Gotcha,
    /// What was decided, and why.
    Decision,
    /// What was found out.
    Discovery,
    /// What is typed to do something.
    Command,
    /// What is so.
    Fact,
    /// What failed.
    Failure,
    /// What was tried.
    Approach,
    /// What an import calls by a word that is none of ours.
    Other(OtherKind),
}

/// A word for a kind that is none of ours; made by [`NoteKind::of`] alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OtherKind(String);

impl NoteKind {
    /// Our own kinds.
    pub const OURS: [Self; 10] = [
        Self::Constitution,
        Self::Skill,
        Self::Pattern,
        Self::Gotcha,
        Self::Decision,
        Self::Discovery,
        Self::Command,
        Self::Fact,
        Self::Failure,
        Self::Approach,
    ];

    /// The kind with this word; one that is none of ours is taken as it is.
    pub fn of(word: &str) -> Self {
        let ours = Self::OURS.into_iter().find(|kind| kind.word() == word);
        ours.unwrap_or_else(|| Self::Other(OtherKind(word.to_owned())))
    }

    /// Its word.
    pub fn word(&self) -> &str {
        match self {
            Self::Constitution => "constitution",
            Self::Skill => "skill",
            Self::Pattern => "pattern",
            Self::Gotcha => "gotcha",
            Self::Decision => "decision",
            Self::Discovery => "discovery",
            Self::Command => "command",
            Self::Fact => "fact",
            Self::Failure => "failure",
            Self::Approach => "approach",
            Self::Other(OtherKind(word)) => word,
        }
    }

    /// After how long half of what came of such a note no longer counts;
    /// `None` when it counts for ever.
    pub fn half_life(&self) -> Option<Days> {
        match self {
            Self::Constitution | Self::Decision => None,
            Self::Skill | Self::Pattern => Some(Days(365.0)),
            Self::Gotcha | Self::Fact | Self::Failure => Some(Days(180.0)),
            Self::Command => Some(Days(90.0)),
            Self::Discovery | Self::Approach | Self::Other(_) => Some(Days(60.0)),
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Serialize for NoteKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for NoteKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_and_its_kind_lead_to_each_other() {
        for kind in NoteKind::OURS {
            assert_eq!(NoteKind::of(kind.word()), kind);
        }
        assert_eq!(NoteKind::of("turn").word(), "turn");
        let json = serde_json::to_string(&NoteKind::of("turn")).unwrap();
        assert_eq!(serde_json::from_str::<NoteKind>(&json).unwrap(), NoteKind::of("turn"));
    }
}
