//! Lists files, and tells which known ones may have changed.
//!
//! Ignored files, dependencies, build output and nested repositories are
//! skipped. Symbolic links are not followed, so there are no loops. Every walk
//! begins at the root, so that a folder that is listed alone obeys the same
//! ignore rules as in a full walk.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::content;
use crate::folder::{FileStamp, IndexedFile, IndexedFileState, IndexedFolder};
use crate::project::{folder_of, name_of};

/// Folders with third-party or generated files.
const FOREIGN: [&str; 12] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "node_modules",
    "bower_components",
    "__pycache__",
    ".venv",
    ".tox",
    ".mypy_cache",
    "site-packages",
    ".gradle",
];

/// Files that mark their folder as not the project's own.
const TELLTALES: [&str; 4] = ["CACHEDIR.TAG", "pyvenv.cfg", "modules.txt", "autoload.php"];

/// Files with ignore rules.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// Stamp of an ignore file that does not exist but would count.
const ABSENT: FileStamp = FileStamp { size: 0, modified: 0, changed: 0, inode: 0 };

/// Stamp of a file that counts by its existence alone.
const PRESENT: FileStamp = FileStamp { size: 1, modified: 0, changed: 0, inode: 0 };

/// Reason for skipping a file or folder whose name cannot be stored.
const NO_TEXT: &str = "its name is not UTF-8";

/// Reason for skipping a link to a folder.
const LINKED_FOLDER: &str = "a symbolic link to a folder";

/// Name that represents all contents of a folder: no file has it.
const WHOLE: &str = "";

/// A file that a walk found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkedFile {
    pub(crate) name: String,
    pub(crate) stamp: FileStamp,
    pub(crate) sort: WalkedFileKind,
}

/// The kind of a file that a walk found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WalkedFileKind {
    /// It may be code.
    Candidate,
    /// It has ignore rules.
    Rules,
    /// It is skipped.
    Odd(&'static str),
    /// The system does not allow reading it.
    Unreadable(String),
}

/// The current contents of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileListing {
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) files: Vec<WalkedFile>,
}

/// The work to do for a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FolderWork {
    /// These of its files may have changed, by index.
    Files(Vec<usize>),
    /// It must be listed again.
    Names,
    /// Ignore rules may have changed, here or below.
    Rules,
}

/// A work tree.
#[derive(Debug, Clone)]
pub(crate) struct CodeTree {
    pub(crate) root: PathBuf,
    /// The folder of ralph's own state, which may lie inside.
    pub(crate) own: PathBuf,
}

impl CodeTree {
    /// Returns the path of a folder or file.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    /// Checks a known folder for changes without listing it.
    pub(crate) fn glance(&self, path: &str, folder: &IndexedFolder) -> FolderWork {
        let Some(files) = self.changed_files(path, folder) else {
            return FolderWork::Names;
        };
        let is_rules = |index: &usize| {
            folder.files.get(*index).is_some_and(|file| file.state == IndexedFileState::Rules)
        };
        if files.iter().any(is_rules) { FolderWork::Rules } else { FolderWork::Files(files) }
    }

    /// Returns the files that may have changed; `None` if their names may have.
    #[cfg(unix)]
    fn changed_files(&self, path: &str, folder: &IndexedFolder) -> Option<Vec<usize>> {
        use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, open, statat};

        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = open(self.at(path), flags, Mode::empty()).ok()?;
        if folder.stamp? != raw_stamp(&fstat(&opened).ok()?) {
            return None;
        }
        changed(folder, |file| {
            let look = |flags| statat(&opened, &*file.name, flags).ok();
            if is_linked_folder(file) {
                let end = look(AtFlags::empty())?;
                FileType::from_raw_mode(end.st_mode).is_dir().then_some(())?;
            }
            let is_rules = file.state == IndexedFileState::Rules;
            let flags = if is_rules { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
            Some(raw_stamp(&look(flags)?))
        })
    }

    /// Returns the files that may have changed; `None` if their names may have.
    #[cfg(not(unix))]
    fn changed_files(&self, path: &str, folder: &IndexedFolder) -> Option<Vec<usize>> {
        let place = self.at(path);
        if folder.stamp? != stamp(&fs::symlink_metadata(&place).ok()?) {
            return None;
        }
        changed(folder, |file| {
            let path = place.join(&file.name);
            if is_linked_folder(file) && !path.is_dir() {
                return None;
            }
            let is_rules = file.state == IndexedFileState::Rules;
            let facts = if is_rules { fs::metadata(path) } else { fs::symlink_metadata(path) };
            Some(stamp(&facts.ok()?))
        })
    }

