//! Tree ids made by git.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind::{QuotaExceeded, StorageFull};
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Mutex;

use ralph_core::{Approach, RunId, TreeId};

use crate::approach::{self, ApproachHunks};
use crate::error::TreeError;
use crate::found::PresentTree;
use crate::git::{Git, fields};
use crate::ignored_at_start::may_be_hidden;
use crate::in_process::DerivedTree;
use crate::index::{IndexClaim, IndexSeed, PrivateIndex};
use crate::kept::KeptObjects;
use crate::oid::{ObjectKind, Oid};
use crate::overlay::IndexOverlay;
use crate::packs::PackWriter;
use crate::scan::{self, IndexScan};
use crate::scope::TreeScope;
use crate::snapshot::{PathDifference, Snapshot};
use crate::stat::FileStat;
use crate::tree_reader::FolderCache;
use crate::view::PrivateIndexView;
use crate::work_tree::{ChangeKind, TreeChange};
use crate::{path_bytes, probe};

/// Maximum number of bytes read of a patch to compute an approach.
const PATCH_LIMIT: u64 = 8 * 1024 * 1024;

/// A work tree in a git repository.
#[derive(Debug)]
pub(crate) struct GitTree {
    pub(crate) git: Git,
    pub(crate) index: PrivateIndex,
    pub(crate) packs: PackWriter,
    pub(crate) folders: FolderCache,
    pub(crate) kept: KeptObjects,
    /// The last snapshot that this process took.
    pub(crate) newest: Mutex<Option<Box<(RunId, Snapshot)>>>,
    /// Snapshots that this process has read, by their commits.
    pub(crate) met: Mutex<HashMap<String, Snapshot>>,
}

impl GitTree {
    pub(crate) fn new(git: Git, root: &Path, state: &Path) -> Self {
        let index = PrivateIndex::new(state, root, git.dirs().dir.join("index"));
        let objects = git.dirs().common.join("objects");
        let packs = PackWriter::new(objects, index.folder().join("packs"));
        let kept = KeptObjects::new(state.join("kept"));
        let (folders, newest, met) = Default::default();
        Self { git, index, packs, folders, kept, newest, met }
    }

    /// Uses `folder` from now on, and writes nothing to the repository.
    pub(crate) fn work_in(&mut self, folder: &Path) -> Result<(), TreeError> {
        self.index = self.index.copied_to(folder)?;
        let objects = folder.join("objects");
        self.packs = PackWriter::new(objects.clone(), folder.join("packs"));
        self.git.write_objects_to(&objects)
    }

    /// Returns true if the repository's object store is writable.
    pub(crate) fn takes_objects(&self) -> bool {
        match probe::now_in(&self.git.dirs().common.join("objects")) {
            // A full disk is temporary, and the repository can still be read.
            Err(error) => matches!(error.kind(), StorageFull | QuotaExceeded),
            Ok(_) => true,
        }
    }

    pub(crate) fn tree(&self, scope: &TreeScope) -> Result<PresentTree, TreeError> {
        self.tree_from(scope, IndexReuse::Trusted)
    }

    pub(crate) fn tree_from(
        &self,
        scope: &TreeScope,
        memory: IndexReuse,
    ) -> Result<PresentTree, TreeError> {
        let IndexInputs { tracked, limits, .. } = self.note(scope)?;
        let seeded = IndexInputs { tracked, ..IndexInputs::default() };
        let first = seeded.render();
        let mut claim = self.index.claim(&first)?;
        let other_limits =
            IndexInputs::of(&claim).is_some_and(|note| note != seeded && note.limits != limits);
        if other_limits || memory == IndexReuse::Refreshed {
            claim.reseed(IndexSeed::UsersIndex, &first)?;
        }
        let mut named = self.name(&claim, scope);
        // The private index may be damaged, or name objects that `git gc`
        // removed; so may the user's. A new one loses nothing.
        for seed in [IndexSeed::UsersIndex, IndexSeed::Nothing] {
            if !matches!(named, Err(TreeError::Git { .. })) {
                break;
            }
            claim.reseed(seed, &first)?;
            named = self.name(&claim, scope);
        }
        named
    }

