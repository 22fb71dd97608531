//! The files in which projects say what they run.

use std::fmt::Write;

use serde_json::Value;

use super::script::ScriptVariables;
use super::{CommandOriginKind, DocumentedCommands, KNOWN, ScriptOrigin};
use crate::detect::sight::{ProjectFolder, is_of};
use crate::detect::tasks::{self, ProjectTask};

/// The maximum number of scripts read because commands call them.
pub(super) const MOST_SCRIPTS: usize = 30;

/// The maximum number of pipeline files that are read.
const MOST_PIPELINES: usize = 40;

/// Names of tasks that say what they are for.
const TELLING: [&str; 13] = [
    "test",
    "tests",
    "unit",
    "check",
    "lint",
    "typecheck",
    "type-check",
    "types",
    "typing",
    "mypy",
    "testenv",
    "env_run_base",
    "style",
];

/// Files of pipelines other than the workflows of GitHub.
const PIPELINES: [&str; 6] = [
    ".gitlab-ci.yml",
    ".travis.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".woodpecker.yml",
];

pub(super) fn is_telling(task: &str) -> bool {
    TELLING.contains(&task)
}

fn by(task: &str) -> CommandOriginKind {
    if is_telling(task) { CommandOriginKind::NamedTask } else { CommandOriginKind::Task }
}

/// Adds what the lists of tasks in a folder say.
pub(super) fn tasks(folder: &ProjectFolder<'_>, words: &mut DocumentedCommands) {
    let dir = folder.dir();
    for (file, text, tasks) in tasks::lists(folder) {
        let variables = ScriptVariables::of(&text);
        let origin = folder.name_of(file);
        for ProjectTask { name, script } in tasks {
            words.add_with(
                &variables,
                &script,
                &ScriptOrigin { dir, origin: &origin, by: by(&name) },
            );
        }
    }
    for (file, table) in [("package.json", "scripts"), ("composer.json", "scripts")] {
        let Some(manifest) = folder.json_quietly(file) else { continue };
        let origin = folder.name_of(file);
        for (name, script) in manifest[table].as_object().into_iter().flatten() {
            words.add(&lines(script), &ScriptOrigin { dir, origin: &origin, by: by(name) });
        }
    }
    tox(folder, words);
    nox(folder, words);
    for file in ["pyproject.toml", "hatch.toml"] {
        if let Some(table) = folder.toml_quietly(file) {
            let origin = folder.name_of(file);
            python_tasks(&toml::Value::Table(table), "", dir, &origin, words);
        }
    }
}

/// A text, or a list of texts, as lines.
fn lines(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// Adds the commands of the environments in a `tox.ini`.
fn tox(folder: &ProjectFolder<'_>, words: &mut DocumentedCommands) {
    let Some(text) = folder.read("tox.ini") else { return };
    let origin = folder.name_of("tox.ini");
    for section in text.split("\n[").skip(usize::from(!text.starts_with('['))) {
        let Some((name, body)) = section.trim_start_matches('[').split_once(']') else { continue };
        let Some(name) = name.strip_prefix("testenv") else { continue };
        let value = |key: &str| {
            let mut lines = body.lines();
            let first = lines.find_map(|line| {
                let (name, value) = line.split_once('=')?;
                (name.trim() == key).then_some(value)
            })?;
            let more = lines.take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
            Some(std::iter::once(first).chain(more).collect::<Vec<_>>().join("\n"))
        };
        let dir = value("changedir").map(|dir| substituted(dir.trim())).unwrap_or_default();
        let dir = super::below(folder.dir(), &dir);
        let name = if name.is_empty() { "testenv" } else { &name[1..] };
        let place = ScriptOrigin { dir: &dir, origin: &origin, by: by(name) };
        words.add(&substituted(&value("commands").unwrap_or_default()), &place);
    }
}

/// A text of tox with what stands in braces put in: a default, or nothing. A
/// word with something that only tox knows is left out.
fn substituted(text: &str) -> String {
    const UNKNOWN: char = '\0';
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((inner, after)) = after.split_once('}') else { break };
        match inner {
            "envpython" => out.push_str("python"),
            "toxinidir" | "tox_root" => out.push('.'),
            "posargs" => {}
            inner => match inner.strip_prefix("env:").unwrap_or(inner).split_once(':') {
                Some((_, default)) => out.push_str(default),
                None => out.push(UNKNOWN),
            },
        }
        rest = after;
    }
    out.push_str(rest);
    out.split_inclusive(char::is_whitespace).filter(|word| !word.contains(UNKNOWN)).collect()
}

/// Adds the calls of `session.run` in a `noxfile.py`.
fn nox(folder: &ProjectFolder<'_>, words: &mut DocumentedCommands) {
    let Some(text) = folder.read("noxfile.py") else { return };
    let origin = folder.name_of("noxfile.py");
    let mut name = "";
    for part in text.split("\ndef ").flat_map(|def| def.split("session.run(")) {
        let Some((head, _)) = part.split_once(')') else { continue };
        if let Some((task, "session" | "session: nox.Session" | "session: Session")) =
            head.split_once('(')
        {
            name = task;
            continue;
        }
        let texts = head.split(['"', '\'']).skip(1).step_by(2);
        let script: Vec<String> = texts.map(|word| format!("'{word}'")).collect();
        let place = ScriptOrigin { dir: folder.dir(), origin: &origin, by: by(name) };
        words.add(&script.join(" "), &place);
    }
}

