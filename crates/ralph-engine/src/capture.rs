//! Records sessions so that they can be resumed: every use of a tool, every
//! prompt of the user, the end of every turn.
//!
//! Hooks live for two milliseconds, so they only add lines to the log of the
//! memory and never wait for other writers. Readers evaluate the log later.

use std::path::{Path, PathBuf};

use ralph_core::Timestamp;
use ralph_core::host::{Actor, BreakageKind, Happening, HostEvent, Mode, Position, Start, ToolUse};
use ralph_memory::clean;
use ralph_memory::event::{self, Event, Observed, Phase, Place, SessionState, What};
use ralph_memory::log::{Log, LogError};

use crate::host::final_text;

/// The program whose name for the session counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teller {
    /// A host in which the user works: its sessions are recorded as ours.
    Host,
    /// A program that our driver started. The run is the session, and the
    /// driver itself records prompts and answers.
    Driven,
}

/// The place where a session is recorded.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    /// The state home of the project.
    pub home: &'a Path,
    /// The root of the project.
    pub root: &'a Path,
    /// The work tree, as runs name it.
    pub worktree: String,
    /// The place in the terms of the memory.
    pub place: Place,
    /// The source of the events.
    pub teller: Teller,
}

impl Capture<'_> {
    /// Records an event of a host in the log of its session.
    pub fn take(&self, event: &HostEvent, now: Timestamp) -> Result<(), LogError> {
        let place = Place { phase: event.mode.map(phase), ..self.place.clone() };
        let events = self.said(event).into_iter().map(|(actor, what)| {
            clean::event(Event { at: now.as_millis(), place: place.clone(), actor, what })
        });
        Log::new(self.home).hand_in(&events.collect::<Vec<_>>())
    }

    /// Returns the records of an event, each with its author.
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
                    // Such a host reports the start of a session separately.
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
                    // The user is done with it: it cannot be resumed.
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
