//! Events that a host reports about its sessions, and our replies, independent of
//! the host's wire format.

use std::path::PathBuf;
use std::time::Duration;

use crate::ids::{RunId, SessionId};
use crate::wording::folded;

/// An event in a session of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEvent {
    /// The session; `None` if the host gave no valid id. Such an event belongs to no run.
    pub session: Option<SessionId>,
    /// The agent that the event is about.
    pub actor: EventAgent,
    /// The host's id of the last user prompt, equal in all events that follow from
    /// it; `None` if the host gives none.
    pub prompt: Option<String>,
    /// Current folder of the session; an agent may change it at any time.
    pub folder: Option<PathBuf>,
    /// The agent's permission mode; `None` if the host does not say.
    pub mode: Option<AgentMode>,
    /// The host's own name of the event; a reply may have to repeat it.
    pub name: String,
    /// The kind of event.
    pub what: HostEventKind,
}

/// The agent that an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventAgent {
    /// The main agent that the user talks to.
    Main,
    /// A child agent, with the host's name for it. Its events never continue or end a run.
    Child(String),
}

/// The permission mode of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentMode {
    /// Plan only, without changes.
    Plan,
    /// Work normally.
    Work,
}

/// The kind of an event in a session, by what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEventKind {
    /// The host started and loaded our plugin. Earlier requests to it are lost.
    HostStarted,
    /// The host completed a requested action, or failed to.
    Action(ActionReport),
    /// A session began, changed or ended.
    Session(SessionEvent),
    /// The agent gets a prompt, or should have got one.
    Prompt(PromptEvent),
    /// A turn ended.
    Turn(TurnEvent),
    /// The agent uses tools.
    Tools(ToolEvent),
    /// An event without meaning for us.
    Other {
        /// The host's name of the event.
        name: String,
    },
}

/// A change of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// It started or resumed.
    Started(SessionStart),
    /// The host is about to compact the agent's context.
    Compacting,
    /// The host has compacted the agent's context.
    Compacted {
        /// The summary that replaces it.
        summary: String,
        /// The host's id of the message that holds it, as in [`HostTurnEnd`]; `None` if
        /// the host gives none.
        message: Option<String>,
    },
    /// It ended.
    Ended {
        /// The reason, in the host's words.
        reason: String,
    },
}

/// A prompt for the agent, of the user, the host or us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptEvent {
    /// The user sent a prompt.
    Sent {
        /// The text as typed.
        text: String,
        /// The position of the prompt in its session.
        position: PromptPosition,
    },
    /// A command of the host is about to become a prompt.
    Command {
        /// Its name, without a slash.
        name: String,
        /// The arguments as typed.
        args: String,
    },
    /// The host woke the agent because background work ended.
    Woken,
    /// Our prompt did not reach the agent.
    NotDelivered {
        /// Number of attempts.
        attempts: u32,
        /// The host's error message.
        error: String,
    },
    /// The time set with [`ReplyEffect::Wake`] has passed.
    Due,
}

/// The end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEvent {
    /// The agent ended its turn.
    Ended(HostTurnEnd),
    /// The turn ended with an error of the provider.
    Broken(HostTurnError),
    /// A child agent ended its turn.
    ChildEnded,
}

/// A use of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolEvent {
    /// A tool is about to be used.
    Asked(ToolUse),
    /// Tools were used, possibly several at once.
    Used(Vec<ToolUse>),
    /// The agent needs a permission from its user to continue.
    PermissionAsked {
        /// The requested operation, in a few words.
        what: String,
    },
    /// The user answered the permission request.
    PermissionAnswered,
}

/// The result of an action that a host was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionReport {
    /// The run the action belongs to.
    pub run: RunId,
    /// The action.
    pub deed: HostActionKind,
    /// Number of attempts.
    pub attempts: u32,
    /// The output of the action, or the error message.
    pub result: Result<ActionOutput, String>,
}

/// The output of a host action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionOutput {
    /// No output.
    Nothing,
    /// The summary of a session.
    Summary(String),
    /// The created session.
    Session(SessionId),
}

/// An action that a host can carry out on its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// Check whether a session exists.
    Check {
        /// The session.
        session: SessionId,
    },
    /// Summarize a session with its own model.
    Summarize {
        /// The session.
        session: SessionId,
    },
    /// Create a session, unless one with this title exists.
    Create {
        /// The session that it replaces.
        instead_of: SessionId,
        /// Unique title.
        title: String,
    },
    /// Show a session to the user.
    Select {
        /// The session.
        session: SessionId,
    },
    /// Send a prompt to a session, unless one was already sent.
    Prompt {
        /// The session.
        session: SessionId,
        /// The session whose agent and model are used.
        like: Option<SessionId>,
        /// The prompt.
        text: String,
        /// Number of earlier attempts.
        attempts: u32,
    },
    /// Delete an idle session.
    Delete {
        /// The session.
        session: SessionId,
    },
}

/// The kind of a host action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostActionKind {
    /// [`HostAction::Check`]
    Check,
    /// [`HostAction::Summarize`]
    Summarize,
    /// [`HostAction::Create`]
    Create,
    /// [`HostAction::Select`]
    Select,
    /// [`HostAction::Prompt`]
    Prompt,
    /// [`HostAction::Delete`]
    Delete,
}

impl HostAction {
    /// Returns the kind of this action.
    pub fn kind(&self) -> HostActionKind {
        match self {
            Self::Check { .. } => HostActionKind::Check,
            Self::Summarize { .. } => HostActionKind::Summarize,
            Self::Create { .. } => HostActionKind::Create,
            Self::Select { .. } => HostActionKind::Select,
            Self::Prompt { .. } => HostActionKind::Prompt,
            Self::Delete { .. } => HostActionKind::Delete,
        }
    }
}

