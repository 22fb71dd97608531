//! Java.

mod locals;
mod uses;

use super::collected::{
    BindingKind, DefinitionRange, MemberNaming, RawImportNames, ScopeKind, WalkContext, WalkStep,
};
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
        grammar: tree_sitter_java::LANGUAGE.into(),
        comments: DocCommentStyle::MarkedSlashes,
        members: MemberNaming::Bare,
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
        k::TYPE_IDENTIFIER => uses::type_name(walk, at),
        k::PACKAGE_DECLARATION => {
            package(walk, at);
            return WalkStep::Over;
        }
        k::IMPORT_DECLARATION => {
            import(walk, at);
            return WalkStep::Over;
        }
        k::MODULE_DECLARATION => return WalkStep::Over,
        k::BLOCK
        | k::FOR_STATEMENT
        | k::SWITCH_BLOCK_STATEMENT_GROUP
        | k::SWITCH_RULE
        | k::TRY_WITH_RESOURCES_STATEMENT => walk.scope(at, ScopeKind::Block),
        k::ENHANCED_FOR_STATEMENT | k::CATCH_CLAUSE => {
            walk.scope(at, ScopeKind::Block);
            locals::variable(walk, at);
        }
        k::CATCH_FORMAL_PARAMETER
        | k::RESOURCE
        | k::INSTANCEOF_EXPRESSION
        | k::TYPE_PATTERN
        | k::RECORD_PATTERN_COMPONENT => locals::variable(walk, at),
        k::LAMBDA_EXPRESSION => locals::lambda(walk, at),
        k::LOCAL_VARIABLE_DECLARATION => locals::declaration(walk, at),
        k::FORMAL_PARAMETER | k::SPREAD_PARAMETER => locals::parameter(walk, at),
        k::TYPE_PARAMETERS => locals::type_parameters(walk, at),
        k::STATIC_INITIALIZER => walk.scope(at, ScopeKind::Function),
        kind => define(walk, at, kind),
    }
    WalkStep::Into
}

fn define(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    let kind = match kind {
        k::CLASS_DECLARATION => DefinitionKind::Class,
        k::INTERFACE_DECLARATION | k::ANNOTATION_TYPE_DECLARATION => DefinitionKind::Interface,
        k::ENUM_DECLARATION => DefinitionKind::Enum,
        k::RECORD_DECLARATION => DefinitionKind::Struct,
        k::ENUM_CONSTANT => DefinitionKind::Variant,
        k::METHOD_DECLARATION
        | k::CONSTRUCTOR_DECLARATION
        | k::COMPACT_CONSTRUCTOR_DECLARATION
        | k::ANNOTATION_TYPE_ELEMENT_DECLARATION => DefinitionKind::Method,
        k::FIELD_DECLARATION | k::CONSTANT_DECLARATION => {
            fields(walk, at);
            return;
        }
        _ => return,
    };
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at);
    let local = walk.here() == WalkContext::Function;
    let symbol = walk.symbol(name);
    let def = walk.define(kind, name, place);
    annotate(walk, at, def);
    if local && kind != DefinitionKind::Method {
        walk.bind(symbol, BindingKind::Outside);
    }
    walk.enter(def, at);
    if kind == DefinitionKind::Method {
        walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
        if walk.kind(at) == k::COMPACT_CONSTRUCTOR_DECLARATION {
            bind_components(walk, at);
        }
    } else if kind == DefinitionKind::Struct {
        components(walk, at, def);
    }
}

/// Returns the range of a definition; annotations are not part of the
/// signature.
fn place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let mut place = walk.place(at);
    if let Some(modifiers) = walk.child_of(at, k::MODIFIERS) {
        let last = walk.children(modifiers).last();
        let end = last.map_or(place.head, |annotation| walk.bytes(annotation).end);
        let head = walk.slice(place.head, end);
        // A modifier may precede the annotations.
        if head.starts_with(b"@") {
            place.head = end;
        }
    }
    place
}

