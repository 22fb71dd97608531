use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::scratch::ScratchTree;

fn node(text: &str) -> TreeNode {
    TreeNode { mode: 0o100_644, id: Oid::of(ObjectKind::Blob, text.as_bytes()) }
}

/// A tree in memory that edits are carried out upon.
#[derive(Default)]
struct InMemoryTrees {
    folders: BTreeMap<Vec<u8>, (Oid, GitFolder)>,
}

impl InMemoryTrees {
    fn edit(&mut self, edits: &[(&str, Option<TreeNode>)]) -> Result<Oid, EditConflict> {
        let edits: TreeEdits =
            edits.iter().map(|(path, node)| (path.as_bytes().to_vec(), *node)).collect();
        let mut files = self.files(b"");
        let mut batch = ObjectBatch::default();
        let id = rewrite(&self.folders, b"", &edits, &mut batch)?.unwrap();
        for (path, node) in edits {
            match node {
                Some(node) => files.insert(path, node),
                None => files.remove(&path),
            };
        }
        *self = Self::default();
        let all = files.into_iter().map(|(path, node)| (path, Some(node))).collect();
        let whole = rewrite(&self.folders, b"", &all, &mut batch)?.unwrap();
        self.fill(b"", &all);
        assert_eq!(id, whole, "an edited tree and one made anew differ");
        Ok(id)
    }

    fn fill(&mut self, prefix: &[u8], files: &TreeEdits) -> Oid {
        let mut batch = ObjectBatch::default();
        let id = rewrite(&BTreeMap::new(), prefix, files, &mut batch).unwrap().unwrap();
        let start = if prefix.is_empty() { Vec::new() } else { [prefix, b"/"].concat() };
        let mut folder = GitFolder::new();
        for (path, node) in files.iter().filter(|(path, _)| path.starts_with(&start)) {
            let name = &path[start.len()..];
            if let Some(end) = name.iter().position(|byte| *byte == b'/') {
                let below = self.fill(&[&*start, &name[..end]].concat(), files);
                folder.insert(name[..end].to_vec(), TreeNode { mode: FOLDER, id: below });
            } else {
                folder.insert(name.to_vec(), node.unwrap());
            }
        }
        self.folders.insert(prefix.to_vec(), (id, folder));
        id
    }

    fn files(&self, prefix: &[u8]) -> BTreeMap<Vec<u8>, TreeNode> {
        let mut files = BTreeMap::new();
        let Some((_, folder)) = self.folders.get(prefix) else { return files };
        let start = if prefix.is_empty() { Vec::new() } else { [prefix, b"/"].concat() };
        for (name, node) in folder {
            let path = [&*start, name].concat();
            if node.is_folder() {
                files.extend(self.files(&path));
            } else {
                files.insert(path, *node);
            }
        }
        files
    }
}

#[test]
fn folders_and_files_take_each_others_place() {
    let mut trees = InMemoryTrees::default();
    trees.edit(&[("a", Some(node("1"))), ("b/c/d", Some(node("2")))]).unwrap();
    trees.edit(&[("a", None), ("a/x", Some(node("3")))]).unwrap();
    let id = trees.edit(&[("b/c/d", None), ("b", Some(node("4")))]).unwrap();
    let again = InMemoryTrees::default().edit(&[("a/x", Some(node("3"))), ("b", Some(node("4")))]);
    assert_eq!(Ok(id), again);
}

#[test]
fn a_file_cannot_be_where_a_folder_stays() {
    let mut trees = InMemoryTrees::default();
    trees.edit(&[("a/x", Some(node("1"))), ("a/y", Some(node("1")))]).unwrap();
    assert_eq!(trees.edit(&[("a/x", None), ("a", Some(node("2")))]), Err(EditConflict));
}

#[test]
fn a_damaged_tree_is_not_read() {
    for object in [&b"100644"[..], b"100644 a", b"100644 a\0short", b"9 a\0aaaaaaaaaaaaaaaaaaaa"] {
        assert_eq!(parse(object), None);
    }
}

/// Names that are sorted differently as files and as folders, and odd bytes.
const NAMES: [&[u8]; 8] = [b"a", b"a.b", b"a0", b"a-", b"A b", b"\xff\n", b"\xc3\xa9", b"-z"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_are_those_that_git_writes(rounds in prop::collection::vec(edits(), 1..5)) {
        let scratch = ScratchTree::committed(&[("first", "1")]);
        let tree = scratch.open();
        tree.tree().unwrap();
        for edits in rounds {
            for edit in edits {
                edit.carry_out(&scratch);
            }
            // The one with memory does without git, the other does not.
            prop_assert_eq!(tree.tree().unwrap(), scratch.tree_anew());
        }
        scratch.run(&["fsck", "--strict", "--no-dangling"]);
    }
}

#[derive(Clone, Debug)]
struct PathEdit {
    path: Vec<u8>,
    what: PathEditKind,
}

#[derive(Clone, Copy, Debug)]
enum PathEditKind {
    Write(u8),
    WriteExecutable(u8),
    Link(u8),
    Remove,
}

fn edits() -> impl Strategy<Value = Vec<PathEdit>> {
    let name = prop::sample::select(&NAMES[..]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| names.join(&b'/'));
    let what = prop_oneof![
        any::<u8>().prop_map(PathEditKind::Write),
        any::<u8>().prop_map(PathEditKind::WriteExecutable),
        any::<u8>().prop_map(PathEditKind::Link),
        Just(PathEditKind::Remove),
    ];
    let edit = (path, what).prop_map(|(path, what)| PathEdit { path, what });
    prop::collection::vec(edit, 1..8)
}

impl PathEdit {
    /// Whatever is in the way goes.
    fn carry_out(&self, scratch: &ScratchTree) {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let path = scratch.path(crate::path_bytes::from_bytes(&self.path));
        for above in path.ancestors().take_while(|above| *above != scratch.root) {
            if above.is_file() || above.is_symlink() {
                std::fs::remove_file(above).unwrap();
            }
        }
        let _ = std::fs::remove_dir_all(&path);
        if let PathEditKind::Remove = self.what {
            return;
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match self.what {
            PathEditKind::Write(text) => std::fs::write(&path, [text]).unwrap(),
            PathEditKind::WriteExecutable(text) => {
                std::fs::write(&path, [text]).unwrap();
                let mode = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(&path, mode).unwrap();
            }
            PathEditKind::Link(to) => symlink(format!("{to}"), &path).unwrap(),
            PathEditKind::Remove => {}
        }
    }
}
