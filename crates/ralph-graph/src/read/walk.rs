//! What is collected while a file is walked.
//!
//! A language says of each node what it defines, binds, uses or imports. That
//! a use is one of a local variable is only known at the end, because names
//! may be bound below their use; see [`super::settle`].

use super::collected::{
    Before, Binding, Bound, Bring, Brings, Def, Extent, Here, Members, Place, Scope, Standing,
    Step, Use, is_type,
};
use super::comments::{self, Comments};
use super::names::{field as f, kind as k};
use super::symbols::{Symbol, Symbols};
use super::tree::{At, FlatNode, offset};
use crate::facts::{Kind, Purpose, Reach, Role};
use crate::mixer::{Set, Table};

/// How many definitions may be in each other. Nobody writes that many, and the
/// full names of all would take the square of them.
const NESTED: usize = 100;

/// What is known so far of a file.
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
    /// The types of definitions: of a variable its own, of a function that of
    /// the first thing it gives.
    pub(crate) def_types: Vec<(usize, Symbol)>,
    /// The names that are defined already, by what they are in.
    pub(crate) defined: Set<(Option<usize>, Symbol)>,
    /// Names that the file gives to others by a statement of its own.
    pub(crate) exported: Set<Symbol>,
    /// Names up to this node stand for types.
    pub(crate) types_until: At,
    /// The attributes that stand before what comes next, and what that is.
    pub(crate) attributes: Option<(At, At)>,
    /// Uses of what a type implements, where the text is not within the type.
    pub(crate) implementing: Vec<(usize, Symbol)>,
    /// The same for types of other files, by where the use is.
    pub(crate) implementors: Vec<(u32, Symbol)>,
    /// Whether other files are inside of this one.
    pub(crate) has_files_inside: bool,
    /// How members of the own type are named.
    pub(crate) members: Members,
    /// The first byte that lies too deep to be looked at.
    pub(crate) too_deep: Option<u32>,
    comments: Comments,
    open: Vec<(usize, At, At)>,
    scopes: Vec<Scope>,
}

