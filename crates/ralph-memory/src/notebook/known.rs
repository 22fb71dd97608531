//! A note and what is known of it.

use ralph_core::Timestamp;
use ralph_core::memory::label::{AnchorState, NoteEvidence, NoteLabel};
use ralph_core::memory::notes::{OrderKind, orders};
use ralph_core::memory::{BeliefEvent, NoteBelief, NoteSource};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::anchor::AnchorResolver;
use crate::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteAnchor, NoteContent, NoteKind, NoteScope,
};

/// As likely right as wrong.
const EVEN: f64 = 0.5;

/// Others that a note is credited with at most: more make it no truer.
const MOST_WITNESSES: usize = 20;

/// A note and what became of it: all that the log says, summed up. It is stored as it
/// is; its author and the place stand beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredNote {
    /// The note as it was last written, with the scope that it has now.
    pub note: NoteContent,
    /// Who wrote it.
    #[serde(skip)]
    pub actor: EventActor,
    /// Where it was written.
    #[serde(skip)]
    pub place: EventContext,
    /// When it was first written down.
    #[serde(with = "millis")]
    pub recorded: Timestamp,
    /// Since when it holds as it is, in milliseconds since 1970, if not since then.
    #[serde(default, skip_serializing_if = "is_default")]
    valid_from: Option<i64>,
    /// Why it does not hold any more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retired: Option<NoteRetirement>,
    /// What outcomes add for and against it, as the bits of the numbers: read again they
    /// are the same.
    #[serde(default, skip_serializing_if = "is_default")]
    outcomes: [u64; 2],
    /// When the last of them came, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "is_default")]
    believed_at: i64,
    /// Whether the user wrote it, or checks passed that it was a reason for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verified: bool,
    /// Other tasks that came to the same, each once.
    #[serde(default, skip_serializing_if = "is_default")]
    pub witnesses: Vec<EventContext>,
    /// What happened to it how often.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counts: NoteCounts,
}

/// The end of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteRetirement {
    /// Since when it does not hold.
    #[serde(with = "millis")]
    pub at: Timestamp,
    /// Who said so.
    pub who: EventActor,
    /// Why, in words.
    pub why: String,
    /// The note that took its place.
    pub by: Option<String>,
}

/// What happened to a note how often.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteCounts {
    /// It was shown to an agent.
    pub shown: u32,
    /// An agent named it as its reason.
    pub cited: u32,
    /// Checks passed in a turn that wrote or cited it.
    pub passed: u32,
    /// Checks failed in a turn that cited it.
    pub failed: u32,
    /// How long it was, all showings together.
    pub tokens: u64,
}

