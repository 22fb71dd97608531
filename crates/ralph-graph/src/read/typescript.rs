//! TypeScript and JavaScript.
//!
//! Test cases are definitions too: `it("adds", …)` is a function named `adds`,
//! since test reports use that name.

mod assigned;
mod commonjs;
mod imports;
mod locals;
mod uses;

use super::GrammarRules;
use super::collected::{
    BindingKind, ByteRange, DefinitionRange, DefinitionStatus, MemberNaming, ScopeKind,
    WalkContext, WalkStep,
};
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::tree::NodeIndex;
use super::walk::SyntaxWalk;
use crate::facts::{CodePurpose, DefinitionKind, SymbolVisibility};

use self::commonjs::FunctionOwner;
use self::uses::shape;

/// Returns the rules of the language.
pub(super) fn rules(grammar: tree_sitter::Language) -> GrammarRules {
    GrammarRules {
        grammar,
        comments: DocCommentStyle::Slashes,
        members: MemberNaming::Named,
        closed: &[k::STRING],
        plain: &[],
        visit,
        shape,
        finish,
    }
}

fn visit(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    match walk.kind(at) {
        k::IDENTIFIER
        | k::TYPE_IDENTIFIER
        | k::PROPERTY_IDENTIFIER
        | k::PRIVATE_PROPERTY_IDENTIFIER
        | k::SHORTHAND_PROPERTY_IDENTIFIER => uses::name(walk, at),
        k::STATEMENT_BLOCK => {
            let outer = walk.kind(walk.parent(at));
            if !matches!(outer, k::INTERNAL_MODULE | k::MODULE | k::AMBIENT_DECLARATION) {
                walk.scope(at, ScopeKind::Block);
            }
        }
        k::FOR_STATEMENT | k::SWITCH_BODY => walk.scope(at, ScopeKind::Block),
        k::FOR_IN_STATEMENT | k::CATCH_CLAUSE => locals::block_with_names(walk, at),
        k::FORMAL_PARAMETERS => locals::parameters(walk, at),
        k::TYPE_PARAMETERS | k::MAPPED_TYPE_CLAUSE | k::INFER_TYPE => {
            locals::type_parameters(walk, at);
        }
        k::TUPLE_TYPE => locals::labels(walk, at),
        k::INDEX_SIGNATURE => {
            if let Some(name) = walk.child(at, f::NAME) {
                walk.take(name);
            }
        }
        k::CLASS_STATIC_BLOCK => walk.scope(at, ScopeKind::Function),
        k::VARIABLE_DECLARATOR => return declarator(walk, at),
        k::ASSIGNMENT_EXPRESSION => assigned::assignment(walk, at),
        k::CALL_EXPRESSION => {
            imports::required(walk, at);
            assigned::call(walk, at);
            test_case(walk, at);
        }
        k::PAIR => pair(walk, at),
        k::IMPORT_STATEMENT => {
            imports::import(walk, at);
            return WalkStep::Over;
        }
        k::IMPORT_ALIAS => {
            imports::alias(walk, at);
            return WalkStep::Over;
        }
        k::EXPORT_STATEMENT => return imports::export(walk, at),
        k::JSX_CLOSING_ELEMENT | k::JSX_NAMESPACE_NAME => return WalkStep::Over,
        k::DECORATOR if walk.kind(walk.parent(at)) == k::CLASS_BODY => walk.attribute(at),
        kind => define(walk, at, kind),
    }
    WalkStep::Into
}

