//! Uses of names. The grammar does not tell types from values.

use super::super::collected::RawQualifier;
use super::super::names::{field as f, kind as k};
use super::super::settle::ExpressionShape;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::locals;
use crate::facts::ReferenceRole;

pub(super) fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    let first = |found: fn(NodeIndex) -> ExpressionShape| {
        walk.first(at).map_or(ExpressionShape::Other, found)
    };
    let of_type = |of: Option<NodeIndex>| match of {
        Some(of) if matches!(walk.kind(of), k::IDENTIFIER | k::QUALIFIED_NAME) => {
            ExpressionShape::New(of)
        }
        Some(of) if walk.kind(of) == k::GENERIC_NAME => {
            walk.first(of).map_or(ExpressionShape::Other, ExpressionShape::New)
        }
        Some(_) | None => ExpressionShape::Other,
    };
    match walk.kind(at) {
        k::IDENTIFIER => ExpressionShape::Name,
        k::MEMBER_ACCESS_EXPRESSION => match walk.child(at, f::EXPRESSION) {
            Some(object) => ExpressionShape::Member(object),
            None if walk.text(at).starts_with(b"this") => ExpressionShape::OwnMember,
            None => ExpressionShape::Other,
        },
        k::QUALIFIED_NAME => first(ExpressionShape::Member),
        k::PARENTHESIZED_EXPRESSION | k::POSTFIX_UNARY_EXPRESSION | k::GENERIC_NAME => {
            first(ExpressionShape::Same)
        }
        k::OBJECT_CREATION_EXPRESSION | k::CAST_EXPRESSION => of_type(walk.child(at, f::TYPE)),
        k::AS_EXPRESSION => of_type(walk.child(at, f::RIGHT)),
        _ => ExpressionShape::Other,
    }
}

pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let mut whole = at;
    if walk.kind(walk.parent(at)) == k::GENERIC_NAME && walk.parent(at) + 1 == at {
        whole = walk.parent(at);
    }
    let parent = walk.parent(whole);
    match (walk.kind(parent), walk.field(whole)) {
        (k::MEMBER_ACCESS_EXPRESSION, f::NAME) => {
            let before = object(walk, parent);
            let role = role(walk, parent);
            walk.uses(at, role, before);
        }
        (k::MEMBER_BINDING_EXPRESSION, _) => {
            let before = binding_object(walk, parent);
            let access = walk.parent(parent);
            let chained = walk.kind(access) == k::CONDITIONAL_ACCESS_EXPRESSION;
            let role = role(walk, if chained { access } else { parent });
            walk.uses(at, role, before);
        }
        (k::QUALIFIED_NAME, f::NAME) => {
            let role = role(walk, parent);
            walk.uses(at, role, RawQualifier::Node(parent + 1));
        }
        (k::ARGUMENT | k::ATTRIBUTE_ARGUMENT | k::TUPLE_ELEMENT, f::NAME)
        | (
            k::LABELED_STATEMENT
            | k::GOTO_STATEMENT
            | k::PREPROC_PRAGMA
            | k::EXTERN_ALIAS_DIRECTIVE,
            _,
        ) => {}
        (k::ASSIGNMENT_EXPRESSION, f::LEFT)
            if walk.kind(walk.parent(parent)) == k::INITIALIZER_EXPRESSION =>
        {
            initialized(walk, at, walk.parent(parent));
        }
        _ => {
            let role = role(walk, whole);
            walk.uses(at, role, RawQualifier::Nothing);
        }
    }
}

/// Returns the qualifier of a member access.
fn object(walk: &SyntaxWalk<'_>, access: NodeIndex) -> RawQualifier {
    match walk.child(access, f::EXPRESSION) {
        Some(object) => RawQualifier::Node(object),
        None if walk.text(access).starts_with(b"this") => RawQualifier::Itself,
        None if walk.text(access).starts_with(b"base") => RawQualifier::Parent,
        None => RawQualifier::Unknown,
    }
}

/// Returns the object of `a?.b`.
fn binding_object(walk: &SyntaxWalk<'_>, at: NodeIndex) -> RawQualifier {
    let mut at = at;
    for _ in 0..6 {
        at = walk.parent(at);
        if walk.kind(at) == k::CONDITIONAL_ACCESS_EXPRESSION {
            return walk.child(at, f::CONDITION).map_or(RawQualifier::Unknown, RawQualifier::Node);
        }
    }
    RawQualifier::Unknown
}

/// Reads `Name = …` in `new A { Name = … }`.
fn initialized(walk: &mut SyntaxWalk<'_>, at: NodeIndex, initializer: NodeIndex) {
    let made = walk.parent(initializer);
    let of = walk.child(made, f::TYPE).and_then(|of| locals::type_name(walk, of));
    walk.uses(at, ReferenceRole::Value, of.map_or(RawQualifier::Unknown, RawQualifier::OfType));
}

fn role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::INVOCATION_EXPRESSION, f::FUNCTION) | (k::OBJECT_CREATION_EXPRESSION, f::TYPE) => {
            ReferenceRole::Call
        }
        (k::ATTRIBUTE, f::NAME) => ReferenceRole::Applies,
        (k::BASE_LIST, _) => base_role(walk, parent, at),
        (k::PRIMARY_CONSTRUCTOR_BASE_TYPE, f::TYPE) => ReferenceRole::Extends,
        (kind, field) if is_type_place(kind, field) => ReferenceRole::Type,
        _ => ReferenceRole::Value,
    }
}

/// Returns true if this field of this kind of node holds a type.
fn is_type_place(kind: u16, field: u8) -> bool {
    let holds_types = matches!(
        kind,
        k::TYPE_ARGUMENT_LIST
            | k::NULLABLE_TYPE
            | k::ARRAY_TYPE
            | k::TYPE_PARAMETER_CONSTRAINT
            | k::QUALIFIED_NAME
            | k::EXPLICIT_INTERFACE_SPECIFIER
    );
    holds_types
        || matches!(field, f::TYPE | f::RETURNS)
        || matches!(kind, k::IS_EXPRESSION | k::AS_EXPRESSION) && field == f::RIGHT
}

/// Tells interfaces from classes by the spelling of their names.
fn base_role(walk: &SyntaxWalk<'_>, list: NodeIndex, at: NodeIndex) -> ReferenceRole {
    let text = walk.text(at);
    let text = memchr::memrchr(b'.', text).map_or(text, |dot| &text[dot + 1..]);
    let interface = matches!(text, [b'I', second, ..] if second.is_ascii_uppercase());
    match walk.kind(walk.parent(list)) {
        k::INTERFACE_DECLARATION => ReferenceRole::Extends,
        k::STRUCT_DECLARATION => ReferenceRole::Implements,
        k::ENUM_DECLARATION => ReferenceRole::Type,
        _ if interface => ReferenceRole::Implements,
        _ => ReferenceRole::Extends,
    }
}
