//! Going on after a crash, a pause or a wait.

use ralph_testkit::{CommandOutput, Signal, TestProject};
use serde_json::{Value, json};

use crate::control::{held, status};
use crate::{git, plain};

const CLAIMS: &str = "echo '<promise>DONE</promise>'";

fn resume(project: &TestProject) -> CommandOutput {
    project.ralph(&["resume", "--json"]).output()
}

/// The value of `field` in every item of a list.
fn each(list: &[Value], field: &str) -> Value {
    list.iter().map(|item| item[field].clone()).collect()
}

#[test]
fn state_survives_a_killed_driver() {
    let project = git();
    let (running, hold) = held(&project, 2, "");
    running.signal(Signal::Kill);
    assert_eq!(running.finish().code, None);
    hold.is_over();

    let run = status(&project);
    assert_eq!((&run["status"], &run["iteration"]), (&"running".into(), &2.into()));
    assert_eq!(run["owner"]["alive"], false);
    let shown = project.ralph(&["status"]).output().exits(0).stdout;
    assert!(shown.contains("its driver is gone"), "{shown}");

    let resumed = resume(&project).exits(0).ends("success/claimed", 3);
    assert!(
        resumed.stderr.contains("died during turn 2; going on with turn 3"),
        "{}",
        resumed.stderr
    );
    assert_eq!(resumed.events()[0]["resumed"], true);
    assert_eq!(each(&resumed.events_of("iteration_started"), "iteration"), json!([3]));

    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    let records = report["snapshots"].as_array().unwrap();
    assert_eq!(each(records, "iteration"), json!([1, 2, 3]));
    assert_eq!(each(records, "turn"), json!(["finished", "interrupted", "finished"]));
    assert_eq!(report["id"], run["id"]);
}

#[test]
fn a_run_that_was_killed_in_the_middle_of_a_turn_goes_on_from_there_and_is_proven() {
    let project = git();
    let hold = ralph_testkit::TurnHold::new(&project, "agent");
    let begins = format!("echo half > half.txt\n{}", hold.script(""));
    let ends = "cat \"$RALPH_PROMPT_FILE\" > \"$OUTSIDE/prompt\"; echo whole > half.txt";
    project
        .agent(&format!("if [ $RALPH_ITERATION = 1 ]; then\n{begins}else\n{ends}\nfi\n{CLAIMS}"));
    let criteria = ["--criteria", "custom:grep -q whole half.txt"];
    let mut running = project.run_call("make half.txt whole", &criteria).start();
    running.until_held();
    running.signal(Signal::Kill);
    assert_eq!(running.finish().code, None);
    hold.is_over();
    let left = status(&project);

    let resumed = resume(&project).exits(0).ends("success/verified", 2);
    assert_eq!(resumed.events()[0]["run"]["id"], left["id"]);
    let prompt = project.kept("prompt");
    assert!(prompt.contains("## Where the work stands\ntask: make half.txt whole"), "{prompt}");
    assert!(prompt.contains("files touched last: half.txt"), "{prompt}");
    assert!(prompt.contains("custom-1"), "what fails: {prompt}");
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    let turns = each(report["snapshots"].as_array().unwrap(), "turn");
    assert_eq!(turns, json!(["interrupted", "finished"]));
}

#[test]
fn work_that_was_finished_meanwhile_needs_no_other_turn() {
    let project = plain();
    let hold = ralph_testkit::TurnHold::new(&project, "agent");
    project.agent(&hold.script(""));
    let criteria = ["--criteria", "custom:test -e done"];
    let args = [&["run", "do it", "--agent-cmd", "./agent.sh", "--json"], &criteria[..]].concat();
    let mut running = project.ralph(&args).start();
    running.until_held();
    running.signal(Signal::Interrupt);
    let _ = running.finish().exits(130);

    project.file("done", "").agent("touch called");
    let resumed = resume(&project).exits(0).ends("success/verified", 1);
    assert_eq!(resumed.events_of("iteration_started"), [] as [Value; 0]);
    assert!(!project.root().join("called").exists());
}

