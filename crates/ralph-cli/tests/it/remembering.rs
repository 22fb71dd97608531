//! What a resumed run still knows.

use ralph_testkit::{CommandOutput, Signal, TestProject, TurnHold};
use serde_json::json;

use crate::plain;
use crate::signals::interrupted_baseline;

fn resume(project: &TestProject, more: &[&str]) -> CommandOutput {
    project.ralph(&[&["resume"], more].concat()).output()
}

/// Starts a run with these options, and interrupts it in the turn in which
/// `beside` has run.
#[track_caller]
fn interrupted(project: &TestProject, turn: u32, beside: &str, more: &[&str]) -> CommandOutput {
    let hold = TurnHold::new(project, &format!("turn-{turn}"));
    project.agent(&format!(
        "echo turn $RALPH_ITERATION\nif [ $RALPH_ITERATION = {turn} ]; then\n{}fi",
        hold.script(beside)
    ));
    let call = if more.is_empty() {
        project.ralph(&["resume", "--json"])
    } else {
        project.run_call("do it", more)
    };
    let mut running = call.start();
    running.until_held();
    running.signal(Signal::Interrupt);
    hold.is_over();
    running.finish().exits(130).ends("paused/interrupted", turn.into())
}

#[test]
fn work_finished_by_hand_is_on_record_with_its_gates() {
    let project = plain();
    let _ = interrupted(&project, 2, "", &["--criteria", "custom:test -e done"]);
    project.file("done", "");
    let said = resume(&project, &[]).exits(0).stdout;
    assert!(said.contains("Done after 2 turns: custom-1 passes."), "{said}");

    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("ok   custom-1: `test -e done`"), "{report}");
    assert!(!report.contains("FAIL"), "{report}");
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    let records = report["snapshots"].as_array().unwrap();
    let turns: Vec<_> = records.iter().map(|record| record["turn"].clone()).collect();
    assert_eq!(json!(turns), json!(["finished", "interrupted", "no_turn"]));
    assert_eq!(records[2]["gates"][0]["verdict"], "pass", "{report}");
    assert_eq!(report["iteration"], 2);
}

#[test]
fn an_answer_comes_with_its_question_and_what_was_said_before() {
    let project = plain();
    project.agent("cat > $OUTSIDE/prompt; echo 'Which colour should it have?'");
    project.script("gate.sh", "echo expected a colour; test -e colour");
    let _ = project.run_json("paint it", &["--criteria", "custom:./gate.sh"]).exits(4);
    project.agent("cat > $OUTSIDE/prompt; : > colour");
    let _ = resume(&project, &["--answer", "blue", "--json"]).exits(0);
    let told = project.kept("prompt");
    for part in ["expected a colour", "\"Which colour should it have?\"\nThe user answers: blue"] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn a_timeout_of_the_call_holds_after_a_resume() {
    let project = plain();
    project.agent("exec sleep 1000");
    interrupted_baseline(&project, "", &["--turn-timeout", "50ms", "--max-iterations", "1"]);
    let resumed = resume(&project, &["--json"]).exits(1).ends("failed/max_iterations", 1);
    assert_eq!(resumed.values("iteration_ended", "turn"), ["turn_timeout"]);
}

#[test]
fn time_in_an_interrupted_gate_is_not_taken_from_the_first_turn() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    interrupted_baseline(&project, "sleep 0.3", &["--max-duration", "300ms"]);
    let _ = resume(&project, &["--json"]).exits(0).ends("success/claimed", 1);
}

const COSTS: &str = "echo '{\"cost_usd\": 0.6}' > $RALPH_USAGE_FILE";

#[test]
fn pausing_does_not_defeat_a_budget() {
    let project = plain();
    let output = interrupted(&project, 1, COSTS, &["--max-cost", "1"]);
    assert_eq!(output.ended()["cost"]["cost_usd"], 0.6);
    let output = interrupted(&project, 2, COSTS, &[]);
    assert_eq!(output.ended()["cost"]["cost_usd"], 1.2);
    let _ = resume(&project, &["--json"]).exits(1).ends("failed/budget", 2);
}

#[test]
fn a_turn_that_was_paid_for_counts_when_its_gates_are_interrupted() {
    let project = plain();
    let hold = TurnHold::new(&project, "gate");
    project.agent(COSTS);
    let once = "[ -e $OUTSIDE/began ] || { : > $OUTSIDE/began; exit 1; }";
    project.script("gate.sh", &format!("{once}\n{}", hold.script("")));
    let more = ["--criteria", "custom:./gate.sh", "--max-cost", "1"];
    let running = project.run_call("do it", &more).start();
    hold.is_begun();
    running.signal(Signal::Interrupt);
    hold.is_over();
    let output = running.finish().exits(130).ends("paused/interrupted", 1);
    assert_eq!(output.ended()["cost"]["cost_usd"], 0.6);
}

#[test]
fn a_killed_turn_that_was_paid_for_counts() {
    let project = plain();
    let hold = TurnHold::new(&project, "agent");
    project.agent(&hold.script(COSTS));
    let mut running = project.run_call("do it", &["--max-cost", "1"]).start();
    running.until_held();
    running.signal(Signal::Kill);
    hold.is_over();
    assert_eq!(running.finish().code, None);
    project.agent(&format!("{COSTS}; echo going on"));
    let resumed = resume(&project, &["--json"]).exits(1).ends("failed/budget", 2);
    assert_eq!(resumed.ended()["cost"]["cost_usd"], 1.2);
}
