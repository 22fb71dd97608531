//! Changes of tests and checks that the user accepted during a run.

use std::fs;
use std::io::Write;
use std::path::Path;

/// The name of the list in the run's folder.
const FILE: &str = "allowed";

/// Returns the accepted paths, oldest first.
pub fn load(folder: &Path) -> Vec<String> {
    let text = ralph_files::read_own_text(folder.join(FILE)).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Accepts more paths and returns those that are new.
pub fn add(folder: &Path, paths: &[String]) -> std::io::Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    let mut file = ralph_files::append_own(path)?;
    let known = load(folder);
    let mut new: Vec<String> = Vec::new();
    for path in paths {
        if !known.contains(path) && !new.contains(path) {
            new.push(path.clone());
        }
    }
    let lines = new.iter().flat_map(|path| [path, "\n"]).collect::<String>();
    // One write, so that two calls at once do not mix their lines.
    file.write_all(lines.as_bytes())?;
    Ok(new)
}

/// Replaces the list, whatever is in its place.
pub(crate) fn replace(folder: &Path, paths: &[String]) -> std::io::Result<()> {
    let lines = paths.iter().flat_map(|path| [path, "\n"]).collect::<String>();
    ralph_files::write_own(folder.join(FILE), lines)
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
