//! The dialects of all hosts with hooks.

use std::time::Duration;

use super::HookMeaning::{
    BeforeEdit, ChildEnded, Command, Compacted, Compacting, FileEdited, Interrupted, Prompt,
    SessionEnded, SessionStarted, ToolBatch, ToolFailed, ToolUsed, TurnBroken, TurnEnded,
};
use super::commands::CommandFiles;
use super::settings::{CapForm, HookShape, SettingsForm};
use super::transcript::TranscriptForm;
use super::{
    COMMON_FIELDS, ContextForm, HookDialect, HookMeaning, HookedEvent, PayloadFields, ReplyForm,
    ResumeForm, VerdictForm,
};
use crate::claude;

const fn on(name: &'static str, means: HookMeaning) -> HookedEvent {
    HookedEvent::new(name, means)
}

/// Events at which most hosts give the agent a text.
const MOSTLY_TELLABLE: &[HookMeaning] = &[SessionStarted, Prompt, ToolUsed];

/// The answers of most hosts.
const MOST_REPLIES: ReplyForm = ReplyForm {
    go_on: VerdictForm::Block,
    answer: VerdictForm::Block,
    context: ContextForm::Specific,
    tellable: MOSTLY_TELLABLE,
    has_notes: true,
};

/// Timeout of the hook at the end of a session; the usual default is very short.
const FAREWELL: Duration = Duration::from_secs(30);

/// The settings of most hosts, without a file.
const MOST_SETTINGS: SettingsForm = SettingsForm {
    file: "hooks.json",
    private: None,
    list: Some("hooks"),
    shape: HookShape::Lines,
    version: None,
    cap: None,
    most_seconds: u64::MAX,
    farewell: FAREWELL,
};

/// Claude Code.
pub(crate) const CLAUDE: HookDialect = HookDialect {
    name: claude::NAME,
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("UserPromptExpansion", Command),
        on("PostToolUse", ToolUsed),
        on("PostToolUseFailure", ToolFailed),
        on("PostToolBatch", ToolBatch),
        on("Stop", TurnEnded),
        on("StopFailure", TurnBroken),
        on("SubagentStop", ChildEnded),
        on("PreCompact", Compacting),
        on("PostCompact", Compacted),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["Write", "Edit", "MultiEdit", "NotebookEdit"],
    // `Stop` allows text for the agent, too, but there it would make it go on.
    reply: ReplyForm {
        tellable: &[SessionStarted, Prompt, Command, BeforeEdit, ToolUsed, ToolFailed, ToolBatch],
        ..MOST_REPLIES
    },
    settings: SettingsForm {
        file: "settings.json",
        private: Some("settings.local.json"),
        shape: HookShape::Programs,
        cap: Some(CapForm {
            object: Some("env"),
            key: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
            without: None,
        }),
        ..MOST_SETTINGS
    },
    commands: CommandFiles::Instructions(claude::files::commands),
    transcript: TranscriptForm::Messages,
    asks_for_trust: false,
    resume: Some(ResumeForm { words: &["claude", "--resume"], prefix: "" }),
};

/// Codex. It rejects an answer with one member that it does not know.
pub(crate) const CODEX: HookDialect = HookDialect {
    name: "codex",
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("PostToolUse", ToolUsed),
        on("Stop", TurnEnded),
        on("SubagentStop", ChildEnded),
        on("PreCompact", Compacting),
        on("PostCompact", Compacted),
        on("Interrupt", Interrupted),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["apply_patch"],
    reply: MOST_REPLIES,
    settings: SettingsForm { farewell: Duration::from_secs(3), ..MOST_SETTINGS },
    commands: CommandFiles::Missing,
    transcript: TranscriptForm::Messages,
    asks_for_trust: true,
    resume: None,
};

/// GitHub Copilot. With names in this spelling its payloads are like the others.
pub(crate) const COPILOT: HookDialect = HookDialect {
    name: "copilot",
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("PostToolUse", ToolUsed),
        on("Stop", TurnEnded),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["Write", "Edit"],
    reply: ReplyForm { context: ContextForm::Top, has_notes: false, ..MOST_REPLIES },
    settings: SettingsForm {
        file: "hooks/ralph.json",
        shape: HookShape::FlatSeconds,
        version: Some(1),
        ..MOST_SETTINGS
    },
    commands: CommandFiles::Missing,
    transcript: TranscriptForm::Data,
    asks_for_trust: false,
    resume: None,
};

/// Gemini CLI.
pub(crate) const GEMINI: HookDialect = HookDialect {
    name: "gemini",
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("BeforeAgent", Prompt),
        on("AfterTool", ToolUsed),
        on("AfterAgent", TurnEnded),
        on("SessionEnd", SessionEnded),
        on("BeforeTool", BeforeEdit),
    ],
    writers: &["write_file", "replace"],
    reply: MOST_REPLIES,
    settings: SettingsForm {
        file: "settings.json",
        shape: HookShape::Milliseconds,
        ..MOST_SETTINGS
    },
    commands: CommandFiles::Toml("commands"),
    transcript: TranscriptForm::Plain,
    asks_for_trust: false,
    resume: None,
};

