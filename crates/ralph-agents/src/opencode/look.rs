//! Inspects the client's folder, and creates payloads to test the plugin's
//! calls.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::{EVENTS, VERSION, files};
use crate::inspection::{CommandFile, CommandState, HookCall, InstalledHook};
use crate::inspection::{InstallInspection, SettingsScope};
use crate::install::{FolderReader, HostFileError, text};

/// Default time limit of a call.
const GRANTED: Duration = Duration::from_mins(1);

/// Events at which gates may run.
const GATED: [&str; 3] = ["session.idle", "chat.message", "command.execute.before"];

/// Inspects the plugin and the commands of a folder.
pub fn inspect(
    read: &FolderReader<'_>,
    _scope: SettingsScope,
) -> Result<InstallInspection, HostFileError> {
    let mut seen = InstallInspection::default();
    for path in files::PATHS {
        let found = text(read, path)?;
        let state = match &found {
            None => CommandState::Missing,
            Some(text) if files::is_current(path, text) => CommandState::Current,
            Some(text) if files::is_ours(text) => CommandState::Old,
            Some(_) => CommandState::Foreign,
        };
        let file = CommandFile { path: PathBuf::from(path), state };
        if !path.starts_with("plugins/") {
            seen.commands.push(file);
            continue;
        }
        if file.state != CommandState::Foreign {
            let call = found.as_deref().and_then(files::called).unwrap_or_default();
            seen.hooks = calls(path, &call);
        }
        seen.plugin = Some(file);
    }
    Ok(seen)
}

/// Returns the plugin's call for each event.
fn calls(path: &str, call: &[String]) -> Vec<InstalledHook> {
    let Some((program, args)) = call.split_first() else { return Vec::new() };
    let flag = |name: &str| args.iter().find_map(|word| word.strip_prefix(name));
    let own = flag("--timeout=").and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    let hook = |event: &&str| InstalledHook {
        file: PathBuf::from(path),
        event: (*event).to_owned(),
        call: HookCall::Program(program.clone(), args.to_vec()),
        // The plugin itself has no timeout.
        granted: own.unwrap_or(GRANTED),
        own,
        runs_gates: GATED.contains(event),
        arm: flag("--arm=").map(str::to_owned),
    };
    EVENTS.iter().map(hook).collect()
}

/// Returns a payload as the plugin sends it for an event, without effect: it
/// starts no loop and names no file. The prompt asks for ralph's help, which
/// works in every project.
pub fn payload(event: &str, session: &str, root: &Path) -> String {
    let root = root.to_string_lossy();
    let mut payload = json!({ "v": VERSION, "type": event, "session": session, "directory": root });
    let message = json!({ "id": "msg_0", "text": "Nothing was done.", "summary": false });
    let more = match event {
        "session.idle" => json!({ "message": message }),
        "session.error" => {
            json!({ "error": { "name": "UnknownError", "data": {} }, "message": message })
        }
        "chat.message" => json!({ "text": "/ralph help", "first": false }),
        "command.execute.before" => json!({ "command": "ralph", "arguments": "help" }),
        "tool.execute.after" => json!({ "tool": "read", "call": "call_0", "args": {} }),
        "permission.asked" => json!({ "permission": "bash", "patterns": ["true"] }),
        "prompt.failed" => json!({ "attempt": 1, "error": "not there" }),
        _ => Value::Null,
    };
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    payload.to_string()
}

#[cfg(test)]
mod tests {
    use ralph_core::host::{HostEventKind, PromptEvent, ToolEvent};

    use super::*;
    use crate::opencode::parse;

    #[test]
    fn every_event_has_a_payload_that_is_understood_and_does_nothing() {
        for event in EVENTS {
            let payload = payload(event, "s", Path::new("/p"));
            let what = parse(payload.as_bytes()).unwrap().what;
            assert!(!matches!(what, HostEventKind::Other { .. }), "{event} is not understood");
            if let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = &what {
                assert_eq!(text, "/ralph help");
            }
            if let HostEventKind::Tools(ToolEvent::Used(uses)) = &what {
                assert!(uses[0].files.is_empty());
            }
        }
    }

    #[test]
    fn the_calls_of_a_plugin_are_those_it_was_written_with() {
        let line = r#"const COMMAND = ["ralph", "hook", "--timeout=90", "--arm=every-session"]"#;
        let plugin = format!("// ralph for OpenCode: \n{line}\n");
        let read = |path: &Path| Ok(path.starts_with("plugins").then(|| plugin.clone()));
        let seen = inspect(&read, SettingsScope::Project).unwrap();
        assert_eq!(seen.hooks.len(), EVENTS.len());
        let hook = &seen.hooks[0];
        assert_eq!((hook.event.as_str(), hook.runs_gates), ("session.idle", true));
        assert_eq!((hook.own, hook.arm.as_deref()), (Some(GRANTED / 2 * 3), Some("every-session")));
        assert_eq!(seen.plugin.unwrap().state, CommandState::Old);
        assert!(seen.commands.iter().all(|file| file.state == CommandState::Missing));
    }
}
