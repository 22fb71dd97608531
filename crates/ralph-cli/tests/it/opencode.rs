//! Loops inside a host that is reached by messages, told as its plugin does.

use ralph_testkit::{BinaryCall, TestProject};
use serde_json::{Value, json};

/// A session in a project.
pub(crate) struct Session<'a> {
    project: &'a TestProject,
    id: &'a str,
}

impl<'a> Session<'a> {
    pub(crate) fn new(project: &'a TestProject, id: &'a str) -> Self {
        Self { project, id }
    }

    pub(crate) fn call(&self, kind: &str, facts: &Value) -> BinaryCall {
        let args = ["hook", "--agent", "opencode", "--timeout=3600"];
        self.project.ralph(&args).stdin(self.payload(kind, facts))
    }

    pub(crate) fn payload(&self, kind: &str, facts: &Value) -> String {
        let mut payload = json!({
            "v": 1, "type": kind, "session": self.id, "directory": self.project.root(),
        });
        for (name, value) in facts.as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        payload.to_string()
    }

    /// The action that comes back; null for none.
    #[track_caller]
    pub(crate) fn tell(&self, kind: &str, facts: &Value) -> Value {
        let output = self.call(kind, facts).output().exits(0);
        assert_eq!(output.stderr, "");
        // Lines before the last one are said while there is no answer yet.
        let last = output.stdout.lines().last();
        last.and_then(|action| serde_json::from_str(action).ok()).unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn command(&self, arguments: &str) -> Value {
        let facts = json!({ "command": "ralph", "arguments": arguments });
        self.tell("command.execute.before", &facts)
    }

    /// The first message of the session.
    #[track_caller]
    pub(crate) fn opens(&self, text: &str) -> Value {
        self.tell("chat.message", &json!({ "text": text, "first": true }))
    }

    /// A later one.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> Value {
        self.tell("chat.message", &json!({ "text": text, "first": false }))
    }

    #[track_caller]
    pub(crate) fn idle(&self, message: &str, text: &str) -> Value {
        self.tell("session.idle", &json!({ "message": { "id": message, "text": text } }))
    }

    #[track_caller]
    pub(crate) fn breaks(&self, message: &str, error: &Value) -> Value {
        let facts = json!({ "message": { "id": message, "text": "" }, "error": error });
        self.tell("session.error", &facts)
    }

    pub(crate) fn run(&self) -> Value {
        let status = self.project.ralph(&["status", "--json"]).output().exits(0).json();
        status["runs"][0].clone()
    }

    #[track_caller]
    pub(crate) fn is(&self, standing: &str, iteration: u64) {
        let run = self.run();
        let reason = run["reason"].as_str().map(|reason| format!("/{reason}")).unwrap_or_default();
        let found = format!("{}{reason}", run["status"].as_str().unwrap_or("none"));
        assert_eq!(
            (found.as_str(), run["iteration"].as_u64()),
            (standing, Some(iteration)),
            "{run}"
        );
    }
}

pub(crate) const DONE: &str = "All done.\n\n<promise>DONE</promise>";

pub(crate) const GATED: &str = "make a hold b --max-iterations 6 --criteria \"custom:grep -q b a\"";

/// The words of an action of this kind.
#[track_caller]
pub(crate) fn text<'a>(action: &'a Value, what: &str) -> &'a str {
    assert_eq!((&action["v"], &action["do"]), (&json!(1), &json!(what)), "{action}");
    action["text"].as_str().unwrap_or_default()
}

#[track_caller]
pub(crate) fn goes_on(action: &Value) -> &str {
    assert_eq!(action["after_ms"], 500, "{action}");
    text(action, "prompt")
}