#[test]
fn a_run_that_ended_is_not_resumed() {
    let project = plain();
    project.agent(CLAIMS);
    let _ = project.run_json("do it", &[]).exits(0);
    let id = status(&project)["id"].as_str().unwrap().to_owned();
    for args in [["resume"].as_slice(), &["resume", &id]] {
        let refused = project.ralph(args).output().exits(1);
        assert!(
            refused.stderr.contains(&format!("{id} has ended (success)")),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(status(&project)["iteration"], 1);
}

#[test]
fn a_run_with_a_living_driver_is_not_resumed() {
    let project = plain();
    let (running, hold) = held(&project, 1, "");
    let refused = project.ralph(&["resume"]).output().exits(1);
    assert!(refused.stderr.contains(&running.id().to_string()), "{}", refused.stderr);
    hold.release();
    let _ = running.finish().exits(0).ends("success/claimed", 1);
}

#[test]
fn a_wait_for_the_provider_goes_on_where_it_was() {
    let project = plain();
    project.agent("echo 'usage limit reached, try again in 2 hours' >&2; exit 1");
    let args = ["run", "do it", "--agent-cmd", "./agent.sh", "--json"];
    let mut running = project.ralph(&args).start();
    let waiting = running.until(|event| event["type"] == "waiting");
    assert_eq!(waiting["for"], "limit");
    running.signal(Signal::Kill);
    let _ = running.finish();
    let before = status(&project);
    assert_eq!((&before["status"], &before["iteration"]), (&"waiting".into(), &0.into()));
    assert_eq!(before["waiting_until"], waiting["until"]);

    project.agent("touch called");
    let mut resumed = project.ralph(&["resume", "--json"]).start();
    let again = resumed.until(|event| event["type"] == "run_started");
    assert_eq!(again["run"]["waiting_until"], waiting["until"]);
    resumed.signal(Signal::Interrupt);
    let output = resumed.finish().exits(130).ends("paused/interrupted", 0);
    assert!(output.stderr.contains("waits for the provider until"), "{}", output.stderr);
    assert!(!project.root().join("called").exists());
}

#[test]
fn an_answered_question_lets_the_run_go_on() {
    let project = plain();
    project.agent("echo 'Which of the two databases should I use?'");
    let asked = project.run_json("do it", &[]).exits(4).ends("waiting/human", 2);
    assert_eq!(asked.events_of("waiting")[0]["question"], status(&project)["question"]);
    let shown = project.ralph(&["status"]).output().exits(0).stdout;
    assert!(shown.contains("Which of the two databases should I use?"), "{shown}");

    project.agent(CLAIMS);
    let _ = resume(&project).exits(0).ends("success/claimed", 3);
}

#[test]
fn a_run_is_resumed_in_its_own_work_tree_only() {
    let project = git();
    project.run_git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
    project.run_git(&["worktree", "add", "--quiet", "../linked"]);
    let (running, _hold) = held(&project, 1, "");
    running.signal(Signal::Interrupt);
    let _ = running.finish().exits(130);
    let id = status(&project)["id"].as_str().unwrap().to_owned();

    let refused = project.ralph(&["resume", &id]).dir(project.outside("linked")).output().exits(1);
    assert!(refused.stderr.contains(&*project.root().to_string_lossy()), "{}", refused.stderr);
    let nothing = project.ralph(&["resume"]).dir(project.outside("linked")).output().exits(1);
    assert!(nothing.stderr.contains("There is no run here."), "{}", nothing.stderr);
    let _ = resume(&project).exits(0);
}

#[test]
fn where_there_is_nothing_to_resume_nothing_is_written() {
    let project = git();
    let before = project.everything();
    let refused = project.ralph(&["resume"]).output().exits(1);
    assert!(refused.stderr.contains("There is no run here."), "{}", refused.stderr);
    let unknown = project.ralph(&["resume", "run-12345678"]).output().exits(1);
    assert_eq!(unknown.stdout, "");
    assert_eq!(project.everything(), before);
}

#[test]
fn a_hosted_run_is_left_to_its_session() {
    let project = git();
    let _ = project.ralph(&["start", "do it", "--session", "ses_1"]).output().exits(0);
    let refused = project.ralph(&["resume"]).output().exits(1);
    assert!(refused.stderr.contains("ses_1"), "{}", refused.stderr);
}
