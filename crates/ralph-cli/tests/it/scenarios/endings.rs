//! How runs end, and what keeps them going.

use super::{CLAIM, KEEP_PROMPT, TALK, script};
use crate::{git, plain};

/// Three gates, each for a file that does not exist yet.
const THREE_GATES: [&str; 6] = [
    "--criteria",
    "custom:test -f a",
    "--criteria",
    "custom:test -f b",
    "--criteria",
    "custom:test -f c",
];

#[test]
fn success_on_the_last_allowed_iteration_is_success() {
    let project = git();
    project.agent(&script(&[TALK, "[ $RALPH_ITERATION = 2 ] && : > work.txt", CLAIM]));
    let more = ["--criteria", "custom:test -f work.txt", "--max-iterations", "2"];
    let _ = project.run_json("do it", &more).exits(0).ends("success/verified", 2);
}

#[test]
fn an_agent_that_never_claims_is_stopped_by_the_limit() {
    let project = plain();
    project.agent(TALK);
    let output = project.run_json("do it", &["--max-iterations", "4"]).exits(1);
    let _ = output.ends("failed/max_iterations", 4);
}

#[test]
fn the_same_reply_three_times_on_the_same_tree_ends_the_run() {
    let project = git();
    project.agent("echo Still waiting for the build to finish.");
    let more = ["--max-iterations", "4857"];
    let _ = project.run_json("do it", &more).exits(1).ends("failed/no_progress", 3);
}

#[test]
fn the_same_reply_on_a_changing_tree_goes_on() {
    let project = git();
    project.agent("echo The next step is done.; echo $RALPH_ITERATION >> steps.txt");
    let output = project.run_json("do it", &["--max-iterations", "5"]).exits(1);
    let _ = output.ends("failed/max_iterations", 5);
}

#[test]
fn an_agent_that_says_nothing_ends_like_one_that_repeats_itself() {
    let project = plain();
    project.agent("exit 0");
    let _ = project.run_json("do it", &[]).exits(1).ends("failed/no_progress", 3);
}

#[test]
fn two_trees_in_turn_are_a_circle() {
    let project = git();
    project.file("flag.txt", "start");
    project.agent(&script(&[KEEP_PROMPT, TALK, "echo $((RALPH_ITERATION % 2)) > flag.txt"]));
    let output = project.run_json("do it", &["--criteria", "custom:false"]).exits(1);
    let _ = output.ends("failed/circular", 5);
    let told = project.kept("prompt-4");
    assert!(told.contains("You are going in a circle: "), "{told}");
}

#[test]
fn a_question_is_answered_with_nobody_is_here() {
    let project = plain();
    let asks = "[ $RALPH_ITERATION = 1 ] && echo 'Should I use tabs or spaces?' && exit";
    project.agent(&script(&[KEEP_PROMPT, asks, CLAIM]));
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 2);
    let told = project.kept("prompt-2");
    assert!(told.contains("\"Should I use tabs or spaces?\" No one can answer"), "{told}");
}

#[test]
fn a_question_asked_again_without_progress_waits_for_a_person() {
    let project = git();
    project.agent("echo Turn $RALPH_ITERATION.; echo 'Which database do you want?'");
    let output = project.run_json("do it", &[]).exits(4).ends("waiting/human", 2);
    let question = "Which database do you want?";
    assert_eq!(output.values("waiting", "question"), [question]);
    assert_eq!(output.ended()["question"], question);

    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(status["runs"][0]["question"], question);
    assert_eq!(status["runs"][0]["status"], "waiting");
}

#[test]
fn a_person_who_watches_sees_the_question() {
    let project = plain();
    project.agent("echo Turn $RALPH_ITERATION.; echo 'Which database do you want?'");
    let output = project.ralph(&["run", "do it", "--agent-cmd", "./agent.sh"]).output().exits(4);
    assert!(output.stderr.contains("Which database do you want?"), "{}", output.stderr);
    assert!(output.stdout.contains("ralph resume"), "{}", output.stdout);
}

#[test]
fn questions_along_with_progress_go_on() {
    let project = git();
    let work = "echo $RALPH_ITERATION >> work.txt";
    let asks = "[ $RALPH_ITERATION -lt 4 ] && echo 'Shall I go on like this?' && exit";
    project.agent(&script(&[work, asks, CLAIM]));
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 4);
}

#[test]
fn an_agent_that_stops_improving_ends_after_the_limit() {
    let project = git();
    project.agent(&script(&[TALK, "[ $RALPH_ITERATION = 1 ] && : > a", "exit 0"]));
    let output = project.run_json("do it", &THREE_GATES).exits(1).ends("failed/no_progress", 4);
    assert_eq!(output.values("iteration_ended", "failing"), ["2"; 4]);
    assert_eq!(output.ended()["best_iteration"], 1);
}

