//! Finds changes since the private index was written, without writing anything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use crate::error::TreeError;
use crate::git::{Git, GitCommand, fields};
use crate::ignored_at_start::may_be_hidden;
use crate::scope::{LeftOutFile, TreeScope, WhyLeftOut};
use crate::view::PrivateIndexView;
use crate::{path_bytes, probe};

/// Size in bytes above which files do not count even if they are tracked.
const MOST_TRACKED: u64 = 1024 * 1024 * 1024;

/// Paths that may differ from the index, as bytes.
#[derive(Debug, Default)]
pub(crate) struct IndexScan {
    /// Files to update in the index, or to remove from it when they are gone.
    pub(crate) changed: BTreeSet<Vec<u8>>,
    /// Repositories inside the work tree that the index does not have yet.
    pub(crate) nested: BTreeSet<Vec<u8>>,
    /// Files of the index that must be removed from it.
    pub(crate) surplus: Vec<Vec<u8>>,
    /// Files that do not count.
    pub(crate) left_out: Vec<LeftOutFile>,
    /// The code that compared them with the index.
    pub(crate) reader: ScanReader,
    /// Permissions of the files of the index, in its order, if they were read.
    pub(crate) permissions: Vec<Option<u32>>,
    /// The folder that was not read.
    pub(crate) skipped: Option<PathBuf>,
}

/// The code that compared the files with the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScanReader {
    /// Git, which knows only the index, not the overlay of later changes.
    #[default]
    Git,
    View,
}

/// Files that may have changed.
#[derive(Debug, Default)]
pub(crate) struct DirtyFiles {
    pub(crate) paths: Vec<Vec<u8>>,
    /// Files that differ from the index as the overlay says.
    pub(crate) same: BTreeSet<Vec<u8>>,
    /// Permissions of the files of the index, in its order, if they were read.
    pub(crate) permissions: Vec<Option<u32>>,
}

impl DirtyFiles {
    fn by_git(git: &Git, index: &Path) -> Result<Self, TreeError> {
        let args = ["-z", "--name-only", "--ignore-submodules=dirty"];
        let listed = git.command("diff-files").index(index).args(args).read()?;
        let paths = fields(&listed).map(<[u8]>::to_vec).collect();
        Ok(Self { paths, ..Self::default() })
    }
}

impl IndexScan {
    /// Compares the files with `index`. A file of which only the metadata
    /// changed counts as changed.
    ///
    /// `skipped` is a folder that is not read.
    pub(crate) fn of(
        git: &Git,
        index: &Path,
        scope: &TreeScope,
        skipped: Option<&Path>,
        view: Option<&PrivateIndexView>,
    ) -> Result<Self, TreeError> {
        let dirty = || match view.and_then(|view| view.dirty(git.root())) {
            Some(dirty) => Ok((dirty, ScanReader::View)),
            None => DirtyFiles::by_git(git, index).map(|dirty| (dirty, ScanReader::Git)),
        };
        let others = || others(git, index, scope, skipped);
        // Each reads all files' metadata or all folders. In parallel they take
        // as long as the slower one.
        let (dirty, others) = thread::scope(|threads| {
            let dirty = threads.spawn(dirty);
            let others = others();
            let dirty = dirty.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (dirty, others)
        });
        let (dirty, reader) = dirty?;
        let skipped = skipped.map(Path::to_owned);
        let mut scan = Self { reader, permissions: dirty.permissions, skipped, ..Self::default() };
        let mut large = Vec::new();
        for path in &dirty.paths {
            match size_above_limit(git.root(), scope, path) {
                Some(bytes) => large.push((path.clone(), bytes)),
                None => scan.push(scope, path),
            }
        }
        for path in others?.into_iter().filter(|path| !dirty.same.contains(path)) {
            match size_above_limit(git.root(), scope, &path) {
                Some(bytes) => scan.leave_out(&path, bytes),
                None => scan.push(scope, &path),
            }
        }
        scan.sort_out_large(git, scope, large)?;
        Ok(scan)
    }

    fn push(&mut self, scope: &TreeScope, path: &[u8]) {
        if let Some(folder) = path.strip_suffix(b"/") {
            if !scope.left_out.contains(&path_bytes::from_bytes(folder)) {
                self.nested.insert(folder.to_vec());
            }
        } else if !scope.left_out.contains(&path_bytes::from_bytes(path)) {
            self.changed.insert(path.to_vec());
        }
    }

    fn leave_out(&mut self, path: &[u8], bytes: u64) {
        let path = path_bytes::from_bytes(path);
        self.left_out.push(LeftOutFile { path, bytes, why: WhyLeftOut::TooLarge });
    }

