//! What `ralph doctor` finds out about hosts.

use std::fs;

use ralph_testkit::{BinaryCall, CommandOutput, TestProject};
use serde_json::{Value, json};

const SETTINGS: &str = ".claude/settings.json";

fn installed(more: &[&str]) -> TestProject {
    let project = crate::git();
    install(&project, more);
    project
}

#[track_caller]
fn install(project: &TestProject, more: &[&str]) {
    let _ = project.ralph(&["install", "claude-code"]).args(more).output().exits(0);
}

/// A call in an environment with no client of its own.
fn doctor(project: &TestProject, more: &[&str]) -> BinaryCall {
    project.ralph(&["doctor"]).args(more).env("PATH", "/usr/bin:/bin")
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn rewrite(project: &TestProject, change: impl FnOnce(&mut Value)) {
    let mut settings: Value = serde_json::from_str(&project.read(SETTINGS)).unwrap();
    change(&mut settings);
    project.file(SETTINGS, settings.to_string());
}

/// The lines about hosts, of this health.
fn lines(output: &CommandOutput, health: &str) -> Vec<String> {
    let start = format!("{health:<7} claude-code ");
    output.stdout.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect()
}

#[track_caller]
fn has(output: &CommandOutput, health: &str, words: &[&str]) {
    let fits = |line: &String| words.iter().all(|word| line.contains(word));
    assert!(lines(output, health).iter().any(fits), "{health} {words:?}\n{}", output.stdout);
}

#[test]
fn where_nothing_is_installed_one_remark_says_how() {
    let said = doctor(&crate::git(), &[]).output().exits(0);
    let remarks: Vec<&str> = said.stdout.lines().filter(|line| line.contains("claude")).collect();
    assert_eq!(remarks.len(), 1, "{}", said.stdout);
    assert!(remarks[0].contains("`ralph install claude-code`"), "{}", said.stdout);
}

#[test]
fn a_whole_installation_is_proven_hook_by_hook_and_leaves_no_trace() {
    for arm in ["manual", "on-errors", "every-session"] {
        let project = installed(&["--arm", arm]);
        let gate = "[gates.lint_clean]\ncommand = \"touch gate-ran\"\n";
        project.file("ralph.toml", format!("[run]\ncriteria = [\"lint_clean\"]\n\n{gate}"));
        // The work tree is read by every doctor, which leaves objects in git.
        let _ = doctor(&project, &[]).output();
        let before = project.everything();
        let said = doctor(&project, &["--json"]).output().exits(0).json();
        let host = &said["hosts"][0];
        assert_eq!((&host["host"], &host["arm"]), (&json!("claude-code"), &json!(arm)));
        assert_eq!(host["events"]["missing"], json!([]), "{host}");
        assert_eq!(host["events"]["doubled"], json!([]), "{host}");
        let hooks = host["hooks"].as_array().unwrap();
        assert_eq!(hooks.len(), if arm == "on-errors" { 12 } else { 11 });
        for hook in hooks {
            assert!(hook["median_ms"].is_u64() && hook["trouble"].is_null(), "{hook}");
        }
        assert_eq!(project.everything(), before, "{arm}");
    }
}

#[test]
fn what_the_doctor_tries_is_no_session_that_somebody_left() {
    let project = installed(&[]);
    let _ = project.ralph(&["memory", "add", "save() does not flush"]).output().exits(0);
    let _ = doctor(&project, &[]).output().exits(0);
    let known = project.ralph(&["sessions", "--all", "--json"]).output().exits(0).json();
    assert_eq!(known["sessions"], serde_json::json!([]), "{known}");
}

#[test]
fn the_client_its_version_and_the_cap_are_named() {
    let project = installed(&["--cap", "30"]);
    let bin = project.outside("bin");
    fs::create_dir(&bin).unwrap();
    project.script("client", "echo '2.1.325 (Claude Code)'");
    fs::rename(project.root().join("client"), bin.join("claude")).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let said = doctor(&project, &[]).env("PATH", path).output().exits(0);
    has(&said, "ok", &["client:", "2.1.325"]);
    has(&said, "ok", &["cap: 30 continuations", "by ralph", SETTINGS]);
    has(&said, "ok", &["hooks:", "Stop ", " ms"]);
    has(&said, "ok", &["arm: manual"]);
    has(&said, "ok", &["others:", "/goal"]);
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["client:", "`claude` is not on the PATH"]);
}

#[test]
fn a_program_that_is_gone_is_broken() {
    let project = installed(&[]);
    let own = project.binary().display().to_string();
    project.file(SETTINGS, project.read(SETTINGS).replace(&own, "/gone/ralph"));
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["Stop", "`/gone/ralph` is not there", "`ralph install claude-code`"]);
    assert_eq!(lines(&said, "broken").len(), 1, "{}", said.stdout);
    install(&project, &[]);
    let _ = doctor(&project, &[]).output().exits(0);
}

#[test]
fn a_program_that_speaks_out_of_turn_or_fails_is_broken() {
    let project = installed(&[]);
    let own = project.binary().display().to_string();
    let bad = project.root().join("bad.sh").display().to_string();
    project.file(SETTINGS, project.read(SETTINGS).replace(&own, &bad));
    project.script("bad.sh", "echo starting; echo '{}'");
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["not one JSON object: starting {}"]);
    has(&said, "note", &["program:", "bad.sh", "this is ralph"]);
    project.script("bad.sh", "echo oh no >&2; exit 2");
    has(&doctor(&project, &[]).output().exits(1), "broken", &["exit status: 2: oh no"]);
    project.script("bad.sh", "exec true");
    has(&doctor(&project, &[]).output().exits(1), "broken", &["did not answer `/ralph help`"]);
}

