//! The words that tests and code consist of.

use std::collections::BTreeSet;

use crate::outline;
use crate::strength::AssertionStrength;
use crate::units::CodeUnitRole;

/// The names of the tests in a file, with the words of those that assert
/// anything; the others have none.
pub fn tests_in(path: &str, text: &str) -> Vec<(String, BTreeSet<String>)> {
    let Some(outline) = outline::parse(path, text, &[]) else { return Vec::new() };
    let tests = outline.units.into_iter().filter(|unit| unit.role == CodeUnitRole::Test);
    let words = tests.map(|unit| {
        let asserts = unit.assertions.iter().any(|one| one.strength != AssertionStrength::Trivial);
        let words = if asserts { unit.body().iter().cloned().collect() } else { BTreeSet::new() };
        (unit.name, words)
    });
    words.collect()
}

/// The names that a text uses and another does not.
pub fn new_names(text: &str, before: &str) -> BTreeSet<String> {
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    names(text).difference(&names(before)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_asserts_nothing_has_no_words() {
        let text = "def test_a():\n    assert slug('A') == 'a'\n\ndef test_b():\n    slug('A')\n";
        let found = tests_in("test_a.py", text);
        assert_eq!(found.len(), 2);
        assert!(found[0].1.contains("slug"), "{found:?}");
        assert!(found[1].1.is_empty(), "{found:?}");
    }

    #[test]
    fn names_that_were_there_before_are_not_new() {
        assert_eq!(new_names("def slug(text): pass", "text pass def"), ["slug".to_owned()].into());
    }
}
