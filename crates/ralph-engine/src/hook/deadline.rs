//! Ends a hook before its host does, with the best answer so far.

use std::cell::OnceCell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between our end of a hook and the host's.
const MARGIN: Duration = Duration::from_secs(2);

/// Time for a hook's work after its gates.
const AFTERWARDS: Duration = Duration::from_secs(10);

/// The answer of a hook, which is given once and in time.
pub(super) struct AnswerDeadline {
    limit: Duration,
    print: fn(&str),
    since: Instant,
    state: Arc<Mutex<DeadlineState>>,
    /// Stops the timer thread, once it runs.
    done: OnceCell<Sender<()>>,
}

#[derive(Default)]
struct DeadlineState {
    is_answered: bool,
    /// The answer if the time runs out.
    otherwise: String,
}

impl AnswerDeadline {
    pub(super) fn start(timeout: Duration, print: fn(&str)) -> Self {
        let limit = timeout.saturating_sub(MARGIN).max(timeout / 2);
        Self { limit, print, since: Instant::now(), state: Arc::default(), done: OnceCell::new() }
    }

    /// Returns the time for an answer, and starts the timer thread. It starts late
    /// because a thread costs as much as a short hook.
    pub(super) fn limit(&self) -> Duration {
        self.done.get_or_init(|| {
            let (done, waiting) = channel();
            let left = self.limit.saturating_sub(self.since.elapsed());
            let (shared, print) = (Arc::clone(&self.state), self.print);
            // Without the thread the host's own limit still applies.
            let _ = std::thread::Builder::new()
                .name("deadline".to_owned())
                .stack_size(64 * 1024)
                .spawn(move || wait(left, &waiting, &shared, print));
            done
        });
        self.limit
    }

    /// Returns when gates must be done. Stopping one takes time, and so does judging
    /// and recording the results.
    pub(super) fn end_of_gates(&self) -> Instant {
        let limit = self.limit();
        self.since + limit.saturating_sub(AFTERWARDS.min(limit / 3))
    }

    /// Sets the answer for the case that the time runs out.
    pub(super) fn otherwise(&self, answer: String) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).otherwise = answer;
    }

    /// Prints a line before the answer, for hosts that read line by line.
    pub(super) fn early(&self, news: &str) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_answered {
            (self.print)(&format!("{news}\n"));
        }
    }

    /// Prints the answer, unless one was given.
    pub(super) fn answer(&self, answer: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_answered {
            state.is_answered = true;
            (self.print)(answer);
        }
    }
}

fn wait(limit: Duration, done: &Receiver<()>, state: &Mutex<DeadlineState>, print: fn(&str)) {
    if done.recv_timeout(limit) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if !state.is_answered {
        state.is_answered = true;
        print(&state.otherwise);
        // Our child processes end with us: their supervisor notices.
        std::process::exit(0);
    }
}
