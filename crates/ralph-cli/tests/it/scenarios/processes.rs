//! Agents that hang, crash, flood, escape and destroy.

use std::io::{BufRead, BufReader};
use std::process::Command;

use ralph_testkit::is_alive;

use super::{CLAIM, KEEP_PROMPT, TALK, script};
use crate::{git, plain};

#[test]
fn an_agent_that_always_hangs_is_given_up() {
    let project = plain();
    project.agent("exec sleep 1000");
    let output = project.run_json("do it", &["--idle-timeout", "50ms"]).exits(1);
    let output = output.ends("failed/agent_error", 3);
    assert_eq!(output.values("iteration_ended", "turn"), ["idle_timeout"; 3]);
}

#[test]
fn an_agent_that_hangs_once_is_told_so() {
    let project = plain();
    project.agent(&script(&[KEEP_PROMPT, "[ $RALPH_ITERATION = 1 ] && exec sleep 1000", CLAIM]));
    let output = project.run_json("do it", &["--idle-timeout", "300ms"]).exits(0);
    let _ = output.ends("success/claimed", 2);
    let told = project.kept("prompt-2");
    assert!(told.contains("stopped after 300ms without output"), "{told}");
}

#[test]
fn an_agent_that_talks_without_end_meets_the_turn_timeout() {
    let project = plain();
    project.agent(&script(&[CLAIM, "while :; do echo busy; sleep 0.01; done"]));
    let output = project.run_json("do it", &["--turn-timeout", "100ms"]).exits(1);
    let output = output.ends("failed/agent_error", 3);
    assert_eq!(output.values("iteration_ended", "turn"), ["turn_timeout"; 3]);
}

#[test]
fn work_done_before_a_timeout_counts() {
    let project = git();
    project.agent(&script(&[": > work.txt", "exec sleep 1000"]));
    let more = ["--idle-timeout", "300ms", "--criteria", "custom:test -f work.txt"];
    let _ = project.run_json("do it", &more).exits(0).ends("success/verified", 1);
}

#[test]
fn a_flood_of_output_does_not_drown_the_claim() {
    let project = plain();
    project.agent(&script(&["head -c 1000000 /dev/zero | tr '\\0' x", "echo", CLAIM]));
    let output = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    assert!(output.stdout.len() < 200_000, "{}", output.stdout.len());
}

#[test]
fn an_agent_that_always_fails_is_given_up() {
    for (how, why) in [
        ("exit 1", "the agent exited with code 1: no key"),
        ("exit 143", "the agent exited with code 143: no key"),
        ("kill -TERM $$", "the agent was killed by signal 15: no key"),
        ("kill -SEGV $$", "the agent was killed by signal 11: no key"),
    ] {
        let project = plain();
        project.agent(&script(&["echo no key >&2", TALK, how]));
        let output = project.run_json("do it", &[]).exits(1).ends("failed/agent_error", 3);
        assert_eq!(output.ended()["error"], why);
    }
}

