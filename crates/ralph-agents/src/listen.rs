//! Following a turn while it happens, and what it came to in the end.

use ralph_core::usage::Usage;
use ralph_proc::Outcome;

use crate::session::Kept;
use crate::{Spoken, TurnClock};

/// Follows what an agent prints during one turn.
pub trait Listener {
    /// Takes the next bytes of standard output, cut anywhere; says what a
    /// person reads of them.
    fn hear(&mut self, bytes: &[u8]) -> Shown;

    /// What the turn has used so far, as far as the agent has said.
    fn spent(&self) -> Usage;

    /// Whether the turn is worth waiting for.
    fn standing(&self) -> Standing;

    /// What the turn came to, once the process is gone.
    fn conclude(&mut self, closing: &Closing<'_>) -> Heard;
}

/// What a person reads of some output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The very bytes.
    AsIs,
    /// These pieces, each complete in itself. Not redacted.
    Pieces(Vec<Piece>),
}

/// One thing that an agent said or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What kind of thing.
    pub kind: PieceKind,
    /// The words.
    pub text: String,
}

impl Piece {
    /// A piece of this kind.
    pub fn new(kind: PieceKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// What kind of thing an agent said or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Output of a program that is nothing but text.
    Output,
    /// What the agent says.
    Text,
    /// A tool that it uses.
    Tool,
    /// What an agent says or does that it started.
    Child,
    /// Something about the turn itself: a retry, a shortened conversation.
    Note,
}

impl PieceKind {
    /// The name in JSON.
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

/// Whether a turn is worth waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It goes on.
    Working,
    /// The agent has said all it will say; the process only has to end.
    Done,
    /// It tries again and again what cannot succeed.
    Hopeless,
}

/// Why we ended a turn that nobody asked us to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The run's money or tokens ran out.
    Budget,
    /// The agent was done, and its process did not end.
    Lingering,
    /// It tried again and again what cannot succeed.
    Hopeless,
}

/// The text of a turn that was cut for the budget: its own words were cut off,
/// and claim nothing.
pub(crate) const BUDGET_SPENT: &str = "the budget ran out during the turn, which was stopped";

/// How the process of a turn ended.
#[derive(Clone, Copy, Debug)]
pub struct Closing<'a> {
    /// How the process ended, and the end of what it printed.
    pub outcome: &'a Outcome,
    /// The clock of the turn.
    pub clock: &'a TurnClock,
    /// Why we ended it, if we did so ourselves.
    pub cut: Option<Cut>,
}

/// What a turn came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// What was said, and how the turn ended.
    pub spoken: Spoken,
    /// What became of the session it took place in.
    pub kept: Kept,
    /// What the agent wanted to do and was not allowed to.
    pub refusals: Vec<Refusal>,
    /// What the user should know, one sentence each.
    pub remarks: Vec<String>,
}

impl Heard {
    /// A turn without anything to remark, of an agent that keeps no session.
    pub fn plain(spoken: Spoken) -> Self {
        Self { spoken, kept: Kept::Nothing, refusals: Vec::new(), remarks: Vec::new() }
    }
}

/// Something that an agent wanted to do and was not allowed to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The tool, and what it was about.
    pub what: String,
    /// How the user allows it.
    pub remedy: String,
}
