//! Python.

mod imports;
mod types;

use self::types::{
    is_class_name, is_upper_case, made_type, passed_type, quoted_type, type_name, value_type,
};
use super::collected::{Before, Binding, Bound, ByteRange, Extent, Here, Members, Place, Step};
use super::comments;
use super::comments::Comments;
use super::names::{field as f, kind as k};
use super::settle::Shape;
use super::tree::At;
use super::walk::Walk;
use super::{Rules, nothing_left};
use crate::facts::{Kind, Purpose, Reach, Role};

/// Returns the rules of the language.
pub(super) fn rules() -> Rules {
    Rules {
        grammar: tree_sitter_python::LANGUAGE.into(),
        comments: Comments::Hash,
        members: Members::Named,
        closed: &[],
        plain: &[k::STRING],
        visit,
        shape,
        finish: nothing_left,
    }
}

fn visit(walk: &mut Walk<'_>, at: At) -> Step {
    match walk.kind(at) {
        k::IDENTIFIER => name(walk, at),
        k::DECORATED_DEFINITION => decorated(walk, at),
        k::FUNCTION_DEFINITION => {
            if walk.kind(walk.parent(at)) != k::DECORATED_DEFINITION {
                function(walk, at, at);
            }
            function_scope(walk, at);
        }
        k::CLASS_DEFINITION if walk.kind(walk.parent(at)) != k::DECORATED_DEFINITION => {
            class(walk, at, at);
        }
        k::LAMBDA => function_scope(walk, at),
        k::LIST_COMPREHENSION
        | k::DICTIONARY_COMPREHENSION
        | k::SET_COMPREHENSION
        | k::GENERATOR_EXPRESSION => walk.scope(at, Extent::Block),
        k::FOR_IN_CLAUSE | k::FOR_STATEMENT => {
            if let Some(left) = walk.child(at, f::LEFT) {
                let block = walk.kind(at) == k::FOR_IN_CLAUSE;
                bind_all(walk, left, if block { Extent::Block } else { Extent::Function });
            }
        }
        k::ASSIGNMENT => assignment(walk, at),
        k::AUGMENTED_ASSIGNMENT => {
            if let (Here::Function, Some(left)) = (walk.here(), walk.child(at, f::LEFT)) {
                bind_all(walk, left, Extent::Function);
            }
        }
        k::NAMED_EXPRESSION | k::AS_PATTERN | k::EXCEPT_CLAUSE => {
            let target = walk.child(at, f::ALIAS).or_else(|| walk.child(at, f::NAME));
            if let Some(target) = target {
                bind_all(walk, target, Extent::Function);
                bind_type(walk, at, target);
            }
        }
        k::CASE_PATTERN | k::SPLAT_PATTERN | k::KEYWORD_PATTERN => captures(walk, at),
        k::GLOBAL_STATEMENT => {
            let names: Vec<At> = walk.children(at).collect();
            for name in names {
                let name = walk.symbol(name);
                walk.bind_in_function(name, Bound::Outside);
            }
            return Step::Over;
        }
        k::NONLOCAL_STATEMENT => return Step::Over,
        k::IMPORT_STATEMENT | k::IMPORT_FROM_STATEMENT | k::FUTURE_IMPORT_STATEMENT => {
            imports::import(walk, at);
            return Step::Over;
        }
        k::TYPE => walk.types_until = walk.after(at),
        k::STRING if at < walk.types_until => quoted_type(walk, at),
        k::TYPE_ALIAS_STATEMENT => alias(walk, at),
        _ => {}
    }
    Step::Into
}

fn shape(walk: &Walk<'_>, at: At) -> Shape {
    match walk.kind(at) {
        k::IDENTIFIER => Shape::Name,
        k::ATTRIBUTE => walk.first(at).map_or(Shape::Other, Shape::Member),
        k::PARENTHESIZED_EXPRESSION | k::AWAIT => walk.first(at).map_or(Shape::Other, Shape::Same),
        k::CALL => match walk.child(at, f::FUNCTION) {
            Some(called) if walk.text(called) == b"super" => Shape::Parent,
            Some(called) if is_class_name(walk, called) => Shape::New(called),
            Some(called) => Shape::Result(called),
            None => Shape::Other,
        },
        k::STRING => Shape::Literal("str"),
        _ => Shape::Other,
    }
}

