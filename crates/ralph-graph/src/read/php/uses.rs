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
        k::VARIABLE_NAME if walk.text(at) == b"$this" => Shape::Itself,
        k::VARIABLE_NAME => Shape::Variable,
        k::NAME | k::QUALIFIED_NAME => match walk.text(at) {
            b"self" | b"static" => Shape::Itself,
            b"parent" => Shape::Parent,
            _ => Shape::Path,
        },
        k::RELATIVE_SCOPE => match walk.text(at) {
            b"parent" => Shape::Parent,
            _ => Shape::Itself,
        },
        k::MEMBER_ACCESS_EXPRESSION | k::NULLSAFE_MEMBER_ACCESS_EXPRESSION => first(Shape::Member),
        k::PARENTHESIZED_EXPRESSION | k::CLONE_EXPRESSION => first(Shape::Same),
        k::OBJECT_CREATION_EXPRESSION => match walk.first(at) {
            Some(of) if matches!(walk.kind(of), k::NAME | k::QUALIFIED_NAME) => Shape::New(of),
            Some(_) | None => Shape::Other,
        },
        _ => Shape::Other,
    }
}

pub(super) fn name(walk: &mut Walk<'_>, at: At) {
    let mut whole = at;
    let mut before = Before::Nothing;
    let qualified = walk.parent(at);
    if matches!(walk.kind(qualified), k::QUALIFIED_NAME | k::RELATIVE_NAME) {
        whole = qualified;
        let text = walk.slice(walk.bytes(qualified).start, walk.bytes(at).start);
        let text = text.strip_suffix(b"\\").unwrap_or(text);
        if !text.is_empty() {
            before = Before::Path(walk.symbols.intern(text));
        }
    }
    let parent = walk.parent(whole);
    let (role, before) = match (walk.kind(parent), walk.field(whole)) {
        (k::MEMBER_CALL_EXPRESSION | k::NULLSAFE_MEMBER_CALL_EXPRESSION, f::NAME) => {
            (Role::Call, object(walk, parent, f::OBJECT))
        }
        (k::MEMBER_ACCESS_EXPRESSION | k::NULLSAFE_MEMBER_ACCESS_EXPRESSION, f::NAME) => {
            (Role::Value, object(walk, parent, f::OBJECT))
        }
        (k::SCOPED_CALL_EXPRESSION, f::NAME) => (Role::Call, object(walk, parent, f::SCOPE)),
        (k::CLASS_CONSTANT_ACCESS_EXPRESSION, _) if parent + 1 != whole => {
            if walk.text(at) == b"class" {
                return;
            }
            (Role::Value, Before::Node(parent + 1))
        }
        (k::ARGUMENT, f::NAME) | (k::CONST_ELEMENT | k::VARIABLE_NAME | k::PROPERTY_HOOK, _)
            if walk.field(whole) == f::NAME || walk.kind(parent) == k::PROPERTY_HOOK =>
        {
            return;
        }
        (kind, field) => (plain_role(walk, kind, field, parent), before),
    };
    // These are keywords.
    if matches!(walk.text(at), b"self" | b"static" | b"parent" | b"isset" | b"empty" | b"eval") {
        return;
    }
    walk.uses(at, role, before);
}

fn object(walk: &Walk<'_>, parent: At, field: u8) -> Before {
    walk.child(parent, field).map_or(Before::Unknown, Before::Node)
}

fn plain_role(walk: &Walk<'_>, kind: u16, field: u8, parent: At) -> Role {
    match (kind, field) {
        (k::FUNCTION_CALL_EXPRESSION, f::FUNCTION) | (k::OBJECT_CREATION_EXPRESSION, _) => {
            Role::Call
        }
        (k::BASE_CLAUSE, _) => Role::Extends,
        (k::CLASS_INTERFACE_CLAUSE | k::USE_DECLARATION, _) => Role::Implements,
        (k::ATTRIBUTE, _) => Role::Applies,
        (k::SCOPED_CALL_EXPRESSION | k::SCOPED_PROPERTY_ACCESS_EXPRESSION, f::SCOPE)
        | (k::CLASS_CONSTANT_ACCESS_EXPRESSION | k::NAMED_TYPE, _) => Role::Type,
        (k::BINARY_EXPRESSION, f::RIGHT) => {
            let instance = memchr::memmem::find(walk.text(parent), b"instanceof").is_some();
            if instance { Role::Type } else { Role::Value }
        }
        _ => Role::Value,
    }
}

/// Reads a variable: `$b` is local, but `A::$b` is a property.
pub(super) fn variable(walk: &mut Walk<'_>, at: At) {
    let parent = walk.parent(at);
    if walk.is_in(at, k::SCOPED_PROPERTY_ACCESS_EXPRESSION, f::NAME) {
        let before = object(walk, parent, f::SCOPE);
        if let Some(name) = walk.first(at) {
            walk.uses(name, Role::Value, before);
        }
    }
}
