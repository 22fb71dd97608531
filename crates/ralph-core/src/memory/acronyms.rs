//! Initials that stand for what the other note spells out: "MSRV", "minimum
//! supported Rust version".

use super::words::{Class, Word};

/// Writes what one note spells out as the initials that the other has for it.
pub(super) fn settle(old: &mut Vec<Word>, new: &mut Vec<Word>) {
    shorten(old, new);
    shorten(new, old);
}

fn shorten(long: &mut Vec<Word>, short: &[Word]) {
    for word in short.iter().filter(|word| may_be_initials(word)) {
        let letters = word.text.len();
        if long.iter().any(|other| other.stem == word.stem) {
            continue;
        }
        let found = long.windows(letters).position(|run| is_spelled(&word.text, run));
        if let Some(at) = found {
            let is_topic = long[at..at + letters].iter().any(|word| word.is_topic);
            let mut word = word.clone();
            word.is_topic = is_topic;
            long.splice(at..at + letters, [word]);
        }
    }
}

/// Two letters are initials only where they are written as a name.
fn may_be_initials(word: &Word) -> bool {
    let letters = word.text.len();
    let is_long = (3..=6).contains(&letters) || (letters == 2 && word.is_name);
    word.class == Class::Plain
        && is_long
        && word.is_content()
        && word.text.bytes().all(|b| b.is_ascii_lowercase())
}

fn is_spelled(initials: &str, run: &[Word]) -> bool {
    run.iter().zip(initials.chars()).all(|(word, initial)| {
        word.class == Class::Plain && word.text.len() > 1 && word.text.starts_with(initial)
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::settle;

    #[test]
    fn initials_stand_for_what_is_spelled_out() {
        let (mut old, mut new) =
            (words("The minimum supported Rust version is 1.70"), words("MSRV is 1.78"));
        settle(&mut old, &mut new);
        assert!(old.iter().any(|word| word.text == "msrv"));
        assert!(old.iter().all(|word| word.text != "supported"));
    }

    #[test]
    fn a_word_that_only_begins_alike_is_left_alone() {
        let (mut old, mut new) = (words("users see errors"), words("the user can log in"));
        let before = old.clone();
        settle(&mut old, &mut new);
        assert_eq!(old, before);
    }
}
