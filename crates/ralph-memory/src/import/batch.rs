//! Entries that are written in one transaction.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::ImportCounts;
use super::links::{NamedDocuments, NeighbourLinks};
use crate::analysis::TextAnalyzer;
use crate::entry::{EntryState, SearchEntry};
use crate::error::StorageFault;
use crate::ranking::{EntryParts, EntryWords, RankingWeights};
use crate::store::counters::{DocumentTotals, IdSequence};
use crate::store::entries::{self, NameNumbers, by_external_id, by_id, by_other_id, read};
use crate::store::places::{DocumentTable, SearchDocument};
use crate::store::words;

/// The most entries of a batch: about a second of work under the lock.
const MOST_ENTRIES: usize = 1 << 16;

/// The most text of a batch, in bytes.
const MOST_TEXT: usize = 64 << 20;

/// From so many entries on, a batch is large.
const LARGE: usize = 1000;

/// What tells whether an entry is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdentityRule {
    /// Either of its names.
    AnyName,
    /// Its id, which it has: the caller knows who is who.
    IdAlone,
    /// The caller: it is not, and no other of the batch has its id.
    New,
}

/// Entries that are written in one transaction. Their words are found before
/// it begins, while others may write.
#[derive(Default)]
pub(crate) struct EntryBatch {
    entries: Vec<(SearchEntry, String, IdentityRule)>,
    words: Vec<EntryWords>,
    analyzer: TextAnalyzer,
    text: usize,
}

impl EntryBatch {
    pub(crate) fn push(
        &mut self,
        entry: SearchEntry,
        identity: IdentityRule,
        ranking: &RankingWeights,
    ) {
        let SearchEntry { title, text, why, files, .. } = &entry;
        let why = why.as_deref();
        self.text += title.len() + text.len() + why.map_or(0, str::len);
        let parts = EntryParts { title, text, why, files };
        self.words.push(EntryWords::of(parts, &mut self.analyzer, ranking));
        let id = entry.own_id();
        self.entries.push((entry, id, identity));
    }

    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= MOST_ENTRIES || self.text >= MOST_TEXT
    }

    /// Whether others have to wait for it.
    pub(crate) fn is_large(&self) -> bool {
        self.entries.len() > LARGE
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Writes the batch; the caller's transaction makes it last. Says which
    /// documents the entries are, in their order.
    pub(crate) fn write(
        self,
        connection: &Connection,
        counts: &mut ImportCounts,
    ) -> Result<Vec<i64>, StorageFault> {
        let BatchDestinations { named, docs, by_doc } = destinations(connection, &self.entries)?;
        let mut neighbours = NeighbourLinks::default();
        let mut labels = NameNumbers::default();
        let (mut linked, mut changed) = (Vec::with_capacity(by_doc.len()), Vec::new());
        for (doc, to) in &by_doc {
            let (entry, id, _) = &self.entries[to.last];
            linked.push((*doc, entry));
            let mut record = labels.record(connection, entry, id)?;
            let known = if to.is_new { None } else { read(connection, *doc)? };
            neighbours.know(*doc, known.as_ref().map_or([None, None], |known| known.links));
            if let Some(known) = &known {
                // The first name stays, whatever else became of the entry.
                record.id.clone_from(&known.record.id);
            }
            let is_same = known.is_some_and(|known| known.record == record);
            counts.added += u64::from(to.is_new);
            counts.unchanged += u64::from(is_same);
            counts.updated += u64::from(!to.is_new && !is_same) + to.repeated;
            if !is_same {
                changed.push((*doc, record, &self.words[to.last]));
            }
        }
        neighbours.link(connection, &linked, &named)?;
        let (mut places, mut totals) =
            (DocumentTable::new(connection), DocumentTotals::read(connection)?);
        for (doc, record, own) in changed {
            let links = neighbours.of(connection, doc)?;
            neighbours.changed.remove(&doc);
            let before = places.get(doc)?.map(|place| place.length);
            if before.is_some() {
                entries::take(connection, doc)?;
                words::remove(connection, doc)?;
            }
            entries::add(connection, doc, &record, links)?;
            words::add(connection, doc, own)?;
            totals.replace(before, Some(own.length()));
            places.set(doc, Some(SearchDocument::new(&record, links, own.length())))?;
        }
        relink(connection, &mut neighbours, &mut places)?;
        totals.write(connection)?;
        places.write()?;
        Ok(docs)
    }
}

