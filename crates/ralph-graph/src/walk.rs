//! Which files there are, and which of those known may have changed.
//!
//! Ignored files are not looked at, nor what installs and builds leave behind,
//! nor other repositories inside. Symbolic links are not followed, so there are
//! no loops.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::content;
use crate::folder::{Folder, Stamp, State};
use crate::project::{folder_of, name_of};

/// Folders that hold what others wrote, or what can be made again.
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

/// Files that tell of what lies beside them that it is not the project's own.
const TELLTALES: [&str; 4] = ["CACHEDIR.TAG", "pyvenv.cfg", "modules.txt", "autoload.php"];

/// Files that say what is ignored.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// A file of the repository that says what is ignored, seen from the root.
pub(crate) const EXCLUDE: &str = ".git/info/exclude";

/// A file that was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) name: String,
    pub(crate) stamp: Stamp,
    pub(crate) sort: Sort,
}

/// What a file that was met is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sort {
    /// It may be code.
    Candidate,
    /// It says what else is to be ignored.
    Rules,
    /// It is left out.
    Odd(&'static str),
}

/// What is in a folder now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) stamp: Option<Stamp>,
    pub(crate) files: Vec<Met>,
}

/// What has to be done about a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Glance {
    /// These of its files may have changed, by position.
    Files(Vec<usize>),
    /// It has to be listed again.
    Names,
    /// Other files may be ignored now, here or below.
    Rules,
}

/// A work tree.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    /// A folder of ours that may lie inside.
    pub(crate) own: PathBuf,
}

impl Tree {
    /// Where a folder or file is.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    /// Looks at a known folder without listing it.
    pub(crate) fn glance(&self, path: &str, folder: &Folder) -> Glance {
        let Some(files) = self.changed_files(path, folder) else {
            return Glance::Names;
        };
        let is_rules =
            |index: &usize| folder.files.get(*index).is_some_and(|file| file.state == State::Rules);
        if files.iter().any(is_rules) { Glance::Rules } else { Glance::Files(files) }
    }

    /// The files that may have changed; `None` if their names may have.
    #[cfg(unix)]
    fn changed_files(&self, path: &str, folder: &Folder) -> Option<Vec<usize>> {
        use rustix::fs::{AtFlags, Mode, OFlags, fstat, open, statat};

        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = open(self.at(path), flags, Mode::empty()).ok()?;
        if folder.stamp? != raw_stamp(&fstat(&opened).ok()?) {
            return None;
        }
        let mut changed = Vec::new();
        for (index, file) in folder.files.iter().enumerate() {
            let raw = statat(&opened, &*file.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            if file.stamp != Some(raw_stamp(&raw)) {
                changed.push(index);
            }
        }
        Some(changed)
    }

    /// The files that may have changed; `None` if their names may have.
    #[cfg(not(unix))]
    fn changed_files(&self, path: &str, folder: &Folder) -> Option<Vec<usize>> {
        let place = self.at(path);
        if folder.stamp? != stamp(&fs::symlink_metadata(&place).ok()?) {
            return None;
        }
        let mut changed = Vec::new();
        for (index, file) in folder.files.iter().enumerate() {
            let facts = fs::symlink_metadata(place.join(&file.name)).ok()?;
            if file.stamp != Some(stamp(&facts)) {
                changed.push(index);
            }
        }
        Some(changed)
    }

    /// Lists a folder and all below it.
    pub(crate) fn walk(&self, path: &str) -> BTreeMap<String, Listing> {
        self.listings(path, None)
    }

    /// Lists one folder; those below it appear without their files.
    pub(crate) fn list(&self, path: &str) -> BTreeMap<String, Listing> {
        self.listings(path, Some(1))
    }

    fn listings(&self, path: &str, depth: Option<usize>) -> BTreeMap<String, Listing> {
        let mut found = BTreeMap::from([(path.to_owned(), Listing::default())]);
        let own = self.own.clone();
        let walk = WalkBuilder::new(self.at(path))
            .hidden(false)
            .require_git(false)
            .max_depth(depth)
            .filter_entry(move |entry| is_ours(entry, &own))
            .build();
        // What may not be entered is as if it were not there; the next look
        // finds it when it may.
        for entry in walk.flatten() {
            let Some((place, facts)) = self.place(&entry) else { continue };
            if facts.is_dir() {
                found.entry(place).or_default().stamp = Some(stamp(&facts));
                continue;
            }
            if let Some(met) = met(&place, &facts) {
                found.entry(folder_of(&place).to_owned()).or_default().files.push(met);
            }
        }
        if let (Some(top), Ok(facts)) = (found.get_mut(""), fs::metadata(self.at(EXCLUDE))) {
            let stamp = stamp(&facts);
            top.files.push(Met { name: EXCLUDE.to_owned(), stamp, sort: Sort::Rules });
        }
        for listing in found.values_mut() {
            listing.files.sort_by(|a, b| a.name.cmp(&b.name));
        }
        found
    }

    /// The path from the root with slashes, and the facts; names that are no
    /// text are not in the index.
    fn place(&self, entry: &DirEntry) -> Option<(String, Metadata)> {
        let path = entry.path().strip_prefix(&self.root).ok()?.to_str()?;
        let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
        Some((path, entry.metadata().ok()?))
    }
}

fn met(path: &str, facts: &Metadata) -> Option<Met> {
    let name = name_of(path);
    let sort = if RULES.contains(&name) {
        Sort::Rules
    } else if facts.is_file() && content::may_be_code(path) {
        Sort::Candidate
    } else if facts.is_symlink() && content::may_be_code(path) && name.contains('.') {
        Sort::Odd("a symbolic link")
    } else {
        return None;
    };
    Some(Met { name: name.to_owned(), stamp: stamp(facts), sort })
}

/// Whether a file or folder may belong to the project.
fn is_ours(entry: &DirEntry, own: &Path) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if !is_folder || entry.depth() == 0 {
        return entry.file_name() != ".git";
    }
    let path = entry.path();
    let name = entry.file_name();
    let is_foreign = FOREIGN.iter().any(|foreign| name == *foreign);
    let is_told = |telltale: &str| {
        // Two of them mean something in such a folder only.
        let is_apt = matches!(telltale, "CACHEDIR.TAG" | "pyvenv.cfg") || name == "vendor";
        is_apt && path.join(telltale).exists()
    };
    !is_foreign && path != own && !TELLTALES.iter().any(|name| is_told(name)) && !is_elsewhere(path)
}

/// Whether another repository begins here; submodules belong to the project.
fn is_elsewhere(path: &Path) -> bool {
    let link = path.join(".git");
    let Ok(facts) = fs::symlink_metadata(&link) else { return false };
    let is_module = || {
        fs::read_to_string(&link)
            .is_ok_and(|text| text.starts_with("gitdir:") && text.contains("/modules/"))
    };
    facts.is_dir() || !is_module()
}

#[cfg(unix)]
pub(crate) fn stamp(facts: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    Stamp {
        size: facts.size(),
        modified: nanos(facts.mtime(), facts.mtime_nsec()),
        changed: nanos(facts.ctime(), facts.ctime_nsec()),
        inode: facts.ino(),
    }
}

#[cfg(not(unix))]
pub(crate) fn stamp(facts: &Metadata) -> Stamp {
    let since = facts.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
    Stamp { size: facts.len(), modified, changed: 0, inode: 0 }
}

#[cfg(unix)]
fn raw_stamp(raw: &rustix::fs::Stat) -> Stamp {
    Stamp {
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
