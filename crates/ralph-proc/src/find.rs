//! Finds programs as the system would.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders that the system searches without a `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Finds the file that starting `program` in `dir` would execute.
///
/// A name with a slash is a path, relative to `dir`; any other name is looked
/// up in `path_var`, whose relative entries start at `dir` too. `None` when
/// there is no such file or it is not executable.
pub fn find_program(program: &OsStr, dir: &Path, path_var: Option<&OsStr>) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    if program.to_string_lossy().contains(std::path::is_separator) {
        return executable(dir.join(program));
    }
    let path_var = path_var.unwrap_or(OsStr::new(DEFAULT_PATH));
    env::split_paths(path_var).find_map(|entry| executable(dir.join(entry).join(program)))
}

#[cfg(unix)]
fn executable(path: PathBuf) -> Option<PathBuf> {
    let allowed = rustix::fs::access(&path, rustix::fs::Access::EXEC_OK).is_ok();
    (allowed && path.is_file()).then_some(path)
}

#[cfg(not(unix))]
fn executable(path: PathBuf) -> Option<PathBuf> {
    let with_suffix = ["exe", "cmd", "bat"].map(|suffix| path.with_extension(suffix));
    std::iter::once(path).chain(with_suffix).find(|candidate| candidate.is_file())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// `tools/run` is executable, `tools/notes` and `tools/folder` are not.
    fn workspace() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let tools = dir.path().join("tools");
        fs::create_dir_all(tools.join("folder")).unwrap();
        File::create(tools.join("notes")).unwrap();
        File::create(tools.join("run")).unwrap();
        fs::set_permissions(tools.join("run"), Permissions::from_mode(0o755)).unwrap();
        dir
    }

    #[test]
    fn programs_are_found_as_the_system_finds_them() {
        let workspace = workspace();
        let dir = workspace.path();
        let check = |program: &str, path_var: Option<&str>, want: Option<&str>| {
            let found = find_program(program.as_ref(), dir, path_var.map(OsStr::new));
            let want = want.map(|want| dir.join(want));
            assert_eq!(found, want, "{program} in {path_var:?}");
        };
        let absolute = dir.join("tools/run");
        check("tools/run", None, Some("tools/run"));
        check("./tools/run", None, Some("./tools/run"));
        check(absolute.to_str().unwrap(), None, Some("tools/run"));
        check("run", Some("/nowhere:tools"), Some("tools/run"));
        check("run", Some("/nowhere"), None);
        check("./run", Some("tools"), None);
        check("notes", Some("tools"), None);
        check("folder", Some("tools"), None);
        check("tools/missing", None, None);
        check("", Some("tools"), None);
        check("sh", None, Some("/bin/sh"));
    }
}
