//! Stamps of what gates depend on outside the tree: ignored files and programs.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ralph_core::policy::{GateCommand, GateSpec};
use ralph_proc::find_program;
use ralph_snapshot::{WorkTree, file_stamp};

/// Stamps at one moment. The files are read for the first stamp.
pub(crate) struct GateStamps<'a> {
    tree: &'a WorkTree,
    root: &'a Path,
    env: &'a [(OsString, OsString)],
    files: OnceCell<String>,
}

impl<'a> GateStamps<'a> {
    /// Returns the stamps for gates that run in `root` with the environment
    /// `env`.
    pub(crate) fn new(tree: &'a WorkTree, root: &'a Path, env: &'a [(OsString, OsString)]) -> Self {
        Self { tree, root, env, files: OnceCell::new() }
    }

    /// Returns the stamp of a gate.
    pub(crate) fn of(&self, spec: &GateSpec) -> String {
        let files = self.files.get_or_init(|| self.tree.stamp());
        let program = match &spec.command {
            GateCommand::Argv(words) => words.first().map_or("", String::as_str),
            GateCommand::Shell(_) => "sh",
            GateCommand::Question(_) => "",
        };
        let path = self.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| &**value);
        let dir = self.root.join(&spec.dir);
        let program = find_program(OsStr::new(program), &dir, path);
        format!("{files} {}", program.map(|program| file_stamp(&program)).unwrap_or_default())
    }
}
