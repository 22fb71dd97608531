//! The files of Claude Code in a home folder.

use std::path::{Path, PathBuf};

use crate::places::ClientPlaces;

/// Parts of the settings folder that hold commands, or text that the model
/// obeys in later sessions.
const OBEYED: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "hooks",
    "output-styles",
    "plugins",
    "rules",
    "skills",
];

/// Returns the places of the client.
pub(crate) fn places(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
    let chosen = variable("CLAUDE_CONFIG_DIR").filter(|path| path.is_absolute());
    let beside = chosen.clone().unwrap_or_else(|| home.to_owned());
    let folder = chosen.unwrap_or_else(|| home.join(".claude"));
    ClientPlaces {
        // It names servers that a later session starts.
        copied: vec![beside.join(".claude.json")],
        fixed: OBEYED.iter().map(|part| folder.join(part)).collect(),
        open: vec![folder, home.join(".cache/claude-cli-nodejs")],
        made: Vec::new(),
        run_files: &[],
        is_a_server: false,
    }
}
