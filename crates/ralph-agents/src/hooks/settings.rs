//! Our hooks in a host's settings.
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

use super::{HookDialect, HookMeaning};
pub(crate) use entries::{EventHook, HookEntry, SettingsHook, UninstallRecord, events, hook_of};

/// The file with the hooks, and its layout.
#[derive(Debug)]
pub(crate) struct SettingsForm {
    /// Its path in the folder of the settings.
    pub(crate) file: &'static str,
    /// The file of a project that is not shared and takes precedence, if any.
    pub(crate) private: Option<&'static str>,
    /// The name of the object with the events; `None` if they are at the root.
    pub(crate) list: Option<&'static str>,
    /// The layout of an event.
    pub(crate) shape: HookShape,
    /// The version that the file must have, if any.
    pub(crate) version: Option<u32>,
    /// The place of the host's cap on continuations, if it is in this file.
    pub(crate) cap: Option<CapForm>,
    /// Most seconds that the host grants a hook.
    pub(crate) most_seconds: u64,
    /// Timeout of the hook at the end of a session.
    pub(crate) farewell: Duration,
}

/// The layout of the hooks of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookShape {
    /// Groups of programs with their arguments.
    Programs,
    /// Groups of command lines.
    Lines,
    /// Groups of command lines, with times in milliseconds.
    Milliseconds,
    /// Command lines, with times in `timeoutSec`.
    FlatSeconds,
    /// Command lines, with a limit on continuations each.
    FlatLimited,
    /// Blocks in a TOML file.
    Toml,
}

/// The place of a cap in settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapForm {
    /// The object with it; `None` for the root.
    pub(crate) object: Option<&'static str>,
    /// Its name.
    pub(crate) key: &'static str,
    /// The value for no cap. A number is written as a number, else as a text.
    pub(crate) without: Option<u32>,
}

impl SettingsForm {
    /// Returns true if an event has hooks without a group.
    fn is_flat(&self) -> bool {
        matches!(self.shape, HookShape::FlatSeconds | HookShape::FlatLimited | HookShape::Toml)
    }

    /// Returns true if the file has the host's cap on continuations.
    pub(crate) fn has_cap(&self) -> bool {
        self.cap.is_some() || self.shape == HookShape::FlatLimited
    }

    /// Returns the limit on continuations after this one was installed; `None` if
    /// hooks learn of the host's limit in another way.
    pub(crate) fn installed_cap(&self, cap: u32) -> Option<u32> {
        match self.cap {
            Some(CapForm { object: Some(_), .. }) => None,
            Some(CapForm { without: Some(most), .. }) if cap == 0 => Some(most),
            Some(CapForm { without, .. }) => Some(cap.min(without.unwrap_or(cap))),
            None => Some(cap).filter(|_| self.has_cap()),
        }
    }

    /// Returns the path of an event in the file.
    fn place(&self, event: &str) -> String {
        self.list.map_or_else(|| event.to_owned(), |list| format!("{list}.{event}"))
    }
}

/// Returns the names of the events that are hooked in every installation.
pub(crate) fn usual_events(dialect: &HookDialect) -> Vec<&'static str> {
    let is_usual = |means| !matches!(means, HookMeaning::Command | HookMeaning::BeforeEdit);
    let usual = dialect.events.iter().filter(|event| is_usual(event.means));
    usual.map(|event| event.name).collect()
}

impl CapForm {
    /// Returns the value to write.
    fn value(&self, cap: u32) -> serde_json::Value {
        match self.without {
            Some(without) if cap == 0 => without.into(),
            Some(without) => cap.min(without).into(),
            None => cap.to_string().into(),
        }
    }
}

/// The options of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookOptions {
    /// The program that the client calls.
    pub(crate) program: String,
    /// Maximum number of continuations in a row; 0 for no limit. A cap set by
    /// the user stays.
    pub(crate) cap: u32,
    /// The condition that starts loops automatically, if any.
    pub(crate) arm: Option<String>,
    /// True if files are recorded before the agent's first edit.
    pub(crate) looks_before_edits: bool,
    /// Timeout for the end of a turn: all gates.
    pub(crate) stop_timeout: Duration,
    /// Timeout for a prompt: starting a loop runs the gates once.
    pub(crate) prompt_timeout: Duration,
}