fn define(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: u16) {
    match kind {
        k::FUNCTION_DECLARATION | k::GENERATOR_FUNCTION_DECLARATION => {
            declared(walk, at, DefinitionKind::Function);
            walk.scope(at, ScopeKind::Function);
        }
        k::FUNCTION_SIGNATURE => {
            declared(walk, at, DefinitionKind::Function);
            announced(walk, at);
        }
        k::ARROW_FUNCTION | k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION => {
            function_value(walk, at);
        }
        k::CLASS_DECLARATION | k::ABSTRACT_CLASS_DECLARATION => {
            declared(walk, at, DefinitionKind::Class);
        }
        k::CLASS if walk.child(at, f::NAME).is_some() => declared(walk, at, DefinitionKind::Class),
        k::INTERFACE_DECLARATION => declared(walk, at, DefinitionKind::Interface),
        k::ENUM_DECLARATION => {
            declared(walk, at, DefinitionKind::Enum);
            variants(walk, at);
        }
        k::ENUM_ASSIGNMENT => member(walk, at, DefinitionKind::Variant),
        k::TYPE_ALIAS_DECLARATION => declared(walk, at, DefinitionKind::Alias),
        k::INTERNAL_MODULE | k::MODULE => namespace(walk, at),
        k::METHOD_DEFINITION => {
            method(walk, at);
            walk.scope(at, ScopeKind::Function);
        }
        k::METHOD_SIGNATURE | k::ABSTRACT_METHOD_SIGNATURE if is_member(walk, at) => {
            member(walk, at, DefinitionKind::Method);
            announced(walk, at);
        }
        k::PROPERTY_SIGNATURE if is_member(walk, at) => member(walk, at, DefinitionKind::Field),
        k::PUBLIC_FIELD_DEFINITION | k::FIELD_DEFINITION => member(walk, at, DefinitionKind::Field),
        _ => {}
    }
}

/// Marks a signature, which is dropped if its implementation is there.
fn announced(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let end = walk.bytes(at).end;
    if let Some(def) = walk.defs.last_mut().filter(|def| def.bytes.end == end) {
        def.standing = DefinitionStatus::Announced;
    }
}

/// Returns true if a signature is a member of a named type.
fn is_member(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    let body = walk.parent(at);
    match walk.kind(body) {
        k::INTERFACE_BODY | k::CLASS_BODY => true,
        k::OBJECT_TYPE => walk.is_in(body, k::TYPE_ALIAS_DECLARATION, f::VALUE),
        _ => false,
    }
}

/// Returns the range of a statement with its `export`.
fn place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let mut place = walk.place(at);
    let outer = walk.parent(at);
    let exported = matches!(walk.kind(outer), k::EXPORT_STATEMENT | k::AMBIENT_DECLARATION);
    if exported {
        place.start = walk.bytes(outer).start;
        place.head = place.start;
    }
    // Decorators are not part of the signature.
    let holders = if exported { [outer, at] } else { [at, at] };
    for holder in holders {
        for child in walk.children(holder) {
            if walk.kind(child) != k::DECORATOR {
                break;
            }
            place.head = place.head.max(walk.bytes(child).end);
        }
    }
    place
}

/// Defines a declaration with a name of its own.
fn declared(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) {
    let place = place(walk, at);
    let Some(name) = walk.child(at, f::NAME) else {
        anonymous(walk, at, kind, place);
        return;
    };
    let local = walk.here() == WalkContext::Function;
    let symbol = walk.symbol(name);
    if local {
        walk.bind(symbol, BindingKind::Outside);
    }
    let def = walk.define(kind, name, place);
    // Decorators may precede the declaration.
    walk.claim(def);
    walk.enter(def, at);
}

/// Defines an unnamed `export default`.
fn anonymous(
    walk: &mut SyntaxWalk<'_>,
    at: NodeIndex,
    kind: DefinitionKind,
    place: DefinitionRange,
) {
    let outer = walk.parent(at);
    let Some(word) = memchr::memmem::find(walk.text(outer), b"default") else { return };
    if walk.kind(outer) == k::EXPORT_STATEMENT {
        let start = walk.bytes(outer).start + super::tree::offset(word);
        let bytes = ByteRange { start, end: start + 7 };
        let name = walk.symbols.intern(walk.slice(bytes.start, bytes.end));
        walk.exported.insert(name);
        let def = walk.define_as(kind, name, bytes, place);
        walk.enter(def, at);
    }
}

