//! The files with ignore rules that a walk uses. While none of them changes,
//! the same files are ignored.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::gitconfig_excludes_path;

use crate::scope::TreeScope;
use crate::stat::{FileStat, ScanStart};

/// A file with rules, which may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleFile {
    Absent,
    /// It exists; `None` for a broken link.
    Present(Option<FileStat>),
}

impl RuleFile {
    fn at(path: &Path) -> Self {
        if fs::symlink_metadata(path).is_err() {
            return Self::Absent;
        }
        // Git follows links to rule files.
        Self::Present(fs::metadata(path).ok().map(|found| FileStat::of(&found)))
    }

    fn is_at_rest(&self, now: ScanStart) -> bool {
        match self {
            Self::Absent | Self::Present(None) => true,
            Self::Present(Some(stat)) => stat.is_at_rest(now),
        }
    }
}

/// The rule files of one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FolderRules {
    gitignore: RuleFile,
    ignore: RuleFile,
    /// The one of the repository with this root, if any.
    exclude: Option<RuleFile>,
}

impl FolderRules {
    /// Reads them; `None` if they may still change unseen at `now`, because
    /// they are too new or their place is unknown.
    pub(crate) fn of(folder: &Path, now: ScanStart) -> Option<Self> {
        let exclude = match fs::symlink_metadata(folder.join(".git")) {
            Err(_) => None,
            Ok(found) if found.is_dir() => Some(RuleFile::at(&folder.join(".git/info/exclude"))),
            // It points to a repository elsewhere.
            Ok(_) => return None,
        };
        let gitignore = RuleFile::at(&folder.join(".gitignore"));
        let rules = Self { gitignore, ignore: RuleFile::at(&folder.join(".ignore")), exclude };
        let files = [Some(gitignore), Some(rules.ignore), exclude];
        files.iter().flatten().all(|file| file.is_at_rest(now)).then_some(rules)
    }

    /// Returns true if the folder has no rule files. A new one would change the
    /// folder itself.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { gitignore, ignore, exclude } = self;
        (gitignore, ignore, exclude) == (&RuleFile::Absent, &RuleFile::Absent, &None)
    }
}

/// The inputs of a walk beside the folders themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WalkInputs {
    left_out: Vec<Vec<u8>>,
    /// The user's own rule file.
    global: Option<(PathBuf, RuleFile)>,
    current: Option<PathBuf>,
}

impl WalkInputs {
    /// Returns `None` if they may still change unseen at `now`.
    pub(crate) fn of(scope: &TreeScope, now: ScanStart) -> Option<Self> {
        let global = gitconfig_excludes_path().map(|path| {
            let file = RuleFile::at(&path);
            (path, file)
        });
        let is_at_rest = global.as_ref().is_none_or(|(_, file)| file.is_at_rest(now));
        let left_out = scope.left_out.listed(b"");
        is_at_rest.then(|| Self { left_out, global, current: env::current_dir().ok() })
    }
}
