//! Steering loops from outside: start, stop, pause, signals.

use ralph_testkit::{CommandOutput, RunningCall, Signal, TestProject, TurnHold};
use serde_json::Value;

use crate::{git, plain};

/// Starts a run whose agent is held in turn `turn`, and claims to be done
/// from then on. Returns once the agent is held.
pub(crate) fn held(project: &TestProject, turn: u32, beside: &str) -> (RunningCall, TurnHold) {
    held_with(project, turn, beside, &[])
}

/// The same with more flags.
pub(crate) fn held_with(
    project: &TestProject,
    turn: u32,
    beside: &str,
    more: &[&str],
) -> (RunningCall, TurnHold) {
    let hold = TurnHold::new(project, "agent");
    project.agent(&format!(
        "echo turn $RALPH_ITERATION\n\
         if [ $RALPH_ITERATION = {turn} ]; then\n{}fi\n\
         if [ $RALPH_ITERATION -ge {turn} ]; then echo '<promise>DONE</promise>'; fi",
        hold.script(beside)
    ));
    let args = ["run", "do it", "--agent-cmd", "./agent.sh", "--json"];
    let mut running = project.ralph(&[&args, more].concat()).start();
    running.until_held();
    (running, hold)
}

/// The one run that `status --json` shows.
#[track_caller]
pub(crate) fn status(project: &TestProject) -> Value {
    let list = project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(list["runs"].as_array().map(Vec::len), Some(1), "{list}");
    list["runs"][0].clone()
}

#[track_caller]
fn says(output: &CommandOutput, words: &str) {
    assert!(output.stdout.contains(words), "no `{words}` in: {}", output.stdout);
}

