//! What the real tools need to run in a project.

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The tools that `cargo xtask tools` installs, and those of the system.
pub(crate) struct Tools {
    path: OsString,
}

impl Tools {
    /// Finds them. A tool that is not there fails the test: silence would
    /// look like proof.
    #[track_caller]
    pub(crate) fn with(programs: &[&str]) -> Self {
        for program in programs {
            ralph_testkit::tool(program);
        }
        Self { path: ralph_testkit::tools_path() }
    }

    /// Gives a folder the packages of the tools as its own.
    #[track_caller]
    pub(crate) fn link_packages(&self, folder: &Path) {
        let mut folders = env::split_paths(&self.path);
        let programs = folders.find(|folder| folder.ends_with("node_modules/.bin"));
        let packages = programs.as_deref().and_then(Path::parent);
        let packages = packages.expect("no packages for Node.js: run `cargo xtask tools` first");
        symlink(packages, folder.join("node_modules")).unwrap();
    }

    /// The variables the tools need: what is in the user's home folder for
    /// them, and the search path. Nothing is fetched from the network.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let home = PathBuf::from(env::var_os("HOME").unwrap_or_default());
        let rust = [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")];
        let rust = rust.map(|(name, folder)| {
            (name, env::var_os(name).unwrap_or_else(|| home.join(folder).into()))
        });
        let toolchain = env::var_os("RUSTUP_TOOLCHAIN").map(|value| ("RUSTUP_TOOLCHAIN", value));
        let own = [
            ("PATH", self.path.clone()),
            ("CARGO_NET_OFFLINE", "true".into()),
            ("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go").into()),
            ("GOPROXY", "off".into()),
            ("GOTOOLCHAIN", "local".into()),
            ("NO_UPDATE_NOTIFIER", "1".into()),
            ("LC_ALL", "C.UTF-8".into()),
        ];
        rust.into_iter().chain(toolchain).chain(own).collect()
    }
}
