//! About how many tokens of a language model a text has.
//!
//! No model's vocabulary is used; the counts follow what common vocabularies
//! do with each script, rather a little too high than too low. Lines can be
//! counted one by one: the count of a text is the sum of those of its lines.

/// What a run of characters is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Words of languages that are written with Latin letters.
    Latin,
    Digits,
    /// Letters of other alphabets.
    Alphabet,
    /// A sign is a syllable or a word.
    Signs,
    Space,
    LineEnd,
    Marks,
}

fn script(char: char) -> Script {
    match char {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Script::Latin,
        '0'..='9' => Script::Digits,
        '\n' => Script::LineEnd,
        char if char.is_whitespace() => Script::Space,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{1f000}'..='\u{3ffff}' => Script::Signs,
        char if char.is_alphanumeric() => Script::Alphabet,
        _ => Script::Marks,
    }
}

/// About how many tokens a text has.
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let kind = script(first);
        let mut length = 1;
        let mut before = first;
        while let Some(&next) = chars.peek() {
            let is_word_start =
                kind == Script::Latin && before.is_lowercase() && next.is_uppercase();
            if script(next) != kind || is_word_start {
                break;
            }
            before = next;
            length += 1;
            chars.next();
        }
        tokens += cost(kind, length);
    }
    tokens
}

fn cost(kind: Script, length: usize) -> usize {
    match kind {
        // Most words that code is made of are in a vocabulary, long ones in parts.
        Script::Latin => length.div_ceil(7),
        Script::Digits | Script::Alphabet => length.div_ceil(3),
        Script::Signs | Script::LineEnd => length,
        // One space belongs to the word behind it, more are one.
        Script::Space => usize::from(length > 1),
        Script::Marks => length.div_ceil(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_has_a_count_of_its_own() {
        for (text, want) in [
            ("", 0),
            ("def save(self, user):", 7),
            ("getUserName", 3),
            ("1234567", 3),
            ("저장합니다", 5),
            ("привет", 2),
            ("    x", 2),
        ] {
            assert_eq!(estimate(text), want, "{text}");
        }
    }

    #[test]
    fn lines_can_be_counted_one_by_one() {
        let text = "class Store:\n    def save(self):\n        pass\n";
        let lines: usize = text.split_inclusive('\n').map(estimate).sum();
        assert_eq!(estimate(text), lines);
    }
}