/// A moment as milliseconds since 1970.
mod millis {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Timestamp};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "it is called by generated code")]
    pub(super) fn serialize<S: Serializer>(at: &Timestamp, into: S) -> Result<S::Ok, S::Error> {
        at.as_millis().serialize(into)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(from).map(Timestamp::from_millis)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl StoredNote {
    /// A note that was just written.
    pub(super) fn written(
        note: NoteContent,
        (actor, place): (EventActor, EventContext),
        at: Timestamp,
    ) -> Self {
        Self {
            actor,
            place,
            recorded: at,
            valid_from: note.since,
            retired: None,
            outcomes: [0; 2],
            believed_at: 0,
            // What we write for the project is what checks showed.
            verified: match actor {
                EventActor::User => true,
                EventActor::Ralph => note.scope == NoteScope::Project,
                EventActor::Agent | EventActor::Import => false,
            },
            witnesses: Vec::new(),
            counts: NoteCounts::default(),
            note,
        }
    }

    /// The same note, written again in other words or by somebody else.
    pub(super) fn rewritten(&mut self, anew: Self) {
        let at = anew.valid_from().as_millis();
        let valid_from = Some(at).filter(|at| *at != self.recorded.as_millis());
        let (recorded, counts) = (self.recorded, self.counts);
        *self = Self { recorded, valid_from, counts, ..anew };
    }

    /// Since when it holds as it is.
    pub fn valid_from(&self) -> Timestamp {
        self.valid_from.map_or(self.recorded, Timestamp::from_millis)
    }

    /// Returns the event that brings it back into a log that lost a part of it.
    pub(super) fn to_restored(&self) -> LogEvent {
        let (at, place) = (self.recorded.as_millis(), self.place.clone());
        let what = LogEventKind::Restored(Box::new(self.clone()));
        LogEvent { at, place, actor: self.actor, what }
    }

    /// Whether an agent in this place may say it anew: it is on trial, and an
    /// agent wrote it for the same task.
    pub fn is_own_of(&self, place: &EventContext) -> bool {
        let is_agents = matches!(self.actor, EventActor::Agent | EventActor::Import);
        is_agents && self.note.scope == NoteScope::Task && self.place.is_same_task(place)
    }

    /// What it means that somebody notes what it says: the user makes it the
    /// user's own, with what was there before. An agent only says it again,
    /// unless it does not hold or the agent adds to its own, unproven words.
    pub fn said_by(
        &self,
        note: NoteContent,
        (actor, place): (EventActor, &EventContext),
    ) -> LogEventKind {
        // Who says for a task what holds for the project takes it from nobody.
        let scope = if self.retired.is_none() { self.note.scope } else { NoteScope::Task };
        let note = NoteContent { scope: note.scope.max(scope), ..note.said_again(&self.note) };
        let adds = NoteContent { scope: self.note.scope, ..note.clone() } != self.note;
        let is_own = !self.verified && self.is_own_of(place);
        match actor {
            EventActor::Agent | EventActor::Ralph | EventActor::Import
                if self.retired.is_none() && !(adds && is_own) =>
            {
                LogEventKind::SeenAgain { id: self.note.id.clone() }
            }
            EventActor::User | EventActor::Agent | EventActor::Ralph | EventActor::Import => {
                LogEventKind::Noted(Box::new(note))
            }
        }
    }

    /// Whether it holds, or may be learned again: what the user withdrew stays
    /// withdrawn.
    pub fn may_be_learned(&self) -> bool {
        self.retired.as_ref().is_none_or(|end| end.who != EventActor::User)
    }

    /// When it was said last, as it is now.
    pub(crate) fn said(&self) -> Timestamp {
        self.recorded.max(self.valid_from())
    }

    /// Whether it is news that somebody in this place came to the same: it is
    /// another task than the one it is from, and the first time.
    pub(crate) fn is_news_from(&self, place: &EventContext) -> bool {
        let is_nobodys = self.actor == EventActor::Agent && self.place.is_nowhere();
        let mut known = std::iter::once(&self.place).chain(&self.witnesses);
        !place.is_nowhere()
            && !is_nobodys
            && self.witnesses.len() < MOST_WITNESSES
            && !known.any(|one| one.is_same_task(place))
    }

    /// Who said it first.
    pub fn source(&self) -> NoteSource {
        source(self.actor, &self.note)
    }

    /// How much it is believed, as of what last happened to it.
    pub fn belief(&self) -> NoteBelief {
        let [for_it, against] = self.outcomes.map(f64::from_bits);
        let at = Timestamp::from_millis(self.believed_at);
        NoteBelief::stored(self.source(), (for_it, against), at)
    }

    /// How much it is believed at a time.
    pub fn belief_at(&self, now: Timestamp) -> NoteBelief {
        self.belief().at(now, self.note.kind.half_life())
    }

    /// The places it points at. One for all projects points at none: what has
    /// the same name in another project is something else.
    pub fn anchors(&self) -> &[NoteAnchor] {
        match self.note.scope {
            NoteScope::Task | NoteScope::Project => &self.note.anchors,
            NoteScope::Global => &[],
        }
    }

    /// What became of the places it points at.
    pub fn look(&self, sight: &mut AnchorResolver<'_>) -> Vec<AnchorState> {
        self.anchors().iter().map(|one| sight.look(one)).collect()
    }

    /// How far it can be relied on, given what became of those places.
    pub fn label(&self, anchored: &[AnchorState]) -> NoteLabel {
        let has_citation = !self.anchors().is_empty();
        // A rule binds whatever came of the work. Anything else that failed more
        // often than it held proved nothing.
        let is_rule = self.note.kind == NoteKind::Constitution && self.actor == EventActor::User;
        let is_verified = self.verified && (is_rule || self.belief().mean() >= EVEN);
        NoteLabel::of(NoteEvidence { is_verified, has_citation }, anchored)
    }

    /// What in it reads like an order to the agent. Costs some microseconds.
    pub fn orders(&self) -> Vec<OrderKind> {
        let NoteContent { title, text, why, files, anchors, .. } = &self.note;
        let said = [title.as_deref(), Some(text), why.as_deref()].into_iter().flatten();
        let named = files.iter().chain(anchors.iter().filter_map(|anchor| anchor.symbol.as_ref()));
        let mut found: Vec<OrderKind> =
            said.chain(named.map(String::as_str)).flat_map(orders).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Counts that somebody came to the same, if that is news.
    pub(super) fn seen_from(&mut self, place: EventContext, at: Timestamp) {
        if self.is_news_from(&place) {
            self.witnesses.push(EventContext { iteration: None, phase: None, ..place });
            self.came(BeliefEvent::SeenAgain, at);
        }
    }

    /// Counts an outcome.
    pub(super) fn came(&mut self, outcome: BeliefEvent, at: Timestamp) {
        let belief = self.belief().after(outcome, at, self.note.kind.half_life());
        let (for_it, against) = belief.outcomes();
        self.outcomes = [for_it, against].map(f64::to_bits);
        self.believed_at = belief.as_of().as_millis();
        match outcome {
            BeliefEvent::PassedCiting => {
                self.counts.passed += 1;
                self.verified = true;
            }
            BeliefEvent::FailedCiting => self.counts.failed += 1,
            BeliefEvent::Corrected => self.verified = false,
            BeliefEvent::SeenAgain => {}
        }
    }
}

/// How much what an actor writes deserves to be believed.
///
/// What we write ourselves comes from checks that we ran. An imported file may
/// have been written by anybody.
pub(crate) fn source(actor: EventActor, note: &NoteContent) -> NoteSource {
    match actor {
        EventActor::User => NoteSource::User,
        EventActor::Ralph => NoteSource::Check,
        EventActor::Agent if note.anchors.is_empty() => NoteSource::Agent,
        EventActor::Agent => NoteSource::AgentCiting,
        EventActor::Import => NoteSource::Tool,
    }
}