/// Reads a name that no other rule has taken: it is used.
fn name(walk: &mut Walk<'_>, at: At) {
    let parent = walk.parent(at);
    match walk.kind(parent) {
        k::ATTRIBUTE if walk.field(at) == f::ATTRIBUTE => {
            let role = role(walk, parent);
            walk.uses(at, role, Before::Node(parent + 1));
        }
        k::KEYWORD_ARGUMENT if walk.field(at) == f::NAME => {}
        k::DOTTED_NAME => {
            let before = parent + 1;
            let before = if before == at { Before::Nothing } else { Before::Node(before) };
            walk.uses(at, Role::Value, before);
        }
        k::MEMBER_TYPE if parent + 1 != at => walk.uses(at, Role::Type, Before::Node(parent + 1)),
        _ => {
            let role = role(walk, at);
            walk.uses(at, role, Before::Nothing);
        }
    }
}

/// Returns the role of an expression in its parent.
fn role(walk: &Walk<'_>, at: At) -> Role {
    let parent = walk.parent(at);
    match walk.kind(parent) {
        k::CALL if walk.field(at) == f::FUNCTION => {
            if walk.kind(walk.parent(parent)) == k::DECORATOR { Role::Applies } else { Role::Call }
        }
        k::DECORATOR => Role::Applies,
        k::ARGUMENT_LIST if walk.field(parent) == f::SUPERCLASSES => Role::Extends,
        k::SUBSCRIPT
            if walk.field(at) == f::VALUE && walk.field(walk.parent(parent)) == f::SUPERCLASSES =>
        {
            Role::Extends
        }
        _ if at < walk.types_until => Role::Type,
        k::SUBSCRIPT if walk.field(walk.parent(parent)) == f::SUPERCLASSES => Role::Type,
        k::EXCEPT_CLAUSE => Role::Type,
        k::AS_PATTERN if walk.kind(walk.parent(parent)) == k::EXCEPT_CLAUSE => Role::Type,
        k::TUPLE => {
            let outer = walk.parent(parent);
            let caught = walk.kind(outer) == k::EXCEPT_CLAUSE
                || walk.kind(outer) == k::AS_PATTERN
                    && walk.kind(walk.parent(outer)) == k::EXCEPT_CLAUSE;
            if caught { Role::Type } else { Role::Value }
        }
        _ => Role::Value,
    }
}

fn decorated(walk: &mut Walk<'_>, at: At) {
    let Some(inner) = walk.child(at, f::DEFINITION) else { return };
    match walk.kind(inner) {
        k::FUNCTION_DEFINITION => function(walk, inner, at),
        k::CLASS_DEFINITION => class(walk, inner, at),
        _ => {}
    }
}

/// Returns the range of a definition that may have decorators.
fn place(walk: &Walk<'_>, at: At, outer: At) -> Place {
    Place { start: walk.bytes(outer).start, ..walk.place(at) }
}

fn function(walk: &mut Walk<'_>, at: At, outer: At) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let here = walk.here();
    let kind = if matches!(here, Here::Type(_)) { Kind::Method } else { Kind::Function };
    let place = place(walk, at, outer);
    let def = walk.define(kind, name, place);
    if walk.text(name).starts_with(b"test_") || walk.text(name) == b"test" {
        let is_inside = walk.defs[def].purpose == Purpose::Test;
        walk.defs[def].purpose = if is_inside { Purpose::Case } else { Purpose::Test };
    }
    document(walk, def, at);
    outside(walk, name);
    walk.enter(def, outer);
}

/// Marks a name that is defined inside a function as not a variable of it.
fn outside(walk: &mut Walk<'_>, name: At) {
    if walk.function_scope().is_some() && walk.here() == Here::Function {
        let name = walk.symbol(name);
        walk.bind_in_function(name, Bound::Outside);
    }
}

/// Makes the docstring the documentation.
fn document(walk: &mut Walk<'_>, def: usize, at: At) {
    let body = walk.child(at, f::BODY);
    let statement = body.and_then(|body| walk.first(body));
    let Some(string) = statement.and_then(|statement| walk.first(statement)) else { return };
    if walk.kind(string) != k::STRING || walk.kind(string - 1) != k::EXPRESSION_STATEMENT {
        return;
    }
    let text = walk.text(string);
    let quote = text.iter().position(|byte| matches!(byte, b'"' | b'\''));
    let text = text.get(quote.unwrap_or(0)..).unwrap_or_default();
    let text = text.trim_ascii_start();
    let begin = text.iter().position(|byte| !matches!(byte, b'"' | b'\'')).unwrap_or(text.len());
    let end =
        text.iter().rposition(|byte| !matches!(byte, b'"' | b'\'')).map_or(begin, |end| end + 1);
    if let Some(said) = text.get(begin..end).and_then(comments::first_said) {
        walk.defs[def].doc = Some(said);
    }
}

