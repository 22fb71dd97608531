//! Taking back what a run did, and nothing else.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ralph_testkit::{CommandOutput, TestProject};

use crate::{git, plain};

/// Every file below the project: its mode, and its contents or target.
pub(crate) type Files = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// Spoils whatever `dirty` laid out, a bit more in each turn.
pub(crate) const SPOILS: &str = "echo turn $RALPH_ITERATION | tee -a edited staged new\n\
     rm -f gone link; chmod -x tool; mkdir -p deep/er; echo x > deep/er/new; ln -s edited link\n\
     echo back > deleted";

/// What is at a path and below it, `.git` apart.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
pub(crate) fn files(root: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let mode = entry.metadata().unwrap().permissions().mode();
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap().into_os_string();
                found.insert(path, (mode, target.into_encoded_bytes()));
            } else if kind.is_file() {
                found.insert(path.clone(), (mode, fs::read(path).unwrap()));
            }
        }
    }
    found
}

/// Lays out files of many kinds, with changes over the last commit when in git.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
pub(crate) fn dirty(project: &TestProject, agent: &str) {
    let root = project.root();
    project.file("edited", "old\n").file("staged", "old\n").file("gone", "old\n");
    project.file("deleted", "old\n").script("tool", "true").agent(agent);
    if root.join(".git").exists() {
        project.run_git(&["add", "."]);
        project.run_git(&["commit", "--quiet", "-m", "first"]);
        project.file("stashed", "x");
        project.run_git(&["stash", "push", "--quiet", "--include-untracked"]);
        project.file("staged", "in the index\n");
        project.run_git(&["add", "staged"]);
    }
    project.file("edited", "mine\n").file("staged", "newer\n").file("untracked", "mine\n");
    fs::remove_file(root.join("deleted")).unwrap();
    symlink("untracked", root.join("link")).unwrap();
}

/// What git knows besides the files; our own references are not counted.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn knowledge(project: &TestProject) -> Vec<String> {
    let index = fs::read(project.root().join(".git/index")).unwrap_or_default();
    let mut known = vec![String::from_utf8_lossy(&index).into_owned()];
    for args in [
        ["status", "--porcelain=v2", "--branch"].as_slice(),
        &["ls-files", "-s"],
        &["stash", "list"],
        &["reflog", "--all"],
        &["for-each-ref", "--exclude=refs/ralph"],
    ] {
        known.push(project.run_git(args));
    }
    known.push(fs::read_to_string(project.root().join(".git/HEAD")).unwrap());
    known
}

/// A run of this many turns that nobody believes.
pub(crate) fn fail(project: &TestProject, turns: &str) -> CommandOutput {
    project.run_json("do it", &["--max-iterations", turns]).exits(1)
}

pub(crate) fn rollback(project: &TestProject, more: &[&str]) -> CommandOutput {
    project.ralph(&[&["rollback"], more].concat()).output()
}

/// A project in git and one outside, each with files of many kinds.
pub(crate) fn both(agent: &str) -> [TestProject; 2] {
    [git(), plain()].map(|project| {
        dirty(&project, agent);
        project
    })
}

#[test]
fn a_dirty_tree_comes_back_as_it_was() {
    for project in both(SPOILS) {
        let before = files(&project.root());
        let _ = fail(&project, "2");
        assert_ne!(files(&project.root()), before);
        let output = rollback(&project, &[]).exits(0);
        assert_eq!(files(&project.root()), before);
        assert!(output.stdout.contains("snapshot safety-1"), "{}", output.stdout);
        assert!(!project.root().join("deep").exists());

        let again = rollback(&project, &[]).exits(0);
        assert_eq!(again.stdout, "There is nothing to take back.\n");
        assert_eq!(files(&project.root()), before);
    }
}

#[test]
fn index_branches_stash_and_reflog_are_not_touched() {
    let project = git();
    dirty(&project, SPOILS);
    // Twice: the first call may write down what it found in the index.
    let _ = knowledge(&project);
    let before = knowledge(&project);
    let _ = fail(&project, "2");
    let _ = rollback(&project, &[]).exits(0);
    assert_eq!(knowledge(&project), before);
}

