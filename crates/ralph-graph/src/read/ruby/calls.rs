//! Calls, many of which define or import something.

use super::super::collected::{Before, Brings, ByteRange, Place, Step, Use};
use super::super::names::{field as f, kind as k};
use super::super::symbols::Symbol;
use super::super::tree::At;
use super::super::walk::Walk;
use crate::facts::{Kind, Purpose, Reach, Role};

/// The kind of value assigned to a constant.
pub(super) enum Built {
    Struct,
    Class,
    Other,
}

/// Tells whether a value is a new struct or class.
pub(super) fn built(walk: &Walk<'_>, value: At) -> Built {
    let receiver = walk.child(value, f::RECEIVER).map(|receiver| walk.text(receiver));
    let method = walk.child(value, f::METHOD).map(|method| walk.text(method));
    match (walk.kind(value), receiver, method) {
        (k::CALL, Some(b"Struct"), Some(b"new")) | (k::CALL, Some(b"Data"), Some(b"define")) => {
            Built::Struct
        }
        (k::CALL, Some(b"Class"), Some(b"new")) => Built::Class,
        _ => Built::Other,
    }
}

/// Returns the class of `A.new`.
pub(super) fn made(walk: &Walk<'_>, value: At) -> Option<At> {
    let method = walk.child(value, f::METHOD).filter(|_| walk.kind(value) == k::CALL)?;
    let receiver = walk.child(value, f::RECEIVER)?;
    let class = matches!(walk.kind(receiver), k::CONSTANT | k::SCOPE_RESOLUTION);
    (class && walk.text(method) == b"new").then_some(receiver)
}

pub(super) fn struct_fields(walk: &mut Walk<'_>, value: At) {
    let Some(arguments) = walk.child(value, f::ARGUMENTS) else { return };
    symbols(walk, arguments, Kind::Field);
}

/// Defines the names of symbols among arguments.
fn symbols(walk: &mut Walk<'_>, arguments: At, kind: Kind) {
    let names: Vec<At> =
        walk.children(arguments).filter(|name| walk.kind(*name) == k::SIMPLE_SYMBOL).collect();
    for name in names {
        let ByteRange { start, end } = walk.bytes(name);
        let symbol = walk.symbols.intern(walk.slice(start + 1, end));
        let place = walk.line_place(walk.parent(arguments));
        let def = walk.define_as(kind, symbol, ByteRange { start: start + 1, end }, place);
        walk.defs[def].reach = Reach::Project;
    }
}

pub(super) fn call(walk: &mut Walk<'_>, at: At) -> Step {
    let Some(method) = walk.child(at, f::METHOD) else { return Step::Into };
    let arguments = walk.child(at, f::ARGUMENTS);
    let receiver = walk.child(at, f::RECEIVER);
    match (receiver, walk.text(method), arguments) {
        (None, b"require" | b"require_relative" | b"load", Some(arguments)) => {
            require(walk, at, method, arguments);
            return Step::Over;
        }
        (None, b"autoload", Some(arguments)) => {
            let path = walk.children(arguments).nth(1);
            if let Some(module) = path.and_then(|path| string(walk, path)) {
                walk.brings(at, module, Brings::Everything);
            }
            return Step::Over;
        }
        (None, b"attr_accessor" | b"attr_reader" | b"attr_writer" | b"attr", Some(arguments)) => {
            symbols(walk, arguments, Kind::Field);
            return Step::Over;
        }
        (None, b"define_method", Some(arguments)) => {
            symbols(walk, arguments, Kind::Method);
        }
        (None, b"alias_method", Some(arguments)) => {
            if let Some(name) =
                walk.first(arguments).filter(|name| walk.kind(*name) == k::SIMPLE_SYMBOL)
            {
                by_symbol(walk, at, name);
            }
        }
        _ => test_case(walk, at, method),
    }
    Step::Into
}

/// Defines a method that is named by a symbol, `:name`.
pub(super) fn by_symbol(walk: &mut Walk<'_>, at: At, name: At) {
    let ByteRange { start, end } = walk.bytes(name);
    let symbol = walk.symbols.intern(walk.slice(start + 1, end));
    let place = walk.place(at);
    let def = walk.define_as(Kind::Method, symbol, ByteRange { start: start + 1, end }, place);
    walk.defs[def].reach = Reach::Project;
}

/// Returns the text of a string without interpolation.
fn string(walk: &mut Walk<'_>, at: At) -> Option<Symbol> {
    let content = walk.child_of(at, k::STRING_CONTENT).filter(|_| walk.kind(at) == k::STRING)?;
    (walk.children(at).count() == 1).then(|| walk.symbol(content))
}

fn require(walk: &mut Walk<'_>, at: At, method: At, arguments: At) {
    let Some(path) = walk.first(arguments).and_then(|path| string(walk, path)) else { return };
    let relative = walk.text(method) == b"require_relative";
    let module = if relative && !walk.symbols.text(path).starts_with(b".") {
        let path = [b"./", walk.symbols.text(path)].concat();
        walk.symbols.make(&path)
    } else {
        path
    };
    walk.brings(at, module, Brings::Everything).passed_on = true;
}

/// Defines `it "…" do` and similar calls.
fn test_case(walk: &mut Walk<'_>, at: At, method: At) {
    let words: [&[u8]; 7] =
        [b"describe", b"context", b"it", b"specify", b"test", b"feature", b"scenario"];
    let receiver = walk.child(at, f::RECEIVER);
    let outside = receiver.is_some_and(|receiver| walk.text(receiver) != b"RSpec");
    let (Some(block), Some(arguments)) = (walk.child(at, f::BLOCK), walk.child(at, f::ARGUMENTS))
    else {
        return;
    };
    let Some(name) = walk.first(arguments) else { return };
    // A test named by a constant would hide the class that it describes.
    let named = walk.kind(name) == k::STRING;
    if outside || !named || !words.contains(&walk.text(method)) {
        return;
    }
    let ByteRange { start, end } = walk.bytes(name);
    let bytes = ByteRange { start: start + 1, end: end.max(start + 2) - 1 };
    let symbol = walk.symbols.intern(walk.slice(bytes.start, bytes.end));
    let place = Place { body: walk.bytes(block).start, ..walk.place(at) };
    let def = walk.define_as(Kind::Function, symbol, bytes, place);
    // Outside of a suite the call may mean anything.
    let is_inside = walk.defs[def].purpose == Purpose::Test;
    let is_suite = matches!(walk.text(method), b"describe" | b"context" | b"feature");
    walk.defs[def].purpose = if is_inside && !is_suite { Purpose::Case } else { Purpose::Test };
    walk.defs[def].reach = Reach::Nowhere;
    walk.enter(def, at);
}

/// Records `super`, which calls the parent's method of the same name.
pub(super) fn parents_own(walk: &mut Walk<'_>, at: At) {
    let within = walk.within();
    let Some(method) = within.filter(|def| walk.defs[*def].kind == Kind::Method) else { return };
    let (name, bytes) = (walk.defs[method].name, walk.bytes(at));
    walk.uses.push(Use { name, role: Role::Call, before: Before::Parent, within, bytes });
}

/// Records the name of the called method.
pub(super) fn called(walk: &mut Walk<'_>, at: At) {
    let call = walk.parent(at);
    match walk.child(call, f::RECEIVER) {
        // `A.new` is a use of `A`, which is recorded at `A`.
        Some(_) if made(walk, call).is_some() => {}
        Some(receiver) => walk.uses(at, Role::Call, Before::Node(receiver)),
        None => walk.uses(at, Role::Call, Before::Nothing),
    }
}
