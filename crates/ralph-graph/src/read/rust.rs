//! Rust.

mod imports;
mod patterns;
mod tokens;

use super::GrammarRules;
use super::collected::{
    BindingKind, ByteRange, DefinitionRange, LocalBinding, MemberNaming, RawImportNames,
    RawQualifier, ScopeKind, WalkStep, is_type,
};
use super::comments;
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::settle::ExpressionShape;
use super::symbols::InternedName;
use super::tree::{NodeIndex, offset};
use super::walk::SyntaxWalk;
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole, SymbolVisibility};

/// Returns the rules of the language.
pub(super) fn rules() -> GrammarRules {
    GrammarRules {
        grammar: tree_sitter_rust::LANGUAGE.into(),
        comments: DocCommentStyle::MarkedSlashes,
        members: MemberNaming::Named,
        closed: &[],
        plain: &[],
        visit,
        shape,
        finish,
    }
}

fn visit(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    match walk.kind(at) {
        k::IDENTIFIER if walk.kind(walk.parent(at)) == k::TOKEN_TREE => tokens::name(walk, at),
        k::IDENTIFIER => name(walk, at),
        k::TYPE_IDENTIFIER => type_use(walk, at),
        k::FIELD_IDENTIFIER | k::SHORTHAND_FIELD_IDENTIFIER => field_use(walk, at),
        k::ATTRIBUTE_ITEM => {
            walk.attribute(at);
            tokens::attribute(walk, at);
            return WalkStep::Over;
        }
        k::LIFETIME | k::LABEL | k::INNER_ATTRIBUTE_ITEM | k::VISIBILITY_MODIFIER => {
            return WalkStep::Over;
        }
        k::USE_DECLARATION | k::EXTERN_CRATE_DECLARATION => {
            imports::import(walk, at);
            return WalkStep::Over;
        }
        k::TYPE_PARAMETERS => type_parameters(walk, at),
        k::BLOCK | k::IF_EXPRESSION | k::WHILE_EXPRESSION => walk.scope(at, ScopeKind::Block),
        k::LET_DECLARATION
        | k::LET_CONDITION
        | k::MATCH_ARM
        | k::FOR_EXPRESSION
        | k::CLOSURE_EXPRESSION => patterns::bind(walk, at),
        k::MACRO_DEFINITION => {
            item(walk, at, DefinitionKind::Macro);
            return WalkStep::Over;
        }
        k::MOD_ITEM if walk.child(at, f::BODY).is_none() => {
            module_elsewhere(walk, at);
            return WalkStep::Over;
        }
        kind => define(walk, at, kind),
    }
    WalkStep::Into
}

fn define(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    let kind = match kind {
        k::FUNCTION_ITEM | k::FUNCTION_SIGNATURE_ITEM => {
            let member = matches!(around(walk, at), k::IMPL_ITEM | k::TRAIT_ITEM);
            if member { DefinitionKind::Method } else { DefinitionKind::Function }
        }
        k::MOD_ITEM => DefinitionKind::Module,
        k::STRUCT_ITEM => DefinitionKind::Struct,
        k::UNION_ITEM => DefinitionKind::Union,
        k::ENUM_ITEM => DefinitionKind::Enum,
        k::ENUM_VARIANT => DefinitionKind::Variant,
        k::TRAIT_ITEM => DefinitionKind::Interface,
        k::TYPE_ITEM | k::ASSOCIATED_TYPE => DefinitionKind::Alias,
        k::FIELD_DECLARATION => DefinitionKind::Field,
        k::STATIC_ITEM => DefinitionKind::Variable,
        k::CONST_ITEM => DefinitionKind::Constant,
        _ => return,
    };
    let Some(def) = item(walk, at, kind) else { return };
    if matches!(kind, DefinitionKind::Function | DefinitionKind::Method) {
        let bytes = ByteRange { start: walk.place(at).body, end: walk.bytes(at).end };
        walk.scope_over(at, bytes, ScopeKind::Function);
        patterns::parameters(walk, at);
    } else if let Some(of) = walk.child(at, f::TYPE).and_then(|of| type_name(walk, of)) {
        let name = walk.defs[def].name;
        match (kind, walk.defs[def].container) {
            (DefinitionKind::Field, Some(container)) => {
                let key = (walk.defs[container].name, name);
                walk.field_types.insert(key, of);
            }
            (DefinitionKind::Constant | DefinitionKind::Variable, _) => {
                walk.outer_types.insert(name, of);
            }
            _ => {}
        }
    }
}