/// Reads a function that is a value: `export default` can make it a definition.
fn function_value(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    if walk.is_in(at, k::EXPORT_STATEMENT, f::VALUE) {
        declared(walk, at, DefinitionKind::Function);
    }
    walk.scope(at, ScopeKind::Function);
    let names = [walk.child(at, f::PARAMETER), walk.child(at, f::NAME)];
    for name in names.into_iter().flatten() {
        let symbol = walk.symbol(name);
        walk.take(name);
        walk.bind(symbol, BindingKind::Plain);
    }
}

fn variants(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(body) = walk.child(at, f::BODY) else { return };
    let names: Vec<NodeIndex> =
        walk.children(body).filter(|name| walk.field(*name) == f::NAME).collect();
    for name in names {
        let place = walk.place(name);
        walk.define(DefinitionKind::Variant, name, place);
    }
}

fn namespace(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    walk.take_all(name);
    let mut place = place(walk, at);
    if walk.kind(walk.parent(at)) == k::EXPRESSION_STATEMENT {
        let outer = walk.parent(walk.parent(at));
        if walk.kind(outer) == k::EXPORT_STATEMENT {
            place.start = walk.bytes(outer).start;
            place.head = place.start;
        }
    }
    let (symbol, bytes) = unquoted(walk, name);
    let def = walk.define_as(DefinitionKind::Module, symbol, bytes, place);
    walk.enter(def, at);
}

/// Returns a name that may be in quotes.
fn unquoted(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> (super::symbols::InternedName, ByteRange) {
    let bytes = walk.bytes(at);
    let quoted =
        matches!(walk.text(at).first(), Some(b'"' | b'\'' | b'`')) && bytes.end - bytes.start >= 2;
    let bytes = if quoted { bytes.inside_quotes() } else { bytes };
    let text = walk.slice(bytes.start, bytes.end);
    (walk.symbols.intern(text), bytes)
}

/// Defines a member of a class, interface or enumeration.
fn member(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) {
    let Some(name) = walk.child(at, f::NAME).or_else(|| walk.child(at, f::PROPERTY)) else {
        return;
    };
    if matches!(walk.kind(name), k::COMPUTED_PROPERTY_NAME | k::NUMBER) {
        return;
    }
    let mut place =
        if kind == DefinitionKind::Method { walk.place(at) } else { walk.line_place(at) };
    if let Some(first) = walk.attributes_of(at) {
        place.start = walk.bytes(first).start;
    }
    let (symbol, bytes) = unquoted(walk, name);
    let container = walk.container();
    if kind == DefinitionKind::Field
        && let Some(container) = container
        && let Some(of) = locals::value_type(walk, at)
    {
        let key = (walk.defs[container].name, symbol);
        walk.field_types.insert(key, of);
    }
    walk.take(name);
    let def = walk.define_as(kind, symbol, bytes, place);
    let modifier = walk.child_of(at, k::ACCESSIBILITY_MODIFIER);
    let private = modifier.is_some_and(|modifier| walk.text(modifier) == b"private");
    if private || walk.kind(name) == k::PRIVATE_PROPERTY_IDENTIFIER {
        walk.defs[def].reach = SymbolVisibility::File;
    }
    walk.claim(def);
    walk.enter(def, at);
}

/// Defines a method of a class, or of an object with a name.
fn method(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let holder = walk.parent(at);
    if walk.kind(holder) == k::CLASS_BODY {
        // A class without a name belongs to the function that returns it.
        let made = walk.child(walk.parent(holder), f::NAME).is_none() && walk.container().is_some();
        if matches!(walk.here(), WalkContext::Type(_)) || made {
            member(walk, at, DefinitionKind::Method);
        }
    } else if let Some(name) = walk.child(at, f::NAME) {
        of_object(walk, at, name);
    }
}

/// Defines a function that is the value of a pair.
fn pair(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(key), Some(value)) = (walk.child(at, f::KEY), walk.child(at, f::VALUE)) else {
        return;
    };
    if assigned::is_function(walk, value) {
        of_object(walk, at, key);
    }
}

