//! Names that are local to a function.

use super::super::collected::BindingKind;
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

/// Binds parameters and named results of the function whose scope is open.
pub(super) fn parameters(walk: &mut SyntaxWalk<'_>, function: NodeIndex) {
    let lists = [walk.child(function, f::PARAMETERS), walk.child(function, f::RESULT)];
    for list in lists.into_iter().flatten() {
        let parameters: Vec<NodeIndex> = walk.children(list).collect();
        for parameter in parameters {
            let of = walk.child(parameter, f::TYPE).and_then(|of| type_name(walk, of));
            let many = walk.kind(parameter) == k::VARIADIC_PARAMETER_DECLARATION;
            let what = of.filter(|_| !many).map_or(BindingKind::Plain, BindingKind::Typed);
            for name in names(walk, parameter) {
                walk.take(name);
                let symbol = walk.symbol(name);
                walk.bind(symbol, what);
            }
        }
    }
}

/// Skips parameters of a function type or signature: they mean nothing
/// elsewhere.
pub(super) fn unnamed(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        for name in names(walk, parameter) {
            walk.take(name);
        }
    }
}

fn names(walk: &SyntaxWalk<'_>, parameter: NodeIndex) -> Vec<NodeIndex> {
    walk.children(parameter).filter(|name| walk.field(*name) == f::NAME).collect()
}

pub(super) fn type_parameters(walk: &mut SyntaxWalk<'_>, list: NodeIndex) {
    let owner = walk.parent(list);
    let parameters: Vec<NodeIndex> = walk.children(list).collect();
    for parameter in parameters {
        for name in names(walk, parameter) {
            walk.take(name);
            let symbol = walk.symbol(name);
            walk.bind_over(owner, symbol, BindingKind::Plain);
        }
    }
}

/// Binds `T` in `func (l *List[T]) Len() int`.
pub(super) fn receiver_parameters(walk: &mut SyntaxWalk<'_>, arguments: NodeIndex) {
    let mut function = arguments;
    while function != 0 && walk.kind(function) != k::METHOD_DECLARATION {
        function = walk.parent(function);
    }
    for at in arguments..walk.after(arguments) {
        if walk.kind(at) == k::TYPE_IDENTIFIER {
            walk.take(at);
            let symbol = walk.symbol(at);
            walk.bind_over(function, symbol, BindingKind::Plain);
        }
    }
}

/// Reads `a, b := …`, also in `range` and `case`.
pub(super) fn short(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(left) = walk.child(at, f::LEFT) else { return };
    let right = walk.child(at, f::RIGHT);
    let between_end = right.map_or(walk.bytes(at).end, |right| walk.bytes(right).start);
    let between = walk.slice(walk.bytes(left).end, between_end);
    if memchr::memmem::find(between, b":=").is_none() {
        return;
    }
    let made = match walk.kind(at) {
        k::SHORT_VAR_DECLARATION => made_types(walk, right),
        _ => Vec::new(),
    };
    let end = walk.bytes(at).end;
    declare(walk, left, end, &made);
}

/// Binds the names of a list from a byte on.
pub(super) fn declare(
    walk: &mut SyntaxWalk<'_>,
    list: NodeIndex,
    from: u32,
    types: &[Option<InternedName>],
) {
    let names: Vec<NodeIndex> = match walk.kind(list) {
        k::IDENTIFIER => vec![list],
        _ => walk.children(list).collect(),
    };
    for (place, name) in names.into_iter().enumerate() {
        if walk.kind(name) == k::IDENTIFIER {
            walk.take(name);
            let symbol = walk.symbol(name);
            let of = types.get(place).copied().flatten();
            walk.bind_from(symbol, from, of.map_or(BindingKind::Plain, BindingKind::Typed));
        }
    }
}

/// Returns the types of values that are constructed here.
pub(super) fn made_types(
    walk: &mut SyntaxWalk<'_>,
    values: Option<NodeIndex>,
) -> Vec<Option<InternedName>> {
    let Some(values) = values else { return Vec::new() };
    let values: Vec<NodeIndex> = walk.children(values).collect();
    values.into_iter().map(|value| made_type(walk, value)).collect()
}

