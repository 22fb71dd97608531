//! Random work, snapshots and rollbacks: what comes back is what was there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use ralph_core::RunId;

use super::*;
use crate::scratch::ScratchTree;

const CASES: u32 = 125;

/// Small numbers that look random and are the same each time (xorshift).
struct XorshiftRng(u64);

impl XorshiftRng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let position = self.roll(from.len() as u64);
        &from[usize::try_from(position).unwrap()]
    }
}

/// Some are files here and folders there.
const NAMES: [&str; 12] = [
    "a",
    "a/x",
    "b",
    "dir/c",
    "dir/d",
    "dir",
    "deep/er/e",
    "deep/er/f",
    "sp ace",
    "ünï",
    "-n",
    "i.ign",
];

struct RandomWork<'a> {
    scratch: &'a ScratchTree,
    dice: XorshiftRng,
}

impl RandomWork<'_> {
    fn path(&mut self) -> PathBuf {
        PathBuf::from(*self.dice.pick(&NAMES))
    }

    /// Makes room at a path and gives it back in full.
    fn clear(&self, path: &Path) -> PathBuf {
        let full = self.scratch.path(path);
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            let folder = self.scratch.path(folder);
            if fs::symlink_metadata(&folder).is_ok_and(|found| !found.is_dir()) {
                fs::remove_file(folder).unwrap();
            }
        }
        match fs::symlink_metadata(&full) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&full).unwrap(),
            Ok(_) => fs::remove_file(&full).unwrap(),
            Err(_) => {}
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        full
    }

    fn edit(&mut self) {
        let path = self.path();
        match self.dice.roll(10) {
            0..5 => {
                let text = ["1", "2", "one\r\ntwo\r\n", "one\ntwo\n", "", "\0\u{1}"];
                let text = *self.dice.pick(&text);
                fs::write(self.clear(&path), text).unwrap();
            }
            5 => drop(self.clear(&path)),
            6 => {
                let target = *self.dice.pick(&["a", "nowhere", "deep"]);
                #[cfg(unix)]
                std::os::unix::fs::symlink(target, self.clear(&path)).unwrap();
            }
            7 => {
                let from = self.path();
                let source = self.scratch.path(&from);
                let is_apart = !path.starts_with(&from) && !from.starts_with(&path);
                if is_apart && source.symlink_metadata().is_ok() {
                    let _ = fs::rename(source, self.clear(&path));
                }
            }
            8 => {
                let full = self.scratch.path(&path);
                if full.symlink_metadata().is_ok_and(|found| found.is_file()) {
                    let mode = *self.dice.pick(&[0o755, 0o644, 0o600, 0o640, 0o700, 0o444]);
                    #[cfg(unix)]
                    self.scratch.set_mode(path.to_str().unwrap(), mode);
                }
            }
            _ => fs::create_dir_all(self.clear(&path)).unwrap(),
        }
    }

    fn stage(&mut self) {
        match self.dice.roll(6) {
            0 => drop(self.scratch.run(&["add", "-A"])),
            1 | 2 => {
                let path = self.path();
                self.scratch.try_run(&["add", "-A", "--", path.to_str().unwrap()]);
            }
            3 => {
                let path = self.path();
                let path = path.to_str().unwrap();
                self.scratch.try_run(&["rm", "-r", "-q", "--cached", "--", path]);
            }
            4 => self.scratch.try_run(&["commit", "-q", "-m", "work"]),
            _ => self.scratch.try_run(&["stash", "-q"]),
        }
    }

    fn edits(&mut self) {
        for _ in 0..=self.dice.roll(5) {
            self.edit();
        }
    }
}

/// Every file with its permissions, which a link does not have.
type PermissionImage = BTreeMap<PathBuf, (Option<u32>, (char, Vec<u8>))>;

fn seen(scratch: &ScratchTree) -> PermissionImage {
    let mode = |path: &Path| crate::modes::on_disk(&scratch.root, path);
    scratch.image().into_iter().map(|(path, file)| (path.clone(), (mode(&path), file))).collect()
}

