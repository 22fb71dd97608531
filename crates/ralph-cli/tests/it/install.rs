//! Installing into a host and leaving it as it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::Value;

const SETTINGS: &str = ".claude/settings.json";

fn call(project: &TestProject, verb: &str, more: &[&str]) -> CommandOutput {
    let mut args = vec![verb, "claude-code"];
    args.extend(more);
    project.ralph(&args).output()
}

#[track_caller]
fn install(project: &TestProject, more: &[&str]) -> CommandOutput {
    call(project, "install", more).exits(0)
}

#[track_caller]
fn uninstall(project: &TestProject, more: &[&str]) -> CommandOutput {
    call(project, "uninstall", more).exits(0)
}

fn settings(project: &TestProject) -> Value {
    serde_json::from_str(&project.read(SETTINGS)).unwrap_or_default()
}

fn events(settings: &Value) -> Vec<&str> {
    settings["hooks"].as_object().into_iter().flatten().map(|(event, _)| event.as_str()).collect()
}

#[test]
fn a_fresh_project_is_left_without_a_trace() {
    let project = crate::git();
    install(&project, &[]);
    let written = settings(&project);
    assert!(events(&written).contains(&"Stop"), "{written}");
    assert!(!events(&written).contains(&"PreToolUse"), "{written}");
    assert_eq!(written["env"]["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"], "0");
    assert!(project.read(".claude/commands/ralph.md").contains("$ARGUMENTS"));
    uninstall(&project, &[]);
    assert!(!project.root().join(".claude").exists());
}

#[test]
fn what_the_user_added_meanwhile_stays() {
    let project = crate::git();
    install(&project, &[]);
    let mine = project.read(SETTINGS).replacen("{\n", "{\n  \"model\": \"x\",\n", 1);
    project.file(SETTINGS, mine).file(".claude/commands/mine.md", "mine");
    uninstall(&project, &[]);
    assert_eq!(project.read(SETTINGS), "{\n  \"model\": \"x\"\n}\n");
    assert_eq!(project.read(".claude/commands/mine.md"), "mine");
}

#[test]
fn every_byte_of_settings_in_any_layout_comes_back() {
    let texts = [
        "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [ ]\r\n\t}\r\n}\r\n",
        "{\"permissions\":{\"allow\":[\"Bash(ls)\"]},\n\n   \"env\" : { \"A\":\"b\" } }",
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify"}]}],"Odd":7}}"#,
        "{}",
        "",
        " \n\t\r\n",
        "\u{feff}{\n  \"env\": { \"A\": \"b\" }\n}\n",
    ];
    for text in texts {
        let project = crate::git();
        project.file(SETTINGS, text).file(".mcp.json", "");
        install(&project, &["--arm", "on-errors"]);
        assert_ne!(project.read(SETTINGS), text);
        install(&project, &[]);
        uninstall(&project, &[]);
        assert_eq!(project.read(SETTINGS), text);
        assert_eq!(project.read(".mcp.json"), "");
    }
}

