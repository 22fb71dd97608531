//! Reads the kind and digests of one file.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use blake3::Hash;

use crate::manifest::{ManifestEntry, ManifestEntryKind};
use crate::stat::FileStat;
use crate::work_handle::WorkHandle;
use crate::{approach, path_bytes};

/// Size in bytes above which only the plain digest is computed.
pub(crate) const NORMALISED_LIMIT: u64 = 1024 * 1024;

/// Describes one file; `None` for folders, pipes, sockets and devices, and for
/// files that are deleted meanwhile.
///
/// The metadata are older than the contents, so a concurrent edit is found next
/// time. The result of an interrupted read is not valid.
pub(crate) fn read_entry(
    path: &Path,
    metadata: &Metadata,
    known: Option<&ManifestEntry>,
    handle: &WorkHandle,
) -> Option<ManifestEntry> {
    let stat = Some(FileStat::of(metadata));
    let kind = kind_of(metadata)?;
    if let Some(known) = known.filter(|known| known.kind == kind && known.stat == stat) {
        return Some(known.clone());
    }
    let digests = match kind {
        ManifestEntryKind::Link => fs::read_link(path).map(|target| {
            let digest = blake3::hash(&path_bytes::to_bytes(&target));
            (digest, digest)
        }),
        ManifestEntryKind::File | ManifestEntryKind::Executable | ManifestEntryKind::Unreadable => {
            digest_file(path, handle)
        }
    };
    match digests {
        Ok((content, normal)) => Some(ManifestEntry { kind, content, normal, stat }),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(_) => {
            let nothing = blake3::hash(&[]);
            Some(ManifestEntry {
                kind: ManifestEntryKind::Unreadable,
                content: nothing,
                normal: nothing,
                stat: None,
            })
        }
    }
}

fn kind_of(metadata: &Metadata) -> Option<ManifestEntryKind> {
    if metadata.is_symlink() {
        Some(ManifestEntryKind::Link)
    } else if metadata.is_file() {
        Some(if is_executable(metadata) {
            ManifestEntryKind::Executable
        } else {
            ManifestEntryKind::File
        })
    } else {
        None
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}

/// Returns the digests of a file: of its contents, and of its normalised
/// contents. They are the same for large and binary files.
fn digest_file(path: &Path, handle: &WorkHandle) -> io::Result<(Hash, Hash)> {
    let mut file = handle.reading(ralph_files::open(path)?);
    let mut beginning = Vec::new();
    (&mut file).take(NORMALISED_LIMIT + 1).read_to_end(&mut beginning)?;
    let is_whole = beginning.len() as u64 <= NORMALISED_LIMIT;
    let mut hasher = blake3::Hasher::new();
    let content = hasher.update(&beginning).update_reader(file)?.finalize();
    let is_text = is_whole && !beginning.contains(&0);
    Ok((content, if is_text { approach::normal_digest(&beginning) } else { content }))
}
