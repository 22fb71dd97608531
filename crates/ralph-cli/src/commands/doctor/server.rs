//! Whether hosts can start our tools: starts the server as they would and asks
//! it which ones it has.

use std::process::Command;

use ralph_agents::inspection::Scope;
use ralph_agents::servers::Registered;
use serde_json::{Value, json};

use super::Finding;
use super::facts::Facts;
use super::rehearsal::{self, PATIENCE, Trouble};
use crate::app::App;
use crate::commands::install;

/// Everything that can be said about the tools in a host that calls us.
pub(super) fn judge(app: &App, facts: &Facts) -> Vec<Finding> {
    if !facts.is_installed() {
        return Vec::new();
    }
    let host = facts.host;
    let mut findings = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let Some(settings) = install::folder(app, host, scope) else { continue };
        let folder = install::list_folder(app, host, scope, &settings);
        let read = |path: &std::path::Path| install::files::read(&folder, path);
        findings.extend(match host.servers.find(&read, scope) {
            Ok(None) => None,
            Ok(Some(found)) => Some(tried(app, facts, &folder.join(&found.path), &found)),
            Err(error) => Some(Finding::broken(
                host.name,
                format!("tools: {}/{error}; repair the file", folder.display()),
            )),
        });
    }
    if findings.is_empty() {
        let text = format!("tools: agents are given none; `ralph install {}` adds them", host.name);
        findings.push(Finding::remark(host.name, text));
    }
    findings
}

fn tried(app: &App, facts: &Facts, file: &std::path::Path, found: &Registered) -> Finding {
    let name = facts.host.name;
    match tools(app, facts, found) {
        Ok((tools, took)) if !tools.is_empty() => Finding::fine(
            name,
            format!("tools: {} in {took} ms (in {})", tools.join(", "), file.display()),
        ),
        Ok(_) => Finding::broken(
            name,
            format!("tools: `{}` lists none (in {})", found.words.join(" "), file.display()),
        ),
        Err(trouble) => Finding::broken(
            name,
            format!("tools: {trouble} (in {}; `ralph install {name}` again)", file.display()),
        ),
    }
}

/// The tools that the server lists, and the milliseconds that took.
fn tools(app: &App, facts: &Facts, found: &Registered) -> Result<(Vec<String>, u64), Trouble> {
    let words = found.words.join(" ");
    let [program, args @ ..] = found.words.as_slice() else {
        return Err(Trouble::NotFound(words));
    };
    let path = app.locate(program.as_ref()).ok_or_else(|| Trouble::NotFound(program.clone()))?;
    let mut command = Command::new(path);
    command.args(args);
    let said = rehearsal::answer(app, facts.host, (&words, command), (&questions(), PATIENCE))?;
    let lines = said.stdout.split(|byte| *byte == b'\n');
    let answers = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let list = answers.into_iter().find(|answer| answer["id"] == 2).unwrap_or_default();
    let list = list["result"]["tools"].as_array().cloned().unwrap_or_default();
    let names = list.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned));
    Ok((names.collect(), super::hosts::millis(said.took)))
}

/// What a client says first.
fn questions() -> String {
    let client = json!({ "name": "ralph-doctor", "version": env!("CARGO_PKG_VERSION") });
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines.join("\n") + "\n"
}
