//! Putting documents into the index, new ones and those that changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;

use super::links::Neighbours;
use crate::error::Fault;
use crate::ranking::Ranking;
use crate::store::counters::Totals;
use crate::store::entries::{self, Known, Links, Record};
use crate::store::groups;
use crate::store::marks::{self, Marks};
use crate::store::pending::{self, Pending};
use crate::store::segments::{self, Builder, Segment};
use crate::vector::{Parts, Vector, Vectors};

/// Up to so many documents wait for a segment; more make one at once.
const FEW: usize = 128;

/// So many documents that wait make a segment.
const MOST_PENDING: i64 = 512;

/// A change of the index, in one transaction.
pub(crate) struct Reindex<'a> {
    pub(super) connection: &'a Connection,
    pub(super) ranking: &'a Ranking,
    pub(super) vectors: &'a mut Vectors,
    pub(super) neighbours: Neighbours,
    pub(super) marks: Marks,
    pub(super) groups: groups::Changes,
    pub(super) totals: Totals,
    /// What is known of documents without their neighbours.
    pub(super) own: HashMap<i64, Vector>,
    /// Documents to be written, and what was there before.
    pub(super) records: BTreeMap<i64, (Record, Option<Known>)>,
}

impl<'a> Reindex<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        ranking: &'a Ranking,
        vectors: &'a mut Vectors,
    ) -> Result<Self, Fault> {
        Ok(Self {
            connection,
            ranking,
            vectors,
            neighbours: Neighbours::default(),
            marks: Marks::default(),
            groups: groups::Changes::default(),
            totals: Totals::read(connection)?,
            own: HashMap::new(),
            records: BTreeMap::new(),
        })
    }

    /// Removes a document.
    pub(crate) fn remove(mut self, doc: i64) -> Result<(), Fault> {
        let Some(known) = entries::read(self.connection, doc)? else { return Ok(()) };
        self.neighbours.unlink(self.connection, doc)?;
        self.totals.documents -= 1;
        self.totals.length -= known.length;
        self.stale(&segments::all(self.connection)?, doc)?;
        self.groups.set(self.connection, doc, None)?;
        entries::remove(self.connection, doc)?;
        self.finish()
    }

    /// Writes and indexes all documents that were recorded or whose
    /// neighbours changed.
    pub(super) fn finish(mut self) -> Result<(), Fault> {
        let mut docs: BTreeSet<i64> = self.records.keys().copied().collect();
        docs.extend(&self.neighbours.changed);
        for (doc, (_, known)) in &self.records {
            // Who stands beside an entry has its words too.
            if known.is_some() {
                docs.extend(self.neighbours.of(self.connection, *doc)?.into_iter().flatten());
            }
        }
        let known = segments::all(self.connection)?;
        let mut written = Vec::with_capacity(docs.len());
        for doc in docs {
            let Some(links) = self.prepare(doc)? else { continue };
            let length = self.write(doc, links)?;
            let is_new = self.records.get(&doc).is_some_and(|(_, known)| known.is_none());
            if !is_new {
                self.stale(&known, doc)?;
            }
            written.push((doc, links, length));
        }
        if written.len() <= FEW {
            self.wait(&written)?;
        } else {
            self.build(&written)?;
        }
        std::mem::take(&mut self.marks).write(self.connection)?;
        std::mem::take(&mut self.groups).write(self.connection)?;
        self.totals.write(self.connection)?;
        if pending::count(self.connection)? > MOST_PENDING {
            flush(self.connection, self.ranking)?;
        }
        segments::merge_in_passing(self.connection)
    }

    /// Makes sure that the words of a document and its neighbours are known;
    /// `None` when the document is gone.
    fn prepare(&mut self, doc: i64) -> Result<Option<Links>, Fault> {
        let links = self.neighbours.of(self.connection, doc)?;
        if !self.know(doc)? {
            return Ok(None);
        }
        for beside in links.into_iter().flatten() {
            self.know(beside)?;
        }
        Ok(Some(links))
    }

    fn know(&mut self, doc: i64) -> Result<bool, Fault> {
        if self.own.contains_key(&doc) {
            return Ok(true);
        }
        let Some(known) = entries::read(self.connection, doc)? else { return Ok(false) };
        let Record { title, text, why, files, .. } = &known.record;
        let parts = Parts { title, text, why: why.as_deref(), files };
        let vector = self.vectors.vector(parts, self.ranking);
        self.own.insert(doc, vector);
        Ok(true)
    }

    fn around(&self, links: Links) -> Vec<&Vector> {
        links.iter().flatten().filter_map(|beside| self.own.get(beside)).collect()
    }

    /// Writes the row of a document; says how long the document is.
    fn write(&mut self, doc: i64, links: Links) -> Result<f32, Fault> {
        let length =
            self.own.get(&doc).map_or(0.0, |own| own.length(&self.around(links), self.ranking));
        let whole = whole(length);
        if let Some((record, known)) = self.records.get(&doc) {
            let write = if known.is_none() { entries::add } else { entries::replace };
            write(self.connection, doc, record, (links, whole))?;
            self.totals.documents += i64::from(known.is_none());
            if record.group != known.as_ref().and_then(|known| known.record.group) {
                self.groups.set(self.connection, doc, record.group)?;
            }
            self.totals.length += whole - known.as_ref().map_or(0, |known| known.length);
            label(&mut self.marks, self.connection, (doc, record, known.as_ref()))?;
        } else {
            let before = entries::read(self.connection, doc)?.map_or(0, |known| known.length);
            entries::relink(self.connection, doc, (links, whole))?;
            self.totals.length += whole - before;
        }
        Ok(length)
    }

    /// What the index has of a document no longer counts.
    fn stale(&mut self, segments: &[Segment], doc: i64) -> Result<(), Fault> {
        pending::remove(self.connection, doc)?;
        let (partition, _) = segments::place(doc);
        for segment in segments.iter().filter(|segment| segment.partition == partition) {
            self.marks.add(self.connection, &marks::stale(segment.id), doc)?;
        }
        Ok(())
    }

    fn wait(&mut self, written: &[(i64, Links, f32)]) -> Result<(), Fault> {
        let mut terms = Vec::new();
        for (doc, links, length) in written {
            let mut waiting = Pending::new(*doc, *length);
            if let Some(own) = self.own.get(doc) {
                own.combine(&self.around(*links), self.ranking, &mut terms);
            }
            for (number, frequency) in &terms {
                let name = usize::try_from(*number).ok();
                let name = name.and_then(|at| self.vectors.vocabulary.names().get(at));
                waiting.push(name.map_or("", |name| name), *frequency);
            }
            waiting.write(self.connection)?;
        }
        Ok(())
    }

    fn build(&mut self, written: &[(i64, Links, f32)]) -> Result<(), Fault> {
        let mean = self.totals.mean();
        let names = self.vectors.vocabulary.names();
        let mut builder = Builder::default();
        let mut terms = Vec::new();
        for (doc, links, length) in written {
            let Some(own) = self.own.get(doc) else { continue };
            own.combine(&self.around(*links), self.ranking, &mut terms);
            let impact = |frequency| self.ranking.impact(frequency, *length, mean);
            let postings = terms.iter().map(|(number, frequency)| (*number, impact(*frequency)));
            builder.add((self.connection, names), *doc, postings)?;
        }
        builder.finish(self.connection, names)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a text has at most a million words")]
fn whole(length: f32) -> i64 {
    length.round() as i64
}

/// Puts a document into the sets of its kind, scope and state.
fn label(
    marks: &mut Marks,
    connection: &Connection,
    (doc, record, known): (i64, &Record, Option<&Known>),
) -> Result<(), Fault> {
    if let Some(Known { record: before, .. }) = known {
        marks.remove(connection, &marks::of_kind(before.kind), doc)?;
        marks.remove(connection, &marks::of_scope(before.scope), doc)?;
    }
    marks.add(connection, &marks::of_kind(record.kind), doc)?;
    marks.add(connection, &marks::of_scope(record.scope), doc)?;
    match record.state {
        crate::State::Retired => marks.add(connection, marks::RETIRED, doc),
        crate::State::Active if known.is_some() => marks.remove(connection, marks::RETIRED, doc),
        crate::State::Active => Ok(()),
    }
}

/// Makes segments of all documents that wait for one.
pub(crate) fn flush(connection: &Connection, ranking: &Ranking) -> Result<(), Fault> {
    let mean = Totals::read(connection)?.mean();
    let mut vocabulary = crate::vector::Vocabulary::default();
    let mut documents = Vec::new();
    for waiting in pending::all(connection)? {
        let mut postings = Vec::new();
        for term in waiting.terms() {
            let (term, frequency) = term?;
            let impact = ranking.impact(frequency, waiting.length, mean);
            postings.push((vocabulary.number(term), impact));
        }
        documents.push((waiting.doc, postings));
    }
    let mut builder = Builder::default();
    for (doc, postings) in documents {
        builder.add((connection, vocabulary.names()), doc, postings.into_iter())?;
    }
    builder.finish(connection, vocabulary.names())?;
    pending::clear(connection)
}
