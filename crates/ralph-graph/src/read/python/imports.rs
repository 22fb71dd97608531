//! `import` and `from`.

use super::super::collected::{BindingKind, RawImportNames, WalkContext};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

pub(super) fn import(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let module = match walk.child(at, f::MODULE_NAME) {
        Some(module) => Some(walk.path(module)),
        None if walk.kind(at) == k::FUTURE_IMPORT_STATEMENT => return,
        None => None,
    };
    let names: Vec<NodeIndex> =
        walk.children(at).filter(|name| walk.field(*name) == f::NAME).collect();
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
        walk.brings(star, module, RawImportNames::Everything).passed_on = true;
    }
}

/// Records one imported name.
fn bring(
    walk: &mut SyntaxWalk<'_>,
    at: NodeIndex,
    module: Option<InternedName>,
    path: InternedName,
    local: InternedName,
) {
    let outside = walk.here() != WalkContext::Function;
    match module {
        // Files that import this one can import the name from it.
        Some(module) => {
            walk.brings(at, module, RawImportNames::Name(path, local)).passed_on = outside;
        }
        None => {
            walk.brings(at, path, RawImportNames::Module(Some(local)));
        }
    }
    if !outside {
        let text = walk.text(at);
        let local = match memchr::memchr(b'.', text) {
            Some(dot) if local == path => walk.symbols.intern(&text[..dot]),
            Some(_) | None => local,
        };
        walk.bind_in_function(local, BindingKind::Outside);
    }
}
