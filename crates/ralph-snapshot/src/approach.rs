//! Digests of a turn's changes, which match when the same attempt is made again
//! with other numbers or another layout.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

use blake3::Hasher;
use ralph_core::{Approach, Hunk};

/// The hunks of an approach. Order and number do not matter.
#[derive(Debug, Default)]
pub(crate) struct ApproachHunks(BTreeSet<Hunk>);

impl ApproachHunks {
    /// Adds a part for the lines `what` of the file `path`. Undoing a change
    /// gives the same part as making it.
    pub(crate) fn add(&mut self, path: &[u8], what: &[u8]) {
        let mut hasher = Hasher::new();
        // The length of the path comes first, so that its end cannot be read as
        // the start of `what`.
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path).update(what);
        let digest = hasher.finalize();
        let (first, _) = digest.as_bytes().split_first_chunk().unwrap_or((&[0; 8], &[]));
        self.0.insert(Hunk::new(u64::from_le_bytes(*first)));
    }

    /// Returns the approach of these parts; `None` when there is none.
    pub(crate) fn approach(self) -> Option<Approach> {
        Approach::new(self.0)
    }
}

/// The lines that a hunk takes out and puts in, as two digests.
#[derive(Default)]
struct HunkDigest {
    removed: HunkSide,
    added: HunkSide,
}

#[derive(Default)]
struct HunkSide {
    lines: Hasher,
    is_blank: SideBlankness,
}

/// True if a side has only blank lines.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum SideBlankness {
    #[default]
    Yes,
    No,
}

impl HunkSide {
    fn push(&mut self, line: &[u8]) {
        self.is_blank = SideBlankness::No;
        self.lines.update(line).update(b"\n");
    }
}

impl HunkDigest {
    /// Adds one line of a hunk, which begins with its sign.
    fn push(&mut self, line: &[u8], normal: &mut Vec<u8>) {
        let (sign, text) = line.split_first().unwrap_or((&b' ', &[]));
        normalise(text, normal);
        let side = match sign {
            b'-' => &mut self.removed,
            b'+' => &mut self.added,
            _ => return,
        };
        if !normal.is_empty() {
            side.push(normal);
        }
    }

    /// Ends the hunk and adds it to the parts. Sorting the two sides makes a
    /// hunk and its inverse the same.
    fn end(&mut self, file: &[u8], parts: &mut ApproachHunks) {
        let Self { removed, added } = std::mem::take(self);
        if (removed.is_blank, added.is_blank) == (SideBlankness::Yes, SideBlankness::Yes) {
            return;
        }
        let mut sides = [removed, added].map(|side| *side.lines.finalize().as_bytes());
        sides.sort_unstable();
        parts.add(file, &[[b'h'].as_slice(), &sides.concat()].concat());
    }
}

/// Reads a patch as git writes it with no lines of context.
///
/// The header serves as the path: it is unique, so quoted names need no
/// decoding. Changed modes count as they are; a binary file has no lines and so
/// counts by its path.
pub(crate) fn read_patch(mut patch: impl BufRead) -> io::Result<ApproachHunks> {
    let mut parts = ApproachHunks::default();
    let (mut file, mut line, mut normal) = (Vec::new(), Vec::new(), Vec::new());
    let mut hunk: Option<HunkDigest> = None;
    while patch.read_until(b'\n', &mut line)? > 0 {
        let is_header = line.starts_with(b"diff --git ");
        if is_header || line.starts_with(b"@@ ") {
            hunk.take().unwrap_or_default().end(&file, &mut parts);
        }
        if is_header {
            file.clone_from(&line);
        } else if line.starts_with(b"@@ ") {
            hunk = Some(HunkDigest::default());
        } else if let Some(hunk) = &mut hunk {
            // Lines of a hunk begin with their sign, so none of them looks like
            // a header.
            hunk.push(&line, &mut normal);
        } else if line.starts_with(b"Binary files ") {
            parts.add(&file, b"b");
        } else if let Some(mode) = mode(&line) {
            parts.add(&file, &[b"m", mode].concat());
        }
        line.clear();
    }
    hunk.unwrap_or_default().end(&file, &mut parts);
    Ok(parts)
}

/// Returns the old or new mode in a header line, also for an added or deleted
/// file.
fn mode(header: &[u8]) -> Option<&[u8]> {
    let names: [&[u8]; 4] = [b"old mode ", b"new mode ", b"new file mode ", b"deleted file mode "];
    names.into_iter().find_map(|name| header.strip_prefix(name))
}

