//! Ruby.
//!
//! Test cases are definitions too: `it "adds" do` is a function named `adds`,
//! since test reports use that name.

mod calls;
mod locals;
mod uses;

use super::collected::{DefinitionRange, MemberNaming, ScopeKind, WalkStep};
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::tree::NodeIndex;
use super::walk::SyntaxWalk;
use super::{GrammarRules, nothing_left};
use crate::facts::{CodePurpose, DefinitionKind, SymbolVisibility};

use self::uses::shape;

/// Returns the rules of the language.
pub(super) fn rules() -> GrammarRules {
    GrammarRules {
        grammar: tree_sitter_ruby::LANGUAGE.into(),
        comments: DocCommentStyle::Hash,
        members: MemberNaming::Named,
        closed: &[],
        plain: &[],
        visit,
        shape,
        finish: nothing_left,
    }
}

fn visit(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    match walk.kind(at) {
        k::IDENTIFIER => uses::name(walk, at),
        k::CONSTANT => uses::constant(walk, at),
        k::CLASS => class(walk, at, DefinitionKind::Class),
        k::MODULE => class(walk, at, DefinitionKind::Module),
        k::METHOD | k::SINGLETON_METHOD => method(walk, at),
        k::ALIAS => {
            if let (Some(name), Some(old)) = (walk.child(at, f::NAME), walk.child(at, f::ALIAS)) {
                if walk.kind(name) == k::SIMPLE_SYMBOL {
                    calls::by_symbol(walk, at, name);
                } else {
                    let place = walk.place(at);
                    walk.define(DefinitionKind::Method, name, place);
                }
                walk.take(old);
            }
        }
        k::BLOCK | k::DO_BLOCK | k::LAMBDA => walk.scope(at, ScopeKind::Block),
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
        k::HASH_KEY_SYMBOL | k::SIMPLE_SYMBOL | k::UNDEF => return WalkStep::Over,
        _ => {}
    }
    WalkStep::Into
}

/// Defines a class or module, perhaps written as `class A::B`.
fn class(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) {
    let Some(path) = walk.child(at, f::NAME) else { return };
    let (name, owner) = match walk.kind(path) {
        k::SCOPE_RESOLUTION => (walk.child(path, f::NAME), walk.child(path, f::SCOPE)),
        _ => (Some(path), None),
    };
    let Some(name) = name else { return };
    let place = head_place(walk, at, path);
    let def = walk.define(kind, name, place);
    walk.defs[def].reach = SymbolVisibility::Project;
    walk.defs[def].owner = owner.map(|owner| walk.path(owner));
    let base = walk.child(at, f::SUPERCLASS).map_or(b"".as_slice(), |base| walk.text(base));
    let last = base.rsplit(|byte| matches!(byte, b':' | b' ')).next();
    if matches!(last, Some(b"TestCase" | b"Test" | b"IntegrationTest" | b"SystemTestCase")) {
        walk.defs[def].purpose = CodePurpose::Test;
    }
    walk.enter(def, at);
}

/// Returns the range of a definition whose head ends with its line; the body
/// may be empty.
fn head_place(walk: &SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) -> DefinitionRange {
    let place = walk.place(at);
    let end = walk.child(at, f::SUPERCLASS).unwrap_or(name);
    DefinitionRange { body: walk.bytes(end).end, ..place }
}

fn method(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let container = walk.container();
    let own = container.is_some_and(|container| {
        matches!(
            walk.defs[container].kind,
            DefinitionKind::Class | DefinitionKind::Module | DefinitionKind::Struct
        )
    });
    let object = walk.child(at, f::OBJECT);
    let kind =
        if own || object.is_some() { DefinitionKind::Method } else { DefinitionKind::Function };
    let end = walk.child(at, f::PARAMETERS).unwrap_or(name);
    let place = DefinitionRange { body: walk.bytes(end).end, ..walk.place(at) };
    let bytes = walk.bytes(name);
    let symbol = walk.symbol(name);
    walk.take_all(name);
    let def = walk.define_as(kind, symbol, bytes, place);
    walk.defs[def].reach = SymbolVisibility::Project;
    if let Some(object) = object.filter(|object| walk.kind(*object) == k::CONSTANT) {
        let owner = walk.symbol(object);
        // Inside its own class it is written as if by `self`.
        let inside = container.is_some_and(|container| walk.defs[container].name == owner);
        walk.defs[def].owner = Some(owner).filter(|_| !inside);
    }
    if walk.text(name).starts_with(b"test_") {
        let is_inside = walk.defs[def].purpose == CodePurpose::Test;
        walk.defs[def].purpose = if is_inside { CodePurpose::Case } else { CodePurpose::Test };
    }
    walk.enter(def, at);
    walk.scope(at, ScopeKind::Function);
}

/// Defines constants and binds other names as local.
fn assignment(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    let (Some(left), right) = (walk.child(at, f::LEFT), walk.child(at, f::RIGHT)) else {
        return WalkStep::Into;
    };
    if walk.kind(left) != k::CONSTANT {
        let made = right.and_then(|right| calls::made(walk, right));
        let made = made.map(|made| walk.path(made));
        locals::target(walk, left, made);
        return WalkStep::Into;
    }
    let kind = match right.map(|right| calls::built(walk, right)) {
        Some(calls::RubyConstantKind::Struct) => DefinitionKind::Struct,
        Some(calls::RubyConstantKind::Class) => DefinitionKind::Class,
        Some(calls::RubyConstantKind::Other) | None => DefinitionKind::Constant,
    };
    let place = walk.line_place(at);
    let def = walk.define(kind, left, place);
    walk.defs[def].reach = SymbolVisibility::Project;
    walk.enter(def, at);
    if let (DefinitionKind::Struct, Some(right)) = (kind, right) {
        calls::struct_fields(walk, right);
    }
    WalkStep::Into
}