fn stop(project: &TestProject, more: &[&str]) -> CommandOutput {
    project.ralph(&[&["stop"], more].concat()).output()
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn start(project: &TestProject, session: &str) -> String {
    let args = ["start", "do it", "--session", session, "--json"];
    let list = project.ralph(&args).output().exits(0).json();
    list["runs"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_loop_is_started_cancelled_and_queried() {
    let project = git();
    let armed = project.ralph(&["start", "do it", "--session", "ses_1"]).output().exits(0);
    says(&armed, "for session ses_1: at most 100 iterations");
    let run = status(&project);
    assert_eq!((&run["session_id"], &run["active"]), (&"ses_1".into(), &true.into()));
    assert_eq!((&run["status"], &run["iteration"]), (&"running".into(), &0.into()));

    says(&project.ralph(&["cancel"]).output().exits(0), "Stopped: you ended the run.");
    let run = status(&project);
    assert_eq!((&run["status"], &run["active"]), (&"stopped".into(), &false.into()));
    assert!(run["ended_at"].is_string());
    says(&project.ralph(&["cancel"]).output().exits(0), "no open run");
}

#[test]
fn one_session_after_the_other_can_have_a_gated_loop_but_not_two_at_once() {
    let project = git();
    let begin = |session| {
        let args = ["start", "more", "--session", session, "--criteria", "custom:true"];
        project.ralph(&[&args, ["--json"].as_slice()].concat()).output()
    };
    let id = |output: CommandOutput| output.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    let first = id(begin("ses_1").exits(0));
    let busy = begin("ses_2").exits(2);
    assert!(busy.stderr.contains(&first), "{}", busy.stderr);
    let _ = stop(&project, &["--run", &first]).exits(0);
    assert_ne!(id(begin("ses_2").exits(0)), first);
}

#[test]
fn every_session_has_a_loop_of_its_own_if_the_claim_judges_it() {
    let project = git();
    let ids = ["ses_1", "ses_2"].map(|session| start(&project, session));
    let args = ["start", "more", "--session", "ses_2"];
    let busy = project.ralph(&args).output().exits(2);
    assert!(busy.stderr.contains("this session already has a loop"), "{}", busy.stderr);
    assert!(busy.stderr.contains(&ids[1]), "{}", busy.stderr);
    let shown = project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(shown["runs"].as_array().unwrap().len(), 2, "{shown}");
}

#[test]
fn a_command_that_changes_a_run_asks_which_of_several_it_means() {
    let project = git();
    let ids = ["ses_1", "ses_2"].map(|session| start(&project, session));
    for args in [["stop"].as_slice(), &["pause"], &["resume"], &["rollback"], &["allow", "a"]] {
        let refused = project.ralph(args).output().exits(2);
        assert!(ids.iter().all(|id| refused.stderr.contains(id)), "{}", refused.stderr);
        assert!(refused.stderr.contains("name the one you mean"), "{}", refused.stderr);
    }
    says(&project.ralph(&["report"]).output().exits(0), &ids[1]);
    says(&project.ralph(&["pause", &ids[0]]).output().exits(0), &ids[0]);
    says(&stop(&project, &[]).exits(0), &ids[1]);
    says(&stop(&project, &[]).exits(0), &ids[0]);
}

#[test]
fn stopping_a_driver_ends_the_whole_process_tree() {
    let project = plain();
    let deaf = "setsid sh -c 'trap \"\" TERM HUP INT; while :; do read x; done' < /dev/zero &";
    let (running, hold) = held(&project, 1, deaf);
    says(&stop(&project, &[]).exits(0), "Stopped: you ended the run.");
    hold.is_over();
    let _ = running.finish().exits(1).ends("stopped", 1);
    says(&stop(&project, &[]).exits(0), "There is no open run here.");
    let id = status(&project)["id"].as_str().unwrap().to_owned();
    says(&stop(&project, &["--run", &id]).exits(0), "is stopped already");
}

#[test]
fn stopping_where_there_is_no_run_is_fine_and_writes_nothing() {
    let project = git();
    let before = project.everything();
    for args in [["stop"].as_slice(), &["cancel"], &["stop", "--all"], &["pause"]] {
        says(&project.ralph(args).output().exits(0), "There is no open run here.");
    }
    assert_eq!(project.everything(), before);
}

#[test]
fn all_runs_of_a_project_are_stopped_at_once() {
    let project = git();
    project.run_git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
    project.run_git(&["worktree", "add", "--quiet", "../linked"]);
    let here = start(&project, "ses_1");
    let args = ["start", "do it", "--session", "ses_2"];
    let _ = project.ralph(&args).dir(project.outside("linked")).output().exits(0);

    let stopped = stop(&project, &["--all"]).exits(0);
    assert_eq!(stopped.stdout.matches("Stopped:").count(), 2, "{}", stopped.stdout);
    says(&stopped, &here);
}

#[test]
fn stop_does_not_choose_between_paused_runs() {
    let project = git();
    let ids = ["ses_1", "ses_2"].map(|session| {
        let id = start(&project, session);
        let _ = project.ralph(&["pause"]).output().exits(0);
        id
    });
    let states = || {
        let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
        [0, 1].map(|index| runs["runs"][index]["status"].clone())
    };
    let refused = stop(&project, &[]).exits(2);
    assert!(ids.iter().all(|id| refused.stderr.contains(id)), "{}", refused.stderr);
    assert_eq!(states(), ["paused", "paused"]);
    let stopped = stop(&project, &["--all"]).exits(0);
    for id in &ids {
        says(&stopped, id);
    }
    assert_eq!(states(), ["stopped", "stopped"]);
}

#[test]
fn a_run_is_named_by_a_beginning_that_fits_no_other() {
    let project = git();
    let first = start(&project, "ses_1");
    says(&stop(&project, &["--run", &first[..first.len() - 1]]).exits(0), &first);
    let second = start(&project, "ses_2");
    for nothing in ["", "run-"] {
        let refused = stop(&project, &["--run", nothing]).exits(2);
        assert!(refused.stderr.contains("there is no run"), "{}", refused.stderr);
    }
    let unknown = stop(&project, &["--run", "run-none"]).exits(2);
    assert!(unknown.stderr.contains("`run-none`") && unknown.stderr.contains("ralph runs"));
    assert_eq!(status(&project)["status"], "running");
    says(&stop(&project, &["--run", &second]).exits(0), "Stopped:");
}

#[test]
fn a_paused_driver_lets_go_and_is_resumed_to_success() {
    let project = plain();
    let (running, hold) = held(&project, 1, "");
    says(&project.ralph(&["pause"]).output().exits(0), "Paused: you asked for it.");
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/asked", 1);
    let run = status(&project);
    assert_eq!((&run["active"], &run["ended_at"]), (&false.into(), &Value::Null));
    says(&project.ralph(&["pause"]).output().exits(0), "is paused (on request) already");
    let _ = project.ralph(&["resume", "--json"]).output().exits(0).ends("success/claimed", 2);
}

#[track_caller]
fn interrupted_by(signal: Signal) {
    let project = plain();
    let (running, hold) = held(&project, 1, "");
    running.signal(signal);
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/interrupted", 1);
    assert_eq!(status(&project)["status"], "paused");
    let _ = project.ralph(&["resume", "--json"]).output().exits(0).ends("success/claimed", 2);
}

#[test]
fn ctrl_c_pauses_the_run_and_ends_the_agent() {
    interrupted_by(Signal::Interrupt);
}

#[test]
fn a_termination_signal_pauses_the_run_and_ends_the_agent() {
    interrupted_by(Signal::Terminate);
}

#[test]
fn a_gate_is_ended_like_a_turn() {
    let project = plain();
    let hold = TurnHold::new(&project, "gate");
    project.agent("echo '<promise>DONE</promise>'");
    project.script("gate.sh", &hold.script(""));
    let args =
        ["run", "do it", "--agent-cmd", "./agent.sh", "--json", "--criteria", "custom:./gate.sh"];
    let running = project.ralph(&args).start();
    hold.is_begun();
    running.signal(Signal::Interrupt);
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/interrupted", 0);
}

#[test]
fn the_kill_switch_makes_ralph_inert() {
    let project = git();
    project.agent("touch started; echo '<promise>DONE</promise>'");
    for name in ["RALPH_DISABLE", "JIKIME_DISABLE_LOOP_CONTROLLER"] {
        let before = project.everything();
        for args in [
            ["run", "do it", "--agent-cmd", "./agent.sh"].as_slice(),
            &["start", "do it", "--session", "ses_1"],
            &["resume"],
        ] {
            let output = project.ralph(args).env(name, "1").output().exits(1);
            assert!(output.stderr.contains(name), "{}", output.stderr);
            assert_eq!(output.stdout, "");
        }
        assert_eq!(project.everything(), before);
    }
}

#[test]
fn the_kill_switch_leaves_stopping_and_reading_alone() {
    let project = git();
    let id = start(&project, "ses_1");
    for args in [["status"].as_slice(), &["runs"], &["report"], &["stop"]] {
        let output = project.ralph(args).env("RALPH_DISABLE", "1").output().exits(0);
        says(&output, &id);
    }
    assert_eq!(status(&project)["status"], "stopped");
}
