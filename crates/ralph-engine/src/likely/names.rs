//! Finds names from code in a text.

/// Maximum number of names that are looked up.
const MOST: usize = 12;

/// Returns the names from code in a text: words with an underscore, an inner
/// capital, colons or dots, or in backticks. Each once, in order.
pub(super) fn identifiers(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (at, piece) in text.split('`').enumerate() {
        // Every other piece is in backticks.
        let is_quoted = at % 2 == 1 && !piece.contains(char::is_whitespace);
        for word in piece.split(|it: char| !is_part(it)) {
            let word = word.trim_matches([':', '.', '_']);
            if (is_name(word) || is_quoted && word.len() > 2) && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found.truncate(MOST);
    found
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | ':' | '.')
}

fn is_name(word: &str) -> bool {
    let last = word.rsplit([':', '.']).next().unwrap_or(word);
    if word.len() < 4 || !last.starts_with(|it: char| it.is_alphabetic() || it == '_') {
        return false;
    }
    let rises = last.chars().zip(last.chars().skip(1));
    let has_hump = rises.into_iter().any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    last.contains('_') || has_hump || word.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        let text =
            "Let `save` of Store::load use max_age, not parseConfig. See e.g. README or `a b`";
        assert_eq!(identifiers(text), ["save", "Store::load", "max_age", "parseConfig"]);
        assert_eq!(identifiers("plain words only, 3.5 times"), Vec::<&str>::new());
    }
}
