use std::collections::BTreeMap;
use std::fs::File;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::manifest::{ManifestEntry, ManifestEntryKind};
use crate::project::ProjectLocation;
use crate::read_entry::{NORMALISED_LIMIT, read_entry};
use crate::scratch::{ScratchTree, change};
use crate::stat::FileStat;
use crate::work_handle::WorkHandle;
use crate::work_tree::{ChangeKind, WorkTree};

/// Makes a file look so old that its digest is kept.
fn make_old(scratch: &ScratchTree, path: &str) {
    let file = File::options().append(true).open(scratch.path(path)).unwrap();
    let old = file.metadata().unwrap().modified().unwrap() - Duration::from_hours(1);
    file.set_modified(old).unwrap();
}

#[test]
fn going_back_to_earlier_contents_gives_the_earlier_id() {
    let scratch = ScratchTree::plain();
    scratch.write("a", "1");
    let work_tree = scratch.open();
    let first = work_tree.tree().unwrap();
    scratch.write("a", "2");
    let second = work_tree.tree().unwrap();
    scratch.write("a", "1");
    assert_ne!(first, second);
    assert_eq!(work_tree.tree().unwrap(), first);
    assert!(first.as_str().starts_with("b3-"), "never mistaken for an id of git");
}

#[test]
fn ignored_files_do_not_count_and_hidden_ones_do() {
    let scratch = ScratchTree::plain();
    scratch.write(".gitignore", "*.log\n");
    scratch.write(".ignore", "secret\n");
    let before = scratch.tree();
    scratch.write("a.log", "");
    scratch.write("deep/b.log", "");
    scratch.write("secret", "");
    assert_eq!(scratch.tree(), before);
    scratch.write(".hidden", "");
    assert_ne!(scratch.tree(), before);
}

#[test]
fn rules_above_the_project_do_not_count() {
    let scratch = ScratchTree::plain();
    fs::write(scratch.root.parent().unwrap().join(".gitignore"), "*\n").unwrap();
    let before = scratch.tree();
    scratch.write("a", "");
    assert_ne!(scratch.tree(), before);
}

#[test]
fn changes_between_trees_survive_the_process() {
    let scratch = ScratchTree::plain();
    scratch.write("kept", "k");
    scratch.write("edited", "1");
    scratch.write("gone", "g");
    let before = scratch.tree();
    scratch.write("edited", "2");
    scratch.remove("gone");
    scratch.write("dir/new", "n");
    let after = scratch.tree();
    let want = [
        change("dir/new", ChangeKind::Added),
        change("edited", ChangeKind::Modified),
        change("gone", ChangeKind::Removed),
    ];
    let work_tree = scratch.open();
    assert_eq!(work_tree.changes(&before, &after).unwrap(), want);
    assert_eq!(work_tree.changes(&after, &after).unwrap(), []);
}

#[test]
fn the_same_edit_with_other_numbers_is_the_same_approach() {
    let scratch = ScratchTree::plain();
    scratch.write("a", "n = 1\n");
    let start = scratch.tree();
    let mut approaches = Vec::new();
    for text in ["retry = 2\n", "\n  retry  =  300\n", "give_up = 2\n"] {
        scratch.write("a", text);
        let tree = scratch.tree();
        approaches.push(scratch.open().approach(&start, &tree).unwrap().unwrap());
    }
    assert_eq!(approaches[0], approaches[1]);
    assert_ne!(approaches[0], approaches[2]);
    assert_eq!(scratch.open().approach(&start, &start).unwrap(), None);
}

#[test]
fn going_round_three_contents_tries_nothing_new_on_the_way_back() {
    let scratch = ScratchTree::plain();
    let trees = ["a", "b", "c"].map(|text| {
        scratch.write("a", text);
        scratch.tree()
    });
    let work_tree = scratch.open();
    let hunks = |from: usize, to: usize| {
        let approach = work_tree.approach(&trees[from], &trees[to]).unwrap().unwrap();
        approach.hunks().clone()
    };
    assert_eq!(hunks(0, 1), hunks(1, 0));
    assert!(hunks(2, 0).is_subset(&(&hunks(0, 1) | &hunks(1, 2))));
    assert!(!hunks(1, 2).is_subset(&hunks(0, 1)));
}

#[test]
fn large_and_binary_files_are_approached_by_their_bytes() {
    let limit = usize::try_from(NORMALISED_LIMIT).unwrap();
    let large = |digit: &str| digit.repeat(limit + 1);
    for (one, other) in [(large("1"), large("2")), ("\0 1".into(), "\0 2".into())] {
        let scratch = ScratchTree::plain();
        let start = scratch.tree();
        let approach = |text: &str| {
            scratch.write("a", text);
            scratch.open().approach(&start, &scratch.tree()).unwrap().unwrap()
        };
        assert_ne!(approach(&one), approach(&other));
    }
}

#[test]
fn what_is_left_out_does_not_count_until_it_is_let_in() {
    let scratch = ScratchTree::plain();
    scratch.write("src/main", "1");
    let mut work_tree = scratch.open();
    let before = work_tree.tree().unwrap();
    scratch.write("report/a/b", "");
    scratch.write("cover", "");
    let with_all = work_tree.tree().unwrap();
    work_tree.leave_out([scratch.path("report"), "cover".into()]);
    assert_eq!(work_tree.tree().unwrap(), before);
    work_tree.leave_out(<[&str; 0]>::default());
    assert_eq!(work_tree.tree().unwrap(), with_all);
}

