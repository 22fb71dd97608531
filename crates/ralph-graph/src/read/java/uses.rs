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
        k::IDENTIFIER | k::TYPE_IDENTIFIER => ExpressionShape::Name,
        k::THIS => ExpressionShape::Itself,
        k::SUPER => ExpressionShape::Parent,
        k::FIELD_ACCESS | k::SCOPED_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER => {
            first(ExpressionShape::Member)
        }
        k::PARENTHESIZED_EXPRESSION | k::GENERIC_TYPE => first(ExpressionShape::Same),
        k::OBJECT_CREATION_EXPRESSION | k::CAST_EXPRESSION => match walk.child(at, f::TYPE) {
            Some(of) if walk.kind(of) == k::GENERIC_TYPE => {
                walk.first(of).map_or(ExpressionShape::Other, ExpressionShape::New)
            }
            Some(of) if matches!(walk.kind(of), k::TYPE_IDENTIFIER | k::SCOPED_TYPE_IDENTIFIER) => {
                ExpressionShape::New(of)
            }
            Some(_) | None => ExpressionShape::Other,
        },
        _ => ExpressionShape::Other,
    }
}

pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    let (role, before) = match (walk.kind(parent), walk.field(at)) {
        (k::METHOD_INVOCATION, f::NAME) => {
            let object = walk.child(parent, f::OBJECT);
            (ReferenceRole::Call, object.map_or(RawQualifier::Nothing, RawQualifier::Node))
        }
        (k::FIELD_ACCESS, f::FIELD) => (ReferenceRole::Value, RawQualifier::Node(parent + 1)),
        (k::MARKER_ANNOTATION | k::ANNOTATION, f::NAME) => {
            (ReferenceRole::Applies, RawQualifier::Nothing)
        }
        (k::SCOPED_IDENTIFIER, f::NAME) => {
            let annotation =
                matches!(walk.kind(walk.parent(parent)), k::MARKER_ANNOTATION | k::ANNOTATION);
            (
                if annotation { ReferenceRole::Applies } else { ReferenceRole::Value },
                RawQualifier::Node(parent + 1),
            )
        }
        (k::METHOD_REFERENCE, _) if parent + 1 != at => {
            (ReferenceRole::Value, RawQualifier::Node(parent + 1))
        }
        (k::ELEMENT_VALUE_PAIR, f::KEY)
        | (k::BREAK_STATEMENT | k::CONTINUE_STATEMENT | k::LABELED_STATEMENT, _) => return,
        _ => (ReferenceRole::Value, RawQualifier::Nothing),
    };
    walk.uses(at, role, before);
}

pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if walk.text(at) == b"var" {
        return;
    }
    let parent = walk.parent(at);
    let scoped = walk.kind(parent) == k::SCOPED_TYPE_IDENTIFIER;
    let last = scoped && walk.after(parent) == walk.after(at);
    let before = if last && parent + 1 != at {
        RawQualifier::Node(parent + 1)
    } else {
        RawQualifier::Nothing
    };
    let mut whole = at;
    while matches!(walk.kind(walk.parent(whole)), k::SCOPED_TYPE_IDENTIFIER | k::GENERIC_TYPE) {
        whole = walk.parent(whole);
    }
    let outer = walk.parent(whole);
    let inner = scoped && !last;
    let role = match walk.kind(outer) {
        _ if inner => ReferenceRole::Type,
        k::SUPERCLASS => ReferenceRole::Extends,
        k::TYPE_LIST => match walk.kind(walk.parent(outer)) {
            k::SUPER_INTERFACES => ReferenceRole::Implements,
            k::EXTENDS_INTERFACES => ReferenceRole::Extends,
            _ => ReferenceRole::Type,
        },
        k::OBJECT_CREATION_EXPRESSION if walk.field(whole) == f::TYPE => ReferenceRole::Call,
        _ => ReferenceRole::Type,
    };
    walk.uses(at, role, before);
}
