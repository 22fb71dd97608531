//! Exports by `module.exports` and `exports`.

use super::super::collected::RawImportNames;
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::assigned::{PropertyAssignment, is_function, last_value, module_named, owner, place};
use super::{imports, unquoted};
use crate::exports;
use crate::facts::{DefinitionKind, SymbolVisibility};

/// The owner of the functions in an object literal.
#[derive(Debug, Clone, Copy)]
pub(super) enum FunctionOwner {
    /// The definition around the object.
    Definition,
    /// The value of `exports`.
    File,
    /// Something with this name.
    Named(InternedName),
}

/// Returns the owner of the members of an object literal.
pub(super) fn holder(walk: &mut SyntaxWalk<'_>, object: NodeIndex) -> Option<FunctionOwner> {
    let mut at = object;
    while walk.is_in(at, k::ASSIGNMENT_EXPRESSION, f::RIGHT) {
        let outer = walk.parent(at);
        // In `a = module.exports = {}` and `const a = module.exports = {}` it
        // has two names; `a` is used.
        let is_last = !walk.is_in(outer, k::ASSIGNMENT_EXPRESSION, f::RIGHT)
            && !walk.is_in(outer, k::VARIABLE_DECLARATOR, f::VALUE);
        if is_last {
            let left = walk.child(outer, f::LEFT)?;
            return match walk.text(left) {
                b"exports" | b"module.exports" => Some(FunctionOwner::File),
                // The member it is assigned to is a definition.
                text if text.starts_with(b"exports.") || text.starts_with(b"module.exports.") => {
                    Some(FunctionOwner::Definition)
                }
                _ => owner(walk, left).map(FunctionOwner::Named),
            };
        }
        at = outer;
    }
    if walk.is_in(at, k::VARIABLE_DECLARATOR, f::VALUE)
        || walk.is_in(at, k::EXPORT_STATEMENT, f::VALUE)
    {
        return Some(FunctionOwner::Definition);
    }
    let arguments = walk.parent(at);
    let call = walk.parent(arguments);
    let called = walk.child(call, f::FUNCTION).filter(|_| walk.field(arguments) == f::ARGUMENTS)?;
    let target = walk.first(arguments).filter(|target| *target != at)?;
    match (walk.text(called), walk.text(target)) {
        (b"Object.assign", b"exports" | b"module.exports") => Some(FunctionOwner::File),
        (b"Object.assign", _) => owner(walk, target).map(FunctionOwner::Named),
        _ => None,
    }
}

/// Marks the file as one that declares its exports.
fn is_module(walk: &mut SyntaxWalk<'_>) {
    let mark = walk.symbols.make(exports::OWNER.as_bytes());
    walk.exported.insert(mark);
}

/// Marks all names as exported, since the exports of such a file are unknown.
fn everything(walk: &mut SyntaxWalk<'_>) {
    let everything = walk.symbols.make(b"*");
    walk.exported.insert(everything);
}

/// Reads `exports.f = …`.
pub(super) fn member(walk: &mut SyntaxWalk<'_>, it: PropertyAssignment) {
    is_module(walk);
    let text = walk.text(it.name);
    let local = walk.symbols.make(&[exports::PREFIX.as_bytes(), text].concat());
    if passes_on(walk, it.at, local, it.value) {
        walk.take(it.name);
        return;
    }
    let kind = match walk.kind(it.value) {
        _ if is_function(walk, it.value) => DefinitionKind::Function,
        k::CLASS => DefinitionKind::Class,
        // A member of something unknown.
        k::MEMBER_EXPRESSION => return,
        _ => DefinitionKind::Variable,
    };
    let place = place(walk, it.at, it.value);
    let def = walk.define(kind, it.name, place);
    given(walk, def, exports::OWNER);
    finish(walk, def, it);
}

/// Reads `module.exports = …`.
pub(super) fn whole(walk: &mut SyntaxWalk<'_>, it: PropertyAssignment) {
    is_module(walk);
    let local = walk.symbols.make(exports::WHOLE.as_bytes());
    if let Some(name) = other_name(walk, it.at) {
        passes_on(walk, it.at, local, name);
        return;
    }
    if passes_on(walk, it.at, local, it.value) {
        return;
    }
    match walk.kind(it.value) {
        k::OBJECT => object(walk, it.value),
        k::NEW_EXPRESSION => {
            let made = walk.child(it.value, f::CONSTRUCTOR);
            if let Some(made) = made.filter(|made| walk.kind(*made) == k::IDENTIFIER) {
                let local = walk.symbols.make(exports::OBJECT.as_bytes());
                passes_on(walk, it.at, local, made);
            }
        }
        k::CLASS => defines_whole(walk, it, DefinitionKind::Class),
        _ if is_function(walk, it.value) => defines_whole(walk, it, DefinitionKind::Function),
        _ => everything(walk),
    }
}

/// Defines an exported function or class, under its own name if it has one.
fn defines_whole(walk: &mut SyntaxWalk<'_>, it: PropertyAssignment, kind: DefinitionKind) {
    let name = walk.child(it.value, f::NAME).unwrap_or(it.name);
    let place = place(walk, it.at, it.value);
    let def = walk.define(kind, name, place);
    given(walk, def, exports::WHOLE);
    finish(walk, def, it);
}