    fn name(&self, claim: &IndexClaim<'_>, scope: &TreeScope) -> Result<PresentTree, TreeError> {
        let mut known = IndexInputs::of(claim).unwrap_or_default();
        let is_new = known.tree.is_none();
        let mut note = self.note(scope)?;
        let mut view = PrivateIndexView::open(&claim.path, known.overlay.clone());
        if is_new {
            view = self.look_at_all(claim, view)?;
            let tree = view.as_ref().and_then(|view| view.noted_tree(&scope.left_out));
            known = tree
                .map_or(known, |tree| IndexInputs { tree: Some(tree.to_string()), ..note.clone() });
        }
        let skipped = scope.left_out.state.as_deref();
        // Git never looks into a nested repository, and refuses to exclude a
        // path in one.
        let skipped = skipped.filter(|state| !self.is_in_nested_repository(state));
        let mut scan = IndexScan::of(&self.git, &claim.path, scope, skipped, view.as_ref())?;
        let notes = IndexNotes { known: &known, present: &note };
        // A new index is asked for its files: the tree is made from it.
        let renewed = self.renewed(notes, view.as_ref(), &scan)?;
        let (id, files) = if let Some(renewed) = renewed {
            note.overlay = renewed.overlay;
            let files = view.filter(|_| is_new).and_then(|mut view| {
                view.overlay = note.overlay.clone();
                view.files(&scan.permissions)
            });
            (renewed.id.to_string(), files)
        } else {
            let id = self.write_tree(claim, scope, notes, &mut scan)?;
            let view = is_new
                .then(|| PrivateIndexView::open(&claim.path, IndexOverlay::default()))
                .flatten();
            (id, view.and_then(|view| view.files(&[])))
        };
        note.tree = Some(id.clone());
        claim.leave_note(&note.render())?;
        scan.left_out.sort();
        let nested = scan.nested.iter().map(|path| path_bytes::from_bytes(path)).collect();
        Ok(PresentTree { id: TreeId::new(id), left_out: scan.left_out, nested, files })
    }

    /// Returns the present tree, derived from the known one without git; `None`
    /// if git has to do it.
    fn renewed(
        &self,
        notes: IndexNotes<'_>,
        view: Option<&PrivateIndexView>,
        scan: &IndexScan,
    ) -> Result<Option<DerivedTree>, TreeError> {
        let base = notes.known_tree().and_then(Oid::parse);
        match (base, view) {
            (Some(base), Some(view)) if !changes_rules(scan) => self.renew(view, base, scan),
            (Some(_) | None, Some(_) | None) => Ok(None),
        }
    }

    /// Updates the index to the present files and lets git write its tree.
    fn write_tree(
        &self,
        claim: &IndexClaim<'_>,
        scope: &TreeScope,
        notes: IndexNotes<'_>,
        scan: &mut IndexScan,
    ) -> Result<String, TreeError> {
        let nested_changed = self.add_nested(claim, scan)?;
        // The index does not have these. Git must not read files that became
        // too large.
        let is_large = |path: &&Vec<u8>| scan.surplus.contains(path);
        let later: Vec<_> =
            notes.known.overlay.0.keys().filter(|path| !is_large(path)).cloned().collect();
        scan.changed.extend(later);
        let is_same = scan.changed.is_empty() && scan.surplus.is_empty() && !nested_changed;
        if let Some(id) = notes.known_tree().filter(|_| is_same)
            && self.has_all(&[id])?
        {
            return Ok(id.to_owned());
        }
        self.update(claim, scan)?;
        self.settle(claim, scope, notes, scan)?;
        let id = self.git.command("write-tree").index(&claim.path).read()?;
        Ok(String::from_utf8_lossy(id.trim_ascii()).into_owned())
    }

