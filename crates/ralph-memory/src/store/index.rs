//! Writing notes so that they are found: their rows, words, places and neighbours.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::counters::{self, DocumentTotals};
use super::places::{DocumentTable, SearchDocument};
use super::{notes, words};
use crate::analysis::TextAnalyzer;
use crate::error::StorageFault;
use crate::event::NoteContent;
use crate::notebook::StoredNote;
use crate::ranking::{EntryParts, EntryWords, RankingWeights};

/// Writes notes in one transaction, which is the caller's.
pub(crate) struct IndexWriter<'c> {
    connection: &'c Connection,
    ranking: &'c RankingWeights,
    analyzer: TextAnalyzer,
    /// Numbers of kinds, scopes and groups.
    names: HashMap<String, u32>,
    places: DocumentTable<'c>,
    totals: DocumentTotals,
    next: i64,
}

impl<'c> IndexWriter<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        ranking: &'c RankingWeights,
    ) -> Result<Self, StorageFault> {
        Ok(Self {
            connection,
            ranking,
            analyzer: TextAnalyzer::default(),
            names: HashMap::new(),
            places: DocumentTable::new(connection),
            totals: DocumentTotals::read(connection)?,
            next: counters::next_document(connection)?,
        })
    }

    /// Writes a note that is stored under a number, or a new one. Returns its number.
    pub(crate) fn put(
        &mut self,
        stored: Option<i64>,
        known: &StoredNote,
        files_before: &[String],
    ) -> Result<i64, StorageFault> {
        let doc = stored.unwrap_or(self.next);
        self.next = self.next.max(doc + 1);
        let note = &known.note;
        let title = note.title.as_deref().unwrap_or_default();
        let parts =
            EntryParts { title, text: &note.text, why: note.why.as_deref(), files: &note.files };
        let own = EntryWords::of(parts, &mut self.analyzer, self.ranking);
        let before = self.places.get(doc)?;
        if before.is_some() {
            words::remove(self.connection, doc)?;
        }
        notes::write(self.connection, doc, known)?;
        notes::write_files(self.connection, doc, files_before, &note.files)?;
        words::add(self.connection, doc, &own)?;
        self.totals.replace(before.map(|place| place.length), Some(own.length()));
        let place = SearchDocument {
            kind: self.number(note.kind.word())?,
            scope: self.number(note.scope.word())?,
            group: note.group.as_deref().map_or(Ok(0), |group| self.number(group))?,
            links: before.map_or([None, None], |place| place.links),
            length: own.length(),
            is_retired: known.retired.is_some(),
        };
        self.places.set(doc, Some(place))?;
        Ok(doc)
    }

    /// Removes a note.
    pub(crate) fn remove(&mut self, doc: i64, files_before: &[String]) -> Result<(), StorageFault> {
        let Some(place) = self.places.get(doc)? else { return Ok(()) };
        for (side, beside) in place.links.into_iter().enumerate() {
            let Some(beside) = beside else { continue };
            if let Some(mut other) = self.places.get(beside)?
                && other.links[1 - side] == Some(doc)
            {
                other.links[1 - side] = None;
                self.places.set(beside, Some(other))?;
            }
        }
        self.places.set(doc, None)?;
        self.totals.replace(Some(place.length), None);
        notes::write_files(self.connection, doc, files_before, &[])?;
        words::remove(self.connection, doc)?;
        let sql = "DELETE FROM expected WHERE doc = ?1";
        self.connection.prepare_cached(sql)?.execute([doc])?;
        notes::remove(self.connection, doc)
    }

    /// Links a note with those before and after it. One that is not there yet is linked
    /// when it comes.
    pub(crate) fn link(&mut self, doc: i64, note: &NoteContent) -> Result<(), StorageFault> {
        for (side, name) in [&note.prev, &note.next].into_iter().enumerate() {
            let Some(name) = name else { continue };
            if let Some(other) = notes::by_name(self.connection, name)? {
                self.join(doc, side, other)?;
            } else {
                let sql = "INSERT OR IGNORE INTO expected VALUES (?1, ?2, ?3)";
                self.connection.prepare_cached(sql)?.execute(params![name, doc, side == 1])?;
            }
        }
        for name in std::iter::once(&note.id).chain(&note.external_id) {
            let sql = "DELETE FROM expected WHERE name = ?1 RETURNING doc, side";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement
                .query_map([name], |row| Ok((row.get(0)?, usize::from(row.get::<_, bool>(1)?))))?;
            let waiting: Vec<(i64, usize)> = rows.collect::<Result<_, _>>()?;
            for (other, side) in waiting {
                self.join(other, side, doc)?;
            }
        }
        Ok(())
    }

    /// Puts a note on one side of another, and back where nothing else is.
    fn join(&mut self, doc: i64, side: usize, other: i64) -> Result<(), StorageFault> {
        if doc == other {
            return Ok(());
        }
        if let Some(mut place) = self.places.get(doc)? {
            place.links[side] = Some(other);
            self.places.set(doc, Some(place))?;
        }
        if let Some(mut place) = self.places.get(other)?
            && place.links[1 - side].is_none()
        {
            place.links[1 - side] = Some(doc);
            self.places.set(other, Some(place))?;
        }
        Ok(())
    }

    /// Writes what was collected.
    pub(crate) fn finish(self) -> Result<(), StorageFault> {
        self.places.write()?;
        self.totals.write(self.connection)?;
        counters::set_next_document(self.connection, self.next)
    }

    /// Returns the number of a name, which gets one if it has none.
    fn number(&mut self, name: &str) -> Result<u32, StorageFault> {
        if let Some(number) = self.names.get(name) {
            return Ok(*number);
        }
        let sql = "INSERT OR IGNORE INTO names (name) VALUES (?1)";
        self.connection.prepare_cached(sql)?.execute([name])?;
        let number = number(self.connection, name)?.unwrap_or_default();
        self.names.insert(name.to_owned(), number);
        Ok(number)
    }
}

/// Returns the number of a kind, scope or group, if it has one.
pub(crate) fn number(connection: &Connection, name: &str) -> Result<Option<u32>, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT id FROM names WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// Returns the kind, scope or group with a number.
pub(crate) fn name(connection: &Connection, number: i64) -> Result<String, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT name FROM names WHERE id = ?1")?;
    Ok(statement.query_row([number], |row| row.get(0))?)
}
