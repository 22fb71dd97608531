//! Spellings of one character made equal before words are cut: accents, full-width
//! forms, ligatures, and Hangul that was written letter by letter, as file names from
//! macOS are. Case stays, because `camelCase` is cut by it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The text with equal spellings; untouched ASCII is not copied.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.nfkd() {
        match character {
            '\u{0300}'..='\u{036F}' | '\u{00AD}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}' => {}
            '\u{2019}' | '\u{02BC}' => folded.push('\''),
            '\u{2010}' => folded.push('-'),
            'ß' => folded.push_str("ss"),
            'Æ' | 'æ' => folded.push_str("ae"),
            'Œ' | 'œ' => folded.push_str("oe"),
            'Ø' => folded.push('O'),
            'ø' => folded.push('o'),
            'Ł' => folded.push('L'),
            'ł' => folded.push('l'),
            other => folded.push(other),
        }
    }
    Cow::Owned(folded.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_word_become_equal() {
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
