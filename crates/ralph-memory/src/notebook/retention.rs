//! For how long what was captured of sessions is kept.
//!
//! Notes and what came of them stay for ever. Of sessions, what is old goes with the
//! next collection, and while there is too much of them what is oldest.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use ralph_core::Timestamp;

use super::Notebook;
use super::sessions::SessionProjection;
use crate::error::{MemoryError, StorageFault};
use crate::event::{EventActor, LogEvent, LogEventKind};
use crate::log::{self, EventLog, LineEdit, LogEntry, LogError, LogPosition};
use crate::session::session_id;
use crate::store::{counters, sessions};

/// What happened within this stays, however much there is of it.
const FRESH: Duration = Duration::from_hours(24);

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

/// What goes: all that was captured up to a moment.
struct RetentionPlan {
    now: i64,
    /// What happened up to this moment goes.
    until: i64,
    /// The sessions that went on since, and when something was asked first in each.
    going_on: HashMap<String, Option<i64>>,
    outcome: RetentionOutcome,
}

impl RetentionPlan {
    fn new(log: &EventLog, keep: SessionRetention) -> Result<Self, LogError> {
        let now = keep.now.as_millis();
        let mut pieces: Vec<CapturedPiece> = Vec::new();
        log.read(LogPosition::default(), |entry| {
            if let LogEntry::Event(event) = entry
                && event.what.is_captured()
            {
                pieces.push(CapturedPiece::of(&event, now));
            }
        })?;
        pieces.sort_by_key(|piece| piece.at);
        let fresh = now.saturating_sub(i64::try_from(FRESH.as_millis()).unwrap_or(i64::MAX));
        let mut left: u64 = pieces.iter().map(|piece| piece.bytes).sum();
        let mut until = i64::MIN;
        for piece in &pieces {
            let is_too_much = left > keep.bytes && piece.at < fresh;
            if piece.at >= keep.since.as_millis() && !is_too_much {
                break;
            }
            until = piece.at;
            left -= piece.bytes;
        }
        let mut going_on: HashMap<String, Option<i64>> = HashMap::new();
        for piece in pieces.iter().filter(|piece| piece.at > until && !piece.is_taking_up) {
            going_on.extend(piece.session.clone().map(|id| (id, None)));
        }
        for piece in pieces.iter().filter(|piece| piece.is_asked) {
            let first = piece.session.as_ref().and_then(|id| going_on.get_mut(id));
            first.map(|first| first.get_or_insert(piece.at));
        }
        let outcome = RetentionOutcome::default();
        let mut plan = Self { now, until, going_on, outcome };
        let gone: Vec<&CapturedPiece> = pieces.iter().filter(|piece| plan.drops(piece)).collect();
        let ended: HashSet<&String> = gone.iter().filter_map(|it| it.session.as_ref()).collect();
        plan.outcome.bytes = gone.iter().map(|piece| piece.bytes).sum();
        plan.outcome.sessions = ended.iter().filter(|id| !plan.going_on.contains_key(**id)).count();
        Ok(plan)
    }

    fn drops(&self, piece: &CapturedPiece) -> bool {
        let first_asked = piece.session.as_ref().and_then(|id| self.going_on.get(id));
        match first_asked {
            // It says where a session lives that goes on, or what it is about.
            Some(first) if piece.is_opening || piece.is_asked && *first == Some(piece.at) => false,
            // Whoever asks how a session goes on does nothing in it.
            None if piece.is_taking_up => true,
            Some(_) | None => piece.at <= self.until,
        }
    }
}

/// A line of the log about a session or a commit.
struct CapturedPiece {
    at: i64,
    bytes: u64,
    session: Option<String>,
    is_asked: bool,
    is_opening: bool,
    /// Somebody was told how the session goes on.
    is_taking_up: bool,
}

impl CapturedPiece {
    fn of(event: &LogEvent, now: i64) -> Self {
        let bytes = log::line(event).map_or(0, |line| line.len());
        let is_opened = matches!(event.what, LogEventKind::Opened { .. });
        let is_taking_up = is_opened && event.actor == EventActor::User;
        Self {
            at: event.at.min(now),
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            session: session_id(&event.place),
            is_asked: matches!(event.what, LogEventKind::Asked { .. }),
            is_opening: is_opened && !is_taking_up,
            is_taking_up,
        }
    }
}

impl Notebook {
    /// What [`Notebook::let_go`] would let go of.
    pub fn surplus(&self, keep: SessionRetention) -> Result<RetentionOutcome, MemoryError> {
        Ok(RetentionPlan::new(&self.log, keep)?.outcome)
    }

    /// Lets go of what was captured of sessions longer ago than it is kept, and
    /// of what is oldest while there is too much of it.
    ///
    /// The log is written anew without it, and what is left of sessions is told anew,
    /// with the log locked. An end in between leaves a database that has read a log that
    /// is no more, so whoever opens it next makes it anew.
    pub fn let_go(&self, keep: SessionRetention) -> Result<RetentionOutcome, MemoryError> {
        if self.surplus(keep)?.bytes == 0 {
            return Ok(RetentionOutcome::default());
        }
        self.mend()?;
        let held = self.log.lock()?;
        self.catch_up()?;
        let plan = RetentionPlan::new(&self.log, keep)?;
        let before = self.log.end(&held)?;
        self.memory.write(|tx| {
            // Somebody may be making the database anew at this moment.
            let is_up_to_date = counters::position(tx)? == before;
            sessions::clear(tx)?;
            let mut told = SessionProjection::new(tx);
            let after = self.log.rewrite(&held, |event| {
                let is_captured = event.what.is_captured();
                if is_captured && plan.drops(&CapturedPiece::of(event, plan.now)) {
                    return Ok(LineEdit::Drop);
                }
                told.apply(event).map(|()| LineEdit::Keep)
            })?;
            told.write()?;
            match after.filter(|_| is_up_to_date) {
                Some(after) => counters::set_position(tx, after),
                None => Ok::<(), StorageFault>(()),
            }
        })?;
        drop(held);
        self.memory.shrink()?;
        Ok(plan.outcome)
    }
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
