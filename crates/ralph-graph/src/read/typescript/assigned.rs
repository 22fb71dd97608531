//! Definitions by assignment: `exports.f = …`, `A.prototype.f = …`,
//! `app.use = …`, and `this.x = …` in a constructor.

use super::super::collected::{Before, Bound, Here, Place, Use};
use super::super::names::{field as f, kind as k};
use super::super::symbols::Symbol;
use super::super::tree::At;
use super::super::walk::Walk;
use super::{commonjs, locals};
use crate::facts::{Kind, Reach, Role};

/// `object.name = value`
#[derive(Debug, Clone, Copy)]
pub(super) struct Assigned {
    pub(super) at: At,
    pub(super) name: At,
    pub(super) value: At,
}

pub(super) fn assignment(walk: &mut Walk<'_>, at: At) {
    let (Some(left), Some(right)) = (walk.child(at, f::LEFT), walk.child(at, f::RIGHT)) else {
        return;
    };
    if walk.kind(left) != k::MEMBER_EXPRESSION {
        return;
    }
    let (Some(object), Some(name)) = (walk.first(left), walk.child(left, f::PROPERTY)) else {
        return;
    };
    let it = Assigned { at, name, value: last_value(walk, right) };
    match walk.text(object) {
        b"this" if walk.here() == Here::Function => own_field(walk, at, name),
        b"module" if walk.text(name) == b"exports" => commonjs::whole(walk, it),
        b"exports" | b"module.exports" => commonjs::member(walk, it),
        _ if walk.text(name) == b"prototype" => prototype(walk, it, object),
        _ => member(walk, it, object),
    }
}

/// Returns the last value of `a = b = value`.
pub(super) fn last_value(walk: &Walk<'_>, at: At) -> At {
    let mut at = at;
    while walk.kind(at) == k::ASSIGNMENT_EXPRESSION {
        let Some(right) = walk.child(at, f::RIGHT) else { break };
        at = right;
    }
    at
}

pub(super) fn is_function(walk: &Walk<'_>, at: At) -> bool {
    matches!(walk.kind(at), k::ARROW_FUNCTION | k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION)
}

pub(super) fn place(walk: &Walk<'_>, at: At, value: At) -> Place {
    if is_function(walk, value) || walk.kind(value) == k::CLASS {
        Place { body: walk.place(value).body, ..walk.place(at) }
    } else {
        walk.line_place(at)
    }
}

/// Returns the object that receives the members of an expression: `A` for
/// `A.prototype`, and `a.b` for itself.
pub(super) fn owner(walk: &mut Walk<'_>, object: At) -> Option<Symbol> {
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
fn member(walk: &mut Walk<'_>, it: Assigned, object: At) {
    let Some(owner) = owner(walk, object) else { return };
    let container = walk.container();
    let is_known = walk.defined.contains(&(container, owner));
    let is_outside = walk.here() != Here::Function;
    let kind = match walk.kind(it.value) {
        // Inside functions, members of parameters belong to other objects.
        _ if !is_outside && !is_known => return,
        _ if is_function(walk, it.value) => Kind::Method,
        k::CLASS => Kind::Class,
        // Another name of something that is defined elsewhere.
        k::IDENTIFIER if is_known => Kind::Field,
        _ => return,
    };
    if kind == Kind::Class {
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
fn prototype(walk: &mut Walk<'_>, it: Assigned, object: At) {
    let made =
        walk.child(it.value, f::FUNCTION).is_some_and(|it| walk.text(it) == b"Object.create");
    if let (true, Some(arguments)) = (made, walk.child(it.value, f::ARGUMENTS))
        && let Some(base) = walk.first(arguments)
    {
        extends(walk, object, base);
    }
}

/// Records that one thing inherits the members of another: `A`, `A.prototype`.
pub(super) fn extends(walk: &mut Walk<'_>, of: At, base: At) {
    let type_of = |walk: &Walk<'_>, at: At| match walk.kind(at) {
        k::MEMBER_EXPRESSION if walk.text(at).ends_with(b".prototype") => walk.first(at),
        _ => Some(at),
    };
    let (Some(of), Some(base)) = (type_of(walk, of), type_of(walk, base)) else { return };
    let name = walk.symbol(of);
    let Some(within) = walk.defs.iter().position(|def| def.name == name) else { return };
    let (at, before) = match (walk.kind(base), walk.child(base, f::PROPERTY)) {
        (k::IDENTIFIER, _) => (base, Before::Nothing),
        (k::MEMBER_EXPRESSION, Some(property)) => (property, Before::Node(base + 1)),
        _ => return,
    };
    walk.take(at);
    let (name, bytes) = (walk.symbol(at), walk.bytes(at));
    walk.uses.push(Use { name, role: Role::Extends, before, within: Some(within), bytes });
}

/// Reads `util.inherits(A, B)`, `Object.setPrototypeOf(A.prototype,
/// B.prototype)` and `Object.assign(A.prototype, …)`.
pub(super) fn call(walk: &mut Walk<'_>, at: At) {
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
pub(super) fn local_object(walk: &mut Walk<'_>, name: At, value: Option<At>) {
    if value.is_some_and(|value| walk.kind(value) == k::OBJECT) {
        let key = (walk.container(), walk.symbol(name));
        walk.defined.insert(key);
    }
}

/// Defines a field by `this.x = …` in a constructor, unless something else
/// does.
fn own_field(walk: &mut Walk<'_>, at: At, name: At) {
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
    let def = walk.define(Kind::Field, name, place);
    walk.defs[def].container = Some(class);
    let private = walk.kind(name) == k::PRIVATE_PROPERTY_IDENTIFIER;
    walk.defs[def].reach = if private { Reach::File } else { Reach::Project };
}

/// Returns the module that a name is bound to, if any.
pub(super) fn module_named(walk: &Walk<'_>, name: Symbol) -> Option<Symbol> {
    use super::super::collected::Brings;
    let is_local = |what: Brings| matches!(what, Brings::Module(Some(local)) if local == name);
    let brought = walk.brings.iter().find(|it| is_local(it.brings))?;
    let is_hidden = walk.bindings.iter().any(|it| it.name == name && it.what != Bound::Outside);
    (!is_hidden).then_some(brought.module)
}
