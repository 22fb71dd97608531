//! Variables and their types.

use super::super::collected::{BindingKind, WalkContext};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use crate::facts::SymbolVisibility;

pub(super) fn parameter(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let name = if walk.kind(name) == k::BY_REF { walk.first(name).unwrap_or(name) } else { name };
    let of = walk.child(at, f::TYPE).and_then(|of| type_name(walk, of));
    let many = walk.kind(at) == k::VARIADIC_PARAMETER;
    walk.take_all(name);
    let symbol = walk.symbol(name);
    walk.bind(symbol, of.filter(|_| !many).map_or(BindingKind::Plain, BindingKind::Typed));
    if walk.kind(at) == k::PROPERTY_PROMOTION_PARAMETER {
        let place = walk.place(at);
        super::field(walk, name, place, of);
        let visibility = walk.child(at, f::VISIBILITY);
        if visibility.is_some_and(|visibility| walk.text(visibility) == b"private")
            && let Some(def) = walk.defs.last_mut()
        {
            def.reach = SymbolVisibility::File;
        }
    }
}

/// Reads `$a = new A()`; any other value makes the type unknown.
pub(super) fn assignment(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(left), Some(right)) = (walk.child(at, f::LEFT), walk.child(at, f::RIGHT)) else {
        return;
    };
    let made = match walk.kind(right) {
        k::OBJECT_CREATION_EXPRESSION => walk.first(right).and_then(|of| class_name(walk, of)),
        _ => None,
    };
    match walk.kind(left) {
        k::VARIABLE_NAME => {
            if walk.here() == WalkContext::Outside {
                super::variable(walk, at, left);
            }
            let symbol = walk.symbol(left);
            let from = walk.bytes(at).end;
            walk.bind_from(symbol, from, made.map_or(BindingKind::Plain, BindingKind::Typed));
        }
        k::MEMBER_ACCESS_EXPRESSION => {
            let (object, name) = (walk.child(left, f::OBJECT), walk.child(left, f::NAME));
            let own = object.is_some_and(|object| walk.text(object) == b"$this");
            if let (true, Some(name), Some(made), Some(class)) =
                (own, name, made, walk.enclosing_type())
            {
                let key = (walk.defs[class].name, walk.symbol(name));
                walk.field_types.entry(key).or_insert(made);
            }
        }
        _ => {}
    }
}

pub(super) fn caught(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let of = walk.child(at, f::TYPE).filter(|list| walk.children(*list).count() == 1);
    let of = of.and_then(|list| walk.first(list)).and_then(|of| type_name(walk, of));
    if let Some(name) = walk.child(at, f::NAME) {
        let symbol = walk.symbol(name);
        let from = walk.bytes(name).end;
        walk.bind_from(symbol, from, of.map_or(BindingKind::Plain, BindingKind::Typed));
    }
}

/// Returns the class that a declared type names.
pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    let mut at = of;
    for _ in 0..4 {
        at = match walk.kind(at) {
            k::NAMED_TYPE | k::OPTIONAL_TYPE => walk.first(at)?,
            k::UNION_TYPE => {
                let mut parts = walk.children(at).filter(|part| walk.text(*part) != b"null");
                let only = parts.next()?;
                if parts.next().is_some() {
                    return None;
                }
                only
            }
            _ => return class_name(walk, at),
        };
    }
    None
}

fn class_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    let own = matches!(walk.text(at), b"self" | b"static");
    match walk.kind(at) {
        _ if own => walk.enclosing_type().map(|class| walk.defs[class].name),
        k::NAME | k::QUALIFIED_NAME => Some(walk.symbol(at)),
        _ => None,
    }
}
