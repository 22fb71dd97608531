//! Names that are local to a part of a file.

use super::super::collected::{BindingKind, ScopeKind, WalkContext};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use crate::facts::{DefinitionKind, SymbolVisibility};

/// Returns the names in a pattern.
pub(super) fn leaves(walk: &SyntaxWalk<'_>, pattern: NodeIndex) -> Vec<NodeIndex> {
    let mut leaves = Vec::new();
    let end = walk.after(pattern);
    let mut at = pattern;
    while at < end {
        let value = walk.field(at) == f::RIGHT
            && matches!(
                walk.kind(walk.parent(at)),
                k::ASSIGNMENT_PATTERN | k::OBJECT_ASSIGNMENT_PATTERN
            );
        match walk.kind(at) {
            _ if value && at != pattern => {
                at = walk.after(at);
                continue;
            }
            k::MEMBER_EXPRESSION | k::SUBSCRIPT_EXPRESSION | k::COMPUTED_PROPERTY_NAME => {
                at = walk.after(at);
                continue;
            }
            k::IDENTIFIER | k::SHORTHAND_PROPERTY_IDENTIFIER_PATTERN => leaves.push(at),
            _ => {}
        }
        at += 1;
    }
    leaves
}

/// Binds a variable of a function.
pub(super) fn declare(walk: &mut SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) {
    let hoisted = walk.kind(walk.parent(at)) == k::VARIABLE_DECLARATION;
    let of = value_type(walk, at);
    let plain = walk.kind(name) == k::IDENTIFIER;
    for leaf in leaves(walk, name) {
        walk.take(leaf);
        let symbol = walk.symbol(leaf);
        let what = of.filter(|_| plain).map_or(BindingKind::Plain, BindingKind::Typed);
        if hoisted {
            walk.bind_in_function(symbol, what);
        } else {
            walk.bind(symbol, what);
        }
    }
}

/// Binds parameters if the scope of their function is open, which it is if it
/// has a body.
pub(super) fn parameters(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let function = walk.parent(at);
    let open = walk.block_scope().is_some_and(|scope| scope.at == function);
    let parameters: Vec<NodeIndex> = walk.children(at).collect();
    for parameter in parameters {
        let typed = matches!(walk.kind(parameter), k::REQUIRED_PARAMETER | k::OPTIONAL_PARAMETER);
        let pattern = if typed { walk.child(parameter, f::PATTERN) } else { Some(parameter) };
        let Some(pattern) = pattern else { continue };
        let of = if typed { value_type(walk, parameter) } else { None };
        let plain = walk.kind(pattern) == k::IDENTIFIER;
        for leaf in leaves(walk, pattern) {
            walk.take(leaf);
            if open {
                let symbol = walk.symbol(leaf);
                walk.bind(
                    symbol,
                    of.filter(|_| plain).map_or(BindingKind::Plain, BindingKind::Typed),
                );
            }
        }
        if plain && walk.kind(function) == k::METHOD_DEFINITION {
            property(walk, parameter, pattern);
        }
    }
}

/// Skips the names in `[start: number, end?: number]`, which are only labels.
pub(super) fn labels(walk: &mut SyntaxWalk<'_>, tuple: NodeIndex) {
    let parts: Vec<NodeIndex> = walk.children(tuple).collect();
    for part in parts {
        let name = walk.child(part, f::NAME).or_else(|| walk.child(part, f::PATTERN));
        if let Some(name) = name {
            walk.take_all(name);
        }
    }
}

/// Defines a constructor parameter with `private` or a similar modifier as a
/// field.
fn property(walk: &mut SyntaxWalk<'_>, parameter: NodeIndex, name: NodeIndex) {
    let before = walk.slice(walk.bytes(parameter).start, walk.bytes(name).start);
    let modifier = walk.child_of(parameter, k::ACCESSIBILITY_MODIFIER);
    let readonly = memchr::memmem::find(before, b"readonly").is_some();
    let Some(class) = walk.enclosing_type().filter(|_| modifier.is_some() || readonly) else {
        return;
    };
    if let Some(of) = value_type(walk, parameter) {
        let key = (walk.defs[class].name, walk.symbol(name));
        walk.field_types.insert(key, of);
    }
    let place = walk.place(parameter);
    let def = walk.define(DefinitionKind::Field, name, place);
    walk.defs[def].container = Some(class);
    let private = modifier.is_some_and(|modifier| walk.text(modifier) == b"private");
    walk.defs[def].reach = if private { SymbolVisibility::File } else { SymbolVisibility::Project };
}

