//! Sorts notes into sections and ranks them there.

use std::collections::BTreeSet;

use jiff::Timestamp as Moment;
use ralph_core::Timestamp;
use ralph_core::memory::belief::Days;
use ralph_core::memory::hydration::{NoteCandidate, NoteCategory};
use ralph_core::memory::label::{AnchorState, NoteLabel, belief_left};
use ralph_core::memory::rank::{NoteWorth, diverse, shared_words};
use ralph_memory::StoredNote;
use ralph_memory::anchor::AnchorResolver;
use ralph_memory::event::{EventActor, NoteKind, NoteScope, WorkPhase};
use ralph_memory::relation::{LONGEST_RELATED, exclude_each_other};

use super::gather::{CheckRelation, GatheredNote, ResultLists};
use super::{NotePortion, NoteRecall, NoteRequest};

/// Maximum number of a note's anchors that are checked.
const MOST_ANCHORS: usize = 4;

/// Maximum number of notes per section that are examined closely: their anchors
/// are read.
const CLOSELY: usize = 12;

/// Share of common words at which only one of two generated notes is shown: the
/// same lines may have fixed several failures.
const NEARLY_THE_SAME: f64 = 0.7;

/// Maximum length of changed code that is parsed, in bytes: an agent waits for
/// the answer.
const MOST_PARSED: usize = 128 * 1024;

const MILLIS_A_DAY: f64 = 86_400_000.0;

/// Returns true if the code matters for a request.
pub(super) fn wants_code(wanted: &NoteRequest) -> bool {
    let is_asked = wanted.task.is_some() || !wanted.files.is_empty();
    wanted.part != NotePortion::Standing && wanted.phase != WorkPhase::Verify && is_asked
}

/// Chooses from the found notes, the best of each section first.
pub(super) fn chosen(
    recall: &NoteRecall,
    wanted: &NoteRequest,
    lists: ResultLists,
    now: Timestamp,
) -> Vec<NoteCandidate> {
    let mut shelves: Vec<(NoteCategory, Vec<WeighedNote>)> = Vec::new();
    let here = lists.into_found().into_iter().filter_map(|found| {
        let shelf = shelf(&found, wanted).filter(|_| is_at_home(&found.known, wanted))?;
        Some((shelf, found))
    });
    for (shelf, found) in nearest(here.collect()) {
        let weighed = WeighedNote::new(found, wanted.phase, now);
        match shelves.iter_mut().find(|(known, _)| *known == shelf) {
            Some((_, notes)) => notes.push(weighed),
            None => shelves.push((shelf, vec![weighed])),
        }
    }
    shelves.sort_by_key(|(shelf, _)| *shelf);
    let mut sight = AnchorResolver::hurried(&recall.root, MOST_PARSED);
    shelves.into_iter().flat_map(|(shelf, notes)| best(&mut sight, shelf, notes)).collect()
}

/// Removes notes for all projects that a note of the user plainly denies for
/// this one. Only a rule overrides a rule, and nothing overrides a note with a
/// check.
fn nearest(mut found: Vec<(NoteCategory, GatheredNote)>) -> Vec<(NoteCategory, GatheredNote)> {
    let is_short = |found: &GatheredNote| found.known.note.text.len() <= LONGEST_RELATED;
    let is_global =
        |found: &GatheredNote| found.known.note.scope == NoteScope::Global && is_short(found);
    if !found.iter().any(|(_, one)| is_global(one)) {
        return found;
    }
    let is_own = |known: &StoredNote| {
        known.note.scope == NoteScope::Project && known.actor == EventActor::User
    };
    let own = found.iter().filter(|(_, one)| is_own(&one.known) && is_short(one));
    let own: Vec<(NoteCategory, String)> =
        own.map(|(shelf, one)| (*shelf, one.known.note.text.clone())).collect();
    found.retain(|(shelf, one)| {
        if !is_global(one) || one.checked.is_some() {
            return true;
        }
        let text = &one.known.note.text;
        !own.iter().any(|(nearer, other)| {
            (*shelf != NoteCategory::Rule || *nearer == NoteCategory::Rule)
                && exclude_each_other(text, other)
        })
    });
    found
}

/// A note with its worth.
struct WeighedNote {
    known: StoredNote,
    worth: f64,
    checked: Option<CheckRelation>,
}

impl WeighedNote {
    fn new(found: GatheredNote, phase: WorkPhase, now: Timestamp) -> Self {
        let note = &found.known.note;
        let scope = match note.scope {
            NoteScope::Task => 1.2,
            NoteScope::Project => 1.0,
            NoteScope::Global => 0.8,
        };
        let is_failure = matches!(note.kind, NoteKind::Failure | NoteKind::Approach);
        let phase = match phase {
            WorkPhase::Verify if is_failure => 1.5,
            WorkPhase::Code if note.kind == NoteKind::Gotcha && found.is_about_files => 2.0,
            WorkPhase::Think | WorkPhase::Code | WorkPhase::Verify | WorkPhase::Consolidate => 1.0,
        };
        let worth = NoteWorth {
            belief: found.known.belief_at(now).lower(),
            age: age(found.known.valid_from(), now),
            half_life: note.kind.half_life(),
            scope,
            phase,
        };
        Self { worth: found.rank * worth.factor(), known: found.known, checked: found.checked }
    }
}

