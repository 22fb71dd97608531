//! Python.

mod imports;
mod types;

use self::types::{
    is_class_name, is_upper_case, made_type, passed_type, quoted_type, type_name, value_type,
};
use super::collected::{
    BindingKind, ByteRange, DefinitionRange, LocalBinding, MemberNaming, RawQualifier, ScopeKind,
    WalkContext, WalkStep,
};
use super::comments;
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::settle::ExpressionShape;
use super::tree::NodeIndex;
use super::walk::SyntaxWalk;
use super::{GrammarRules, nothing_left};
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole, SymbolVisibility};

/// Returns the rules of the language.
pub(super) fn rules() -> GrammarRules {
    GrammarRules {
        grammar: tree_sitter_python::LANGUAGE.into(),
        comments: DocCommentStyle::Hash,
        members: MemberNaming::Named,
        closed: &[],
        plain: &[k::STRING],
        visit,
        shape,
        finish: nothing_left,
    }
}

fn visit(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> WalkStep {
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
        | k::GENERATOR_EXPRESSION => walk.scope(at, ScopeKind::Block),
        k::FOR_IN_CLAUSE | k::FOR_STATEMENT => {
            if let Some(left) = walk.child(at, f::LEFT) {
                let block = walk.kind(at) == k::FOR_IN_CLAUSE;
                bind_all(walk, left, if block { ScopeKind::Block } else { ScopeKind::Function });
            }
        }
        k::ASSIGNMENT => assignment(walk, at),
        k::AUGMENTED_ASSIGNMENT => {
            if let (WalkContext::Function, Some(left)) = (walk.here(), walk.child(at, f::LEFT)) {
                bind_all(walk, left, ScopeKind::Function);
            }
        }
        k::NAMED_EXPRESSION | k::AS_PATTERN | k::EXCEPT_CLAUSE => {
            let target = walk.child(at, f::ALIAS).or_else(|| walk.child(at, f::NAME));
            if let Some(target) = target {
                bind_all(walk, target, ScopeKind::Function);
                bind_type(walk, at, target);
            }
        }
        k::CASE_PATTERN | k::SPLAT_PATTERN | k::KEYWORD_PATTERN => captures(walk, at),
        k::GLOBAL_STATEMENT => {
            let names: Vec<NodeIndex> = walk.children(at).collect();
            for name in names {
                let name = walk.symbol(name);
                walk.bind_in_function(name, BindingKind::Outside);
            }
            return WalkStep::Over;
        }
        k::NONLOCAL_STATEMENT => return WalkStep::Over,
        k::IMPORT_STATEMENT | k::IMPORT_FROM_STATEMENT | k::FUTURE_IMPORT_STATEMENT => {
            imports::import(walk, at);
            return WalkStep::Over;
        }
        k::TYPE => walk.types_until = walk.after(at),
        k::STRING if at < walk.types_until => quoted_type(walk, at),
        k::TYPE_ALIAS_STATEMENT => alias(walk, at),
        _ => {}
    }
    WalkStep::Into
}

fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    match walk.kind(at) {
        k::IDENTIFIER => ExpressionShape::Name,
        k::ATTRIBUTE => walk.first(at).map_or(ExpressionShape::Other, ExpressionShape::Member),
        k::PARENTHESIZED_EXPRESSION | k::AWAIT => {
            walk.first(at).map_or(ExpressionShape::Other, ExpressionShape::Same)
        }
        k::CALL => match walk.child(at, f::FUNCTION) {
            Some(called) if walk.text(called) == b"super" => ExpressionShape::Parent,
            Some(called) if is_class_name(walk, called) => ExpressionShape::New(called),
            Some(called) => ExpressionShape::Result(called),
            None => ExpressionShape::Other,
        },
        k::STRING => ExpressionShape::Literal("str"),
        _ => ExpressionShape::Other,
    }
}

