//! C and C++.
//!
//! A prototype, or a member that is only declared in its class, is a definition
//! unless the same file has it with a body: headers count for what they
//! declare, but no function appears twice in one file.

mod declarators;
mod locals;
mod uses;

use self::declarators::{DeclaratorParts, declared};
use super::collected::{
    BindingKind, ByteRange, DefinitionRange, DefinitionStatus, MemberNaming, RawImportNames,
    RawQualifier, ScopeKind, WalkContext, WalkStep, is_type,
};
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::tree::NodeIndex;
use super::walk::SyntaxWalk;
use super::{GrammarRules, nothing_left};
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole, SymbolVisibility};

use self::uses::shape;

/// Returns the rules of the language.
pub(super) fn rules(grammar: tree_sitter::Language) -> GrammarRules {
    GrammarRules {
        grammar,
        comments: DocCommentStyle::Slashes,
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
        k::IDENTIFIER | k::FIELD_IDENTIFIER => uses::name(walk, at),
        k::TYPE_IDENTIFIER => uses::type_name(walk, at),
        k::NAMESPACE_IDENTIFIER => uses::scope_name(walk, at),
        k::COMPOUND_STATEMENT
        | k::FOR_STATEMENT
        | k::IF_STATEMENT
        | k::WHILE_STATEMENT
        | k::SWITCH_STATEMENT => walk.scope(at, ScopeKind::Block),
        k::FOR_RANGE_LOOP | k::CATCH_CLAUSE => {
            walk.scope(at, ScopeKind::Block);
            locals::names_of(walk, at);
        }
        k::LAMBDA_EXPRESSION => locals::lambda(walk, at),
        k::PARAMETER_LIST => locals::parameters(walk, at),
        k::TEMPLATE_PARAMETER_LIST => locals::template_parameters(walk, at),
        k::ATTRIBUTE_DECLARATION | k::ATTRIBUTE_SPECIFIER | k::MS_DECLSPEC_MODIFIER => {
            return WalkStep::Over;
        }
        k::PREPROC_INCLUDE => {
            include(walk, at);
            return WalkStep::Over;
        }
        // In a class it only names an inherited member.
        k::USING_DECLARATION if matches!(walk.here(), WalkContext::Type(_)) => {}
        k::USING_DECLARATION | k::NAMESPACE_ALIAS_DEFINITION => {
            using(walk, at);
            return WalkStep::Over;
        }
        k::PREPROC_DEF | k::PREPROC_FUNCTION_DEF => {
            if let Some(name) = walk.child(at, f::NAME) {
                let place = walk.line_place(at);
                walk.define(DefinitionKind::Macro, name, place);
            }
            return WalkStep::Over;
        }
        kind => define(walk, at, kind),
    }
    WalkStep::Into
}

fn define(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    match kind {
        k::FUNCTION_DEFINITION => function(walk, at),
        k::DECLARATION | k::FIELD_DECLARATION => declaration(walk, at),
        k::TYPE_DEFINITION => typedef(walk, at),
        k::ALIAS_DECLARATION => named(walk, at, DefinitionKind::Alias),
        k::CONCEPT_DEFINITION => named(walk, at, DefinitionKind::Interface),
        k::STRUCT_SPECIFIER => type_specifier(walk, at, DefinitionKind::Struct),
        k::CLASS_SPECIFIER => type_specifier(walk, at, DefinitionKind::Class),
        k::UNION_SPECIFIER => type_specifier(walk, at, DefinitionKind::Union),
        k::ENUM_SPECIFIER => type_specifier(walk, at, DefinitionKind::Enum),
        k::ENUMERATOR => named(walk, at, DefinitionKind::Variant),
        k::NAMESPACE_DEFINITION => namespace(walk, at),
        _ => {}
    }
}

/// Returns the range of a definition, with `template <…>` before it.
fn place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let mut place = walk.place(at);
    let outer = walk.parent(at);
    if walk.kind(outer) == k::TEMPLATE_DECLARATION {
        place.start = walk.bytes(outer).start;
        place.head = place.start;
    }
    place
}

fn named(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at);
    let inside = walk.here() == WalkContext::Function;
    let def = walk.define(kind, name, place);
    if inside {
        let name = walk.symbol(name);
        walk.bind(name, BindingKind::Outside);
    }
    walk.enter(def, at);
}

fn namespace(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    walk.take_all(name);
    let place = walk.place(at);
    let def = walk.define(DefinitionKind::Module, name, place);
    walk.enter(def, at);
}

/// Returns true if a node is in a namespace without a name.
fn is_hidden(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    let mut at = at;
    while at != 0 {
        at = walk.parent(at);
        if walk.kind(at) == k::NAMESPACE_DEFINITION && walk.child(at, f::NAME).is_none() {
            return true;
        }
    }
    false
}

fn is_static(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    let mut specifiers =
        walk.children(at).filter(|child| walk.kind(*child) == k::STORAGE_CLASS_SPECIFIER);
    specifiers.any(|specifier| walk.text(specifier) == b"static")
}

