//! Watches one running program: its output, its time and its end.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::events::ProgramEvent;
use crate::launch::{
    ExitReason, OutputStream, ProgramLimits, ProgramOutcome, ProgramWatcher, TICK, WatcherDecision,
};
use crate::run::ProcError;
use crate::supervised::RunningSupervisor;
use crate::tail::OutputTail;
use crate::waker::Waker;

const STDOUT_TAIL: usize = 256 * 1024;
const STDERR_TAIL: usize = 64 * 1024;

/// Time that the supervisor may take to kill its tree. Only a process that
/// hangs inside the kernel needs longer; we do not hang with it.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// Time that we wait for output after the end. Only a process we may not kill,
/// of another user, can hold the pipe that long.
const DRAIN_PATIENCE: Duration = Duration::from_secs(2);
const DRAIN_EVENTS: usize = 1024;

pub(crate) struct WatchedRun<'a> {
    child: RunningSupervisor,
    limits: &'a ProgramLimits,
    watcher: &'a mut dyn ProgramWatcher,
    waker: Waker,
    wakes_seen: u64,
    started: Instant,
    last_output: Instant,
    next_tick: Instant,
    phase: WatchedRunPhase,
    open_streams: u8,
    stdout: OutputTail,
    stderr: OutputTail,
}

#[derive(Clone, Copy)]
enum WatchedRunPhase {
    Running,
    /// SIGTERM was sent.
    Stopping {
        why: ExitReason,
        kill_at: Option<Instant>,
    },
    /// SIGKILL was sent.
    Killing {
        why: ExitReason,
        abandon_at: Option<Instant>,
    },
    /// The supervisor ended. `why` is `None` if the program ended by itself.
    Ended {
        why: Option<ExitReason>,
    },
}

impl<'a> WatchedRun<'a> {
    pub(crate) fn new(
        child: RunningSupervisor,
        limits: &'a ProgramLimits,
        watcher: &'a mut dyn ProgramWatcher,
        waker: Waker,
    ) -> Self {
        let now = Instant::now();
        Self {
            child,
            limits,
            watcher,
            wakes_seen: waker.wakes(),
            waker,
            started: now,
            last_output: now,
            next_tick: now,
            phase: WatchedRunPhase::Running,
            open_streams: 2,
            stdout: OutputTail::new(STDOUT_TAIL),
            stderr: OutputTail::new(STDERR_TAIL),
        }
    }

    /// Watches the program to its end.
    pub(crate) fn drive(
        mut self,
        events: &Receiver<ProgramEvent>,
    ) -> Result<ProgramOutcome, ProcError> {
        let why = loop {
            if let WatchedRunPhase::Ended { why } = self.phase {
                break why;
            }
            match events.recv_timeout(self.time_left()) {
                Ok(event) => self.take(event),
                // Silence counts only if the queue is empty: a slow watcher
                // must not make a busy program look idle.
                Err(_) => self.check_idle(),
            }
            self.check_clock();
            self.tick_when_due();
        };
        let ending = self.child.reap()?;
        self.drain(events);
        Ok(ProgramOutcome {
            ending: why.unwrap_or(ending),
            stdout: self.stdout,
            stderr: self.stderr,
            elapsed: self.started.elapsed(),
        })
    }

    fn take(&mut self, event: ProgramEvent) {
        match event {
            ProgramEvent::Output(stream, bytes) => {
                match stream {
                    OutputStream::Stdout => self.stdout.push(&bytes),
                    OutputStream::Stderr => self.stderr.push(&bytes),
                }
                self.watcher.output(stream, &bytes);
                self.last_output = Instant::now();
            }
            ProgramEvent::Closed => self.open_streams = self.open_streams.saturating_sub(1),
            ProgramEvent::Ended => self.mark_ended(),
            ProgramEvent::Wake => {}
        }
    }

    fn mark_ended(&mut self) {
        let why = match self.phase {
            WatchedRunPhase::Running => None,
            WatchedRunPhase::Stopping { why, .. } | WatchedRunPhase::Killing { why, .. } => {
                Some(why)
            }
            WatchedRunPhase::Ended { why } => why,
        };
        self.phase = WatchedRunPhase::Ended { why };
    }