    /// Returns true if all of these objects exist.
    pub(crate) fn has_all(&self, objects: &[&str]) -> Result<bool, TreeError> {
        let is_unsure = |id: &&&str| !Oid::parse(id).is_some_and(|id| self.packs.has(id));
        let unsure: Vec<&str> = objects.iter().filter(is_unsure).copied().collect();
        let seen = self.packs.look();
        let has_all = self.git.has_all(&unsure)?;
        if has_all {
            self.packs.confirm(seen, unsure.iter().filter_map(|id| Oid::parse(id)));
        }
        Ok(has_all)
    }

    /// Makes a new index notice changes of files that git is told not to check:
    /// `assume-unchanged`, and `skip-worktree` where no sparse checkout needs
    /// it. Returns the view of an index that needs none of that.
    fn look_at_all(
        &self,
        claim: &IndexClaim<'_>,
        view: Option<PrivateIndexView>,
    ) -> Result<Option<PrivateIndexView>, TreeError> {
        let view = view.filter(|view| view.has_none(|path| path.ends_with(b".gitattributes")));
        if view.is_some() && !self.git.rules().has_attributes(&self.git)? {
            return Ok(view);
        }
        let listed = self.git.command("ls-files").index(&claim.path).args(["-v", "-z"]).read()?;
        self.forget_filtered(claim, &listed)?;
        let tagged = fields(&listed).filter_map(|line| Some((line.first()?, line.get(2..)?)));
        let (mut unseen, mut skipped) = (Vec::new(), Vec::new());
        for (tag, path) in tagged {
            if tag.is_ascii_lowercase() {
                unseen.push(path.to_vec());
            }
            if tag.eq_ignore_ascii_case(&b'S') && self.sparse()?.is_none() {
                skipped.push(path.to_vec());
            }
        }
        for (option, paths) in [("--no-assume-unchanged", unseen), ("--no-skip-worktree", skipped)]
        {
            if !paths.is_empty() {
                let args = [option, "-z", "--stdin"];
                let command = self.git.command("update-index").index(&claim.path).args(args);
                command.feed(&paths)?.success()?;
            }
        }
        Ok(None)
    }

    /// Removes the entries of files with a filter from a new index: the user's
    /// index has their filtered contents, but we record the bytes on disk.
    fn forget_filtered(&self, claim: &IndexClaim<'_>, listed: &[u8]) -> Result<(), TreeError> {
        let is_attributes = |line: &[u8]| line.ends_with(b".gitattributes");
        if !self.git.rules().has_attributes(&self.git)? && !fields(listed).any(is_attributes) {
            return Ok(());
        }
        let staged = self.git.command("ls-files").index(&claim.path).args(["-s", "-z"]).read()?;
        // Mode, object id, stage, a tab and the path.
        let entry = |line: &[u8]| -> Option<(Vec<u8>, Vec<u8>)> {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            Some((line[tab + 1..].to_vec(), line.get(..6)?.to_vec()))
        };
        let modes: HashMap<_, _> =
            fields(&staged).filter(|line| line.starts_with(b"100")).filter_map(entry).collect();
        let paths: Vec<_> = modes.keys().cloned().collect();
        let asked = self.git.command("check-attr").args(["-z", "--stdin", "filter"]);
        let answers = asked.feed(&paths)?.success()?;
        let empty = Oid::of(ObjectKind::Blob, b"");
        let answers: Vec<_> = fields(&answers).collect();
        let mut lines = Vec::new();
        for answer in answers.chunks_exact(3) {
            let [path, _, value] = answer else { continue };
            if !matches!(*value, b"unspecified" | b"unset")
                && let Some(mode) = modes.get(*path)
            {
                lines.push([mode, format!(" {empty}\t").as_bytes(), path].concat());
            }
        }
        if !lines.is_empty() {
            let args = ["-z", "--index-info"];
            self.git
                .command("update-index")
                .index(&claim.path)
                .args(args)
                .feed(&lines)?
                .success()?;
        }
        Ok(())
    }

