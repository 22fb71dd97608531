//! A syntax tree as a flat list in the order of the text.
//!
//! The parser's own tree is walked once with a cursor. Parents, fields and
//! the ends of subtrees are then plain numbers, so that whoever reads it can
//! look around without calling the parser again, and nothing recurses.

use tree_sitter::{Language, Tree, TreeCursor};

use super::names::{field, kind};

/// The place of a node in its [`Flat`].
pub(crate) type At = usize;

/// A named node of the syntax tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// What it is, one of [`kind`].
    pub(crate) kind: u16,
    /// What it is to its parent, one of [`field`].
    pub(crate) field: u8,
    /// Whether somebody has said what this name is, so that it is no use of it.
    pub(crate) taken: bool,
    /// Its first byte.
    pub(crate) start: u32,
    /// The byte behind its last.
    pub(crate) end: u32,
    /// The node it is in; the root is in itself.
    pub(crate) parent: u32,
    /// The first node behind all that is in it.
    pub(crate) after: u32,
}

/// Numbers of a grammar translated to those of [`kind`] and [`field`].
#[derive(Debug)]
pub(crate) struct Table {
    kinds: Vec<u16>,
    fields: Vec<u8>,
    /// Further kinds of nodes in which there is nothing to see.
    closed: &'static [u16],
}

/// Kinds of nodes in which there is nothing to see in any language.
const CLOSED: &[u16] = &[
    kind::COMMENT,
    kind::LINE_COMMENT,
    kind::BLOCK_COMMENT,
    kind::STRING_LITERAL,
    kind::RAW_STRING_LITERAL,
    kind::INTERPRETED_STRING_LITERAL,
    kind::CHAR_LITERAL,
    kind::REGEX,
];

impl Table {
    pub(crate) fn of(language: &Language, closed: &'static [u16]) -> Self {
        let ids = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let kinds = ids.map(|id| {
            if !language.node_kind_is_named(id) || !language.node_kind_is_visible(id) {
                return kind::UNNAMED;
            }
            language.node_kind_for_id(id).map_or(kind::OTHER, kind::by_name)
        });
        let ids = 0..=u16::try_from(language.field_count()).unwrap_or(u16::MAX);
        let fields = ids.map(|id| {
            let name = language.field_name_for_id(id);
            name.map_or(field::NONE, field::by_name)
        });
        Self { kinds: kinds.collect(), fields: fields.collect(), closed }
    }
}

/// All named nodes, each before what is in it.
#[derive(Debug, Default)]
pub(crate) struct Flat {
    pub(crate) nodes: Vec<Node>,
    /// The byte at which the text first leaves the grammar.
    pub(crate) broken_at: Option<u32>,
}

impl Flat {
    /// Fills this list, whose memory is used again, from a tree.
    pub(crate) fn fill(&mut self, tree: &Tree, table: &Table) {
        self.nodes.clear();
        self.broken_at = None;
        let broken = tree.root_node().has_error();
        let mut cursor = tree.walk();
        let mut open: Vec<Option<u32>> = Vec::new();
        let mut parent = 0;
        loop {
            let here = self.push(&cursor, table, parent);
            if broken && self.broken_at.is_none() {
                let node = cursor.node();
                if node.is_error() || node.is_missing() {
                    self.broken_at = Some(offset(node.start_byte()));
                }
            }
            let closed = here.is_some_and(|here| {
                let kind = self.nodes[here as usize].kind;
                CLOSED.contains(&kind) || table.closed.contains(&kind)
            });
            if !closed && cursor.goto_first_child() {
                // An unnamed node with children is passed through.
                parent = here.unwrap_or(parent);
                open.push(here);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                if let Some(closed) = open.pop().flatten() {
                    let after = offset(self.nodes.len());
                    let node = &mut self.nodes[closed as usize];
                    node.after = after;
                    parent = node.parent;
                }
            }
        }
    }

    fn push(&mut self, cursor: &TreeCursor<'_>, table: &Table, parent: u32) -> Option<u32> {
        let node = cursor.node();
        let kind = table.kinds.get(usize::from(node.kind_id())).copied();
        // Only the node of a syntax error has a number outside the table.
        let kind = kind.unwrap_or(kind::OTHER);
        if kind == kind::UNNAMED {
            return None;
        }
        let place = offset(self.nodes.len());
        let field = cursor.field_id().map_or(field::NONE, |id| table.fields[usize::from(id.get())]);
        self.nodes.push(Node {
            kind,
            field,
            taken: false,
            start: offset(node.start_byte()),
            end: offset(node.end_byte()),
            parent,
            after: place + 1,
        });
        Some(place)
    }
}

/// A byte or node number as it is kept: files of 4 GiB are never read.
pub(crate) fn offset(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