#[test]
fn what_is_changed_is_kept_where_only_the_owner_can_read_it() {
    let project = crate::git();
    project.file(SETTINGS, "{ \"env\": { \"KEY\": \"secret\" } }\n");
    let said = install(&project, &[]).stdout;
    let kept = said.split("(before: ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), "{ \"env\": { \"KEY\": \"secret\" } }\n");
    assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn settings_that_cannot_be_read_are_refused_with_the_place_and_nothing_changes() {
    let texts: [(&[u8], &str); 3] = [
        (b"{\n  // mine\n}\n", "settings.json: line 2, column 3: a comment"),
        (b"{\"hooks\": []}", "settings.json: line 1, column 11: `hooks` is an array"),
        (b"{\"a\": \"\xff\"}", "settings.json: not UTF-8"),
    ];
    for (text, message) in texts {
        let project = crate::git();
        project.file(SETTINGS, text);
        let before = project.everything();
        for verb in ["install", "uninstall"] {
            let said = call(&project, verb, &[]);
            let is_fine = verb == "uninstall" && message.contains("an array");
            assert_eq!(said.code, Some(if is_fine { 0 } else { 2 }), "{said:?}");
            assert!(is_fine || said.stderr.contains(message), "{}", said.stderr);
        }
        assert_eq!(fs::read(project.root().join(SETTINGS)).unwrap(), text);
        assert_eq!(project.everything(), before);
    }
}

#[test]
fn a_file_that_the_user_protected_is_not_replaced() {
    let project = crate::git();
    project.file(SETTINGS, "{}\n");
    let path = project.root().join(SETTINGS);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let before = project.everything();
    let said = call(&project, "install", &[]).exits(1);
    assert!(said.stderr.contains("settings.json is read-only"), "{}", said.stderr);
    assert_eq!((project.read(SETTINGS).as_str(), project.everything()), ("{}\n", before));
}

#[test]
fn a_link_stays_a_link_and_one_to_nothing_is_refused() {
    let project = crate::git();
    let target = project.outside("dotfiles.json");
    fs::create_dir(project.root().join(".claude")).unwrap();
    symlink(&target, project.root().join(SETTINGS)).unwrap();
    let said = call(&project, "install", &[]).exits(1);
    assert!(said.stderr.contains("is not there"), "{}", said.stderr);
    fs::write(&target, "{ }\n").unwrap();
    install(&project, &[]);
    assert!(fs::read_link(project.root().join(SETTINGS)).is_ok());
    assert!(fs::read_to_string(&target).unwrap().contains("ralph"));
    uninstall(&project, &[]);
    assert!(fs::read_link(project.root().join(SETTINGS)).is_ok());
    assert_eq!(fs::read_to_string(&target).unwrap(), "{ }\n");
}

#[test]
fn installing_twice_is_installing_once() {
    let project = crate::git();
    install(&project, &[]);
    let before = (project.read(SETTINGS), project.everything());
    let said = install(&project, &[]);
    assert!(said.stdout.contains("nothing to change."), "{}", said.stdout);
    assert_eq!((project.read(SETTINGS), project.everything()), before);
    assert!(uninstall(&project, &[]).stdout.contains("Removed"));
    assert!(uninstall(&project, &[]).stdout.contains("nothing to change."));
}

#[test]
fn entries_of_an_older_version_are_brought_up_to_date() {
    let project = crate::git();
    let old = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","timeout":30000,
        "command":"ralph hook --agent claude-code"}]}]}}"#;
    project.file(SETTINGS, old);
    install(&project, &[]);
    let written = settings(&project);
    let stops = written["hooks"]["Stop"].as_array().unwrap();
    assert_eq!(stops.len(), 1, "{written}");
    assert_eq!(stops[0]["hooks"][0]["args"][0], "hook", "{written}");
    assert_eq!(stops[0]["hooks"][0]["timeout"], 3600, "{written}");
}

#[test]
fn a_command_of_somebody_else_is_left_and_named() {
    let project = crate::git();
    project.file(".claude/commands/ralph.md", "my own\n");
    for verb in ["install", "uninstall"] {
        let said = call(&project, verb, &[]).exits(0);
        assert!(said.stderr.contains("commands/ralph.md is not ours"), "{}", said.stderr);
        assert_eq!(project.read(".claude/commands/ralph.md"), "my own\n");
    }
    assert!(!project.root().join(".claude/commands/cancel-ralph.md").exists());
}

#[test]
fn a_user_has_hooks_in_every_project_where_the_host_looks_for_them() {
    let project = crate::git();
    install(&project, &["--user"]);
    let home = project.outside("home/.claude/settings.json");
    assert!(fs::read_to_string(&home).unwrap().contains("\"Stop\""));
    uninstall(&project, &["--user"]);
    assert!(!home.exists());
    let elsewhere = project.outside("elsewhere");
    let args = ["install", "claude", "--user"];
    let _ = project.ralph(&args).env("CLAUDE_CONFIG_DIR", &elsewhere).output().exits(0);
    assert!(elsewhere.join("settings.json").exists() && !home.exists());
    assert!(!project.root().join(".claude").exists());
}

