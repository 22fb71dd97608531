//! What a note is beyond its entry.

mod beside;

use ralph_core::Timestamp;
use ralph_core::memory::NoteBelief;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::entries::{self, NameNumbers};
use crate::error::StorageFault;
use crate::event::{EventActor, EventContext, NoteAnchor, NoteContent, NoteKind, NoteScope};
use crate::notebook::{NoteCounts, NoteRetirement, StoredNote, source};

/// Actors in the order of their numbers.
const ACTORS: [EventActor; 4] =
    [EventActor::User, EventActor::Agent, EventActor::Ralph, EventActor::Import];

/// The flag of a note that says itself since when it holds.
const DATED: i64 = 1;

/// The flag of a note that is verified.
const VERIFIED: i64 = 2;

/// The flags above these are the number of the actor.
const ACTOR: u32 = 2;

/// A row, before it is put together with its entry.
struct NoteRow {
    flags: i64,
    recorded: i64,
    beside: Option<Vec<u8>>,
    more: Option<String>,
}

/// What few notes have.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct NoteExtras {
    #[serde(default, skip_serializing_if = "is_default")]
    place: EventContext,
    #[serde(default, skip_serializing_if = "is_default")]
    anchors: Vec<NoteAnchor>,
    /// Notes that its writer says it replaces.
    #[serde(default, skip_serializing_if = "is_default")]
    replaces: Vec<String>,
    /// When it ended, who said so, why, and what took its place.
    #[serde(default, skip_serializing_if = "is_default")]
    retired: Option<(i64, EventActor, String, Option<String>)>,
    /// Other tasks that came to the same.
    #[serde(default, skip_serializing_if = "is_default")]
    witnesses: Vec<EventContext>,
    /// What outcomes are counted for, if not for when it was recorded.
    #[serde(default, skip_serializing_if = "is_default")]
    believed_at: Option<i64>,
    /// What outcomes add for and against it, as the bits of the numbers: as
    /// text they might come back a little different.
    #[serde(default, skip_serializing_if = "is_default")]
    outcomes: [u64; 2],
    /// How often it was shown, cited, credited and discredited, and its tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    counts: [u64; 5],
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn extra(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    Ok(NoteRow {
        flags: row.get(0)?,
        recorded: row.get(1)?,
        beside: row.get(2)?,
        more: row.get(3)?,
    })
}

/// The note with a number; `None` when it is gone.
pub(crate) fn read(connection: &Connection, doc: i64) -> Result<Option<StoredNote>, StorageFault> {
    let sql = "SELECT flags, recorded, beside, more FROM notes WHERE doc = ?1";
    let Some(entry) = entries::read(connection, doc)? else { return Ok(None) };
    let Some(extra) = connection.prepare_cached(sql)?.query_row([doc], extra).optional()? else {
        return Ok(None);
    };
    let record = entry.record;
    let valid_from = record.at.unwrap_or(extra.recorded);
    let NoteExtras { place, anchors, replaces, retired, witnesses, believed_at, outcomes, counts } =
        parsed(extra.more.as_deref())?;
    let [prev, next] = beside::parse(extra.beside.as_deref(), record.external_id.as_deref())?;
    let note = NoteContent {
        id: record.id,
        kind: NoteKind::of(&entries::name(connection, record.kind)?),
        scope: scope(&entries::name(connection, record.scope)?)?,
        title: Some(record.title).filter(|title| !title.is_empty()),
        text: record.text,
        why: record.why,
        files: record.files,
        anchors,
        since: (extra.flags & DATED != 0).then_some(valid_from),
        external_id: record.external_id,
        prev,
        next,
        group: record.group.map(|group| entries::name(connection, group)).transpose()?,
        replaces,
    };
    let actor = usize::try_from(extra.flags >> ACTOR).ok().and_then(|at| ACTORS.get(at));
    let actor = *actor.ok_or_else(|| unknown("actor", &(extra.flags >> ACTOR)))?;
    let [for_it, against] = outcomes.map(f64::from_bits);
    let believed_at = Timestamp::from_millis(believed_at.unwrap_or(extra.recorded));
    Ok(Some(StoredNote {
        belief: NoteBelief::stored(source(actor, &note), (for_it, against), believed_at),
        note,
        actor,
        place,
        recorded: Timestamp::from_millis(extra.recorded),
        valid_from: Timestamp::from_millis(valid_from),
        retired: retired.map(|(at, who, why, by)| NoteRetirement {
            at: Timestamp::from_millis(at),
            who,
            why,
            by,
        }),
        verified: extra.flags & VERIFIED != 0,
        witnesses,
        counts: counted(counts),
    }))
}

