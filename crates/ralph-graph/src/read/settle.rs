//! Tells uses of local names from others, and turns the collected data into
//! facts.

use super::collected::{
    BindingKind, ByteRange, DefinitionStatus, MemberNaming, RawDefinition, RawImportNames,
    RawQualifier, RawUse, is_type,
};
use super::symbols::InternedName;
use super::tree::{NodeIndex, offset};
use super::walk::SyntaxWalk;
use crate::facts::{
    DefinitionId, DefinitionKind, FileFacts, Import, ImportedNames, Interner, NameId, ParseHealth,
    Qualifier, Reference, SourceDefinition, SourceSpan,
};
use crate::mixer::{FastHashMap, FastHashSet};

/// The form of an expression before a name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ExpressionShape {
    /// A name.
    Name,
    /// A name that is always a variable, by its spelling.
    Variable,
    /// A member of an expression: `a.b`, `a::b`.
    Member(NodeIndex),
    /// The object itself.
    Itself,
    /// A member of the object itself, written without a node for the object.
    OwnMember,
    /// The parent of the type.
    Parent,
    /// A new object of a type, which is this node.
    New(NodeIndex),
    /// The result of a call of the thing that this node names.
    Result(NodeIndex),
    /// A literal of this type.
    Literal(&'static str),
    /// An expression in brackets, or with an operator that changes nothing
    /// here.
    Same(NodeIndex),
    /// A path that is taken as written.
    Path,
    /// Anything else.
    Other,
}

