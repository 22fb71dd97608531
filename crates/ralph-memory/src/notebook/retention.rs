//! For how long what was captured of sessions is kept.
//!
//! Notes and what came of them stay for ever. Of sessions, what is old goes
//! with the next collection, and so do whole sessions while there is too much
//! of them, the oldest first. What goes is planned before anything changes.

mod plan;

use ralph_core::Timestamp;

use self::plan::RetentionPlan;
use super::Notebook;
use super::sessions::SessionProjection;
use crate::error::MemoryError;
use crate::log::{LogEntry, LogPosition};
use crate::store::counters::{self, RetellingDue};
use crate::store::{sessions, turns};

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

    /// Lets go of what was captured of sessions longer ago than it is kept, and
    /// of the oldest sessions while there is too much of them.
    ///
    /// Old files of the log are written anew without it, each put in place
    /// when it is whole; others append to a new file behind them, which is where
    /// reading goes on. What is left is then told anew. That this is due is on
    /// record before the first file changes, so an end at any point loses
    /// nothing, and the next one who opens the notebook does the rest.
    pub fn let_go(&self, keep: SessionRetention) -> Result<RetentionOutcome, MemoryError> {
        let _alone = self.log.collect()?;
        if self.surplus(keep)?.bytes == 0 {
            return Ok(RetentionOutcome::default());
        }
        let end = self.log.begin_file()?;
        self.move_on(end)?;
        // Only now, so that it knows all that the files say that are sifted.
        let plan = RetentionPlan::new(&self.log, keep)?;
        let bytes = self.log.compact(end, |event| plan.drops(event))?;
        self.retell()?;
        self.drop_empty_end(end)?;
        self.memory.shrink()?;
        Ok(RetentionOutcome { bytes, ..plan.gone() })
    }

    /// Removes the file that was begun for others to append to, if nobody did.
    fn drop_empty_end(&self, end: LogPosition) -> Result<(), MemoryError> {
        self.log.drop_empty(end, |before| {
            self.memory.write(|tx| {
                // Whoever makes the database anew meanwhile is not there yet.
                if counters::position(tx)? == end {
                    counters::set_position(tx, before)?;
                }
                Ok(())
            })
        })
    }

    /// Tells sessions anew if somebody who let go of lines did not get to it.
    pub(super) fn finish_collection(&self) -> Result<(), MemoryError> {
        let is_due = || self.memory.read(|tx| Ok(counters::retelling(tx)? == RetellingDue::Yes));
        if !is_due()? {
            return Ok(());
        }
        // Whoever is still about it tells by himself.
        let Some(_alone) = self.log.try_collect()? else { return Ok(()) };
        if is_due()? { self.retell() } else { Ok(()) }
    }

    /// Goes on from a position behind all that was read, and notes that sessions
    /// have to be told anew. Somebody else may make the database anew meanwhile,
    /// and has then to read all of it.
    fn move_on(&self, end: LogPosition) -> Result<(), MemoryError> {
        loop {
            self.catch_up()?;
            let moved = self.memory.write(|tx| {
                let at = counters::position(tx)?;
                if at < end {
                    if self.log.read_part(at, end, |_| {})?.is_some() {
                        return Ok(false);
                    }
                    counters::set_position(tx, end)?;
                }
                counters::set_retelling(tx, RetellingDue::Yes)?;
                Ok(true)
            })?;
            if moved {
                return Ok(());
            }
        }
    }

    /// Tells sessions anew from what of the log was read before, all or nothing.
    fn retell(&self) -> Result<(), MemoryError> {
        self.memory.write(|tx| {
            // Somebody may be making the database anew: what was not read yet
            // is told by whoever reads it.
            let end = counters::position(tx)?;
            sessions::clear(tx)?;
            let mut at = LogPosition::default();
            loop {
                let mut entries = Vec::new();
                let next = self.log.read_part(at, end, |entry| entries.push(entry))?;
                let mut told = SessionProjection::new(tx);
                for entry in entries {
                    match entry {
                        LogEntry::Event(event) => told.apply(&event)?,
                        LogEntry::Damaged { path, offset } => turns::add_damage(tx, &path, offset)?,
                    }
                }
                told.write()?;
                match next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            counters::set_retelling(tx, RetellingDue::No)
        })
    }
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
