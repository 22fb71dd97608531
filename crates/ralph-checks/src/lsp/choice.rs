//! The choice of servers for a file: those that are installed and wanted there.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use ralph_proc::find_program;
use serde::Deserialize;

use super::servers::{LanguageServer, ServerCondition};

/// The folders in which projects install programs of their own.
const LOCAL: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The way to start a server for some files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServerLaunch {
    /// The server's name.
    pub(crate) server: String,
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// The folder in which it is started and which it takes for the workspace.
    pub(crate) root: PathBuf,
    /// The search path: the project's own programs come first.
    pub(crate) path: OsString,
}

/// The decision if a server looks at a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ServerChoice {
    /// It does.
    Use(ServerLaunch),
    /// It would, but this program is not installed.
    Missing(String),
    /// It is installed, but nothing says that the project uses it.
    Unwanted,
}

/// Looks for servers on behalf of one project.
#[derive(Clone, Copy)]
pub(crate) struct ServerChooser<'a> {
    /// The project's root; files are below it.
    pub(crate) root: &'a Path,
    /// The search path of the environment.
    pub(crate) path: Option<&'a OsStr>,
}

impl ServerChooser<'_> {
    /// Decides if and how `server` looks at `file`, which is one of its kinds.
    pub(crate) fn choose(&self, server: &LanguageServer, file: &Path) -> ServerChoice {
        let folders = self.folders(file);
        let path = self.search_path(&folders);
        let mut missing = server.commands.first().and_then(|words| words.first()).cloned();
        for command in &server.commands {
            let Some((program, args)) = command.split_first() else { continue };
            let Some(found) = find_program(OsStr::new(program), self.root, Some(&path)) else {
                continue;
            };
            if !speaks(program, &found) {
                continue;
            }
            if let Some(name) = server.needs.iter().find(|name| !self.has(name, &path)) {
                missing = Some(name.clone());
                continue;
            }
            if !is_wanted(server, &folders, &found) {
                return ServerChoice::Unwanted;
            }
            let command = [found.into_os_string()].into_iter().chain(args.iter().map(Into::into));
            return ServerChoice::Use(ServerLaunch {
                server: server.name.clone(),
                command: command.collect(),
                root: self.server_root(server, &folders),
                path,
            });
        }
        missing.map_or(ServerChoice::Unwanted, ServerChoice::Missing)
    }

    /// The folders of a file, from its own up to the project's root.
    fn folders<'f>(&self, file: &'f Path) -> Vec<&'f Path> {
        let up = file.ancestors().skip(1);
        up.take_while(|folder| folder.starts_with(self.root)).collect()
    }

    fn search_path(&self, folders: &[&Path]) -> OsString {
        let own = folders.iter().flat_map(|folder| LOCAL.map(|name| folder.join(name)));
        let own = own.filter(|folder| folder.is_dir());
        let theirs =
            env::split_paths(self.path.unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin")));
        // Only a path with the separator in it cannot be joined; then the
        // project's own programs are not found.
        env::join_paths(own.chain(theirs))
            .unwrap_or_else(|_| self.path.unwrap_or_default().to_owned())
    }

    fn has(&self, program: &str, path: &OsStr) -> bool {
        find_program(OsStr::new(program), self.root, Some(path)).is_some()
    }

    fn server_root(&self, server: &LanguageServer, folders: &[&Path]) -> PathBuf {
        let marked = folders
            .iter()
            .find(|folder| server.roots.iter().any(|name| folder.join(name).is_file()));
        marked.map_or(self.root, |folder| *folder).to_owned()
    }
}

/// True if the project uses a server that is installed.
fn is_wanted(server: &LanguageServer, folders: &[&Path], program: &Path) -> bool {
    match &server.wanted {
        ServerCondition::Always => true,
        ServerCondition::WithOneOf(files) => folders.iter().any(|folder| {
            files.iter().any(|name| folder.join(name).is_file())
                || LOCAL.iter().any(|name| program.starts_with(folder.join(name)))
        }),
    }
}

