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
use crate::log::{Entry, LogError, Position};
use crate::store::{counters, sessions, turns};

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
        let bytes = self.log.hold()?.surplus(|event, size| keep.drops(event, size))?;
        Ok(LetGo { bytes })
    }

    /// Lets go of what was captured of sessions longer ago than it is kept.
    ///
    /// Old files of the log are written anew without it, each put in place
    /// when it is whole. Nobody appends meanwhile, and how far the log was read
    /// is first moved to a new file behind them, so an end at any point loses
    /// nothing. What the files come to is then told anew from what is left.
    pub fn let_go(&self, keep: Keep) -> Result<LetGo, MemoryError> {
        if self.surplus(keep)?.bytes == 0 {
            return Ok(LetGo::default());
        }
        let held = self.log.hold()?;
        let end = held.begin_file()?;
        self.move_on(end)?;
        let bytes = held.compact(end, |event, size| keep.drops(event, size))?;
        self.retell(end)?;
        drop(held);
        self.memory.shrink()?;
        Ok(LetGo { bytes })
    }

    /// Goes on from a position behind all that was read. Somebody else may make
    /// the database anew meanwhile, and has then to read all of it.
    fn move_on(&self, end: Position) -> Result<(), MemoryError> {
        loop {
            self.catch_up()?;
            let moved = self.memory.write(|tx| {
                let at = counters::position(tx)?;
                let is_read = matches!(self.log.read_file(at, |_| {}), Ok(None));
                if is_read {
                    counters::set_position(tx, end)?;
                }
                Ok(is_read)
            })?;
            if moved {
                return Ok(());
            }
        }
    }

    /// Tells sessions anew from the log, up to a position.
    fn retell(&self, end: Position) -> Result<(), MemoryError> {
        let mut trouble: Option<LogError> = None;
        self.memory.write(|tx| {
            sessions::clear(tx)?;
            let mut at = Position::default();
            loop {
                let mut entries = Vec::new();
                let next = match self.log.read_file(at, |entry| entries.push(entry)) {
                    Ok(Some(next)) if at < end => next,
                    Ok(_) => return Ok(()),
                    Err(error) => {
                        trouble = Some(error);
                        return Ok(());
                    }
                };
                let mut told = Sessions::new(tx);
                for entry in entries {
                    match entry {
                        Entry::Event(event) => told.apply(&event)?,
                        Entry::Damaged { path, offset } => turns::add_damage(tx, &path, offset)?,
                    }
                }
                told.write()?;
                at = next;
            }
        })?;
        trouble.map_or(Ok(()), |error| Err(error.into()))
    }
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