/// Reads a name that no other rule has taken: it is used.
fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    match walk.kind(parent) {
        k::ATTRIBUTE if walk.field(at) == f::ATTRIBUTE => {
            let role = role(walk, parent);
            walk.uses(at, role, RawQualifier::Node(parent + 1));
        }
        k::KEYWORD_ARGUMENT if walk.field(at) == f::NAME => {}
        k::DOTTED_NAME => {
            let before = parent + 1;
            let before =
                if before == at { RawQualifier::Nothing } else { RawQualifier::Node(before) };
            walk.uses(at, ReferenceRole::Value, before);
        }
        k::MEMBER_TYPE if parent + 1 != at => {
            walk.uses(at, ReferenceRole::Type, RawQualifier::Node(parent + 1));
        }
        _ => {
            let role = role(walk, at);
            walk.uses(at, role, RawQualifier::Nothing);
        }
    }
}

/// Returns the role of an expression in its parent.
fn role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    let parent = walk.parent(at);
    match walk.kind(parent) {
        k::CALL if walk.field(at) == f::FUNCTION => {
            if walk.kind(walk.parent(parent)) == k::DECORATOR {
                ReferenceRole::Applies
            } else {
                ReferenceRole::Call
            }
        }
        k::DECORATOR => ReferenceRole::Applies,
        k::ARGUMENT_LIST if walk.field(parent) == f::SUPERCLASSES => ReferenceRole::Extends,
        k::SUBSCRIPT
            if walk.field(at) == f::VALUE && walk.field(walk.parent(parent)) == f::SUPERCLASSES =>
        {
            ReferenceRole::Extends
        }
        _ if at < walk.types_until => ReferenceRole::Type,
        k::SUBSCRIPT if walk.field(walk.parent(parent)) == f::SUPERCLASSES => ReferenceRole::Type,
        k::EXCEPT_CLAUSE => ReferenceRole::Type,
        k::AS_PATTERN if walk.kind(walk.parent(parent)) == k::EXCEPT_CLAUSE => ReferenceRole::Type,
        k::TUPLE => {
            let outer = walk.parent(parent);
            let caught = walk.kind(outer) == k::EXCEPT_CLAUSE
                || walk.kind(outer) == k::AS_PATTERN
                    && walk.kind(walk.parent(outer)) == k::EXCEPT_CLAUSE;
            if caught { ReferenceRole::Type } else { ReferenceRole::Value }
        }
        _ => ReferenceRole::Value,
    }
}

fn decorated(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(inner) = walk.child(at, f::DEFINITION) else { return };
    match walk.kind(inner) {
        k::FUNCTION_DEFINITION => function(walk, inner, at),
        k::CLASS_DEFINITION => class(walk, inner, at),
        _ => {}
    }
}

/// Returns the range of a definition that may have decorators.
fn place(walk: &SyntaxWalk<'_>, at: NodeIndex, outer: NodeIndex) -> DefinitionRange {
    DefinitionRange { start: walk.bytes(outer).start, ..walk.place(at) }
}

fn function(walk: &mut SyntaxWalk<'_>, at: NodeIndex, outer: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let here = walk.here();
    let kind = if matches!(here, WalkContext::Type(_)) {
        DefinitionKind::Method
    } else {
        DefinitionKind::Function
    };
    let place = place(walk, at, outer);
    let def = walk.define(kind, name, place);
    if walk.text(name).starts_with(b"test_") || walk.text(name) == b"test" {
        let is_inside = walk.defs[def].purpose == CodePurpose::Test;
        walk.defs[def].purpose = if is_inside { CodePurpose::Case } else { CodePurpose::Test };
    }
    document(walk, def, at);
    outside(walk, name);
    walk.enter(def, outer);
}

/// Marks a name that is defined inside a function as not a variable of it.
fn outside(walk: &mut SyntaxWalk<'_>, name: NodeIndex) {
    if walk.function_scope().is_some() && walk.here() == WalkContext::Function {
        let name = walk.symbol(name);
        walk.bind_in_function(name, BindingKind::Outside);
    }
}

