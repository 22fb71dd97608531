//! Makes a running turn call its watcher at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::events::ProgramEvent;

/// A handle that makes [`ProgramWatcher::tick`](crate::ProgramWatcher::tick) be called
/// without delay.
///
/// It works for every run of the [`Supervisor`](crate::Supervisor) it came
/// from. Without a run it does nothing: the first tick of a run comes at once
/// anyway. It takes a lock, so call it from a thread that waits for signals,
/// never from inside a signal handler.
#[derive(Clone, Debug, Default)]
pub struct Waker {
    shared: Arc<WakerState>,
}

#[derive(Debug, Default)]
struct WakerState {
    wakes: AtomicU64,
    /// One sender per active run; those of ended runs have no owner left.
    runs: Mutex<Vec<Weak<SyncSender<ProgramEvent>>>>,
}

impl Waker {
    /// Requests a tick now.
    pub fn wake(&self) {
        // Counted first: a full queue means that the run is busy with its
        // output, and it checks the count after every piece of it.
        self.shared.wakes.fetch_add(1, Ordering::SeqCst);
        let runs = self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner);
        for run in runs.iter().filter_map(Weak::upgrade) {
            // A full queue wakes it as well.
            let _ = run.try_send(ProgramEvent::Wake);
        }
    }

    pub(crate) fn wakes(&self) -> u64 {
        self.shared.wakes.load(Ordering::SeqCst)
    }

    pub(crate) fn register(&self, run: &Arc<SyncSender<ProgramEvent>>) {
        let mut runs = self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|other| other.strong_count() > 0);
        runs.push(Arc::downgrade(run));
    }
}
