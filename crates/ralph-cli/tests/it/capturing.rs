//! What is kept of sessions while they go on.

use std::fs;
use std::path::{Path, PathBuf};

use ralph_memory::event::SessionStatus;
use ralph_memory::{MessageRole, Notebook, SessionFilter, SessionLookup, SessionRecord as Known};
use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::hooks::Session;
use crate::sessions::age;
use crate::{git, opencode, plain};

/// The state home of a project that has a memory.
fn home(project: &TestProject) -> Option<PathBuf> {
    let memory = project.everything().into_iter().find(|path| path.ends_with("memory/lock"));
    memory.and_then(|lock| Some(lock.parent()?.parent()?.to_owned()))
}

fn remembering() -> TestProject {
    let project = plain();
    let _ = project.ralph(&["memory", "add", "tests run with make"]).output().exits(0);
    project
}

fn book(project: &TestProject) -> Notebook {
    Notebook::open(&home(project).unwrap()).unwrap()
}

fn sessions(project: &TestProject) -> Vec<Known> {
    book(project).sessions(&SessionFilter::default()).unwrap()
}

fn session(project: &TestProject, name: &str) -> Known {
    match book(project).session(name).unwrap() {
        SessionLookup::One(session) => *session,
        other @ (SessionLookup::Several(_) | SessionLookup::None { .. }) => panic!("{other:?}"),
    }
}

fn said(session: &Known) -> Vec<(MessageRole, &str)> {
    session.messages.iter().map(|message| (message.who, message.text.as_str())).collect()
}

#[test]
fn a_project_that_is_merely_opened_gets_no_memory() {
    let project = plain();
    let host = Session::new(&project, "s1");
    host.tell("SessionStart", &json!({ "source": "startup" }));
    host.prompt("hello");
    host.edit("a.txt");
    host.stop("hi");
    assert_eq!(home(&project), None);
}

#[test]
fn a_session_is_kept_tool_by_tool_and_word_by_word() {
    let project = remembering();
    project.file("src/a.txt", "x");
    let host = Session::new(&project, "s1");
    host.tell("SessionStart", &json!({ "source": "startup", "permission_mode": "plan" }));
    assert_eq!(session(&project, "s1").mode.word(), "plan");
    host.prompt("make it blue\nand fast");
    host.edit("src/a.txt");
    host.stop("It is blue.");
    let kept = session(&project, "s1");
    assert_eq!(kept.task.as_deref(), Some("make it blue"));
    assert_eq!(kept.files, ["src/a.txt"]);
    assert_eq!(kept.state, SessionStatus::Active);
    let who: Vec<MessageRole> = kept.messages.iter().map(|message| message.who).collect();
    assert_eq!(who, [MessageRole::User, MessageRole::Tool, MessageRole::Agent]);
    host.tell("SessionEnd", &json!({ "reason": "prompt_input_exit" }));
    assert_eq!(session(&project, "s1").state, SessionStatus::Paused);
}

#[test]
fn another_host_is_kept_in_the_same_way() {
    let project = remembering();
    let host = opencode::Session::new(&project, "ses_1");
    host.opens("make it green");
    let tool = json!({ "tool": "write", "call": "c", "args": { "filePath": "b.txt" } });
    host.tell("tool.execute.after", &tool);
    host.idle("m1", "It is green.");
    let kept = session(&project, "ses_1");
    assert_eq!(kept.task.as_deref(), Some("make it green"));
    assert_eq!(kept.files, ["b.txt"]);
    assert!(kept.worktree.is_some());
    assert_eq!(said(&kept)[2], (MessageRole::Agent, "It is green."));
    host.breaks("m2", &json!({ "name": "APIError", "data": { "message": "overloaded" } }));
    let broken = session(&project, "ses_1");
    assert_eq!(broken.state, SessionStatus::Failed);
    assert!(broken.last_failure.unwrap().contains("overloaded"));
    host.tell("session.deleted", &json!({}));
    assert_eq!(session(&project, "ses_1").state, SessionStatus::Completed);
}

#[test]
fn every_recorded_payload_is_kept_or_passed_over_without_a_word() {
    let project = remembering();
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../ralph-agents/tests/hooks/claude-code");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let call = project.ralph(&["hook", "--agent", "claude-code", "--timeout", "3600"]);
            let call = call.env("CLAUDE_PROJECT_DIR", project.root());
            let said = call.stdin(fs::read(&path).unwrap()).output().exits(0);
            assert_eq!(said.stderr, "", "{}", path.display());
        }
    }
    let kept = sessions(&project);
    assert!(kept.len() >= 4, "{}", kept.len());
    assert!(kept.iter().all(|session| session.external.is_some()));
    assert!(kept.iter().any(|session| session.state == SessionStatus::Failed));
    assert!(kept.iter().any(|session| !session.messages.is_empty()));
    let before = kept;
    let _ = project.ralph(&["memory", "rebuild"]).output().exits(0);
    assert_eq!(sessions(&project), before);
}

