//! What a note is beyond its entry.

use ralph_core::Timestamp;
use ralph_core::memory::Belief;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::entries::{self, Names};
use crate::error::Fault;
use crate::event::{Actor, Anchor, Note, NoteKind, Place, Scope};
use crate::notebook::{Counts, Known, Retirement, source};

/// Actors in the order of their numbers.
const ACTORS: [Actor; 4] = [Actor::User, Actor::Agent, Actor::Ralph, Actor::Import];

/// When a note ended, why, and what took its place.
type Ended = (i64, String, Option<String>);

/// A row, before it is put together with its entry.
struct Extra {
    actor: i64,
    dated: bool,
    verified: bool,
    recorded: i64,
    believed_at: i64,
    outcomes: (f64, f64),
    counts: Counts,
    prev: Option<String>,
    next: Option<String>,
    place: Option<String>,
    why: Option<String>,
    anchors: Option<String>,
    retired: Option<String>,
}

fn extra(row: &Row<'_>) -> rusqlite::Result<Extra> {
    Ok(Extra {
        actor: row.get(0)?,
        dated: row.get(1)?,
        verified: row.get(2)?,
        recorded: row.get(3)?,
        believed_at: row.get(4)?,
        outcomes: (row.get(5)?, row.get(6)?),
        counts: Counts {
            shown: row.get(7)?,
            cited: row.get(8)?,
            passed: row.get(9)?,
            failed: row.get(10)?,
            tokens: u64::try_from(row.get::<_, i64>(11)?).unwrap_or(0),
        },
        prev: row.get(12)?,
        next: row.get(13)?,
        place: row.get(14)?,
        why: row.get(15)?,
        anchors: row.get(16)?,
        retired: row.get(17)?,
    })
}

/// The note with a number; `None` when it is gone.
pub(crate) fn read(connection: &Connection, doc: i64) -> Result<Option<Known>, Fault> {
    let sql = "SELECT actor, dated, verified, recorded, believed_at, for_it, against, shown, cited, \
               passed, failed, tokens, prev, next, place, why, anchors, retired \
               FROM notes WHERE doc = ?1";
    let Some(entry) = entries::read(connection, doc)? else { return Ok(None) };
    let Some(extra) = connection.prepare_cached(sql)?.query_row([doc], extra).optional()? else {
        return Ok(None);
    };
    let record = entry.record;
    let valid_from = record.at.unwrap_or(extra.recorded);
    let anchors: Option<Vec<Anchor>> = parsed(extra.anchors.as_deref())?;
    let note = Note {
        id: record.id,
        kind: NoteKind::of(&entries::name(connection, record.kind)?),
        scope: scope(&entries::name(connection, record.scope)?)?,
        title: Some(record.title).filter(|title| !title.is_empty()),
        text: record.text,
        why: extra.why,
        files: record.files,
        anchors: anchors.unwrap_or_default(),
        since: extra.dated.then_some(valid_from),
        external_id: record.external_id,
        prev: extra.prev,
        next: extra.next,
        group: record.group.map(|group| entries::name(connection, group)).transpose()?,
    };
    let actor = usize::try_from(extra.actor).ok().and_then(|at| ACTORS.get(at));
    let actor = *actor.ok_or_else(|| unknown("actor", &extra.actor))?;
    let place: Option<Place> = parsed(extra.place.as_deref())?;
    let retired: Option<Ended> = parsed(extra.retired.as_deref())?;
    let believed_at = Timestamp::from_millis(extra.believed_at);
    Ok(Some(Known {
        belief: Belief::stored(source(actor, &note), extra.outcomes, believed_at),
        note,
        actor,
        place: place.unwrap_or_default(),
        recorded: Timestamp::from_millis(extra.recorded),
        valid_from: Timestamp::from_millis(valid_from),
        retired: retired.map(|(at, why, by)| Retirement {
            at: Timestamp::from_millis(at),
            why,
            by,
        }),
        verified: extra.verified,
        counts: extra.counts,
    }))
}

/// Writes what a note is beyond its entry.
pub(crate) fn write(connection: &Connection, doc: i64, known: &Known) -> Result<(), Fault> {
    let Known { note, counts, .. } = known;
    let sql = "INSERT OR REPLACE INTO notes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, \
               ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
    let (for_it, against) = known.belief.outcomes();
    let place = (known.place != Place::default()).then(|| json(&known.place));
    let anchors = (!note.anchors.is_empty()).then(|| json(&note.anchors));
    let retired = known.retired.as_ref().map(|Retirement { at, why, by }| {
        let ended: Ended = (at.as_millis(), why.clone(), by.clone());
        json(&ended)
    });
    connection.prepare_cached(sql)?.execute(params![
        doc,
        number(known.actor),
        note.since.is_some(),
        known.verified,
        known.recorded.as_millis(),
        known.belief.as_of().as_millis(),
        for_it,
        against,
        counts.shown,
        counts.cited,
        counts.passed,
        counts.failed,
        i64::try_from(counts.tokens).unwrap_or(i64::MAX),
        note.prev,
        note.next,
        place,
        note.why,
        anchors,
        retired,
    ])?;
    Ok(())
}

fn number(actor: Actor) -> Option<i64> {
    ACTORS.iter().position(|one| *one == actor).and_then(|at| i64::try_from(at).ok())
}

/// Writes which files a note is about, in place of those it was about.
pub(crate) fn write_files(
    connection: &Connection,
    names: &mut Names,
    doc: i64,
    (before, now): (&[String], &[String]),
) -> Result<(), Fault> {
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
pub(crate) fn of_file(connection: &Connection, file: &str) -> Result<Vec<i64>, Fault> {
    let Some(file) = entries::number(connection, file)? else { return Ok(Vec::new()) };
    let sql = "SELECT doc FROM note_files WHERE file = ?1 ORDER BY doc DESC";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([file], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Removes what a note is beyond its entry and its files.
pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM notes WHERE doc = ?1")?.execute([doc])?;
    Ok(())
}

/// How many notes there are of each kind and scope, and how many of them are
/// retired, and how many are verified.
pub(crate) fn counts(connection: &Connection) -> Result<Vec<(String, String, [u64; 3])>, Fault> {
    let sql = "SELECT kind.name, scope.name, count(*), sum(entries.retired), sum(notes.verified) \
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

fn scope(word: &str) -> Result<Scope, Fault> {
    Scope::ALL.into_iter().find(|scope| scope.word() == word).ok_or_else(|| unknown("scope", &word))
}

fn unknown(what: &str, found: &dyn std::fmt::Display) -> Fault {
    Fault::Damaged(format!("a note has the {what} {found}, which there is not"))
}

fn json(value: &impl Serialize) -> String {
    // Texts, numbers and lists of them all have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

fn parsed<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>, Fault> {
    let parse = |text| {
        serde_json::from_str(text).map_err(|error| Fault::Damaged(format!("a note has {error}")))
    };
    text.map(parse).transpose()
}
