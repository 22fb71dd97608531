//! Which notebook is meant, and who writes.

use std::path::{Path, PathBuf};

use ralph_agents::host::HOSTS;
use ralph_memory::event::{Actor, Event, Place, Scope, What};
use ralph_memory::{Known, MemoryError, Notebook};

use super::answers::Answers;
use crate::app::App;
use crate::error::CliError;
use crate::out;

/// The notebooks of the project and of the user.
pub(super) struct Books<'a> {
    pub(super) app: &'a App,
    pub(super) answers: Answers,
}

impl<'a> Books<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        Self { app, answers: Answers::new(app.locale()) }
    }

    /// The home of the notes for all projects, or of this one's.
    pub(super) fn home(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::Task | Scope::Project => self.app.home.clone(),
            Scope::Global => self.app.user_home(),
        }
    }

    /// Asks a notebook, if there is one. Reading creates nothing.
    pub(super) fn ask<T>(
        &self,
        home: &Path,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, CliError> {
        if !Notebook::exists(home) {
            return Ok(None);
        }
        let (answer, notebook) = Notebook::attempt(home, job)?;
        self.tell(&notebook);
        Ok(Some(answer))
    }

    /// Opens a notebook to write, and creates it if needed.
    pub(super) fn open(&self, home: &Path) -> Result<Notebook, CliError> {
        let notebook = Notebook::open(home)?;
        self.tell(&notebook);
        Ok(notebook)
    }

    fn tell(&self, notebook: &Notebook) {
        if let Some(damage) = notebook.repaired() {
            out::note(self.answers.repaired(damage));
        }
    }

    /// The note that is meant and the home it is in: the project's first.
    pub(super) fn find(&self, id: &str) -> Result<(PathBuf, Known), CliError> {
        for scope in [Scope::Project, Scope::Global] {
            let home = self.home(scope);
            if let Some(known) = self.ask(&home, |notebook| notebook.get(id))?.flatten() {
                return Ok((home, known));
            }
        }
        Err(CliError::refused(format!("there is no note `{id}`"))
            .with_hint("`ralph memory list` and `ralph memory search` show ids"))
    }

    /// Who calls us: the user, or an agent in one of its turns.
    pub(super) fn writer(&self) -> (Actor, Place) {
        let app = self.app;
        if let Some(run) = app.driven_run() {
            let iteration = app.variable("RALPH_ITERATION").and_then(|text| text.parse().ok());
            let place = Place { run: Some(run.to_string()), iteration, ..Place::default() };
            return (Actor::Agent, place);
        }
        let session = HOSTS
            .iter()
            .filter_map(|host| app.variable(host.session_variable?))
            .find(|session| !session.is_empty());
        match session {
            Some(session) => (Actor::Agent, Place { session: Some(session), ..Place::default() }),
            None if app.is_driven() => (Actor::Agent, Place::default()),
            None => (Actor::User, Place::default()),
        }
    }

    /// What the present caller does now.
    pub(super) fn event(&self, what: What) -> Event {
        let (actor, place) = self.writer();
        Event { at: self.app.now().as_millis(), place, actor, what }
    }

    /// Refuses what only the user may do.
    pub(super) fn only_for_the_user(&self, what: &str) -> Result<(), CliError> {
        match self.writer().0 {
            Actor::User => Ok(()),
            Actor::Agent | Actor::Ralph | Actor::Import => {
                Err(CliError::refused(format!("an agent cannot {what}"))
                    .with_hint("`ralph memory add` notes something for the present task"))
            }
        }
    }

    /// A path as notes name it.
    pub(super) fn relative_to_root(&self, path: &str) -> String {
        super::below(&self.app.project.root, path).unwrap_or_else(|| path.to_owned())
    }
}

impl From<MemoryError> for CliError {
    fn from(error: MemoryError) -> Self {
        let hint = error.hint();
        let base = match &error {
            MemoryError::Refused { .. } => Self::usage(&error),
            MemoryError::NewerSchema { .. }
            | MemoryError::Damaged { .. }
            | MemoryError::Log(_)
            | MemoryError::Busy { .. }
            | MemoryError::Io { .. }
            | MemoryError::Sqlite { .. } => Self::internal(&error),
        };
        match hint {
            Some(hint) => base.with_hint(hint),
            None => base,
        }
    }
}
