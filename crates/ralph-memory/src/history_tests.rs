use std::fs;

use super::*;

fn commit(id: &str, subject: &str, files: &[&str]) -> HistoryCommit {
    HistoryCommit {
        id: id.to_owned(),
        at: 1,
        subject: subject.to_owned(),
        files: files.iter().map(|&file| file.to_owned()).collect(),
        ..HistoryCommit::default()
    }
}

fn moved(id: &str, old: &str, new: &str) -> HistoryCommit {
    let renames = vec![(old.to_owned(), new.to_owned())];
    HistoryCommit { renames, ..commit(id, "move things", &[new]) }
}

/// The answer of these commits, newest first, about these files.
#[track_caller]
fn ask(commits: &[HistoryCommit], files: &[&str], text: &str) -> Vec<LikelyFile> {
    let folder = tempfile::tempdir().unwrap();
    let mut history = CommitHistory::open(folder.path()).unwrap();
    history.add(commits.to_vec()).unwrap();
    let line: Vec<String> = commits.iter().map(|it| it.id.clone()).collect();
    let file = |path: &&str| PresentFile { path: (*path).to_owned(), names: Vec::new() };
    let past = history.past(&line, files.iter().map(file).collect()).unwrap();
    past.likely(&FileQuery { text: text.to_owned(), limit: 10, hints: Vec::new() })
}

fn names(likely: &[LikelyFile]) -> Vec<&str> {
    likely.iter().map(|it| it.file.as_str()).collect()
}

#[test]
fn files_of_commits_with_the_same_words_come_first() {
    let commits = [
        commit("c3", "lexer: keep comments", &["a.rs"]),
        commit("c2", "parser: read numbers with underscores", &["b.rs"]),
        commit("c1", "printer: align columns", &["c.rs"]),
    ];
    let found = ask(&commits, &["a.rs", "b.rs", "c.rs"], "read hexadecimal numbers");
    assert_eq!(names(&found), ["b.rs"]);
    assert!((found[0].score - 1.0).abs() < f64::EPSILON);
    let [LikelyReason::Commit { id, subject, reverted: false, .. }] = &found[0].reasons[..] else {
        panic!("{found:?}");
    };
    assert_eq!((id.as_str(), subject.as_str()), ("c2", "parser: read numbers with underscores"));
}

#[test]
fn what_an_old_path_was_changed_for_counts_for_the_new_one() {
    let commits = [
        moved("c4", "lib/mid.rs", "src/new.rs"),
        moved("c3", "old.rs", "lib/mid.rs"),
        commit("c2", "colour the prompt", &["old.rs"]),
        commit("c1", "something else", &["old.rs"]),
    ];
    let found = ask(&commits, &["src/new.rs", "x.rs"], "the prompt has no colour");
    assert_eq!(names(&found), ["src/new.rs"]);
}

#[test]
fn a_path_that_was_taken_again_is_another_file() {
    let commits = [
        commit("c3", "draw charts", &["old.rs"]),
        moved("c2", "old.rs", "new.rs"),
        commit("c1", "colour the prompt", &["old.rs"]),
    ];
    assert_eq!(names(&ask(&commits, &["old.rs", "new.rs"], "colour"))[0], "new.rs");
    assert_eq!(names(&ask(&commits, &["old.rs", "new.rs"], "charts"))[0], "old.rs");
}

#[test]
fn files_that_are_gone_are_no_answer() {
    let commits = [commit("c1", "colour the prompt", &["gone.rs", "here.rs"])];
    assert_eq!(names(&ask(&commits, &["here.rs"], "colour")), ["here.rs"]);
}

#[test]
fn a_reverted_commit_counts_less_and_says_so() {
    let revert = HistoryCommit {
        body: "This reverts commit c1c1c1c1c1.".to_owned(),
        ..commit("c3", "Revert \"colour the prompt\"", &["b.rs"])
    };
    let commits = [
        revert,
        commit("c2", "colour the prompt", &["a.rs"]),
        commit("c1c1c1c1c1", "colour the prompt", &["b.rs"]),
    ];
    let found = ask(&commits, &["a.rs", "b.rs"], "colour the prompt");
    let reverted = |it: &LikelyReason| matches!(it, LikelyReason::Commit { reverted: true, .. });
    let b = found.iter().find(|it| it.file == "b.rs").unwrap();
    assert!(b.reasons.iter().any(reverted), "{b:?}");
    assert_eq!(names(&found)[0], "a.rs");
}

#[test]
fn the_scope_of_a_message_is_more_than_a_word() {
    let commits = [
        commit("c2", "cli: list what the store has", &["a.rs"]),
        commit("c1", "store: keep what the cli lists", &["b.rs"]),
    ];
    assert_eq!(names(&ask(&commits, &["a.rs", "b.rs"], "store: forget"))[0], "b.rs");
    assert_eq!(names(&ask(&commits, &["a.rs", "b.rs"], "cli: forget"))[0], "a.rs");
}

#[test]
fn what_is_changed_together_is_named_together() {
    let commits = [
        commit("c3", "colour the prompt", &["a.rs"]),
        commit("c2", "first", &["a.rs", "a_tests.md"]),
        commit("c1", "second", &["a.rs", "a_tests.md"]),
    ];
    let found = ask(&commits, &["a.rs", "a_tests.md", "x.rs"], "colour");
    assert_eq!(names(&found), ["a.rs", "a_tests.md"]);
    assert_eq!(found[1].reasons, [LikelyReason::Together { file: "a.rs".to_owned(), times: 2 }]);
}