    /// Lists a folder and all below it.
    pub(crate) fn walk(&self, path: &str) -> BTreeMap<String, FileListing> {
        self.listings(path, None)
    }

    /// Lists one folder; those below it appear without their files.
    pub(crate) fn list(&self, path: &str) -> BTreeMap<String, FileListing> {
        self.listings(path, Some(1))
    }

    fn listings(&self, path: &str, depth: Option<usize>) -> BTreeMap<String, FileListing> {
        let mut found = BTreeMap::from([(path.to_owned(), FileListing::default())]);
        let above = depth_of(path);
        let told: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        if !ralph_files::has_plain_rules(&self.root) {
            return found;
        }
        for entry in self.walker(path, depth.map(|depth| above + depth), &told) {
            match entry {
                Ok(entry) if entry.depth() < above => {}
                Ok(entry) => self.take(&entry, &mut found),
                Err(error) => self.take_error(&error, &mut found),
            }
        }
        for telltale in told.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            self.mind(&telltale, &mut found);
        }
        if let Some(top) = found.get_mut("") {
            top.files.extend(self.outer_rules());
        }
        for listing in found.values_mut() {
            listing.files.sort_by(|a, b| a.name.cmp(&b.name));
            // An error may be reported twice.
            listing.files.dedup_by(|a, b| a.name == b.name);
        }
        found
    }

    /// Walks from the root to a folder and through its contents. Files that
    /// mark a folder as foreign are put into `told`.
    fn walker(&self, path: &str, depth: Option<usize>, told: &Arc<Mutex<Vec<PathBuf>>>) -> Walk {
        let (own, goal, tell) = (self.own.clone(), self.at(path), Arc::clone(told));
        let above = depth_of(path);
        WalkBuilder::new(&self.root)
            .hidden(false)
            // Changes above the root are not noticed.
            .parents(false)
            .require_git(self.at(".git").exists())
            .max_depth(depth)
            .filter_entry(move |entry| {
                let is_on_way = entry.depth() > above || goal.starts_with(entry.path());
                is_on_way
                    && !is_hidden_folder(entry)
                    && ralph_files::may_enter(entry.path(), entry.file_type())
                    && match ownership(entry, &own) {
                        FileOwnership::Ours => true,
                        FileOwnership::Foreign => false,
                        FileOwnership::Told(telltale) => {
                            tell.lock().unwrap_or_else(PoisonError::into_inner).push(telltale);
                            false
                        }
                    }
            })
            .build()
    }

    /// Records a file or folder that the walk found.
    fn take(&self, entry: &DirEntry, found: &mut BTreeMap<String, FileListing>) {
        let facts = match entry.metadata() {
            Ok(facts) => facts,
            Err(error) => return self.take_error(&error, found),
        };
        let Some(place) = self.inside(entry.path()) else {
            if let Some((folder, met)) = self.odd_name(entry, &facts) {
                found.entry(folder).or_default().files.push(met);
            }
            return;
        };
        if facts.is_dir() {
            found.entry(place).or_default().stamp = Some(stamp(&facts));
        } else if let Some(met) = met(&place, entry.path(), &facts) {
            found.entry(folder_of(&place).to_owned()).or_default().files.push(met);
        }
    }

    /// Records a path that the system does not allow reading: a folder, or
    /// something in one.
    fn take_error(&self, error: &ignore::Error, found: &mut BTreeMap<String, FileListing>) {
        let Some((path, error)) = refusal(error) else { return };
        // A deleted file counts as never seen.
        if error.kind() == io::ErrorKind::NotFound {
            return;
        }
        let Some(place) = self.inside(path) else { return };
        let is_folder = found.get(&place).is_some_and(|listing| listing.stamp.is_some());
        let (folder, name) =
            if is_folder { (place.as_str(), WHOLE) } else { (folder_of(&place), name_of(&place)) };
        let (name, sort) = (name.to_owned(), WalkedFileKind::Unreadable(error.kind().to_string()));
        let met = WalkedFile { name, stamp: ABSENT, sort };
        found.entry(folder.to_owned()).or_default().files.push(met);
    }

    /// Records the file that marks a folder as foreign, in the folder above it.
    fn mind(&self, telltale: &Path, found: &mut BTreeMap<String, FileListing>) {
        let Some(path) = self.inside(telltale) else { return };
        let Some((folder, telltale)) = path.rsplit_once('/') else { return };
        let (above, name) = (folder_of(folder), name_of(folder));
        let name = format!("{name}/{telltale}");
        let met = WalkedFile { name, stamp: PRESENT, sort: WalkedFileKind::Rules };
        found.entry(above.to_owned()).or_default().files.push(met);
    }

    /// Returns ignore files outside of the folders they apply to, existing or
    /// not.
    fn outer_rules(&self) -> Vec<WalkedFile> {
        let exclude = git_folder(&self.at(".git")).map(|git| git.join("info/exclude"));
        let everywhere = ignore::gitignore::gitconfig_excludes_path();
        let files = exclude.into_iter().chain(everywhere);
        let met = |path: PathBuf| {
            let stamp = fs::metadata(&path).map_or(ABSENT, |facts| stamp(&facts));
            Some(WalkedFile { name: path.to_str()?.to_owned(), stamp, sort: WalkedFileKind::Rules })
        };
        files.filter_map(met).collect()
    }

    /// Returns true if a known folder is now one that is skipped.
    pub(crate) fn became_foreign(&self, path: &str) -> bool {
        !path.is_empty() && telltale(&self.at(path)).is_some()
    }

    /// Returns the path from the root with slashes; `None` if it is not UTF-8.
    fn inside(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(&self.root).ok()?.to_str()?;
        Some(if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() })
    }

    /// Returns an entry whose name is not UTF-8, with its folder, if it is a
    /// folder or looks like code.
    fn odd_name(&self, entry: &DirEntry, facts: &Metadata) -> Option<(String, WalkedFile)> {
        let folder = self.inside(entry.path().parent()?)?;
        let name = escaped(entry.file_name());
        let is_code = || name.contains('.') && content::may_be_code(&name);
        let is_told = facts.is_dir() || facts.is_file() && is_code();
        let met = WalkedFile { name, stamp: stamp(facts), sort: WalkedFileKind::Odd(NO_TEXT) };
        is_told.then_some((folder, met))
    }
}

