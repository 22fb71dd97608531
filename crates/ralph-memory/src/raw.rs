//! What failing checks printed: compressed files beside the log, named by what
//! is in them, and let go of after a while.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// How much of an output is kept, in bytes before it is compressed.
pub const MOST_BYTES: usize = 256 * 1024;

/// How long outputs are kept, and how much of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputRetention {
    /// After this long one goes.
    pub age: Duration,
    /// The oldest go until all take no more than this many bytes.
    pub bytes: u64,
}

impl Default for OutputRetention {
    fn default() -> Self {
        Self { age: Duration::from_hours(30 * 24), bytes: 64 * 1024 * 1024 }
    }
}

/// The outputs of one state home.
#[derive(Debug, Clone)]
pub struct RawOutputStore {
    folder: PathBuf,
}

/// An output on the disk.
struct StoredOutput {
    path: PathBuf,
    bytes: u64,
    at: SystemTime,
}

impl RawOutputStore {
    /// The outputs of a state home; touches nothing.
    pub fn new(home: &Path) -> Self {
        Self::beside(&home.join("memory"))
    }

    /// The outputs beside a log in this folder.
    pub(crate) fn beside(folder: &Path) -> Self {
        Self { folder: folder.join("raw") }
    }

    /// Keeps a text and returns its name; of a long one the middle is left
    /// out. The same text is kept once.
    pub fn keep(&self, text: &str) -> io::Result<String> {
        let text = shortened(text);
        let name = blake3::hash(text.as_bytes()).to_hex().as_str()[..16].to_owned();
        let path = self.path(&name);
        if path.exists() {
            return Ok(name);
        }
        fs::create_dir_all(&self.folder)?;
        let beside = path.with_extension(format!("{}.tmp", std::process::id()));
        let written = ralph_files::create_own(&beside).and_then(|file| {
            let mut encoder = GzEncoder::new(file, Compression::new(6));
            encoder.write_all(text.as_bytes())?;
            encoder.finish()
        });
        let done = written.and_then(|_| fs::rename(&beside, &path));
        done.inspect_err(|_| drop(fs::remove_file(&beside)))?;
        Ok(name)
    }

    /// The text with a name; `None` if it is gone.
    pub fn read(&self, name: &str) -> io::Result<Option<String>> {
        if !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let file = match ralph_files::open(self.path(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut text = String::new();
        // The end of the middle that was left out is not counted.
        let most = u64::try_from(2 * MOST_BYTES).unwrap_or(u64::MAX);
        GzDecoder::new(file).take(most).read_to_string(&mut text)?;
        Ok(Some(text))
    }

    /// How many bytes all of them take.
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.list()?.iter().map(|stored| stored.bytes).sum())
    }

    /// Lets go of what is too old or too much, the oldest first; says how many
    /// bytes that frees. `remove` is asked to delete each.
    pub fn let_go(
        &self,
        keeping: OutputRetention,
        now: SystemTime,
        mut remove: impl FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut stored = self.list()?;
        stored.sort_by_key(|one| std::cmp::Reverse(one.at));
        let (mut kept, mut freed) = (0, 0);
        for one in stored {
            let age = now.duration_since(one.at).unwrap_or_default();
            if age <= keeping.age && kept + one.bytes <= keeping.bytes {
                kept += one.bytes;
            } else {
                remove(&one.path)?;
                freed += one.bytes;
            }
        }
        Ok(freed)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.gz"))
    }

    fn list(&self) -> io::Result<Vec<StoredOutput>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let facts = entry.metadata()?;
            found.push(StoredOutput {
                path: entry.path(),
                bytes: facts.len(),
                at: facts.modified()?,
            });
        }
        Ok(found)
    }
}

/// A text, or its beginning and its end.
fn shortened(text: &str) -> String {
    if text.len() <= MOST_BYTES {
        return text.to_owned();
    }
    let mark = "\n[…]\n";
    let half = (MOST_BYTES - mark.len()) / 2;
    let head = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let from = text.len() - half;
    let tail = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}{mark}{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn what_was_printed_is_kept_once_and_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let raw = RawOutputStore::new(home.path());
        let name = raw.keep("FAILED test_a\n").unwrap();
        assert_eq!(raw.keep("FAILED test_a\n").unwrap(), name);
        assert_eq!(raw.read(&name).unwrap().unwrap(), "FAILED test_a\n");
        assert_eq!(raw.list().unwrap().len(), 1);
        assert_eq!(raw.read("0123456789abcdef").unwrap(), None);
        assert_eq!(raw.read("../../secret").unwrap(), None);
    }

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let text = format!("first\n{}last\n", "한글 flood\n".repeat(40_000));
        let kept = shortened(&text);
        assert!(kept.len() <= MOST_BYTES, "{}", kept.len());
        assert!(kept.starts_with("first\n") && kept.ends_with("last\n") && kept.contains("[…]"));
    }

    #[test]
    fn what_is_old_or_too_much_goes_the_oldest_first() {
        let home = tempfile::tempdir().unwrap();
        let raw = RawOutputStore::new(home.path());
        let (old, new) = (raw.keep("old").unwrap(), raw.keep("new").unwrap());
        let at = |name: &str| raw.path(name);
        let day = Duration::from_hours(24);
        let now = fs::metadata(at(&new)).unwrap().modified().unwrap();
        File::options().write(true).open(at(&old)).unwrap().set_modified(now - 2 * day).unwrap();
        let left = |keeping: OutputRetention| {
            let mut gone = Vec::new();
            raw.let_go(keeping, now, |path| {
                gone.push(path.to_owned());
                Ok(())
            })
            .unwrap();
            gone
        };
        assert_eq!(left(OutputRetention::default()), Vec::<PathBuf>::new());
        assert_eq!(left(OutputRetention { age: day, ..OutputRetention::default() }), [at(&old)]);
        let one = fs::metadata(at(&new)).unwrap().len();
        assert_eq!(left(OutputRetention { bytes: one, ..OutputRetention::default() }), [at(&old)]);
        assert_eq!(left(OutputRetention { bytes: 0, ..OutputRetention::default() }).len(), 2);
    }
}
