//! Uses of names.

use super::super::collected::Before;
use super::super::names::{field as f, kind as k};
use super::super::settle::Shape;
use super::super::tree::At;
use super::super::walk::Walk;
use super::calls;
use crate::facts::Role;

pub(super) fn shape(walk: &Walk<'_>, at: At) -> Shape {
    match walk.kind(at) {
        k::IDENTIFIER => Shape::Variable,
        k::CONSTANT => Shape::Name,
        k::SCOPE_RESOLUTION => Shape::Path,
        k::SELF => Shape::Itself,
        k::INSTANCE_VARIABLE => Shape::OwnMember,
        k::PARENTHESIZED_STATEMENTS => walk.first(at).map_or(Shape::Other, Shape::Same),
        k::CALL => calls::made(walk, at).map_or(Shape::Other, Shape::New),
        _ => Shape::Other,
    }
}

/// Records a name as a call if it is not a variable.
pub(super) fn name(walk: &mut Walk<'_>, at: At) {
    if walk.is_in(at, k::CALL, f::METHOD) {
        calls::called(walk, at);
    } else {
        walk.uses(at, Role::Call, Before::Nothing);
    }
}

pub(super) fn constant(walk: &mut Walk<'_>, at: At) {
    let parent = walk.parent(at);
    if walk.is_in(at, k::CALL, f::METHOD) {
        calls::called(walk, at);
        return;
    }
    let scoped = walk.kind(parent) == k::SCOPE_RESOLUTION && walk.field(at) == f::NAME;
    let scope = walk.child(parent, f::SCOPE).filter(|_| scoped);
    let whole = if scoped { parent } else { at };
    let role = role(walk, whole);
    walk.uses(at, role, scope.map_or(Before::Nothing, Before::Node));
}

fn role(walk: &Walk<'_>, at: At) -> Role {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::SUPERCLASS, _) => Role::Extends,
        (k::CALL, f::RECEIVER) if calls::made(walk, parent).is_some() => Role::Call,
        (k::ARGUMENT_LIST, _) => {
            let call = walk.parent(parent);
            let method = walk.child(call, f::METHOD).map(|method| walk.text(method));
            let alone = walk.child(call, f::RECEIVER).is_none();
            match method {
                Some(b"include" | b"extend" | b"prepend") if alone => Role::Implements,
                Some(_) | None => Role::Value,
            }
        }
        (k::EXCEPTIONS, _) => Role::Type,
        _ => Role::Value,
    }
}
