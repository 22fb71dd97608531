//! Reads arguments of macros and attributes, which the grammar gives as plain
//! tokens.

use super::super::collected::{BindingKind, ByteRange, LocalBinding, RawQualifier};
use super::super::names::kind as k;
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;
use crate::facts::ReferenceRole;

/// Reads a name among the tokens of a macro by its neighbours.
pub(super) fn name(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let ByteRange { start, end } = walk.bytes(at);
    let left = walk.slice(0, start).trim_ascii_end();
    if binds(walk, at, left) {
        return;
    }
    let right = walk.slice(end, walk.end());
    let gap = right.len() - right.trim_ascii_start().len();
    let right = right.get(gap..).unwrap_or_default();
    let role = match right {
        [b'(', ..] => ReferenceRole::Call,
        [b'!', b'(' | b'[' | b'{' | b' ', ..] if gap == 0 => ReferenceRole::Applies,
        // The name of a field or argument, not a use of one.
        [b':', next, ..] if *next != b':' => {
            parameter(walk, at);
            return;
        }
        [b'=', next, ..] if !matches!(next, b'=' | b'>') && left.ends_with(b",") => return,
        [b':', b':', b'<', ..] if right.iter().take(64).any(|byte| *byte == b'(') => {
            ReferenceRole::Call
        }
        _ => ReferenceRole::Value,
    };
    let before = if left.ends_with(b"::") {
        let path = path_before(left);
        let path = walk.squeezed(start - path, start - 2);
        match walk.symbols.text(path) {
            b"" => RawQualifier::Nothing,
            b"Self" => RawQualifier::Itself,
            _ => RawQualifier::Path(path),
        }
    } else if left.ends_with(b".") && !left.ends_with(b"..") {
        let object = left.len() - 1;
        if left[..object].ends_with(b"self") {
            RawQualifier::Itself
        } else if let Some(object) = previous_name(walk, at) {
            RawQualifier::Node(object)
        } else {
            RawQualifier::Unknown
        }
    } else if left.ends_with(b"'") || left.ends_with(b"$") {
        return;
    } else {
        RawQualifier::Nothing
    };
    if is_word(walk.text(at)) {
        return;
    }
    walk.uses(at, role, before);
}

/// Returns true if a name among tokens must be a variable: `name.`.
///
/// A macro may bind a name in ways that its neighbours do not show.
pub(super) fn is_variable(walk: &SyntaxWalk<'_>, at: NodeIndex) -> bool {
    let next = walk.source.get(walk.bytes(at).end as usize);
    walk.kind(walk.parent(at)) == k::TOKEN_TREE
        && next == Some(&b'.')
        && walk.text(at).first().is_some_and(u8::is_ascii_lowercase)
}

/// Returns true if a name is bound there, as in `|name|`, `let name` and `for
/// name in`.
///
/// It is known in the rest of the tokens between the same brackets.
fn binds(walk: &mut SyntaxWalk<'_>, at: NodeIndex, left: &[u8]) -> bool {
    let left = left.strip_suffix(b"mut").map_or(left, <[u8]>::trim_ascii_end);
    let word = |word: &[u8]| {
        left.strip_suffix(word)
            .is_some_and(|before| !before.last().is_some_and(u8::is_ascii_alphanumeric))
    };
    let brackets = walk.parent(at);
    let (last, around) = if word(b"let") || word(b"for") {
        (at, brackets)
    } else if opens_closure(left) {
        let Some(last) = last_before_bar(walk, at) else { return false };
        (last, brackets)
    } else if left.strip_suffix(b"(").is_some_and(opens_closure) {
        // `|(a, b)|`
        (walk.after(brackets) - 1, walk.parent(brackets))
    } else {
        return false;
    };
    let until = walk.bytes(around).end;
    for name in at..=last {
        let variable = walk.text(name).first().is_some_and(u8::is_ascii_lowercase);
        if walk.kind(name) == k::IDENTIFIER && variable {
            walk.take(name);
            let from = walk.bytes(name).start;
            let symbol = walk.symbol(name);
            walk.bindings.push(LocalBinding {
                name: symbol,
                from,
                until,
                what: BindingKind::Plain,
            });
        }
    }
    true
}

/// Binds `name:` in round brackets: it is a parameter of a function that is
/// passed to the macro, known until the macro ends.
fn parameter(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let brackets = walk.parent(at);
    if walk.text(brackets).starts_with(b"(") {
        let name = walk.symbol(at);
        walk.bind_over(walk.parent(brackets), name, BindingKind::Plain);
    }
}

