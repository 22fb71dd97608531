//! One gated run a work tree, and one driver a run.

use ralph_testkit::{Signal, TurnHold};

use crate::control::{held, held_with, status};
use crate::{git, plain};

/// Lets a gate judge a run.
const GATED: &[&str] = &["--criteria", "custom:true"];

#[test]
fn a_second_gated_run_in_the_same_work_tree_is_refused_by_the_name_of_the_first() {
    let project = git();
    let (running, hold) = held_with(&project, 1, "", GATED);
    let first = status(&project);
    let refused = project.run_json("another", GATED).exits(2);
    let id = first["id"].as_str().unwrap();
    assert!(refused.stderr.contains(id), "{}", refused.stderr);
    assert!(refused.stderr.contains("ralph stop --run"), "{}", refused.stderr);
    hold.release();
    let _ = running.finish().exits(0).ends("success/claimed", 1);
    assert_eq!(status(&project)["id"], first["id"]);
}

#[test]
fn a_run_that_the_claim_judges_begins_beside_another_one() {
    let project = git();
    let (running, hold) = held_with(&project, 1, "", GATED);
    let first = status(&project);
    project.script("other.sh", "echo '<promise>DONE</promise>'");
    let args = ["run", "another", "--agent-cmd", "./other.sh", "--json"];
    let _ = project.ralph(&args).output().exits(0).ends("success/claimed", 1);
    assert_eq!(status(&project)["id"], first["id"]);
    hold.release();
    let _ = running.finish().exits(0).ends("success/claimed", 1);
}

#[test]
fn a_linked_work_tree_has_a_run_of_its_own_at_the_same_time() {
    let project = git();
    project.agent("echo '<promise>DONE</promise>'");
    project.run_git(&["add", "."]);
    project.run_git(&["commit", "--quiet", "-m", "agent"]);
    project.run_git(&["worktree", "add", "--quiet", "../linked"]);
    let (running, hold) = held(&project, 1, "");

    let linked = project.outside("linked");
    let args = ["run", "beside", "--agent-cmd", "./agent.sh", "--json"];
    let _ = project.ralph(&args).dir(&linked).output().exits(0).ends("success/claimed", 1);
    hold.release();
    let _ = running.finish().exits(0).ends("success/claimed", 1);

    let all = project.ralph(&["runs", "--json"]).output().exits(0).json();
    assert_eq!(all["runs"].as_array().unwrap().len(), 2);
    let here = project.ralph(&["runs", "--json", "--here"]).dir(&linked).output().exits(0).json();
    assert_eq!(here["runs"].as_array().unwrap().len(), 1);
    assert_eq!(here["runs"][0]["task"], "beside");
}

#[test]
fn a_dead_driver_does_not_block_the_next_run() {
    let project = plain();
    let (running, hold) = held(&project, 1, "");
    running.signal(Signal::Kill);
    let _ = running.finish();
    hold.is_over();
    let old = status(&project);
    assert_eq!((&old["status"], &old["owner"]["alive"]), (&"running".into(), &false.into()));

    project.agent("echo '<promise>DONE</promise>'");
    let _ = project.run_json("another", &[]).exits(0).ends("success/claimed", 1);
    let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
    assert_eq!(runs["runs"][1]["id"], old["id"]);
    assert_eq!(runs["runs"][1]["reason"], "interrupted");
}

#[test]
fn a_resumed_run_belongs_to_the_driver_that_resumed_it() {
    let project = plain();
    let (running, hold) = held(&project, 1, "");
    running.signal(Signal::Interrupt);
    hold.is_over();
    let _ = running.finish().exits(130);
    let second = TurnHold::new(&project, "second");
    project.agent(&format!("{}echo '<promise>DONE</promise>'", second.script("")));
    let mut resumed = project.ralph(&["resume", "--json"]).start();
    resumed.until_held();
    let refused = project.ralph(&["resume"]).output().exits(1);
    assert!(refused.stderr.contains(&resumed.id().to_string()), "{}", refused.stderr);
    second.release();
    let _ = resumed.finish().exits(0).ends("success/claimed", 2);
}

#[test]
fn of_many_that_resume_at_once_one_drives() {
    let project = plain();
    let (running, hold) = held(&project, 1, "");
    running.signal(Signal::Interrupt);
    hold.is_over();
    let _ = running.finish().exits(130);
    let second = TurnHold::new(&project, "second");
    let turn = "echo turn >> $OUTSIDE/turns";
    project.agent(&format!("{turn}\n{}echo '<promise>DONE</promise>'", second.script("")));
    let all = [(); 6].map(|()| project.ralph(&["resume", "--json"]).start());
    second.is_begun();
    second.release();
    let mut codes = all.map(|resumed| resumed.finish().code);
    codes.sort_unstable();
    assert_eq!(codes, [0, 1, 1, 1, 1, 1].map(Some));
    assert_eq!(project.kept("turns"), "turn\n");
}

/// Runs in a folder where the agent begins a repository, with this variable.
#[track_caller]
fn found_in_a_young_repository(name: &str, value: &std::path::Path) {
    let project = plain();
    let call = |args: &[&str]| project.ralph(args).env(name, value);
    let hold = TurnHold::new(&project, "agent");
    project.agent(&format!(
        "[ $RALPH_ITERATION = 2 ] && {{ echo '<promise>DONE</promise>'; exit; }}\n{}",
        hold.script("git init --quiet")
    ));
    let mut running = project.run_call("do it", &[]).env(name, value).start();
    running.until_held();

    let shown = call(&["status", "--json"]).output().exits(0).json();
    assert_eq!(shown["runs"][0]["status"], "running", "{shown}");
    let _ = call(&["pause"]).output().exits(0);
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/asked", 1);
    let _ = call(&["resume", "--json"]).output().exits(0).ends("success/claimed", 2);
}

#[test]
fn a_run_is_found_after_its_agent_began_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    found_in_a_young_repository("XDG_STATE_HOME", folder.path());
}

#[test]
fn a_run_is_found_in_a_home_of_the_users_own_after_its_agent_began_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    found_in_a_young_repository("RALPH_HOME", folder.path());
}

#[test]
fn a_run_is_stopped_after_its_agent_began_a_repository() {
    let project = plain();
    let (running, hold) = held(&project, 1, "git init --quiet");
    let _ = project.ralph(&["stop"]).output().exits(0);
    hold.is_over();
    let _ = running.finish().exits(1).ends("stopped", 1);
}
