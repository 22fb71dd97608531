//! Earlier contents of files, and a test whether their present contents were
//! pulled in from a remote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ralph_core::{Timestamp, TreeId};

use crate::error::TreeError;
use crate::git::Git;
use crate::path_bytes;
use crate::snapshot::{ItemKind, PathDifference, Snapshot, TreeItem, TreeVersion};
use crate::snapshots::{SnapshotError, Snapshots};
use crate::work_tree::{TreeChange, WorkTree};

/// Maximum number of remote branches to compare with.
const MOST_BRANCHES: usize = 20;

/// A file that differs from an earlier version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierFile {
    /// Relative to the root.
    pub path: PathBuf,
    /// The earlier contents; `None` if there was no such file, or it was too
    /// large.
    pub contents: Option<Vec<u8>>,
    /// The earlier kind of the path.
    pub was: EarlierKind,
}

/// The kind of thing that was at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierKind {
    /// Nothing.
    Nothing,
    /// A file.
    File,
    /// A file that can be executed.
    Program,
    /// Something else: a link, or a nested repository.
    Other,
}

/// The contents of a file in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastContents {
    /// Not known: the tree was forgotten or is not in git, or the path is too
    /// large or is not a text file.
    Unknown,
    /// There was no such file.
    Absent,
    /// The contents, as git stores them.
    Contents(Vec<u8>),
}

impl Snapshots<'_> {
    /// Returns the files that differ between `snapshot` and the tree `present`,
    /// ordered by path, with their earlier contents. Links and nested
    /// repositories have no contents, nor have files above `limit` bytes.
    pub fn earlier(
        &self,
        snapshot: &Snapshot,
        present: &TreeId,
        limit: u64,
    ) -> Result<Vec<EarlierFile>, SnapshotError> {
        // Files that git converts differ where their trees do.
        let version = TreeVersion { tree: present.clone(), ..snapshot.version() };
        let keeper = self.keeper_of(snapshot);
        let found = keeper.differences(&snapshot.version(), &version)?;
        let is_file = |item: &TreeItem| match item.kind {
            ItemKind::File | ItemKind::Executable => true,
            ItemKind::Link | ItemKind::Opaque => false,
        };
        let was = |item: Option<&TreeItem>| match item.map(|item| item.kind) {
            None => EarlierKind::Nothing,
            Some(ItemKind::File) => EarlierKind::File,
            Some(ItemKind::Executable) => EarlierKind::Program,
            Some(ItemKind::Link | ItemKind::Opaque) => EarlierKind::Other,
        };
        let earlier = |one: &PathDifference| EarlierFile {
            path: one.path.clone(),
            contents: None,
            was: was(one.from.as_ref()),
        };
        let mut files: Vec<EarlierFile> = found.iter().map(earlier).collect();
        let wanted: Vec<(usize, &TreeItem)> = found
            .iter()
            .enumerate()
            .filter_map(|(index, one)| Some((index, one.from.as_ref().filter(|i| is_file(i))?)))
            .collect();
        let items: Vec<&TreeItem> = wanted.iter().map(|(_, item)| *item).collect();
        keeper.read(&items, &mut |position, contents| {
            let file = &mut files[wanted[position].0];
            let mut bytes = Vec::new();
            let mut head = std::io::Read::take(&mut *contents, limit + 1);
            std::io::Read::read_to_end(&mut head, &mut bytes)
                .map_err(TreeError::io("read", &file.path))?;
            file.contents = (bytes.len() as u64 <= limit).then_some(bytes);
            Ok(())
        })?;
        Ok(files)
    }
}

