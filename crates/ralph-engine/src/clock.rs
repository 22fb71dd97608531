//! Time and interruption: the only places where the engine meets the clock.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ralph_core::Timestamp;

/// Tells the time.
pub trait Clock {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system")]
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A wish to stop that may come from a signal handler at any moment.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    shared: Arc<(Mutex<u32>, Condvar)>,
}

impl Interrupt {
    /// Asks for the end; wakes whoever waits.
    pub fn raise(&self) {
        let (raised, changed) = &*self.shared;
        *raised.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_all();
    }

    /// Whether somebody asked.
    pub fn is_raised(&self) -> bool {
        self.count() > 0
    }

    /// Whether somebody asked again: no more patience.
    pub fn is_urgent(&self) -> bool {
        self.count() > 1
    }

    fn count(&self) -> u32 {
        *self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `span` or until somebody asks; says whether somebody did.
    pub fn wait(&self, span: Duration) -> bool {
        let (raised, changed) = &*self.shared;
        let guard = raised.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = changed
            .wait_timeout_while(guard, span, |raised| *raised == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *guard > 0
    }
}
