//! The ignore rules that a walk heeds, by the files they come from: as long
//! as none of these changes, neither does what is ignored.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::gitconfig_excludes_path;

use crate::scope::Scope;
use crate::stat::{Now, Stat};

/// A file with rules, which may be there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleFile {
    Absent,
    /// The name is there; if it is a link to nothing, nothing is known of it.
    Present(Option<Stat>),
}

impl RuleFile {
    fn at(path: &Path) -> Self {
        if fs::symlink_metadata(path).is_err() {
            return Self::Absent;
        }
        // Rules are read through links.
        Self::Present(fs::metadata(path).ok().map(|found| Stat::of(&found)))
    }

    fn is_at_rest(&self, now: Now) -> bool {
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
    /// Of the repository that begins here; `None` if none does.
    exclude: Option<RuleFile>,
}

impl FolderRules {
    /// Looks for them; `None` if they cannot be relied upon from `now` on:
    /// they are too young, or their place is not known.
    pub(crate) fn of(folder: &Path, now: Now) -> Option<Self> {
        let exclude = match fs::symlink_metadata(folder.join(".git")) {
            Err(_) => None,
            Ok(found) if found.is_dir() => Some(RuleFile::at(&folder.join(".git/info/exclude"))),
            // It leads to a repository elsewhere.
            Ok(_) => return None,
        };
        let gitignore = RuleFile::at(&folder.join(".gitignore"));
        let rules = Self { gitignore, ignore: RuleFile::at(&folder.join(".ignore")), exclude };
        let files = [Some(gitignore), Some(rules.ignore), exclude];
        files.iter().flatten().all(|file| file.is_at_rest(now)).then_some(rules)
    }

    /// Whether rules can only come by a change of the folder itself.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { gitignore, ignore, exclude } = self;
        (gitignore, ignore, exclude) == (&RuleFile::Absent, &RuleFile::Absent, &None)
    }
}

/// What decides over a walk beside the folders themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grounds {
    left_out: Vec<Vec<u8>>,
    /// The user's own rules, and the folder that they count from.
    global: Option<(PathBuf, RuleFile)>,
    current: Option<PathBuf>,
}

impl Grounds {
    /// `None` if they cannot be relied upon from `now` on.
    pub(crate) fn of(scope: &Scope, now: Now) -> Option<Self> {
        let global = gitconfig_excludes_path().map(|path| {
            let file = RuleFile::at(&path);
            (path, file)
        });
        let is_at_rest = global.as_ref().is_none_or(|(_, file)| file.is_at_rest(now));
        let left_out = scope.left_out.listed(b"");
        is_at_rest.then(|| Self { left_out, global, current: env::current_dir().ok() })
    }
}
