//! What a host tells us about its sessions, and what we may answer, whatever
//! dialect it speaks.

use std::path::PathBuf;
use std::time::Duration;

use crate::ids::{RunId, SessionId};
use crate::wording::folded;

/// Something that happened in a session of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEvent {
    /// The session; `None` if the host named none that can be one. Such an
    /// event belongs to no run.
    pub session: Option<SessionId>,
    /// Whose event it is.
    pub actor: Actor,
    /// The host's name for what the user said last, the same in all that
    /// follows from it; `None` if the host does not say.
    pub prompt: Option<String>,
    /// The folder the session is in, which an agent may change at any time.
    pub folder: Option<PathBuf>,
    /// What the agent is allowed; `None` if the host does not say.
    pub mode: Option<Mode>,
    /// The host's own name for what happened; an answer may have to repeat it.
    pub name: String,
    /// What happened.
    pub what: Happening,
}

/// Who did what an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The agent that the user talks to.
    Main,
    /// An agent that it started, by the host's name for it. Its events never
    /// continue or end a run.
    Child(String),
}

/// What an agent is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To plan, and to change nothing.
    Plan,
    /// To work.
    Work,
}

/// What happened in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// The host has begun, and loaded what passes its events on to us. What it
    /// was asked for before is lost on it.
    HostStarted,
    /// The host did what it was asked for, or could not.
    Done(Report),
    /// A session began, or went on.
    SessionStarted(Start),
    /// The user said something.
    Prompted {
        /// The words as they were typed.
        text: String,
        /// Whether anything was said before.
        position: Position,
    },
    /// The host wakes the agent because background work ended.
    Woken,
    /// A command of the host is about to become a prompt.
    CommandCalled {
        /// Its name, without a slash.
        name: String,
        /// What was typed behind it.
        args: String,
    },
    /// A tool is about to be used.
    ToolAsked(ToolUse),
    /// Tools were used, several at once perhaps.
    ToolsUsed(Vec<ToolUse>),
    /// The agent fell silent.
    TurnEnded(Silence),
    /// The agent's turn ended with an error of the provider.
    TurnBroken(Breakage),
    /// A child of the agent fell silent.
    ChildEnded,
    /// The agent may not go on before its user allows something.
    PermissionAsked {
        /// What it wants to do, in a few words.
        what: String,
    },
    /// The user allowed or refused it.
    PermissionAnswered,
    /// What we wanted to say did not reach the agent.
    NotDelivered {
        /// How often it was tried.
        attempts: u32,
        /// What the host said.
        error: String,
    },
    /// The moment has come that the host was asked to tell us of, see
    /// [`Effect::Wake`].
    Due,
    /// The host is about to shorten what the agent remembers.
    Compacting,
    /// The host has shortened what the agent remembers.
    Compacted {
        /// What is left of it.
        summary: String,
        /// The host's name for the message that holds it, as in [`Silence`];
        /// `None` if the host does not say.
        message: Option<String>,
    },
    /// A session was left.
    SessionEnded {
        /// Why, in the host's word.
        reason: String,
    },
    /// Something that has no meaning for us.
    Other {
        /// The host's name for it.
        name: String,
    },
}

/// What came of something that a host was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The run for which it was asked.
    pub run: RunId,
    /// What it was.
    pub deed: DeedKind,
    /// How often it was tried.
    pub attempts: u32,
    /// What the deed gave, or what went wrong.
    pub result: Result<Yield, String>,
}

/// What a deed of a host gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yield {
    /// Nothing but that it is done.
    Nothing,
    /// What a session was summed up in.
    Summary(String),
    /// The session that was begun.
    Session(SessionId),
}

/// Something that a host can do with its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// To say whether a session exists.
    Check {
        /// The session.
        session: SessionId,
    },
    /// To sum up a session with its own model.
    Summarize {
        /// The session.
        session: SessionId,
    },
    /// To begin a session, unless there is one under this title.
    Create {
        /// The session whose place it takes.
        instead_of: SessionId,
        /// Names it, and tells it from all others.
        title: String,
    },
    /// To show a session to the user.
    Select {
        /// The session.
        session: SessionId,
    },
    /// To say something in a session, unless anything was said in it.
    Prompt {
        /// The session.
        session: SessionId,
        /// Whose agent and model are to hear it.
        like: Option<SessionId>,
        /// What is said.
        text: String,
        /// How often that was tried before.
        attempts: u32,
    },
    /// To delete a session, at rest.
    Delete {
        /// The session.
        session: SessionId,
    },
}

/// Which deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeedKind {
    /// [`Deed::Check`]
    Check,
    /// [`Deed::Summarize`]
    Summarize,
    /// [`Deed::Create`]
    Create,
    /// [`Deed::Select`]
    Select,
    /// [`Deed::Prompt`]
    Prompt,
    /// [`Deed::Delete`]
    Delete,
}

impl Deed {
    /// Which one it is.
    pub fn kind(&self) -> DeedKind {
        match self {
            Self::Check { .. } => DeedKind::Check,
            Self::Summarize { .. } => DeedKind::Summarize,
            Self::Create { .. } => DeedKind::Create,
            Self::Select { .. } => DeedKind::Select,
            Self::Prompt { .. } => DeedKind::Prompt,
            Self::Delete { .. } => DeedKind::Delete,
        }
    }
}

