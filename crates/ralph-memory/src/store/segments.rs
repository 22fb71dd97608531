//! Segments: the lists of documents that were indexed together.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::counters::Sequence;
use super::marks;
use crate::error::Fault;
use crate::index::{self, Allowed, Chunks, List, PARTITION, PARTITION_BITS, local_of, posting};

/// Segments of one partition that are merged when they get more.
const MOST_SEGMENTS: usize = 6;

/// Documents of a segment that a passing writer makes by merging: a hook must
/// not be the one that pays for a large one.
const LARGEST_IN_PASSING: i64 = 16 * 1024;

/// A segment as the search sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) id: i64,
    pub(crate) partition: i64,
    pub(crate) docs: i64,
}

impl Segment {
    /// The number of the first document of its partition.
    pub(crate) fn base(self) -> i64 {
        self.partition << PARTITION_BITS
    }
}

/// The partition of a document, and its number there.
pub(crate) fn place(doc: i64) -> (i64, u32) {
    let local = doc & i64::from(PARTITION - 1);
    (doc >> PARTITION_BITS, u32::try_from(local).unwrap_or(0))
}

/// All segments, oldest first.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Segment>, Fault> {
    let sql = "SELECT id, part, docs FROM segments ORDER BY id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(Segment { id: row.get(0)?, partition: row.get(1)?, docs: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes a segment: each term with its postings, in order of the terms.
pub(crate) fn write<'a>(
    connection: &Connection,
    (partition, docs): (i64, i64),
    terms: impl Iterator<Item = (&'a str, &'a [u32])>,
) -> Result<(), Fault> {
    let sql = "INSERT INTO segments (part, docs) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute([partition, docs])?;
    let segment = connection.last_insert_rowid();
    let mut numbers = Sequence::chunks(connection)?;
    let mut insert_term =
        connection.prepare_cached("INSERT INTO terms VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut insert_chunk = connection.prepare_cached("INSERT INTO chunks VALUES (?1, ?2)")?;
    for (term, postings) in terms {
        let encoded = index::encode(postings);
        let mut first = 0;
        for (number, chunk) in encoded.chunks.into_iter().enumerate() {
            let id = numbers.take();
            first = if number == 0 { id } else { first };
            insert_chunk.execute(params![id, chunk])?;
        }
        insert_term.execute(params![segment, term, encoded.count, first, encoded.head])?;
    }
    numbers.write(connection)
}

/// The list of a term in a segment.
pub(crate) fn list(
    connection: &Connection,
    segment: Segment,
    term: &str,
) -> Result<Option<List>, Fault> {
    let sql = "SELECT count, chunk, head FROM terms WHERE segment = ?1 AND term = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![segment.id, term], |row| {
        let head = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        Ok(List::new(row.get(0)?, head, row.get(1)?))
    });
    Ok(found.optional()?.transpose()?)
}

/// Reads chunks from the database.
pub(crate) struct Stored<'c>(pub(crate) &'c Connection);

impl Chunks for Stored<'_> {
    type Error = Fault;

    fn read(&mut self, chunk: i64, into: &mut Vec<u8>) -> Result<(), Fault> {
        let mut statement = self.0.prepare_cached("SELECT data FROM chunks WHERE id = ?1")?;
        into.clear();
        Ok(statement.query_row([chunk], |row| {
            into.extend_from_slice(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
            Ok(())
        })?)
    }
}

/// Merges small segments where a partition has many.
pub(crate) fn merge_in_passing(connection: &Connection) -> Result<(), Fault> {
    for (partition, mut segments) in by_partition(connection)? {
        if segments.len() <= MOST_SEGMENTS {
            continue;
        }
        segments.sort_by_key(|segment| segment.docs);
        let mut docs = 0;
        segments.retain(|segment| {
            docs += segment.docs;
            docs <= LARGEST_IN_PASSING
        });
        if segments.len() > 1 {
            merge(connection, partition, &segments)?;
        }
    }
    Ok(())
}

/// Merges each partition's segments into one, and drops what is stale.
pub(crate) fn merge_all(connection: &Connection) -> Result<(), Fault> {
    for (partition, segments) in by_partition(connection)? {
        let stale = segments
            .iter()
            .map(|segment| marks::of_partition(connection, &marks::stale(segment.id), partition));
        let any_stale = stale.collect::<Result<Vec<_>, _>>()?.iter().any(Option::is_some);
        if segments.len() > 1 || any_stale {
            merge(connection, partition, &segments)?;
        }
    }
    Ok(())
}

fn by_partition(connection: &Connection) -> Result<BTreeMap<i64, Vec<Segment>>, Fault> {
    let mut found: BTreeMap<i64, Vec<Segment>> = BTreeMap::new();
    for segment in all(connection)? {
        found.entry(segment.partition).or_default().push(segment);
    }
    Ok(found)
}