/// Returns true for keywords, which are plain names among tokens.
fn is_word(name: &[u8]) -> bool {
    let words: [&[u8]; 16] = [
        b"self", b"Self", b"_", b"in", b"if", b"else", b"match", b"return", b"async", b"await",
        b"move", b"ref", b"mut", b"as", b"where", b"loop",
    ];
    words.contains(&name)
}

/// Returns true if a text ends with the bar that opens the parameters of a
/// closure.
fn opens_closure(left: &[u8]) -> bool {
    let left = left.strip_suffix(b"&").unwrap_or(left);
    let Some(before) = left.strip_suffix(b"|") else { return false };
    // Between two values it is an operator.
    let before = before.trim_ascii_end();
    [b"(".as_slice(), b",", b"=", b"{", b";", b"move"].iter().any(|sign| before.ends_with(sign))
}

/// Returns the last name before the next bar.
fn last_before_bar(walk: &SyntaxWalk<'_>, at: NodeIndex) -> Option<NodeIndex> {
    const LONGEST: u32 = 120;
    let start = walk.bytes(at).start;
    let rest = walk.slice(start, walk.end().min(start + LONGEST));
    let close = start + super::offset(memchr::memchr(b'|', rest)?);
    let end = walk.after(walk.parent(at));
    (at..end).take_while(|name| walk.bytes(*name).end <= close).last()
}

/// Returns the length of the path directly before a name, with its last `::`.
fn path_before(left: &[u8]) -> u32 {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b':');
    let length = left.iter().rev().take(256).take_while(part).count();
    super::offset(length)
}

/// Returns the name directly before a dot, unless it is part of a path.
fn previous_name(walk: &SyntaxWalk<'_>, at: NodeIndex) -> Option<NodeIndex> {
    let before = at.checked_sub(1)?;
    let whole =
        walk.kind(before) == k::IDENTIFIER && walk.bytes(before).end + 1 == walk.bytes(at).start;
    let start = walk.bytes(before).start as usize;
    let alone = !matches!(walk.source.get(start.wrapping_sub(1)), Some(b'.' | b':'));
    (whole && alone).then_some(before)
}

/// Records the name of an attribute, and those in `derive`.
pub(super) fn attribute(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let Some(attribute) = walk.child_of(at, k::ATTRIBUTE) else { return };
    let Some(path) = walk.first(attribute) else { return };
    match walk.kind(path) {
        k::IDENTIFIER => walk.uses(path, ReferenceRole::Applies, RawQualifier::Nothing),
        k::SCOPED_IDENTIFIER => {
            let parts: Vec<NodeIndex> = walk.children(path).collect();
            if let [before, name] = parts[..] {
                walk.uses(name, ReferenceRole::Applies, RawQualifier::Node(before));
            }
        }
        _ => {}
    }
    if walk.text(path) != b"derive" {
        return;
    }
    for name in path..walk.after(attribute) {
        let last = !walk.slice(walk.bytes(name).end, walk.end()).starts_with(b"::");
        if name != path && walk.kind(name) == k::IDENTIFIER && last {
            let left = walk.slice(0, walk.bytes(name).start);
            let before = if left.ends_with(b"::") {
                let start = walk.bytes(name).start;
                RawQualifier::Path(walk.squeezed(start - path_before(left), start - 2))
            } else {
                RawQualifier::Nothing
            };
            walk.uses(name, ReferenceRole::Applies, before);
        }
    }
}

/// Returns true if attributes mark something as existing for tests.
pub(super) fn says_test(attributes: &[u8]) -> bool {
    let find = |words: &[u8]| memchr::memmem::find(attributes, words).is_some();
    find(b"#[cfg(test)]") || find(b"#[cfg(all(test") || find(b"#[cfg(any(test")
}

/// Returns true if attributes mark a function as a test: `#[test]`, and similar
/// ones of other crates and the project.
pub(super) fn says_case(attributes: &[u8]) -> bool {
    memchr::memmem::find_iter(attributes, b"#[").any(|at| {
        let path = attributes.get(at + 2..).unwrap_or_default().trim_ascii_start();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        let end = path.iter().position(|byte| !is_part(byte)).unwrap_or(path.len());
        let name = path[..end].rsplit(|byte| *byte == b':').next().unwrap_or_default();
        matches!(name, b"test" | b"rstest" | b"test_case" | b"quickcheck" | b"bench" | b"gtest")
            || name.ends_with(b"_test")
    })
}