/// Where a prompt stands in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// It is the first.
    First,
    /// Something was said before.
    Later,
    /// The host does not tell.
    #[default]
    Unknown,
}

/// How a session came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// There was nothing before.
    New,
    /// It was left and is taken up again.
    Resumed,
    /// The user emptied it.
    Cleared,
    /// It was shortened.
    Compacted,
    /// It is a copy of another one.
    Forked,
    /// In a way we do not know.
    Other,
}

/// One use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// The host's name for this use, the same in every event about it.
    pub id: Option<String>,
    /// The host's name for the tool.
    pub tool: String,
    /// Files that it writes, as the host named them.
    pub files: Vec<PathBuf>,
    /// What it was about, in a few words: a command line, a file, a question.
    pub about: String,
    /// What went wrong; `None` if nothing did, as far as is known.
    pub error: Option<String>,
}

/// The end of a turn, as the host tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Silence {
    /// The host's name for the message with the final words. The host may tell
    /// of one silence several times; without a name it tells once.
    pub message: Option<String>,
    /// The final words; `None` if the host did not pass them on.
    pub text: Option<String>,
    /// Where they could be read otherwise.
    pub transcript: Option<PathBuf>,
    /// Whether the turn itself was made to go on by a hook.
    pub follows_hook: bool,
    /// Work that goes on in the background, in a few words each. The host
    /// wakes the agent when it is done.
    pub background: Vec<String>,
}

/// A turn that ended with an error of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakage {
    /// What kind of error.
    pub kind: BreakageKind,
    /// What was shown to the user.
    pub text: String,
    /// The host's name for the message that broke off, as in [`Silence`].
    pub message: Option<String>,
}

/// What kind of error ended a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakageKind {
    /// The provider refuses work for now.
    Limit,
    /// The provider has too much to do.
    Overloaded,
    /// The provider does not know the user.
    Refused,
    /// None: the user ended the turn.
    Aborted,
    /// Anything else.
    Other,
}

/// How a session can be made to go on, and what comes with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only by an answer to an event. The host tells of no abort: a prompt
    /// while the agent works means one. After an error it is the user's turn.
    Answers,
    /// By a message at any time; one that comes while the agent works waits.
    /// The host tells of aborts and of errors.
    Messages,
}

/// What a host is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostReply {
    /// What becomes of what was about to happen.
    pub effect: Effect,
    /// What only the user reads.
    pub note: Option<String>,
    /// What the user reads instead where there is room for a sentence only.
    pub brief: Option<String>,
    /// How the user is to take it.
    pub tone: Tone,
    /// Whether what the host was about to tell the agent is no longer wanted.
    /// Without that, an answer leaves it as it is.
    pub calls_off: bool,
}

/// How a note is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As something to know.
    #[default]
    Info,
    /// As good news.
    Success,
    /// As something to look at.
    Warning,
    /// As something that went wrong.
    Error,
}

/// What becomes of what was about to happen in a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Effect {
    /// What would have happened without us.
    #[default]
    None,
    /// The agent goes on instead of falling silent, with this to read.
    GoOn {
        /// What it is told.
        reason: String,
    },
    /// The host does something with its sessions and says what came of it.
    Do {
        /// The run for which it is done.
        run: RunId,
        /// What is done.
        deed: Deed,
    },
    /// The agent reads this beside whatever it reads next.
    Tell {
        /// What it is told.
        context: String,
    },
    /// What the user typed is the task of a loop that begins.
    Begin {
        /// The task.
        task: String,
        /// What follows it: how the work is judged, and what to say at the end.
        rules: String,
    },
    /// Nothing for now; the host tells us when this time has passed.
    Wake {
        /// How long that is.
        after: Duration,
    },
    /// What the user typed goes no further; the user reads this instead.
    Answer {
        /// What the user reads.
        text: String,
    },
}

impl HostReply {
    /// Nothing to say.
    pub fn silent() -> Self {
        Self::default()
    }

    /// A reply with this effect and nothing for the user.
    pub fn of(effect: Effect) -> Self {
        Self { effect, ..Self::default() }
    }

    /// The same reply, with something for the user to read, in lines that are
    /// not too long.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(folded(&note.into())), ..self }
    }

    /// The same reply, with a sentence for where there is little room.
    #[must_use]
    pub fn with_brief(self, brief: Option<String>) -> Self {
        Self { brief, ..self }
    }

    /// The same reply, meant in this way.
    #[must_use]
    pub fn in_tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// The same reply, after which nothing is due any more.
    #[must_use]
    pub fn calling_off(self) -> Self {
        Self { calls_off: true, ..self }
    }

    /// Whether nothing at all is said.
    pub fn is_silent(&self) -> bool {
        self.effect == Effect::None && self.note.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_silent_only_if_nobody_hears_anything() {
        assert!(HostReply::silent().is_silent());
        assert!(!HostReply::silent().with_note("armed").is_silent());
        let answer = Effect::Answer { text: "no loop".to_owned() };
        assert!(!HostReply::of(answer).is_silent());
    }
}
