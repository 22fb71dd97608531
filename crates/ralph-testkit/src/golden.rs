//! Compares output with expected texts in files beside a test. `RALPH_BLESS=1`
//! overwrites the files with the current output.

use std::fs;
use std::path::Path;

/// Compares a text with the content of a file.
#[track_caller]
pub fn check(file: &Path, seen: &str) {
    if std::env::var_os("RALPH_BLESS").is_some() {
        fs::write(file, seen).unwrap();
    }
    let kept = fs::read_to_string(file).unwrap_or_default();
    let name = file.file_name().unwrap_or_default().display();
    assert!(
        kept == seen,
        "{name} differs; RALPH_BLESS=1 keeps what is seen:\n{}",
        diff(&kept, seen)
    );
}

/// Returns the lines only in the first with `-`, and only in the second with
/// `+`.
fn diff(kept: &str, seen: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), seen.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let is_same = |(old, new): &(&&str, &&str)| old == new;
    let end = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(is_same).count();
    let gone = old[same..old.len() - end].iter().map(|line| format!("-{line}\n"));
    let come = new[same..new.len() - end].iter().map(|line| format!("+{line}\n"));
    gone.chain(come).collect()
}

/// Replaces the parts of a text that change with each run: ids, times and
/// spans.
pub fn plain(text: &str) -> String {
    let words = text.split(' ').map(plain_word).collect::<Vec<_>>();
    let mut plain = String::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|next| next.trim_end_matches([',', '.', ')']));
        let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        let is_span = is_number && next == Some("ms");
        plain.push_str(if is_span { "TIME" } else { word });
        plain.push_str(if at + 1 < words.len() { " " } else { "" });
    }
    // Column widths depend on their contents.
    while plain.contains("   ") {
        plain = plain.replace("   ", "  ");
    }
    // Printed only if it differs from the measured time.
    plain.replace(" (TIME in all)", "")
}

fn plain_word(word: &str) -> String {
    let word = replaced(word, "run-", 8, |c| c.is_ascii_hexdigit());
    let is_version = word.split('.').count() == 3
        && word.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    if is_version {
        return "VERSION".to_owned();
    }
    if word.len() >= 12 && word.chars().all(|c| c.is_ascii_hexdigit()) {
        return "ID".to_owned();
    }
    // A time in milliseconds, in a file name.
    let long = word.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() >= 12);
    if let Some(digits) = long {
        return word.replace(digits, "ID");
    }
    match span(&word) {
        Some((start, end)) => format!("{}TIME{}", &word[..start], &word[end..]),
        None => word,
    }
}

/// Replaces the digits of every id of this form by an ellipsis.
fn replaced(word: &str, head: &str, length: usize, is_digit: fn(char) -> bool) -> String {
    let Some(at) = word.find(head) else { return word.to_owned() };
    let rest = &word[at + head.len()..];
    let digits = rest.chars().take_while(|c| is_digit(*c)).count();
    if digits != length {
        return word.to_owned();
    }
    format!("{}{head}…{}", &word[..at], replaced(&rest[length..], head, length, is_digit))
}

/// Returns the range of a measured time in a word: `88ms`, `1.1s`, `00:04`, a
/// date.
fn span(word: &str) -> Option<(usize, usize)> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    let is_before = word[..start].chars().all(|c| !c.is_alphanumeric());
    let rest = &word[start..];
    let digits = rest.find(|c: char| !c.is_ascii_digit() && !".:-+TZ".contains(c));
    let (number, unit) = rest.split_at(digits.unwrap_or(rest.len()));
    let end = unit.find(|c: char| !c.is_alphanumeric()).unwrap_or(unit.len());
    let is_span =
        matches!(&unit[..end], "ms" | "s") && number.starts_with(|c: char| c.is_ascii_digit());
    let trimmed = number.trim_end_matches(['.', ':', '-', '+']);
    let is_clock = end == 0
        && (trimmed.matches(':').count() > 0 || trimmed.matches('-').count() == 2)
        && trimmed.chars().filter(char::is_ascii_digit).count() >= 4;
    match (is_before, is_span, is_clock) {
        (true, true, _) => Some((start, start + number.len() + end)),
        (true, false, true) => Some((start, start + trimmed.len())),
        (_, _, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_times_are_left_out_and_numbers_stay() {
        let check = |text: &str, want: &str| assert_eq!(plain(text), want, "{text}");
        check("run-5abd35b0 started: at most 10 turns.", "run-… started: at most 10 turns.");
        check("passed (88ms)", "passed (TIME)");
        check("in 1.1s, and", "in TIME, and");
        check("at 2026-11-18 04:05:06 UTC", "at TIME TIME UTC");
        check("turn 2 of 10, 30 min", "turn 2 of 10, 30 min");
        check("tests/a.rs:15: x", "tests/a.rs:15: x");
        check("Stop 11 ms, 2 times", "Stop TIME ms, 2 times");
        check("git 2.47.3 at 8e803e97b506", "git VERSION at ID");
        check("replaced/1794976052317-a.json", "replaced/ID-a.json");
    }

    #[test]
    fn a_difference_shows_the_lines_that_differ() {
        assert_eq!(diff("a\nb\nc\n", "a\nx\ny\nc\n"), "-b\n+x\n+y\n");
    }
}
