//! Names that are local to a function, and types of variables.

use super::super::collected::{BindingKind, ScopeKind};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::declarators::{self, declared};

/// Reads a declaration inside a function.
pub(super) fn declaration(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let declarators: Vec<NodeIndex> =
        walk.children(at).filter(|child| walk.field(*child) == f::DECLARATOR).collect();
    if declarators.is_empty() {
        forward(walk, at);
    }
    let of = declared_type(walk, at);
    for declarator in declarators {
        let of = of.or_else(|| made_type(walk, declarator));
        // Its own value may already refer to it.
        let from = match (walk.kind(declarator), walk.child(declarator, f::DECLARATOR)) {
            (k::INIT_DECLARATOR, Some(inner)) => walk.bytes(inner).end,
            _ => walk.bytes(declarator).end,
        };
        bind(walk, declarator, from, of);
    }
}

/// Skips `struct a;`, which neither defines nor uses the name.
pub(super) fn forward(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let of = walk.child(at, f::TYPE);
    let name = of.and_then(|of| walk.child(of, f::NAME));
    let body = of.and_then(|of| walk.child(of, f::BODY));
    if let (Some(name), None) = (name, body) {
        walk.take(name);
    }
}

fn bind(walk: &mut SyntaxWalk<'_>, declarator: NodeIndex, from: u32, of: Option<InternedName>) {
    let what = of.map_or(BindingKind::Plain, BindingKind::Typed);
    let inner = match walk.kind(declarator) {
        k::INIT_DECLARATOR | k::REFERENCE_DECLARATOR => walk.first(declarator),
        _ => None,
    };
    let structured = [Some(declarator), inner, inner.and_then(|inner| walk.first(inner))];
    for part in structured.into_iter().flatten() {
        if walk.kind(part) == k::STRUCTURED_BINDING_DECLARATOR {
            let names: Vec<NodeIndex> = walk.children(part).collect();
            for name in names {
                walk.take(name);
                let symbol = walk.symbol(name);
                walk.bind_from(symbol, from, BindingKind::Plain);
            }
            return;
        }
    }
    if let Some(found) = declared(walk, declarator) {
        if found.owner.is_some() {
            return;
        }
        walk.take(found.name);
        let symbol = walk.symbol(found.name);
        walk.bind_from(symbol, from, what);
    }
}

/// Binds the names of `for (auto a : b)` and `catch (A a)`.
pub(super) fn names_of(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if let Some(declarator) = walk.child(at, f::DECLARATOR) {
        let of = declared_type(walk, at);
        let from = walk.bytes(declarator).end;
        bind(walk, declarator, from, of);
    }
}

/// Binds parameters in their function, if it has a body here.
pub(super) fn parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let open = walk.block_scope().filter(|scope| {
        let function = scope.at;
        let mut at = walk.parent(list);
        // Only declarators may come between the function and its list.
        while at > function && is_declarator(walk.kind(at)) && walk.field(at) != f::VALUE {
            at = walk.parent(at);
        }
        at == function
    });
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        let Some(declarator) = walk.child(parameter, f::DECLARATOR) else { continue };
        let Some(found) = declared(walk, declarator) else { continue };
        walk.take(found.name);
        if let Some(scope) = open {
            let of = declared_type(walk, parameter);
            let symbol = walk.symbol(found.name);
            walk.bind_from(symbol, scope.start, of.map_or(BindingKind::Plain, BindingKind::Typed));
        }
    }
}

fn is_declarator(kind: u16) -> bool {
    matches!(
        kind,
        k::FUNCTION_DECLARATOR
            | k::ABSTRACT_FUNCTION_DECLARATOR
            | k::POINTER_DECLARATOR
            | k::REFERENCE_DECLARATOR
            | k::PARENTHESIZED_DECLARATOR
            | k::ATTRIBUTED_DECLARATOR
            | k::OPERATOR_CAST
    )
}

pub(super) fn lambda(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    walk.scope(at, ScopeKind::Function);
    let Some(captures) = walk.child(at, f::CAPTURES) else { return };
    let captures: Vec<NodeIndex> = walk.children(captures).collect();
    for capture in captures {
        if let Some(left) = walk.child(capture, f::LEFT) {
            walk.take(left);
            let symbol = walk.symbol(left);
            walk.bind(symbol, BindingKind::Plain);
        }
    }
}

pub(super) fn template_parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let owner = walk.parent(list);
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        let name = match walk.kind(parameter) {
            k::TYPE_PARAMETER_DECLARATION | k::VARIADIC_TYPE_PARAMETER_DECLARATION => {
                walk.first(parameter)
            }
            k::OPTIONAL_TYPE_PARAMETER_DECLARATION => walk.child(parameter, f::NAME),
            _ => {
                let declarator = walk.child(parameter, f::DECLARATOR);
                declarator.and_then(|declarator| declared(walk, declarator)).map(|found| found.name)
            }
        };
        if let Some(name) = name {
            walk.take(name);
            let symbol = walk.symbol(name);
            walk.bind_over(owner, symbol, BindingKind::Plain);
        }
    }
}

/// Returns the type that a declaration names, as far as it tells members.
pub(super) fn declared_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    let of = walk.child(at, f::TYPE)?;
    type_name(walk, of)
}

fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    let mut at = of;
    for _ in 0..6 {
        at = match walk.kind(at) {
            k::TYPE_IDENTIFIER => return Some(walk.symbol(at)),
            k::STRUCT_SPECIFIER | k::CLASS_SPECIFIER | k::UNION_SPECIFIER => {
                walk.child(at, f::NAME)?
            }
            k::QUALIFIED_IDENTIFIER => {
                let last = declarators::last_name(walk, at)?;
                let template = walk.parent(last);
                if walk.kind(template) != k::TEMPLATE_TYPE {
                    return Some(walk.path(at));
                }
                template
            }
            k::TEMPLATE_TYPE => {
                let name = walk.child(at, f::NAME)?;
                // Users call the members of the type they point to.
                if matches!(walk.text(name), b"unique_ptr" | b"shared_ptr" | b"weak_ptr") {
                    let arguments = walk.child(at, f::ARGUMENTS)?;
                    walk.first(arguments)?
                } else {
                    name
                }
            }
            k::TYPE_DESCRIPTOR => walk.child(at, f::TYPE)?,
            _ => return None,
        };
    }
    None
}

/// Returns the type of `auto a = new A()` and `auto a = A{}`.
fn made_type(walk: &mut SyntaxWalk<'_>, declarator: NodeIndex) -> Option<InternedName> {
    let value = walk.child(declarator, f::VALUE)?;
    match walk.kind(value) {
        k::NEW_EXPRESSION | k::COMPOUND_LITERAL_EXPRESSION => declared_type(walk, value),
        k::CALL_EXPRESSION => {
            let called = walk.child(value, f::FUNCTION)?;
            let name = declarators::last_name(walk, called)?;
            let template = walk.parent(name);
            if walk.kind(template) == k::TEMPLATE_FUNCTION
                && matches!(walk.text(name), b"make_unique" | b"make_shared")
            {
                let arguments = walk.child(template, f::ARGUMENTS)?;
                let of = walk.first(arguments)?;
                return type_name(walk, of);
            }
            let class = walk.text(name).first().is_some_and(u8::is_ascii_uppercase)
                && walk.text(name).iter().any(u8::is_ascii_lowercase);
            (class && walk.kind(called) == k::IDENTIFIER).then(|| walk.symbol(called))
        }
        _ => None,
    }
}
