//! The entries of our hooks, and how they are recognised.

use std::time::Duration;

use jsonc_parser::ast::Value;
use serde::Serialize;

use super::{HookLocation, HookOptions, string};
use crate::claude::hook::WRITERS;
use crate::json_text::JsonContainer;

/// Timeout of hooks that only take notes.
const SHORT: Duration = Duration::from_secs(10);

/// Timeout of the hook at the end of a session; the client's default is very
/// short.
const FAREWELL: Duration = Duration::from_secs(30);

/// The hooked events, in the order in which they are written.
pub const EVENTS: [&str; 11] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
];

/// The event before a tool is used. It is hooked only where errors start loops,
/// to record errors before the first edit. It never forbids or changes
/// anything, and the tool waits for the answer.
pub const BEFORE_EDITS: &str = "PreToolUse";

/// Returns the hooked events of this installation.
pub(super) fn events(wanted: &HookOptions) -> impl Iterator<Item = &'static str> {
    EVENTS.into_iter().chain(wanted.looks_before_edits.then_some(BEFORE_EDITS))
}

/// The event whose entry stores facts for uninstalling.
const WITNESS: &str = "Stop";

/// Argument of that entry: there was no file before.
const NEW_FILE: &str = "--new-file";

/// Argument of that entry: the contents of a blank file.
const BLANK: &str = "--blank=";

/// A matcher with its hooks, as in the settings.
#[derive(Serialize)]
pub(in crate::claude) struct HookGroup {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<String>,
    hooks: [HookEntry; 1],
}

#[derive(Serialize)]
struct HookEntry {
    #[serde(rename = "type")]
    kind: &'static str,
    command: String,
    args: Vec<String>,
    timeout: u64,
}

/// The facts that uninstalling needs beside the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::claude) struct UninstallRecord {
    /// The cap that was written; `None` if there was one before.
    pub(super) cap: Option<u32>,
    /// True if there was no file before.
    pub(super) is_new: bool,
    /// The contents of a file that was blank before.
    pub(super) blank: Option<String>,
    /// Empty containers of the earlier text, with the text between their
    /// brackets.
    pub(super) kept: Vec<(String, String)>,
}

impl UninstallRecord {
    /// Returns the text between the brackets of this container, if it existed.
    pub(super) fn inner(&self, place: &str) -> Option<&str> {
        self.kept.iter().find(|(name, _)| name == place).map(|(_, inner)| inner.as_str())
    }

    fn write(&self) -> Vec<String> {
        let letter = |c: char| match c {
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            _ => 's',
        };
        let letters = |blank: &str| blank.chars().map(letter).collect::<String>();
        let kept = self.kept.iter();
        let kept = kept.map(|(place, inner)| format!("--kept={place}:{}", letters(inner)));
        let cap = self.cap.map(|cap| format!("--cap={cap}"));
        let new = self.is_new.then(|| NEW_FILE.to_owned());
        let blank = self.blank.as_ref().map(|blank| format!("{BLANK}{}", letters(blank)));
        cap.into_iter().chain(new).chain(blank).chain(kept).collect()
    }

    fn read(&mut self, arg: &str) {
        let sign = |c: char| match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            _ => ' ',
        };
        if let Some(cap) = arg.strip_prefix("--cap=") {
            self.cap = cap.parse().ok();
        }
        self.is_new |= arg == NEW_FILE;
        if let Some(blank) = arg.strip_prefix(BLANK) {
            self.blank = Some(blank.chars().map(sign).collect());
        }
        let kept = arg.strip_prefix("--kept=").and_then(|kept| kept.split_once(':'));
        if let Some((place, inner)) = kept {
            self.kept.push((place.to_owned(), inner.chars().map(sign).collect()));
        }
    }
}

/// Returns the group to write for an event.
pub(in crate::claude) fn group(
    wanted: &HookOptions,
    event: &str,
    traces: &UninstallRecord,
) -> HookGroup {
    let timeout = seconds(match event {
        "Stop" | BEFORE_EDITS => wanted.stop_timeout,
        "UserPromptSubmit" => wanted.prompt_timeout,
        "SessionEnd" => FAREWELL,
        _ => SHORT,
    });
    let mut args: Vec<String> = ["hook", "--agent", crate::claude::NAME].map(str::to_owned).into();
    args.push(format!("--timeout={timeout}"));
    args.extend(wanted.arm.iter().map(|arm| format!("--arm={arm}")));
    if event == WITNESS {
        args.extend(traces.write());
    }
    let entry = HookEntry { kind: "command", command: wanted.program.clone(), args, timeout };
    let matcher = ["PostToolUse", BEFORE_EDITS].contains(&event).then(|| WRITERS.join("|"));
    HookGroup { matcher, hooks: [entry] }
}

/// Rounds up to whole seconds, at least one.
fn seconds(duration: Duration) -> u64 {
    (duration.as_secs() + u64::from(duration.subsec_nanos() > 0)).max(1)
}

/// A hook in the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsHook {
    /// The event it listens to.
    pub event: String,
    /// The tools or sources it is limited to, if any.
    pub matcher: Option<String>,
    /// The program, or a shell command line; empty for hooks of other kinds.
    pub command: String,
    /// The arguments of a program that is called without a shell.
    pub args: Vec<String>,
    /// Seconds after which the client ends it, if the settings say so.
    pub timeout: Option<f64>,
}

impl SettingsHook {
    /// Reads one entry; `None` if it is not an object.
    pub(super) fn read(value: &Value<'_>, place: &HookLocation) -> Option<Self> {
        let entry = JsonContainer::object(value)?;
        let args = entry.member("args").and_then(JsonContainer::array);
        let args = args.map(|args| args.items).unwrap_or_default();
        let timeout = entry.member("timeout").and_then(Value::as_number_lit);
        Some(Self {
            event: place.event.clone(),
            matcher: place.matcher.clone(),
            command: entry.member("command").and_then(string).unwrap_or_default(),
            args: args.iter().filter_map(|arg| string(arg.value)).collect(),
            timeout: timeout.and_then(|timeout| timeout.value.parse().ok()),
        })
    }

    /// Returns true if this or an older version of `ralph install` wrote it.
    pub fn is_ours(&self) -> bool {
        if self.args.is_empty() {
            let line = self.command.replace(['"', '\''], "").replace("ralph.exe", "ralph");
            return line.contains(&format!("ralph hook --agent {}", crate::claude::NAME));
        }
        let names_us = |pair: &[String]| pair == ["--agent", crate::claude::NAME];
        self.args[0] == "hook" && self.args.windows(2).any(names_us)
    }

    /// Returns the condition that starts loops automatically, as it was
    /// installed. `None` if there is none or the project's settings decide.
    pub fn arm(&self) -> Option<&str> {
        self.args.iter().find_map(|arg| arg.strip_prefix("--arm="))
    }

    /// Returns its own time limit, as it was installed.
    pub fn own_timeout(&self) -> Option<Duration> {
        let seconds = self.args.iter().find_map(|arg| arg.strip_prefix("--timeout="));
        seconds.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs)
    }

    pub(super) fn traces(&self) -> UninstallRecord {
        let mut traces = UninstallRecord::default();
        self.args.iter().for_each(|arg| traces.read(arg));
        traces
    }
}
