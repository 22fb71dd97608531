//! Text from elsewhere that has to stay in its line.
//!
//! A file may have any name, a test any id. What breaks a line, moves a cursor
//! or turns the direction of writing becomes a blank, so that nothing that is
//! data can begin a line of its own.

use std::borrow::Cow;

/// The text with a blank for whatever could leave its line.
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
