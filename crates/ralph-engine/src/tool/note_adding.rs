//! The tool `memory_add`: adds a note of an agent.

use ralph_core::memory::notes::as_data;
use ralph_memory::event::{EventActor, EventContext, NoteAnchor, NoteContent, NoteKind, NoteScope};
use ralph_memory::succession::NEAREST;
use ralph_memory::{
    ChoiceError, NoteAddition, NoteChoice, Notebooks, SessionLookup, StoredNote, anchor, clean,
    new_id,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ToolReply, notes, paths};
use crate::app::App;
use crate::user_error::UserError;

/// Longest note in bytes; longer texts belong in documents.
const LONGEST: usize = 4000;

/// Number of characters of a near note that are shown.
const SHORTEST: usize = 160;

/// The note to keep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryAddInput {
    /// At most 4000 bytes.
    text: String,
    kind: AgentNoteKind,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    /// Code that shows it: `src/store.py#Store.save`.
    #[serde(default)]
    anchors: Vec<String>,
    // The answer explains these fields if there are near notes.
    #[serde(default)]
    replaces: Vec<String>,
    #[serde(default)]
    same_as: Option<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// A kind of note that an agent may add. Rules that always hold are for the user to set.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AgentNoteKind {
    /// A way to do something.
    Skill,
    /// A way in which things are done here.
    Pattern,
    /// A pitfall.
    Gotcha,
    /// A decision and its reasons.
    Decision,
    /// A discovery.
    Discovery,
    /// A command line that does something.
    Command,
    /// A fact.
    Fact,
    /// A failure.
    Failure,
    /// An approach that was tried.
    Approach,
}

impl AgentNoteKind {
    fn of_note(self) -> NoteKind {
        match self {
            Self::Skill => NoteKind::Skill,
            Self::Pattern => NoteKind::Pattern,
            Self::Gotcha => NoteKind::Gotcha,
            Self::Decision => NoteKind::Decision,
            Self::Discovery => NoteKind::Discovery,
            Self::Command => NoteKind::Command,
            Self::Fact => NoteKind::Fact,
            Self::Failure => NoteKind::Failure,
            Self::Approach => NoteKind::Approach,
        }
    }
}

/// Adds a note of an agent.
#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
pub fn add_note(app: &App, input: MemoryAddInput) -> Result<ToolReply, UserError> {
    app.refuse_a_memory_elsewhere()?;
    let note = note(app, &input)?;
    let books = notes::notebooks(app);
    let place = place(app, &books, input.session.as_deref())?;
    let draft = books.draft(note).map_err(notes::trouble)?;
    let mut near = books.nearest(&draft.note).map_err(notes::trouble)?;
    // Text that reads like an order is not shown.
    near.retain(|known| known.actor == EventActor::User || known.orders().is_empty());
    near.truncate(NEAREST);
    let is_known = draft.before.as_ref().is_some_and(|known| known.retired.is_none());
    let state = match (&input.same_as, is_known) {
        (Some(_), _) => "same",
        (None, true) => "known",
        (None, false) => "new",
    };
    let choice = NoteChoice { replaces: input.replaces.clone(), same_as: input.same_as.clone() };
    let writer = notes::writer(app, place);
    let added = books.add(draft, &choice, &writer).map_err(|error| {
        if let ChoiceError::Memory(error) = error {
            notes::trouble(error)
        } else {
            UserError::refused(format!("memory_add: {error}"))
        }
    })?;
    answer(&added, state, &near, secrets(&input))
}

