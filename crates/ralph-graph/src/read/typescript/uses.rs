//! Uses of names.

use super::super::collected::Before;
use super::super::names::{field as f, kind as k};
use super::super::settle::Shape;
use super::super::tree::At;
use super::super::walk::Walk;
use super::imports;
use crate::facts::Role;

pub(super) fn shape(walk: &Walk<'_>, at: At) -> Shape {
    let first = |found: fn(At) -> Shape| walk.first(at).map_or(Shape::Other, found);
    match walk.kind(at) {
        k::IDENTIFIER | k::TYPE_IDENTIFIER => Shape::Name,
        k::THIS if is_passed_on(walk, at) => Shape::Other,
        k::THIS => Shape::Itself,
        // An import without a name is known by its text.
        k::CALL_EXPRESSION if imports::required_module(walk, at).is_some() => Shape::Path,
        k::SUPER => Shape::Parent,
        k::MEMBER_EXPRESSION | k::NESTED_IDENTIFIER | k::NESTED_TYPE_IDENTIFIER => {
            first(Shape::Member)
        }
        k::PARENTHESIZED_EXPRESSION | k::NON_NULL_EXPRESSION | k::AWAIT_EXPRESSION => {
            first(Shape::Same)
        }
        k::NEW_EXPRESSION => match walk.child(at, f::CONSTRUCTOR) {
            Some(made) if matches!(walk.kind(made), k::IDENTIFIER | k::MEMBER_EXPRESSION) => {
                Shape::New(made)
            }
            Some(_) | None => Shape::Other,
        },
        k::AS_EXPRESSION => match walk.children(at).nth(1) {
            Some(of) if walk.kind(of) == k::TYPE_IDENTIFIER => Shape::New(of),
            Some(_) | None => Shape::Other,
        },
        _ => Shape::Other,
    }
}

/// Returns true if `this` is in a function that is passed to others, so its
/// type is unknown: `list.each(function () { this.x })`.
fn is_passed_on(walk: &Walk<'_>, this: At) -> bool {
    let mut at = this;
    while at != 0 && !matches!(walk.kind(at), k::CLASS_BODY | k::METHOD_DEFINITION) {
        let parent = walk.parent(at);
        if matches!(walk.kind(at), k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION) {
            let is_argument = walk.field(parent) == f::ARGUMENTS;
            // `this` may be passed along with it.
            let is_given = |at: At| walk.kind(at) == k::THIS;
            return is_argument && !walk.children(parent).any(is_given);
        }
        at = parent;
    }
    false
}

pub(super) fn name(walk: &mut Walk<'_>, at: At) {
    let parent = walk.parent(at);
    match (walk.kind(at), walk.kind(parent)) {
        (_, k::MEMBER_EXPRESSION | k::NESTED_IDENTIFIER) if walk.field(at) == f::PROPERTY => {
            let role = role(walk, parent);
            walk.uses(at, role, Before::Node(parent + 1));
        }
        (k::TYPE_IDENTIFIER, k::NESTED_TYPE_IDENTIFIER) if walk.field(at) == f::NAME => {
            let role = type_role(walk, parent);
            walk.uses(at, role, Before::Node(parent + 1));
        }
        (k::TYPE_IDENTIFIER, _) => {
            let role = type_role(walk, at);
            walk.uses(at, role, Before::Nothing);
        }
        // Elements in lower case are HTML.
        (k::IDENTIFIER, k::JSX_OPENING_ELEMENT | k::JSX_SELF_CLOSING_ELEMENT)
            if !walk.text(at).first().is_some_and(u8::is_ascii_uppercase) => {}
        (k::IDENTIFIER, _) => {
            let role = role(walk, at);
            walk.uses(at, role, Before::Nothing);
        }
        (k::SHORTHAND_PROPERTY_IDENTIFIER, _) => walk.uses(at, Role::Value, Before::Nothing),
        _ => {}
    }
}

/// Returns the role of an expression in its parent.
pub(super) fn role(walk: &Walk<'_>, at: At) -> Role {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::CALL_EXPRESSION, f::FUNCTION) => {
            if walk.kind(walk.parent(parent)) == k::DECORATOR {
                Role::Applies
            } else {
                Role::Call
            }
        }
        (k::DECORATOR, _) => Role::Applies,
        (k::EXTENDS_CLAUSE, f::VALUE) | (k::CLASS_HERITAGE, _) => Role::Extends,
        (k::NESTED_TYPE_IDENTIFIER | k::GENERIC_TYPE, _) => Role::Type,
        (k::NEW_EXPRESSION, f::CONSTRUCTOR)
        | (k::JSX_OPENING_ELEMENT | k::JSX_SELF_CLOSING_ELEMENT, f::NAME) => Role::Call,
        _ => Role::Value,
    }
}

fn type_role(walk: &Walk<'_>, at: At) -> Role {
    let parent = walk.parent(at);
    let whole =
        if walk.kind(parent) == k::GENERIC_TYPE && walk.field(at) == f::NAME { parent } else { at };
    match walk.kind(walk.parent(whole)) {
        k::IMPLEMENTS_CLAUSE => Role::Implements,
        k::EXTENDS_TYPE_CLAUSE => Role::Extends,
        _ => Role::Type,
    }
}
