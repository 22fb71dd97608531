//! Inspects a host's folder, and creates payloads to test its hooks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::settings::{self, HookSettings, HookShape, SettingsHook};
use super::{HookDialect, HookMeaning, commands, toml_blocks};
use crate::inspection::{CommandFile, ContinuationCap, HookCall, InstalledHook};
use crate::inspection::{ForeignLoop, InstallInspection, SettingsScope};
use crate::install::{FolderReader, HostFileError, text};

/// A default timeout for hooks, where the settings do not say.
const GRANTED: Duration = Duration::from_mins(10);

/// A default timeout for prompt hooks.
const GRANTED_TO_PROMPTS: Duration = Duration::from_secs(30);

/// Inspects the settings and the commands of a folder.
pub(crate) fn inspect(
    dialect: &HookDialect,
    read: &FolderReader<'_>,
    scope: SettingsScope,
) -> Result<InstallInspection, HostFileError> {
    let mut seen = InstallInspection::default();
    let form = &dialect.settings;
    let private = form.private.filter(|_| scope == SettingsScope::Project);
    for name in private.into_iter().chain([form.file]) {
        let Some(text) = text(read, name)?.filter(|text| !text.trim().is_empty()) else { continue };
        let found = if form.shape == HookShape::Toml {
            HookSettings { ours: toml_blocks::inspect(dialect, &text), ..HookSettings::default() }
        } else {
            let found = settings::inspect(dialect, &text);
            found.map_err(|error| HostFileError::new(Path::new(name), error))?
        };
        add(dialect, &mut seen, Path::new(name), found);
    }
    for file in dialect.commands.files() {
        let state = commands::state(read, &file)?;
        seen.commands.push(CommandFile { path: PathBuf::from(file.path), state });
    }
    Ok(seen)
}

fn add(dialect: &HookDialect, seen: &mut InstallInspection, file: &Path, found: HookSettings) {
    let HookSettings { ours, foreign_stops, cap, own_cap, is_disabled, loop_plugins, own_plugins } =
        found;
    seen.hooks.extend(ours.into_iter().map(|hook| installed(dialect, file, hook)));
    let foreign = foreign_stops.iter().map(|hook| ForeignLoop::Hook(file.to_owned(), words(hook)));
    seen.others.extend(foreign);
    let plugin = |name| ForeignLoop::Plugin(file.to_owned(), name);
    seen.others.extend(loop_plugins.into_iter().map(plugin));
    seen.own_plugins.extend(own_plugins);
    // Settings with precedence come first.
    if let (None, Some(value)) = (&seen.cap, cap) {
        let is_ours = own_cap.is_some_and(|own| own == value);
        seen.cap = Some(ContinuationCap { file: file.to_owned(), value, is_ours });
    }
    if is_disabled && seen.switched_off_by.is_none() {
        seen.switched_off_by = Some(file.to_owned());
    }
}

fn installed(dialect: &HookDialect, file: &Path, hook: SettingsHook) -> InstalledHook {
    let means = dialect.meaning(&hook.event);
    let otherwise = match means {
        Some(HookMeaning::Prompt) => GRANTED_TO_PROMPTS,
        _ => GRANTED,
    };
    let granted = hook.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    InstalledHook {
        file: file.to_owned(),
        granted: granted.unwrap_or(otherwise),
        own: hook.own_timeout(),
        runs_gates: matches!(
            means,
            Some(HookMeaning::TurnEnded | HookMeaning::Prompt | HookMeaning::BeforeEdit)
        ),
        arm: hook.arm().map(str::to_owned),
        event: hook.event,
        call: match (dialect.settings.shape, hook.args.is_empty()) {
            (_, false) => HookCall::Program(hook.command, hook.args),
            (HookShape::Programs, true) => HookCall::Shell(hook.command),
            (_, true) => HookCall::Line(hook.command),
        },
    }
}

/// Returns the command line of a foreign hook.
fn words(hook: &SettingsHook) -> String {
    if hook.command.is_empty() {
        return "a hook without a command".to_owned();
    }
    let words: Vec<&str> =
        std::iter::once(&hook.command).chain(&hook.args).map(String::as_str).collect();
    words.join(" ")
}