fn says(walk: &SyntaxWalk<'_>, at: NodeIndex, kind: u16, word: &[u8]) -> bool {
    walk.children(at).any(|child| walk.kind(child) == kind && walk.text(child) == word)
}

fn function(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let mut place = place(walk, at);
    if let Some(list) = walk.child_of(at, k::FIELD_INITIALIZER_LIST) {
        place.body = walk.bytes(list).start;
    }
    let declarator = walk.child(at, f::DECLARATOR);
    let Some(found) = declarator.and_then(|declarator| declared(walk, declarator)) else {
        walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
        return;
    };
    let friend = walk.kind(walk.parent(at)) == k::FRIEND_DECLARATION;
    let def = match test_name(walk, &found) {
        Some((name, bytes)) => {
            let def = walk.define_as(DefinitionKind::Function, name, bytes, place);
            walk.defs[def].purpose = CodePurpose::Case;
            walk.claim(def);
            def
        }
        None => define_function(walk, &found, place),
    };
    let member = matches!(walk.here(), WalkContext::Type(_));
    if !member && (is_static(walk, at) || is_hidden(walk, at)) {
        walk.defs[def].reach = SymbolVisibility::File;
    }
    if friend {
        walk.defs[def].container = None;
        walk.defs[def].kind = DefinitionKind::Function;
    }
    walk.enter(def, at);
    walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
}

fn define_function(
    walk: &mut SyntaxWalk<'_>,
    found: &DeclaratorParts,
    place: DefinitionRange,
) -> usize {
    let member = matches!(walk.here(), WalkContext::Type(_)) || found.owner.is_some();
    let kind = if member { DefinitionKind::Method } else { DefinitionKind::Function };
    walk.take_all(found.name);
    let owner = found.owner.map(|owner| walk.symbol(owner));
    let ByteRange { mut start, end } = walk.bytes(found.name);
    let cast = walk.parent(found.name);
    let symbol = if walk.kind(cast) == k::OPERATOR_CAST {
        start = walk.bytes(cast).start;
        walk.symbols.intern(walk.slice(start, end))
    } else {
        walk.squeezed(start, end)
    };
    let def = walk.define_as(kind, symbol, ByteRange { start, end }, place);
    walk.defs[def].owner = owner;
    def
}

/// Returns the name of `TEST(Suite, Name)`, which is a function `Suite.Name`.
fn test_name(
    walk: &mut SyntaxWalk<'_>,
    found: &DeclaratorParts,
) -> Option<(super::symbols::InternedName, ByteRange)> {
    let macros: [&[u8]; 4] = [b"TEST", b"TEST_F", b"TEST_P", b"TYPED_TEST"];
    if !macros.contains(&walk.text(found.name)) {
        return None;
    }
    let list = walk.child(found.function?, f::PARAMETERS)?;
    let parts: Vec<NodeIndex> = walk.children(list).collect();
    let [suite, name] = parts[..] else { return None };
    let text = [walk.text(suite), b".", walk.text(name)].concat();
    walk.take_all(list);
    walk.take(found.name);
    walk.uses(found.name, ReferenceRole::Applies, RawQualifier::Nothing);
    Some((walk.symbols.make(&text), walk.bytes(name)))
}

/// Reads variables, fields, and functions without a body.
fn declaration(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let here = walk.here();
    let friend = walk.kind(walk.parent(at)) == k::FRIEND_DECLARATION;
    if here == WalkContext::Function || friend {
        locals::declaration(walk, at);
        return;
    }
    let declarators: Vec<NodeIndex> =
        walk.children(at).filter(|child| walk.field(*child) == f::DECLARATOR).collect();
    if declarators.is_empty() {
        locals::forward(walk, at);
    }
    let place = place(walk, at);
    let own = matches!(here, WalkContext::Type(_));
    let hidden = !own && (is_static(walk, at) || is_hidden(walk, at));
    let elsewhere = says(walk, at, k::STORAGE_CLASS_SPECIFIER, b"extern");
    let constant = says(walk, at, k::TYPE_QUALIFIER, b"const")
        || says(walk, at, k::TYPE_QUALIFIER, b"constexpr");
    for declarator in declarators {
        let Some(found) = declared(walk, declarator) else { continue };
        let def = if found.function.is_some() {
            let def = define_function(walk, &found, place);
            walk.defs[def].standing = DefinitionStatus::Announced;
            def
        } else {
            let kind = match here {
                WalkContext::Type(_) => DefinitionKind::Field,
                _ if found.owner.is_some() => DefinitionKind::Field,
                WalkContext::Outside | WalkContext::Function if constant => {
                    DefinitionKind::Constant
                }
                WalkContext::Outside | WalkContext::Function => DefinitionKind::Variable,
            };
            let line = DefinitionRange { body: walk.line_place(at).body, ..place };
            let owner = found.owner.map(|owner| walk.symbol(owner));
            let def = walk.define(kind, found.name, line);
            walk.defs[def].owner = owner;
            if elsewhere {
                walk.defs[def].standing = DefinitionStatus::Announced;
            }
            field_type(walk, at, def);
            walk.enter(def, declarator);
            def
        };
        if hidden {
            walk.defs[def].reach = SymbolVisibility::File;
        }
    }
}

