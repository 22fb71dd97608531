//! A look at the client's folder.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{VERSION, files};
use crate::inspection::{CommandFile, CommandState, Inspection, Scope};
use crate::install::{Read, Unreadable, text};

/// Looks for the plugin and the commands in a folder.
pub fn inspect(read: &Read<'_>, _scope: Scope) -> Result<Inspection, Unreadable> {
    let mut seen = Inspection::default();
    for path in files::PATHS {
        let state = match text(read, path)? {
            None => CommandState::Missing,
            Some(text) if files::is_current(path, &text) => CommandState::Current,
            Some(text) if files::is_ours(&text) => CommandState::Old,
            Some(_) => CommandState::Foreign,
        };
        seen.commands.push(CommandFile { path: PathBuf::from(path), state });
    }
    Ok(seen)
}

/// What the plugin says about an event that nothing comes of.
pub fn payload(event: &str, session: &str, root: &Path) -> String {
    let root = root.to_string_lossy();
    json!({ "v": VERSION, "type": event, "session": session, "directory": root }).to_string()
}