#[test]
fn no_hook_runs_and_no_identity_is_needed() {
    let project = git();
    dirty(&project, SPOILS);
    for hook in ["pre-commit", "post-commit", "post-checkout", "reference-transaction"] {
        project.script(&format!(".git/hooks/{hook}"), "touch $OUTSIDE/hooked");
    }
    let nobody = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME"];
    let mut call = project.run_call("do it", &["--max-iterations", "1"]);
    for name in nobody {
        call = call.env(name, "");
    }
    let _ = call.output().exits(1);
    let _ = rollback(&project, &[]).exits(0);
    assert!(!project.outside("hooked").exists());
}

#[test]
fn only_files_of_the_run_are_removed() {
    for project in both(SPOILS) {
        let _ = fail(&project, "1");
        project.file("later", "mine").file("deep/mine", "too");
        let output = rollback(&project, &[]).exits(0);
        assert_eq!((&*project.read("later"), &*project.read("deep/mine")), ("mine", "too"));
        assert!(!project.root().join("new").exists());
        assert!(!project.root().join("deep/er").exists());
        let said = "  left alone deep/mine (appeared after the run)\n";
        assert!(output.stderr.contains(said), "{}", output.stderr);
    }
}

#[test]
fn edits_after_the_run_are_left_unless_forced() {
    for project in both(SPOILS) {
        let before = files(&project.root());
        let _ = fail(&project, "1");
        project.file("edited", "my later work").file("new", "mine as well");
        let output = rollback(&project, &[]).exits(1);
        assert!(output.stderr.contains("edited (changed since by others; use --force)"));
        assert_eq!(project.read("edited"), "my later work");
        assert_eq!(project.read("new"), "mine as well");
        assert_eq!(project.read("staged"), "newer\n");

        let _ = rollback(&project, &["--force"]).exits(0);
        assert_eq!(files(&project.root()), before);
        let _ = rollback(&project, &["--undo"]).exits(0);
        assert_eq!(project.read("edited"), "my later work");
    }
}

#[test]
fn a_path_limits_what_is_taken_back() {
    for project in both(SPOILS) {
        let _ = fail(&project, "1");
        let paths = ["--path", "deep/../deep/er", "--path", "./gone"];
        let _ = rollback(&project, &paths).exits(0);
        assert!(!project.root().join("deep/er/new").exists());
        assert_eq!(project.read("gone"), "old\n");
        assert!(project.root().join("new").exists());
        let _ = rollback(&project, &["--path", "/etc"]).exits(2);
    }
}

#[test]
fn a_path_is_meant_from_where_the_user_stands() {
    let project = git();
    dirty(&project, SPOILS);
    let _ = fail(&project, "1");
    let call = project.ralph(&["rollback", "--path", "er", "--path", "../gone"]);
    let _ = call.dir(project.root().join("deep")).output().exits(0);
    assert!(!project.root().join("deep/er/new").exists());
    assert_eq!(project.read("gone"), "old\n");
    assert!(project.root().join("new").exists());
}

#[test]
fn a_dry_run_changes_nothing() {
    for project in both(SPOILS) {
        let _ = fail(&project, "1");
        project.file("edited", "my later work");
        let listed = || project.ralph(&["snapshots"]).output().exits(0).stdout;
        let before = (files(&project.root()), listed());
        let shown = rollback(&project, &["--dry-run"]).exits(0).stdout;
        for line in [
            "  bring back gone\n",
            "  remove     new\n",
            "  restore    tool\n",
            "  restore    edited (changed since by others; only with --force)\n",
        ] {
            assert!(shown.contains(line), "no `{line}` in {shown}");
        }
        let json = rollback(&project, &["--dry-run", "--json"]).exits(0).json();
        assert_eq!(json["conflicts"][0]["path"], "edited");
        assert_eq!((files(&project.root()), listed()), before);
    }
}

