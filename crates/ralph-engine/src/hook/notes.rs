//! Adds notes from the memory to the reply of a hook. At the start of a session it
//! shows general notes and the state of earlier work; with the first task, the notes
//! that matter for it.
//!
//! A project without a memory costs one access to the file system.

use std::fs;
use std::process::{Command, Stdio};

use crate::host::SessionDir;
use crate::recall::{NotePortion, NoteRecall, NoteRequest, RecallResult};
use ralph_config::{ArmingMoment, MemoryRules, NoteAudience};
use ralph_core::SessionId;
use ralph_core::host::{HostEvent, HostReply, NoteTone, ReplyEffect};
use ralph_core::memory::hydration::PrefaceMode;
use ralph_memory::event::{self, WorkPhase};
use ralph_memory::log::EventLog;
use ralph_memory::resume::SessionAge;
use ralph_memory::{LockPatience, MessageRole, Notebook};

use super::reading::{EventReading, RecallOccasion};
use super::slash;
use super::standing::{self, PreviousSession};
use super::{HookInvocation, arm, log, said};
use crate::app::{App, own_binary};
use crate::caller;
use crate::user_error::UserError;

/// The session file with the notes that were shown, after the number of their tokens.
const SEEN: &str = "notes";

/// The session file that marks that the notes for its task were shown.
const ASKED: &str = "notes-asked";

/// Returns true if an agent could be shown something now.
pub(super) fn concerns(app: &App, call: &HookInvocation<'_>, event: &HostEvent) -> bool {
    let Some((session, moment)) =
        event.session.as_ref().zip(EventReading::new(app, call, event).occasion())
    else {
        return false;
    };
    // The driver shows notes with its prompts.
    if app.is_driven() || !has_notes(app) || !is_in_audience(app, call, session, &moment) {
        return false;
    }
    match moment {
        RecallOccasion::Start
        | RecallOccasion::Again
        | RecallOccasion::GoingOn
        | RecallOccasion::Shortened => true,
        RecallOccasion::Task(_) => {
            let is_done = marks(app, session).folder().join(ASKED).exists();
            !is_done || standing::was_left(app, call, session)
        }
    }
}

/// Returns true if the session may be shown notes: usually one with a loop, or where
/// one may start automatically.
fn is_in_audience(
    app: &App,
    call: &HookInvocation<'_>,
    session: &SessionId,
    moment: &RecallOccasion<'_>,
) -> bool {
    match audience(app) {
        NoteAudience::Nobody => false,
        NoteAudience::Everybody => true,
        NoteAudience::Loops => {
            let begins_one = matches!(moment, RecallOccasion::Task(text) if slash::is_ours(text));
            begins_one
                || SessionDir::new(&app.home, session).is_marked()
                || arm::mode(app, call) != ArmingMoment::Manual
        }
    }
}

/// Returns the sessions that are shown notes. It reads the settings only if they may
/// differ from the default.
fn audience(app: &App) -> NoteAudience {
    if app.variable("RALPH_HOOKS_MEMORY").is_none() && !app.settings_mention("memory") {
        return NoteAudience::Loops;
    }
    app.counted_layers().map_or(NoteAudience::Loops, |layers| MemoryRules::new(&layers).audience)
}

/// Returns the folder that records what a session was shown. For a read-only home it is
/// in the user's state, so that notes are not repeated with every message.
fn marks(app: &App, session: &SessionId) -> SessionDir {
    let home =
        if EventLog::new(&app.home).is_read_only() { app.user_home() } else { app.home.clone() };
    SessionDir::new(&home, session)
}

fn has_notes(app: &App) -> bool {
    Notebook::exists(&app.home) || Notebook::exists(&app.user_home())
}

