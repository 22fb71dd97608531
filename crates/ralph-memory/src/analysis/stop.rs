//! English words that are too frequent to tell one note from another.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The words, without apostrophes (`dont`), with spaces around each.
const STOP_WORDS: &str = " \
    a about above after again against all am an and any are arent as at be because been \
    before being below between both but by can cannot cant could couldnt did didnt do does \
    doesnt doing dont down during each few for from further had hadnt has hasnt have havent \
    having he her here hers herself him himself his how i if im in into is isnt it its \
    itself ive just me more most my myself no nor not now of off on once only or other our \
    ours ourselves out over own same she should shouldnt so some such than that thats the \
    their theirs them themselves then there these they this those through to too under until \
    up very was wasnt we were werent what when where which while who whom why will with wont \
    would wouldnt you your yours yourself yourselves ";

/// The length of the longest, in bytes.
const LONGEST: usize = 10;

/// Returns true if a lower-case word is dropped.
pub(super) fn is_stop_word(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    word.len() <= LONGEST && WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_dropped_and_no_others() {
        for word in STOP_WORDS.split_whitespace() {
            assert!(is_stop_word(word), "{word}");
        }
        assert!(!is_stop_word("lock") && !is_stop_word("hel"));
    }
}
