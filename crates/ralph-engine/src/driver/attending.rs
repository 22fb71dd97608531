//! Work at the tree that may take long: it is shown, and it can be interrupted.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ralph_snapshot::{SnapshotError, TreeError, WorkTree};

use super::Driver;
use crate::error::EngineError;

/// How often the driver looks up from the work.
const LOOK: Duration = Duration::from_millis(100);

/// Work that takes no longer is not shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

impl Driver<'_> {
    /// Does work in a thread of its own, so that the sink is called and
    /// interruptions are heard meanwhile.
    pub(crate) fn attended<T: Send>(&mut self, work: impl Fn(&WorkTree) -> T + Sync) -> T {
        let (tree, began) = (&self.tree, self.clock.now());
        let (done, finished) = mpsc::channel();
        thread::scope(|threads| {
            let run = || {
                let result = work(tree);
                // The receiver is there until the thread is joined.
                let _ = done.send(());
                result
            };
            let Ok(worker) = thread::Builder::new().spawn_scoped(threads, run) else {
                return work(tree);
            };
            let mut is_shown = false;
            while finished.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout)
                && !worker.is_finished()
            {
                let now = self.clock.now();
                // Whoever asked for the end sees that somebody listens.
                let _ = self.interrupt.is_raised();
                self.sink.tick(now);
                if now.since(began) >= SHOWN_AFTER {
                    is_shown = true;
                    self.sink.work_progress(Some(tree.handle().progress()), now);
                }
            }
            if is_shown {
                self.sink.work_progress(None, self.clock.now());
            }
            worker.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))
        })
    }
}

/// Whether work ended because the user wanted it to.
pub(super) fn is_interruption(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Tree(TreeError::Interrupted)
            | EngineError::Snapshot(SnapshotError::Tree(TreeError::Interrupted))
    )
}
