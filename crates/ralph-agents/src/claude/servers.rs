//! The list of tool servers in a project's `.mcp.json`.
//!
//! The client keeps rewriting the file with the user's own list, so only the
//! client itself can add an entry there.

use serde_json::{Value, json};

use crate::servers::{JsonSyntax, ToolServerList};

/// The location and format of the list.
pub(crate) const SERVERS: ToolServerList = ToolServerList {
    folder: "",
    project: &[".mcp.json"],
    user: &[],
    by_hand: "`claude mcp add --scope user ralph -- ralph mcp` gives agents its tools in every project",
    schema: None,
    list: "mcpServers",
    syntax: JsonSyntax::Strict,
    entry,
    words,
};

fn entry(words: &[String], before: Option<&Value>) -> Value {
    let mut entry = before.cloned().unwrap_or_else(|| json!({}));
    entry["command"] = words.first().cloned().into();
    entry["args"] = words.get(1..).unwrap_or_default().into();
    entry
}

fn words(entry: &Value) -> Vec<String> {
    let args = entry["args"].as_array().into_iter().flatten();
    let words = std::iter::once(&entry["command"]).chain(args);
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}
