//! Loops inside a host, told by the payloads of its hooks.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;
use std::thread;

use ralph_testkit::{BinaryCall, TestProject};
use serde_json::{Value, json};

/// A session of a host in a project.
pub(crate) struct Session<'a> {
    pub(crate) project: &'a TestProject,
    id: &'a str,
}

impl<'a> Session<'a> {
    pub(crate) fn new(project: &'a TestProject, id: &'a str) -> Self {
        Self { project, id }
    }

    /// The call for an event, to be completed and run.
    pub(crate) fn call(&self, event: &str, facts: &Value) -> BinaryCall {
        self.call_with(&[], event, facts)
    }

    /// The call of a hook that was installed with more arguments.
    pub(crate) fn call_with(&self, more: &[&str], event: &str, facts: &Value) -> BinaryCall {
        self.project
            .ralph(&[&["hook", "--agent", "claude-code", "--timeout", "3600"], more].concat())
            .env("CLAUDE_PROJECT_DIR", self.project.root())
            .stdin(self.payload(event, facts))
    }

    /// What the host writes to the hook.
    pub(crate) fn payload(&self, event: &str, facts: &Value) -> String {
        let mut payload = json!({
            "session_id": self.id, "cwd": "/somewhere/else", "hook_event_name": event,
            "transcript_path": "/nowhere.jsonl",
        });
        for (name, value) in facts.as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        payload.to_string()
    }

    /// What the host hears after an event; null for nothing.
    pub(crate) fn tell(&self, event: &str, facts: &Value) -> Value {
        answer(self.call(event, facts))
    }

    pub(crate) fn prompt(&self, text: &str) -> Value {
        self.tell("UserPromptSubmit", &json!({ "prompt": text }))
    }

    pub(crate) fn stop(&self, text: &str) -> Value {
        self.tell("Stop", &stop(text))
    }

    pub(crate) fn edit(&self, file: &str) -> Value {
        self.tell("PostToolUse", &self.edited(file))
    }

    /// The facts about a file that was written.
    pub(crate) fn edited(&self, file: &str) -> Value {
        let path = self.project.root().join(file);
        json!({
            "tool_name": "Write", "tool_use_id": "toolu_1",
            "tool_input": { "file_path": path, "content": "x" },
            "tool_response": { "type": "create", "filePath": path },
        })
    }

    /// The newest run as `status --json` has it.
    pub(crate) fn run(&self) -> Value {
        let status = self.project.ralph(&["status", "--json"]).output().exits(0).json();
        status["runs"][0].clone()
    }

    #[track_caller]
    pub(crate) fn is(&self, status: &str, iteration: u64) {
        let run = self.run();
        let reason = run["reason"].as_str().map(|reason| format!("/{reason}")).unwrap_or_default();
        let found = format!("{}{reason}", run["status"].as_str().unwrap_or("none"));
        assert_eq!((found.as_str(), run["iteration"].as_u64()), (status, Some(iteration)), "{run}");
    }
}

pub(crate) fn stop(text: &str) -> Value {
    json!({
        "stop_hook_active": true, "last_assistant_message": text,
        "background_tasks": [], "session_crons": [],
    })
}

/// Every answer is one JSON object or nothing, with exit code 0.
#[track_caller]
pub(crate) fn answer(call: BinaryCall) -> Value {
    let output = call.output().exits(0);
    assert_eq!(output.stderr, "");
    if output.stdout.is_empty() {
        return Value::Null;
    }
    output.json()
}

/// What the agent reads instead of falling silent.
#[track_caller]
pub(crate) fn goes_on(answer: &Value) -> &str {
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().unwrap_or_default()
}

