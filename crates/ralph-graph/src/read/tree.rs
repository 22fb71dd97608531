//! A syntax tree as a flat list in the order of the text.
//!
//! The parser's own tree is walked once with a cursor. Parents, fields and the
//! ends of subtrees are then plain numbers, so navigation needs neither the
//! parser nor recursion.

use tree_sitter::{Language, Node, Tree, TreeCursor};

use super::names::{field, kind};

/// The index of a node in its [`FlatTree`].
pub(crate) type NodeIndex = usize;

/// A named node of the syntax tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlatNode {
    /// Its kind, one of [`kind`].
    pub(crate) kind: u16,
    /// Its role in the parent, one of [`field`].
    pub(crate) field: u8,
    /// True if a rule has already read this name, so it is not recorded as a
    /// use.
    pub(crate) taken: bool,
    /// Its first byte.
    pub(crate) start: u32,
    /// The byte after its last.
    pub(crate) end: u32,
    /// The node that contains it; the root contains itself.
    pub(crate) parent: u32,
    /// The first node after everything inside it.
    pub(crate) after: u32,
}

/// Translates numbers of a grammar to those of [`kind`] and [`field`].
#[derive(Debug)]
pub(crate) struct GrammarTable {
    kinds: Vec<NodeKindEntry>,
    fields: Vec<u8>,
}

/// The data about a kind of node that the walk needs.
#[derive(Debug, Clone, Copy)]
struct NodeKindEntry {
    kind: u16,
    inside: DescentRule,
}

/// Tells whether the walk looks inside a kind of node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DescentRule {
    Seen,
    /// Never.
    Closed,
    /// Not if it begins with a quote: strings contain expressions only if a
    /// letter before the quote says so.
    Plain,
}

/// Kinds of nodes that no language looks into.
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

impl GrammarTable {
    pub(crate) fn of(language: &Language, closed: &[u16], plain: &[u16]) -> Self {
        let ids = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let kinds = ids.map(|id| {
            let kind = if !language.node_kind_is_named(id) || !language.node_kind_is_visible(id) {
                kind::UNNAMED
            } else {
                language.node_kind_for_id(id).map_or(kind::OTHER, kind::by_name)
            };
            let inside = if CLOSED.contains(&kind) || closed.contains(&kind) {
                DescentRule::Closed
            } else if plain.contains(&kind) {
                DescentRule::Plain
            } else {
                DescentRule::Seen
            };
            NodeKindEntry { kind, inside }
        });
        let ids = 0..=u16::try_from(language.field_count()).unwrap_or(u16::MAX);
        let fields = ids.map(|id| {
            let name = language.field_name_for_id(id);
            name.map_or(field::NONE, field::by_name)
        });
        Self { kinds: kinds.collect(), fields: fields.collect() }
    }

    fn sort(&self, node: Node<'_>) -> NodeKindEntry {
        // Only syntax errors have a number outside the table.
        let other = NodeKindEntry { kind: kind::OTHER, inside: DescentRule::Seen };
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(other)
    }
}

/// All named nodes, each before its contents.
#[derive(Debug, Default)]
pub(crate) struct FlatTree {
    pub(crate) nodes: Vec<FlatNode>,
    /// The first byte that breaks the grammar.
    pub(crate) broken_at: Option<u32>,
    open: Vec<OpenNode>,
}

/// A node whose contents are being walked.
#[derive(Debug, Clone, Copy)]
struct OpenNode {
    place: u32,
    /// Number of its direct named nodes that are still to come.
    left: usize,
}

impl FlatTree {
    /// Fills this list from a tree, reusing its memory.
    ///
    /// Each call of the parser's cursor costs as much as all other work on a
    /// node, so calls are avoided if a number tells the same: no grammar puts
    /// named nodes into unnamed ones, and after the last named node there are
    /// only signs.
    pub(crate) fn fill(&mut self, tree: &Tree, source: &[u8], table: &GrammarTable) {
        self.nodes.clear();
        self.open.clear();
        self.broken_at = first_error(tree, table);
        let mut cursor = tree.walk();
        // The root contains itself.
        let mut within = OpenNode { place: 0, left: 1 };
        loop {
            let node = cursor.node();
            let sort = table.sort(node);
            if sort.kind != kind::UNNAMED {
                within.left = within.left.saturating_sub(1);
                let place = self.push(node, sort.kind, field_of(&cursor, table), within.place);
                let left = match sort.inside {
                    DescentRule::Closed => 0,
                    DescentRule::Plain if begins_with_quote(node, source) => 0,
                    DescentRule::Plain | DescentRule::Seen => node.named_child_count(),
                };
                if left > 0 && cursor.goto_first_child() {
                    self.open.push(within);
                    within = OpenNode { place, left };
                    continue;
                }
            }
            while within.left == 0 || !cursor.goto_next_sibling() {
                let Some(outer) = self.open.pop() else { return };
                cursor.goto_parent();
                self.nodes[within.place as usize].after = offset(self.nodes.len());
                within = outer;
            }
        }
    }

    fn push(&mut self, node: Node<'_>, kind: u16, field: u8, parent: u32) -> u32 {
        let place = offset(self.nodes.len());
        self.nodes.push(FlatNode {
            kind,
            field,
            taken: false,
            start: offset(node.start_byte()),
            end: offset(node.end_byte()),
            parent,
            after: place + 1,
        });
        place
    }
}

fn begins_with_quote(node: Node<'_>, source: &[u8]) -> bool {
    matches!(source.get(node.start_byte()), Some(b'"' | b'\''))
}

fn field_of(cursor: &TreeCursor<'_>, table: &GrammarTable) -> u8 {
    cursor.field_id().map_or(field::NONE, |id| table.fields[usize::from(id.get())])
}

/// Returns the first byte that breaks the grammar.
fn first_error(tree: &Tree, table: &GrammarTable) -> Option<u32> {
    if !tree.root_node().has_error() {
        return None;
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            return Some(offset(node.start_byte()));
        }
        if node.has_error()
            && table.sort(node).inside != DescentRule::Closed
            && cursor.goto_first_child()
        {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// Converts a byte or node number: files of 4 GiB are never read.
pub(crate) fn offset(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
