//! The log for finding out why.

use std::fs;
use std::path::PathBuf;

use ralph_testkit::TestProject;

fn project() -> TestProject {
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    project.agent("echo '<promise>DONE</promise>'");
    project
}

fn logs(project: &TestProject) -> Vec<PathBuf> {
    let files = project.everything().into_iter();
    files.filter(|file| file.file_name().is_some_and(|name| name == "debug.log")).collect()
}

#[test]
fn a_run_logs_its_turns_and_gates_in_its_own_folder_on_request() {
    let project = project();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let gate = format!("custom:true {token}");
    let ended = project.run_call("work", &["--criteria", &gate]).env("RALPH_LOG", "debug").output();
    let ended = ended.ends("success/claimed", 1);
    assert!(!ended.stderr.contains("turn{"), "{}", ended.stderr);
    let [log] = logs(&project).try_into().unwrap();
    assert!(log.parent().unwrap().ends_with(ended.ended()["run_id"].as_str().unwrap()), "{log:?}");
    let text = fs::read_to_string(log).unwrap();
    for said in ["turn{", "number=1", "gate{", "time.busy"] {
        assert!(text.contains(said), "{said} in {text}");
    }
    assert!(!text.contains(&token), "{text}");
}

#[test]
fn nothing_is_logged_unless_it_is_asked_for() {
    let project = project();
    let _ = project.run_call("work", &[]).output().ends("success/claimed", 1);
    assert_eq!(logs(&project), Vec::<PathBuf>::new());
}

#[test]
fn a_hook_logs_in_the_state_folder_and_answers_as_ever() {
    let project = project();
    let _ = project.run_call("work", &[]).output().ends("success/claimed", 1);
    let hook = project.ralph(&["hook", "--agent", "claude-code"]).env("RALPH_LOG", "debug");
    let payload = r#"{"session_id":"s","hook_event_name":"SessionEnd","reason":"clear"}"#;
    let answer = hook.stdin(payload).output().exits(0);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""));
    let [log] = logs(&project).try_into().unwrap();
    assert!(fs::read_to_string(log).unwrap().contains("hook"));
}

#[test]
fn other_commands_log_to_stderr() {
    let project = project();
    let said = project.ralph(&["memory", "add", "-v", "the port is 8080"]).output().exits(0);
    assert!(said.stderr.contains("memory write"), "{}", said.stderr);
    assert_eq!(logs(&project), Vec::<PathBuf>::new());
}
