use std::ffi::OsString;
use std::io;
use std::io::ErrorKind::{QuotaExceeded, StorageFull};
use std::path::{Path, PathBuf};

use crate::project::ProjectLocation;
use crate::{path_bytes, probe};

/// Returns the folder for our own files of `project`, which may not exist yet.
///
/// `ralph_home` is set by the user and always taken. Otherwise it is `ralph` in
/// the git common folder, where all work trees share it, nothing is committed
/// and `git clean` does not reach. If that is not writable or there is no git,
/// it is a folder under `platform_state`. Existing state in the repository is
/// used even if it is read-only: a second one would hide it.
pub fn state_home(
    project: &ProjectLocation,
    ralph_home: Option<&Path>,
    platform_state: &Path,
) -> PathBuf {
    let younger = |ours: &Path, without_git: &Path| {
        // The repository is newer than our state: a run in progress must still
        // be found.
        !ours.exists() && without_git.exists()
    };
    if let Some(home) = ralph_home {
        let (ours, without_git) =
            (home.join(project_id(project)), home.join(short_digest(&project.root)));
        return if younger(&ours, &without_git) { without_git } else { ours };
    }
    let without_git = platform_state.join("ralph").join(short_digest(&project.root));
    if let Some(git) = &project.git {
        let ours = git.common.join("ralph");
        if younger(&ours, &without_git) {
            return without_git;
        }
        let holder = if ours.exists() { &ours } else { &git.common };
        match probe::now_in(holder) {
            Ok(_) => return ours,
            // A full disk is temporary, and the existing state must still be
            // found.
            Err(error) if matches!(error.kind(), StorageFull | QuotaExceeded) => return ours,
            Err(_) if holds_something(&ours) => return ours,
            Err(_) => {}
        }
    }
    platform_state.join("ralph").join(project_id(project))
}

/// Returns the state folder of the repository and the error that makes it
/// unusable, if `home` only replaces it. Once the repository is writable again,
/// `home` is no longer read.
pub fn stands_in(project: &ProjectLocation, home: &Path) -> Option<(PathBuf, io::Error)> {
    let ours = project.git.as_ref()?.common.join("ralph");
    let is_other = home != ours && home.file_name() == Some(project_id(project).as_ref());
    // An unreadable folder belongs to another user, and stays so.
    let is_closed = ours.exists() && std::fs::read_dir(&ours).is_err();
    if !is_other || is_closed {
        return None;
    }
    takes_files(&ours).err().map(|error| (ours, error))
}

/// Returns the platform's folder for state of this user; `None` when the
/// environment does not set it, or sets a relative path.
///
/// Linux and the like: `$XDG_STATE_HOME` or `~/.local/state`. macOS:
/// `~/Library/Application Support`. Windows: `%LOCALAPPDATA%`.
pub fn platform_state_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let platform = match std::env::consts::OS {
        "macos" => Platform::MacOs,
        "windows" => Platform::Windows,
        _ => Platform::Xdg,
    };
    platform.state_dir(env)
}

enum Platform {
    Xdg,
    MacOs,
    Windows,
}

impl Platform {
    fn state_dir(&self, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let folder = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        match self {
            Self::Xdg => folder("XDG_STATE_HOME")
                .or_else(|| folder("HOME").map(|home| home.join(".local/state"))),
            Self::MacOs => folder("HOME").map(|home| home.join("Library/Application Support")),
            Self::Windows => folder("LOCALAPPDATA"),
        }
    }
}

