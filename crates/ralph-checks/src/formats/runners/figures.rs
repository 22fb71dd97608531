//! Numbers in the summaries of runners.

/// Number and text from `  3) text`.
pub(super) fn numbered(line: &str) -> Option<(u32, &str)> {
    let (number, text) = line.trim_start().split_once(") ")?;
    Some((whole(number)?, text.trim_end()))
}

/// Numbers and what they count from `3 failed, 1 passed`; `None` if any part
/// is something else.
pub(super) fn counted<'a>(text: &'a str, separator: &str) -> Option<Vec<(u64, &'a str)>> {
    let figure = |part: &'a str| {
        let (number, what) = part.trim().split_once(' ')?;
        Some((u64::from(whole(number)?), what.trim()))
    };
    text.trim_end().split(separator).map(figure).collect()
}

/// The number after a word in `Total 3, Failed 1` or `Total: 3, Failed: 1`;
/// none is zero.
pub(super) fn after(text: &str, word: &str) -> u64 {
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(word) {
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric());
        let number = behind.trim_start_matches(':').trim_start();
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        if let Some(number) = whole(&number[..end]).filter(|_| is_word) {
            return u64::from(number);
        }
        rest = behind;
    }
    0
}

/// A number of digits alone.
pub(super) fn whole(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Returns the length of a line's indentation, in bytes.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_in_the_usual_forms() {
        assert_eq!(numbered("  12) a (b)"), Some((12, "a (b)")));
        assert_eq!(numbered("a) b"), None);
        assert_eq!(counted("3 failed, 1 passed", ", "), Some(vec![(3, "failed"), (1, "passed")]));
        assert_eq!(counted("3 failed, and more", ", "), None);
        assert_eq!(after("Tests: 11, Errors: 2, Failures: 3.", "Errors"), 2);
        assert_eq!(after("Failed: Total 4, Failed 1, Passed 3", "Failed"), 1);
        assert_eq!(after("Failed!  - Failed:     1, Passed:     2", "Failed"), 1);
        assert_eq!(after("Tests: 11", "Errors"), 0);
    }
}