    /// Adds the repositories inside the work tree by their commits; returns
    /// true if there was one. Only those without a commit stay in `scan`.
    fn add_nested(&self, claim: &IndexClaim<'_>, scan: &mut IndexScan) -> Result<bool, TreeError> {
        let mut without_commit = BTreeSet::new();
        let found = scan.nested.len();
        for path in std::mem::take(&mut scan.nested) {
            let args = ["--add", "--replace", "-z", "--stdin"];
            let command = self.git.command("update-index").index(&claim.path).args(args);
            if !command.feed(std::slice::from_ref(&path))?.status.success() {
                without_commit.insert(path);
            }
        }
        scan.nested = without_commit;
        Ok(scan.nested.len() < found)
    }

    /// Updates the index to the present files.
    fn update(&self, claim: &IndexClaim<'_>, scan: &mut IndexScan) -> Result<(), TreeError> {
        if !scan.surplus.is_empty() {
            self.remove_from_index(claim, &scan.surplus)?;
        }
        if scan.changed.is_empty() {
            return Ok(());
        }
        if self.sparse()?.is_none() {
            let paths: Vec<_> = scan.changed.iter().cloned().collect();
            let args = ["--add", "--remove", "--replace", "-z", "--stdin"];
            let command = self.git.command("update-index").index(&claim.path).args(args);
            if command.feed(&paths)?.status.success() {
                return Ok(());
            }
        }
        // It stops at the first file that is unreadable or was replaced by a
        // link. `git add` is slower and goes on.
        self.add_all(claim, scan)?;
        scan.left_out.extend(scan::unreadable(self.git.root(), &scan.changed));
        Ok(())
    }

    fn add_all(&self, claim: &IndexClaim<'_>, scan: &IndexScan) -> Result<(), TreeError> {
        let command = self.git.command("add").index(&claim.path).args(self.sparse()?);
        let command = command.args(["-A", "--ignore-errors"]).args(PATHS_FROM_STDIN);
        let mut specs = vec![b":/".to_vec()];
        let large = scan.left_out.iter().map(|file| &*file.path);
        for path in scan.skipped.as_deref().into_iter().chain(large) {
            specs.push([b":(exclude,top,literal)", &*path_bytes::to_bytes(path)].concat());
        }
        let ended = command.feed(&specs)?;
        // 1 means that some files were skipped: unreadable or gone meanwhile.
        // If the object store itself is unwritable, the tree is wrong.
        let objects = self.git.dirs().common.join("objects");
        let usable = match ended.status.code() {
            Some(0) => true,
            Some(1) => probe::takes_files(&objects),
            Some(_) | None => false,
        };
        if usable { Ok(()) } else { Err(ended.refusal()) }
    }

    /// Removes files that the index holds but should not.
    fn settle(
        &self,
        claim: &IndexClaim<'_>,
        scope: &TreeScope,
        IndexNotes { known, present }: IndexNotes<'_>,
        scan: &IndexScan,
    ) -> Result<(), TreeError> {
        let rules_changed = changes_rules(scan);
        if rules_changed || known.tracked != present.tracked {
            self.settle_ignored(claim, scope)?;
        }
        let unwanted = scope.left_out.listed(b":(top,literal)");
        let was_settled = known.left_out == present.left_out && known.tracked == present.tracked;
        if !unwanted.is_empty() && (rules_changed || !was_settled) {
            let args = ["-r", "-q", "-f", "--cached", "--ignore-unmatch"];
            let command = self.git.command("rm").index(&claim.path).args(args).args(self.sparse()?);
            command.args(PATHS_FROM_STDIN).feed(&unwanted)?.success()?;
        }
        Ok(())
    }

    fn remove_from_index(
        &self,
        claim: &IndexClaim<'_>,
        paths: &[Vec<u8>],
    ) -> Result<(), TreeError> {
        let args = ["--force-remove", "-z", "--stdin"];
        let command = self.git.command("update-index").index(&claim.path).args(args);
        command.feed(paths)?.success().map(drop)
    }