impl<'s> Walk<'s> {
    pub(crate) fn new(source: &'s [u8], nodes: &'s mut [FlatNode], comments: Comments) -> Self {
        // About every fourth node is the use of a name.
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

    /// Goes through all nodes in the order of the text.
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

    // What the tree says.

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

    pub(crate) fn bytes(&self, at: At) -> (u32, u32) {
        (self.nodes[at].start, self.nodes[at].end)
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

    /// The nodes directly in a node.
    pub(crate) fn children(&self, at: At) -> Children<'_> {
        Children { nodes: self.nodes, next: at + 1, end: self.after(at) }
    }

    /// The first node in a field of a node.
    pub(crate) fn child(&self, at: At, field: u8) -> Option<At> {
        self.children(at).find(|child| self.nodes[*child].field == field)
    }

    /// The first node of a kind directly in a node.
    pub(crate) fn child_of(&self, at: At, kind: u16) -> Option<At> {
        self.children(at).find(|child| self.nodes[*child].kind == kind)
    }

    /// The first node in a node.
    pub(crate) fn first(&self, at: At) -> Option<At> {
        self.children(at).next()
    }

    /// Whether a node is in a field of a node of a kind.
    pub(crate) fn is_in(&self, at: At, kind: u16, field: u8) -> bool {
        self.field(at) == field && self.kind(self.parent(at)) == kind
    }

    /// Whether a node is all that its parent holds, and that is in a kind.
    pub(crate) fn is_in_alone(&self, at: At, kind: u16) -> bool {
        let parent = self.parent(at);
        self.children(parent).count() == 1 && self.kind(self.parent(parent)) == kind
    }

    pub(crate) fn take(&mut self, at: At) {
        self.nodes[at].taken = true;
    }

    /// The same for all that is in a node.
    pub(crate) fn take_all(&mut self, at: At) {
        for inside in at..self.after(at) {
            self.take(inside);
        }
    }

    // What is defined.

    /// The place of a definition that is one node.
    pub(crate) fn place(&self, at: At) -> Place {
        let (start, end) = self.bytes(at);
        let body = self.child(at, f::BODY).map_or(end, |body| self.nodes[body].start);
        Place { start, head: start, body, end }
    }

    /// The place of a statement that is shown up to the end of its first line.
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

    /// Adds a definition that is named by something else than a node.
    pub(crate) fn define_as(
        &mut self,
        kind: Kind,
        name: Symbol,
        name_bytes: (u32, u32),
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
            bytes: (place.start, place.end),
            name_bytes,
            reach,
            purpose,
            standing: Standing::Full,
        });
        self.defs.len() - 1
    }

    /// Notes an attribute that stands before what it is about.
    pub(crate) fn attribute(&mut self, at: At) {
        let first = match self.attributes {
            Some((first, next)) if self.only_comments(next, at) => first,
            Some(_) | None => at,
        };
        self.attributes = Some((first, self.after(at)));
    }

    /// The first of the attributes that stand directly before a node.
    pub(crate) fn attributes_of(&self, at: At) -> Option<At> {
        let (first, next) = self.attributes?;
        (self.parent(first) == self.parent(at) && self.only_comments(next, at)).then_some(first)
    }

    fn only_comments(&self, from: At, to: At) -> bool {
        from <= to
            && (from..to)
                .all(|at| is_comment(self.kind(at)) || is_comment(self.kind(self.parent(at))))
    }

    /// Gives what is used in the attributes of a definition to it.
    pub(crate) fn claim(&mut self, def: usize) {
        let start = self.defs[def].bytes.0;
        for used in self.uses.iter_mut().rev().take_while(|used| used.bytes.0 >= start) {
            used.within = Some(def);
        }
    }

    /// Says that a definition goes on until the end of a node.
    pub(crate) fn enter(&mut self, def: usize, at: At) {
        let after = self.after(at);
        self.open.push((def, at, after));
    }

    /// The innermost definition that can contain others.
    pub(crate) fn container(&self) -> Option<usize> {
        let mut open = self.open.iter().rev().map(|open| open.0);
        open.find(|def| {
            !matches!(self.defs[*def].kind, Kind::Field | Kind::Constant | Kind::Variable)
        })
    }

    /// The innermost definition.
    pub(crate) fn within(&self) -> Option<usize> {
        self.open.last().map(|open| open.0)
    }

    /// The innermost type.
    pub(crate) fn enclosing_type(&self) -> Option<usize> {
        let mut open = self.open.iter().rev().map(|open| open.0);
        open.find(|def| is_type(self.defs[*def].kind))
    }

    /// What the walk is directly in.
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

    // What is local.

    /// Begins a part of the file with names of its own.
    pub(crate) fn scope(&mut self, at: At, extent: Extent) {
        let (start, end) = self.bytes(at);
        self.scope_over(at, (start, end), extent);
    }

    /// The same with bounds that are not those of the node.
    pub(crate) fn scope_over(&mut self, at: At, bytes: (u32, u32), extent: Extent) {
        let after = self.after(at);
        self.scopes.push(Scope { at, after, start: bytes.0, end: bytes.1, extent });
    }

    /// The scope that a function-wide name belongs to.
    pub(crate) fn function_scope(&self) -> Option<Scope> {
        let functions = self.scopes.iter().rev().find(|scope| scope.extent == Extent::Function);
        functions.copied()
    }

    /// The innermost scope.
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
        let (from, until) = self.bytes(at);
        self.bindings.push(Binding { name, from, until, what });
    }

    // What is used.

    /// Notes the use of the name that a node is.
    pub(crate) fn uses(&mut self, at: At, role: Role, before: Before) {
        let name = self.symbol(at);
        let within = self.within();
        let bytes = self.bytes(at);
        self.uses.push(Use { name, role, before, within, bytes });
    }

    /// Notes an import.
    pub(crate) fn brings(&mut self, at: At, module: Symbol, brings: Brings) -> &mut Bring {
        let within = self.within();
        let bytes = self.bytes(at);
        let place = self.brings.len();
        self.brings.push(Bring { module, brings, passed_on: false, within, bytes });
        &mut self.brings[place]
    }

    /// A name of the text between two bytes without white space.
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

    /// The text of a node without white space, as a name.
    pub(crate) fn path(&mut self, at: At) -> Symbol {
        let (start, end) = self.bytes(at);
        self.squeezed(start, end)
    }

    /// What a call of this node gives, as a name: its text with `()`.
    pub(crate) fn result(&mut self, called: At) -> Symbol {
        let bytes = self.text(called).iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let text: Vec<u8> = bytes.chain(*b"()").collect();
        self.symbols.make(&text)
    }

    /// The length of the text.
    pub(crate) fn end(&self) -> u32 {
        offset(self.source.len())
    }
}

/// The nodes directly in a node; see [`Walk::children`].
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

/// Whether a node is a comment in any of the languages.
pub(crate) fn is_comment(kind: u16) -> bool {
    matches!(kind, k::COMMENT | k::LINE_COMMENT | k::BLOCK_COMMENT)
}