#[test]
fn without_commits_paths_and_definitions_answer() {
    let folder = tempfile::tempdir().unwrap();
    let history = CommitHistory::open(folder.path()).unwrap();
    let file = |path: &str, names: &[&str]| PresentFile {
        path: path.to_owned(),
        names: names.iter().map(|&name| name.to_owned()).collect(),
    };
    let files =
        vec![file("src/hlsdemux.c", &[]), file("src/b.c", &["parse_config"]), file("c", &[])];
    let past = history.past(&[], files).unwrap();
    let ask = |text: &str| {
        let question = FileQuery { text: text.to_owned(), limit: 5, hints: Vec::new() };
        past.likely(&question).into_iter().map(|it| it.file).collect::<Vec<_>>()
    };
    assert_eq!(ask("fix the demux element"), ["src/hlsdemux.c"]);
    assert_eq!(ask("parse_config loses a line"), ["src/b.c"]);
    assert_eq!(ask("look at src/b.c")[0], "src/b.c");
    assert_eq!(ask("look at hlsdemux.c")[0], "src/hlsdemux.c");
    assert_eq!(ask(""), Vec::<String>::new());
    assert_eq!(ask("the and of"), Vec::<String>::new());
}

#[test]
fn a_hint_speaks_for_a_file_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let history = CommitHistory::open(folder.path()).unwrap();
    let file = |path: &str| PresentFile { path: path.to_owned(), names: Vec::new() };
    let past = history.past(&[], vec![file("a"), file("b")]).unwrap();
    let reason = LikelyReason::Defines("Store".to_owned());
    let hint = |path: &str| (path.to_owned(), 1.0, reason.clone());
    let hints = vec![hint("b"), hint("gone")];
    let found = past.likely(&FileQuery { text: "x".to_owned(), limit: 5, hints });
    assert_eq!(names(&found), ["b"]);
    assert_eq!(found[0].reasons, [reason]);
}

#[test]
fn the_same_question_has_the_same_answer() {
    let subjects = ["read numbers", "numbers and words", "words of all numbers", "read words"];
    let commits: Vec<HistoryCommit> = (0..40)
        .map(|at| {
            let files = [format!("src/{}.rs", at % 7), format!("src/{}.rs", at % 5)];
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            commit(&format!("c{at}"), subjects[at % 4], &files)
        })
        .collect();
    let files: Vec<String> = (0..7).map(|at| format!("src/{at}.rs")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let first = ask(&commits, &files, "read all numbers and their words");
    assert_eq!(first.len(), 7);
    for _ in 0..5 {
        assert_eq!(ask(&commits, &files, "read all numbers and their words"), first);
    }
}

#[test]
fn only_commits_that_are_new_are_unknown_and_only_those_of_the_line_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = CommitHistory::open(folder.path()).unwrap();
    let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<String>>();
    history.add(vec![commit("c1", "colour", &["a"]), commit("c2", "colour", &["b"])]).unwrap();
    assert_eq!(history.unknown(&ids(&["c3", "c2", "c1"])).unwrap(), ["c3"]);
    let file = |path: &str| PresentFile { path: path.to_owned(), names: Vec::new() };
    let past = history.past(&ids(&["c3", "c1"]), vec![file("a"), file("b")]).unwrap();
    assert_eq!(past.commits(), 1);
    let question = FileQuery { text: "colour".to_owned(), limit: 5, hints: Vec::new() };
    assert_eq!(names(&past.likely(&question)), ["a"]);
}

#[test]
fn a_line_is_remembered_for_its_head_and_limit() {
    let folder = tempfile::tempdir().unwrap();
    let history = CommitHistory::open(folder.path()).unwrap();
    let line = vec!["c2".to_owned(), "c1".to_owned()];
    history.set_line("c2", 10, &line).unwrap();
    assert_eq!(history.line("c2", 10).unwrap(), Some(line));
    assert_eq!(history.line("c2", 20).unwrap(), None);
    for number in 0..LINES {
        history.set_line(&format!("h{number}"), 10, &[]).unwrap();
    }
    assert_eq!(history.line("c2", 10).unwrap(), None, "old ones are forgotten");
}

#[test]
fn a_damaged_or_foreign_file_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.1.db");
    fs::write(&path, "no database at all, but long enough to be taken for one".repeat(40)).unwrap();
    let mut history = CommitHistory::open(folder.path()).unwrap();
    history.add(vec![commit("c1", "colour", &["a"])]).unwrap();
    history.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(history);
    let history = CommitHistory::open(folder.path()).unwrap();
    assert_eq!(history.unknown(&["c1".to_owned()]).unwrap(), ["c1"]);
}

#[test]
fn a_row_that_cannot_be_read_is_reported_as_damage() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = CommitHistory::open(folder.path()).unwrap();
    history.add(vec![commit("c1", "colour", &["a"])]).unwrap();
    history.connection.execute("UPDATE commits SET facts = x'00'", []).unwrap();
    let error = history.past(&["c1".to_owned()], Vec::new()).err().unwrap();
    assert!(matches!(error, MemoryError::Damaged { .. }), "{error:?}");
    history.clear().unwrap();
    assert_eq!(history.past(&["c1".to_owned()], Vec::new()).unwrap().commits(), 0);
}