/// Returns true if an entry is a hidden folder by convention. Tools keep their
/// settings and plugins there, which are not the project's code.
fn is_hidden_folder(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    entry.depth() > 0 && is_folder && entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Returns the number of folders in a path from the root.
fn depth_of(path: &str) -> usize {
    path.split('/').filter(|part| !part.is_empty()).count()
}

/// Returns true if the stored name of a file is its name on disk.
fn has_own_name(file: &IndexedFile) -> bool {
    !matches!(&file.state, IndexedFileState::Skipped { why } if why == NO_TEXT)
}

/// Returns true if a file is a link that led to a folder.
fn is_linked_folder(file: &IndexedFile) -> bool {
    matches!(&file.state, IndexedFileState::Skipped { why } if why == LINKED_FOLDER)
}

/// Returns the path that could not be read, and the error.
fn refusal(error: &ignore::Error) -> Option<(&Path, &io::Error)> {
    match error {
        ignore::Error::WithPath { path, err } => Some((path, err.io_error()?)),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            refusal(err)
        }
        ignore::Error::Partial(_)
        | ignore::Error::Loop { .. }
        | ignore::Error::Io(_)
        | ignore::Error::Glob { .. }
        | ignore::Error::UnrecognizedFileType(_)
        | ignore::Error::InvalidDefinition => None,
    }
}

