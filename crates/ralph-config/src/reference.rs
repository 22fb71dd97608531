//! The reference of all settings, generated from their table.

use std::fmt::Write;

use ralph_core::policy::Criterion;
use serde_json::{Map, Value as Json, json};

use super::keys::{KEYS, SettingKey};
use super::value::SettingKind;

/// Renders the reference as Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Configuration\n\n\
         Settings are read from, later ones winning: the user's `ralph/config.toml` in the platform's\n\
         configuration folder, `ralph.toml` at the project's root, environment variables, flags.\n\
         An unknown key is an error. `ralph config` prints what holds and where it came from.\n",
    );
    let mut section = "";
    for key in KEYS {
        let table = key.path.rsplit_once('.').map_or("", |(table, _)| table);
        if table != section {
            let _ = write!(
                out,
                "\n## `[{table}]`\n\n| key | takes | default | what it does | variable |\n|---|---|---|---|---|\n"
            );
            section = table;
        }
        row(&mut out, key);
    }
    out.push_str(
        "\nWhere several gates stand for one criterion each has a label: `[gates.\"test_pass:web\"]` takes\n\
         the same keys as `[gates.test_pass]`, and `criteria = [\"test_pass\"]` means all of them,\n\
         `criteria = [\"test_pass:web\"]` that one. A criterion without a command uses what `ralph init`\n\
         detects.\n",
    );
    out
}

fn row(out: &mut String, key: &SettingKey) {
    let name = key.path.rsplit('.').next().unwrap_or(key.path);
    let takes = match key.kind {
        SettingKind::Choice(words) => quoted(words),
        SettingKind::Agent(words) => {
            format!("{}, or the name of a table `[agents.NAME]`", quoted(words))
        }
        SettingKind::Text
        | SettingKind::Count
        | SettingKind::Span
        | SettingKind::Money
        | SettingKind::Budget
        | SettingKind::Size
        | SettingKind::List
        | SettingKind::Criteria
        | SettingKind::Switch
        | SettingKind::Command => key.kind.describe().to_owned(),
    };
    let variable = key.variable.map_or_else(String::new, |name| format!("`{name}`"));
    let _ = writeln!(out, "| `{name}` | {takes} | {} | {} | {variable} |", key.default, key.help);
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Renders the JSON schema of a configuration file.
pub fn schema() -> String {
    let mut root = object();
    for key in KEYS {
        let parts: Vec<&str> = key.path.split('.').collect();
        insert(&mut root, &parts, key);
    }
    add_labelled(&mut root);
    add_servers(&mut root);
    // Their form is checked when they are read.
    root["properties"]["agents"] = json!({
        "type": "object",
        "additionalProperties": { "type": "object" },
        "description": "Agents of your own, or changes of known ones; docs/guide/agents.md has their keys",
    });
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("ralph.toml");
    let mut text = serde_json::to_string_pretty(&root).unwrap_or_default();
    text.push('\n');
    text
}

fn object() -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

fn insert(node: &mut Json, parts: &[&str], key: &SettingKey) {
    let Some((first, rest)) = parts.split_first() else { return };
    let properties = node["properties"].as_object_mut();
    let Some(properties): Option<&mut Map<String, Json>> = properties else { return };
    if rest.is_empty() {
        properties.insert((*first).to_owned(), value_schema(key));
    } else {
        insert(properties.entry(*first).or_insert_with(object), rest, key);
    }
}

/// Gives gates with a label the settings of their criterion.
fn add_labelled(root: &mut Json) {
    let gates = &mut root["properties"]["gates"];
    let mut patterns = Map::new();
    for criterion in Criterion::NAMED {
        let name = criterion.name();
        patterns.insert(format!("^{name}:.+$"), gates["properties"][name].clone());
    }
    gates["patternProperties"] = Json::Object(patterns);
}

/// Allows language servers with any name.
fn add_servers(root: &mut Json) {
    let servers = &mut root["properties"]["lsp"];
    servers["additionalProperties"] = servers["properties"]["NAME"].clone();
}

fn value_schema(key: &SettingKey) -> Json {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let mut schema = match key.kind {
        SettingKind::Text | SettingKind::Span | SettingKind::Size => json!({ "type": "string" }),
        SettingKind::Choice(words) => json!({ "enum": words }),
        SettingKind::Agent(words) => json!({ "type": "string", "examples": words }),
        SettingKind::Count => json!({ "type": "integer", "minimum": 1 }),
        SettingKind::Money => json!({ "type": "number", "minimum": 0 }),
        SettingKind::Budget => json!({ "type": "number", "exclusiveMinimum": 0 }),
        SettingKind::List => texts,
        SettingKind::Switch => json!({ "type": "boolean" }),
        SettingKind::Criteria | SettingKind::Command => {
            json!({ "oneOf": [{ "type": "string" }, texts] })
        }
    };
    schema["description"] = json!(format!("{} (default: {})", key.help, key.default));
    schema
}
