//! Estimates how many tokens of a language model a text has.
//!
//! The estimate needs no vocabulary. A text is split as common vocabularies split
//! it before the lookup: a word includes one sign or space before it, digits form
//! groups of three, marks stay together. The cost of a piece follows from its
//! script and length; the costs were fitted to a vocabulary of 200,000 tokens.
//! Compared with that one, English, Korean, Chinese, Japanese, Rust and Python are
//! within 5 %. Other vocabularies split finer, so use [`with_margin`] for them.
//!
//! Lines can be counted one by one: the count of a text is the sum of those of its lines.

use std::iter::Peekable;
use std::str::Chars;

/// The cost of one token.
const WHOLE: usize = 100;

/// Number of tokens of other vocabularies per 100 of ours.
const MARGIN: usize = 115;

/// Estimates the number of tokens in a text.
pub fn estimate(text: &str) -> usize {
    text.split_inclusive('\n').map(|line| (line_cost(line) + WHOLE / 2) / WHOLE).sum()
}

/// Returns the part of a budget that our count may fill, so that other vocabularies
/// fit as well.
pub const fn with_margin(budget: usize) -> usize {
    // Division first avoids an overflow with a very large budget.
    budget / MARGIN * WHOLE + budget % MARGIN * WHOLE / MARGIN
}

/// Converts our count to an upper bound for other vocabularies.
pub const fn without_margin(tokens: usize) -> usize {
    tokens.saturating_mul(MARGIN).div_ceil(WHOLE)
}

/// The class of a character, for splitting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    /// Latin letters, including those with diacritics.
    Latin,
    /// Korean syllables.
    Hangul,
    /// Scripts in which a sign is a syllable or a word.
    Signs,
    /// Letters of other alphabets.
    Alphabet,
    Digit,
    Space,
    LineEnd,
    /// Emoji and other pictures.
    Picture,
    Mark,
}

impl CharClass {
    fn of(char: char) -> Self {
        match char {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Self::Latin,
            '0'..='9' => Self::Digit,
            '\n' | '\r' => Self::LineEnd,
            char if char.is_whitespace() => Self::Space,
            char if char.is_ascii() => Self::Mark,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => {
                Self::Hangul
            }
            '\u{1f000}'..='\u{1faff}' => Self::Picture,
            char if !char.is_alphanumeric() => Self::Mark,
            '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
                Self::Signs
            }
            _ => Self::Alphabet,
        }
    }

    const fn is_letter(self) -> bool {
        matches!(self, Self::Latin | Self::Hangul | Self::Signs | Self::Alphabet)
    }
}

/// The character before a word that belongs to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadingChar {
    Nothing,
    Space,
    Mark,
}

fn line_cost(line: &str) -> usize {
    let mut chars = line.chars().peekable();
    let mut lead = LeadingChar::Nothing;
    let mut cost = 0;
    while let Some(&next) = chars.peek() {
        let class = CharClass::of(next);
        let before = std::mem::replace(&mut lead, LeadingChar::Nothing);
        cost += match class {
            CharClass::Latin | CharClass::Hangul | CharClass::Signs | CharClass::Alphabet => {
                word(&mut chars, before)
            }
            CharClass::Digit => {
                let length = run(&mut chars, class);
                length.div_ceil(3) * WHOLE + alone(before)
            }
            CharClass::Space => {
                let length = run(&mut chars, class);
                let ends =
                    chars.peek().is_none_or(|next| CharClass::of(*next) == CharClass::LineEnd);
                lead = if ends { LeadingChar::Nothing } else { LeadingChar::Space };
                if length > 1 && !ends { WHOLE } else { 0 }
            }
            // After marks a line end is a part of them; an empty line costs nothing.
            CharClass::LineEnd => {
                run(&mut chars, class);
                if cost == 0 { 0 } else { WHOLE }
            }
            CharClass::Picture => run(&mut chars, class) * 2 * WHOLE,
            CharClass::Mark => {
                let length = run(&mut chars, class);
                let follows = chars.peek().map(|next| CharClass::of(*next));
                if length == 1
                    && before == LeadingChar::Nothing
                    && follows.is_some_and(CharClass::is_letter)
                {
                    lead = LeadingChar::Mark;
                    continue;
                }
                if follows == Some(CharClass::LineEnd) {
                    run(&mut chars, CharClass::LineEnd);
                }
                WHOLE + length.saturating_sub(2) * 30
            }
        };
    }
    cost
}

/// Consumes all characters of one class and returns their number.
fn run(chars: &mut Peekable<Chars<'_>>, class: CharClass) -> usize {
    let mut length = 0;
    while chars.next_if(|next| CharClass::of(*next) == class).is_some() {
        length += 1;
    }
    length
}

/// Returns the cost of a leading character that does not join the piece, as before digits.
const fn alone(lead: LeadingChar) -> usize {
    match lead {
        LeadingChar::Nothing => 0,
        LeadingChar::Space | LeadingChar::Mark => WHOLE,
    }
}