pub(crate) fn project() -> TestProject {
    let project = crate::git();
    project.file("a", "1\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

pub(crate) const GATED: &str =
    "/ralph make a hold b --max-iterations 6 --criteria \"custom:grep -q b a\"";

#[test]
fn without_a_loop_nothing_is_said_and_nothing_is_written() {
    let project = project();
    let before = project.everything();
    let session = Session::new(&project, "s-1");
    assert_eq!(session.tell("SessionStart", &json!({ "source": "startup" })), Value::Null);
    assert_eq!(session.prompt("explain this file"), Value::Null);
    assert_eq!(session.edit("a"), Value::Null);
    assert_eq!(session.stop("It holds a number."), Value::Null);
    assert_eq!(session.tell("SubagentStop", &stop("sub")), Value::Null);
    assert_eq!(session.tell("SessionEnd", &json!({ "reason": "other" })), Value::Null);
    assert_eq!(project.everything(), before);
}

#[test]
fn a_false_claim_is_refused_and_a_true_one_ends_the_loop() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let armed = session.prompt(GATED);
    let context = armed["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("make a hold b") && context.contains("grep -q b a"), "{context}");
    assert!(armed["systemMessage"].as_str().unwrap().contains("6 turns"), "{armed}");
    session.is("running", 1);
    let refused = session.stop("Done.\n\n<promise>DONE</promise>");
    let reason = goes_on(&refused);
    assert!(reason.starts_with("[ralph, turn 2 of 6] Not done yet: custom-1 fails.\n"), "{reason}");
    project.file("a", "b\n");
    session.edit("a");
    let ended = session.stop("Done.\n\n<promise>DONE</promise>");
    assert_eq!(ended["decision"], Value::Null);
    assert!(
        ended["systemMessage"].as_str().unwrap().contains("done after 2 turns: custom-1 passes"),
        "{ended}"
    );
    session.is("success/verified", 2);
    assert_eq!(session.stop("bye"), Value::Null, "the loop is over");
}

#[test]
fn a_session_that_is_not_the_loops_and_a_child_are_left_alone() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    for other in ["s-2", "", "null", "../s-1"] {
        assert_eq!(Session::new(&project, other).stop("hello"), Value::Null, "{other}");
    }
    let mut child = stop("sub");
    child["agent_id"] = "a1".into();
    assert_eq!(session.tell("Stop", &child), Value::Null);
    assert_eq!(session.tell("SubagentStop", &child), Value::Null);
    session.is("running", 1);
    let second = Session::new(&project, "s-2").prompt(GATED);
    assert!(goes_on(&second).contains("run-"), "{second}");
    session.is("running", 1);
}

#[test]
fn nothing_is_counted_while_background_work_goes_on() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let mut busy = stop("I wait for the build.");
    busy["background_tasks"] =
        json!([{ "id": "b1", "type": "shell", "status": "running", "command": "make" }]);
    assert_eq!(session.tell("Stop", &busy), Value::Null);
    assert_eq!(session.tell("Stop", &busy), Value::Null);
    session.is("waiting/child", 1);
    session.prompt("<task-notification>done</task-notification>");
    session.is("running", 1);
    session.prompt("<task-notification>another one</task-notification>");
    goes_on(&session.stop("The build is done."));
    session.is("running", 2);
}

#[test]
fn a_prompt_without_a_stop_means_that_the_user_aborted() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    project.file("a", "half\n");
    let paused = session.prompt("wait, what are you doing?");
    assert_eq!(paused["decision"], Value::Null);
    assert!(paused["systemMessage"].as_str().unwrap().contains("/ralph resume"), "{paused}");
    session.is("paused/aborted", 1);
    assert_eq!(session.stop("I explained it. <promise>DONE</promise>"), Value::Null);
    let resumed = session.prompt("/ralph resume");
    let context = resumed["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("make a hold b"), "{context}");
    goes_on(&session.stop("Not yet."));
    session.is("running", 3);
}