/// Applies modifiers to a definition.
fn annotate(walk: &mut SyntaxWalk<'_>, at: NodeIndex, def: usize) {
    let Some(modifiers) = walk.child_of(at, k::MODIFIERS) else { return };
    let text = walk.text(modifiers);
    if text.split(u8::is_ascii_whitespace).any(|word| word == b"private") {
        walk.defs[def].reach = SymbolVisibility::File;
    }
    for annotation in modifiers..walk.after(modifiers) {
        if let (k::MARKER_ANNOTATION | k::ANNOTATION, Some(name)) =
            (walk.kind(annotation), walk.child(annotation, f::NAME))
        {
            let tests: [&[u8]; 4] =
                [b"Test", b"ParameterizedTest", b"RepeatedTest", b"TestFactory"];
            if tests.contains(&walk.text(name)) {
                walk.defs[def].purpose = CodePurpose::Case;
            }
        }
    }
}

fn fields(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let declarators: Vec<NodeIndex> =
        walk.children(at).filter(|child| walk.field(*child) == f::DECLARATOR).collect();
    let head = place(walk, at).head;
    let place = DefinitionRange { head, ..walk.place(at) };
    let end =
        head + super::tree::offset(super::comments::first_line(walk.slice(head, place.end)).len());
    let place = DefinitionRange { body: end, ..place };
    let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
    let kind = if is_constant(walk, at) { DefinitionKind::Constant } else { DefinitionKind::Field };
    for declarator in declarators {
        let Some(name) = walk.child(declarator, f::NAME) else { continue };
        let def = walk.define(kind, name, place);
        walk.defs[def].reach = SymbolVisibility::Project;
        annotate(walk, at, def);
        if let (Some(of), Some(container)) = (of, walk.defs[def].container) {
            let key = (walk.defs[container].name, walk.defs[def].name);
            walk.field_types.insert(key, of);
        }
        walk.claim(def);
        walk.enter(def, declarator);
    }
}

/// Returns true if a field belongs to the type alone and never changes.
fn is_constant(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    let modifiers = walk.child_of(at, k::MODIFIERS).map_or(b"".as_slice(), |it| walk.text(it));
    let says = |word: &[u8]| modifiers.split(u8::is_ascii_whitespace).any(|it| it == word);
    walk.kind(at) == k::CONSTANT_DECLARATION || says(b"static") && says(b"final")
}

/// Binds the components of a record in a compact constructor.
fn bind_components(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let record = walk.parent(walk.parent(at));
    let Some(list) = walk.child(record, f::PARAMETERS) else { return };
    let names: Vec<NodeIndex> =
        walk.children(list).filter_map(|parameter| walk.child(parameter, f::NAME)).collect();
    for name in names {
        let symbol = walk.symbol(name);
        walk.bind(symbol, BindingKind::Plain);
    }
}

/// Defines the components of a record as its fields.
fn components(walk: &mut SyntaxWalk<'_>, at: NodeIndex, record: usize) {
    let Some(list) = walk.child(at, f::PARAMETERS) else { return };
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        let Some(name) = walk.child(parameter, f::NAME) else { continue };
        let place = walk.place(parameter);
        let of = walk.child(parameter, f::TYPE).and_then(|of| locals::type_name(walk, of));
        let def = walk.define(DefinitionKind::Field, name, place);
        if let Some(of) = of {
            let key = (walk.defs[record].name, walk.defs[def].name);
            walk.field_types.insert(key, of);
        }
    }
}

fn package(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let name = walk
        .children(at)
        .find(|name| matches!(walk.kind(*name), k::IDENTIFIER | k::SCOPED_IDENTIFIER));
    if let Some(name) = name {
        let symbol = walk.path(name);
        let (bytes, place) = (walk.bytes(name), walk.place(at));
        walk.define_as(DefinitionKind::Module, symbol, bytes, place);
    }
}

fn import(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(path) = walk.first(at) else { return };
    if walk.child_of(at, k::ASTERISK).is_some() {
        let module = walk.path(path);
        walk.brings(at, module, RawImportNames::Everything);
        return;
    }
    let (Some(scope), Some(name)) = (walk.child(path, f::SCOPE), walk.child(path, f::NAME)) else {
        return;
    };
    let module = walk.path(scope);
    let symbol = walk.symbol(name);
    walk.brings(name, module, RawImportNames::Name(symbol, symbol));
}
