//! Claude Code as an agent, played by a script that says what it is told to.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ralph_testkit::{BinaryCall, CommandOutput, Signal, TestProject, TurnHold};
use serde_json::{Value, json};

use crate::{git, plain};

/// Notes how it was called, does what `do-N` says and prints `turn-N`, in
/// which SESSION stands for the name of the session.
const FAKE: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit; }
n=$(($(cat "$OUTSIDE/count" 2>/dev/null || echo 0) + 1))
echo $n > "$OUTSIDE/count"
echo "$*" >> "$OUTSIDE/calls"
cat > "$OUTSIDE/prompt-$n"
id=$(echo "$*" | sed -E 's/.*--(session-id|resume) ([^ ]*).*/\2/')
sed "s/SESSION/$id/g" "$OUTSIDE/turn-$n"
[ -f "$OUTSIDE/do-$n" ] && . "$OUTSIDE/do-$n"
exit 0
"#;

/// A client that will take these turns.
struct Fake {
    project: TestProject,
    turns: usize,
}

impl Fake {
    fn new(project: TestProject) -> Self {
        let path = project.outside("bin");
        let _ = fs::create_dir(&path);
        let _ = fs::write(path.join("claude"), FAKE);
        let _ = fs::set_permissions(path.join("claude"), fs::Permissions::from_mode(0o755));
        Self { project, turns: 0 }
    }

    /// One more turn, which prints these lines.
    fn turn(self, lines: &[Value]) -> Self {
        self.turn_doing(lines, "")
    }

    /// One more turn, which prints these lines and then runs this script.
    fn turn_doing(mut self, lines: &[Value], script: &str) -> Self {
        self.turns += 1;
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let _ = fs::write(
            self.project.outside(&format!("turn-{}", self.turns)),
            text.join("\n") + "\n",
        );
        let _ = fs::write(self.project.outside(&format!("do-{}", self.turns)), script);
        self
    }

    fn call(&self, args: &[&str]) -> BinaryCall {
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = self.project.outside("bin").display().to_string();
        self.project.ralph(args).env("PATH", format!("{bin}:{path}"))
    }

    fn run(&self, more: &[&str]) -> CommandOutput {
        let args = [&["run", "do it", "--agent", "claude", "--json"], more].concat();
        self.call(&args).output()
    }

    /// The arguments of every call, in order.
    fn calls(&self) -> Vec<String> {
        self.project.kept("calls").lines().map(str::to_owned).collect()
    }

    /// The session of every call: how it was given, and its name.
    fn sessions(&self) -> Vec<(String, String)> {
        let session = |call: &String| {
            let words: Vec<&str> = call.split(' ').collect();
            let at = words.iter().position(|word| ["--session-id", "--resume"].contains(word));
            at.map(|at| (words[at].to_owned(), words[at + 1].to_owned())).unwrap_or_default()
        };
        self.calls().iter().map(session).collect()
    }
}

fn init() -> Value {
    json!({ "type": "system", "subtype": "init", "session_id": "SESSION" })
}

fn says(text: &str) -> Value {
    message(&json!({ "type": "text", "text": text }), 100)
}

fn uses(tool: &str, input: &Value) -> Value {
    message(&json!({ "type": "tool_use", "name": tool, "input": input }), 100)
}

fn message(block: &Value, tokens: u64) -> Value {
    let usage = json!({ "input_tokens": tokens, "output_tokens": 1 });
    json!({
        "type": "assistant",
        "message": { "id": format!("msg_{block}"), "model": "m", "content": [block], "usage": usage },
        "session_id": "SESSION",
    })
}

/// The end of a turn whose session has cost this much, in dollars.
fn done(text: &str, cost: f64) -> Value {
    let model = json!({ "inputTokens": 1000, "outputTokens": 1, "contextWindow": 1000 });
    json!({
        "type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed",
        "result": text, "session_id": "SESSION", "total_cost_usd": cost, "modelUsage": { "m": model },
    })
}

fn api_error(status: u16, text: &str) -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": true, "terminal_reason": "api_error",
        "api_error_status": status, "result": text, "session_id": "SESSION",
    })
}

const CLAIM: &str = "All done.\n<promise>DONE</promise>";

/// A turn that says this, after which the session has cost so much.
fn turn(text: &str, cost: f64) -> Vec<Value> {
    vec![init(), says(text), done(text, cost)]
}