#[test]
fn the_cap_and_the_way_to_begin_are_what_was_asked_for() {
    let project = crate::git();
    install(&project, &["--cap", "30", "--arm", "on-errors"]);
    let written = settings(&project);
    assert_eq!(written["env"]["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"], "30");
    let before_edits = &written["hooks"]["PreToolUse"][0];
    assert_eq!(before_edits["matcher"], "Write|Edit|MultiEdit|NotebookEdit");
    assert_eq!(
        before_edits["hooks"][0]["timeout"],
        written["hooks"]["Stop"][0]["hooks"][0]["timeout"]
    );
    assert!(before_edits["hooks"][0]["args"].to_string().contains("--arm=on-errors"));
    install(&project, &["--arm", "every-session"]);
    assert!(!events(&settings(&project)).contains(&"PreToolUse"));
    assert_eq!(settings(&project)["env"]["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"], "0");
    project.file("ralph.toml", "[hooks]\narm = \"on-errors\"\n");
    install(&project, &[]);
    assert!(events(&settings(&project)).contains(&"PreToolUse"), "the settings ask for it");
    let _ = call(&project, "install", &["--arm", "sometimes"]).exits(2);
}

#[test]
fn an_installation_that_is_repeated_keeps_the_way_to_begin() {
    let project = crate::git();
    let opencode = |more: &[&str]| {
        let args = [&["install", "opencode"], more].concat();
        project.ralph(&args).output()
    };
    let first = opencode(&["--arm", "every-session"]).exits(0).stdout;
    assert!(first.contains("the first message of every session starts a loop"), "{first}");
    let _ = opencode(&[]).exits(0);
    assert!(project.read(".opencode/plugins/ralph.ts").contains("--arm=every-session"));
    let _ = opencode(&["--arm", "manual"]).exits(0);
    assert!(!project.read(".opencode/plugins/ralph.ts").contains("--arm="));
    let refused = opencode(&["--cap", "3"]).exits(2).stderr;
    assert!(refused.contains("no such cap"), "{refused}");
}

#[test]
fn a_server_of_somebody_else_is_named_and_stays() {
    let project = crate::git();
    let theirs = "{ \"mcpServers\": { \"ralph\": { \"command\": \"theirs\" } } }";
    project.file(".mcp.json", theirs);
    let said = install(&project, &[]);
    let said = said.stdout + &said.stderr;
    assert!(said.contains(".mcp.json has an entry `ralph` that is not ours"), "{said}");
    uninstall(&project, &[]);
    assert_eq!(project.read(".mcp.json"), theirs);
}

#[test]
fn a_dry_run_shows_the_lines_that_change_and_changes_none() {
    let project = crate::git();
    let lines: Vec<String> = (0..50).map(|n| format!("    \"A{n}\": \"b\",\n")).collect();
    let lines = lines.concat();
    let text = format!("{{\n  \"env\": {{\n{lines}    \"Z\": \"z\"\n  }}\n}}\n");
    project.file(SETTINGS, &text);
    let before = project.everything();
    let said = install(&project, &["--dry-run"]).stdout;
    assert!(said.contains("+    \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"0\"\n"), "{said}");
    assert!(said.contains("-    \"Z\": \"z\"\n+    \"Z\": \"z\",\n"), "{said}");
    assert!(!said.contains("\"A3\"") && said.contains("--- /dev/null\n"), "{said}");
    assert_eq!((project.read(SETTINGS), project.everything()), (text, before));
    install(&project, &[]);
    let before = project.everything();
    let said = uninstall(&project, &["--dry-run"]).stdout;
    assert!(said.contains("-    \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"0\"\n"), "{said}");
    assert!(said.contains("+++ /dev/null\n"), "{said}");
    assert_eq!(project.everything(), before);
}
