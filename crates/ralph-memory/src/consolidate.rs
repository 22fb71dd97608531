//! What becomes of notes on trial: they are promoted, merged, replaced or
//! dropped, and what came with undone work is withdrawn.
//!
//! All decisions are made here and written as events, so that replaying the
//! log never decides anything again. Likeness only proposes which notes are
//! compared; what they are to each other is decided by what they say.

mod quality;
mod undone;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ralph_core::Timestamp;
use ralph_core::memory::BeliefEvent;
use ralph_core::wording::learned::{ConsolidationCounts, NoteReplacement};

use crate::error::MemoryError;
use crate::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteKind, NoteScope, WorkPhase,
};
use crate::notebook::{NoteSelection, Notebook, StoredNote};
use crate::precedence::{NotePrecedence, is_part};
use crate::query::{SearchFilters, SearchQuery};
use crate::relation::{NoteRelation, reason, relate};
use crate::succession::chosen_reason;

/// How much a note must be believed to be taken over.
const BELIEVED: f64 = 0.6;

/// Notes that one is compared with: the most alike.
const RIVALS: usize = 10;

/// Whose notes are looked at, and when.
#[derive(Debug, Clone, Default)]
pub struct ConsolidationContext {
    /// Those of this run, or of its session; all if `None`.
    pub of: Option<EventContext>,
    /// When.
    pub now: Timestamp,
    /// Commits that the run made.
    pub commits: Vec<String>,
    /// Commits that were taken back.
    pub reverted: BTreeSet<String>,
    /// Runs whose work the user committed later, and the commit of each that
    /// was taken back.
    pub taken_back: BTreeMap<String, String>,
}

/// Two notes of which only one can hold, and only a person may say which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteConflict {
    /// The one that stands.
    pub stands: String,
    /// The one that contradicts it, which stays on trial.
    pub contradicts: String,
}

/// What was decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsolidationResult {
    /// In numbers.
    pub counts: ConsolidationCounts,
    /// Which notes took the place of which.
    pub replacements: Vec<NoteReplacement>,
    /// What is left to a person.
    pub conflicts: Vec<NoteConflict>,
    /// As events; nothing is written yet.
    pub events: Vec<LogEvent>,
}

/// Decides what becomes of notes on trial. Writes nothing.
pub fn consolidate(
    notebook: &Notebook,
    occasion: &ConsolidationContext,
) -> Result<ConsolidationResult, MemoryError> {
    let staged = staged(notebook, occasion)?;
    let mut work = ConsolidationJob::new(notebook, occasion)?;
    for known in &staged {
        work.judge(known)?;
    }
    work.land();
    work.withdraw()?;
    work.decided.counts.kept = u32::try_from(work.waiting.len()).unwrap_or(u32::MAX);
    Ok(work.decided)
}

/// The notes on trial, the oldest first: those that were written on this
/// occasion, and those that were come to once more.
fn staged(
    notebook: &Notebook,
    occasion: &ConsolidationContext,
) -> Result<Vec<StoredNote>, MemoryError> {
    let filters = SearchFilters {
        scopes: vec![NoteScope::Task.word().to_owned()],
        ..SearchFilters::default()
    };
    let mut staged = notebook.list(&NoteSelection { filters, ..NoteSelection::default() })?;
    staged.retain(|known| {
        let mut places = std::iter::once(&known.place).chain(&known.witnesses);
        occasion.of.as_ref().is_none_or(|of| places.any(|place| is_from(of, place)))
    });
    staged.reverse();
    Ok(staged)
}

fn is_from(of: &EventContext, place: &EventContext) -> bool {
    let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
    same(&of.run, &place.run) || (place.run.is_none() && same(&of.session, &place.session))
}

struct ConsolidationJob<'a> {
    notebook: &'a Notebook,
    occasion: &'a ConsolidationContext,
    precedence: NotePrecedence,
    /// Rules, which every note is compared with.
    rules: Vec<StoredNote>,
    decided: ConsolidationResult,
    /// Notes that were decided about already.
    judged: HashSet<String>,
    /// Those of them that stay on trial so far.
    waiting: HashSet<String>,
    /// Notes that are the project's now.
    promoted: HashSet<String>,
    /// Those of them that came with the commits of this occasion.
    landed: Vec<String>,
    /// Notes that were retired a moment ago.
    gone: HashSet<String>,
    /// Notes that are known to have been come to once more.
    seen: HashSet<String>,
}

/// What other notes mean for one.
enum NoteOverlap {
    /// It says what another says, which stays.
    Known(Box<StoredNote>),
    /// It contradicts what only a person may change.
    Against(String),
    /// It may take the place of others.
    Instead(RivalNotes),
}

