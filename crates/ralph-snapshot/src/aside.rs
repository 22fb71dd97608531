//! Things beside the contents of a tree: permissions, folders without a file,
//! and files that no snapshot holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder};

use crate::disk::WorkTreeDisk;
use crate::facts::TreeFacts;
use crate::ignored_then::PastIgnoreRules;
use crate::left_out::LeftOut;
use crate::modes::{self, FileModes};
use crate::plan::{RollbackAction, RollbackStep, TargetState, UntouchedFile, WhyKept};
use crate::scope::WhyLeftOut;
use crate::snapshot::Snapshot;

/// Returns the folders of a snapshot that still exist.
pub(crate) fn folders_left(root: &Path, base: &Snapshot) -> Vec<PathBuf> {
    let disk = WorkTreeDisk { root };
    base.folders.iter().filter(|folder| disk.has_folder(folder)).cloned().collect()
}

/// Returns true if the folders and permissions that a snapshot lists are
/// unchanged.
pub(crate) fn is_as_listed(root: &Path, snapshot: &Snapshot) -> bool {
    let disk = WorkTreeDisk { root };
    snapshot.modes.are_as_listed(root)
        && snapshot.folders.iter().all(|folder| disk.has_folder(folder))
}

/// Two snapshots to compare the present with.
pub(crate) struct CompareContext<'a> {
    pub(crate) disk: &'a WorkTreeDisk<'a>,
    /// The last snapshot of the run.
    pub(crate) last: &'a Snapshot,
    /// The snapshot to go back to.
    pub(crate) to: &'a Snapshot,
    /// Empty folders that the run made.
    pub(crate) made: Vec<PathBuf>,
}

/// A span of time, in milliseconds since 1970.
pub(crate) type MillisSpan = std::ops::RangeInclusive<i64>;

/// Returns the folders without files that were created in a span of time, by
/// the clock of the file system. Returns none if it does not record creation
/// times.
pub(crate) fn made_in(root: &Path, span: &MillisSpan, left_out: &LeftOut) -> Vec<PathBuf> {
    if !ralph_files::has_plain_rules(root) {
        return Vec::new();
    }
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).follow_links(false).same_file_system(true);
    builder.parents(false).require_git(false);
    builder.filter_entry(|item| {
        item.file_name() != ".git" && ralph_files::may_enter(item.path(), item.file_type())
    });
    let is_folder = |item: &DirEntry| item.file_type().is_some_and(|kind| kind.is_dir());
    let folders = builder.build().flatten().filter(|item| item.depth() > 0 && is_folder(item));
    let made = |folder: &Path| {
        let created = fs::symlink_metadata(folder).and_then(|found| found.created()).ok()?;
        i64::try_from(created.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
    };
    let found = folders.filter(|item| {
        made(item.path()).is_some_and(|at| span.contains(&at)) && is_hollow(item.path())
    });
    let found = found.filter_map(|item| Some(item.path().strip_prefix(root).ok()?.to_owned()));
    found.filter(|path| !left_out.contains(path)).collect()
}

/// Returns true if a folder holds nothing but folders without files.
fn is_hollow(folder: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(folder) else { return false };
    entries.all(|entry| {
        entry.is_ok_and(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_hollow(&entry.path())
        })
    })
}

/// The origin of a difference: the run, or something after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeOrigin {
    TheRun,
    Later,
}

impl CompareContext<'_> {
    /// Returns the steps for files and folders whose contents do not differ,
    /// and for folders without a file. `differing` are the other paths.
    pub(crate) fn steps(
        &self,
        present: &FileModes,
        differing: &BTreeSet<PathBuf>,
    ) -> Vec<(RollbackStep, ChangeOrigin)> {
        let mut steps = self.modes(present, differing);
        let listed = |snapshot: &Snapshot, folder: &PathBuf| snapshot.folders.contains(folder);
        for folder in &self.to.folders {
            let mode = self.to.modes.folders.get(folder).copied();
            let now = modes::of_folder(self.disk.root, folder);
            let (action, since) = match (self.disk.has_folder(folder), listed(self.last, folder)) {
                (true, _) if mode.is_none() || mode == now => continue,
                (true, _) => (RollbackAction::Restore, ChangeOrigin::TheRun),
                (false, true) => (RollbackAction::Recreate, ChangeOrigin::Later),
                (false, false) => (RollbackAction::Recreate, ChangeOrigin::TheRun),
            };
            steps.push((step(folder, action, TargetState::Folder(mode)), since));
        }
        // The run made them, or the rollback that is now undone.
        let surplus = self.last.folders.iter().filter(|folder| !listed(self.to, folder));
        let surplus: BTreeSet<_> = surplus.chain(&self.made).collect();
        for folder in surplus.into_iter().filter(|folder| self.disk.has_folder(folder)) {
            steps.push((
                step(folder, RollbackAction::Remove, TargetState::NoFolder),
                ChangeOrigin::TheRun,
            ));
        }
        steps
    }

    fn modes(
        &self,
        present: &FileModes,
        differing: &BTreeSet<PathBuf>,
    ) -> Vec<(RollbackStep, ChangeOrigin)> {
        let listed = self.to.modes.listed.keys().chain(present.listed.keys());
        let listed: BTreeSet<_> = listed.filter(|path| !differing.contains(*path)).collect();
        let compare = |path: &PathBuf| {
            let found = self.disk.has_file(path);
            let now = modes::on_disk(self.disk.root, path).filter(|_| found)?;
            let of = |snapshot: &Snapshot| snapshot.modes.of(path, modes::kind_of(now));
            let wanted = of(self.to).filter(|wanted| *wanted != now)?;
            let since =
                if of(self.last) == Some(now) { ChangeOrigin::TheRun } else { ChangeOrigin::Later };
            Some((step(path, RollbackAction::Restore, TargetState::Mode(wanted)), since))
        };
        listed.into_iter().filter_map(compare).collect()
    }
}

fn step(path: &Path, action: RollbackAction, target: TargetState) -> RollbackStep {
    RollbackStep { path: path.to_owned(), action, target }
}

/// Returns paths that exist now, were not there at `to`, and are in no
/// snapshot.
pub(crate) fn strangers(
    disk: &WorkTreeDisk<'_>,
    to: &Snapshot,
    present: &TreeFacts,
    left_out: &LeftOut,
) -> BTreeMap<PathBuf, WhyKept> {
    let mut found = BTreeMap::new();
    for file in &present.left_out {
        let why = match file.why {
            WhyLeftOut::TooLarge => WhyKept::TooLarge,
            WhyLeftOut::Unreadable => WhyKept::NotRecorded,
        };
        if !to.left_out.iter().any(|then| then.path == file.path) {
            found.insert(file.path.clone(), why);
        }
    }
    for folder in present.nested.iter().filter(|folder| !to.nested.contains(folder)) {
        found.insert(folder.clone(), WhyKept::Nested);
    }
    let mut rules = PastIgnoreRules::new(disk.root, BTreeMap::new());
    for path in left_out.paths().filter(|path| disk.has_file(path)) {
        if !rules.hide(path) {
            found.insert(path.to_owned(), WhyKept::LeftOut);
        }
    }
    found
}

impl UntouchedFile {
    /// Returns the `strangers` that no step of a plan covers.
    pub(crate) fn those(
        strangers: BTreeMap<PathBuf, WhyKept>,
        differing: &BTreeSet<PathBuf>,
    ) -> impl Iterator<Item = Self> {
        let others = strangers.into_iter().filter(|(path, _)| !differing.contains(path));
        others.map(|(path, why)| Self { path, why })
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "aside_tests.rs"]
mod tests;