fn git_cases(seed: u64) {
    let scratch = ScratchTree::committed(&[(".gitignore", "*.ign\n"), ("a", "1"), ("dir/c", "2")]);
    let work_tree = scratch.open();
    let mut work = RandomWork { scratch: &scratch, dice: XorshiftRng(seed) };
    let now = Timestamp::from_millis(1_700_000_000_000);
    for case in 0..CASES {
        let snapshots = Snapshots::new(&work_tree, RunId::from_bits(case));
        work.edits();
        work.stage();
        work.edits();
        let start = (snapshots.take(SnapshotLabel::Start, now).unwrap(), seen(&scratch));
        let (start_status, start_state) = (scratch.status(), scratch.git_state());
        work.edits();
        if work.dice.roll(2) == 0 {
            work.stage();
        }
        let last = (snapshots.take(SnapshotLabel::Iteration(1), now).unwrap(), seen(&scratch));
        let (last_status, last_state) = (scratch.status(), scratch.git_state());

        let plan = snapshots.plan(&start.0, &last.0, &[]).unwrap();
        assert!(plan.conflicts.is_empty() && plan.kept.is_empty(), "{case}: {plan:?}");
        let done = snapshots.apply(&plan, ConflictPolicy::Leave, now).unwrap();
        check_image(&scratch, (&start.1, &last.1), case, &done);
        assert_eq!(scratch.git_state(), last_state, "{case}");
        if start_state == last_state && done.blocked.is_empty() {
            assert_eq!(scratch.status(), start_status, "{case}");
        }

        if done.safety.is_none() {
            assert_eq!(start.0.tree, last.0.tree, "{case}");
            continue;
        }
        let done = snapshots.undo(ConflictPolicy::Leave, now).unwrap();
        check_image(&scratch, (&last.1, &last.1), case, &done);
        assert_eq!(scratch.git_state(), last_state, "{case}");
        if done.blocked.is_empty() {
            assert_eq!(scratch.status(), last_status, "{case}");
        }
        snapshots.remove().unwrap();
    }
}

/// All files but the ignored one are as in `want`, and that one as `before`.
#[track_caller]
fn check_image(
    scratch: &ScratchTree,
    (want, before): (&PermissionImage, &PermissionImage),
    case: u32,
    done: &RollbackOutcome,
) {
    let ignored = Path::new("i.ign");
    let is_ignored = |path: &Path| path.starts_with(ignored);
    let image = seen(scratch);
    let split = |image: &PermissionImage| {
        let (hidden, seen): (Vec<_>, Vec<_>) =
            image.clone().into_iter().partition(|(path, _)| is_ignored(path));
        (hidden, seen)
    };
    assert_eq!(split(&image).1, split(want).1, "{case}: {done:?}");
    assert_eq!(split(&image).0, split(before).0, "{case}: ignored");
    assert!(done.blocked.is_empty() && done.left.is_empty(), "{case}: {done:?}");
    let name = OsStr::new(".ralph-unfinished");
    assert!(!image.keys().any(|path| path.file_name() == Some(name)));
}

#[test]
fn random_work_in_git_is_given_back() {
    git_cases(0x9e37_79b9_7f4a_7c15);
}

#[test]
fn other_random_work_in_git_is_given_back() {
    git_cases(0xd1b5_4a32_d192_ed03);
}

fn plain_cases(seed: u64) {
    let scratch = ScratchTree::plain();
    scratch.write(".gitignore", "*.ign\n");
    let work_tree = scratch.open();
    let mut work = RandomWork { scratch: &scratch, dice: XorshiftRng(seed) };
    let now = Timestamp::from_millis(1_700_000_000_000);
    for case in 0..CASES {
        let snapshots = Snapshots::new(&work_tree, RunId::from_bits(case));
        work.edits();
        let start = (snapshots.take(SnapshotLabel::Start, now).unwrap(), seen(&scratch));
        work.edits();
        let last = (snapshots.take(SnapshotLabel::Iteration(1), now).unwrap(), seen(&scratch));
        let plan = snapshots.plan(&start.0, &last.0, &[]).unwrap();
        let done = snapshots.apply(&plan, ConflictPolicy::Leave, now).unwrap();
        check_image(&scratch, (&start.1, &last.1), case, &done);
        if done.safety.is_none() {
            assert_eq!(start.0.tree, last.0.tree, "{case}");
            continue;
        }
        let done = snapshots.undo(ConflictPolicy::Leave, now).unwrap();
        check_image(&scratch, (&last.1, &last.1), case, &done);
        if case % 3 == 0 {
            snapshots.remove().unwrap();
        }
    }
}

#[test]
fn random_work_outside_git_is_given_back() {
    plain_cases(0x2545_f491_4f6c_dd1d);
}

#[test]
fn other_random_work_outside_git_is_given_back() {
    plain_cases(0x853c_49e6_748f_ea9b);
}
