//! What the owner of notes may rely on: all of them are found, labelled,
//! restored, and rid of secrets.

use std::fs;

use ralph_testkit::TestProject;
use serde_json::json;

use crate::noting::{add, json_of, memory, said};
use crate::plain;

#[test]
fn notes_for_all_projects_are_found_like_others_and_say_so() {
    let project = plain();
    let id = add(&project, &["My favourite linter is oxlint", "--scope", "global"]);
    let own = add(&project, &["The linter runs in CI"]);
    let listed = json_of(&project, &["list"]);
    assert_eq!((&listed["notes"][0]["id"], &listed["notes"][1]["id"]), (&json!(own), &json!(id)));
    let found = json_of(&project, &["search", "oxlint"]);
    assert_eq!(
        (&found["results"][0]["id"], &found["results"][0]["scope"]),
        (&json!(id), &json!("global"))
    );
    assert_eq!(
        json_of(&project, &["search", "oxlint", "--scope", "project"])["results"],
        json!([])
    );
    assert_eq!(json_of(&project, &["show", &id])["note"]["scope"], "global");
    said(&project, &["promote", &own, "--scope", "global"]);
    assert_eq!(json_of(&project, &["show", &own])["note"]["retired"], json!(null));
}

#[test]
fn what_is_forgotten_is_forgotten_in_both_notebooks() {
    let project = plain();
    let text = "The launch codename is Zanzibar";
    let id = add(&project, &[text]);
    assert_eq!(add(&project, &[text, "--scope", "global"]), id);
    said(&project, &["forget", &id]);
    let _ = memory(&project, &["show", &id]).exits(2);
    for path in project.everything() {
        let bytes = fs::read(&path).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("Zanzibar"), "{}", path.display());
    }
}

#[test]
fn what_is_forgotten_for_all_projects_is_not_repeated_by_this_one() {
    let project = plain();
    let id = add(&project, &["The launch codename is Zanzibar", "--scope", "global"]);
    let other =
        add(&project, &["The launch is in May", "--why", "the launch codename is Zanzibar"]);
    said(&project, &["forget", &id]);
    assert_eq!(json_of(&project, &["show", &other])["note"]["why"], json!(null));
    for path in project.everything() {
        let bytes = fs::read(&path).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("Zanzibar"), "{}", path.display());
    }
}

#[test]
fn another_note_of_the_same_name_is_not_forgotten_along() {
    let project = plain();
    let import = |text: &str| {
        project.file("t.jsonl", json!({ "id": "talk-1", "text": text }).to_string());
        let _ = memory(&project, &["import", "t.jsonl"]).exits(0);
    };
    import("The cache is warmed at noon");
    said(&project, &["promote", "talk-1", "--scope", "global"]);
    import("Invoices are rounded to five cents");
    let done = memory(&project, &["forget", "talk-1"]).exits(0);
    assert!(done.stderr.contains("(project); it stays"), "{}", done.stderr);
    let shown = json_of(&project, &["show", "talk-1"]);
    assert_eq!(shown["note"]["text"], "Invoices are rounded to five cents");
}

#[test]
fn a_note_for_all_projects_points_at_no_file_of_one() {
    let project = plain();
    project.file("a.txt", "a\n");
    for option in ["--anchor", "--file"] {
        let refused = memory(&project, &["add", "x", "--scope", "global", option, "a.txt"]);
        assert!(refused.exits(2).stderr.contains("elsewhere it is another file"), "{option}");
    }
    let id = add(&project, &["a is short", "--anchor", "a.txt"]);
    said(&project, &["promote", &id, "--scope", "global"]);
    project.file("a.txt", "another\n");
    let why = json_of(&project, &["why", &id]);
    assert_eq!((&why["label"], &why["note"]["files"]), (&json!("verified"), &json!([])));
}

#[test]
fn what_points_at_changed_code_is_called_stale_wherever_it_is_read() {
    let project = plain();
    project.file("s.py", "def save():\n    return 1\n");
    let id = add(&project, &["save returns one", "--anchor", "s.py#save"]);
    assert!(!said(&project, &["list"]).contains("STALE"));
    assert_eq!(json_of(&project, &["list"])["notes"][0]["label"], "verified");
    project.file("s.py", "def save():\n    return 2\n");
    for args in [&["list"][..], &["search", "save"], &["show", &id]] {
        assert!(said(&project, args).contains("[STALE]"), "{args:?}");
    }
    assert_eq!(json_of(&project, &["list"])["notes"][0]["label"], "stale");
    assert_eq!(json_of(&project, &["search", "save"])["results"][0]["label"], "stale");
    assert_eq!(json_of(&project, &["show", &id])["note"]["label"], "stale");
}