/// Returns the digest of a whole text without numbers, layout and blank lines.
pub(crate) fn normal_digest(text: &[u8]) -> blake3::Hash {
    let mut hasher = Hasher::new();
    let mut normal = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        normalise(line, &mut normal);
        if !normal.is_empty() {
            hasher.update(&normal).update(b"\n");
        }
    }
    hasher.finalize()
}

/// Writes `line` to `normal` with every number as `0`, every run of white
/// space as one space, and none at the ends.
fn normalise(line: &[u8], normal: &mut Vec<u8>) {
    normal.clear();
    for byte in line.trim_ascii() {
        let kept = match byte {
            digit if digit.is_ascii_digit() => b'0',
            space if space.is_ascii_whitespace() => b' ',
            other => *other,
        };
        if !(matches!(kept, b'0' | b' ') && normal.last() == Some(&kept)) {
            normal.push(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approach(patch: &str) -> Option<Approach> {
        read_patch(patch.as_bytes()).unwrap().approach()
    }

    #[track_caller]
    fn check_normal(line: &str, want: &str) {
        let mut normal = b"left from before".to_vec();
        normalise(line.as_bytes(), &mut normal);
        assert_eq!(String::from_utf8(normal).unwrap(), want, "{line:?}");
    }

    #[test]
    fn numbers_and_white_space_are_set_aside() {
        check_normal("  retry(10,\t 200)  \r", "retry(0, 0)");
        check_normal("v1.22.333", "v0.0.0");
        check_normal(" \t ", "");
        check_normal("a = b", "a = b");
        check_normal("a=b", "a=b");
    }

    #[test]
    fn the_same_lines_at_another_place_are_the_same_approach() {
        let first =
            "diff --git a/f b/f\nindex 1..2\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-n = 1\n+n = 2\n";
        let again =
            "diff --git a/f b/f\nindex 8..9\n--- a/f\n+++ b/f\n@@ -70 +71 @@\n-n = 5\n+n  =  30\n";
        assert_eq!(approach(first), approach(again));
        assert_ne!(approach(first), approach(&first.replace("n =", "m =")));
        assert_ne!(approach(first), approach(&first.replace("/f", "/g")));
    }

    #[test]
    fn undoing_is_the_same_approach_as_doing() {
        let header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n";
        let made = approach(&format!("{header}-x\n-y\n+z\n"));
        assert_eq!(made, approach(&format!("{header}-z\n+x\n+y\n")));
        assert_ne!(made, approach(&format!("{header}-y\n-x\n+z\n")));
        assert_ne!(made, approach(&format!("{header}-x\n+z\n")));
        let came = approach("diff --git a/f b/f\nnew file mode 100644\n");
        assert!(came.is_some());
        assert_eq!(came, approach("diff --git a/f b/f\ndeleted file mode 100644\n"));
    }

    #[test]
    fn each_hunk_of_a_file_counts_for_itself() {
        let header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
        let (one, two) = ("@@ -1 +1 @@\n-a\n+b\n", "@@ -9 +9 @@\n-c\n+d\n");
        let hunks = |patch: &str| approach(patch).unwrap().hunks().clone();
        let both = hunks(&format!("{header}{one}{two}"));
        assert_eq!(both.len(), 2);
        let apart = &hunks(&format!("{header}{one}")) | &hunks(&format!("{header}{two}"));
        assert_eq!(both, apart);
        let in_two_files = hunks(&format!("{header}{one}{}{one}", header.replace('f', "g")));
        assert_eq!(in_two_files.len(), 2);
    }

    #[test]
    fn blank_lines_alone_are_no_approach() {
        let header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n";
        assert_eq!(approach(&format!("{header}+\n+  \n")), None);
        assert!(approach(&format!("{header}+\n+x\n")).is_some());
    }

    #[test]
    fn a_line_that_looks_like_a_header_is_a_line() {
        let header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n";
        let plain = approach(&format!("{header}+x\n"));
        assert_ne!(plain, approach(&format!("{header}+x\n+++ b/f\n")));
        assert_ne!(plain, approach(&format!("{header}+x\n+diff --git a/g b/g\n")));
    }

    #[test]
    fn modes_and_binary_files_count_without_lines() {
        let mode = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n";
        let binary = "diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n";
        assert!(approach(mode).is_some());
        assert!(approach(binary).is_some());
        assert_ne!(approach(mode), approach(binary));
        assert_eq!(approach(""), None);
    }

    #[test]
    fn a_whole_text_is_normalised_line_by_line() {
        assert_eq!(normal_digest(b"a 1\n\n  b\n"), normal_digest(b"a 22\nb"));
        assert_ne!(normal_digest(b"a\nb"), normal_digest(b"a b"));
    }
}