/// True if a program of this name can be a server: the compiler of TypeScript is one since version
/// 7, and any other `tsc` is none.
fn speaks(name: &str, program: &Path) -> bool {
    #[derive(Deserialize)]
    struct TypeScriptPackage {
        version: String,
    }
    if name != "tsc" {
        return true;
    }
    let version = || -> Option<u32> {
        let program = fs::canonicalize(program).ok()?;
        let package = program.parent()?.parent()?.join("package.json");
        let package: TypeScriptPackage =
            serde_json::from_slice(&ralph_files::read(package).ok()?).ok()?;
        package.version.split('.').next()?.parse().ok()
    };
    version().is_some_and(|version| version >= 7)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::servers::known;
    use super::*;

    struct ServerChoiceFixture {
        folder: tempfile::TempDir,
    }

    impl ServerChoiceFixture {
        fn new(files: &[(&str, &str)]) -> Self {
            let stage = Self { folder: tempfile::tempdir().unwrap() };
            for (name, text) in files {
                let path = stage.path(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, text).unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
            stage
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn choose(&self, server: &str, file: &str) -> ServerChoice {
            let path = self.path("bin").into_os_string();
            let project = self.path("project");
            let server = known().into_iter().find(|known| known.name == server).unwrap();
            ServerChooser { root: &project, path: Some(&path) }.choose(&server, &project.join(file))
        }

        #[track_caller]
        fn uses(&self, server: &str, file: &str) -> (PathBuf, PathBuf) {
            match self.choose(server, file) {
                ServerChoice::Use(start) => (PathBuf::from(&start.command[0]), start.root),
                other @ (ServerChoice::Missing(_) | ServerChoice::Unwanted) => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn the_program_nearest_to_the_file_is_used() {
        let stage = ServerChoiceFixture::new(&[
            ("bin/ruff", ""),
            ("project/.venv/bin/ruff", ""),
            ("project/api/.venv/bin/ruff", ""),
            ("project/api/pyproject.toml", ""),
            ("project/pyproject.toml", ""),
            ("bin/pyright-langserver", ""),
        ]);
        assert_eq!(stage.uses("ruff", "api/src/a.py").0, stage.path("project/api/.venv/bin/ruff"));
        assert_eq!(stage.uses("ruff", "a.py").0, stage.path("project/.venv/bin/ruff"));
        assert_eq!(stage.uses("pyright", "api/src/a.py").1, stage.path("project/api"));
        assert_eq!(stage.uses("pyright", "web/a.py").1, stage.path("project"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let stage = ServerChoiceFixture::new(&[("bin/gopls", "")]);
        assert_eq!(stage.choose("ruff", "a.py"), ServerChoice::Missing("ruff".to_owned()));
        assert_eq!(stage.choose("gopls", "a.go"), ServerChoice::Missing("go".to_owned()));
    }

    #[test]
    fn a_linter_that_happens_to_be_installed_waits_to_be_asked_for() {
        let stage = ServerChoiceFixture::new(&[
            ("bin/biome", ""),
            ("bin/oxlint", ""),
            ("project/a/biome.json", "{}"),
            ("project/b/node_modules/.bin/oxlint", ""),
        ]);
        assert_eq!(stage.choose("biome", "b/x.js"), ServerChoice::Unwanted);
        assert_eq!(stage.uses("biome", "a/x.js").0, stage.path("bin/biome"));
        assert_eq!(stage.choose("oxlint", "a/x.js"), ServerChoice::Unwanted);
        let own = stage.path("project/b/node_modules/.bin/oxlint");
        assert_eq!(stage.uses("oxlint", "b/x.js").0, own);
    }

    #[test]
    fn a_compiler_of_typescript_before_version_7_is_no_server() {
        let package = "project/node_modules/typescript/package.json";
        for (version, wanted) in [("5.9.2", false), ("7.0.2", true), ("10.0.0-beta", true)] {
            let json = format!(r#"{{"version":"{version}"}}"#);
            let stage = ServerChoiceFixture::new(&[
                (package, &json),
                ("project/node_modules/typescript/bin/tsc", ""),
                ("project/node_modules/.bin/other", ""),
            ]);
            let link = stage.path("project/node_modules/.bin/tsc");
            symlink("../typescript/bin/tsc", link).unwrap();
            let used = matches!(stage.choose("tsc", "a.ts"), ServerChoice::Use(_));
            assert_eq!(used, wanted, "{version}");
        }
        let stage = ServerChoiceFixture::new(&[("bin/tsc", ""), ("bin/tsgo", "")]);
        assert_eq!(stage.uses("tsc", "a.ts").0, stage.path("bin/tsgo"));
    }
}
