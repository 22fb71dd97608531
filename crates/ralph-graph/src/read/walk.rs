//! Walks a file and collects its facts.
//!
//! The rules of a language tell for each node what it defines, binds, uses or
//! imports. Only the end shows whether a use is a local variable, because names
//! may be bound after their use; see [`super::settle`].

use super::collected::{
    BindingKind, BindingScope, ByteRange, DefinitionRange, DefinitionStatus, LocalBinding,
    MemberNaming, RawDefinition, RawImport, RawImportNames, RawQualifier, RawUse, ScopeKind,
    WalkContext, WalkStep, is_type,
};
use super::comments::{self, DocCommentStyle};
use super::names::{field as f, kind as k};
use super::symbols::{InternedName, SourceInterner};
use super::tree::{FlatNode, NodeIndex, offset};
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole, SymbolVisibility};
use crate::mixer::{FastHashMap, FastHashSet};

/// Maximum nesting of definitions. No real code needs more, and the full names
/// of all would take its square.
const NESTED: usize = 100;

/// The facts of a file collected so far.
#[derive(Debug)]
pub(crate) struct SyntaxWalk<'s> {
    pub(crate) source: &'s [u8],
    pub(crate) nodes: &'s mut [FlatNode],
    pub(crate) symbols: SourceInterner<'s>,
    pub(crate) defs: Vec<RawDefinition>,
    pub(crate) uses: Vec<RawUse>,
    pub(crate) brings: Vec<RawImport>,
    pub(crate) bindings: Vec<LocalBinding>,
    /// The types of fields by type and name.
    pub(crate) field_types: FastHashMap<(InternedName, InternedName), InternedName>,
    /// The types of variables outside functions.
    pub(crate) outer_types: FastHashMap<InternedName, InternedName>,
    /// The types of definitions: for a variable its own, for a function the
    /// type of its first result.
    pub(crate) def_types: Vec<(usize, InternedName)>,
    /// The names that are defined already, by their container.
    pub(crate) defined: FastHashSet<(Option<usize>, InternedName)>,
    /// Names that the file exports by a separate statement.
    pub(crate) exported: FastHashSet<InternedName>,
    /// Names up to this node are types.
    pub(crate) types_until: NodeIndex,
    /// The first attribute before the next node, and that node.
    pub(crate) attributes: Option<(NodeIndex, NodeIndex)>,
    /// Uses of types that a type implements, written outside that type.
    pub(crate) implementing: Vec<(usize, InternedName)>,
    /// The same for types of other files, by the position of the use.
    pub(crate) implementors: Vec<(u32, InternedName)>,
    /// True if other files are inside this one.
    pub(crate) has_files_inside: bool,
    /// The way to name members of the enclosing type.
    pub(crate) members: MemberNaming,
    /// The first byte that is nested too deeply to be read.
    pub(crate) too_deep: Option<u32>,
    comments: DocCommentStyle,
    open: Vec<(usize, NodeIndex, NodeIndex)>,
    scopes: Vec<BindingScope>,
}