#[test]
fn a_host_that_is_less_patient_than_the_hook_is_broken() {
    let project = installed(&[]);
    rewrite(&project, |settings| {
        settings["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 5.into();
        settings["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"] = 30000.into();
    });
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["timeout: Stop is ended after 5s", "1h"]);
    has(&said, "note", &["timeout: PostToolUse may take"]);
}

#[test]
fn gates_that_need_more_time_than_hooks_have_are_named() {
    let project = installed(&[]);
    let gate = |timeout: &str| {
        let gate = format!("[gates.test_pass]\ncommand = \"true\"\ntimeout = \"{timeout}\"\n");
        project.file("ralph.toml", format!("[run]\ncriteria = [\"test_pass\"]\n\n{gate}"));
    };
    gate("90m");
    let said = doctor(&project, &[]).output().exits(0);
    has(
        &said,
        "note",
        &["timeout: gates may take 1h31m", "Stop 1h", "`ralph install claude-code`"],
    );
    install(&project, &[]);
    let said = doctor(&project, &[]).output().exits(0);
    assert!(!said.stdout.contains("gates may take"), "{}", said.stdout);
    gate("3h");
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["timeout:", "`ralph check --wait`"]);
}

#[test]
fn an_installation_in_two_places_is_named() {
    let project = installed(&[]);
    install(&project, &["--user"]);
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["installed twice: every event", "ralph uninstall claude-code"]);
    let json = doctor(&project, &["--json"]).output().exits(0).json();
    assert_eq!(json["hosts"][0]["events"]["doubled"].as_array().unwrap().len(), 11);
}

#[test]
fn events_that_nobody_tells_are_broken() {
    let project = installed(&[]);
    rewrite(&project, |settings| {
        settings["hooks"].as_object_mut().unwrap().remove("Stop");
    });
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["events: ralph does not hear of Stop;"]);
    install(&project, &[]);
    project.file("ralph.toml", "[hooks]\narm = \"on-errors\"\n");
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["does not hear of PreToolUse;", "`ralph install claude-code` again"]);
    install(&project, &[]);
    let said = doctor(&project, &[]).output().exits(0);
    let blind = "no linter, type checker or test was found, so only the security scan";
    has(&said, "note", &["arm: on-errors", "`hooks.arm`", blind, "[gates.lint_clean]"]);
    project.file(
        "ralph.toml",
        "[hooks]\narm = \"on-errors\"\n\n[gates.test_pass]\ncommand = \"true\"\n",
    );
    let said = doctor(&project, &[]).output().exits(0);
    assert!(!said.stdout.contains(blind), "{}", said.stdout);
}

#[test]
fn what_switches_hooks_off_is_broken() {
    let project = installed(&[]);
    project.file(".claude/settings.local.json", "{ \"disableAllHooks\": true }\n");
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["settings.local.json", "disableAllHooks"]);
    project.file(".claude/settings.local.json", "{ oops }\n");
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["settings.local.json: line 1, column 3"]);
}

#[test]
fn a_cap_of_the_users_own_is_named_as_such() {
    let project = crate::git();
    project.file(SETTINGS, "{\"env\":{\"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\":\"5\"}}");
    install(&project, &[]);
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["cap: 5 continuations", "is yours"]);
    rewrite(&project, |settings| settings["env"] = json!({}));
    has(&doctor(&project, &[]).output().exits(0), "note", &["cap: the host's own, 8"]);
}

#[test]
fn others_who_loop_are_named_with_what_happens() {
    let project = installed(&[]);
    rewrite(&project, |settings| {
        let hook = json!({ "hooks": [{ "type": "command", "command": "loop.sh" }] });
        settings["hooks"]["Stop"].as_array_mut().unwrap().push(hook);
        settings["enabledPlugins"] = json!({ "ralph-loop@official": true, "ralph@tools": true });
    });
    project.file(".claude/ralph-loop.local.md", "on");
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["others: `loop.sh`", "runs beside it"]);
    has(&said, "note", &["others: the plugin ralph-loop@official"]);
    has(&said, "note", &["others: .claude/ralph-loop.local.md", "stand down"]);
    has(&said, "note", &["plugin: ralph@tools is on beside the installed hooks"]);
}

#[test]
fn commands_that_are_gone_old_or_foreign_are_named() {
    let project = installed(&[]);
    let ours = project.read(".claude/commands/cancel-ralph.md");
    project.file(".claude/commands/cancel-ralph.md", format!("{ours}old\n"));
    project.file(".claude/commands/ralph.md", "mine\n");
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["command:", "commands/ralph.md is not ours"]);
    has(&said, "note", &["command:", "commands/cancel-ralph.md is of another version"]);
    fs::remove_file(project.root().join(".claude/commands/ralph.md")).unwrap();
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["command: `/ralph` is not there"]);
}

#[test]
fn hooks_of_an_older_version_are_tried_as_they_are() {
    let project = installed(&[]);
    let line = format!("'{}' hook --agent claude-code", project.binary().display());
    rewrite(&project, |settings| {
        settings["hooks"]["Stop"][0]["hooks"][0] = json!({ "type": "command", "command": line });
    });
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["Stop goes through a shell"]);
    has(&said, "ok", &["hooks:", "Stop "]);
}
