//! Uses of names.

use super::super::collected::Before;
use super::super::names::{field as f, kind as k};
use super::super::settle::Shape;
use super::super::tree::At;
use super::super::walk::Walk;
use crate::facts::Role;

pub(super) fn shape(walk: &Walk<'_>, at: At) -> Shape {
    let first = |found: fn(At) -> Shape| walk.first(at).map_or(Shape::Other, found);
    match walk.kind(at) {
        k::IDENTIFIER => Shape::Name,
        k::THIS => Shape::Itself,
        k::FIELD_EXPRESSION => first(Shape::Member),
        // Types are recorded without pointers or arrays.
        k::PARENTHESIZED_EXPRESSION | k::POINTER_EXPRESSION | k::SUBSCRIPT_EXPRESSION => {
            first(Shape::Same)
        }
        k::QUALIFIED_IDENTIFIER => Shape::Path,
        k::NEW_EXPRESSION | k::COMPOUND_LITERAL_EXPRESSION => match walk.child(at, f::TYPE) {
            Some(of) if matches!(walk.kind(of), k::TYPE_IDENTIFIER | k::QUALIFIED_IDENTIFIER) => {
                Shape::New(of)
            }
            Some(_) | None => Shape::Other,
        },
        k::CALL_EXPRESSION => cast_type(walk, at).map_or(Shape::Other, Shape::New),
        _ => Shape::Other,
    }
}

/// Returns the type of `static_cast<A*>(a)`.
fn cast_type(walk: &Walk<'_>, call: At) -> Option<At> {
    let called = walk
        .child(call, f::FUNCTION)
        .filter(|called| walk.kind(*called) == k::TEMPLATE_FUNCTION)?;
    let name = walk.child(called, f::NAME).filter(|name| is_cast(walk.text(*name)));
    let arguments = walk.child(called, f::ARGUMENTS).filter(|_| name.is_some())?;
    let of = walk.child(walk.first(arguments)?, f::TYPE)?;
    matches!(walk.kind(of), k::TYPE_IDENTIFIER | k::QUALIFIED_IDENTIFIER).then_some(of)
}

fn is_cast(name: &[u8]) -> bool {
    matches!(name, b"static_cast" | b"dynamic_cast" | b"reinterpret_cast" | b"const_cast")
}

/// Returns the outermost `a::b::c` that ends with a name, or the name.
fn whole(walk: &Walk<'_>, at: At) -> At {
    let mut at = at;
    loop {
        let parent = walk.parent(at);
        let goes_on = matches!(
            walk.kind(parent),
            k::QUALIFIED_IDENTIFIER | k::TEMPLATE_FUNCTION | k::TEMPLATE_TYPE | k::TEMPLATE_METHOD
        ) && walk.field(at) == f::NAME
            || walk.kind(parent) == k::DEPENDENT_NAME;
        if !goes_on {
            return at;
        }
        at = parent;
    }
}

/// Returns the qualifier of a name in `a::b::c`.
fn scope_before(walk: &mut Walk<'_>, at: At) -> Before {
    let whole = whole(walk, at);
    let text = walk.slice(walk.bytes(whole).start, walk.bytes(at).start).trim_ascii_end();
    let Some(text) = text.strip_suffix(b"::") else { return Before::Nothing };
    if text.is_empty() {
        return Before::Nothing;
    }
    // Template arguments are not part of the path.
    if text.iter().any(|byte| matches!(byte, b'<' | b' ' | b'\n' | b'\t')) {
        let mut depth = 0_u32;
        let mut plain = Vec::with_capacity(text.len());
        for byte in text {
            match byte {
                b'<' => depth += 1,
                b'>' => depth = depth.saturating_sub(1),
                byte if depth == 0 && !byte.is_ascii_whitespace() => plain.push(*byte),
                _ => {}
            }
        }
        return Before::Path(walk.symbols.make(&plain));
    }
    Before::Path(walk.symbols.intern(text))
}

pub(super) fn name(walk: &mut Walk<'_>, at: At) {
    let parent = walk.parent(at);
    match (walk.kind(at), walk.kind(parent)) {
        (k::FIELD_IDENTIFIER, k::FIELD_EXPRESSION) => {
            let role = role(walk, parent);
            walk.uses(at, role, Before::Node(parent + 1));
        }
        (k::FIELD_IDENTIFIER, k::TEMPLATE_METHOD) => {
            let access = walk.parent(parent);
            let role = role(walk, access);
            walk.uses(at, role, Before::Node(access + 1));
        }
        (k::FIELD_IDENTIFIER, k::FIELD_INITIALIZER) => walk.uses(at, Role::Value, Before::Itself),
        (k::FIELD_IDENTIFIER, _) => walk.uses(at, Role::Value, Before::Unknown),
        (k::IDENTIFIER, k::TEMPLATE_FUNCTION) if is_cast(walk.text(at)) => {}
        (_, k::ATTRIBUTE | k::DESTRUCTOR_NAME | k::GNU_ASM_GOTO_LIST) => {}
        _ => {
            let whole = whole(walk, at);
            let role = role(walk, whole);
            let before = scope_before(walk, at);
            walk.uses(at, role, before);
        }
    }
}

fn role(walk: &Walk<'_>, at: At) -> Role {
    match (walk.kind(walk.parent(at)), walk.field(at)) {
        (k::CALL_EXPRESSION, f::FUNCTION) => Role::Call,
        _ => Role::Value,
    }
}

pub(super) fn type_name(walk: &mut Walk<'_>, at: At) {
    let whole = whole(walk, at);
    let outer = walk.parent(whole);
    let role = match walk.kind(outer) {
        k::BASE_CLASS_CLAUSE => Role::Extends,
        k::NEW_EXPRESSION | k::COMPOUND_LITERAL_EXPRESSION => Role::Call,
        k::CALL_EXPRESSION if walk.field(whole) == f::FUNCTION => Role::Call,
        _ => Role::Type,
    };
    let before = scope_before(walk, at);
    walk.uses(at, role, before);
}

/// Reads a class or namespace before `::`.
pub(super) fn scope_name(walk: &mut Walk<'_>, at: At) {
    if walk.text(at) == b"std" {
        return;
    }
    let mut outer = walk.parent(at);
    while walk.is_in(outer, k::QUALIFIED_IDENTIFIER, f::NAME) {
        outer = walk.parent(outer);
    }
    let text = walk.slice(walk.bytes(outer).start, walk.bytes(at).start).trim_ascii_end();
    let before = match text.strip_suffix(b"::") {
        Some(path) if !path.is_empty() && !path.contains(&b'<') => {
            Before::Path(walk.symbols.intern(path))
        }
        Some(_) | None => Before::Nothing,
    };
    walk.uses(at, Role::Type, before);
}
