//! The settings that a run began with, for when the present ones are broken.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ralph_core::host::HostReply;
use ralph_core::locale::Locale;
use ralph_core::{Run, RunId};
use ralph_engine::settings_copy;

use crate::app::App;
use crate::config::Layers;
use crate::error::CliError;
use crate::out;

/// The name of the copy of the user's file.
const USER: &str = "user.toml";

/// The name of the copy of the project's file.
const PROJECT: &str = "project.toml";

/// Which run's settings hold where the present ones cannot be used.
#[derive(Debug, Default)]
pub(crate) struct SettingsFallback {
    /// The run's folder.
    folder: OnceLock<PathBuf>,
    /// What is wrong with the present ones, once that was noticed.
    fault: OnceLock<String>,
}

impl SettingsFallback {
    /// Takes copies in place of settings that cannot be used; gives the error
    /// back where there are none.
    pub(crate) fn stand_in<T>(
        &self,
        error: CliError,
        read: impl FnOnce(&Path, &Path) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let Some(folder) = self.folder.get() else { return Err(error) };
        let copies = settings_copy::folder(folder);
        match read(&copies.join(USER), &copies.join(PROJECT)) {
            Ok(settings) => {
                let _ = self.fault.set(error.in_line());
                Ok(settings)
            }
            Err(_) => Err(error),
        }
    }
}

impl App {
    /// Keeps the settings files as they are for a run that begins.
    pub(crate) fn keep_settings(&self, run: &RunId) {
        let user = self.user_config().unwrap_or_default();
        let project = self.project_config();
        let files = [(USER, user.as_path()), (PROJECT, project.as_path())];
        // Without copies a broken file is an error, as it is without a run.
        let _ = settings_copy::keep(&self.run_folder(run), &files);
    }

    /// Lets the settings that a run began with hold where the present ones
    /// cannot be used. The first run that is named counts.
    pub(crate) fn fall_back_on(&self, run: &RunId) {
        let folder = self.run_folder(run);
        if settings_copy::folder(&folder).is_dir() {
            let _ = self.fallback.folder.set(folder);
        }
    }

    /// The settings that the run began with, with what is in the environment.
    pub(crate) fn begun_layers(&self, error: CliError) -> Result<Layers, CliError> {
        let read = |user: &Path, project: &Path| self.layers_of(Some(user), project);
        self.fallback.stand_in(error, read)
    }

    /// Tells a person once that settings are broken and which hold instead.
    pub(crate) fn say_fallback(&self) {
        if let Some(text) = self.new_fault() {
            out::note(text);
        }
    }

    /// The same in a session: the reply with a note for the user.
    pub(crate) fn with_fallback(&self, reply: HostReply) -> HostReply {
        match (self.new_fault(), &reply.note) {
            (None, _) => reply,
            (Some(text), None) => reply.with_note(format!("ralph: {text}")),
            (Some(text), Some(note)) => {
                let note = format!("{note}\nralph: {text}");
                reply.with_note(note)
            }
        }
    }

    fn new_fault(&self) -> Option<String> {
        let (folder, fault) = (self.fallback.folder.get()?, self.fallback.fault.get()?);
        settings_copy::note_fault(folder, fault).then(|| match self.chosen_locale() {
            Locale::En => {
                format!("the settings cannot be used: {fault}. The run keeps those it began with.")
            }
            Locale::Ko => {
                format!("설정을 사용할 수 없습니다: {fault}. 실행은 시작할 때의 설정을 유지합니다.")
            }
        })
    }

    fn run_folder(&self, run: &RunId) -> PathBuf {
        self.home.join("runs").join(run.as_str())
    }
}

/// Looks at the settings at the end of a run, and says if they were broken
/// meanwhile.
pub(crate) fn say_at_the_end(app: &App, run: &Run) {
    app.fall_back_on(&run.id);
    if app.layers().is_ok() {
        app.say_fallback();
    }
}
