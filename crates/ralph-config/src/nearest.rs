//! Finds the known word that a misspelt one meant.

/// Returns the known word nearest to the given one, if it is similar enough.
pub(crate) fn nearest<'k>(
    given: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    let scored = known.into_iter().map(|word| (strsim::osa_distance(given, word), word));
    let most = 1 + given.chars().count() / 4;
    scored.min().filter(|(distance, _)| *distance <= most).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_word_is_meant() {
        let known = ["test_pass", "lint_clean", "type_check"];
        for (given, meant) in [
            ("tests_pass", Some("test_pass")),
            ("lint_claen", Some("lint_clean")),
            ("typecheck", Some("type_check")),
            ("coverage", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), meant, "{given}");
        }
    }
}