pub(crate) fn project() -> TestProject {
    let project = crate::git();
    project.file("a", "1\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

/// A project that takes every session for a loop, in Korean.
pub(crate) fn korean() -> TestProject {
    let project = project();
    let settings = "[run]\nlocale = \"ko\"\nmatch = \"word\"\n\n[hooks]\narm = \"every-session\"\n";
    project.file("ralph.toml", settings);
    project
}

#[test]
fn without_a_loop_the_plugin_hears_nothing() {
    let project = project();
    let before = project.everything();
    let session = Session::new(&project, "ses_1");
    assert_eq!(session.opens("explain this file"), Value::Null);
    assert_eq!(session.idle("msg_1", "It holds a number."), Value::Null);
    assert_eq!(session.tell("session.deleted", &json!({})), Value::Null);
    assert_eq!(project.everything(), before);
}

#[test]
fn a_false_promise_is_refused_and_a_true_one_ends_the_loop() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    let armed = session.command(GATED);
    let first = text(&armed, "replace");
    assert!(first.starts_with("make a hold b\n\n") && first.contains("grep -q b a"), "{first}");
    assert!(armed["toast"]["text"].as_str().unwrap().contains("6 turns"), "{armed}");
    let refused = session.idle("msg_1", DONE);
    assert!(goes_on(&refused).contains("turn 2 of 6"), "{refused}");
    project.file("a", "b\n");
    let ended = session.idle("msg_2", DONE);
    assert_eq!((&ended["do"], &ended["toast"]["variant"]), (&json!("none"), &json!("success")));
    session.is("success/verified", 2);
    assert_eq!(session.idle("msg_3", "bye"), Value::Null);
}

#[test]
fn a_silence_that_is_told_twice_counts_once() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    goes_on(&session.idle("msg_1", "Not yet."));
    assert_eq!(session.idle("msg_1", "Not yet."), Value::Null);
    session.is("running", 2);
    goes_on(&session.idle("msg_2", "Not yet, really."));
    session.is("running", 3);
}

#[test]
fn an_abort_pauses_whatever_the_host_tells_after_it() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let error = json!({ "name": "MessageAbortedError", "data": { "message": "Aborted" } });
    let paused = session.breaks("msg_1", &error);
    assert_eq!((&paused["do"], &paused["toast"]["variant"]), (&json!("none"), &json!("warning")));
    for _ in 0..2 {
        assert_eq!(session.idle("msg_1", "I was about to"), Value::Null);
    }
    session.is("paused/aborted", 1);
    assert!(text(&session.command("resume"), "replace").contains("make a hold b"));
    goes_on(&session.idle("msg_2", "Not yet."));
    session.is("running", 3);
}

#[test]
fn an_error_is_tried_again_after_a_while_and_not_for_ever() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let error =
        json!({ "name": "APIError", "data": { "message": "bad request", "statusCode": 400 } });
    let again = session.breaks("msg_1", &error);
    text(&again, "prompt");
    assert_eq!(again["after_ms"], 5000, "{again}");
    assert_eq!(session.idle("msg_1", ""), Value::Null, "the silence after an error is no turn");
    text(&session.breaks("msg_2", &error), "prompt");
    assert_eq!(session.breaks("msg_3", &error)["do"], "none");
    session.is("failed/agent_error", 3);
}

#[test]
fn a_provider_that_refuses_needs_a_person_and_a_word_goes_on() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let error = json!({ "name": "APIError", "data": { "message": "bad key", "statusCode": 401 } });
    assert_eq!(session.breaks("msg_1", &error)["do"], "none");
    assert_eq!(session.idle("msg_1", ""), Value::Null);
    session.is("waiting/human", 1);
    assert!(text(&session.says("I set the key"), "append").contains("make a hold b"));
    goes_on(&session.idle("msg_2", "Not yet."));
}

#[test]
fn in_korean_mistakes_and_refusals_are_told_in_korean() {
    let project = project();
    project.file("ralph.toml", "[run]\nlocale = \"ko\"\n");
    let session = Session::new(&project, "ses_1");
    let told = |arguments: &str, word: &str, variant: &str| {
        let toast = session.command(arguments)["toast"].clone();
        assert!(toast["text"].as_str().unwrap().contains(word), "{arguments}: {toast}");
        assert_eq!(toast["variant"], variant, "{toast}");
    };
    told("stauts", "`/ralph status`", "error");
    told("-x", "작업도 플래그도 아닙니다", "error");
    told("고쳐 줘 --max 3", "플래그를 이해할 수 없습니다", "error");
    told("resume", "이어서 진행할 루프가 없습니다", "error");
    assert_eq!(session.run(), Value::Null, "nothing was begun");
    told("고쳐 줘", "시작", "info");
    told("다른 것도", "아직 진행 중입니다", "error");
    told("resume", "재개할 것이 없습니다", "info");
    told("status", "실행 중", "info");
    let error = json!({ "name": "APIError", "data": { "message": "bad key", "statusCode": 401 } });
    let toast = session.breaks("msg_1", &error)["toast"].clone();
    assert!(toast["text"].as_str().unwrap().contains("인증 정보"), "{toast}");
    told("status", "대기 중 (답변 필요)", "info");
}

