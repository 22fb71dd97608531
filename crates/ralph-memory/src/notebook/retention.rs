//! For how long what was captured of sessions is kept.
//!
//! Notes and what came of them stay for ever. Of sessions, what is old goes
//! with the next collection, and so does what makes the log too long, the
//! oldest first.

use ralph_core::Timestamp;

use super::Notebook;
use super::sessions::Sessions;
use crate::error::MemoryError;
use crate::event::{Event, What};
use crate::log::{Entry, Position};
use crate::store::counters::{self, Due};
use crate::store::{sessions, turns};

/// How much of sessions is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// What happened before this moment goes.
    pub since: Timestamp,
    /// How many bytes the log may have.
    pub bytes: u64,
}

/// What a collection let go of, or would.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LetGo {
    /// Bytes of the log.
    pub bytes: u64,
}

impl Keep {
    fn drops(self, event: &Event, size: u64) -> bool {
        // What began and ended is short, and says where a session lives.
        let is_frame = matches!(event.what, What::Opened { .. } | What::Closed { .. });
        let is_old = event.at < self.since.as_millis();
        event.what.is_captured() && (is_old || (size > self.bytes && !is_frame))
    }
}

impl Notebook {
    /// What [`Notebook::let_go`] would let go of.
    pub fn surplus(&self, keep: Keep) -> Result<LetGo, MemoryError> {
        let bytes = self.log.surplus(|event, size| keep.drops(event, size))?;
        Ok(LetGo { bytes })
    }

    /// Lets go of what was captured of sessions longer ago than it is kept.
    ///
    /// Old files of the log are written anew without it, each put in place
    /// when it is whole; others append to a new file behind them, which is where
    /// reading goes on. What is left is then told anew. That this is due is on
    /// record before the first file changes, so an end at any point loses
    /// nothing, and the next one who opens the notebook does the rest.
    pub fn let_go(&self, keep: Keep) -> Result<LetGo, MemoryError> {
        let _alone = self.log.collect()?;
        if self.surplus(keep)?.bytes == 0 {
            return Ok(LetGo::default());
        }
        let end = self.log.begin_file()?;
        self.move_on(end)?;
        let bytes = self.log.compact(end, |event, size| keep.drops(event, size))?;
        self.retell()?;
        self.memory.shrink()?;
        Ok(LetGo { bytes })
    }

    /// Tells sessions anew if somebody who let go of lines did not get to it.
    pub(super) fn finish_collection(&self) -> Result<(), MemoryError> {
        let is_due = || self.memory.read(|tx| Ok(counters::retelling(tx)? == Due::Yes));
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
    fn move_on(&self, end: Position) -> Result<(), MemoryError> {
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
                counters::set_retelling(tx, Due::Yes)?;
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
            let mut at = Position::default();
            loop {
                let mut entries = Vec::new();
                let next = self.log.read_part(at, end, |entry| entries.push(entry))?;
                let mut told = Sessions::new(tx);
                for entry in entries {
                    match entry {
                        Entry::Event(event) => told.apply(&event)?,
                        Entry::Damaged { path, offset } => turns::add_damage(tx, &path, offset)?,
                    }
                }
                told.write()?;
                match next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            counters::set_retelling(tx, Due::No)
        })
    }
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