/// Makes the docstring the documentation.
fn document(walk: &mut SyntaxWalk<'_>, def: usize, at: NodeIndex) {
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

fn class(walk: &mut SyntaxWalk<'_>, at: NodeIndex, outer: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = place(walk, at, outer);
    outside(walk, name);
    let def = walk.define(DefinitionKind::Class, name, place);
    let bases = walk.child(at, f::SUPERCLASSES).map_or(b"".as_slice(), |bases| walk.text(bases));
    if walk.text(name).starts_with(b"Test") || memchr::memmem::find(bases, b"TestCase").is_some() {
        walk.defs[def].purpose = CodePurpose::Test;
    }
    document(walk, def, at);
    walk.enter(def, outer);
}

/// Opens the scope of a function or lambda and binds its parameters.
///
/// Annotations and defaults are outside of it, although they are written among
/// the parameters: `def at(date: date)` names a class.
fn function_scope(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let method = walk.kind(at) == k::FUNCTION_DEFINITION && is_method(walk, at);
    let Some(body) = walk.child(at, f::BODY) else { return };
    let bytes = ByteRange { start: walk.bytes(body).start, end: walk.bytes(at).end };
    let parameters = walk.child(at, f::PARAMETERS);
    let parameters: Vec<NodeIndex> =
        parameters.map_or(Vec::new(), |list| walk.children(list).collect());
    walk.scope_over(at, bytes, ScopeKind::Function);
    for (place, parameter) in parameters.into_iter().enumerate() {
        let Some((name, of)) = parameter_name(walk, parameter) else { continue };
        walk.take(name);
        let symbol = walk.symbol(name);
        let what = match of.and_then(|of| type_name(walk, of)) {
            _ if place == 0 && method => BindingKind::Itself,
            Some(of) => BindingKind::Typed(of),
            None => BindingKind::Plain,
        };
        walk.bind(symbol, what);
    }
}

/// Returns true if a function receives the object, or its class, first.
fn is_method(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    let def = walk.within().map(|def| &walk.defs[def]);
    if def.is_none_or(|def| def.kind != DefinitionKind::Method) {
        return false;
    }
    let outer = walk.parent(at);
    let decorators = walk.slice(walk.bytes(outer).start, walk.bytes(at).start);
    let decorated = walk.kind(outer) == k::DECORATED_DEFINITION;
    !(decorated && memchr::memmem::find(decorators, b"@staticmethod").is_some())
}

/// Returns the name of a parameter and its type.
fn parameter_name(walk: &SyntaxWalk<'_>, at: NodeIndex) -> Option<(NodeIndex, Option<NodeIndex>)> {
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
fn bind_all(walk: &mut SyntaxWalk<'_>, target: NodeIndex, extent: ScopeKind) {
    let end = walk.after(target);
    let mut at = target;
    while at < end {
        match walk.kind(at) {
            k::IDENTIFIER => {
                let name = walk.symbol(at);
                match extent {
                    ScopeKind::Function => walk.bind_in_function(name, BindingKind::Plain),
                    ScopeKind::Block => walk.bind(name, BindingKind::Plain),
                }
                at += 1;
            }
            k::ATTRIBUTE | k::SUBSCRIPT | k::CALL => at = walk.after(at),
            _ => at += 1,
        }
    }
}

/// Records the type of `a` in `with A() as a` and `(a := A())`.
fn bind_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex, target: NodeIndex) {
    let value = walk.child(at, f::VALUE).or_else(|| walk.first(at));
    let made =
        value.filter(|value| walk.kind(*value) == k::CALL).and_then(|value| made_type(walk, value));
    let name = if walk.kind(target) == k::IDENTIFIER { Some(target) } else { walk.first(target) };
    if let (Some(of), Some(name)) = (made, name.filter(|name| walk.kind(*name) == k::IDENTIFIER)) {
        let from = walk.bytes(at).end;
        let until = walk.function_scope().map_or(u32::MAX, |scope| scope.end);
        let name = walk.symbol(name);
        walk.bindings.push(LocalBinding { name, from, until, what: BindingKind::Typed(of) });
    }
}

/// Binds a bare name in a pattern of `case`, which captures a value.
fn captures(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let names: Vec<NodeIndex> = walk.children(at).collect();
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
            walk.bind_in_function(symbol, BindingKind::Plain);
        }
    }
}

