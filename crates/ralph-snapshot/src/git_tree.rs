//! Tree ids made by git.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;

use ralph_core::{Approach, TreeId};

use crate::approach::{self, Parts};
use crate::error::TreeError;
use crate::git::Git;
use crate::index::{Claim, PrivateIndex, Seed};
use crate::left_out::LeftOut;
use crate::stat::Stat;
use crate::work_tree::{Change, ChangeKind};
use crate::{path_bytes, probe};

/// How much of a patch is read to recognise an approach, in bytes.
const PATCH_LIMIT: u64 = 8 * 1024 * 1024;

/// A work tree in a git repository.
#[derive(Debug)]
pub(crate) struct GitTree {
    git: Git,
    index: PrivateIndex,
}

impl GitTree {
    /// `None` if the repository's object store takes no files.
    pub(crate) fn new(git: Git, root: &Path, state: &Path) -> Option<Self> {
        if !probe::takes_files(&git.dirs().common.join("objects")) {
            return None;
        }
        let index = PrivateIndex::new(state, root, git.dirs().dir.join("index"));
        Some(Self { git, index })
    }

    pub(crate) fn tree(&self, left_out: &LeftOut) -> Result<TreeId, TreeError> {
        let note = self.note(left_out);
        let mut claim = self.index.claim(&note)?;
        let mut named = self.name(&claim, &note, left_out);
        // The private index may be damaged, or name objects that `git gc`
        // removed, and so may the user's. Nothing is lost by a new one.
        for seed in [Seed::UsersIndex, Seed::Nothing] {
            if !matches!(named, Err(TreeError::Git { .. })) {
                break;
            }
            claim.reseed(seed)?;
            named = self.name(&claim, &note, left_out);
        }
        named
    }

    fn name(&self, claim: &Claim<'_>, note: &str, left_out: &LeftOut) -> Result<TreeId, TreeError> {
        let rules_changed = self.add_all(claim, left_out)?;
        if rules_changed || claim.note.as_deref() != Some(note) {
            self.settle_ignored(claim)?;
        }
        let unwanted = left_out.listed(b":(top,literal)");
        if !unwanted.is_empty() {
            let args = ["-r", "-q", "-f", "--cached", "--ignore-unmatch"];
            let command = self.git.command("rm").index(&claim.path).args(args).args(self.sparse());
            command.args(PATHS_FROM_STDIN).feed(&unwanted)?.success()?;
        }
        let id = self.git.command("write-tree").index(&claim.path).read()?;
        claim.leave_note(note)?;
        Ok(TreeId::new(String::from_utf8_lossy(id.trim_ascii())))
    }

    /// Brings the index up to the present files; tells whether a `.gitignore`
    /// changed.
    fn add_all(&self, claim: &Claim<'_>, left_out: &LeftOut) -> Result<bool, TreeError> {
        let command = self.git.command("add").index(&claim.path).args(self.sparse());
        let command = command.args(["-A", "-v", "--ignore-errors"]);
        let ended = match &left_out.state {
            // Our own files change all the time: not even read them. Git never
            // looks into a nested repository, and refuses to be told not to.
            Some(state) if !self.is_in_nested_repository(state) => {
                let state = path_bytes::to_bytes(state);
                let specs = [b":/".to_vec(), [b":(exclude,top,literal)", &*state].concat()];
                command.args(PATHS_FROM_STDIN).feed(&specs)?
            }
            Some(_) | None => command.feed(&[])?,
        };
        // 1 means that some files were passed over: unreadable or gone
        // meanwhile. If the store itself is the reason, the tree is wrong.
        let objects = self.git.dirs().common.join("objects");
        let usable = match ended.status.code() {
            Some(0) => true,
            Some(1) => probe::takes_files(&objects),
            Some(_) | None => false,
        };
        if !usable {
            return Err(ended.refusal());
        }
        Ok(ended.stdout.split(|byte| *byte == b'\n').any(|line| line.ends_with(b".gitignore'")))
    }

    /// Lets the index hold just those ignored files that the user tracks.
    ///
    /// Git keeps a file in an index even when it is ignored later. Without
    /// this the id would depend on what we happened to see before the rule
    /// was written, and build output would count for ever.
    fn settle_ignored(&self, claim: &Claim<'_>) -> Result<(), TreeError> {
        let ours = self.tracked_though_ignored(&claim.path)?;
        // With a damaged index of the user's nothing is known to be tracked.
        let users = self.tracked_though_ignored(self.index.users()).unwrap_or_default();
        let surplus: Vec<_> = ours.difference(&users).cloned().collect();
        if !surplus.is_empty() {
            let args = ["--force-remove", "-z", "--stdin"];
            let command = self.git.command("update-index").index(&claim.path).args(args);
            command.feed(&surplus)?.success()?;
        }
        let root = self.git.root();
        let missing: Vec<_> = users
            .difference(&ours)
            .filter(|path| fs::symlink_metadata(root.join(path_bytes::from_bytes(path))).is_ok())
            .map(|path| [b":(top,literal)", &**path].concat())
            .collect();
        if !missing.is_empty() {
            let command = self.git.command("add").index(&claim.path).args(self.sparse());
            let ended = command.args(["-f", "--ignore-errors"]).args(PATHS_FROM_STDIN);
            let ended = ended.feed(&missing)?;
            if !matches!(ended.status.code(), Some(0 | 1)) {
                return Err(ended.refusal());
            }
        }
        Ok(())
    }

