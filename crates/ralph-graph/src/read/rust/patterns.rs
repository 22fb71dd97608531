//! Names that patterns bind.

use super::super::collected::{BindingKind, ScopeKind};
use super::super::names::{field as f, kind as k};
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::{handled, made, type_name};

/// Binds the parameters of a function, whose scope is open.
pub(super) fn parameters(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(list) = walk.child(at, f::PARAMETERS) else { return };
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    let from = walk.block_scope().map_or(0, |scope| scope.start);
    for parameter in parameters {
        one_parameter(walk, parameter, from);
    }
}

fn one_parameter(walk: &mut SyntaxWalk<'_>, parameter: NodeIndex, from: u32) {
    match walk.kind(parameter) {
        k::PARAMETER => {
            let what = declared(walk, parameter);
            if let Some(pattern) = walk.child(parameter, f::PATTERN) {
                pattern_from(walk, pattern, from, what);
            }
        }
        k::SELF_PARAMETER | k::ATTRIBUTE_ITEM => {}
        _ => pattern_from(walk, parameter, from, BindingKind::Plain),
    }
}

/// Returns the meaning of a variable by its declared type.
fn declared(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> BindingKind {
    let Some(of) = walk.child(at, f::TYPE) else { return BindingKind::Plain };
    match type_name(walk, of) {
        Some(of) if walk.symbols.text(of) == b"Self" => BindingKind::Itself,
        Some(of) => BindingKind::Typed(of),
        None => BindingKind::Plain,
    }
}

/// Binds the names in the pattern of a statement or expression.
pub(super) fn bind(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let pattern = walk.child(at, f::PATTERN);
    match walk.kind(at) {
        k::LET_DECLARATION => {
            let what = match declared(walk, at) {
                BindingKind::Plain => assigned(walk, at),
                known @ (BindingKind::Typed(_) | BindingKind::Itself | BindingKind::Outside) => {
                    known
                }
            };
            let end = walk.bytes(at).end;
            if let Some(pattern) = pattern {
                pattern_from(walk, pattern, end, what);
            }
        }
        k::LET_CONDITION => {
            let end = walk.bytes(at).end;
            if let Some(pattern) = pattern {
                pattern_from(walk, pattern, end, BindingKind::Plain);
            }
        }
        k::MATCH_ARM | k::FOR_EXPRESSION => {
            walk.scope(at, ScopeKind::Block);
            let from = match walk.child(at, f::BODY) {
                Some(body) => walk.bytes(body).start,
                None => pattern.map_or(0, |pattern| walk.bytes(pattern).start),
            };
            if let Some(pattern) = pattern {
                pattern_from(walk, pattern, from, BindingKind::Plain);
            }
        }
        k::CLOSURE_EXPRESSION => {
            walk.scope(at, ScopeKind::Function);
            parameters(walk, at);
        }
        _ => {}
    }
}

/// Returns the meaning of a variable by the value of its `let`.
fn assigned(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> BindingKind {
    let Some(value) = walk.child(at, f::VALUE) else { return BindingKind::Plain };
    let value = handled(walk, value);
    let of = match walk.kind(value) {
        k::STRUCT_EXPRESSION => walk.child(value, f::NAME),
        k::CALL_EXPRESSION => made(walk, value),
        _ => None,
    };
    match of.and_then(|of| type_name(walk, of)) {
        Some(of) if walk.symbols.text(of) == b"Self" => BindingKind::Itself,
        Some(of) => BindingKind::Typed(of),
        None => match of {
            Some(of) => BindingKind::Typed(walk.path(of)),
            None => BindingKind::Plain,
        },
    }
}

/// Binds the names of a pattern from a byte on.
///
/// A name that begins with a capital is a constant or variant by convention;
/// the compiler warns about others.
fn pattern_from(walk: &mut SyntaxWalk<'_>, pattern: NodeIndex, from: u32, what: BindingKind) {
    let whole = walk.kind(pattern) == k::IDENTIFIER;
    let end = walk.after(pattern);
    let mut at = pattern;
    while at < end {
        let (kind, field) = (walk.kind(at), walk.field(at));
        let apart = at != pattern
            && (matches!(field, f::TYPE | f::CONDITION)
                || matches!(kind, k::SCOPED_IDENTIFIER | k::MACRO_INVOCATION | k::RANGE_PATTERN));
        if apart {
            at = walk.after(at);
            continue;
        }
        let text = walk.text(at);
        let variable = text.first().is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'_');
        match kind {
            k::IDENTIFIER if variable && text != b"_" => {
                walk.take(at);
                let name = walk.symbol(at);
                walk.bind_from(name, from, if whole { what } else { BindingKind::Plain });
            }
            k::SHORTHAND_FIELD_IDENTIFIER => {
                let name = walk.symbol(at);
                walk.bind_from(name, from, BindingKind::Plain);
            }
            _ => {}
        }
        at += 1;
    }
}
