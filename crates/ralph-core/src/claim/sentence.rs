//! Sentence boundaries, precise enough to know which sentence holds a word.

/// Number of characters searched backwards for the start of a sentence.
const REACH: usize = 2_000;

/// Returns the unfinished sentence at the end of `text`; empty after a full stop.
///
/// A line break ends a sentence, with one exception: a line without a word belongs
/// to the line above if that one ends in a colon or a comma. "When finished,
/// output:" is not over yet.
pub(crate) fn unfinished(text: &str) -> &str {
    let start = start_of_last(text);
    let begins_line = start == 0 || text[..start].ends_with('\n');
    if begins_line && !text[start..].contains(char::is_alphanumeric) {
        let above = text[..start].trim_end();
        if above.trim_end_matches(['*', '_']).ends_with([':', '：', ',']) {
            return &text[start_of_last(above)..];
        }
    }
    &text[start..]
}

/// Returns the beginning of `text`, up to the end of its first sentence or line.
pub(crate) fn first(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    line.split_inclusive(is_stop).next().unwrap_or_default()
}

/// Returns the byte at which the last, unfinished sentence of `text` begins.
pub(crate) fn start_of_last(text: &str) -> usize {
    let mut start = text.len();
    // A stop counts only before white space: `main.rs` is one word.
    let mut before_gap = true;
    for (at, c) in text.char_indices().rev().take(REACH) {
        if c == '\n' || is_wide_stop(c) || (before_gap && is_stop(c)) {
            return at + c.len_utf8();
        }
        before_gap = c.is_whitespace() || (before_gap && is_closing(c));
        start = at;
    }
    start
}

/// Returns true if `c` ends sentences.
pub(crate) fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?') || is_wide_stop(c)
}

/// Returns true for full stops that need no space after them.
fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？')
}

fn is_closing(c: char) -> bool {
    matches!(c, '*' | '_' | '"' | '\'' | '”' | '’' | '」' | ')' | ']' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(unfinished(text).trim(), want, "{text:?}");
    }

    #[test]
    fn a_sentence_ends_at_stops_and_line_breaks() {
        check("All is well. So I say ", "So I say");
        check("All is well.", "");
        check("**All is well.** ", "**");
        check("끝났습니다。이제 ", "이제");
        check("When ready\n", "");
        check("fixed main.rs and ", "fixed main.rs and");
    }

    #[test]
    fn a_colon_or_comma_carries_a_sentence_over_a_line_break() {
        check("Hi. When done, output:\n\n", "When done, output:");
        check("**When done,**\n- ", "**When done,**\n-");
        check("If so: yes.\n", "");
        check("Summary: if x\nso ", "so");
    }
}
