//! Agents and hosts: how each is launched and understood.
//!
//! An agent only translates: a turn becomes a process or a prompt for a server,
//! their end and words become core types. It decides nothing, and keeps no state
//! but the server it may need.

pub mod claude;
mod client;
mod command;
mod excerpt;
pub mod host;
pub mod inspection;
pub mod install;
pub mod limits;
mod line;
mod listen;
pub mod opencode;
pub mod scripted;
pub mod servers;
mod session;
mod spans;
pub mod summary;
mod usage;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_core::evidence::TurnEnd;
use ralph_core::time::Timestamp;
use ralph_core::usage::{Usage, Usd};
use ralph_proc::{Launch, Limits, Outcome, ProcError, Supervisor, Watcher};

pub use client::{AskedClient, Client, ClientOption, ClientOptions, NAMES, SETTINGS, Setting};
pub use command::CommandAgent;
pub use host::Host;
pub use listen::{Closing, Cut, Heard, Listener, Piece, PieceKind, Refusal, Shown, Standing};
pub use session::{Context, Kept, Seat, Session, uuid};
pub use usage::read_usage;

/// The plugins for hosts that are kept in the repository: paths from its root,
/// and what the files hold.
pub fn plugins() -> Vec<(String, String)> {
    let files = claude::files::plugin().into_iter();
    files.map(|file| (format!("plugins/{}/{}", claude::NAME, file.path), file.text)).collect()
}

/// One turn that an agent is to take.
#[derive(Clone, Debug)]
pub struct Turn<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// Holds the prompt; also the agent's standard input.
    pub prompt_file: &'a Path,
    /// Where an agent without a protocol of its own may report usage.
    pub usage_file: &'a Path,
    /// The complete environment, the contract's variables included.
    pub env: &'a [(OsString, OsString)],
    /// In which session it takes place; [`Seat::Nowhere`] for agents that
    /// keep none.
    pub seat: Seat<'a>,
    /// The money that is left, if there is a limit.
    pub money_left: Option<Usd>,
}

/// What an agent said and how its turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken {
    /// How the turn ended.
    pub end: TurnEnd,
    /// The final assistant text.
    pub text: String,
    /// What it cost, if the agent said so.
    pub usage: Option<Usage>,
}

/// The clock of a turn: what the driver set, and what time it is now.
#[derive(Clone, Copy, Debug)]
pub struct TurnClock {
    /// No output for this long.
    pub idle: std::time::Duration,
    /// The turn as a whole.
    pub wall: std::time::Duration,
    /// The present moment, for limits that say "in five minutes".
    pub now: Timestamp,
}

/// Something about the run for whoever looks at the agent itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News<'a> {
    /// The words.
    pub text: &'a str,
    /// How good they are.
    pub mood: Mood,
}

/// How good news is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Neither.
    Plain,
    /// The work is done.
    Good,
    /// The work rests or is over, and is not done.
    Bad,
}

/// One coding agent that ralph can drive.
pub trait Agent {
    /// The name used in configuration and on the command line.
    fn name(&self) -> &'static str;

    /// How it was called, for the record.
    fn command_line(&self) -> Vec<String>;

    /// The process that takes the turn, or that serves all of them.
    fn launch(&self, turn: &Turn<'_>) -> Launch;

    /// Takes the turn and returns when it is over.
    ///
    /// Most agents are one process a turn. Others have to show the watcher
    /// what such a process would print, to ask it as often whether to go on,
    /// and to leave nothing at work behind.
    fn take(
        &self,
        turn: &Turn<'_>,
        limits: &Limits,
        supervisor: &Supervisor,
        watcher: &mut dyn Watcher,
    ) -> Result<Outcome, ProcError> {
        supervisor.run(&self.launch(turn), limits, watcher)
    }

    /// Tells somebody who looks at the agent itself how the run goes. Nobody
    /// may be there.
    fn show(&self, _news: &News<'_>) {}

    /// Somebody who understands what the process prints during this turn.
    fn listen<'a>(&'a self, turn: &Turn<'a>) -> Box<dyn Listener + 'a>;

    /// The program it needs, for a check before anything starts.
    fn program(&self) -> PathBuf;

    /// Whether it can go on with the session of an earlier turn.
    fn keeps_sessions(&self) -> bool {
        false
    }
}