/// Defines a function in an object literal that belongs to a name.
fn of_object(walk: &mut SyntaxWalk<'_>, at: NodeIndex, name: NodeIndex) {
    if walk.here() == WalkContext::Function || walk.kind(name) == k::COMPUTED_PROPERTY_NAME {
        return;
    }
    let Some(holder) = commonjs::holder(walk, walk.parent(at)) else { return };
    let place = if walk.kind(at) == k::PAIR { pair_place(walk, at) } else { walk.place(at) };
    let (symbol, bytes) = unquoted(walk, name);
    walk.take(name);
    let within = walk.within();
    let def = walk.define_as(DefinitionKind::Method, symbol, bytes, place);
    match holder {
        FunctionOwner::Definition => walk.defs[def].container = within,
        FunctionOwner::Named(owner) => walk.defs[def].owner = Some(owner),
        FunctionOwner::File => {
            walk.defs[def].kind = DefinitionKind::Function;
            commonjs::given(walk, def, crate::exports::OWNER);
        }
    }
    walk.enter(def, at);
}

fn pair_place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let place = walk.place(at);
    match walk.child(at, f::VALUE) {
        Some(value) => DefinitionRange { body: walk.place(value).body, ..place },
        None => place,
    }
}

/// Reads one declarator of `const`, `let` or `var`.
fn declarator(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
    let Some(name) = walk.child(at, f::NAME) else { return WalkStep::Into };
    let first = walk.child(at, f::VALUE);
    let value = first.map(|first| assigned::last_value(walk, first));
    if let Some(value) = value
        && imports::is_required(walk, at, name, value)
    {
        if first == Some(value) {
            return WalkStep::Over;
        }
        walk.take_all(name);
        walk.take_all(value);
        return WalkStep::Into;
    }
    let value_kind = value.map(|value| walk.kind(value));
    let callable = matches!(
        value_kind,
        Some(k::ARROW_FUNCTION | k::FUNCTION_EXPRESSION | k::GENERATOR_FUNCTION)
    );
    let plain = walk.kind(name) == k::IDENTIFIER;
    let statement = walk.parent(at);
    let constant = walk.text(statement).starts_with(b"const");
    if walk.here() == WalkContext::Function && !(callable && plain) {
        assigned::local_object(walk, name, value);
        locals::declare(walk, at, name);
        return WalkStep::Into;
    }
    let kind = match value_kind {
        _ if callable && plain => DefinitionKind::Function,
        Some(k::CLASS) if plain => DefinitionKind::Class,
        _ if constant => DefinitionKind::Constant,
        _ => DefinitionKind::Variable,
    };
    let place =
        declarator_place(walk, at, value.filter(|_| callable || value_kind == Some(k::CLASS)));
    if !plain {
        for leaf in locals::leaves(walk, name) {
            walk.define(kind, leaf, place);
        }
        return WalkStep::Into;
    }
    if walk.here() == WalkContext::Function {
        let symbol = walk.symbol(name);
        walk.bind(symbol, BindingKind::Outside);
    }
    let def = walk.define(kind, name, place);
    if let (true, Some(of)) = (walk.here() == WalkContext::Outside, locals::value_type(walk, at)) {
        let symbol = walk.defs[def].name;
        walk.outer_types.insert(symbol, of);
    }
    // As a class of its own it would be a second definition of the same thing.
    if let (Some(k::CLASS), Some(value)) = (value_kind, value) {
        walk.take(value);
        if let Some(inner) = walk.child(value, f::NAME) {
            walk.take(inner);
        }
    }
    walk.enter(def, at);
    WalkStep::Into
}

