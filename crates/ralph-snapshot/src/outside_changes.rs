//! Files that changed while no agent was at work: during checks, or during a
//! wait for a provider. A check or the user may have changed them, but not the
//! agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ralph_files::make_private_folder;

use crate::label::SnapshotLabel;
use crate::path_bytes;
use crate::work_tree::{ChangeKind, TreeChange};

/// The name of the list in the run's folder.
const FILE: &str = "outside-changes";

/// Such files, each with the number of the first snapshot with the change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutsideChanges {
    files: BTreeMap<PathBuf, (u32, ChangeKind)>,
}

impl OutsideChanges {
    /// Loads the list from the folder of a run; an empty one if it is missing
    /// or unreadable.
    pub fn load(folder: &Path) -> Self {
        let bytes = ralph_files::read_own(folder.join(FILE)).unwrap_or_default();
        let entry = |record: &[u8]| {
            let (letter, rest) = record.split_first()?;
            let space = rest.iter().position(|byte| *byte == b' ')?;
            let number = String::from_utf8_lossy(&rest[..space]).parse().ok()?;
            let kind = match letter {
                b'A' => ChangeKind::Added,
                b'R' => ChangeKind::Removed,
                _ => ChangeKind::Modified,
            };
            Some((path_bytes::from_bytes(&rest[space + 1..]), (number, kind)))
        };
        Self { files: bytes.split(|byte| *byte == 0).filter_map(entry).collect() }
    }

    /// Adds changes that first appear in the snapshot of iteration `number`.
    pub fn add(folder: &Path, number: u32, changes: Vec<TreeChange>) {
        if changes.is_empty() {
            return;
        }
        let mut known = Self::load(folder);
        for TreeChange { path, kind } in changes {
            known.files.insert(path, (number, kind));
        }
        let mut bytes = Vec::new();
        for (path, (number, kind)) in &known.files {
            let letter = match kind {
                ChangeKind::Added => 'A',
                ChangeKind::Modified => 'M',
                ChangeKind::Removed => 'R',
            };
            bytes.extend(format!("{letter}{number} ").bytes());
            bytes.extend_from_slice(&path_bytes::to_bytes(path));
            bytes.push(0);
        }
        // Without the list a rollback counts them as the agent's, as it would
        // without this check.
        let _ = make_private_folder(folder)
            .and_then(|()| ralph_files::write_own(folder.join(FILE), bytes));
    }

    /// Returns the changes that a rollback to this snapshot would undo.
    pub(crate) fn since(&self, to: SnapshotLabel) -> BTreeMap<PathBuf, ChangeKind> {
        let from = match to {
            SnapshotLabel::Start => 0,
            SnapshotLabel::Iteration(number) | SnapshotLabel::Resumed(number) => number,
            // It contains the files before a rollback, whoever changed them.
            SnapshotLabel::Safety(_) | SnapshotLabel::After(_) => u32::MAX,
        };
        let later = self.files.iter().filter(|(_, (number, _))| *number > from);
        later.map(|(path, (_, kind))| (path.clone(), *kind)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_kept_with_the_first_snapshot_that_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let change = |path: &str, kind| TreeChange { path: path.into(), kind };
        let added = change("two words", ChangeKind::Added);
        OutsideChanges::add(folder.path(), 1, vec![added]);
        OutsideChanges::add(folder.path(), 2, vec![change("b", ChangeKind::Modified)]);
        let known = OutsideChanges::load(folder.path());
        let since = |to| known.since(to).into_keys().collect::<Vec<_>>();
        assert_eq!(since(SnapshotLabel::Start), ["b", "two words"].map(PathBuf::from));
        assert_eq!(since(SnapshotLabel::Iteration(1)), ["b"].map(PathBuf::from));
        assert!(
            since(SnapshotLabel::Iteration(2)).is_empty()
                && since(SnapshotLabel::Safety(1)).is_empty()
        );
        let kind = known.since(SnapshotLabel::Start)[Path::new("two words")];
        assert_eq!(kind, ChangeKind::Added);
    }
}
