//! Hosts with hooks: clients that start a command for each event of a session,
//! write JSON to its standard input and read JSON from its standard output.
//!
//! They differ in names, in the layout of their settings and in what they accept
//! as an answer. A `HookDialect` has these differences as data, so that one
//! parser, one renderer and one editor of settings serve all of them.

pub(crate) mod commands;
mod look;
mod parse;
mod plan;
mod reply;
pub(crate) mod rows;
pub(crate) mod settings;
mod toml_blocks;
mod transcript;
mod trust;

use ralph_core::ids::SessionId;

pub(crate) use look::{inspect, payload};
pub(crate) use parse::parse;
pub(crate) use plan::{plan_install, plan_uninstall};
pub(crate) use reply::render;
pub use transcript::TranscriptWords;
pub use trust::HookTrustError;
pub(crate) use trust::trust;

use commands::CommandFiles;
use settings::SettingsForm;
use transcript::TranscriptForm;

/// The dialect of a host's hooks.
#[derive(Debug)]
pub(crate) struct HookDialect {
    /// The name that its hooks pass to `ralph hook --agent`.
    pub(crate) name: &'static str,
    /// Names of the fields that every payload has.
    pub(crate) fields: PayloadFields,
    /// The events that are understood, in the order of the settings.
    pub(crate) events: &'static [HookedEvent],
    /// Tools that write files.
    pub(crate) writers: &'static [&'static str],
    /// The form of an answer.
    pub(crate) reply: ReplyForm,
    /// The file with the hooks.
    pub(crate) settings: SettingsForm,
    /// The files with our slash commands.
    pub(crate) commands: CommandFiles,
    /// Where the agent's words are, if no event has them.
    pub(crate) transcript: TranscriptForm,
    /// True if the host runs a hook only once the user trusts it.
    pub(crate) asks_for_trust: bool,
    /// How a session is resumed; `None` if its id does not tell the host.
    pub(crate) resume: Option<ResumeForm>,
}

/// Names of the fields that every payload of a host has.
#[derive(Debug)]
pub(crate) struct PayloadFields {
    pub(crate) event: &'static str,
    pub(crate) session: &'static str,
    pub(crate) folder: &'static str,
}

/// The names that most hosts use.
pub(crate) const COMMON_FIELDS: PayloadFields =
    PayloadFields { event: "hook_event_name", session: "session_id", folder: "cwd" };

/// An event of a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookedEvent {
    /// The host's name of it.
    pub(crate) name: &'static str,
    /// Its meaning.
    pub(crate) means: HookMeaning,
}

/// The meaning of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookMeaning {
    SessionStarted,
    Prompt,
    /// A slash command becomes a prompt. It is understood, but not hooked.
    Command,
    /// A tool is about to be used. It is hooked only where errors start loops,
    /// to record errors before the first edit. It never forbids or changes
    /// anything, and the tool waits for the answer.
    BeforeEdit,
    ToolUsed,
    ToolFailed,
    ToolBatch,
    /// A file was edited; the payload has its path and no tool.
    FileEdited,
    TurnEnded,
    ChildEnded,
    TurnBroken,
    /// The user interrupted the turn.
    Interrupted,
    Compacting,
    Compacted,
    SessionEnded,
}

/// The form of an answer.
#[derive(Debug)]
pub(crate) struct ReplyForm {
    /// How the agent is made to go on at the end of its turn.
    pub(crate) go_on: VerdictForm,
    /// How a prompt of the user is answered without the agent.
    pub(crate) answer: VerdictForm,
    /// How the agent is told something, and on which events.
    pub(crate) context: ContextForm,
    pub(crate) tellable: &'static [HookMeaning],
    /// True if the host shows `systemMessage` to the user.
    pub(crate) has_notes: bool,
}

/// The form of a verdict with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerdictForm {
    /// `decision` is `block`, and `reason`.
    Block,
    /// A denied permission inside `hookSpecificOutput`.
    Denied,
    /// `followup_message`.
    Followup,
    /// `continue` is false, and `user_message`.
    NotContinued,
    /// The host has none.
    Missing,
}

/// The place of text for the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextForm {
    /// `hookSpecificOutput.additionalContext`, beside the name of the event.
    Specific,
    /// `additionalContext` at the top.
    Top,
    /// `message` at the top.
    Message,
    /// The host has none.
    Missing,
}

/// The command that resumes a session.
#[derive(Debug)]
pub(crate) struct ResumeForm {
    /// The command without the session.
    pub(crate) words: &'static [&'static str],
    /// What comes before the UUID in a session's id.
    pub(crate) prefix: &'static str,
}

impl HookDialect {
    /// Returns the meaning of an event.
    pub(crate) fn meaning(&self, name: &str) -> Option<HookMeaning> {
        self.events.iter().find(|event| event.name == name).map(|event| event.means)
    }

    /// Returns the names of the events with this meaning.
    pub(crate) fn named(&self, means: HookMeaning) -> Option<&'static str> {
        self.events.iter().find(|event| event.means == means).map(|event| event.name)
    }

    /// Returns the event at the end of a turn. Its entry holds the facts for
    /// uninstalling.
    pub(crate) fn witness(&self) -> &'static str {
        self.named(HookMeaning::TurnEnded).unwrap_or_default()
    }

    /// Returns the command that resumes a session; `None` if the id has another
    /// form.
    pub(crate) fn resume_command(&self, session: &SessionId) -> Option<Vec<String>> {
        let form = self.resume.as_ref()?;
        let id = session.as_str();
        let words = form.words.iter().copied().chain([id]);
        let is_own = id.strip_prefix(form.prefix).is_some_and(is_uuid);
        is_own.then(|| words.map(str::to_owned).collect())
    }
}

impl HookedEvent {
    /// Creates an event.
    pub(crate) const fn new(name: &'static str, means: HookMeaning) -> Self {
        Self { name, means }
    }
}

fn is_uuid(id: &str) -> bool {
    let parts: Vec<&str> = id.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()));
    is_hex && lengths == [8, 4, 4, 4, 12]
}
