//! Walks a file and collects its facts.
//!
//! The rules of a language tell for each node what it defines, binds, uses or
//! imports. Only the end shows whether a use is a local variable, because names
//! may be bound after their use; see [`super::settle`].

use super::collected::{
    Before, Binding, Bound, Bring, Brings, ByteRange, Def, Extent, Here, Members, Place, Scope,
    Standing, Step, Use, is_type,
};
use super::comments::{self, Comments};
use super::names::{field as f, kind as k};
use super::symbols::{Symbol, Symbols};
use super::tree::{At, FlatNode, offset};
use crate::facts::{Kind, Purpose, Reach, Role};
use crate::mixer::{Set, Table};

/// Maximum nesting of definitions. No real code needs more, and the full names
/// of all would take its square.
const NESTED: usize = 100;

/// The facts of a file collected so far.
#[derive(Debug)]
pub(crate) struct Walk<'s> {
    pub(crate) source: &'s [u8],
    pub(crate) nodes: &'s mut [FlatNode],
    pub(crate) symbols: Symbols<'s>,
    pub(crate) defs: Vec<Def>,
    pub(crate) uses: Vec<Use>,
    pub(crate) brings: Vec<Bring>,
    pub(crate) bindings: Vec<Binding>,
    /// The types of fields by type and name.
    pub(crate) field_types: Table<(Symbol, Symbol), Symbol>,
    /// The types of variables outside functions.
    pub(crate) outer_types: Table<Symbol, Symbol>,
    /// The types of definitions: for a variable its own, for a function the
    /// type of its first result.
    pub(crate) def_types: Vec<(usize, Symbol)>,
    /// The names that are defined already, by their container.
    pub(crate) defined: Set<(Option<usize>, Symbol)>,
    /// Names that the file exports by a separate statement.
    pub(crate) exported: Set<Symbol>,
    /// Names up to this node are types.
    pub(crate) types_until: At,
    /// The first attribute before the next node, and that node.
    pub(crate) attributes: Option<(At, At)>,
    /// Uses of types that a type implements, written outside that type.
    pub(crate) implementing: Vec<(usize, Symbol)>,
    /// The same for types of other files, by the position of the use.
    pub(crate) implementors: Vec<(u32, Symbol)>,
    /// True if other files are inside this one.
    pub(crate) has_files_inside: bool,
    /// The way to name members of the enclosing type.
    pub(crate) members: Members,
    /// The first byte that is nested too deeply to be read.
    pub(crate) too_deep: Option<u32>,
    comments: Comments,
    open: Vec<(usize, At, At)>,
    scopes: Vec<Scope>,
}

impl<'s> Walk<'s> {
    pub(crate) fn new(source: &'s [u8], nodes: &'s mut [FlatNode], comments: Comments) -> Self {
        // About every fourth node is a use of a name.
        let uses = nodes.len() / 4;
        Self {
            source,
            nodes,
            symbols: Symbols::default(),
            defs: Vec::new(),
            uses: Vec::with_capacity(uses),
            brings: Vec::new(),
            bindings: Vec::new(),
            field_types: Table::default(),
            outer_types: Table::default(),
            def_types: Vec::new(),
            defined: Set::default(),
            exported: Set::default(),
            types_until: 0,
            attributes: None,
            implementing: Vec::new(),
            implementors: Vec::new(),
            has_files_inside: false,
            members: Members::Named,
            too_deep: None,
            comments,
            open: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// Visits all nodes in the order of the text.
    pub(crate) fn run(&mut self, visit: fn(&mut Walk<'s>, At) -> Step) {
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
                    Step::Into if self.open.len() >= NESTED => {
                        self.too_deep = self.too_deep.or(Some(self.nodes[at].start));
                        self.after(at)
                    }
                    Step::Into => at + 1,
                    Step::Over => self.after(at),
                }
            };
        }
    }

    // Access to the tree.

    pub(crate) fn kind(&self, at: At) -> u16 {
        self.nodes[at].kind
    }

    pub(crate) fn field(&self, at: At) -> u8 {
        self.nodes[at].field
    }

    pub(crate) fn parent(&self, at: At) -> At {
        self.nodes[at].parent as usize
    }

    pub(crate) fn after(&self, at: At) -> At {
        self.nodes[at].after as usize
    }

    pub(crate) fn bytes(&self, at: At) -> ByteRange {
        ByteRange { start: self.nodes[at].start, end: self.nodes[at].end }
    }

