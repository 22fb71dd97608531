//! `import`, `export` and `require`.

use super::super::collected::{
    BindingKind, RawImportNames, RawQualifier, RawUse, WalkContext, WalkStep,
};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::unquoted;
use crate::exports;
use crate::facts::DefinitionKind;

pub(super) fn import(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if let Some(clause) = walk.child_of(at, k::IMPORT_REQUIRE_CLAUSE) {
        let (Some(source), Some(name)) = (walk.child(clause, f::SOURCE), walk.first(clause)) else {
            return;
        };
        let (module, _) = unquoted(walk, source);
        let local = walk.symbol(name);
        walk.brings(at, module, RawImportNames::Module(Some(local)));
        return;
    }
    let Some(source) = walk.child(at, f::SOURCE) else { return };
    let (module, _) = unquoted(walk, source);
    let Some(clause) = walk.child_of(at, k::IMPORT_CLAUSE) else {
        walk.brings(at, module, RawImportNames::Module(None));
        return;
    };
    let parts: Vec<NodeIndex> = walk.children(clause).collect();
    for part in parts {
        match walk.kind(part) {
            k::IDENTIFIER => {
                let local = walk.symbol(part);
                let default = walk.symbols.make(b"default");
                walk.brings(part, module, RawImportNames::Name(default, local));
            }
            k::NAMESPACE_IMPORT => {
                let local = walk.first(part).map(|name| walk.symbol(name));
                walk.brings(part, module, RawImportNames::Module(local));
            }
            k::NAMED_IMPORTS => {
                let names: Vec<NodeIndex> = walk.children(part).collect();
                for name in names {
                    specifier(walk, name, module);
                }
            }
            _ => {}
        }
    }
}

/// Reads `import a = b.c`.
pub(super) fn alias(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parts: Vec<NodeIndex> = walk.children(at).collect();
    if let [name, path] = parts[..] {
        let local = walk.symbol(name);
        let module = walk.path(path);
        walk.brings(at, module, RawImportNames::Module(Some(local)));
    }
}

/// Reads `a` or `a as b` in braces.
fn specifier(walk: &mut SyntaxWalk<'_>, at: NodeIndex, module: InternedName) {
    let symbol = match walk.child(at, f::NAME) {
        Some(name) => unquoted(walk, name).0,
        // `default` is a keyword.
        None if walk.text(at).starts_with(b"default") => walk.symbols.make(b"default"),
        None => return,
    };
    let local = walk.child(at, f::ALIAS).map_or(symbol, |alias| unquoted(walk, alias).0);
    walk.brings(at, module, RawImportNames::Name(symbol, local));
}

pub(super) fn export(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    let Some(source) = walk.child(at, f::SOURCE) else {
        exported_names(walk, at);
        return WalkStep::Into;
    };
    let (module, _) = unquoted(walk, source);
    let before = walk.brings.len();
    if let Some(clause) = walk.child_of(at, k::EXPORT_CLAUSE) {
        let names: Vec<NodeIndex> = walk.children(clause).collect();
        for name in names {
            specifier(walk, name, module);
        }
    } else if let Some(all) = walk.child_of(at, k::NAMESPACE_EXPORT) {
        let local = walk.first(all).map(|name| unquoted(walk, name).0);
        walk.brings(at, module, RawImportNames::Module(local));
    } else {
        walk.brings(at, module, RawImportNames::Everything);
    }
    for bring in &mut walk.brings[before..] {
        bring.passed_on = true;
    }
    WalkStep::Over
}

/// Reads `export default a`, which passes on a name of this file, whose path is
/// empty.
fn default_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let rest = walk.text(at).strip_prefix(b"export").unwrap_or_default().trim_ascii_start();
    if !rest.starts_with(b"default") {
        return;
    }
    let value = walk.child(at, f::DECLARATION).or_else(|| walk.child(at, f::VALUE));
    if let Some(object) = value.filter(|value| walk.kind(*value) == k::OBJECT) {
        super::anonymous(walk, object, DefinitionKind::Constant, walk.line_place(at));
        return;
    }
    let name = value.and_then(|value| match walk.kind(value) {
        k::IDENTIFIER => Some(value),
        _ => walk.child(value, f::NAME),
    });
    if let Some(name) = name {
        let name = walk.symbol(name);
        let (here, default) = (walk.symbols.make(b""), walk.symbols.make(b"default"));
        walk.brings(at, here, RawImportNames::Name(name, default)).passed_on = true;
    }
}

