//! Which lines of the log go.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{RetentionOutcome, SessionRetention};
use crate::event::{EventActor, LogEvent, LogEventKind};
use crate::log::{EventLog, LogError};
use crate::session::session_id;

/// Sessions of which something happened within this stay, however much there
/// is of them.
const FRESH: Duration = Duration::from_hours(24);

/// What is known of a session before it is decided what goes.
#[derive(Debug, Default)]
struct SessionFacts {
    /// When something happened in it last.
    last: i64,
    /// When it was opened first and last: that says where it lives.
    opened: Option<(i64, i64)>,
    /// When something was asked first: that is its task.
    asked: Option<i64>,
    /// What it takes once what is old went.
    bytes: u64,
}

/// What goes.
#[derive(Debug)]
pub(super) struct RetentionPlan {
    keep: SessionRetention,
    sessions: BTreeMap<String, SessionFacts>,
    /// Sessions that go as there is too much of them.
    too_much: BTreeSet<String>,
    /// Commits that were made by then go for the same reason.
    commits: i64,
    /// What the lines take that go.
    bytes: u64,
}

impl RetentionPlan {
    /// Reads the log and decides.
    pub(super) fn new(log: &EventLog, keep: SessionRetention) -> Result<Self, LogError> {
        let (sessions, too_much) = (BTreeMap::new(), BTreeSet::new());
        let mut plan = Self { keep, sessions, too_much, commits: i64::MIN, bytes: 0 };
        log.weigh(|event, _| plan.hear(event))?;
        let mut commits = Vec::new();
        log.weigh(|event, bytes| {
            if !event.what.is_captured() {
                return;
            }
            if plan.is_old(event) {
                plan.bytes += bytes;
            } else if let Some(told) = plan.told(event) {
                told.bytes += bytes;
            } else {
                commits.push((plan.time(event), bytes));
            }
        })?;
        plan.let_go_of_the_oldest(commits);
        Ok(plan)
    }

    /// Whether a line goes.
    pub(super) fn drops(&self, event: &LogEvent) -> bool {
        if !event.what.is_captured() {
            return false;
        }
        let is_too_much = match session_id(&event.place) {
            Some(id) => self.too_much.contains(&id),
            None => self.time(event) <= self.commits,
        };
        is_too_much || self.is_old(event)
    }

    /// What all of it comes to.
    pub(super) fn gone(&self) -> RetentionOutcome {
        let since = self.keep.since.as_millis();
        let old = self.sessions.values().filter(|told| told.last < since).count();
        RetentionOutcome { bytes: self.bytes, sessions: old + self.too_much.len() }
    }

    fn hear(&mut self, event: &LogEvent) {
        // Whoever asks how a session goes on does nothing in it.
        let is_asked_for =
            matches!(event.what, LogEventKind::Opened { .. }) && event.actor == EventActor::User;
        let Some(id) = session_id(&event.place) else { return };
        if is_asked_for || !event.what.is_captured() {
            return;
        }
        let at = self.time(event);
        let told =
            self.sessions.entry(id).or_insert(SessionFacts { last: at, ..SessionFacts::default() });
        told.last = told.last.max(at);
        if matches!(event.what, LogEventKind::Opened { .. }) {
            let first = told.opened.map_or(event.at, |(first, _)| first);
            told.opened = Some((first, event.at));
        }
        if matches!(event.what, LogEventKind::Asked { .. }) {
            told.asked.get_or_insert(event.at);
        }
    }

    /// Lets go of what is oldest until what is left fits.
    fn let_go_of_the_oldest(&mut self, commits: Vec<(i64, u64)>) {
        let day = i64::try_from(FRESH.as_millis()).unwrap_or(i64::MAX);
        let fresh = self.keep.now.as_millis().saturating_sub(day);
        let sessions = self.sessions.iter().map(|(id, told)| (told.last, told.bytes, Some(id)));
        let mut pieces: Vec<_> = sessions.filter(|(_, bytes, _)| *bytes > 0).collect();
        pieces.extend(commits.into_iter().map(|(at, bytes)| (at, bytes, None)));
        pieces.sort_unstable();
        let mut left: u64 = pieces.iter().map(|(_, bytes, _)| bytes).sum();
        for (last, bytes, session) in pieces {
            if left <= self.keep.bytes || last >= fresh {
                break;
            }
            match session {
                Some(id) => drop(self.too_much.insert(id.clone())),
                None => self.commits = last,
            }
            left -= bytes;
            self.bytes += bytes;
        }
    }

    /// Whether it happened longer ago than it is kept.
    fn is_old(&self, event: &LogEvent) -> bool {
        let since = self.keep.since.as_millis();
        (event.at < since && !self.is_frame(event)) || self.is_orphan(event)
    }

    /// Whether it was asked for a session of which nothing else is left.
    fn is_orphan(&self, event: &LogEvent) -> bool {
        session_id(&event.place).is_some_and(|id| !self.sessions.contains_key(&id))
    }

    /// Whether it says where a session lives that went on since, or what it is
    /// about.
    fn is_frame(&self, event: &LogEvent) -> bool {
        let told = session_id(&event.place).and_then(|id| self.sessions.get(&id));
        let Some(told) = told.filter(|told| told.last >= self.keep.since.as_millis()) else {
            return false;
        };
        let is_opening = matches!(event.what, LogEventKind::Opened { .. })
            && told.opened.is_some_and(|(first, last)| [first, last].contains(&event.at));
        let is_task =
            matches!(event.what, LogEventKind::Asked { .. }) && told.asked == Some(event.at);
        is_opening || is_task
    }

    fn told(&mut self, event: &LogEvent) -> Option<&mut SessionFacts> {
        self.sessions.get_mut(&session_id(&event.place)?)
    }

    /// When it happened, as far as that can be.
    fn time(&self, event: &LogEvent) -> i64 {
        event.at.min(self.keep.now.as_millis())
    }
}