    /// Makes the index hold exactly those ignored files that the user tracks.
    ///
    /// Git keeps a file in an index even when it is ignored later. Without this
    /// step the id would depend on files seen before the rule was written, and
    /// build output would count for ever.
    fn settle_ignored(&self, claim: &IndexClaim<'_>, scope: &TreeScope) -> Result<(), TreeError> {
        let ours = self.tracked_though_ignored(&claim.path)?;
        // If the user's index is damaged, no file counts as tracked.
        let users = self.tracked_though_ignored(self.index.users()).unwrap_or_default();
        let surplus = ours.difference(&users);
        let surplus = surplus.filter(|path| !scope.includes(&path_bytes::from_bytes(path)));
        let surplus: Vec<_> = surplus.cloned().collect();
        if !surplus.is_empty() {
            self.remove_from_index(claim, &surplus)?;
        }
        let root = self.git.root();
        let missing: Vec<_> = users
            .difference(&ours)
            .filter(|path| fs::symlink_metadata(root.join(path_bytes::from_bytes(path))).is_ok())
            .map(|path| [b":(top,literal)", &**path].concat())
            .collect();
        if !missing.is_empty() {
            let command = self.git.command("add").index(&claim.path).args(self.sparse()?);
            let ended = command.args(["-f", "--ignore-errors"]).args(PATHS_FROM_STDIN);
            let ended = ended.feed(&missing)?;
            if !matches!(ended.status.code(), Some(0 | 1)) {
                return Err(ended.refusal());
            }
        }
        Ok(())
    }

    fn tracked_though_ignored(&self, index: &Path) -> Result<BTreeSet<Vec<u8>>, TreeError> {
        let listed = |excluding: OsString| -> Result<Vec<Vec<u8>>, TreeError> {
            let command = self.git.command("ls-files").index(index).args(["-c", "-i", "-z"]);
            Ok(fields(&command.args([excluding]).read()?).map(<[u8]>::to_vec).collect())
        };
        let mut ignored: BTreeSet<_> = listed(self.git.rules().excluding())?.into_iter().collect();
        if self.git.rules().are_kept() {
            let now = listed("--exclude-standard".into())?;
            ignored.extend(now.into_iter().filter(|path| may_be_hidden(path)));
        }
        Ok(ignored)
    }

    /// Returns a note of all that the present tree depends on, except the
    /// files.
    fn note(&self, scope: &TreeScope) -> Result<IndexInputs, TreeError> {
        let users = fs::metadata(self.index.users()).ok();
        let rules = self.git.rules().stamp(&self.git)?;
        let tracked = format!("{:?} {rules}", users.as_ref().map(FileStat::of));
        let digest = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
        let limits = format!("{:?} {} {:?}", scope.included, scope.size_limit, scope.must);
        Ok(IndexInputs {
            limits: digest(limits.as_bytes()),
            left_out: digest(&scope.left_out.listed(b"\0").concat()),
            tracked,
            tree: None,
            overlay: IndexOverlay::default(),
        })
    }

    /// Returns `--sparse` in a sparse checkout, so that files outside its cone
    /// count. Old gits lack the option.
    pub(crate) fn sparse(&self) -> Result<Option<&'static str>, TreeError> {
        Ok(self.git.rules().is_sparse(&self.git)?.then_some("--sparse"))
    }

    fn is_in_nested_repository(&self, path: &Path) -> bool {
        let folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let root = self.git.root();
        folders.skip(1).any(|folder| root.join(folder).join(".git").exists())
    }

    pub(crate) fn changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<TreeChange>, TreeError> {
        let compared = self.compare(object_name(from)?, object_name(to)?);
        if matches!(compared, Err(TreeError::Git { .. })) {
            self.check_known(from)?;
            self.check_known(to)?;
        }
        let change = |found: PathDifference| {
            let kind = match (found.from, found.to) {
                (None, Some(_) | None) => ChangeKind::Added,
                (Some(_), None) => ChangeKind::Removed,
                (Some(_), Some(_)) => ChangeKind::Modified,
            };
            TreeChange { path: found.path, kind }
        };
        Ok(compared?.into_iter().map(change).collect())
    }

    pub(crate) fn approach(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<Option<Approach>, TreeError> {
        let ids = [object_name(from)?, object_name(to)?];
        let command = self.git.reading("diff-tree").args(PATCH).args(ids);
        let mut child = command.stream()?;
        let read = child.take_output().map_or_else(
            || Ok((ApproachHunks::default(), false)),
            |stdout| {
                let mut patch = BufReader::new(stdout).take(PATCH_LIMIT);
                approach::read_patch(&mut patch).map(|parts| (parts, patch.limit() == 0))
            },
        );
        if !matches!(read, Ok((_, false))) {
            // The rest of the patch is not needed.
            child.kill();
        }
        let status = child.wait().map_err(TreeError::io("wait for git in", self.git.root()))?;
        let (parts, cut) = read.map_err(TreeError::io("read a patch in", self.git.root()))?;
        if !cut && !status.success() {
            self.check_known(from)?;
            // Objects of the trees are missing or altered.
            return Err(TreeError::UnknownTree { id: to.clone() });
        }
        Ok(parts.approach())
    }

    fn check_known(&self, id: &TreeId) -> Result<(), TreeError> {
        let object = format!("{id}^{{tree}}");
        let ended = self.git.reading("cat-file").args(["-e", &object]).feed(&[])?;
        let known = ended.status.success();
        if known { Ok(()) } else { Err(TreeError::UnknownTree { id: id.clone() }) }
    }
}

