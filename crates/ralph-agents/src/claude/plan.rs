//! Plans what is installed into the client's folder, and what is removed.

use std::path::{Path, PathBuf};

use super::files;
use super::settings::{self, Installation, SettingsError};
use crate::install::{Plan, Read, Unreadable, Wanted};

const SETTINGS: &str = "settings.json";

/// Plans an installation: hooks in the settings, and the slash commands.
pub fn plan_install(read: &Read<'_>, wanted: &Wanted) -> Result<Plan, Unreadable> {
    let installation = Installation {
        program: wanted.program.clone(),
        cap: wanted.cap,
        arm: wanted.arm.clone(),
        stop_timeout: wanted.gates,
        prompt_timeout: wanted.gates,
    };
    let before = read(Path::new(SETTINGS));
    let after =
        settings::install(before.as_deref(), &installation).map_err(|error| unreadable(&error))?;
    let mut plan = Plan::default();
    plan.change(SETTINGS, before, Some(after));
    for file in files::commands() {
        let path = format!("commands/{}", file.path);
        match read(Path::new(&path)) {
            Some(text) if !files::is_ours(&text) => plan.left.push(PathBuf::from(path)),
            before @ (Some(_) | None) => plan.change(&path, before, Some(file.text)),
        }
    }
    Ok(plan)
}

/// Plans the removal of exactly what is ours.
pub fn plan_uninstall(read: &Read<'_>) -> Result<Plan, Unreadable> {
    let mut plan = Plan::default();
    if let Some(before) = read(Path::new(SETTINGS)) {
        let after = settings::uninstall(&before).map_err(|error| unreadable(&error))?;
        if let Some(after) = after {
            plan.change(SETTINGS, Some(before), Some(after));
        }
    }
    for file in files::commands() {
        let path = format!("commands/{}", file.path);
        match read(Path::new(&path)) {
            Some(text) if files::is_ours(&text) => plan.change(&path, Some(text), None),
            Some(_) => plan.left.push(PathBuf::from(path)),
            None => {}
        }
    }
    Ok(plan)
}

fn unreadable(error: &SettingsError) -> Unreadable {
    Unreadable { path: PathBuf::from(SETTINGS), reason: error.to_string() }
}