fn holds_something(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns an error if files cannot be created in a folder, which need not
/// exist yet.
///
/// Nothing is left behind: where there is no such folder, its nearest ancestor
/// is tested.
pub fn takes_files(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find(|above| above.exists());
    probe::now_in(there.unwrap_or(folder)).map(|_| ())
}

/// Returns sixteen hex digits that identify the repository, or the root when
/// there is none. Work trees of one repository share the id.
fn project_id(project: &ProjectLocation) -> String {
    let place = project.git.as_ref().map_or(&project.root, |git| &git.common);
    short_digest(place)
}

/// Returns sixteen hex digits that identify `path`.
pub(crate) fn short_digest(path: &Path) -> String {
    let mut hex = blake3::hash(&path_bytes::to_bytes(path)).to_hex().to_string();
    hex.truncate(16);
    hex
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::GitDirs;

    const PLATFORM: &str = "/state";

    fn in_git(common: &Path) -> ProjectLocation {
        let git = GitDirs { dir: common.join("worktrees/x"), common: common.to_owned() };
        ProjectLocation { root: "/project".into(), git: Some(git) }
    }

    #[test]
    fn the_users_choice_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let home = state_home(&in_git(dir.path()), Some(Path::new("/mine")), PLATFORM.as_ref());
        assert!(home.starts_with("/mine"), "{home:?}");
        assert_eq!(home.file_name().unwrap().len(), 16);
    }

    #[test]
    fn state_that_is_older_than_the_repository_stays_where_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let (home, platform) = (dir.path().join("home"), dir.path().join("platform"));
        for ralph_home in [None, Some(home.as_path())] {
            let plain = ProjectLocation { root: "/project".into(), git: None };
            let before = state_home(&plain, ralph_home, &platform);
            fs::create_dir_all(&before).unwrap();
            assert_eq!(state_home(&in_git(dir.path()), ralph_home, &platform), before);
        }
    }

    #[test]
    fn a_repository_keeps_our_state() {
        let dir = tempfile::tempdir().unwrap();
        let home = state_home(&in_git(dir.path()), None, PLATFORM.as_ref());
        assert_eq!(home, dir.path().join("ralph"));
        assert!(!home.exists());
    }

    #[test]
    fn a_repository_that_takes_no_files_leaves_the_platforms_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("ralph"), "a file where our folder should be").unwrap();
        let home = state_home(&in_git(dir.path()), None, PLATFORM.as_ref());
        assert!(home.starts_with("/state/ralph"), "{home:?}");
    }

    #[test]
    fn only_what_the_repository_refuses_is_stood_in_for() {
        let dir = tempfile::tempdir().unwrap();
        let gone = in_git(&dir.path().join("gone/.git"));
        let elsewhere = Path::new(PLATFORM).join("ralph").join(project_id(&gone));
        assert!(stands_in(&gone, &elsewhere).is_none(), "it takes files");
        assert!(stands_in(&gone, &dir.path().join("gone/.git/ralph")).is_none());
        fs::write(dir.path().join("gone"), "no folder").unwrap();
        let (place, _) = stands_in(&gone, &elsewhere).unwrap();
        assert_eq!(place, dir.path().join("gone/.git/ralph"));
        assert!(stands_in(&gone, Path::new("/state/ralph/older")).is_none());
    }

    #[test]
    fn projects_outside_git_do_not_share_a_folder() {
        let home = |root: &str| {
            state_home(&ProjectLocation { root: root.into(), git: None }, None, PLATFORM.as_ref())
        };
        assert_eq!(home("/a"), home("/a"));
        assert_ne!(home("/a"), home("/b"));
    }

    #[test]
    fn every_platform_has_its_own_state_folder() {
        let all = |name: &str| Some(OsString::from(format!("/{name}")));
        let home_only = |name: &str| (name == "HOME").then(|| OsString::from("/h"));
        let relative = |_: &str| Some(OsString::from("here"));
        let check = |found: Option<PathBuf>, want: Option<&str>| {
            assert_eq!(found, want.map(PathBuf::from));
        };
        check(Platform::Xdg.state_dir(all), Some("/XDG_STATE_HOME"));
        check(Platform::Xdg.state_dir(home_only), Some("/h/.local/state"));
        check(Platform::MacOs.state_dir(all), Some("/HOME/Library/Application Support"));
        check(Platform::Windows.state_dir(all), Some("/LOCALAPPDATA"));
        check(Platform::Windows.state_dir(home_only), None);
        check(Platform::Xdg.state_dir(relative), None);
        check(platform_state_dir(|_| None), None);
    }
}