/// Returns the kind of node that contains a member.
fn around(walk: &SyntaxWalk<'_>, at: NodeIndex) -> u16 {
    walk.kind(walk.parent(walk.parent(at)))
}

fn item(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) -> Option<usize> {
    let name = walk.child(at, f::NAME)?;
    let attributes = walk.attributes_of(at);
    let mut place = shown(walk, at, kind);
    place.start = attributes.map_or(place.start, |first| walk.bytes(first).start);
    if walk.text(name) == b"_" {
        return None;
    }
    let local = walk.block_scope().is_some();
    let around = around(walk, at);
    let container = walk.container();
    let def = walk.define(kind, name, place);
    let visible = walk.child_of(at, k::VISIBILITY_MODIFIER).map(|said| walk.text(said));
    let outer = container.map(|container| (walk.defs[container].kind, walk.defs[container].reach));
    let implementation = (around == k::IMPL_ITEM).then(|| walk.parent(walk.parent(at)));
    let of_trait = implementation.is_some_and(|outer| walk.child(outer, f::TRAIT).is_some());
    walk.defs[def].reach = match outer {
        _ if local => SymbolVisibility::File,
        Some((
            DefinitionKind::Enum | DefinitionKind::Interface | DefinitionKind::Variant,
            reach,
        )) => reach,
        _ if of_trait || kind == DefinitionKind::Macro => SymbolVisibility::Project,
        Some(_) | None => match visible {
            // `pub(super)` and similar forms reach a part of the crate.
            Some([.., b')']) => SymbolVisibility::Crate,
            Some(_) => SymbolVisibility::Project,
            None => SymbolVisibility::File,
        },
    };
    if let Some(outer) = implementation {
        let owner = walk.child(outer, f::TYPE).and_then(|of| base_name(walk, of));
        walk.defs[def].owner = owner.map(|owner| walk.symbol(owner));
    }
    if let Some(first) = attributes {
        let said = walk.slice(place.start, walk.bytes(at).start);
        if matches!(kind, DefinitionKind::Function | DefinitionKind::Method)
            && tokens::says_case(said)
        {
            walk.defs[def].purpose = CodePurpose::Case;
        } else if tokens::says_test(said) {
            walk.defs[def].purpose = CodePurpose::Test;
        }
        if walk.defs[def].doc.is_none() {
            let own = walk.bytes(at).start as usize;
            walk.defs[def].doc = comments::above(walk.source, own, DocCommentStyle::MarkedSlashes);
        }
        walk.claim(def);
        debug_assert!(first < at, "attributes come before what they are about");
    }
    if local {
        let name = walk.symbol(name);
        walk.bind(name, BindingKind::Outside);
    }
    walk.enter(def, at);
    Some(def)
}

/// Returns the shown range of an item: no body, and only the first line of a
/// value.
fn shown(walk: &SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) -> DefinitionRange {
    let mut place = walk.place(at);
    match kind {
        DefinitionKind::Struct | DefinitionKind::Variant => {
            // The types in a tuple's brackets are part of it.
            let body = walk
                .child(at, f::BODY)
                .filter(|body| walk.kind(*body) == k::FIELD_DECLARATION_LIST);
            place.body = body.map_or(place.end, |body| walk.bytes(body).start);
        }
        DefinitionKind::Constant | DefinitionKind::Variable | DefinitionKind::Macro => {
            place.body = place.start + offset(comments::first_line(walk.text(at)).len());
        }
        DefinitionKind::Module
        | DefinitionKind::Class
        | DefinitionKind::Union
        | DefinitionKind::Enum
        | DefinitionKind::Interface
        | DefinitionKind::Alias
        | DefinitionKind::Function
        | DefinitionKind::Method
        | DefinitionKind::Field => {}
    }
    place
}

