//! Keeps foreign text within its line.
//!
//! A file may have any name, a test any id. Characters that break a line, move the
//! cursor or change the direction of writing become blanks, so that data can never
//! start a line of its own.

use std::borrow::Cow;

/// Replaces every character that could leave the line by a blank.
pub fn inline(text: &str) -> Cow<'_, str> {
    if text.contains(leaves) { Cow::Owned(text.replace(leaves, " ")) } else { Cow::Borrowed(text) }
}

fn leaves(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || matches!(c, '\u{2028}' | '\u{2029}') || c.is_control() && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_line() {
        for c in ["\n", "\r", "\u{b}", "\u{85}", "\u{2028}", "\u{2029}", "\u{202e}", "\u{1b}"] {
            assert_eq!(inline(&format!("a{c}b")), "a b", "{c:?}");
        }
        assert!(matches!(inline("\tsrc/가.rs: x"), Cow::Borrowed(_)));
    }
}
