//! Listeners follow a turn while it runs, and summarise it at its end.

use ralph_core::usage::Usage;
use ralph_proc::Outcome;

use crate::session::Kept;
use crate::{Spoken, TurnClock};

/// Parses an agent's output during one turn.
pub trait Listener {
    /// Takes the next bytes of standard output, split anywhere; returns what to
    /// show of them.
    fn hear(&mut self, bytes: &[u8]) -> Shown;

    /// Returns the usage of the turn so far, as the agent has reported it.
    fn spent(&self) -> Usage;

    /// Returns the state of the turn, which tells if waiting is worth it.
    fn standing(&self) -> Standing;

    /// Returns the outcome of the turn, after its process has ended.
    fn conclude(&mut self, closing: &Closing<'_>) -> Heard;
}

/// The form in which output is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Unchanged bytes.
    AsIs,
    /// Complete pieces, not redacted.
    Pieces(Vec<Piece>),
}

/// One statement or action of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its kind.
    pub kind: PieceKind,
    /// Its text.
    pub text: String,
}

impl Piece {
    /// Creates a piece of this kind.
    pub fn new(kind: PieceKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Output of a program that prints only text.
    Output,
    /// Text of the agent.
    Text,
    /// A tool use.
    Tool,
    /// Text or a tool use of a child agent.
    Child,
    /// Something about the turn itself: a retry, a shortened conversation.
    Note,
}

impl PieceKind {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Text => "text",
            Self::Tool => "tool",
            Self::Child => "child",
            Self::Note => "note",
        }
    }
}

/// The state of a turn while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In progress.
    Working,
    /// The agent has finished; only its process is still running.
    Done,
    /// It keeps retrying what cannot succeed.
    Hopeless,
}

/// A reason why ralph ended a turn without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The run's budget of money or tokens is spent.
    Budget,
    /// The agent had finished, and its process did not exit.
    Lingering,
    /// It kept retrying what could not succeed.
    Hopeless,
}

/// Text of a turn that was stopped for the budget. The agent's own text is cut
/// off, so it makes no claim.
pub(crate) const BUDGET_SPENT: &str = "the budget ran out during the turn, which was stopped";

/// The facts about the end of a turn's process.
#[derive(Clone, Copy, Debug)]
pub struct Closing<'a> {
    /// Its ending, and the end of its output.
    pub outcome: &'a Outcome,
    /// The time limits of the turn.
    pub clock: &'a TurnClock,
    /// The reason, if ralph ended it.
    pub cut: Option<Cut>,
}

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The final text, and the end of the turn.
    pub spoken: Spoken,
    /// The state of its session.
    pub kept: Kept,
    /// Actions that the agent was not allowed to do.
    pub refusals: Vec<Refusal>,
    /// Notes for the user, one sentence each.
    pub remarks: Vec<String>,
}

impl Heard {
    /// Creates an outcome without remarks, for an agent without sessions.
    pub fn plain(spoken: Spoken) -> Self {
        Self { spoken, kept: Kept::Nothing, refusals: Vec::new(), remarks: Vec::new() }
    }
}

/// An action that the agent was not allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The tool and its main argument.
    pub what: String,
    /// The way to allow it.
    pub remedy: String,
}
