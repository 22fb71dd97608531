//! Changes of tests and checks that the user accepted while a run goes on.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::plain_file;

/// The list's name in the run's folder.
const FILE: &str = "allowed";

/// What was accepted so far, oldest first.
pub fn load(folder: &Path) -> Vec<String> {
    let text = plain_file::read_text(&folder.join(FILE)).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Accepts more; says which of them are new.
pub fn add(folder: &Path, paths: &[String]) -> std::io::Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        // A pipe would wait for a reader for ever.
        fs::remove_file(&path)?;
    }
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let known = load(folder);
    let mut new: Vec<String> = Vec::new();
    for path in paths {
        if !known.contains(path) && !new.contains(path) {
            new.push(path.clone());
        }
    }
    let lines = new.iter().flat_map(|path| [path, "\n"]).collect::<String>();
    // One write: two calls at once do not mix their lines.
    file.write_all(lines.as_bytes())?;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_is_kept_once() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["tests/a.rs".to_owned(), "b".to_owned()];
        assert_eq!(add(folder.path(), &paths).unwrap(), paths);
        assert!(add(folder.path(), &paths[..1]).unwrap().is_empty());
        assert_eq!(load(folder.path()), paths);
        assert!(load(&folder.path().join("missing")).is_empty());
    }
}