impl WorkTree {
    /// Returns the contents of the file at `path`, relative to the root, in a
    /// tree, unless it has more than `limit` bytes. Costs two calls of git,
    /// however large the tree is.
    pub fn past(&self, tree: &TreeId, path: &Path, limit: u64) -> Result<PastContents, TreeError> {
        let Some(git) = self.git() else { return Ok(PastContents::Unknown) };
        let name = path_bytes::to_bytes(path);
        let Ok(found) = git.look_up(tree.as_str(), std::slice::from_ref(&name)) else {
            return Ok(PastContents::Unknown);
        };
        let Some(entry) = found.get(&name) else { return Ok(PastContents::Absent) };
        let is_small = entry.size.is_some_and(|size| size <= limit);
        match entry.item.kind {
            ItemKind::File | ItemKind::Executable if is_small => {}
            ItemKind::File | ItemKind::Executable | ItemKind::Link | ItemKind::Opaque => {
                return Ok(PastContents::Unknown);
            }
        }
        let mut bytes = Vec::new();
        git.read_blobs(&[&entry.item], &mut |_, contents| {
            let read = std::io::Read::read_to_end(contents, &mut bytes);
            read.map(drop).map_err(TreeError::io("read", path))
        })?;
        Ok(PastContents::Contents(bytes))
    }

    /// Returns the contents of files below the root in a tree, as git stores
    /// them. Missing files are left out; a file above `limit` bytes has no
    /// contents. Outside git the map is empty. Costs two calls of git.
    pub fn contents(
        &self,
        tree: &TreeId,
        paths: &[PathBuf],
        limit: u64,
    ) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, TreeError> {
        let Some(git) = self.git() else { return Ok(BTreeMap::new()) };
        let names: Vec<Vec<u8>> = paths.iter().map(|path| path_bytes::to_bytes(path)).collect();
        let found = git.look_up(tree.as_str(), &names)?;
        let is_file = |kind: &ItemKind| match kind {
            ItemKind::File | ItemKind::Executable => true,
            ItemKind::Link | ItemKind::Opaque => false,
        };
        let there = paths.iter().zip(&names).filter_map(|(path, name)| {
            let entry = found.get(name).filter(|entry| is_file(&entry.item.kind))?;
            Some((path, entry))
        });
        let is_small = |size: Option<u64>| size.is_some_and(|size| size <= limit);
        let (entries, large): (Vec<_>, Vec<_>) = there.partition(|(_, entry)| is_small(entry.size));
        let items: Vec<&TreeItem> = entries.iter().map(|(_, entry)| &entry.item).collect();
        let mut contents: BTreeMap<PathBuf, Option<Vec<u8>>> =
            large.into_iter().map(|(path, _)| (path.clone(), None)).collect();
        git.read_blobs(&items, &mut |position, blob| {
            let path = entries[position].0;
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(blob, &mut bytes).map_err(TreeError::io("read", path))?;
            contents.insert(path.clone(), Some(bytes));
            Ok(())
        })?;
        Ok(contents)
    }

    /// Returns the tree of the last commit; `None` outside git and before the
    /// first commit.
    pub fn committed(&self) -> Result<Option<TreeId>, TreeError> {
        self.tree_of("HEAD")
    }

    /// Returns the files that differ from the last commit, ordered by path;
    /// before the first commit, all. `None` outside git.
    pub fn uncommitted(&self) -> Result<Option<Vec<TreeChange>>, TreeError> {
        let Some(git) = self.git() else { return Ok(None) };
        let from = match self.committed()? {
            Some(tree) => tree,
            None => git.empty_tree()?,
        };
        self.changes(&from, &self.tree()?).map(Some)
    }

    /// Returns the tree of a commit; `None` outside git and if there is no such
    /// commit.
    pub fn tree_of(&self, commit: &str) -> Result<Option<TreeId>, TreeError> {
        let Some(git) = self.git() else { return Ok(None) };
        let tree = format!("{commit}^{{tree}}");
        let args = ["--verify", "--quiet", "--end-of-options", &tree];
        let found = git.users("rev-parse").args(args).feed(&[])?;
        let name = String::from_utf8_lossy(found.stdout.trim_ascii()).into_owned();
        Ok(found.status.success().then(|| TreeId::new(name)))
    }

