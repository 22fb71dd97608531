//! Metadata of a snapshot as text: the message of a commit in git, the head of
//! a file outside.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ralph_core::Timestamp;

use crate::escape::{escape, unescape};
use crate::modes::{FileModes, UsualModes};
use crate::path_bytes;
use crate::scope::{LeftOutFile, WhyLeftOut};

/// Metadata of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeFacts {
    pub(crate) at: Timestamp,
    pub(crate) left_out: Vec<LeftOutFile>,
    /// Repositories inside the work tree.
    pub(crate) nested: Vec<PathBuf>,
    /// Folders without a file of the tree below them. They are collected at the
    /// start of a run; later snapshots list those that still exist.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) modes: FileModes,
    /// In git: tells if files may have bytes that differ from those git stores.
    pub(crate) attributes: AttributesPresence,
}

/// Presence of a `.gitattributes` file in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributesPresence {
    Absent,
    Present,
}

impl TreeFacts {
    pub(crate) fn render(&self) -> String {
        let mut text = format!("at: {}\n", self.at.as_millis());
        for LeftOutFile { path, bytes, why } in &self.left_out {
            let key = match why {
                WhyLeftOut::TooLarge => "too-large",
                WhyLeftOut::Unreadable => "unreadable",
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "{key}: {bytes} ");
            push_path(&mut text, path);
        }
        for (key, paths) in [("nested: ", &self.nested), ("folder: ", &self.folders)] {
            for path in paths {
                text.push_str(key);
                push_path(&mut text, path);
            }
        }
        if let Some(UsualModes { file, executable }) = self.modes.usual {
            let _ = writeln!(text, "usual: {file:o} {executable:o}");
        }
        for (key, modes) in [("mode", &self.modes.listed), ("folder-mode", &self.modes.folders)] {
            for (path, mode) in modes {
                let _ = write!(text, "{key}: {mode:o} ");
                push_path(&mut text, path);
            }
        }
        if self.attributes == AttributesPresence::Present {
            text.push_str("attributes: present\n");
        }
        text
    }

    /// Parses the lines it knows; `None` without a time.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut at = None;
        let mut attributes = AttributesPresence::Absent;
        let (mut left_out, mut nested, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        let mut modes = FileModes::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once(": ")) {
            match key {
                "at" => at = value.parse().ok().map(Timestamp::from_millis),
                "too-large" => left_out.push(parse_left_out(value, WhyLeftOut::TooLarge)?),
                "unreadable" => left_out.push(parse_left_out(value, WhyLeftOut::Unreadable)?),
                "nested" => nested.push(parse_path(value)?),
                "folder" => folders.push(parse_path(value)?),
                "usual" => modes.usual = Some(parse_usual(value)?),
                "mode" | "folder-mode" => {
                    let (mode, path) = value.split_once(' ')?;
                    let modes = if key == "mode" { &mut modes.listed } else { &mut modes.folders };
                    modes.insert(parse_path(path)?, parse_mode(mode)?);
                }
                "attributes" => attributes = AttributesPresence::Present,
                _ => {}
            }
        }
        Some(Self { at: at?, left_out, nested, folders, modes, attributes })
    }
}

fn parse_usual(text: &str) -> Option<UsualModes> {
    let (file, executable) = text.split_once(' ')?;
    Some(UsualModes { file: parse_mode(file)?, executable: parse_mode(executable)? })
}

fn parse_mode(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777)
}

fn push_path(text: &mut String, path: &Path) {
    escape(&path_bytes::to_bytes(path), text);
    text.push('\n');
}

fn parse_path(text: &str) -> Option<PathBuf> {
    unescape(text).map(|bytes| path_bytes::from_bytes(&bytes))
}

fn parse_left_out(text: &str, why: WhyLeftOut) -> Option<LeftOutFile> {
    let (bytes, path) = text.split_once(' ')?;
    Some(LeftOutFile { path: parse_path(path)?, bytes: bytes.parse().ok()?, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_survive_the_way_through_text() {
        let why = WhyLeftOut::Unreadable;
        let facts = TreeFacts {
            at: Timestamp::from_millis(1_700_000_000_123),
            left_out: vec![
                LeftOutFile { path: "a b\n: c".into(), bytes: 7, why: WhyLeftOut::TooLarge },
                LeftOutFile { path: " x ".into(), bytes: 0, why },
            ],
            nested: vec!["vendor/lib".into()],
            folders: vec!["empty".into(), "%".into()],
            modes: FileModes {
                usual: Some(UsualModes { file: 0o640, executable: 0o755 }),
                listed: [("a b".into(), 0o4711)].into(),
                folders: [("empty".into(), 0o700)].into(),
            },
            attributes: AttributesPresence::Present,
        };
        assert_eq!(TreeFacts::parse(&facts.render()), Some(facts));
        assert_eq!(TreeFacts::parse("nested: a\n"), None);
    }
}