/// Returns a name with bytes that are not UTF-8 as numbers.
fn escaped(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

fn met(path: &str, place: &Path, facts: &Metadata) -> Option<WalkedFile> {
    let name = name_of(path);
    let sort = if RULES.contains(&name) {
        WalkedFileKind::Rules
    } else if facts.is_file() && content::may_be_code(path) {
        WalkedFileKind::Candidate
    } else if facts.is_symlink() && content::may_be_code(path) && name.contains('.') {
        WalkedFileKind::Odd("a symbolic link")
    } else if facts.is_symlink() && !FOREIGN.contains(&name) && place.is_dir() {
        WalkedFileKind::Odd(LINKED_FOLDER)
    } else {
        return None;
    };
    let stamp = match sort {
        // The target of a link has the ignore rules.
        WalkedFileKind::Rules => fs::metadata(place).map_or(ABSENT, |facts| stamp(&facts)),
        WalkedFileKind::Candidate | WalkedFileKind::Odd(_) | WalkedFileKind::Unreadable(_) => {
            stamp(facts)
        }
    };
    Some(WalkedFile { name: name.to_owned(), stamp, sort })
}

/// Returns the files that may have changed, by their current stamps; `None` if
/// one is gone.
fn changed(
    folder: &IndexedFolder,
    look: impl Fn(&IndexedFile) -> Option<FileStamp>,
) -> Option<Vec<usize>> {
    let mut changed = Vec::new();
    for (index, file) in folder.files.iter().enumerate().filter(|(_, it)| has_own_name(it)) {
        match look(file) {
            None if file.stamp == Some(ABSENT) => {}
            None => return None,
            // It could not be read before.
            Some(_)
                if matches!(file.state, IndexedFileState::Unreadable { .. })
                    && file.stamp.is_some() =>
            {
                return None;
            }
            Some(_) if file.stamp == Some(PRESENT) => {}
            Some(stamp) if file.stamp == Some(stamp) => {}
            Some(_) => changed.push(index),
        }
    }
    Some(changed)
}

/// Returns the folder of a repository that all its work trees share.
fn git_folder(link: &Path) -> Option<PathBuf> {
    if link.is_dir() {
        return Some(link.to_owned());
    }
    let text = ralph_files::read_text(link).ok()?;
    let own = link.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = ralph_files::read_text(own.join("commondir")).ok();
    Some(common.map_or(own.clone(), |common| own.join(common.trim())))
}

/// The owner of a file or folder.
enum FileOwnership {
    Ours,
    Foreign,
    /// Not ours, because of this file in it.
    Told(PathBuf),
}

fn ownership(entry: &DirEntry, own: &Path) -> FileOwnership {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let name = entry.file_name();
    if !is_folder || entry.depth() == 0 {
        return if name == ".git" { FileOwnership::Foreign } else { FileOwnership::Ours };
    }
    if FOREIGN.iter().any(|foreign| name == *foreign) || entry.path() == own {
        return FileOwnership::Foreign;
    }
    telltale(entry.path()).map_or(FileOwnership::Ours, FileOwnership::Told)
}

/// Returns the file that marks a folder as not the project's own.
fn telltale(folder: &Path) -> Option<PathBuf> {
    let is_vendor = folder.file_name().is_some_and(|name| name == "vendor");
    // The other two only count in a `vendor` folder.
    let is_apt = |name: &&&str| matches!(**name, "CACHEDIR.TAG" | "pyvenv.cfg") || is_vendor;
    let told = TELLTALES.iter().filter(is_apt).map(|name| folder.join(name));
    let link = is_elsewhere(folder).then(|| folder.join(".git"));
    told.filter(|path| path.exists()).chain(link).next()
}

/// Returns true if another repository begins here; submodules belong to the
/// project.
fn is_elsewhere(path: &Path) -> bool {
    let link = path.join(".git");
    let Ok(facts) = fs::symlink_metadata(&link) else { return false };
    let is_module = || {
        ralph_files::read_text(&link)
            .is_ok_and(|text| text.starts_with("gitdir:") && text.contains("/modules/"))
    };
    facts.is_dir() || !is_module()
}

#[cfg(unix)]
pub(crate) fn stamp(facts: &Metadata) -> FileStamp {
    use std::os::unix::fs::MetadataExt;
    FileStamp {
        size: facts.size(),
        modified: nanos(facts.mtime(), facts.mtime_nsec()),
        changed: nanos(facts.ctime(), facts.ctime_nsec()),
        inode: facts.ino(),
    }
}

#[cfg(not(unix))]
pub(crate) fn stamp(facts: &Metadata) -> FileStamp {
    let since = facts.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
    FileStamp { size: facts.len(), modified, changed: 0, inode: 0 }
}

#[cfg(unix)]
fn raw_stamp(raw: &rustix::fs::Stat) -> FileStamp {
    FileStamp {
        size: u64::try_from(raw.st_size).unwrap_or(0),
        modified: nanos(raw.st_mtime, raw.st_mtime_nsec),
        changed: nanos(raw.st_ctime, raw.st_ctime_nsec),
        inode: raw.st_ino,
    }
}

#[cfg(unix)]
fn nanos(whole: i64, part: impl TryInto<i64>) -> i64 {
    whole.saturating_mul(1_000_000_000).saturating_add(part.try_into().unwrap_or(0))
}