/// Records `mod name;`, which declares a file inside this one.
fn module_elsewhere(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    walk.has_files_inside = true;
    let path = [b"self::", walk.text(name)].concat();
    let module = walk.symbols.make(&path);
    let local = walk.symbol(name);
    let public = walk.child_of(at, k::VISIBILITY_MODIFIER).is_some();
    walk.brings(at, module, RawImportNames::Module(Some(local))).passed_on = public;
}

/// Binds type parameters, which are names of the item alone.
fn type_parameters(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let ByteRange { start: from, end: until } = walk.bytes(walk.parent(at));
    let parameters: Vec<NodeIndex> = walk.children(at).collect();
    for parameter in parameters {
        if let Some(name) = walk.child(parameter, f::NAME)
            && walk.kind(name) != k::LIFETIME
        {
            walk.take(name);
            let name = walk.symbol(name);
            walk.bindings.push(LocalBinding { name, from, until, what: BindingKind::Plain });
        }
    }
}

/// Completes the facts at the end of the file.
fn finish(walk: &mut SyntaxWalk<'_>) {
    for (used, owner) in std::mem::take(&mut walk.implementing) {
        let mut defs = walk.defs.iter();
        let within = defs.position(|def| def.name == owner && is_type(def.kind));
        if within.is_some() {
            walk.uses[used].within = within;
        } else {
            walk.implementors.push((walk.uses[used].bytes.start, owner));
        }
    }
    if !walk.has_files_inside {
        return;
    }
    // The files inside this one see its private names.
    for def in 0..walk.defs.len() {
        let mut outer = walk.defs[def].container;
        let mut local = false;
        while let Some(container) = outer {
            local |= matches!(
                walk.defs[container].kind,
                DefinitionKind::Function | DefinitionKind::Method
            );
            outer = walk.defs[container].container;
        }
        if !local && walk.defs[def].reach == SymbolVisibility::File {
            walk.defs[def].reach = SymbolVisibility::Inside;
        }
    }
}

fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    let first = |found: fn(NodeIndex) -> ExpressionShape| {
        walk.first(at).map_or(ExpressionShape::Other, found)
    };
    match walk.kind(at) {
        k::IDENTIFIER | k::TYPE_IDENTIFIER => {
            if walk.text(at) == b"Self" {
                ExpressionShape::Itself
            } else if tokens::is_variable(walk, at) {
                ExpressionShape::Variable
            } else {
                ExpressionShape::Name
            }
        }
        k::SELF => ExpressionShape::Itself,
        k::SUPER | k::CRATE | k::METAVARIABLE => ExpressionShape::Path,
        k::SCOPED_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER => {
            walk.child(at, f::PATH).map_or(ExpressionShape::Path, ExpressionShape::Member)
        }
        k::FIELD_EXPRESSION => first(ExpressionShape::Member),
        k::PARENTHESIZED_EXPRESSION | k::GENERIC_TYPE | k::UNARY_EXPRESSION => {
            first(ExpressionShape::Same)
        }
        k::REFERENCE_EXPRESSION => {
            walk.child(at, f::VALUE).map_or(ExpressionShape::Other, ExpressionShape::Same)
        }
        k::STRUCT_EXPRESSION => {
            walk.child(at, f::NAME).map_or(ExpressionShape::Other, ExpressionShape::New)
        }
        k::CALL_EXPRESSION => made(walk, at).map_or(ExpressionShape::Other, ExpressionShape::New),
        k::STRING_LITERAL | k::RAW_STRING_LITERAL => ExpressionShape::Literal("str"),
        _ => ExpressionShape::Other,
    }
}

