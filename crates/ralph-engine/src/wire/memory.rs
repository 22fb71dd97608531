//! The JSON of notes and of the facts about them.

use ralph_core::Timestamp;
use ralph_core::memory::NoteSource;
use ralph_core::memory::label::{AnchorState, NoteLabel};
use ralph_core::wording::learned::NoteReplacement;
use ralph_memory::consolidate::{ConsolidationResult, NoteConflict};
use ralph_memory::event::{EventActor, NoteAnchor, NoteCheck};
use ralph_memory::health::{DuplicateNote, NearPair, NotebookHealth};
use ralph_memory::{
    GroupHit, ImportCounts, NoteCounts, NoteHit, NoteRetirement, NoteTally, NotebookStats,
    SalvageReport, StoredNote,
};
use serde_json::{Value, json};

use super::{SCHEMA, moment};

/// Returns the view of a note.
fn stored(known: &StoredNote) -> Value {
    let StoredNote { note, actor, place, recorded, retired, verified, .. } = known;
    let anchor = |NoteAnchor { file, hash, symbol, body }: &NoteAnchor| {
        let mut view = json!({ "file": file, "symbol": symbol, "hash": hash });
        if let Some(body) = body {
            view["body"] = json!(body);
        }
        view
    };
    let ended = |NoteRetirement { at, why, by, who }: &NoteRetirement| json!({ "at": moment(*at), "why": why, "by": by, "who": actor_word(*who) });
    json!({
        "id": note.id,
        "external_id": note.external_id,
        "kind": note.kind.word(),
        "scope": note.scope.word(),
        "title": note.title,
        "text": note.text,
        "why": note.why,
        "files": note.files,
        "anchors": note.anchors.iter().map(anchor).collect::<Vec<_>>(),
        "at": moment(known.valid_from()),
        "recorded_at": moment(*recorded),
        "by": actor_word(*actor),
        "run_id": place.run,
        "iteration": place.iteration,
        "session_id": place.session,
        "verified": verified,
        "retired": retired.as_ref().map(ended),
        "group": note.group,
        "prev": note.prev,
        "next": note.next,
    })
}

/// Returns the view of a note with its current label.
fn labelled(known: &StoredNote, label: NoteLabel) -> Value {
    let mut view = stored(known);
    view["label"] = json!(label.as_str());
    view
}

/// Returns the name of an actor.
pub const fn actor_word(actor: EventActor) -> &'static str {
    match actor {
        EventActor::User => "user",
        EventActor::Agent => "agent",
        EventActor::Ralph => "ralph",
        EventActor::Import => "import",
    }
}

/// Returns the actor with a name.
pub fn actor_of(word: &str) -> Option<EventActor> {
    let all = [EventActor::User, EventActor::Agent, EventActor::Ralph, EventActor::Import];
    all.into_iter().find(|actor| actor_word(*actor) == word)
}

const fn source_word(source: NoteSource) -> &'static str {
    match source {
        NoteSource::User => "user",
        NoteSource::Check => "check",
        NoteSource::Commit => "commit",
        NoteSource::AgentCiting => "agent_citing",
        NoteSource::Agent => "agent",
        NoteSource::Tool => "tool",
    }
}

/// Returns the name of the state of a note's anchor.
pub const fn anchored_word(anchored: AnchorState) -> &'static str {
    match anchored {
        AnchorState::Same => "same",
        AnchorState::Changed => "changed",
        AnchorState::Unclear => "unclear",
        AnchorState::Gone => "gone",
    }
}

/// Returns a note that was found, with its score.
fn result(found: &NoteHit, label: NoteLabel) -> Value {
    let mut view = labelled(&found.known, label);
    view["score"] = json!(found.score);
    view
}

/// Returns the results of a search.
pub fn found(results: &[NoteHit], mut label: impl FnMut(&StoredNote) -> NoteLabel) -> Value {
    let results: Vec<Value> = results.iter().map(|one| result(one, label(&one.known))).collect();
    json!({ "schema": SCHEMA, "results": results })
}