fn made_type(walk: &mut SyntaxWalk<'_>, value: NodeIndex) -> Option<InternedName> {
    let literal = match walk.kind(value) {
        k::UNARY_EXPRESSION => walk.child(value, f::OPERAND)?,
        k::CALL_EXPRESSION => return call_type(walk, value, 0),
        _ => value,
    };
    if !matches!(walk.kind(literal), k::COMPOSITE_LITERAL | k::TYPE_ASSERTION_EXPRESSION) {
        return None;
    }
    walk.child(literal, f::TYPE).and_then(|of| type_name(walk, of))
}

/// Returns the type of a function's result, the first of several.
pub(super) fn result_type(walk: &mut SyntaxWalk<'_>, result: NodeIndex) -> Option<InternedName> {
    if walk.kind(result) != k::PARAMETER_LIST {
        return type_name(walk, result);
    }
    let first = walk.first(result)?;
    let of = walk.child(first, f::TYPE)?;
    type_name(walk, of)
}

/// Maximum length of a chain of calls that is followed.
const CHAIN: usize = 8;

/// Maximum number of bindings that are searched for a name.
const NEAR: usize = 256;

/// Returns the result of a call as a name: `NewRouter()`, `Router.NewRoute()`.
/// A call on a variable is a call on its type.
pub(super) fn call_type(
    walk: &mut SyntaxWalk<'_>,
    call: NodeIndex,
    depth: usize,
) -> Option<InternedName> {
    if walk.kind(call) != k::CALL_EXPRESSION || depth > CHAIN {
        return None;
    }
    let called = walk.child(call, f::FUNCTION)?;
    if walk.text(called) == b"new" {
        let arguments = walk.child(call, f::ARGUMENTS)?;
        let of = walk.first(arguments)?;
        return type_name(walk, of);
    }
    if walk.kind(called) == k::IDENTIFIER {
        return matches!(bound(walk, called)?, BindingKind::Outside).then(|| walk.result(called));
    }
    let (operand, field) = (walk.first(called)?, walk.child(called, f::FIELD)?);
    let of = match walk.kind(operand) {
        k::IDENTIFIER => match bound(walk, operand)? {
            BindingKind::Typed(of) => of,
            BindingKind::Itself => walk.container().and_then(|method| walk.defs[method].owner)?,
            BindingKind::Outside => walk.symbol(operand),
            BindingKind::Plain => return None,
        },
        _ => call_type(walk, operand, depth + 1)?,
    };
    let text = [walk.symbols.text(of), b".", walk.text(field), b"()"].concat();
    Some(walk.symbols.make(&text))
}

/// Returns the meaning of a name here; `None` if too many others are nearer.
fn bound(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<BindingKind> {
    let (name, byte) = (walk.symbol(at), walk.bytes(at).start);
    let Some(function) = walk.container() else { return Some(BindingKind::Outside) };
    let start = walk.defs[function].bytes.start;
    let near = walk.bindings.iter().rev().take_while(|it| it.from >= start);
    for (count, binding) in near.enumerate() {
        if count > NEAR {
            return None;
        }
        if binding.name == name && binding.from <= byte && byte < binding.until {
            return Some(binding.what);
        }
    }
    Some(BindingKind::Outside)
}

/// Returns the type whose methods a value of this type has.
pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, of: NodeIndex) -> Option<InternedName> {
    let mut at = of;
    for _ in 0..4 {
        at = match walk.kind(at) {
            k::TYPE_IDENTIFIER | k::IDENTIFIER => return Some(walk.symbol(at)),
            k::QUALIFIED_TYPE => return Some(walk.path(at)),
            k::POINTER_TYPE | k::PARENTHESIZED_TYPE => walk.first(at)?,
            k::GENERIC_TYPE => walk.child(at, f::TYPE)?,
            _ => return None,
        };
    }
    None
}
