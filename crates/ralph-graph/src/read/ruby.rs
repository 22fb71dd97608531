//! Ruby.
//!
//! Test cases are definitions too: `it "adds" do` is a function named `adds`,
//! since test reports use that name.

mod calls;
mod locals;
mod uses;

use super::collected::{Extent, Members, Place, Step};
use super::comments::Comments;
use super::names::{field as f, kind as k};
use super::tree::At;
use super::walk::Walk;
use super::{Rules, nothing_left};
use crate::facts::{Kind, Purpose, Reach};

use self::uses::shape;

/// Returns the rules of the language.
pub(super) fn rules() -> Rules {
    Rules {
        grammar: tree_sitter_ruby::LANGUAGE.into(),
        comments: Comments::Hash,
        members: Members::Named,
        closed: &[],
        plain: &[],
        visit,
        shape,
        finish: nothing_left,
    }
}

fn visit(walk: &mut Walk<'_>, at: At) -> Step {
    match walk.kind(at) {
        k::IDENTIFIER => uses::name(walk, at),
        k::CONSTANT => uses::constant(walk, at),
        k::CLASS => class(walk, at, Kind::Class),
        k::MODULE => class(walk, at, Kind::Module),
        k::METHOD | k::SINGLETON_METHOD => method(walk, at),
        k::ALIAS => {
            if let (Some(name), Some(old)) = (walk.child(at, f::NAME), walk.child(at, f::ALIAS)) {
                if walk.kind(name) == k::SIMPLE_SYMBOL {
                    calls::by_symbol(walk, at, name);
                } else {
                    let place = walk.place(at);
                    walk.define(Kind::Method, name, place);
                }
                walk.take(old);
            }
        }
        k::BLOCK | k::DO_BLOCK | k::LAMBDA => walk.scope(at, Extent::Block),
        k::METHOD_PARAMETERS | k::BLOCK_PARAMETERS | k::LAMBDA_PARAMETERS => {
            locals::parameters(walk, at);
        }
        k::ASSIGNMENT => return assignment(walk, at),
        k::OPERATOR_ASSIGNMENT => {
            if let Some(left) = walk.child(at, f::LEFT) {
                locals::target(walk, left, None);
            }
        }
        k::FOR
        | k::EXCEPTION_VARIABLE
        | k::IN_CLAUSE
        | k::MATCH_PATTERN
        | k::TEST_PATTERN
        | k::AS_PATTERN => {
            locals::pattern(walk, at);
        }
        k::CALL => return calls::call(walk, at),
        k::SUPER => calls::parents_own(walk, at),
        k::HASH_KEY_SYMBOL | k::SIMPLE_SYMBOL | k::UNDEF => return Step::Over,
        _ => {}
    }
    Step::Into
}

/// Defines a class or module, perhaps written as `class A::B`.
fn class(walk: &mut Walk<'_>, at: At, kind: Kind) {
    let Some(path) = walk.child(at, f::NAME) else { return };
    let (name, owner) = match walk.kind(path) {
        k::SCOPE_RESOLUTION => (walk.child(path, f::NAME), walk.child(path, f::SCOPE)),
        _ => (Some(path), None),
    };
    let Some(name) = name else { return };
    let place = head_place(walk, at, path);
    let def = walk.define(kind, name, place);
    walk.defs[def].reach = Reach::Project;
    walk.defs[def].owner = owner.map(|owner| walk.path(owner));
    let base = walk.child(at, f::SUPERCLASS).map_or(b"".as_slice(), |base| walk.text(base));
    let last = base.rsplit(|byte| matches!(byte, b':' | b' ')).next();
    if matches!(last, Some(b"TestCase" | b"Test" | b"IntegrationTest" | b"SystemTestCase")) {
        walk.defs[def].purpose = Purpose::Test;
    }
    walk.enter(def, at);
}

/// Returns the range of a definition whose head ends with its line; the body
/// may be empty.
fn head_place(walk: &Walk<'_>, at: At, name: At) -> Place {
    let place = walk.place(at);
    let end = walk.child(at, f::SUPERCLASS).unwrap_or(name);
    Place { body: walk.bytes(end).end, ..place }
}

fn method(walk: &mut Walk<'_>, at: At) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let container = walk.container();
    let own = container.is_some_and(|container| {
        matches!(walk.defs[container].kind, Kind::Class | Kind::Module | Kind::Struct)
    });
    let object = walk.child(at, f::OBJECT);
    let kind = if own || object.is_some() { Kind::Method } else { Kind::Function };
    let end = walk.child(at, f::PARAMETERS).unwrap_or(name);
    let place = Place { body: walk.bytes(end).end, ..walk.place(at) };
    let bytes = walk.bytes(name);
    let symbol = walk.symbol(name);
    walk.take_all(name);
    let def = walk.define_as(kind, symbol, bytes, place);
    walk.defs[def].reach = Reach::Project;
    if let Some(object) = object.filter(|object| walk.kind(*object) == k::CONSTANT) {
        let owner = walk.symbol(object);
        // Inside its own class it is written as if by `self`.
        let inside = container.is_some_and(|container| walk.defs[container].name == owner);
        walk.defs[def].owner = Some(owner).filter(|_| !inside);
    }
    if walk.text(name).starts_with(b"test_") {
        let is_inside = walk.defs[def].purpose == Purpose::Test;
        walk.defs[def].purpose = if is_inside { Purpose::Case } else { Purpose::Test };
    }
    walk.enter(def, at);
    walk.scope(at, Extent::Function);
}

/// Defines constants and binds other names as local.
fn assignment(walk: &mut Walk<'_>, at: At) -> Step {
    let (Some(left), right) = (walk.child(at, f::LEFT), walk.child(at, f::RIGHT)) else {
        return Step::Into;
    };
    if walk.kind(left) != k::CONSTANT {
        let made = right.and_then(|right| calls::made(walk, right));
        let made = made.map(|made| walk.path(made));
        locals::target(walk, left, made);
        return Step::Into;
    }
    let kind = match right.map(|right| calls::built(walk, right)) {
        Some(calls::Built::Struct) => Kind::Struct,
        Some(calls::Built::Class) => Kind::Class,
        Some(calls::Built::Other) | None => Kind::Constant,
    };
    let place = walk.line_place(at);
    let def = walk.define(kind, left, place);
    walk.defs[def].reach = Reach::Project;
    walk.enter(def, at);
    if let (Kind::Struct, Some(right)) = (kind, right) {
        calls::struct_fields(walk, right);
    }
    Step::Into
}