fn assignment(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(left) = walk.child(at, f::LEFT) else { return };
    match (walk.here(), walk.kind(left)) {
        (WalkContext::Function, k::IDENTIFIER) => {
            let of = value_type(walk, at);
            let name = walk.symbol(left);
            walk.bind_in_function(name, BindingKind::Plain);
            let end = walk.bytes(at).end;
            let until = walk.function_scope().map_or(u32::MAX, |scope| scope.end);
            let what = of.map_or(BindingKind::Plain, BindingKind::Typed);
            walk.bindings.push(LocalBinding { name, from: end, until, what });
        }
        (WalkContext::Function, k::ATTRIBUTE) => own_field(walk, at, left),
        (WalkContext::Function, _) => bind_all(walk, left, ScopeKind::Function),
        (WalkContext::Outside | WalkContext::Type(_), k::IDENTIFIER) => {
            if let Some(def) = variable(walk, left, at) {
                walk.enter(def, at);
            }
        }
        (
            WalkContext::Outside | WalkContext::Type(_),
            k::PATTERN_LIST | k::TUPLE_PATTERN | k::LIST_PATTERN,
        ) => {
            let names: Vec<NodeIndex> = walk.children(left).collect();
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
fn variable(walk: &mut SyntaxWalk<'_>, name: NodeIndex, at: NodeIndex) -> Option<usize> {
    let symbol = walk.symbol(name);
    if walk.defined.contains(&(walk.container(), symbol)) {
        return None;
    }
    let declared = walk.child(at, f::TYPE);
    let kind = match walk.here() {
        WalkContext::Type(_) => DefinitionKind::Field,
        WalkContext::Outside | WalkContext::Function => {
            if declared.is_some_and(|of| walk.text(of).ends_with(b"TypeAlias")) {
                DefinitionKind::Alias
            } else if is_upper_case(walk.text(name)) {
                DefinitionKind::Constant
            } else {
                DefinitionKind::Variable
            }
        }
    };
    match (walk.here(), value_type(walk, at)) {
        (WalkContext::Type(class), Some(of)) => {
            let class = walk.defs[class].name;
            walk.field_types.insert((class, symbol), of);
        }
        (WalkContext::Outside, Some(of)) if walk.kind(walk.parent(name)) == k::ASSIGNMENT => {
            walk.outer_types.insert(symbol, of);
        }
        _ => {}
    }
    let place = walk.line_place(at);
    Some(walk.define(kind, name, place))
}

/// Defines a field of the class by `self.x = …` in `__init__`.
fn own_field(walk: &mut SyntaxWalk<'_>, at: NodeIndex, left: NodeIndex) {
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
    let def = walk.define(DefinitionKind::Field, field, place);
    walk.defs[def].container = Some(class);
    walk.defs[def].reach = SymbolVisibility::Project;
}

fn alias(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let left = walk.child(at, f::LEFT).and_then(|left| walk.first(left));
    let Some(name) = left.and_then(|left| match walk.kind(left) {
        k::IDENTIFIER => Some(left),
        _ => walk.first(left),
    }) else {
        return;
    };
    if walk.here() != WalkContext::Function {
        let place = walk.line_place(at);
        let def = walk.define(DefinitionKind::Alias, name, place);
        walk.enter(def, at);
    }
}
