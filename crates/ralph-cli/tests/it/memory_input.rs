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
