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
        k::VARIABLE_NAME if walk.text(at) == b"$this" => ExpressionShape::Itself,
        k::VARIABLE_NAME => ExpressionShape::Variable,
        k::NAME | k::QUALIFIED_NAME => match walk.text(at) {
            b"self" | b"static" => ExpressionShape::Itself,
            b"parent" => ExpressionShape::Parent,
            _ => ExpressionShape::Path,
        },
        k::RELATIVE_SCOPE => match walk.text(at) {
            b"parent" => ExpressionShape::Parent,
            _ => ExpressionShape::Itself,
        },
        k::MEMBER_ACCESS_EXPRESSION | k::NULLSAFE_MEMBER_ACCESS_EXPRESSION => {
            first(ExpressionShape::Member)
        }
        k::PARENTHESIZED_EXPRESSION | k::CLONE_EXPRESSION => first(ExpressionShape::Same),
        k::OBJECT_CREATION_EXPRESSION => match walk.first(at) {
            Some(of) if matches!(walk.kind(of), k::NAME | k::QUALIFIED_NAME) => {
                ExpressionShape::New(of)
            }
            Some(_) | None => ExpressionShape::Other,
        },
        _ => ExpressionShape::Other,
    }
}

pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let mut whole = at;
    let mut before = RawQualifier::Nothing;
    let qualified = walk.parent(at);
    if matches!(walk.kind(qualified), k::QUALIFIED_NAME | k::RELATIVE_NAME) {
        whole = qualified;
        let text = walk.slice(walk.bytes(qualified).start, walk.bytes(at).start);
        let text = text.strip_suffix(b"\\").unwrap_or(text);
        if !text.is_empty() {
            before = RawQualifier::Path(walk.symbols.intern(text));
        }
    }
    let parent = walk.parent(whole);
    let (role, before) = match (walk.kind(parent), walk.field(whole)) {
        (k::MEMBER_CALL_EXPRESSION | k::NULLSAFE_MEMBER_CALL_EXPRESSION, f::NAME) => {
            (ReferenceRole::Call, object(walk, parent, f::OBJECT))
        }
        (k::MEMBER_ACCESS_EXPRESSION | k::NULLSAFE_MEMBER_ACCESS_EXPRESSION, f::NAME) => {
            (ReferenceRole::Value, object(walk, parent, f::OBJECT))
        }
        (k::SCOPED_CALL_EXPRESSION, f::NAME) => {
            (ReferenceRole::Call, object(walk, parent, f::SCOPE))
        }
        (k::CLASS_CONSTANT_ACCESS_EXPRESSION, _) if parent + 1 != whole => {
            if walk.text(at) == b"class" {
                return;
            }
            (ReferenceRole::Value, RawQualifier::Node(parent + 1))
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

fn object(walk: &SyntaxWalk<'_>, parent: NodeIndex, field: u8) -> RawQualifier {
    walk.child(parent, field).map_or(RawQualifier::Unknown, RawQualifier::Node)
}

fn plain_role(walk: &SyntaxWalk<'_>, kind: u16, field: u8, parent: NodeIndex) -> ReferenceRole {
    match (kind, field) {
        (k::FUNCTION_CALL_EXPRESSION, f::FUNCTION) | (k::OBJECT_CREATION_EXPRESSION, _) => {
            ReferenceRole::Call
        }
        (k::BASE_CLAUSE, _) => ReferenceRole::Extends,
        (k::CLASS_INTERFACE_CLAUSE | k::USE_DECLARATION, _) => ReferenceRole::Implements,
        (k::ATTRIBUTE, _) => ReferenceRole::Applies,
        (k::SCOPED_CALL_EXPRESSION | k::SCOPED_PROPERTY_ACCESS_EXPRESSION, f::SCOPE)
        | (k::CLASS_CONSTANT_ACCESS_EXPRESSION | k::NAMED_TYPE, _) => ReferenceRole::Type,
        (k::BINARY_EXPRESSION, f::RIGHT) => {
            let instance = memchr::memmem::find(walk.text(parent), b"instanceof").is_some();
            if instance { ReferenceRole::Type } else { ReferenceRole::Value }
        }
        _ => ReferenceRole::Value,
    }
}

/// Reads a variable: `$b` is local, but `A::$b` is a property.
pub(super) fn variable(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    if walk.is_in(at, k::SCOPED_PROPERTY_ACCESS_EXPRESSION, f::NAME) {
        let before = object(walk, parent, f::SCOPE);
        if let Some(name) = walk.first(at) {
            walk.uses(name, ReferenceRole::Value, before);
        }
    }
}
