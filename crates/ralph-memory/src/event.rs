//! What happened to the memory: the lines of its log.

mod captured;
mod kind;
mod tried;

use serde::{Deserialize, Serialize};

pub use self::captured::{CommitRecord, SessionStatus, ToolUseRecord};
pub use self::kind::{NoteKind, OtherKind};
pub use self::tried::{AttemptRecord, FileEditDigest};
use crate::notebook::StoredNote;

/// One thing that happened, and in which place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEvent {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Where.
    #[serde(flatten)]
    pub place: EventContext,
    /// Who did it.
    pub actor: EventActor,
    /// What.
    #[serde(flatten)]
    pub what: LogEventKind,
}

/// Where something happened. What is not known is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventContext {
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Its iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The session of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What the agent was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<WorkPhase>,
}

impl EventContext {
    /// Whether both are places of one task: of the same task or run, or, where
    /// one of them is in no run, of the same session. Of two that name nothing
    /// nobody can tell.
    pub fn is_same_task(&self, other: &Self) -> bool {
        let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        let are_runs = self.run.is_some() && other.run.is_some();
        same(&self.task, &other.task)
            || same(&self.run, &other.run)
            || (!are_runs && same(&self.session, &other.session))
    }

    /// Whether it names neither a task nor a run nor a session.
    pub fn is_nowhere(&self) -> bool {
        self.task.is_none() && self.run.is_none() && self.session.is_none()
    }
}

/// What the agent is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkPhase {
    /// Planning.
    Think,
    /// Writing.
    Code,
    /// Checking.
    Verify,
    /// Keeping what was learned.
    Consolidate,
}

/// Who did something.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum EventActor {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// We ourselves, from what we saw.
    Ralph,
    /// A file that was imported.
    #[default]
    Import,
}

/// For whom a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteScope {
    /// The task it was written in: on trial.
    Task,
    /// The project.
    Project,
    /// All projects of the user.
    Global,
}

impl NoteScope {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Task, Self::Project, Self::Global];

    /// Its name, as it is stored and typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// A note as it was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteContent {
    /// Its name for ever.
    pub id: String,
    /// What it is about.
    pub kind: NoteKind,
    /// For whom it is.
    pub scope: NoteScope,
    /// What it says in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it says.
    pub text: String,
    /// Why it is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Where to look to see that it is so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<NoteAnchor>,
    /// Since when it holds, in milliseconds since 1970, if not since it was
    /// written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// The name it has where it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// External names of the entries before and behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// See `prev`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What it belongs to, a session for example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Notes that its writer says it replaces, once it has proven itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<String>,
}

impl NoteContent {
    /// A note that says no more than its text.
    pub fn new(
        id: impl Into<String>,
        kind: NoteKind,
        scope: NoteScope,
        text: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            kind,
            scope,
            title: None,
            text: text.into(),
            why: None,
            files: Vec::new(),
            anchors: Vec::new(),
            since: None,
            external_id: None,
            prev: None,
            next: None,
            group: None,
            replaces: Vec::new(),
        }
    }

    /// The note when its text is said again: what was there stays, and what is
    /// new is added. An anchor that is given again is looked at anew.
    #[must_use]
    pub fn said_again(self, known: &Self) -> Self {
        let is_again = |old: &&NoteAnchor| {
            !self.anchors.iter().any(|new| (&new.file, &new.symbol) == (&old.file, &old.symbol))
        };
        let mut anchors: Vec<NoteAnchor> = known.anchors.iter().filter(is_again).cloned().collect();
        anchors.extend(self.anchors.iter().cloned());
        let mut files = known.files.clone();
        files.extend(self.files.iter().filter(|file| !known.files.contains(file)).cloned());
        let mut replaces = known.replaces.clone();
        replaces.extend(self.replaces.iter().filter(|id| !known.replaces.contains(id)).cloned());
        let or = |new: Option<String>, old: &Option<String>| new.or_else(|| old.clone());
        Self {
            title: or(self.title, &known.title),
            why: or(self.why, &known.why),
            since: self.since.or(known.since),
            external_id: or(self.external_id, &known.external_id),
            prev: or(self.prev, &known.prev),
            next: or(self.next, &known.next),
            group: or(self.group, &known.group),
            files,
            anchors,
            replaces,
            ..self
        }
    }
}

