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
        k::IDENTIFIER | k::TYPE_IDENTIFIER => Shape::Name,
        k::THIS => Shape::Itself,
        k::SUPER => Shape::Parent,
        k::FIELD_ACCESS | k::SCOPED_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER => first(Shape::Member),
        k::PARENTHESIZED_EXPRESSION | k::GENERIC_TYPE => first(Shape::Same),
        k::OBJECT_CREATION_EXPRESSION | k::CAST_EXPRESSION => match walk.child(at, f::TYPE) {
            Some(of) if walk.kind(of) == k::GENERIC_TYPE => {
                walk.first(of).map_or(Shape::Other, Shape::New)
            }
            Some(of) if matches!(walk.kind(of), k::TYPE_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER) => {
                Shape::New(of)
            }
            Some(_) | None => Shape::Other,
        },
        _ => Shape::Other,
    }
}

pub(super) fn name(walk: &mut Walk<'_>, at: At) {
    let parent = walk.parent(at);
    let (role, before) = match (walk.kind(parent), walk.field(at)) {
        (k::METHOD_INVOCATION, f::NAME) => {
            let object = walk.child(parent, f::OBJECT);
            (Role::Call, object.map_or(Before::Nothing, Before::Node))
        }
        (k::FIELD_ACCESS, f::FIELD) => (Role::Value, Before::Node(parent + 1)),
        (k::MARKER_ANNOTATION | k::ANNOTATION, f::NAME) => (Role::Applies, Before::Nothing),
        (k::SCOPED_IDENTIFIER, f::NAME) => {
            let annotation =
                matches!(walk.kind(walk.parent(parent)), k::MARKER_ANNOTATION | k::ANNOTATION);
            (if annotation { Role::Applies } else { Role::Value }, Before::Node(parent + 1))
        }
        (k::METHOD_REFERENCE, _) if parent + 1 != at => (Role::Value, Before::Node(parent + 1)),
        (k::ELEMENT_VALUE_PAIR, f::KEY)
        | (k::BREAK_STATEMENT | k::CONTINUE_STATEMENT | k::LABELED_STATEMENT, _) => return,
        _ => (Role::Value, Before::Nothing),
    };
    walk.uses(at, role, before);
}

pub(super) fn type_name(walk: &mut Walk<'_>, at: At) {
    if walk.text(at) == b"var" {
        return;
    }
    let parent = walk.parent(at);
    let scoped = walk.kind(parent) == k::SCOPED_TYPE_IDENTIFIER;
    let last = scoped && walk.after(parent) == walk.after(at);
    let before = if last && parent + 1 != at { Before::Node(parent + 1) } else { Before::Nothing };
    let mut whole = at;
    while matches!(walk.kind(walk.parent(whole)), k::SCOPED_TYPE_IDENTIFIER | k::GENERIC_TYPE) {
        whole = walk.parent(whole);
    }
    let outer = walk.parent(whole);
    let inner = scoped && !last;
    let role = match walk.kind(outer) {
        _ if inner => Role::Type,
        k::SUPERCLASS => Role::Extends,
        k::TYPE_LIST => match walk.kind(walk.parent(outer)) {
            k::SUPER_INTERFACES => Role::Implements,
            k::EXTENDS_INTERFACES => Role::Extends,
            _ => Role::Type,
        },
        k::OBJECT_CREATION_EXPRESSION if walk.field(whole) == f::TYPE => Role::Call,
        _ => Role::Type,
    };
    walk.uses(at, role, before);
}
