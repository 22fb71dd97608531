//! What `ralph doctor` finds out about a host that is reached by a plugin.

use std::fs;

use ralph_testkit::{BinaryCall, CommandOutput, TestProject};
use serde_json::json;

const PLUGIN: &str = ".opencode/plugins/ralph.ts";

fn installed(more: &[&str]) -> TestProject {
    let project = crate::git();
    let _ = project.ralph(&["install", "opencode"]).args(more).output().exits(0);
    project
}

/// A call in an environment with no client of its own.
fn doctor(project: &TestProject, more: &[&str]) -> BinaryCall {
    project.ralph(&["doctor"]).args(more).env("PATH", "/usr/bin:/bin")
}

#[track_caller]
fn has(output: &CommandOutput, health: &str, words: &[&str]) {
    let of_health = output.stdout.lines().filter_map(|line| line.strip_prefix(health));
    let mut lines = of_health.filter(|line| line.trim_start().starts_with("opencode "));
    let fits = |line: &str| words.iter().all(|word| line.contains(word));
    assert!(lines.any(fits), "{health} {words:?}\n{}", output.stdout);
}

/// Says what the plugin says when the client loads it.
#[track_caller]
fn load(project: &TestProject) {
    let payload = json!({ "v": 1, "type": "started", "directory": project.root() });
    let call = project.ralph(&["hook", "--agent", "opencode"]).stdin(payload.to_string());
    assert_eq!(call.output().exits(0).stdout, "");
}

#[test]
fn every_call_of_the_plugin_is_proven_and_leaves_no_trace() {
    for arm in ["manual", "every-session"] {
        let project = installed(&["--arm", arm]);
        // The work tree is read by every doctor, which leaves objects in git.
        let _ = doctor(&project, &[]).output();
        let before = project.everything();
        let said = doctor(&project, &["--json"]).output().exits(0).json();
        let host = &said["hosts"][0];
        assert_eq!((&host["host"], &host["arm"]), (&json!("opencode"), &json!(arm)));
        assert_eq!(host["places"][0]["plugin"]["state"], "current", "{host}");
        assert_eq!(host["events"]["missing"], json!([]), "{host}");
        assert_eq!(host["loaded"]["state"], "never", "{host}");
        let hooks = host["hooks"].as_array().unwrap();
        assert_eq!(hooks.len(), 11, "{host}");
        for hook in hooks {
            assert!(hook["median_ms"].is_u64() && hook["trouble"].is_null(), "{hook}");
        }
        assert_eq!(project.everything(), before, "{arm}");
    }
}

#[test]
fn in_korean_the_plugin_is_judged_in_korean() {
    let project = installed(&[]);
    let korean = |project: &TestProject| doctor(project, &[]).env("LC_ALL", "ko_KR.UTF-8").output();
    let said = korean(&project);
    has(&said, "정상", &["플러그인: ", "ralph.ts"]);
    has(&said, "참고", &["로드: ", "아직"]);
    has(&said, "참고", &["클라이언트: PATH 에 `opencode`"]);
    has(&said, "정상", &["훅: session.idle"]);
    load(&project);
    has(&korean(&project), "정상", &["전에 플러그인을 로드했습니다"]);
    let json = doctor(&project, &["--json"]).env("LC_ALL", "ko_KR.UTF-8").output().json();
    assert_eq!(json["checks"][0]["health"], "ok");
}

#[test]
fn in_korean_every_line_of_the_doctor_is_korean() {
    for project in [installed(&[]), crate::git(), crate::plain()] {
        let said = doctor(&project, &[]).env("LC_ALL", "ko_KR.UTF-8").output().stdout;
        let is_korean = |text: &str| text.chars().any(|c| matches!(c, '가'..='힣'));
        for line in said.lines() {
            // What is only a name or a number is the same in every language.
            let (head, detail) = line.split_at(line.char_indices().nth(18).map_or(0, |(at, _)| at));
            let is_sentence = detail.split_whitespace().count() > 3;
            assert!(is_korean(head) && (is_korean(detail) || !is_sentence), "{line}");
        }
    }
}

#[test]
fn whether_the_client_has_loaded_the_plugin_is_told_by_the_trace_it_leaves() {
    let project = installed(&[]);
    has(&doctor(&project, &[]).output().exits(0), "note", &["loaded:", "start `opencode`"]);
    load(&project);
    has(&doctor(&project, &[]).output().exits(0), "ok", &["loaded:", " ago"]);
    let later = fs::metadata(project.root().join(PLUGIN)).unwrap().modified().unwrap();
    let later = later + std::time::Duration::from_hours(1);
    fs::File::open(project.root().join(PLUGIN)).unwrap().set_modified(later).unwrap();
    has(&doctor(&project, &[]).output().exits(0), "note", &["loaded:", "restart"]);
}

#[test]
fn the_client_and_the_time_of_each_call_are_named() {
    let project = installed(&[]);
    project.script("bin/opencode", "echo 1.18.33");
    let path = format!("{}:/usr/bin:/bin", project.root().join("bin").display());
    let said = doctor(&project, &[]).env("PATH", path).output().exits(0);
    has(&said, "ok", &["client:", "1.18.33"]);
    has(&said, "ok", &["plugin:", PLUGIN]);
    has(&said, "ok", &["hooks:", "session.idle ", "tool.execute.after ", " ms"]);
    has(&said, "ok", &["arm: manual"]);
    assert!(!said.stdout.contains("others:"), "{}", said.stdout);
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["client:", "`opencode` is not on the PATH"]);
}

#[test]
fn a_plugin_that_is_gone_old_or_foreign_is_named() {
    let project = installed(&[]);
    let ours = project.read(PLUGIN);
    project.file(PLUGIN, format!("{ours}// old\n"));
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["plugin:", PLUGIN, "another version", "`ralph install opencode`"]);
    project.file(PLUGIN, "export const Mine = async () => ({})\n");
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["plugin:", PLUGIN, "is not ours"]);
    fs::remove_file(project.root().join(PLUGIN)).unwrap();
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["plugin: it is not there", "`ralph install opencode`"]);
    project.file(PLUGIN, ours);
    fs::remove_file(project.root().join(".opencode/commands/ralph.md")).unwrap();
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["command: `/ralph` is not there"]);
}

#[test]
fn a_plugin_whose_program_is_gone_or_does_not_answer_is_broken() {
    let project = installed(&[]);
    let own = project.binary().display().to_string();
    let ours = project.read(PLUGIN);
    project.file(PLUGIN, ours.replace(&own, "/gone/ralph"));
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["hooks:", "session.idle", "`/gone/ralph` is not there"]);
    let mute = project.root().join("mute.sh").display().to_string();
    project.file(PLUGIN, ours.replace(&own, &mute)).script("mute.sh", "exec true");
    let said = doctor(&project, &[]).output().exits(1);
    has(&said, "broken", &["command.execute.before", "did not answer `/ralph help`"]);
}

#[test]
fn a_plugin_in_two_places_is_named() {
    let project = installed(&[]);
    let _ = project.ralph(&["install", "opencode", "--user"]).output().exits(0);
    let said = doctor(&project, &[]).output().exits(0);
    has(&said, "note", &["installed twice: every event", "ralph uninstall opencode"]);
}
