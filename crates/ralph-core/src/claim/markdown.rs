//! The parts of Markdown that are not the author's own words: code and quotations.

use std::collections::HashMap;
use std::ops::Range;

const EMPHASIS: [char; 2] = ['*', '_'];
const OPENING_QUOTES: [char; 8] = ['“', '‘', '„', '「', '『', '«', '‹', '《'];
const CLOSING_QUOTES: [char; 7] = ['”', '’', '」', '』', '»', '›', '》'];
const STRAIGHT_QUOTES: [char; 2] = ['"', '\''];

/// Returns true if `c` may end a quotation.
pub(crate) fn closes_quote(c: char) -> bool {
    CLOSING_QUOTES.contains(&c) || STRAIGHT_QUOTES.contains(&c)
}

/// Returns true if `found` is inside a fenced block or an inline code span.
pub(super) fn is_code(text: &str, found: &Range<usize>) -> bool {
    let line_start = line_start(text, found.start);
    let before = &text[line_start..found.start];
    let after = text[found.end..].split('\n').next().unwrap_or_default();
    let touches =
        outside_emphasis_before(before) == Some('`') || outside_emphasis_after(after) == Some('`');
    touches
        || opens_fence(before)
        || in_code_span(before, after)
        || ends_in_fence(&text[..line_start])
}

/// Returns true if `found` is in a `>` line or between quotation marks.
pub(super) fn is_quoted(text: &str, found: &Range<usize>) -> bool {
    let before = &text[line_start(text, found.start)..found.start];
    is_quote_line(before)
        || ends_with_opening_quote(before)
        || outside_emphasis_after(&text[found.end..]).is_some_and(closes_quote)
}

/// Returns true if a line belongs to a block quotation.
pub(crate) fn is_quote_line(line: &str) -> bool {
    without_bullet(line).starts_with('>')
}

/// Returns true if a line is a list item.
pub(crate) fn is_list_item(line: &str) -> bool {
    without_bullet(line).len() < line.trim_start().len()
}

/// Returns true if a line opens a fenced block; everything after the marks counts
/// as code too.
pub(crate) fn opens_fence(line: &str) -> bool {
    CodeFence::opened_by(line).is_some()
}

/// Returns true if these whole lines leave a fenced block open.
pub(crate) fn ends_in_fence(lines: &str) -> bool {
    // Most texts have no fence; this check is faster than reading every line.
    if !lines.contains("```") && !lines.contains("~~~") {
        return false;
    }
    let mut open: Option<CodeFence> = None;
    for line in lines.lines() {
        open = match open {
            None => CodeFence::opened_by(line),
            Some(fence) if fence.is_closed_by(line) => None,
            Some(fence) => Some(fence),
        };
    }
    open.is_some()
}

/// Returns the byte at which the line that holds `at` begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

#[derive(Clone, Copy)]
struct CodeFence {
    mark: char,
    length: usize,
}

impl CodeFence {
    /// Accepts any indentation and a list mark: agents put fences into list items,
    /// and after a missed opening fence the closing one would open a block.
    fn opened_by(line: &str) -> Option<Self> {
        let line = without_bullet(line);
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        let sound = length >= 3 && (mark == '~' || !info.contains('`'));
        sound.then_some(Self { mark, length })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_mark = if numbered.len() < line.len() {
        numbered.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•'])
    };
    match after_mark {
        Some(item) if item.starts_with([' ', '\t']) => item.trim_start(),
        Some(_) | None => line,
    }
}

fn ends_with_opening_quote(before: &str) -> bool {
    let before = before.trim_end_matches(EMPHASIS);
    if before.ends_with(OPENING_QUOTES) {
        return true;
    }
    // A straight mark closes a quotation when it touches what it ends.
    before.strip_suffix(STRAIGHT_QUOTES).is_some_and(|rest| {
        !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '!' | '?' | ','))
    })
}

fn outside_emphasis_before(before: &str) -> Option<char> {
    before.trim_end_matches(EMPHASIS).chars().next_back()
}

fn outside_emphasis_after(after: &str) -> Option<char> {
    after.trim_start_matches(EMPHASIS).chars().next()
}

/// Returns true if a code span opened in `before` is closed in `after`.
///
/// A run of backticks is closed by the next run of the same length; a run that is
/// never closed is plain text.
fn in_code_span(before: &str, after: &str) -> bool {
    let mut runs = backtick_runs(before);
    let boundary = runs.len();
    runs.extend(backtick_runs(after));
    let last_of_length: HashMap<usize, usize> =
        runs.iter().enumerate().map(|(at, &length)| (length, at)).collect();
    let mut at = 0;
    while at < boundary {
        let length = runs[at];
        if last_of_length.get(&length).is_none_or(|&last| last == at) {
            at += 1;
            continue;
        }
        let closing = runs[at + 1..].iter().position(|&other| other == length);
        at = closing.map_or(at, |offset| at + 1 + offset) + 1;
        if at > boundary {
            return true;
        }
    }
    false
}

fn backtick_runs(text: &str) -> Vec<usize> {
    text.split(|c| c != '`').map(str::len).filter(|&length| length > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_closed_only_by_its_own_kind() {
        for open in ["```\n", "```rust\n", "~~~\n```\n", "````\n```\n", "- ```sh\n  x\n"] {
            assert!(ends_in_fence(open), "{open:?}");
        }
        for shut in ["```\n```\n", "~~~\n~~~~\n", "1. ```\n   ```\n", "```x```\n", "text\n", ""] {
            assert!(!ends_in_fence(shut), "{shut:?}");
        }
    }

    #[test]
    fn a_code_span_needs_a_closing_run_of_the_same_length() {
        assert!(in_code_span("say `", "` now"));
        assert!(in_code_span("`a` then ``b ", " c``"));
        assert!(!in_code_span("`a` then ", " and `b`"));
        assert!(!in_code_span("a ` b ", ""));
        assert!(!in_code_span("a `` b ", " `c`"));
    }
}