/// Adds notes to a reply, if there are any.
pub(super) fn add(
    app: &App,
    call: &HookInvocation<'_>,
    event: &HostEvent,
    reply: HostReply,
    standing: Option<PreviousSession>,
) -> HostReply {
    let (Some(session), Some(moment)) =
        (&event.session, EventReading::new(app, call, event).occasion())
    else {
        return reply;
    };
    let place = marks(app, session);
    let has_room = can_hold(&reply.effect, &moment);
    if !has_room {
        if matches!(moment, RecallOccasion::Shortened) {
            forget(&place);
            standing::note_shortened(&place);
        }
        return reply;
    }
    let shown = NotePresenter { app, session, place, standing };
    match shown.recalled(&moment, &reply.effect) {
        Ok(Some(found)) => match found.shown {
            Some(notes) => with(reply, &notes.text),
            None => reply,
        },
        Ok(None) => reply,
        Err(error) => {
            log::write(&app.home, &format!("{}: {error}", session.as_str()));
            HostReply { note: reply.note.or_else(|| Some(said(app, &error))), ..reply }
                .in_tone(NoteTone::Warning)
        }
    }
}

/// Forgets what a session has seen, since it is no longer in its context.
fn forget(place: &SessionDir) {
    for name in [ASKED, SEEN] {
        // It may be missing.
        let _ = fs::remove_file(place.folder().join(name));
    }
}

/// Returns true if a reply can carry notes.
fn can_hold(effect: &ReplyEffect, moment: &RecallOccasion<'_>) -> bool {
    let was_shortened = matches!(moment, RecallOccasion::Shortened);
    match effect {
        ReplyEffect::GoOn { .. } => was_shortened,
        ReplyEffect::None | ReplyEffect::Tell { .. } | ReplyEffect::Begin { .. } => !was_shortened,
        ReplyEffect::Do { .. } | ReplyEffect::Wake { .. } | ReplyEffect::Answer { .. } => false,
    }
}

/// Adds notes to the reply.
fn with(reply: HostReply, notes: &str) -> HostReply {
    let effect = match reply.effect {
        ReplyEffect::None => ReplyEffect::Tell { context: notes.to_owned() },
        ReplyEffect::Tell { context } => {
            ReplyEffect::Tell { context: format!("{context}\n\n{notes}") }
        }
        ReplyEffect::Begin { task, rules } => {
            ReplyEffect::Begin { task, rules: format!("{rules}\n\n{notes}") }
        }
        ReplyEffect::GoOn { reason } => {
            ReplyEffect::GoOn { reason: format!("{reason}\n\n{notes}") }
        }
        effect @ (ReplyEffect::Do { .. }
        | ReplyEffect::Wake { .. }
        | ReplyEffect::Answer { .. }) => effect,
    };
    HostReply { effect, ..reply }
}