    /// Returns the last commit; `None` outside git and before the first commit.
    pub fn head(&self) -> Result<Option<String>, TreeError> {
        let Some(git) = self.git() else { return Ok(None) };
        let args = ["--verify", "--quiet", "HEAD^{commit}"];
        let found = git.users("rev-parse").args(args).feed(&[])?;
        let name = String::from_utf8_lossy(found.stdout.trim_ascii()).into_owned();
        Ok(found.status.success().then_some(name))
    }

    /// Returns true if a remote branch has the file with the same contents,
    /// from a commit before `began` that is not part of `head`, the last commit
    /// at that time. Then the file was pulled in. Contents that `head` already
    /// had count as an edit. Always false outside git.
    pub fn was_pulled_in(
        &self,
        path: &Path,
        began: Timestamp,
        head: Option<&str>,
    ) -> Result<bool, TreeError> {
        match self.git() {
            Some(git) => was_pulled_in(git, path, began, head),
            None => Ok(false),
        }
    }
}

fn was_pulled_in(
    git: &Git,
    path: &Path,
    began: Timestamp,
    head: Option<&str>,
) -> Result<bool, TreeError> {
    if !git.root().join(path).is_file() {
        return Ok(false);
    }
    let listed = git.users("for-each-ref").args(["--format=%(objectname)", "refs/remotes"]);
    let listed = listed.read()?;
    let listed = String::from_utf8_lossy(&listed);
    let branches: std::collections::BTreeSet<&str> = listed.lines().collect();
    if branches.is_empty() {
        return Ok(false);
    }
    let now = git.command("hash-object").args(["--".as_ref(), path.as_os_str()]).read()?;
    for branch in branches.into_iter().take(MOST_BRANCHES) {
        let mut name = format!("{branch}:").into_bytes();
        name.extend_from_slice(&path_bytes::to_bytes(path));
        let name = path_bytes::from_bytes(&name);
        let args = ["--verify".as_ref(), "--quiet".as_ref(), name.as_os_str()];
        let there = git.users("rev-parse").args(args).feed(&[])?;
        if !there.status.success() || there.stdout.trim_ascii() != now.trim_ascii() {
            continue;
        }
        let args = ["-1", "--format=%ct %H", branch, "--"];
        let committed = git.users("log").args(args).args([path]).read()?;
        let committed = String::from_utf8_lossy(&committed);
        let (seconds, commit) = committed.trim().split_once(' ').unwrap_or_default();
        let seconds: i64 = seconds.parse().unwrap_or(i64::MAX);
        if seconds.saturating_mul(1000) < began.as_millis() && !is_part_of(git, commit, head)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true if `head` is `commit` or comes after it.
fn is_part_of(git: &Git, commit: &str, head: Option<&str>) -> Result<bool, TreeError> {
    let Some(head) = head else { return Ok(false) };
    let asked = git.users("merge-base").args(["--is-ancestor", commit, head]).feed(&[])?;
    // 1 means no; with any other status a pull cannot be assumed.
    Ok(asked.status.code() != Some(1))
}

#[cfg(test)]
mod tests {
    use ralph_core::RunId;

    use super::*;
    use crate::label::SnapshotLabel;
    use crate::scratch::ScratchTree;

    #[test]
    fn what_is_not_committed_is_listed() {
        assert_eq!(ScratchTree::plain().open().uncommitted().unwrap(), None);
        let scratch = ScratchTree::git();
        scratch.write("a", "1");
        let listed = |scratch: &ScratchTree| {
            let changes = scratch.open().uncommitted().unwrap().unwrap();
            changes.into_iter().map(|change| change.path).collect::<Vec<_>>()
        };
        assert_eq!(listed(&scratch), [PathBuf::from("a")]);
        scratch.commit();
        scratch.write("b", "1");
        assert_eq!(listed(&scratch), [PathBuf::from("b")]);
    }

    #[test]
    fn a_file_is_told_as_it_was_in_a_tree() {
        let scratch = ScratchTree::git();
        scratch.write("src/a b.py", "old");
        scratch.write("large", "x".repeat(50));
        let tree = scratch.open();
        let then = tree.tree().unwrap();
        scratch.write("src/a b.py", "new");
        scratch.write("new", "new");
        let names = ["src/a b.py", "large", "new"].map(PathBuf::from);
        let all = tree.contents(&then, &names, 10).unwrap();
        let known = [(names[0].clone(), Some(b"old".to_vec())), (names[1].clone(), None)];
        assert_eq!(all, known.into());
        let past = |then: &TreeId, path: &str| tree.past(then, Path::new(path), 10).unwrap();
        assert_eq!(past(&then, "src/a b.py"), PastContents::Contents(b"old".to_vec()));
        assert_eq!(past(&then, "new"), PastContents::Absent);
        assert_eq!(past(&then, "src"), PastContents::Absent);
        assert_eq!(past(&then, "large"), PastContents::Unknown);
        assert_eq!(past(&TreeId::new("0".repeat(40)), "new"), PastContents::Unknown);
        let plain = ScratchTree::plain().open();
        assert_eq!(plain.past(&then, Path::new("new"), 10).unwrap(), PastContents::Unknown);
    }

    #[test]
    fn files_that_differ_come_with_what_they_were() {
        for scratch in [ScratchTree::git(), ScratchTree::plain()] {
            scratch.write("changed", "old");
            scratch.write("gone", "gone");
            scratch.write("same", "same");
            scratch.write("large", "x".repeat(50));
            let tree = scratch.open();
            let snapshots = Snapshots::new(&tree, RunId::from_bits(1));
            let start = snapshots.take(SnapshotLabel::Start, Timestamp::from_millis(0)).unwrap();
            scratch.write("changed", "new");
            scratch.write("large", "y");
            scratch.write("new", "new");
            scratch.remove("gone");
            let found = snapshots.earlier(&start, &tree.tree().unwrap(), 10).unwrap();
            let found: Vec<_> = found
                .iter()
                .map(|one| (one.path.to_str().unwrap(), one.contents.as_deref()))
                .collect();
            let want: [(_, Option<&[u8]>); 4] = [
                ("changed", Some(b"old")),
                ("gone", Some(b"gone")),
                ("large", None),
                ("new", None),
            ];
            assert_eq!(found, want);
        }
    }

    /// A repository whose remote has a commit that is not here yet, and the
    /// commit that is.
    fn behind_its_remote() -> (ScratchTree, String) {
        let scratch = ScratchTree::committed(&[("pulled", "ours"), ("own", "old")]);
        let head = scratch.run(&["rev-parse", "HEAD"]).trim().to_owned();
        scratch.write("pulled", "theirs");
        scratch.commit();
        scratch.run(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        (scratch, head)
    }

    #[test]
    fn a_file_that_others_committed_before_was_pulled_in() {
        let (scratch, head) = behind_its_remote();
        scratch.write("own", "new");
        let tree = scratch.open();
        let pulled =
            |path: &str, began| tree.was_pulled_in(Path::new(path), began, Some(&head)).unwrap();
        let (later, earlier) = (Timestamp::from_millis(i64::MAX), Timestamp::from_millis(0));
        assert!(pulled("pulled", later));
        assert!(!pulled("pulled", earlier), "it was pushed during the run");
        assert!(!pulled("own", later) && !pulled("missing", later));
        assert!(tree.was_pulled_in(Path::new("pulled"), later, None).unwrap());
    }

    #[test]
    fn a_file_put_back_to_what_was_committed_here_was_not_pulled_in() {
        let (scratch, _) = behind_its_remote();
        let tree = scratch.open();
        let head = tree.head().unwrap();
        let later = Timestamp::from_millis(i64::MAX);
        assert!(!tree.was_pulled_in(Path::new("pulled"), later, head.as_deref()).unwrap());
    }

    #[test]
    fn before_the_first_commit_there_is_no_head() {
        assert_eq!(ScratchTree::git().open().head().unwrap(), None);
        assert_eq!(ScratchTree::plain().open().head().unwrap(), None);
    }
}
