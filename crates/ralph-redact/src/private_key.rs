//! Private keys in PEM armour: over many lines, or on one with `\n` escapes.

use super::SecretSpan;

/// The kind shown in place of a private key.
pub(super) const KIND: &str = "private-key";

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// Maximum length of an armour label, with room for unknown ones.
const LABEL_LIMIT: usize = 64;
/// Length from which a run of base64 counts as key material.
const MATERIAL: usize = 16;
/// Length that no word reaches.
const PURE: usize = 40;

/// The relation of a line to the key that was open before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyLine {
    /// The whole line is key material.
    Inside,
    /// The key ends on this line, at this byte.
    EndsAt(usize),
    /// The key was cut short before this line.
    NotOfKey,
}

/// Finds keys that begin on `line`; returns true if one is still open at its end.
pub(super) fn find(line: &str, spans: &mut Vec<SecretSpan>) -> bool {
    let mut from = 0;
    while let Some(found) = line[from..].find(BEGIN) {
        let start = from + found;
        from = start + BEGIN.len();
        let Some(body) = label_end(line, from) else { continue };
        if is_literal(&line[..start], &line[body..]) {
            continue;
        }
        let stop = line[body..].find(DASHES).map_or(line.len(), |dashes| body + dashes);
        let text = &line[body..stop];
        if line[stop..].starts_with(END) {
            if has_material(text) {
                from = end_of_armour(line, stop);
                spans.push(SecretSpan { start, end: from, kind: KIND });
            }
        } else if is_empty_body(text) {
            from = body;
            spans.push(SecretSpan { start, end: body, kind: KIND });
            if stop == line.len() {
                return true;
            }
        } else if has_material(text) {
            let length = text.find(|c| !is_body(c)).unwrap_or(text.len());
            from = body + length;
            spans.push(SecretSpan { start, end: from, kind: KIND });
            if line[from..].trim_end().is_empty() {
                return true;
            }
        }
    }
    false
}

/// Determines whether `line` continues an open key.
pub(super) fn body_end(line: &str) -> KeyLine {
    let begin = line.find(BEGIN).unwrap_or(line.len());
    if let Some(end) = line[..begin].find(END) {
        return KeyLine::EndsAt(end_of_armour(line, end));
    }
    if begin < line.len() {
        return KeyLine::NotOfKey;
    }
    let text = line.trim();
    if text.is_empty() || is_armour_header(text) || has_material(text) && is_mostly_material(text) {
        return KeyLine::Inside;
    }
    let bare = without_line_number(text).trim_matches(is_decoration);
    if !bare.is_empty() && bare.chars().all(is_base64) {
        KeyLine::Inside
    } else {
        KeyLine::NotOfKey
    }
}

/// Returns true if a line is certainly nothing but key material.
pub(super) fn is_pure_material(line: &str) -> bool {
    let text = line.trim();
    text.len() >= PURE && text.chars().all(is_base64)
}

/// Returns the end of a private key's opening line whose label starts at `from`.
fn label_end(line: &str, from: usize) -> Option<usize> {
    let length = line[from..].find(DASHES).filter(|length| *length <= LABEL_LIMIT)?;
    let label = &line[from..from + length];
    let is_label = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
    let is_private = label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK");
    (is_private && label.bytes().all(is_label)).then_some(from + length + DASHES.len())
}

/// Returns the byte after the closing dashes of the armour line at `end`.
fn end_of_armour(line: &str, end: usize) -> usize {
    let label = end + END.len();
    line[label..]
        .find(DASHES)
        .filter(|length| *length <= LABEL_LIMIT)
        .map_or(label, |length| label + length + DASHES.len())
}

/// Returns true if one pair of quotes holds the opening line and nothing else, as
/// in a program that searches for it.
fn is_literal(before: &str, after: &str) -> bool {
    let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    quote.is_some_and(|quote| {
        after.strip_prefix(quote).is_some_and(|rest| !rest.trim_start().starts_with(['+', '\\']))
    })
}

/// Returns true if only quotes and line breaks follow, as in source code.
fn is_empty_body(text: &str) -> bool {
    text.split("\\n").all(|part| part.chars().all(is_decoration))
}

fn has_material(text: &str) -> bool {
    text.split(|c| !is_base64(c)).any(|run| run.len() >= MATERIAL)
}

/// Returns true for key material, even with line numbers, margins or quotes around it.
fn is_mostly_material(text: &str) -> bool {
    let longest = text.split(|c| !is_base64(c)).map(str::len).max().unwrap_or(0);
    text.len() - longest <= MATERIAL
}

/// Removes the margin of a numbered listing: `12→`, `12:`, `12 |`.
fn without_line_number(text: &str) -> &str {
    match text.split_once(['→', ':', '|', '\t']) {
        Some((margin, rest)) if margin.trim().bytes().all(|byte| byte.is_ascii_digit()) => rest,
        Some(_) | None => text,
    }
}

/// Returns true for `Proc-Type: 4,ENCRYPTED` and similar headers, which precede the body.
fn is_armour_header(text: &str) -> bool {
    ["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Hash: ", "Charset: "]
        .iter()
        .any(|name| text.trim_start_matches(is_decoration).starts_with(name))
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

fn is_body(c: char) -> bool {
    is_base64(c) || matches!(c, '\\' | ' ' | '\t' | ',' | ':' | '-' | '.')
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '+' | '-' | ',' | '\\' | '>' | '|' | '#')
}
