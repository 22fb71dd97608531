//! Nothing of a program outlives its turn.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use ralph_proc::{ExitReason, OutputStream, ProgramLimits, ProgramWatcher, WatcherDecision};

use crate::stage::{EXE, HANG, Lifeline, NO_LIMITS, Seen, run, sh, supervisor};

#[test]
fn a_daemon_dies_when_the_agent_ends() {
    let dir = tempfile::tempdir().unwrap();
    let lifeline = Lifeline::new(dir.path());
    let outcome = run(&sh(&format!("{}exit 7", lifeline.daemon())), &NO_LIMITS);
    assert_eq!(outcome.ending, ExitReason::Exited(7));
    assert_eq!(lifeline.wait_for_end(), "held\n");
}

#[test]
fn a_daemon_dies_when_the_agent_is_stopped() {
    for control in [WatcherDecision::Stop, WatcherDecision::Kill] {
        let dir = tempfile::tempdir().unwrap();
        let lifeline = Lifeline::new(dir.path());
        let script = format!("{}echo ready; sleep 600", lifeline.daemon());
        let mut seen = Seen::answering("ready", control);
        let outcome = supervisor().run(&sh(&script), &NO_LIMITS, &mut seen).unwrap();
        assert_eq!(outcome.ending, ExitReason::Stopped, "{control:?}");
        lifeline.wait_for_end();
    }
}

#[test]
fn a_daemon_that_holds_our_pipes_does_not_delay_the_end() {
    let script = "setsid sh -c 'trap \"\" TERM HUP; sleep 600' & echo done";
    let outcome = run(&sh(script), &NO_LIMITS);
    assert_eq!(outcome.ending, ExitReason::Exited(0));
    assert_eq!(outcome.stdout.text_lossy(), "done\n");
    assert!(outcome.elapsed < HANG);
}

#[test]
fn the_tree_dies_when_we_are_killed() {
    let dir = tempfile::tempdir().unwrap();
    let lifeline = Lifeline::new(dir.path());
    let script = format!("{}echo ready; sleep 600", lifeline.daemon());
    let mut us =
        Command::new(EXE).args(["sh", "-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(us.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    us.kill().unwrap();
    us.wait().unwrap();
    lifeline.wait_for_end();
}

#[test]
fn what_escapes_a_killed_supervisor_comes_to_us_and_is_ended() {
    // In a process of its own: other tests have children, too.
    let dir = tempfile::tempdir().unwrap();
    let lifeline = Lifeline::new(dir.path());
    let escape = format!("{}kill -9 $PPID; sleep 600", lifeline.hidden_daemon());
    let told = |script: &str| {
        let output = Command::new(EXE).args(["sh", "-c", script]).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(told(&escape).contains("Signaled(9)"));
    lifeline.wait_for_end();
    let escape = "setsid env -i sleep 600 & kill -9 $PPID; sleep 600";
    let said = told(escape);
    assert!(!said.contains(" 0 escaped"), "{said}");
    let said = told("setsid sleep 600 &");
    assert!(said.contains(" 0 escaped"), "{said}");
}

#[test]
fn a_supervisor_that_is_stopped_is_ended_with_all_below_it() {
    let dir = tempfile::tempdir().unwrap();
    let lifeline = Lifeline::new(dir.path());
    let stop = format!("{}kill -STOP $PPID; sleep 600", lifeline.hidden_daemon());
    let output = Command::new(EXE).args(["sh", "-c", &stop]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("1 stopped"), "{said}");
    lifeline.wait_for_end();
}

/// Sends a signal to the process whose pid the program writes.
struct Assassin {
    signal: &'static str,
}

impl ProgramWatcher for Assassin {
    fn output(&mut self, _: OutputStream, bytes: &[u8]) {
        let pid = String::from_utf8_lossy(bytes);
        let kill = Command::new("kill").args([self.signal, pid.trim()]).status();
        assert!(kill.unwrap().success());
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

#[test]
fn the_tree_dies_when_the_supervisor_is_killed() {
    for signal in ["-KILL", "-TERM", "-INT", "-HUP"] {
        let dir = tempfile::tempdir().unwrap();
        let lifeline = Lifeline::new(dir.path());
        let script = format!("{}echo $PPID; exec sleep 600", lifeline.daemon());
        let outcome = supervisor().run(&sh(&script), &NO_LIMITS, &mut Assassin { signal }).unwrap();
        // The supervisor's own death, or that of the program it killed.
        assert_eq!(outcome.ending, ExitReason::Signaled(9), "{signal}");
        lifeline.wait_for_end();
    }
}

#[test]
fn a_tree_that_keeps_forking_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let lifeline = Lifeline::new(dir.path());
    let path = lifeline.path();
    let script = format!(
        "exec 9>{path}; trap '' TERM
         for i in 1 2 3; do
           setsid sh -c 'while :; do setsid sleep 600 & (sleep 600 &) ; done' &
         done
         wait"
    );
    let limits = ProgramLimits {
        wall: Some(Duration::from_millis(100)),
        grace: Duration::from_millis(10),
        ..NO_LIMITS
    };
    let outcome = run(&sh(&script), &limits);
    assert_eq!(outcome.ending, ExitReason::WallTimeout);
    lifeline.wait_for_end();
}

#[test]
fn several_runs_at_a_time_do_not_touch_each_other() {
    let supervisor = supervisor();
    std::thread::scope(|scope| {
        let long = scope.spawn(|| {
            let script = sh("kill -9 $$");
            supervisor.run(&script, &NO_LIMITS, &mut Seen::default()).unwrap().ending
        });
        let other = scope.spawn(|| {
            let script = sh("sleep 0.3; exit 8");
            supervisor.run(&script, &NO_LIMITS, &mut Seen::default()).unwrap().ending
        });
        assert_eq!(long.join().unwrap(), ExitReason::Signaled(9));
        assert_eq!(other.join().unwrap(), ExitReason::Exited(8));
    });
}

#[test]
fn a_panic_of_the_watcher_leaves_nothing_behind() {
    struct Panics;
    impl ProgramWatcher for Panics {
        fn output(&mut self, _: OutputStream, _: &[u8]) {
            panic!("the watcher's own fault");
        }
        fn tick(&mut self) -> WatcherDecision {
            WatcherDecision::GoOn
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let lifeline = Lifeline::new(dir.path());
    let script = sh(&format!("{}echo ready; sleep 600", lifeline.daemon()));
    let panicked = std::thread::spawn(move || supervisor().run(&script, &NO_LIMITS, &mut Panics));
    assert!(panicked.join().is_err());
    lifeline.wait_for_end();
}