/// The seconds after which the plugin asks again.
#[track_caller]
fn sleeps(action: &Value) -> u64 {
    assert_eq!(action["do"], "wake", "{action}");
    action["after_ms"].as_u64().unwrap_or_default().div_ceil(1000)
}

fn limit(words: &str) -> Value {
    json!({ "name": "APIError", "data": { "message": words, "statusCode": 429 } })
}

#[test]
fn a_run_that_waits_for_its_provider_is_woken_and_spends_no_iteration() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    goes_on(&session.idle("msg_1", "Not yet."));
    let waits = session.breaks("msg_2", &limit("usage limit reached|1700000000"));
    assert_eq!(waits["do"], "wake", "{waits}");
    assert!(waits["toast"]["text"].as_str().unwrap().contains("by itself"), "{waits}");
    session.is("waiting/limit", 1);
    assert_eq!(session.idle("msg_2", ""), Value::Null, "the silence after it is no turn");
    let again = session.tell("wake", &json!({}));
    assert!(goes_on(&again).contains("turn 2 of 6"), "{again}");
    session.is("running", 2);
    assert_eq!(session.tell("wake", &json!({})), Value::Null, "it went on");
    goes_on(&session.idle("msg_3", "Not yet."));
    session.is("running", 3);
}

#[test]
fn whoever_is_woken_too_early_sleeps_on_and_later_each_time() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    assert!((50..=60).contains(&sleeps(&session.breaks("msg_1", &limit("slow down")))));
    let early = session.tell("wake", &json!({}));
    assert!((30..=60).contains(&sleeps(&early)), "{early}");
    assert_eq!(early["toast"], Value::Null, "nothing new: {early}");
    // A word of the user's does not wait.
    assert_eq!(session.says("try now"), Value::Null);
    assert!((110..=120).contains(&sleeps(&session.breaks("msg_2", &limit("slow down")))));
    session.is("waiting/limit", 0);
    let waits = session.breaks("msg_3", &limit("rate limited, try again in 3 hours"));
    assert_eq!(sleeps(&waits), 600, "it asks again in between");
    session.tell("command.execute.before", &json!({ "command": "cancel-ralph" }));
    assert_eq!(session.tell("wake", &json!({})), Value::Null, "it was cancelled");
}

#[test]
fn a_loop_that_is_ended_while_its_gates_run_stays_ended() {
    let ralph = env!("CARGO_BIN_EXE_ralph");
    for (verb, state) in [("stop", "stopped"), ("pause", "paused/asked")] {
        let project = project();
        let session = Session::new(&project, "ses_1");
        let typed = json!({ "command": "ralph", "arguments": verb });
        project.file("typed.json", session.payload("command.execute.before", &typed));
        let hook = format!("{ralph} hook --agent opencode <typed.json");
        let gate = format!("custom:sh:test -e go && {hook}; false");
        session.command(&format!("fix it --criteria \"{gate}\""));
        project.file("go", "");
        assert_eq!(session.idle("msg_1", "Not yet."), Value::Null);
        session.is(state, 1);
    }
}

#[test]
fn the_end_of_a_turn_before_a_loop_is_none_of_its_turns() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    let ralph = env!("CARGO_BIN_EXE_ralph");
    let message = json!({ "id": "msg_0", "text": "Hello." });
    let idle = session.payload("session.idle", &json!({ "message": message }));
    project.file("idle.json", &idle);
    let typed = session.payload("chat.message", &json!({ "text": "Hi?", "first": false }));
    project.file("typed.json", &typed);
    let hook = format!("{ralph} hook --agent opencode");
    let both = format!("({hook} <idle.json; {hook} <typed.json) >once");
    let gate = format!("custom:sh:test -e once || {both}; false");
    let begun = session.command(&format!("fix it --criteria \"{gate}\""));
    assert!(text(&begun, "replace").starts_with("fix it"), "{begun}");
    assert_eq!(project.read("once"), "");
    session.is("running", 1);
}