#[test]
fn every_iteration_can_be_reached_one_after_the_other() {
    let turn = "echo $RALPH_ITERATION > edited\n\
                case $RALPH_ITERATION in 1) echo x > once;; 2) rm once;; esac";
    for project in both(turn) {
        let _ = fail(&project, "3");
        for (to, edited, once) in [
            ("1", "1\n", true),
            ("2", "2\n", false),
            ("last", "3\n", false),
            ("1", "1\n", true),
            ("start", "mine\n", false),
            ("3", "3\n", false),
            ("safety-1", "3\n", false),
            ("safety-2", "1\n", true),
            ("0", "mine\n", false),
        ] {
            let _ = rollback(&project, &["--to", to]).exits(0);
            assert_eq!(project.read("edited"), edited, "{to}");
            assert_eq!(project.root().join("once").exists(), once, "{to}");
        }
    }
}

#[test]
fn an_unknown_snapshot_is_refused() {
    for project in both(SPOILS) {
        let _ = fail(&project, "1");
        let before = files(&project.root());
        for (to, code) in [("7", 1), ("best", 1), ("safety-1", 1), ("nonsense", 2), ("-1", 2)] {
            let to = format!("--to={to}");
            let _ = rollback(&project, &[&to]).exits(code);
        }
        let never = rollback(&project, &["--undo"]).exits(1);
        assert!(never.stderr.contains("has no rollback that could be undone"), "{}", never.stderr);
        assert_eq!(files(&project.root()), before);
    }
}

#[test]
fn rollbacks_are_undone_one_after_the_other_and_can_be_taken_again() {
    for project in both(SPOILS) {
        let before = files(&project.root());
        let _ = fail(&project, "2");
        let after = files(&project.root());
        let _ = rollback(&project, &["--to", "1"]).exits(0);
        let first = files(&project.root());
        let _ = rollback(&project, &[]).exits(0);
        // There is nothing left to take back, so this is no rollback.
        let _ = rollback(&project, &[]).exits(0);
        let undone = rollback(&project, &["--undo"]).exits(0).stdout;
        assert_eq!(files(&project.root()), first);
        assert!(undone.contains("`--undo` once more undoes that one"), "{undone}");
        let undone = rollback(&project, &["--undo"]).exits(0).stdout;
        assert_eq!(files(&project.root()), after);
        assert!(undone.contains("Undid the rollback: "), "{undone}");
        assert!(!undone.contains("once more"), "{undone}");
        let nothing = rollback(&project, &["--undo"]).exits(1).stderr;
        assert!(nothing.contains("has no rollback that could be undone"), "{nothing}");
        let _ = rollback(&project, &[]).exits(0);
        assert_eq!(files(&project.root()), before);
        let _ = rollback(&project, &["--undo"]).exits(0);
        assert_eq!(files(&project.root()), after);
        // The rollback that it undid, by the name of what was there.
        let _ = rollback(&project, &["--to", "safety-5"]).exits(0);
    }
}

#[test]
fn file_names_of_any_bytes_come_back() {
    use std::os::unix::ffi::OsStringExt;
    for project in [git(), plain()] {
        let names = [
            b"two words".as_slice(),
            b"new\nline",
            b"quote'\"",
            b"\xff\xfe",
            b"-n",
            b"\x1b[31m",
            b":(top)x",
            b"*",
        ];
        for name in names {
            let name = OsString::from_vec(name.to_vec());
            fs::write(project.root().join(name), "mine").unwrap();
        }
        project.agent(
            "for f in ./*; do case $f in *agent.sh) ;; *) echo x > \"$f\";; esac; done\n\
             echo y > \"$(printf 'new\\377\\n\\033x')\"",
        );
        let before = files(&project.root());
        let _ = fail(&project, "1");
        assert_eq!(files(&project.root()).len(), before.len() + 1);
        let shown = rollback(&project, &["--dry-run"]).exits(0).stdout;
        assert!(!shown.contains('\x1b') && shown.contains(r"new\nline"), "{shown}");
        let json = rollback(&project, &["--dry-run", "--json"]).exits(0).json();
        assert_eq!(json["steps"].as_array().unwrap().len(), names.len() + 1);
        let _ = rollback(&project, &["--json"]).exits(0).json();
        assert_eq!(files(&project.root()), before);
    }
}
