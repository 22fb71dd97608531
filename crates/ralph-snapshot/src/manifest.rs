//! The files of a tree outside git: what each of them was, so that two trees
//! can be compared later and unchanged files need not be read again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use blake3::Hash;
use ralph_core::TreeId;

use crate::error::TreeError;
use crate::escape::{escape, unescape};
use crate::stat::Stat;
use crate::work_tree::{Change, ChangeKind};
use crate::{path_bytes, probe};

/// How many trees are remembered.
const KEPT: usize = 64;

/// Begins every id of ours, so that it never passes for one of git's.
const ID_PREFIX: &str = "b3-";

/// Begins every manifest; another form of the file gets another number.
const FIRST_LINE: &str = "ralph tree 1";

/// What a file is; the discriminant is its letter in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File = b'f' as isize,
    Executable = b'x' as isize,
    Link = b'l' as isize,
    /// It is there, but may not be read.
    Unreadable = b'u' as isize,
}

impl Kind {
    pub(crate) fn letter(self) -> u8 {
        self as u8
    }

    fn from_letter(letter: &str) -> Option<Self> {
        let all = [Self::File, Self::Executable, Self::Link, Self::Unreadable];
        all.into_iter().find(|kind| letter.as_bytes() == [kind.letter()])
    }
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// Digest of the contents, or of a link's target.
    pub(crate) content: Hash,
    /// Digest of the contents with numbers and layout set aside.
    pub(crate) normal: Hash,
    /// As long as the file has this one, `content` is still true. `None` when
    /// the file was too young to tell.
    pub(crate) stat: Option<Stat>,
}

/// All files of a tree, by their path bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest(pub(crate) BTreeMap<Vec<u8>, Entry>);

impl Manifest {
    pub(crate) fn id(&self) -> TreeId {
        let mut hasher = blake3::Hasher::new();
        for (path, entry) in &self.0 {
            hasher.update(&(path.len() as u64).to_le_bytes()).update(path);
            hasher.update(&[entry.kind.letter()]).update(entry.content.as_bytes());
        }
        TreeId::new(format!("{ID_PREFIX}{}", hasher.finalize().to_hex()))
    }

    /// What must happen to `self` to make it `later`.
    pub(crate) fn changes(&self, later: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut push = |path: &[u8], kind| {
            changes.push(Change { path: path_bytes::from_bytes(path), kind });
        };
        for (path, new) in &later.0 {
            match self.0.get(path) {
                None => push(path, ChangeKind::Added),
                Some(old) if (old.kind, old.content) != (new.kind, new.content) => {
                    push(path, ChangeKind::Modified);
                }
                Some(_) => {}
            }
        }
        for path in self.0.keys().filter(|path| !later.0.contains_key(*path)) {
            push(path, ChangeKind::Removed);
        }
        changes
    }

    pub(crate) fn render(&self) -> String {
        let mut text = format!("{FIRST_LINE}\n");
        for (path, entry) in &self.0 {
            let Entry { kind, content, normal, stat } = entry;
            text.push(char::from(kind.letter()));
            // Writing to a string cannot fail.
            let _ = write!(text, " {content} {normal} ");
            let _ = match stat {
                Some(stat) => {
                    render_stat(stat, &mut text);
                    write!(text, " ")
                }
                None => write!(text, "- "),
            };
            escape(path, &mut text);
            text.push('\n');
        }
        text
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        lines.map(parse_line).collect::<Option<_>>().map(Self)
    }
}

fn parse_line(line: &str) -> Option<(Vec<u8>, Entry)> {
    let mut words = line.splitn(5, ' ');
    let entry = Entry {
        kind: Kind::from_letter(words.next()?)?,
        content: Hash::from_hex(words.next()?).ok()?,
        normal: Hash::from_hex(words.next()?).ok()?,
        stat: match words.next()? {
            "-" => None,
            stat => Some(parse_stat(stat)?),
        },
    };
    Some((unescape(words.next()?)?, entry))
}

pub(crate) fn render_stat(stat: &Stat, text: &mut String) {
    let Stat { size, modified, changed, inode } = stat;
    // Writing to a string cannot fail.
    let _ = write!(text, "{size},{modified},{changed},{inode}");
}

pub(crate) fn parse_stat(text: &str) -> Option<Stat> {
    let mut numbers = text.split(',');
    Some(Stat {
        size: numbers.next()?.parse().ok()?,
        modified: numbers.next()?.parse().ok()?,
        changed: numbers.next()?.parse().ok()?,
        inode: numbers.next()?.parse().ok()?,
    })
}

/// The folder with the manifests of the trees seen last, one file each.
#[derive(Debug)]
pub(crate) struct Manifests {
    folder: PathBuf,
}

impl Manifests {
    /// Keeps manifests in `trees` of the state folder; it must exist by the
    /// time one is saved, which [`Self::create`] sees to.
    pub(crate) fn new(state: &Path) -> Self {
        Self { folder: state.join("trees") }
    }

    pub(crate) fn create(&self) -> Result<(), TreeError> {
        fs::create_dir_all(&self.folder).map_err(TreeError::io("create", &self.folder))
    }

    pub(crate) fn now(&self) -> Result<SystemTime, TreeError> {
        probe::now_in(&self.folder).map_err(TreeError::io("write in", &self.folder))
    }

    pub(crate) fn has(&self, id: &TreeId) -> bool {
        self.folder.join(id.as_str()).exists()
    }

    /// Remembers a tree and forgets the one that was not used for longest.
    pub(crate) fn save(&self, id: &TreeId, manifest: &Manifest) -> Result<(), TreeError> {
        let path = self.folder.join(id.as_str());
        probe::write_atomically(&path, manifest.render().as_bytes())
            .map_err(TreeError::io("write", &path))?;
        for (_, old) in self.by_age().into_iter().skip(KEPT).filter(|(_, old)| *old != path) {
            // It only costs space; the next save tries again.
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    /// The files of a tree. A tree that is asked for counts as used.
    pub(crate) fn load(&self, id: &TreeId) -> Result<Manifest, TreeError> {
        let unknown = || TreeError::UnknownTree { id: id.clone() };
        let digest = id.as_str().strip_prefix(ID_PREFIX).ok_or_else(unknown)?;
        Hash::from_hex(digest).map_err(|_| unknown())?;
        let path = self.folder.join(id.as_str());
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(unknown()),
            Err(error) => return Err(TreeError::io("read", &path)(error)),
        };
        let manifest = Manifest::parse(&text).filter(|found| found.id() == *id);
        let manifest = manifest.ok_or_else(unknown)?;
        if let (Ok(file), Ok(now)) = (fs::File::options().append(true).open(&path), self.now()) {
            // At worst the tree is forgotten a little early.
            let _ = file.set_modified(now);
        }
        Ok(manifest)
    }

    /// The manifest written last: the best guess at which files are unchanged.
    pub(crate) fn newest(&self) -> Option<Manifest> {
        let (_, path) = self.by_age().into_iter().next()?;
        Manifest::parse(&fs::read_to_string(path).ok()?)
    }

    /// Our manifests, the youngest first.
    fn by_age(&self) -> Vec<(SystemTime, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(ID_PREFIX))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
