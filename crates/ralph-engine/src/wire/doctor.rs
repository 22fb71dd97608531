//! The findings as JSON.

use ralph_agents::inspection::{CommandFile, CommandState, ForeignLoop, HookCall, SettingsScope};
use serde_json::{Value, json};

use crate::doctor::{
    ClientProgram, DoctorFinding, HookTrial, HostFacts, HostSettingsFolder, PluginLoadState, millis,
};

/// Renders all findings, and the facts about each host that calls us.
pub(crate) fn render(findings: &[DoctorFinding], hosts: &[HostFacts]) -> Value {
    let checks: Vec<Value> = findings.iter().map(finding).collect();
    let hosts: Vec<Value> = hosts.iter().map(host).collect();
    json!({ "schema": 1, "checks": checks, "hosts": hosts })
}

fn finding(finding: &DoctorFinding) -> Value {
    json!({
        "check": finding.what,
        "health": finding.health.name(),
        "detail": finding.detail,
    })
}

fn host(facts: &HostFacts) -> Value {
    let expected = facts.expected();
    let of = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<&str> {
        expected.iter().copied().filter(|event| is_wanted(facts.heard(event))).collect()
    };
    json!({
        "host": facts.host.name,
        "client": facts.client.as_ref().map(program),
        "programs": facts.programs.iter().map(program).collect::<Vec<_>>(),
        "arm": facts.arm.map(|(arm, _)| arm.name()),
        "gates_need_seconds": facts.needed.as_secs(),
        "events": {
            "heard": of(&|count| count > 0),
            "missing": of(&|count| count == 0),
            "doubled": of(&|count| count > 1),
        },
        "hooks": facts.tried.iter().map(tried).collect::<Vec<_>>(),
        "places": facts.places.iter().map(place).collect::<Vec<_>>(),
        "loaded": facts.loaded.map(loaded),
        "unreadable": facts.unreadable,
        "loops_here": facts.loops_here,
    })
}

fn loaded(loaded: PluginLoadState) -> Value {
    let (state, ago) = match loaded {
        PluginLoadState::Never => ("never", None),
        PluginLoadState::Outdated => ("outdated", None),
        PluginLoadState::Ago(ago) => ("current", Some(ago.as_secs())),
    };
    json!({ "state": state, "seconds_ago": ago })
}

fn program(found: &ClientProgram) -> Value {
    json!({
        "name": found.name,
        "path": found.path.to_string_lossy(),
        "version": found.version,
        "is_this": found.is_this,
    })
}

fn tried(tried: &HookTrial) -> Value {
    let command: Vec<&str> = match &tried.hook.call {
        HookCall::Program(program, args) => {
            std::iter::once(program).chain(args).map(String::as_str).collect()
        }
        HookCall::Line(line) | HookCall::Shell(line) => vec![line.as_str()],
    };
    json!({
        "event": tried.hook.event,
        "file": tried.file.to_string_lossy(),
        "command": command,
        "uses_shell": matches!(tried.hook.call, HookCall::Shell(_)),
        "timeout_seconds": tried.hook.granted.as_secs_f64(),
        "median_ms": tried.came_to.as_ref().ok().map(|took| millis(*took)),
        "trouble": tried.came_to.as_ref().err().map(ToString::to_string),
    })
}

fn place(place: &HostSettingsFolder) -> Value {
    let scope = match place.scope {
        SettingsScope::Project => "project",
        SettingsScope::User => "user",
    };
    let file = |file: &CommandFile| {
        let state = match file.state {
            CommandState::Current => "current",
            CommandState::Old => "old",
            CommandState::Foreign => "foreign",
            CommandState::Missing => "missing",
        };
        json!({ "path": file.path.to_string_lossy(), "state": state })
    };
    let others = place.seen.others.iter().map(|other| match other {
        ForeignLoop::Hook(file, words) => json!({ "hook": words, "file": file.to_string_lossy() }),
        ForeignLoop::Plugin(file, name) => {
            json!({ "plugin": name, "file": file.to_string_lossy() })
        }
    });
    let cap = place.seen.cap.as_ref().map(|cap| {
        json!({ "value": cap.value, "file": cap.file.to_string_lossy(), "is_ours": cap.is_ours })
    });
    json!({
        "scope": scope,
        "folder": place.folder.to_string_lossy(),
        "is_installed": place.seen.is_installed(),
        "cap": cap,
        "switched_off_by": place.seen.switched_off_by.as_ref().map(|file| file.to_string_lossy()),
        "plugin": place.seen.plugin.as_ref().map(file),
        "commands": place.seen.commands.iter().map(file).collect::<Vec<_>>(),
        "own_plugins": place.seen.own_plugins,
        "others": others.collect::<Vec<_>>(),
    })
}