/// Returns the best notes of a section. Only promising ones are examined
/// closely, since that means reading them word by word, and files.
fn best(
    sight: &mut AnchorResolver<'_>,
    shelf: NoteCategory,
    mut notes: Vec<WeighedNote>,
) -> Vec<NoteCandidate> {
    let by_worth = |one: &WeighedNote, other: &WeighedNote| {
        other.worth.total_cmp(&one.worth).then_with(|| one.known.note.id.cmp(&other.known.note.id))
    };
    notes.sort_by(by_worth);
    let most = if shelf == NoteCategory::Rule { usize::MAX } else { CLOSELY };
    let mut looked: Vec<(f64, NoteCandidate)> = Vec::new();
    let mut ours: BTreeSet<String> = BTreeSet::new();
    for note in notes.into_iter().filter(|note| is_vouched_for(&note.known)).take(most) {
        let anchors = note.known.anchors().iter().take(MOST_ANCHORS);
        let anchors: Vec<AnchorState> = anchors.map(|one| sight.look(one)).collect();
        let worth = note.worth * (0.5 + 0.5 * belief_left(&anchors));
        let is_checked = note.checked.is_some();
        if note.known.actor == EventActor::Ralph {
            ours.insert(note.known.note.id.clone());
        }
        let candidate = NoteCandidate { is_checked, ..candidate(note.known, shelf, &anchors) };
        looked.push((worth, candidate));
    }
    let texts: Vec<(f64, &str)> =
        looked.iter().map(|(worth, note)| (*worth, note.text.as_str())).collect();
    let mut kept: Vec<NoteCandidate> = Vec::new();
    for place in diverse(&texts, looked.len()) {
        let note = &looked[place].1;
        // Notes by people may differ in the one word that matters.
        let is_told = |known: &NoteCandidate| {
            ours.contains(&known.id) && shared_words(&known.text, &note.text) >= NEARLY_THE_SAME
        };
        if !ours.contains(&note.id) || !kept.iter().any(is_told) {
            kept.push(note.clone());
        }
    }
    kept
}

fn candidate(known: StoredNote, shelf: NoteCategory, anchors: &[AnchorState]) -> NoteCandidate {
    let label = match known.label(anchors) {
        // No check has confirmed it where it was written.
        NoteLabel::Noted if known.note.scope == NoteScope::Task => NoteLabel::Hypothesis,
        label @ (NoteLabel::Verified
        | NoteLabel::Noted
        | NoteLabel::Hypothesis
        | NoteLabel::Stale) => label,
    };
    let note = known.note;
    NoteCandidate {
        id: note.id,
        shelf,
        label,
        title: note.title,
        text: note.text,
        why: note.why,
        files: note.files,
        is_checked: false,
    }
}

/// Returns the section of a note in this phase; `None` if it does not belong
/// there.
fn shelf(found: &GatheredNote, wanted: &NoteRequest) -> Option<NoteCategory> {
    let known = &found.known;
    let shelf = match &known.note.kind {
        NoteKind::Constitution if known.actor == EventActor::User => NoteCategory::Rule,
        _ if wanted.phase == WorkPhase::Verify && found.checked.is_some() => {
            NoteCategory::Invariant
        }
        NoteKind::Pattern if wanted.phase == WorkPhase::Verify => NoteCategory::Invariant,
        NoteKind::Skill | NoteKind::Command => NoteCategory::Skill,
        NoteKind::Pattern => NoteCategory::Pattern,
        NoteKind::Gotcha => NoteCategory::Gotcha,
        NoteKind::Failure | NoteKind::Approach => NoteCategory::Failure,
        NoteKind::Constitution
        | NoteKind::Decision
        | NoteKind::Discovery
        | NoteKind::Fact
        | NoteKind::Other(_) => NoteCategory::Fact,
    };
    let belongs = match wanted.phase {
        WorkPhase::Think | WorkPhase::Consolidate => true,
        WorkPhase::Code if shelf == NoteCategory::Rule || wanted.files.is_empty() => true,
        WorkPhase::Code => found.is_about_files,
        WorkPhase::Verify if shelf == NoteCategory::Invariant => is_expected(found, wanted),
        WorkPhase::Verify => !matches!(shelf, NoteCategory::Skill | NoteCategory::Fact),
    };
    belongs.then_some(shelf)
}

/// Returns true if a pattern should hold in the files: its check or its files
/// say so, or it has neither.
fn is_expected(found: &GatheredNote, wanted: &NoteRequest) -> bool {
    match found.checked {
        Some(checked) => checked == CheckRelation::Here,
        None => {
            wanted.files.is_empty() || found.known.note.files.is_empty() || found.is_about_files
        }
    }
}

/// Returns true if a note may be shown here. A note on trial stays in the run
/// it was written in. Findings of this run's own checks are reported with their
/// output.
fn is_at_home(known: &StoredNote, wanted: &NoteRequest) -> bool {
    let (written, here) = (&known.place, &wanted.place);
    let is_same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
    let is_same_run = is_same(&written.run, &here.run);
    let is_near = is_same_run
        || is_same(&written.session, &here.session)
        || is_same(&written.task, &here.task);
    let is_told = is_same_run && known.actor == EventActor::Ralph;
    // Without a loop there is no decision at the end of the work.
    let is_of_session = known.actor == EventActor::Agent && written.run.is_none();
    known.note.scope != NoteScope::Task || is_of_session || (is_near && !is_told)
}

/// Returns true if a note is safe to show. A note that reads like an order to
/// the agent is shown only if the user wrote it: checks may prove its text, but
/// tools print text of unknown authors.
fn is_vouched_for(known: &StoredNote) -> bool {
    known.actor == EventActor::User || known.orders().is_empty()
}

#[expect(clippy::cast_precision_loss, reason = "a day more or less in ten thousand years is fine")]
fn age(at: Timestamp, now: Timestamp) -> Days {
    Days(now.as_millis().saturating_sub(at.as_millis()) as f64 / MILLIS_A_DAY)
}

pub(super) fn day(at: Timestamp) -> String {
    let moment = Moment::from_millisecond(at.as_millis()).unwrap_or_default();
    moment.strftime("%Y-%m-%d").to_string()
}
