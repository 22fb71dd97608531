//! The packs that ralph wrote. They are kept few, since git searches all of
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::error::TreeError;
use crate::oid::Oid;
use crate::pack::{self, INDEX_HEAD, ObjectBatch, PACK_HEAD_LEN, WrittenObjects};
use crate::probe;

/// Maximum number of our packs before they are joined.
const MOST: usize = 8;

/// Packs above this many bytes are not joined.
const LARGE: u64 = 8 * 1024 * 1024;

/// Number of recent writes to remember, so that git need not be asked for them.
const REMEMBERED: usize = 4 * MOST;

const MOST_CONFIRMED: usize = 1000;

/// Writes objects into a repository.
#[derive(Debug)]
pub(crate) struct PackWriter {
    objects: PathBuf,
    /// The file that lists our packs by name.
    list: PathBuf,
    written: Mutex<Vec<WrittenObjects>>,
    confirmed: Mutex<ConfirmedObjects>,
}

/// Objects that git found in packs while the pack folder had this modification
/// time.
#[derive(Debug, Default)]
struct ConfirmedObjects {
    seen: Option<SystemTime>,
    ids: BTreeSet<Oid>,
}

impl PackWriter {
    /// `objects` is the folder of the repository, `list` a file of ours.
    pub(crate) fn new(objects: PathBuf, list: PathBuf) -> Self {
        Self { objects, list, written: Mutex::default(), confirmed: Mutex::default() }
    }

    /// Writes the objects that the repository is not known to have: after a
    /// rollback it has all that was restored.
    pub(crate) fn write(&self, mut batch: ObjectBatch) -> Result<(), TreeError> {
        let indexes = self.indexes();
        batch.retain(|id| !self.has(id) && !indexes.iter().any(|index| index.holds(id)));
        if batch.is_empty() {
            return Ok(());
        }
        let failed = || TreeError::io("write in", &self.objects);
        let written = batch.write(&self.objects).map_err(failed())?;
        let is_pack = written.pack.is_some();
        if is_pack {
            // A pack that is not listed is only never joined.
            let _ = self.enlist(&written);
        }
        self.remember(written);
        Ok(())
    }

    /// Returns true if an object certainly exists; if false, git may have it.
    pub(crate) fn has(&self, id: Oid) -> bool {
        let name = id.to_string();
        let (folder, file) = name.split_at(2);
        if self.objects.join(folder).join(file).exists() {
            return true;
        }
        if self.is_confirmed(id) {
            return true;
        }
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |written: &&WrittenObjects| written.ids.contains(&id);
        let packs = written.iter().rev().filter(holds).filter_map(|written| written.pack.as_ref());
        packs.into_iter().any(|pack| pack.with_extension("idx").exists())
    }

    /// Returns the state of the packs for [`Self::confirm`]; `None` if there
    /// are packs of other repositories, whose state is unknown.
    pub(crate) fn look(&self) -> Option<SystemTime> {
        let is_lent = self.objects.join("info/alternates").exists();
        let found = fs::metadata(self.objects.join("pack")).ok().filter(|_| !is_lent)?;
        found.modified().ok()
    }

    /// Remembers that git found these objects at the state `seen`.
    pub(crate) fn confirm(&self, seen: Option<SystemTime>, ids: impl Iterator<Item = Oid>) {
        let mut confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        if confirmed.seen != seen || confirmed.ids.len() > MOST_CONFIRMED {
            *confirmed = ConfirmedObjects { seen, ids: BTreeSet::new() };
        }
        confirmed.ids.extend(ids);
    }

    /// Reads the indexes of our listed packs.
    fn indexes(&self) -> Vec<PackIndex> {
        let listed = ralph_files::read_own_text(&self.list).unwrap_or_default();
        let folder = self.objects.join("pack");
        let packs = listed.lines().map(|name| folder.join(name));
        let packs = packs.filter(|pack| size(pack).is_some());
        packs.filter_map(|pack| PackIndex::read(&pack).ok()).collect()
    }

    fn is_confirmed(&self, id: Oid) -> bool {
        let confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        confirmed.seen.is_some() && confirmed.ids.contains(&id) && self.look() == confirmed.seen
    }

