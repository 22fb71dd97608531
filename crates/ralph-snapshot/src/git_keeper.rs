//! Snapshots in git.
//!
//! A snapshot is a commit with the snapshot's tree and with its facts as the
//! message. If git converts files, its parent holds their bytes in the work
//! tree. A reference under `refs/ralph/` keeps both.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::{fs, panic, thread};

use ralph_core::{RunId, Timestamp, TreeId};

use crate::error::TreeError;
use crate::facts::{AttributesPresence, TreeFacts};
use crate::found::{ListedFile, PresentTree};
use crate::git::GitOutput;
use crate::git_objects::{TreeEntry, TreeEntryMap};
use crate::git_tree::{GitTree, IndexReuse, object_name};
use crate::keeper::{ContentKeeper, ContentSink};
use crate::kept::CommitsByLabel;
use crate::label::SnapshotLabel;
use crate::modes::FileModes;
use crate::oid::ObjectKind;
use crate::scope::TreeScope;
use crate::snapshot::{
    ItemKind, PathDifference, RecordedTree, Snapshot, SnapshotPlace, TreeItem, TreeVersion,
};
use crate::snapshots::base;
use crate::{aside, path_bytes, probe, raw, references};

/// Maximum number of snapshots cached in memory.
const MOST_MET: usize = 1000;

impl ContentKeeper for GitTree {
    fn record(
        &self,
        scope: &TreeScope,
        base: Option<&Snapshot>,
        now: Timestamp,
    ) -> Result<RecordedTree, TreeError> {
        if let Some(base) = base {
            let found = self.tree_from(scope, IndexReuse::Trusted)?;
            if let Some(present) = self.record_since(base, found, now)? {
                return Ok(present);
            }
        }
        let mut found = self.tree_from(scope, IndexReuse::Refreshed)?;
        let files = match found.files.take() {
            Some(files) => files,
            None => self.list_kinds(&found.id)?,
        };
        let has_attributes = files.iter().any(|file| file.path.ends_with(".gitattributes"));
        let attributes =
            if has_attributes { AttributesPresence::Present } else { AttributesPresence::Absent };
        let gitlinks = files.iter().filter(|file| file.kind == ItemKind::Opaque);
        let mut nested: BTreeSet<_> = gitlinks.map(|file| file.path.clone()).collect();
        nested.extend(found.nested);
        let root = self.git.root();
        // One reads folders, the other files.
        let (folders, modes) = thread::scope(|threads| {
            let folders = threads.spawn(|| self.folders(scope, &files));
            let modes = FileModes::survey(root, &files);
            let folders = folders.join().unwrap_or_else(|cause| panic::resume_unwind(cause));
            (folders, modes)
        });
        let folders = folders?;
        let facts = TreeFacts {
            at: now,
            left_out: found.left_out,
            nested: nested.into_iter().collect(),
            modes: modes.with_folders(root, &folders),
            folders,
            attributes,
        };
        let raw = self.raw(&found.id, attributes)?;
        Ok(RecordedTree { version: TreeVersion { tree: found.id, raw }, facts })
    }

    fn record_known(
        &self,
        scope: &TreeScope,
        base: &Snapshot,
        paths: &[PathBuf],
        now: Timestamp,
    ) -> Result<Option<RecordedTree>, TreeError> {
        self.record_paths(scope, base, paths, now)
    }

