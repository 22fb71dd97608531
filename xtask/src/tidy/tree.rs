//! Rules about the files that may exist.

use std::collections::BTreeSet;

use crate::finding::RuleViolation;
use crate::workspace::WorkspaceFile;

/// The allowed entries of the root; notes and trial configurations stay out.
const ROOT: &[&str] = &[
    ".cargo",
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "crates",
    "docs",
    "plugins",
    "rustfmt.toml",
    "tests",
    "xtask",
];

const MAX_BYTES: usize = 1024 * 1024;

/// Checks the list of files.
pub(super) fn check(files: &[WorkspaceFile]) -> Vec<RuleViolation> {
    let entries: BTreeSet<&str> =
        files.iter().filter_map(|file| file.path.split('/').next()).collect();
    let strangers = entries.into_iter().filter(|entry| !ROOT.contains(entry)).map(|entry| {
        let remedy = "move it into a folder, or add it to ROOT in xtask/src/tidy/tree.rs";
        RuleViolation::new(entry, 1, "does not belong to the root", remedy)
    });
    let giants = files.iter().filter(|file| file.bytes > MAX_BYTES).map(|file| {
        let what = format!("{} bytes, at most {MAX_BYTES}", file.bytes);
        RuleViolation::new(&file.path, 1, what, "generate it or keep a smaller sample")
    });
    strangers.chain(giants).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_root_entry_is_found_once() {
        let files = [
            WorkspaceFile::sample("README.md", ""),
            WorkspaceFile::sample("scratch/a.txt", ""),
            WorkspaceFile::sample("scratch/b.txt", ""),
        ];
        let found = check(&files);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "scratch");
    }

    #[test]
    fn a_file_over_one_mebibyte_is_found() {
        let mut file = WorkspaceFile::sample("docs/a.bin", "");
        file.bytes = MAX_BYTES;
        assert_eq!(check(std::slice::from_ref(&file)), []);
        file.bytes += 1;
        assert_eq!(check(&[file]).len(), 1);
    }
}