/// Returns the range of a declarator: the whole statement if it is alone in it.
fn declarator_place(
    walk: &SyntaxWalk<'_>,
    at: NodeIndex,
    value: Option<NodeIndex>,
) -> DefinitionRange {
    let statement = walk.parent(at);
    let alone = walk.children(statement).count() == 1;
    let outer = walk.parent(statement);
    let whole = match (alone, walk.kind(outer)) {
        (true, k::EXPORT_STATEMENT | k::AMBIENT_DECLARATION) => outer,
        (true, _) => statement,
        (false, _) => at,
    };
    let body = value.and_then(|value| walk.child(value, f::BODY));
    match body {
        Some(body) => {
            let body = walk.bytes(body).start;
            let head = walk.slice(walk.bytes(whole).start, body).trim_ascii_end();
            let arrow = if head.ends_with(b"=>") { 2 } else { 0 };
            let body = walk.bytes(whole).start + super::tree::offset(head.len()) - arrow;
            DefinitionRange { body, ..walk.place(whole) }
        }
        None => walk.line_place(whole),
    }
}

/// Defines `it("…", () => {})` and similar calls.
fn test_case(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(called), Some(arguments)) =
        (walk.child(at, f::FUNCTION), walk.child(at, f::ARGUMENTS))
    else {
        return;
    };
    let word = match walk.kind(called) {
        k::IDENTIFIER => called,
        k::MEMBER_EXPRESSION => called + 1,
        k::CALL_EXPRESSION => called + 2,
        _ => return,
    };
    let known = matches!(
        walk.text(word),
        b"it" | b"test" | b"describe" | b"context" | b"suite" | b"specify"
    );
    let mut given = walk.children(arguments);
    let (Some(name), Some(body)) = (given.next(), given.last()) else { return };
    let named = matches!(walk.kind(name), k::STRING | k::TEMPLATE_STRING);
    let run = matches!(walk.kind(body), k::ARROW_FUNCTION | k::FUNCTION_EXPRESSION);
    if !known || !named || !run {
        return;
    }
    let place = DefinitionRange { body: walk.bytes(name).end, ..walk.place(at) };
    let (symbol, bytes) = unquoted(walk, name);
    let def = walk.define_as(DefinitionKind::Function, symbol, bytes, place);
    // Outside of a suite the call may mean anything.
    let is_inside = walk.defs[def].purpose == CodePurpose::Test;
    let is_suite = matches!(walk.text(word), b"describe" | b"context" | b"suite");
    walk.defs[def].purpose =
        if is_inside && !is_suite { CodePurpose::Case } else { CodePurpose::Test };
    walk.defs[def].reach = SymbolVisibility::Nowhere;
    walk.enter(def, at);
}

/// Limits names that a module does not export to its file.
fn finish(walk: &mut SyntaxWalk<'_>) {
    for bring in &mut walk.brings {
        let local = match bring.brings {
            super::collected::RawImportNames::Module(local) => local,
            super::collected::RawImportNames::Name(_, local) => Some(local),
            super::collected::RawImportNames::Everything => None,
        };
        bring.passed_on |= local.is_some_and(|local| walk.exported.contains(&local));
    }
    let everything = walk.symbols.make(b"*");
    let is_module = !walk.exported.is_empty() || !walk.brings.is_empty();
    if !is_module || walk.exported.contains(&everything) {
        return;
    }
    for def in &mut walk.defs {
        let is_given = walk.exported.contains(&def.name);
        if def.container.is_none() && def.owner.is_none() {
            // The whole file may be inside a function.
            if is_given && def.reach == SymbolVisibility::File {
                def.reach = SymbolVisibility::Project;
            } else if !is_given && def.reach == SymbolVisibility::Project {
                def.reach = SymbolVisibility::File;
            }
        }
    }
}
