//! Names that are local to a method or block.

use super::super::collected::BindingKind;
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

pub(super) fn parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let end = walk.after(list);
    let mut at = list;
    while at < end {
        if walk.field(at) == f::VALUE {
            at = walk.after(at);
            continue;
        }
        if walk.kind(at) == k::IDENTIFIER {
            bind(walk, at);
        }
        at += 1;
    }
}

fn bind(walk: &mut SyntaxWalk<'_>, name: NodeIndex) {
    walk.take(name);
    let symbol = walk.symbol(name);
    walk.bind(symbol, BindingKind::Plain);
}

/// Binds the variables of an assignment, in lists too.
///
/// A name is a variable from its first assignment on, and a method before.
pub(super) fn target(walk: &mut SyntaxWalk<'_>, left: NodeIndex, made: Option<InternedName>) {
    match walk.kind(left) {
        k::IDENTIFIER => {
            walk.take(left);
            let symbol = walk.symbol(left);
            let from = walk.bytes(left).start;
            walk.bind_from(symbol, from, BindingKind::Plain);
            if let Some(made) = made {
                let end = walk.bytes(walk.parent(left)).end;
                walk.bind_from(symbol, end, BindingKind::Typed(made));
            }
        }
        k::INSTANCE_VARIABLE => {
            let class = walk.enclosing_type();
            if let (Some(class), Some(made)) = (class, made) {
                let key = (walk.defs[class].name, walk.symbol(left));
                walk.field_types.entry(key).or_insert(made);
            }
        }
        k::LEFT_ASSIGNMENT_LIST | k::DESTRUCTURED_LEFT_ASSIGNMENT | k::REST_ASSIGNMENT => {
            for at in left..walk.after(left) {
                let parent = walk.kind(walk.parent(at));
                let listed = matches!(
                    parent,
                    k::LEFT_ASSIGNMENT_LIST | k::DESTRUCTURED_LEFT_ASSIGNMENT | k::REST_ASSIGNMENT
                );
                if listed && walk.kind(at) == k::IDENTIFIER {
                    bind(walk, at);
                }
            }
        }
        _ => {}
    }
}

/// Binds the names of loops, `rescue => e`, and patterns of `in`.
pub(super) fn pattern(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let pattern = match walk.kind(at) {
        k::AS_PATTERN => walk.child(at, f::NAME),
        k::EXCEPTION_VARIABLE => walk.first(at),
        _ => walk.child(at, f::PATTERN),
    };
    let Some(pattern) = pattern else { return };
    let end = walk.after(pattern);
    let mut inside = pattern;
    while inside < end {
        match walk.kind(inside) {
            k::IDENTIFIER => bind(walk, inside),
            // `in { a: }` binds `a`.
            k::HASH_KEY_SYMBOL if walk.child(walk.parent(inside), f::VALUE).is_none() => {
                let symbol = walk.symbol(inside);
                walk.bind(symbol, BindingKind::Plain);
            }
            k::CALL | k::VARIABLE_REFERENCE_PATTERN | k::EXPRESSION_REFERENCE_PATTERN => {
                inside = walk.after(inside);
                continue;
            }
            _ => {}
        }
        inside += 1;
    }
}
