//! Who stands beside whom.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;

use crate::entry::SearchEntry;
use crate::error::StorageFault;
use crate::store::entries::{self, NeighbourIds};

/// The entry after another has it before itself.
fn opposite(side: usize) -> usize {
    1 - side
}

/// Documents of a batch by the names of their entries.
#[derive(Default)]
pub(super) struct NamedDocuments<'a> {
    pub(super) ids: HashMap<&'a str, i64>,
    pub(super) externals: HashMap<&'a str, i64>,
}

impl NamedDocuments<'_> {
    /// The document that an entry of the batch is already.
    pub(super) fn known(&self, id: &str, entry: &SearchEntry) -> Option<i64> {
        let external = entry.external_id.as_deref();
        self.ids.get(id).or_else(|| self.externals.get(external?)).copied()
    }

    fn resolve(&self, name: &str) -> Option<i64> {
        self.externals.get(name).or_else(|| self.ids.get(name)).copied()
    }

    fn all(&self) -> impl Iterator<Item = (&str, i64)> {
        self.ids.iter().chain(&self.externals).map(|(name, doc)| (*name, *doc))
    }
}

/// The neighbours of documents that a batch writes or touches.
#[derive(Default)]
pub(super) struct NeighbourLinks {
    links: BTreeMap<i64, NeighbourIds>,
    /// Documents whose neighbours changed.
    pub(super) changed: BTreeSet<i64>,
}

impl NeighbourLinks {
    /// The neighbours of a document, from the database if need be.
    pub(super) fn of(
        &mut self,
        connection: &Connection,
        doc: i64,
    ) -> Result<NeighbourIds, StorageFault> {
        if let Some(links) = self.links.get(&doc) {
            return Ok(*links);
        }
        let links = entries::read(connection, doc)?.map_or([None, None], |known| known.links);
        self.links.insert(doc, links);
        Ok(links)
    }

    /// Sets what is known of a document's neighbours.
    pub(super) fn know(&mut self, doc: i64, links: NeighbourIds) {
        self.links.entry(doc).or_insert(links);
    }

    pub(super) fn set(
        &mut self,
        connection: &Connection,
        (doc, side): (i64, usize),
        target: Option<i64>,
    ) -> Result<(), StorageFault> {
        let mut links = self.of(connection, doc)?;
        if links[side] != target && target != Some(doc) {
            links[side] = target;
            self.links.insert(doc, links);
            self.changed.insert(doc);
        }
        Ok(())
    }

    /// Links the entries of a batch as they say, and back where the other says
    /// nothing. `named` finds documents of the batch by their names.
    pub(super) fn link(
        &mut self,
        connection: &Connection,
        batch: &[(i64, &SearchEntry)],
        named: &NamedDocuments<'_>,
    ) -> Result<(), StorageFault> {
        let mut pairs = Vec::new();
        for (doc, entry) in batch {
            for (side, name) in [&entry.prev, &entry.next].into_iter().enumerate() {
                let Some(name) = name else { continue };
                let target = match named.resolve(name) {
                    Some(target) => Some(target),
                    None => entries::resolve(connection, name)?,
                };
                match target {
                    Some(target) => pairs.push((*doc, side, target)),
                    None => entries::expect(connection, name, (*doc, side))?,
                }
            }
        }
        if entries::is_any_expected(connection)? {
            for (name, target) in named.all() {
                let waiting = entries::arrived(connection, name)?;
                pairs.extend(waiting.into_iter().map(|(doc, side)| (doc, side, target)));
            }
            pairs.sort_unstable();
        }
        for (doc, side, target) in &pairs {
            self.set(connection, (*doc, *side), Some(*target))?;
        }
        for (doc, side, target) in pairs {
            if self.of(connection, target)?[opposite(side)].is_none() {
                self.set(connection, (target, opposite(side)), Some(doc))?;
            }
        }
        Ok(())
    }

    /// Takes a document out from between its neighbours.
    pub(super) fn unlink(&mut self, connection: &Connection, doc: i64) -> Result<(), StorageFault> {
        for (side, beside) in self.of(connection, doc)?.into_iter().enumerate() {
            let Some(beside) = beside else { continue };
            if self.of(connection, beside)?[opposite(side)] == Some(doc) {
                self.set(connection, (beside, opposite(side)), None)?;
            }
        }
        Ok(())
    }
}
