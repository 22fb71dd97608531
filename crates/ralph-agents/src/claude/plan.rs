//! Plans installing into the client's folder, and uninstalling.

use std::path::{Path, PathBuf};

use super::files;
use super::settings::{self, HookOptions, HookRemoval};
use crate::install::{FolderReader, HostFileError, InstallOptions, InstallPlan, text};

/// The settings file with our hooks.
pub(super) const SETTINGS: &str = "settings.json";

/// Plans an installation: hooks in the settings, and the slash commands.
pub fn plan_install(
    read: &FolderReader<'_>,
    wanted: &InstallOptions,
) -> Result<InstallPlan, HostFileError> {
    let installation = HookOptions {
        program: wanted.program.clone(),
        cap: wanted.cap,
        arm: wanted.arm.clone(),
        looks_before_edits: wanted.looks_before_edits,
        stop_timeout: wanted.gates,
        prompt_timeout: wanted.gates,
    };
    let before = text(read, SETTINGS)?;
    let after = settings::install(before.as_deref(), &installation);
    let after = after.map_err(|error| HostFileError::new(Path::new(SETTINGS), error))?;
    let mut plan = InstallPlan::default();
    plan.change(SETTINGS, before, Some(after));
    for file in files::commands() {
        let path = format!("commands/{}", file.path);
        match text(read, &path)? {
            Some(text) if !files::is_ours(&text) => plan.left.push(PathBuf::from(path)),
            before @ (Some(_) | None) => plan.change(&path, before, Some(file.text)),
        }
    }
    Ok(plan)
}

/// Plans the removal of our entries and files, and nothing else.
pub fn plan_uninstall(read: &FolderReader<'_>) -> Result<InstallPlan, HostFileError> {
    let mut plan = InstallPlan::default();
    if let Some(before) = text(read, SETTINGS)? {
        let removed = settings::uninstall(&before);
        match removed.map_err(|error| HostFileError::new(Path::new(SETTINGS), error))? {
            HookRemoval::Nothing => {}
            HookRemoval::Text(after) => plan.change(SETTINGS, Some(before), Some(after)),
            HookRemoval::File => plan.change(SETTINGS, Some(before), None),
        }
    }
    for file in files::commands() {
        let path = format!("commands/{}", file.path);
        match text(read, &path)? {
            Some(text) if files::is_ours(&text) => plan.change(&path, Some(text), None),
            Some(_) => plan.left.push(PathBuf::from(path)),
            None => {}
        }
    }
    Ok(plan)
}
