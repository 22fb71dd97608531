//! What the agent of a host is shown of the memory: what holds anyway when a
//! session begins, and what its first task makes matter, once.
//!
//! Where nothing was ever remembered this costs a look at the file system.

use std::fs;

use ralph_core::SessionId;
use ralph_core::host::{Actor, Effect, Happening, HostEvent, HostReply, Start, Tone};
use ralph_engine::host::Place;
use ralph_engine::recall::{Part, Recalled, Wanted};
use ralph_memory::Notebook;
use ralph_memory::event::{self, Phase};

use super::slash::{self, Slash};
use super::{log, said};
use crate::app::App;
use crate::config::MemoryRules;
use crate::error::CliError;

/// The file of a session that names the notes it has seen, behind how many
/// tokens they took.
const SEEN: &str = "notes";

/// The file of a session that was shown what its task makes matter.
const ASKED: &str = "notes-asked";

/// When something can be shown.
enum Moment<'a> {
    /// A session begins with nothing in it.
    Start,
    /// The user says what is to be done.
    Task(&'a str),
}

fn moment(event: &HostEvent) -> Option<Moment<'_>> {
    if event.actor != Actor::Main {
        return None;
    }
    match &event.what {
        Happening::SessionStarted(Start::New | Start::Cleared | Start::Compacted) => {
            Some(Moment::Start)
        }
        Happening::Prompted { text, .. } => match slash::parse(text) {
            Some(Slash::Arm(_)) => Some(Moment::Task(text)),
            Some(Slash::Verb(..) | Slash::Unclear(..)) => None,
            None => (!text.trim_start().starts_with('/')).then_some(Moment::Task(text)),
        },
        Happening::SessionStarted(Start::Resumed | Start::Forked | Start::Other)
        | Happening::HostStarted
        | Happening::Done(_)
        | Happening::Woken
        | Happening::CommandCalled { .. }
        | Happening::ToolAsked(_)
        | Happening::ToolsUsed(_)
        | Happening::TurnEnded(_)
        | Happening::TurnBroken(_)
        | Happening::ChildEnded
        | Happening::PermissionAsked { .. }
        | Happening::PermissionAnswered
        | Happening::NotDelivered { .. }
        | Happening::Due
        | Happening::Compacting
        | Happening::Compacted { .. }
        | Happening::SessionEnded { .. }
        | Happening::Other { .. } => None,
    }
}

/// Whether an agent could be shown something now.
pub(super) fn concerns(app: &App, event: &HostEvent) -> bool {
    let Some(session) = event.session.as_ref().filter(|_| moment(event).is_some()) else {
        return false;
    };
    // The driver shows notes with its prompts.
    if app.is_driven() || !has_notes(app) {
        return false;
    }
    let is_done = Place::new(&app.home, session).folder().join(ASKED).exists();
    matches!(event.what, Happening::SessionStarted(_)) || !is_done
}

fn has_notes(app: &App) -> bool {
    Notebook::exists(&app.home) || Notebook::exists(&app.user_home())
}

/// Adds notes to a reply, if there are any to show.
pub(super) fn add(app: &App, event: &HostEvent, reply: HostReply) -> HostReply {
    let (Some(session), Some(moment)) = (&event.session, moment(event)) else { return reply };
    if !can_hold(&reply.effect) {
        return reply;
    }
    let shown = Showing { app, session, place: Place::new(&app.home, session) };
    match shown.recalled(&moment, &reply.effect) {
        Ok(Some(found)) => match found.shown {
            Some(notes) => with(reply, &notes.text),
            None => reply,
        },
        Ok(None) => reply,
        Err(error) => {
            log::write(&app.home, &format!("{session:?}: {error}"));
            HostReply { note: reply.note.or_else(|| Some(said(app, &error))), ..reply }
                .in_tone(Tone::Warning)
        }
    }
}