fn answer(
    added: &NoteAddition,
    state: &str,
    near: &[StoredNote],
    secrets: usize,
) -> Result<ToolReply, UserError> {
    let NoteAddition { id, older, pending, .. } = added;
    let replaced: Vec<&str> = older.replaced.iter().map(|(id, _)| id.as_str()).collect();
    let is_left =
        |known: &&StoredNote| known.note.id != *id && !replaced.contains(&known.note.id.as_str());
    let near: Vec<Value> = near.iter().filter(is_left).map(near_note).collect();
    let answer = ToolReply::new(&json!({
        "schema": 1, "id": id, "state": state, "redacted": secrets,
        "replaced": replaced, "pending": pending, "nearest": near,
    }))?;
    let said = match state {
        "same" => {
            "nothing was added: that it was seen again counts for the note, once for each task"
        }
        "known" => {
            "this was noted before; that it was seen again counts for it, once for each task"
        }
        _ => {
            "noted, on trial: it is kept for the project once checks pass in a turn that relied on it"
        }
    };
    let waits = match pending.as_slice() {
        [] => String::new(),
        ids => format!(
            "; {} stands until checks pass in a turn that relied on this note, or the user promotes it",
            ids.join(", ")
        ),
    };
    let asks = if near.is_empty() {
        ""
    } else {
        "; if it replaces some of `nearest`, call again with the same text and `replaces: [id]`, or with `same_as: id` if it says the same"
    };
    let taken = if secrets == 0 { "" } else { "; a secret was taken out of the text" };
    Ok(answer.with_note(format!("{said}{waits}{asks}{taken}")))
}

/// Renders a near note in short form.
fn near_note(known: &StoredNote) -> Value {
    json!({ "id": known.note.id, "text": notes::cut(&as_data(&known.note.text), SHORTEST) })
}

/// Counts the secrets in the input.
fn secrets(input: &MemoryAddInput) -> usize {
    let texts = [Some(&input.text), input.title.as_ref(), input.why.as_ref()];
    texts.into_iter().flatten().chain(&input.files).map(|text| clean::secrets(text)).sum()
}

/// Returns where the agent is, as its client says. The agent's own claim counts only
/// for a known session; otherwise it could pretend to be many tasks.
fn place(app: &App, books: &Notebooks, said: Option<&str>) -> Result<EventContext, UserError> {
    let told = crate::caller::place(app, None);
    let Some(said) = said.filter(|_| told.is_nowhere()) else { return Ok(told) };
    let place = crate::caller::place(app, Some(said));
    let is_heard_of =
        match books.with(NoteScope::Project, |book| book.session(said)).map_err(notes::trouble)? {
            SessionLookup::One(session) => session.external.as_deref() == Some(said),
            SessionLookup::Several(_) | SessionLookup::None { .. } => false,
        };
    Ok(if is_heard_of || place.run.is_some() { place } else { told })
}

fn note(app: &App, input: &MemoryAddInput) -> Result<NoteContent, UserError> {
    let wrong =
        |field: &str, why: &str| UserError::refused(format!("memory_add: `{field}`: {why}"));
    let text = clean::text(input.text.trim()).trim().to_owned();
    if input.text.trim().is_empty() {
        return Err(wrong("text", "it is empty: say what is so"));
    }
    if text.is_empty() {
        return Err(wrong("text", "nothing is left of it that may be kept"));
    }
    let length = text.len() + input.why.as_deref().map_or(0, str::len);
    if length > LONGEST {
        let why = format!("{length} bytes with `why`, at most {LONGEST} are kept: say it shorter");
        return Err(wrong("text", &why));
    }
    let anchors: Result<Vec<NoteAnchor>, UserError> = input
        .anchors
        .iter()
        .map(|place| {
            let (file, symbol) = match place.split_once('#') {
                Some((file, symbol)) => (file, Some(symbol)),
                None => (place.as_str(), None),
            };
            let file = paths::within(&app.project.root, file);
            anchor::drop_at(&app.project.root, &file, symbol).map_err(|_| {
                wrong("anchors", &format!("{place} is not there, or not defined there"))
            })
        })
        .collect();
    let anchors = anchors?;
    let given = input.files.iter().map(|file| {
        paths::inside(&app.project.root, file)
            .ok_or_else(|| wrong("files", &format!("{file:?} is no file of this project")))
    });
    let mut files: Vec<String> = given.collect::<Result<_, _>>()?;
    files.extend(anchors.iter().map(|anchor| anchor.file.clone()));
    files.sort_unstable();
    files.dedup();
    let kind = input.kind.of_note();
    let id = new_id(&kind, input.title.as_deref(), &text);
    let note = NoteContent::new(id, kind, NoteScope::Task, text);
    Ok(NoteContent { title: input.title.clone(), why: input.why.clone(), files, anchors, ..note })
}
