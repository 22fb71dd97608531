//! Records sessions so that they can be resumed: every use of a tool, every
//! prompt of the user, the end of every turn.
//!
//! Hooks live for two milliseconds, so they only add lines to the log of the
//! memory and never wait for other writers. Readers evaluate the log later.

use std::path::{Path, PathBuf};

use ralph_core::Timestamp;
use ralph_core::host::{
    AgentMode, EventAgent, HostEvent, HostEventKind, PromptEvent, PromptPosition, SessionEvent,
    SessionStart, ToolEvent, ToolUse, TurnErrorKind, TurnEvent,
};
use ralph_memory::clean;
use ralph_memory::event::{
    self, EventContext, LogEvent, LogEventKind, SessionStatus, ToolUseRecord, WorkPhase,
};
use ralph_memory::log::{EventLog, LogError};

/// The program whose name for the session counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionNameSource {
    /// A host in which the user works: its sessions are recorded as ours.
    Host,
    /// A program that our driver started. The run is the session, and the
    /// driver itself records prompts and answers.
    Driven,
}

/// The place where a session is recorded.
#[derive(Clone, Debug)]
pub struct SessionCapture<'a> {
    /// The state home of the project.
    pub home: &'a Path,
    /// The root of the project.
    pub root: &'a Path,
    /// The work tree, as runs name it.
    pub worktree: String,
    /// The place in the terms of the memory.
    pub place: EventContext,
    /// The source of the events.
    pub teller: SessionNameSource,
}

impl SessionCapture<'_> {
    /// Records an event of a host in the log of its session.
    pub fn take(&self, event: &HostEvent, now: Timestamp) -> Result<(), LogError> {
        let place = EventContext { phase: event.mode.map(phase), ..self.place.clone() };
        let events = self.said(event).into_iter().map(|(actor, what)| {
            clean::event(LogEvent { at: now.as_millis(), place: place.clone(), actor, what })
        });
        EventLog::new(self.home).hand_in(&events.collect::<Vec<_>>())
    }

    /// Returns the records of an event, each with its author.
    fn said(&self, event: &HostEvent) -> Vec<(event::EventActor, LogEventKind)> {
        use event::EventActor::{Agent, Ralph, User};
        let is_main = event.actor == EventAgent::Main;
        let is_host = self.teller == SessionNameSource::Host;
        let one = |actor, what| vec![(actor, what)];
        match &event.what {
            HostEventKind::Tools(ToolEvent::Used(uses)) => {
                uses.iter().map(|used| (Agent, self.observed(used))).collect()
            }
            HostEventKind::Session(SessionEvent::Started(start)) if is_main => {
                one(Ralph, self.opened(event, word(*start)))
            }
            HostEventKind::Session(SessionEvent::Compacting | SessionEvent::Compacted { .. })
                if is_main =>
            {
                let (about, files) = ("compacting".to_owned(), Vec::new());
                one(Ralph, LogEventKind::Checkpointed { about, files })
            }
            HostEventKind::Prompt(PromptEvent::Sent { text, position }) if is_main && is_host => {
                let asked = (User, LogEventKind::Asked { text: text.clone() });
                let opened = match position {
                    PromptPosition::First => Some("new"),
                    PromptPosition::Later => Some("later"),
                    // Such a host reports the start of a session separately.
                    PromptPosition::Unknown => None,
                };
                let opened = opened.map(|source| (Ralph, self.opened(event, source)));
                opened.into_iter().chain([asked]).collect()
            }
            HostEventKind::Turn(TurnEvent::Ended(silence)) if is_main && is_host => one(
                Agent,
                LogEventKind::Answered { text: silence.text.clone().unwrap_or_default() },
            ),
            HostEventKind::Turn(TurnEvent::Broken(broken)) if is_main && is_host => {
                let state = if let TurnErrorKind::Aborted = broken.kind {
                    SessionStatus::Paused
                } else {
                    SessionStatus::Failed
                };
                one(Ralph, LogEventKind::Closed { state, why: broken.text.clone() })
            }
            HostEventKind::Session(SessionEvent::Ended { reason }) if is_main && is_host => {
                let state = match reason.as_str() {
                    // The user is done with it: it cannot be resumed.
                    "clear" | "deleted" => SessionStatus::Completed,
                    _ => SessionStatus::Paused,
                };
                one(Ralph, LogEventKind::Closed { state, why: reason.clone() })
            }
            HostEventKind::Session(_)
            | HostEventKind::Prompt(_)
            | HostEventKind::Turn(_)
            | HostEventKind::Tools(_)
            | HostEventKind::HostStarted
            | HostEventKind::Action(_)
            | HostEventKind::Other { .. } => Vec::new(),
        }
    }

    fn opened(&self, event: &HostEvent, source: &str) -> LogEventKind {
        let external = match self.teller {
            SessionNameSource::Host => None,
            SessionNameSource::Driven => event.session.as_ref().map(ToString::to_string),
        };
        let worktree = Some(self.worktree.clone());
        LogEventKind::Opened { worktree, source: source.to_owned(), external }
    }

    fn observed(&self, used: &ToolUse) -> LogEventKind {
        LogEventKind::Observed(Box::new(ToolUseRecord {
            tool: used.tool.clone(),
            files: used.files.iter().filter_map(|file| self.inside(file)).collect(),
            about: used.about.clone(),
            error: used.error.clone(),
        }))
    }

    /// Returns the project's name for a file; `None` for files outside. A host
    /// may name it by the path on which it entered the project, perhaps through
    /// a link.
    fn inside(&self, file: &Path) -> Option<String> {
        let below = |file: &Path| file.strip_prefix(self.root).ok().map(Path::to_owned);
        let found: PathBuf = if file.is_relative() {
            file.to_owned()
        } else {
            below(file).or_else(|| below(&file.canonicalize().ok()?))?
        };
        let leaves = found.components().any(|part| part == std::path::Component::ParentDir);
        let name = found.to_string_lossy().replace('\\', "/");
        let name = name.trim_start_matches("./");
        (!leaves && !name.is_empty()).then(|| name.to_owned())
    }
}

const fn word(start: SessionStart) -> &'static str {
    match start {
        SessionStart::New => "new",
        SessionStart::Resumed => "resumed",
        SessionStart::Cleared => "cleared",
        SessionStart::Compacted => "compacted",
        SessionStart::Forked => "forked",
        SessionStart::Other => "other",
    }
}

fn phase(mode: AgentMode) -> WorkPhase {
    match mode {
        AgentMode::Plan => WorkPhase::Think,
        AgentMode::Work => WorkPhase::Code,
    }
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