/// Returns the form of an expression.
pub(crate) type ShapeOf = fn(&SyntaxWalk<'_>, NodeIndex) -> ExpressionShape;

/// Maximum number of members and brackets before a name that are followed.
const DEEPEST: usize = 32;

const NOWHERE: u32 = u32::MAX;

/// The names that are bound at the current position.
struct LocalNames {
    /// The innermost binding of every name of the file, or [`NOWHERE`].
    innermost: Vec<u32>,
    /// The binding that each binding hides.
    hidden: Vec<u32>,
    next: usize,
}

impl LocalNames {
    fn new(walk: &mut SyntaxWalk<'_>) -> Self {
        walk.bindings.sort_by_key(|binding| binding.from);
        Self {
            innermost: vec![NOWHERE; walk.symbols.len()],
            hidden: vec![NOWHERE; walk.bindings.len()],
            next: 0,
        }
    }

    /// Adds the bindings up to a byte.
    fn advance(&mut self, walk: &SyntaxWalk<'_>, byte: u32) {
        while let Some(binding) = walk.bindings.get(self.next) {
            if binding.from > byte {
                break;
            }
            let place = binding.name.place().and_then(|place| self.innermost.get_mut(place));
            if let Some(innermost) = place {
                // `global x` makes every `x` of its function an outside name.
                let above = walk.bindings.get(*innermost as usize);
                if !above.is_some_and(|above| {
                    above.what == BindingKind::Outside && above.until == binding.until
                }) {
                    self.hidden[self.next] = *innermost;
                    *innermost = offset(self.next);
                }
            }
            self.next += 1;
        }
    }

    /// Returns the meaning of a name at a byte, if it is bound there.
    fn find(
        &mut self,
        walk: &SyntaxWalk<'_>,
        name: InternedName,
        byte: u32,
    ) -> Option<BindingKind> {
        let innermost = self.innermost.get_mut(name.place()?)?;
        loop {
            let binding = walk.bindings.get(*innermost as usize)?;
            if binding.until > byte {
                return Some(binding.what);
            }
            // That scope has ended, and all later uses come after it.
            *innermost = self.hidden[*innermost as usize];
        }
    }
}

/// Turns the collected data into facts.
pub(crate) fn settle(
    mut walk: SyntaxWalk<'_>,
    shape: ShapeOf,
    broken_at: Option<u32>,
) -> FileFacts {
    let kept = keep(&mut walk);
    let mut locals = LocalNames::new(&mut walk);
    let mut names = NameNumbering::new(&walk);
    let mut uses = std::mem::take(&mut walk.uses);
    // Bindings are only known going forward, and a few uses are recorded before
    // the walk reaches them.
    if !uses.is_sorted_by_key(|used| used.bytes.start) {
        uses.sort_by_key(|used| used.bytes.start);
    }
    let mut references = Vec::with_capacity(uses.len());
    for used in &uses {
        let byte = used.bytes.start;
        locals.advance(&walk, byte);
        let Some(qualifier) = qualify(&mut walk, &mut locals, used, shape) else { continue };
        references.push(Reference {
            role: used.role,
            name: names.name(&walk, used.name),
            qualifier: names.qualifier(&walk, qualifier),
            within: used.within.and_then(|within| kept[within]),
            span: names.span(used.bytes),
        });
    }
    names.line = 0;
    let imports = imports(&walk, &mut names, &kept);
    names.line = 0;
    let types = types(&walk, &mut names, &kept);
    let definitions = definitions(&mut walk, &mut names, &kept);
    let left_out = broken_at.into_iter().chain(walk.too_deep).min();
    let health = match left_out {
        Some(byte) => ParseHealth::Broken { line: offset(names.line_of(byte) + 1) },
        None => ParseHealth::Whole,
    };
    let implementors = std::mem::take(&mut walk.implementors);
    let implementors =
        implementors.into_iter().map(|(start, name)| (start, names.name(&walk, name))).collect();
    let names = names.names.names;
    FileFacts { names, definitions, references, imports, types, implementors, health }
}

/// Returns the types of variables outside functions, and of function results.
/// If several have the same name, it is unknown which one the type belongs to.
fn types(
    walk: &SyntaxWalk<'_>,
    names: &mut NameNumbering,
    kept: &[Option<DefinitionId>],
) -> Vec<(DefinitionId, NameId)> {
    if walk.outer_types.is_empty() && walk.def_types.is_empty() {
        return Vec::new();
    }
    let is_outer = |def: &RawDefinition| {
        let container = def.container.map(|container| walk.defs[container].kind);
        matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant)
            && container.is_none_or(|kind| kind == DefinitionKind::Module)
    };
    let mut found: FastHashMap<InternedName, Option<DefinitionId>> = FastHashMap::default();
    for (def, id) in walk.defs.iter().zip(kept).filter(|(def, _)| is_outer(def)) {
        if let (Some(id), true) = (id, walk.outer_types.contains_key(&def.name)) {
            found.entry(def.name).and_modify(|known| *known = None).or_insert(Some(*id));
        }
    }
    let known =
        found.into_iter().filter_map(|(name, id)| Some((id?, *walk.outer_types.get(&name)?)));
    let said = walk.def_types.iter().filter_map(|(def, of)| Some((kept[*def]?, *of)));
    let mut known: Vec<(DefinitionId, InternedName)> = known.chain(said).collect();
    known.sort_unstable_by_key(|(id, _)| *id);
    known.into_iter().map(|(id, of)| (id, names.name(walk, of))).collect()
}

/// Returns the final number of each definition, and sorts the definitions.
///
/// A declaration is dropped if the file has the full definition.
fn keep(walk: &mut SyntaxWalk<'_>) -> Vec<Option<DefinitionId>> {
    let mut full = FastHashSet::default();
    for def in &walk.defs {
        let announceable = matches!(
            def.kind,
            DefinitionKind::Function
                | DefinitionKind::Method
                | DefinitionKind::Variable
                | DefinitionKind::Constant
        );
        if def.standing == DefinitionStatus::Full && announceable {
            full.insert((type_name(walk, def.container, def.owner), def.name));
        }
    }
    let mut order: Vec<usize> = (0..walk.defs.len()).collect();
    order.sort_by_key(|def| {
        (walk.defs[*def].bytes.start, std::cmp::Reverse(walk.defs[*def].bytes.end), *def)
    });
    let mut kept = vec![None; walk.defs.len()];
    let mut next = 0;
    for def in order {
        let announced = walk.defs[def].standing == DefinitionStatus::Announced;
        let owner = type_name(walk, walk.defs[def].container, walk.defs[def].owner);
        if announced && full.contains(&(owner, walk.defs[def].name)) {
            continue;
        }
        kept[def] = Some(DefinitionId(next));
        next += 1;
    }
    kept
}