/// Adds what tables named after scripts, tasks and commands hold: those of
/// tox, hatch, pdm, poe and taskipy.
fn python_tasks(
    value: &toml::Value,
    name: &str,
    dir: &str,
    origin: &str,
    words: &mut DocumentedCommands,
) {
    let toml::Value::Table(table) = value else { return };
    for (key, value) in table {
        match (key.as_str(), value) {
            // These name entry points of a package.
            ("project", _) => {}
            ("scripts" | "tasks", toml::Value::Table(tasks)) => {
                for (task, script) in tasks {
                    words.add(&toml_lines(script), &ScriptOrigin { dir, origin, by: by(task) });
                }
            }
            ("commands", value) => {
                words.add(
                    &substituted(&toml_lines(value)),
                    &ScriptOrigin { dir, origin, by: by(name) },
                );
            }
            (key, value) => python_tasks(value, key, dir, origin, words),
        }
    }
}

/// A command, a list of commands, or a list of lists of words, as lines.
fn toml_lines(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => {
            let line = |item: &toml::Value| match item.as_array() {
                Some(words) => {
                    let words = words.iter().filter_map(toml::Value::as_str);
                    words.collect::<Vec<_>>().join(" ")
                }
                None => item.as_str().unwrap_or_default().to_owned(),
            };
            items.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        toml::Value::Table(table) => ["cmd", "shell"]
            .iter()
            .find_map(|key| table.get(*key))
            .map(toml_lines)
            .unwrap_or_default(),
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_) => String::new(),
    }
}

/// Adds the hooks that run before a commit.
pub(super) fn hooks(root: &ProjectFolder<'_>, words: &mut DocumentedCommands) {
    const FILE: &str = ".pre-commit-config.yaml";
    let Some(config) = root.yaml(FILE) else { return };
    let repos = config["repos"].as_array().into_iter().flatten();
    for hook in repos.flat_map(|repo| repo["hooks"].as_array().into_iter().flatten()) {
        let id = hook["id"].as_str().unwrap_or_default();
        let mut script = hook["entry"].as_str().map_or_else(|| hook_command(id), str::to_owned);
        let arguments = hook["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let files = plain_folders(hook["files"].as_str().unwrap_or_default());
        for word in arguments.chain(files) {
            let _ = write!(script, " '{word}'");
        }
        words.add(&script, &ScriptOrigin { dir: "", origin: FILE, by: CommandOriginKind::Task });
    }
}

/// Returns the command of a hook, by its name: `ruff-check` runs `ruff check`.
fn hook_command(id: &str) -> String {
    match id.split_once('-') {
        Some((program, task)) if KNOWN.iter().any(|known| known.name == program) => {
            format!("{program} {task}")
        }
        Some(_) | None => id.to_owned(),
    }
}

/// The folders that a pattern such as `^(src/|tests/)` means; none for one that
/// means more.
fn plain_folders(pattern: &str) -> Vec<&str> {
    let Some(inner) = pattern.strip_prefix('^') else { return Vec::new() };
    let inner = inner.trim_start_matches('(').trim_end_matches(')');
    let folders: Vec<&str> = inner.split('|').filter_map(|it| it.strip_suffix('/')).collect();
    let is_plain = |folder: &&str| {
        folder.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '/'))
    };
    let whole = folders.len() == inner.split('|').count() && folders.iter().all(is_plain);
    if whole { folders } else { Vec::new() }
}

/// Adds what pipelines run.
pub(super) fn pipelines(root: &ProjectFolder<'_>, words: &mut DocumentedCommands) {
    let workflows = root.hidden_files(".github/workflows").into_iter();
    let workflows = workflows.filter(|file| is_of(file, "yml") || is_of(file, "yaml"));
    let files = workflows.chain(PIPELINES.map(str::to_owned)).take(MOST_PIPELINES);
    for file in files {
        if let Some(value) = root.yaml(&file) {
            let place = ScriptOrigin { dir: "", origin: &file, by: CommandOriginKind::Pipeline };
            steps(&value, &place, words);
        }
    }
}

/// Adds the steps of a pipeline, wherever they are in it.
fn steps(value: &Value, place: &ScriptOrigin<'_>, words: &mut DocumentedCommands) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| steps(item, place, words)),
        Value::Object(table) => {
            if table.get("continue-on-error") == Some(&Value::Bool(true))
                || table.get("allow_failure") == Some(&Value::Bool(true))
            {
                return;
            }
            let own = table
                .get("working-directory")
                .or_else(|| table.get("defaults")?.get("run")?.get("working-directory"));
            let dir = own.and_then(Value::as_str).unwrap_or(place.dir);
            let is_variant =
                table.get("if").and_then(Value::as_str).is_some_and(|it| it.contains("matrix"));
            let by = if is_variant { CommandOriginKind::Variant } else { place.by };
            for (key, value) in table {
                match key.as_str() {
                    "run" | "script" | "command" if !value.is_object() => {
                        let dir = super::below("", dir);
                        words.add(&lines(value), &ScriptOrigin { dir: &dir, by, ..*place });
                    }
                    // What an action does is told by its name alone.
                    "uses" | "components" | "with" => {
                        let _ = writeln!(words.texts, "{value}");
                    }
                    _ => steps(value, &ScriptOrigin { dir, by, ..*place }, words),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