#[test]
fn an_agent_that_improves_every_second_turn_succeeds() {
    let project = git();
    let work = "case $RALPH_ITERATION in 2) : > a;; 4) : > b;; 6) : > c;; esac";
    project.agent(&script(&[TALK, work]));
    let _ = project.run_json("do it", &THREE_GATES).exits(0).ends("success/verified", 6);
}

#[test]
fn gates_that_are_green_from_the_start_need_the_claim() {
    let project = git();
    let claims = "[ $RALPH_ITERATION = 2 ] && echo '<promise>DONE</promise>'";
    project.agent(&script(&[KEEP_PROMPT, TALK, claims, "exit 0"]));
    let output = project.run_json("do it", &["--criteria", "custom:true"]).exits(0);
    let _ = output.ends("success/claimed", 2);
    let told = project.kept("prompt-2");
    assert!(
        told.contains("All checks pass. If the task is complete, end your reply with"),
        "{told}"
    );
}

#[test]
fn gates_that_stay_green_without_a_claim_are_no_success() {
    let project = git();
    project.agent(TALK);
    let output = project.run_json("do it", &["--criteria", "custom:true"]).exits(1);
    let _ = output.ends("failed/no_progress", 3);
}

#[test]
fn each_limit_ends_the_run_with_its_reason() {
    let busy = script(&[TALK, "echo $RALPH_ITERATION line $RALPH_RUN_ID >> work.txt", "exit 0"]);
    let cases: [(&str, &[&str], &str, u64); 3] = [
        (TALK, &["--stagnation-limit", "2"], "no_progress", 2),
        (&busy, &["--max-iterations", "2"], "max_iterations", 2),
        ("exec sleep 1000", &["--max-duration", "100ms"], "max_duration", 1),
    ];
    for (agent, more, reason, iterations) in cases {
        let project = git();
        project.agent(agent);
        let mut args = vec!["--criteria", "custom:false"];
        args.extend(more);
        let output = project.run_json("do it", &args).exits(1);
        let _ = output.ends(&format!("failed/{reason}"), iterations);
        let status = project.ralph(&["status", "--json"]).output().exits(0).json();
        assert_eq!(status["runs"][0]["completion_reason"], reason);
    }
}

#[test]
fn time_before_the_first_turn_is_not_taken_from_it() {
    let project = git();
    project.agent(": > work.txt");
    let gate = "custom:sh:test -f work.txt || { sleep 0.4; false; }";
    let more = ["--criteria", gate, "--max-duration", "400ms"];
    let output = project.run_json("do it", &more).exits(0).ends("success/verified", 1);
    assert_eq!(output.values("iteration_ended", "turn"), ["finished"]);
}

#[test]
fn a_gate_brings_limits_of_its_own() {
    let project = git();
    project.agent("exit 0");
    let output = project.run_json("do it", &["--criteria", "custom:false"]).exits(1);
    let output = output.ends("failed/no_progress", 3);
    let run = &output.events_of("run_started")[0]["run"];
    assert_eq!((&run["max_iterations"], &run["max_duration_seconds"]), (&10.into(), &1800.into()));
}

#[test]
fn crashes_along_with_work_end_after_too_many_restarts() {
    let project = git();
    project.agent("echo $RALPH_ITERATION >> work.txt; exit 9");
    let output = project.run_json("do it", &["--max-restarts", "2"]).exits(1);
    let _ = output.ends("failed/max_restarts", 3);
}

#[test]
fn every_way_to_end_is_reported() {
    let cases: [(&str, &[&str], i32, &str, &str); 5] = [
        ("echo '<ralph:done />'", &[], 0, "success (claimed)", "by the agent's word"),
        (
            ": > work.txt",
            &["--criteria", "custom:test -f work.txt"],
            0,
            "success (verified)",
            "pass",
        ),
        (TALK, &["--max-iterations", "1"], 1, "failed (no turns left)", "after 1 turn, the limit"),
        ("echo same", &[], 1, "failed (no progress)", "brought no progress"),
        ("echo broken >&2; exit 1", &[], 1, "failed (agent error)", "code 1: broken"),
    ];
    for (agent, more, code, status, why) in cases {
        let project = git();
        project.agent(agent);
        let mut args = vec!["run", "do it", "--agent-cmd", "./agent.sh"];
        args.extend(more);
        let said = project.ralph(&args).output().exits(code).stdout;
        let report = project.ralph(&["report"]).output().exits(0).stdout;
        assert!(report.contains(status), "{status}\n{report}");
        for text in [&said, &report] {
            assert!(text.contains(why), "{why}\n{text}");
        }
    }
}