/// Returns the name of the type that a definition belongs to.
fn type_name(
    walk: &SyntaxWalk<'_>,
    container: Option<usize>,
    owner: Option<InternedName>,
) -> Option<InternedName> {
    if owner.is_some() {
        return owner;
    }
    let mut next = container;
    while let Some(container) = next {
        let def = &walk.defs[container];
        if is_type(def.kind) {
            return Some(def.name);
        }
        if def.owner.is_some() {
            return def.owner;
        }
        next = def.container;
    }
    None
}

/// Returns the qualifier of a used name; `None` for a local name.
fn qualify(
    walk: &mut SyntaxWalk<'_>,
    locals: &mut LocalNames,
    used: &RawUse,
    shape: ShapeOf,
) -> Option<InternedQualifier> {
    Some(match used.before {
        RawQualifier::Nothing => match locals.find(walk, used.name, used.bytes.start) {
            None | Some(BindingKind::Outside) => InternedQualifier::None,
            Some(BindingKind::Plain | BindingKind::Typed(_) | BindingKind::Itself) => return None,
        },
        RawQualifier::Itself => InternedQualifier::Itself,
        RawQualifier::Parent => InternedQualifier::Parent,
        RawQualifier::Path(path) => InternedQualifier::Path(path),
        RawQualifier::OfType(of) => InternedQualifier::OfType(of),
        RawQualifier::Unknown => InternedQualifier::Unknown,
        RawQualifier::Node(object) => {
            let own = used.within.and_then(|within| {
                let def = &walk.defs[within];
                if is_type(def.kind) {
                    Some(def.name)
                } else {
                    type_name(walk, def.container, def.owner)
                }
            });
            object_of(walk, locals, &QualifierExpression { at: object, own }, shape)
        }
    })
}

/// An expression before a name.
struct QualifierExpression {
    at: NodeIndex,
    /// The type that contains the use.
    own: Option<InternedName>,
}

#[derive(Debug, Clone, Copy)]
enum InternedQualifier {
    None,
    Itself,
    Parent,
    Path(InternedName),
    OfType(InternedName),
    Unknown,
}

fn object_of(
    walk: &mut SyntaxWalk<'_>,
    locals: &mut LocalNames,
    object: &QualifierExpression,
    shape: ShapeOf,
) -> InternedQualifier {
    let mut at = object.at;
    let mut top = object.at;
    // Number of members between the root of the expression and the name.
    let mut members = 0;
    let mut last_member = None;
    for _ in 0..DEEPEST {
        match shape(walk, at) {
            ExpressionShape::Same(inner) => {
                if top == at {
                    top = inner;
                }
                at = inner;
            }
            ExpressionShape::Member(inner) => {
                members += 1;
                last_member = Some(at);
                at = inner;
            }
            kind @ (ExpressionShape::Name | ExpressionShape::Variable) => {
                let name = walk.symbol(at);
                let byte = walk.bytes(at).start;
                let variable = matches!(kind, ExpressionShape::Variable);
                return match (locals.find(walk, name, byte), members) {
                    (None | Some(BindingKind::Outside), _) if variable => {
                        InternedQualifier::Unknown
                    }
                    (None, 0) => bare_field(walk, object, name, top),
                    (None | Some(BindingKind::Outside), _) => path(walk, top),
                    (Some(BindingKind::Typed(of)), 0) => InternedQualifier::OfType(of),
                    (Some(BindingKind::Typed(of)), 1) => field_of(walk, of, last_member),
                    (Some(BindingKind::Itself), 0) => InternedQualifier::Itself,
                    (Some(BindingKind::Itself), 1) => own_field(walk, object, last_member),
                    (Some(BindingKind::Plain | BindingKind::Typed(_) | BindingKind::Itself), _) => {
                        InternedQualifier::Unknown
                    }
                };
            }
            ExpressionShape::OwnMember if members == 0 => return own_field(walk, object, Some(at)),
            ExpressionShape::Itself if members == 0 => return InternedQualifier::Itself,
            ExpressionShape::Itself if members == 1 => return own_field(walk, object, last_member),
            ExpressionShape::Parent if members == 0 => return InternedQualifier::Parent,
            ExpressionShape::Path => return path(walk, top),
            ExpressionShape::New(of) if members == 0 => {
                return InternedQualifier::OfType(walk.path(of));
            }
            ExpressionShape::Result(of) if members == 0 && is_free(walk, locals, of, shape) => {
                return InternedQualifier::OfType(walk.result(of));
            }
            ExpressionShape::Literal(of) if members == 0 => {
                return InternedQualifier::OfType(walk.symbols.intern(of.as_bytes()));
            }
            ExpressionShape::Itself
            | ExpressionShape::OwnMember
            | ExpressionShape::Parent
            | ExpressionShape::New(_)
            | ExpressionShape::Result(_)
            | ExpressionShape::Literal(_)
            | ExpressionShape::Other => {
                return InternedQualifier::Unknown;
            }
        }
    }
    InternedQualifier::Unknown
}

