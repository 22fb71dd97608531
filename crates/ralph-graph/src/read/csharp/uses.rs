//! Uses of names. The grammar does not tell types from values.

use super::super::collected::Before;
use super::super::names::{field as f, kind as k};
use super::super::settle::Shape;
use super::super::tree::At;
use super::super::walk::Walk;
use super::locals;
use crate::facts::Role;

pub(super) fn shape(walk: &Walk<'_>, at: At) -> Shape {
    let first = |found: fn(At) -> Shape| walk.first(at).map_or(Shape::Other, found);
    let of_type = |of: Option<At>| match of {
        Some(of) if matches!(walk.kind(of), k::IDENTIFIER | k::QUALIFIED_NAME) => Shape::New(of),
        Some(of) if walk.kind(of) == k::GENERIC_NAME => {
            walk.first(of).map_or(Shape::Other, Shape::New)
        }
        Some(_) | None => Shape::Other,
    };
    match walk.kind(at) {
        k::IDENTIFIER => Shape::Name,
        k::MEMBER_ACCESS_EXPRESSION => match walk.child(at, f::EXPRESSION) {
            Some(object) => Shape::Member(object),
            None if walk.text(at).starts_with(b"this") => Shape::OwnMember,
            None => Shape::Other,
        },
        k::QUALIFIED_NAME => first(Shape::Member),
        k::PARENTHESIZED_EXPRESSION | k::POSTFIX_UNARY_EXPRESSION | k::GENERIC_NAME => {
            first(Shape::Same)
        }
        k::OBJECT_CREATION_EXPRESSION | k::CAST_EXPRESSION => of_type(walk.child(at, f::TYPE)),
        k::AS_EXPRESSION => of_type(walk.child(at, f::RIGHT)),
        _ => Shape::Other,
    }
}

pub(super) fn name(walk: &mut Walk<'_>, at: At) {
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
            walk.uses(at, role, Before::Node(parent + 1));
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
            walk.uses(at, role, Before::Nothing);
        }
    }
}

/// Returns the qualifier of a member access.
fn object(walk: &Walk<'_>, access: At) -> Before {
    match walk.child(access, f::EXPRESSION) {
        Some(object) => Before::Node(object),
        None if walk.text(access).starts_with(b"this") => Before::Itself,
        None if walk.text(access).starts_with(b"base") => Before::Parent,
        None => Before::Unknown,
    }
}

/// Returns the object of `a?.b`.
fn binding_object(walk: &Walk<'_>, at: At) -> Before {
    let mut at = at;
    for _ in 0..6 {
        at = walk.parent(at);
        if walk.kind(at) == k::CONDITIONAL_ACCESS_EXPRESSION {
            return walk.child(at, f::CONDITION).map_or(Before::Unknown, Before::Node);
        }
    }
    Before::Unknown
}

/// Reads `Name = …` in `new A { Name = … }`.
fn initialized(walk: &mut Walk<'_>, at: At, initializer: At) {
    let made = walk.parent(initializer);
    let of = walk.child(made, f::TYPE).and_then(|of| locals::type_name(walk, of));
    walk.uses(at, Role::Value, of.map_or(Before::Unknown, Before::OfType));
}

fn role(walk: &Walk<'_>, at: At) -> Role {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::INVOCATION_EXPRESSION, f::FUNCTION) | (k::OBJECT_CREATION_EXPRESSION, f::TYPE) => {
            Role::Call
        }
        (k::ATTRIBUTE, f::NAME) => Role::Applies,
        (k::BASE_LIST, _) => base_role(walk, parent, at),
        (k::PRIMARY_CONSTRUCTOR_BASE_TYPE, f::TYPE) => Role::Extends,
        (kind, field) if is_type_place(kind, field) => Role::Type,
        _ => Role::Value,
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
fn base_role(walk: &Walk<'_>, list: At, at: At) -> Role {
    let text = walk.text(at);
    let text = memchr::memrchr(b'.', text).map_or(text, |dot| &text[dot + 1..]);
    let interface = matches!(text, [b'I', second, ..] if second.is_ascii_uppercase());
    match walk.kind(walk.parent(list)) {
        k::INTERFACE_DECLARATION => Role::Extends,
        k::STRUCT_DECLARATION => Role::Implements,
        k::ENUM_DECLARATION => Role::Type,
        _ if interface => Role::Implements,
        _ => Role::Extends,
    }
}
