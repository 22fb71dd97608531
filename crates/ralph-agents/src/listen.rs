//! Listeners follow a turn while it runs, and summarise it at its end.

use ralph_core::usage::Usage;
use ralph_proc::ProgramOutcome;

use crate::session::SessionAfterTurn;
use crate::{TurnClock, TurnReply};

/// Parses an agent's output during one turn.
pub trait TurnListener {
    /// Takes the next bytes of standard output, split anywhere; returns what to
    /// show of them.
    fn read_output(&mut self, bytes: &[u8]) -> ShownOutput;

    /// Returns the usage of the turn so far, as the agent has reported it.
    fn spent(&self) -> Usage;

    /// Returns the state of the turn, which tells if waiting is worth it.
    fn standing(&self) -> TurnStatus;

    /// Returns the outcome of the turn, after its process has ended.
    fn conclude(&mut self, closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome;
}

/// The form in which output is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownOutput {
    /// Unchanged bytes.
    AsIs,
    /// Complete pieces, not redacted.
    Pieces(Vec<OutputPiece>),
}

/// One statement or action of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPiece {
    /// Its kind.
    pub kind: OutputPieceKind,
    /// Its text.
    pub text: String,
}

impl OutputPiece {
    /// Creates a piece of this kind.
    pub fn new(kind: OutputPieceKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputPieceKind {
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

impl OutputPieceKind {
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
pub enum TurnStatus {
    /// In progress.
    Working,
    /// The agent has finished; only its process is still running.
    Done,
    /// It keeps retrying what cannot succeed.
    Hopeless,
}

/// A reason why ralph ended a turn without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnCutReason {
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
pub struct TurnProcessEnd<'a> {
    /// Its ending, and the end of its output.
    pub outcome: &'a ProgramOutcome,
    /// The time limits of the turn.
    pub clock: &'a TurnClock,
    /// The reason, if ralph ended it.
    pub cut: Option<TurnCutReason>,
}

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTurnOutcome {
    /// The final text, and the end of the turn.
    pub spoken: TurnReply,
    /// The state of its session.
    pub kept: SessionAfterTurn,
    /// Actions that the agent was not allowed to do.
    pub refusals: Vec<RefusedAction>,
    /// Notes for the user, one sentence each.
    pub remarks: Vec<String>,
}

impl AgentTurnOutcome {
    /// Creates an outcome without remarks, for an agent without sessions.
    pub fn plain(spoken: TurnReply) -> Self {
        Self { spoken, kept: SessionAfterTurn::Nothing, refusals: Vec::new(), remarks: Vec::new() }
    }
}

/// An action that the agent was not allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedAction {
    /// The tool and its main argument.
    pub what: String,
    /// The way to allow it.
    pub remedy: String,
}
