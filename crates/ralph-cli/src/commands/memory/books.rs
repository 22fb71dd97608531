//! Selects the notebook of a command, and the author of what it writes.

use std::cell::Cell;
use std::path::{Component, Path, PathBuf};

use ralph_core::SessionId;
use ralph_core::memory::label::Label;
use ralph_core::wording::learned;
use ralph_engine::caller::{self, Caller};
use ralph_engine::host::Place as Kept;
use ralph_memory::anchor::Sight;
use ralph_memory::event::{Actor, Event, Note, NoteKind, Place, Scope, What};
use ralph_memory::succession::{Succession, chosen_reason, contradicted, succession};
use ralph_memory::{Known, MemoryError, Notebook};
use ralph_store::RunStore;

use super::WhichArgs;
use super::answers::Answers;
use crate::app::App;
use crate::error::CliError;
use crate::out;

/// The notebooks of the project and of the user.
pub(super) struct Books<'a> {
    pub(super) app: &'a App,
    pub(super) answers: Answers,
    /// True once the user was told that the other notebook cannot be read.
    has_told: Cell<bool>,
}

impl<'a> Books<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        Self { app, answers: Answers::new(app.locale()), has_told: Cell::new(false) }
    }

    /// Returns the folder of the notes for all projects, or of this project's.
    pub(super) fn home(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::Task | Scope::Project => self.app.home.clone(),
            Scope::Global => self.app.user_home(),
        }
    }

    /// Reads from a notebook, if it exists. Reading creates nothing.
    pub(super) fn ask<T>(
        &self,
        home: &Path,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, CliError> {
        if !Notebook::exists(home) {
            self.app.refuse_a_home_that_takes_no_files()?;
            return Ok(None);
        }
        let (answer, notebook) = Notebook::attempt(home, job)?;
        self.tell(&notebook);
        Ok(Some(answer))
    }

    /// Returns the answer of a notebook that only adds to another one's. An error is
    /// printed, and counts as no answer.
    pub(super) fn beside<T>(&self, asked: Result<Option<T>, CliError>, scope: Scope) -> Option<T> {
        asked.unwrap_or_else(|error| {
            if !self.has_told.replace(true) {
                out::note(self.answers.left_out(scope, &error.in_line()));
            }
            None
        })
    }

    /// Reads from the selected notebooks. The project's must answer, and so must one
    /// that was named.
    pub(super) fn ask_of<T>(
        &self,
        which: &WhichArgs,
        scope: Scope,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, CliError> {
        let asked = self.ask(&self.home(scope), job);
        let is_named = which.scope.contains(&scope);
        if scope == Scope::Global && !is_named { Ok(self.beside(asked, scope)) } else { asked }
    }

    /// Works on a notebook, and creates it if needed.
    pub(super) fn with<T>(
        &self,
        home: &Path,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<T, CliError> {
        self.refuse_elsewhere(home)?;
        let (answer, notebook) = Notebook::attempt(home, job)?;
        self.tell(&notebook);
        Ok(answer)
    }

    fn refuse_elsewhere(&self, home: &Path) -> Result<(), CliError> {
        if *home == self.app.home { self.app.refuse_a_memory_elsewhere() } else { Ok(()) }
    }

    /// Opens a notebook for writing, and creates it if needed.
    pub(super) fn open(&self, home: &Path) -> Result<Notebook, CliError> {
        self.refuse_elsewhere(home)?;
        let notebook = Notebook::open(home)?;
        self.tell(&notebook);
        Ok(notebook)
    }

    /// Records one action of the caller in a notebook.
    pub(super) fn write(&self, home: &Path, what: What) -> Result<(), CliError> {
        Ok(self.open(home)?.write(&[self.event(what)])?)
    }

    /// Records several actions of the caller, all or none.
    pub(super) fn write_all(&self, home: &Path, what: Vec<What>) -> Result<(), CliError> {
        let events: Vec<Event> = what.into_iter().map(|what| self.event(what)).collect();
        Ok(self.open(home)?.write(&events)?)
    }

    fn tell(&self, notebook: &Notebook) {
        if let Some(damage) = notebook.repaired() {
            out::note(self.answers.repaired(damage));
        }
        if notebook.retired_generated() > 0 {
            let locale = self.app.locale();
            out::note(learned::retired_generated(notebook.retired_generated(), locale));
        }
    }

    /// Finds a note and its folder. It prefers one that is not retired, then the project's.
    pub(super) fn find(&self, id: &str) -> Result<(PathBuf, Known), CliError> {
        let mut found = self.find_all(id)?;
        let holds = found.iter().position(|(_, known)| known.retired.is_none());
        Ok(found.swap_remove(holds.unwrap_or_default()))
    }

    /// Finds all notes with an id, at least one: a promoted note is in two notebooks.
    pub(super) fn find_all(&self, id: &str) -> Result<Vec<(PathBuf, Known)>, CliError> {
        let id = &self.meant(id)?;
        let mut found = Vec::new();
        for scope in [Scope::Project, Scope::Global] {
            let home = self.home(scope);
            let asked = self.ask(&home, |notebook| notebook.get(id));
            let asked = if found.is_empty() { asked? } else { self.beside(asked, scope) };
            found.extend(asked.flatten().map(|known| (home, known)));
        }
        if found.is_empty() {
            return Err(CliError::usage(format!("there is no note `{id}`"))
                .with_hint("`ralph memory list` and `ralph memory search` show ids")
                .in_korean(
                    format!("`{id}` 메모가 없습니다"),
                    Some("`ralph memory list` 와 `ralph memory search` 로 id 를 볼 수 있습니다"),
                ));
        }
        Ok(found)
    }

    /// Makes a function that tells how reliable a note is. It inspects the places that
    /// the note points at.
    pub(super) fn labels(&self) -> impl FnMut(&Known) -> Label + use<'a> {
        let mut sight = Sight::new(&self.app.project.root);
        move |known| known.label(&known.look(&mut sight))
    }

    /// Returns the whole id if this is the beginning of one, and not an id itself.
    fn meant(&self, id: &str) -> Result<String, CliError> {
        let mut begin: Vec<String> = Vec::new();
        for scope in [Scope::Project, Scope::Global] {
            let found = self.ask(&self.home(scope), |notebook| match notebook.get(id)? {
                Some(_) => Ok(vec![id.to_owned()]),
                None => notebook.beginning(id),
            });
            let found = if begin.is_empty() { found? } else { self.beside(found, scope) };
            let found = found.unwrap_or_default();
            if found.iter().any(|one| one == id) {
                return Ok(id.to_owned());
            }
            begin.extend(found);
        }
        begin.sort_unstable();
        begin.dedup();
        match begin.as_slice() {
            [] => Ok(id.to_owned()),
            [only] => Ok(only.clone()),
            several => Err(CliError::usage(format!("`{id}` could be {}", several.join(", ")))
                .in_korean(
                    format!("`{id}` 에 해당하는 메모가 여럿입니다: {}", several.join(", ")),
                    None,
                )),
        }
    }

    /// Returns an error for kinds that neither we nor an import use.
    pub(super) fn refuse_unknown_kinds(&self, kinds: &[String]) -> Result<(), CliError> {
        let mut known: Vec<String> = NoteKind::OURS.iter().map(ToString::to_string).collect();
        if kinds.iter().all(|kind| known.contains(kind)) {
            return Ok(());
        }
        for scope in [Scope::Project, Scope::Global] {
            let stats = self.ask(&self.home(scope), Notebook::stats);
            for kind in self
                .beside(stats, scope)
                .unwrap_or_default()
                .notes
                .into_iter()
                .map(|tally| tally.kind)
            {
                if !known.contains(&kind) {
                    known.push(kind);
                }
            }
        }
        match kinds.iter().find(|kind| !known.contains(kind)) {
            Some(kind) => Err(CliError::usage(format!("there is no kind `{kind}`"))
                .with_hint(format!("there are {}", known.join(", ")))
                .in_korean(
                    format!("`{kind}` 종류가 없습니다"),
                    Some(&format!("쓸 수 있는 종류: {}", known.join(", "))),
                )),
            None => Ok(()),
        }
    }

    /// Returns the caller: the user, or an agent in one of its turns.
    pub(super) fn writer(&self) -> (Actor, Place) {
        match caller::agent(self.app) {
            Some(caller) => (Actor::Agent, place_of(self.app, caller)),
            None => (Actor::User, Place::default()),
        }
    }

    /// Makes the event of an action of the caller.
    pub(super) fn event(&self, what: What) -> Event {
        let (actor, place) = self.writer();
        Event { at: self.app.now().as_millis(), place, actor, what }
    }

    /// Finds older notes that a user's note replaces or contradicts. Notes of its own
    /// notebook may be replaced; those of the other one are only named.
    pub(super) fn succession(&self, note: &Note) -> Result<Succession, CliError> {
        let mut found = self.with(&self.home(note.scope), |notebook| succession(notebook, note))?;
        let elsewhere = match note.scope {
            Scope::Task | Scope::Project => Scope::Global,
            Scope::Global => Scope::Project,
        };
        let against = self.ask(&self.home(elsewhere), |notebook| contradicted(notebook, note));
        found.against.extend(self.beside(against, elsewhere).unwrap_or_default());
        // The user confirms the note, so the notes it names are replaced now.
        for old in &note.replaces {
            let known = self.with(&self.home(note.scope), |notebook| notebook.get(old))?;
            if known.is_some_and(|known| known.retired.is_none()) {
                found.replaced.retain(|(id, _)| id != old);
                found.against.retain(|id| id != old);
                found.replaced.push((old.clone(), chosen_reason(Actor::User, &note.text)));
            }
        }
        Ok(found)
    }

    /// Returns an error unless the user calls.
    pub(super) fn only_for_the_user(&self, what: &str) -> Result<(), CliError> {
        match self.writer().0 {
            Actor::User => Ok(()),
            Actor::Agent | Actor::Ralph | Actor::Import => {
                Err(CliError::refused(format!("an agent cannot {what}"))
                    .with_hint("`ralph memory add` notes something for the present task"))
            }
        }
    }

    /// Returns the path of a note's file relative to the root. The file need not exist yet.
    pub(super) fn file_of_note(&self, path: &str) -> Result<String, CliError> {
        let root = &self.app.project.root;
        if let Some(inside) = super::below(root, path) {
            return Ok(inside);
        }
        let refused = |why: &str| {
            CliError::usage(format!("`{path}` {why}")).with_hint("name a file of the project")
        };
        if path.trim().is_empty() {
            return Err(refused("names no file"));
        }
        let is_elsewhere = Path::new(path).exists();
        let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if plain && root.join(path).exists() {
            return Ok(path.replace('\\', "/"));
        }
        let lexical = std::path::absolute(path).ok().and_then(|path| flat(&path));
        let inside = lexical.as_deref().and_then(|path| path.strip_prefix(root).ok());
        match inside.and_then(Path::to_str) {
            Some(inside) if !inside.is_empty() && !is_elsewhere => {
                out::note(self.answers.no_such_file(inside));
                Ok(inside.replace('\\', "/"))
            }
            Some("") => Err(refused("is the project itself")),
            Some(_) | None => Err(refused("is not in this project")),
        }
    }

    /// Returns a path relative to the root, whether or not it exists; `None` outside the project.
    pub(super) fn lexically_inside(&self, path: &str) -> Option<String> {
        // The spelling is kept: secrets in a path are recognised by all of its letters.
        let given = Path::new(path).strip_prefix(&self.app.project.root).unwrap_or(Path::new(path));
        let inside = flat(given).filter(|inside| inside.is_relative())?;
        if inside.as_os_str().is_empty() { None } else { given.to_str().map(str::to_owned) }
    }

    /// Returns a path relative to the root, as notes have it.
    pub(super) fn relative_to_root(&self, path: &str) -> String {
        super::below(&self.app.project.root, path).unwrap_or_else(|| path.to_owned())
    }
}

/// Returns an error for a retired note. A change would make it valid beside its replacement.
pub(super) fn refuse_retired(known: &Known) -> Result<(), CliError> {
    let Some(end) = &known.retired else { return Ok(()) };
    let id = &known.note.id;
    let (english, korean) = match &end.by {
        Some(by) => (format!("{by} took its place"), format!("{by} 기록으로 대체됨")),
        None => ("it was withdrawn".to_owned(), "철회됨".to_owned()),
    };
    Err(CliError::refused(format!("{id} does not hold any more: {english}"))
        .with_hint("`ralph memory add` says it again, and `why` tells what became of it")
        .in_korean(
            format!("{id} 기록은 더 이상 유효하지 않습니다: {korean}"),
            Some("`ralph memory add` 로 다시 기록할 수 있고, `why` 가 그 경위를 보여 줍니다"),
        ))
}

/// Returns a path without `.` and `..`; `None` if it leads above everything.
fn flat(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => flat.pop().then_some(())?,
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => flat.push(part),
        }
    }
    Some(flat)
}

/// Returns the place of the calling agent: its session and the turn of its loop. The
/// outcome of the turn is credited there.
pub(crate) fn place(app: &App, session: Option<&str>) -> Place {
    let caller = caller::agent(app).unwrap_or_default();
    let session = session.map_or(caller.session, SessionId::new);
    place_of(app, Caller { session, ..caller })
}

fn place_of(app: &App, Caller { session, run, iteration }: Caller) -> Place {
    let run = run.or_else(|| Kept::new(&app.home, session.as_ref()?).run());
    let record = run.as_ref().and_then(|run| app.existing_store().ok()??.run(run).ok()?);
    Place {
        iteration: run.as_ref().and_then(|_| record.map(|run| run.iteration).or(iteration)),
        run: run.map(|run| run.to_string()),
        session: session.map(|session| session.as_str().to_owned()),
        ..Place::default()
    }
}