/// Returns the type that a call constructs, by the usual names of constructors.
fn made(walk: &SyntaxWalk<'_>, call: NodeIndex) -> Option<NodeIndex> {
    let called = walk.child(call, f::FUNCTION)?;
    let name = walk.text(walk.child(called, f::NAME)?);
    let path = walk.child(called, f::PATH)?;
    let path = if walk.kind(path) == k::GENERIC_TYPE { walk.first(path)? } else { path };
    let last = walk.child(path, f::NAME).unwrap_or(path);
    (is_maker(name) && is_type_name(walk.text(last)) && walk.text(last) != b"Self").then_some(path)
}

/// Returns true if a function of a type is named like a constructor: `new`, or
/// a variant.
fn is_maker(name: &[u8]) -> bool {
    let words: [&[u8]; 9] =
        [b"new", b"default", b"from", b"open", b"load", b"create", b"connect", b"parse", b"empty"];
    let starts: [&[u8]; 4] = [b"new_", b"with_", b"from_", b"try_"];
    words.contains(&name)
        || starts.iter().any(|start| name.starts_with(start))
        || name.first().is_some_and(u8::is_ascii_uppercase)
}

/// Strips error handling from a value: `?`, `.await`, `.unwrap()` and
/// `.expect(…)`.
fn handled(walk: &SyntaxWalk<'_>, value: NodeIndex) -> NodeIndex {
    let mut at = value;
    for _ in 0..4 {
        let inner = match walk.kind(at) {
            k::TRY_EXPRESSION | k::AWAIT_EXPRESSION => walk.first(at),
            k::CALL_EXPRESSION => {
                let method = walk
                    .child(at, f::FUNCTION)
                    .filter(|called| walk.kind(*called) == k::FIELD_EXPRESSION);
                let name = method.and_then(|method| walk.child(method, f::FIELD));
                let handles =
                    name.is_some_and(|name| matches!(walk.text(name), b"unwrap" | b"expect"));
                method.filter(|_| handles).and_then(|method| walk.first(method))
            }
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
    at
}

fn is_type_name(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_uppercase)
}

fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    match walk.kind(parent) {
        k::SCOPED_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER if walk.field(at) == f::NAME => {
            let role = role(walk, parent, at);
            let before =
                walk.child(parent, f::PATH).map_or(RawQualifier::Nothing, RawQualifier::Node);
            walk.uses(at, role, before);
        }
        k::SHORTHAND_FIELD_INITIALIZER => {
            if let Some(of) = initialized(walk, parent) {
                walk.uses(at, ReferenceRole::Value, RawQualifier::OfType(of));
            }
            walk.uses(at, ReferenceRole::Value, RawQualifier::Nothing);
        }
        _ if walk.text(at) == b"Self" || walk.text(at) == b"_" => {}
        _ => {
            let role = role(walk, at, at);
            walk.uses(at, role, RawQualifier::Nothing);
        }
    }
}

/// Returns the role of an expression, whose last name is `name`, in its parent.
fn role(walk: &SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) -> ReferenceRole {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::CALL_EXPRESSION, f::FUNCTION) => ReferenceRole::Call,
        (k::GENERIC_FUNCTION, f::FUNCTION)
            if walk.is_in(parent, k::CALL_EXPRESSION, f::FUNCTION) =>
        {
            ReferenceRole::Call
        }
        (k::MACRO_INVOCATION, f::MACRO) => ReferenceRole::Applies,
        (k::SCOPED_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER, f::PATH)
            if is_type_name(walk.text(name)) =>
        {
            ReferenceRole::Type
        }
        _ => ReferenceRole::Value,
    }
}

