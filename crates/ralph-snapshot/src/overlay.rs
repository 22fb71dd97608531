//! Changes since the private index was written, saved beside it.
//!
//! Rewriting the index takes time in proportion to the work tree. So a few
//! changes are kept here, and only many of them go into the index.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::escape::{escape, unescape};
use crate::manifest::{parse_stat, render_stat};
use crate::oid::Oid;
use crate::stat::FileStat;
use crate::tree_object::TreeNode;

/// A file that differs from the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverlayEntry {
    Gone,
    There {
        node: TreeNode,
        /// `None` while the file is too new to be sure.
        stat: Option<FileStat>,
    },
}

/// Files that differ from the index, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexOverlay(pub(crate) BTreeMap<Vec<u8>, OverlayEntry>);

impl IndexOverlay {
    pub(crate) fn render(&self, text: &mut String) {
        for (path, later) in &self.0 {
            match later {
                OverlayEntry::Gone => text.push_str("- - "),
                OverlayEntry::There { node, stat } => {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "{:o}:{} ", node.mode, node.id);
                    match stat {
                        Some(stat) => render_stat(stat, text),
                        None => text.push('-'),
                    }
                    text.push(' ');
                }
            }
            escape(path, text);
            text.push('\n');
        }
    }

    /// Parses an overlay; `None` if a line is invalid.
    pub(crate) fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        lines.map(parse_line).collect::<Option<_>>().map(Self)
    }
}

fn parse_line(line: &str) -> Option<(Vec<u8>, OverlayEntry)> {
    let mut words = line.splitn(3, ' ');
    let (node, stat, path) = (words.next()?, words.next()?, unescape(words.next()?)?);
    if node == "-" {
        return Some((path, OverlayEntry::Gone));
    }
    let (mode, id) = node.split_once(':')?;
    let node = TreeNode { mode: u32::from_str_radix(mode, 8).ok()?, id: Oid::parse(id)? };
    let stat = if stat == "-" { None } else { Some(parse_stat(stat)?) };
    Some((path, OverlayEntry::There { node, stat }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oid::ObjectKind;

    #[test]
    fn an_overlay_survives_the_way_through_text() {
        let node = TreeNode { mode: 0o100_755, id: Oid::of(ObjectKind::Blob, b"") };
        let stat = Some(FileStat { size: 1, modified: -2, changed: 3, inode: 4 });
        let overlay = IndexOverlay(BTreeMap::from([
            (b"a \n\xff".to_vec(), OverlayEntry::There { node, stat }),
            (b"b".to_vec(), OverlayEntry::There { node, stat: None }),
            (b" c".to_vec(), OverlayEntry::Gone),
        ]));
        let mut text = String::new();
        overlay.render(&mut text);
        assert_eq!(IndexOverlay::parse(text.lines()), Some(overlay));
        assert_eq!(IndexOverlay::parse(["not ours"].into_iter()), None);
    }
}
