//! PHP.
//!
//! A variable outside functions is defined at its first assignment.

mod imports;
mod locals;
mod uses;

use super::collected::{ByteRange, Extent, Members, Place, Step};
use super::comments::Comments;
use super::names::{field as f, kind as k};
use super::tree::{At, offset};
use super::walk::Walk;
use super::{Rules, nothing_left};
use crate::facts::{Kind, Purpose, Reach};

use self::uses::shape;

/// Returns the rules of the language.
pub(super) fn rules() -> Rules {
    Rules {
        grammar: tree_sitter_php::LANGUAGE_PHP.into(),
        comments: Comments::Slashes,
        members: Members::Named,
        closed: &[k::STRING],
        plain: &[],
        visit,
        shape,
        finish: nothing_left,
    }
}

fn visit(walk: &mut Walk<'_>, at: At) -> Step {
    match walk.kind(at) {
        k::NAME => uses::name(walk, at),
        k::VARIABLE_NAME => {
            uses::variable(walk, at);
            return Step::Over;
        }
        k::NAMESPACE_NAME | k::NAMED_LABEL_STATEMENT | k::GOTO_STATEMENT => return Step::Over,
        k::NAMESPACE_DEFINITION => namespace(walk, at),
        k::NAMESPACE_USE_DECLARATION => {
            imports::import(walk, at);
            return Step::Over;
        }
        k::INCLUDE_EXPRESSION
        | k::INCLUDE_ONCE_EXPRESSION
        | k::REQUIRE_EXPRESSION
        | k::REQUIRE_ONCE_EXPRESSION => imports::include(walk, at),
        k::FUNCTION_CALL_EXPRESSION => constant_by_call(walk, at),
        k::ANONYMOUS_FUNCTION | k::ARROW_FUNCTION | k::PROPERTY_HOOK => {
            walk.scope(at, Extent::Function);
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
                let def = walk.define(Kind::Constant, name, place);
                let statement = walk.parent(at);
                mark(walk, statement, def);
                walk.enter(def, at);
            }
        }
        kind => define(walk, at, kind),
    }
    Step::Into
}

fn define(walk: &mut Walk<'_>, at: At, kind: u16) {
    let kind = match kind {
        k::CLASS_DECLARATION => Kind::Class,
        k::INTERFACE_DECLARATION | k::TRAIT_DECLARATION => Kind::Interface,
        k::ENUM_DECLARATION => Kind::Enum,
        k::ENUM_CASE => Kind::Variant,
        k::FUNCTION_DEFINITION => Kind::Function,
        k::METHOD_DECLARATION => Kind::Method,
        _ => return,
    };
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at);
    let def = walk.define(kind, name, place);
    walk.defs[def].reach = Reach::Project;
    mark(walk, at, def);
    let bases = walk.child_of(at, k::BASE_CLAUSE).map_or(b"".as_slice(), |bases| walk.text(bases));
    if kind == Kind::Class && bases.ends_with(b"TestCase") {
        walk.defs[def].purpose = Purpose::Test;
    }
    let is_inside = walk.defs[def].purpose == Purpose::Test;
    if kind == Kind::Method && is_inside && walk.text(name).starts_with(b"test") {
        walk.defs[def].purpose = Purpose::Case;
    }
    walk.enter(def, at);
    if matches!(kind, Kind::Function | Kind::Method) {
        walk.scope_over(at, place.body_bytes(), Extent::Function);
    }
}

/// Returns the range of a definition; attributes are not part of the signature.
fn place(walk: &Walk<'_>, at: At) -> Place {
    let place = walk.place(at);
    let attributes = walk.child(at, f::ATTRIBUTES);
    Place { head: attributes.map_or(place.head, |list| walk.bytes(list).end), ..place }
}

/// Applies modifiers and attributes to a definition.
fn mark(walk: &mut Walk<'_>, at: At, def: usize) {
    let modifier = walk.child_of(at, k::VISIBILITY_MODIFIER);
    if modifier.is_some_and(|modifier| walk.text(modifier) == b"private") {
        walk.defs[def].reach = Reach::File;
    }
    let attributes = walk.child(at, f::ATTRIBUTES).map_or(b"".as_slice(), |list| walk.text(list));
    if memchr::memmem::find(attributes, b"#[Test]").is_some() {
        walk.defs[def].purpose = Purpose::Case;
    }
}

fn namespace(walk: &mut Walk<'_>, at: At) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = walk.place(at);
    let symbol = walk.path(name);
    let bytes = walk.bytes(name);
    let def = walk.define_as(Kind::Module, symbol, bytes, place);
    walk.defs[def].container = None;
    // Without braces it spans the rest of the file.
    let whole = walk.child(at, f::BODY).is_none();
    walk.enter(def, if whole { 0 } else { at });
}

/// Returns `$name` without its sign.
fn bare(walk: &mut Walk<'_>, at: At) -> (super::symbols::Symbol, ByteRange) {
    let ByteRange { start, end } = walk.bytes(at);
    let sign = offset(usize::from(walk.text(at).starts_with(b"$")));
    let text = walk.slice(start + sign, end);
    (walk.symbols.intern(text), ByteRange { start: start + sign, end })
}

fn properties(walk: &mut Walk<'_>, at: At) {
    let elements: Vec<At> =
        walk.children(at).filter(|child| walk.kind(*child) == k::PROPERTY_ELEMENT).collect();
    let head = place(walk, at).head;
    let line = walk.line_place(at);
    let place = Place { head, body: line.body.max(head), ..line };
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
fn field(walk: &mut Walk<'_>, name: At, place: Place, of: Option<super::symbols::Symbol>) {
    let class = walk.enclosing_type();
    let (symbol, bytes) = bare(walk, name);
    let def = walk.define_as(Kind::Field, symbol, bytes, place);
    walk.defs[def].reach = Reach::Project;
    walk.defs[def].container = class.or(walk.defs[def].container);
    if let (Some(class), Some(of)) = (class, of) {
        let key = (walk.defs[class].name, symbol);
        walk.field_types.insert(key, of);
    }
}

/// Reads `$a = …` outside functions.
fn variable(walk: &mut Walk<'_>, at: At, name: At) {
    let (symbol, bytes) = bare(walk, name);
    if !walk.defined.contains(&(walk.container(), symbol)) {
        let place = walk.line_place(at);
        walk.define_as(Kind::Variable, symbol, bytes, place);
    }
}

/// Reads `define('NAME', …)`.
fn constant_by_call(walk: &mut Walk<'_>, at: At) {
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
        let def = walk.define_as(Kind::Constant, name, bytes, place);
        walk.defs[def].reach = Reach::Project;
    }
}
