//! What signals do to a run, and what they leave behind.

use ralph_testkit::{Signal, TestProject, TurnHold};
use rustix::process::{Pid, kill_process};
use serde_json::Value;

use crate::{git, plain};

/// Interrupts a run with these options while its gate is held before the
/// first turn, after it did what is `first`. The gate passes from then on.
#[track_caller]
pub(crate) fn interrupted_baseline(project: &TestProject, first: &str, more: &[&str]) {
    let hold = TurnHold::new(project, "gate");
    let once = format!("[ -e $OUTSIDE/held ] && exit 0\n: > $OUTSIDE/held\n{first}\n");
    project.script("gate.sh", &format!("{once}{}", hold.script("")));
    let options = [&["--criteria", "custom:./gate.sh"], more].concat();
    let running = project.run_call("do it", &options).start();
    hold.is_begun();
    running.signal(Signal::Interrupt);
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/interrupted", 0);
}

#[test]
fn an_interrupted_gate_is_no_red_start() {
    let project = plain();
    project.agent("echo I looked around.");
    interrupted_baseline(&project, "", &["--max-iterations", "1"]);
    let resumed = project.ralph(&["resume", "--json"]).output().exits(1);
    let _ = resumed.ends("failed/max_iterations", 1);
}

#[test]
fn a_hangup_that_was_ignored_at_the_start_does_not_pause_the_run() {
    let project = TestProject::plain("/bin/sh");
    let hold = TurnHold::new(&project, "agent");
    project.agent(&format!("{}echo '<promise>DONE</promise>'", hold.script("")));
    let start = "trap '' HUP; exec \"$0\" run 'do it' --agent-cmd ./agent.sh --json";
    let mut running = project.ralph(&["-c", start, env!("CARGO_BIN_EXE_ralph")]).start();
    running.until_held();
    send(running.id(), rustix::process::Signal::HUP);
    hold.release();
    let _ = running.finish().exits(0).ends("success/claimed", 1);
}

#[test]
fn a_hangup_pauses_the_run_otherwise() {
    let project = plain();
    let (running, hold) = crate::control::held(&project, 1, "");
    send(running.id(), rustix::process::Signal::HUP);
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/interrupted", 1);
}

#[track_caller]
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn send(pid: u32, signal: rustix::process::Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn a_second_ctrl_c_kills_an_agent_that_ignores_the_first() {
    let project = plain();
    let hold = TurnHold::new(&project, "agent");
    // A shell hears signals between its commands, so none of them may block.
    let deaf = "trap 'echo not now' TERM INT HUP; echo holding; while :; do :; done";
    project.agent(&hold.script(deaf));
    let mut running = project.run_call("do it", &[]).env("RALPH_GRACE", "60s").start();
    running.until_held();
    running.signal(Signal::Interrupt);
    let says = |event: &Value, words: &str| {
        event["text"].as_str().is_some_and(|text| text.contains(words))
    };
    running
        .until(|event| says(event, "stopping the agent (up to 1m00s; Ctrl-C again ends it now)"));
    running.until(|event| says(event, "not now"));
    running.signal(Signal::Interrupt);
    hold.is_over();
    let _ = running.finish().exits(130).ends("paused/interrupted", 1);
}

/// Whether `ralph status` says that nobody drives the run any more.
#[track_caller]
fn is_left_behind(project: &TestProject) {
    let shown = project.ralph(&["status"]).output().exits(0).stdout;
    assert!(shown.contains("its driver is gone"), "{shown}");
}

#[test]
fn a_driver_that_a_rare_signal_ended_is_noticed() {
    for signal in [rustix::process::Signal::QUIT, rustix::process::Signal::USR1] {
        let project = plain();
        let (running, hold) = crate::control::held(&project, 1, "");
        send(running.id(), signal);
        let _ = running.finish();
        hold.is_over();
        is_left_behind(&project);
        project.agent("echo '<promise>DONE</promise>'");
        let resumed = project.ralph(&["resume", "--json"]).output().exits(0);
        let _ = resumed.ends("success/claimed", 2);
    }
}

#[test]
fn a_driver_that_was_killed_while_it_took_a_snapshot_leaves_no_half_of_one() {
    let project = git();
    project.file("edited", "mine\n").agent("echo x > edited; echo '<promise>DONE</promise>'");
    let hold = TurnHold::new(&project, "git");
    let once = "case \"$*\" in *update-index*) ;; *) false;; esac && [ ! -e $OUTSIDE/once ]";
    let slow = format!("if {once}; then : > $OUTSIDE/once\n{}fi", hold.script(""));
    let slow = slow.replace("$OUTSIDE", &project.outside("").to_string_lossy());
    project.script("../bin/git", &format!("{slow}\nPATH=${{PATH#*:}} exec git \"$@\""));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", project.outside("bin").display());
    let running = project.run_call("do it", &[]).env("PATH", path).start();
    hold.is_begun();
    running.signal(Signal::Kill);
    let _ = running.finish();
    hold.release();
    hold.is_over();
    is_left_behind(&project);
    let listed = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
    assert_eq!(listed["snapshots"], serde_json::json!([]));
    let _ = project.ralph(&["resume", "--json"]).output().exits(0).ends("success/claimed", 1);
    let _ = project.ralph(&["rollback"]).output().exits(0);
    assert_eq!(project.read("edited"), "mine\n");
}
