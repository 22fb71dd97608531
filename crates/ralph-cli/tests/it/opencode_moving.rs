//! Loops that go on in a new session, told as the plugin does.

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::opencode::{DONE, GATED, Session, korean, project, text};

/// What came of an action, as the plugin says it, and what follows.
#[track_caller]
pub(crate) fn done(project: &TestProject, action: &Value, facts: &Value) -> Value {
    let session = action["session"].as_str().unwrap();
    let mut said = json!({ "did": action["do"], "run": action["run"], "attempt": 1 });
    for (name, value) in facts.as_object().unwrap() {
        said[name] = value.clone();
    }
    Session::new(project, session).tell("done", &said)
}

/// Which action on which session.
#[track_caller]
pub(crate) fn is(action: &Value, what: &str, session: &str) {
    let found = (action["do"].as_str().unwrap_or("nothing"), action["session"].as_str());
    assert_eq!(found, (what, Some(session)), "{action}");
}

/// Begins a loop in `ses_1` with one turn and returns the first action.
pub(crate) fn turn_in_first(project: &TestProject, flags: &str) -> Value {
    let session = Session::new(project, "ses_1");
    session.command(&format!("{GATED} {flags}"));
    session.idle("msg_1", "Not yet.")
}

/// Carries out a whole move from `ses_1` to `ses_2`, up to its prompt.
pub(crate) fn moved(project: &TestProject, first: &Value) -> Value {
    let create = match first["do"].as_str() {
        Some("summarize") => done(project, first, &json!({ "text": "All about a." })),
        _ => first.clone(),
    };
    is(&create, "create", "ses_1");
    let select = done(project, &create, &json!({ "created": "ses_2" }));
    is(&select, "select", "ses_2");
    let prompt = done(project, &select, &json!({}));
    is(&prompt, "prompt", "ses_2");
    assert_eq!(done(project, &prompt, &json!({})), Value::Null, "it is the agent's turn");
    prompt
}

#[test]
fn without_a_promise_a_loop_goes_on_in_a_new_session_with_a_summary() {
    let project = korean();
    project.file("ralph.toml", project.read("ralph.toml") + "\n");
    let settings = project.read("ralph.toml").replace("[run]", "[run]\ncontext = \"summarize\"");
    project.file("ralph.toml", settings);
    let first = Session::new(&project, "sess_123");
    assert!(text(&first.opens("프로젝트 구조 분석해줘"), "append").contains("'DONE'"));
    let summarize = first.idle("msg_1", "분석 중입니다.");
    is(&summarize, "summarize", "sess_123");
    let summary = "# 요약\n\n파서를 읽었습니다. \"따옴표\"\n";
    let create = done(&project, &summarize, &json!({ "text": summary }));
    assert_eq!(project.read(".opencode/sessions/sess_123/ralph_summary.md"), summary);
    assert_eq!(project.run_git(&["status", "--porcelain"]).trim(), "?? ralph.toml");
    let title = create["title"].as_str().unwrap();
    assert!(title.starts_with("프로젝트 구조 분석해줘 [run-"), "{title}");
    first.is("running", 2);
    let select = done(&project, &create, &json!({ "created": "ses_2" }));
    is(&select, "select", "ses_2");
    assert_eq!(first.run()["session_id"], "ses_2");
    let prompt = done(&project, &select, &json!({}));
    is(&prompt, "prompt", "ses_2");
    assert_eq!(prompt["like"], "sess_123");
    let said = prompt["text"].as_str().unwrap();
    assert!(
        said.contains(summary) && said.contains("원래 작업:\n프로젝트 구조 분석해줘"),
        "{said}"
    );
    assert_eq!(done(&project, &prompt, &json!({})), Value::Null);
    let ended = Session::new(&project, "ses_2").idle("msg_2", "분석을 마쳤습니다. DONE");
    is(&ended, "delete", "sess_123");
    assert_eq!(ended["toast"]["variant"], "success");
    first.is("success/claimed", 2);
    assert_eq!(done(&project, &ended, &json!({})), Value::Null);
    assert_eq!(first.tell("session.deleted", &json!({})), Value::Null);
    first.is("success/claimed", 2);
}

