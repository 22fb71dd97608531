//! The tools that agents are given, over the protocol their clients speak.

mod knowledge;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use ralph_testkit::{CommandOutput, TestProject, TurnHold};
use serde_json::{Value, json};

/// A server that is being spoken to.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    /// A server whose client has introduced itself.
    #[track_caller]
    pub(crate) fn start(project: &TestProject, variables: &[(&str, &str)]) -> Self {
        let mut server = Self::unmet(project, variables);
        server.say(&hello("2025-06-18"));
        let hello = server.hear();
        assert_eq!(hello["result"]["serverInfo"]["name"], "ralph", "{hello}");
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn unmet(project: &TestProject, variables: &[(&str, &str)]) -> Self {
        let call = project.ralph(&["mcp"]).envs(variables.iter().copied());
        let mut child = call.converse();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    fn say(&mut self, message: &Value) {
        self.write(&format!("{message}\n"));
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).unwrap();
    }

    #[track_caller]
    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, id: u64, tool: &str, arguments: &Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// What a tool answers: whether it refused, the data, and all texts.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: &Value) -> (bool, Value, String) {
        self.ask(9, tool, arguments);
        let heard = self.hear();
        assert_eq!(heard["id"], 9, "{heard}");
        let result = &heard["result"];
        let texts = result["content"].as_array().into_iter().flatten();
        let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
        let refused = result["isError"].as_bool().unwrap_or_else(|| panic!("{heard}"));
        (refused, result["structuredContent"].clone(), texts.join("\n"))
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let (refused, _, text) = self.call(tool, arguments);
        assert!(refused, "{text}");
        text
    }

    #[track_caller]
    pub(crate) fn answered(&mut self, tool: &str, arguments: &Value) -> Value {
        let (refused, data, text) = self.call(tool, arguments);
        assert!(!refused, "{text}");
        data
    }

    /// Hangs up; how it ended and what else it said.
    fn leave(mut self) -> CommandOutput {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        let mut output: CommandOutput = self.child.wait_with_output().unwrap().into();
        output.stdout = rest;
        output
    }
}

fn hello(version: &str) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

#[test]
fn a_client_is_told_of_the_tools_and_hangs_up() {
    let project = crate::git();
    let mut server = Server::start(&project, &[]);
    server.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let list = server.hear();
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let of_loops = ["loop_start", "loop_status", "loop_stop", "check_run"];
    let of_notes = ["memory_search", "memory_get", "memory_add", "approach_check"];
    let of_code = ["code_symbols", "code_refs", "code_map"];
    assert_eq!(names, [&of_loops[..], &of_notes[..], &of_code[..]].concat());
    let hints: Vec<&Value> =
        tools.iter().map(|tool| &tool["annotations"]["readOnlyHint"]).collect();
    let (reads, writes) = (true, false);
    let loops = [writes, reads, writes, writes];
    let notes = [reads, reads, writes, reads];
    assert_eq!(hints, [&loops[..], &notes[..], &[reads; 3]].concat());
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["task"]));
    // A client sends this with every request: at most 1,200 tokens of 4 bytes.
    let size = |tool: &Value| {
        json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string().len()
    };
    let sizes: Vec<usize> = tools.iter().map(size).collect();
    assert!(sizes.iter().sum::<usize>() <= 4 * 1_200, "{sizes:?}");
    let left = server.leave().exits(0);
    assert_eq!((left.stdout.as_str(), left.stderr.as_str()), ("", ""));
}

#[test]
fn versions_are_agreed_upon_and_a_client_that_leaves_at_once_is_no_error() {
    let project = crate::git();
    for (asked, given) in [("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05")] {
        let mut server = Server::unmet(&project, &[]);
        // Some clients ask first whether there is anything to discover.
        server.say(&json!({ "jsonrpc": "2.0", "id": 7, "method": "server/discover" }));
        assert_eq!(server.hear()["id"], 7);
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/early" }));
        server.say(&hello(asked));
        assert_eq!(server.hear()["result"]["protocolVersion"], given);
        let _ = server.leave().exits(0);
    }
    let _ = Server::unmet(&project, &[]).leave().exits(0);
}