    fn remember(&self, new: WrittenObjects) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len() >= REMEMBERED {
            written.remove(0);
        }
        written.push(new);
    }

    fn enlist(&self, written: &WrittenObjects) -> io::Result<()> {
        let path = self.list.with_extension("guard");
        let guard = ralph_files::append_own(path)?;
        guard.lock()?;
        let listed = ralph_files::read_own_text(&self.list).unwrap_or_default();
        let folder = self.objects.join("pack");
        let listed = listed.lines().map(|name| folder.join(name));
        let mut all: BTreeSet<PathBuf> = listed.chain(written.pack.clone()).collect();
        all.retain(|pack| size(pack).is_some_and(|size| size <= LARGE));
        if all.len() > MOST {
            let joined = join(&self.objects, &all)?;
            all.clear();
            all.extend(joined.pack.clone());
            self.remember(joined);
        }
        let names = all.iter().filter_map(|pack| pack.file_name()?.to_str());
        let names: String = names.flat_map(|name| [name, "\n"]).collect();
        probe::write_atomically(&self.list, names.as_bytes())
    }
}

/// Returns the size of a pack; `None` if it is gone, as after `git gc`.
fn size(pack: &Path) -> Option<u64> {
    fs::metadata(pack.with_extension("idx")).ok()?;
    fs::metadata(pack.with_extension("pack")).ok().map(|found| found.len())
}

/// Replaces several packs by one with all their objects.
///
/// A git that reads one of them meanwhile searches its objects again, as after
/// a repack.
fn join(objects: &Path, packs: &BTreeSet<PathBuf>) -> io::Result<WrittenObjects> {
    let mut entries = BTreeMap::new();
    for pack in packs {
        let contents = read_all(&pack.with_extension("pack"))?;
        let read = PackIndex::read(pack)?.entries(&contents);
        entries.extend(read.ok_or_else(invalid)?);
    }
    let (joined, ids) = pack::write_pack(objects, entries.into_iter())?;
    for pack in packs.iter().filter(|pack| **pack != joined) {
        fs::remove_file(pack.with_extension("idx"))?;
        fs::remove_file(pack.with_extension("pack"))?;
    }
    Ok(WrittenObjects { pack: Some(joined), ids })
}

fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ralph_files::open_own(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// The index of one of our packs: ids in order, and where their entries begin.
struct PackIndex {
    ids: Vec<Oid>,
    offsets: Vec<usize>,
}

impl PackIndex {
    /// Reads the index of a pack, whose path has no extension.
    fn read(pack: &Path) -> io::Result<Self> {
        Self::parse(&read_all(&pack.with_extension("idx"))?).ok_or_else(invalid)
    }

    fn parse(index: &[u8]) -> Option<Self> {
        let body = index.strip_prefix(&INDEX_HEAD)?;
        let number = |bytes: &[u8]| -> Option<usize> {
            usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
        };
        let (fan_out, body) = body.split_at_checked(4 * 256)?;
        let count = number(&fan_out[4 * 255..])?;
        let (ids, body) = body.split_at_checked(count.checked_mul(Oid::LEN)?)?;
        let (_sums, body) = body.split_at_checked(count * 4)?;
        let (offsets, _digests) = body.split_at_checked(count * 4)?;
        Some(Self {
            ids: ids.chunks_exact(Oid::LEN).filter_map(Oid::from_bytes).collect(),
            offsets: offsets.chunks_exact(4).filter_map(number).collect(),
        })
    }

    fn holds(&self, id: Oid) -> bool {
        self.ids.binary_search(&id).is_ok()
    }

    /// Returns the entries of the pack. Ours never refer to each other, so they
    /// can be moved.
    fn entries(&self, pack: &[u8]) -> Option<Vec<(Oid, Vec<u8>)>> {
        let mut ends: BTreeSet<usize> = self.offsets.iter().copied().collect();
        ends.insert(pack.len().checked_sub(Oid::LEN)?);
        let entry = |(id, from): (&Oid, &usize)| {
            let to = *ends.range(from + 1..).next()?;
            let entry = pack.get(*from..to).filter(|_| *from >= PACK_HEAD_LEN)?;
            Some((*id, entry.to_vec()))
        };
        self.ids.iter().zip(&self.offsets).map(entry).collect()
    }
}

#[cfg(test)]
#[path = "packs_tests.rs"]
mod tests;
