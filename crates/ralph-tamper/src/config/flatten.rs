//! Turns configuration of any form into paths with values.
//!
//! Elements of a list are several values of one path, so that lists can be
//! compared as sets.

use std::collections::BTreeMap;

use ast_grep_language::SupportLang;

use super::ConfigFormat;
use crate::tree::{FlatNodeId, FlatSyntaxTree};

/// Paths, in lower case and with `-` for `_`, and their values.
pub(super) type FlatSettings = BTreeMap<String, Vec<String>>;

/// Reads a text. `None` if it is not in its form.
pub(super) fn flatten(text: &str, form: ConfigFormat) -> Option<FlatSettings> {
    let mut settings = FlatSettings::new();
    match form {
        ConfigFormat::Toml => {
            let table: toml::Table = text.parse().ok()?;
            toml_value(&mut settings, "", &toml::Value::Table(table));
        }
        ConfigFormat::Json if text.trim().is_empty() => {}
        ConfigFormat::Json => {
            let value = serde_json::from_str(&plain_json(text)).ok()?;
            json_value(&mut settings, "", &value);
        }
        ConfigFormat::Ini => ini(&mut settings, text),
        ConfigFormat::Yaml => yaml(&mut settings, text),
        ConfigFormat::Script => script(&mut settings, text)?,
        ConfigFormat::Patterns => {
            let lines = text.lines().map(str::trim);
            for line in lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '!'])) {
                put(&mut settings, "ignore", line);
            }
        }
        ConfigFormat::Recipes | ConfigFormat::Markers => return None,
    }
    Some(settings)
}

fn put(settings: &mut FlatSettings, path: &str, value: &str) {
    let path = path.to_lowercase().replace('_', "-");
    settings.entry(path).or_default().push(value.trim().to_owned());
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn toml_value(settings: &mut FlatSettings, path: &str, value: &toml::Value) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                toml_value(settings, &join(path, key), value);
            }
        }
        toml::Value::Array(list) => {
            for value in list {
                toml_value(settings, path, value);
            }
        }
        toml::Value::String(text) => put(settings, path, text),
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_) => put(settings, path, &value.to_string()),
    }
}

fn json_value(settings: &mut FlatSettings, path: &str, value: &serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                json_value(settings, &join(path, key), value);
            }
        }
        serde_json::Value::Array(list) => {
            for value in list {
                json_value(settings, path, value);
            }
        }
        serde_json::Value::String(text) => put(settings, path, text),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            put(settings, path, &value.to_string());
        }
    }
}

/// JSON without remarks and without commas before a bracket.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match (in_string, c, chars.peek()) {
            (true, '\\', _) => {
                out.push(c);
                out.extend(chars.next());
            }
            (_, '"', _) => {
                in_string = !in_string;
                out.push(c);
            }
            (false, '/', Some('/')) => while chars.next_if(|&c| c != '\n').is_some() {},
            (false, '/', Some('*')) => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            (false, ']' | '}', _) => {
                let end = out.trim_end().trim_end_matches(',').len();
                out.truncate(end);
                out.push(c);
            }
            (true | false, c, _) => out.push(c),
        }
    }
    out
}

fn ini(settings: &mut FlatSettings, text: &str) {
    let mut section = String::new();
    let mut key = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.replace('.', "-");
            continue;
        }
        let entry = (!line.starts_with([' ', '\t'])).then(|| trimmed.split_once(['=', ':']));
        let value = match entry.flatten() {
            Some((name, value)) => {
                key = join(&section, name.trim());
                value
            }
            None => trimmed,
        };
        if key.ends_with("addopts") || key.contains("command") {
            put(settings, &key, value);
            continue;
        }
        for part in value.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            put(settings, &key, part);
        }
    }
}

/// The part of YAML that configuration is written in: mappings, lists and
/// blocks of text, told by their indentation.
fn yaml(settings: &mut FlatSettings, text: &str) {
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim_start();
        let mut indent = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') || rest == "---" {
            continue;
        }
        open.retain(|(depth, _)| *depth < indent || (rest.starts_with('-') && *depth == indent));
        while let Some(item) = rest.strip_prefix("- ") {
            let inner = item.trim_start();
            indent += rest.len() - inner.len();
            rest = inner;
        }
        open.retain(|(depth, _)| *depth < indent);
        let path = open.iter().fold(String::new(), |path, (_, key)| join(&path, key));
        let rest = rest.split(" #").next().unwrap_or(rest).trim_end();
        match rest.split_once(':') {
            Some((key, value)) if value.is_empty() || value.starts_with(' ') => {
                let key = key.trim().trim_matches(['"', '\'']).replace('.', "-");
                let value = value.trim();
                if !value.is_empty() && !matches!(value, "|" | ">" | "|-" | ">-") {
                    yaml_scalar(settings, &join(&path, &key), value);
                }
                open.push((indent, key));
            }
            Some(_) | None => yaml_scalar(settings, &path, rest),
        }
    }
}

fn yaml_scalar(settings: &mut FlatSettings, path: &str, value: &str) {
    let list = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    for part in list.map_or_else(|| vec![value], |list| list.split(',').collect()) {
        put(settings, path, part.trim().trim_matches(['"', '\'']));
    }
}

/// Objects and lists that are written out in JavaScript.
fn script(settings: &mut FlatSettings, text: &str) -> Option<()> {
    let tree = FlatSyntaxTree::parse(text, SupportLang::TypeScript).filter(|tree| !tree.broken)?;
    for id in tree.all() {
        let parent = tree.parent(id);
        let is_value = match tree.kind(parent) {
            "pair" => tree.children(parent).last() == Some(id),
            "array" => !matches!(tree.kind(id), "[" | "]" | "," | "object" | "array" | "comment"),
            _ => false,
        };
        let is_scalar = !matches!(tree.kind(id), "object" | "array") && !tree.is_comment(id);
        if is_value && is_scalar {
            let value = tree.text(id).trim_matches(['"', '\'', '`']);
            put(settings, &script_path(&tree, id), value);
        }
    }
    Some(())
}

fn script_path(tree: &FlatSyntaxTree<'_>, id: FlatNodeId) -> String {
    let mut keys: Vec<String> = Vec::new();
    for outer in tree.around(id) {
        let key = match tree.kind(outer) {
            "pair" => tree.children(outer).next().map(|key| tree.text(key)),
            "call_expression" => tree.children(outer).next().map(|callee| tree.text(callee)),
            _ => None,
        };
        keys.extend(key.map(|key| key.trim_matches(['"', '\'']).replace('.', "-")));
    }
    keys.reverse();
    keys.join(".")
}