fn type_use(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if matches!(walk.text(at), b"Self" | b"_") {
        return;
    }
    let parent = walk.parent(at);
    let scoped = walk.kind(parent) == k::SCOPED_TYPE_IDENTIFIER && walk.field(at) == f::NAME;
    let path = if scoped { walk.child(parent, f::PATH) } else { None };
    let mut whole = if scoped { parent } else { at };
    if walk.is_in(whole, k::GENERIC_TYPE, f::TYPE)
        || walk.is_in(whole, k::GENERIC_TYPE_WITH_TURBOFISH, f::TYPE)
    {
        whole = walk.parent(whole);
    }
    let outer = walk.parent(whole);
    let role = match (walk.kind(outer), walk.field(whole)) {
        (k::IMPL_ITEM, f::TRAIT) => ReferenceRole::Implements,
        (k::TRAIT_BOUNDS, _) if walk.is_in(outer, k::TRAIT_ITEM, f::BOUNDS) => {
            ReferenceRole::Extends
        }
        (k::STRUCT_EXPRESSION, f::NAME) => ReferenceRole::Call,
        (k::TYPE_BINDING, f::NAME) => return,
        _ => ReferenceRole::Type,
    };
    if role == ReferenceRole::Implements
        && let Some(owner) = walk.child(outer, f::TYPE).and_then(|of| base_name(walk, of))
    {
        let owner = walk.symbol(owner);
        walk.implementing.push((walk.uses.len(), owner));
    }
    walk.uses(at, role, path.map_or(RawQualifier::Nothing, RawQualifier::Node));
}

fn field_use(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    let (role, before) = match walk.kind(parent) {
        k::FIELD_EXPRESSION => {
            let object = walk.first(parent).map_or(RawQualifier::Unknown, RawQualifier::Node);
            (role(walk, parent, at), object)
        }
        k::FIELD_INITIALIZER => match initialized(walk, parent) {
            Some(of) => (ReferenceRole::Value, RawQualifier::OfType(of)),
            None => (ReferenceRole::Value, RawQualifier::Unknown),
        },
        k::FIELD_PATTERN => {
            let of = walk.child(walk.parent(parent), f::TYPE);
            let of = of.and_then(|of| own_or_named(walk, of));
            (ReferenceRole::Value, of.map_or(RawQualifier::Unknown, RawQualifier::OfType))
        }
        _ => (ReferenceRole::Value, RawQualifier::Unknown),
    };
    walk.uses(at, role, before);
}

/// Returns the type whose field is set in `Type { field: value }`.
fn initialized(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    let literal = walk.parent(walk.parent(at));
    let of = walk.child(literal, f::NAME)?;
    own_or_named(walk, of)
}

/// Returns the name of a type that may be written as `Self`.
fn own_or_named(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    if walk.text(of) == b"Self" {
        let within = walk.within()?;
        return walk.defs[within].owner;
    }
    type_name(walk, of)
}

/// Returns the node of a type's name, without arguments and references.
fn base_name(walk: &SyntaxWalk<'_>, of: NodeIndex) -> Option<NodeIndex> {
    let mut at = of;
    for _ in 0..8 {
        at = match walk.kind(at) {
            k::TYPE_IDENTIFIER | k::IDENTIFIER | k::PRIMITIVE_TYPE => return Some(at),
            k::SCOPED_TYPE_IDENTIFIER => walk.child(at, f::NAME)?,
            k::GENERIC_TYPE | k::REFERENCE_TYPE | k::POINTER_TYPE => walk.child(at, f::TYPE)?,
            k::DYNAMIC_TYPE | k::ABSTRACT_TYPE => walk.child(at, f::TRAIT)?,
            _ => return None,
        };
    }
    None
}

/// Returns the type whose members a value of the declared type has.
fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    let mut at = of;
    for _ in 0..8 {
        at = match walk.kind(at) {
            k::TYPE_IDENTIFIER | k::IDENTIFIER | k::PRIMITIVE_TYPE => {
                return Some(walk.symbol(at));
            }
            k::SCOPED_TYPE_IDENTIFIER => return Some(walk.path(at)),
            k::GENERIC_TYPE => {
                let base = walk.child(at, f::TYPE)?;
                if matches!(walk.text(base), b"Box" | b"Rc" | b"Arc") {
                    walk.child(at, f::TYPE_ARGUMENTS).and_then(|list| walk.first(list))?
                } else {
                    base
                }
            }
            k::REFERENCE_TYPE => walk.child(at, f::TYPE)?,
            k::DYNAMIC_TYPE | k::ABSTRACT_TYPE => walk.child(at, f::TRAIT)?,
            _ => return None,
        };
    }
    None
}