fn class(walk: &mut Walk<'_>, at: At, outer: At) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at, outer);
    outside(walk, name);
    let def = walk.define(Kind::Class, name, place);
    let bases = walk.child(at, f::SUPERCLASSES).map_or(b"".as_slice(), |bases| walk.text(bases));
    if walk.text(name).starts_with(b"Test") || memchr::memmem::find(bases, b"TestCase").is_some() {
        walk.defs[def].purpose = Purpose::Test;
    }
    document(walk, def, at);
    walk.enter(def, outer);
}

/// Opens the scope of a function or lambda and binds its parameters.
///
/// Annotations and defaults are outside of it, although they are written among
/// the parameters: `def at(date: date)` names a class.
fn function_scope(walk: &mut Walk<'_>, at: At) {
    let method = walk.kind(at) == k::FUNCTION_DEFINITION && is_method(walk, at);
    let Some(body) = walk.child(at, f::BODY) else { return };
    let bytes = ByteRange { start: walk.bytes(body).start, end: walk.bytes(at).end };
    let parameters = walk.child(at, f::PARAMETERS);
    let parameters: Vec<At> = parameters.map_or(Vec::new(), |list| walk.children(list).collect());
    walk.scope_over(at, bytes, Extent::Function);
    for (place, parameter) in parameters.into_iter().enumerate() {
        let Some((name, of)) = parameter_name(walk, parameter) else { continue };
        walk.take(name);
        let symbol = walk.symbol(name);
        let what = match of.and_then(|of| type_name(walk, of)) {
            _ if place == 0 && method => Bound::Itself,
            Some(of) => Bound::Typed(of),
            None => Bound::Plain,
        };
        walk.bind(symbol, what);
    }
}

/// Returns true if a function receives the object, or its class, first.
fn is_method(walk: &Walk<'_>, at: At) -> bool {
    let def = walk.within().map(|def| &walk.defs[def]);
    if def.is_none_or(|def| def.kind != Kind::Method) {
        return false;
    }
    let outer = walk.parent(at);
    let decorators = walk.slice(walk.bytes(outer).start, walk.bytes(at).start);
    let decorated = walk.kind(outer) == k::DECORATED_DEFINITION;
    !(decorated && memchr::memmem::find(decorators, b"@staticmethod").is_some())
}

/// Returns the name of a parameter and its type.
fn parameter_name(walk: &Walk<'_>, at: At) -> Option<(At, Option<At>)> {
    match walk.kind(at) {
        k::IDENTIFIER => Some((at, None)),
        k::TYPED_PARAMETER | k::TYPED_DEFAULT_PARAMETER => {
            let first = walk.first(at)?;
            let plain = walk.kind(first) == k::IDENTIFIER;
            let name = if plain { first } else { walk.first(first)? };
            // `*args: Foo` is a tuple of them.
            Some((name, walk.child(at, f::TYPE).filter(|_| plain)))
        }
        k::DEFAULT_PARAMETER | k::LIST_SPLAT_PATTERN | k::DICTIONARY_SPLAT_PATTERN => {
            Some((walk.first(at)?, None))
        }
        _ => None,
    }
}

/// Binds all names in the target of an assignment or loop.
///
/// They remain uses as well: after `global x`, writing `x` is one.
fn bind_all(walk: &mut Walk<'_>, target: At, extent: Extent) {
    let end = walk.after(target);
    let mut at = target;
    while at < end {
        match walk.kind(at) {
            k::IDENTIFIER => {
                let name = walk.symbol(at);
                match extent {
                    Extent::Function => walk.bind_in_function(name, Bound::Plain),
                    Extent::Block => walk.bind(name, Bound::Plain),
                }
                at += 1;
            }
            k::ATTRIBUTE | k::SUBSCRIPT | k::CALL => at = walk.after(at),
            _ => at += 1,
        }
    }
}

/// Records the type of `a` in `with A() as a` and `(a := A())`.
fn bind_type(walk: &mut Walk<'_>, at: At, target: At) {
    let value = walk.child(at, f::VALUE).or_else(|| walk.first(at));
    let made =
        value.filter(|value| walk.kind(*value) == k::CALL).and_then(|value| made_type(walk, value));
    let name = if walk.kind(target) == k::IDENTIFIER { Some(target) } else { walk.first(target) };
    if let (Some(of), Some(name)) = (made, name.filter(|name| walk.kind(*name) == k::IDENTIFIER)) {
        let from = walk.bytes(at).end;
        let until = walk.function_scope().map_or(u32::MAX, |scope| scope.end);
        let name = walk.symbol(name);
        walk.bindings.push(Binding { name, from, until, what: Bound::Typed(of) });
    }
}

