//! Names that are local to a method, and types of variables.

use super::super::collected::{BindingKind, ScopeKind, WalkContext};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

fn bind(walk: &mut SyntaxWalk<'_>, name: NodeIndex, of: Option<InternedName>) {
    walk.take(name);
    let symbol = walk.symbol(name);
    let from = walk.bytes(name).end;
    walk.bind_from(symbol, from, of.map_or(BindingKind::Plain, BindingKind::Typed));
}

/// Binds one or several names of a node.
pub(super) fn variables(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let of = walk.child(at, f::TYPE).and_then(|of| type_name(walk, of));
    let names: Vec<NodeIndex> = walk
        .children(at)
        .filter(|name| walk.field(*name) == f::NAME && walk.kind(*name) == k::IDENTIFIER)
        .collect();
    for name in names {
        bind(walk, name, of);
    }
}

/// Binds the name of query clauses, which has no field.
pub(super) fn first_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if let Some(name) = walk.child_of(at, k::IDENTIFIER) {
        bind(walk, name, None);
    }
}

pub(super) fn each(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let of = walk.child(at, f::TYPE).and_then(|of| type_name(walk, of));
    if let Some(left) = walk.child(at, f::LEFT).filter(|left| walk.kind(*left) == k::IDENTIFIER) {
        bind(walk, left, of);
    }
}

/// Binds variables; fields are defined elsewhere.
pub(super) fn declaration(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if walk.here() != WalkContext::Function
        && matches!(walk.kind(walk.parent(at)), k::FIELD_DECLARATION | k::EVENT_FIELD_DECLARATION)
    {
        return;
    }
    let of = walk.child(at, f::TYPE).and_then(|of| type_name(walk, of));
    let declarators: Vec<NodeIndex> = walk.children(at).collect();
    for declarator in declarators {
        if let Some(name) = walk.child(declarator, f::NAME) {
            let made = walk.children(declarator).last();
            let of = of.or_else(|| made.and_then(|made| made_type(walk, made)));
            bind(walk, name, of);
        }
    }
}

fn made_type(walk: &mut SyntaxWalk<'_>, value: NodeIndex) -> Option<InternedName> {
    let of = match walk.kind(value) {
        k::OBJECT_CREATION_EXPRESSION | k::CAST_EXPRESSION => walk.child(value, f::TYPE),
        k::AS_EXPRESSION => walk.child(value, f::RIGHT),
        _ => None,
    }?;
    type_name(walk, of)
}

/// Returns the type whose members a value of this type has.
pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    match walk.kind(of) {
        k::IDENTIFIER => Some(walk.symbol(of)),
        k::QUALIFIED_NAME => Some(walk.path(of)),
        k::GENERIC_NAME | k::NULLABLE_TYPE => {
            let base = walk.first(of)?;
            type_name(walk, base)
        }
        _ => None,
    }
}

pub(super) fn lambda(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    walk.scope(at, ScopeKind::Function);
    let parameters = walk.child(at, f::PARAMETERS);
    if let Some(name) = parameters.filter(|list| walk.kind(*list) == k::IMPLICIT_PARAMETER) {
        let symbol = walk.symbol(name);
        walk.bind(symbol, BindingKind::Plain);
    }
}

/// Binds `value`, which is known in accessors.
pub(super) fn accessor(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    walk.scope(at, ScopeKind::Function);
    let value = walk.symbols.intern(b"value");
    walk.bind(value, BindingKind::Plain);
}

/// Binds parameters if the scope of their function is open.
pub(super) fn parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let function = walk.parent(list);
    let open = walk.block_scope().filter(|scope| scope.at == function);
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        let (name, of) = match walk.kind(parameter) {
            k::PARAMETER => (walk.child(parameter, f::NAME), walk.child(parameter, f::TYPE)),
            // `params int[] a` does not have a node of its own.
            k::IDENTIFIER if walk.field(parameter) == f::NAME => (Some(parameter), None),
            _ => continue,
        };
        let Some(name) = name else { continue };
        let of = of.and_then(|of| type_name(walk, of));
        walk.take(name);
        if let Some(scope) = open {
            let symbol = walk.symbol(name);
            walk.bind_from(symbol, scope.start, of.map_or(BindingKind::Plain, BindingKind::Typed));
        }
    }
}

pub(super) fn type_parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let owner = walk.parent(list);
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        if let Some(name) = walk.child(parameter, f::NAME) {
            walk.take(name);
            let symbol = walk.symbol(name);
            walk.bind_over(owner, symbol, BindingKind::Plain);
        }
    }
}
