//! The classes of values, as far as the text states them.

use super::super::collected::{BindingKind, ByteRange, RawQualifier, RawUse};
use super::super::names::{field as f, kind as k};
use super::super::symbols::InternedName;
use super::super::tree::{NodeIndex, offset};
use super::super::walk::SyntaxWalk;
use crate::facts::ReferenceRole;

/// Returns the type of the parameter that is assigned.
pub(super) fn passed_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    const NEAR: usize = 64;
    let right = walk.child(at, f::RIGHT).filter(|right| walk.kind(*right) == k::IDENTIFIER)?;
    let name = walk.symbol(right);
    let until = walk.function_scope()?.end;
    let mut near = walk.bindings.iter().rev().take(NEAR);
    match near.find(|binding| binding.name == name && binding.until == until)?.what {
        BindingKind::Typed(of) => Some(of),
        BindingKind::Plain | BindingKind::Itself | BindingKind::Outside => None,
    }
}

/// Returns the type of an assigned value, if it is declared or constructed
/// here.
pub(super) fn value_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    if let Some(declared) = walk.child(at, f::TYPE) {
        return type_name(walk, declared);
    }
    let right = walk.child(at, f::RIGHT)?;
    made_type(walk, right)
}

/// Returns the class of `A()`, or the result of `a()`: only the file that
/// defines it can tell a lower-case class from a function.
pub(super) fn made_type(walk: &mut SyntaxWalk<'_>, value: NodeIndex) -> Option<InternedName> {
    match walk.kind(value) {
        k::STRING => return Some(walk.symbols.intern(b"str")),
        k::CALL => {}
        _ => return None,
    }
    let called = walk.child(value, f::FUNCTION)?;
    if is_class_name(walk, called) {
        return Some(walk.path(called));
    }
    let text = walk.text(called);
    let own = text.starts_with(b"self.") || text.starts_with(b"cls");
    (is_dotted_name(text) && !own).then(|| walk.result(called))
}

/// Returns true if the called name is spelled like a class.
pub(super) fn is_class_name(walk: &SyntaxWalk<'_>, called: NodeIndex) -> bool {
    let last = match walk.kind(called) {
        k::IDENTIFIER => Some(called),
        k::ATTRIBUTE => walk.child(called, f::ATTRIBUTE),
        _ => None,
    };
    let Some(last) = last else { return false };
    let text = walk.text(last);
    let text = text.strip_prefix(b"_").unwrap_or(text);
    text.first().is_some_and(u8::is_ascii_uppercase) && !is_upper_case(text)
}

/// Returns the class that a type annotation names.
pub(super) fn type_name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) -> Option<InternedName> {
    let mut at = at;
    for _ in 0..8 {
        at = match walk.kind(at) {
            k::IDENTIFIER | k::ATTRIBUTE | k::MEMBER_TYPE => return Some(walk.path(at)),
            k::STRING => {
                let text = walk.text(at);
                let text = text.get(1..text.len().max(2) - 1)?;
                return is_dotted_name(text).then(|| walk.symbols.intern(text));
            }
            k::SUBSCRIPT | k::GENERIC_TYPE => {
                let base = walk.first(at)?;
                if walk.text(base) == b"Optional" { walk.children(at).nth(1)? } else { base }
            }
            k::BINARY_OPERATOR | k::UNION_TYPE => {
                let parts: Vec<NodeIndex> = walk.children(at).collect();
                let [left, right] = parts[..] else { return None };
                match (walk.text(left), walk.text(right)) {
                    (_, b"None") => left,
                    (b"None", _) => right,
                    _ => return None,
                }
            }
            k::TYPE | k::TYPE_PARAMETER => walk.first(at)?,
            _ => return None,
        };
    }
    None
}

/// Reads a type in quotes, which is used like one without.
pub(super) fn quoted_type(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let ByteRange { start, end } = walk.bytes(at);
    let text = walk.slice(start + 1, end.max(start + 2) - 1);
    if !is_dotted_name(text) {
        return;
    }
    let dot = memchr::memrchr(b'.', text);
    let name = dot.map_or(text, |dot| &text[dot + 1..]);
    let before = match dot {
        Some(dot) => RawQualifier::Path(walk.symbols.intern(&text[..dot])),
        None => RawQualifier::Nothing,
    };
    let name_end = end - 1;
    let bytes = ByteRange { start: name_end - offset(name.len()), end: name_end };
    let name = walk.symbols.intern(name);
    let within = walk.within();
    walk.uses.push(RawUse { name, role: ReferenceRole::Type, before, within, bytes });
}

fn is_dotted_name(text: &[u8]) -> bool {
    let good = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    !text.is_empty() && text.iter().all(good) && !text[0].is_ascii_digit()
}

pub(super) fn is_upper_case(text: &[u8]) -> bool {
    let good = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    text.iter().all(good) && text.iter().any(u8::is_ascii_uppercase)
}
