//! Uses of names.

use super::super::collected::RawQualifier;
use super::super::names::{field as f, kind as k};
use super::super::settle::ExpressionShape;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::calls;
use crate::facts::ReferenceRole;

pub(super) fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    match walk.kind(at) {
        k::IDENTIFIER => ExpressionShape::Variable,
        k::CONSTANT => ExpressionShape::Name,
        k::SCOPE_RESOLUTION => ExpressionShape::Path,
        k::SELF => ExpressionShape::Itself,
        k::INSTANCE_VARIABLE => ExpressionShape::OwnMember,
        k::PARENTHESIZED_STATEMENTS => {
            walk.first(at).map_or(ExpressionShape::Other, ExpressionShape::Same)
        }
        k::CALL => calls::made(walk, at).map_or(ExpressionShape::Other, ExpressionShape::New),
        _ => ExpressionShape::Other,
    }
}

/// Records a name as a call if it is not a variable.
pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if walk.is_in(at, k::CALL, f::METHOD) {
        calls::called(walk, at);
    } else {
        walk.uses(at, ReferenceRole::Call, RawQualifier::Nothing);
    }
}

pub(super) fn constant(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    if walk.is_in(at, k::CALL, f::METHOD) {
        calls::called(walk, at);
        return;
    }
    let scoped = walk.kind(parent) == k::SCOPE_RESOLUTION && walk.field(at) == f::NAME;
    let scope = walk.child(parent, f::SCOPE).filter(|_| scoped);
    let whole = if scoped { parent } else { at };
    let role = role(walk, whole);
    walk.uses(at, role, scope.map_or(RawQualifier::Nothing, RawQualifier::Node));
}

fn role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    let parent = walk.parent(at);
    match (walk.kind(parent), walk.field(at)) {
        (k::SUPERCLASS, _) => ReferenceRole::Extends,
        (k::CALL, f::RECEIVER) if calls::made(walk, parent).is_some() => ReferenceRole::Call,
        (k::ARGUMENT_LIST, _) => {
            let call = walk.parent(parent);
            let method = walk.child(call, f::METHOD).map(|method| walk.text(method));
            let alone = walk.child(call, f::RECEIVER).is_none();
            match method {
                Some(b"include" | b"extend" | b"prepend") if alone => ReferenceRole::Implements,
                Some(_) | None => ReferenceRole::Value,
            }
        }
        (k::EXCEPTIONS, _) => ReferenceRole::Type,
        _ => ReferenceRole::Value,
    }
}