/// Binds the names of `for (const a of b)` and `catch (a)`.
pub(super) fn block_with_names(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    walk.scope(at, ScopeKind::Block);
    let Some(name) = walk.child(at, f::LEFT).or_else(|| walk.child(at, f::PARAMETER)) else {
        return;
    };
    let before = walk.slice(walk.bytes(at).start, walk.bytes(name).start).trim_ascii_end();
    let declares = walk.kind(at) == k::CATCH_CLAUSE
        || before.ends_with(b"const")
        || before.ends_with(b"let")
        || before.ends_with(b"var");
    if declares {
        for leaf in leaves(walk, name) {
            walk.take(leaf);
            let symbol = walk.symbol(leaf);
            walk.bind(symbol, BindingKind::Plain);
        }
    }
}

/// Binds the names of `<T>`, `[K in T]` and `infer U`.
pub(super) fn type_parameters(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let names: Vec<NodeIndex> = match walk.kind(at) {
        k::TYPE_PARAMETERS => {
            walk.children(at).filter_map(|parameter| walk.child(parameter, f::NAME)).collect()
        }
        k::MAPPED_TYPE_CLAUSE => walk.child(at, f::NAME).into_iter().collect(),
        _ => walk.first(at).into_iter().collect(),
    };
    let mut owner = walk.parent(at);
    if walk.kind(at) != k::TYPE_PARAMETERS {
        owner = walk.parent(owner);
    }
    if walk.kind(at) == k::INFER_TYPE {
        for _ in 0..8 {
            if walk.kind(owner) == k::CONDITIONAL_TYPE || owner == 0 {
                break;
            }
            owner = walk.parent(owner);
        }
    }
    for name in names {
        walk.take(name);
        let symbol = walk.symbol(name);
        walk.bind_over(owner, symbol, BindingKind::Plain);
    }
}

/// Returns the type of a variable, parameter or field that is declared or
/// constructed here.
pub(super) fn value_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    if let Some(annotation) = walk.child(at, f::TYPE) {
        return walk.first(annotation).and_then(|of| type_name(walk, of));
    }
    let value = walk.child(at, f::VALUE)?;
    match walk.kind(value) {
        k::NEW_EXPRESSION => {
            let made = walk.child(value, f::CONSTRUCTOR)?;
            matches!(walk.kind(made), k::IDENTIFIER | k::MEMBER_EXPRESSION).then(|| walk.path(made))
        }
        k::AS_EXPRESSION => {
            let of = walk.children(value).nth(1)?;
            type_name(walk, of)
        }
        _ => None,
    }
}

/// Returns the name of a type, as far as it tells members.
pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    let mut at = of;
    for _ in 0..8 {
        at = match walk.kind(at) {
            k::TYPE_IDENTIFIER => return Some(walk.symbol(at)),
            k::NESTED_TYPE_IDENTIFIER => return Some(walk.path(at)),
            k::GENERIC_TYPE => walk.child(at, f::NAME)?,
            k::PARENTHESIZED_TYPE | k::READONLY_TYPE => walk.first(at)?,
            k::UNION_TYPE => {
                let nothing = |at: &NodeIndex| matches!(walk.text(*at), b"null" | b"undefined");
                let mut parts = walk.children(at).filter(|part| !nothing(part));
                let only = parts.next()?;
                if parts.next().is_some() {
                    return None;
                }
                only
            }
            _ => return None,
        };
    }
    None
}

/// Returns the class that a constructor belongs to, if the walk is in one.
pub(super) fn constructed(walk: &SyntaxWalk<'_>) -> Option<usize> {
    let method = walk.container().filter(|_| walk.here() == WalkContext::Function)?;
    let name = walk.symbols.text(walk.defs[method].name);
    // A function that is named like a type is a constructor too.
    let makes = walk.defs[method].kind == DefinitionKind::Function
        && name.first().is_some_and(u8::is_ascii_uppercase);
    if makes {
        Some(method)
    } else {
        walk.defs[method].container.filter(|_| name == b"constructor")
    }
}