#[test]
fn what_is_no_request_is_answered_and_the_next_one_served() {
    let project = crate::git();
    let mut server = Server::start(&project, &[]);
    server.write("{\"jsonrpc\":\"2.0\",\n");
    assert_eq!(server.hear()["error"]["code"], -32700);
    server.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such" }));
    let unknown = server.hear();
    assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!(1), &json!(-32601)));
    server.ask(2, "no_such", &json!({}));
    let unknown = server.hear();
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.contains("no_such") && message.contains("check_run"), "{message}");
    server.say(&json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {} }));
    assert_eq!(server.hear()["error"]["code"], -32602);
    server.ask(4, "loop_start", &json!({ "task": "x".repeat(10_000_000) }));
    let long = server.hear();
    assert_eq!((&long["id"], &long["error"]["code"]), (&json!(4), &json!(-32600)));
    assert_eq!(server.answered("loop_status", &json!({}))["runs"], json!([]));
    let _ = server.leave().exits(0);
}

#[test]
fn an_argument_that_is_wrong_is_named() {
    let project = crate::git();
    let mut server = Server::start(&project, &[("CLAUDE_CODE_SESSION_ID", "s-1")]);
    for (arguments, message) in [
        (json!({}), "missing field `task`"),
        (json!({ "task": " " }), "the task is empty"),
        (json!({ "task": "x", "max_iterations": "many" }), "`max_iterations`: invalid type"),
        (json!({ "task": "x", "max_duration": "soon" }), "max_duration: "),
        (json!({ "task": "x", "allow_test_changes": true }), "unknown field `allow_test_changes`"),
        (json!({ "task": "x", "criteria": ["custom:true"] }), "unknown variant `custom:true`"),
        (json!({ "task": "x", "max_iterations": 500 }), "500 is more than the 100 that hold here"),
        (json!({ "task": "x", "session": "a b" }), "`a b` is not a session id"),
    ] {
        let text = server.refused("loop_start", &arguments);
        assert!(text.contains(message), "{text}");
    }
    assert_eq!(server.answered("loop_status", &json!({}))["runs"], json!([]));
}

#[test]
fn of_several_loops_a_session_is_shown_its_own() {
    let project = crate::git();
    for session in ["s-1", "s-2"] {
        let args = ["start", session, "--session", session];
        let _ = project.ralph(&args).output().exits(0);
    }
    let mut server = Server::start(&project, &[("CLAUDE_CODE_SESSION_ID", "s-1")]);
    let shown = |server: &mut Server, arguments: &Value| {
        let list = server.answered("loop_status", arguments);
        let runs = list["runs"].as_array().unwrap().iter();
        runs.map(|run| run["session_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&mut server, &json!({})), ["s-1"]);
    assert_eq!(shown(&mut server, &json!({ "session": "s-2" })), ["s-2"]);
    assert_eq!(shown(&mut server, &json!({ "session": "s-3" })), ["s-2", "s-1"]);
    let stop = server.refused("loop_stop", &json!({}));
    assert!(stop.contains("run-"), "{stop}");
    let _ = server.leave().exits(0);
    let mut other = Server::start(&project, &[("CLAUDE_CODE_SESSION_ID", "s-3")]);
    let stop = other.refused("loop_stop", &json!({}));
    assert!(stop.contains("several runs are open here"), "{stop}");
}

#[test]
fn a_loop_is_started_shown_and_not_ended_by_the_agent_that_is_in_it() {
    let project = crate::git();
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:grep -q b a\"]\n");
    let mut server = Server::start(&project, &[("CLAUDE_CODE_SESSION_ID", "s-1")]);
    let arguments =
        json!({ "task": "make a hold b", "criteria": ["security"], "max_iterations": 3 });
    let (refused, started, text) = server.call("loop_start", &arguments);
    assert!(!refused && text.contains("<promise>DONE</promise>"), "{text}");
    assert!(text.contains("1 check fails now"), "what fails already is known: {text}");
    let run = &started["runs"][0];
    assert_eq!((&run["session_id"], &run["max_iterations"]), (&json!("s-1"), &json!(3)));
    let criteria = run["criteria"].as_array().unwrap();
    let names: Vec<&str> = criteria.iter().filter_map(|gate| gate["criterion"].as_str()).collect();
    assert_eq!(names, ["custom", "security"], "checks are added to those of the settings");
    let shown = server.answered("loop_status", &json!({}));
    let printed = project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(shown, printed);
    let again = server.refused("loop_start", &arguments);
    assert!(again.contains("cannot call `loop_start` while its own run"), "{again}");
    let stop = server.refused("loop_stop", &json!({}));
    assert!(stop.contains("ask the user"), "{stop}");
    let _ = project.ralph(&["pause"]).output().exits(0);
    let stop = server.refused("loop_stop", &json!({}));
    assert!(stop.contains("cannot call `loop_stop` while its own run"), "{stop}");
    let _ = server.leave().exits(0);
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert_eq!(report.matches("The agent tried `loop_stop`").count(), 2, "{report}");
    assert!(report.contains("The agent tried `loop_start`"), "{report}");

    let mut other = Server::start(&project, &[("CLAUDE_CODE_SESSION_ID", "s-2")]);
    let ended = other.answered("loop_stop", &json!({}));
    assert_eq!(ended["runs"][0]["status"], "stopped");
    let _ = other.answered("loop_stop", &json!({}));
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("a command in the session ended the run"), "{report}");
}

#[test]
fn without_a_session_or_for_a_driven_agent_no_loop_begins() {
    let project = crate::git();
    let text = Server::start(&project, &[]).refused("loop_start", &json!({ "task": "x" }));
    assert!(text.contains("`session`") && text.contains("/ralph TASK"), "{text}");
    let driven = [("RALPH_DRIVER", "1"), ("CLAUDE_CODE_SESSION_ID", "s-1")];
    let text = Server::start(&project, &driven).refused("loop_start", &json!({ "task": "x" }));
    assert!(text.contains("ralph drives it"), "{text}");
    let off = [("RALPH_DISABLE", "1"), ("CLAUDE_CODE_SESSION_ID", "s-1")];
    let text = Server::start(&project, &off).refused("loop_start", &json!({ "task": "x" }));
    assert!(text.contains("RALPH_DISABLE"), "{text}");
}

#[test]
fn gates_are_run_with_the_same_answer_as_on_the_command_line() {
    let project = crate::git();
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:grep -q b a\"]\n").file("a", "1\n");
    let mut server = Server::start(&project, &[]);
    let mut failed = server.answered("check_run", &json!({}));
    let mut printed = project.ralph(&["check", "--json"]).output().exits(1).json();
    for said in [&mut failed, &mut printed] {
        said["gates"][0]["elapsed_ms"] = Value::Null;
    }
    assert_eq!(failed, printed);
    project.file("a", "b\n");
    assert_eq!(server.answered("check_run", &json!({}))["passed"], true);
    // What the agent asked for stays within what has a name.
    let text = server.refused("check_run", &json!({ "criteria": ["custom:touch pwned"] }));
    assert!(text.contains("unknown variant"), "{text}");
}

