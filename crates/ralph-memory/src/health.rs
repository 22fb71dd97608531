//! What is wrong with the notes as a whole: said twice, learned from ourselves,
//! never of use, out of date, or not fit to be kept.

use std::collections::HashMap;
use std::path::Path;

use ralph_core::memory::label::AnchorState;
use ralph_core::memory::rank::shared_words;

use crate::anchor::AnchorResolver;
use crate::clean;
use crate::error::MemoryError;
use crate::event::EventActor;
use crate::notebook::{NoteSelection, Notebook, StoredNote};
use crate::precedence::{NotePrecedence, is_part};
use crate::query::{SearchFilters, SearchQuery};
use crate::relation::{NoteRelation, gist, relate};

/// With more notes than these, those that are only near to each other are not looked for.
const MANY: usize = 5_000;

/// How many notes are compared with each.
const CANDIDATES: usize = 6;

/// Notes that share so many of their words may be about the same thing.
const NEAR: f64 = 0.6;

/// Somebody who was shown a note so often and never named it does not need it.
const OFTEN: u32 = 5;

/// A note that says what another one says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateNote {
    /// The one that stays: the user's before others, then what binds, then what
    /// is proven, then the older.
    pub first: String,
    /// The one that is not needed beside it.
    pub again: String,
    /// Whether it is the same word for word.
    pub is_literal: bool,
    /// Whether it can go without asking anybody: it is not the user's, binds
    /// nobody, and is the same kind of note for the same readers.
    pub is_spare: bool,
}

/// Two notes that stand and may be about the same thing: nobody but who knows
/// what they mean can say whether one replaces the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearPair {
    /// The older one.
    pub older: String,
    /// The newer one.
    pub newer: String,
}

/// What an examination found; notes by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotebookHealth {
    /// Notes that hold.
    pub active: usize,
    /// Said more than once.
    pub twice: Vec<DuplicateNote>,
    /// Noted by an agent that had been shown the same.
    pub echoes: Vec<DuplicateNote>,
    /// So alike that one may replace the other.
    pub near: Vec<NearPair>,
    /// Never shown to anybody.
    pub never_shown: Vec<String>,
    /// Shown often, and never a reason for anything.
    pub never_cited: Vec<String>,
    /// What they point at has changed or is gone.
    pub stale: Vec<String>,
    /// They hold what must not be kept.
    pub secrets: Vec<String>,
    /// They read like orders to an agent.
    pub orders: Vec<String>,
    /// How long all showings were together, in tokens.
    pub tokens_shown: u64,
    /// How long those of notes were that were named as a reason.
    pub tokens_cited: u64,
    /// Lines of the log that nobody can read.
    pub damaged: usize,
}

impl NotebookHealth {
    /// Whether something should be done about it.
    pub fn needs_care(&self) -> bool {
        let Self { twice, echoes, secrets, damaged, .. } = self;
        !(twice.is_empty() && echoes.is_empty() && secrets.is_empty()) || *damaged > 0
    }
}

/// Looks at every note that holds; anchors are looked at below a root.
pub fn examine(notebook: &Notebook, root: &Path) -> Result<NotebookHealth, MemoryError> {
    let mut notes = notebook.list(&NoteSelection::default())?;
    // The oldest first: of two that are worth the same it stays.
    notes.reverse();
    let mut health = NotebookHealth {
        active: notes.len(),
        damaged: notebook.damage()?.len(),
        ..NotebookHealth::default()
    };
    let mut sight = AnchorResolver::new(root);
    for known in &notes {
        look_at(known, &mut sight, &mut health);
    }
    let precedence = NotePrecedence::read(notebook)?;
    // What was said in a conversation was said, however often.
    let said: Vec<&StoredNote> = notes.iter().filter(|known| !is_part(known)).collect();
    let pairs = same(&said);
    if said.len() <= MANY {
        health.near = near(notebook, &said)?;
    }
    for (first, again, is_literal) in pairs {
        let is_echo = again.actor == EventActor::Agent && first.counts.shown > 0;
        let pair = twice(&precedence, (first, again, is_literal));
        if is_echo { health.echoes.push(pair) } else { health.twice.push(pair) }
    }
    Ok(health)
}

