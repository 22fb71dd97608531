//! Agents and hosts: how they are launched and how their output is parsed.
//!
//! An agent only translates: a turn becomes a process or a prompt for a server,
//! and its output becomes core types. It decides nothing, and its only state is
//! a server that it may need.
//!
//! # Details
//!
//! - A listener for each turn turns output into text for people, counts usage, and
//!   judges the turn: by the agent's own protocol where it has one, else by text
//!   and exit code. The log keeps the output as it came, redacted.
//! - An agent that is a server starts with the first turn and ends with the run. A
//!   courier passes the prompt to it and its events back, line by line, as if a
//!   process had printed them. Events may be lost, so a turn is over only when the
//!   server says so; then its messages are read once more.
//! - Where an agent keeps a conversation, a turn costs what the conversation's
//!   totals grew by. The usage of a turn that was cut off is charged at once and
//!   subtracted later.
//! - A new conversation gets a summary from our own record. Asking the old one
//!   would cost a turn with its longest context, and fail just when it is too
//!   long. Only users who ask for summaries get the agent's own, too.
//! - A host either reads our answer to its hook, or runs a plugin without logic
//!   that carries out one action at a time and reports its result.

pub mod claude;
mod client;
mod command;
mod excerpt;
pub mod hooks;
pub mod host;
pub mod inspection;
pub mod install;
mod json_lines;
mod json_text;
mod known;
pub mod limits;
mod line;
mod listen;
pub mod opencode;
mod places;
pub mod rows;
pub mod scripted;
pub mod servers;
mod session;
pub mod summary;
mod usage;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_core::evidence::TurnEnd;
use ralph_core::time::Timestamp;
use ralph_core::usage::{Usage, Usd};
use ralph_proc::{
    ProcError, ProgramLaunch, ProgramLimits, ProgramOutcome, ProgramWatcher, Supervisor,
};

pub use client::{
    Client, ClientOption, ClientOptions, ClientSetting, NAMES, OneShotClient, SETTINGS,
};
pub use command::CommandAgent;
pub use host::Host;
pub use known::{KnownAgent, LoginState, agent_guides, agent_matrix, known_agents};
pub use listen::{
    AgentTurnOutcome, OutputPiece, OutputPieceKind, RefusedAction, ShownOutput, TurnCutReason,
    TurnListener, TurnProcessEnd, TurnStatus,
};
pub use places::{ClientFile, ClientPlaces};
pub use session::{AgentConversation, ContextWindow, SessionAfterTurn, TurnSession};
pub use usage::read_usage;

/// Returns the plugins for hosts that the repository contains: paths from its
/// root, and contents.
pub fn plugins() -> Vec<(String, String)> {
    let files = claude::files::plugin().into_iter();
    files.map(|file| (format!("plugins/{}/{}", claude::NAME, file.path), file.text)).collect()
}

/// The input of one turn of an agent.
#[derive(Clone, Debug)]
pub struct TurnInput<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// Holds the prompt; also the agent's standard input.
    pub prompt_file: &'a Path,
    /// The file in which an agent without a protocol may report usage.
    pub usage_file: &'a Path,
    /// The complete environment, with ralph's own variables.
    pub env: &'a [(OsString, OsString)],
    /// The session of the turn; [`TurnSession::Nowhere`] for agents without sessions.
    pub seat: TurnSession<'a>,
    /// The remaining money, if there is a limit.
    pub money_left: Option<Usd>,
}

/// The final text of an agent, and how its turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnReply {
    /// The end of the turn.
    pub end: TurnEnd,
    /// The final assistant text.
    pub text: String,
    /// Its usage, if the agent reported it.
    pub usage: Option<Usage>,
}

/// The time limits of a turn, and the present time.
#[derive(Clone, Copy, Debug)]
pub struct TurnClock {
    /// Maximum time without output.
    pub idle: std::time::Duration,
    /// Maximum time of the whole turn.
    pub wall: std::time::Duration,
    /// The present time, for limits that say "in five minutes".
    pub now: Timestamp,
}

/// A message about the run for a user who watches the agent itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunNotice<'a> {
    /// The text.
    pub text: &'a str,
    /// Its mood.
    pub mood: NoticeMood,
}

/// The mood of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeMood {
    /// Neutral.
    Plain,
    /// The work is done.
    Good,
    /// The work is paused or over, and is not done.
    Bad,
}

/// One coding agent that ralph can drive.
pub trait Agent {
    /// Returns the name used in configuration and on the command line.
    fn name(&self) -> &str;

    /// Returns the command line, for the record.
    fn command_line(&self) -> Vec<String>;

    /// Returns the process that takes the turn, or that serves all of them.
    fn launch(&self, turn: &TurnInput<'_>) -> ProgramLaunch;

    /// Takes the turn and returns when it is over.
    ///
    /// Most agents are one process a turn. Others must pass the watcher the
    /// output of such a process, ask it as often whether to go on, and leave
    /// nothing running.
    fn run_turn(
        &self,
        turn: &TurnInput<'_>,
        limits: &ProgramLimits,
        supervisor: &Supervisor,
        watcher: &mut dyn ProgramWatcher,
    ) -> Result<ProgramOutcome, ProcError> {
        supervisor.run(&self.launch(turn), limits, watcher)
    }

    /// Shows a message about the run in the agent's own interface, if it has
    /// one.
    fn show(&self, _news: &RunNotice<'_>) {}

    /// Creates a listener for the output of this turn.
    fn listen<'a>(&'a self, turn: &TurnInput<'a>) -> Box<dyn TurnListener + 'a>;

    /// Returns the program it needs, for a check before anything starts.
    fn program(&self) -> PathBuf;

    /// Returns true if it can continue the session of an earlier turn.
    fn keeps_sessions(&self) -> bool {
        false
    }

    /// Returns the places that it needs in a sandbox. `variable` looks a
    /// variable up.
    fn places(&self, _home: &Path, _variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
        ClientPlaces::default()
    }
}
