//! Java.

mod locals;
mod uses;

use super::collected::{Bound, Brings, Extent, Here, Members, Place, Step};
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
        grammar: tree_sitter_java::LANGUAGE.into(),
        comments: Comments::MarkedSlashes,
        members: Members::Bare,
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
        k::TYPE_IDENTIFIER => uses::type_name(walk, at),
        k::PACKAGE_DECLARATION => {
            package(walk, at);
            return Step::Over;
        }
        k::IMPORT_DECLARATION => {
            import(walk, at);
            return Step::Over;
        }
        k::MODULE_DECLARATION => return Step::Over,
        k::BLOCK
        | k::FOR_STATEMENT
        | k::SWITCH_BLOCK_STATEMENT_GROUP
        | k::SWITCH_RULE
        | k::TRY_WITH_RESOURCES_STATEMENT => walk.scope(at, Extent::Block),
        k::ENHANCED_FOR_STATEMENT | k::CATCH_CLAUSE => {
            walk.scope(at, Extent::Block);
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
        k::STATIC_INITIALIZER => walk.scope(at, Extent::Function),
        kind => define(walk, at, kind),
    }
    Step::Into
}

fn define(walk: &mut Walk<'_>, at: At, kind: u16) {
    let kind = match kind {
        k::CLASS_DECLARATION => Kind::Class,
        k::INTERFACE_DECLARATION | k::ANNOTATION_TYPE_DECLARATION => Kind::Interface,
        k::ENUM_DECLARATION => Kind::Enum,
        k::RECORD_DECLARATION => Kind::Struct,
        k::ENUM_CONSTANT => Kind::Variant,
        k::METHOD_DECLARATION
        | k::CONSTRUCTOR_DECLARATION
        | k::COMPACT_CONSTRUCTOR_DECLARATION
        | k::ANNOTATION_TYPE_ELEMENT_DECLARATION => Kind::Method,
        k::FIELD_DECLARATION | k::CONSTANT_DECLARATION => {
            fields(walk, at);
            return;
        }
        _ => return,
    };
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at);
    let local = walk.here() == Here::Function;
    let symbol = walk.symbol(name);
    let def = walk.define(kind, name, place);
    annotate(walk, at, def);
    if local && kind != Kind::Method {
        walk.bind(symbol, Bound::Outside);
    }
    walk.enter(def, at);
    if kind == Kind::Method {
        walk.scope_over(at, place.body_bytes(), Extent::Function);
        if walk.kind(at) == k::COMPACT_CONSTRUCTOR_DECLARATION {
            bind_components(walk, at);
        }
    } else if kind == Kind::Struct {
        components(walk, at, def);
    }
}

/// Returns the range of a definition; annotations are not part of the
/// signature.
fn place(walk: &Walk<'_>, at: At) -> Place {
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
fn annotate(walk: &mut Walk<'_>, at: At, def: usize) {
    let Some(modifiers) = walk.child_of(at, k::MODIFIERS) else { return };
    let text = walk.text(modifiers);
    if text.split(u8::is_ascii_whitespace).any(|word| word == b"private") {
        walk.defs[def].reach = Reach::File;
    }
    for annotation in modifiers..walk.after(modifiers) {
        if let (k::MARKER_ANNOTATION | k::ANNOTATION, Some(name)) =
            (walk.kind(annotation), walk.child(annotation, f::NAME))
        {
            let tests: [&[u8]; 4] =
                [b"Test", b"ParameterizedTest", b"RepeatedTest", b"TestFactory"];
            if tests.contains(&walk.text(name)) {
                walk.defs[def].purpose = Purpose::Case;
            }
        }
    }
}

fn fields(walk: &mut Walk<'_>, at: At) {
    let declarators: Vec<At> =
        walk.children(at).filter(|child| walk.field(*child) == f::DECLARATOR).collect();
    let head = place(walk, at).head;
    let place = Place { head, ..walk.place(at) };
    let end =
        head + super::tree::offset(super::comments::first_line(walk.slice(head, place.end)).len());
    let place = Place { body: end, ..place };
    let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
    let kind = if is_constant(walk, at) { Kind::Constant } else { Kind::Field };
    for declarator in declarators {
        let Some(name) = walk.child(declarator, f::NAME) else { continue };
        let def = walk.define(kind, name, place);
        walk.defs[def].reach = Reach::Project;
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
fn is_constant(walk: &Walk<'_>, at: At) -> bool {
    let modifiers = walk.child_of(at, k::MODIFIERS).map_or(b"".as_slice(), |it| walk.text(it));
    let says = |word: &[u8]| modifiers.split(u8::is_ascii_whitespace).any(|it| it == word);
    walk.kind(at) == k::CONSTANT_DECLARATION || says(b"static") && says(b"final")
}

/// Binds the components of a record in a compact constructor.
fn bind_components(walk: &mut Walk<'_>, at: At) {
    let record = walk.parent(walk.parent(at));
    let Some(list) = walk.child(record, f::PARAMETERS) else { return };
    let names: Vec<At> =
        walk.children(list).filter_map(|parameter| walk.child(parameter, f::NAME)).collect();
    for name in names {
        let symbol = walk.symbol(name);
        walk.bind(symbol, Bound::Plain);
    }
}

/// Defines the components of a record as its fields.
fn components(walk: &mut Walk<'_>, at: At, record: usize) {
    let Some(list) = walk.child(at, f::PARAMETERS) else { return };
    let parameters: Vec<At> = walk.children(list).collect();
    for parameter in parameters {
        let Some(name) = walk.child(parameter, f::NAME) else { continue };
        let place = walk.place(parameter);
        let of = walk.child(parameter, f::TYPE).and_then(|of| locals::type_name(walk, of));
        let def = walk.define(Kind::Field, name, place);
        if let Some(of) = of {
            let key = (walk.defs[record].name, walk.defs[def].name);
            walk.field_types.insert(key, of);
        }
    }
}

fn package(walk: &mut Walk<'_>, at: At) {
    let name = walk
        .children(at)
        .find(|name| matches!(walk.kind(*name), k::IDENTIFIER | k::SCOPED_IDENTIFIER));
    if let Some(name) = name {
        let symbol = walk.path(name);
        let (bytes, place) = (walk.bytes(name), walk.place(at));
        walk.define_as(Kind::Module, symbol, bytes, place);
    }
}

fn import(walk: &mut Walk<'_>, at: At) {
    let Some(path) = walk.first(at) else { return };
    if walk.child_of(at, k::ASTERISK).is_some() {
        let module = walk.path(path);
        walk.brings(at, module, Brings::Everything);
        return;
    }
    let (Some(scope), Some(name)) = (walk.child(path, f::SCOPE), walk.child(path, f::NAME)) else {
        return;
    };
    let module = walk.path(scope);
    let symbol = walk.symbol(name);
    walk.brings(name, module, Brings::Name(symbol, symbol));
}
