//! A judge: asked last, seen as a gate, and paid for by the run.

use ralph_testkit::{
    CommandOutput, ModelServer, ReceivedRequest, ScriptedReply, TOKENS, TestProject,
};
use serde_json::Value;

use crate::secrets::is_nowhere;
use crate::{git, plain};

const CLAIM: &str = "echo '<promise>DONE</promise>'";
const KEEP_PROMPT: &str =
    "cat > $OUTSIDE/prompt; cp $OUTSIDE/prompt $OUTSIDE/prompt-$RALPH_ITERATION";
const CRITERION: &str = "The greeting is kind.";
const GATE: [&str; 4] = ["--criteria", "custom:test -f greeting.txt", "--judge", CRITERION];

fn refuses(reason: &str) -> ScriptedReply {
    ScriptedReply::Says(serde_json::json!({ "success": false, "reason": reason }).to_string())
}

fn agrees() -> ScriptedReply {
    ScriptedReply::Says(r#"{"success": true, "reason": "it is kind"}"#.to_owned())
}

/// An agent that greets, differently every time, and says that it is done.
fn greeting(project: &TestProject) {
    project
        .agent(&format!("{KEEP_PROMPT}\necho \"hello $RALPH_ITERATION\" > greeting.txt\n{CLAIM}"));
}

/// Lets the project's judge be this server.
fn judged_by(project: &TestProject, server: &ModelServer) {
    project.file("ralph.toml", format!("[judge]\nurl = \"{}\"\nmodel = \"m-1\"\n", server.url()));
}

fn of_judge(output: &CommandOutput) -> Vec<Value> {
    let events = output.events_of("gate_finished").into_iter();
    events.filter(|event| event["gate"]["name"] == "judge").collect()
}

#[test]
fn a_judge_that_refuses_sends_the_run_on_with_its_reason() {
    for place in [git, plain] {
        let project = place();
        greeting(&project);
        let server = ModelServer::start([refuses("it sounds rude"), agrees()]);
        judged_by(&project, &server);
        let output = project.run_json("greet the user", &GATE).exits(0);
        let ended = output.ends("success/verified", 2).ended();
        assert_eq!(ended["cost"]["input_tokens"], 2 * TOKENS.sent);
        let told = project.kept("prompt-2");
        assert!(told.contains("judge (`The greeting is kind.`) did not accept the work"), "{told}");
        assert!(told.contains("\n```\nit sounds rude\n```\n"), "{told}");
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        let seen = requests[1].prompt();
        for part in [CRITERION, "greet the user", "+hello 2", "added greeting.txt", "custom-1"] {
            assert!(seen.contains(part), "no `{part}` in {seen}");
        }
        let report = project.ralph(&["report"]).output().exits(0).stdout;
        assert!(report.contains("ok   judge: `The greeting is kind.` passed"), "{report}");
    }
}

#[test]
fn a_judge_is_asked_only_when_nothing_else_is_missing() {
    let project = git();
    project.agent(&format!("test $RALPH_ITERATION = 1 || echo hello > greeting.txt\n{CLAIM}"));
    let server = ModelServer::agreeing();
    judged_by(&project, &server);
    let output = project.run_json("greet", &GATE).exits(0).ends("success/verified", 2);
    let heard = of_judge(&output);
    assert_eq!(heard.len(), 1);
    assert_eq!((&heard[0]["iteration"], &heard[0]["gate"]["verdict"]), (&2.into(), &"pass".into()));
    assert_eq!(heard[0]["gate"]["usage"]["output_tokens"], TOKENS.received);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_judge_decides_what_no_gate_measures() {
    let project = plain();
    project.agent(&format!("{KEEP_PROMPT}\ntest $RALPH_ITERATION = 1 || {CLAIM}"));
    let server = ModelServer::agreeing();
    judged_by(&project, &server);
    let output = project.run_json("greet", &["--judge", CRITERION]).exits(0);
    let _ = output.ends("success/claimed", 2);
    let prompts: Vec<String> = server.requests().iter().map(ReceivedRequest::prompt).collect();
    assert_eq!(prompts.len(), 1);
    assert!(prompts[0].contains("Nothing changed since the run began."), "{}", prompts[0]);
}

#[test]
fn an_answer_that_cannot_be_used_is_unknown_and_never_a_pass() {
    let project = git();
    greeting(&project);
    let server = ModelServer::start([ScriptedReply::Says("Looks good to me!".to_owned())]);
    judged_by(&project, &server);
    let more = [&GATE[..], &["--max-iterations", "2"]].concat();
    let output = project.run_json("greet", &more).exits(1).ends("failed/max_iterations", 2);
    assert_eq!(server.requests().len(), 6);
    for event in of_judge(&output) {
        assert_eq!(event["gate"]["verdict"], "unknown", "{event}");
        assert_eq!(event["gate"]["tail"], "Looks good to me!");
    }
    let told = project.kept("prompt-2");
    assert!(told.contains("unknown: its answer cannot be used"), "{told}");
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("?    judge"), "{report}");
}

#[test]
fn what_a_judge_costs_counts_to_the_budget() {
    let project = git();
    let usage = r#"echo '{"input_tokens":10,"output_tokens":0,"cost_usd":0}' > $RALPH_USAGE_FILE"#;
    project.agent(&format!("echo $RALPH_ITERATION > greeting.txt\n{usage}\n{CLAIM}"));
    let server = ModelServer::start([refuses("no")]);
    judged_by(&project, &server);
    let more = [&GATE[..], &["--max-tokens", "2000"]].concat();
    let output = project.run_json("greet", &more).exits(1).ends("failed/budget", 2);
    assert_eq!(output.ended()["cost"]["input_tokens"], 2 * (TOKENS.sent + 10));
}

#[test]
fn the_key_of_a_judge_is_sent_and_kept_nowhere() {
    let key = "kx-plain-words-for-nobody";
    let project = plain();
    greeting(&project);
    let echoed = format!(r#"{{"error":{{"message":"wrong key {key}"}}}}"#);
    let server = ModelServer::start([ScriptedReply::Fails(401, echoed)]);
    let named = "key_variable = \"JUDGE_SECRET\"\n";
    let config = format!("[judge]\nurl = \"{}\"\nmodel = \"m\"\n{named}", server.url());
    project.file("ralph.toml", config);
    let more = [&GATE[..], &["--max-iterations", "2"]].concat();
    let call = project.run_call("greet", &more).env("JUDGE_SECRET", key);
    let output = call.output().exits(1).ends("failed/max_iterations", 2);
    let sent = server.requests()[0].header("authorization").map(str::to_owned);
    assert_eq!(sent, Some(format!("Bearer {key}")));
    let reason = of_judge(&output)[0]["gate"]["detail"].to_string();
    assert!(reason.contains("status 401: wrong key [redacted"), "{reason}");
    is_nowhere(key, &project, &output, &project.state());
}

#[test]
fn a_command_can_judge() {
    let project = git();
    greeting(&project);
    project.script(
        "judge.sh",
        r#"cat > $OUTSIDE/request
echo '{"input_tokens":70,"output_tokens":7,"cost_usd":0.5}' > $RALPH_USAGE_FILE
echo '{"success": true, "reason": "kind enough"}'"#,
    );
    project.file("ralph.toml", "[judge]\ncommand = \"./judge.sh\"\n");
    let output = project.run_json("greet", &GATE).exits(0).ends("success/verified", 1);
    assert_eq!(of_judge(&output)[0]["gate"]["tail"], "kind enough");
    assert_eq!(output.ended()["cost"]["cost_usd"], 0.5);
    let request: Value = serde_json::from_str(&project.kept("request")).unwrap();
    assert_eq!(request["criterion"], CRITERION);
    assert!(request["prompt"].as_str().unwrap().contains("+hello 1"), "{request}");
}

#[test]
fn a_command_that_breaks_hangs_or_changes_files_is_not_believed() {
    let yes = r#"echo '{"success": true, "reason": "x"}'"#;
    for (body, timeout, want) in [
        (format!("{yes}; echo broken >&2; exit 3"), "1m", "ended with exit code 3: broken"),
        ("exec sleep 600".to_owned(), "300ms", "there was no answer in time"),
        (format!("echo more >> greeting.txt; {yes}"), "1m", "the files changed while it judged"),
        (format!("{yes}; {yes}"), "1m", "it is not the object asked for"),
        ("yes".to_owned(), "1m", "its answer is longer than 1 MiB"),
    ] {
        let project = git();
        greeting(&project);
        project.script("judge.sh", &body);
        let config = format!("[judge]\ncommand = \"./judge.sh\"\ntimeout = \"{timeout}\"\n");
        project.file("ralph.toml", config);
        let more = [&GATE[..], &["--max-iterations", "1"]].concat();
        let output = project.run_json("greet", &more).exits(1).ends("failed/max_iterations", 1);
        let heard = of_judge(&output);
        let iteration = output.events_of("iteration_ended");
        assert_eq!(iteration[0]["failing"], 1, "{want}");
        let report = project.ralph(&["report", "--json"]).output().exits(0).stdout;
        assert!(report.contains(want), "{want}: {heard:?}");
    }
}

#[test]
fn a_command_that_the_agent_rewrote_is_not_asked() {
    let yes = r#"echo '{"success": true, "reason": "x"}'"#;
    for criteria in [&[][..], &["--criteria", "custom:true"]] {
        let project = git();
        project.script("judge.sh", r#"grep -q kind && echo '{"success": false, "reason": "no"}'"#);
        project.file("ralph.toml", "[judge]\ncommand = \"./judge.sh\"\n");
        project
            .agent(&format!("{KEEP_PROMPT}\ncat > judge.sh <<'X'\n#!/bin/sh\n{yes}\nX\n{CLAIM}"));
        let more = [&["--judge", CRITERION, "--max-iterations", "2"], criteria].concat();
        let output = project.run_json("greet", &more).exits(4).ends("waiting/human", 2);
        assert!(of_judge(&output).is_empty());
        let told = project.kept("prompt-2");
        assert!(told.contains("judge.sh"), "{told}");
    }
}

#[test]
fn a_run_that_is_resumed_keeps_its_judge() {
    let project = git();
    project.agent(&format!("test $RALPH_ITERATION -ge 3 && {CLAIM} || echo 'Which language?'"));
    let server = ModelServer::agreeing();
    judged_by(&project, &server);
    let output = project.run_json("greet", &["--judge", CRITERION]).exits(4);
    let _ = output.ends("waiting/human", 2);
    assert_eq!(server.requests().len(), 0);
    let output = project.ralph(&["resume", "--json", "--answer", "English"]).output().exits(0);
    let _ = output.ends("success/claimed", 3);
    assert!(server.requests()[0].prompt().contains(CRITERION));
}

#[test]
fn a_judge_that_agreed_is_not_asked_about_the_same_work_again() {
    let project = git();
    greeting(&project);
    let server = ModelServer::agreeing();
    judged_by(&project, &server);
    let cached = |task: &str| {
        let output = project.run_json(task, &GATE).exits(0).ends("success/verified", 1);
        let _ = project.ralph(&["rollback"]).output().exits(0);
        of_judge(&output)[0]["gate"]["cached"].clone()
    };
    assert_eq!([cached("greet"), cached("greet")], [false, true]);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(cached("greet kindly"), false);
}

#[test]
fn a_judge_that_cannot_be_is_refused_at_the_start() {
    let project = plain();
    project.agent("touch started");
    for (config, more, want) in [
        ("", &[][..], "no model or command to ask"),
        ("model = \"m\"", &[], "OPENAI_API_KEY is not set"),
        ("kind = \"anthropic\"\nmodel = \"m\"", &[], "ANTHROPIC_API_KEY is not set"),
        ("kind = \"command\"", &[], "`judge.command` is not set"),
        ("command = \"./no-such-judge\"", &[], "the judge `./no-such-judge` is not an executable"),
        ("model = \"m\"\nurl = \"localhost:1\"", &[], "no address that begins with http"),
        ("command = \"true\"\nmodel = \"m\"", &[], "means nothing to a judge of kind `command`"),
        ("command = \"true\"", &["--trust", "claim"], "leaves nothing to a judge"),
        ("model = \"m\"\nurl = \"http://h/v1\"", &["--max-cost", "1"], "what the judge costs"),
        ("kind = \"oracle\"", &[], "`oracle` is not one of openai, anthropic, command"),
    ] {
        project.file("ralph.toml", format!("[judge]\n{config}\n"));
        let more = [&["--judge", CRITERION], more].concat();
        let output = project.run_json("greet", &more).exits(2);
        assert!(output.stderr.contains(want), "no `{want}` in: {}", output.stderr);
        assert!(!project.root().join("started").exists());
    }
}

#[test]
fn an_empty_criterion_on_the_command_line_sends_the_judge_home() {
    let project = plain();
    project.agent(CLAIM);
    project.file("ralph.toml", "[judge]\ncriterion = \"It is kind.\"\n");
    let output = project.run_json("greet", &["--judge", ""]).exits(0);
    let _ = output.ends("success/claimed", 1);
}

#[test]
fn a_judge_that_sees_the_work_come_nearer_keeps_a_run_from_being_given_up() {
    let project = git();
    project.agent("echo working");
    let nearer = r#"{"success": true, "reason": "one step more is done"}"#.to_owned();
    let server = ModelServer::start([ScriptedReply::Says(nearer), refuses("it goes in circles")]);
    judged_by(&project, &server);
    let more = [&GATE[..], &["--max-iterations", "9"]].concat();
    let output = project.run_json("greet", &more).exits(1).ends("failed/no_progress", 6);
    assert_eq!(of_judge(&output), Vec::<Value>::new());
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[0].prompt().contains("brings the task nearer to its end"));
    // What that costs counts, too.
    assert_eq!(output.ended()["cost"]["input_tokens"], 2 * TOKENS.sent);
}

#[test]
fn an_agent_judges_in_an_empty_folder_without_tools() {
    let project = git();
    greeting(&project);
    project.script(
        "client.sh",
        r#"pwd > $OUTSIDE/where; ls -A > $OUTSIDE/files; printf '%s\n' "$@" > $OUTSIDE/words; cat > $OUTSIDE/request
echo '{"type":"result","is_error":false,"result":"{\"success\": true, \"reason\": \"kind\"}","total_cost_usd":0.25,"modelUsage":{"m":{"inputTokens":5,"outputTokens":2}}}'"#,
    );
    let program = project.root().join("client.sh");
    let config = format!(
        "[judge]\nagent = \"claude\"\nmodel = \"small\"\n[claude]\nprogram = \"{}\"\n",
        program.display()
    );
    project.file("ralph.toml", config);
    let output = project.run_json("greet", &GATE).exits(0).ends("success/verified", 1);
    assert_eq!(of_judge(&output)[0]["gate"]["tail"], "kind");
    assert_eq!(output.ended()["cost"]["cost_usd"], 0.25);
    let words = project.kept("words");
    for part in ["--tools", "--safe-mode", "--system-prompt", "small", "You judge the work"] {
        assert!(words.contains(part), "no `{part}` in {words}");
    }
    assert!(project.kept("request").contains("+hello 1"));
    assert_eq!(project.kept("files"), "");
    assert!(!project.kept("where").contains(project.root().to_str().unwrap()));
}
