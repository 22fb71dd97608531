//! Finds the notes that an agent cites.

use std::collections::HashSet;

use super::notes::without_notes;

/// Maximum number of citations that are read.
const MOST: usize = 100;

/// Returns the ids of the notes that a text cites, each once, in the order of the text.
///
/// A citation is an id in brackets, `[id]`, or several with commas, `[id, id]`. An
/// id without brackets is only a mention, and text inside our own fence is
/// repeated, not cited. An id may be invented: the caller looks it up.
pub fn cited(text: &str) -> Vec<String> {
    let text = without_notes(text);
    let mut seen = HashSet::new();
    let brackets = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let names = brackets.flat_map(|(inside, _)| names(inside));
    let fresh = names.filter(|name| seen.insert(*name));
    fresh.take(MOST).map(str::to_owned).collect()
}

/// Returns the ids between brackets; none if there is any other text.
fn names(inside: &str) -> Vec<&str> {
    let names = inside.split(',').map(|name| name.trim().trim_matches('`'));
    names.map(|name| is_ours(name).then_some(name)).collect::<Option<_>>().unwrap_or_default()
}

/// Returns true if an id has our format: `m` and twelve base-32 digits.
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
        check(&format!("[memory {ONE}] [see, {ONE}] [{ONE}, mfoo]"), &[]);
        check(&format!("b.py:2 no prints [ralph-memory {ONE}/no-print]"), &[]);
        check(&format!("[{ONE}"), &[]);
        check(&format!("[x{ONE}] [{ONE}0] [_{ONE}]"), &[]);
    }

    #[test]
    fn repeating_what_was_shown_cites_nothing() {
        check(&format!("{OPENING}\n- [{ONE}] x\n{CLOSING} ok [{OTHER}]"), &[OTHER]);
    }

    #[test]
    fn a_long_text_has_a_bounded_number_of_citations() {
        let many: Vec<String> = (0..1_000).map(|n| format!("[m{n:012}]")).collect();
        assert_eq!(cited(&many.concat()).len(), MOST);
    }
}
