//! Ending what takes long, before a turn began.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use ralph_testkit::{RunningCall, Signal, TestProject, TurnHold};

use crate::control::status;
use crate::{git, plain};

/// Projects that take minutes to read: their files of nothing but zeros take no
/// room, and each is just small enough for a snapshot.
fn endless() -> [TestProject; 2] {
    [git(), plain()].map(|project| {
        project.file("edited", "mine\n").agent("echo '<promise>DONE</promise>'");
        fs::create_dir(project.root().join("zeros")).unwrap();
        for number in 0..1000 {
            let zeros = File::create(project.root().join(format!("zeros/{number}"))).unwrap();
            zeros.set_len(99_000_000).unwrap();
        }
        project
    })
}

/// Starts a run and waits for its first words.
fn begun(project: &TestProject) -> RunningCall {
    let mut running = project.run_call("do it", &["--any-folder"]).start();
    running.until(|event| event["type"] == "run_started");
    running
}

fn no_longer(project: &TestProject) {
    fs::remove_dir_all(project.root().join("zeros")).unwrap();
}

#[test]
fn the_first_snapshot_is_interrupted_within_a_second() {
    for project in endless() {
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let running = begun(&project);
            let from = Instant::now();
            running.signal(signal);
            let output = running.finish().exits(130).ends("paused/interrupted", 0);
            assert!(from.elapsed() < Duration::from_secs(2), "{:?}", from.elapsed());
            let said = output.values("notice", "text").join("\n");
            assert!(said.contains("the first snapshot was interrupted; nothing was changed"));
            let listed = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
            assert_eq!(listed["snapshots"].as_array().unwrap().len(), 0);
            assert_eq!(status(&project)["status"], "paused");
            let _ = project.ralph(&["stop"]).output().exits(0);
        }
        no_longer(&project);
        let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    }
}

#[test]
fn an_interrupted_start_goes_on_when_the_run_is_resumed() {
    for project in endless() {
        let running = begun(&project);
        running.signal(Signal::Interrupt);
        let _ = running.finish().exits(130);
        no_longer(&project);
        let resumed = project.ralph(&["resume", "--json"]).output().exits(0);
        let _ = resumed.ends("success/claimed", 1);
        let listed = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
        assert_eq!(listed["snapshots"][0]["label"], "start");
    }
}

#[test]
fn a_check_and_a_doctor_are_interrupted_within_a_second() {
    for project in endless() {
        for args in [&["check", "--criteria", "custom:true"][..], &["doctor"]] {
            let running = project.ralph(args).start();
            running.until_listening();
            let from = Instant::now();
            running.signal(Signal::Interrupt);
            let output = running.finish().exits(130);
            assert!(from.elapsed() < Duration::from_secs(2), "{:?}", from.elapsed());
            assert!(output.stderr.contains("Interrupted."), "{}", output.stderr);
        }
    }
}

#[test]
fn a_second_signal_ends_a_check_whose_gate_ignores_the_first() {
    let project = plain();
    let hold = TurnHold::new(&project, "gate");
    project.script("gate.sh", &hold.script("trap '' TERM INT HUP"));
    let running = project.ralph(&["check", "--criteria", "custom:./gate.sh"]).start();
    hold.is_begun();
    let from = Instant::now();
    running.signal(Signal::Interrupt).signal(Signal::Terminate);
    let output = running.finish().exits(130);
    assert!(from.elapsed() < Duration::from_secs(5), "{:?}", from.elapsed());
    assert!(output.stderr.contains("Interrupted."), "{}", output.stderr);
    hold.is_over();
}

#[test]
fn a_long_snapshot_shows_how_far_it_is() {
    let [project, _] = endless();
    let ralph = project.binary().display();
    let line = format!("'{ralph}' run 'do it' --agent-cmd ./agent.sh --any-folder");
    let terminal = project.terminal(&line);
    terminal.until_has_shown("taking the first snapshot: ");
    terminal.presses("C-c");
    terminal.until_ended();
    assert_eq!(status(&project)["status"], "paused");
}