    fn check_idle(&mut self) {
        if matches!(self.phase, WatchedRunPhase::Running) && is_over(self.idle_end()) {
            self.stop(ExitReason::IdleTimeout);
        }
    }

    fn check_clock(&mut self) {
        // On systems without a waiting thread the end is noticed here.
        if cfg!(not(unix)) && self.child.has_ended() {
            self.mark_ended();
        }
        match self.phase {
            WatchedRunPhase::Running if is_over(self.wall_end()) => {
                self.stop(ExitReason::WallTimeout);
            }
            WatchedRunPhase::Stopping { why, kill_at } if is_over(kill_at) => self.kill(why),
            WatchedRunPhase::Killing { why, abandon_at } if is_over(abandon_at) => {
                self.child.abandon();
                self.phase = WatchedRunPhase::Killing { why, abandon_at: None };
            }
            WatchedRunPhase::Running
            | WatchedRunPhase::Stopping { .. }
            | WatchedRunPhase::Killing { .. }
            | WatchedRunPhase::Ended { .. } => {}
        }
    }

    fn tick_when_due(&mut self) {
        let wakes = self.waker.wakes();
        let due = wakes != self.wakes_seen || is_over(Some(self.next_tick));
        if !due || matches!(self.phase, WatchedRunPhase::Ended { .. }) {
            return;
        }
        self.wakes_seen = wakes;
        self.child.end_if_stopped();
        let control = self.watcher.tick();
        self.next_tick = Instant::now() + TICK;
        match (control, self.phase) {
            (WatcherDecision::Stop, WatchedRunPhase::Running) => self.stop(ExitReason::Stopped),
            (WatcherDecision::Kill, WatchedRunPhase::Running) => self.kill(ExitReason::Stopped),
            (WatcherDecision::Kill, WatchedRunPhase::Stopping { why, .. }) => self.kill(why),
            (WatcherDecision::GoOn | WatcherDecision::Stop | WatcherDecision::Kill, _) => {}
        }
    }

    fn stop(&mut self, why: ExitReason) {
        // The end may wait in the queue behind output; then there is nothing to
        // stop.
        if self.child.has_ended() {
            return self.mark_ended();
        }
        self.child.terminate();
        self.phase = WatchedRunPhase::Stopping {
            why,
            kill_at: Instant::now().checked_add(self.limits.grace),
        };
    }

    fn kill(&mut self, why: ExitReason) {
        self.child.kill();
        let abandon_at = Instant::now().checked_add(KILL_PATIENCE);
        self.phase = WatchedRunPhase::Killing { why, abandon_at };
    }

    /// Reads the output that was still on the way when the tree ended.
    fn drain(&mut self, events: &Receiver<ProgramEvent>) {
        let mut patience = DRAIN_PATIENCE;
        for _ in 0..DRAIN_EVENTS {
            if self.open_streams == 0 {
                return;
            }
            let asked = Instant::now();
            let Ok(event) = events.recv_timeout(patience) else { return };
            patience = patience.saturating_sub(asked.elapsed());
            self.take(event);
        }
    }

    fn wall_end(&self) -> Option<Instant> {
        self.started.checked_add(self.limits.wall?)
    }

    fn idle_end(&self) -> Option<Instant> {
        self.last_output.checked_add(self.limits.idle?)
    }

    /// Returns the time until something must be done even without an event.
    fn time_left(&self) -> Duration {
        let deadlines = match self.phase {
            WatchedRunPhase::Running => [self.wall_end(), self.idle_end()],
            WatchedRunPhase::Stopping { kill_at, .. } => [kill_at, None],
            WatchedRunPhase::Killing { abandon_at, .. } => [abandon_at, None],
            WatchedRunPhase::Ended { .. } => [None, None],
        };
        let next = deadlines.into_iter().flatten().fold(self.next_tick, Instant::min);
        next.saturating_duration_since(Instant::now())
    }
}

fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| end <= Instant::now())
}
