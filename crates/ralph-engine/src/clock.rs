//! The engine's only access to time and to interruption.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ralph_core::Timestamp;
use ralph_snapshot::WorkHandle;

/// A source of the current time.
pub trait TimeSource {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl TimeSource for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system")]
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A request to stop. A signal handler may raise it at any moment.
#[derive(Clone, Debug, Default)]
pub struct InterruptSignal {
    shared: Arc<(Mutex<InterruptState>, Condvar)>,
}

/// The number of requests to stop, and the work that they interrupt.
#[derive(Debug, Default)]
struct InterruptState {
    raised: u32,
    /// The time of the last check for a request.
    heard: Option<Instant>,
    /// Work on trees that is interrupted as well.
    works: Vec<WorkHandle>,
}

impl InterruptSignal {
    /// Requests a stop and wakes waiting threads.
    pub fn raise(&self) {
        let (_, changed) = &*self.shared;
        let mut wishes = self.wishes();
        wishes.raised += 1;
        wishes.works.iter().for_each(WorkHandle::interrupt);
        drop(wishes);
        changed.notify_all();
    }

    /// Interrupts this work on every request to stop, and now if one was made.
    pub fn interrupt_on_request(&self, work: &WorkHandle) {
        work.attend();
        let mut wishes = self.wishes();
        if wishes.raised > 0 {
            work.interrupt();
        }
        wishes.works.push(work.clone());
    }

    /// Returns true if a stop was requested.
    pub fn is_raised(&self) -> bool {
        self.count() > 0
    }

    /// Returns true if a stop was requested more than once.
    pub fn is_urgent(&self) -> bool {
        self.count() > 1
    }

    /// Waits until no thread has checked for a request for `span`. Then the
    /// work hangs and will not end by itself.
    pub fn wait_until_unresponsive(&self, span: Duration) {
        let from = Instant::now();
        loop {
            let heard = self.wishes().heard.map_or(from, |heard| heard.max(from));
            let left = span.saturating_sub(heard.elapsed());
            if left.is_zero() {
                return;
            }
            std::thread::park_timeout(left);
        }
    }

    fn count(&self) -> u32 {
        let mut wishes = self.wishes();
        wishes.heard = Some(Instant::now());
        wishes.raised
    }

    fn wishes(&self) -> MutexGuard<'_, InterruptState> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `span` or for a request to stop. Returns true if there is a
    /// request.
    pub fn wait(&self, span: Duration) -> bool {
        let (_, changed) = &*self.shared;
        let (mut guard, _) = changed
            .wait_timeout_while(self.wishes(), span, |wishes| wishes.raised == 0)
            .unwrap_or_else(PoisonError::into_inner);
        guard.heard = Some(Instant::now());
        guard.raised > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_no_longer_looks_for_a_wish_to_stop_hangs() {
        let interrupt = InterruptSignal::default();
        interrupt.raise();
        assert!(interrupt.is_raised() && !interrupt.is_urgent());
        let (from, span) = (Instant::now(), Duration::from_millis(20));
        interrupt.wait_until_unresponsive(span);
        assert!(from.elapsed() >= span);
        interrupt.raise();
        assert!(interrupt.wait(span) && interrupt.is_urgent());
    }

    #[test]
    fn work_at_a_tree_is_reached_whenever_it_came() {
        let (interrupt, [early, late]) =
            (InterruptSignal::default(), [(); 2].map(|()| <_>::default()));
        let reached = |work: &WorkHandle| work.is_interrupted();
        interrupt.interrupt_on_request(&early);
        assert!(!reached(&early));
        interrupt.raise();
        interrupt.interrupt_on_request(&late);
        assert!(reached(&early) && reached(&late));
    }
}
