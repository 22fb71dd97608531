//! PHP.
//!
//! A variable outside functions is defined at its first assignment.

mod imports;
mod locals;
mod uses;

use super::collected::{ByteRange, DefinitionRange, MemberNaming, ScopeKind, WalkStep};
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::tree::{NodeIndex, offset};
use super::walk::SyntaxWalk;
use super::{GrammarRules, nothing_left};
use crate::facts::{CodePurpose, DefinitionKind, SymbolVisibility};

use self::uses::shape;

/// Returns the rules of the language.
pub(super) fn rules() -> GrammarRules {
    GrammarRules {
        grammar: tree_sitter_php::LANGUAGE_PHP.into(),
        comments: DocCommentStyle::Slashes,
        members: MemberNaming::Named,
        closed: &[k::STRING],
        plain: &[],
        visit,
        shape,
        finish: nothing_left,
    }
}

fn visit(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    match walk.kind(at) {
        k::NAME => uses::name(walk, at),
        k::VARIABLE_NAME => {
            uses::variable(walk, at);
            return WalkStep::Over;
        }
        k::NAMESPACE_NAME | k::NAMED_LABEL_STATEMENT | k::GOTO_STATEMENT => return WalkStep::Over,
        k::NAMESPACE_DEFINITION => namespace(walk, at),
        k::NAMESPACE_USE_DECLARATION => {
            imports::import(walk, at);
            return WalkStep::Over;
        }
        k::INCLUDE_EXPRESSION
        | k::INCLUDE_ONCE_EXPRESSION
        | k::REQUIRE_EXPRESSION
        | k::REQUIRE_ONCE_EXPRESSION => imports::include(walk, at),
        k::FUNCTION_CALL_EXPRESSION => constant_by_call(walk, at),
        k::ANONYMOUS_FUNCTION | k::ARROW_FUNCTION | k::PROPERTY_HOOK => {
            walk.scope(at, ScopeKind::Function);
        }
        k::SIMPLE_PARAMETER | k::VARIADIC_PARAMETER | k::PROPERTY_PROMOTION_PARAMETER => {
            locals::parameter(walk, at);
        }
        k::ASSIGNMENT_EXPRESSION => locals::assignment(walk, at),
        k::CATCH_CLAUSE => locals::caught(walk, at),
        k::PROPERTY_DECLARATION => properties(walk, at),
        k::CONST_ELEMENT => {
            if let Some(name) = walk.first(at) {
                let place = walk.line_place(walk.parent(at));
                let def = walk.define(DefinitionKind::Constant, name, place);
                let statement = walk.parent(at);
                mark(walk, statement, def);
                walk.enter(def, at);
            }
        }
        kind => define(walk, at, kind),
    }
    WalkStep::Into
}

fn define(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    let kind = match kind {
        k::CLASS_DECLARATION => DefinitionKind::Class,
        k::INTERFACE_DECLARATION | k::TRAIT_DECLARATION => DefinitionKind::Interface,
        k::ENUM_DECLARATION => DefinitionKind::Enum,
        k::ENUM_CASE => DefinitionKind::Variant,
        k::FUNCTION_DEFINITION => DefinitionKind::Function,
        k::METHOD_DECLARATION => DefinitionKind::Method,
        _ => return,
    };
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at);
    let def = walk.define(kind, name, place);
    walk.defs[def].reach = SymbolVisibility::Project;
    mark(walk, at, def);
    let bases = walk.child_of(at, k::BASE_CLAUSE).map_or(b"".as_slice(), |bases| walk.text(bases));
    if kind == DefinitionKind::Class && bases.ends_with(b"TestCase") {
        walk.defs[def].purpose = CodePurpose::Test;
    }
    let is_inside = walk.defs[def].purpose == CodePurpose::Test;
    if kind == DefinitionKind::Method && is_inside && walk.text(name).starts_with(b"test") {
        walk.defs[def].purpose = CodePurpose::Case;
    }
    walk.enter(def, at);
    if matches!(kind, DefinitionKind::Function | DefinitionKind::Method) {
        walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
    }
}