#[test]
fn the_hosts_cap_is_known_and_a_word_of_the_user_lifts_it() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph talk a lot --max-iterations 50");
    let mut facts = stop("");
    for round in 0..4 {
        facts["stop_hook_active"] = (round > 0).into();
        facts["last_assistant_message"] = format!("thought {round}").into();
        let call = session.call("Stop", &facts).env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "3");
        let said = answer(call);
        if round < 3 {
            goes_on(&said);
        } else {
            assert_eq!(said["decision"], Value::Null);
            assert!(said["systemMessage"].as_str().unwrap().contains("--cap 0"), "{said}");
        }
    }
    session.is("paused/capped", 4);
    session.prompt("go on");
    session.is("running", 5);
    let call = session.call("Stop", &facts).env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "0");
    goes_on(&answer(call));
}

#[test]
fn a_tool_between_two_continuations_resets_the_hosts_count() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph work a lot --max-iterations 50");
    for round in 0..12 {
        session.edit("a");
        project.file("a", format!("{round}\n"));
        goes_on(&session.stop(&format!("step {round}")));
    }
    session.is("running", 13);
}

#[test]
fn what_tools_do_is_on_record_with_the_run_and_the_iteration() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    session.edit("a");
    goes_on(&session.stop("next"));
    let failed = json!({
        "tool_name": "Bash", "tool_use_id": "t2", "tool_input": { "command": "exit 3" },
        "error": "Exit code 3", "is_interrupt": false,
    });
    session.tell("PostToolUseFailure", &failed);
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    let tools = report["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 2, "{report}");
    assert_eq!((&tools[0]["iteration"], &tools[0]["tool"]), (&json!(1), &json!("Write")));
    assert!(tools[0]["files"][0].as_str().unwrap().ends_with("/a"), "{report}");
    assert_eq!((&tools[1]["iteration"], &tools[1]["error"]), (&json!(2), &json!("Exit code 3")));
}

#[test]
fn a_session_that_ends_rests_its_loop_and_wakes_it_when_it_is_resumed() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    session.tell("SessionEnd", &json!({ "reason": "other" }));
    session.is("paused/interrupted", 1);
    let woken = session.tell("SessionStart", &json!({ "source": "resume" }));
    let context = woken["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("make a hold b"), "{context}");
    let note = woken["systemMessage"].as_str().unwrap();
    assert!(note.contains("goes on in this session"), "{note}");
    session.prompt("go on");
    goes_on(&session.stop("Not yet."));
    session.is("running", 3);
}

#[test]
fn a_limit_of_the_provider_is_waited_for_and_lifted_by_the_next_prompt() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let broken =
        json!({ "error": "rate_limit", "last_assistant_message": "API Error: 429 slow down" });
    session.tell("StopFailure", &broken);
    session.is("waiting/limit", 1);
    session.prompt("try again");
    session.is("running", 1);
    let refused =
        json!({ "error": "authentication_failed", "last_assistant_message": "API Error: 401" });
    session.tell("StopFailure", &refused);
    session.is("waiting/human", 1);
}

#[test]
fn commands_of_ours_are_answered_without_the_model() {
    let project = project();
    let session = Session::new(&project, "s-1");
    assert!(goes_on(&session.prompt("/ralph help")).contains("--max-iterations"));
    assert!(goes_on(&session.prompt("/ralph status")).contains("no run"));
    assert!(goes_on(&session.prompt("/cancel-ralph")).contains("no open loop"));
    assert!(goes_on(&session.prompt("/ralph fix it --no-such-flag")).contains("--no-such-flag"));
    assert!(goes_on(&session.prompt("/ralph resume")).contains("no loop"));
    session.prompt(GATED);
    assert!(goes_on(&session.prompt("/ralph status")).contains("make a hold b"));
    session.is("running", 1);
    project.file("a", "changed\n");
    assert!(goes_on(&session.prompt("/cancel-ralph")).contains("run-"));
    session.is("stopped", 1);
    assert_eq!(session.stop("still here"), Value::Null);
    goes_on(&session.prompt("/ralph rollback"));
    assert_eq!(project.read("a"), "1\n");
}

