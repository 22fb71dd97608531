//! The notebooks of a command, and the author of what it writes.

use std::path::{Component, Path, PathBuf};

use ralph_core::memory::label::NoteLabel;
use ralph_core::wording::learned;
use ralph_engine::caller::{self};
use ralph_memory::anchor::AnchorResolver;
use ralph_memory::event::{EventActor, EventContext, NoteKind, NoteScope};
use ralph_memory::{
    BOTH, ChoiceError, LockPatience, MemoryError, NoteWriter, Notebook, NotebookRemark, Notebooks,
    StoredNote,
};

use super::answers::NoteRenderer;
use crate::app::App;
use crate::error::CliError;
use crate::out;

/// The notebooks of the project and of the user.
pub(super) struct UserNotebooks<'a> {
    pub(super) app: &'a App,
    pub(super) answers: NoteRenderer,
    pub(super) notes: Notebooks,
}

impl<'a> UserNotebooks<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        let notes = notebooks(app);
        Self { app, answers: NoteRenderer::new(app.locale()), notes }
    }

    /// Reads from a notebook, if it exists. Reading creates nothing.
    pub(super) fn ask<T>(
        &self,
        scope: NoteScope,
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Option<T>, CliError> {
        self.refuse_nowhere()?;
        Ok(self.notes.ask(scope, job)?)
    }

    /// Reads from the notebooks of these scopes that exist. The first has to answer.
    pub(super) fn each<T>(
        &self,
        scopes: &[NoteScope],
        job: impl Fn(&Notebook) -> Result<T, MemoryError>,
    ) -> Result<Vec<(NoteScope, T)>, CliError> {
        self.refuse_nowhere()?;
        Ok(self.notes.each(scopes, job)?)
    }

    /// Returns an error if the folder for the notes can never hold any.
    pub(super) fn refuse_nowhere(&self) -> Result<(), CliError> {
        if Notebook::exists(&self.app.home) {
            return Ok(());
        }
        self.app.refuse_a_home_that_takes_no_files()
    }

    /// Returns an error if notes of this scope would be kept where nothing finds them.
    pub(super) fn refuse_elsewhere(&self, scope: NoteScope) -> Result<(), CliError> {
        match scope {
            NoteScope::Task | NoteScope::Project => self.app.refuse_a_memory_elsewhere(),
            NoteScope::Global => Ok(()),
        }
    }

    /// Tells what the notebooks have to say about themselves.
    pub(super) fn tell_remarks(&self) {
        for remark in self.notes.take_remarks() {
            out::note(match remark {
                NotebookRemark::Repaired(damage) => self.answers.repaired(&damage),
                NotebookRemark::RetiredGenerated(count) => {
                    learned::retired_generated(count, self.app.locale())
                }
                NotebookRemark::LeftOut(scope, error) => {
                    self.answers.left_out(scope, &CliError::from(error).in_line())
                }
            });
        }
    }

    /// Finds a note by its id or the beginning of it. It prefers one that is not retired,
    /// then the project's.
    pub(super) fn find(&self, id: &str) -> Result<(NoteScope, StoredNote), CliError> {
        self.refuse_nowhere()?;
        let id = self.meant(id)?;
        self.notes.get(&id)?.ok_or_else(|| unknown(&id))
    }

    /// Makes a function that tells how reliable a note is. It inspects the places that
    /// the note points at.
    pub(super) fn labels(&self) -> impl FnMut(&StoredNote) -> NoteLabel + use<'a> {
        let mut sight = AnchorResolver::new(&self.app.project.root);
        move |known| known.label(&known.look(&mut sight))
    }

    /// Returns the whole id if this is the beginning of one, and not an id itself.
    pub(super) fn meant(&self, id: &str) -> Result<String, CliError> {
        match self.notes.meant(id)?.as_slice() {
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
        let stats = self.each(&BOTH, Notebook::stats)?;
        known.extend(stats.into_iter().flat_map(|(_, stats)| stats.notes).map(|tally| tally.kind));
        known.sort_unstable();
        known.dedup();
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
    pub(super) fn writer(&self) -> NoteWriter {
        let at = self.app.now();
        match caller::agent(self.app) {
            Some(caller) => NoteWriter {
                actor: EventActor::Agent,
                place: caller::place_of(self.app, caller),
                at,
            },
            None => NoteWriter { actor: EventActor::User, place: EventContext::default(), at },
        }
    }

    /// Returns an error unless the user calls.
    pub(super) fn only_for_the_user(&self, what: &str) -> Result<(), CliError> {
        match self.writer().actor {
            EventActor::User => Ok(()),
            EventActor::Agent | EventActor::Ralph | EventActor::Import => Err(only_the_user(what)),
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

/// Returns the notebooks of a project and of its user.
pub(crate) fn notebooks(app: &App) -> Notebooks {
    Notebooks::new(&app.home, &app.user_home(), LockPatience::Long)
}

/// Makes the error for an id that no note has.
fn unknown(id: &str) -> CliError {
    CliError::usage(format!("there is no note `{id}`"))
        .with_hint("`ralph memory list` and `ralph memory search` show ids")
        .in_korean(
            format!("`{id}` 메모가 없습니다"),
            Some("`ralph memory list` 와 `ralph memory search` 로 id 를 볼 수 있습니다"),
        )
}

/// Returns an error for a retired note. A change would make it valid beside its replacement.
pub(super) fn refuse_retired(known: &StoredNote) -> Result<(), CliError> {
    if known.retired.is_some() { Err(retired(known)) } else { Ok(()) }
}

fn retired(known: &StoredNote) -> CliError {
    let by = known.retired.as_ref().and_then(|end| end.by.as_ref());
    let id = &known.note.id;
    let (english, korean) = match by {
        Some(by) => (format!("{by} took its place"), format!("{by} 기록으로 대체됨")),
        None => ("it was withdrawn".to_owned(), "철회됨".to_owned()),
    };
    CliError::refused(format!("{id} does not hold any more: {english}"))
        .with_hint("`ralph memory add` says it again, and `why` tells what became of it")
        .in_korean(
            format!("{id} 기록은 더 이상 유효하지 않습니다: {korean}"),
            Some("`ralph memory add` 로 다시 기록할 수 있고, `why` 가 그 경위를 보여 줍니다"),
        )
}

/// Makes the error for a note that cannot be added like this.
pub(super) fn refused_choice(error: ChoiceError) -> CliError {
    match error {
        ChoiceError::Unknown(id) => unknown(&id),
        ChoiceError::Retired(known) => retired(&known),
        ChoiceError::Itself(id) => CliError::usage(format!("{id} cannot replace itself"))
            .in_korean(format!("{id} 은(는) 자기 자신을 대체할 수 없습니다"), None),
        ChoiceError::Stands(id) => {
            CliError::refused(format!("{id} was noted in these words, and stands"))
                .with_hint("only the user may withdraw it")
                .in_korean(
                    format!("{id} 이(가) 같은 말로 이미 유효합니다"),
                    Some("사용자만 철회할 수 있습니다"),
                )
        }
        ChoiceError::ForTheUser(_) => only_the_user("replace a note for all projects"),
        ChoiceError::Memory(error) => error.into(),
    }
}

fn only_the_user(what: &str) -> CliError {
    CliError::refused(format!("an agent cannot {what}"))
        .with_hint("`ralph memory add` notes something for the present task")
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
