//! The amount of files in a folder, counted up to a limit.

use std::path::Path;

use ignore::WalkBuilder;

/// A number of files and their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderSize {
    /// Number of files.
    pub files: u64,
    /// Their total size in bytes.
    pub bytes: u64,
}

impl FolderSize {
    /// Returns true if a folder holds more files or bytes than this, ignored
    /// ones not counted. Stops as soon as it knows.
    pub fn is_exceeded_in(self, folder: &Path) -> bool {
        if !ralph_files::has_plain_rules(folder) {
            // The code that reads the files reports this.
            return false;
        }
        let mut builder = WalkBuilder::new(folder);
        builder.hidden(false).follow_links(false).same_file_system(true);
        builder.parents(false).require_git(false);
        builder.filter_entry(|item| {
            item.file_name() != ".git" && ralph_files::may_enter(item.path(), item.file_type())
        });
        let mut found = Self { files: 0, bytes: 0 };
        for item in builder.build().flatten() {
            if item.file_type().is_some_and(|kind| kind.is_file()) {
                found.files += 1;
                found.bytes += item.metadata().map_or(0, |found| found.len());
            }
            if found.files > self.files || found.bytes > self.bytes {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_and_bytes_are_counted_without_what_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "ignored"] {
            fs::write(folder.path().join(name), "12345").unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "ignored").unwrap();
        let exceeds = |files, bytes| FolderSize { files, bytes }.is_exceeded_in(folder.path());
        assert!(!exceeds(3, 17));
        assert!(exceeds(2, 17) && exceeds(3, 16));
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_the_place_of_rules_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let size = FolderSize { files: 1, bytes: 100 };
        let pipe = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        };
        pipe("deep/.gitignore");
        fs::write(folder.path().join("deep/a"), "1").unwrap();
        assert!(!size.is_exceeded_in(folder.path()));
        let span = 0..=i64::MAX;
        let none =
            crate::aside::made_in(folder.path(), &span, &crate::left_out::LeftOut::new(None));
        assert!(none.is_empty());
        pipe(".gitignore");
        assert!(!size.is_exceeded_in(folder.path()));
        let none =
            crate::aside::made_in(folder.path(), &span, &crate::left_out::LeftOut::new(None));
        assert!(none.is_empty());
    }
}
