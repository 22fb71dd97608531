//! Our hooks in Claude Code's `settings.json`.
//!
//! The file belongs to the user. It is edited as text, so that order, layout
//! and foreign entries stay byte for byte, and uninstalling restores the
//! earlier text. Facts that the text alone does not show, such as an empty
//! container or our own cap, are stored in the arguments of our entry, where
//! they survive reformatting.

mod edit;
mod entries;

use std::time::Duration;

use crate::spans::{self, Container, Item};
use edit::{Edit, Fate, Style};

pub use entries::{BEFORE_EDITS, EVENTS, Hook};
pub(super) use entries::{Group, Traces, group};

/// The variable that limits how often in a row a hook may continue an agent
/// that uses no tool.
pub const CAP_VARIABLE: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// The options of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The program that the client calls.
    pub program: String,
    /// Maximum number of continuations in a row; 0 for no limit. A cap set by
    /// the user stays.
    pub cap: u32,
    /// The condition that starts loops automatically, if any.
    pub arm: Option<String>,
    /// True if files are recorded before the agent's first edit.
    pub looks_before_edits: bool,
    /// Timeout for the end of a turn: all gates.
    pub stop_timeout: Duration,
    /// Timeout for a prompt: starting a loop runs the gates once.
    pub prompt_timeout: Duration,
}

/// An error in the settings. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The text is not JSON.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The error.
        reason: String,
    },
    /// A value has the wrong type, also for the client.
    #[error("line {line}, column {column}: `{place}` is {found}, not {wanted}")]
    Shape {
        /// The path of the value, as keys.
        place: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The actual type.
        found: &'static str,
        /// The expected type.
        wanted: &'static str,
    },
}

/// The settings that concern hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Our entries.
    pub ours: Vec<Hook>,
    /// Foreign hooks that can continue or delay the end of a turn.
    pub foreign_stops: Vec<Hook>,
    /// The client's cap on continuations, if the settings have one.
    pub cap: Option<String>,
    /// True if all hooks are disabled.
    pub is_disabled: bool,
    /// The cap that we wrote, if any.
    pub own_cap: Option<u32>,
    /// Names of enabled plugins that loop as well.
    pub loop_plugins: Vec<String>,
    /// Names of our own plugin, if enabled.
    pub own_plugins: Vec<String>,
}

/// The result of removing our hooks from settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// There are none of ours.
    Nothing,
    /// The settings without them.
    Text(String),
    /// We created the file, so it is deleted.
    File,
}

/// Returns the settings with our hooks. `None` or blank text stands for a
/// missing file.
///
/// A second call changes nothing, and entries of an older version are replaced.
pub fn install(text: Option<&str>, wanted: &Installation) -> Result<String, SettingsError> {
    let given = text.filter(|text| !is_blank(text)).unwrap_or(EMPTY);
    let removed = uninstall(given)?;
    let is_new = text.is_none() || removed == Removed::File;
    let before = match removed {
        Removed::Nothing => text.unwrap_or(EMPTY).to_owned(),
        Removed::Text(text) => text,
        Removed::File => EMPTY.to_owned(),
    };
    let blank = is_blank(&before).then(|| before.clone());
    let mut text = if blank.is_some() { EMPTY.to_owned() } else { before };
    let traces = Traces { is_new, blank, ..survey(&text, wanted)? };
    if traces.cap.is_some() {
        text = with_object(text, "env");
        text = put(text, &["env"], CAP_VARIABLE, &wanted.cap.to_string());
    }
    text = with_object(text, "hooks");
    for event in entries::events(wanted) {
        text = put_group(text, event, &group(wanted, event, &traces));
    }
    Ok(text)
}

/// Returns the settings without our hooks.
///
/// The cap is removed if it is the installed one. Containers that held only our
/// entries are removed, too.
pub fn uninstall(text: &str) -> Result<Removed, SettingsError> {
    let root = check(text)?;
    let ours: Vec<Hook> = hooks(text, &root).into_iter().filter(Hook::is_ours).collect();
    if ours.is_empty() {
        return Ok(Removed::Nothing);
    }
    let traces = traces_of(&ours);
    let items = root.items.iter().map(|item| root_fate(text, &root, item, &traces)).collect();
    let inner = traces.inner(ROOT).unwrap_or_default();
    Ok(match edit::fate(&root, items).kept(&root, Some(inner)) {
        Fate::Changed(edits) => match edit::apply(text, edits) {
            left if left.trim() == EMPTY.trim() && traces.is_new => Removed::File,
            left if left.trim() == EMPTY.trim() && traces.blank.is_some() => {
                Removed::Text(traces.blank.unwrap_or_default())
            }
            left => Removed::Text(left),
        },
        Fate::Untouched | Fate::Gone => Removed::Nothing,
    })
}