/// Older notes that would go if another is taken over.
#[derive(Default)]
struct RivalNotes {
    /// They say the same.
    same: Vec<StoredNote>,
    /// They say what is no longer so.
    outdated: Vec<ReplacedNote>,
}

/// An older note that would go, and why.
struct ReplacedNote {
    id: String,
    text: String,
    why: String,
}

impl<'a> ConsolidationJob<'a> {
    fn new(
        notebook: &'a Notebook,
        occasion: &'a ConsolidationContext,
    ) -> Result<Self, MemoryError> {
        let rules = SearchFilters {
            kinds: vec![NoteKind::Constitution.word().to_owned()],
            ..SearchFilters::default()
        };
        Ok(Self {
            notebook,
            occasion,
            precedence: NotePrecedence::read(notebook)?,
            rules: notebook.list(&NoteSelection { filters: rules, ..NoteSelection::default() })?,
            decided: ConsolidationResult::default(),
            judged: HashSet::new(),
            waiting: HashSet::new(),
            promoted: HashSet::new(),
            landed: Vec::new(),
            gone: HashSet::new(),
            seen: HashSet::new(),
        })
    }

    fn judge(&mut self, known: &StoredNote) -> Result<(), MemoryError> {
        let id = known.note.id.clone();
        if self.gone.contains(&id) || !self.judged.insert(id.clone()) {
            return Ok(());
        }
        if let Some(fault) = quality::fault(known) {
            self.decided.counts.dropped += 1;
            self.retire(id, fault.to_owned());
            return Ok(());
        }
        match self.standing(known)? {
            NoteOverlap::Known(other) => self.merge(known, &other),
            NoteOverlap::Against(stands) => {
                self.decided.counts.conflicts += 1;
                self.decided.conflicts.push(NoteConflict { stands, contradicts: id });
            }
            NoteOverlap::Instead(rivals) if self.has_earned(known) => self.replace(known, rivals),
            NoteOverlap::Instead(_) => {
                self.waiting.insert(id);
            }
        }
        Ok(())
    }

    /// A note that has earned it takes the place of others.
    fn replace(&mut self, known: &StoredNote, rivals: RivalNotes) {
        let id = known.note.id.clone();
        for same in rivals.same {
            self.decided.counts.merged += 1;
            self.give_up(&same, known);
        }
        for ReplacedNote { id: old, text, why } in rivals.outdated {
            self.leave(&old);
            self.decided.counts.replaced += 1;
            self.event(LogEventKind::Replaced {
                id: old.clone(),
                by: id.clone(),
                why: why.clone(),
            });
            let replacement = NoteReplacement { old, said: text, by: id.clone(), why };
            self.decided.replacements.push(replacement);
        }
        self.promote(known);
    }

    /// A note says what another says that stays.
    fn merge(&mut self, known: &StoredNote, stays: &StoredNote) {
        self.decided.counts.merged += 1;
        let is_news = self.give_up(known, stays);
        let half_life = stays.note.kind.half_life();
        let seen = stays.belief().after(BeliefEvent::SeenAgain, self.occasion.now, half_life);
        let is_on_trial = stays.note.scope == NoteScope::Task && quality::fault(stays).is_none();
        // Two tasks came to it, each by itself.
        let is_agreed = is_news && seen.mean() >= BELIEVED;
        if is_on_trial && (is_agreed || self.has_earned(stays)) {
            self.promote(stays);
        }
    }

    /// Retires a note for one that says the same and credits that one with who
    /// came to it. Says whether another task did.
    fn give_up(&mut self, known: &StoredNote, stays: &StoredNote) -> bool {
        self.retire(known.note.id.clone(), format!("it says the same as {}", stays.note.id));
        if known.actor == EventActor::Import {
            // Nobody came to what a file says.
            return false;
        }
        let places = std::iter::once(&known.place).chain(&known.witnesses);
        let news: Vec<EventContext> =
            places.filter(|place| stays.is_news_from(place)).cloned().collect();
        let is_news = !news.is_empty();
        for place in news {
            self.seen.insert(stays.note.id.clone());
            self.event_in(place, LogEventKind::SeenAgain { id: stays.note.id.clone() });
        }
        is_news
    }

    fn promote(&mut self, known: &StoredNote) {
        let id = known.note.id.clone();
        if !self.promoted.insert(id.clone()) {
            return;
        }
        self.waiting.remove(&id);
        self.judged.insert(id.clone());
        self.decided.counts.promoted += 1;
        let is_of_now = self.occasion.of.as_ref().is_some_and(|of| is_from(of, &known.place));
        // What others came to as well does not stand or fall with this work.
        if is_of_now && known.witnesses.is_empty() && undone::falls_with_its_commit(known) {
            self.landed.push(id.clone());
        }
        self.event(LogEventKind::Promoted { id, scope: NoteScope::Project });
    }

