//! The entry for `ralph mcp` in a host's list of tool servers.
//!
//! The list belongs to the user and may contain handwritten entries. Ours is
//! added before them and removed again, and every other byte stays, comments
//! included.

mod text;

use std::path::PathBuf;

use serde_json::Value;

use crate::inspection::SettingsScope;
use crate::install::{FolderReader, HostFileError, InstallPlan, text as file_text};

use text::EmptyListRule;

pub use crate::json_text::JsonSyntax;

/// The name of our entry, which prefixes our tools' names.
const NAME: &str = "ralph";

/// Argument of our entry: the list or the file existed before, and was empty.
const KEPT: &str = "--kept";

/// The location and format of a host's list of tool servers.
#[derive(Clone, Copy, Debug)]
pub struct ToolServerList {
    /// The folder of the list below the root of a project.
    pub folder: &'static str,
    /// The possible names of its file in a project.
    pub project: &'static [&'static str],
    /// The same in the user's folder; empty where only the host may write it.
    pub user: &'static [&'static str],
    /// Instructions for the user where ralph cannot add the entry.
    pub by_hand: &'static str,
    /// The `$schema` of a new file. Without it, some hosts add it later, which
    /// would change the project during a loop.
    pub schema: Option<&'static str>,
    /// The name of the member with the list.
    pub list: &'static str,
    /// The syntax of the file.
    pub syntax: JsonSyntax,
    /// Builds an entry that is started by these words, based on an earlier one.
    pub entry: fn(&[String], Option<&Value>) -> Value,
    /// Returns the words that start an entry.
    pub words: fn(&Value) -> Vec<String>,
}

/// No list, for hosts without tools.
pub(crate) const NONE: ToolServerList = ToolServerList {
    folder: "",
    project: &[],
    user: &[],
    by_hand: "",
    schema: None,
    list: "mcpServers",
    syntax: JsonSyntax::Strict,
    entry: program_entry,
    words: program_words,
};

/// The list of Codex, which is in its TOML settings.
pub(crate) const CODEX: ToolServerList = ToolServerList {
    by_hand: "`codex mcp add ralph -- ralph mcp` gives agents its tools in every project",
    ..NONE
};

/// The list of GitHub Copilot.
pub(crate) const COPILOT: ToolServerList = ToolServerList {
    user: &["mcp-config.json"],
    by_hand: "`ralph install copilot --user` gives agents its tools in every project",
    entry: local_entry,
    ..NONE
};

/// The list of Gemini CLI.
pub(crate) const GEMINI: ToolServerList = ToolServerList {
    folder: ".gemini",
    project: &["settings.json"],
    user: &["settings.json"],
    ..NONE
};

/// The list of Qwen Code.
pub(crate) const QWEN: ToolServerList = ToolServerList { folder: ".qwen", ..GEMINI };

/// The list of Droid.
pub(crate) const DROID: ToolServerList = ToolServerList {
    folder: ".factory",
    project: &["mcp.json"],
    user: &["mcp.json"],
    entry: stdio_entry,
    ..NONE
};

/// The list of Kimi Code.
pub(crate) const KIMI: ToolServerList = ToolServerList { user: &["mcp.json"], ..NONE };

/// Builds an entry with a program and its arguments.
pub(crate) fn program_entry(words: &[String], before: Option<&Value>) -> Value {
    let mut entry = before.cloned().unwrap_or_else(|| serde_json::json!({}));
    entry["command"] = words.first().cloned().into();
    entry["args"] = words.get(1..).unwrap_or_default().into();
    entry
}

fn stdio_entry(words: &[String], before: Option<&Value>) -> Value {
    let mut entry = program_entry(words, before);
    entry["type"] = "stdio".into();
    entry
}

fn local_entry(words: &[String], before: Option<&Value>) -> Value {
    let mut entry = program_entry(words, before);
    entry["type"] = "local".into();
    if before.is_none() {
        entry["tools"] = serde_json::json!(["*"]);
    }
    entry
}

