//! Adds notes from the memory to the reply of a hook. At the start of a session it
//! shows general notes and the state of earlier work; with the first task, the notes
//! that matter for it.
//!
//! A project without a memory costs one access to the file system.

use std::fs;
use std::process::{Command, Stdio};

use ralph_config::{Arm, Audience, MemoryRules};
use ralph_core::SessionId;
use ralph_core::host::{Actor, Effect, Happening, HostEvent, HostReply, Reach, Start, Tone};
use ralph_core::memory::hydration::Preface;
use ralph_engine::host::Place;
use ralph_engine::recall::{Part, Recall, Recalled, Wanted};
use ralph_memory::event::{self, Phase};
use ralph_memory::log::Log;
use ralph_memory::resume::Age;
use ralph_memory::{Notebook, Patience, Who};

use super::slash::{self, Slash};
use super::standing::{self, Standing};
use super::{Call, arm, log, said};
use crate::app::{App, own_binary};
use crate::commands::memory;
use crate::error::CliError;

/// The session file with the notes that were shown, after the number of their tokens.
const SEEN: &str = "notes";

/// The session file that marks that the notes for its task were shown.
const ASKED: &str = "notes-asked";

/// The occasion on which notes are shown.
enum Moment<'a> {
    /// A session begins empty.
    Start,
    /// A session was compacted; it is told what it needs before it goes on.
    Again,
    /// A session goes on with its full context.
    GoingOn,
    /// A session was compacted, and this reply is the last before the next prompt.
    Shortened,
    /// The user gives the task.
    Task(&'a str),
}