#[test]
fn a_conversation_goes_on_until_the_promise_is_kept() {
    let fake = Fake::new(git()).turn(&turn("Working on it.", 0.25)).turn(&turn(CLAIM, 0.75));
    let output = fake.run(&["--max-cost", "10"]).exits(0).ends("success/claimed", 2);
    let sessions = fake.sessions();
    assert_eq!(sessions[0].0, "--session-id");
    assert_eq!(sessions[1], ("--resume".to_owned(), sessions[0].1.clone()));
    assert_eq!(sessions[0].1.len(), 36, "{sessions:?}");
    assert_eq!(output.ended()["cost"]["cost_usd"], 0.75, "the total of a session is no sum");
    assert!(fake.calls()[0].contains("--permission-mode acceptEdits"));
    assert!(fake.calls()[1].contains("--max-budget-usd 9.75"), "{:?}", fake.calls());
    assert!(fake.project.kept("prompt-1").starts_with("do it"));
    assert!(fake.project.kept("prompt-2").contains("ITERATION 2"));
}

#[test]
fn what_is_shown_is_what_the_agent_says_and_does() {
    let child = json!({
        "type": "assistant", "parent_tool_use_id": "t", "task_description": "explore",
        "message": { "id": "c", "content": [{ "type": "text", "text": "found it" }] },
    });
    let lines = [
        init(),
        says("I look."),
        uses("Bash", &json!({ "command": format!("echo ghp_{}", "a1B2".repeat(9)) })),
        child,
        json!({ "type": "user", "message": { "content": "what the tool printed" } }),
        says(CLAIM),
        done(CLAIM, 0.1),
    ];
    let fake = Fake::new(plain()).turn(&lines);
    let output = fake.run(&[]).exits(0);
    let shown: Vec<(String, String)> = output
        .events_of("agent_output")
        .iter()
        .map(|event| (event["kind"].to_string(), event["text"].to_string()))
        .collect();
    let kinds: Vec<&str> = shown.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["\"text\"", "\"tool\"", "\"child\"", "\"text\""]);
    assert!(shown[1].1.contains("Bash: echo [redacted"), "{shown:?}");
    assert_eq!(shown[2].1, "\"explore: found it\"");

    let fake = Fake::new(plain()).turn(&lines);
    let people = fake.call(&["run", "do it", "--agent", "claude"]).output().exits(0);
    for line in ["│ I look.", "→ Bash: echo", "↳ explore: found it"] {
        assert!(people.stderr.contains(line), "{}", people.stderr);
    }
}

#[test]
fn a_fresh_context_is_a_new_session_every_turn() {
    let fake = Fake::new(plain()).turn(&turn("One.", 0.1)).turn(&turn(CLAIM, 0.2));
    let output = fake.run(&["--context", "fresh", "--max-cost", "9"]).exits(0);
    let sessions = fake.sessions();
    assert!(sessions.iter().all(|(how, _)| how == "--session-id"), "{sessions:?}");
    assert_ne!(sessions[0].1, sessions[1].1);
    assert!(!fake.project.kept("prompt-2").contains("What happened so far"));
    let cost = output.ended()["cost"]["cost_usd"].as_f64().unwrap_or_default();
    assert!((cost - 0.3).abs() < 1e-9, "{cost}");
}

#[test]
fn a_summary_tells_the_next_session_what_happened() {
    let fake = Fake::new(git())
        .turn_doing(&turn("I began with a.txt; next is b.txt.", 0.1), "echo a > a.txt")
        .turn(&turn(CLAIM, 0.1));
    let _ = fake.run(&["--context", "summarize"]).exits(0).ends("success/claimed", 2);
    let sessions = fake.sessions();
    assert_eq!((sessions[1].0.as_str(), sessions[0].1 == sessions[1].1), ("--session-id", false));
    let prompt = fake.project.kept("prompt-2");
    assert!(prompt.contains("What happened so far"), "{prompt}");
    assert!(prompt.contains("- a.txt"), "{prompt}");
    assert!(prompt.contains("> I began with a.txt; next is b.txt."), "{prompt}");
    assert!(!fake.project.kept("prompt-1").contains("What happened"));
}