/// Writes what a note is beyond its entry.
pub(crate) fn write(
    connection: &Connection,
    doc: i64,
    known: &StoredNote,
) -> Result<(), StorageFault> {
    let note = &known.note;
    let (for_it, against) = known.belief.outcomes();
    let believed_at = known.belief.as_of();
    let more = NoteExtras {
        place: known.place.clone(),
        anchors: note.anchors.clone(),
        replaces: note.replaces.clone(),
        retired: known.retired.as_ref().map(|NoteRetirement { at, who, why, by }| {
            (at.as_millis(), *who, why.clone(), by.clone())
        }),
        witnesses: known.witnesses.clone(),
        believed_at: (believed_at != known.recorded).then(|| believed_at.as_millis()),
        outcomes: [for_it, against].map(f64::to_bits),
        counts: numbers(known.counts),
    };
    let external = note.external_id.as_deref();
    let sql = "INSERT OR REPLACE INTO notes VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![
        doc,
        flags(known),
        known.recorded.as_millis(),
        beside::render([note.prev.as_deref(), note.next.as_deref()], external),
        (more != NoteExtras::default()).then(|| json(&more)),
    ])?;
    Ok(())
}

fn flags(known: &StoredNote) -> i64 {
    let actor = ACTORS.iter().position(|one| *one == known.actor);
    let actor = actor.and_then(|at| i64::try_from(at).ok()).unwrap_or_default();
    let dated = if known.note.since.is_some() { DATED } else { 0 };
    let verified = if known.verified { VERIFIED } else { 0 };
    actor << ACTOR | dated | verified
}

fn numbers(counts: NoteCounts) -> [u64; 5] {
    let NoteCounts { shown, cited, passed, failed, tokens } = counts;
    let [shown, cited, passed, failed] = [shown, cited, passed, failed].map(u64::from);
    [shown, cited, passed, failed, tokens]
}

fn counted([shown, cited, passed, failed, tokens]: [u64; 5]) -> NoteCounts {
    let [shown, cited, passed, failed] =
        [shown, cited, passed, failed].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    NoteCounts { shown, cited, passed, failed, tokens }
}

/// Writes which files a note is about, in place of those it was about.
pub(crate) fn write_files(
    connection: &Connection,
    names: &mut NameNumbers,
    doc: i64,
    (before, now): (&[String], &[String]),
) -> Result<(), StorageFault> {
    if before == now {
        return Ok(());
    }
    let mut gone =
        connection.prepare_cached("DELETE FROM note_files WHERE file = ?1 AND doc = ?2")?;
    for file in before {
        gone.execute([names.number(connection, file)?, doc])?;
    }
    let mut new = connection.prepare_cached("INSERT OR IGNORE INTO note_files VALUES (?1, ?2)")?;
    for file in now {
        new.execute([names.number(connection, file)?, doc])?;
    }
    Ok(())
}

/// The numbers of the notes about a file, the newest first.
pub(crate) fn of_file(connection: &Connection, file: &str) -> Result<Vec<i64>, StorageFault> {
    let Some(file) = entries::number(connection, file)? else { return Ok(Vec::new()) };
    let sql = "SELECT doc FROM note_files WHERE file = ?1 ORDER BY doc DESC";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([file], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Removes what a note is beyond its entry and its files.
pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), StorageFault> {
    connection.prepare_cached("DELETE FROM notes WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

/// How many notes there are of each kind and scope, and how many of them are
/// retired, and how many are verified.
pub(crate) fn counts(
    connection: &Connection,
) -> Result<Vec<(String, String, [u64; 3])>, StorageFault> {
    let sql = "SELECT kind.name, scope.name, count(*), sum(entries.retired), sum(notes.flags >> 1 & 1) \
               FROM entries JOIN notes USING (doc) JOIN names kind ON kind.id = kind \
               JOIN names scope ON scope.id = scope GROUP BY 1, 2 ORDER BY 1, 2";
    let mut statement = connection.prepare_cached(sql)?;
    let count = |row: &Row<'_>, at: usize| -> rusqlite::Result<u64> {
        Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or(0))
    };
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, [count(row, 2)?, count(row, 3)?, count(row, 4)?]))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn scope(word: &str) -> Result<NoteScope, StorageFault> {
    NoteScope::ALL
        .into_iter()
        .find(|scope| scope.word() == word)
        .ok_or_else(|| unknown("scope", &word))
}

fn unknown(what: &str, found: &dyn std::fmt::Display) -> StorageFault {
    StorageFault::Damaged(format!("a note has the {what} {found}, which there is not"))
}

fn json(value: &impl Serialize) -> String {
    // Texts, numbers and lists of them all have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

fn parsed<T: Default + DeserializeOwned>(text: Option<&str>) -> Result<T, StorageFault> {
    let Some(text) = text else { return Ok(T::default()) };
    serde_json::from_str(text).map_err(|error| StorageFault::Damaged(format!("a note has {error}")))
}
