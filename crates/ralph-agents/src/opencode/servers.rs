//! The list of tool servers in the client's configuration.
//!
//! In a project it is in the folder of the plugin, which the client reads in
//! addition to the file at the root.

use serde_json::{Value, json};

use crate::servers::{JsonSyntax, ToolServerList};

/// The names of the configuration file.
const FILES: &[&str] = &["opencode.json", "opencode.jsonc"];

/// The location and format of the list.
pub(crate) const SERVERS: ToolServerList = ToolServerList {
    folder: ".opencode",
    project: FILES,
    user: FILES,
    by_hand: "",
    schema: Some("https://opencode.ai/config.json"),
    list: "mcp",
    syntax: JsonSyntax::Comments,
    entry,
    words,
};

fn entry(words: &[String], before: Option<&Value>) -> Value {
    let mut entry = before.cloned().unwrap_or_else(|| json!({ "enabled": true }));
    entry["type"] = "local".into();
    entry["command"] = words.into();
    entry
}

fn words(entry: &Value) -> Vec<String> {
    let words = entry["command"].as_array().into_iter().flatten();
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}
