//! Which notes an agent named as its reason.

use std::collections::HashSet;

use super::notes::without_notes;

/// Nobody has more reasons than this.
const MOST: usize = 100;

/// The names of notes in a text, in the order in which they stand there.
///
/// What stands in our own fence was repeated, not cited. A name that we made
/// needs no brackets, as nobody writes one by accident. Whether there is such a
/// note is for the notebook to say: a name may be invented.
pub fn cited(text: &str) -> Vec<String> {
    let text = without_notes(text);
    let words = text.split(|c: char| !is_part_of_a_name(c));
    let mut seen = HashSet::new();
    let names = words.filter(|word| is_ours(word) && seen.insert(*word));
    names.take(MOST).map(str::to_owned).collect()
}

const fn is_part_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a name looks like those that we give: `m` and twelve digits of 32.
fn is_ours(id: &str) -> bool {
    let digits = id.strip_prefix('m').unwrap_or_default();
    digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::notes::{CLOSING, OPENING};
    use super::*;

    const ONE: &str = "m0123456789ab";
    const OTHER: &str = "mzyxwvtsrqpnm";

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        assert_eq!(cited(text), want, "{text}");
    }

    #[test]
    fn names_of_notes_are_found_however_they_are_written() {
        check(&format!("I rebuilt the cache first [{ONE}]."), &[ONE]);
        check(&format!("as [{OTHER}, {ONE}] say"), &[OTHER, ONE]);
        check(&format!("`{ONE}` 에 따라 {ONE}"), &[ONE]);
        check(&format!("{ONE}에 따라"), &[ONE]);
    }

    #[test]
    fn what_is_part_of_another_word_is_not_cited() {
        check(&format!("x{ONE} {ONE}0 _{ONE}"), &[]);
        check("in turn 7 of them, moreover", &[]);
    }

    #[test]
    fn repeating_what_was_shown_cites_nothing() {
        check(&format!("{OPENING}\n- [{ONE}] x\n{CLOSING} ok [{OTHER}]"), &[OTHER]);
    }
}
