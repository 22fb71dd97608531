//! Ids: each format is checked once, on input.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The id of a run: `run-` and eight lowercase hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(String);

/// Text that is not a run id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id; expected `run-` and 8 hex digits, as `ralph runs` prints them")]
pub struct ParseRunIdError(String);

impl RunId {
    /// Creates an id from 32 random bits.
    pub fn from_bits(bits: u32) -> Self {
        Self(format!("run-{bits:08x}"))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunId {
    type Err = ParseRunIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hex = |digits: &str| {
            digits.len() == 8
                && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        match text.strip_prefix("run-") {
            Some(digits) if hex(digits) => Ok(Self(text.to_owned())),
            Some(_) | None => Err(ParseRunIdError(text.to_owned())),
        }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a host's session. Never empty: an empty id would match every session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    /// Longest id accepted; hosts use some forty characters.
    pub const MAX_LEN: usize = 200;

    /// Accepts the ids that hosts use. Returns `None` for text that could match too
    /// much, or leave its folder when used as a file name.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        let sound = !text.is_empty()
            && text.len() <= Self::MAX_LEN
            && text.chars().all(plain)
            && !text.starts_with('.')
            && !text.contains("..")
            && text != "null";
        sound.then(|| Self(text.to_owned()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of the contents of a work tree: equal ids, equal files.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeId(String);

impl TreeId {
    /// Wraps the digest that the snapshot crate computed.
    pub fn new(digest: impl Into<String>) -> Self {
        Self(digest.into())
    }

    /// Returns the digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first twelve characters, enough to distinguish trees on a screen.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for TreeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One change of a file: a set of lines replaced by another, in either direction.
///
/// So a change and its reversal are the same hunk. Numbers, layout and the position
/// in the file are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hunk(u64);

impl Hunk {
    /// Wraps the digest that the snapshot crate computed.
    pub fn new(digest: u64) -> Self {
        Self(digest)
    }
}

impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Text that is not a hunk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a hunk; expected 16 hex digits")]
pub struct ParseHunkError(String);

impl FromStr for Hunk {
    type Err = ParseHunkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match u64::from_str_radix(text, 16) {
            Ok(digest) if text.len() == 16 => Ok(Self(digest)),
            Ok(_) | Err(_) => Err(ParseHunkError(text.to_owned())),
        }
    }
}

/// The changes a turn made: the set of its hunks. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Approach(BTreeSet<Hunk>);

impl Approach {
    /// Maximum number of hunks in an approach. The selection depends on the hunks
    /// alone, so an equal approach always keeps the same ones.
    pub const MOST: usize = 512;

    /// Creates the approach made of these hunks; `None` if there are none.
    pub fn new(hunks: impl IntoIterator<Item = Hunk>) -> Option<Self> {
        let mut kept = BTreeSet::new();
        for hunk in hunks {
            kept.insert(hunk);
            if kept.len() > Self::MOST {
                kept.pop_last();
            }
        }
        (!kept.is_empty()).then_some(Self(kept))
    }

    /// Parses the text that `Display` writes; `None` if it holds no hunk.
    pub fn parse(text: &str) -> Option<Self> {
        Self::new(text.split_whitespace().filter_map(|hunk| hunk.parse().ok()))
    }

    /// Returns its hunks.
    pub fn hunks(&self) -> &BTreeSet<Hunk> {
        &self.0
    }
}

/// Writes the hunks, separated by spaces.
impl fmt::Display for Approach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, hunk) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{hunk}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_survives_the_way_through_text() {
        let id = RunId::from_bits(0xbeef);
        assert_eq!(id.to_string(), "run-0000beef");
        assert_eq!("run-0000beef".parse(), Ok(id));
    }

    #[test]
    fn other_forms_are_no_run_ids() {
        for text in ["", "run-", "run-0000BEEF", "run-0000beef0", "0000beef", "run-../../etc"] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_session_id_cannot_be_empty_null_or_a_path() {
        for text in ["", "null", "..", "../x", "a/b", "a\\b", ".hidden", "a b", "a\nb"] {
            assert_eq!(SessionId::new(text), None, "{text:?}");
        }
        assert!(SessionId::new("ses_0a1B-2c.3").is_some());
        assert!(SessionId::new(&"x".repeat(201)).is_none());
    }

    #[test]
    fn an_approach_survives_the_way_through_text() {
        let approach = Approach::new([3, 1, 2].map(Hunk::new)).unwrap();
        let text = approach.to_string();
        assert_eq!(text, "0000000000000001 0000000000000002 0000000000000003");
        assert_eq!(Approach::parse(&text), Some(approach));
        assert_eq!(Approach::parse("of another form"), None);
        assert_eq!(Approach::new([]), None);
    }

    #[test]
    fn a_large_approach_is_known_by_the_same_hunks_in_any_order() {
        let hunks = (0..2000).map(Hunk::new);
        let approach = Approach::new(hunks.clone());
        assert_eq!(approach, Approach::new(hunks.rev()));
        assert_eq!(approach.unwrap().hunks().len(), Approach::MOST);
    }
}