/// Consumes a word up to the next one, as in `getUserName`, and returns its cost.
fn word(chars: &mut Peekable<Chars<'_>>, lead: LeadingChar) -> usize {
    let mut counts = LetterCounts::default();
    let mut before: Option<char> = None;
    while let Some(next) = chars.next_if(|next| {
        CharClass::of(*next).is_letter()
            && !(next.is_uppercase() && before.is_some_and(char::is_lowercase))
    }) {
        counts.add(next, before);
        before = Some(next);
    }
    counts.cost(lead)
}

/// The number of letters of each kind in a word.
#[derive(Default)]
struct LetterCounts {
    latin: usize,
    hangul: usize,
    signs: usize,
    alphabet: usize,
    /// Capitals after capitals.
    shouted: usize,
}

impl LetterCounts {
    fn add(&mut self, letter: char, before: Option<char>) {
        match CharClass::of(letter) {
            CharClass::Latin => self.latin += 1,
            CharClass::Hangul => self.hangul += 1,
            CharClass::Signs => self.signs += 1,
            CharClass::Alphabet
            | CharClass::Digit
            | CharClass::Space
            | CharClass::LineEnd
            | CharClass::Picture
            | CharClass::Mark => self.alphabet += 1,
        }
        if letter.is_uppercase() && before.is_some_and(char::is_uppercase) {
            self.shouted += 1;
        }
    }

    fn cost(&self, lead: LeadingChar) -> usize {
        let latin = if self.latin == 0 { 0 } else { self.latin_cost(lead) };
        // A syllable block is half a token, and a word ends within one.
        let hangul = if self.hangul == 0 { 0 } else { 70 + 48 * self.hangul };
        let signs = if self.signs == 0 { 0 } else { 30 + 72 * self.signs };
        let alphabet = if self.alphabet == 0 { 0 } else { 55 + 22 * self.alphabet };
        latin + hangul + signs + alphabet
    }

    /// Common words are one token together with the space before them. Words inside
    /// of names are split sooner, and capitals soonest.
    fn latin_cost(&self, lead: LeadingChar) -> usize {
        let length = self.latin;
        let rare = if self.shouted > 0 {
            18 * length.saturating_sub(2)
        } else {
            match lead {
                LeadingChar::Space => 7 * length.saturating_sub(7),
                LeadingChar::Nothing => 9 * length.saturating_sub(4),
                LeadingChar::Mark => 12 * length.saturating_sub(2),
            }
        };
        // Text that is longer than words is no word.
        let noise = if length > 16 { 30 * length } else { 0 };
        (WHOLE + rare).max(noise)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts with the counts that a vocabulary of 200,000 tokens gives.
    const COUNTED: &[(&str, &str, usize)] = &[
        ("english", include_str!("tokens/english.txt"), 54),
        ("korean", include_str!("tokens/korean.txt"), 59),
        ("chinese", include_str!("tokens/chinese.txt"), 43),
        ("japanese", include_str!("tokens/japanese.txt"), 52),
        ("rust", include_str!("tokens/rust.txt"), 75),
        ("python", include_str!("tokens/python.txt"), 61),
        ("shell", include_str!("tokens/shell.txt"), 77),
        ("mixed", include_str!("tokens/mixed.txt"), 46),
    ];

    #[test]
    fn no_script_is_more_than_a_tenth_off() {
        for (name, text, truth) in COUNTED {
            let off = estimate(text).abs_diff(*truth) * 100 / truth;
            assert!(off <= 10, "{name}: {} instead of {truth}", estimate(text));
        }
    }

    #[test]
    fn small_pieces_are_counted_as_they_are_cut() {
        for (text, want) in [
            ("", 0),
            ("\n", 0),
            ("def save(self, user):", 6),
            ("getUserName", 3),
            ("1234567", 3),
            ("저장합니다", 3),
            ("    x", 2),
            ("foo.bar();\n", 3),
            ("a 3", 3),
        ] {
            assert_eq!(estimate(text), want, "{text}");
        }
    }

    #[test]
    fn a_margin_leaves_room_for_vocabularies_that_cut_finer() {
        assert_eq!(with_margin(8000), 6956);
        assert_eq!(with_margin(0), 0);
        assert!(with_margin(usize::MAX) < usize::MAX);
        for budget in [0, 1, 7, 115, 8000] {
            assert!(without_margin(with_margin(budget)) <= budget, "{budget}");
        }
    }

    proptest! {
        #[test]
        fn lines_can_be_counted_one_by_one(text in "[a-zA-Z0-9 가나다漢字é.,;(){}\t\n🙂]{0,80}") {
            let lines: usize = text.split_inclusive('\n').map(estimate).sum();
            prop_assert_eq!(estimate(&text), lines);
        }
    }
}
