//! What is kept of sessions while they go on, so that they can be taken up
//! again: every use of a tool, every word of the user, the end of every turn.
//!
//! Hooks live for two milliseconds, so all they do is to add lines to the log
//! of the memory, and they wait for nobody who writes to it. What it comes to is
//! found out by whoever asks.

use std::path::{Path, PathBuf};

use ralph_core::Timestamp;
use ralph_core::host::{Actor, BreakageKind, Happening, HostEvent, Mode, Position, Start, ToolUse};
use ralph_memory::clean;
use ralph_memory::event::{self, Event, Observed, Phase, Place, SessionState, What};
use ralph_memory::log::{Log, LogError};

use crate::host::final_text;

/// Whose name for the session counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teller {
    /// A host in which the user works: its sessions are ours.
    Host,
    /// A program that our driver started: the run is the session, and the
    /// driver knows itself when it is asked and answered.
    Driven,
}

/// Where what is captured is written, and what happened in which project.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    /// The state home of the project.
    pub home: &'a Path,
    /// The root of the project.
    pub root: &'a Path,
    /// The work tree, as runs know it.
    pub worktree: String,
    /// Where in the memory's sense.
    pub place: Place,
    /// Who tells of it.
    pub teller: Teller,
}

impl Capture<'_> {
    /// Keeps what an event of a host says about its session.
    pub fn take(&self, event: &HostEvent, now: Timestamp) -> Result<(), LogError> {
        let place = Place { phase: event.mode.map(phase), ..self.place.clone() };
        let events = self.said(event).into_iter().map(|(actor, what)| {
            clean::event(Event { at: now.as_millis(), place: place.clone(), actor, what })
        });
        Log::new(self.home).hand_in(&events.collect::<Vec<_>>())
    }

    /// What an event says about its session, and by whom.
    fn said(&self, event: &HostEvent) -> Vec<(event::Actor, What)> {
        use event::Actor::{Agent, Ralph, User};
        let is_main = event.actor == Actor::Main;
        let is_host = self.teller == Teller::Host;
        let one = |actor, what| vec![(actor, what)];
        match &event.what {
            Happening::ToolsUsed(uses) => {
                uses.iter().map(|used| (Agent, self.observed(used))).collect()
            }
            Happening::SessionStarted(start) if is_main => {
                one(Ralph, self.opened(event, word(*start)))
            }
            Happening::Compacting | Happening::Compacted { .. } if is_main => {
                let (about, files) = ("compacting".to_owned(), Vec::new());
                one(Ralph, What::Checkpointed { about, files })
            }
            Happening::Prompted { text, position } if is_main && is_host => {
                let asked = (User, What::Asked { text: text.clone() });
                let opened = match position {
                    Position::First => Some("new"),
                    Position::Later => Some("later"),
                    // Such a host tells of beginnings by themselves.
                    Position::Unknown => None,
                };
                let opened = opened.map(|source| (Ralph, self.opened(event, source)));
                opened.into_iter().chain([asked]).collect()
            }
            Happening::TurnEnded(silence) if is_main && is_host => {
                one(Agent, What::Answered { text: final_text(silence) })
            }
            Happening::TurnBroken(broken) if is_main && is_host => {
                let state = match broken.kind {
                    BreakageKind::Aborted => SessionState::Paused,
                    BreakageKind::Limit
                    | BreakageKind::Overloaded
                    | BreakageKind::Refused
                    | BreakageKind::Other => SessionState::Failed,
                };
                one(Ralph, What::Closed { state, why: broken.text.clone() })
            }
            Happening::SessionEnded { reason } if is_main && is_host => {
                let state = match reason.as_str() {
                    // The user is done with it: there is nothing to go on with.
                    "clear" | "deleted" => SessionState::Completed,
                    _ => SessionState::Paused,
                };
                one(Ralph, What::Closed { state, why: reason.clone() })
            }
            Happening::SessionStarted(_)
            | Happening::Compacting
            | Happening::Compacted { .. }
            | Happening::Prompted { .. }
            | Happening::TurnEnded(_)
            | Happening::TurnBroken(_)
            | Happening::SessionEnded { .. }
            | Happening::HostStarted
            | Happening::Done(_)
            | Happening::Woken
            | Happening::CommandCalled { .. }
            | Happening::ToolAsked(_)
            | Happening::ChildEnded
            | Happening::PermissionAsked { .. }
            | Happening::PermissionAnswered
            | Happening::NotDelivered { .. }
            | Happening::Due
            | Happening::Other { .. } => Vec::new(),
        }
    }

    fn opened(&self, event: &HostEvent, source: &str) -> What {
        let external = match self.teller {
            Teller::Host => None,
            Teller::Driven => event.session.as_ref().map(ToString::to_string),
        };
        let worktree = Some(self.worktree.clone());
        What::Opened { worktree, source: source.to_owned(), external }
    }

    fn observed(&self, used: &ToolUse) -> What {
        What::Observed(Box::new(Observed {
            tool: used.tool.clone(),
            files: used.files.iter().filter_map(|file| self.inside(file)).collect(),
            about: used.about.clone(),
            error: used.error.clone(),
        }))
    }

    /// A file as the project names it; `None` for those of others. Hosts name
    /// it as they entered the project, perhaps through a link.
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

const fn word(start: Start) -> &'static str {
    match start {
        Start::New => "new",
        Start::Resumed => "resumed",
        Start::Cleared => "cleared",
        Start::Compacted => "compacted",
        Start::Forked => "forked",
        Start::Other => "other",
    }
}

fn phase(mode: Mode) -> Phase {
    match mode {
        Mode::Plan => Phase::Think,
        Mode::Work => Phase::Code,
    }
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