#[test]
fn a_project_with_nothing_to_check_says_so() {
    let project = crate::plain();
    let mut server = Server::start(&project, &[]);
    let text = server.refused("check_run", &json!({}));
    assert!(text.contains("there is no gate to run"), "{text}");
    assert_eq!(server.answered("loop_stop", &json!({}))["runs"], json!([]));
}

#[test]
fn an_answer_is_cut_to_what_a_model_can_read() {
    let project = crate::git();
    let script = "for i in $(seq 2000); do echo \"line $i of a long complaint\"; done; exit 1";
    project.script("gate.sh", script);
    let gates: Vec<String> = (0..40).map(|n| format!("\"custom:./gate.sh {n}\"")).collect();
    project.file("ralph.toml", format!("[run]\ncriteria = [{}]\n", gates.join(", ")));
    let mut server = Server::start(&project, &[]);
    let said = server.answered("check_run", &json!({}));
    assert!(said.to_string().len() <= 40_000);
    assert_eq!((&said["passed"], &said["truncated"]), (&json!(false), &json!(true)));
}

#[test]
fn a_check_that_is_cancelled_ends_its_processes_while_others_are_answered() {
    let project = crate::git();
    let hold = TurnHold::new(&project, "gate");
    project.script("gate.sh", &hold.script(""));
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:./gate.sh\"]\n");
    let mut server = Server::start(&project, &[]);
    server.ask(1, "check_run", &json!({}));
    hold.is_begun();
    assert_eq!(server.answered("loop_status", &json!({}))["runs"], json!([]));
    let cancelled = json!({ "requestId": 1, "reason": "changed my mind" });
    let method = "notifications/cancelled";
    server.say(&json!({ "jsonrpc": "2.0", "method": method, "params": cancelled }));
    hold.is_over();
    assert_eq!(server.answered("loop_status", &json!({}))["runs"], json!([]));
    let _ = server.leave().exits(0);
}

#[test]
fn a_client_that_hangs_up_takes_a_running_check_with_it() {
    let project = crate::git();
    let hold = TurnHold::new(&project, "gate");
    project.script("gate.sh", &hold.script(""));
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:./gate.sh\"]\n");
    let mut server = Server::start(&project, &[]);
    server.ask(1, "check_run", &json!({}));
    hold.is_begun();
    let _ = server.leave().exits(0);
    hold.is_over();
}