#[test]
fn the_old_session_goes_when_the_new_one_spoke_and_before_the_next_move() {
    let project = project();
    let first = turn_in_first(&project, "--context summarize");
    moved(&project, &first);
    let second = Session::new(&project, "ses_2");
    let delete = second.idle("msg_2", "Nor now.");
    is(&delete, "delete", "ses_1");
    assert!(delete["toast"]["text"].as_str().unwrap().contains("turn 3 of 6"), "{delete}");
    assert_eq!(second.idle("msg_2", "Nor now."), Value::Null, "told twice");
    let next = done(&project, &delete, &json!({}));
    is(&next, "summarize", "ses_2");
    let idle = json!({ "message": { "id": "msg_3", "text": "Summary.", "summary": true } });
    assert_eq!(second.tell("session.idle", &idle), Value::Null, "what is summed up is no turn");
    second.is("running", 3);
}

#[test]
fn a_fresh_session_knows_the_task_and_what_fails() {
    let project = project();
    let create = turn_in_first(&project, "--context fresh");
    let prompt = moved(&project, &create);
    let said = prompt["text"].as_str().unwrap();
    assert!(said.starts_with("[ralph, turn 2 of 6]"), "{said}");
    assert!(said.contains("make a hold b") && said.contains("grep -q b a"), "{said}");
    assert!(!said.contains("ummary"), "{said}");
    is(&Session::new(&project, "ses_2").idle("msg_2", DONE), "delete", "ses_1");
}

#[test]
fn an_old_session_is_kept_where_the_user_wants_it() {
    let project = project();
    project.file("ralph.toml", "[run]\nold_session = \"keep\"\n");
    let first = turn_in_first(&project, "--context fresh");
    moved(&project, &first);
    let create = Session::new(&project, "ses_2").idle("msg_2", "Nor now.");
    is(&create, "create", "ses_2");
    assert_eq!(Session::new(&project, "ses_1").says("hello again"), Value::Null);
    Session::new(&project, "ses_1").is("running", 3);
}

#[test]
fn restarts_are_counted_and_the_last_one_is_told_to_the_letter() {
    let project = korean();
    let session = Session::new(&project, "ses_1");
    session.command("무엇이든 해 줘 --context fresh --max-restarts 1");
    moved(&project, &session.idle("msg_1", "하나"));
    let ended = Session::new(&project, "ses_2").idle("msg_2", "둘");
    is(&ended, "delete", "ses_1");
    let toast = json!({ "text": "최대 재시도 횟수에 도달했습니다", "variant": "warning" });
    assert_eq!(ended["toast"], toast);
    session.is("failed/max_restarts", 2);
    assert_eq!(Session::new(&project, "ses_2").idle("msg_3", "셋"), Value::Null);
}

#[test]
fn five_restarts_are_what_a_loop_has_unless_told_otherwise() {
    let project = korean();
    let mut session = "ses_0".to_owned();
    let first = Session::new(&project, "ses_0");
    first.command("무엇이든 해 줘 --context fresh");
    for restart in 1..=5 {
        let here = session.clone();
        let said = format!("{restart}번째");
        let mut action = Session::new(&project, &here).idle(&format!("msg_{restart}"), &said);
        if action["do"] == "delete" {
            action = done(&project, &action, &json!({}));
        }
        session = format!("ses_{restart}");
        is(&action, "create", &here);
        let select = done(&project, &action, &json!({ "created": session }));
        let prompt = done(&project, &select, &json!({}));
        done(&project, &prompt, &json!({}));
    }
    let ended = Session::new(&project, &session).idle("msg_9", "마지막");
    assert_eq!(ended["toast"]["text"], "최대 재시도 횟수에 도달했습니다");
    first.is("failed/max_restarts", 6);
}

#[test]
fn commands_work_in_the_session_that_has_the_loop_now() {
    let project = project();
    let first = turn_in_first(&project, "--context fresh");
    moved(&project, &first);
    let second = Session::new(&project, "ses_2");
    assert!(text(&second.command("status"), "replace").contains("make a hold b"));
    let error = json!({ "name": "MessageAbortedError", "data": { "message": "Aborted" } });
    assert_eq!(second.breaks("msg_2", &error)["do"], "none");
    second.is("paused/aborted", 2);
    assert!(text(&second.command("resume"), "replace").contains("make a hold b"));
    let cancelled = second.tell("command.execute.before", &json!({ "command": "cancel-ralph" }));
    assert!(text(&cancelled, "replace").contains("run-"), "{cancelled}");
    second.is("stopped", 3);
}
