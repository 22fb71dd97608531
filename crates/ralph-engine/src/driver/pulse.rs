//! Sends heartbeats and receives requests of other processes.

use std::time::Duration;

use ralph_core::{Run, Timestamp};
use ralph_store::{OwnerRequest, SqliteStore, StoreError};

/// Time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The heartbeat of a driver during long work.
pub(crate) struct DriverHeartbeat {
    last: Timestamp,
}

impl DriverHeartbeat {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self { last: now }
    }

    /// Looks for requests; every few seconds it sends a heartbeat as well.
    pub(crate) fn ask(
        &mut self,
        store: &SqliteStore,
        run: &Run,
        now: Timestamp,
    ) -> Result<Option<OwnerRequest>, StoreError> {
        if now.since(self.last) >= HEARTBEAT {
            self.last = now;
            store.heartbeat(&run.id, run.epoch, now)
        } else {
            store.pending(&run.id, run.epoch)
        }
    }
}
