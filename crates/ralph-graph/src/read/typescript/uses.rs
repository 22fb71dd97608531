//! Uses of names.

use super::super::collected::RawQualifier;
use super::super::names::{field as f, kind as k};
use super::super::settle::ExpressionShape;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::imports;
use crate::facts::ReferenceRole;

pub(super) fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    let first = |found: fn(NodeIndex) -> ExpressionShape| {
        walk.first(at).map_or(ExpressionShape::Other, found)
    };
    match walk.kind(at) {
        k::IDENTIFIER | k::TYPE_IDENTIFIER => ExpressionShape::Name,
        k::THIS if is_passed_on(walk, at) => ExpressionShape::Other,
        k::THIS => ExpressionShape::Itself,
        // An import without a name is known by its text.
        k::CALL_EXPRESSION if imports::required_module(walk, at).is_some() => ExpressionShape::Path,
        k::SUPER => ExpressionShape::Parent,
        k::MEMBER_EXPRESSION | k::NESTED_IDENTIFIER | k::NESTED_TYPE_IDENTIFIER => {
            first(ExpressionShape::Member)
        }
        k::PARENTHESIZED_EXPRESSION | k::NON_NULL_EXPRESSION | k::AWAIT_EXPRESSION => {
            first(ExpressionShape::Same)
        }
        k::NEW_EXPRESSION => match walk.child(at, f::CONSTRUCTOR) {
            Some(made) if matches!(walk.kind(made), k::IDENTIFIER | k::MEMBER_EXPRESSION) => {
                ExpressionShape::New(made)
            }
            Some(_) | None => ExpressionShape::Other,
        },
        k::AS_EXPRESSION => match walk.children(at).nth(1) {
            Some(of) if walk.kind(of) == k::TYPE_IDENTIFIER => ExpressionShape::New(of),
            Some(_) | None => ExpressionShape::Other,
        },
        _ => ExpressionShape::Other,
    }
}

/// Returns true if `this` is in a function that is passed to others, so its
/// type is unknown: `list.each(function () { this.x })`.
fn is_passed_on(walk: &SyntaxWalk<'_>, this: NodeIndex) -> bool {
    let mut at = this;
    while at != 0 && !matches!(walk.kind(at), k::CLASS_BODY | k::METHOD_DEFINITION) {
        let parent = walk.parent(at);
        if matches!(walk.kind(at), k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION) {
            let is_argument = walk.field(parent) == f::ARGUMENTS;
            // `this` may be passed along with it.
            let is_given = |at: NodeIndex| walk.kind(at) == k::THIS;
            return is_argument && !walk.children(parent).any(is_given);
        }
        at = parent;
    }
    false
}

pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    match (walk.kind(at), walk.kind(parent)) {
        (_, k::MEMBER_EXPRESSION | k::NESTED_IDENTIFIER) if walk.field(at) == f::PROPERTY => {
            let role = role(walk, parent);
            walk.uses(at, role, RawQualifier::Node(parent + 1));
        }
        (k::TYPE_IDENTIFIER, k::NESTED_TYPE_IDENTIFIER) if walk.field(at) == f::NAME => {
            let role = type_role(walk, parent);
            walk.uses(at, role, RawQualifier::Node(parent + 1));
        }
        (k::TYPE_IDENTIFIER, _) => {
            let role = type_role(walk, at);
            walk.uses(at, role, RawQualifier::Nothing);
        }
        // Elements in lower case are HTML.
        (k::IDENTIFIER, k::JSX_OPENING_ELEMENT | k::JSX_SELF_CLOSING_ELEMENT)
            if !walk.text(at).first().is_some_and(u8::is_ascii_uppercase) => {}
        (k::IDENTIFIER, _) => {
            let role = role(walk, at);
            walk.uses(at, role, RawQualifier::Nothing);
        }
        (k::SHORTHAND_PROPERTY_IDENTIFIER, _) => {
            walk.uses(at, ReferenceRole::Value, RawQualifier::Nothing);
        }
        _ => {}
    }
}

/// Returns the role of an expression in its parent.
pub(super) fn role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::CALL_EXPRESSION, f::FUNCTION) => {
            if walk.kind(walk.parent(parent)) == k::DECORATOR {
                ReferenceRole::Applies
            } else {
                ReferenceRole::Call
            }
        }
        (k::DECORATOR, _) => ReferenceRole::Applies,
        (k::EXTENDS_CLAUSE, f::VALUE) | (k::CLASS_HERITAGE, _) => ReferenceRole::Extends,
        (k::NESTED_TYPE_IDENTIFIER | k::GENERIC_TYPE, _) => ReferenceRole::Type,
        (k::NEW_EXPRESSION, f::CONSTRUCTOR)
        | (k::JSX_OPENING_ELEMENT | k::JSX_SELF_CLOSING_ELEMENT, f::NAME) => ReferenceRole::Call,
        _ => ReferenceRole::Value,
    }
}

fn type_role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    let parent = walk.parent(at);
    let whole =
        if walk.kind(parent) == k::GENERIC_TYPE && walk.field(at) == f::NAME { parent } else { at };
    match walk.kind(walk.parent(whole)) {
        k::IMPLEMENTS_CLAUSE => ReferenceRole::Implements,
        k::EXTENDS_TYPE_CLAUSE => ReferenceRole::Extends,
        _ => ReferenceRole::Type,
    }
}
