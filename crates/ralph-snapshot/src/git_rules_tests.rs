use std::fs;

use ralph_core::{RunId, Timestamp};

use crate::error::TreeError;
use crate::label::SnapshotLabel;
use crate::scratch::ScratchTree;
use crate::snapshots::Snapshots;
use crate::work_tree::WorkTree;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_123);

fn run() -> RunId {
    RunId::from_bits(1)
}

/// Returns a work tree with a run in progress.
fn begun(scratch: &ScratchTree) -> WorkTree {
    let tree = in_run(scratch);
    Snapshots::new(&tree, run()).take(SnapshotLabel::Start, NOW).unwrap();
    tree
}

fn in_run(scratch: &ScratchTree) -> WorkTree {
    let mut tree = scratch.open();
    tree.heed_rules_of(&run());
    tree
}

#[test]
fn a_filter_never_runs_and_hides_nothing() {
    let scratch = ScratchTree::committed(&[("a", "1\n"), (".gitattributes", "b filter=x\n")]);
    let tree = begun(&scratch);
    let start = tree.tree().unwrap();
    let ran = scratch.state().join("ran");
    let clean = format!("touch {}; echo 1", ran.display());
    for key in ["clean", "process", "smudge"] {
        scratch.run(&["config", &format!("filter.x.{key}"), &clean]);
    }
    scratch.write(".git/info/attributes", "a filter=x\n");
    scratch.write("a", "2\n");
    scratch.write("b", "2\n");
    for tree in [tree, in_run(&scratch), scratch.open()] {
        let changes = tree.changes(&start, &tree.tree().unwrap()).unwrap();
        assert_eq!(changes.len(), 2, "{changes:?}");
    }
    assert!(!ran.exists());
}

#[test]
fn a_file_with_a_filter_counts_by_its_bytes_whatever_the_user_staged() {
    let scratch = ScratchTree::committed(&[(".gitattributes", "*.big filter=pointer\n")]);
    scratch.run(&["config", "filter.pointer.clean", "git hash-object --stdin"]);
    scratch.write("a.big", "contents");
    scratch.commit();
    assert_ne!(scratch.run(&["show", ":a.big"]), "contents");
    let tree = begun(&scratch);
    let start = tree.tree().unwrap();
    assert_eq!(tree.changes(&start, &tree.tree().unwrap()).unwrap(), []);
    scratch.write("a.big", "others");
    assert_eq!(tree.changes(&start, &tree.tree().unwrap()).unwrap().len(), 1);
    scratch.write("a.big", "contents");
    assert_eq!(tree.tree().unwrap(), start);
    assert_eq!(scratch.tree_anew(), start);
}

#[test]
fn what_is_excluded_beside_the_tree_counts_as_at_the_start() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.write(".git/info/exclude", "early\n");
    let tree = begun(&scratch);
    scratch.write("early", "1");
    let start = tree.tree().unwrap();
    scratch.write(".git/info/exclude", "late\n");
    scratch.write("late", "1");
    scratch.write(".git/more", "later\n");
    scratch.run(&["config", "core.excludesFile", &scratch.path(".git/more").to_string_lossy()]);
    scratch.write("later", "1");
    for tree in [tree, in_run(&scratch)] {
        let changes = tree.changes(&start, &tree.tree().unwrap()).unwrap();
        let paths: Vec<_> = changes.iter().map(|change| change.path.clone()).collect();
        assert_eq!(paths, ["late", "later"].map(std::path::PathBuf::from));
    }
    let paths = scratch.open().changes(&start, &scratch.tree()).unwrap();
    assert_eq!(paths.len(), 1, "outside of the run the present rules count: {paths:?}");
}

#[test]
fn what_the_user_and_the_repository_exclude_is_ignored_as_at_the_start() {
    let scratch = ScratchTree::committed(&[("a", "1"), (".gitignore", "!kept\n")]);
    scratch.write(".git/info/exclude", "!both\nearly\n");
    scratch.write(".git/more", "both\nkept\nusers\n");
    scratch.run(&["config", "core.excludesFile", &scratch.path(".git/more").to_string_lossy()]);
    for path in ["both", "early", "kept", "late", "users"] {
        scratch.write(path, "1");
    }
    let ignored = |tree: &WorkTree| {
        let mut found = tree.ignored();
        found.sort();
        found
    };
    let tree = begun(&scratch);
    let then = ["early", "users"].map(std::path::PathBuf::from);
    assert_eq!([&tree, &scratch.open()].map(ignored), [then.clone(), then.clone()]);
    scratch.write(".git/info/exclude", "late\n");
    scratch.write(".git/more", "");
    assert_eq!([&tree, &in_run(&scratch)].map(ignored), [then.clone(), then]);
    assert_eq!(ignored(&scratch.open()), [std::path::PathBuf::from("late")]);
}

fn paths_since(tree: &WorkTree, start: &ralph_core::TreeId) -> Vec<String> {
    let changes = tree.changes(start, &tree.tree().unwrap()).unwrap();
    changes.iter().map(|change| change.path.display().to_string()).collect()
}