    fn base(&self, run: &RunId) -> Result<Option<Snapshot>, TreeError> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, snapshot)) = newest.map(|newest| *newest).filter(|(of, _)| of == run)
            && let SnapshotPlace::Git { commit, .. } = &snapshot.place
            && let Some(labels) = self.kept.labels(run)
            && labels.get(&snapshot.label) == Some(commit)
        {
            return Ok(Some(snapshot));
        }
        Ok(base(&self.list(run)?).cloned())
    }

    fn keep(
        &self,
        run: &RunId,
        label: SnapshotLabel,
        present: &RecordedTree,
        like: Option<&Snapshot>,
    ) -> Result<Snapshot, TreeError> {
        let same = like.filter(|like| like.is_like(present)).map(|like| (&like.place, like.at));
        let (commit, at) = match same {
            // A commit that only our state folder holds must be written again.
            Some((SnapshotPlace::Git { commit, .. }, at)) if self.has_all(&[commit])? => {
                (commit.clone(), at)
            }
            Some((SnapshotPlace::Git { .. } | SnapshotPlace::Files { .. }, _)) | None => {
                (self.commit(run, label, present)?, present.facts.at)
            }
        };
        let reference = format!("{}{label}", prefix(run));
        self.point(&reference, &commit)?;
        let older = self.adopted(run, label)?;
        self.kept.hold(&self.git, &commit, &older)?;
        self.kept.add(run, label, &commit)?;
        let place = SnapshotPlace::Git { commit, reference, raw: present.version.raw.clone() };
        let facts = TreeFacts { at, ..present.facts.clone() };
        let snapshot = Snapshot::new(label, present.version.tree.clone(), place, facts);
        self.remember(&snapshot);
        match label {
            SnapshotLabel::Start | SnapshotLabel::Iteration(_) => {
                let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
                *newest = Some(Box::new((run.clone(), snapshot.clone())));
            }
            SnapshotLabel::Resumed(_) | SnapshotLabel::Safety(_) | SnapshotLabel::After(_) => {}
        }
        Ok(snapshot)
    }

    fn list(&self, run: &RunId) -> Result<Vec<Snapshot>, TreeError> {
        let labels = match self.kept.labels(run) {
            Some(labels) => labels,
            None => self.referred(run)?,
        };
        self.meet(labels.values().map(String::as_str));
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |(label, commit): (SnapshotLabel, String)| {
            let known = met.get(&commit)?;
            let reference = format!("{}{label}", prefix(run));
            let place = SnapshotPlace::Git { commit, reference, raw: known.version().raw };
            Some(Snapshot { label, place, ..known.clone() })
        };
        // Snapshots that are gone or were altered are left out.
        Ok(labels.into_iter().filter_map(named).collect())
    }

    fn differences(
        &self,
        from: &TreeVersion,
        to: &TreeVersion,
    ) -> Result<Vec<PathDifference>, TreeError> {
        let trees = [object_name(&from.tree)?, object_name(&to.tree)?];
        let mut found = self.compare(trees[0], trees[1])?;
        if from.raw.is_some() || to.raw.is_some() {
            self.add_raw(&mut found, from, to)?;
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn read(&self, items: &[&TreeItem], sink: &mut ContentSink<'_>) -> Result<(), TreeError> {
        self.git.read_blobs(items, sink)
    }

    fn remove(&self, run: &RunId) -> Result<(), TreeError> {
        let args = ["--format=%(refname)", &prefix(run)];
        let listed = self.git.users("for-each-ref").args(args).read()?;
        let names = listed.split(|byte| *byte == b'\n').filter(|name| !name.is_empty());
        let orders: Vec<_> =
            names.flat_map(|name| [[b"delete ", name].concat(), Vec::new()]).collect();
        if !orders.is_empty() {
            let command = self.git.users("update-ref").args(["--no-deref", "-z", "--stdin"]);
            command.feed(&orders)?.success()?;
        }
        self.kept.remove(run, &self.git)
    }

    fn space_used(&self, run: &RunId) -> Result<u64, TreeError> {
        let glob = format!("--glob={}*", prefix(run));
        let exclude = format!("--exclude={}*", prefix(run));
        let args = ["--objects", "--disk-usage", &glob, "--not", &exclude, "--all"];
        let printed = self.git.users("rev-list").args(args).read()?;
        Ok(String::from_utf8_lossy(&printed).trim().parse().unwrap_or(0))
    }
}

impl GitTree {
    /// Lists all files of a tree.
    fn list_kinds(&self, tree: &TreeId) -> Result<Vec<ListedFile>, TreeError> {
        let listing = self.git.list_names(object_name(tree)?)?;
        let file = |(path, entry): (Vec<u8>, TreeEntry)| ListedFile {
            path: path_bytes::from_bytes(&path),
            kind: entry.item.kind,
            permissions: None,
        };
        Ok(listing.into_iter().map(file).collect())
    }

    /// Describes a tree by the changes since `base`; `None` when git has lost
    /// some of its objects.
    fn record_since(
        &self,
        base: &Snapshot,
        found: PresentTree,
        now: Timestamp,
    ) -> Result<Option<RecordedTree>, TreeError> {
        let changes = self.compare(object_name(&base.tree)?, object_name(&found.id)?)?;
        let is_nested = |item: &Option<TreeItem>| {
            item.as_ref().is_some_and(|item| item.kind == ItemKind::Opaque)
        };
        let mut nested: BTreeSet<_> = base.nested.iter().cloned().collect();
        let (mut attributes, mut blobs) = (base.attributes, Vec::new());
        for change in &changes {
            if is_nested(&change.to) {
                nested.insert(change.path.clone());
            } else if is_nested(&change.from) {
                nested.remove(&change.path);
            }
            if is_attributes(&path_bytes::to_bytes(&change.path)) {
                attributes = AttributesPresence::Present;
            }
            let stored = change.to.as_ref().filter(|item| item.kind != ItemKind::Opaque);
            blobs.extend(stored.map(|item| &*item.content));
        }
        if !self.has_all(&blobs)? {
            return Ok(None);
        }
        nested.extend(found.nested);
        nested.retain(|path| self.git.root().join(path).is_dir());
        let kinds =
            changes.iter().map(|change| (&*change.path, change.to.as_ref().map(|to| to.kind)));
        let facts = TreeFacts {
            at: now,
            left_out: found.left_out,
            nested: nested.into_iter().collect(),
            folders: aside::folders_left(self.git.root(), base),
            modes: base.modes.since(self.git.root(), kinds),
            attributes,
        };
        let raw = self.raw(&found.id, attributes)?;
        Ok(Some(RecordedTree { version: TreeVersion { tree: found.id, raw }, facts }))
    }

    /// Returns the tree with the bytes of the files that git converts; `None`
    /// if there are none.
    fn raw(
        &self,
        tree: &TreeId,
        attributes: AttributesPresence,
    ) -> Result<Option<String>, TreeError> {
        if attributes == AttributesPresence::Absent && !raw::are_configured(&self.git)? {
            return Ok(None);
        }
        let listing = self.git.list_tree(object_name(tree)?)?;
        let cache = self.index.beside("raw");
        let blobs = raw::raw_blobs(&self.git, &listing, &cache)?;
        if blobs.is_empty() {
            return Ok(None);
        }
        let lines: Vec<_> = blobs
            .iter()
            .map(|(path, id)| {
                let is_executable =
                    listing.get(path).is_some_and(|entry| entry.item.kind == ItemKind::Executable);
                let mode = if is_executable { "100755" } else { "100644" };
                [format!("{mode} {id}\t").as_bytes(), path].concat()
            })
            .collect();
        let index = probe::unique_path(self.index.folder(), "raw-index");
        let update = self.git.command("update-index").index(&index).args(["-z", "--index-info"]);
        let written = update
            .feed(&lines)
            .and_then(GitOutput::success)
            .and_then(|_| self.git.command("write-tree").index(&index).read());
        // It is not needed any more, and harmless if it remains.
        let _ = fs::remove_file(&index);
        Ok(Some(String::from_utf8_lossy(written?.trim_ascii()).into_owned()))
    }

    /// Reads the snapshots of a run from the references of the repository. Used
    /// for runs of an older version, which recorded them nowhere else.
    fn referred(&self, run: &RunId) -> Result<CommitsByLabel, TreeError> {
        let prefix = prefix(run);
        let listed = references::list(&self.git.dirs().common, &prefix);
        let listed = if let Some(listed) = listed {
            listed
        } else {
            let args = ["--format=%(refname) %(objectname)", &prefix];
            let listed = self.git.users("for-each-ref").args(args).read()?;
            let lines = String::from_utf8_lossy(&listed).into_owned();
            let pair = |line: &str| line.split_once(' ').map(|(a, b)| (a.into(), b.into()));
            lines.lines().filter_map(pair).collect()
        };
        let label = |(reference, commit): (String, String)| {
            Some((reference.strip_prefix(&prefix)?.parse().ok()?, commit))
        };
        Ok(listed.into_iter().filter_map(label).collect())
    }

    /// Returns the snapshots of a run; those of an older version are recorded
    /// first.
    fn adopted(&self, run: &RunId, next: SnapshotLabel) -> Result<CommitsByLabel, TreeError> {
        if let Some(labels) = self.kept.labels(run) {
            return Ok(labels);
        }
        // A run has no snapshots before its start.
        let labels =
            if next == SnapshotLabel::Start { CommitsByLabel::new() } else { self.referred(run)? };
        for (label, commit) in &labels {
            self.kept.add(run, *label, commit)?;
        }
        Ok(labels)
    }

    /// Reads the commits that are not cached yet; a commit never changes.
    fn meet<'a>(&self, commits: impl Iterator<Item = &'a str>) {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&str> = commits.filter(|commit| !met.contains_key(*commit)).collect();
        drop(met);
        let read = |ids: &[&str]| {
            self.git.read_objects(ObjectKind::Commit, ids, &mut |position, contents| {
                let mut text = Vec::new();
                contents.read_to_end(&mut text).map_err(TreeError::io("read", Path::new("")))?;
                if let Some(snapshot) = parse_snapshot(ids[position], &text) {
                    self.remember(&snapshot);
                }
                Ok(())
            })
        };
        if read(&new).is_err() {
            // One of them is damaged; read the others one by one.
            for commit in &new {
                // A damaged snapshot is not offered.
                let _ = read(&[*commit]);
            }
        }
    }

    fn remember(&self, snapshot: &Snapshot) {
        if let SnapshotPlace::Git { commit, .. } = &snapshot.place {
            let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            if met.len() >= MOST_MET {
                met.clear();
            }
            met.insert(commit.clone(), snapshot.clone());
        }
    }

    /// Sets `reference` to `commit`.
    ///
    /// A killed git leaves its lock behind. Only ralph changes these
    /// references, one process at a time, so a lock that is still there after
    /// git has waited for it is a leftover.
    fn point(&self, reference: &str, commit: &str) -> Result<(), TreeError> {
        let common = &self.git.dirs().common;
        if references::is_at(common, reference, commit) {
            return Ok(());
        }
        let path = self.index.folder().join("references.guard");
        let guard = ralph_files::append_own(&path);
        let guard = guard.and_then(|guard| guard.lock().map(|()| guard));
        let _guard = guard.map_err(TreeError::io("lock", &path))?;
        if references::write(common, reference, commit) {
            return Ok(());
        }
        let args = ["--no-deref", reference, commit];
        let ended = self.git.users("update-ref").args(args).feed(&[])?;
        let lock = common.join(format!("{reference}.lock"));
        if ended.status.success() || !lock.exists() {
            return ended.success().map(drop);
        }
        fs::remove_file(&lock).map_err(TreeError::io("remove", &lock))?;
        self.git.users("update-ref").args(args).read().map(drop)
    }

    fn commit(
        &self,
        run: &RunId,
        label: SnapshotLabel,
        present: &RecordedTree,
    ) -> Result<String, TreeError> {
        let RecordedTree { version, facts } = present;
        let message = format!("ralph {run} {label}\n\n{}", facts.render());
        let tree = object_name(&version.tree)?;
        let Some(raw) = &version.raw else {
            return self.commit_tree(tree, None, &message, facts.at);
        };
        let parent = format!("ralph {run} {label}: files as they lie in the work tree\n");
        let parent = self.commit_tree(raw, None, &parent, facts.at)?;
        let message = format!("{message}raw: {raw}\n");
        self.commit_tree(tree, Some(&parent), &message, facts.at)
    }

    fn commit_tree(
        &self,
        tree: &str,
        parent: Option<&str>,
        message: &str,
        at: Timestamp,
    ) -> Result<String, TreeError> {
        if let Some(id) = self.write_commit(tree, parent, message, at)? {
            return Ok(id);
        }
        let command = self.git.command("commit-tree").args(["--no-gpg-sign", tree]);
        let command = command.args(parent.into_iter().flat_map(|parent| ["-p", parent]));
        let date = format!("@{} +0000", at.as_millis().max(0) / 1000);
        let command = ["AUTHOR", "COMMITTER"].iter().fold(command, |command, role| {
            let name = |what: &str| format!("GIT_{role}_{what}");
            let command = command.env(&name("NAME"), "ralph").env(&name("DATE"), &date);
            command.env(&name("EMAIL"), "ralph@localhost")
        });
        let id = command.feed_bytes(message.as_bytes())?.success()?;
        Ok(String::from_utf8_lossy(id.trim_ascii()).into_owned())
    }

    /// Replaces the stored contents of converted files by their bytes in the
    /// work tree.
    fn add_raw(
        &self,
        found: &mut Vec<PathDifference>,
        from: &TreeVersion,
        to: &TreeVersion,
    ) -> Result<(), TreeError> {
        let list = |version: &TreeVersion| {
            version
                .raw
                .as_deref()
                .map_or_else(|| Ok(TreeEntryMap::new()), |raw| self.git.list_tree(raw))
        };
        let (from_raw, to_raw) = (list(from)?, list(to)?);
        let seen: BTreeSet<_> =
            found.iter().map(|difference| path_bytes::to_bytes(&difference.path)).collect();
        for difference in &mut *found {
            let path = path_bytes::to_bytes(&difference.path);
            let sides = [(&mut difference.from, &from_raw), (&mut difference.to, &to_raw)];
            for (item, raw) in sides {
                if let (Some(item), Some(raw)) = (item, raw.get(&path)) {
                    item.content.clone_from(&raw.item.content);
                }
            }
        }
        let only_raw: BTreeSet<_> = from_raw.keys().chain(to_raw.keys()).cloned().collect();
        let only_raw: Vec<_> = only_raw.difference(&seen).cloned().collect();
        // Their entry in the tree is the same on both sides.
        let stored = self.git.look_up(object_name(&to.tree)?, &only_raw)?;
        for path in only_raw {
            let item = |raw: &TreeEntryMap| {
                raw.get(&path).or_else(|| stored.get(&path)).map(|entry| entry.item.clone())
            };
            let (from, to) = (item(&from_raw), item(&to_raw));
            if from != to {
                found.push(PathDifference { path: path_bytes::from_bytes(&path), from, to });
            }
        }
        Ok(())
    }

    /// Lists folders without a file of the tree. Only folders with such files
    /// are read, so installed or built files cost nothing.
    fn folders(&self, scope: &TreeScope, files: &[ListedFile]) -> Result<Vec<PathBuf>, TreeError> {
        let mut with_files: HashSet<&Path> = HashSet::new();
        for file in files {
            let above = file.path.ancestors().skip(1);
            // Its parents are in the set already.
            for folder in above {
                if !with_files.insert(folder) {
                    break;
                }
            }
        }
        with_files.insert(Path::new(""));
        let root = self.git.root();
        let mut without = Vec::new();
        for folder in &with_files {
            let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                let path = folder.join(entry.file_name());
                if entry.file_name() != ".git" && !with_files.contains(&*path) {
                    without.push(path_bytes::to_bytes(&path));
                }
            }
        }
        let ignored: HashSet<_> = if without.is_empty() {
            HashSet::new()
        } else {
            self.git.ignored_now(&without)?.into_iter().collect()
        };
        let mut found = Vec::new();
        for path in without.iter().filter(|path| !ignored.contains(*path)) {
            push_folders(root, &path_bytes::from_bytes(path), scope, &mut found);
        }
        found.sort();
        Ok(found)
    }
}