/// Collects the facts for uninstalling from all our entries.
fn traces_of(ours: &[Hook]) -> Traces {
    let mut traces = Traces::default();
    for found in ours.iter().map(Hook::traces) {
        traces.cap = traces.cap.or(found.cap);
        traces.is_new |= found.is_new;
        traces.blank = traces.blank.or(found.blank);
        traces.kept.extend(found.kept);
    }
    traces
}

/// Returns the settings that concern hooks, ours and others.
pub fn inspect(text: &str) -> Result<Found, SettingsError> {
    let root = check(text)?;
    let (ours, foreign): (Vec<Hook>, Vec<Hook>) =
        hooks(text, &root).into_iter().partition(Hook::is_ours);
    let value = |at: &Item| spans::string(text, &at.value).unwrap_or(text[at.value.clone()].into());
    let env = edit::object(text, &["env"]);
    let plugins = edit::object(text, &["enabledPlugins"]);
    let is_on = |item: &&Item| &text[item.value.clone()] == "true";
    let name = |item: &Item| spans::string(text, item.key.as_ref()?);
    let plugins = plugins.map(|plugins| plugins.items).unwrap_or_default();
    let plugins = plugins.iter().filter(is_on).filter_map(name);
    let (own_plugins, others): (Vec<String>, Vec<String>) =
        plugins.partition(|name| name.split('@').next() == Some("ralph"));
    Ok(Found {
        own_cap: traces_of(&ours).cap,
        ours,
        foreign_stops: foreign.into_iter().filter(|hook| hook.event == "Stop").collect(),
        cap: env.and_then(|env| env.member(text, CAP_VARIABLE).map(value)),
        is_disabled: root.member(text, "disableAllHooks").as_ref().is_some_and(is_on),
        loop_plugins: others.into_iter().filter(|name| name.contains("ralph")).collect(),
        own_plugins,
    })
}

/// Empty settings.
const EMPTY: &str = "{}\n";

/// Returns true if the file is blank.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The name of the whole file in paths.
const ROOT: &str = ".";

/// The event and matcher of an entry.
struct Place {
    event: String,
    matcher: Option<String>,
}

fn check(text: &str) -> Result<Container, SettingsError> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let (line, column) = (error.line(), error.column());
        let here = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let is_comment = here
            .get(column.saturating_sub(1)..)
            .is_some_and(|rest| ["//", "/*"].iter().any(|sign| rest.starts_with(sign)));
        let reason = if is_comment {
            "a comment, which JSON does not have".to_owned()
        } else {
            let reason = error.to_string();
            reason.split(" at line ").next().unwrap_or(&reason).to_owned()
        };
        return Err(SettingsError::Syntax { line, column, reason });
    }
    let root = spans::root(text);
    Container::object(text, &root).ok_or_else(|| misshapen(text, ROOT, &root, "an object"))
}

fn misshapen(
    text: &str,
    place: &str,
    at: &std::ops::Range<usize>,
    wanted: &'static str,
) -> SettingsError {
    let (line, column) = spans::position(text, at.start);
    let found = spans::kind(text, at);
    SettingsError::Shape { place: place.to_owned(), line, column, found, wanted }
}

/// Collects the facts for uninstalling before anything is written.
fn survey(text: &str, wanted: &Installation) -> Result<Traces, SettingsError> {
    let root = check(text)?;
    let inner = |container: &Container| text[container.inner.clone()].to_owned();
    let mut traces = Traces { cap: Some(wanted.cap), ..Traces::default() };
    if root.items.is_empty() && !root.inner.is_empty() {
        traces.kept.push((ROOT.to_owned(), inner(&root)));
    }
    for name in ["env", "hooks"] {
        let Some(item) = root.member(text, name) else { continue };
        let object = Container::object(text, &item.value)
            .ok_or_else(|| misshapen(text, name, &item.value, "an object"))?;
        if object.items.is_empty() {
            traces.kept.push((name.to_owned(), inner(&object)));
        }
        if name == "env" && object.member(text, CAP_VARIABLE).is_some() {
            traces.cap = None;
        }
        for event in entries::events(wanted).filter(|_| name == "hooks") {
            let Some(item) = object.member(text, event) else { continue };
            let place = format!("hooks.{event}");
            let array = Container::array(text, &item.value)
                .ok_or_else(|| misshapen(text, &place, &item.value, "an array"))?;
            if array.items.is_empty() {
                traces.kept.push((place, inner(&array)));
            }
        }
    }
    Ok(traces)
}

/// Returns the text with an object of this name at its root.
fn with_object(text: String, name: &str) -> String {
    if edit::object(&text, &[name]).is_some() {
        return text;
    }
    put(text, &[], name, &serde_json::Map::new())
}

