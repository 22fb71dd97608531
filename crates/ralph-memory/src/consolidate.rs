//! What becomes of notes on trial: they are promoted, merged, replaced or
//! dropped, and what came with undone work is withdrawn.
//!
//! All decisions are made here and written as events, so that replaying the
//! log never decides anything again. Likeness only proposes which notes are
//! compared; what they are to each other is decided by what they say.

mod quality;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ralph_core::Timestamp;
use ralph_core::memory::{Outcome, Relation, Why, relate};
use ralph_core::wording::learned::Consolidated;

use crate::error::MemoryError;
use crate::event::{Actor, Event, NoteKind, Phase, Place, Scope, What};
use crate::notebook::{Known, Notebook, Selection};
use crate::query::{Filters, Query};
use quality::Fault;

/// How much a note must be believed to be taken over.
const BELIEVED: f64 = 0.6;

/// Notes that one is compared with: the most alike.
const RIVALS: usize = 10;

/// Notes that are looked at in one go: the oldest.
const MOST_STAGED: usize = 500;

/// Whose notes are looked at, and when.
#[derive(Debug, Clone, Default)]
pub struct Occasion {
    /// Those of this run, or of its session; all if `None`.
    pub of: Option<Place>,
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
pub struct Conflict {
    /// The one that stands.
    pub stands: String,
    /// The one that contradicts it, which stays on trial.
    pub contradicts: String,
}

/// What was decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decided {
    /// In numbers.
    pub counts: Consolidated,
    /// What is left to a person.
    pub conflicts: Vec<Conflict>,
    /// As events; nothing is written yet.
    pub events: Vec<Event>,
}

/// Decides what becomes of notes on trial. Writes nothing.
pub fn consolidate(notebook: &Notebook, occasion: &Occasion) -> Result<Decided, MemoryError> {
    let staged = staged(notebook, occasion)?;
    let mut work = Work { notebook, occasion, decided: Decided::default(), done: HashSet::new() };
    let mut promoted = Vec::new();
    for known in &staged {
        promoted.extend(work.judge(known)?);
    }
    if !promoted.is_empty() && !occasion.commits.is_empty() {
        let commits = occasion.commits.clone();
        work.event(What::Landed { ids: promoted, commits });
    }
    work.withdraw()?;
    Ok(work.decided)
}

/// The notes on trial, the oldest first.
fn staged(notebook: &Notebook, occasion: &Occasion) -> Result<Vec<Known>, MemoryError> {
    let filters = Filters { scopes: vec![Scope::Task.word().to_owned()], ..Filters::default() };
    let mut staged = notebook.list(&Selection { filters, ..Selection::default() })?;
    staged.retain(|known| occasion.of.as_ref().is_none_or(|of| is_from(of, &known.place)));
    staged.reverse();
    staged.truncate(MOST_STAGED);
    Ok(staged)
}

fn is_from(of: &Place, place: &Place) -> bool {
    let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
    same(&of.run, &place.run) || (place.run.is_none() && same(&of.session, &place.session))
}

struct Work<'a> {
    notebook: &'a Notebook,
    occasion: &'a Occasion,
    decided: Decided,
    /// Notes that were decided about already.
    done: HashSet<String>,
}

/// What other notes mean for one.
enum Standing {
    /// Nothing.
    Alone,
    /// It takes the place of these.
    Instead(Vec<(String, Why)>),
    /// It says what another says.
    Known(Box<Known>),
    /// It contradicts what only a person may change.
    Against(String),
}

