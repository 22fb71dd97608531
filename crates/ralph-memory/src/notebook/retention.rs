//! For how long what was captured of sessions is kept.
//!
//! Notes and what came of them stay for ever. Of sessions, what is old goes
//! with the next collection, and so do whole sessions while there is too much
//! of them, the oldest first. What goes is planned before anything changes.

mod plan;

use ralph_core::Timestamp;

use self::plan::RetentionPlan;
use super::Notebook;
use crate::error::MemoryError;

/// How much of sessions is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionRetention {
    /// What happened before this moment goes. Of a session that went on since,
    /// where it lives and what was asked first stay.
    pub since: Timestamp,
    /// How many bytes of the log sessions may take. Those of the last day stay
    /// all the same; notes, and what nobody can read, do not count.
    pub bytes: u64,
    /// The present: nothing happened later, whatever a clock said.
    pub now: Timestamp,
}

/// What a collection let go of, or would.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionOutcome {
    /// Bytes of the log.
    pub bytes: u64,
    /// Sessions of which nothing is left.
    pub sessions: usize,
}

impl Notebook {
    /// What [`Notebook::let_go`] would let go of.
    pub fn surplus(&self, keep: SessionRetention) -> Result<RetentionOutcome, MemoryError> {
        Ok(RetentionPlan::new(&self.log, keep)?.gone())
    }

    /// Deletes what was captured of sessions longer ago than it is kept, and the oldest
    /// sessions while there is too much of them.
    ///
    /// Its lines in the log become blanks, so that positions in the log stay valid, and
    /// the database is rebuilt from what is left. It is emptied first: after a crash the
    /// next process rebuilds it.
    pub fn let_go(&self, keep: SessionRetention) -> Result<RetentionOutcome, MemoryError> {
        if self.surplus(keep)?.bytes == 0 {
            return Ok(RetentionOutcome::default());
        }
        self.clear()?;
        let plan = self.log.sift(|| RetentionPlan::new(&self.log, keep), RetentionPlan::drops)?;
        self.remake()?;
        Ok(plan.gone())
    }
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