/// The settings that concern hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HookSettings {
    /// Our entries.
    pub(crate) ours: Vec<SettingsHook>,
    /// Foreign hooks that can continue or delay the end of a turn.
    pub(crate) foreign_stops: Vec<SettingsHook>,
    /// The client's cap on continuations, if the settings have one.
    pub(crate) cap: Option<String>,
    /// True if all hooks are disabled.
    pub(crate) is_disabled: bool,
    /// The cap that we wrote, if any.
    pub(crate) own_cap: Option<String>,
    /// Names of enabled plugins that loop as well.
    pub(crate) loop_plugins: Vec<String>,
    /// Names of our own plugin, if enabled.
    pub(crate) own_plugins: Vec<String>,
}

/// The result of removing our hooks from settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookRemoval {
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
pub(crate) fn install(
    dialect: &HookDialect,
    text: Option<&str>,
    wanted: &HookOptions,
) -> Result<String, JsonTextError> {
    let given = text.filter(|text| !is_blank(text)).unwrap_or(EMPTY);
    let known = record(dialect, given)?;
    let removed = uninstall(dialect, given)?;
    // A file of ours that others use now, too, remains one that was not there.
    let is_new = text.is_none() || known.is_new;
    let before = match removed {
        HookRemoval::Nothing => text.unwrap_or(EMPTY).to_owned(),
        HookRemoval::Text(text) => text,
        HookRemoval::File => EMPTY.to_owned(),
    };
    let blank = is_blank(&before).then(|| before.clone()).or(known.blank);
    let mut text = if is_blank(&before) { EMPTY.to_owned() } else { before };
    let traces = UninstallRecord { is_new, blank, ..survey(dialect, &text, wanted)? };
    let form = &dialect.settings;
    if let (true, Some(version)) = (traces.has_version, form.version) {
        text = with_member(&text, None, "version", &version)?;
    }
    if let (Some(_), Some(cap)) = (traces.cap, form.cap) {
        text = with_object(&text, cap.object)?;
        text = with_member(&text, cap.object, cap.key, &cap.value(wanted.cap))?;
    }
    text = with_object(&text, form.list)?;
    for event in events(dialect, wanted) {
        text = with_hook(form, &text, event, &hook_of(dialect, wanted, event, &traces))?;
    }
    Ok(text)
}

/// Returns the settings without our hooks.
///
/// The cap is removed if it is the installed one. Containers that held only our
/// entries are removed, too.
pub(crate) fn uninstall(dialect: &HookDialect, text: &str) -> Result<HookRemoval, JsonTextError> {
    let text = parse(text)?;
    let root = text.root();
    let has_ours = hooks(&dialect.settings, &root).iter().any(|hook| hook.is_ours(dialect));
    if !has_ours {
        return Ok(HookRemoval::Nothing);
    }
    let removal = EntryRemoval { dialect, text: &text, traces: traces_of(dialect, &root) };
    let traces = &removal.traces;
    let items = root.items.iter().map(|item| removal.root_effect(&root, item)).collect();
    let inner = traces.inner(ROOT).unwrap_or_default();
    Ok(match text.removal(&root, items).kept(&root, Some(inner)) {
        RemovalEffect::Changed(edits) => match text.with(edits) {
            left if left.trim() == EMPTY.trim() && traces.is_new => HookRemoval::File,
            left if left.trim() == EMPTY.trim() && traces.blank.is_some() => {
                HookRemoval::Text(traces.blank.clone().unwrap_or_default())
            }
            left => HookRemoval::Text(left),
        },
        RemovalEffect::Untouched | RemovalEffect::Gone => HookRemoval::Nothing,
    })
}