#[test]
fn the_users_newer_word_takes_the_place_of_the_older() {
    let project = plain();
    let old = add(&project, &["The HTTP timeout is 30 seconds"]);
    let told = said(&project, &["add", "The HTTP timeout is 60 seconds"]);
    assert!(told.contains(&format!("It takes the place of {old} (it was")), "{told}");
    let found = json_of(&project, &["search", "http timeout"]);
    assert_eq!(found["results"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["results"][0]["text"], "The HTTP timeout is 60 seconds");
    let shown = json_of(&project, &["show", &old]);
    assert_eq!(shown["note"]["retired"]["by"], found["results"][0]["id"]);
    let rule = add(&project, &["Never run migrations at startup", "--kind", "constitution"]);
    let told = said(&project, &["add", "Run migrations at startup"]);
    assert!(told.contains(&format!("It contradicts {rule} which stands")), "{told}");
}

#[test]
fn a_backup_of_ones_own_binds_again_once_the_user_vouches_for_it() {
    let project = plain();
    let rule = add(&project, &["Never push to main", "--kind", "constitution"]);
    project.file("agent.jsonl", "{\"id\":\"a\",\"text\":\"ports are odd\",\"by\":\"agent\"}\n");
    let _ = memory(&project, &["import", "agent.jsonl"]).exits(0);
    let backup = said(&project, &["export"]);
    let shows =
        |project: &TestProject| said(project, &["context", "--task", "draw it"]).contains(&rule);
    for promotes in [true, false] {
        let other = plain();
        other.file("b.jsonl", &backup);
        let done = memory(&other, &["import", "b.jsonl"]).exits(0);
        assert!(done.stderr.contains("1 of them are rules"), "{}", done.stderr);
        assert!(!shows(&other));
        if promotes {
            said(&other, &["promote", &rule]);
        } else {
            said(&other, &["import", "b.jsonl", "--trust"]);
        }
        assert!(shows(&other), "{promotes}");
        assert_eq!(json_of(&other, &["show", &rule])["note"]["by"], "user");
        assert_eq!(json_of(&other, &["show", "a"])["note"]["by"], "import");
        said(&other, &["edit", &rule, "Never push to main or release"]);
        said(&other, &["import", "b.jsonl", "--trust"]);
        let kept = json_of(&other, &["show", &rule]);
        assert_eq!(kept["note"]["text"], "Never push to main or release");
    }
    let call = project.ralph(&["memory", "import", "agent.jsonl", "--trust"]);
    let _ = call.env("RALPH_DRIVER", "1").output().exits(1);
}

#[test]
fn nothing_in_a_note_moves_the_cursor() {
    let project = plain();
    let line = json!({ "id": "esc", "text": "\u{1b}[31mred\nand \u{202e}more", "files": ["a\nb"] });
    project.file("t.jsonl", format!("{line}\n"));
    let _ = memory(&project, &["import", "t.jsonl"]).exits(0);
    let shown = said(&project, &["show", "esc"]);
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    assert!(shown.contains("file: a b\n") && shown.ends_with("\nred\nand more\n"), "{shown}");
}

#[test]
fn a_time_that_nobody_can_write_is_refused() {
    let project = plain();
    project.file("t.jsonl", "{\"id\":\"t\",\"text\":\"far\",\"at\":99999999999999999}\n");
    let refused = memory(&project, &["import", "t.jsonl"]).exits(1);
    assert!(refused.stderr.contains("no time is that far away"), "{}", refused.stderr);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let project = plain();
    add(&project, &["kept"]);
    let binary = project.binary().to_owned();
    for words in ["memory export", "memory list", "memory stats --json", "--help"] {
        let line = format!("\"$0\" {words} > /dev/full");
        let full = project.program("sh").args(["-c", &line]).args([&binary]).output().exits(3);
        assert!(words == "--help" || full.stderr.contains("standard output"), "{}", full.stderr);
    }
    let _ = project.ralph(&["memory", "export"]).unheard().exits(0);
}

#[test]
fn no_field_of_an_import_keeps_a_secret_and_neighbours_still_match() {
    let project = plain();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let line = |id: &str, text: &str, prev: Option<&str>| {
        let files = [format!("cfg/{token}.txt"), "https://u:s3cr3tpw@host/x".to_owned()];
        json!({ "id": id, "text": text, "kind": token, "group": token, "prev": prev, "files": files })
    };
    let lines = [line(&token, "warm the cache", None), line("b", "and drop it", Some(&token))];
    project.file("t.jsonl", lines.map(|line| format!("{line}\n")).concat());
    let _ = memory(&project, &["import", "t.jsonl"]).exits(0);
    let _ = memory(&project, &["add", "x", "--file", &format!("cfg/{token}.md")]).exits(0);
    let first = json_of(&project, &["show", &token]);
    let second = json_of(&project, &["show", "b"]);
    assert_eq!(first["note"]["external_id"], second["note"]["prev"], "{second}");
    let grouped = json_of(&project, &["list", "--group", &token]);
    assert_eq!(grouped["notes"].as_array().map(Vec::len), Some(2));
    fs::remove_file(project.root().join("t.jsonl")).unwrap();
    for path in project.everything() {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let is_clean = !text.contains(&token) && !text.contains("s3cr3tpw");
        assert!(is_clean, "{}", path.display());
    }
}