#[test]
fn a_client_that_is_started_again_is_asked_to_wake_the_run_that_waits() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    sleeps(&session.breaks("msg_1", &limit("slow down")));
    let check = Session::new(&project, "").tell("started", &json!({}));
    assert_eq!((&check["do"], &check["session"]), (&json!("check"), &json!("ses_1")), "{check}");
    let facts = json!({ "did": "check", "run": check["run"] });
    assert!((30..=60).contains(&sleeps(&session.tell("done", &facts))));
}

#[test]
fn a_loop_waits_while_a_permission_is_asked_for() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let asked = json!({ "permission": "bash", "patterns": ["rm *"] });
    assert_eq!(session.tell("permission.asked", &asked), Value::Null);
    session.is("waiting/human", 1);
    assert_eq!(session.tell("permission.replied", &json!({})), Value::Null);
    session.is("running", 1);
    goes_on(&session.idle("msg_1", "Not yet."));
    session.is("running", 2);
}

#[test]
fn a_message_while_the_agent_works_does_not_disturb_the_loop() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    assert_eq!(session.says("and mind the edge cases"), Value::Null);
    session.is("running", 1);
    goes_on(&session.idle("msg_1", "Not yet."));
}

#[test]
fn a_deleted_session_leaves_its_loop_to_be_resumed() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    session.tell("session.deleted", &json!({}));
    session.is("paused/interrupted", 1);
    assert_eq!(session.idle("msg_1", "late"), Value::Null);
    let other = Session::new(&project, "ses_2");
    let id = session.run()["id"].as_str().unwrap().to_owned();
    let resume = format!("resume {id}");
    assert!(text(&other.command(&resume), "replace").contains("make a hold b"));
    goes_on(&other.idle("msg_2", "Not yet."));
}

#[test]
fn a_session_that_is_not_the_loops_is_left_alone() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    for other in ["ses_2", "../ses_1", ""] {
        assert_eq!(Session::new(&project, other).idle("msg_9", DONE), Value::Null, "{other}");
    }
    let child = json!({ "parent": "ses_1", "message": { "id": "msg_8", "text": DONE } });
    assert_eq!(Session::new(&project, "ses_3").tell("session.idle", &child), Value::Null);
    session.is("running", 1);
}

#[test]
fn in_korean_the_first_message_gets_the_instruction_to_the_letter() {
    let project = korean();
    let session = Session::new(&project, "ses_1");
    let armed = session.opens("파서를 고쳐 줘");
    let instruction = "\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)";
    assert_eq!(text(&armed, "append"), instruction);
    assert_eq!(session.says("그리고 테스트도"), Value::Null);
    goes_on(&session.idle("msg_1", "아직입니다."));
    assert_eq!(session.idle("msg_2", "다 했습니다.\n\nDONE")["do"], "none");
    session.is("success/claimed", 2);
    assert_eq!(session.says("하나 더"), Value::Null);
    let late = Session::new(&project, "ses_2");
    assert_eq!(late.says("전부터 있던 세션"), Value::Null, "only a first message begins one");
}

#[test]
fn in_korean_the_limit_is_told_to_the_letter() {
    let project = korean();
    let session = Session::new(&project, "ses_1");
    session.command("무엇이든 해 줘 --max-iterations 2");
    goes_on(&session.idle("msg_1", "하나"));
    let ended = session.idle("msg_2", "둘");
    let toast = json!({ "text": "최대 재시도 횟수에 도달했습니다", "variant": "warning" });
    assert_eq!(ended, json!({ "v": 1, "do": "none", "toast": toast }));
    session.is("failed/max_iterations", 2);
}