/// Collects `folder` and those below, except nested repositories.
fn push_folders(root: &Path, folder: &Path, scope: &TreeScope, found: &mut Vec<PathBuf>) {
    if scope.left_out.contains(folder) || root.join(folder).join(".git").exists() {
        return;
    }
    found.push(folder.to_owned());
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            push_folders(root, &folder.join(entry.file_name()), scope, found);
        }
    }
}

/// Returns the prefix of a run's references.
fn prefix(run: &RunId) -> String {
    format!("refs/ralph/{run}/")
}

fn is_attributes(path: &[u8]) -> bool {
    path == b".gitattributes" || path.ends_with(b"/.gitattributes")
}

/// Parses a commit of ours; the caller sets the label.
fn parse_snapshot(commit: &str, text: &[u8]) -> Option<Snapshot> {
    let text = String::from_utf8_lossy(text);
    let (head, message) = text.split_once("\n\n")?;
    let tree = head.lines().find_map(|line| line.strip_prefix("tree "))?;
    let raw = message.lines().find_map(|line| line.strip_prefix("raw: ")).map(str::to_owned);
    let facts = TreeFacts::parse(message)?;
    let place = SnapshotPlace::Git { commit: commit.to_owned(), reference: String::new(), raw };
    Some(Snapshot::new(SnapshotLabel::Start, TreeId::new(tree), place, facts))
}
