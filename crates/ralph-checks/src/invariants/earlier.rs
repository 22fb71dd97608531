//! Removes findings that were in the files before they were changed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::moved;
use crate::security::{
    EarlierContents, FileScan, MOST_EARLIER, RuleHit, RulePack, UnreadFile, UnreadReason,
};

/// The files in which rules found something, with the places.
pub(super) type FileScans = Vec<(PathBuf, FileScan)>;

/// Removes earlier findings, as often as they occurred, whatever the file's name was. A line that
/// was written again counts as new.
///
/// Returns the files whose earlier state is unknown; all their findings are removed.
pub(super) fn forgive(
    pack: &RulePack,
    before: &EarlierContents,
    root: &Path,
    found: &mut FileScans,
) -> Vec<UnreadFile> {
    let mut origins = FileOrigins::new(before, root, found);
    let mut unread = Vec::new();
    found.retain_mut(|(path, seen)| {
        let is_known = match origins.of(path) {
            FileOrigin::New => true,
            FileOrigin::Unknown => false,
            FileOrigin::Was(earlier, contents) => {
                let then = String::from_utf8_lossy(contents);
                let now = ralph_files::read(root.join(&*path)).unwrap_or_default();
                let old = pack.look(&earlier, &then);
                take_out(&mut seen.hits, &String::from_utf8_lossy(&now), &old.hits, &then);
                old.unread.is_none()
            }
        };
        if !is_known {
            unread.push(UnreadFile { path: path.clone(), why: UnreadReason::NoPast });
        }
        is_known
    });
    unread
}

/// Takes as many hits in each line as there were before.
fn take_out(hits: &mut Vec<RuleHit>, now: &str, old: &[RuleHit], then: &str) {
    let (now, then): (Vec<&str>, Vec<&str>) = (now.lines().collect(), then.lines().collect());
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for hit in old {
        *known.entry((&hit.rule, text(hit, &then))).or_default() += 1;
    }
    let mut is_new = Vec::with_capacity(hits.len());
    for hit in &*hits {
        let left = known.get_mut(&(hit.rule.as_str(), text(hit, &now)));
        let left = left.filter(|left| **left > 0);
        is_new.push(left.is_none());
        if let Some(left) = left {
            *left -= 1;
        }
    }
    let mut is_new = is_new.into_iter();
    hits.retain(|_| is_new.next().unwrap_or(true));
}

/// The line of a hit, wherever it stands.
fn text<'a>(hit: &RuleHit, lines: &[&'a str]) -> &'a str {
    lines.get((hit.line as usize).saturating_sub(1)).map(|line| line.trim()).unwrap_or_default()
}

/// The earlier state of a file.
enum FileOrigin<'a> {
    /// It was not there.
    New,
    /// It may have been there, but its contents are not known.
    Unknown,
    /// It had this name, and this was in it.
    Was(PathBuf, &'a [u8]),
}

/// The earlier states of files, under whatever name.
struct FileOrigins<'a> {
    before: &'a EarlierContents,
    root: &'a Path,
    moved: HashMap<PathBuf, PathBuf>,
    /// True if a file is gone that was too large to keep.
    lacks_one: bool,
}

impl<'a> FileOrigins<'a> {
    fn new(before: &'a EarlierContents, root: &'a Path, found: &FileScans) -> Self {
        let paths = found.iter().map(|(path, _)| path);
        let new: Vec<PathBuf> = paths.filter(|path| !before.contains_key(*path)).cloned().collect();
        let moved = moved::moved(root, before, &new);
        let is_gone = |path: &Path| fs::symlink_metadata(root.join(path)).is_err();
        let lacks_one = !new.is_empty()
            && before.iter().any(|(path, contents)| contents.is_none() && is_gone(path));
        Self { before, root, moved, lacks_one }
    }

    fn of(&mut self, path: &Path) -> FileOrigin<'a> {
        let earlier = if self.before.contains_key(path) {
            path.to_owned()
        } else if let Some(earlier) = self.moved.remove(path) {
            earlier
        } else {
            return if self.may_be_moved(path) { FileOrigin::Unknown } else { FileOrigin::New };
        };
        match self.before.get(&earlier) {
            Some(Some(contents)) => FileOrigin::Was(earlier, contents),
            Some(None) | None => FileOrigin::Unknown,
        }
    }

    /// True if a file can be one that is gone and was too large to keep.
    fn may_be_moved(&self, path: &Path) -> bool {
        let size = || fs::metadata(self.root.join(path)).map_or(0, |facts| facts.len());
        self.lacks_one && size() > MOST_EARLIER / 2
    }
}

/// Stands for what files were before.
pub(super) fn digest(before: &EarlierContents) -> String {
    let mut hasher = blake3::Hasher::new();
    for (path, contents) in before {
        hasher.update(path.as_os_str().as_encoded_bytes()).update(b"\0");
        match contents {
            Some(contents) => hasher.update(blake3::hash(contents).as_bytes()),
            None => hasher.update(b"?"),
        };
    }
    hasher.finalize().to_hex().to_string()
}
