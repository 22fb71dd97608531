//! Excerpts of texts, without parts of secrets.

use ralph_redact::redact;

/// Number of characters read beyond an excerpt, so that a secret that begins in
/// it is recognised.
const MORE: usize = 512;

/// Returns the first `most` characters of a text, without secrets; a longer
/// text ends in `…`.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let read = match text.char_indices().nth(most + MORE) {
        // Part of a word may be an unrecognisable part of a secret.
        Some((end, _)) => {
            let read = &text[..end];
            read.rsplit_once(char::is_whitespace).map_or(read, |(whole, _)| whole)
        }
        None => text,
    };
    let clean = redact(read);
    let is_all = read.len() == text.len() && clean.chars().count() <= most;
    if is_all {
        return clean.into_owned();
    }
    let begun: String = clean.chars().take(most.saturating_sub(1)).collect();
    format!("{begun}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_told_whole_and_long_ones_begun() {
        assert_eq!(excerpt("cargo test", 20), "cargo test");
        assert_eq!(excerpt("한글입니다", 5), "한글입니다");
        assert_eq!(excerpt("한글입니다.", 5), "한글입니…");
    }

    #[test]
    fn no_half_of_a_secret_is_told() {
        let secret = format!("ghp_{}", "aB3".repeat(12));
        for before in 0..210 {
            let text = format!("{} {secret} {}", "x".repeat(before), "more ".repeat(400));
            let told = excerpt(&text, 200);
            assert!(!told.contains("ghp_"), "{before}: {told}");
        }
    }
}