#[test]
fn files_that_became_ignored_in_a_run_count() {
    let scratch = ScratchTree::committed(&[
        (".gitignore", "*.log\n/cache/\n"),
        ("sub/.gitignore", "!kept.log\nlocal/x\n"),
    ]);
    scratch.write("helper.py", "1");
    scratch.write("auto/.gitignore", "*\n");
    scratch.write("auto/x", "1");
    let tree = begun(&scratch);
    let start = tree.tree().unwrap();
    scratch.write(".gitignore", "*.log\n/cache/\n*.py\n/target/\n.env\n");
    scratch.write("tests/.gitignore", "*\n");
    for path in ["helper.py", "conftest.py", "tests/conftest.py", "target/a", ".env"] {
        scratch.write(path, "2");
    }
    for path in ["a.log", "cache/a", "sub/kept.log", "sub/local/x", "auto/y"] {
        scratch.write(path, "2");
    }
    let want = [
        ".gitignore",
        "conftest.py",
        "helper.py",
        "sub/kept.log",
        "tests/.gitignore",
        "tests/conftest.py",
    ];
    for tree in [&tree, &in_run(&scratch)] {
        assert_eq!(paths_since(tree, &start), want);
    }
    scratch.run(&["add", "-A"]);
    assert_eq!(paths_since(&tree, &start), want);
    let outside = paths_since(&scratch.open(), &start);
    assert!(!outside.contains(&"conftest.py".to_owned()), "{outside:?}");
}

#[test]
fn output_that_was_seen_before_a_rule_was_written_is_let_go() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    let tree = begun(&scratch);
    let start = tree.tree().unwrap();
    scratch.write("target/a", "1");
    assert_eq!(paths_since(&tree, &start), ["target/a"]);
    scratch.write(".gitignore", "target\n");
    assert_eq!(paths_since(&tree, &start), [".gitignore"]);
}

#[test]
fn a_copy_of_the_rules_that_was_changed_is_made_right_and_names_no_program() {
    let scratch = ScratchTree::committed(&[("a", "1\n")]);
    let tree = begun(&scratch);
    let ran = scratch.state().join("ran");
    let copy = scratch.state().join("rules").join(run().as_str());
    let planted = format!("[filter \"x\"]\n\tclean = touch {}\n", ran.display());
    let plant = || {
        fs::write(copy.join("config"), &planted).unwrap();
        fs::write(copy.join("settings"), format!("filter.x.clean\ntouch {}\0", ran.display()))
            .unwrap();
        fs::write(copy.join("info/attributes"), "* filter=x\n").unwrap();
        fs::write(copy.join("commondir"), scratch.path(".git").to_str().unwrap()).unwrap();
    };
    for tree in [tree, in_run(&scratch)] {
        plant();
        scratch.write("a", "2\n");
        tree.tree().unwrap();
        assert!(!fs::read_to_string(copy.join("config")).unwrap().contains("filter"));
    }
    assert!(!ran.exists());
}

#[test]
fn secrets_of_the_settings_are_not_copied() {
    let scratch = ScratchTree::committed(&[("a", "1\n")]);
    scratch.run(&["config", "http.extraHeader", "Authorization: hush"]);
    begun(&scratch);
    let copy = scratch.state().join("rules").join(run().as_str());
    for file in ["config", "settings"] {
        assert!(!fs::read_to_string(copy.join(file)).unwrap().contains("hush"), "{file}");
    }
}

/// Replaces an object by another one, as an attacker might.
fn forge(scratch: &ScratchTree, id: &str, planted: &str) {
    let planted = scratch.path(format!(".git/objects/{}/{}", &planted[..2], &planted[2..]));
    let object = scratch.path(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&object);
    fs::copy(planted, object).unwrap();
}

#[test]
fn an_object_that_was_altered_is_noticed() {
    let scratch = ScratchTree::committed(&[("a", "right\n"), ("below/b", "1\n")]);
    let tree = begun(&scratch);
    let snapshots = Snapshots::new(&tree, run());
    let start = snapshots.get(SnapshotLabel::Start).unwrap();
    let blob = scratch.run(&["rev-parse", "HEAD:a"]).trim().to_owned();
    scratch.write("a", "wrong\n");
    let wrong = scratch.run(&["hash-object", "-w", "a"]).trim().to_owned();
    forge(&scratch, &blob, &wrong);
    let present = tree.tree().unwrap();
    let found = snapshots.earlier(&start, &present, 100).unwrap_err().to_string();
    assert_eq!(found, format!("object {blob} is not what its name says: it was altered"));
    let folder = scratch.run(&["rev-parse", "HEAD:below"]).trim().to_owned();
    scratch.write("below/b", "2\n");
    let present = scratch.tree();
    let below = scratch.run(&["write-tree"]).trim().to_owned();
    forge(&scratch, &folder, &below);
    let fresh = scratch.open();
    let found = fresh.changes(&start.tree, &present).unwrap_err();
    assert!(matches!(found, TreeError::Altered { id } if id == folder));
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_not_worked_on_with_git() {
    let scratch = ScratchTree::committed(&[("a", "1\n")]);
    let tree = scratch.tree();
    // Only the super user can give files away.
    if std::os::unix::fs::chown(scratch.path(".git"), Some(54_321), None).is_err() {
        return;
    }
    assert_ne!(scratch.tree(), tree);
    let project = crate::ProjectLocation::discover(&scratch.root).unwrap();
    let found = crate::CommitReader::of(&project).unwrap_err().to_string();
    assert!(found.contains("safe.directory"), "{found}");
}
