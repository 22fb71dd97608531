//! Ids of git objects, computed without git.

use std::fmt;

use sha1::{Digest, Sha1};

/// The id of an object in a repository that uses SHA-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Oid([u8; Self::LEN]);

/// The type of a git object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
}

impl ObjectKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }
}

impl Oid {
    pub(crate) const LEN: usize = 20;

    /// Computes the id of an object with these contents.
    pub(crate) fn of(kind: ObjectKind, contents: &[u8]) -> Self {
        let mut naming = ObjectIdHasher::new(kind, contents.len() as u64);
        naming.add(contents);
        naming.end()
    }

    /// Parses an id; `None` for other text, or for an id of SHA-256.
    pub(crate) fn parse(hex: &str) -> Option<Self> {
        let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
        let digits = digits.filter(|digits| digits.len() == 2 * Self::LEN)?;
        let bytes: Option<Vec<u8>> =
            digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect();
        Self::from_bytes(&bytes?)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Computes an object's id from contents that arrive in parts.
pub(crate) struct ObjectIdHasher(Sha1);

impl ObjectIdHasher {
    pub(crate) fn new(kind: ObjectKind, size: u64) -> Self {
        Self(Sha1::new().chain_update(format!("{} {size}\0", kind.name())))
    }

    pub(crate) fn add(&mut self, contents: &[u8]) {
        self.0.update(contents);
    }

    pub(crate) fn end(self) -> Oid {
        Oid(self.0.finalize().into())
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_names_that_git_gives_them() {
        let empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(Oid::of(ObjectKind::Tree, b"").to_string(), empty_tree);
        let hello = "ce013625030ba8dba906f756967f9e9ca394464a";
        assert_eq!(Oid::of(ObjectKind::Blob, b"hello\n").to_string(), hello);
        assert_eq!(Oid::parse(hello), Some(Oid::of(ObjectKind::Blob, b"hello\n")));
    }

    #[test]
    fn other_texts_are_no_names() {
        for text in ["", "ce01", &"x".repeat(40), &"a".repeat(64), &"é".repeat(20)] {
            assert_eq!(Oid::parse(text), None, "{text}");
        }
    }
}
