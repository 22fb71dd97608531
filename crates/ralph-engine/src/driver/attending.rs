//! Runs long work on the tree so that it is shown and can be interrupted.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ralph_snapshot::{SnapshotError, TreeError, WorkTree};

use super::RunContext;
use crate::error::EngineError;

/// Time between two checks for interruptions.
const LOOK: Duration = Duration::from_millis(100);

/// Time after which the work is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

impl RunContext<'_> {
    /// Does work in a thread of its own. Meanwhile it calls the sink and checks
    /// for interruptions.
    pub(crate) fn run_in_background<T: Send>(&mut self, work: impl Fn(&WorkTree) -> T + Sync) -> T {
        let (tree, began) = (&self.tree, self.clock.now());
        let (done, finished) = mpsc::channel();
        thread::scope(|threads| {
            let run = || {
                let result = work(tree);
                // The receiver exists until the thread is joined.
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
                // The check tells a waiting second signal that the driver still
                // responds.
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

/// Returns true if work ended because the user interrupted it.
pub(super) fn is_interruption(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Tree(TreeError::Interrupted)
            | EngineError::Snapshot(SnapshotError::Tree(TreeError::Interrupted))
    )
}