/// Binds a bare name in a pattern of `case`, which captures a value.
fn captures(walk: &mut Walk<'_>, at: At) {
    let names: Vec<At> = walk.children(at).collect();
    for name in names {
        let first = walk.first(name);
        let leaf = match walk.kind(name) {
            k::DOTTED_NAME => first.filter(|first| walk.after(name) == first + 1),
            k::IDENTIFIER if walk.kind(at) == k::SPLAT_PATTERN => Some(name),
            k::IDENTIFIER if walk.kind(at) == k::KEYWORD_PATTERN => {
                walk.take(name);
                None
            }
            _ => None,
        };
        if let Some(leaf) = leaf {
            let symbol = walk.symbol(leaf);
            walk.bind_in_function(symbol, Bound::Plain);
        }
    }
}

fn assignment(walk: &mut Walk<'_>, at: At) {
    let Some(left) = walk.child(at, f::LEFT) else { return };
    match (walk.here(), walk.kind(left)) {
        (Here::Function, k::IDENTIFIER) => {
            let of = value_type(walk, at);
            let name = walk.symbol(left);
            walk.bind_in_function(name, Bound::Plain);
            let end = walk.bytes(at).end;
            let until = walk.function_scope().map_or(u32::MAX, |scope| scope.end);
            let what = of.map_or(Bound::Plain, Bound::Typed);
            walk.bindings.push(Binding { name, from: end, until, what });
        }
        (Here::Function, k::ATTRIBUTE) => own_field(walk, at, left),
        (Here::Function, _) => bind_all(walk, left, Extent::Function),
        (Here::Outside | Here::Type(_), k::IDENTIFIER) => {
            if let Some(def) = variable(walk, left, at) {
                walk.enter(def, at);
            }
        }
        (Here::Outside | Here::Type(_), k::PATTERN_LIST | k::TUPLE_PATTERN | k::LIST_PATTERN) => {
            let names: Vec<At> = walk.children(left).collect();
            for name in names {
                if walk.kind(name) == k::IDENTIFIER {
                    variable(walk, name, at);
                }
            }
        }
        _ => {}
    }
}

/// Defines a variable outside functions at its first assignment.
fn variable(walk: &mut Walk<'_>, name: At, at: At) -> Option<usize> {
    let symbol = walk.symbol(name);
    if walk.defined.contains(&(walk.container(), symbol)) {
        return None;
    }
    let declared = walk.child(at, f::TYPE);
    let kind = match walk.here() {
        Here::Type(_) => Kind::Field,
        Here::Outside | Here::Function => {
            if declared.is_some_and(|of| walk.text(of).ends_with(b"TypeAlias")) {
                Kind::Alias
            } else if is_upper_case(walk.text(name)) {
                Kind::Constant
            } else {
                Kind::Variable
            }
        }
    };
    match (walk.here(), value_type(walk, at)) {
        (Here::Type(class), Some(of)) => {
            let class = walk.defs[class].name;
            walk.field_types.insert((class, symbol), of);
        }
        (Here::Outside, Some(of)) if walk.kind(walk.parent(name)) == k::ASSIGNMENT => {
            walk.outer_types.insert(symbol, of);
        }
        _ => {}
    }
    let place = walk.line_place(at);
    Some(walk.define(kind, name, place))
}

/// Defines a field of the class by `self.x = …` in `__init__`.
fn own_field(walk: &mut Walk<'_>, at: At, left: At) {
    let Some(method) = walk.container() else { return };
    let name = walk.defs[method].name;
    let Some(class) = walk.defs[method].container else { return };
    let (Some(object), Some(field)) = (walk.first(left), walk.child(left, f::ATTRIBUTE)) else {
        return;
    };
    if walk.symbols.text(name) != b"__init__" || walk.text(object) != b"self" {
        return;
    }
    let symbol = walk.symbol(field);
    if let Some(of) = value_type(walk, at).or_else(|| passed_type(walk, at)) {
        let class = walk.defs[class].name;
        walk.field_types.entry((class, symbol)).or_insert(of);
    }
    if !walk.defined.insert((Some(class), symbol)) {
        return;
    }
    let place = walk.line_place(at);
    let def = walk.define(Kind::Field, field, place);
    walk.defs[def].container = Some(class);
    walk.defs[def].reach = Reach::Project;
}

fn alias(walk: &mut Walk<'_>, at: At) {
    let left = walk.child(at, f::LEFT).and_then(|left| walk.first(left));
    let Some(name) = left.and_then(|left| match walk.kind(left) {
        k::IDENTIFIER => Some(left),
        _ => walk.first(left),
    }) else {
        return;
    };
    if walk.here() != Here::Function {
        let place = walk.line_place(at);
        let def = walk.define(Kind::Alias, name, place);
        walk.enter(def, at);
    }
}
