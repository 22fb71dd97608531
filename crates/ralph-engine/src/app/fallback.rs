//! A copy of the settings that a run began with, used if the present ones are broken.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ralph_config::SettingLayers;
use ralph_core::RunId;
use ralph_core::host::HostReply;

use super::App;
use crate::settings_copy;
use crate::user_error::UserError;

/// File name of the copy of the user's settings.
const USER: &str = "user.toml";

/// File name of the copy of the project's settings.
const PROJECT: &str = "project.toml";

/// The run whose settings are used if the present ones are broken.
#[derive(Debug, Default)]
pub(super) struct SettingsFallback {
    /// The run's folder.
    pub(super) folder: OnceLock<PathBuf>,
    /// The error in the present settings, once it was noticed.
    fault: OnceLock<String>,
}

impl SettingsFallback {
    /// Reads the copies instead of broken settings. Without copies it returns the error.
    pub(super) fn stand_in<T>(
        &self,
        error: UserError,
        read: impl FnOnce(&Path, &Path) -> Result<T, UserError>,
    ) -> Result<T, UserError> {
        let Some(folder) = self.folder.get() else { return Err(error) };
        let copies = settings_copy::folder(folder);
        match read(&copies.join(USER), &copies.join(PROJECT)) {
            Ok(settings) => {
                // The first error is told.
                let _ = self.fault.set(error.in_line());
                Ok(settings)
            }
            Err(_) => Err(error),
        }
    }
}

impl App {
    /// Copies the settings files for a run that begins.
    pub fn keep_settings(&self, run: &RunId) {
        let user = self.user_config().unwrap_or_default();
        let project = self.project_config();
        let files = [(USER, user.as_path()), (PROJECT, project.as_path())];
        // Without copies a broken file is an error, as it is without a run.
        let _ = settings_copy::keep(&self.run_folder(run), &files);
        self.note_accepted(run);
    }

    /// Uses a run's own settings if the present ones are broken. Only the first call counts.
    pub fn fall_back_on(&self, run: &RunId) {
        let folder = self.run_folder(run);
        if settings_copy::folder(&folder).is_dir() {
            // Only the first call counts.
            let _ = self.fallback.folder.set(folder);
        }
    }

    /// Returns the settings that the run began with, and the present variables.
    pub fn begun_layers(&self, error: UserError) -> Result<SettingLayers, UserError> {
        let read = |user: &Path, project: &Path| self.layers_of(Some(user), project);
        self.fallback.stand_in(error, read)
    }

    /// Adds the broken settings, once, as a note to a reply in a session.
    pub fn with_fallback(&self, reply: HostReply) -> HostReply {
        reply.and_note(self.new_fault().map(|text| format!("ralph: {text}")))
    }

    /// Returns once that settings are broken, and which are used instead.
    pub fn new_fault(&self) -> Option<String> {
        let (folder, fault) = (self.fallback.folder.get()?, self.fallback.fault.get()?);
        settings_copy::note_fault(folder, fault).then(|| {
            self.chosen_locale().say(
                format!("the settings cannot be used: {fault}. The run keeps those it began with."),
                format!(
                    "설정을 사용할 수 없습니다: {fault}. 실행은 시작할 때의 설정을 유지합니다."
                ),
            )
        })
    }

    pub(super) fn run_folder(&self, run: &RunId) -> PathBuf {
        self.home.join("runs").join(run.as_str())
    }
}
