//! Ends a hook before its host does, with the best answer there is by then.

use std::cell::OnceCell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long before the host's own end a hook ends.
const MARGIN: Duration = Duration::from_secs(2);

/// What is left of a hook's time when its gates have to be done.
const AFTERWARDS: Duration = Duration::from_secs(10);

/// The answer of one hook: it is given once, in time.
pub(super) struct Deadline {
    limit: Duration,
    since: Instant,
    state: Arc<Mutex<State>>,
    /// Tells whoever watches the time that it is over, once somebody does.
    done: OnceCell<Sender<()>>,
}

#[derive(Default)]
struct State {
    is_answered: bool,
    /// What is said if there is no time for more.
    otherwise: String,
}

impl Deadline {
    pub(super) fn start(timeout: Duration) -> Self {
        let limit = timeout.saturating_sub(MARGIN).max(timeout / 2);
        Self { limit, since: Instant::now(), state: Arc::default(), done: OnceCell::new() }
    }

    /// How long there is for an answer. Who asks may need all of it, so the time
    /// is watched from then on; a thread costs as much as a short hook may.
    pub(super) fn limit(&self) -> Duration {
        self.done.get_or_init(|| {
            let (done, waiting) = channel();
            let (shared, left) =
                (Arc::clone(&self.state), self.limit.saturating_sub(self.since.elapsed()));
            // Without the thread the host's own limit still holds.
            let _ = std::thread::Builder::new()
                .name("deadline".to_owned())
                .stack_size(64 * 1024)
                .spawn(move || wait(left, &waiting, &shared));
            done
        });
        self.limit
    }

    /// When gates have to be done. One that has to be stopped does not end at
    /// once, and what they showed has to be judged and kept.
    pub(super) fn end_of_gates(&self) -> Instant {
        let limit = self.limit();
        self.since + limit.saturating_sub(AFTERWARDS.min(limit / 3))
    }

    /// What is to be said should the time run out.
    pub(super) fn otherwise(&self, answer: String) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).otherwise = answer;
    }

    /// Says something before the answer, on a line of its own. Only for hosts
    /// that read line by line.
    pub(super) fn early(&self, news: &str) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_answered {
            super::print(&format!("{news}\n"));
        }
    }

    /// Gives the answer.
    pub(super) fn answer(&self, answer: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_answered {
            state.is_answered = true;
            super::print(answer);
        }
    }
}

fn wait(limit: Duration, done: &Receiver<()>, state: &Mutex<State>) {
    if done.recv_timeout(limit) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if !state.is_answered {
        state.is_answered = true;
        super::print(&state.otherwise);
        // What we started ends with us: its supervisor notices.
        std::process::exit(0);
    }
}