#[test]
fn what_did_not_reach_the_agent_is_sent_again_a_few_times() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    goes_on(&session.idle("msg_1", "Not yet."));
    for attempt in 1..5 {
        let again =
            session.tell("prompt.failed", &json!({ "attempt": attempt, "error": "no server" }));
        assert!(text(&again, "prompt").contains("turn 2 of 6"), "{again}");
        assert_eq!(again["attempt"], attempt + 1, "{again}");
    }
    let given_up = session.tell("prompt.failed", &json!({ "attempt": 5, "error": "no server" }));
    assert_eq!(given_up["do"], "none", "{given_up}");
    session.is("paused/interrupted", 2);
}

#[test]
fn commands_are_answered_and_hostile_tasks_arrive_as_they_were_typed() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    assert!(text(&session.command("status"), "replace").contains("no run"));
    let task = "it's $(touch pwned) !`touch pwned` ; touch pwned\n\"second line";
    assert!(text(&session.command(task), "replace").starts_with(task));
    assert_eq!(session.run()["task"], task);
    let cancelled = session.tell("command.execute.before", &json!({ "command": "cancel-ralph" }));
    assert!(text(&cancelled, "replace").contains("run-"), "{cancelled}");
    session.is("stopped", 1);
    assert_eq!(project.read("pwned"), "");
}

#[test]
fn tools_are_on_record_with_the_files_they_wrote() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let facts = json!({
        "tool": "write", "call": "call_1", "title": "a",
        "args": { "filePath": project.root().join("a"), "content": "x" },
    });
    assert_eq!(session.tell("tool.execute.after", &facts), Value::Null);
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    assert_eq!(report["tools"][0]["tool"], "write", "{report}");
    assert!(report["tools"][0]["files"][0].as_str().unwrap().ends_with("/a"), "{report}");
}

#[test]
fn the_user_hears_of_checks_that_run_before_the_first_turn() {
    let project = project();
    project.file("ralph.toml", "[run]\nlocale = \"ko\"\n");
    let session = Session::new(&project, "ses_1");
    let facts = json!({ "command": "ralph", "arguments": GATED });
    let output = session.call("command.execute.before", &facts).output().exits(0);
    let lines: Vec<Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (lines.len(), &lines[0]["do"], &lines[1]["do"]),
        (2, &"none".into(), &"replace".into())
    );
    let early = lines[0]["toast"]["text"].as_str().unwrap();
    assert!(early.contains("custom-1") && early.contains("검사"), "{early}");
}

#[test]
fn what_an_edit_made_worse_follows_what_the_tool_returned() {
    let project = project();
    project.file("code.py", "def f():\n    return 1\n").run_git(&["add", "-A"]);
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    project.file("code.py", "def f(x):\n    return eval(x)\n");
    let edit = json!({
        "tool": "edit", "call": "call_1", "title": "code.py",
        "args": { "filePath": project.root().join("code.py") },
    });
    let worse = session.tell("tool.execute.after", &edit);
    assert!(text(&worse, "append").starts_with("\n\nralph: "), "{worse}");
    assert!(text(&worse, "append").contains("code.py:2"), "{worse}");
    assert_eq!(session.tell("tool.execute.after", &edit), Value::Null, "it is known now");
    project.file("more.py", "def f(x):\n    return eval(x)\n");
    let patch = "*** Begin Patch\n*** Add File: more.py\n+def f(x):\n*** End Patch";
    let facts = json!({
        "tool": "apply_patch", "call": "call_2", "parent": "ses_1", "args": { "patchText": patch },
    });
    let worse = Session::new(&project, "ses_2").tell("tool.execute.after", &facts);
    assert!(text(&worse, "append").contains("more.py:2"), "a child hears it as well: {worse}");
}

#[test]
fn a_client_that_loads_the_plugin_leaves_no_trace_in_the_project() {
    let project = project();
    let before = project.everything();
    assert_eq!(Session::new(&project, "").tell("started", &json!({})), Value::Null);
    let marks = project.state();
    let left = project.everything().into_iter().filter(|path| !path.starts_with(&marks));
    assert_eq!(left.collect::<Vec<_>>(), before);
    assert!(marks.join("ralph/hosts/opencode").is_dir());
}

