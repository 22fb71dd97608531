//! Takes down what an agent found out.

use std::time::Duration;

use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use ralph_memory::event::{Actor, Anchor, Event, Note, NoteKind, Place, Scope, What};
use ralph_memory::{Notebook, SessionFound, anchor, clean, new_id};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::app;
use super::notebook;
use super::paths;
use crate::app::App;
use crate::commands::memory;

const SPEC: Spec = Spec {
    name: "memory_add",
    title: "Take a note",
    description: "Keep a fact for later sessions that the code does not show: a gotcha, a decision, a \
                  command. One or two sentences. Name an anchor, or it counts as a hypothesis.",
    effect: Effect::Records,
    company: Company::Any,
    patience: Duration::from_secs(30),
};

/// The longest note, in bytes: what is longer is a document.
const LONGEST: usize = 4000;

/// What to keep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// At most 4000 bytes.
    text: String,
    kind: Kind,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    /// Code that shows it: `src/store.py#Store.save`.
    #[serde(default)]
    anchors: Vec<String>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// What an agent may note. What holds always is for the user to say.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// How something is done.
    Skill,
    /// How things look here.
    Pattern,
    /// What goes wrong.
    Gotcha,
    /// What was decided, and why.
    Decision,
    /// What was found out.
    Discovery,
    /// What is typed to do something.
    Command,
    /// What is so.
    Fact,
    /// What failed.
    Failure,
    /// What was tried.
    Approach,
}

impl Kind {
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

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, add)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn add(input: Input, _call: &Call) -> Result<Answer, Refusal> {
    let app = app()?;
    app.refuse_a_memory_elsewhere().map_err(|error| Refusal(error.in_line()))?;
    let mut note = note(&app, &input)?;
    let book = notebook::open(&app)?;
    let place = place(&app, &book, input.session.as_deref())?;
    let (id, known) = book.said_before(&note.id, &note.text).map_err(notebook::trouble)?;
    note.id.clone_from(&id);
    let is_known = known.as_ref().is_some_and(|known| known.retired.is_none());
    let what = match known {
        Some(known) => known.said_by(note, (Actor::Agent, &place)),
        None => What::Noted(Box::new(note)),
    };
    let event = Event { at: app.now().as_millis(), place, actor: Actor::Agent, what };
    book.write(&[event]).map_err(notebook::trouble)?;
    let said = if is_known {
        "this was noted before; that it was seen again counts for it, once for each task"
    } else {
        "noted, on trial: it is kept for the project once checks pass in a turn that relied on it"
    };
    let added = if is_known { "known" } else { "new" };
    let secrets = secrets(&input);
    let answer = json!({ "schema": 1, "id": id, "state": added, "redacted": secrets });
    let answer = Answer::new(&answer)?;
    Ok(match secrets {
        0 => answer.with_note(said),
        _ => answer.with_note(format!("{said}; a secret was taken out of the text")),
    })
}

/// How many secrets are in what was given.
fn secrets(input: &Input) -> usize {
    let texts = [Some(&input.text), input.title.as_ref(), input.why.as_ref()];
    texts.into_iter().flatten().chain(&input.files).map(|text| clean::secrets(text)).sum()
}

/// Where the agent is: what its client says counts. The agent's own word does
/// only for a session that was heard of, or it could pass for many tasks.
fn place(app: &App, book: &Notebook, said: Option<&str>) -> Result<Place, Refusal> {
    let told = memory::place(app, None);
    let Some(said) = said.filter(|_| told.is_nowhere()) else { return Ok(told) };
    let place = memory::place(app, Some(said));
    let is_heard_of = match book.session(said).map_err(notebook::trouble)? {
        SessionFound::One(session) => session.external.as_deref() == Some(said),
        SessionFound::Several(_) | SessionFound::None { .. } => false,
    };
    Ok(if is_heard_of || place.run.is_some() { place } else { told })
}

fn note(app: &App, input: &Input) -> Result<Note, Refusal> {
    let wrong = |field: &str, why: &str| Refusal(format!("memory_add: `{field}`: {why}"));
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
    let anchors: Result<Vec<Anchor>, Refusal> = input
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
    let note = Note::new(id, kind, Scope::Task, text);
    Ok(Note { title: input.title.clone(), why: input.why.clone(), files, anchors, ..note })
}
