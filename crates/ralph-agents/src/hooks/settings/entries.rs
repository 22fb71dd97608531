//! The entries of our hooks, and how they are recognised.

use std::time::Duration;

use jsonc_parser::ast::Value;
use serde::Serialize;

use super::{HookLocation, HookOptions, HookShape, SettingsForm, string};
use crate::hooks::{HookDialect, HookMeaning};
use crate::json_text::JsonContainer;

/// Timeout of hooks that only take notes.
const SHORT: Duration = Duration::from_secs(10);

/// Returns the hooked events of this installation, in the order in which they
/// are written.
pub(crate) fn events<'a>(
    dialect: &'a HookDialect,
    wanted: &HookOptions,
) -> impl Iterator<Item = &'static str> + use<'a> {
    let before = wanted.looks_before_edits;
    let is_hooked =
        move |means| means != HookMeaning::Command && (before || means != HookMeaning::BeforeEdit);
    dialect.events.iter().filter(move |event| is_hooked(event.means)).map(|event| event.name)
}

/// Argument of that entry: there was no file before.
const NEW_FILE: &str = "--new-file";

/// Argument of that entry: the file had no version before.
const VERSION: &str = "--own-version";

/// Argument of that entry: the contents of a blank file.
const BLANK: &str = "--blank=";

/// What is written for an event.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum EventHook {
    /// A matcher with its hooks.
    Group(HookGroup),
    /// A hook alone.
    Flat(HookEntry),
}

/// A matcher with its hooks.
#[derive(Serialize)]
pub(crate) struct HookGroup {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<String>,
    hooks: [HookEntry; 1],
}

#[derive(Serialize)]
pub(crate) struct HookEntry {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    pub(crate) command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u64>,
    #[serde(rename = "timeoutSec", skip_serializing_if = "Option::is_none")]
    timeout_sec: Option<u64>,
    /// The client's limit on continuations; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_limit: Option<serde_json::Value>,
}

/// The facts that uninstalling needs beside the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UninstallRecord {
    /// The cap that was written; `None` if there was one before.
    pub(super) cap: Option<u32>,
    /// True if we wrote the version of the file.
    pub(super) has_version: bool,
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
        let version = self.has_version.then(|| VERSION.to_owned());
        let new = self.is_new.then(|| NEW_FILE.to_owned());
        let blank = self.blank.as_ref().map(|blank| format!("{BLANK}{}", letters(blank)));
        cap.into_iter().chain(version).chain(new).chain(blank).chain(kept).collect()
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
        self.has_version |= arg == VERSION;
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

/// Returns what is written for an event.
pub(crate) fn hook_of(
    dialect: &HookDialect,
    wanted: &HookOptions,
    event: &str,
    traces: &UninstallRecord,
) -> EventHook {
    let form = &dialect.settings;
    let means = dialect.meaning(event);
    let timeout = seconds(match means {
        Some(HookMeaning::TurnEnded | HookMeaning::BeforeEdit) => wanted.stop_timeout,
        Some(HookMeaning::Prompt) => wanted.prompt_timeout,
        Some(HookMeaning::SessionEnded | HookMeaning::Interrupted) => form.farewell,
        _ => SHORT,
    });
    let timeout = timeout.min(form.most_seconds);
    let mut args: Vec<String> = ["hook", "--agent", dialect.name].map(str::to_owned).into();
    args.push(format!("--timeout={timeout}"));
    args.extend(wanted.arm.iter().map(|arm| format!("--arm={arm}")));
    let is_end = event == dialect.witness();
    if is_end {
        args.extend(traces.write());
    }
    let is_program = form.shape == HookShape::Programs;
    let is_milliseconds = form.shape == HookShape::Milliseconds;
    let is_second_name = form.shape == HookShape::FlatSeconds;
    let written = if is_milliseconds { timeout * 1000 } else { timeout };
    let entry = HookEntry {
        kind: (form.shape != HookShape::FlatLimited).then_some("command"),
        command: if is_program {
            wanted.program.clone()
        } else {
            command_line(&wanted.program, &args)
        },
        args: is_program.then_some(args),
        timeout: (!is_second_name).then_some(written),
        timeout_sec: is_second_name.then_some(written),
        loop_limit: (is_end && form.shape == HookShape::FlatLimited)
            .then(|| Some(wanted.cap).filter(|cap| *cap > 0).into()),
    };
    if form.is_flat() {
        return EventHook::Flat(entry);
    }
    // A batch reports the use of other tools.
    let has_batch = dialect.named(HookMeaning::ToolBatch).is_some();
    let is_about_files = match means {
        Some(HookMeaning::ToolUsed) => has_batch,
        Some(HookMeaning::BeforeEdit) => true,
        _ => false,
    };
    let matcher = is_about_files.then(|| dialect.writers.join("|"));
    EventHook::Group(HookGroup { matcher, hooks: [entry] })
}

