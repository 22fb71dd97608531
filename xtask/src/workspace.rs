//! The workspace's folder and files.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::TaskFailure;

/// One file of the workspace.
#[derive(Debug)]
pub(crate) struct WorkspaceFile {
    /// Path from the workspace root, with `/`.
    pub(crate) path: String,
    /// Size on disk.
    pub(crate) bytes: usize,
    /// The content; `None` if it is not UTF-8 text.
    pub(crate) text: Option<String>,
}

impl WorkspaceFile {
    /// Returns true if the file name ends with `.extension`.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }
}

/// Returns the folder with the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// Returns the folder that cargo builds into.
pub(crate) fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from))
}

/// Reads the files that a commit could contain: those that git tracks or would track.
///
/// A tracked file that was just deleted is left out.
pub(crate) fn files(root: &Path) -> Result<Vec<WorkspaceFile>, TaskFailure> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| TaskFailure::Failed(format!("git: {error}")))?;
    if !listed.status.success() {
        let reason = String::from_utf8_lossy(&listed.stderr).trim().to_owned();
        return Err(TaskFailure::Failed(format!("git ls-files: {reason}")));
    }
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut paths: Vec<&str> = names.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().filter_map(|path| read(root, path).transpose()).collect()
}

fn read(root: &Path, path: &str) -> Result<Option<WorkspaceFile>, TaskFailure> {
    let full = root.join(path);
    if !full.is_file() {
        return Ok(None);
    }
    let content = std::fs::read(&full).map_err(|error| TaskFailure::io(&full, &error))?;
    let bytes = content.len();
    Ok(Some(WorkspaceFile { path: path.to_owned(), bytes, text: String::from_utf8(content).ok() }))
}

#[cfg(test)]
impl WorkspaceFile {
    /// Makes a file that exists only in a test.
    pub(crate) fn sample(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), bytes: text.len(), text: Some(text.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_this_workspace_are_found_with_their_text() {
        let files = files(&root()).unwrap();
        let own = files.iter().find(|file| file.path == "xtask/src/workspace.rs").unwrap();
        assert!(own.has_extension("rs"));
        assert!(own.text.as_deref().unwrap().contains("mod tests {"));
    }
}