impl<'s> SyntaxWalk<'s> {
    pub(crate) fn new(
        source: &'s [u8],
        nodes: &'s mut [FlatNode],
        comments: DocCommentStyle,
    ) -> Self {
        // About every fourth node is a use of a name.
        let uses = nodes.len() / 4;
        Self {
            source,
            nodes,
            symbols: SourceInterner::default(),
            defs: Vec::new(),
            uses: Vec::with_capacity(uses),
            brings: Vec::new(),
            bindings: Vec::new(),
            field_types: FastHashMap::default(),
            outer_types: FastHashMap::default(),
            def_types: Vec::new(),
            defined: FastHashSet::default(),
            exported: FastHashSet::default(),
            types_until: 0,
            attributes: None,
            implementing: Vec::new(),
            implementors: Vec::new(),
            has_files_inside: false,
            members: MemberNaming::Named,
            too_deep: None,
            comments,
            open: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// Visits all nodes in the order of the text.
    pub(crate) fn run(&mut self, visit: fn(&mut SyntaxWalk<'s>, NodeIndex) -> WalkStep) {
        let mut at = 0;
        while at < self.nodes.len() {
            while self.open.last().is_some_and(|open| open.2 <= at) {
                self.open.pop();
            }
            while self.scopes.last().is_some_and(|scope| scope.after <= at) {
                self.scopes.pop();
            }
            at = if self.nodes[at].taken {
                at + 1
            } else {
                match visit(self, at) {
                    WalkStep::Into if self.open.len() >= NESTED => {
                        self.too_deep = self.too_deep.or(Some(self.nodes[at].start));
                        self.after(at)
                    }
                    WalkStep::Into => at + 1,
                    WalkStep::Over => self.after(at),
                }
            };
        }
    }

    // Access to the tree.

    pub(crate) fn kind(&self, at: NodeIndex) -> u16 {
        self.nodes[at].kind
    }

    pub(crate) fn field(&self, at: NodeIndex) -> u8 {
        self.nodes[at].field
    }

    pub(crate) fn parent(&self, at: NodeIndex) -> NodeIndex {
        self.nodes[at].parent as usize
    }

    pub(crate) fn after(&self, at: NodeIndex) -> NodeIndex {
        self.nodes[at].after as usize
    }

    pub(crate) fn bytes(&self, at: NodeIndex) -> ByteRange {
        ByteRange { start: self.nodes[at].start, end: self.nodes[at].end }
    }

    pub(crate) fn slice(&self, start: u32, end: u32) -> &'s [u8] {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn text(&self, at: NodeIndex) -> &'s [u8] {
        self.slice(self.nodes[at].start, self.nodes[at].end)
    }

    pub(crate) fn symbol(&mut self, at: NodeIndex) -> InternedName {
        let text = self.text(at);
        self.symbols.intern(text)
    }

    /// Returns the nodes directly inside a node.
    pub(crate) fn children(&self, at: NodeIndex) -> Children<'_> {
        Children { nodes: self.nodes, next: at + 1, end: self.after(at) }
    }

    /// Returns the first node in a field of a node.
    pub(crate) fn child(&self, at: NodeIndex, field: u8) -> Option<NodeIndex> {
        self.children(at).find(|child| self.nodes[*child].field == field)
    }

    /// Returns the first node of a kind directly inside a node.
    pub(crate) fn child_of(&self, at: NodeIndex, kind: u16) -> Option<NodeIndex> {
        self.children(at).find(|child| self.nodes[*child].kind == kind)
    }

    /// Returns the first node inside a node.
    pub(crate) fn first(&self, at: NodeIndex) -> Option<NodeIndex> {
        self.children(at).next()
    }

    /// Returns true if a node is in a field of a node of a kind.
    pub(crate) fn is_in(&self, at: NodeIndex, kind: u16, field: u8) -> bool {
        self.field(at) == field && self.kind(self.parent(at)) == kind
    }

    /// Returns true if a node is the only one in its parent, and that is in a
    /// node of a kind.
    pub(crate) fn is_in_alone(&self, at: NodeIndex, kind: u16) -> bool {
        let parent = self.parent(at);
        self.children(parent).count() == 1 && self.kind(self.parent(parent)) == kind
    }

    pub(crate) fn take(&mut self, at: NodeIndex) {
        self.nodes[at].taken = true;
    }

    /// Marks all nodes inside a node as read.
    pub(crate) fn take_all(&mut self, at: NodeIndex) {
        for inside in at..self.after(at) {
            self.take(inside);
        }
    }

    // Definitions.

    /// Returns the range of a definition that is one node.
    pub(crate) fn place(&self, at: NodeIndex) -> DefinitionRange {
        let ByteRange { start, end } = self.bytes(at);
        let body = self.child(at, f::BODY).map_or(end, |body| self.nodes[body].start);
        DefinitionRange { start, head: start, body, end }
    }

    /// Returns the range of a statement that is shown up to the end of its
    /// first line.
    pub(crate) fn line_place(&self, at: NodeIndex) -> DefinitionRange {
        let place = self.place(at);
        let line = comments::first_line(self.text(at)).len();
        DefinitionRange { body: place.start + offset(line), ..place }
    }

    /// Adds a definition whose name is a node.
    pub(crate) fn define(
        &mut self,
        kind: DefinitionKind,
        name: NodeIndex,
        place: DefinitionRange,
    ) -> usize {
        self.take(name);
        let symbol = self.symbol(name);
        let bytes = self.bytes(name);
        self.define_as(kind, symbol, bytes, place)
    }

    /// Adds a definition whose name is not a node.
    pub(crate) fn define_as(
        &mut self,
        kind: DefinitionKind,
        name: InternedName,
        name_bytes: ByteRange,
        place: DefinitionRange,
    ) -> usize {
        let container = self.container();
        let outer = container.map(|container| &self.defs[container]);
        let purpose = outer.map_or(CodePurpose::Code, |outer| outer.purpose.inside());
        let reach = match self.here() {
            WalkContext::Function => SymbolVisibility::File,
            WalkContext::Outside | WalkContext::Type(_) => SymbolVisibility::Project,
        };
        self.defined.insert((container, name));
        self.defs.push(RawDefinition {
            kind,
            name,
            container,
            owner: None,
            signature: comments::signature(self.slice(place.head, place.body)),
            doc: comments::above(self.source, place.start as usize, self.comments),
            bytes: ByteRange { start: place.start, end: place.end },
            name_bytes,
            reach,
            purpose,
            standing: DefinitionStatus::Full,
        });
        self.defs.len() - 1
    }

    /// Records an attribute that precedes its target.
    pub(crate) fn attribute(&mut self, at: NodeIndex) {
        let first = match self.attributes {
            Some((first, next)) if self.only_comments(next, at) => first,
            Some(_) | None => at,
        };
        self.attributes = Some((first, self.after(at)));
    }

    /// Returns the first of the attributes directly before a node.
    pub(crate) fn attributes_of(&self, at: NodeIndex) -> Option<NodeIndex> {
        let (first, next) = self.attributes?;
        (self.parent(first) == self.parent(at) && self.only_comments(next, at)).then_some(first)
    }

    fn only_comments(&self, from: NodeIndex, to: NodeIndex) -> bool {
        from <= to
            && (from..to)
                .all(|at| is_comment(self.kind(at)) || is_comment(self.kind(self.parent(at))))
    }

    /// Assigns the uses in a definition's attributes to it.
    pub(crate) fn claim(&mut self, def: usize) {
        let start = self.defs[def].bytes.start;
        for used in self.uses.iter_mut().rev().take_while(|used| used.bytes.start >= start) {
            used.within = Some(def);
        }
    }

    /// Makes a definition the container until the end of a node.
    pub(crate) fn enter(&mut self, def: usize, at: NodeIndex) {
        let after = self.after(at);
        self.open.push((def, at, after));
    }

    /// Returns the innermost definition that can contain others.
    pub(crate) fn container(&self) -> Option<usize> {
        let mut open = self.open.iter().rev().map(|open| open.0);
        open.find(|def| {
            !matches!(
                self.defs[*def].kind,
                DefinitionKind::Field | DefinitionKind::Constant | DefinitionKind::Variable
            )
        })
    }

    /// Returns the innermost definition.
    pub(crate) fn within(&self) -> Option<usize> {
        self.open.last().map(|open| open.0)
    }

    /// Returns the innermost type.
    pub(crate) fn enclosing_type(&self) -> Option<usize> {
        let mut open = self.open.iter().rev().map(|open| open.0);
        open.find(|def| is_type(self.defs[*def].kind))
    }

    /// Returns the innermost context of the walk.
    pub(crate) fn here(&self) -> WalkContext {
        let scope = self.scopes.last().map(|scope| scope.at);
        for (def, at, _) in self.open.iter().rev() {
            if scope.is_some_and(|scope| scope >= *at) {
                return WalkContext::Function;
            }
            if is_type(self.defs[*def].kind) {
                return WalkContext::Type(*def);
            }
        }
        if scope.is_some() { WalkContext::Function } else { WalkContext::Outside }
    }

    // Local names.

    /// Opens a scope.
    pub(crate) fn scope(&mut self, at: NodeIndex, extent: ScopeKind) {
        self.scope_over(at, self.bytes(at), extent);
    }

    /// The same with bounds other than those of the node.
    pub(crate) fn scope_over(&mut self, at: NodeIndex, bytes: ByteRange, extent: ScopeKind) {
        let after = self.after(at);
        self.scopes.push(BindingScope { at, after, start: bytes.start, end: bytes.end, extent });
    }

    /// Returns the scope of function-wide names.
    pub(crate) fn function_scope(&self) -> Option<BindingScope> {
        let functions = self.scopes.iter().rev().find(|scope| scope.extent == ScopeKind::Function);
        functions.copied()
    }

    /// Returns the innermost scope.
    pub(crate) fn block_scope(&self) -> Option<BindingScope> {
        self.scopes.last().copied()
    }

    /// Binds a name in the whole innermost scope.
    pub(crate) fn bind(&mut self, name: InternedName, what: BindingKind) {
        let (from, until) =
            self.block_scope().map_or((0, u32::MAX), |scope| (scope.start, scope.end));
        self.bindings.push(LocalBinding { name, from, until, what });
    }

    /// Binds a name in the whole innermost function.
    pub(crate) fn bind_in_function(&mut self, name: InternedName, what: BindingKind) {
        let (from, until) =
            self.function_scope().map_or((0, u32::MAX), |scope| (scope.start, scope.end));
        self.bindings.push(LocalBinding { name, from, until, what });
    }

    /// Binds a name from a byte to the end of the innermost scope.
    pub(crate) fn bind_from(&mut self, name: InternedName, from: u32, what: BindingKind) {
        let until = self.block_scope().map_or(u32::MAX, |scope| scope.end);
        self.bindings.push(LocalBinding { name, from, until, what });
    }

    /// Binds a name in the text of a node.
    pub(crate) fn bind_over(&mut self, at: NodeIndex, name: InternedName, what: BindingKind) {
        let ByteRange { start: from, end: until } = self.bytes(at);
        self.bindings.push(LocalBinding { name, from, until, what });
    }

    // Uses.

    /// Records the use of a name.
    pub(crate) fn uses(&mut self, at: NodeIndex, role: ReferenceRole, before: RawQualifier) {
        let name = self.symbol(at);
        let within = self.within();
        let bytes = self.bytes(at);
        self.uses.push(RawUse { name, role, before, within, bytes });
    }

    /// Records an import.
    pub(crate) fn brings(
        &mut self,
        at: NodeIndex,
        module: InternedName,
        brings: RawImportNames,
    ) -> &mut RawImport {
        let within = self.within();
        let bytes = self.bytes(at);
        let place = self.brings.len();
        self.brings.push(RawImport { module, brings, passed_on: false, within, bytes });
        &mut self.brings[place]
    }

    /// Returns the text between two bytes without white space, as a name.
    pub(crate) fn squeezed(&mut self, start: u32, end: u32) -> InternedName {
        let text = self.slice(start, end);
        if text.iter().any(u8::is_ascii_whitespace) {
            let text: Vec<u8> =
                text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            self.symbols.make(&text)
        } else {
            self.symbols.intern(text)
        }
    }

    /// Returns the text of a node without white space, as a name.
    pub(crate) fn path(&mut self, at: NodeIndex) -> InternedName {
        let ByteRange { start, end } = self.bytes(at);
        self.squeezed(start, end)
    }

    /// Returns the result of a call of this node as a name: its text with `()`.
    pub(crate) fn result(&mut self, called: NodeIndex) -> InternedName {
        let bytes = self.text(called).iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let text: Vec<u8> = bytes.chain(*b"()").collect();
        self.symbols.make(&text)
    }

    /// Returns the length of the text.
    pub(crate) fn end(&self) -> u32 {
        offset(self.source.len())
    }
}

/// Iterator over the nodes directly inside a node; see [`SyntaxWalk::children`].
#[derive(Debug, Clone)]
pub(crate) struct Children<'a> {
    nodes: &'a [FlatNode],
    next: NodeIndex,
    end: NodeIndex,
}

impl Iterator for Children<'_> {
    type Item = NodeIndex;

    fn next(&mut self) -> Option<NodeIndex> {
        if self.next >= self.end {
            return None;
        }
        let here = self.next;
        self.next = self.nodes[here].after as usize;
        Some(here)
    }
}

/// Returns true if a node is a comment in any language.
pub(crate) fn is_comment(kind: u16) -> bool {
    matches!(kind, k::COMMENT | k::LINE_COMMENT | k::BLOCK_COMMENT)
}
