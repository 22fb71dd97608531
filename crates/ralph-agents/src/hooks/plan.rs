//! Plans installing into a host's folder, and uninstalling.

use std::path::{Path, PathBuf};

use super::settings::{self, HookOptions, HookRemoval, HookShape};
use super::{HookDialect, commands, toml_blocks};
use crate::install::{FolderReader, HostFileError, InstallOptions, InstallPlan, text};

/// Plans an installation: hooks in the settings, and the slash commands.
pub(crate) fn plan_install(
    dialect: &HookDialect,
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
    let file = dialect.settings.file;
    let before = text(read, file)?;
    let after = if dialect.settings.shape == HookShape::Toml {
        toml_blocks::install(dialect, before.as_deref(), &installation)
    } else {
        let after = settings::install(dialect, before.as_deref(), &installation);
        after.map_err(|error| HostFileError::new(Path::new(file), error))?
    };
    let mut plan = InstallPlan::default();
    plan.change(file, before, Some(after));
    for file in dialect.commands.files() {
        match text(read, &file.path)? {
            Some(text) if !commands::is_ours(&text) => plan.left.push(PathBuf::from(file.path)),
            before @ (Some(_) | None) => plan.change(&file.path, before, Some(file.text)),
        }
    }
    Ok(plan)
}

/// Plans the removal of our entries and files, and nothing else.
pub(crate) fn plan_uninstall(
    dialect: &HookDialect,
    read: &FolderReader<'_>,
) -> Result<InstallPlan, HostFileError> {
    let mut plan = InstallPlan::default();
    let file = dialect.settings.file;
    if let Some(before) = text(read, file)? {
        let removed = if dialect.settings.shape == HookShape::Toml {
            Ok(toml_blocks::uninstall(dialect, &before))
        } else if before.trim().is_empty() {
            Ok(HookRemoval::Nothing)
        } else {
            settings::uninstall(dialect, &before)
        };
        match removed.map_err(|error| HostFileError::new(Path::new(file), error))? {
            HookRemoval::Nothing => {}
            HookRemoval::Text(after) => plan.change(file, Some(before), Some(after)),
            HookRemoval::File => plan.change(file, Some(before), None),
        }
    }
    for file in dialect.commands.files() {
        match text(read, &file.path)? {
            Some(text) if commands::is_ours(&text) => plan.change(&file.path, Some(text), None),
            Some(_) => plan.left.push(PathBuf::from(file.path)),
            None => {}
        }
    }
    Ok(plan)
}