/// Records the names that an `export` of this file gives to others.
fn exported_names(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if let Some(clause) = walk.child_of(at, k::EXPORT_CLAUSE) {
        let names: Vec<NodeIndex> = walk.children(clause).collect();
        for specifier in names {
            let Some(name) = walk.child(specifier, f::NAME) else { continue };
            let symbol = walk.symbol(name);
            walk.exported.insert(symbol);
            if let Some(alias) = walk.child(specifier, f::ALIAS) {
                let (alias, _) = unquoted(walk, alias);
                let alias = [exports::PREFIX.as_bytes(), walk.symbols.text(alias)].concat();
                let (here, alias) = (walk.symbols.make(b""), walk.symbols.make(&alias));
                walk.brings(specifier, here, RawImportNames::Name(symbol, alias)).passed_on = true;
            }
        }
        for alias in clause..walk.after(clause) {
            if walk.field(alias) == f::ALIAS {
                walk.take(alias);
            }
        }
        return;
    }
    default_name(walk, at);
    let declaration = walk.child(at, f::DECLARATION).or_else(|| walk.child(at, f::VALUE));
    let declaration = declaration.or_else(|| walk.first(at));
    let Some(declaration) = declaration else { return };
    let mut names: Vec<NodeIndex> = match walk.kind(declaration) {
        k::IDENTIFIER => vec![declaration],
        k::LEXICAL_DECLARATION | k::VARIABLE_DECLARATION => {
            let declarators = walk.children(declaration).filter_map(|at| walk.child(at, f::NAME));
            declarators.flat_map(|name| super::locals::leaves(walk, name)).collect()
        }
        k::AMBIENT_DECLARATION | k::EXPRESSION_STATEMENT => {
            let inner = walk.first(declaration);
            inner.and_then(|inner| walk.child(inner, f::NAME)).into_iter().collect()
        }
        _ => walk.child(declaration, f::NAME).into_iter().collect(),
    };
    names.dedup();
    for name in names {
        let symbol = walk.symbol(name);
        walk.exported.insert(symbol);
    }
}

/// Returns the module of `require("…")`.
pub(super) fn required_module(walk: &SyntaxWalk<'_>, call: NodeIndex) -> Option<NodeIndex> {
    if walk.kind(call) != k::CALL_EXPRESSION {
        return None;
    }
    let called = walk.child(call, f::FUNCTION)?;
    if !matches!(walk.text(called), b"require" | b"import") {
        return None;
    }
    let arguments = walk.child(call, f::ARGUMENTS)?;
    walk.first(arguments).filter(|module| walk.kind(*module) == k::STRING)
}

/// Reads `const a = require("…")`, `const { a } = await import("…")` and `const
/// a = require("…").b`.
pub(super) fn is_required(
    walk: &mut SyntaxWalk<'_>,
    at: NodeIndex,
    name: NodeIndex,
    value: NodeIndex,
) -> bool {
    let is_member = walk.kind(value) == k::MEMBER_EXPRESSION;
    let inner = match walk.kind(value) {
        k::AWAIT_EXPRESSION | k::MEMBER_EXPRESSION => walk.first(value),
        _ => Some(value),
    };
    let Some(source) = inner.and_then(|call| required_module(walk, call)) else { return false };
    let (module, _) = unquoted(walk, source);
    let before = walk.brings.len();
    let is_plain = walk.kind(name) == k::IDENTIFIER;
    match walk.child(value, f::PROPERTY).filter(|_| is_member) {
        // The names inside the member are unknown.
        Some(_) if !is_plain => return false,
        Some(property) => {
            let (property, local) = (walk.symbol(property), walk.symbol(name));
            walk.brings(at, module, RawImportNames::Name(property, local));
        }
        None if is_plain => {
            let local = walk.symbol(name);
            walk.brings(at, module, RawImportNames::Module(Some(local)));
        }
        None => destructured(walk, module, name),
    }
    if walk.here() == WalkContext::Function {
        for place in before..walk.brings.len() {
            if let RawImportNames::Module(Some(local)) | RawImportNames::Name(_, local) =
                walk.brings[place].brings
            {
                walk.bind(local, BindingKind::Outside);
            }
        }
    }
    true
}

/// Reads `{ a, b: c, d = 1 }` of a module.
fn destructured(walk: &mut SyntaxWalk<'_>, module: InternedName, pattern: NodeIndex) {
    for leaf in super::locals::leaves(walk, pattern) {
        let local = walk.symbol(leaf);
        let pair = walk.parent(leaf);
        let key = walk.child(pair, f::KEY).filter(|_| walk.kind(pair) == k::PAIR_PATTERN);
        let name = key.map_or(local, |key| walk.symbol(key));
        walk.brings(leaf, module, RawImportNames::Name(name, local));
    }
}

/// Records a `require` or `import` whose result has no name, under its text.
pub(super) fn required(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(source) = required_module(walk, at) else { return };
    let (module, _) = unquoted(walk, source);
    let outer = walk.kind(walk.parent(at));
    if outer == k::EXPRESSION_STATEMENT {
        walk.brings(at, module, RawImportNames::Module(None));
        return;
    }
    let local = walk.path(at);
    walk.brings(at, module, RawImportNames::Module(Some(local)));
    if !matches!(outer, k::MEMBER_EXPRESSION | k::AWAIT_EXPRESSION) {
        let role = super::uses::role(walk, at);
        let (within, bytes) = (walk.within(), walk.bytes(at));
        walk.uses.push(RawUse { name: local, role, before: RawQualifier::Nothing, within, bytes });
    }
}