/// Adds a member to the object at this path.
fn put(text: String, names: &[&str], key: &str, value: &impl serde::Serialize) -> String {
    let (Some(root), Some(object)) = (edit::object(&text, &[]), edit::object(&text, names)) else {
        return text;
    };
    Style::of(&text, &root).add(&text, &object, Some(key), value)
}

/// Adds a group to those of an event.
fn put_group(text: String, event: &str, group: &Group) -> String {
    let hooks = edit::object(&text, &["hooks"]);
    let groups = hooks.as_ref().and_then(|hooks| hooks.member(&text, event));
    match (groups.and_then(|item| Container::array(&text, &item.value)), edit::object(&text, &[])) {
        (Some(groups), Some(root)) => Style::of(&text, &root).add(&text, &groups, None, group),
        (Some(_) | None, _) => put(text, &["hooks"], event, &[group]),
    }
}

/// Returns every entry of every event.
fn hooks(text: &str, root: &Container) -> Vec<Hook> {
    let mut found = Vec::new();
    for item in root.items.iter().filter(|item| item.is(text, "hooks")) {
        let events = Container::object(text, &item.value).map(|events| events.items);
        for event in events.unwrap_or_default() {
            let groups = Container::array(text, &event.value).map(|groups| groups.items);
            let name = event.key.as_ref().and_then(|key| spans::string(text, key));
            let name = name.unwrap_or_default();
            for group in groups.unwrap_or_default() {
                found.extend(group_hooks(text, &group, &name).into_iter().flatten());
            }
        }
    }
    found
}

fn group_hooks(text: &str, group: &Item, event: &str) -> Option<Vec<Hook>> {
    let group = Container::object(text, &group.value)?;
    let matcher = group.member(text, "matcher").and_then(|item| spans::string(text, &item.value));
    let place = Place { event: event.to_owned(), matcher };
    let lists = group.items.iter().filter(|item| item.is(text, "hooks"));
    let entries = lists.filter_map(|list| Container::array(text, &list.value));
    let entries = entries.flat_map(|list| list.items);
    Some(entries.filter_map(|entry| Hook::read(text, &entry.value, &place)).collect())
}

/// Returns the fate of a member of the root when our entries are removed.
fn root_fate(text: &str, root: &Container, item: &Item, traces: &Traces) -> Fate {
    let Some(object) = Container::object(text, &item.value) else { return Fate::Untouched };
    if item.is(text, "hooks") {
        let events = object.items.iter().map(|event| event_fate(text, event, traces)).collect();
        return edit::fate(&object, events).kept(&object, traces.inner("hooks"));
    }
    let is_read = root.member(text, "env").is_some_and(|env| env.value == item.value);
    let Some(cap) = traces.cap.filter(|_| is_read) else { return Fate::Untouched };
    let is_ours = |member: &Item| {
        member.is(text, CAP_VARIABLE)
            && spans::string(text, &member.value).is_some_and(|value| value == cap.to_string())
    };
    let fate_of = |member| if is_ours(member) { Fate::Gone } else { Fate::Untouched };
    edit::fate(&object, object.items.iter().map(fate_of).collect())
        .kept(&object, traces.inner("env"))
}

fn event_fate(text: &str, event: &Item, traces: &Traces) -> Fate {
    let Some(groups) = Container::array(text, &event.value) else { return Fate::Untouched };
    let fates = groups.items.iter().map(|group| group_fate(text, group)).collect();
    let name = event.key.as_ref().and_then(|key| spans::string(text, key));
    let inner = name.and_then(|name| traces.inner(&format!("hooks.{name}")));
    edit::fate(&groups, fates).kept(&groups, inner)
}

/// Returns the fate of a group. It is removed once it has no entry left.
fn group_fate(text: &str, group: &Item) -> Fate {
    let Some(object) = Container::object(text, &group.value) else { return Fate::Untouched };
    let place = Place { event: String::new(), matcher: None };
    let is_ours =
        |entry: &Item| Hook::read(text, &entry.value, &place).is_some_and(|hook| hook.is_ours());
    let fate_of = |entry: &Item| if is_ours(entry) { Fate::Gone } else { Fate::Untouched };
    let mut edits: Vec<Edit> = Vec::new();
    let mut has_others = false;
    for list in object.items.iter().filter(|item| item.is(text, "hooks")) {
        let Some(entries) = Container::array(text, &list.value) else { continue };
        match edit::fate(&entries, entries.items.iter().map(fate_of).collect()) {
            Fate::Untouched => has_others = true,
            Fate::Changed(inside) => {
                has_others = true;
                edits.extend(inside);
            }
            Fate::Gone => edits.push((entries.inner.clone(), String::new())),
        }
    }
    match (edits.is_empty(), has_others) {
        (true, _) => Fate::Untouched,
        (false, true) => Fate::Changed(edits),
        (false, false) => Fate::Gone,
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
