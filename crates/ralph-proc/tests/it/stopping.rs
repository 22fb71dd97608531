//! Ends that the program did not choose.

use std::time::Duration;

use ralph_proc::{ExitReason, OutputStream, ProgramLimits, ProgramWatcher, Waker, WatcherDecision};

use crate::stage::{HANG, NO_LIMITS, Seen, run, sh, supervisor};

const SHORT: Duration = Duration::from_millis(150);

#[test]
fn a_silent_program_is_stopped() {
    let limits = ProgramLimits { idle: Some(SHORT), ..NO_LIMITS };
    let outcome = run(&sh("echo hello; sleep 600"), &limits);
    assert_eq!(outcome.ending, ExitReason::IdleTimeout);
    assert_eq!(outcome.stdout.text_lossy(), "hello\n");
    assert!(outcome.elapsed < HANG);
}

#[test]
fn a_program_that_writes_to_either_stream_is_not_idle() {
    let limits = ProgramLimits { idle: Some(Duration::from_millis(600)), ..NO_LIMITS };
    let chatty = "for i in 1 2 3; do sleep 0.2; echo $i >&2; sleep 0.2; echo $i; done";
    assert_eq!(run(&sh(chatty), &limits).ending, ExitReason::Exited(0));
}

#[test]
fn a_program_deaf_to_sigterm_is_killed_after_the_grace() {
    let limits = ProgramLimits { wall: Some(SHORT), ..NO_LIMITS };
    let outcome = run(&sh("trap 'echo no' TERM; while :; do sleep 0.01; done"), &limits);
    assert_eq!(outcome.ending, ExitReason::WallTimeout);
    assert!(outcome.elapsed >= SHORT + NO_LIMITS.grace);
    assert!(outcome.elapsed < HANG);
}

#[test]
fn output_after_sigterm_is_kept() {
    let limits = ProgramLimits { wall: Some(SHORT), grace: HANG, ..NO_LIMITS };
    let script = "trap 'echo saved; exit 0' TERM; echo started; while :; do sleep 0.01; done";
    let outcome = run(&sh(script), &limits);
    assert_eq!(outcome.ending, ExitReason::WallTimeout);
    assert_eq!(outcome.stdout.text_lossy(), "started\nsaved\n");
    assert!(outcome.elapsed < HANG);
}

#[test]
fn a_flood_does_not_outlast_the_wall_clock() {
    let limits = ProgramLimits { wall: Some(SHORT), ..NO_LIMITS };
    let outcome = run(&sh("yes"), &limits);
    assert_eq!(outcome.ending, ExitReason::WallTimeout);
    assert!(outcome.elapsed < HANG);
}

#[test]
fn endless_limits_are_no_limits() {
    let limits =
        ProgramLimits { wall: Some(Duration::MAX), idle: Some(Duration::MAX), ..NO_LIMITS };
    assert_eq!(run(&sh("exit 4"), &limits).ending, ExitReason::Exited(4));
}

#[test]
fn the_watcher_can_stop_and_kill() {
    for control in [WatcherDecision::Stop, WatcherDecision::Kill] {
        let mut seen = Seen::answering("ready", control);
        let outcome =
            supervisor().run(&sh("echo ready; sleep 600"), &NO_LIMITS, &mut seen).unwrap();
        assert_eq!(outcome.ending, ExitReason::Stopped, "{control:?}");
    }
}

/// Stops at the first word and kills at the second.
#[derive(Default)]
struct Impatient {
    words: String,
}

impl ProgramWatcher for Impatient {
    fn output(&mut self, _: OutputStream, bytes: &[u8]) {
        self.words.push_str(&String::from_utf8_lossy(bytes));
    }

    fn tick(&mut self) -> WatcherDecision {
        match self.words.lines().count() {
            0 => WatcherDecision::GoOn,
            1 => WatcherDecision::Stop,
            _ => WatcherDecision::Kill,
        }
    }
}

#[test]
fn a_kill_cuts_the_grace_short() {
    let limits = ProgramLimits { grace: HANG, ..NO_LIMITS };
    let script = "trap 'echo never' TERM; echo ready; while :; do sleep 0.01; done";
    let outcome = supervisor().run(&sh(script), &limits, &mut Impatient::default()).unwrap();
    assert_eq!(outcome.ending, ExitReason::Stopped);
    assert_eq!(outcome.stdout.text_lossy().lines().next_back(), Some("never"));
    assert!(outcome.elapsed < HANG);
}

/// Asks for the next tick in every tick, and stops after many.
struct Restless {
    waker: Waker,
    ticks: u32,
}

impl ProgramWatcher for Restless {
    fn output(&mut self, _: OutputStream, _: &[u8]) {}

    fn tick(&mut self) -> WatcherDecision {
        self.ticks += 1;
        self.waker.wake();
        if self.ticks < 1000 { WatcherDecision::GoOn } else { WatcherDecision::Stop }
    }
}

#[test]
fn a_wake_is_answered_without_waiting_for_the_next_tick() {
    let supervisor = supervisor();
    let mut restless = Restless { waker: supervisor.waker(), ticks: 0 };
    let outcome = supervisor.run(&sh("sleep 600"), &NO_LIMITS, &mut restless).unwrap();
    assert_eq!(outcome.ending, ExitReason::Stopped);
    // A thousand regular ticks take 200 seconds.
    assert!(outcome.elapsed < HANG, "{:?}", outcome.elapsed);
}

#[test]
fn a_waker_without_a_run_does_nothing() {
    let supervisor = supervisor();
    supervisor.waker().wake();
    let outcome = supervisor.run(&sh("exit 6"), &NO_LIMITS, &mut Seen::default()).unwrap();
    assert_eq!(outcome.ending, ExitReason::Exited(6));
    supervisor.waker().wake();
}