/// Makes a definition visible to other files, whatever contains it.
pub(super) fn given(walk: &mut SyntaxWalk<'_>, def: usize, owner: &str) {
    walk.defs[def].owner = Some(walk.symbols.make(owner.as_bytes()));
    walk.defs[def].container = None;
    walk.defs[def].reach = SymbolVisibility::Project;
}

fn finish(walk: &mut SyntaxWalk<'_>, def: usize, it: PropertyAssignment) {
    if walk.kind(it.value) == k::CLASS {
        // It would be a second definition of the same thing.
        walk.take(it.value);
        if let Some(inner) = walk.child(it.value, f::NAME) {
            walk.take(inner);
        }
    }
    walk.enter(def, it.at);
}

/// Returns `a` of `a = module.exports = …` and `const a = module.exports = …`.
fn other_name(walk: &SyntaxWalk<'_>, at: NodeIndex) -> Option<NodeIndex> {
    let mut at = at;
    while walk.is_in(at, k::ASSIGNMENT_EXPRESSION, f::RIGHT) {
        at = walk.parent(at);
        let left = walk.child(at, f::LEFT)?;
        if walk.kind(left) == k::IDENTIFIER && walk.text(left) != b"exports" {
            return Some(left);
        }
    }
    let name = walk.child(walk.parent(at), f::NAME);
    name.filter(|name| {
        walk.is_in(at, k::VARIABLE_DECLARATOR, f::VALUE) && walk.kind(*name) == k::IDENTIFIER
    })
}

/// Exports something that is defined or imported elsewhere; returns `false` for
/// other values.
fn passes_on(
    walk: &mut SyntaxWalk<'_>,
    at: NodeIndex,
    local: InternedName,
    value: NodeIndex,
) -> bool {
    let here = walk.symbols.make(b"");
    let (module, brings) = match walk.kind(value) {
        k::IDENTIFIER | k::SHORTHAND_PROPERTY_IDENTIFIER => {
            let name = walk.symbol(value);
            walk.exported.insert(name);
            (here, RawImportNames::Name(name, local))
        }
        k::CALL_EXPRESSION => {
            let Some(source) = imports::required_module(walk, value) else { return false };
            walk.take(value);
            (unquoted(walk, source).0, RawImportNames::Module(Some(local)))
        }
        k::MEMBER_EXPRESSION => {
            let (Some(object), Some(name)) = (walk.first(value), walk.child(value, f::PROPERTY))
            else {
                return false;
            };
            let Some(module) = module_of(walk, object) else { return false };
            if walk.kind(object) == k::CALL_EXPRESSION {
                walk.take(name);
            }
            (module, RawImportNames::Name(walk.symbol(name), local))
        }
        _ => return false,
    };
    let brought = walk.brings(at, module, brings);
    (brought.passed_on, brought.within) = (true, None);
    true
}

/// Returns the module that an expression means.
fn module_of(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    if walk.kind(at) == k::IDENTIFIER {
        let name = walk.symbol(at);
        return module_named(walk, name);
    }
    let source = imports::required_module(walk, at)?;
    walk.take(at);
    Some(unquoted(walk, source).0)
}

/// Reads `module.exports = { a, b: c, ...d }`. Its functions are defined when
/// the walk reaches them.
fn object(walk: &mut SyntaxWalk<'_>, object: NodeIndex) {
    let parts: Vec<NodeIndex> = walk.children(object).collect();
    for part in parts {
        let (key, value) = match walk.kind(part) {
            k::SHORTHAND_PROPERTY_IDENTIFIER => (Some(part), Some(part)),
            k::PAIR => (walk.child(part, f::KEY), walk.child(part, f::VALUE)),
            k::SPREAD_ELEMENT => {
                if let Some(source) = walk.first(part) {
                    all_of(walk, part, source);
                }
                continue;
            }
            _ => continue,
        };
        if let (Some(key), Some(value)) = (key, value)
            && walk.kind(key) != k::COMPUTED_PROPERTY_NAME
        {
            let (name, _) = unquoted(walk, key);
            let name = walk.symbols.text(name);
            let local = [exports::PREFIX.as_bytes(), name].concat();
            let local = walk.symbols.make(&local);
            passes_on(walk, part, local, value);
        }
    }
}

/// Exports everything of another module; for other objects the exports are
/// unknown.
fn all_of(walk: &mut SyntaxWalk<'_>, at: NodeIndex, source: NodeIndex) {
    match module_of(walk, source) {
        Some(module) => {
            let brought = walk.brings(at, module, RawImportNames::Everything);
            (brought.passed_on, brought.within) = (true, None);
        }
        None => everything(walk),
    }
}

/// Reads `Object.assign(exports, …)`.
pub(super) fn assigned(walk: &mut SyntaxWalk<'_>, arguments: NodeIndex) {
    let mut given = walk.children(arguments);
    let target = given.next();
    let sources: Vec<NodeIndex> = given.collect();
    if !target.is_some_and(|it| matches!(walk.text(it), b"exports" | b"module.exports")) {
        return;
    }
    is_module(walk);
    for source in sources {
        let source = last_value(walk, source);
        if walk.kind(source) == k::OBJECT {
            object(walk, source);
        } else {
            all_of(walk, source, source);
        }
    }
}