fn merge(connection: &Connection, partition: i64, segments: &[Segment]) -> Result<(), Fault> {
    let mut terms: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut seen = vec![0_u64; usize::try_from(PARTITION / 64).unwrap_or(0)];
    for segment in segments {
        gather(connection, *segment, |term, postings| {
            for posting in &postings {
                let local = local_of(*posting);
                seen[usize::try_from(local / 64).unwrap_or(0)] |= 1 << (local % 64);
            }
            terms.entry(term).or_default().extend(postings);
        })?;
        remove(connection, *segment)?;
    }
    let docs: u32 = seen.iter().map(|word| word.count_ones()).sum();
    if docs == 0 {
        return Ok(());
    }
    for postings in terms.values_mut() {
        postings.sort_unstable();
    }
    let terms = terms.iter().map(|(term, postings)| (term.as_str(), postings.as_slice()));
    write(connection, (partition, i64::from(docs)), terms)
}

/// Calls `each` with every term's postings that are not stale.
fn gather(
    connection: &Connection,
    segment: Segment,
    mut each: impl FnMut(String, Vec<u32>),
) -> Result<(), Fault> {
    let mut live = Allowed::All;
    if let Some(stale) =
        marks::of_partition(connection, &marks::stale(segment.id), segment.partition)?
    {
        live.without(&stale);
    }
    let sql = "SELECT term, count, chunk, head FROM terms WHERE segment = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([segment.id])?;
    let (mut chunks, mut chunk) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let (count, first): (u32, i64) = (row.get(1)?, row.get(2)?);
        chunks.clear();
        for number in numbers_of_chunks(count, first) {
            Stored(connection).read(number, &mut chunk)?;
            chunks.extend_from_slice(&chunk);
        }
        let head = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
        let mut postings = index::decode(count, head, &chunks)?;
        postings.retain(|posting| live.has(local_of(*posting)));
        if !postings.is_empty() {
            each(row.get(0)?, postings);
        }
    }
    Ok(())
}

fn numbers_of_chunks(count: u32, first: i64) -> std::ops::Range<i64> {
    let chunks = index::chunks_of(count);
    first..first + i64::try_from(chunks).unwrap_or(0)
}

fn remove(connection: &Connection, segment: Segment) -> Result<(), Fault> {
    let sql = "SELECT count, chunk FROM terms WHERE segment = ?1 AND count > ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![segment.id, index::SHORT_LIST])?;
    while let Some(row) = rows.next()? {
        let numbers = numbers_of_chunks(row.get(0)?, row.get(1)?);
        let sql = "DELETE FROM chunks WHERE id >= ?1 AND id < ?2";
        connection.prepare_cached(sql)?.execute([numbers.start, numbers.end])?;
    }
    connection.prepare_cached("DELETE FROM terms WHERE segment = ?1")?.execute([segment.id])?;
    connection.prepare_cached("DELETE FROM segments WHERE id = ?1")?.execute([segment.id])?;
    marks::forget(connection, &marks::stale(segment.id))
}

/// Collects postings of documents in ascending order, and writes a segment
/// for each partition.
#[derive(Default)]
pub(crate) struct Builder {
    partition: i64,
    docs: i64,
    postings: Vec<Vec<u32>>,
}

impl Builder {
    /// Adds a document; what belongs to another partition is written first.
    pub(crate) fn add(
        &mut self,
        (connection, names): (&Connection, &[Box<str>]),
        doc: i64,
        terms: impl Iterator<Item = (u32, u8)>,
    ) -> Result<(), Fault> {
        let (partition, local) = place(doc);
        if partition != self.partition {
            self.finish(connection, names)?;
            self.partition = partition;
        }
        self.docs += 1;
        self.postings.resize_with(names.len(), Vec::new);
        for (term, impact) in terms {
            if let Some(postings) =
                usize::try_from(term).ok().and_then(|at| self.postings.get_mut(at))
            {
                postings.push(posting(local, impact));
            }
        }
        Ok(())
    }

    /// Writes what was added since the last segment.
    pub(crate) fn finish(
        &mut self,
        connection: &Connection,
        names: &[Box<str>],
    ) -> Result<(), Fault> {
        if self.docs == 0 {
            return Ok(());
        }
        let used = names.iter().zip(&self.postings).filter(|(_, postings)| !postings.is_empty());
        let mut terms: Vec<(&str, &[u32])> =
            used.map(|(name, postings)| (&**name, postings.as_slice())).collect();
        terms.sort_unstable_by_key(|(name, _)| *name);
        write(connection, (self.partition, self.docs), terms.into_iter())?;
        self.docs = 0;
        self.postings.iter_mut().for_each(Vec::clear);
        Ok(())
    }
}