    fn retire(&mut self, id: String, why: String) {
        self.leave(&id);
        self.event(LogEventKind::Retracted { id, why });
    }

    /// A note does not hold any more.
    fn leave(&mut self, id: &str) {
        self.waiting.remove(id);
        self.judged.insert(id.to_owned());
        self.gone.insert(id.to_owned());
    }

    /// Whether a note may be taken over: it was proven, the user wrote it, or
    /// two tasks came to it. What we write ourselves only checks can prove.
    fn has_earned(&self, known: &StoredNote) -> bool {
        let is_proven = known.verified && known.belief_at(self.occasion.now).mean() >= BELIEVED;
        // As of when it was seen last: it is no less agreed on an hour later.
        let is_agreed = !known.witnesses.is_empty() && known.belief().mean() >= BELIEVED;
        is_proven || (is_agreed && known.actor != EventActor::Ralph)
    }

    /// What older notes mean for one.
    fn standing(&self, known: &StoredNote) -> Result<NoteOverlap, MemoryError> {
        let mut rivals = RivalNotes::default();
        let mut against = None;
        if known.actor == EventActor::Ralph {
            // What we write is known by its id; it is no statement of anybody's.
            return Ok(NoteOverlap::Instead(rivals));
        }
        for rival in self.rivals(known)? {
            let is_chosen = known.note.replaces.contains(&rival.note.id);
            let why = match relate(&rival.note.text, &known.note.text) {
                NoteRelation::Same if is_part(&rival) => continue,
                NoteRelation::Same => {
                    rivals.same.push(rival);
                    continue;
                }
                NoteRelation::Replaces(change) => reason(&change, &known.note.text),
                NoteRelation::Apart if is_chosen => chosen_reason(known.actor, &known.note.text),
                NoteRelation::Apart => continue,
            };
            if self.precedence.is_for_the_user(&rival) {
                against.get_or_insert(rival.note.id);
            } else {
                rivals.outdated.push(ReplacedNote {
                    id: rival.note.id,
                    text: rival.note.text,
                    why,
                });
            }
        }
        // Of equal ones the first stays.
        let best = rivals.same.iter().rev().max_by_key(|same| self.precedence.rank(same));
        match (best, against) {
            (Some(best), _) if self.precedence.rank(best) >= self.precedence.rank(known) => {
                Ok(NoteOverlap::Known(Box::new(best.clone())))
            }
            (_, Some(stands)) => Ok(NoteOverlap::Against(stands)),
            (Some(_) | None, None) => Ok(NoteOverlap::Instead(rivals)),
        }
    }

    /// Notes that may say the same or the opposite, the oldest first: all are
    /// older, but for rules.
    fn rivals(&self, known: &StoredNote) -> Result<Vec<StoredNote>, MemoryError> {
        let scopes =
            [NoteScope::Task, NoteScope::Project].map(|scope| scope.word().to_owned()).to_vec();
        let filters = SearchFilters { scopes, ..SearchFilters::default() };
        let text = known.note.text.clone();
        let found = self.notebook.search(&SearchQuery { text, limit: RIVALS, filters })?;
        let found = found.into_iter().map(|found| found.known);
        let mut rivals: BTreeMap<(Timestamp, String), StoredNote> = BTreeMap::new();
        let mut chosen = Vec::new();
        for id in &known.note.replaces {
            chosen.extend(self.notebook.get(id)?.filter(|chosen| chosen.retired.is_none()));
        }
        for rival in self.rules.iter().cloned().chain(found).chain(chosen) {
            let said = |known: &StoredNote| (known.said(), known.note.id.clone());
            let is_older = said(&rival) < said(known);
            let is_rule = rival.note.kind == NoteKind::Constitution;
            let is_chosen = known.note.replaces.contains(&rival.note.id);
            let is_other = rival.note.id != known.note.id && rival.actor != EventActor::Ralph;
            if is_other && (is_older || is_rule || is_chosen) && !self.gone.contains(&rival.note.id)
            {
                rivals.insert(said(&rival), rival);
            }
        }
        Ok(rivals.into_values().collect())
    }

    fn event(&mut self, what: LogEventKind) {
        self.event_in(self.occasion.of.clone().unwrap_or_default(), what);
    }

    fn event_in(&mut self, place: EventContext, what: LogEventKind) {
        // Without an iteration: no check of a turn is to its credit.
        let place = EventContext { iteration: None, phase: Some(WorkPhase::Consolidate), ..place };
        let at = self.occasion.now.as_millis();
        self.decided.events.push(LogEvent { at, place, actor: EventActor::Ralph, what });
    }
}

#[cfg(test)]
#[path = "consolidate_tests.rs"]
mod tests;
