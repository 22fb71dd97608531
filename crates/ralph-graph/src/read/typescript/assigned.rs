//! Definitions by assignment: `exports.f = …`, `A.prototype.f = …`,
//! `app.use = …`, and `this.x = …` in a constructor.

use super::super::collected::{BindingKind, DefinitionRange, RawQualifier, RawUse, WalkContext};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use super::{commonjs, locals};
use crate::facts::{DefinitionKind, ReferenceRole, SymbolVisibility};

/// `object.name = value`
#[derive(Debug, Clone, Copy)]
pub(super) struct PropertyAssignment {
    pub(super) at: NodeIndex,
    pub(super) name: NodeIndex,
    pub(super) value: NodeIndex,
}

pub(super) fn assignment(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(left), Some(right)) = (walk.child(at, f::LEFT), walk.child(at, f::RIGHT)) else {
        return;
    };
    if walk.kind(left) != k::MEMBER_EXPRESSION {
        return;
    }
    let (Some(object), Some(name)) = (walk.first(left), walk.child(left, f::PROPERTY)) else {
        return;
    };
    let it = PropertyAssignment { at, name, value: last_value(walk, right) };
    match walk.text(object) {
        b"this" if walk.here() == WalkContext::Function => own_field(walk, at, name),
        b"module" if walk.text(name) == b"exports" => commonjs::whole(walk, it),
        b"exports" | b"module.exports" => commonjs::member(walk, it),
        _ if walk.text(name) == b"prototype" => prototype(walk, it, object),
        _ => member(walk, it, object),
    }
}

/// Returns the last value of `a = b = value`.
pub(super) fn last_value(walk: &SyntaxWalk<'_>, at: NodeIndex) -> NodeIndex {
    let mut at = at;
    while walk.kind(at) == k::ASSIGNMENT_EXPRESSION {
        let Some(right) = walk.child(at, f::RIGHT) else { break };
        at = right;
    }
    at
}

pub(super) fn is_function(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    matches!(walk.kind(at), k::ARROW_FUNCTION | k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION)
}

pub(super) fn place(walk: &SyntaxWalk<'_>, at: NodeIndex, value: NodeIndex) -> DefinitionRange {
    if is_function(walk, value) || walk.kind(value) == k::CLASS {
        DefinitionRange { body: walk.place(value).body, ..walk.place(at) }
    } else {
        walk.line_place(at)
    }
}

/// Returns the object that receives the members of an expression: `A` for
/// `A.prototype`, and `a.b` for itself.
pub(super) fn owner(walk: &mut SyntaxWalk<'_>, object: NodeIndex) -> Option<InternedName> {
    let mut owner = object;
    if walk.kind(object) == k::MEMBER_EXPRESSION {
        let property = walk.child(object, f::PROPERTY);
        if property.is_some_and(|property| walk.text(property) == b"prototype") {
            owner = walk.first(object)?;
        }
    }
    let mut root = owner;
    while walk.kind(root) == k::MEMBER_EXPRESSION {
        root = walk.first(root)?;
    }
    (walk.kind(root) == k::IDENTIFIER).then(|| walk.path(owner))
}

/// Defines `A.prototype.f = function () {}`, `a.f = () => {}`, and `a.f = g`.
fn member(walk: &mut SyntaxWalk<'_>, it: PropertyAssignment, object: NodeIndex) {
    let Some(owner) = owner(walk, object) else { return };
    let container = walk.container();
    let is_known = walk.defined.contains(&(container, owner));
    let is_outside = walk.here() != WalkContext::Function;
    let kind = match walk.kind(it.value) {
        // Inside functions, members of parameters belong to other objects.
        _ if !is_outside && !is_known => return,
        _ if is_function(walk, it.value) => DefinitionKind::Method,
        k::CLASS => DefinitionKind::Class,
        // Another name of something that is defined elsewhere.
        k::IDENTIFIER if is_known => DefinitionKind::Field,
        _ => return,
    };
    if kind == DefinitionKind::Class {
        walk.take(it.value);
    }
    let place = place(walk, it.at, it.value);
    let def = walk.define(kind, it.name, place);
    walk.defs[def].owner = Some(owner);
    if is_outside {
        // In `a.b = a.c = …` neither contains the other.
        walk.defs[def].container = None;
    }
    walk.enter(def, it.at);
}

