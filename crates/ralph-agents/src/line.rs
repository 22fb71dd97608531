//! Shortens an agent's text for display.

/// Returns the text on one line, without control characters, cut to `most`
/// characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    // Only the start of a long text needs to be flattened.
    let start: String = text.chars().take(most.saturating_mul(4)).collect();
    let flat: String = start.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let flat: Vec<&str> = flat.split_whitespace().collect();
    cut(&flat.join(" "), most)
}

/// Cuts the text to `most` characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_on_its_line() {
        let line = one_line(&"\x1b[2J가\n".repeat(100_000), 20);
        assert_eq!(line.chars().count(), 21);
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}