/// Returns the groups that a search found.
pub fn groups(results: &[GroupHit]) -> Value {
    let one = |hit: &GroupHit| json!({ "group": hit.group, "score": hit.score });
    json!({ "schema": SCHEMA, "results": results.iter().map(one).collect::<Vec<_>>() })
}

/// Returns an answer to one of several questions.
pub fn of_query(mut answer: Value, query: &str, index: usize) -> Value {
    answer["query"] = json!(query);
    answer["index"] = json!(index);
    answer
}

/// Returns a list of notes.
pub fn notes(notes: &[StoredNote], mut label: impl FnMut(&StoredNote) -> NoteLabel) -> Value {
    let views: Vec<Value> = notes.iter().map(|known| labelled(known, label(known))).collect();
    json!({ "schema": SCHEMA, "notes": views })
}

/// Returns one note with its check.
pub fn note(known: &StoredNote, label: NoteLabel, check: Option<&NoteCheck>) -> Value {
    let check = check.map(|check| match check {
        NoteCheck::Rule(rules) => json!({ "rules": rules }),
        NoteCheck::Test(test) => json!({ "test": test }),
    });
    json!({ "schema": SCHEMA, "note": labelled(known, label), "check": check })
}

/// Returns a note that is near another.
pub fn brief(known: &StoredNote) -> Value {
    let note = &known.note;
    json!({ "id": note.id, "kind": note.kind.word(), "scope": note.scope.word(), "text": note.text })
}

/// Returns one note in the form that an import reads.
pub fn exported(known: &StoredNote) -> Value {
    let mut view = stored(known);
    let id = known.note.external_id.as_ref().unwrap_or(&known.note.id);
    view["note_id"] = json!(known.note.id);
    view["id"] = json!(id);
    if let Some(fields) = view.as_object_mut() {
        fields.retain(|_, value| !value.is_null() && *value != json!([]));
    }
    view
}

/// The belief in a note, and its reasons.
pub struct BeliefReasons<'a> {
    /// The note.
    pub known: &'a StoredNote,
    /// Its label.
    pub label: NoteLabel,
    /// The states of its anchors.
    pub anchored: &'a [AnchorState],
    /// The current time.
    pub now: Timestamp,
    /// The reasons in words.
    pub words: &'a [String],
}

/// Returns the belief in a note, and its reasons.
pub fn why(reasons: &BeliefReasons<'_>) -> Value {
    let BeliefReasons { known, label, anchored, now, words } = reasons;
    let belief = known.belief_at(*now);
    let (for_it, against) = belief.outcomes();
    let NoteCounts { shown, cited, passed, failed, tokens } = known.counts;
    json!({
        "schema": SCHEMA,
        "note": stored(known),
        "label": label.as_str(),
        "source": source_word(known.source()),
        "belief": {
            "mean": belief.mean(),
            "lower": belief.lower(),
            "for": for_it,
            "against": against,
            "half_life_days": known.note.kind.half_life().map(|days| days.0),
        },
        "counts": {
            "shown": shown,
            "cited": cited,
            "passed": passed,
            "failed": failed,
            "seen_again": known.witnesses.len(),
            "tokens": tokens,
        },
        "anchored": anchored.iter().map(|one| anchored_word(*one)).collect::<Vec<_>>(),
        "words": words,
    })
}

/// Returns the result of an import, with the numbers of refused lines, the
/// count of notes that were stored in another scope, and conflicts between
/// notes of the user.
pub fn imported(
    done: &ImportCounts,
    refused: &[(u64, String)],
    moved: usize,
    conflicts: &[NoteConflict],
) -> Value {
    let refused: Vec<Value> =
        refused.iter().map(|(line, reason)| json!({ "line": line, "reason": reason })).collect();
    json!({
        "schema": SCHEMA,
        "added": done.added,
        "updated": done.updated,
        "unchanged": done.unchanged,
        "kept": done.kept,
        "other_scope": moved,
        "conflicts": conflicts.len(),
        "open": conflicts.iter().map(conflict).collect::<Vec<_>>(),
        "refused": refused,
    })
}

