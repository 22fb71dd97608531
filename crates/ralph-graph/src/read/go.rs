//! Go.

mod locals;

use super::collected::{
    BindingKind, ByteRange, DefinitionRange, MemberNaming, RawImportNames, RawQualifier, ScopeKind,
    WalkContext, WalkStep,
};
use super::comments::DocCommentStyle;
use super::names::{field as f, kind as k};
use super::settle::ExpressionShape;
use super::symbols::InternedName;
use super::tree::NodeIndex;
use super::walk::SyntaxWalk;
use super::{GrammarRules, nothing_left};
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole};

/// Returns the rules of the language.
pub(super) fn rules() -> GrammarRules {
    GrammarRules {
        grammar: tree_sitter_go::LANGUAGE.into(),
        comments: DocCommentStyle::Slashes,
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
        k::IDENTIFIER | k::PACKAGE_IDENTIFIER => name(walk, at),
        k::TYPE_IDENTIFIER => type_use(walk, at),
        k::FIELD_IDENTIFIER => field_use(walk, at),
        k::PACKAGE_CLAUSE => {
            if let Some(name) = walk.first(at) {
                let place = walk.place(at);
                walk.define(DefinitionKind::Module, name, place);
            }
        }
        k::IMPORT_SPEC => {
            import(walk, at);
            return WalkStep::Over;
        }
        k::FUNCTION_DECLARATION | k::METHOD_DECLARATION => function(walk, at),
        k::FUNC_LITERAL => {
            walk.scope(at, ScopeKind::Function);
            locals::parameters(walk, at);
        }
        k::METHOD_ELEM => {
            if let (WalkContext::Type(_), Some(name)) = (walk.here(), walk.child(at, f::NAME)) {
                let place = walk.place(at);
                let def = walk.define(DefinitionKind::Method, name, place);
                walk.enter(def, at);
            }
        }
        k::PARAMETER_LIST => locals::unnamed(walk, at),
        k::TYPE_PARAMETER_LIST => locals::type_parameters(walk, at),
        k::TYPE_SPEC | k::TYPE_ALIAS => type_spec(walk, at),
        k::FIELD_DECLARATION => fields(walk, at),
        k::CONST_SPEC => values(walk, at, DefinitionKind::Constant),
        k::VAR_SPEC => values(walk, at, DefinitionKind::Variable),
        k::BLOCK
        | k::IF_STATEMENT
        | k::FOR_STATEMENT
        | k::EXPRESSION_SWITCH_STATEMENT
        | k::EXPRESSION_CASE
        | k::TYPE_CASE
        | k::COMMUNICATION_CASE
        | k::DEFAULT_CASE => walk.scope(at, ScopeKind::Block),
        k::TYPE_SWITCH_STATEMENT => {
            walk.scope(at, ScopeKind::Block);
            if let Some(alias) = walk.child(at, f::ALIAS) {
                let end = walk.bytes(alias).end;
                locals::declare(walk, alias, end, &[]);
            }
        }
        k::SHORT_VAR_DECLARATION | k::RANGE_CLAUSE | k::RECEIVE_STATEMENT => {
            locals::short(walk, at);
        }
        _ => {}
    }
    WalkStep::Into
}

