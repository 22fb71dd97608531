//! Checks that hosts can start our tools. It starts the server as they would and lists its tools.

use std::process::Command;

use ralph_agents::inspection::SettingsScope;
use ralph_agents::servers::RegisteredServer;
use serde_json::{Value, json};

use super::DoctorFinding;
use super::facts::HostFacts;
use super::rehearsal::{HookProblem, PATIENCE, ProgramCall, refuse_foreign};
use crate::app::App;
use crate::install;

/// Makes all findings about the tools in a host that calls us.
pub(crate) fn judge(app: &App, facts: &HostFacts) -> Vec<DoctorFinding> {
    let host = facts.host;
    if !facts.is_installed() || host.servers.is_missing() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for scope in [SettingsScope::Project, SettingsScope::User] {
        let Some(settings) = install::folder(app, host, scope) else { continue };
        let folder = install::list_folder(app, host, scope, &settings);
        let read = |path: &std::path::Path| install::read_file(&folder, path);
        findings.extend(match host.servers.find(&read, scope) {
            Ok(None) => None,
            Ok(Some(found)) => Some(tried(app, facts, scope, &folder.join(&found.path), &found)),
            Err(error) => Some(DoctorFinding::broken(
                host.name,
                facts.locale.say(
                    format!("tools: {}/{error}; repair the file", folder.display()),
                    format!("도구: {}/{error}. 파일을 고치세요", folder.display()),
                ),
            )),
        });
    }
    if findings.is_empty() {
        let name = host.name;
        let text = if host.servers.by_hand.is_empty() || !host.servers.project.is_empty() {
            facts.locale.say(
                format!("tools: agents are given none; `ralph install {name}` adds them"),
                format!(
                    "도구: 에이전트에게 준 것이 없습니다. `ralph install {name}` 으로 추가합니다"
                ),
            )
        } else {
            let by_hand = host.servers.by_hand;
            facts.locale.say(
                format!("tools: {by_hand}, unless you did that already"),
                format!("도구: 이미 하지 않았다면: {by_hand}"),
            )
        };
        findings.push(DoctorFinding::remark(host.name, text));
    }
    findings
}

fn tried(
    app: &App,
    facts: &HostFacts,
    scope: SettingsScope,
    file: &std::path::Path,
    found: &RegisteredServer,
) -> DoctorFinding {
    let (name, file) = (facts.host.name, file.display());
    let seen = refuse_foreign(app, scope, &found.words).and_then(|()| tools(app, facts, found));
    match seen {
        Ok((tools, took)) if !tools.is_empty() => {
            let tools = tools.join(", ");
            let korean = format!("도구: {took} ms 에 {tools} ({file})");
            let english = format!("tools: {tools} in {took} ms (in {file})");
            DoctorFinding::fine(name, facts.locale.say(english, korean))
        }
        Ok(_) => {
            let words = found.words.join(" ");
            let korean = format!("도구: `{words}` 에 도구가 하나도 없습니다 ({file})");
            let english = format!("tools: `{words}` lists none (in {file})");
            DoctorFinding::broken(name, facts.locale.say(english, korean))
        }
        Err(trouble) => {
            let trouble = trouble.said(facts.locale);
            let english = format!("tools: {trouble} (in {file}; `ralph install {name}` again)");
            let korean =
                format!("도구: {trouble} ({file}, `ralph install {name}` 을 다시 실행하세요)");
            DoctorFinding::broken(name, facts.locale.say(english, korean))
        }
    }
}

/// Returns the tools that the server lists, and the milliseconds it took.
fn tools(
    app: &App,
    facts: &HostFacts,
    found: &RegisteredServer,
) -> Result<(Vec<String>, u64), HookProblem> {
    let words = found.words.join(" ");
    let [program, args @ ..] = found.words.as_slice() else {
        return Err(HookProblem::NotFound(words));
    };
    let path =
        app.locate(program.as_ref()).ok_or_else(|| HookProblem::NotFound(program.clone()))?;
    let mut command = Command::new(path);
    command.args(args);
    let call = ProgramCall { name: &words, command, stdin: &questions(), patience: PATIENCE };
    let said = call.answer(app, facts.host)?;
    let lines = said.stdout.split(|byte| *byte == b'\n');
    let answers = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let list = answers.into_iter().find(|answer| answer["id"] == 2).unwrap_or_default();
    let list = list["result"]["tools"].as_array().cloned().unwrap_or_default();
    let names = list.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned));
    Ok((names.collect(), super::hosts::millis(said.took)))
}

/// Renders the first messages of a client.
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
