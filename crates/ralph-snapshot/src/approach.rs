//! What a turn tried, so that the same attempt is recognised when it comes
//! again with other numbers or another layout.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

use ralph_core::Approach;

/// The parts of an approach: what was done to which file. Order and number
/// do not matter.
#[derive(Debug, Default)]
pub(crate) struct Parts(BTreeSet<[u8; 32]>);

impl Parts {
    /// Adds that `what` happened in the file `path`, in the manner of `sign`.
    pub(crate) fn add(&mut self, path: &[u8], sign: u8, what: &[u8]) {
        let mut hasher = blake3::Hasher::new();
        // The length keeps the end of a path from passing for a beginning of
        // a line.
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path).update(&[sign]);
        self.0.insert(*hasher.update(what).finalize().as_bytes());
    }

    /// The digest of all parts; `None` when there is none.
    pub(crate) fn approach(&self) -> Option<Approach> {
        let mut hasher = blake3::Hasher::new();
        for part in &self.0 {
            hasher.update(part);
        }
        (!self.0.is_empty()).then(|| Approach::new(hasher.finalize().to_hex().as_str()))
    }
}

/// Reads a patch as git writes it with no lines of context.
///
/// The header stands for the path: it is unique and the quoting of strange
/// names needs no undoing. Changed modes count as they are; a binary file
/// has no lines and so counts by its path.
pub(crate) fn read_patch(mut patch: impl BufRead) -> io::Result<Parts> {
    let mut parts = Parts::default();
    let (mut file, mut line, mut normal) = (Vec::new(), Vec::new(), Vec::new());
    let mut in_hunk = false;
    while patch.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"diff --git ") {
            in_hunk = false;
            file.clone_from(&line);
            parts.add(&file, b' ', &[]);
        } else if line.starts_with(b"@@ ") {
            in_hunk = true;
        } else if in_hunk {
            // Lines of a hunk begin with their sign, so that none of them
            // passes for a header.
            let (sign, text) = line.split_first().unwrap_or((&b' ', &[]));
            normalise(text, &mut normal);
            if matches!(sign, b'+' | b'-') && !normal.is_empty() {
                parts.add(&file, *sign, &normal);
            }
        } else if is_mode(&line) {
            parts.add(&file, b'm', &line);
        }
        line.clear();
    }
    Ok(parts)
}

fn is_mode(header: &[u8]) -> bool {
    let modes: [&[u8]; 4] = [b"old mode ", b"new mode ", b"new file mode ", b"deleted file mode "];
    modes.iter().any(|mode| header.starts_with(mode))
}

/// The digest of a whole text, numbers, layout and blank lines aside.
pub(crate) fn normal_digest(text: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
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
    fn a_line_taken_out_is_not_a_line_put_in() {
        let header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n";
        assert_ne!(approach(&format!("{header}-x\n")), approach(&format!("{header}+x\n")));
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
