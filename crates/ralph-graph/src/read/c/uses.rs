//! Uses of names.

use super::super::collected::RawQualifier;
use super::super::names::{field as f, kind as k};
use super::super::settle::ExpressionShape;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use crate::facts::ReferenceRole;

pub(super) fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    let first = |found: fn(NodeIndex) -> ExpressionShape| {
        walk.first(at).map_or(ExpressionShape::Other, found)
    };
    match walk.kind(at) {
        k::IDENTIFIER => ExpressionShape::Name,
        k::THIS => ExpressionShape::Itself,
        k::FIELD_EXPRESSION => first(ExpressionShape::Member),
        // Types are recorded without pointers or arrays.
        k::PARENTHESIZED_EXPRESSION | k::POINTER_EXPRESSION | k::SUBSCRIPT_EXPRESSION => {
            first(ExpressionShape::Same)
        }
        k::QUALIFIED_IDENTIFIER => ExpressionShape::Path,
        k::NEW_EXPRESSION | k::COMPOUND_LITERAL_EXPRESSION => match walk.child(at, f::TYPE) {
            Some(of) if matches!(walk.kind(of), k::TYPE_IDENTIFIER | k::QUALIFIED_IDENTIFIER) => {
                ExpressionShape::New(of)
            }
            Some(_) | None => ExpressionShape::Other,
        },
        k::CALL_EXPRESSION => {
            cast_type(walk, at).map_or(ExpressionShape::Other, ExpressionShape::New)
        }
        _ => ExpressionShape::Other,
    }
}

/// Returns the type of `static_cast<A*>(a)`.
fn cast_type(walk: &SyntaxWalk<'_>, call: NodeIndex) -> Option<NodeIndex> {
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
fn whole(walk: &SyntaxWalk<'_>, at: NodeIndex) -> NodeIndex {
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
fn scope_before(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> RawQualifier {
    let whole = whole(walk, at);
    let text = walk.slice(walk.bytes(whole).start, walk.bytes(at).start).trim_ascii_end();
    let Some(text) = text.strip_suffix(b"::") else { return RawQualifier::Nothing };
    if text.is_empty() {
        return RawQualifier::Nothing;
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
        return RawQualifier::Path(walk.symbols.make(&plain));
    }
    RawQualifier::Path(walk.symbols.intern(text))
}

pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    match (walk.kind(at), walk.kind(parent)) {
        (k::FIELD_IDENTIFIER, k::FIELD_EXPRESSION) => {
            let role = role(walk, parent);
            walk.uses(at, role, RawQualifier::Node(parent + 1));
        }
        (k::FIELD_IDENTIFIER, k::TEMPLATE_METHOD) => {
            let access = walk.parent(parent);
            let role = role(walk, access);
            walk.uses(at, role, RawQualifier::Node(access + 1));
        }
        (k::FIELD_IDENTIFIER, k::FIELD_INITIALIZER) => {
            walk.uses(at, ReferenceRole::Value, RawQualifier::Itself);
        }
        (k::FIELD_IDENTIFIER, _) => walk.uses(at, ReferenceRole::Value, RawQualifier::Unknown),
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

fn role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    match (walk.kind(walk.parent(at)), walk.field(at)) {
        (k::CALL_EXPRESSION, f::FUNCTION) => ReferenceRole::Call,
        _ => ReferenceRole::Value,
    }
}

pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let whole = whole(walk, at);
    let outer = walk.parent(whole);
    let role = match walk.kind(outer) {
        k::BASE_CLASS_CLAUSE => ReferenceRole::Extends,
        k::NEW_EXPRESSION | k::COMPOUND_LITERAL_EXPRESSION => ReferenceRole::Call,
        k::CALL_EXPRESSION if walk.field(whole) == f::FUNCTION => ReferenceRole::Call,
        _ => ReferenceRole::Type,
    };
    let before = scope_before(walk, at);
    walk.uses(at, role, before);
}

/// Reads a class or namespace before `::`.
pub(super) fn scope_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
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
            RawQualifier::Path(walk.symbols.intern(path))
        }
        Some(_) | None => RawQualifier::Nothing,
    };
    walk.uses(at, ReferenceRole::Type, before);
}
