//! Literal patterns that are matched backwards from where they end.
//!
//! No regular expressions: a promise may hold any character, and matching
//! from the end costs only as much as the pattern is long.

use std::ops::Range;

/// A literal with flexible white space where white space has no meaning.
#[derive(Debug)]
pub(super) struct LiteralPattern {
    atoms: Vec<PatternAtom>,
    case: CaseMatching,
}

#[derive(Debug)]
struct PatternAtom {
    /// The space allowed between the previous atom and this one.
    gap: PatternGap,
    letter: char,
}

#[derive(Clone, Copy, Debug)]
enum PatternGap {
    /// Nothing.
    Tight,
    /// White space or nothing.
    Loose,
    /// At least one white space character.
    Space,
}

#[derive(Clone, Copy, Debug)]
enum CaseMatching {
    Exact,
    Folded,
}

impl LiteralPattern {
    /// Creates a markup pattern: any letter case, optional white space beside `<`,
    /// `>` and `/`.
    pub(super) fn markup(text: &str) -> Self {
        let loose = |a, b| a == '>' || b == '<' || (b == '/' && a != '<');
        Self { atoms: atoms(text, loose), case: CaseMatching::Folded }
    }

    /// Creates a pattern for exactly `text`, where any white space matches any other.
    pub(super) fn word(text: &str) -> Self {
        Self { atoms: atoms(text, |_, _| false), case: CaseMatching::Exact }
    }

    /// Finds the last match in `text` that ends after `from` and is not part of a
    /// longer word.
    pub(super) fn rfind(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let last = self.atoms.last()?.letter;
        let mut searched = text.get(from..)?;
        loop {
            // A character without letter case is found by the much faster byte search.
            let at = match self.case {
                CaseMatching::Folded if last.is_alphabetic() => {
                    searched.rfind(|c| self.case.same(c, last))?
                }
                CaseMatching::Folded | CaseMatching::Exact => searched.rfind(last)?,
            };
            let end = from + at + searched[at..].chars().next()?.len_utf8();
            if let Some(start) = self.start_of(text, end) {
                return Some(start..end);
            }
            searched = &searched[..at];
        }
    }

    /// Returns the start of a match that ends at `end`.
    fn start_of(&self, text: &str, end: usize) -> Option<usize> {
        let mut start = end;
        for atom in self.atoms.iter().rev() {
            let letter = text[..start].chars().next_back()?;
            if !self.case.same(letter, atom.letter) {
                return None;
            }
            start -= letter.len_utf8();
            let without_space = text[..start].trim_end().len();
            start = match atom.gap {
                PatternGap::Tight => start,
                PatternGap::Loose => without_space,
                PatternGap::Space if without_space < start => without_space,
                PatternGap::Space => return None,
            };
        }
        is_whole(text, &(start..end)).then_some(start)
    }
}

impl CaseMatching {
    fn same(self, a: char, b: char) -> bool {
        match self {
            Self::Exact => a == b,
            Self::Folded if a.is_ascii() && b.is_ascii() => a.eq_ignore_ascii_case(&b),
            Self::Folded => a == b || a.to_lowercase().eq(b.to_lowercase()),
        }
    }
}

fn atoms(text: &str, loose: impl Fn(char, char) -> bool) -> Vec<PatternAtom> {
    let mut atoms: Vec<PatternAtom> = Vec::new();
    let mut space = false;
    for letter in text.chars() {
        if letter.is_whitespace() {
            space = true;
            continue;
        }
        let gap = match atoms.last() {
            Some(previous) if loose(previous.letter, letter) => PatternGap::Loose,
            Some(_) if space => PatternGap::Space,
            Some(_) | None => PatternGap::Tight,
        };
        atoms.push(PatternAtom { gap, letter });
        space = false;
    }
    atoms
}

/// Returns true if no letter or digit continues the word on either side.
///
/// Underscores are ignored: `_DONE_` is emphasis, `NOT_DONE` a word.
fn is_whole(text: &str, found: &Range<usize>) -> bool {
    let joins = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(char::is_alphanumeric) && outer.is_some_and(char::is_alphanumeric)
    };
    let inside = text[found.clone()].trim_matches('_');
    let before = text[..found.start].trim_end_matches('_').chars().next_back();
    let after = text[found.end..].trim_start_matches('_').chars().next();
    !joins(inside.chars().next(), before) && !joins(inside.chars().next_back(), after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &LiteralPattern, text: &str, want: Option<&str>) {
        let found = pattern.rfind(text, 0).map(|range| &text[range]);
        assert_eq!(found, want, "{pattern:?} in {text:?}");
    }

    #[test]
    fn markup_is_free_in_case_and_in_white_space_around_tags() {
        let done = LiteralPattern::markup("<ralph:done />");
        for text in ["<ralph:done />", "<RALPH:Done/>", "<ralph:done\n\t/>"] {
            check(&done, text, Some(text));
        }
        for text in ["<ralph :done />", "< ralph:done />", "<ralph:done / >"] {
            check(&done, text, None);
        }
    }

    #[test]
    fn white_space_inside_words_is_free_but_needed() {
        let all = LiteralPattern::word("ALL DONE");
        check(&all, "it is ALL \n DONE now", Some("ALL \n DONE"));
        check(&all, "ALLDONE", None);
        check(&all, "all done", None);
    }

    #[test]
    fn a_part_of_a_longer_word_is_not_found() {
        let done = LiteralPattern::word("DONE");
        for text in ["UNDONE", "DONE2", "NOT_DONE", "DONE__x", "완료DONE"] {
            check(&done, text, None);
        }
        for text in ["_DONE_", "DONE", ">DONE<", "(DONE)", "DONE-ish"] {
            check(&done, text, Some("DONE"));
        }
    }
}