/// Returns the facts that are on record in this text.
fn record(dialect: &HookDialect, text: &str) -> Result<UninstallRecord, JsonTextError> {
    Ok(traces_of(dialect, &parse(text)?.root()))
}

/// Collects the facts for uninstalling from all our entries.
fn traces_of(dialect: &HookDialect, root: &JsonContainer<'_>) -> UninstallRecord {
    let mut traces = UninstallRecord::default();
    let ours = hooks(&dialect.settings, root).into_iter().filter(|hook| hook.is_ours(dialect));
    for found in ours.map(|hook| hook.traces()) {
        traces.cap = traces.cap.or(found.cap);
        traces.has_version |= found.has_version;
        traces.is_new |= found.is_new;
        traces.blank = traces.blank.or(found.blank);
        traces.kept.extend(found.kept);
    }
    traces
}

/// Returns the settings that concern hooks, ours and others.
pub(crate) fn inspect(dialect: &HookDialect, text: &str) -> Result<HookSettings, JsonTextError> {
    let parsed = parse(text)?;
    let root = parsed.root();
    let (ours, foreign): (Vec<SettingsHook>, Vec<SettingsHook>) =
        hooks(&dialect.settings, &root).into_iter().partition(|hook| hook.is_ours(dialect));
    let value = |value: &Value<'_>| string(value).unwrap_or_else(|| value.text(text).to_owned());
    let object = |name| root.member(name).and_then(JsonContainer::object);
    let is_on = |value: &Value<'_>| value.as_boolean_lit().is_some_and(|value| value.value);
    let plugins = object("enabledPlugins").map(|plugins| plugins.items).unwrap_or_default();
    let plugins = plugins.iter().filter(|plugin| is_on(plugin.value));
    let plugins = plugins.filter_map(JsonItem::name).map(str::to_owned);
    let (own_plugins, others): (Vec<String>, Vec<String>) =
        plugins.partition(|name| name.split('@').next() == Some("ralph"));
    let cap = dialect.settings.cap;
    // Without a place of its own the cap is in our entry.
    let in_entry = || {
        let own = dialect.settings.has_cap().then(|| traces_of(dialect, &root).cap).flatten();
        own.filter(|_| cap.is_none()).map(|own| own.to_string())
    };
    let is_end = |hook: &SettingsHook| dialect.meaning(&hook.event) == Some(HookMeaning::TurnEnded);
    Ok(HookSettings {
        own_cap: in_entry().or_else(|| {
            let own = cap?.value(traces_of(dialect, &root).cap?);
            Some(own.as_str().map_or_else(|| own.to_string(), str::to_owned))
        }),
        ours,
        foreign_stops: foreign.into_iter().filter(is_end).collect(),
        cap: cap
            .and_then(|cap| match cap.object {
                Some(name) => object(name)?.member(cap.key).map(value),
                None => root.member(cap.key).map(value),
            })
            .or_else(in_entry),
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
fn survey(
    dialect: &HookDialect,
    text: &str,
    wanted: &HookOptions,
) -> Result<UninstallRecord, JsonTextError> {
    let text = parse(text)?;
    let form = &dialect.settings;
    let root = text.root();
    let inner = |container: &JsonContainer<'_>| text.inner(container).to_owned();
    let mut traces = UninstallRecord {
        cap: form.has_cap().then_some(wanted.cap),
        has_version: form.version.is_some() && root.member("version").is_none(),
        ..UninstallRecord::default()
    };
    if root.items.is_empty() && !root.inner.is_empty() {
        traces.kept.push((ROOT.to_owned(), inner(&root)));
    }
    for name in [form.cap.and_then(|cap| cap.object), form.list].into_iter().flatten() {
        let Some(value) = root.member(name) else { continue };
        let object =
            JsonContainer::object(value).ok_or_else(|| text.misshapen(name, value, "an object"))?;
        if object.items.is_empty() {
            traces.kept.push((name.to_owned(), inner(&object)));
        }
    }
    let member = |object: Option<&str>, key: &str| match object {
        Some(name) => root.member(name).and_then(JsonContainer::object)?.member(key),
        None => root.member(key),
    };
    if form.cap.is_some_and(|cap| member(cap.object, cap.key).is_some()) {
        traces.cap = None;
    }
    for event in events(dialect, wanted) {
        let Some(value) = member(form.list, event) else { continue };
        let place = form.place(event);
        let array =
            JsonContainer::array(value).ok_or_else(|| text.misshapen(&place, value, "an array"))?;
        if array.items.is_empty() {
            traces.kept.push((place, inner(&array)));
        }
    }
    Ok(traces)
}

/// Returns the text with an object of this name at its root.
fn with_object(text: &str, name: Option<&str>) -> Result<String, JsonTextError> {
    let Some(name) = name else { return Ok(text.to_owned()) };
    let parsed = parse(text)?;
    let root = parsed.root();
    if root.member(name).and_then(JsonContainer::object).is_some() {
        return Ok(text.to_owned());
    }
    Ok(parsed.with_last(&root, Some(name), &serde_json::Map::new()))
}

/// Returns the text with one more member in the object of this name at its
/// root, or at the root itself.
fn with_member(
    text: &str,
    name: Option<&str>,
    key: &str,
    value: &impl serde::Serialize,
) -> Result<String, JsonTextError> {
    let parsed = parse(text)?;
    let root = parsed.root();
    let object = match name {
        Some(name) => root.member(name).and_then(JsonContainer::object),
        None => Some(root),
    };
    Ok(object.map_or_else(|| text.to_owned(), |object| parsed.with_last(&object, Some(key), value)))
}

/// Returns the text with one more hook of an event.
fn with_hook(
    form: &SettingsForm,
    text: &str,
    event: &str,
    hook: &EventHook,
) -> Result<String, JsonTextError> {
    let parsed = parse(text)?;
    let root = parsed.root();
    let events = match form.list {
        Some(list) => root.member(list).and_then(JsonContainer::object),
        None => Some(root),
    };
    let present = events.and_then(|events| events.member(event)).and_then(JsonContainer::array);
    match present {
        Some(present) => Ok(parsed.with_last(&present, None, hook)),
        None => with_member(text, form.list, event, &[hook]),
    }
}

/// Returns every entry of every event.
fn hooks(form: &SettingsForm, root: &JsonContainer<'_>) -> Vec<SettingsHook> {
    let lists = root.items.iter().filter(|item| form.list.is_some() && item.name() == form.list);
    let lists = lists.filter_map(|item| JsonContainer::object(item.value)).flat_map(|it| it.items);
    let at_root = root.items.iter().filter(|_| form.list.is_none());
    let mut found = Vec::new();
    for (name, value) in
        lists.map(|item| (item.name(), item.value)).chain(at_root.map(|it| (it.name(), it.value)))
    {
        let event = name.unwrap_or_default();
        for hook in JsonContainer::array(value).map(|hooks| hooks.items).unwrap_or_default() {
            found.extend(event_hooks(form, hook.value, event).into_iter().flatten());
        }
    }
    found
}

fn event_hooks(form: &SettingsForm, hook: &Value<'_>, event: &str) -> Option<Vec<SettingsHook>> {
    let mut place = HookLocation { event: event.to_owned(), matcher: None };
    if form.is_flat() {
        return Some(SettingsHook::read(form, hook, &place).into_iter().collect());
    }
    let group = JsonContainer::object(hook)?;
    place.matcher = group.member("matcher").and_then(string);
    let lists = group.items.iter().filter(|item| item.name() == Some("hooks"));
    let entries = lists.filter_map(|list| JsonContainer::array(list.value));
    let entries = entries.flat_map(|list| list.items);
    Some(entries.filter_map(|entry| SettingsHook::read(form, entry.value, &place)).collect())
}

/// The removal of our entries from a text.
struct EntryRemoval<'a> {
    dialect: &'a HookDialect,
    text: &'a JsonText<'a>,
    traces: UninstallRecord,
}

impl EntryRemoval<'_> {
    /// Returns the effect on a member of the root.
    fn root_effect(&self, root: &JsonContainer<'_>, item: &JsonItem<'_>) -> RemovalEffect {
        let (form, traces) = (&self.dialect.settings, &self.traces);
        let cap = form.cap.zip(traces.cap);
        let is_version = traces.has_version && item.name() == Some("version");
        if is_version || cap.is_some_and(|(cap, own)| is_cap(root, item, &cap, own)) {
            return RemovalEffect::Gone;
        }
        if form.list.is_none() {
            return self.event_effect(item);
        }
        let Some(object) = JsonContainer::object(item.value) else {
            return RemovalEffect::Untouched;
        };
        if item.name() == form.list {
            let events = object.items.iter().map(|event| self.event_effect(event)).collect();
            let inner = form.list.and_then(|list| traces.inner(list));
            return self.text.removal(&object, events).kept(&object, inner);
        }
        let Some((cap, own)) = cap else { return RemovalEffect::Untouched };
        let Some(place) = cap.object else { return RemovalEffect::Untouched };
        let is_read = root.member(place).is_some_and(|found| found.start() == item.value.start());
        if !is_read {
            return RemovalEffect::Untouched;
        }
        let is_ours = |member: &JsonItem<'_>| is_own_cap(member, &cap, own);
        let inner = traces.inner(place);
        self.text.removal(&object, gone_where(&object, is_ours)).kept(&object, inner)
    }

    fn event_effect(&self, event: &JsonItem<'_>) -> RemovalEffect {
        let Some(hooks) = JsonContainer::array(event.value) else {
            return RemovalEffect::Untouched;
        };
        let effects = hooks.items.iter().map(|hook| self.hook_effect(hook)).collect();
        let place = event.name().map(|name| self.dialect.settings.place(name));
        let inner = place.and_then(|place| self.traces.inner(&place));
        self.text.removal(&hooks, effects).kept(&hooks, inner)
    }

    fn is_ours(&self, entry: &JsonItem<'_>) -> bool {
        let place = HookLocation { event: String::new(), matcher: None };
        SettingsHook::read(&self.dialect.settings, entry.value, &place)
            .is_some_and(|hook| hook.is_ours(self.dialect))
    }

    /// Returns the effect on a hook or a group. A group is removed once it has no
    /// entry left.
    fn hook_effect(&self, hook: &JsonItem<'_>) -> RemovalEffect {
        if self.dialect.settings.is_flat() {
            return if self.is_ours(hook) { RemovalEffect::Gone } else { RemovalEffect::Untouched };
        }
        let Some(object) = JsonContainer::object(hook.value) else {
            return RemovalEffect::Untouched;
        };
        let mut edits = Vec::new();
        let mut has_others = false;
        for list in object.items.iter().filter(|item| item.name() == Some("hooks")) {
            let Some(entries) = JsonContainer::array(list.value) else { continue };
            let is_ours = |entry: &JsonItem<'_>| self.is_ours(entry);
            match self.text.removal(&entries, gone_where(&entries, is_ours)) {
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
}

/// Returns true if a member of the root is the cap that we wrote there.
fn is_cap(root: &JsonContainer<'_>, item: &JsonItem<'_>, cap: &CapForm, own: u32) -> bool {
    let is_read = || root.member(cap.key).is_some_and(|found| found.start() == item.value.start());
    cap.object.is_none() && is_own_cap(item, cap, own) && is_read()
}

/// Returns true if a member is the cap that we wrote.
fn is_own_cap(member: &JsonItem<'_>, cap: &CapForm, own: u32) -> bool {
    member.name() == Some(cap.key)
        && serde_json::Value::from(member.value.clone()) == cap.value(own)
}

/// Returns the effect on each item when those that are ours are removed.
fn gone_where(
    container: &JsonContainer<'_>,
    is_ours: impl Fn(&JsonItem<'_>) -> bool,
) -> Vec<RemovalEffect> {
    let effect = |item| if is_ours(item) { RemovalEffect::Gone } else { RemovalEffect::Untouched };
    container.items.iter().map(effect).collect()
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