/// Returns the words that start an entry with a program and its arguments.
pub(crate) fn program_words(entry: &Value) -> Vec<String> {
    let args = entry["args"].as_array().into_iter().flatten();
    let words = std::iter::once(&entry["command"]).chain(args);
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Our entry in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredServer {
    /// Its file.
    pub path: PathBuf,
    /// The program and its arguments.
    pub words: Vec<String>,
}

impl ToolServerList {
    /// Returns true for hosts without such a list.
    pub fn is_missing(&self) -> bool {
        self.project.is_empty() && self.user.is_empty() && self.by_hand.is_empty()
    }

    /// Returns the possible names of the file.
    pub fn files(&self, scope: SettingsScope) -> &'static [&'static str] {
        match scope {
            SettingsScope::Project => self.project,
            SettingsScope::User => self.user,
        }
    }

    /// Plans an entry that starts this program.
    pub fn plan_install(
        &self,
        read: &FolderReader<'_>,
        scope: SettingsScope,
        program: &str,
    ) -> Result<InstallPlan, HostFileError> {
        let mut plan = InstallPlan::default();
        let Some((path, before)) = self.file(read, scope)? else { return Ok(plan) };
        let words = |more: Option<&str>| -> Vec<String> {
            [program, "mcp"].into_iter().chain(more).map(str::to_owned).collect()
        };
        let Some(text) = before.as_deref().filter(|text| !text.trim().is_empty()) else {
            let kept = before.is_some().then_some(KEPT);
            plan.change(path, before, Some(self.new_file(&words(kept))));
            return Ok(plan);
        };
        let list = self.list(path, text)?;
        let after = match list.entry() {
            Some(found) if !is_ours(&(self.words)(&found)) => {
                plan.left.push(PathBuf::from(path));
                return Ok(plan);
            }
            Some(found) => {
                let old = (self.words)(&found);
                let new = words(old.iter().any(|word| word == KEPT).then_some(KEPT));
                if old == new {
                    return Ok(plan);
                }
                list.replaced(&(self.entry)(&new, Some(&found)))
            }
            None => {
                let kept = list.is_there_and_empty().then_some(KEPT);
                list.added(&(self.entry)(&words(kept), None))
            }
        };
        plan.change(path, before, Some(after));
        Ok(plan)
    }

    /// Plans the removal of our entry, and of a list or file created only for
    /// it.
    pub fn plan_uninstall(
        &self,
        read: &FolderReader<'_>,
        scope: SettingsScope,
    ) -> Result<InstallPlan, HostFileError> {
        let mut plan = InstallPlan::default();
        let Some((path, Some(text))) = self.file(read, scope)? else { return Ok(plan) };
        if text.trim().is_empty() {
            return Ok(plan);
        }
        let list = self.list(path, &text)?;
        let Some(entry) = list.entry() else { return Ok(plan) };
        let words = (self.words)(&entry);
        if !is_ours(&words) {
            plan.left.push(PathBuf::from(path));
            return Ok(plan);
        }
        let is_kept = words.iter().any(|word| word == KEPT);
        let emptied = if is_kept { EmptyListRule::Stays } else { EmptyListRule::Goes };
        let after = if text == self.new_file(&words) {
            is_kept.then(String::new)
        } else {
            Some(list.removed(emptied))
        };
        plan.change(path, Some(text), after);
        Ok(plan)
    }

    /// Returns our entry, if there is one.
    pub fn find(
        &self,
        read: &FolderReader<'_>,
        scope: SettingsScope,
    ) -> Result<Option<RegisteredServer>, HostFileError> {
        let Some((path, Some(text))) = self.file(read, scope)? else { return Ok(None) };
        if text.trim().is_empty() {
            return Ok(None);
        }
        let words = self.list(path, &text)?.entry().map(|entry| (self.words)(&entry));
        let ours = words.filter(|words| is_ours(words));
        Ok(ours.map(|words| RegisteredServer { path: PathBuf::from(path), words }))
    }

    /// Returns the file that has our entry, else the first one that exists,
    /// else the first possible one.
    fn file(
        &self,
        read: &FolderReader<'_>,
        scope: SettingsScope,
    ) -> Result<Option<(&'static str, Option<String>)>, HostFileError> {
        let mut found = Vec::new();
        for name in self.files(scope) {
            found.push((*name, file_text(read, name)?));
        }
        let has_entry = |(name, text): &(&'static str, Option<String>)| {
            let text = text.as_deref().filter(|text| !text.trim().is_empty());
            let list = text.and_then(|text| self.list(name, text).ok());
            list.is_some_and(|list| list.entry().is_some())
        };
        let chosen = found.iter().position(has_entry);
        let chosen = chosen.or_else(|| found.iter().position(|(_, text)| text.is_some()));
        Ok((!found.is_empty()).then(|| found.swap_remove(chosen.unwrap_or(0))))
    }

    fn list<'a>(
        &self,
        path: &str,
        text: &'a str,
    ) -> Result<text::ServerListText<'a>, HostFileError> {
        text::ServerListText::read(text, self.list, self.syntax)
            .map_err(|error| HostFileError::new(path.as_ref(), error))
    }

    /// Returns the contents of a new file.
    fn new_file(&self, words: &[String]) -> String {
        let entry = (self.entry)(words, None);
        let mut file = serde_json::json!({ self.list: { NAME: entry } });
        if let Some(schema) = self.schema {
            file["$schema"] = schema.into();
        }
        format!("{file:#}\n")
    }
}

/// Returns true if these words start ralph, from any folder.
fn is_ours(words: &[String]) -> bool {
    let [program, verb, ..] = words else { return false };
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    verb == "mcp" && matches!(name, "ralph" | "ralph.exe")
}

#[cfg(test)]
#[path = "servers_tests.rs"]
mod tests;