/// Returns a payload as the client sends it for this event, without effect: it
/// starts no loop and names no file. The prompt asks for ralph's help, which
/// works in every project.
pub(crate) fn payload(dialect: &HookDialect, event: &str, session: &str, root: &Path) -> String {
    let fields = &dialect.fields;
    let root = root.to_string_lossy();
    let folder = match fields.folder {
        many if many.ends_with('s') => json!([root]),
        _ => json!(root),
    };
    let mut payload = json!({
        fields.session: session,
        fields.folder: folder,
        fields.event: event,
        "transcript_path": "",
        "permission_mode": "default",
    });
    let tool = json!({
        "tool_name": "Read", "tool_use_id": "toolu_0", "tool_input": { "file_path": "" },
        "tool_response": { "type": "text" },
    });
    let more = match dialect.meaning(event) {
        Some(HookMeaning::SessionStarted) => json!({ "source": "startup" }),
        Some(HookMeaning::Prompt) => json!({ "prompt": "/ralph help" }),
        Some(HookMeaning::BeforeEdit | HookMeaning::ToolUsed) => tool,
        Some(HookMeaning::FileEdited) => json!({ "file_path": "", "edits": [] }),
        Some(HookMeaning::ToolFailed) => json!({
            "tool_name": "Bash", "tool_use_id": "toolu_0", "tool_input": { "command": "false" },
            "error": "Exit code 1", "is_interrupt": false,
        }),
        Some(HookMeaning::ToolBatch) => json!({ "tool_calls": [tool] }),
        Some(HookMeaning::TurnEnded) => json!({
            "stop_hook_active": false, "last_assistant_message": "Nothing was done.",
            "background_tasks": [], "session_crons": [],
        }),
        Some(HookMeaning::ChildEnded) => json!({
            "agent_id": "a0", "agent_type": "general-purpose", "stop_hook_active": false,
            "last_assistant_message": "Nothing was done.", "background_tasks": [],
        }),
        Some(HookMeaning::TurnBroken) => {
            json!({ "error": "unknown", "last_assistant_message": "API Error" })
        }
        Some(HookMeaning::Compacting) => json!({ "trigger": "manual", "custom_instructions": "" }),
        Some(HookMeaning::Compacted) => json!({ "trigger": "manual", "compact_summary": "" }),
        Some(HookMeaning::SessionEnded) => json!({ "reason": "other" }),
        Some(HookMeaning::Command | HookMeaning::Interrupted) | None => Value::Null,
    };
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    payload.to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;

    use ralph_core::host::{HostEventKind, PromptEvent, ToolEvent};

    use crate::inspection::CommandState;

    use super::*;
    use crate::hooks::rows::{ALL, CLAUDE};
    use crate::hooks::{parse, plan_install};
    use crate::install::InstallOptions;

    type SettingsFiles = BTreeMap<&'static str, String>;

    fn look(files: &SettingsFiles, scope: SettingsScope) -> InstallInspection {
        let read = |path: &Path| Ok(path.to_str().and_then(|path| files.get(path)).cloned());
        inspect(&CLAUDE, &read, scope).unwrap()
    }

    fn fresh() -> SettingsFiles {
        let wanted = InstallOptions {
            program: "ralph".to_owned(),
            cap: 0,
            arm: None,
            looks_before_edits: true,
            gates: Duration::from_mins(30),
        };
        let plan = plan_install(&CLAUDE, &|_| Ok(None), &wanted).unwrap();
        let of = |path: &Path| {
            let known = ["settings.json", "commands/ralph.md", "commands/cancel-ralph.md"];
            known.into_iter().find(|known| path == Path::new(known)).unwrap()
        };
        plan.changes.into_iter().map(|change| (of(&change.path), change.after.unwrap())).collect()
    }

    #[test]
    fn an_installation_is_found_as_it_was_written() {
        let seen = look(&fresh(), SettingsScope::User);
        let events: Vec<&str> = seen.hooks.iter().map(|hook| hook.event.as_str()).collect();
        assert_eq!(events.len(), 12);
        let stop = seen.hooks.iter().find(|hook| hook.event == "Stop").unwrap();
        assert!(matches!(&stop.call, HookCall::Program(program, _) if program == "ralph"));
        assert_eq!((stop.granted, stop.own), (Duration::from_mins(30), Some(stop.granted)));
        assert!(stop.runs_gates && seen.is_installed() && seen.others.is_empty());
        let cap =
            ContinuationCap { file: "settings.json".into(), value: "0".to_owned(), is_ours: true };
        assert_eq!(seen.cap, Some(cap));
        assert!(seen.commands.iter().all(|file| file.state == CommandState::Current));
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let seen = look(&SettingsFiles::new(), SettingsScope::Project);
        assert!(!seen.is_installed());
        assert!(seen.commands.iter().all(|file| file.state == CommandState::Missing));
    }

    #[test]
    fn settings_that_are_not_shared_count_in_a_project_alone_and_win() {
        let mut files = fresh();
        let text = r#"{"disableAllHooks":true,"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"4"}}"#;
        files.insert("settings.local.json", text.to_owned());
        let seen = look(&files, SettingsScope::Project);
        assert_eq!(seen.switched_off_by, Some("settings.local.json".into()));
        let cap = seen.cap.unwrap();
        assert_eq!((cap.value.as_str(), cap.is_ours), ("4", false));
        assert_eq!(look(&files, SettingsScope::User).switched_off_by, None);
    }

    #[test]
    fn entries_of_older_versions_and_of_others_are_told_apart() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[
            {"type":"command","command":"ralph hook --agent claude-code"},
            {"type":"command","command":"loop.sh","args":["--on"]},
            {"type":"prompt","prompt":"done?"}]}],
            "UserPromptSubmit":[{"hooks":[
            {"type":"command","command":"ralph hook --agent claude-code","timeout":-1}]}]},
            "enabledPlugins":{"ralph-loop@x":true}}"#;
        let mut files = SettingsFiles::new();
        files.insert("settings.json", text.to_owned());
        files.insert("commands/ralph.md", "mine".to_owned());
        files.insert("commands/cancel-ralph.md", format!("{}\n", CLAUDE.commands.files()[1].text));
        let seen = look(&files, SettingsScope::Project);
        assert!(matches!(&seen.hooks[0].call, HookCall::Shell(line) if line.starts_with("ralph ")));
        assert_eq!((seen.hooks[0].granted, seen.hooks[0].own), (GRANTED, None));
        assert_eq!(seen.hooks[1].granted, GRANTED_TO_PROMPTS);
        let file = || PathBuf::from("settings.json");
        let others = [
            ForeignLoop::Hook(file(), "loop.sh --on".to_owned()),
            ForeignLoop::Hook(file(), "a hook without a command".to_owned()),
            ForeignLoop::Plugin(file(), "ralph-loop@x".to_owned()),
        ];
        assert_eq!(seen.others, others);
        let states: Vec<CommandState> = seen.commands.iter().map(|file| file.state).collect();
        assert_eq!(states, [CommandState::Foreign, CommandState::Old]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let damaged = |path: &Path| {
            Ok((path == Path::new("settings.json")).then(|| "{\n  \"a\": 1,\n}".to_owned()))
        };
        let error = inspect(&CLAUDE, &damaged, SettingsScope::User).unwrap_err();
        assert_eq!(
            error.to_string(),
            "settings.json: line 2, column 9: trailing commas are not allowed"
        );
        let error =
            inspect(&CLAUDE, &|_| Err(io::Error::other("gone")), SettingsScope::User).unwrap_err();
        assert_eq!(error.to_string(), "settings.json: gone");
    }

    #[test]
    fn a_payload_of_every_event_is_understood_and_names_no_file() {
        let of = |dialect: &'static HookDialect| dialect.events.iter().map(move |it| (dialect, it));
        for (dialect, event) in ALL.iter().copied().flat_map(of) {
            let event = event.name;
            let payload = payload(dialect, event, "s-1", Path::new("/p"));
            let said = parse(dialect, payload.as_bytes()).unwrap();
            assert_eq!(said.folder, Some("/p".into()), "{event}");
            assert_eq!(said.session.unwrap().as_str(), "s-1", "{event}");
            match said.what {
                HostEventKind::Other { .. } => panic!("{event}"),
                HostEventKind::Tools(ToolEvent::Asked(used)) => assert!(used.files.is_empty()),
                HostEventKind::Tools(ToolEvent::Used(uses)) => {
                    assert!(!uses.is_empty() && uses.iter().all(|used| used.files.is_empty()));
                }
                HostEventKind::Prompt(PromptEvent::Sent { text, .. }) => {
                    assert_eq!(text, "/ralph help");
                }
                HostEventKind::Session(_)
                | HostEventKind::Prompt(_)
                | HostEventKind::Turn(_)
                | HostEventKind::Tools(_)
                | HostEventKind::HostStarted
                | HostEventKind::Action(_) => {}
            }
        }
    }
}