/// Reads `A.prototype = Object.create(B.prototype)`; object literals are
/// handled elsewhere.
fn prototype(walk: &mut SyntaxWalk<'_>, it: PropertyAssignment, object: NodeIndex) {
    let made =
        walk.child(it.value, f::FUNCTION).is_some_and(|it| walk.text(it) == b"Object.create");
    if let (true, Some(arguments)) = (made, walk.child(it.value, f::ARGUMENTS))
        && let Some(base) = walk.first(arguments)
    {
        extends(walk, object, base);
    }
}

/// Records that one thing inherits the members of another: `A`, `A.prototype`.
pub(super) fn extends(walk: &mut SyntaxWalk<'_>, of: NodeIndex, base: NodeIndex) {
    let type_of = |walk: &SyntaxWalk<'_>, at: NodeIndex| match walk.kind(at) {
        k::MEMBER_EXPRESSION if walk.text(at).ends_with(b".prototype") => walk.first(at),
        _ => Some(at),
    };
    let (Some(of), Some(base)) = (type_of(walk, of), type_of(walk, base)) else { return };
    let name = walk.symbol(of);
    let Some(within) = walk.defs.iter().position(|def| def.name == name) else { return };
    let (at, before) = match (walk.kind(base), walk.child(base, f::PROPERTY)) {
        (k::IDENTIFIER, _) => (base, RawQualifier::Nothing),
        (k::MEMBER_EXPRESSION, Some(property)) => (property, RawQualifier::Node(base + 1)),
        _ => return,
    };
    walk.take(at);
    let (name, bytes) = (walk.symbol(at), walk.bytes(at));
    walk.uses.push(RawUse {
        name,
        role: ReferenceRole::Extends,
        before,
        within: Some(within),
        bytes,
    });
}

/// Reads `util.inherits(A, B)`, `Object.setPrototypeOf(A.prototype,
/// B.prototype)` and `Object.assign(A.prototype, …)`.
pub(super) fn call(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(called), Some(arguments)) =
        (walk.child(at, f::FUNCTION), walk.child(at, f::ARGUMENTS))
    else {
        return;
    };
    let is_inheritance = match walk.text(called) {
        b"Object.assign" => {
            commonjs::assigned(walk, arguments);
            false
        }
        b"Object.setPrototypeOf" => true,
        text => text.ends_with(b"inherits"),
    };
    let mut given = walk.children(arguments);
    if let (true, Some(of), Some(base)) = (is_inheritance, given.next(), given.next()) {
        extends(walk, of, base);
    }
}

/// Records an object of a function that may get members: `const app = {}`.
pub(super) fn local_object(walk: &mut SyntaxWalk<'_>, name: NodeIndex, value: Option<NodeIndex>) {
    if value.is_some_and(|value| walk.kind(value) == k::OBJECT) {
        let key = (walk.container(), walk.symbol(name));
        walk.defined.insert(key);
    }
}

/// Defines a field by `this.x = …` in a constructor, unless something else
/// does.
fn own_field(walk: &mut SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) {
    let Some(class) = locals::constructed(walk) else { return };
    let symbol = walk.symbol(name);
    let right = walk.child(at, f::RIGHT).filter(|right| walk.kind(*right) == k::NEW_EXPRESSION);
    if let Some(made) = right.and_then(|right| walk.child(right, f::CONSTRUCTOR)) {
        let key = (walk.defs[class].name, symbol);
        let of = walk.path(made);
        walk.field_types.entry(key).or_insert(of);
    }
    if !walk.defined.insert((Some(class), symbol)) {
        return;
    }
    let place = walk.line_place(at);
    let def = walk.define(DefinitionKind::Field, name, place);
    walk.defs[def].container = Some(class);
    let private = walk.kind(name) == k::PRIVATE_PROPERTY_IDENTIFIER;
    walk.defs[def].reach = if private { SymbolVisibility::File } else { SymbolVisibility::Project };
}

/// Returns the module that a name is bound to, if any.
pub(super) fn module_named(walk: &SyntaxWalk<'_>, name: InternedName) -> Option<InternedName> {
    use super::super::collected::RawImportNames;
    let is_local =
        |what: RawImportNames| matches!(what, RawImportNames::Module(Some(local)) if local == name);
    let brought = walk.brings.iter().find(|it| is_local(it.brings))?;
    let is_hidden =
        walk.bindings.iter().any(|it| it.name == name && it.what != BindingKind::Outside);
    (!is_hidden).then_some(brought.module)
}