/// Starts a process that reads the rest of the project for the next time. It outlives
/// us, in a process group of its own that ignores our Ctrl-C.
fn read_the_rest(app: &App) {
    if EventLog::new(&app.home).is_read_only() {
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
struct NotePresenter<'a> {
    app: &'a App,
    session: &'a SessionId,
    place: SessionDir,
    standing: Option<PreviousSession>,
}

impl NotePresenter<'_> {
    fn recalled(
        &self,
        moment: &RecallOccasion<'_>,
        effect: &ReplyEffect,
    ) -> Result<Option<RecallResult>, UserError> {
        let app = self.app;
        let rules = MemoryRules::new(&app.counted_layers()?);
        let Some(recall) = app.recall(rules, app.locale()) else { return Ok(None) };
        let recall = NoteRecall { patience: LockPatience::Short, ..recall };
        self.prepare(moment)?;
        let told = |at: &PreviousSession| recall.standing(&at.session, at.reader, at.age);
        let resume = self.standing.as_ref().map(told).unwrap_or_default();
        if matches!(moment, RecallOccasion::GoingOn) && resume.is_empty() {
            return Ok(None);
        }
        let wanted = NoteRequest { resume, ..self.wanted(moment, effect) };
        let now = app.now();
        let found = recall.recall(&wanted, now)?;
        if found.is_behind {
            read_the_rest(app);
        }
        if let Some(shown) = &found.shown {
            let ids = [wanted.seen.clone(), shown.ids()].concat().join("\n");
            let seen = format!("{}\n{ids}\n", wanted.spent + shown.tokens);
            let noted = recall.note_shown(&found, &wanted.place, now).map_err(UserError::from);
            // The notes matter more than the record that they were shown.
            if let Err(error) = noted.and(self.place.keep(SEEN, &seen).map_err(UserError::from)) {
                log::write(&app.home, &format!("{}: {error}", self.session.as_str()));
            }
        }
        Ok(Some(found))
    }

    /// Forgets what the session has seen if it is no longer useful, and records that it
    /// is being shown notes.
    fn prepare(&self, moment: &RecallOccasion<'_>) -> Result<(), UserError> {
        let is_late = self.standing.as_ref().is_some_and(|at| at.age == SessionAge::Old);
        match moment {
            RecallOccasion::Start | RecallOccasion::Again | RecallOccasion::Shortened => {
                forget(&self.place);
            }
            // After this long everything is shown again.
            RecallOccasion::GoingOn | RecallOccasion::Task(_) if is_late => forget(&self.place),
            RecallOccasion::GoingOn | RecallOccasion::Task(_) => {}
        }
        if let RecallOccasion::Task(_) = moment {
            // It comes before anything can fail, so that nothing is shown twice.
            self.place.keep(ASKED, "")?;
        }
        standing::note_told(&self.place);
        Ok(())
    }

    fn wanted(&self, moment: &RecallOccasion<'_>, effect: &ReplyEffect) -> NoteRequest {
        let before = ralph_files::read_own_text(self.place.folder().join(SEEN));
        let before = before.as_deref().unwrap_or_default();
        let mut lines = before.lines();
        let spent = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let seen: Vec<String> = lines.map(str::to_owned).collect();
        let (part, task) = match (moment, effect) {
            (RecallOccasion::Start | RecallOccasion::GoingOn, _) => (NotePortion::Standing, None),
            (RecallOccasion::Again | RecallOccasion::Shortened, _) => {
                (NotePortion::Whole, self.known_task())
            }
            (RecallOccasion::Task(_), ReplyEffect::Begin { task, .. }) => {
                (part(&seen), Some(task.clone()))
            }
            (RecallOccasion::Task(text), _) => (part(&seen), Some((*text).to_owned())),
        };
        NoteRequest {
            part,
            task,
            seen,
            spent,
            place: self.at(effect),
            preface: if spent > 0 { PrefaceMode::LeftOut } else { PrefaceMode::Written },
            ..NoteRequest::new(WorkPhase::Think)
        }
    }

    /// Returns the topic of a compacted session: its task, and what the user said since.
    fn known_task(&self) -> Option<String> {
        let session = &self.standing.as_ref()?.session;
        let said = session.messages.iter().filter(|message| message.who == MessageRole::User);
        let said = said.map(|message| message.text.clone());
        let mut words: Vec<String> = session.task.clone().into_iter().chain(said).collect();
        words.dedup();
        (!words.is_empty()).then(|| words.join("\n"))
    }

    /// Returns the place where notes are shown: the turn of a loop, if there is one.
    fn at(&self, effect: &ReplyEffect) -> event::EventContext {
        let place = caller::place(self.app, Some(self.session.as_str()));
        let phase = Some(WorkPhase::Think);
        // The turn that begins now is the first of its run.
        let is_first = matches!(effect, ReplyEffect::Begin { .. }) && place.run.is_some();
        let iteration = if is_first { Some(1) } else { place.iteration };
        event::EventContext { iteration, phase, ..place }
    }
}

/// Selects the notes: if the host did not report a start, all come with the task.
fn part(seen: &[String]) -> NotePortion {
    if seen.is_empty() { NotePortion::Whole } else { NotePortion::Asked }
}
