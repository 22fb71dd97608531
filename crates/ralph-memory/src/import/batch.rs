//! Entries that are written in one transaction.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::Imported;
use super::links::Named;
use super::reindex::Reindex;
use crate::entry::Entry;
use crate::error::Fault;
use crate::ranking::Ranking;
use crate::store::counters::Sequence;
use crate::store::entries::{Names, by_external_id, by_id, by_other_id, read};
use crate::vector::{Parts, Vector, Vectors};

/// The most entries of a batch: about a second of work under the lock.
const MOST_ENTRIES: usize = 1 << 16;

/// The most text of a batch, in bytes.
const MOST_TEXT: usize = 64 << 20;

/// From so many entries on, a batch is large.
const LARGE: usize = 1000;

/// What tells whether an entry is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
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
pub(crate) struct Batch {
    entries: Vec<(Entry, String, Identity)>,
    own: Vec<Vector>,
    vectors: Vectors,
    text: usize,
}

impl Batch {
    pub(crate) fn push(&mut self, entry: Entry, identity: Identity, ranking: &Ranking) {
        let Entry { title, text, why, files, .. } = &entry;
        let why = why.as_deref();
        self.text += title.len() + text.len() + why.map_or(0, str::len);
        self.own.push(self.vectors.vector(Parts { title, text, why, files }, ranking));
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
        ranking: &Ranking,
        counts: &mut Imported,
    ) -> Result<Vec<i64>, Fault> {
        let Self { entries, own, mut vectors, .. } = self;
        let Places { named, docs, by_doc } = places(connection, &entries)?;
        let mut index = Reindex::new(connection, ranking, &mut vectors)?;
        let mut labels = Names::default();
        let mut own: Vec<Option<Vector>> = own.into_iter().map(Some).collect();
        let mut linked = Vec::with_capacity(by_doc.len());
        for (doc, place) in &by_doc {
            let (entry, id, _) = &entries[place.last];
            linked.push((*doc, entry));
            let mut record = labels.record(connection, entry, id)?;
            let known = if place.is_new { None } else { read(connection, *doc)? };
            index.neighbours.know(*doc, known.as_ref().map_or([None, None], |known| known.links));
            if let Some(known) = &known {
                // The first name stays, whatever else became of the entry.
                record.id.clone_from(&known.record.id);
            }
            let is_same = known.as_ref().is_some_and(|known| known.record == record);
            counts.added += u64::from(place.is_new);
            counts.unchanged += u64::from(is_same);
            counts.updated += u64::from(!place.is_new && !is_same) + place.repeated;
            if let Some(own) = own[place.last].take() {
                index.own.insert(*doc, own);
            }
            if !is_same {
                index.records.insert(*doc, (record, known));
            }
        }
        index.neighbours.link(connection, &linked, &named)?;
        index.finish()?;
        Ok(docs)
    }
}

/// Where an entry of a batch goes.
struct Place {
    /// The last of the entries with this name: it counts.
    last: usize,
    is_new: bool,
    repeated: u64,
}

/// Where the entries of a batch go, and where names lead to.
struct Places<'a> {
    named: Named<'a>,
    /// The number of each entry, in their order.
    docs: Vec<i64>,
    by_doc: BTreeMap<i64, Place>,
}

/// The document that an entry is already.
fn find(connection: &Connection, id: &str, entry: &Entry) -> Result<Option<i64>, Fault> {
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
fn places<'a>(
    connection: &Connection,
    entries: &'a [(Entry, String, Identity)],
) -> Result<Places<'a>, Fault> {
    let mut numbers = Sequence::documents(connection)?;
    let mut found = Places { named: Named::default(), docs: Vec::new(), by_doc: BTreeMap::new() };
    let Places { named, docs, by_doc } = &mut found;
    for (last, (entry, id, identity)) in entries.iter().enumerate() {
        let known = match identity {
            Identity::New => None,
            Identity::IdAlone => match named.ids.get(id.as_str()) {
                Some(doc) => Some(*doc),
                None => by_id(connection, id)?,
            },
            Identity::AnyName => match named.known(id, entry) {
                Some(doc) => Some(doc),
                None => find(connection, id, entry)?,
            },
        };
        let doc = known.unwrap_or_else(|| numbers.take());
        docs.push(doc);
        let place =
            by_doc.entry(doc).or_insert(Place { last, is_new: known.is_none(), repeated: 0 });
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