fn shape(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ExpressionShape {
    let first = |found: fn(NodeIndex) -> ExpressionShape| {
        walk.first(at).map_or(ExpressionShape::Other, found)
    };
    let of_type = |of: Option<NodeIndex>| match of {
        Some(of) if matches!(walk.kind(of), k::TYPE_IDENTIFIER | k::QUALIFIED_TYPE) => {
            ExpressionShape::New(of)
        }
        Some(_) | None => ExpressionShape::Other,
    };
    match walk.kind(at) {
        k::IDENTIFIER | k::PACKAGE_IDENTIFIER => ExpressionShape::Name,
        k::SELECTOR_EXPRESSION => first(ExpressionShape::Member),
        k::PARENTHESIZED_EXPRESSION | k::UNARY_EXPRESSION => first(ExpressionShape::Same),
        k::COMPOSITE_LITERAL => of_type(walk.child(at, f::TYPE)),
        k::TYPE_ASSERTION_EXPRESSION => {
            let of = walk.child(at, f::TYPE);
            let pointed = of.filter(|of| walk.kind(*of) == k::POINTER_TYPE);
            of_type(pointed.map_or(of, |pointer| walk.first(pointer)))
        }
        _ => ExpressionShape::Other,
    }
}

fn function(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(name) = walk.child(at, f::NAME) else { return };
    let place = walk.place(at);
    let receiver = walk.child(at, f::RECEIVER);
    let kind = if receiver.is_some() { DefinitionKind::Method } else { DefinitionKind::Function };
    let def = walk.define(kind, name, place);
    let text = walk.text(name);
    let parameters = walk.child(at, f::PARAMETERS).map_or(b"".as_slice(), |list| walk.text(list));
    let tests =
        [b"Test".as_slice(), b"Benchmark", b"Fuzz"].iter().any(|word| text.starts_with(word));
    if receiver.is_none()
        && (tests && memchr::memmem::find(parameters, b"testing.").is_some()
            || text.starts_with(b"Example") && parameters == b"()")
    {
        walk.defs[def].purpose = CodePurpose::Case;
    }
    if let Some(of) = walk.child(at, f::RESULT).and_then(|of| locals::result_type(walk, of)) {
        walk.def_types.push((def, of));
    }
    walk.enter(def, at);
    walk.scope_over(at, place.body_bytes(), ScopeKind::Function);
    let receiver = receiver.and_then(|list| walk.first(list));
    if let Some(receiver) = receiver {
        walk.defs[def].owner = walk.child(receiver, f::TYPE).and_then(|of| receiver_type(walk, of));
        if let Some(name) = walk.child(receiver, f::NAME) {
            walk.take(name);
            let symbol = walk.symbol(name);
            walk.bind(symbol, BindingKind::Itself);
        }
    }
    locals::parameters(walk, at);
}

/// Returns the type of a receiver. Its parameters, as in `(l *List[T])`, are
/// local.
fn receiver_type(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    let mut at = of;
    for _ in 0..4 {
        at = match walk.kind(at) {
            k::TYPE_IDENTIFIER => return Some(walk.symbol(at)),
            k::POINTER_TYPE | k::PARENTHESIZED_TYPE => walk.first(at)?,
            k::GENERIC_TYPE => {
                if let Some(arguments) = walk.child(at, f::TYPE_ARGUMENTS) {
                    locals::receiver_parameters(walk, arguments);
                }
                walk.child(at, f::TYPE)?
            }
            _ => return None,
        };
    }
    None
}

fn type_spec(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let (Some(name), of) = (walk.child(at, f::NAME), walk.child(at, f::TYPE)) else { return };
    let kind = match of.map(|of| walk.kind(of)) {
        Some(k::STRUCT_TYPE) => DefinitionKind::Struct,
        Some(k::INTERFACE_TYPE) => DefinitionKind::Interface,
        _ => DefinitionKind::Alias,
    };
    let mut place = spec_place(walk, at);
    if let (DefinitionKind::Struct | DefinitionKind::Interface, Some(of)) = (kind, of) {
        let word = if kind == DefinitionKind::Struct { 6 } else { 9 };
        place.body = walk.bytes(of).start + word;
    }
    if walk.here() == WalkContext::Function {
        let symbol = walk.symbol(name);
        walk.bind(symbol, BindingKind::Outside);
    }
    let def = walk.define(kind, name, place);
    walk.enter(def, at);
}

/// Returns the range of a spec: the whole declaration if it is alone in it.
fn spec_place(walk: &SyntaxWalk<'_>, at: NodeIndex) -> DefinitionRange {
    let outer = walk.parent(at);
    let grouped = walk.text(outer).ends_with(b")")
        && walk.text(outer).contains(&b'(')
        && !walk.text(at).ends_with(b")")
        || walk.children(outer).count() > 1
        || walk.kind(outer) == k::VAR_SPEC_LIST;
    walk.line_place(if grouped { at } else { outer })
}

fn fields(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let structure = walk.parent(walk.parent(at));
    let of_type = walk.is_in(structure, k::TYPE_SPEC, f::TYPE);
    let container = walk.container();
    let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
    let names: Vec<NodeIndex> =
        walk.children(at).filter(|name| walk.field(*name) == f::NAME).collect();
    for name in names {
        if !of_type {
            walk.take(name);
            continue;
        }
        let place = walk.line_place(at);
        let def = walk.define(DefinitionKind::Field, name, place);
        if let (Some(of), Some(container)) = (of, container) {
            let key = (walk.defs[container].name, walk.defs[def].name);
            walk.field_types.insert(key, of);
        }
        walk.enter(def, at);
    }
}

/// Reads one line of `const` or `var`.
fn values(walk: &mut SyntaxWalk<'_>, at: NodeIndex, kind: DefinitionKind) {
    let names: Vec<NodeIndex> =
        walk.children(at).filter(|name| walk.field(*name) == f::NAME).collect();
    if walk.here() == WalkContext::Function {
        let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
        let end = walk.bytes(at).end;
        let made = if of.is_none() {
            locals::made_types(walk, walk.child(at, f::VALUE))
        } else {
            Vec::new()
        };
        for (place, name) in names.into_iter().enumerate() {
            walk.take(name);
            let of = of.or_else(|| made.get(place).copied().flatten());
            let symbol = walk.symbol(name);
            walk.bind_from(symbol, end, of.map_or(BindingKind::Plain, BindingKind::Typed));
        }
        return;
    }
    let place = spec_place(walk, at);
    let of = walk.child(at, f::TYPE).and_then(|of| locals::type_name(walk, of));
    let made = locals::made_types(walk, walk.child(at, f::VALUE));
    for (index, name) in names.into_iter().enumerate() {
        if walk.text(name) == b"_" {
            walk.take(name);
            continue;
        }
        let def = walk.define(kind, name, place);
        if let Some(of) = of.or_else(|| made.get(index).copied().flatten()) {
            let symbol = walk.defs[def].name;
            walk.outer_types.insert(symbol, of);
        }
        walk.enter(def, at);
    }
}

fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    if walk.text(at) == b"_" {
        return;
    }
    // The key of an element is a field name, or a value in a map.
    if walk.kind(parent) == k::LITERAL_ELEMENT && walk.field(parent) == f::KEY {
        let literal = walk.parent(walk.parent(walk.parent(parent)));
        let of =
            walk.child(literal, f::TYPE).filter(|_| walk.kind(literal) == k::COMPOSITE_LITERAL);
        match of.map(|of| walk.kind(of)) {
            Some(k::TYPE_IDENTIFIER | k::QUALIFIED_TYPE) => {
                if let Some(of) = of.and_then(|of| locals::type_name(walk, of)) {
                    walk.uses(at, ReferenceRole::Value, RawQualifier::OfType(of));
                }
            }
            Some(k::MAP_TYPE) => walk.uses(at, ReferenceRole::Value, RawQualifier::Nothing),
            _ => walk.uses(at, ReferenceRole::Value, RawQualifier::Unknown),
        }
        return;
    }
    let role = role(walk, at);
    walk.uses(at, role, RawQualifier::Nothing);
}