/// Qwen Code.
pub(crate) const QWEN: HookDialect = HookDialect {
    name: "qwen",
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("PostToolUse", ToolUsed),
        on("PostToolUseFailure", ToolFailed),
        on("Stop", TurnEnded),
        on("StopFailure", TurnBroken),
        on("SubagentStop", ChildEnded),
        on("PreCompact", Compacting),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["write_file", "edit"],
    reply: MOST_REPLIES,
    settings: SettingsForm {
        file: "settings.json",
        shape: HookShape::Milliseconds,
        cap: Some(CapForm { object: None, key: "stopHookBlockingCap", without: Some(100) }),
        ..MOST_SETTINGS
    },
    commands: CommandFiles::Toml("commands"),
    transcript: TranscriptForm::Messages,
    asks_for_trust: false,
    resume: None,
};

/// Droid. It reports the end of a turn after an error of the provider, too.
pub(crate) const DROID: HookDialect = HookDialect {
    name: "droid",
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("PostToolUse", ToolUsed),
        on("Stop", TurnEnded),
        on("SubagentStop", ChildEnded),
        on("PreCompact", Compacting),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["Create", "Edit", "MultiEdit", "ApplyPatch"],
    reply: MOST_REPLIES,
    settings: SettingsForm { list: None, ..MOST_SETTINGS },
    commands: CommandFiles::Markdown("commands", "$ARGUMENTS"),
    transcript: TranscriptForm::Roles,
    asks_for_trust: false,
    resume: None,
};

/// Kimi Code. Its hooks name neither the agent's words nor a transcript.
pub(crate) const KIMI: HookDialect = HookDialect {
    name: "kimi",
    fields: COMMON_FIELDS,
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("PostToolUse", ToolUsed),
        on("PostToolUseFailure", ToolFailed),
        on("Stop", TurnEnded),
        on("StopFailure", TurnBroken),
        on("SubagentStop", ChildEnded),
        on("Interrupt", Interrupted),
        on("PreCompact", Compacting),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["Write", "Edit"],
    reply: ReplyForm {
        go_on: VerdictForm::Denied,
        answer: VerdictForm::Denied,
        context: ContextForm::Message,
        tellable: &[Prompt],
        has_notes: false,
    },
    settings: SettingsForm {
        file: "config.toml",
        shape: HookShape::Toml,
        most_seconds: 600,
        ..MOST_SETTINGS
    },
    commands: CommandFiles::Missing,
    transcript: TranscriptForm::Records("sessions", "agents/main/wire.jsonl"),
    asks_for_trust: false,
    resume: Some(ResumeForm { words: &["kimi", "-S"], prefix: "session_" }),
};

/// Goose, as a plugin.
pub(crate) const GOOSE: HookDialect = HookDialect {
    name: "goose",
    fields: PayloadFields { event: "event", session: "session_id", folder: "working_dir" },
    events: &[
        on("SessionStart", SessionStarted),
        on("UserPromptSubmit", Prompt),
        on("PostToolUse", ToolUsed),
        on("Stop", TurnEnded),
        on("SessionEnd", SessionEnded),
        on("PreToolUse", BeforeEdit),
    ],
    writers: &["developer__write", "developer__edit", "developer__text_editor"],
    reply: ReplyForm {
        answer: VerdictForm::Missing,
        context: ContextForm::Missing,
        tellable: &[],
        has_notes: false,
        ..MOST_REPLIES
    },
    settings: SettingsForm { file: "hooks/hooks.json", ..MOST_SETTINGS },
    commands: CommandFiles::Manifest("plugin.json"),
    transcript: TranscriptForm::Messages,
    asks_for_trust: false,
    resume: None,
};

/// Cursor. One event that it does not know voids the whole file.
pub(crate) const CURSOR: HookDialect = HookDialect {
    name: "cursor",
    fields: PayloadFields {
        event: "hook_event_name",
        session: "conversation_id",
        folder: "workspace_roots",
    },
    events: &[
        on("beforeSubmitPrompt", Prompt),
        on("afterFileEdit", FileEdited),
        on("stop", TurnEnded),
    ],
    writers: &[],
    reply: ReplyForm {
        go_on: VerdictForm::Followup,
        answer: VerdictForm::NotContinued,
        context: ContextForm::Missing,
        tellable: &[],
        has_notes: false,
    },
    settings: SettingsForm { shape: HookShape::FlatLimited, version: Some(1), ..MOST_SETTINGS },
    commands: CommandFiles::Missing,
    transcript: TranscriptForm::Messages,
    asks_for_trust: false,
    resume: None,
};

/// All dialects.
#[cfg(test)]
pub(crate) const ALL: &[&HookDialect] =
    &[&CLAUDE, &CODEX, &COPILOT, &GEMINI, &QWEN, &DROID, &KIMI, &GOOSE, &CURSOR];