#[test]
fn two_sessions_at_once_do_not_mix() {
    let project = remembering();
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            let project = &project;
            scope.spawn(move || {
                let host = Session::new(project, name);
                for number in 0..5 {
                    host.prompt(&format!("{name} {number}"));
                }
            });
        }
    });
    for name in ["one", "two"] {
        let kept = session(&project, name);
        let words: Vec<String> = (0..5).map(|number| format!("{name} {number}")).collect();
        let found: Vec<String> = kept.messages.into_iter().map(|message| message.text).collect();
        assert_eq!(found, words);
    }
}

#[test]
fn secrets_and_private_parts_are_in_no_file() {
    let project = remembering();
    let host = Session::new(&project, "s1");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("use {token} <private>Rosebud</private>");
    host.prompt(&text);
    let failure = json!({
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": format!("echo {text}") },
        "error": format!("Exit code 1\n{text}"),
    });
    host.tell("PostToolUseFailure", &failure);
    host.stop(&text);
    assert_eq!(session(&project, "s1").messages.len(), 3);
    for path in project.everything().into_iter().filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for hidden in [token.as_str(), "Rosebud"] {
            assert!(!text.contains(hidden), "{hidden} in {}", path.display());
        }
    }
}

#[test]
fn a_hostile_session_is_none() {
    let project = remembering();
    for name in ["../../etc/passwd", "", "null", "a b", "x'; DROP TABLE sessions; --"] {
        Session::new(&project, name).prompt("hello");
    }
    assert_eq!(sessions(&project), []);
}

#[test]
fn nothing_is_kept_where_memory_is_off() {
    let project = remembering();
    let call = Session::new(&project, "s1").call("UserPromptSubmit", &json!({ "prompt": "hello" }));
    let _ = call.env("RALPH_MEMORY", "false").output().exits(0);
    project.file("ralph.toml", "[memory]\nenabled = false\n");
    Session::new(&project, "s2").prompt("hello");
    assert_eq!(sessions(&project), []);
}

#[test]
fn a_line_that_its_writer_did_not_finish_costs_that_line_alone() {
    let project = remembering();
    let host = Session::new(&project, "s1");
    host.prompt("first");
    let log = home(&project).unwrap().join("memory/00000001.jsonl");
    let mut text = fs::read(&log).unwrap();
    text.extend_from_slice(b"0123456789abcdef {\"at\":1,\"session\":\"s1\",\"ki");
    fs::write(&log, text).unwrap();
    host.prompt("second");
    let kept = session(&project, "s1");
    assert_eq!(said(&kept), [(MessageRole::User, "first"), (MessageRole::User, "second")]);
}

#[test]
fn a_log_that_cannot_be_written_lets_the_host_go_on() {
    let project = remembering();
    let log = home(&project).unwrap().join("memory/00000001.jsonl");
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let host = Session::new(&project, "s1");
    let said = host.call("PostToolUse", &host.edited("a.txt")).output().exits(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));
}

#[test]
fn whoever_holds_the_memory_for_long_keeps_no_hook_waiting() {
    let project = remembering();
    let memory = home(&project).unwrap().join("memory");
    let lock = fs::File::options().append(true).open(memory.join("lock")).unwrap();
    lock.lock().unwrap();
    let host = Session::new(&project, "s1");
    host.tell("SessionStart", &json!({ "source": "startup" }));
    host.prompt("make it blue");
    host.edit("a.txt");
    drop(lock);
    host.stop("It is blue.");
    let kept = session(&project, "s1");
    let who: Vec<MessageRole> = kept.messages.iter().map(|message| message.who).collect();
    assert_eq!(who, [MessageRole::User, MessageRole::Tool, MessageRole::Agent]);
    assert_eq!(kept.task.as_deref(), Some("make it blue"));
    assert!(!memory.join("late.jsonl").exists());
}

#[test]
fn a_driven_run_is_a_session_with_its_task_words_and_end() {
    let project = git();
    project.agent("echo 'I did it. <promise>DONE</promise>'");
    let ended = project.run_json("paint it", &[]).exits(0).ended();
    let run = ended["run"].as_str().map(str::to_owned);
    let kept = sessions(&project).remove(0);
    assert_eq!(kept.task.as_deref(), Some("paint it"));
    assert!(run.is_none() || kept.run == run, "{ended} {kept:?}");
    assert_eq!(kept.state, SessionStatus::Completed);
    assert_eq!(said(&kept)[0], (MessageRole::User, "paint it"));
    assert!(said(&kept)[1].1.starts_with("I did it."));
}