/// Returns the answer for a note that was deleted.
pub fn forgotten(id: &str, lines: usize) -> Value {
    json!({ "schema": SCHEMA, "forgotten": id, "lines": lines })
}

/// Returns the amounts in the project.
pub fn stats(stats: &NotebookStats) -> Value {
    let mut answer = amounts(stats);
    answer["schema"] = json!(SCHEMA);
    answer
}

/// Returns the amounts in the project, and for all projects if there are any.
pub fn all_stats(own: &NotebookStats, global: Option<&NotebookStats>) -> Value {
    let mut answer = stats(own);
    answer["global"] = json!(global.map(amounts));
    answer
}

/// Returns the result of rebuilding an index.
pub fn salvage(salvage: &SalvageReport) -> Value {
    json!({
        "damaged": salvage.damaged,
        "notes": salvage.notes,
        "others": salvage.others,
        "missing": salvage.missing,
        "sessions": salvage.sessions,
        "copy": salvage.copy.as_ref().map(|copy| copy.to_string_lossy()),
    })
}

fn amounts(stats: &NotebookStats) -> Value {
    let tally = |NoteTally { kind, scope, active, retired, verified }: &NoteTally| {
        json!({
            "kind": kind,
            "scope": scope,
            "active": active,
            "retired": retired,
            "verified": verified,
        })
    };
    let damaged: Vec<Value> = stats
        .damaged
        .iter()
        .map(|(file, byte)| json!({ "file": file.to_string_lossy(), "byte": byte }))
        .collect();
    json!({
        "notes": stats.notes.iter().map(|one| one.active + one.retired).sum::<u64>(),
        "tallies": stats.notes.iter().map(tally).collect::<Vec<_>>(),
        "log_bytes": stats.log_bytes,
        "database_bytes": stats.database_bytes,
        "damaged": damaged,
    })
}

/// Returns the decisions about notes on trial.
pub fn consolidated(decided: &ConsolidationResult) -> Value {
    let mut answer = json!({ "schema": SCHEMA });
    for (name, count) in decided.counts.named() {
        answer[name] = json!(count);
    }
    answer["open"] = decided.conflicts.iter().map(conflict).collect();
    let replacement = |NoteReplacement { old, said, by, why }: &NoteReplacement| json!({ "id": old, "text": said, "by": by, "why": why });
    answer["replacements"] = decided.replacements.iter().map(replacement).collect();
    answer
}

fn conflict(NoteConflict { stands, contradicts }: &NoteConflict) -> Value {
    json!({ "stands": stands, "contradicts": contradicts })
}

/// Returns the result of an examination of all notes: those of the project, and
/// those for all projects if there are any.
pub fn examined(own: &Value, global: Option<&Value>) -> Value {
    let mut answer = own.clone();
    let needs_care = |part: &Value| part["needs_care"] == json!(true);
    answer["schema"] = json!(SCHEMA);
    answer["needs_care"] = json!(needs_care(own) || global.is_some_and(needs_care));
    answer["global"] = json!(global);
    answer
}

fn near(NearPair { older, newer }: &NearPair) -> Value {
    json!({ "older": older, "newer": newer })
}

/// Returns the result of an examination of one notebook.
pub fn health(health: &NotebookHealth) -> Value {
    let pairs = |pairs: &[DuplicateNote]| -> Vec<Value> {
        let pair = |pair: &DuplicateNote| {
            json!({
                "id": pair.again,
                "first": pair.first,
                "literal": pair.is_literal,
                "spare": pair.is_spare,
            })
        };
        pairs.iter().map(pair).collect()
    };
    json!({
        "active": health.active,
        "duplicates": pairs(&health.twice),
        "recall_loops": pairs(&health.echoes),
        "near": health.near.iter().map(near).collect::<Vec<_>>(),
        "never_shown": health.never_shown,
        "never_cited": health.never_cited,
        "stale": health.stale,
        "secrets": health.secrets,
        "orders": health.orders,
        "tokens_shown": health.tokens_shown,
        "tokens_cited": health.tokens_cited,
        "damaged_lines": health.damaged,
        "needs_care": health.needs_care(),
    })
}