/// Of two that say the same, the older first: which stays and which may go.
fn twice(
    precedence: &NotePrecedence,
    (older, newer, is_literal): DuplicatePair<'_>,
) -> DuplicateNote {
    let is_older_less = precedence.rank(older) < precedence.rank(newer);
    let (stays, goes) = if is_older_less { (newer, older) } else { (older, newer) };
    DuplicateNote {
        first: stays.note.id.clone(),
        again: goes.note.id.clone(),
        is_literal,
        is_spare: is_alike(stays, goes) && !precedence.is_for_the_user(goes),
    }
}

/// Whether two are the same kind of note for the same readers.
fn is_alike(one: &StoredNote, other: &StoredNote) -> bool {
    let of = |known: &StoredNote| (known.note.kind.clone(), known.note.scope);
    of(one) == of(other)
}

fn look_at(known: &StoredNote, sight: &mut AnchorResolver<'_>, health: &mut NotebookHealth) {
    let id = || known.note.id.clone();
    let counts = known.counts;
    health.tokens_shown += counts.tokens;
    if counts.cited > 0 {
        health.tokens_cited += counts.tokens;
    }
    if counts.shown == 0 {
        health.never_shown.push(id());
    }
    if counts.shown >= OFTEN && counts.cited == 0 {
        health.never_cited.push(id());
    }
    if known.look(sight).iter().any(|anchor| *anchor != AnchorState::Same) {
        health.stale.push(id());
    }
    if !known.orders().is_empty() {
        health.orders.push(id());
    }
    if clean::note(known.note.clone()) != known.note {
        health.secrets.push(id());
    }
}

/// The older, the newer, and whether they are the same word for word.
type DuplicatePair<'a> = (&'a StoredNote, &'a StoredNote, bool);

/// Notes that say the same, word for word, with one of the same kind and for the same
/// readers, if there is one.
fn same<'a>(notes: &[&'a StoredNote]) -> Vec<DuplicatePair<'a>> {
    let mut known: HashMap<Vec<String>, Vec<&StoredNote>> = HashMap::new();
    let mut found = Vec::new();
    for note in notes {
        let words = gist(&note.note.text);
        if words.is_empty() {
            continue;
        }
        let before = known.entry(words).or_default();
        let best = before.iter().min_by_key(|first| !is_alike(first, note));
        if let Some(first) = best {
            found.push((*first, *note, plain(first) == plain(note)));
        }
        if !best.is_some_and(|first| is_alike(first, note)) {
            before.push(note);
        }
    }
    found
}

fn plain(known: &StoredNote) -> String {
    let words = known.note.text.split_whitespace().map(str::to_lowercase);
    words.collect::<Vec<_>>().join(" ")
}

/// Notes that are near to each other and do not say the same.
fn near(notebook: &Notebook, notes: &[&StoredNote]) -> Result<Vec<NearPair>, MemoryError> {
    let place: HashMap<&str, usize> =
        notes.iter().zip(0..).map(|(known, place)| (known.note.id.as_str(), place)).collect();
    let mut near = Vec::new();
    for (at, newer) in notes.iter().enumerate().filter(|(_, one)| is_said(one)) {
        let text = newer.note.text.clone();
        let query = SearchQuery { text, limit: CANDIDATES, filters: SearchFilters::default() };
        for found in notebook.search(&query)? {
            let (older, newer) = (&found.known.note, &newer.note);
            let is_older = place.get(older.id.as_str()).is_some_and(|place| *place < at);
            let is_near = || match relate(&older.text, &newer.text) {
                NoteRelation::Same => false,
                NoteRelation::Replaces(_) => true,
                NoteRelation::Apart => shared_words(&older.text, &newer.text) >= NEAR,
            };
            if is_older && is_said(&found.known) && is_near() {
                near.push(NearPair { older: older.id.clone(), newer: newer.id.clone() });
            }
        }
    }
    Ok(near)
}

/// Whether somebody said it: what we write ourselves is known by its id.
fn is_said(known: &StoredNote) -> bool {
    known.actor != EventActor::Ralph
}

#[cfg(test)]
#[path = "health_tests.rs"]
mod tests;
