use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::path_bytes;

/// The location of a project, found without git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectLocation {
    /// The root of the work tree, canonical.
    pub root: PathBuf,
    /// Its repository; `None` outside git.
    pub git: Option<GitDirs>,
}

/// The folders of a repository, canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDirs {
    /// The folder of this work tree: `HEAD`, the index.
    pub dir: PathBuf,
    /// The folder that all work trees of the repository share: objects, refs.
    /// The same as `dir` unless this is a linked work tree.
    pub common: PathBuf,
}

/// An error while looking for a project.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The folder to start from does not exist or cannot be entered.
    #[error("cannot open {}", path.display())]
    Start {
        /// The folder as it was given.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl ProjectLocation {
    /// Finds the project that contains `start`.
    ///
    /// The root is the nearest folder upwards with a repository: a `.git`
    /// folder, or a `.git` file as linked work trees and submodules have. A
    /// `.git` file with a broken path still marks the root, but of a project
    /// without git. With no repository at all `start` is the root.
    pub fn discover(start: &Path) -> Result<Self, DiscoverError> {
        let failed = |source| DiscoverError::Start { path: start.to_owned(), source };
        let mut start = fs::canonicalize(start).map_err(failed)?;
        if start.is_file() {
            start.pop();
        }
        for folder in start.ancestors() {
            let link = folder.join(".git");
            if link.is_file() {
                return Ok(Self { root: folder.to_owned(), git: follow(&link) });
            }
            if let Some(git) = GitDirs::at(&link) {
                return Ok(Self { root: folder.to_owned(), git: Some(git) });
            }
        }
        Ok(Self { root: start, git: None })
    }
}

impl GitDirs {
    /// Returns the repository whose git folder is `dir`, if that is one.
    fn at(dir: &Path) -> Option<Self> {
        let dir = fs::canonicalize(dir).ok()?;
        // `HEAD` of old repositories is a symbolic link, and its branch need
        // not exist yet.
        fs::symlink_metadata(dir.join("HEAD")).ok()?;
        let common = match ralph_files::read(dir.join("commondir")) {
            Ok(text) => fs::canonicalize(dir.join(path_in(&text))).ok()?,
            Err(_) => dir.clone(),
        };
        common.join("objects").exists().then_some(Self { dir, common })
    }
}

/// Reads a `.git` file: `gitdir: ` and a path, relative to the file's folder.
fn follow(link: &Path) -> Option<GitDirs> {
    let text = ralph_files::read(link).ok()?;
    let target = path_in(text.strip_prefix(b"gitdir:")?);
    GitDirs::at(&link.parent()?.join(target))
}

fn path_in(text: &[u8]) -> PathBuf {
    path_bytes::from_bytes(text.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a git folder, made without git.
    fn git_folder(path: &Path) {
        fs::create_dir_all(path.join("objects")).unwrap();
        fs::write(path.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    fn temp() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap();
        (dir, path)
    }

    #[test]
    fn a_folder_deep_inside_finds_the_repository_above() {
        let (_guard, top) = temp();
        git_folder(&top.join(".git"));
        let deep = top.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let git = GitDirs { dir: top.join(".git"), common: top.join(".git") };
        assert_eq!(
            ProjectLocation::discover(&deep).unwrap(),
            ProjectLocation { root: top, git: Some(git) }
        );
    }

    #[test]
    fn a_linked_work_tree_shares_the_common_folder() {
        let (_guard, top) = temp();
        let common = top.join("main/.git");
        let dir = common.join("worktrees/side");
        git_folder(&common);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("HEAD"), "").unwrap();
        fs::write(dir.join("commondir"), "../..\n").unwrap();
        let root = top.join("side");
        fs::create_dir(&root).unwrap();
        fs::write(root.join(".git"), format!("gitdir: {}\n", dir.display())).unwrap();
        let git = GitDirs { dir, common };
        assert_eq!(
            ProjectLocation::discover(&root).unwrap(),
            ProjectLocation { root, git: Some(git) }
        );
    }

    #[test]
    fn a_submodule_is_a_project_of_its_own() {
        let (_guard, top) = temp();
        let dir = top.join(".git/modules/sub");
        git_folder(&top.join(".git"));
        git_folder(&dir);
        let root = top.join("sub");
        fs::create_dir(&root).unwrap();
        fs::write(root.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        let git = GitDirs { common: dir.clone(), dir };
        assert_eq!(
            ProjectLocation::discover(&root).unwrap(),
            ProjectLocation { root, git: Some(git) }
        );
    }

    #[test]
    fn without_a_repository_the_start_is_the_root() {
        let (_guard, top) = temp();
        fs::create_dir_all(top.join("a/.git")).unwrap();
        let start = top.join("a");
        assert_eq!(
            ProjectLocation::discover(&start).unwrap(),
            ProjectLocation { root: start, git: None }
        );
    }

    #[test]
    fn a_git_file_that_points_nowhere_marks_a_project_without_git() {
        let (_guard, top) = temp();
        fs::create_dir(top.join("inner")).unwrap();
        for text in ["gitdir: ../gone\n", "nonsense"] {
            fs::write(top.join(".git"), text).unwrap();
            let found = ProjectLocation::discover(&top.join("inner")).unwrap();
            assert_eq!(found, ProjectLocation { root: top.clone(), git: None });
        }
    }

    #[test]
    fn a_missing_start_is_an_error_that_names_it() {
        let error = ProjectLocation::discover(Path::new("/no/such/folder")).unwrap_err();
        assert_eq!(error.to_string(), "cannot open /no/such/folder");
    }
}