    fn tracked_though_ignored(&self, index: &Path) -> Result<BTreeSet<Vec<u8>>, TreeError> {
        let args = ["-c", "-i", "-z", "--exclude-standard"];
        let listed = self.git.command("ls-files").index(index).args(args).read()?;
        Ok(fields(&listed).map(<[u8]>::to_vec).collect())
    }

    /// Changes whenever files could have become ignored or tracked without a
    /// `.gitignore` having changed.
    fn note(&self, left_out: &LeftOut) -> String {
        let exclude = self.git.dirs().common.join("info/exclude");
        let stats = [self.index.users(), &exclude].map(|path| fs::metadata(path).ok());
        let stats = stats.map(|metadata| metadata.as_ref().map(Stat::of));
        let left_out = blake3::hash(&left_out.listed(b"\0").concat()).to_hex();
        format!("{stats:?} {left_out}\n")
    }

    /// Files outside of a sparse checkout's cone count like all others; the
    /// option is only given where it means something, as old gits lack it.
    fn sparse(&self) -> Option<&'static str> {
        self.git.dirs().dir.join("info/sparse-checkout").exists().then_some("--sparse")
    }

    fn is_in_nested_repository(&self, path: &Path) -> bool {
        let folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let root = self.git.root();
        folders.skip(1).any(|folder| root.join(folder).join(".git").exists())
    }

    pub(crate) fn changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<Change>, TreeError> {
        let ids = [object_name(from)?, object_name(to)?];
        let args = ["-r", "-z", "--no-renames", "--name-status"];
        let ended = self.git.command("diff-tree").args(args).args(ids).feed(&[])?;
        if !ended.status.success() {
            self.check_known(from)?;
            self.check_known(to)?;
        }
        let listed = ended.success()?;
        let mut fields = fields(&listed);
        let mut changes = Vec::new();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let kind = match status {
                b"A" => ChangeKind::Added,
                b"D" => ChangeKind::Removed,
                _ => ChangeKind::Modified,
            };
            changes.push(Change { path: path_bytes::from_bytes(path), kind });
        }
        Ok(changes)
    }

    pub(crate) fn approach(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<Option<Approach>, TreeError> {
        let ids = [object_name(from)?, object_name(to)?];
        let command = self.git.command("diff-tree").args(PATCH).args(ids);
        let mut child = command.stream()?;
        let read = child.stdout.take().map_or_else(
            || Ok((Parts::default(), false)),
            |stdout| {
                let mut patch = BufReader::new(stdout).take(PATCH_LIMIT);
                approach::read_patch(&mut patch).map(|parts| (parts, patch.limit() == 0))
            },
        );
        if !matches!(read, Ok((_, false))) {
            // The rest of the patch is not wanted. It is no error if git has
            // just ended by itself.
            let _ = child.kill();
        }
        let status = child.wait().map_err(TreeError::io("wait for git in", self.git.root()))?;
        let (parts, cut) = read.map_err(TreeError::io("read a patch in", self.git.root()))?;
        if !cut && !status.success() {
            self.check_known(from)?;
            self.check_known(to)?;
            let stderr = String::new();
            return Err(TreeError::Git { command: "diff-tree", status, stderr });
        }
        Ok(parts.approach())
    }

    fn check_known(&self, id: &TreeId) -> Result<(), TreeError> {
        let object = format!("{id}^{{tree}}");
        let ended = self.git.command("cat-file").args(["-e", &object]).feed(&[])?;
        let known = ended.status.success();
        if known { Ok(()) } else { Err(TreeError::UnknownTree { id: id.clone() }) }
    }
}

const PATHS_FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// A patch whose form no setting can change.
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

/// The id as an argument for git. An id of another kind, made outside git or
/// by a stranger, could pass for an option or a revision.
fn object_name(id: &TreeId) -> Result<&str, TreeError> {
    let text = id.as_str();
    let sound = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if sound { Ok(text) } else { Err(TreeError::UnknownTree { id: id.clone() }) }
}

/// The NUL-terminated fields of git's output.
fn fields(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

#[cfg(test)]
#[path = "git_tree_tests.rs"]
mod tests;