impl Work<'_> {
    /// Decides about a note; returns those that are the project's now.
    fn judge(&mut self, known: &Known) -> Result<Vec<String>, MemoryError> {
        let id = known.note.id.clone();
        if !self.done.insert(id.clone()) {
            return Ok(Vec::new());
        }
        if let Some(fault) = quality::fault(known) {
            self.drop(&id, fault);
            return Ok(Vec::new());
        }
        match self.standing(known)? {
            Standing::Known(other) => Ok(self.merge(known, &other)),
            Standing::Against(stands) => {
                self.decided.counts.conflicts += 1;
                self.decided.conflicts.push(Conflict { stands, contradicts: id });
                Ok(Vec::new())
            }
            Standing::Alone if self.is_proven(known) => Ok(self.promote(id)),
            Standing::Instead(older) if self.is_proven(known) => {
                for (old, why) in older {
                    self.done.insert(old.clone());
                    self.decided.counts.replaced += 1;
                    self.event(What::Replaced { id: old, by: id.clone(), why: reason(&why) });
                }
                Ok(self.promote(id))
            }
            Standing::Alone | Standing::Instead(_) => {
                self.decided.counts.kept += 1;
                Ok(Vec::new())
            }
        }
    }

    fn drop(&mut self, id: &str, fault: Fault) {
        self.decided.counts.dropped += 1;
        self.event(What::Retracted { id: id.to_owned(), why: fault.words().to_owned() });
    }

    fn promote(&mut self, id: String) -> Vec<String> {
        self.decided.counts.promoted += 1;
        self.event(What::Promoted { id: id.clone(), scope: Scope::Project });
        vec![id]
    }

    /// A note says what an older one says.
    fn merge(&mut self, known: &Known, older: &Known) -> Vec<String> {
        let id = older.note.id.clone();
        self.decided.counts.merged += 1;
        let why = format!("it says the same as {id}");
        self.event(What::Retracted { id: known.note.id.clone(), why });
        if is_same_task(known, older) {
            return Vec::new();
        }
        self.event(What::SeenAgain { id: id.clone() });
        let half_life = older.note.kind.half_life();
        let seen = older.belief.after(Outcome::SeenAgain, self.occasion.now, half_life);
        let is_new = older.note.scope == Scope::Task && quality::fault(older).is_none();
        // Two tasks came to it, each by itself.
        if is_new && seen.mean() >= BELIEVED && self.done.insert(id.clone()) {
            return self.promote(id);
        }
        Vec::new()
    }

    /// Whether a note may be taken over: it was proven, or the user wrote it.
    fn is_proven(&self, known: &Known) -> bool {
        known.verified && known.belief_at(self.occasion.now).mean() >= BELIEVED
    }

    /// What older notes mean for one.
    fn standing(&self, known: &Known) -> Result<Standing, MemoryError> {
        if known.actor == Actor::Ralph {
            // What we write is known by its id; it is no statement of anybody's.
            return Ok(Standing::Alone);
        }
        let mut older = Vec::new();
        for rival in self.rivals(known)? {
            match relate(&rival.note.text, &known.note.text) {
                Relation::Same => return Ok(Standing::Known(Box::new(rival))),
                Relation::Replaces(_) if is_persons(&rival) => {
                    return Ok(Standing::Against(rival.note.id));
                }
                Relation::Replaces(why) => older.push((rival.note.id, why)),
                Relation::Apart => {}
            }
        }
        Ok(if older.is_empty() { Standing::Alone } else { Standing::Instead(older) })
    }

    /// Notes that may say the same or the opposite, all of them older.
    fn rivals(&self, known: &Known) -> Result<Vec<Known>, MemoryError> {
        let scopes = [Scope::Task, Scope::Project].map(|scope| scope.word().to_owned()).to_vec();
        let filters = Filters { scopes, ..Filters::default() };
        let text = known.note.text.clone();
        let found = self.notebook.search(&Query { text, limit: RIVALS, filters })?;
        let rules =
            Filters { kinds: vec![NoteKind::Constitution.word().to_owned()], ..Filters::default() };
        let rules = self.notebook.list(&Selection { filters: rules, ..Selection::default() })?;
        let mut rivals: BTreeMap<String, Known> = BTreeMap::new();
        for rival in rules.into_iter().chain(found.into_iter().map(|found| found.known)) {
            let is_older = (rival.recorded, &rival.note.id) < (known.recorded, &known.note.id);
            let is_gone = self.is_gone(&rival.note.id);
            let is_rule = rival.note.kind == NoteKind::Constitution;
            let is_other = rival.note.id != known.note.id && rival.actor != Actor::Ralph;
            if is_other && (is_older || is_rule) && !is_gone {
                rivals.insert(rival.note.id.clone(), rival);
            }
        }
        Ok(rivals.into_values().collect())
    }

    /// Whether a note was retired a moment ago.
    fn is_gone(&self, id: &str) -> bool {
        self.decided.events.iter().any(|event| match &event.what {
            What::Retracted { id: gone, .. } | What::Replaced { id: gone, .. } => gone == id,
            What::Noted(_)
            | What::Shown { .. }
            | What::Cited { .. }
            | What::Checked { .. }
            | What::SeenAgain { .. }
            | What::Promoted { .. }
            | What::Corrected { .. }
            | What::Forgotten { .. }
            | What::Attempted(_)
            | What::Landed { .. }
            | What::Bound { .. }
            | What::Observed(_)
            | What::Asked { .. }
            | What::Answered { .. }
            | What::Opened { .. }
            | What::Closed { .. }
            | What::Checkpointed { .. }
            | What::Committed(_) => false,
        })
    }

    /// Withdraws what came with commits that were taken back.
    fn withdraw(&mut self) -> Result<(), MemoryError> {
        if self.occasion.reverted.is_empty() {
            return Ok(());
        }
        let mut came = self.notebook.landings()?;
        came.retain(|(commit, _)| self.occasion.reverted.contains(commit));
        came.extend(self.came_with_runs()?);
        for (commit, id) in came {
            // What is typed to check the project is so whatever is taken back.
            let holds = |known: &Known| {
                let is_habit = known.note.kind == NoteKind::Command;
                known.retired.is_none() && known.actor != Actor::User && !is_habit
            };
            if !self.is_gone(&id) && self.notebook.get(&id)?.as_ref().is_some_and(holds) {
                let short = commit.get(..12).unwrap_or(&commit);
                let why = format!("commit {short}, which it came with, was taken back");
                self.decided.counts.retracted += 1;
                self.event(What::Retracted { id, why });
            }
        }
        Ok(())
    }

    /// The notes of runs whose work was committed later and taken back, each
    /// with that commit.
    fn came_with_runs(&self) -> Result<Vec<(String, String)>, MemoryError> {
        if self.occasion.taken_back.is_empty() {
            return Ok(Vec::new());
        }
        let came = |known: Known| {
            let commit = self.occasion.taken_back.get(known.place.run.as_deref()?)?;
            Some((commit.clone(), known.note.id))
        };
        Ok(self.notebook.list(&Selection::default())?.into_iter().filter_map(came).collect())
    }

    fn event(&mut self, what: What) {
        let of = self.occasion.of.clone().unwrap_or_default();
        // Without an iteration: no check of a turn is to its credit.
        let place = Place { iteration: None, phase: Some(Phase::Consolidate), ..of };
        let at = self.occasion.now.as_millis();
        self.decided.events.push(Event { at, place, actor: Actor::Ralph, what });
    }
}

/// Whether only a person may say that a note does not hold.
fn is_persons(known: &Known) -> bool {
    known.actor == Actor::User || known.note.kind == NoteKind::Constitution
}

fn is_same_task(one: &Known, other: &Known) -> bool {
    is_from(&one.place, &other.place)
        || (one.place.task.is_some() && one.place.task == other.place.task)
}

fn reason(why: &Why) -> String {
    match why {
        Why::Value { was, now } => format!("it was {was} and is {now}"),
        Why::Denied => "it does not hold any more".to_owned(),
    }
}

#[cfg(test)]
#[path = "consolidate_tests.rs"]
mod tests;
