//! Our hooks in Claude Code's `settings.json`.
//!
//! The file belongs to the user. It is edited as text, so that order, layout
//! and foreign entries stay byte for byte, and uninstalling restores the
//! earlier text. Facts that the text alone does not show, such as an empty
//! container or our own cap, are stored in the arguments of our entry, where
//! they survive reformatting.

mod entries;

use std::time::Duration;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::json_text::{
    JsonContainer, JsonItem, JsonSyntax, JsonText, JsonTextError, ROOT, RemovalEffect,
};

pub use entries::{BEFORE_EDITS, EVENTS, SettingsHook};
pub(super) use entries::{HookGroup, UninstallRecord, group};

/// The variable that limits how often in a row a hook may continue an agent
/// that uses no tool.
pub const CAP_VARIABLE: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// The options of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookOptions {
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

/// The settings that concern hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookSettings {
    /// Our entries.
    pub ours: Vec<SettingsHook>,
    /// Foreign hooks that can continue or delay the end of a turn.
    pub foreign_stops: Vec<SettingsHook>,
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
pub enum HookRemoval {
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
pub fn install(text: Option<&str>, wanted: &HookOptions) -> Result<String, JsonTextError> {
    let given = text.filter(|text| !is_blank(text)).unwrap_or(EMPTY);
    let removed = uninstall(given)?;
    let is_new = text.is_none() || removed == HookRemoval::File;
    let before = match removed {
        HookRemoval::Nothing => text.unwrap_or(EMPTY).to_owned(),
        HookRemoval::Text(text) => text,
        HookRemoval::File => EMPTY.to_owned(),
    };
    let blank = is_blank(&before).then(|| before.clone());
    let mut text = if blank.is_some() { EMPTY.to_owned() } else { before };
    let traces = UninstallRecord { is_new, blank, ..survey(&text, wanted)? };
    if traces.cap.is_some() {
        text = with_object(&text, "env")?;
        text = with_member(&text, "env", CAP_VARIABLE, &wanted.cap.to_string())?;
    }
    text = with_object(&text, "hooks")?;
    for event in entries::events(wanted) {
        text = with_group(&text, event, &group(wanted, event, &traces))?;
    }
    Ok(text)
}

/// Returns the settings without our hooks.
///
/// The cap is removed if it is the installed one. Containers that held only our
/// entries are removed, too.
pub fn uninstall(text: &str) -> Result<HookRemoval, JsonTextError> {
    let text = parse(text)?;
    let root = text.root();
    let ours: Vec<SettingsHook> = hooks(&root).into_iter().filter(SettingsHook::is_ours).collect();
    if ours.is_empty() {
        return Ok(HookRemoval::Nothing);
    }
    let traces = traces_of(&ours);
    let items = root.items.iter().map(|item| root_effect(&text, &root, item, &traces)).collect();
    let inner = traces.inner(ROOT).unwrap_or_default();
    Ok(match text.removal(&root, items).kept(&root, Some(inner)) {
        RemovalEffect::Changed(edits) => match text.with(edits) {
            left if left.trim() == EMPTY.trim() && traces.is_new => HookRemoval::File,
            left if left.trim() == EMPTY.trim() && traces.blank.is_some() => {
                HookRemoval::Text(traces.blank.unwrap_or_default())
            }
            left => HookRemoval::Text(left),
        },
        RemovalEffect::Untouched | RemovalEffect::Gone => HookRemoval::Nothing,
    })
}

/// Collects the facts for uninstalling from all our entries.
fn traces_of(ours: &[SettingsHook]) -> UninstallRecord {
    let mut traces = UninstallRecord::default();
    for found in ours.iter().map(SettingsHook::traces) {
        traces.cap = traces.cap.or(found.cap);
        traces.is_new |= found.is_new;
        traces.blank = traces.blank.or(found.blank);
        traces.kept.extend(found.kept);
    }
    traces
}

/// Returns the settings that concern hooks, ours and others.
pub fn inspect(text: &str) -> Result<HookSettings, JsonTextError> {
    let parsed = parse(text)?;
    let root = parsed.root();
    let (ours, foreign): (Vec<SettingsHook>, Vec<SettingsHook>) =
        hooks(&root).into_iter().partition(SettingsHook::is_ours);
    let value = |value: &Value<'_>| string(value).unwrap_or_else(|| value.text(text).to_owned());
    let object = |name| root.member(name).and_then(JsonContainer::object);
    let is_on = |value: &Value<'_>| value.as_boolean_lit().is_some_and(|value| value.value);
    let plugins = object("enabledPlugins").map(|plugins| plugins.items).unwrap_or_default();
    let plugins = plugins.iter().filter(|plugin| is_on(plugin.value));
    let plugins = plugins.filter_map(JsonItem::name).map(str::to_owned);
    let (own_plugins, others): (Vec<String>, Vec<String>) =
        plugins.partition(|name| name.split('@').next() == Some("ralph"));
    Ok(HookSettings {
        own_cap: traces_of(&ours).cap,
        ours,
        foreign_stops: foreign.into_iter().filter(|hook| hook.event == "Stop").collect(),
        cap: object("env").and_then(|env| env.member(CAP_VARIABLE).map(value)),
        is_disabled: root.member("disableAllHooks").is_some_and(is_on),
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

/// The event and matcher of an entry.
struct HookLocation {
    event: String,
    matcher: Option<String>,
}

fn parse(text: &str) -> Result<JsonText<'_>, JsonTextError> {
    JsonText::parse(text, JsonSyntax::Strict)
}

/// Returns the text of a string; `None` for other values.
fn string(value: &Value<'_>) -> Option<String> {
    value.as_string_lit().map(|string| string.value.clone().into_owned())
}

/// Collects the facts for uninstalling before anything is written.
fn survey(text: &str, wanted: &HookOptions) -> Result<UninstallRecord, JsonTextError> {
    let text = parse(text)?;
    let root = text.root();
    let inner = |container: &JsonContainer<'_>| text.inner(container).to_owned();
    let mut traces = UninstallRecord { cap: Some(wanted.cap), ..UninstallRecord::default() };
    if root.items.is_empty() && !root.inner.is_empty() {
        traces.kept.push((ROOT.to_owned(), inner(&root)));
    }
    for name in ["env", "hooks"] {
        let Some(value) = root.member(name) else { continue };
        let object =
            JsonContainer::object(value).ok_or_else(|| text.misshapen(name, value, "an object"))?;
        if object.items.is_empty() {
            traces.kept.push((name.to_owned(), inner(&object)));
        }
        if name == "env" && object.member(CAP_VARIABLE).is_some() {
            traces.cap = None;
        }
        for event in entries::events(wanted).filter(|_| name == "hooks") {
            let Some(value) = object.member(event) else { continue };
            let place = format!("hooks.{event}");
            let array = JsonContainer::array(value)
                .ok_or_else(|| text.misshapen(&place, value, "an array"))?;
            if array.items.is_empty() {
                traces.kept.push((place, inner(&array)));
            }
        }
    }
    Ok(traces)
}

/// Returns the text with an object of this name at its root.
fn with_object(text: &str, name: &str) -> Result<String, JsonTextError> {
    let parsed = parse(text)?;
    let root = parsed.root();
    if root.member(name).and_then(JsonContainer::object).is_some() {
        return Ok(text.to_owned());
    }
    Ok(parsed.with_last(&root, Some(name), &serde_json::Map::new()))
}

/// Returns the text with one more member in the object of this name at its root.
fn with_member(
    text: &str,
    name: &str,
    key: &str,
    value: &impl serde::Serialize,
) -> Result<String, JsonTextError> {
    let parsed = parse(text)?;
    let object = parsed.root().member(name).and_then(JsonContainer::object);
    Ok(object.map_or_else(|| text.to_owned(), |object| parsed.with_last(&object, Some(key), value)))
}

/// Returns the text with one more group of an event.
fn with_group(text: &str, event: &str, group: &HookGroup) -> Result<String, JsonTextError> {
    let parsed = parse(text)?;
    let hooks = parsed.root().member("hooks").and_then(JsonContainer::object);
    let groups = hooks.and_then(|hooks| hooks.member(event)).and_then(JsonContainer::array);
    match groups {
        Some(groups) => Ok(parsed.with_last(&groups, None, group)),
        None => with_member(text, "hooks", event, &[group]),
    }
}

/// Returns every entry of every event.
fn hooks(root: &JsonContainer<'_>) -> Vec<SettingsHook> {
    let mut found = Vec::new();
    for item in root.items.iter().filter(|item| item.name() == Some("hooks")) {
        let events = JsonContainer::object(item.value).map(|events| events.items);
        for event in events.unwrap_or_default() {
            let groups = JsonContainer::array(event.value).map(|groups| groups.items);
            for group in groups.unwrap_or_default() {
                let name = event.name().unwrap_or_default();
                found.extend(group_hooks(group.value, name).into_iter().flatten());
            }
        }
    }
    found
}

fn group_hooks(group: &Value<'_>, event: &str) -> Option<Vec<SettingsHook>> {
    let group = JsonContainer::object(group)?;
    let matcher = group.member("matcher").and_then(string);
    let place = HookLocation { event: event.to_owned(), matcher };
    let lists = group.items.iter().filter(|item| item.name() == Some("hooks"));
    let entries = lists.filter_map(|list| JsonContainer::array(list.value));
    let entries = entries.flat_map(|list| list.items);
    Some(entries.filter_map(|entry| SettingsHook::read(entry.value, &place)).collect())
}

/// Returns the effect on a member of the root when our entries are removed.
fn root_effect(
    text: &JsonText<'_>,
    root: &JsonContainer<'_>,
    item: &JsonItem<'_>,
    traces: &UninstallRecord,
) -> RemovalEffect {
    let Some(object) = JsonContainer::object(item.value) else { return RemovalEffect::Untouched };
    if item.name() == Some("hooks") {
        let events = object.items.iter().map(|event| event_effect(text, event, traces)).collect();
        return text.removal(&object, events).kept(&object, traces.inner("hooks"));
    }
    let is_read = root.member("env").is_some_and(|env| env.start() == item.value.start());
    let Some(cap) = traces.cap.filter(|_| is_read) else { return RemovalEffect::Untouched };
    let is_ours = |member: &JsonItem<'_>| {
        member.name() == Some(CAP_VARIABLE)
            && string(member.value).is_some_and(|value| value == cap.to_string())
    };
    text.removal(&object, gone_where(&object, is_ours)).kept(&object, traces.inner("env"))
}

/// Returns the effect on each item when those that are ours are removed.
fn gone_where(
    container: &JsonContainer<'_>,
    is_ours: impl Fn(&JsonItem<'_>) -> bool,
) -> Vec<RemovalEffect> {
    let effect = |item| if is_ours(item) { RemovalEffect::Gone } else { RemovalEffect::Untouched };
    container.items.iter().map(effect).collect()
}

fn event_effect(
    text: &JsonText<'_>,
    event: &JsonItem<'_>,
    traces: &UninstallRecord,
) -> RemovalEffect {
    let Some(groups) = JsonContainer::array(event.value) else { return RemovalEffect::Untouched };
    let effects = groups.items.iter().map(|group| group_effect(text, group)).collect();
    let inner = event.name().and_then(|name| traces.inner(&format!("hooks.{name}")));
    text.removal(&groups, effects).kept(&groups, inner)
}

/// Returns the effect on a group. It is removed once it has no entry left.
fn group_effect(text: &JsonText<'_>, group: &JsonItem<'_>) -> RemovalEffect {
    let Some(object) = JsonContainer::object(group.value) else { return RemovalEffect::Untouched };
    let place = HookLocation { event: String::new(), matcher: None };
    let is_ours = |entry: &JsonItem<'_>| {
        SettingsHook::read(entry.value, &place).is_some_and(|hook| hook.is_ours())
    };
    let mut edits = Vec::new();
    let mut has_others = false;
    for list in object.items.iter().filter(|item| item.name() == Some("hooks")) {
        let Some(entries) = JsonContainer::array(list.value) else { continue };
        match text.removal(&entries, gone_where(&entries, is_ours)) {
            RemovalEffect::Untouched => has_others = true,
            RemovalEffect::Changed(inside) => {
                has_others = true;
                edits.extend(inside);
            }
            RemovalEffect::Gone => edits.push((entries.inner.clone(), String::new())),
        }
    }
    match (edits.is_empty(), has_others) {
        (true, _) => RemovalEffect::Untouched,
        (false, true) => RemovalEffect::Changed(edits),
        (false, false) => RemovalEffect::Gone,
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
