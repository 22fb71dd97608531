//! `use` and `extern crate`.

use super::super::collected::{BindingKind, RawImportNames};
use super::super::names::{field as f, kind as k};
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

/// Maximum depth of lists in `use` that is followed.
const DEEPEST: usize = 16;

pub(super) fn import(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let passed_on = walk.child_of(at, k::VISIBILITY_MODIFIER).is_some();
    let before = walk.brings.len();
    if let Some(argument) = walk.child(at, f::ARGUMENT) {
        tree(walk, argument, &[], 0);
    } else if let Some(name) = walk.child(at, f::NAME) {
        let alias = walk.child(at, f::ALIAS).unwrap_or(name);
        let module = walk.symbol(name);
        let local = walk.symbol(alias);
        walk.brings(at, module, RawImportNames::Module(Some(local)));
    }
    for place in before..walk.brings.len() {
        walk.brings[place].passed_on = passed_on;
        let local = match walk.brings[place].brings {
            RawImportNames::Module(local) => local,
            RawImportNames::Name(_, local) => Some(local),
            RawImportNames::Everything => None,
        };
        if let (Some(local), true) = (local, walk.block_scope().is_some()) {
            walk.bind(local, BindingKind::Outside);
        }
    }
}

/// Reads one branch of a `use`, below the path that leads to it.
fn tree(walk: &mut SyntaxWalk<'_>, at: NodeIndex, prefix: &[u8], depth: usize) {
    if depth > DEEPEST {
        return;
    }
    match walk.kind(at) {
        k::SCOPED_USE_LIST => {
            let path = match walk.child(at, f::PATH) {
                Some(path) => joined(prefix, walk.text(path)),
                None => prefix.to_vec(),
            };
            if let Some(list) = walk.child(at, f::LIST) {
                tree(walk, list, &path, depth + 1);
            }
        }
        k::USE_LIST => {
            let branches: Vec<NodeIndex> = walk.children(at).collect();
            for branch in branches {
                tree(walk, branch, prefix, depth + 1);
            }
        }
        k::USE_WILDCARD => {
            let path = walk.first(at).map_or(b"".as_slice(), |path| walk.text(path));
            let module = joined(prefix, path);
            let module = walk.symbols.make(&module);
            walk.brings(at, module, RawImportNames::Everything);
        }
        k::USE_AS_CLAUSE => {
            if let (Some(path), Some(alias)) = (walk.child(at, f::PATH), walk.child(at, f::ALIAS)) {
                one(walk, path, prefix, Some(alias));
            }
        }
        k::IDENTIFIER | k::SCOPED_IDENTIFIER | k::SELF | k::CRATE | k::SUPER => {
            one(walk, at, prefix, None);
        }
        _ => {}
    }
}

/// Records one name, perhaps under another.
fn one(walk: &mut SyntaxWalk<'_>, at: NodeIndex, prefix: &[u8], alias: Option<NodeIndex>) {
    let (path, name) = match walk.kind(at) {
        k::SCOPED_IDENTIFIER => (walk.child(at, f::PATH), walk.child(at, f::NAME).unwrap_or(at)),
        _ => (None, at),
    };
    let module = joined(prefix, path.map_or(b"".as_slice(), |path| walk.text(path)));
    if walk.text(name) == b"self" && !module.is_empty() {
        // `use a::b::{self}` is `use a::b`.
        let split = memchr::memmem::rfind(&module, b"::");
        let last = split.map_or(&module[..], |split| &module[split + 2..]).to_vec();
        let local = match alias {
            Some(alias) => walk.symbol(alias),
            None => walk.symbols.make(&last),
        };
        let module = walk.symbols.make(&module);
        walk.brings(at, module, RawImportNames::Module(Some(local)));
        return;
    }
    let symbol = walk.symbol(name);
    let local = alias.map_or(symbol, |alias| walk.symbol(alias));
    if module.is_empty() {
        walk.brings(at, symbol, RawImportNames::Module(Some(local)));
    } else {
        let module = walk.symbols.make(&module);
        walk.brings(name, module, RawImportNames::Name(symbol, local));
    }
}

fn joined(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    let path = path.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    let mut joined = prefix.to_vec();
    let path: Vec<u8> = path.collect();
    if !joined.is_empty() && !path.is_empty() {
        joined.extend_from_slice(b"::");
    }
    joined.extend_from_slice(&path);
    joined
}
