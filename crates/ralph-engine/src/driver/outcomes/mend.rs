//! The fix of a failure: a few lines of code and the agent's words.

use ralph_tamper::{is_fixture, is_snapshot, is_test_file};
use similar::{ChangeTag, TextDiff};

use super::attempt::{COMPARING, ChangedFile, without_claim};

/// Maximum number of code lines that a note quotes, of all hunks together.
pub(super) const MOST_LINES: usize = 12;

/// Maximum length of a quoted line or sentence, in characters.
const QUOTED_CHARS: usize = 160;

/// Lines of a file that changed together.
#[derive(Debug, PartialEq, Eq)]
struct MendHunk<'a> {
    file: &'a str,
    /// Each line with its sign from the diff.
    lines: Vec<String>,
}

/// Returns the files of a change that are not tests. A failure that only went
/// away because its test was changed was not fixed.
pub(super) fn not_tests(files: Vec<ChangedFile>) -> Vec<ChangedFile> {
    let is_test = |name: &str| is_test_file(name) || is_fixture(name) || is_snapshot(name);
    files.into_iter().filter(|file| !is_test(&file.name)).collect()
}

/// Returns a change in at most `most` lines: its smallest hunks, each with its
/// file. Empty if there is nothing to quote.
pub(super) fn quoted(files: &[ChangedFile], most: usize) -> String {
    let mut hunks: Vec<MendHunk<'_>> = files.iter().flat_map(hunks).collect();
    hunks.sort_by_key(|hunk| hunk.lines.len());
    let mut left = most;
    let mut parts = Vec::new();
    for hunk in hunks {
        let lines: Vec<String> =
            hunk.lines.iter().take(left).map(|line| format!("`{line}`")).collect();
        if lines.is_empty() {
            break;
        }
        left -= lines.len();
        parts.push(format!("{}: {}", hunk.file, lines.join(" ")));
    }
    parts.join("; ")
}

fn hunks(file: &ChangedFile) -> Vec<MendHunk<'_>> {
    let Some((before, after)) = &file.texts else { return Vec::new() };
    let diff = TextDiff::configure().timeout(COMPARING).diff_lines(before, after);
    let groups = diff.grouped_ops(0);
    let hunks = groups.iter().map(|group| {
        let changes = group.iter().flat_map(|op| diff.iter_changes(op));
        let lines = changes.filter_map(|change| {
            let sign = match change.tag() {
                ChangeTag::Insert => '+',
                ChangeTag::Delete => '-',
                ChangeTag::Equal => return None,
            };
            let line = change.value().trim();
            (!line.is_empty()).then(|| format!("{sign} {}", cut(line)))
        });
        MendHunk { file: &file.name, lines: lines.collect() }
    });
    hunks.filter(|hunk| !hunk.lines.is_empty()).collect()
}

/// Returns the last sentence of the agent's words, without its claim.
pub(super) fn last_sentence(text: &str) -> Option<String> {
    let lines = text.lines().rev().map(|line| without_claim(line.trim()));
    let line = lines.into_iter().find(|line| !line.is_empty())?;
    let ends = line.trim_end_matches(['.', '!', '?']);
    let start = [". ", "! ", "? "].iter().filter_map(|end| ends.rfind(end)).max();
    Some(cut(&line[start.map_or(0, |start| start + 2)..]))
}

fn cut(text: &str) -> String {
    text.chars().take(QUOTED_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(name: &str, before: &str, after: &str) -> ChangedFile {
        ChangedFile { name: name.to_owned(), texts: Some((before.to_owned(), after.to_owned())) }
    }

    #[test]
    fn the_smallest_hunks_come_first_and_twelve_lines_are_quoted() {
        let long = (0..20).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
        let files = [
            changed("src/long.py", "", &long),
            changed("src/a.py", "x = 1\nkeep\n  y = 2\n", "x = 3\nkeep\n  y = 2\n  z = 4\n"),
        ];
        let told = quoted(&files, MOST_LINES);
        let start = "src/a.py: `+ z = 4`; src/a.py: `- x = 1` `+ x = 3`; src/long.py: `+ line 0`";
        assert!(told.starts_with(start), "{told}");
        assert_eq!(told.matches('`').count(), 2 * MOST_LINES, "{told}");
    }

    #[test]
    fn tests_mend_nothing_and_what_cannot_be_compared_is_not_quoted() {
        let binary = ChangedFile { name: "logo.png".to_owned(), texts: None };
        let files = vec![changed("tests/test_a.py", "assert f() == 1", "assert f() == 2"), binary];
        let files = not_tests(files);
        assert_eq!(files.len(), 1);
        assert_eq!(quoted(&files, MOST_LINES), "");
    }

    #[test]
    fn of_what_was_said_the_last_sentence_is_kept_without_the_claim() {
        let said = "I looked.\nThe sum was off. Rounding comes last now. <promise>DONE</promise>\n";
        assert_eq!(last_sentence(said).as_deref(), Some("Rounding comes last now."));
        assert_eq!(last_sentence("It works").as_deref(), Some("It works"));
        assert_eq!(last_sentence("<promise>DONE</promise>"), None);
    }
}
