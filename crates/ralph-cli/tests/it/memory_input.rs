//! What is given to the memory on standard input, and what comes out of it.

use serde_json::{Value, json};

use crate::git;

#[test]
fn a_dash_stands_for_standard_input() {
    let project = git();
    let add = project.ralph(&["memory", "add", "-", "--json"]).stdin("the cache is warmed at noon");
    let added = add.output().exits(0).json();
    assert_eq!(added["note"]["text"], "the cache is warmed at noon");
    let args = ["memory", "search", "--queries", "-", "--json"];
    let found = project.ralph(&args).stdin("cache\nnothing like it\n").output().exits(0);
    let lines: Vec<Value> =
        found.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{}", found.stdout);
    assert_eq!(lines[0]["results"][0]["id"], added["note"]["id"]);
    let files = ["memory", "files", "--queries", "-"];
    let files = project.ralph(&files).stdin("cache\n\"noon\"\n").output().exits(0);
    assert_eq!(files.stdout.lines().count(), 2, "{}", files.stdout);
}

#[test]
fn what_a_note_says_does_not_steer_the_terminal() {
    let project = git();
    let escape = "\u{1b}]0;title\u{7}\u{1b}[31mred\u{9b}2J \u{202e}text\nsecond line";
    let line = json!({
        "id": "esc", "text": escape, "title": escape, "why": escape, "files": ["\u{1b}[31ma.py"],
    });
    project.file("notes.jsonl", line.to_string());
    let _ = project.ralph(&["memory", "import", "notes.jsonl"]).output().exits(0);
    for job in [
        &["show", "esc"][..],
        &["list"],
        &["search", "red"],
        &["why", "esc"],
        &["context", "--task", "red text in line"],
    ] {
        let said = project.ralph(&[&["memory"], job].concat()).output().exits(0);
        let is_sound = |c: char| matches!(c, '\n' | '\t') || !c.is_control() && c != '\u{202e}';
        assert!(said.stdout.chars().all(is_sound), "{job:?}: {:?}", said.stdout);
        assert!(said.stderr.chars().all(is_sound), "{job:?}: {:?}", said.stderr);
    }
    let shown = project.ralph(&["memory", "show", "esc"]).output().stdout;
    assert!(shown.contains("red text\nsecond line"), "{shown}");
    let exact = project.ralph(&["memory", "show", "esc", "--json"]).output().json();
    assert_eq!(exact["note"]["text"], escape);
}

#[test]
fn who_notes_a_secret_hears_that_it_was_taken_out() {
    let project = git();
    let said = |args: &[&str], locale: &str| {
        let call = project.ralph(&[&["memory"], args].concat()).env("RALPH_LOCALE", locale);
        call.output().exits(0)
    };
    let add = ["add", "the password of staging is Tr0ub4dor&3"];
    assert_eq!(said(&add, "en").stderr, "note: a secret was taken out of the text\n");
    assert_eq!(said(&add, "ko").stderr, "참고: 글에서 비밀 정보 1개를 지웠습니다\n");
    let why = ["--why", "the token is 9f8a7c6b5d4e3f2a1b0c", "--json"];
    let added = said(&[&add[..], &why].concat(), "en").json();
    assert_eq!(added["redacted"], 2);
    assert_eq!(added["note"]["text"], "the password of staging is [redacted:password]");
    let id = added["note"]["id"].as_str().unwrap();
    let edited = said(&["edit", id, "its password is Hunter2!x", "--json"], "en");
    assert_eq!(edited.json()["redacted"], 1);
    let plain = said(&["add", "the password is hashed with bcrypt", "--json"], "en");
    assert_eq!((plain.json()["redacted"].as_u64(), plain.stderr.as_str()), (Some(0), ""));
    let line = |id: &str, text: &str| json!({ "id": id, "text": text }).to_string();
    let lines =
        [line("a", "CI 토큰은 9f8a7c6b5d4e3f2a1b0c 이다"), line("b", "plain"), line("c", add[1])];
    project.file("notes.jsonl", lines.join("\n"));
    let imported = said(&["import", "notes.jsonl", "--json"], "en");
    assert_eq!(imported.json()["redacted"], 2);
    assert_eq!(imported.stderr, "note: 2 secrets were taken out of the text\n");
}

#[test]
fn what_is_emptied_leaves_no_line() {
    let project = git();
    let hidden = "<private>because of Kim</private>";
    let args = ["memory", "add", "deploys run at noon", "--why", hidden, "--title", hidden];
    let added = project.ralph(&[&args[..], &["--json"]].concat()).output().exits(0).json();
    assert_eq!((&added["note"]["why"], &added["note"]["title"]), (&Value::Null, &Value::Null));
    let id = added["note"]["id"].as_str().unwrap();
    let shown = project.ralph(&["memory", "show", id]).output().exits(0).stdout;
    assert!(!shown.to_lowercase().contains("why"), "{shown}");
}