/// Records the type of a field or variable.
fn field_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex, def: usize) {
    let Some(of) = locals::declared_type(walk, at) else { return };
    let name = walk.defs[def].name;
    match walk.defs[def].container {
        Some(container) if is_type(walk.defs[container].kind) => {
            let key = (walk.defs[container].name, name);
            walk.field_types.insert(key, of);
        }
        Some(_) | None => {
            walk.outer_types.insert(name, of);
        }
    }
}

/// Reads a type: with a body it is a definition, otherwise a use.
fn type_specifier(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) {
    if walk.child(at, f::BODY).is_none() {
        if let (f::NONE, Some(name)) = (walk.field(at), walk.child(at, f::NAME))
            && walk.kind(walk.parent(at)) != k::FRIEND_DECLARATION
        {
            walk.take(name);
        }
        return;
    }
    let mut place = place(walk, at);
    let outer = walk.parent(at);
    let alone = walk.child(at, f::NAME).is_some()
        && matches!(walk.kind(outer), k::DECLARATION | k::FIELD_DECLARATION)
        && walk.child(outer, f::DECLARATOR).is_none();
    if alone && walk.kind(walk.parent(outer)) == k::TEMPLATE_DECLARATION {
        place.start = walk.bytes(walk.parent(outer)).start;
        place.head = place.start;
    }
    let name = match walk.child(at, f::NAME) {
        Some(name) => match walk.kind(name) {
            k::TEMPLATE_TYPE | k::QUALIFIED_IDENTIFIER => declarators::last_name(walk, name),
            _ => Some(name),
        },
        // An unnamed type gets the name of its typedef.
        None if walk.kind(outer) == k::TYPE_DEFINITION => {
            let declarator = walk.child(outer, f::DECLARATOR);
            place.start = walk.bytes(outer).start;
            place.head = place.start;
            place.end = walk.bytes(outer).end;
            declarator.filter(|name| walk.kind(*name) == k::TYPE_IDENTIFIER)
        }
        None => None,
    };
    let Some(name) = name else { return };
    let local = walk.here() == WalkContext::Function;
    let symbol = walk.symbol(name);
    let def = walk.define(kind, name, place);
    if local {
        walk.bind(symbol, BindingKind::Outside);
    }
    if is_hidden(walk, at) {
        walk.defs[def].reach = SymbolVisibility::File;
    }
    walk.enter(def, at);
}

fn typedef(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let of = walk.child(at, f::TYPE);
    let body = of.and_then(|of| walk.child(of, f::BODY));
    let tag = of.and_then(|of| walk.child(of, f::NAME));
    let declarators: Vec<NodeIndex> =
        walk.children(at).filter(|child| walk.field(*child) == f::DECLARATOR).collect();
    for (place, declarator) in declarators.into_iter().enumerate() {
        let Some(found) = declared(walk, declarator) else { continue };
        if walk.text(found.name).starts_with(b"__attribute") {
            continue;
        }
        let plain = walk.kind(declarator) == k::TYPE_IDENTIFIER;
        let same = tag.is_some_and(|tag| walk.text(tag) == walk.text(found.name));
        if body.is_some() && plain && (same || tag.is_none() && place == 0) {
            if same {
                walk.take(found.name);
            }
            continue;
        }
        let place = DefinitionRange { body: walk.bytes(at).end, ..walk.line_place(at) };
        let def = walk.define(DefinitionKind::Alias, found.name, place);
        if body.is_none() {
            walk.enter(def, at);
        }
    }
}

fn include(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(path) = walk.child(at, f::PATH) else { return };
    let ByteRange { start, end } = walk.bytes(path);
    if end - start < 2 || !matches!(walk.kind(path), k::STRING_LITERAL | k::SYSTEM_LIB_STRING) {
        return;
    }
    let module = walk.symbols.intern(walk.slice(start + 1, end - 1));
    // Files that include this one get its includes too.
    walk.brings(at, module, RawImportNames::Everything).passed_on = true;
}

/// Reads `using namespace a;`, `using a::b;` and `namespace a = b;`.
fn using(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(path) = walk.children(at).last() else { return };
    if walk.kind(at) == k::NAMESPACE_ALIAS_DEFINITION {
        let local = walk.child(at, f::NAME).map(|name| walk.symbol(name));
        let module = walk.path(path);
        walk.brings(at, module, RawImportNames::Module(local));
        return;
    }
    let whole = walk.text(at);
    if memchr::memmem::find(whole, b"namespace").is_some() {
        let module = walk.path(path);
        walk.brings(at, module, RawImportNames::Everything);
        return;
    }
    let Some(name) = declarators::last_name(walk, path) else { return };
    let ByteRange { start, .. } = walk.bytes(path);
    let text = walk.slice(start, walk.bytes(name).start).trim_ascii_end();
    let text = text.strip_suffix(b"::").unwrap_or(text);
    let module = walk.symbols.intern(text);
    let name = walk.symbol(name);
    walk.brings(at, module, RawImportNames::Name(name, name));
}