/// A place in the code as it was when a note was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteAnchor {
    /// The file.
    pub file: String,
    /// The hash of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The symbol in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The hash of the symbol's definition, where one could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// What shows whether a pattern holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteCheck {
    /// Rules over syntax trees, as text: what they find breaks the pattern.
    Rule(String),
    /// A test, by the name that a gate of the project runs it under.
    Test(String),
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum LogEventKind {
    /// A note was written, or written anew under the same id.
    Noted(Box<NoteContent>),
    /// Notes were shown to an agent.
    Shown {
        /// Which.
        ids: Vec<String>,
        /// How long they were.
        tokens: u32,
    },
    /// An agent named notes as its reason.
    Cited {
        /// Which.
        ids: Vec<String>,
    },
    /// The checks of an iteration had an end.
    Checked {
        /// Whether all passed.
        passed: bool,
    },
    /// What a note says was said again: where is the event's place. It counts
    /// once for each task, and not for the one that the note is from.
    SeenAgain {
        /// Which.
        id: String,
    },
    /// A note took the place of another.
    Replaced {
        /// Which.
        id: String,
        /// By which.
        by: String,
        /// Why, in words.
        why: String,
    },
    /// A note of a task became one of the project.
    Promoted {
        /// Which.
        id: String,
        /// For whom it is now.
        scope: NoteScope,
    },
    /// A note does not hold any more.
    Retracted {
        /// Which.
        id: String,
        /// Why, in words.
        why: String,
    },
    /// The user said that a note is wrong.
    Corrected {
        /// Which.
        id: String,
    },
    /// A note is gone, its text too.
    Forgotten {
        /// Which.
        id: String,
    },
    /// The log had lost something of a note, and the index had it.
    Restored(Box<StoredNote>),
    /// Something was tried, and checked.
    Attempted(Box<AttemptRecord>),
    /// Notes were kept along with the commits of a run.
    Landed {
        /// Which notes.
        ids: Vec<String>,
        /// Which commits.
        commits: Vec<String>,
    },
    /// A note got a check that can be run, or got rid of it.
    Bound {
        /// Which.
        id: String,
        /// What is run; nothing any more if `None`.
        check: Option<NoteCheck>,
    },
    /// A tool was used in a session.
    Observed(Box<ToolUseRecord>),
    /// The user said something in a session.
    Asked {
        /// What.
        text: String,
    },
    /// The agent fell silent in a session.
    Answered {
        /// Its last words.
        text: String,
    },
    /// A session began, or went on.
    Opened {
        /// The work tree it is in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
        /// How it came to be, in a word.
        source: String,
        /// The name that whoever talks to the model has for it, where the
        /// session is that of a run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        external: Option<String>,
    },
    /// A session was left, or its turn broke off.
    Closed {
        /// What it is then.
        state: SessionStatus,
        /// Why, in words.
        why: String,
    },
    /// A session still goes on.
    Checkpointed {
        /// What with, in words.
        about: String,
        /// The files that were changed, from the root of the project, where
        /// somebody looked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// A commit was made.
    Committed(Box<CommitRecord>),
}

impl LogEventKind {
    /// Whether it is a piece of a session, which is kept for a while, and no
    /// note or what came of one, which stays.
    pub fn is_captured(&self) -> bool {
        matches!(
            self,
            Self::Observed(_)
                | Self::Asked { .. }
                | Self::Answered { .. }
                | Self::Opened { .. }
                | Self::Closed { .. }
                | Self::Checkpointed { .. }
                | Self::Committed(_)
        )
    }
}