#[test]
fn a_conversation_that_is_nearly_full_is_left_for_a_new_one() {
    let full =
        [init(), message(&json!({ "type": "text", "text": "Long." }), 850), done("Long.", 0.1)];
    let fake = Fake::new(plain()).turn(&full).turn(&turn(CLAIM, 0.1));
    let output = fake.run(&[]).exits(0).ends("success/claimed", 2);
    assert_eq!(fake.sessions()[1].0, "--session-id");
    assert!(output.values("notice", "text").iter().any(|text| text.contains("85 % full")));
    assert!(fake.project.kept("prompt-2").contains("What happened so far"));
}

#[test]
fn a_conversation_that_is_lost_begins_anew_once() {
    let lost = json!({
        "type": "result", "is_error": true, "session_id": "SESSION",
        "errors": ["No conversation found with session ID: SESSION"],
    });
    let fake = Fake::new(plain()).turn(&turn("One.", 0.1)).turn(&[lost]).turn(&turn(CLAIM, 0.1));
    let output = fake.run(&[]).exits(0).ends("success/claimed", 2);
    let how: Vec<String> = fake.sessions().into_iter().map(|(how, _)| how).collect();
    assert_eq!(how, ["--session-id", "--resume", "--session-id"]);
    let notices = output.values("notice", "text");
    assert!(notices.iter().any(|text| text.contains("no longer knows")), "{notices:?}");
    assert!(fake.project.kept("prompt-3").contains("What happened so far"));
}

#[test]
fn a_resumed_run_goes_on_with_its_conversation() {
    let asks = "Which of the two databases should I use?";
    let fake =
        Fake::new(plain()).turn(&turn(asks, 0.1)).turn(&turn(asks, 0.2)).turn(&turn(CLAIM, 0.5));
    let _ = fake.run(&["--max-cost", "9"]).exits(4).ends("waiting/human", 2);
    let resumed = fake.call(&["resume", "--answer", "The first.", "--json"]).output().exits(0);
    assert_eq!(resumed.ended()["cost"]["cost_usd"], 0.5);
    let sessions = fake.sessions();
    assert_eq!(sessions[2], ("--resume".to_owned(), sessions[0].1.clone()));
    assert!(fake.project.kept("prompt-3").contains("The first."));
}

#[test]
fn a_conversation_goes_on_after_its_driver_was_killed_in_the_middle_of_it() {
    let project = git();
    let hold = TurnHold::new(&project, "turn");
    let fake = Fake::new(project)
        .turn_doing(&[init(), says("I begin.")], &hold.script("echo half > half.txt"))
        .turn_doing(&turn(CLAIM, 0.5), "echo whole > half.txt");
    let gate = ["--criteria", "custom:grep -q whole half.txt"];
    let args = [&["run", "do it", "--agent", "claude", "--json"], &gate[..]].concat();
    let running = fake.call(&args).start();
    hold.is_begun();
    running.signal(Signal::Kill);
    assert_eq!(running.finish().code, None);
    hold.is_over();
    let resumed = fake.call(&["resume", "--json"]).output().exits(0).ends("success/verified", 2);
    assert_eq!(resumed.events()[0]["resumed"], true);
    let sessions = fake.sessions();
    assert_eq!(sessions[0].0, "--session-id");
    assert_eq!(sessions[1], ("--resume".to_owned(), sessions[0].1.clone()));
    let prompt = fake.project.kept("prompt-2");
    assert!(prompt.contains("files touched last: half.txt"), "{prompt}");
}

#[test]
fn an_agent_that_is_denied_what_it_needs_waits_for_a_person() {
    let denial = json!({ "tool_name": "Bash", "tool_input": { "command": "npm test" } });
    let denied = |text: &str| {
        let mut end = done(text, 0.1);
        end["permission_denials"] = json!([denial]);
        vec![init(), uses("Bash", &json!({ "command": "npm test" })), says(text), end]
    };
    let fake = Fake::new(git())
        .turn_doing(&denied("No."), "echo a > a.txt")
        .turn(&denied("Still no."))
        .turn(&denied("No again."))
        .turn(&turn(CLAIM, 0.1));
    let output = fake.run(&[]).exits(4).ends("waiting/human", 3);
    let question = output.ended()["question"].to_string();
    assert!(question.contains("`Bash(npm test:*)` to permissions.allow"), "{question}");
    let notices = output.values("notice", "text");
    assert!(notices[0].contains("denied Bash: npm test"), "{notices:?}");
    assert!(fake.project.kept("prompt-2").contains("You were not allowed"));
    let _ = fake.call(&["resume", "--json"]).output().exits(0).ends("success/claimed", 4);
}

