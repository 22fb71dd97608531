use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;
use crate::scratch::ScratchTree;

fn commits(scratch: &ScratchTree) -> CommitReader {
    CommitReader::of(&ProjectLocation::discover(&scratch.root).unwrap()).unwrap()
}

/// All commits of the present branch, newest first.
fn all(scratch: &ScratchTree) -> Vec<GitCommit> {
    let commits = commits(scratch);
    let head = commits.head().unwrap().unwrap();
    let line = commits.line(&head, 100).unwrap();
    let mut found = Vec::new();
    let read: Result<(), TreeError> = commits.read(&line, |commit| {
        found.push(commit);
        Ok(())
    });
    read.unwrap();
    assert_eq!(found.iter().map(|it| it.id.clone()).collect::<Vec<_>>(), line);
    found
}

fn commit(scratch: &ScratchTree, message: &str) {
    scratch.run(&["add", "-A"]);
    scratch.run(&["commit", "-q", "--allow-empty", "-m", message]);
}

#[test]
fn a_commit_tells_its_message_and_its_files() {
    let scratch = ScratchTree::git();
    scratch.write("src/a b.rs", "1");
    commit(&scratch, "core: begin\n\nBecause of this,\nand that.");
    scratch.write("src/a b.rs", "2");
    scratch.write("c", "1");
    commit(&scratch, "more");
    fs::remove_file(scratch.root.join("c")).unwrap();
    commit(&scratch, "less");
    commit(&scratch, "nothing");
    let found = all(&scratch);
    let told: Vec<(&str, &str, Vec<&str>)> = found
        .iter()
        .map(|it| {
            let files = it.files.iter().map(String::as_str).collect();
            (it.subject.as_str(), it.body.as_str(), files)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("nothing", "", vec![]),
            ("less", "", vec!["c"]),
            ("more", "", vec!["c", "src/a b.rs"]),
            ("core: begin", "Because of this,\nand that.", vec!["src/a b.rs"]),
        ]
    );
    assert!(found.iter().all(|it| it.at > 0));
}

#[test]
fn a_moved_file_is_known_by_both_names() {
    let scratch = ScratchTree::committed(&[("old.rs", "a\nb\nc\nd\ne\n")]);
    scratch.run(&["mv", "old.rs", "new.rs"]);
    commit(&scratch, "move");
    let moved = &all(&scratch)[0];
    assert_eq!(moved.renames, [("old.rs".to_owned(), "new.rs".to_owned())]);
    assert_eq!(moved.files, ["new.rs"]);
}

#[test]
fn a_merge_is_told_by_what_it_joins() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    scratch.run(&["checkout", "-q", "-b", "side"]);
    scratch.write("b", "1");
    commit(&scratch, "on the side");
    scratch.run(&["checkout", "-q", "main"]);
    scratch.write("c", "1");
    commit(&scratch, "on main");
    scratch.run(&["merge", "-q", "--no-ff", "-m", "join", "side"]);
    let mut subjects: Vec<String> = all(&scratch).into_iter().map(|it| it.subject).collect();
    subjects.sort();
    assert_eq!(subjects, ["on main", "on the side", "work"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_not_unicode_is_no_obstacle() {
    let scratch = ScratchTree::git();
    let name = path_bytes::from_bytes(b"caf\xe9.txt");
    fs::write(scratch.root.join(&name), "1").unwrap();
    scratch.run(&["add", "-A"]);
    let mut child = Command::new("git")
        .current_dir(&scratch.root)
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-F", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"na\xefve \x01 words\n\n:100644 M\n").unwrap();
    assert!(child.wait().unwrap().success());
    commit(&scratch, "after");
    let found = all(&scratch);
    // Git may have guessed another encoding.
    let subject = &found[1].subject;
    assert!(subject.starts_with("na") && subject.ends_with("ve \u{1} words"), "{subject:?}");
    assert_eq!(found[1].body, ":100644 M");
    assert_eq!(found[1].files, ["caf\u{fffd}.txt"]);
    assert_eq!(commits(&scratch).tracked().unwrap(), [name]);
}

#[test]
fn before_the_first_commit_there_is_no_head() {
    let scratch = ScratchTree::git();
    assert_eq!(commits(&scratch).head().unwrap(), None);
    assert!(commits(&scratch).tracked().unwrap().is_empty());
}

#[test]
fn without_a_repository_there_are_no_commits() {
    let scratch = ScratchTree::plain();
    let error = CommitReader::of(&ProjectLocation::discover(&scratch.root).unwrap()).unwrap_err();
    assert!(error.to_string().ends_with("is not in a git repository"), "{error}");
}

#[test]
fn a_shallow_clone_tells_what_it_has_and_nothing_of_its_edge() {
    let scratch = ScratchTree::committed(&[("a", "1"), ("b", "1")]);
    for text in ["second", "third"] {
        scratch.write("a", text);
        commit(&scratch, text);
    }
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.root.display());
    let to = clone.path().join("clone");
    scratch.run(&["clone", "-q", "--depth", "2", &url, to.to_str().unwrap()]);
    let commits = CommitReader::of(&ProjectLocation::discover(Path::new(&to)).unwrap()).unwrap();
    assert!(commits.is_shallow());
    let head = commits.head().unwrap().unwrap();
    assert_eq!(commits.line(&head, 10).unwrap(), [head.as_str()]);
    let edge = fs::read_to_string(to.join(".git/shallow")).unwrap().trim().to_owned();
    let mut read = Vec::new();
    let names = [head, edge];
    let done = commits.read(&names, |commit| {
        read.push((commit.subject, commit.files));
        Ok::<(), TreeError>(())
    });
    done.unwrap();
    let touched = vec!["a".to_owned()];
    assert_eq!(read, [("third".to_owned(), touched), ("second".to_owned(), Vec::new())]);
}

#[test]
fn an_error_of_the_listener_ends_the_reading() {
    let scratch = ScratchTree::committed(&[("a", "1")]);
    commit(&scratch, "second");
    let commits = commits(&scratch);
    let line = commits.line("HEAD", 10).unwrap();
    let mut seen = 0;
    let read = commits.read(&line, |_| {
        seen += 1;
        Err(TreeError::Restless { path: "x".into() })
    });
    assert!(matches!(read, Err(TreeError::Restless { .. })));
    assert_eq!(seen, 1);
}
