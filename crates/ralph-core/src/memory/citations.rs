//! Which notes an agent named as its reason.

use std::collections::HashSet;

use super::notes::without_notes;

/// Nobody has more reasons than this.
const MOST: usize = 100;

/// The names of notes that a text gives as reasons, in the order in which they
/// stand there.
///
/// A citation stands in brackets with nothing but other names: `[id]`, or
/// `[id, id]`. A name alone is only spoken of, as we do ourselves when a note
/// was taken. What stands in our own fence was repeated, not cited. Whether
/// there is such a note is for the notebook to say: a name may be invented.
pub fn cited(text: &str) -> Vec<String> {
    let text = without_notes(text);
    let mut seen = HashSet::new();
    let names = bracketed(&text).flat_map(names).filter(|name| seen.insert(*name));
    names.take(MOST).map(str::to_owned).collect()
}

/// What stands in brackets without brackets of its own.
fn bracketed(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('[').skip(1);
    parts.filter_map(|part| Some(part.split_once(']')?.0))
}

/// The names in brackets; none if anything else stands there too.
fn names(inside: &str) -> Vec<&str> {
    let words: Vec<&str> =
        inside.split(|c: char| !is_part_of_a_name(c)).filter(|word| !word.is_empty()).collect();
    if words.iter().all(|word| is_ours(word)) { words } else { Vec::new() }
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
    fn names_in_brackets_are_cited() {
        check(&format!("I rebuilt the cache first [{ONE}]."), &[ONE]);
        check(&format!("as [{OTHER}, {ONE}] say"), &[OTHER, ONE]);
        check(&format!("[`{ONE}`] 에 따라 [{ONE}]"), &[ONE]);
        check(&format!("[{ONE}][{OTHER}]에 따라"), &[ONE, OTHER]);
        check(&format!("see [the list[{ONE}]"), &[ONE]);
    }

    #[test]
    fn what_is_only_spoken_of_is_not_cited() {
        check(&format!("Noted {ONE} (gotcha, task)."), &[]);
        check(&format!("`ralph memory show {ONE}`"), &[]);
        check(&format!("b.py:2 no prints [ralph-memory {ONE}/no-print]"), &[]);
        check(&format!("[{ONE}"), &[]);
    }

    #[test]
    fn what_is_part_of_another_word_is_not_cited() {
        check(&format!("[x{ONE}] [{ONE}0] [_{ONE}]"), &[]);
        check("in turn 7 of them, moreover", &[]);
    }

    #[test]
    fn repeating_what_was_shown_cites_nothing() {
        check(&format!("{OPENING}\n- [{ONE}] x\n{CLOSING} ok [{OTHER}]"), &[OTHER]);
    }
}