#[test]
fn what_an_agent_was_denied_is_told_without_the_secrets_in_it() {
    let key = "sk-ant-api03-q7ZxM2bKf09TtVwLrE5uYhJd8sNcAaPgQ1iXoZ3v";
    let denial =
        json!({ "tool_name": "Bash", "tool_input": { "command": format!("deploy {key}") } });
    let mut end = done("No.", 0.1);
    end["permission_denials"] = json!([denial]);
    let fake = Fake::new(git()).turn(&[init(), says("No."), end]).turn(&turn(CLAIM, 0.1));
    let output = fake.run(&[]).exits(0).ends("success/claimed", 2);
    assert!(output.values("notice", "text")[0].contains("denied Bash: deploy"));
    assert!(!output.stdout.contains(key), "{}", output.stdout);
}

#[test]
fn unknown_credentials_end_the_run_with_a_hint() {
    let refused = [init(), api_error(401, "Invalid API key")];
    let fake = Fake::new(plain()).turn(&refused).turn(&refused).turn(&refused);
    let ended = fake.run(&[]).exits(1).ends("failed/agent_error", 3).ended();
    assert!(ended["error"].to_string().contains("ANTHROPIC_API_KEY"), "{ended}");
}

#[test]
fn a_limit_of_the_provider_is_waited_for() {
    let now = std::process::Command::new("date").arg("+%s").output();
    let now: i64 = now
        .ok()
        .and_then(|out| String::from_utf8(out.stdout).ok()?.trim().parse().ok())
        .unwrap_or(0);
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected", "resetsAt": now + 1 } });
    let fake = Fake::new(plain())
        .turn(&[init(), event, api_error(429, "You've hit your limit")])
        .turn(&turn(CLAIM, 0.1));
    let output = fake.run(&[]).exits(0).ends("success/claimed", 1);
    assert_eq!(output.events_of("waiting")[0]["for"], "limit");
}

#[test]
fn a_turn_whose_tokens_run_out_is_stopped() {
    let hungry = message(&json!({ "type": "text", "text": CLAIM }), 5_000);
    let fake = Fake::new(plain()).turn_doing(&[init(), hungry], "exec sleep 300");
    let output = fake.run(&["--max-tokens", "4000"]).exits(1).ends("failed/budget", 1);
    assert_eq!(output.ended()["cost"]["input_tokens"], 5_000);
    assert_eq!(output.values("iteration_ended", "turn"), ["finished"], "the agent did not fail");
}

#[test]
fn a_missing_client_is_missed_before_anything_starts() {
    let project = plain();
    let empty = project.outside("empty");
    let _ = fs::create_dir(&empty);
    let call = project.ralph(&["run", "do it", "--agent", "claude-code"]).env("PATH", &empty);
    let refused = call.output().exits(2);
    assert!(
        refused.stderr.contains("npm install -g @anthropic-ai/claude-code"),
        "{}",
        refused.stderr
    );
    let fake = Fake::new(plain());
    let sound = fake.call(&["doctor"]).env("RALPH_AGENT", "claude").output().exits(0);
    assert!(sound.stdout.contains("claude-code: claude 2.1.325 (Claude Code)"), "{}", sound.stdout);
}

#[test]
fn a_run_of_a_session_is_taken_over_by_an_agent_that_is_named() {
    let fake = Fake::new(git()).turn(&turn(CLAIM, 0.1));
    let _ = fake.project.ralph(&["start", "do it", "--session", "ses_1"]).output().exits(0);
    let refused = fake.call(&["resume"]).output().exits(1);
    assert!(refused.stderr.contains("--agent NAME"), "{}", refused.stderr);
    let taken = fake.call(&["resume", "--agent", "claude", "--json"]).output().exits(0);
    assert!(taken.stderr.contains("from session ses_1"), "{}", taken.stderr);
    let run = fake.project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(run["runs"][0]["status"], "success");
    assert_eq!(taken.events()[0]["run"]["agent"], "claude-code", "{}", taken.events()[0]);
}
