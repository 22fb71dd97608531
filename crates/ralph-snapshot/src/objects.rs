//! Compressed contents by their digest, each stored once.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use blake3::Hash;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::error::TreeError;
use crate::probe;

/// The folder with the contents.
#[derive(Debug)]
pub(crate) struct ObjectFolder {
    folder: PathBuf,
}

/// The result of storing contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreOutcome {
    Yes,
    /// The digest differs, because the file changed meanwhile.
    Changed,
}

impl ObjectFolder {
    pub(crate) fn new(state: &Path) -> Self {
        Self { folder: state.join("objects") }
    }

    /// Takes a shared lock to add contents; nothing is removed while it is
    /// held.
    pub(crate) fn share(&self) -> Result<File, TreeError> {
        let file = self.lock_file()?;
        file.lock_shared().map_err(TreeError::io("lock", &self.folder))?;
        Ok(file)
    }

    /// Takes an exclusive lock to remove contents; nothing is added while it is
    /// held.
    pub(crate) fn own(&self) -> Result<File, TreeError> {
        let file = self.lock_file()?;
        file.lock().map_err(TreeError::io("lock", &self.folder))?;
        Ok(file)
    }

    fn lock_file(&self) -> Result<File, TreeError> {
        crate::work_tree::create_private(&self.folder)?;
        let path = self.folder.join("lock");
        let opened = ralph_files::append_own(&path);
        opened.map_err(TreeError::io("open", &path))
    }

    /// Stores the contents if their digest is `digest`.
    pub(crate) fn put(
        &self,
        digest: &Hash,
        contents: impl FnOnce() -> io::Result<Box<dyn Read>>,
    ) -> Result<StoreOutcome, TreeError> {
        let path = self.path(&digest.to_hex());
        if path.exists() {
            return Ok(StoreOutcome::Yes);
        }
        let folder = path.parent().unwrap_or(&self.folder);
        if !folder.exists() {
            crate::work_tree::create_private(folder)?;
        }
        let temporary = probe::unique_path(folder, "tmp");
        let written = contents().and_then(|contents| compress(contents, &temporary));
        let stored = written.and_then(|found| {
            if found == *digest {
                fs::rename(&temporary, &path).map(|()| StoreOutcome::Yes)
            } else {
                Ok(StoreOutcome::Changed)
            }
        });
        if !matches!(stored, Ok(StoreOutcome::Yes)) {
            // There may be none; a leftover only costs space.
            let _ = fs::remove_file(&temporary);
        }
        match stored {
            // The file was deleted meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.exists() => {
                Ok(StoreOutcome::Changed)
            }
            stored => stored.map_err(TreeError::io("write", &path)),
        }
    }

    /// Opens contents by their digest in hexadecimal digits.
    pub(crate) fn open(&self, digest: &str) -> Result<impl Read + use<>, TreeError> {
        let path = self.path(digest);
        let file = ralph_files::open(&path).map_err(TreeError::io("read", &path))?;
        Ok(ZlibDecoder::new(BufReader::new(file)))
    }

    /// Returns the number of bytes that contents take here.
    pub(crate) fn size(&self, digest: &str) -> u64 {
        fs::metadata(self.path(digest)).map_or(0, |found| found.len())
    }

    /// Removes all contents except these, given in hexadecimal digits.
    pub(crate) fn retain(&self, wanted: &BTreeSet<String>) -> Result<(), TreeError> {
        for folder in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let parts = [folder.file_name(), file.file_name()];
                let digest = parts.map(|part| part.to_string_lossy().into_owned()).concat();
                if !wanted.contains(&digest) {
                    let path = file.path();
                    fs::remove_file(&path).map_err(TreeError::io("remove", &path))?;
                }
            }
        }
        Ok(())
    }

    fn path(&self, digest: &str) -> PathBuf {
        let (folder, file) = digest.split_at_checked(2).unwrap_or(("", digest));
        self.folder.join(folder).join(file)
    }
}

fn compress(mut contents: Box<dyn Read>, to: &Path) -> io::Result<Hash> {
    let file = BufWriter::new(File::create_new(to)?);
    let mut encoder = ZlibEncoder::new(file, Compression::fast());
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match contents.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..count]);
        encoder.write_all(&buffer[..count])?;
    }
    encoder.finish()?.flush()?;
    Ok(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(objects: &ObjectFolder, digest: &Hash, text: &'static str) -> StoreOutcome {
        objects.put(digest, || Ok(Box::new(text.as_bytes()))).unwrap()
    }

    #[test]
    fn contents_come_back_and_are_kept_once() {
        let state = tempfile::tempdir().unwrap();
        let objects = ObjectFolder::new(state.path());
        let digest = blake3::hash(b"text");
        assert_eq!(put(&objects, &digest, "text"), StoreOutcome::Yes);
        assert_eq!(put(&objects, &digest, "not even read"), StoreOutcome::Yes);
        let mut text = String::new();
        objects.open(&digest.to_hex()).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        assert!(objects.size(&digest.to_hex()) > 0);
        objects.retain(&BTreeSet::new()).unwrap();
        assert!(objects.open(&digest.to_hex()).is_err());
    }

    #[test]
    fn contents_that_changed_meanwhile_leave_nothing() {
        let state = tempfile::tempdir().unwrap();
        let objects = ObjectFolder::new(state.path());
        let digest = blake3::hash(b"text");
        assert_eq!(put(&objects, &digest, "other"), StoreOutcome::Changed);
        let folder = objects.path(&digest.to_hex()).parent().unwrap().to_owned();
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }
}
