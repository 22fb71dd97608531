//! Names of tests in files.

use std::fs;
use std::path::Path;

use ignore::WalkBuilder;

/// Larger files are not written by hand, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;

/// The maximum number of files that are searched; after that the name counts as found.
const MOST_FILES: usize = 20_000;

/// True if a file, or one in a folder, has a name in it.
pub(super) fn mention(path: &Path, name: &str) -> bool {
    if path.is_dir() {
        return any_mentions(path, name);
    }
    let is_small = fs::metadata(path).is_ok_and(|facts| facts.len() <= MOST_BYTES);
    let text = if is_small { ralph_files::read(path).unwrap_or_default() } else { return true };
    memchr::memmem::find(&text, name.as_bytes()).is_some()
}

/// True if a file that git would not ignore has a name in it.
pub(super) fn any_mentions(folder: &Path, name: &str) -> bool {
    if !ralph_files::has_plain_rules(folder) {
        return true;
    }
    let mut walk = WalkBuilder::new(folder);
    walk.require_git(false)
        .filter_entry(|entry| ralph_files::may_enter(entry.path(), entry.file_type()));
    let files = walk.build().flatten();
    let files = files.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut looked = 0;
    for file in files {
        looked += 1;
        let is_small = file.metadata().is_ok_and(|facts| facts.len() <= MOST_BYTES);
        if looked > MOST_FILES || (is_small && mention(file.path(), name)) {
            return true;
        }
    }
    false
}