#[test]
fn what_tools_do_under_a_driver_belongs_to_its_run() {
    let project = git();
    let hook = "printf '%s' '{\"session_id\":\"inner\",\"hook_event_name\":\"PostToolUse\",\
                \"tool_name\":\"Edit\",\"tool_use_id\":\"t\",\"tool_input\":{\"file_path\":\"a.txt\"}}' \
                | CLAUDE_PROJECT_DIR=$PWD \"$RALPH\" hook --agent claude-code";
    project.agent(&format!("{hook}\necho '<promise>DONE</promise>'"));
    let call = project.run_call("paint it", &[]).env("RALPH", project.binary());
    let _ = call.output().exits(0);
    let kept = sessions(&project);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0].files, ["a.txt"]);
}

#[test]
fn the_first_loop_in_a_host_begins_to_keep_its_session() {
    let project = git();
    let host = Session::new(&project, "s1");
    let begun: Value = host.prompt("/ralph paint it");
    assert!(!begun.is_null());
    let kept = session(&project, "s1");
    assert!(kept.run.is_some());
    assert_eq!(said(&kept), [(MessageRole::User, "/ralph paint it")]);
}

#[test]
fn what_happened_in_sessions_is_let_go_and_notes_stay() {
    let project = remembering();
    Session::new(&project, "s1").prompt("make it blue");
    let gc = |size: &str, more: &[&str]| {
        let call = project.ralph(&[&["gc", "--json"], more].concat());
        let freed = call.env("RALPH_MEMORY_SIZE", size).output().exits(0).json();
        (freed["session_bytes"].as_u64().unwrap(), freed["sessions"].as_u64().unwrap())
    };
    assert_eq!(gc("1B", &[]), (0, 0), "it is of today");
    age(&project, 25 * 60);
    assert_eq!(gc("1MB", &[]), (0, 0));
    let would = gc("1B", &["--dry-run"]);
    assert!(would.0 > 0 && would.1 == 1, "{would:?}");
    let text = project.ralph(&["gc", "--dry-run"]).env("RALPH_MEMORY_SIZE", "1B").output();
    assert!(text.exits(0).stdout.contains("of 1 session."));
    assert_eq!(sessions(&project).len(), 1);
    assert_eq!(gc("1B", &[]), would);
    assert_eq!(sessions(&project), []);
    let listed = project.ralph(&["sessions", "--all"]).output().exits(0).stdout;
    assert_eq!(listed, "There are no sessions here.\n");
    assert_eq!(book(&project).count().unwrap(), 1);
    Session::new(&project, "s2").prompt("and green");
    assert_eq!(sessions(&project).len(), 1);
    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    let memory = &status["memory"];
    assert_eq!(memory["most_log_bytes"], 64_000_000, "{status}");
    assert!(memory["log_bytes"].as_u64().unwrap() > 0, "{status}");
}

fn context(project: &TestProject, locale: &str) -> String {
    let call = project.ralph(&["memory", "context", "--phase", "code", "--file", "a.txt"]);
    call.env("RALPH_LOCALE", locale).output().exits(0).stdout
}

#[test]
fn the_timeline_of_a_file_has_edits_of_sessions_commits_and_reverts() {
    let project = git();
    let _ = project.ralph(&["memory", "add", "tests run with make"]).output().exits(0);
    project.file("a.txt", "one\n");
    Session::new(&project, "s1").edit("a.txt");
    let shown = context(&project, "en");
    assert!(shown.contains("Write a.txt"), "{shown} {:?}", sessions(&project));
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "paint: begin with red"]);
    project.run_git(&["revert", "--no-edit", "HEAD"]);
    let shown = context(&project, "en");
    assert!(shown.contains("## Done to these files in the last days"), "{shown}");
    assert!(shown.contains("paint: begin with red\n"), "{shown}");
    let name = project.run_git(&["rev-parse", "HEAD~1"]);
    let taken_back = format!("(takes back {})", &name[..10]);
    assert!(shown.contains(&taken_back), "{shown}");
    let at = |part: &str| shown.find(part).unwrap();
    assert!(at(&taken_back) < at("paint: begin with red\n"), "the later one first: {shown}");
    assert_eq!(context(&project, "en"), shown, "each is noticed once");
    assert!(context(&project, "ko").contains("## 최근 이 파일들에 한 일"));
}