/// Returns a line for a shell.
fn command_line(program: &str, args: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let program = if program.chars().all(is_plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', "'\\''"))
    };
    // Our own arguments have no character with a meaning for a shell.
    std::iter::once(program).chain(args.iter().cloned()).collect::<Vec<_>>().join(" ")
}

/// Rounds up to whole seconds, at least one.
fn seconds(duration: Duration) -> u64 {
    (duration.as_secs() + u64::from(duration.subsec_nanos() > 0)).max(1)
}

/// A hook in the settings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingsHook {
    /// The event it listens to.
    pub(crate) event: String,
    /// The tools or sources it is limited to, if any.
    pub(crate) matcher: Option<String>,
    /// The program, or a shell command line; empty for hooks of other kinds.
    pub(crate) command: String,
    /// The arguments of a program that is called without a shell.
    pub(crate) args: Vec<String>,
    /// Seconds after which the client ends it, if the settings say so.
    pub(crate) timeout: Option<f64>,
}

impl SettingsHook {
    /// Reads one entry; `None` if it is not an object.
    pub(super) fn read(
        form: &SettingsForm,
        value: &Value<'_>,
        place: &HookLocation,
    ) -> Option<Self> {
        let entry = JsonContainer::object(value)?;
        let args = entry.member("args").and_then(JsonContainer::array);
        let args = args.map(|args| args.items).unwrap_or_default();
        let timeout = entry.member("timeout").or_else(|| entry.member("timeoutSec"));
        let timeout = timeout.and_then(Value::as_number_lit);
        let timeout: Option<f64> = timeout.and_then(|timeout| timeout.value.parse().ok());
        let unit = if form.shape == HookShape::Milliseconds { 1000.0 } else { 1.0 };
        Some(Self {
            event: place.event.clone(),
            matcher: place.matcher.clone(),
            command: entry.member("command").and_then(string).unwrap_or_default(),
            args: args.iter().filter_map(|arg| string(arg.value)).collect(),
            timeout: timeout.map(|timeout| timeout / unit),
        })
    }

    /// Returns true if this or an older version of `ralph install` wrote it.
    pub(crate) fn is_ours(&self, dialect: &HookDialect) -> bool {
        if self.args.is_empty() {
            let line = self.command.replace(['"', '\''], "").replace("ralph.exe", "ralph");
            return line.contains(&format!(" hook --agent {}", dialect.name));
        }
        let names_us = |pair: &[String]| pair == ["--agent", dialect.name];
        self.args[0] == "hook" && self.args.windows(2).any(names_us)
    }

    /// Returns the arguments of the program.
    fn words(&self) -> impl Iterator<Item = &str> {
        let of_line = self.command.split(' ').filter(|_| self.args.is_empty());
        of_line.chain(self.args.iter().map(String::as_str))
    }

    /// Returns the condition that starts loops automatically, as it was
    /// installed. `None` if there is none or the project's settings decide.
    pub(crate) fn arm(&self) -> Option<&str> {
        self.words().find_map(|arg| arg.strip_prefix("--arm="))
    }

    /// Returns its own time limit, as it was installed.
    pub(crate) fn own_timeout(&self) -> Option<Duration> {
        let seconds = self.words().find_map(|arg| arg.strip_prefix("--timeout="));
        seconds.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs)
    }

    pub(super) fn traces(&self) -> UninstallRecord {
        let mut traces = UninstallRecord::default();
        self.words().for_each(|arg| traces.read(arg));
        traces
    }
}