/// Returns the range of a definition; attributes are not part of the signature.
fn place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let place = walk.place(at);
    let attributes = walk.child(at, f::ATTRIBUTES);
    DefinitionRange { head: attributes.map_or(place.head, |list| walk.bytes(list).end), ..place }
}

/// Applies modifiers and attributes to a definition.
fn mark(walk: &mut SyntaxWalk<'_>, at: NodeIndex, def: usize) {
    let modifier = walk.child_of(at, k::VISIBILITY_MODIFIER);
    if modifier.is_some_and(|modifier| walk.text(modifier) == b"private") {
        walk.defs[def].reach = SymbolVisibility::File;
    }
    let attributes = walk.child(at, f::ATTRIBUTES).map_or(b"".as_slice(), |list| walk.text(list));
    if memchr::memmem::find(attributes, b"#[Test]").is_some() {
        walk.defs[def].purpose = CodePurpose::Case;
    }
}

fn namespace(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = walk.place(at);
    let symbol = walk.path(name);
    let bytes = walk.bytes(name);
    let def = walk.define_as(DefinitionKind::Module, symbol, bytes, place);
    walk.defs[def].container = None;
    // Without braces it spans the rest of the file.
    let whole = walk.child(at, f::BODY).is_none();
    walk.enter(def, if whole { 0 } else { at });
}

/// Returns `$name` without its sign.
fn bare(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> (super::symbols::InternedName, ByteRange) {
    let ByteRange { start, end } = walk.bytes(at);
    let sign = offset(usize::from(walk.text(at).starts_with(b"$")));
    let text = walk.slice(start + sign, end);
    (walk.symbols.intern(text), ByteRange { start: start + sign, end })
}

fn properties(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let elements: Vec<NodeIndex> =
        walk.children(at).filter(|child| walk.kind(*child) == k::PROPERTY_ELEMENT).collect();
    let head = place(walk, at).head;
    let line = walk.line_place(at);
    let place = DefinitionRange { head, body: line.body.max(head), ..line };
    let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
    for element in elements {
        let Some(name) = walk.child(element, f::NAME) else { continue };
        walk.take_all(name);
        field(walk, name, place, of);
        let def = walk.defs.len() - 1;
        mark(walk, at, def);
        walk.enter(def, element);
    }
}

/// Adds a property of the enclosing class.
fn field(
    walk: &mut SyntaxWalk<'_>,
    name: NodeIndex,
    place: DefinitionRange,
    of: Option<super::symbols::InternedName>,
) {
    let class = walk.enclosing_type();
    let (symbol, bytes) = bare(walk, name);
    let def = walk.define_as(DefinitionKind::Field, symbol, bytes, place);
    walk.defs[def].reach = SymbolVisibility::Project;
    walk.defs[def].container = class.or(walk.defs[def].container);
    if let (Some(class), Some(of)) = (class, of) {
        let key = (walk.defs[class].name, symbol);
        walk.field_types.insert(key, of);
    }
}

/// Reads `$a = …` outside functions.
fn variable(walk: &mut SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) {
    let (symbol, bytes) = bare(walk, name);
    if !walk.defined.contains(&(walk.container(), symbol)) {
        let place = walk.line_place(at);
        walk.define_as(DefinitionKind::Variable, symbol, bytes, place);
    }
}

/// Reads `define('NAME', …)`.
fn constant_by_call(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(called), Some(arguments)) =
        (walk.child(at, f::FUNCTION), walk.child(at, f::ARGUMENTS))
    else {
        return;
    };
    if walk.text(called) != b"define" {
        return;
    }
    let string = walk.first(arguments).and_then(|argument| walk.first(argument));
    let Some(string) =
        string.filter(|string| matches!(walk.kind(*string), k::STRING | k::ENCAPSED_STRING))
    else {
        return;
    };
    let quoted = walk.bytes(string);
    if quoted.end - quoted.start > 2 {
        let bytes = quoted.inside_quotes();
        let name = walk.symbols.intern(walk.slice(bytes.start, bytes.end));
        let place = walk.line_place(at);
        let def = walk.define_as(DefinitionKind::Constant, name, bytes, place);
        walk.defs[def].reach = SymbolVisibility::Project;
    }
}
