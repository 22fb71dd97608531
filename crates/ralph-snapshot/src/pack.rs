//! Writes new git objects without git.
//!
//! More than a few objects go into one pack. Each file must be flushed before
//! it is renamed, so that a power cut leaves no empty files, and flushing two
//! files is faster than two hundred.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use sha1::{Digest, Sha1};

use crate::oid::{ObjectKind, Oid};
use crate::probe;

/// Up to so many objects get files of their own.
const FEW: usize = 2;

/// First bytes of a pack, before the number of its objects.
const PACK_HEAD: [u8; 8] = *b"PACK\0\0\0\x02";
pub(crate) const PACK_HEAD_LEN: usize = 12;
/// First bytes of a pack index.
pub(crate) const INDEX_HEAD: [u8; 8] = *b"\xfftOc\0\0\0\x02";

/// Objects that are not in the repository yet.
#[derive(Debug, Default)]
pub(crate) struct ObjectBatch(BTreeMap<Oid, DeflatedObject>);

#[derive(Debug)]
struct DeflatedObject {
    kind: ObjectKind,
    size: usize,
    deflated: Vec<u8>,
}

impl ObjectBatch {
    /// Adds an object and returns its id.
    pub(crate) fn add(&mut self, kind: ObjectKind, contents: &[u8]) -> Oid {
        let id = Oid::of(kind, contents);
        self.0.entry(id).or_insert_with(|| {
            let deflated = deflate(&[contents]);
            DeflatedObject { kind, size: contents.len(), deflated }
        });
        id
    }

    /// Drops the objects for which `keep` is false.
    pub(crate) fn retain(&mut self, keep: impl Fn(Oid) -> bool) {
        self.0.retain(|id, _| keep(*id));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the objects to the folder `objects` of a repository.
    pub(crate) fn write(self, objects: &Path) -> io::Result<WrittenObjects> {
        if self.0.len() <= FEW {
            for (id, object) in &self.0 {
                write_loose(objects, id, object)?;
            }
            return Ok(WrittenObjects { pack: None, ids: self.0.into_keys().collect() });
        }
        let entries = self.0.into_iter().map(|(id, object)| (id, object.in_pack()));
        let (pack, ids) = write_pack(objects, entries)?;
        Ok(WrittenObjects { pack: Some(pack), ids })
    }
}

/// Objects that were written to the repository.
#[derive(Debug)]
pub(crate) struct WrittenObjects {
    /// Path without extension; `None` where each object has its own file.
    pub(crate) pack: Option<PathBuf>,
    pub(crate) ids: BTreeSet<Oid>,
}

impl DeflatedObject {
    /// Returns the object's entry in a pack: type and size, seven bits a byte
    /// after the first, and the contents.
    fn in_pack(self) -> Vec<u8> {
        let kind = match self.kind {
            ObjectKind::Commit => 1_u8,
            ObjectKind::Tree => 2,
            ObjectKind::Blob => 3,
        };
        let low = |size: usize, mask: u8| size.to_le_bytes()[0] & mask;
        let mut entry = Vec::with_capacity(self.deflated.len() + 8);
        let (mut byte, mut rest) = (kind << 4 | low(self.size, 0x0f), self.size >> 4);
        while rest > 0 {
            entry.push(byte | 0x80);
            byte = low(rest, 0x7f);
            rest >>= 7;
        }
        entry.push(byte);
        entry.extend(self.deflated);
        entry
    }
}

fn deflate(parts: &[&[u8]]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    for part in parts {
        // Writing to memory cannot fail.
        let _ = encoder.write_all(part);
    }
    encoder.finish().unwrap_or_default()
}

fn write_loose(objects: &Path, id: &Oid, object: &DeflatedObject) -> io::Result<()> {
    let name = id.to_string();
    let (folder, file) = name.split_at(2);
    let path = objects.join(folder).join(file);
    if path.exists() {
        return Ok(());
    }
    // A pack does not compress the header, an object file does.
    let head = format!("{} {}\0", object.kind.name(), object.size);
    let mut contents = Vec::with_capacity(object.size);
    io::copy(&mut flate2::read::ZlibDecoder::new(&*object.deflated), &mut contents)?;
    fs::create_dir_all(objects.join(folder))?;
    let temporary = write_flushed(objects, &deflate(&[head.as_bytes(), &contents]))?;
    fs::rename(temporary, path)
}

/// Writes a pack of `entries`, ordered by id; returns its path without
/// extension, and the ids.
pub(crate) fn write_pack(
    objects: &Path,
    entries: impl Iterator<Item = (Oid, Vec<u8>)>,
) -> io::Result<(PathBuf, BTreeSet<Oid>)> {
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    let mut pack = [&PACK_HEAD[..], &[0; 4]].concat();
    let (mut ids, mut sums, mut offsets) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (id, entry) in entries {
        let offset = i32::try_from(pack.len()).map_err(|_| too_large())?;
        offsets.extend(offset.to_be_bytes());
        let mut sum = Crc::new();
        sum.update(&entry);
        sums.extend(sum.sum().to_be_bytes());
        pack.extend(entry);
        ids.insert(id);
    }
    let count = u32::try_from(ids.len()).map_err(|_| too_large())?;
    pack[PACK_HEAD.len()..PACK_HEAD_LEN].copy_from_slice(&count.to_be_bytes());
    let digest: [u8; 20] = Sha1::digest(&pack).into();
    pack.extend(digest);
    let mut index = [&INDEX_HEAD[..], &fan_out(&ids)].concat();
    index.extend(ids.iter().flat_map(Oid::as_bytes));
    index.extend(sums);
    index.extend(offsets);
    index.extend(digest);
    let own: [u8; 20] = Sha1::digest(&index).into();
    index.extend(own);

    let folder = objects.join("pack");
    fs::create_dir_all(&folder)?;
    // Flushed in parallel, they wait for the disk once.
    let (pack, index) = thread::scope(|threads| {
        let other = threads.spawn(|| write_flushed(&folder, &index));
        let pack = write_flushed(&folder, &pack);
        (pack, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let name = Oid::from_bytes(&digest).map(|id| id.to_string()).unwrap_or_default();
    let path = folder.join(format!("pack-{name}"));
    // Git opens a pack once its index exists, so the index is renamed last.
    fs::rename(pack?, path.with_extension("pack"))?;
    fs::rename(index?, path.with_extension("idx"))?;
    Ok((path, ids))
}

/// Counts, for each first byte, the ids that have it or a smaller one.
fn fan_out(ids: &BTreeSet<Oid>) -> Vec<u8> {
    let mut counts = [0_u32; 256];
    for id in ids {
        counts[usize::from(id.as_bytes()[0])] += 1;
    }
    let mut sum = 0;
    let table = counts.iter().flat_map(|count| {
        sum += count;
        sum.to_be_bytes()
    });
    table.collect()
}

/// Writes a file and flushes it to disk; returns its path.
fn write_flushed(folder: &Path, contents: &[u8]) -> io::Result<PathBuf> {
    let path = probe::unique_path(folder, probe::PREFIX);
    let written = File::create_new(&path).and_then(|mut file| {
        file.write_all(contents)?;
        file.set_permissions(read_only(&file.metadata()?.permissions()))?;
        file.sync_all()
    });
    if let Err(error) = written {
        // The first error is returned; the leftover is harmless.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok(path)
}

/// Returns the permissions that git gives its objects.
fn read_only(present: &Permissions) -> Permissions {
    let mut permissions = present.clone();
    permissions.set_readonly(true);
    permissions
}
