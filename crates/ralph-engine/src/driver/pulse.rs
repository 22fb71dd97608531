//! Says that the owner is alive, and hears what others ask for.

use std::time::Duration;

use ralph_core::{Run, Timestamp};
use ralph_store::{Request, RunStore, StoreError};

/// How often the owner says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The pulse of a driver while something takes its time.
pub(crate) struct Pulse {
    last: Timestamp,
}

impl Pulse {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self { last: now }
    }

    /// Looks for requests; every few seconds the heartbeat goes along.
    pub(crate) fn ask(
        &mut self,
        store: &dyn RunStore,
        run: &Run,
        now: Timestamp,
    ) -> Result<Option<Request>, StoreError> {
        if now.since(self.last) >= HEARTBEAT {
            self.last = now;
            store.heartbeat(&run.id, run.epoch, now)
        } else {
            store.pending(&run.id, run.epoch)
        }
    }
}
