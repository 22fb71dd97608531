//! Decides which changes of `ralph.toml` make the next run believe more.
//!
//! A run keeps the settings that it began with, so such a change does not
//! help the agent at once; but it stays, and the next run would begin with it.

use super::commands::does_less;

/// Whether a file holds the settings of the loop.
pub(super) fn is_loop_settings(file: &str) -> bool {
    file.rsplit('/').next() == Some("ralph.toml")
}

/// Whether values that became others leave less to be proven.
pub(super) fn weakens(path: &str, old: &[String], new: &[String]) -> bool {
    let lost = || old.iter().any(|value| !new.contains(value));
    let gained = || new.iter().any(|value| !old.contains(value));
    let is = |values: &[String], word: &str| values.first().is_some_and(|value| value == word);
    let (table, key) = path.split_once('.').unwrap_or(("", path));
    match table {
        "gates" => gate(key, old, new),
        "judge" => !matches!(key, "timeout" | "price-input" | "price-output") && lost(),
        "security" | "lsp" => lost(),
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