    /// Decides on large files. They count if the user tracks them, unless git
    /// would take minutes to read them.
    fn sort_out_large(
        &mut self,
        git: &Git,
        scope: &TreeScope,
        large: Vec<(Vec<u8>, u64)>,
    ) -> Result<(), TreeError> {
        if large.is_empty() {
            return Ok(());
        }
        let specs = large.iter().map(|(path, _)| literal(path));
        let specs: Vec<_> = specs.map(|spec| path_bytes::from_bytes(&spec)).collect();
        let tracked = git.users("ls-files").args(["-z", "-c", "--"]).args(specs).read()?;
        let tracked: BTreeSet<_> = fields(&tracked).collect();
        for (path, bytes) in large {
            if tracked.contains(&*path) && bytes <= MOST_TRACKED.max(scope.size_limit) {
                self.push(scope, &path);
            } else {
                self.leave_out(&path, bytes);
                self.surplus.push(path);
            }
        }
        Ok(())
    }
}

/// Returns a pathspec that matches only this path.
pub(crate) fn literal(path: &[u8]) -> Vec<u8> {
    [b":(top,literal)", path].concat()
}

impl Git {
    /// Returns those of `paths` that later rules of the work tree ignore, if
    /// such rules may hide them.
    fn hidden_output(&self, paths: &BTreeSet<Vec<u8>>) -> Result<Vec<Vec<u8>>, TreeError> {
        let output: Vec<_> = paths.iter().filter(|path| may_be_hidden(path)).cloned().collect();
        if output.is_empty() || !self.rules().are_kept() {
            return Ok(Vec::new());
        }
        self.ignored_now(&output)
    }

    /// Returns those of `paths` that the present rules ignore.
    pub(crate) fn ignored_now(&self, paths: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, TreeError> {
        // Without the index, which takes long to read if it is large.
        let args = ["--no-index", "-z", "--stdin"];
        let ended = self.command("check-ignore").args(args).feed(paths)?;
        // It exits with 1 when none is ignored.
        match ended.status.code() {
            Some(0 | 1) => Ok(fields(&ended.stdout).map(<[u8]>::to_vec).collect()),
            Some(_) | None => Err(ended.refusal()),
        }
    }
}

/// Returns untracked files that count, and nested repositories with a `/` at
/// the end.
fn others(
    git: &Git,
    index: &Path,
    scope: &TreeScope,
    skipped: Option<&Path>,
) -> Result<BTreeSet<Vec<u8>>, TreeError> {
    let begin = |args: &[&str]| -> GitCommand<'_> {
        git.command("ls-files").index(index).args(["-o", "-z"]).args(args).args(["--"])
    };
    let command = git.command("ls-files").index(index).args(["-o", "-z"]);
    let command = command.args([git.rules().excluding()]).args(["--"]);
    let command = match skipped {
        Some(skipped) => {
            let skipped = [b":(exclude,top,literal)", &*path_bytes::to_bytes(skipped)].concat();
            command.args([Path::new(":/"), &path_bytes::from_bytes(&skipped)])
        }
        None => command,
    };
    let mut found: BTreeSet<_> = fields(&command.read()?).map(<[u8]>::to_vec).collect();
    for path in git.hidden_output(&found)? {
        found.remove(&path);
    }
    if !scope.included.is_empty() {
        let specs = scope.included.iter().map(|path| literal(&path_bytes::to_bytes(path)));
        let listed = begin(&[]).args(specs.map(|spec| path_bytes::from_bytes(&spec))).read()?;
        found.extend(fields(&listed).map(<[u8]>::to_vec));
    }
    Ok(found)
}

fn size_above_limit(root: &Path, scope: &TreeScope, path: &[u8]) -> Option<u64> {
    let path = path_bytes::from_bytes(path);
    let metadata = fs::symlink_metadata(root.join(&path)).ok()?;
    let is_large = metadata.is_file() && metadata.len() > scope.size_limit;
    (is_large && !scope.must.contains(&path) && !scope.left_out.contains(&path))
        .then_some(metadata.len())
}

/// Returns those of `paths` that exist but cannot be read.
pub(crate) fn unreadable(root: &Path, paths: &BTreeSet<Vec<u8>>) -> Vec<LeftOutFile> {
    let describe = |path: &Vec<u8>| {
        let path = path_bytes::from_bytes(path);
        let metadata = fs::symlink_metadata(root.join(&path)).ok()?;
        let closed = metadata.is_file() && !probe::may_be_read(&root.join(&path));
        let bytes = metadata.len();
        closed.then_some(LeftOutFile { path, bytes, why: WhyLeftOut::Unreadable })
    };
    paths.iter().filter_map(describe).collect()
}