/// The position of a prompt in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptPosition {
    /// The first prompt.
    First,
    /// A later prompt.
    Later,
    /// Not reported by the host.
    #[default]
    Unknown,
}

/// The way a session started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStart {
    /// New and empty.
    New,
    /// Resumed after it was left.
    Resumed,
    /// Cleared by the user.
    Cleared,
    /// Compacted.
    Compacted,
    /// Copied from another session.
    Forked,
    /// In an unknown way.
    Other,
}

/// One use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// The host's id of this use, equal in every event about it.
    pub id: Option<String>,
    /// The host's name of the tool.
    pub tool: String,
    /// Files that it writes, as the host named them.
    pub files: Vec<PathBuf>,
    /// Its subject in a few words: a command line, a file, a question.
    pub about: String,
    /// The error; `None` if none is known.
    pub error: Option<String>,
}

/// The end of a turn, as reported by the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTurnEnd {
    /// The host's id of the message with the final text. A host may report the same
    /// end several times; without an id it reports once.
    pub message: Option<String>,
    /// The final text; `None` if the host did not pass it on.
    pub text: Option<String>,
    /// The transcript file, for reading the text there.
    pub transcript: Option<PathBuf>,
    /// True if a hook made the agent continue into this turn.
    pub follows_hook: bool,
    /// Work that continues in the background, in a few words each. The host wakes
    /// the agent when it is done.
    pub background: Vec<String>,
}

/// A turn that ended with an error of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTurnError {
    /// The kind of error.
    pub kind: TurnErrorKind,
    /// The text shown to the user.
    pub text: String,
    /// The host's id of the message that was cut off, as in [`HostTurnEnd`].
    pub message: Option<String>,
}

/// The kind of error that ended a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnErrorKind {
    /// The provider refuses work for now.
    Limit,
    /// The provider is overloaded.
    Overloaded,
    /// The provider rejects the user's credentials.
    Refused,
    /// No error: the user aborted the turn.
    Aborted,
    /// Any other error.
    Other,
}

/// The channel by which a session can be made to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostChannel {
    /// Only the reply to an event. The host reports no abort: a prompt during a
    /// turn means one. After an error it is the user's turn.
    Answers,
    /// A message at any time; during a turn it is queued. The host reports aborts
    /// and errors.
    Messages,
}

/// The reply to a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostReply {
    /// The effect on the host.
    pub effect: ReplyEffect,
    /// A note for the user only.
    pub note: Option<String>,
    /// A one-sentence form of the note, for hosts with little room.
    pub brief: Option<String>,
    /// The tone of the note.
    pub tone: NoteTone,
    /// True if a prompt that the host has scheduled is cancelled. Otherwise a reply
    /// leaves it alone.
    pub calls_off: bool,
}

/// The tone of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoteTone {
    /// Information.
    #[default]
    Info,
    /// Success.
    Success,
    /// Warning.
    Warning,
    /// Error.
    Error,
}

/// The effect of a reply on the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplyEffect {
    /// No change.
    #[default]
    None,
    /// The agent continues instead of stopping, with this text to read.
    GoOn {
        /// The text.
        reason: String,
    },
    /// The host carries out an action and reports the result.
    Do {
        /// The run the action belongs to.
        run: RunId,
        /// The action.
        deed: HostAction,
    },
    /// The agent gets this text beside its next input.
    Tell {
        /// The text.
        context: String,
    },
    /// The user's prompt becomes the task of a new run.
    Begin {
        /// The task.
        task: String,
        /// Text after the task: how the work is judged, and how to claim completion.
        rules: String,
    },
    /// Nothing now; the host sends [`PromptEvent::Due`] after this time.
    Wake {
        /// The time.
        after: Duration,
    },
    /// The user's prompt is stopped; the user reads this text instead.
    Answer {
        /// The text.
        text: String,
    },
}

impl HostReply {
    /// Creates a reply that says nothing.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Creates a reply with this effect and nothing for the user.
    pub fn of(effect: ReplyEffect) -> Self {
        Self { effect, ..Self::default() }
    }

    /// Adds a note for the user, wrapped to a readable width.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(folded(&note.into())), ..self }
    }

    /// Adds a line to the note, if there is one to add.
    #[must_use]
    pub fn and_note(self, more: Option<String>) -> Self {
        match (more, &self.note) {
            (None, _) => self,
            (Some(more), None) => self.with_note(more),
            (Some(more), Some(note)) => {
                let note = format!("{note}\n{more}");
                self.with_note(note)
            }
        }
    }

    /// Adds a one-sentence form of the note.
    #[must_use]
    pub fn with_brief(self, brief: Option<String>) -> Self {
        Self { brief, ..self }
    }

    /// Sets the tone.
    #[must_use]
    pub fn in_tone(self, tone: NoteTone) -> Self {
        Self { tone, ..self }
    }

    /// Cancels any prompt that the host has scheduled.
    #[must_use]
    pub fn calling_off(self) -> Self {
        Self { calls_off: true, ..self }
    }

    /// Returns true if the reply has neither an effect nor a note.
    pub fn is_silent(&self) -> bool {
        self.effect == ReplyEffect::None && self.note.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_silent_only_if_nobody_hears_anything() {
        assert!(HostReply::silent().is_silent());
        assert!(!HostReply::silent().with_note("armed").is_silent());
        let answer = ReplyEffect::Answer { text: "no loop".to_owned() };
        assert!(!HostReply::of(answer).is_silent());
    }
}
