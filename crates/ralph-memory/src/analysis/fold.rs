//! Spellings of one character made equal before words are cut.
//!
//! The part of Unicode's compatibility forms that is met in practice, without
//! its tables: accents, full-width forms, ligatures, and Hangul that was
//! written letter by letter, as file names from macOS are. Case stays, because
//! `camelCase` is cut by it.

use std::borrow::Cow;

/// Base letters of U+00C0 to U+017F; `.` where a character stays as it is.
const LATIN: &str = concat!(
    "AAAAAA.CEEEEIIIIDNOOOOO.OUUUUY..",
    "aaaaaa.ceeeeiiiidnooooo.ouuuuy.y",
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi..JjKk.LlLlLlLlLlNnNnNn...",
    "OoOoOo..RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs"
);

const LEADS: std::ops::RangeInclusive<u32> = 0x1100..=0x1112;
const VOWELS: std::ops::RangeInclusive<u32> = 0x1161..=0x1175;
const TAILS: std::ops::RangeInclusive<u32> = 0x11A8..=0x11C2;
const SYLLABLES: std::ops::RangeInclusive<u32> = 0xAC00..=0xD7A3;

/// The text with equal spellings; untouched ASCII is not copied.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        push(&mut folded, character);
    }
    Cow::Owned(folded)
}

fn push(folded: &mut String, character: char) {
    match character {
        '\u{0300}'..='\u{036F}' | '\u{00AD}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}' => {}
        '\u{00C0}'..='\u{017F}' => push_latin(folded, character),
        '\u{2019}' | '\u{02BC}' => folded.push('\''),
        '\u{2010}' | '\u{2011}' => folded.push('-'),
        '\u{FB00}' => folded.push_str("ff"),
        '\u{FB01}' => folded.push_str("fi"),
        '\u{FB02}' => folded.push_str("fl"),
        '\u{FB03}' => folded.push_str("ffi"),
        '\u{FB04}' => folded.push_str("ffl"),
        '\u{FF01}'..='\u{FF5E}' => {
            folded.extend(char::from_u32(u32::from(character) - 0xFEE0));
        }
        '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}' => push_letter(folded, character),
        other => folded.push(other),
    }
}

fn push_latin(folded: &mut String, character: char) {
    let index = u32::from(character) - 0xC0;
    let base = usize::try_from(index).ok().and_then(|index| LATIN.as_bytes().get(index));
    match (character, base) {
        ('Æ' | 'æ', _) => folded.push_str("ae"),
        ('Œ' | 'œ', _) => folded.push_str("oe"),
        ('ß', _) => folded.push_str("ss"),
        (_, None | Some(b'.')) => folded.push(character),
        (_, Some(base)) => folded.push(char::from(*base)),
    }
}

/// Joins a vowel or final consonant with the Hangul letter before it.
fn push_letter(folded: &mut String, letter: char) {
    let joined = folded.chars().next_back().and_then(|before| join(before, letter));
    if joined.is_some() {
        folded.pop();
    }
    folded.push(joined.unwrap_or(letter));
}

fn join(before: char, letter: char) -> Option<char> {
    let (before, letter) = (u32::from(before), u32::from(letter));
    let code = if LEADS.contains(&before) && VOWELS.contains(&letter) {
        SYLLABLES.start() + ((before - LEADS.start()) * 21 + letter - VOWELS.start()) * 28
    } else if SYLLABLES.contains(&before)
        && (before - SYLLABLES.start()).is_multiple_of(28)
        && TAILS.contains(&letter)
    {
        before + letter - TAILS.start() + 1
    } else {
        return None;
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_word_become_equal() {
        assert_eq!(LATIN.len(), 0x180 - 0xC0);
        for (text, want) in [
            ("plain", "plain"),
            ("Café naïve", "Cafe naive"),
            ("Cafe\u{301}", "Cafe"),
            ("Škoda Łódź straße", "Skoda Lodz strasse"),
            ("ＡＢＣ１２３", "ABC123"),
            ("ﬁle", "file"),
            ("\u{1109}\u{1165}\u{11AF}\u{110C}\u{1165}\u{11BC}", "설정"),
            ("설정", "설정"),
            ("don’t", "don't"),
        ] {
            assert_eq!(fold(text), want);
        }
    }

    #[test]
    fn hangul_letters_that_form_no_syllable_stay() {
        assert_eq!(fold("\u{1161}x\u{11A8}"), "\u{1161}x\u{11A8}");
    }
}
