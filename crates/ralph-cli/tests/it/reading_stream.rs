//! The stream of events, and the languages.

use serde_json::{Value, json};

use crate::{git, plain};

#[test]
fn every_line_of_the_stream_is_complete_and_in_order() {
    let project = git();
    project.agent(
        "echo turn $RALPH_ITERATION; [ $RALPH_ITERATION = 2 ] && touch done\n\
         echo '<promise>DONE</promise>'",
    );
    let output = project.run_json("do it", &["--criteria", "custom:test -e done"]).exits(0);
    let run = output.ended()["run_id"].clone();
    for (event, seq) in output.events().iter().zip(1..) {
        assert_eq!((&event["schema"], &event["seq"]), (&1.into(), &seq.into()), "{event}");
        assert_eq!(event["run_id"], run, "{event}");
        assert!(event["type"].is_string() && event["at"].is_string(), "{event}");
    }
    let kinds: Vec<Value> = output.events().iter().map(|event| event["type"].clone()).collect();
    let turn =
        ["iteration_started", "agent_output", "gate_started", "gate_finished", "iteration_ended"];
    let mut want = vec!["run_started", "gate_started", "gate_finished"];
    want.extend(turn);
    want.extend(turn);
    want.push("run_ended");
    assert_eq!(json!(deduplicated(kinds)), json!(want));
}

/// Output comes in as many pieces as the agent likes.
fn deduplicated(mut kinds: Vec<Value>) -> Vec<Value> {
    kinds.dedup_by(|a, b| a == b && a == "agent_output");
    kinds
}

#[test]
fn the_last_line_says_what_the_exit_code_says() {
    let project = plain();
    for (agent, more, code) in [
        ("echo '<promise>DONE</promise>'", ["--max-iterations", "3"], 0),
        ("echo going on", ["--max-iterations", "1"], 1),
        ("echo 'Which one should I take?'", ["--max-iterations", "5"], 4),
    ] {
        project.agent(agent);
        let ended = project.run_json("do it", &more).exits(code).ended();
        assert_eq!(ended["exit_code"], code);
        for field in ["status", "reason", "iterations", "tree", "best_iteration", "cost"] {
            assert!(ended.get(field).is_some(), "{field}: {ended}");
        }
    }
}

#[test]
fn an_error_of_ours_ends_the_stream_as_it_ends_the_process() {
    let project = git();
    project.agent("rm -rf .git/ralph; : > .git/ralph");
    let ended = project.run_json("do it", &["--criteria", "custom:false"]).exits(3).ended();
    assert_eq!((&ended["exit_code"], &ended["reason"]), (&3.into(), &"internal_error".into()));
    assert!(ended["error"].as_str().is_some_and(|error| !error.is_empty()), "{ended}");
}

#[test]
fn a_run_that_an_error_of_ours_ended_rests_and_can_be_resumed() {
    let project = git();
    project.agent("rm $RALPH_PROMPT_FILE; mkdir -p $RALPH_PROMPT_FILE/x; touch done");
    let ended = project.run_json("do it", &["--criteria", "custom:false"]).exits(3).ended();
    assert_eq!(ended["reason"], "internal_error");
    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    let run = &status["runs"][0];
    assert_eq!((&run["status"], &run["reason"]), (&"paused".into(), &"interrupted".into()));
    assert_eq!(run["active"], false);
}

#[test]
fn korean_is_spoken_to_people_and_to_the_agent() {
    let project = plain();
    project.agent(
        "cat > prompt.txt; [ $RALPH_ITERATION = 2 ] && echo '<promise>DONE</promise>' || true",
    );
    let args = ["run", "테스트를 고쳐라", "--agent-cmd", "./agent.sh"];
    for (name, value) in [("RALPH_LOCALE", "ko"), ("LANG", "ko_KR.UTF-8"), ("LC_ALL", "ko_KR")] {
        let output = project.ralph(&args).env(name, value).output().exits(0);
        assert!(
            output.stderr.contains("실행을 시작합니다: 최대 100회 반복, 4시간"),
            "{}",
            output.stderr
        );
        assert!(output.stdout.contains("경과를 볼 수 있습니다"), "{}", output.stdout);
        assert!(project.read("prompt.txt").contains("반복"), "{}", project.read("prompt.txt"));
        let status = project.ralph(&["stop"]).env(name, value).output().exits(0);
        assert!(status.stdout.contains("루프가 없습니다"), "{}", status.stdout);
    }
}

#[test]
fn a_language_of_the_project_outranks_that_of_the_terminal() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    project.file("ralph.toml", "[run]\nlocale = \"ko\"\n");
    let args = ["run", "do it", "--agent-cmd", "./agent.sh"];
    let output = project.ralph(&args).env("LANG", "en_US.UTF-8").output().exits(0);
    assert!(output.stderr.contains("시작"), "{}", output.stderr);
    let args = [&args[..], &["--locale", "en"]].concat();
    let output = project.ralph(&args).env("LANG", "ko_KR.UTF-8").output().exits(0);
    assert!(output.stderr.contains("started"), "{}", output.stderr);
}