#[test]
fn a_session_whose_name_leads_elsewhere_is_none() {
    let project = project();
    let before = project.everything();
    for id in ["../../etc", "..", "a/b", "a\\b", "ses_1\0"] {
        let session = Session::new(&project, id);
        assert_eq!(session.command(GATED), Value::Null, "{id}");
        assert_eq!(session.idle("msg_1", DONE), Value::Null, "{id}");
        let child = json!({ "parent": id, "tool": "write", "args": { "filePath": "a" } });
        assert_eq!(Session::new(&project, "ses_2").tell("tool.execute.after", &child), Value::Null);
    }
    assert_eq!(project.everything(), before);
}

#[test]
fn the_plugin_is_installed_and_removed() {
    let project = project();
    let before = project.everything();
    let said = project.ralph(&["install", "opencode"]).output().exits(0);
    assert!(said.stdout.contains("/ralph TASK"), "{}", said.stdout);
    let plugin = project.read(".opencode/plugins/ralph.ts");
    assert!(plugin.contains("\"hook\", \"--agent\", \"opencode\", \"--timeout="), "{plugin}");
    assert!(project.read(".opencode/commands/ralph.md").contains("description: "));
    let again = project.ralph(&["install", "opencode"]).output().exits(0);
    assert!(again.stdout.contains("nothing to change"), "{}", again.stdout);
    let _ = project.ralph(&["uninstall", "opencode"]).output().exits(0);
    let left: Vec<_> = project.everything();
    let is_project = |path: &std::path::PathBuf| !path.to_string_lossy().contains("/.git/ralph");
    let left: Vec<_> = left.into_iter().filter(is_project).collect();
    assert_eq!(left, before);
}

#[test]
fn for_all_projects_the_plugin_goes_where_the_client_looks() {
    let project = project();
    let _ = project.ralph(&["install", "opencode", "--user"]).output().exits(0);
    assert!(project.outside("config/opencode/plugins/ralph.ts").is_file());
}

#[test]
fn a_turn_that_is_cut_short_by_a_summary_goes_on() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let idle = json!({ "message": { "id": "msg_1", "text": "So far.", "summary": true } });
    let told = session.tell("session.idle", &idle);
    assert!(goes_on(&told).starts_with("[ralph, turn 1 of 6]"), "{told}");
    assert_eq!(session.tell("session.idle", &idle), Value::Null, "told twice");
    session.is("running", 1);
    assert!(goes_on(&session.idle("msg_2", "Not yet.")).contains("turn 2 of 6"));
    let error = json!({ "name": "MessageAbortedError" });
    assert_eq!(session.breaks("msg_3", &error)["do"], "none");
    let idle = json!({ "message": { "id": "msg_4", "text": "So far.", "summary": true } });
    assert_eq!(session.tell("session.idle", &idle), Value::Null, "nothing was cut short");
}

#[test]
fn a_loop_that_runs_is_not_resumed_and_loses_no_promise() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let said = session.command("resume");
    assert!(said["aside"] == true && said["off"].is_null(), "{said}");
    assert!(said["toast"]["text"].as_str().unwrap().contains("nothing to resume"), "{said}");
    session.is("running", 1);
    project.file("a", "b\n");
    session.idle("msg_1", DONE);
    session.is("success/verified", 1);
}

#[test]
fn what_a_provider_did_wrong_is_shown_as_an_error() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command("talk --max-iterations 2");
    let error = json!({ "name": "APIError", "data": { "message": "bad body", "statusCode": 400 } });
    let toast = session.breaks("msg_1", &error)["toast"].clone();
    assert_eq!(toast["variant"], "error", "{toast}");
    assert!(toast["text"].as_str().unwrap().contains("the provider failed (bad body)"), "{toast}");
}

#[test]
fn an_agent_that_plans_is_left_to_its_user() {
    let project = project();
    let session = Session::new(&project, "ses_1");
    session.command(GATED);
    let facts = json!({ "message": { "id": "msg_1", "text": "A plan." }, "mode": "plan" });
    let said = session.tell("session.idle", &facts);
    assert_eq!(said["do"], "none", "{said}");
    session.is("waiting/human", 1);
}