    pub(crate) fn slice(&self, start: u32, end: u32) -> &'s [u8] {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn text(&self, at: At) -> &'s [u8] {
        self.slice(self.nodes[at].start, self.nodes[at].end)
    }

    pub(crate) fn symbol(&mut self, at: At) -> Symbol {
        let text = self.text(at);
        self.symbols.intern(text)
    }

    /// Returns the nodes directly inside a node.
    pub(crate) fn children(&self, at: At) -> Children<'_> {
        Children { nodes: self.nodes, next: at + 1, end: self.after(at) }
    }

    /// Returns the first node in a field of a node.
    pub(crate) fn child(&self, at: At, field: u8) -> Option<At> {
        self.children(at).find(|child| self.nodes[*child].field == field)
    }

    /// Returns the first node of a kind directly inside a node.
    pub(crate) fn child_of(&self, at: At, kind: u16) -> Option<At> {
        self.children(at).find(|child| self.nodes[*child].kind == kind)
    }

    /// Returns the first node inside a node.
    pub(crate) fn first(&self, at: At) -> Option<At> {
        self.children(at).next()
    }

    /// Returns true if a node is in a field of a node of a kind.
    pub(crate) fn is_in(&self, at: At, kind: u16, field: u8) -> bool {
        self.field(at) == field && self.kind(self.parent(at)) == kind
    }

    /// Returns true if a node is the only one in its parent, and that is in a
    /// node of a kind.
    pub(crate) fn is_in_alone(&self, at: At, kind: u16) -> bool {
        let parent = self.parent(at);
        self.children(parent).count() == 1 && self.kind(self.parent(parent)) == kind
    }

    pub(crate) fn take(&mut self, at: At) {
        self.nodes[at].taken = true;
    }

    /// Marks all nodes inside a node as read.
    pub(crate) fn take_all(&mut self, at: At) {
        for inside in at..self.after(at) {
            self.take(inside);
        }
    }

    // Definitions.

    /// Returns the range of a definition that is one node.
    pub(crate) fn place(&self, at: At) -> Place {
        let ByteRange { start, end } = self.bytes(at);
        let body = self.child(at, f::BODY).map_or(end, |body| self.nodes[body].start);
        Place { start, head: start, body, end }
    }

    /// Returns the range of a statement that is shown up to the end of its
    /// first line.
    pub(crate) fn line_place(&self, at: At) -> Place {
        let place = self.place(at);
        let line = comments::first_line(self.text(at)).len();
        Place { body: place.start + offset(line), ..place }
    }

    /// Adds a definition whose name is a node.
    pub(crate) fn define(&mut self, kind: Kind, name: At, place: Place) -> usize {
        self.take(name);
        let symbol = self.symbol(name);
        let bytes = self.bytes(name);
        self.define_as(kind, symbol, bytes, place)
    }

    /// Adds a definition whose name is not a node.
    pub(crate) fn define_as(
        &mut self,
        kind: Kind,
        name: Symbol,
        name_bytes: ByteRange,
        place: Place,
    ) -> usize {
        let container = self.container();
        let outer = container.map(|container| &self.defs[container]);
        let purpose = outer.map_or(Purpose::Code, |outer| outer.purpose.inside());
        let reach = match self.here() {
            Here::Function => Reach::File,
            Here::Outside | Here::Type(_) => Reach::Project,
        };
        self.defined.insert((container, name));
        self.defs.push(Def {
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
            standing: Standing::Full,
        });
        self.defs.len() - 1
    }

    /// Records an attribute that precedes its target.
    pub(crate) fn attribute(&mut self, at: At) {
        let first = match self.attributes {
            Some((first, next)) if self.only_comments(next, at) => first,
            Some(_) | None => at,
        };
        self.attributes = Some((first, self.after(at)));
    }

    /// Returns the first of the attributes directly before a node.
    pub(crate) fn attributes_of(&self, at: At) -> Option<At> {
        let (first, next) = self.attributes?;
        (self.parent(first) == self.parent(at) && self.only_comments(next, at)).then_some(first)
    }

    fn only_comments(&self, from: At, to: At) -> bool {
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
    pub(crate) fn enter(&mut self, def: usize, at: At) {
        let after = self.after(at);
        self.open.push((def, at, after));
    }

    /// Returns the innermost definition that can contain others.
    pub(crate) fn container(&self) -> Option<usize> {
        let mut open = self.open.iter().rev().map(|open| open.0);
        open.find(|def| {
            !matches!(self.defs[*def].kind, Kind::Field | Kind::Constant | Kind::Variable)
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
    pub(crate) fn here(&self) -> Here {
        let scope = self.scopes.last().map(|scope| scope.at);
        for (def, at, _) in self.open.iter().rev() {
            if scope.is_some_and(|scope| scope >= *at) {
                return Here::Function;
            }
            if is_type(self.defs[*def].kind) {
                return Here::Type(*def);
            }
        }
        if scope.is_some() { Here::Function } else { Here::Outside }
    }

    // Local names.

    /// Opens a scope.
    pub(crate) fn scope(&mut self, at: At, extent: Extent) {
        self.scope_over(at, self.bytes(at), extent);
    }

    /// The same with bounds other than those of the node.
    pub(crate) fn scope_over(&mut self, at: At, bytes: ByteRange, extent: Extent) {
        let after = self.after(at);
        self.scopes.push(Scope { at, after, start: bytes.start, end: bytes.end, extent });
    }

    /// Returns the scope of function-wide names.
    pub(crate) fn function_scope(&self) -> Option<Scope> {
        let functions = self.scopes.iter().rev().find(|scope| scope.extent == Extent::Function);
        functions.copied()
    }

    /// Returns the innermost scope.
    pub(crate) fn block_scope(&self) -> Option<Scope> {
        self.scopes.last().copied()
    }

    /// Binds a name in the whole innermost scope.
    pub(crate) fn bind(&mut self, name: Symbol, what: Bound) {
        let (from, until) =
            self.block_scope().map_or((0, u32::MAX), |scope| (scope.start, scope.end));
        self.bindings.push(Binding { name, from, until, what });
    }

    /// Binds a name in the whole innermost function.
    pub(crate) fn bind_in_function(&mut self, name: Symbol, what: Bound) {
        let (from, until) =
            self.function_scope().map_or((0, u32::MAX), |scope| (scope.start, scope.end));
        self.bindings.push(Binding { name, from, until, what });
    }

    /// Binds a name from a byte to the end of the innermost scope.
    pub(crate) fn bind_from(&mut self, name: Symbol, from: u32, what: Bound) {
        let until = self.block_scope().map_or(u32::MAX, |scope| scope.end);
        self.bindings.push(Binding { name, from, until, what });
    }

    /// Binds a name in the text of a node.
    pub(crate) fn bind_over(&mut self, at: At, name: Symbol, what: Bound) {
        let ByteRange { start: from, end: until } = self.bytes(at);
        self.bindings.push(Binding { name, from, until, what });
    }

    // Uses.

    /// Records the use of a name.
    pub(crate) fn uses(&mut self, at: At, role: Role, before: Before) {
        let name = self.symbol(at);
        let within = self.within();
        let bytes = self.bytes(at);
        self.uses.push(Use { name, role, before, within, bytes });
    }

    /// Records an import.
    pub(crate) fn brings(&mut self, at: At, module: Symbol, brings: Brings) -> &mut Bring {
        let within = self.within();
        let bytes = self.bytes(at);
        let place = self.brings.len();
        self.brings.push(Bring { module, brings, passed_on: false, within, bytes });
        &mut self.brings[place]
    }

    /// Returns the text between two bytes without white space, as a name.
    pub(crate) fn squeezed(&mut self, start: u32, end: u32) -> Symbol {
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
    pub(crate) fn path(&mut self, at: At) -> Symbol {
        let ByteRange { start, end } = self.bytes(at);
        self.squeezed(start, end)
    }

    /// Returns the result of a call of this node as a name: its text with `()`.
    pub(crate) fn result(&mut self, called: At) -> Symbol {
        let bytes = self.text(called).iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let text: Vec<u8> = bytes.chain(*b"()").collect();
        self.symbols.make(&text)
    }

    /// Returns the length of the text.
    pub(crate) fn end(&self) -> u32 {
        offset(self.source.len())
    }
}

/// Iterator over the nodes directly inside a node; see [`Walk::children`].
#[derive(Debug, Clone)]
pub(crate) struct Children<'a> {
    nodes: &'a [FlatNode],
    next: At,
    end: At,
}

impl Iterator for Children<'_> {
    type Item = At;

    fn next(&mut self) -> Option<At> {
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
