//! C#.

mod locals;
mod uses;

use super::collected::{
    BindingKind, ByteRange, DefinitionRange, MemberNaming, RawImportNames, ScopeKind, WalkContext,
    WalkStep,
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
        grammar: tree_sitter_c_sharp::LANGUAGE.into(),
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
        k::USING_DIRECTIVE => {
            using(walk, at);
            return WalkStep::Over;
        }
        k::NAMESPACE_DECLARATION | k::FILE_SCOPED_NAMESPACE_DECLARATION => namespace(walk, at),
        k::BLOCK
        | k::FOR_STATEMENT
        | k::USING_STATEMENT
        | k::FIXED_STATEMENT
        | k::SWITCH_SECTION
        | k::SWITCH_EXPRESSION_ARM
        | k::CATCH_CLAUSE
        | k::QUERY_EXPRESSION => walk.scope(at, ScopeKind::Block),
        k::FOREACH_STATEMENT => {
            walk.scope(at, ScopeKind::Block);
            locals::each(walk, at);
        }
        k::LAMBDA_EXPRESSION | k::ANONYMOUS_METHOD_EXPRESSION => locals::lambda(walk, at),
        k::PARAMETER_LIST | k::BRACKETED_PARAMETER_LIST => locals::parameters(walk, at),
        k::VARIABLE_DECLARATION => locals::declaration(walk, at),
        k::CATCH_DECLARATION
        | k::DECLARATION_EXPRESSION
        | k::DECLARATION_PATTERN
        | k::RECURSIVE_PATTERN
        | k::VAR_PATTERN
        | k::LIST_PATTERN
        | k::FROM_CLAUSE
        | k::PARENTHESIZED_VARIABLE_DESIGNATION
        | k::TUPLE_PATTERN => locals::variables(walk, at),
        k::LET_CLAUSE | k::JOIN_CLAUSE | k::JOIN_INTO_CLAUSE => locals::first_name(walk, at),
        k::TYPE_PARAMETER_LIST => locals::type_parameters(walk, at),
        k::ACCESSOR_DECLARATION => locals::accessor(walk, at),
        kind => define(walk, at, kind),
    }
    WalkStep::Into
}

fn define(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    let kind = match kind {
        k::CLASS_DECLARATION => DefinitionKind::Class,
        k::STRUCT_DECLARATION | k::RECORD_DECLARATION => DefinitionKind::Struct,
        k::INTERFACE_DECLARATION => DefinitionKind::Interface,
        k::ENUM_DECLARATION => DefinitionKind::Enum,
        k::ENUM_MEMBER_DECLARATION => DefinitionKind::Variant,
        k::DELEGATE_DECLARATION => DefinitionKind::Alias,
        k::METHOD_DECLARATION | k::CONSTRUCTOR_DECLARATION | k::DESTRUCTOR_DECLARATION => {
            DefinitionKind::Method
        }
        k::LOCAL_FUNCTION_STATEMENT => DefinitionKind::Function,
        k::PROPERTY_DECLARATION | k::EVENT_DECLARATION => DefinitionKind::Field,
        k::FIELD_DECLARATION | k::EVENT_FIELD_DECLARATION => {
            fields(walk, at);
            return;
        }
        k::OPERATOR_DECLARATION | k::CONVERSION_OPERATOR_DECLARATION | k::INDEXER_DECLARATION => {
            unnamed(walk, at, kind);
            return;
        }
        _ => return,
    };
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at);
    let local = walk.here() == WalkContext::Function;
    let mut bytes = walk.bytes(name);
    if walk.kind(at) == k::DESTRUCTOR_DECLARATION {
        // Without the `~` it would have the name of the constructor.
        let sign = memchr::memchr(b'~', walk.text(at)).map(super::tree::offset);
        bytes.start = sign.map_or(bytes.start, |sign| walk.bytes(at).start + sign);
    }
    walk.take(name);
    let symbol = walk.squeezed(bytes.start, bytes.end);
    let def = walk.define_as(kind, symbol, bytes, place);
    if local {
        walk.bind(symbol, BindingKind::Outside);
    }
    annotate(walk, at, def);
    walk.enter(def, at);
    match kind {
        DefinitionKind::Method | DefinitionKind::Function => {
            walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
        }
        DefinitionKind::Struct | DefinitionKind::Class => components(walk, at, def),
        DefinitionKind::Field => field_type(walk, at, def),
        DefinitionKind::Module
        | DefinitionKind::Union
        | DefinitionKind::Enum
        | DefinitionKind::Variant
        | DefinitionKind::Interface
        | DefinitionKind::Alias
        | DefinitionKind::Constant
        | DefinitionKind::Variable
        | DefinitionKind::Macro => {}
    }
}

/// Names operators and indexers by the word that declares them.
fn unnamed(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    let place = place(walk, at);
    let word: &[u8] = if kind == k::INDEXER_DECLARATION { b"this" } else { b"operator" };
    let head = walk.slice(place.head, place.body);
    if let Some(found) = memchr::memmem::find(head, word) {
        let rest = &head[found..];
        let end = match kind {
            k::INDEXER_DECLARATION => word.len(),
            _ => memchr::memchr(b'(', rest).unwrap_or(word.len()),
        };
        let start = place.head + super::tree::offset(found);
        let length = rest[..end].trim_ascii_end().len();
        let bytes = ByteRange { start, end: start + super::tree::offset(length) };
        let name = walk.squeezed(bytes.start, bytes.end);
        let def = walk.define_as(DefinitionKind::Method, name, bytes, place);
        annotate(walk, at, def);
        walk.enter(def, at);
    }
    walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
}

