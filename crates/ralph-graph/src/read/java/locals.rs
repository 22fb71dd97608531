//! Names that are local to a method, and types of variables.

use super::super::collected::{BindingKind, ScopeKind};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

/// Binds a name from its position to the end of its block.
pub(super) fn variable(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let name = walk.child(at, f::NAME).or_else(|| match walk.kind(at) {
        k::TYPE_PATTERN | k::RECORD_PATTERN_COMPONENT => {
            walk.children(at).filter(|child| walk.kind(*child) == k::IDENTIFIER).last()
        }
        _ => None,
    });
    let Some(name) = name.filter(|name| walk.kind(*name) == k::IDENTIFIER) else { return };
    let of =
        walk.child(at, f::TYPE).or_else(|| walk.child(at, f::RIGHT)).or_else(|| walk.first(at));
    let of = of.and_then(|of| type_name(walk, of)).or_else(|| made_type(walk, at));
    let from = walk.bytes(name).end;
    bind(walk, name, from, of);
}

fn bind(walk: &mut SyntaxWalk<'_>, name: NodeIndex, from: u32, of: Option<InternedName>) {
    walk.take(name);
    let symbol = walk.symbol(name);
    walk.bind_from(symbol, from, of.map_or(BindingKind::Plain, BindingKind::Typed));
}

pub(super) fn declaration(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let of = walk.child(at, f::TYPE).and_then(|of| type_name(walk, of));
    let declarators: Vec<NodeIndex> =
        walk.children(at).filter(|child| walk.field(*child) == f::DECLARATOR).collect();
    for declarator in declarators {
        let of = of.or_else(|| made_type(walk, declarator));
        if let Some(name) = walk.child(declarator, f::NAME) {
            let from = walk.bytes(name).end;
            bind(walk, name, from, of);
        }
    }
}

/// Binds a parameter of the method or lambda whose scope is open.
pub(super) fn parameter(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let name = walk.child(at, f::NAME).or_else(|| {
        let declarator = walk.child_of(at, k::VARIABLE_DECLARATOR);
        declarator.and_then(|declarator| walk.child(declarator, f::NAME))
    });
    let Some(name) = name else { return };
    let function = walk.parent(walk.parent(at));
    let Some(scope) = walk.block_scope().filter(|scope| scope.at == function) else {
        walk.take(name);
        return;
    };
    let single = walk.kind(at) == k::FORMAL_PARAMETER;
    let of = walk.child(at, f::TYPE).filter(|_| single).and_then(|of| type_name(walk, of));
    bind(walk, name, scope.start, of);
}

pub(super) fn lambda(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    walk.scope(at, ScopeKind::Function);
    let Some(parameters) = walk.child(at, f::PARAMETERS) else { return };
    let names: Vec<NodeIndex> = match walk.kind(parameters) {
        k::IDENTIFIER => vec![parameters],
        k::INFERRED_PARAMETERS => walk.children(parameters).collect(),
        _ => Vec::new(),
    };
    for name in names {
        let from = walk.bytes(name).start;
        bind(walk, name, from, None);
    }
}

pub(super) fn type_parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let owner = walk.parent(list);
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        if let Some(name) = walk.child_of(parameter, k::TYPE_IDENTIFIER) {
            walk.take(name);
            let symbol = walk.symbol(name);
            walk.bind_over(owner, symbol, BindingKind::Plain);
        }
    }
}

/// Returns the type whose members a value of this type has.
pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    match walk.kind(of) {
        k::TYPE_IDENTIFIER if walk.text(of) != b"var" => Some(walk.symbol(of)),
        k::SCOPED_TYPE_IDENTIFIER => Some(walk.path(of)),
        k::GENERIC_TYPE => {
            let base = walk.first(of)?;
            Some(walk.path(base))
        }
        k::CATCH_TYPE if walk.children(of).count() == 1 => {
            let only = walk.first(of)?;
            type_name(walk, only)
        }
        _ => None,
    }
}

/// Returns the type of `new A()` that is assigned.
fn made_type(walk: &mut SyntaxWalk<'_>, declarator: NodeIndex) -> Option<InternedName> {
    let value = walk.child(declarator, f::VALUE)?;
    match walk.kind(value) {
        k::OBJECT_CREATION_EXPRESSION | k::CAST_EXPRESSION => {
            let of = walk.child(value, f::TYPE)?;
            type_name(walk, of)
        }
        _ => None,
    }
}