fn moment<'a>(app: &App, call: &Call, event: &'a HostEvent) -> Option<Moment<'a>> {
    if event.actor != Actor::Main {
        return None;
    }
    match &event.what {
        // Here the event is a message; the host reads a reply only when the turn ends.
        Happening::SessionStarted(Start::Compacted) | Happening::Compacted { .. }
            if call.host.reach == Reach::Messages =>
        {
            Some(Moment::Shortened)
        }
        Happening::TurnEnded(_) if standing::was_shortened(app, event) => Some(Moment::Shortened),
        Happening::SessionStarted(Start::New | Start::Cleared) => Some(Moment::Start),
        Happening::SessionStarted(Start::Compacted) => Some(Moment::Again),
        Happening::SessionStarted(Start::Resumed) => Some(Moment::GoingOn),
        Happening::Prompted { text, .. } => {
            match slash::parse(text, &|word| app.project.root.join(word).exists()) {
                Some(Slash::Arm(_)) => Some(Moment::Task(text)),
                Some(
                    Slash::Call(_)
                    | Slash::Resume(_)
                    | Slash::Help
                    | Slash::Unclear(..)
                    | Slash::Misfit(..),
                ) => None,
                None => (!text.trim_start().starts_with('/')).then_some(Moment::Task(text)),
            }
        }
        Happening::SessionStarted(Start::Forked | Start::Other)
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

/// Returns true if an agent could be shown something now.
pub(super) fn concerns(app: &App, call: &Call, event: &HostEvent) -> bool {
    let Some((session, moment)) = event.session.as_ref().zip(moment(app, call, event)) else {
        return false;
    };
    // The driver shows notes with its prompts.
    if app.is_driven() || !has_notes(app) || !is_in_audience(app, call, session, &moment) {
        return false;
    }
    match moment {
        Moment::Start | Moment::Again | Moment::GoingOn | Moment::Shortened => true,
        Moment::Task(_) => {
            let is_done = marks(app, session).folder().join(ASKED).exists();
            !is_done || standing::was_left(app, call, session)
        }
    }
}

/// Returns true if the session may be shown notes: usually one with a loop, or where
/// one may start automatically.
fn is_in_audience(app: &App, call: &Call, session: &SessionId, moment: &Moment<'_>) -> bool {
    match audience(app) {
        Audience::Nobody => false,
        Audience::Everybody => true,
        Audience::Loops => {
            let begins_one = matches!(moment, Moment::Task(text) if slash::is_ours(text));
            begins_one
                || Place::new(&app.home, session).is_marked()
                || arm::mode(app, call) != Arm::Manual
        }
    }
}

/// Returns the sessions that are shown notes. It reads the settings only if they may
/// differ from the default.
fn audience(app: &App) -> Audience {
    if app.variable("RALPH_HOOKS_MEMORY").is_none() && !app.settings_mention("memory") {
        return Audience::Loops;
    }
    app.layers().map_or(Audience::Loops, |layers| MemoryRules::new(&layers).audience)
}

/// Returns the folder that records what a session was shown. For a read-only home it is
/// in the user's state, so that notes are not repeated with every message.
fn marks(app: &App, session: &SessionId) -> Place {
    let home = if Log::new(&app.home).is_read_only() { app.user_home() } else { app.home.clone() };
    Place::new(&home, session)
}

fn has_notes(app: &App) -> bool {
    Notebook::exists(&app.home) || Notebook::exists(&app.user_home())
}

/// Adds notes to a reply, if there are any.
pub(super) fn add(
    app: &App,
    call: &Call,
    event: &HostEvent,
    reply: HostReply,
    standing: Option<Standing>,
) -> HostReply {
    let (Some(session), Some(moment)) = (&event.session, moment(app, call, event)) else {
        return reply;
    };
    let place = marks(app, session);
    let has_room = can_hold(&reply.effect, &moment);
    if !has_room {
        if matches!(moment, Moment::Shortened) {
            forget(&place);
            standing::note_shortened(&place);
        }
        return reply;
    }
    let shown = Showing { app, session, place, standing };
    match shown.recalled(&moment, &reply.effect) {
        Ok(Some(found)) => match found.shown {
            Some(notes) => with(reply, &notes.text),
            None => reply,
        },
        Ok(None) => reply,
        Err(error) => {
            log::write(&app.home, &format!("{}: {error}", session.as_str()));
            HostReply { note: reply.note.or_else(|| Some(said(app, &error))), ..reply }
                .in_tone(Tone::Warning)
        }
    }
}

/// Forgets what a session has seen, since it is no longer in its context.
fn forget(place: &Place) {
    for name in [ASKED, SEEN] {
        let _ = fs::remove_file(place.folder().join(name));
    }
}

/// Returns true if a reply can carry notes.
fn can_hold(effect: &Effect, moment: &Moment<'_>) -> bool {
    let was_shortened = matches!(moment, Moment::Shortened);
    match effect {
        Effect::GoOn { .. } => was_shortened,
        Effect::None | Effect::Tell { .. } | Effect::Begin { .. } => !was_shortened,
        Effect::Do { .. } | Effect::Wake { .. } | Effect::Answer { .. } => false,
    }
}

/// Adds notes to the reply.
fn with(reply: HostReply, notes: &str) -> HostReply {
    let effect = match reply.effect {
        Effect::None => Effect::Tell { context: notes.to_owned() },
        Effect::Tell { context } => Effect::Tell { context: format!("{context}\n\n{notes}") },
        Effect::Begin { task, rules } => {
            Effect::Begin { task, rules: format!("{rules}\n\n{notes}") }
        }
        Effect::GoOn { reason } => Effect::GoOn { reason: format!("{reason}\n\n{notes}") },
        effect @ (Effect::Do { .. } | Effect::Wake { .. } | Effect::Answer { .. }) => effect,
    };
    HostReply { effect, ..reply }
}

/// Starts a process that reads the rest of the project for the next time. It outlives
/// us, in a process group of its own that ignores our Ctrl-C.
fn read_the_rest(app: &App) {
    if Log::new(&app.home).is_read_only() {
        return;
    }
    let mut command = Command::new(own_binary());
    command.args(["memory", "bootstrap"]).current_dir(&app.project.root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // If that fails, the next hook tries again.
    let _ = command.spawn();
}

/// A session that is about to be shown notes.
struct Showing<'a> {
    app: &'a App,
    session: &'a SessionId,
    place: Place,
    standing: Option<Standing>,
}

impl Showing<'_> {
    fn recalled(&self, moment: &Moment<'_>, effect: &Effect) -> Result<Option<Recalled>, CliError> {
        let app = self.app;
        let rules = MemoryRules::new(&app.layers()?);
        let Some(recall) = app.recall(rules, app.locale()) else { return Ok(None) };
        let recall = Recall { patience: Patience::Short, ..recall };
        self.prepare(moment)?;
        let told = |at: &Standing| recall.standing(&at.session, (at.reader, at.age));
        let resume = self.standing.as_ref().map(told).unwrap_or_default();
        if matches!(moment, Moment::GoingOn) && resume.is_empty() {
            return Ok(None);
        }
        let wanted = Wanted { resume, ..self.wanted(moment, effect) };
        let now = app.now();
        let found = recall.recall(&wanted, now)?;
        if found.is_behind {
            read_the_rest(app);
        }
        if let Some(shown) = &found.shown {
            let ids = [wanted.seen.clone(), shown.ids()].concat().join("\n");
            let seen = format!("{}\n{ids}\n", wanted.spent + shown.tokens);
            let noted = recall.note_shown(&found, &wanted.place, now).map_err(CliError::from);
            // The notes matter more than the record that they were shown.
            if let Err(error) = noted.and(self.place.keep(SEEN, &seen).map_err(CliError::from)) {
                log::write(&app.home, &format!("{}: {error}", self.session.as_str()));
            }
        }
        Ok(Some(found))
    }

    /// Forgets what the session has seen if it is no longer useful, and records that it
    /// is being shown notes.
    fn prepare(&self, moment: &Moment<'_>) -> Result<(), CliError> {
        let is_late = self.standing.as_ref().is_some_and(|at| at.age == Age::Old);
        match moment {
            Moment::Start | Moment::Again | Moment::Shortened => forget(&self.place),
            // After this long everything is shown again.
            Moment::GoingOn | Moment::Task(_) if is_late => forget(&self.place),
            Moment::GoingOn | Moment::Task(_) => {}
        }
        if let Moment::Task(_) = moment {
            // It comes before anything can fail, so that nothing is shown twice.
            self.place.keep(ASKED, "")?;
        }
        standing::note_told(&self.place);
        Ok(())
    }

    fn wanted(&self, moment: &Moment<'_>, effect: &Effect) -> Wanted {
        let before = ralph_files::read_own_text(self.place.folder().join(SEEN));
        let before = before.as_deref().unwrap_or_default();
        let mut lines = before.lines();
        let spent = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let seen: Vec<String> = lines.map(str::to_owned).collect();
        let (part, task) = match (moment, effect) {
            (Moment::Start | Moment::GoingOn, _) => (Part::Standing, None),
            (Moment::Again | Moment::Shortened, _) => (Part::Whole, self.known_task()),
            (Moment::Task(_), Effect::Begin { task, .. }) => (part(&seen), Some(task.clone())),
            (Moment::Task(text), _) => (part(&seen), Some((*text).to_owned())),
        };
        Wanted {
            part,
            task,
            seen,
            spent,
            place: self.at(effect),
            preface: if spent > 0 { Preface::LeftOut } else { Preface::Written },
            ..Wanted::new(Phase::Think)
        }
    }

    /// Returns the topic of a compacted session: its task, and what the user said since.
    fn known_task(&self) -> Option<String> {
        let session = &self.standing.as_ref()?.session;
        let said = session.messages.iter().filter(|message| message.who == Who::User);
        let said = said.map(|message| message.text.clone());
        let mut words: Vec<String> = session.task.clone().into_iter().chain(said).collect();
        words.dedup();
        (!words.is_empty()).then(|| words.join("\n"))
    }

    /// Returns the place where notes are shown: the turn of a loop, if there is one.
    fn at(&self, effect: &Effect) -> event::Place {
        let place = memory::place(self.app, Some(self.session.as_str()));
        let phase = Some(Phase::Think);
        // The turn that begins now is the first of its run.
        let is_first = matches!(effect, Effect::Begin { .. }) && place.run.is_some();
        let iteration = if is_first { Some(1) } else { place.iteration };
        event::Place { iteration, phase, ..place }
    }
}

/// Selects the notes: if the host did not report a start, all come with the task.
fn part(seen: &[String]) -> Part {
    if seen.is_empty() { Part::Whole } else { Part::Asked }
}