#[test]
fn an_agent_killed_from_outside_is_called_again() {
    let project = plain();
    let waits = "[ $RALPH_ITERATION = 1 ] && { echo pid $$ pid; exec sleep 1000; }";
    project.agent(&script(&[KEEP_PROMPT, waits, CLAIM]));
    let mut child = project.run_call("do it", &[]).spawn();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = lines.find(|line| line.contains("agent_output")).unwrap();
    let pid = said.split(' ').find(|word| word.parse::<u32>().is_ok()).unwrap();
    assert!(Command::new("kill").args(["-KILL", pid]).status().unwrap().success());
    let last = lines.last().unwrap();
    assert!(last.contains(r#""status":"success""#) && last.contains(r#""iterations":2"#), "{last}");
    assert!(child.wait().unwrap().success());
    let told = project.kept("prompt-2");
    assert!(told.contains("killed by signal 9"), "{told}");
}

#[test]
fn a_child_that_escapes_neither_holds_the_turn_nor_survives_it() {
    let project = plain();
    let escapes = "setsid sh -c 'echo $$ > $OUTSIDE/pid; exec sleep 1000' &";
    project.agent(&script(&[escapes, "while ! test -s $OUTSIDE/pid; do :; done", CLAIM]));
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    assert!(!is_alive(&project.kept("pid")));
}

#[test]
fn a_daemon_that_forks_twice_does_not_survive_the_turn() {
    let project = plain();
    project.script("daemon.sh", "echo $$ > $OUTSIDE/pid; exec sleep 1000");
    let forks = "(setsid sh -c './daemon.sh &' &)";
    project.agent(&script(&[forks, "while ! test -s $OUTSIDE/pid; do :; done", CLAIM]));
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    assert!(!is_alive(&project.kept("pid")));
}

#[test]
fn an_agent_that_ignores_the_request_to_end_is_killed() {
    let project = plain();
    let child = "sh -c 'trap \"\" TERM HUP INT; echo $$ > $OUTSIDE/pid; while :; do sleep 1; done'";
    project.agent(&script(&["trap '' TERM HUP INT", child]));
    let more = ["--idle-timeout", "300ms", "--max-iterations", "1"];
    let call = project.run_call("do it", &more).env("RALPH_GRACE", "50ms");
    let _ = call.output().exits(1).ends("failed/max_iterations", 1);
    assert!(!is_alive(&project.kept("pid")));
}

#[test]
fn an_agent_that_closes_its_output_may_go_on_working() {
    let project = git();
    project.agent(&script(&[CLAIM, "exec >&- 2>&- <&-", "sleep 0.05", ": > work.txt"]));
    let more = ["--criteria", "custom:test -f work.txt"];
    let output = project.run_json("do it", &more).exits(0).ends("success/verified", 1);
    assert_eq!(output.values("iteration_ended", "claim"), ["promise"]);
}

#[test]
fn an_agent_that_deletes_its_work_tree_ends_the_run() {
    for project in [plain(), git()] {
        let root = project.root();
        project.agent(&script(&["rm -rf \"$PWD\"", CLAIM]));
        let output = project.run_json("do it", &[]).exits(1).ends("failed/agent_error", 1);
        let error = output.ended()["error"].to_string();
        let want = format!("the folder {} was deleted", root.display());
        assert!(error.contains(&want), "{error}\n{}", output.stderr);
        assert!(!root.exists(), "it came back");
        assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
    }
}

#[test]
fn an_agent_that_deletes_our_state_does_not_escape_its_limits() {
    let project = git();
    project.agent(&script(&["rm -rf .git/ralph", TALK]));
    let output = project.run_json("do it", &["--max-iterations", "3"]).exits(1);
    let output = output.ends("failed/max_iterations", 3);
    let notice = output.values("notice", "text").remove(0);
    assert!(notice.contains("the state was deleted"), "{notice}");
    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(status["runs"][0]["reason"], "max_iterations");
    assert_eq!(status["runs"][0]["iteration"], 3);
}

#[test]
fn an_agent_that_deletes_our_state_can_still_be_checked() {
    let project = git();
    project.agent(&script(&["rm -rf .git/ralph", "[ $RALPH_ITERATION != 3 ] || : > work.txt"]));
    let more = ["--criteria", "custom:test -f work.txt"];
    let _ = project.run_json("do it", &more).exits(0).ends("success/verified", 3);
}

#[test]
fn an_agent_that_deletes_what_the_run_began_with_proves_nothing() {
    let state = (plain(), "rm -rf $XDG_STATE_HOME");
    for (project, wreck) in [state, (git(), "rm -rf .git; git init --quiet")] {
        project.agent(&script(&[wreck, "[ $RALPH_ITERATION != 3 ] || : > work.txt"]));
        let more = ["--criteria", "custom:test -f work.txt", "--max-iterations", "3"];
        let output = project.run_json("do it", &more).exits(1);
        let told = output.values("notice", "text");
        assert!(told.iter().any(|text| text.contains("could not be compared")), "{told:?}");
    }
}

#[test]
fn an_agent_that_tidies_the_repository_does_not_end_the_run() {
    let project = git();
    let work = "echo $RALPH_ITERATION >> work.txt";
    project.agent(&script(&[work, "git gc --quiet --prune=now"]));
    let gate = "custom:sh:test $(cat work.txt | wc -l) = 2";
    let _ = project.run_json("do it", &["--criteria", gate]).exits(0).ends("success/verified", 2);
}

#[test]
fn an_agent_may_change_its_own_program() {
    let project = git();
    let swap =
        "printf '#!/bin/sh\\necho \"<promise>DONE</promise>\"\\n' > next.sh; chmod +x next.sh";
    project.agent(&script(&[swap, "mv next.sh agent.sh", TALK]));
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 2);
}

#[test]
fn an_agent_that_deletes_its_own_program_is_given_up() {
    let project = git();
    project.agent(&script(&["rm agent.sh", TALK]));
    let output = project
        .run_json("do it", &["--criteria", "custom:false"])
        .exits(1)
        .ends("failed/agent_error", 4);
    let error = output.ended()["error"].to_string();
    assert!(error.contains("agent.sh"), "{error}");
}

#[test]
fn thousands_of_new_files_are_work_like_any_other() {
    let project = git();
    project.agent("mkdir -p out; cd out; seq 2000 | xargs touch");
    let more = ["--criteria", "custom:test -f out/2000"];
    let _ = project.run_json("do it", &more).exits(0).ends("success/verified", 1);
}
