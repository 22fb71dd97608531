//! Calls, many of which define or import something.

use super::super::collected::{
    ByteRange, DefinitionRange, RawImportNames, RawQualifier, RawUse, WalkStep,
};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole, SymbolVisibility};

/// The kind of value assigned to a constant.
pub(super) enum RubyConstantKind {
    Struct,
    Class,
    Other,
}

/// Tells whether a value is a new struct or class.
pub(super) fn built(walk: &SyntaxWalk<'_>, value: NodeIndex) -> RubyConstantKind {
    let receiver = walk.child(value, f::RECEIVER).map(|receiver| walk.text(receiver));
    let method = walk.child(value, f::METHOD).map(|method| walk.text(method));
    match (walk.kind(value), receiver, method) {
        (k::CALL, Some(b"Struct"), Some(b"new")) | (k::CALL, Some(b"Data"), Some(b"define")) => {
            RubyConstantKind::Struct
        }
        (k::CALL, Some(b"Class"), Some(b"new")) => RubyConstantKind::Class,
        _ => RubyConstantKind::Other,
    }
}

/// Returns the class of `A.new`.
pub(super) fn made(walk: &SyntaxWalk<'_>, value: NodeIndex) -> Option<NodeIndex> {
    let method = walk.child(value, f::METHOD).filter(|_| walk.kind(value) == k::CALL)?;
    let receiver = walk.child(value, f::RECEIVER)?;
    let class = matches!(walk.kind(receiver), k::CONSTANT | k::SCOPE_RESOLUTION);
    (class && walk.text(method) == b"new").then_some(receiver)
}

pub(super) fn struct_fields(walk: &mut SyntaxWalk<'_>, value: NodeIndex) {
    let Some(arguments) = walk.child(value, f::ARGUMENTS) else { return };
    symbols(walk, arguments, DefinitionKind::Field);
}

/// Defines the names of symbols among arguments.
fn symbols(walk: &mut SyntaxWalk<'_>, arguments: NodeIndex, kind: DefinitionKind) {
    let names: Vec<NodeIndex> =
        walk.children(arguments).filter(|name| walk.kind(*name) == k::SIMPLE_SYMBOL).collect();
    for name in names {
        let ByteRange { start, end } = walk.bytes(name);
        let symbol = walk.symbols.intern(walk.slice(start + 1, end));
        let place = walk.line_place(walk.parent(arguments));
        let def = walk.define_as(kind, symbol, ByteRange { start: start + 1, end }, place);
        walk.defs[def].reach = SymbolVisibility::Project;
    }
}

pub(super) fn call(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    let Some(method) = walk.child(at, f::METHOD) else { return WalkStep::Into };
    let arguments = walk.child(at, f::ARGUMENTS);
    let receiver = walk.child(at, f::RECEIVER);
    match (receiver, walk.text(method), arguments) {
        (None, b"require" | b"require_relative" | b"load", Some(arguments)) => {
            require(walk, at, method, arguments);
            return WalkStep::Over;
        }
        (None, b"autoload", Some(arguments)) => {
            let path = walk.children(arguments).nth(1);
            if let Some(module) = path.and_then(|path| string(walk, path)) {
                walk.brings(at, module, RawImportNames::Everything);
            }
            return WalkStep::Over;
        }
        (None, b"attr_accessor" | b"attr_reader" | b"attr_writer" | b"attr", Some(arguments)) => {
            symbols(walk, arguments, DefinitionKind::Field);
            return WalkStep::Over;
        }
        (None, b"define_method", Some(arguments)) => {
            symbols(walk, arguments, DefinitionKind::Method);
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
    WalkStep::Into
}

/// Defines a method that is named by a symbol, `:name`.
pub(super) fn by_symbol(walk: &mut SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) {
    let ByteRange { start, end } = walk.bytes(name);
    let symbol = walk.symbols.intern(walk.slice(start + 1, end));
    let place = walk.place(at);
    let def =
        walk.define_as(DefinitionKind::Method, symbol, ByteRange { start: start + 1, end }, place);
    walk.defs[def].reach = SymbolVisibility::Project;
}

/// Returns the text of a string without interpolation.
fn string(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    let content = walk.child_of(at, k::STRING_CONTENT).filter(|_| walk.kind(at) == k::STRING)?;
    (walk.children(at).count() == 1).then(|| walk.symbol(content))
}

fn require(walk: &mut SyntaxWalk<'_>, at: NodeIndex, method: NodeIndex, arguments: NodeIndex) {
    let Some(path) = walk.first(arguments).and_then(|path| string(walk, path)) else { return };
    let relative = walk.text(method) == b"require_relative";
    let module = if relative && !walk.symbols.text(path).starts_with(b".") {
        let path = [b"./", walk.symbols.text(path)].concat();
        walk.symbols.make(&path)
    } else {
        path
    };
    walk.brings(at, module, RawImportNames::Everything).passed_on = true;
}

/// Defines `it "…" do` and similar calls.
fn test_case(walk: &mut SyntaxWalk<'_>, at: NodeIndex, method: NodeIndex) {
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
    let place = DefinitionRange { body: walk.bytes(block).start, ..walk.place(at) };
    let def = walk.define_as(DefinitionKind::Function, symbol, bytes, place);
    // Outside of a suite the call may mean anything.
    let is_inside = walk.defs[def].purpose == CodePurpose::Test;
    let is_suite = matches!(walk.text(method), b"describe" | b"context" | b"feature");
    walk.defs[def].purpose =
        if is_inside && !is_suite { CodePurpose::Case } else { CodePurpose::Test };
    walk.defs[def].reach = SymbolVisibility::Nowhere;
    walk.enter(def, at);
}

/// Records `super`, which calls the parent's method of the same name.
pub(super) fn parents_own(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let within = walk.within();
    let Some(method) = within.filter(|def| walk.defs[*def].kind == DefinitionKind::Method) else {
        return;
    };
    let (name, bytes) = (walk.defs[method].name, walk.bytes(at));
    walk.uses.push(RawUse {
        name,
        role: ReferenceRole::Call,
        before: RawQualifier::Parent,
        within,
        bytes,
    });
}

/// Records the name of the called method.
pub(super) fn called(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let call = walk.parent(at);
    match walk.child(call, f::RECEIVER) {
        // `A.new` is a use of `A`, which is recorded at `A`.
        Some(_) if made(walk, call).is_some() => {}
        Some(receiver) => walk.uses(at, ReferenceRole::Call, RawQualifier::Node(receiver)),
        None => walk.uses(at, ReferenceRole::Call, RawQualifier::Nothing),
    }
}
