//! A syntax tree laid flat, so that it can be walked without recursion.
//!
//! Nodes stand in the order in which they begin. The nodes inside of a node
//! follow it directly, which makes "everything inside" a range. Sources come
//! from an agent: a tree may be as deep as the file is long.

use std::collections::HashMap;
use std::ops::Range;

use ast_grep_core::Node as SyntaxNode;
use ast_grep_language::SupportLang;

use ralph_checks::parsing;

/// One node, by its place in the tree.
pub(super) type FlatNodeId = usize;

/// A parsed file.
pub(super) struct FlatSyntaxTree<'a> {
    text: &'a str,
    nodes: Vec<FlatSyntaxNode>,
    /// The names of its kinds in the grammar.
    kinds: Vec<String>,
    /// True if the parser had to guess somewhere.
    pub(super) broken: bool,
}

struct FlatSyntaxNode {
    /// By its place among the kinds.
    kind: usize,
    bytes: Range<usize>,
    line: u32,
    parent: FlatNodeId,
    /// One past the last node inside.
    end: FlatNodeId,
}

impl<'a> FlatSyntaxTree<'a> {
    /// Parses a file. `None` if that is too much work.
    pub(super) fn parse(text: &'a str, language: SupportLang) -> Option<Self> {
        let root = parsing::parse(text, language).ok()?;
        let broken = root.root().get_inner_node().has_error();
        let mut nodes: Vec<FlatSyntaxNode> = Vec::new();
        let mut kinds = Vec::new();
        let mut known: HashMap<u16, usize> = HashMap::new();
        let mut open: Vec<(SyntaxNode<'_, _>, FlatNodeId)> = vec![(root.root(), 0)];
        while let Some((node, parent)) = open.pop() {
            let id = nodes.len();
            let kind = *known.entry(node.kind_id()).or_insert_with(|| {
                kinds.push(node.kind().into_owned());
                kinds.len() - 1
            });
            nodes.push(FlatSyntaxNode {
                kind,
                bytes: node.range(),
                line: u32::try_from(node.start_pos().line()).unwrap_or(u32::MAX).saturating_add(1),
                parent,
                end: id + 1,
            });
            let first = open.len();
            open.extend(node.children().map(|child| (child, id)));
            open[first..].reverse();
        }
        for id in (1..nodes.len()).rev() {
            let FlatSyntaxNode { parent, end, .. } = nodes[id];
            nodes[parent].end = nodes[parent].end.max(end);
        }
        Some(Self { text, nodes, kinds, broken })
    }

    /// All nodes.
    pub(super) fn all(&self) -> Range<FlatNodeId> {
        0..self.nodes.len()
    }

    /// The node and everything inside of it.
    pub(super) fn inside(&self, id: FlatNodeId) -> Range<FlatNodeId> {
        id..self.nodes[id].end
    }

    /// The nodes directly inside of a node.
    pub(super) fn children(&self, id: FlatNodeId) -> impl Iterator<Item = FlatNodeId> {
        let mut next = id + 1;
        let end = self.nodes[id].end;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.nodes[child].end;
                child
            })
        })
    }

    /// The first node directly inside of a node that is of one of the kinds.
    pub(super) fn child(&self, id: FlatNodeId, kinds: &[&str]) -> Option<FlatNodeId> {
        self.children(id).find(|&child| kinds.contains(&self.kind(child)))
    }

    /// The nodes around a node, the nearest first.
    pub(super) fn around(&self, id: FlatNodeId) -> impl Iterator<Item = FlatNodeId> {
        let mut at = id;
        std::iter::from_fn(move || {
            (at != 0).then(|| {
                at = self.nodes[at].parent;
                at
            })
        })
    }

    /// Returns the next sibling of a node.
    pub(super) fn after(&self, id: FlatNodeId) -> Option<FlatNodeId> {
        let next = self.nodes[id].end;
        (id != 0 && next < self.nodes[self.parent(id)].end).then_some(next)
    }

    /// Returns the previous sibling of a node.
    pub(super) fn before(&self, id: FlatNodeId) -> Option<FlatNodeId> {
        self.children(self.parent(id)).take_while(|&sibling| sibling < id).last()
    }

    /// The node directly around a node; the root is its own.
    pub(super) fn parent(&self, id: FlatNodeId) -> FlatNodeId {
        self.nodes[id].parent
    }

    /// Returns the name of the node's kind in the grammar.
    pub(super) fn kind(&self, id: FlatNodeId) -> &str {
        &self.kinds[self.nodes[id].kind]
    }

    /// The line it begins on, from 1.
    pub(super) fn line(&self, id: FlatNodeId) -> u32 {
        self.nodes[id].line
    }

    /// The byte it begins with.
    pub(super) fn start(&self, id: FlatNodeId) -> usize {
        self.nodes[id].bytes.start
    }

    /// The byte behind it.
    pub(super) fn end(&self, id: FlatNodeId) -> usize {
        self.nodes[id].bytes.end
    }

    /// The text of a node.
    pub(super) fn text(&self, id: FlatNodeId) -> &'a str {
        self.text.get(self.nodes[id].bytes.clone()).unwrap_or_default()
    }

    /// True if there is nothing inside.
    pub(super) fn is_leaf(&self, id: FlatNodeId) -> bool {
        self.nodes[id].end == id + 1
    }

    /// True if the node is a comment.
    pub(super) fn is_comment(&self, id: FlatNodeId) -> bool {
        self.kind(id).contains("comment")
    }

    /// The text from the first of some nodes to the last.
    pub(super) fn span(&self, ids: &Range<FlatNodeId>) -> &'a str {
        let end = ids.clone().map(|id| self.nodes[id].bytes.end).max().unwrap_or_default();
        self.text.get(self.nodes[ids.start].bytes.start..end).unwrap_or_default()
    }

    /// Returns the text before a node on its line.
    pub(super) fn before_on_line(&self, id: FlatNodeId) -> &'a str {
        let before = self.text.get(..self.nodes[id].bytes.start).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// Returns the text of a node's line from the node on.
    pub(super) fn rest_of_line(&self, id: FlatNodeId) -> &'a str {
        let rest = self.text.get(self.nodes[id].bytes.start..).unwrap_or_default();
        rest.lines().next().unwrap_or_default()
    }

    /// The words of some nodes, without remarks and without what formatters
    /// add or take away.
    pub(super) fn tokens(&self, ids: Range<FlatNodeId>) -> Vec<&'a str> {
        let mut out = Vec::new();
        let mut at = ids.start;
        while at < ids.end {
            if self.is_comment(at) {
                at = self.nodes[at].end;
                continue;
            }
            if self.is_leaf(at) {
                match self.text(at).trim() {
                    "" | "," | ";" => {}
                    "'" | "`" | "'''" | "\"\"\"" => out.push("\""),
                    text => out.push(text),
                }
            }
            at += 1;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_of_a_node_follows_it() {
        let tree = FlatSyntaxTree::parse("fn a() { b(1); }\nfn c() {}", SupportLang::Rust).unwrap();
        let functions: Vec<FlatNodeId> = tree.children(0).collect();
        assert_eq!(functions.len(), 2);
        assert_eq!(tree.text(functions[1]), "fn c() {}");
        assert_eq!(tree.line(functions[1]), 2);
        assert_eq!(tree.after(functions[0]), Some(functions[1]));
        assert_eq!(tree.before(functions[1]), Some(functions[0]));
        assert_eq!(tree.inside(functions[0]).end, functions[1]);
        assert!(tree.around(functions[0] + 1).eq([functions[0], 0]));
    }

    #[test]
    fn depth_is_no_danger() {
        let text = "(".repeat(100_000);
        let tree = FlatSyntaxTree::parse(&text, SupportLang::Python).unwrap();
        assert!(tree.broken);
    }
}