/// Returns the range of a definition; attributes and accessors are not part of
/// the signature.
fn place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let mut place = walk.place(at);
    for child in walk.children(at) {
        match walk.kind(child) {
            k::ATTRIBUTE_LIST => place.head = walk.bytes(child).end,
            k::ACCESSOR_LIST | k::ARROW_EXPRESSION_CLAUSE | k::CONSTRUCTOR_INITIALIZER => {
                place.body = place.body.min(walk.bytes(child).start);
            }
            _ => {}
        }
    }
    place
}

/// Applies modifiers and attributes to a definition.
fn annotate(walk: &mut SyntaxWalk<'_>, at: NodeIndex, def: usize) {
    let mut visible = false;
    let mut private = false;
    let mut test = false;
    for child in walk.children(at) {
        match walk.kind(child) {
            k::MODIFIER => {
                let word = walk.text(child);
                visible |= matches!(word, b"public" | b"internal" | b"protected" | b"partial");
                private |= word == b"private";
            }
            k::ATTRIBUTE_LIST => test |= says_test(walk, child),
            _ => {}
        }
    }
    let container = walk.defs[def].container;
    let of_class = container.is_some_and(|container| {
        matches!(walk.defs[container].kind, DefinitionKind::Class | DefinitionKind::Struct)
    });
    let divided =
        container.is_some_and(|container| walk.defs[container].signature.contains("partial "));
    if (private || of_class && !visible) && !divided {
        walk.defs[def].reach = SymbolVisibility::File;
    }
    if test {
        let is_type = walk.defs[def].kind != DefinitionKind::Method;
        walk.defs[def].purpose = if is_type { CodePurpose::Test } else { CodePurpose::Case };
    }
}

fn says_test(walk: &SyntaxWalk<'_>, list: NodeIndex) -> bool {
    let tests: [&[u8]; 8] = [
        b"Fact",
        b"Theory",
        b"Test",
        b"TestCase",
        b"TestMethod",
        b"TestFixture",
        b"TestClass",
        b"DataTestMethod",
    ];
    let mut names = walk.children(list).filter_map(|attribute| walk.child(attribute, f::NAME));
    names.any(|name| tests.contains(&walk.text(name)))
}

fn field_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex, def: usize) {
    let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
    if let (Some(of), Some(container)) = (of, walk.defs[def].container) {
        let key = (walk.defs[container].name, walk.defs[def].name);
        walk.field_types.insert(key, of);
    }
}

fn fields(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(declaration) = walk.child_of(at, k::VARIABLE_DECLARATION) else { return };
    let head = place(walk, at).head;
    let text = walk.slice(head, walk.bytes(at).end);
    let text = text.trim_ascii_start();
    let start = walk.bytes(at).end - super::tree::offset(text.len());
    let body = start + super::tree::offset(super::comments::first_line(text).len());
    let place = DefinitionRange { head, body, ..walk.place(at) };
    let declarators: Vec<NodeIndex> = walk
        .children(declaration)
        .filter(|child| walk.kind(*child) == k::VARIABLE_DECLARATOR)
        .collect();
    let mut modifiers = walk.children(at).filter(|it| walk.kind(*it) == k::MODIFIER);
    let fixed = modifiers.any(|modifier| walk.text(modifier) == b"const");
    let kind = if fixed { DefinitionKind::Constant } else { DefinitionKind::Field };
    for declarator in declarators {
        let Some(name) = walk.child(declarator, f::NAME) else { continue };
        let def = walk.define(kind, name, place);
        annotate(walk, at, def);
        field_type(walk, declaration, def);
        walk.enter(def, declarator);
    }
}

/// Reads primary parameters: those of a record are its properties, those of a
/// class are known in all of it.
fn components(walk: &mut SyntaxWalk<'_>, at: NodeIndex, def: usize) {
    let Some(list) = walk.child_of(at, k::PARAMETER_LIST) else { return };
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        let Some(name) = walk.child(parameter, f::NAME) else { continue };
        let of = walk.child(parameter, f::TYPE).and_then(|of| locals::type_name(walk, of));
        if walk.kind(at) == k::RECORD_DECLARATION {
            let place = walk.place(parameter);
            let field = walk.define(DefinitionKind::Field, name, place);
            if let Some(of) = of {
                let key = (walk.defs[def].name, walk.defs[field].name);
                walk.field_types.insert(key, of);
            }
        } else {
            walk.take(name);
            let symbol = walk.symbol(name);
            walk.bind_over(at, symbol, of.map_or(BindingKind::Plain, BindingKind::Typed));
        }
    }
}

fn namespace(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    walk.take_all(name);
    let place = walk.place(at);
    let symbol = walk.path(name);
    let bytes = walk.bytes(name);
    let def = walk.define_as(DefinitionKind::Module, symbol, bytes, place);
    // Without braces it spans the rest of the file.
    let whole = walk.child(at, f::BODY).is_none();
    walk.enter(def, if whole { 0 } else { at });
}

/// Reads `using a.b;`, `using static a.b;` and `using a = b.c;`.
fn using(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let alias = walk.child(at, f::NAME);
    let Some(path) = walk.children(at).filter(|child| Some(*child) != alias).last() else { return };
    if let Some(alias) = alias {
        let local = walk.symbol(alias);
        let (qualifier, name) = (walk.child(path, f::QUALIFIER), walk.child(path, f::NAME));
        if let (Some(qualifier), Some(name)) = (qualifier, name) {
            let module = walk.path(qualifier);
            let symbol = walk.symbol(name);
            walk.brings(name, module, RawImportNames::Name(symbol, local));
        } else {
            let module = walk.path(path);
            walk.brings(at, module, RawImportNames::Module(Some(local)));
        }
        return;
    }
    let module = walk.path(path);
    let global = walk.text(at).starts_with(b"global");
    walk.brings(at, module, RawImportNames::Everything).passed_on = global;
}