#[test]
fn hostile_tasks_arrive_as_they_were_typed() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let long = "가나다 \"quote\" 'x ".repeat(1500);
    for task in ["it's $(touch pwned) `touch pwned` ; touch pwned\n\"second line", &long] {
        session.prompt(&format!("/ralph {task}"));
        assert_eq!(session.run()["task"], task.trim());
        session.prompt("/ralph stop");
    }
    assert_eq!(project.read("pwned"), "");
}

#[test]
fn whatever_arrives_on_stdin_the_host_goes_on() {
    let project = project();
    Session::new(&project, "s-1").prompt(GATED);
    let payloads: [&[u8]; 8] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{\"messages\":[]}",
        b"\xff\xfe{\"a\":1}",
        b"{\"hook_event_name\":\"Stop\"}",
        b"{\"hook_event_name\":7,\"session_id\":[]}",
    ];
    for payload in payloads {
        let call = project.ralph(&["hook", "--agent", "claude-code"]).stdin(payload);
        assert_eq!(answer(call.env("CLAUDE_PROJECT_DIR", project.root())), Value::Null);
    }
    let stop = stop("x").to_string();
    for args in [&["hook", "--agent", "nobody"][..], &["hook"], &["hook", "--what"]] {
        assert_eq!(answer(project.ralph(args).stdin(stop.clone())), Value::Null);
    }
}

#[test]
fn the_kill_switch_silences_hooks() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    for name in ["RALPH_DISABLE", "JIKIME_DISABLE_LOOP_CONTROLLER"] {
        let call = session.call("Stop", &stop("Done. <promise>DONE</promise>")).env(name, "1");
        assert_eq!(answer(call), Value::Null);
    }
    session.is("running", 1);
}

#[test]
fn several_processes_for_one_event_count_it_once() {
    const PROCESSES: usize = 4;
    let project = project();
    let [enter, leave] = ["enter", "leave"].map(|name| {
        let path = project.outside(name);
        Command::new("mkfifo").arg(&path).status().unwrap();
        path
    });
    // A pipe opened both ways waits for no other process and never ends.
    let [mut entered, mut released] =
        [&enter, &leave].map(|path| File::options().read(true).write(true).open(path).unwrap());
    let gate = format!("echo > '{}'; read _ < '{}'; false", enter.display(), leave.display());
    project.script("gate.sh", &gate).run_git(&["add", "-A"]);
    let session = Session::new(&project, "s-1");
    writeln!(released).unwrap();
    session.prompt("/ralph wait --criteria custom:./gate.sh");
    entered.read_exact(&mut [0]).unwrap();
    let answers: Vec<Value> = thread::scope(|scope| {
        let calls = || scope.spawn(|| session.stop("Not yet."));
        let running: Vec<_> = (0..PROCESSES).map(|_| calls()).collect();
        entered.read_exact(&mut [0; PROCESSES]).unwrap();
        write!(released, "{}", "\n".repeat(PROCESSES)).unwrap();
        running.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|said| !said.is_null()).count(), 1, "{answers:?}");
    session.is("running", 2);
}

#[test]
fn hooks_of_an_agent_that_we_drive_record_and_do_not_decide() {
    let project = project();
    project.agent(
        r#"printf '{"session_id":"inner","hook_event_name":"PostToolUse","tool_name":"Write","tool_use_id":"t","tool_input":{"file_path":"%s/a"}}' "$PWD" |
            "$RALPH" hook --agent claude-code
        printf '{"session_id":"inner","hook_event_name":"Stop","last_assistant_message":"x"}' |
            "$RALPH" hook --agent claude-code > "$OUTSIDE/answer"
        echo '<promise>DONE</promise>'"#,
    );
    let ended = project.run_call("work", &[]).env("RALPH", env!("CARGO_BIN_EXE_ralph")).output();
    let _ = ended.ends("success/claimed", 1);
    assert_eq!(project.kept("answer"), "");
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    assert_eq!(report["tools"][0]["tool"], "Write", "{report}");
}