/// Returns true if other files may have become ignored.
fn changes_rules(scan: &IndexScan) -> bool {
    scan.changed.iter().any(|path| path.ends_with(b".gitignore"))
}

const PATHS_FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// Options for a patch whose form no setting can change.
const PATCH: [&str; 12] = [
    "-r",
    "-p",
    "-U0",
    "--inter-hunk-context=0",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--diff-algorithm=myers",
];

/// Returns the id as an argument for git. Refuses other ids, which git could
/// read as an option or a revision.
pub(crate) fn object_name(id: &TreeId) -> Result<&str, TreeError> {
    let text = id.as_str();
    let sound = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if sound { Ok(text) } else { Err(TreeError::UnknownTree { id: id.clone() }) }
}

/// Tells if the private index may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexReuse {
    Trusted,
    /// Start from the user's index, whose objects git keeps. Git may have
    /// removed objects that only the private index names.
    Refreshed,
}

/// The inputs of the private index, saved beside it for the next use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct IndexInputs {
    /// Digest of the size limit and the ignored paths that count.
    limits: String,
    /// Digest of the paths that are left out.
    left_out: String,
    /// Changes whenever files could have become ignored or tracked without a
    /// change of a `.gitignore`.
    tracked: String,
    /// The tree of the files.
    tree: Option<String>,
    /// Files that differ from the index.
    overlay: IndexOverlay,
}

impl IndexInputs {
    fn of(claim: &IndexClaim<'_>) -> Option<Self> {
        let mut lines = claim.note.as_deref()?.lines();
        let mut line = || lines.next().map(str::to_owned);
        let (limits, left_out, tracked, tree) = (line()?, line()?, line()?, line());
        let overlay = IndexOverlay::parse(lines)?;
        Some(Self { limits, left_out, tracked, tree, overlay })
    }

    fn render(&self) -> String {
        let Self { limits, left_out, tracked, tree, overlay } = self;
        let Some(tree) = tree else { return format!("{limits}\n{left_out}\n{tracked}\n") };
        let mut text = format!("{limits}\n{left_out}\n{tracked}\n{tree}\n");
        overlay.render(&mut text);
        text
    }

    fn is_like(&self, other: &Self) -> bool {
        let facts = |note: &Self| [&note.limits, &note.left_out, &note.tracked].map(String::clone);
        facts(self) == facts(other)
    }
}

/// The inputs of the private index: at its last use and now.
#[derive(Clone, Copy)]
struct IndexNotes<'a> {
    known: &'a IndexInputs,
    present: &'a IndexInputs,
}

impl<'a> IndexNotes<'a> {
    /// Returns the tree at the last use, if only the files may differ now.
    fn known_tree(self) -> Option<&'a str> {
        self.known.tree.as_deref().filter(|_| self.known.is_like(self.present))
    }
}

#[cfg(test)]
#[path = "git_tree_tests.rs"]
mod tests;
