//! Definitions by assignment: `exports.f = …`, `A.prototype.f = …`, and
//! `this.x = …` in a constructor.

use super::super::collected::{Here, Place};
use super::super::names::{field as f, kind as k};
use super::super::tree::At;
use super::super::walk::Walk;
use super::locals;
use crate::facts::{Kind, Reach};

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
    match (walk.here(), walk.text(object)) {
        (Here::Function, b"this") => own_field(walk, at, name),
        (Here::Function, _) => {}
        (Here::Outside | Here::Type(_), b"module") if walk.text(name) == b"exports" => {
            everything(walk);
            exported_object(walk, right);
        }
        (Here::Outside | Here::Type(_), b"exports" | b"module.exports") => {
            everything(walk);
            exported(walk, (at, name, right));
        }
        (Here::Outside | Here::Type(_), _) => of_type(walk, (at, name, right), object),
    }
}

/// Nobody can tell what others take from such a file.
fn everything(walk: &mut Walk<'_>) {
    let everything = walk.symbols.make(b"*");
    walk.exported.insert(everything);
}

fn is_function(walk: &Walk<'_>, at: At) -> bool {
    matches!(walk.kind(at), k::ARROW_FUNCTION | k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION)
}

fn place(walk: &Walk<'_>, at: At, right: At) -> Place {
    if is_function(walk, right) || walk.kind(right) == k::CLASS {
        Place { body: walk.place(right).body, ..walk.place(at) }
    } else {
        walk.line_place(at)
    }
}

/// `exports.f = …`
fn exported(walk: &mut Walk<'_>, (at, name, right): (At, At, At)) {
    let kind = match walk.kind(right) {
        _ if is_function(walk, right) => Kind::Function,
        k::CLASS => Kind::Class,
        // This passes on what has a definition elsewhere.
        k::IDENTIFIER | k::MEMBER_EXPRESSION => return,
        _ => Kind::Variable,
    };
    if kind == Kind::Class {
        walk.take(right);
    }
    let place = place(walk, at, right);
    let def = walk.define(kind, name, place);
    walk.enter(def, at);
}

/// `module.exports = { f: function () {} }`
fn exported_object(walk: &mut Walk<'_>, right: At) {
    if walk.kind(right) != k::OBJECT {
        return;
    }
    let pairs: Vec<At> = walk.children(right).filter(|pair| walk.kind(*pair) == k::PAIR).collect();
    for pair in pairs {
        let (Some(key), Some(value)) = (walk.child(pair, f::KEY), walk.child(pair, f::VALUE))
        else {
            continue;
        };
        if is_function(walk, value) && walk.kind(key) == k::PROPERTY_IDENTIFIER {
            let place = place(walk, pair, value);
            walk.define(Kind::Function, key, place);
        }
    }
}

/// `A.prototype.f = function () {}`, and `A.f = function () {}`.
fn of_type(walk: &mut Walk<'_>, (at, name, right): (At, At, At), object: At) {
    let mut owner = object;
    if walk.kind(object) == k::MEMBER_EXPRESSION {
        let property = walk.child(object, f::PROPERTY);
        if property.is_none_or(|property| walk.text(property) != b"prototype") {
            return;
        }
        owner = object + 1;
    }
    let named = walk.kind(owner) == k::IDENTIFIER;
    let typed = walk.text(owner).first().is_some_and(u8::is_ascii_uppercase);
    if !named || !typed || !is_function(walk, right) {
        return;
    }
    let place = place(walk, at, right);
    let def = walk.define(Kind::Method, name, place);
    walk.defs[def].owner = Some(walk.symbol(owner));
    walk.enter(def, at);
}

/// `this.x = …` in a constructor defines a field where nothing else does.
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
