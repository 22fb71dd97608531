//! Bash.

use super::collected::{
    BindingKind, MemberNaming, RawImportNames, RawQualifier, ScopeKind, WalkContext, WalkStep,
};
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::settle::ExpressionShape;
use super::tree::NodeIndex;
use super::walk::SyntaxWalk;
use super::{GrammarRules, nothing_left};
use crate::facts::{DefinitionKind, ReferenceRole, SymbolVisibility};

/// Returns the rules of the language.
pub(super) fn rules() -> GrammarRules {
    GrammarRules {
        grammar: tree_sitter_bash::LANGUAGE.into(),
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
        k::FUNCTION_DEFINITION => {
            if let Some(name) = walk.child(at, f::NAME) {
                let place = walk.place(at);
                let def = walk.define(DefinitionKind::Function, name, place);
                walk.defs[def].reach = SymbolVisibility::Project;
                walk.enter(def, at);
            }
            walk.scope(at, ScopeKind::Function);
        }
        k::VARIABLE_ASSIGNMENT => assignment(walk, at),
        k::DECLARATION_COMMAND => declaration(walk, at),
        k::FOR_STATEMENT => {
            if let Some(name) = walk.child(at, f::VARIABLE) {
                walk.take(name);
                let symbol = walk.symbol(name);
                walk.bind_in_function(symbol, BindingKind::Plain);
            }
        }
        k::COMMAND => command(walk, at),
        // `$1` is an argument.
        k::VARIABLE_NAME if walk.text(at).first().is_some_and(u8::is_ascii_digit) => {}
        k::VARIABLE_NAME => walk.uses(at, ReferenceRole::Value, RawQualifier::Nothing),
        _ => {}
    }
    WalkStep::Into
}

/// Returns [`ExpressionShape::Other`], since names have no qualifiers in shells.
fn shape(_: &SyntaxWalk<'_>, _: NodeIndex) -> ExpressionShape {
    ExpressionShape::Other
}

fn is_name(text: &[u8]) -> bool {
    let good =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.');
    text.iter().all(good)
        && text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

fn command(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let text = walk.text(name);
    if matches!(text, b"source" | b".") {
        if let Some(path) = walk.child(at, f::ARGUMENT) {
            let path_text = walk.text(path);
            // Quotes may end within it: `"$a"/b.sh`.
            let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
            let plain: Vec<u8> = path_text.iter().copied().filter(|it| !is_quote(it)).collect();
            let module = walk.symbols.make(&plain);
            walk.brings(at, module, RawImportNames::Everything).passed_on = true;
        }
    } else if is_name(text) {
        walk.uses(name, ReferenceRole::Call, RawQualifier::Nothing);
        // `trap f EXIT` names a function to be called later.
        let handler = walk.child(at, f::ARGUMENT).filter(|_| text == b"trap");
        if let Some(handler) = handler.filter(|handler| is_name(walk.text(*handler))) {
            walk.uses(handler, ReferenceRole::Value, RawQualifier::Nothing);
        }
    }
}

/// Defines a variable at its first assignment outside functions.
fn assignment(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    let Some(name) = walk.child(at, f::NAME).filter(|name| walk.kind(*name) == k::VARIABLE_NAME)
    else {
        return;
    };
    // `A=1 command` applies to that command only.
    if walk.kind(parent) == k::COMMAND {
        walk.take(name);
        return;
    }
    let word = match walk.kind(parent) {
        k::DECLARATION_COMMAND => walk.text(parent).split(u8::is_ascii_whitespace).next(),
        _ => None,
    };
    if walk.here() == WalkContext::Function {
        if matches!(word, Some(b"local" | b"declare" | b"typeset")) {
            let symbol = walk.symbol(name);
            walk.bind_in_function(symbol, BindingKind::Plain);
        }
        return;
    }
    let symbol = walk.symbol(name);
    if walk.defined.contains(&(walk.container(), symbol)) {
        return;
    }
    let shouted = !walk.text(name).iter().any(u8::is_ascii_lowercase);
    let fixed = shouted
        || word == Some(b"readonly")
        || word.is_some() && memchr::memmem::find(walk.text(parent), b" -r").is_some();
    let place = walk.line_place(if word.is_some() { parent } else { at });
    let kind = if fixed { DefinitionKind::Constant } else { DefinitionKind::Variable };
    let def = walk.define(kind, name, place);
    walk.enter(def, at);
}

/// Binds the names of `local a b`, which have no value yet.
fn declaration(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let word = walk.text(at).split(u8::is_ascii_whitespace).next();
    if walk.here() != WalkContext::Function
        || !matches!(word, Some(b"local" | b"declare" | b"typeset"))
    {
        return;
    }
    let names: Vec<NodeIndex> =
        walk.children(at).filter(|name| walk.kind(*name) == k::VARIABLE_NAME).collect();
    for name in names {
        let symbol = walk.symbol(name);
        walk.bind_in_function(symbol, BindingKind::Plain);
    }
}