#[test]
fn state_inside_the_work_tree_never_counts() {
    let scratch = ScratchTree::plain();
    scratch.write("a", "1");
    let without = scratch.tree();
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let work_tree = WorkTree::open(&project, &scratch.path("own/state")).unwrap();
    assert_eq!(work_tree.tree().unwrap(), without);
    scratch.write("own/state/more", "");
    assert_eq!(work_tree.tree().unwrap(), without);
    let error = WorkTree::open(&project, &scratch.root).unwrap_err();
    assert!(matches!(error, TreeError::StateIsTree { .. }), "{error}");
}

#[test]
fn an_old_file_is_not_read_again_until_it_changes() {
    let scratch = ScratchTree::plain();
    scratch.write("a", "1");
    make_old(&scratch, "a");
    let metadata = fs::metadata(scratch.path("a")).unwrap();
    let digest = blake3::hash(b"remembered");
    let stat = Some(FileStat::of(&metadata));
    let known =
        ManifestEntry { kind: ManifestEntryKind::File, content: digest, normal: digest, stat };
    let found =
        read_entry(&scratch.path("a"), &metadata, Some(&known), &WorkHandle::default()).unwrap();
    assert_eq!(found.content, digest);
    scratch.write("a", "2");
    let metadata = fs::metadata(scratch.path("a")).unwrap();
    let found =
        read_entry(&scratch.path("a"), &metadata, Some(&known), &WorkHandle::default()).unwrap();
    assert_eq!(found.content, blake3::hash(b"2"));
}

#[test]
fn an_edit_within_the_same_tick_is_noticed() {
    let scratch = ScratchTree::plain();
    let work_tree = scratch.open();
    scratch.write("a", "0");
    let mut last = work_tree.tree().unwrap();
    for text in ["1", "2", "3", "4", "5"] {
        scratch.write("a", text);
        let tree = work_tree.tree().unwrap();
        assert_ne!(tree, last);
        last = tree;
    }
}

#[cfg(unix)]
#[test]
fn mode_and_link_target_count_and_links_are_not_followed() {
    let scratch = ScratchTree::plain();
    scratch.write("a", "1");
    let start = scratch.tree();
    scratch.set_mode("a", 0o755);
    let executable = scratch.tree();
    assert_ne!(executable, start);
    std::os::unix::fs::symlink("a", scratch.path("link")).unwrap();
    std::os::unix::fs::symlink("/", scratch.path("world")).unwrap();
    let linked = scratch.tree();
    assert_ne!(linked, executable);
    scratch.remove("link");
    std::os::unix::fs::symlink("b", scratch.path("link")).unwrap();
    assert_ne!(scratch.tree(), linked);
}

/// The super user reads everything; then there is just nothing to notice.
#[cfg(unix)]
#[test]
fn an_unreadable_file_does_not_stop_the_naming() {
    let scratch = ScratchTree::plain();
    scratch.write("closed", "1");
    scratch.set_mode("closed", 0o000);
    let before = scratch.tree();
    assert_eq!(scratch.tree(), before);
    scratch.write("a", "2");
    assert_ne!(scratch.tree(), before);
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_do_not_hold_us_up() {
    let scratch = ScratchTree::plain();
    let before = scratch.tree();
    let _socket = std::os::unix::net::UnixListener::bind(scratch.path("s")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(scratch.path("p")).status().unwrap();
    assert!(made.success());
    assert_eq!(scratch.tree(), before);
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_work() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = ScratchTree::plain();
    let start = scratch.tree();
    let names: [&[u8]; 4] = [b"\xff\xfe", b"a\nb", b" % ", "ä\"'\\".as_bytes()];
    for name in names {
        scratch.write(OsStr::from_bytes(name), "x");
    }
    let end = scratch.tree();
    let changes = scratch.open().changes(&start, &end).unwrap();
    let mut want: Vec<_> =
        names.map(|name| change(OsStr::from_bytes(name), ChangeKind::Added)).into();
    want.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(changes, want);
}

#[test]
fn a_root_that_is_gone_is_no_empty_tree() {
    let scratch = ScratchTree::plain();
    let work_tree = scratch.open();
    fs::remove_dir(&scratch.root).unwrap();
    let error = work_tree.tree().unwrap_err();
    assert_eq!(error.to_string(), format!("cannot read {}", scratch.root.display()));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn the_order_of_creation_does_not_matter(
        files in prop::collection::btree_map("[a-c]{1,2}(/[d-f]{1,2}){0,2}", ".{0,8}", 0..8),
        seed in any::<u64>(),
    ) {
        // A name cannot be both a file and a folder.
        let files: BTreeMap<_, _> = files
            .iter()
            .filter(|(path, _)| {
                !files.keys().any(|other| other.starts_with(&format!("{path}/")))
            })
            .collect();
        let mut shuffled: Vec<_> = files.iter().collect();
        shuffled.sort_by_key(|(path, _)| blake3::hash(format!("{seed}{path}").as_bytes()).to_hex());
        let (sorted, mixed) = (ScratchTree::plain(), ScratchTree::plain());
        for (path, text) in &files {
            sorted.write(path, text);
        }
        for (path, text) in shuffled {
            mixed.write(path, text);
        }
        prop_assert_eq!(sorted.tree(), mixed.tree());
    }
}

#[test]
fn large_files_are_left_out_and_included_ones_count() {
    let scratch = ScratchTree::plain();
    scratch.write(".gitignore", "*.log\n");
    let mut work_tree = scratch.open();
    work_tree.limit_size(10);
    let before = work_tree.tree().unwrap();
    scratch.write("large", "more than ten bytes");
    scratch.write("a.log", "1");
    assert_eq!(work_tree.tree().unwrap(), before);
    work_tree.include_ignored(["a.log"]);
    let after = work_tree.tree().unwrap();
    let want = [change("a.log", ChangeKind::Added)];
    assert_eq!(work_tree.changes(&before, &after).unwrap(), want);
}