/// Writes what stands beside documents where that changed.
fn relink(
    connection: &Connection,
    neighbours: &mut NeighbourLinks,
    places: &mut DocumentTable<'_>,
) -> Result<(), StorageFault> {
    for doc in std::mem::take(&mut neighbours.changed) {
        let links = neighbours.of(connection, doc)?;
        entries::relink(connection, doc, links)?;
        if let Some(place) = places.get(doc)? {
            places.set(doc, Some(SearchDocument { links, ..place }))?;
        }
    }
    Ok(())
}

/// Removes a document.
pub(crate) fn remove(connection: &Connection, doc: i64) -> Result<(), StorageFault> {
    let mut neighbours = NeighbourLinks::default();
    neighbours.unlink(connection, doc)?;
    let (mut places, mut totals) =
        (DocumentTable::new(connection), DocumentTotals::read(connection)?);
    relink(connection, &mut neighbours, &mut places)?;
    totals.replace(places.get(doc)?.map(|place| place.length), None);
    places.set(doc, None)?;
    places.write()?;
    totals.write(connection)?;
    words::remove(connection, doc)?;
    entries::remove(connection, doc)
}

/// Sets whether a document still holds.
pub(crate) fn set_state(
    connection: &Connection,
    doc: i64,
    state: EntryState,
) -> Result<(), StorageFault> {
    entries::set_state(connection, doc, state)?;
    let mut places = DocumentTable::new(connection);
    if let Some(place) = places.get(doc)? {
        places.set(doc, Some(SearchDocument { state, ..place }))?;
    }
    places.write()
}

/// Where an entry of a batch goes.
struct EntryDestination {
    /// The last of the entries with this name: it counts.
    last: usize,
    is_new: bool,
    repeated: u64,
}

/// Where the entries of a batch go, and where names lead to.
struct BatchDestinations<'a> {
    named: NamedDocuments<'a>,
    /// The number of each entry, in their order.
    docs: Vec<i64>,
    by_doc: BTreeMap<i64, EntryDestination>,
}

/// The document that an entry is already.
fn find(
    connection: &Connection,
    id: &str,
    entry: &SearchEntry,
) -> Result<Option<i64>, StorageFault> {
    if let Some(doc) = by_id(connection, id)? {
        return Ok(Some(doc));
    }
    match (&entry.external_id, &entry.id) {
        (Some(external), Some(_)) => by_external_id(connection, external),
        // The id is made from the external one, and was looked up.
        (Some(external), None) => by_other_id(connection, external),
        (None, _) => Ok(None),
    }
}

/// Finds the numbers of entries; new ones get theirs.
fn destinations<'a>(
    connection: &Connection,
    entries: &'a [(SearchEntry, String, IdentityRule)],
) -> Result<BatchDestinations<'a>, StorageFault> {
    let mut numbers = IdSequence::documents(connection)?;
    let mut found = BatchDestinations {
        named: NamedDocuments::default(),
        docs: Vec::new(),
        by_doc: BTreeMap::new(),
    };
    let BatchDestinations { named, docs, by_doc } = &mut found;
    for (last, (entry, id, identity)) in entries.iter().enumerate() {
        let known = match identity {
            IdentityRule::New => None,
            IdentityRule::IdAlone => match named.ids.get(id.as_str()) {
                Some(doc) => Some(*doc),
                None => by_id(connection, id)?,
            },
            IdentityRule::AnyName => match named.known(id, entry) {
                Some(doc) => Some(doc),
                None => find(connection, id, entry)?,
            },
        };
        let doc = known.unwrap_or_else(|| numbers.take());
        docs.push(doc);
        let place = by_doc.entry(doc).or_insert(EntryDestination {
            last,
            is_new: known.is_none(),
            repeated: 0,
        });
        place.repeated += u64::from(place.last != last);
        place.last = last;
        named.ids.insert(id, doc);
        if let Some(external) = &entry.external_id {
            named.externals.insert(external, doc);
        }
    }
    numbers.write(connection)?;
    Ok(found)
}