/// Whether a reply has room for something to read.
fn can_hold(effect: &Effect) -> bool {
    match effect {
        Effect::None | Effect::Tell { .. } | Effect::Begin { .. } => true,
        Effect::GoOn { .. } | Effect::Do { .. } | Effect::Wake { .. } | Effect::Answer { .. } => {
            false
        }
    }
}

/// The same reply with notes to read.
fn with(reply: HostReply, notes: &str) -> HostReply {
    let effect = match reply.effect {
        Effect::None => Effect::Tell { context: notes.to_owned() },
        Effect::Tell { context } => Effect::Tell { context: format!("{context}\n\n{notes}") },
        Effect::Begin { task, rules } => {
            Effect::Begin { task, rules: format!("{rules}\n\n{notes}") }
        }
        effect @ (Effect::GoOn { .. }
        | Effect::Do { .. }
        | Effect::Wake { .. }
        | Effect::Answer { .. }) => effect,
    };
    HostReply { effect, ..reply }
}

/// A session that is about to be shown something.
struct Showing<'a> {
    app: &'a App,
    session: &'a SessionId,
    place: Place,
}

impl Showing<'_> {
    fn recalled(&self, moment: &Moment<'_>, effect: &Effect) -> Result<Option<Recalled>, CliError> {
        let app = self.app;
        let rules = MemoryRules::new(&app.layers()?);
        let Some(recall) = app.recall(rules, app.locale()) else { return Ok(None) };
        match moment {
            // Whatever was in it is gone.
            Moment::Start => {
                let _ = fs::remove_file(self.place.folder().join(ASKED));
                let _ = fs::remove_file(self.place.folder().join(SEEN));
            }
            // Before anything can go wrong: nobody wants to read of it twice.
            Moment::Task(_) => self.place.keep(ASKED, "")?,
        }
        let wanted = self.wanted(moment, effect);
        let now = app.now();
        let found = recall.recall(&wanted, now)?;
        if let Some(shown) = &found.shown {
            recall.note_shown(&found, &wanted.place, now)?;
            let ids = [wanted.seen.clone(), shown.ids()].concat().join("\n");
            self.place.keep(SEEN, &format!("{}\n{ids}\n", wanted.spent + shown.tokens))?;
        }
        Ok(Some(found))
    }

    fn wanted(&self, moment: &Moment<'_>, effect: &Effect) -> Wanted {
        let before = fs::read_to_string(self.place.folder().join(SEEN));
        let before = before.as_deref().unwrap_or_default();
        let mut lines = before.lines();
        let spent = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let seen: Vec<String> = lines.map(str::to_owned).collect();
        let (part, task) = match (moment, effect) {
            (Moment::Start, _) => (Part::Standing, None),
            (Moment::Task(_), Effect::Begin { task, .. }) => (part(&seen), Some(task.clone())),
            (Moment::Task(text), _) => (part(&seen), Some((*text).to_owned())),
        };
        Wanted {
            part,
            task,
            seen,
            spent,
            place: self.at(effect),
            // The agent finds out by itself how work is checked here.
            has_check: true,
            ..Wanted::new(Phase::Think)
        }
    }

    fn at(&self, effect: &Effect) -> event::Place {
        let session = Some(self.session.as_str().to_owned());
        let place = event::Place { session, phase: Some(Phase::Think), ..event::Place::default() };
        match effect {
            // The turn that begins now is the first of its run.
            Effect::Begin { .. } => {
                let run = self.place.run().map(|run| run.to_string());
                event::Place { iteration: run.as_ref().map(|_| 1), run, ..place }
            }
            Effect::None
            | Effect::Tell { .. }
            | Effect::GoOn { .. }
            | Effect::Do { .. }
            | Effect::Wake { .. }
            | Effect::Answer { .. } => place,
        }
    }
}

/// Where a host tells of no beginning, everything comes with the task.
fn part(seen: &[String]) -> Part {
    if seen.is_empty() { Part::Whole } else { Part::Asked }
}
