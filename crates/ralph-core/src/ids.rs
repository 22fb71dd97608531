//! Names of things: each form is checked once, where it enters.

use std::fmt;
use std::str::FromStr;

/// Names one loop run: `run-` and eight lowercase hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(String);

/// Text that is not a run id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id; expected `run-` and 8 hex digits, as `ralph runs` prints them")]
pub struct ParseRunIdError(String);

impl RunId {
    /// The id made of these 32 bits; the caller brings the randomness.
    pub fn from_bits(bits: u32) -> Self {
        Self(format!("run-{bits:08x}"))
    }

    /// The id as text.
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

/// Names a session of a host. Never empty: an empty id would match every session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    /// Longest id accepted; hosts use some forty characters.
    pub const MAX_LEN: usize = 200;

    /// Accepts what hosts use as ids; `None` for anything that could match
    /// too much or leave a folder when used as a file name.
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

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies the contents of a work tree: equal ids, equal files.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeId(String);

impl TreeId {
    /// Wraps the digest that the snapshot crate computed.
    pub fn new(digest: impl Into<String>) -> Self {
        Self(digest.into())
    }

    /// The digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve characters, enough to tell trees apart on a screen.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for TreeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies what a turn tried: the set of its normalised hunks.
///
/// Two turns with the same approach changed the same lines in the same way,
/// numbers and white space aside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Approach(String);

impl Approach {
    /// Wraps the digest that the snapshot crate computed.
    pub fn new(digest: impl Into<String>) -> Self {
        Self(digest.into())
    }

    /// The digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
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
}