/// Returns true if an expression is a name that is not local, or a member of
/// one.
fn is_free(
    walk: &mut SyntaxWalk<'_>,
    locals: &mut LocalNames,
    object: NodeIndex,
    shape: ShapeOf,
) -> bool {
    let mut at = object;
    for _ in 0..DEEPEST {
        match shape(walk, at) {
            ExpressionShape::Member(inner) => at = inner,
            ExpressionShape::Name => {
                let name = walk.symbol(at);
                let bound = locals.find(walk, name, walk.bytes(at).start);
                return matches!(bound, None | Some(BindingKind::Outside));
            }
            ExpressionShape::Variable
            | ExpressionShape::Itself
            | ExpressionShape::OwnMember
            | ExpressionShape::Parent
            | ExpressionShape::New(_)
            | ExpressionShape::Result(_)
            | ExpressionShape::Literal(_)
            | ExpressionShape::Same(_)
            | ExpressionShape::Path
            | ExpressionShape::Other => return false,
        }
    }
    false
}

fn path(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> InternedQualifier {
    InternedQualifier::Path(walk.path(at))
}

/// Returns the type of a bare name: a variable outside functions with a known
/// type, or in some languages a field of the enclosing type.
fn bare_field(
    walk: &mut SyntaxWalk<'_>,
    object: &QualifierExpression,
    name: InternedName,
    at: NodeIndex,
) -> InternedQualifier {
    let own = object.own.filter(|_| walk.members == MemberNaming::Bare);
    let field = own.and_then(|own| walk.field_types.get(&(own, name)));
    match field.or_else(|| walk.outer_types.get(&name)) {
        Some(of) => InternedQualifier::OfType(*of),
        None => path(walk, at),
    }
}

/// Returns the type of `self.field`, if the file states it.
fn own_field(
    walk: &mut SyntaxWalk<'_>,
    object: &QualifierExpression,
    member: Option<NodeIndex>,
) -> InternedQualifier {
    object.own.map_or(InternedQualifier::Unknown, |own| field_of(walk, own, member))
}

/// Returns the type of a field of a type, if the file states it.
fn field_of(
    walk: &mut SyntaxWalk<'_>,
    own: InternedName,
    member: Option<NodeIndex>,
) -> InternedQualifier {
    let Some(member) = member else { return InternedQualifier::Unknown };
    // The name of the member is its last child, or the whole node.
    let name = walk.children(member).last().unwrap_or(member);
    let name = walk.symbol(name);
    // The result of a call has the fields of the called class.
    let own = match walk.symbols.text(own).strip_suffix(b"()") {
        Some(class) => {
            let class = class.to_vec();
            walk.symbols.make(&class)
        }
        None => own,
    };
    let known = walk.field_types.get(&(own, name));
    known.map_or(InternedQualifier::Unknown, |of| InternedQualifier::OfType(*of))
}

/// The names that are kept, and the starts of lines.
struct NameNumbering {
    names: Interner,
    numbers: Vec<Option<NameId>>,
    lines: Vec<u32>,
    /// The last line that was looked up: most lookups are near each other.
    line: usize,
}

impl NameNumbering {
    fn new(walk: &SyntaxWalk<'_>) -> Self {
        let newlines = memchr::memchr_iter(b'\n', walk.source);
        let lines = std::iter::once(0).chain(newlines.map(|newline| offset(newline + 1)));
        Self {
            names: Interner::default(),
            numbers: vec![None; walk.symbols.len()],
            lines: lines.collect(),
            line: 0,
        }
    }

    fn name(&mut self, walk: &SyntaxWalk<'_>, symbol: InternedName) -> NameId {
        let place = symbol.place().filter(|place| *place < self.numbers.len());
        if let Some(known) = place.and_then(|place| self.numbers[place]) {
            return known;
        }
        let id = self.names.intern(&String::from_utf8_lossy(walk.symbols.text(symbol)));
        if let Some(place) = place {
            self.numbers[place] = Some(id);
        }
        id
    }

    fn qualifier(&mut self, walk: &SyntaxWalk<'_>, qualified: InternedQualifier) -> Qualifier {
        match qualified {
            InternedQualifier::None => Qualifier::None,
            InternedQualifier::Itself => Qualifier::Itself,
            InternedQualifier::Parent => Qualifier::Parent,
            InternedQualifier::Path(path) => Qualifier::Path(self.name(walk, path)),
            InternedQualifier::OfType(of) => Qualifier::OfType(self.name(walk, of)),
            InternedQualifier::Unknown => Qualifier::Unknown,
        }
    }

    /// Returns the index of the line that contains a byte.
    fn line_of(&mut self, byte: u32) -> usize {
        if self.lines[self.line] > byte {
            self.line = self.lines.partition_point(|start| *start <= byte).saturating_sub(1);
            return self.line;
        }
        for _ in 0..8 {
            match self.lines.get(self.line + 1) {
                Some(next) if *next <= byte => self.line += 1,
                Some(_) | None => return self.line,
            }
        }
        self.line = self.lines.partition_point(|start| *start <= byte).saturating_sub(1);
        self.line
    }

    fn span(&mut self, ByteRange { start, end }: ByteRange) -> SourceSpan {
        let first = self.line_of(start);
        let last = if end > start { self.lines_until(first, end - 1) } else { first };
        SourceSpan {
            start,
            end,
            line: offset(first + 1),
            column: start - self.lines[first] + 1,
            last_line: offset(last + 1),
        }
    }

    /// Returns the line of a byte at or after a line, without moving there.
    fn lines_until(&self, first: usize, byte: u32) -> usize {
        match self.lines.get(first + 1) {
            Some(next) if *next <= byte => {
                let rest = &self.lines[first..];
                first + rest.partition_point(|start| *start <= byte).saturating_sub(1)
            }
            Some(_) | None => first,
        }
    }
}

fn imports(
    walk: &SyntaxWalk<'_>,
    names: &mut NameNumbering,
    kept: &[Option<DefinitionId>],
) -> Vec<Import> {
    let mut imports = Vec::with_capacity(walk.brings.len());
    for bring in &walk.brings {
        imports.push(Import {
            module: names.name(walk, bring.module),
            imported: match bring.brings {
                RawImportNames::Module(local) => {
                    ImportedNames::Module { local: local.map(|local| names.name(walk, local)) }
                }
                RawImportNames::Name(name, local) => ImportedNames::Name {
                    name: names.name(walk, name),
                    local: names.name(walk, local),
                },
                RawImportNames::Everything => ImportedNames::Everything,
            },
            passed_on: bring.passed_on,
            within: bring.within.and_then(|within| kept[within]),
            span: names.span(bring.bytes),
        });
    }
    imports
}

fn definitions(
    walk: &mut SyntaxWalk<'_>,
    names: &mut NameNumbering,
    kept: &[Option<DefinitionId>],
) -> Vec<SourceDefinition> {
    let defs = std::mem::take(&mut walk.defs);
    let mut definitions = Vec::with_capacity(defs.len());
    for (def, kept_as) in defs.into_iter().zip(kept) {
        let Some(id) = kept_as else { continue };
        let definition = SourceDefinition {
            kind: def.kind,
            name: names.name(walk, def.name),
            container: def.container.and_then(|container| kept[container]),
            owner: def.owner.map(|owner| names.name(walk, owner)),
            signature: def.signature,
            doc: def.doc,
            span: names.span(def.bytes),
            name_span: names.span(def.name_bytes),
            reach: def.reach,
            purpose: def.purpose,
        };
        definitions.push((*id, definition));
    }
    definitions.sort_by_key(|(id, _)| *id);
    definitions.into_iter().map(|(_, definition)| definition).collect()
}
