//! Decides which changes of `ralph.toml` make the next run believe more.
//!
//! A run keeps the settings that it began with, so such a change does not
//! help the agent at once; but it stays, and the next run would begin with it.

use super::commands::does_less;

/// True if a file holds the settings of the loop.
pub(super) fn is_loop_settings(file: &str) -> bool {
    file.rsplit('/').next() == Some("ralph.toml")
}

/// True if changed values leave less to be proven.
pub(super) fn weakens(path: &str, old: &[String], new: &[String]) -> bool {
    let lost = || old.iter().any(|value| !new.contains(value));
    let gained = || new.iter().any(|value| !old.contains(value));
    let is = |values: &[String], word: &str| values.first().is_some_and(|value| value == word);
    let (table, key) = path.split_once('.').unwrap_or(("", path));
    match table {
        "gates" => gate(key, old, new),
        "judge" => !matches!(key, "timeout" | "price-input" | "price-output") && lost(),
        "security" | "lsp" => lost(),
        "memory" => match key {
            "enforce" => is(new, "off") || (is(new, "report") && !is(old, "off")),
            "enabled" => is(new, "false"),
            _ => false,
        },
        "run" => match key {
            "criteria" => lost(),
            "allow-changes" | "markers" => gained(),
            "allow-test-changes" => is(new, "true"),
            "trust" => is(new, "claim") || (is(old, "evidence") && new.is_empty()),
            "zero-errors" => is(new, "false") || (is(old, "true") && new.is_empty()),
            "zero-warnings" | "zero-security" => is(old, "true") && !is(new, "true"),
            _ => false,
        },
        _ => false,
    }
}

/// A gate may do more, and may take longer. One where there was none stands
/// in for what is detected.
fn gate(path: &str, old: &[String], new: &[String]) -> bool {
    match path.rsplit('.').next().unwrap_or(path) {
        "timeout" => false,
        "command" if !old.is_empty() => does_less(&old.join(" "), &new.join(" ")),
        _ => old != new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_weaker((path, old, new): (&str, &str, &str)) -> bool {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        weakens(path, &words(old), &words(new))
    }

    #[test]
    fn what_asks_for_less_proof_is_weaker() {
        for change in [
            ("run.zero-errors", "true", ""),
            ("run.criteria", "test_pass lint_clean", "test_pass"),
            ("run.trust", "", "claim"),
            ("memory.enforce", "", "report"),
            ("memory.enforce", "require", "off"),
            ("memory.enabled", "", "false"),
        ] {
            assert!(is_weaker(change), "{change:?}");
        }
    }

    #[test]
    fn what_asks_for_as_much_or_more_is_not() {
        for change in [
            ("run.zero-errors", "", "true"),
            ("memory.enforce", "off", "report"),
            ("memory.enforce", "report", ""),
            ("memory.tokens", "8000", "100"),
        ] {
            assert!(!is_weaker(change), "{change:?}");
        }
    }
}
