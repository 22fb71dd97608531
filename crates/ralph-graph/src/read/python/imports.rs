//! `import` and `from`.

use super::super::collected::{Bound, Brings, Here};
use super::super::names::{field as f, kind as k};
use super::super::symbols::Symbol;
use super::super::tree::At;
use super::super::walk::Walk;

pub(super) fn import(walk: &mut Walk<'_>, at: At) {
    let module = match walk.child(at, f::MODULE_NAME) {
        Some(module) => Some(walk.path(module)),
        None if walk.kind(at) == k::FUTURE_IMPORT_STATEMENT => return,
        None => None,
    };
    let names: Vec<At> = walk.children(at).filter(|name| walk.field(*name) == f::NAME).collect();
    for name in names {
        let (path, alias) = match walk.kind(name) {
            k::ALIASED_IMPORT => (walk.child(name, f::NAME), walk.child(name, f::ALIAS)),
            _ => (Some(name), None),
        };
        let Some(path) = path else { continue };
        let path = walk.path(path);
        let local = alias.map_or(path, |alias| walk.symbol(alias));
        bring(walk, name, module, path, local);
    }
    if let (Some(module), Some(star)) = (module, walk.child_of(at, k::WILDCARD_IMPORT)) {
        walk.brings(star, module, Brings::Everything).passed_on = true;
    }
}

/// Records one imported name.
fn bring(walk: &mut Walk<'_>, at: At, module: Option<Symbol>, path: Symbol, local: Symbol) {
    let outside = walk.here() != Here::Function;
    match module {
        // Files that import this one can import the name from it.
        Some(module) => {
            walk.brings(at, module, Brings::Name(path, local)).passed_on = outside;
        }
        None => {
            walk.brings(at, path, Brings::Module(Some(local)));
        }
    }
    if !outside {
        let text = walk.text(at);
        let local = match memchr::memchr(b'.', text) {
            Some(dot) if local == path => walk.symbols.intern(&text[..dot]),
            Some(_) | None => local,
        };
        walk.bind_in_function(local, Bound::Outside);
    }
}