fn role(walk: &SyntaxWalk<'_>, at: NodeIndex) -> ReferenceRole {
    let outer = walk.parent(at);
    // `f[int](a, b)` looks like a call of a table's element.
    let at = if walk.kind(outer) == k::INDEX_EXPRESSION && outer + 1 == at { outer } else { at };
    match (walk.kind(walk.parent(at)), walk.field(at)) {
        (k::CALL_EXPRESSION, f::FUNCTION) => ReferenceRole::Call,
        _ => ReferenceRole::Value,
    }
}

fn type_use(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    let qualified = walk.kind(parent) == k::QUALIFIED_TYPE;
    let before = if qualified { RawQualifier::Node(parent + 1) } else { RawQualifier::Nothing };
    let mut whole = if qualified { parent } else { at };
    if walk.is_in(whole, k::GENERIC_TYPE, f::TYPE) {
        whole = walk.parent(whole);
    }
    let outer = walk.parent(whole);
    let role = match walk.kind(outer) {
        k::COMPOSITE_LITERAL => ReferenceRole::Call,
        // `f[int](a)`
        k::TYPE_INSTANTIATION_EXPRESSION if walk.is_in(outer, k::CALL_EXPRESSION, f::FUNCTION) => {
            ReferenceRole::Call
        }
        k::TYPE_CONVERSION_EXPRESSION if walk.kind(whole) == k::GENERIC_TYPE => ReferenceRole::Call,
        k::FIELD_DECLARATION if walk.child(outer, f::NAME).is_none() => ReferenceRole::Extends,
        k::POINTER_TYPE if is_embedded(walk, outer) => ReferenceRole::Extends,
        k::TYPE_ELEM if walk.is_in_alone(whole, k::INTERFACE_TYPE) => ReferenceRole::Extends,
        _ => ReferenceRole::Type,
    };
    walk.uses(at, role, before);
}

/// Returns true if the pointer is a whole field.
fn is_embedded(walk: &SyntaxWalk<'_>, pointer: NodeIndex) -> bool {
    let field = walk.parent(pointer);
    walk.kind(field) == k::FIELD_DECLARATION && walk.child(field, f::NAME).is_none()
}

fn field_use(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let parent = walk.parent(at);
    if walk.kind(parent) == k::SELECTOR_EXPRESSION {
        let role = role(walk, parent);
        let operand = parent + 1;
        let before = match locals::call_type(walk, operand, 0) {
            Some(of) => RawQualifier::OfType(of),
            None => RawQualifier::Node(operand),
        };
        walk.uses(at, role, before);
    }
}

fn import(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(path) = walk.child(at, f::PATH) else { return };
    let ByteRange { start, end } = walk.bytes(path);
    let text = walk.slice(start + 1, end.max(start + 2) - 1);
    let module = walk.symbols.intern(text);
    let brings = match walk.child(at, f::NAME) {
        Some(name) => match walk.kind(name) {
            k::DOT => RawImportNames::Everything,
            k::PACKAGE_IDENTIFIER => RawImportNames::Module(Some(walk.symbol(name))),
            _ => RawImportNames::Module(None),
        },
        None => RawImportNames::Module(Some(walk.symbols.intern(package_name(text)))),
    };
    walk.brings(at, module, brings);
}

/// Returns the usual name of a package with this path.
fn package_name(path: &[u8]) -> &[u8] {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let last = parts.next().unwrap_or(path);
    let is_version = |part: &[u8]| {
        part.strip_prefix(b"v")
            .is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
    };
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    match memchr::memrchr(b'.', last) {
        Some(dot) if is_version(&last[dot + 1..]) => &last[..dot],
        Some(_) | None => last,
    }
}
