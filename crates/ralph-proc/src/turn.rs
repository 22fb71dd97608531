//! Watches one running program: its output, its time and its end.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::events::Event;
use crate::launch::{Control, Ending, Limits, Outcome, Stream, TICK, Watcher};
use crate::run::ProcError;
use crate::supervised::Supervised;
use crate::tail::Tail;
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

pub(crate) struct Turn<'a> {
    child: Supervised,
    limits: &'a Limits,
    watcher: &'a mut dyn Watcher,
    waker: Waker,
    wakes_seen: u64,
    started: Instant,
    last_output: Instant,
    next_tick: Instant,
    phase: Phase,
    open_streams: u8,
    stdout: Tail,
    stderr: Tail,
}

#[derive(Clone, Copy)]
enum Phase {
    Running,
    /// SIGTERM was sent.
    Stopping {
        why: Ending,
        kill_at: Option<Instant>,
    },
    /// SIGKILL was sent.
    Killing {
        why: Ending,
        abandon_at: Option<Instant>,
    },
    /// The supervisor ended. `why` is `None` if the program ended by itself.
    Ended {
        why: Option<Ending>,
    },
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        child: Supervised,
        limits: &'a Limits,
        watcher: &'a mut dyn Watcher,
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
            phase: Phase::Running,
            open_streams: 2,
            stdout: Tail::new(STDOUT_TAIL),
            stderr: Tail::new(STDERR_TAIL),
        }
    }

    /// Watches the program to its end.
    pub(crate) fn drive(mut self, events: &Receiver<Event>) -> Result<Outcome, ProcError> {
        let why = loop {
            if let Phase::Ended { why } = self.phase {
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
        Ok(Outcome {
            ending: why.unwrap_or(ending),
            stdout: self.stdout,
            stderr: self.stderr,
            elapsed: self.started.elapsed(),
        })
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Output(stream, bytes) => {
                match stream {
                    Stream::Stdout => self.stdout.push(&bytes),
                    Stream::Stderr => self.stderr.push(&bytes),
                }
                self.watcher.output(stream, &bytes);
                self.last_output = Instant::now();
            }
            Event::Closed => self.open_streams = self.open_streams.saturating_sub(1),
            Event::Ended => self.mark_ended(),
            Event::Wake => {}
        }
    }

    fn mark_ended(&mut self) {
        let why = match self.phase {
            Phase::Running => None,
            Phase::Stopping { why, .. } | Phase::Killing { why, .. } => Some(why),
            Phase::Ended { why } => why,
        };
        self.phase = Phase::Ended { why };
    }

    fn check_idle(&mut self) {
        if matches!(self.phase, Phase::Running) && is_over(self.idle_end()) {
            self.stop(Ending::IdleTimeout);
        }
    }

    fn check_clock(&mut self) {
        // On systems without a waiting thread the end is noticed here.
        if cfg!(not(unix)) && self.child.has_ended() {
            self.mark_ended();
        }
        match self.phase {
            Phase::Running if is_over(self.wall_end()) => self.stop(Ending::WallTimeout),
            Phase::Stopping { why, kill_at } if is_over(kill_at) => self.kill(why),
            Phase::Killing { why, abandon_at } if is_over(abandon_at) => {
                self.child.abandon();
                self.phase = Phase::Killing { why, abandon_at: None };
            }
            Phase::Running
            | Phase::Stopping { .. }
            | Phase::Killing { .. }
            | Phase::Ended { .. } => {}
        }
    }

    fn tick_when_due(&mut self) {
        let wakes = self.waker.wakes();
        let due = wakes != self.wakes_seen || is_over(Some(self.next_tick));
        if !due || matches!(self.phase, Phase::Ended { .. }) {
            return;
        }
        self.wakes_seen = wakes;
        self.child.end_if_stopped();
        let control = self.watcher.tick();
        self.next_tick = Instant::now() + TICK;
        match (control, self.phase) {
            (Control::Stop, Phase::Running) => self.stop(Ending::Stopped),
            (Control::Kill, Phase::Running) => self.kill(Ending::Stopped),
            (Control::Kill, Phase::Stopping { why, .. }) => self.kill(why),
            (Control::GoOn | Control::Stop | Control::Kill, _) => {}
        }
    }

    fn stop(&mut self, why: Ending) {
        // The end may wait in the queue behind output; then there is nothing to
        // stop.
        if self.child.has_ended() {
            return self.mark_ended();
        }
        self.child.terminate();
        self.phase =
            Phase::Stopping { why, kill_at: Instant::now().checked_add(self.limits.grace) };
    }

    fn kill(&mut self, why: Ending) {
        self.child.kill();
        let abandon_at = Instant::now().checked_add(KILL_PATIENCE);
        self.phase = Phase::Killing { why, abandon_at };
    }

    /// Reads the output that was still on the way when the tree ended.
    fn drain(&mut self, events: &Receiver<Event>) {
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
            Phase::Running => [self.wall_end(), self.idle_end()],
            Phase::Stopping { kill_at, .. } => [kill_at, None],
            Phase::Killing { abandon_at, .. } => [abandon_at, None],
            Phase::Ended { .. } => [None, None],
        };
        let next = deadlines.into_iter().flatten().fold(self.next_tick, Instant::min);
        next.saturating_duration_since(Instant::now())
    }
}

fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| end <= Instant::now())
}
