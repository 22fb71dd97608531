//! Which notes an agent named as its reason.

use std::collections::HashSet;

use super::notes::without_notes;

/// The names of shown notes that a text cites, in the order they were shown.
///
/// A name that was never shown is invented, and what stands in our own fence
/// was repeated, not cited. A name that we made needs no brackets, as nobody
/// writes one by accident; one that came from elsewhere does.
pub fn cited(text: &str, shown: &[String]) -> Vec<String> {
    if shown.is_empty() {
        return Vec::new();
    }
    let text = without_notes(text);
    let words: HashSet<&str> = text.split(|c: char| !is_part_of_a_name(c)).collect();
    let is_cited = |id: &str| {
        if is_ours(id) { words.contains(id) } else { text.contains(&format!("[{id}]")) }
    };
    let mut seen = HashSet::new();
    let found = shown.iter().filter(|id| is_cited(id) && seen.insert(id.as_str()));
    found.cloned().collect()
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
        let shown = [ONE, OTHER, "turn 7"].map(str::to_owned);
        assert_eq!(cited(text, &shown), want, "{text}");
    }

    #[test]
    fn names_of_shown_notes_are_found_however_they_are_written() {
        check(&format!("I rebuilt the cache first [{ONE}]."), &[ONE]);
        check(&format!("as [{OTHER}, {ONE}] say"), &[ONE, OTHER]);
        check(&format!("`{ONE}` 에 따라 {ONE}"), &[ONE]);
        check(&format!("{ONE}에 따라"), &[ONE]);
        check("see [turn 7]", &["turn 7"]);
    }

    #[test]
    fn what_was_not_shown_or_is_part_of_another_word_is_not_cited() {
        check("[m999999999999] says so", &[]);
        check(&format!("x{ONE} {ONE}0 _{ONE}"), &[]);
        check("in turn 7 of them", &[]);
        assert_eq!(cited(ONE, &[]), Vec::<String>::new());
    }

    #[test]
    fn repeating_what_was_shown_cites_nothing() {
        check(&format!("{OPENING}\n- [{ONE}] x\n{CLOSING} ok [{OTHER}]"), &[OTHER]);
    }
}
