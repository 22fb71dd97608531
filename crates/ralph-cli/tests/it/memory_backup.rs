//! A backup of notes, and what comes of it elsewhere.

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::noting::{add, json_of, memory, said};
use crate::plain;

/// Imports lines that the user vouches for.
#[track_caller]
fn trusted(project: &TestProject, lines: &str) -> Value {
    project.file("b.jsonl", lines);
    json_of(project, &["import", "b.jsonl", "--trust"])
}

fn note(project: &TestProject, id: &str) -> Value {
    json_of(project, &["show", id])["note"].clone()
}

const OLD: &str = "The HTTP timeout is 30 seconds";
const NEW: &str = "The HTTP timeout is 60 seconds";

#[test]
fn what_was_replaced_or_withdrawn_stays_so_in_a_backup() {
    let project = plain();
    let old = add(&project, &[OLD]);
    let new = add(&project, &[NEW]);
    let moved = add(&project, &["Tabs are eight wide"]);
    said(&project, &["promote", &moved, "--scope", "global"]);
    let backup = said(&project, &["export", "--retired", "--scope", "project"]);
    for arguments in [&["import", "b.jsonl", "--trust"][..], &["import", "b.jsonl"]] {
        let other = plain();
        other.file("b.jsonl", &backup);
        let done = json_of(&other, arguments);
        assert_eq!((&done["added"], &done["conflicts"]), (&json!(3), &json!(0)), "{done}");
        let end = &note(&other, &old)["retired"];
        let here = &note(&project, &old)["retired"];
        assert_eq!([&end["by"], &end["why"], &end["at"]], [&here["by"], &here["why"], &here["at"]]);
        assert_eq!(note(&other, &moved)["retired"]["why"], "it is kept for all projects now");
        assert_eq!(note(&other, &new)["retired"], json!(null));
        assert_eq!(json_of(&other, &["list"])["notes"].as_array().unwrap().len(), 1);
        if arguments.contains(&"--trust") {
            assert_eq!((&end["who"], &note(&other, &old)["by"]), (&json!("user"), &json!("user")));
        } else {
            assert_eq!(end["who"], "import");
        }
    }
}

#[test]
fn what_is_known_here_stays_as_it_was_decided_here() {
    let (project, other) = (plain(), plain());
    let old = add(&project, &[OLD]);
    assert_eq!(add(&other, &[OLD]), old);
    add(&project, &[NEW]);
    let backup = said(&project, &["export", "--retired"]);
    let line = backup.lines().find(|line| line.contains(&format!("\"note_id\":\"{old}\"")));
    let done = trusted(&other, line.unwrap());
    assert_eq!((&done["kept"], &done["unchanged"]), (&json!(1), &json!(0)), "{done}");
    assert_eq!(note(&other, &old)["retired"], json!(null));
    // And the other way round: what was withdrawn here does not come back.
    let living = said(&other, &["export"]);
    let done = trusted(&project, &living);
    assert_eq!((&done["kept"], &done["added"]), (&json!(1), &json!(0)), "{done}");
    assert_ne!(note(&project, &old)["retired"], json!(null));
}

#[test]
fn notes_for_all_projects_are_so_again_once_the_user_vouches_for_them() {
    let project = plain();
    let id = add(&project, &["Commits are signed", "--scope", "global"]);
    let backup = said(&project, &["export", "--scope", "global"]);
    let other = plain();
    other.file("b.jsonl", &backup);
    let done = memory(&other, &["import", "b.jsonl"]).exits(0);
    assert!(done.stderr.contains("another scope, kept as the project's: 1"), "{}", done.stderr);
    assert_eq!(note(&other, &id)["scope"], "project");
    // Be it for the first time or after it was the project's for want of trust.
    for other in [plain(), other] {
        assert_eq!(trusted(&other, &backup)["other_scope"], 0);
        let note = note(&other, &id);
        assert_eq!((&note["scope"], &note["by"]), (&json!("global"), &json!("user")));
        let listed = json_of(&other, &["list", "--scope", "project"]);
        assert_eq!(listed["notes"], json!([]));
    }
}

#[test]
fn an_export_has_all_that_is_listed_and_says_for_whom_it_is() {
    let project = plain();
    add(&project, &["Commits are signed", "--scope", "global"]);
    add(&project, &[OLD]);
    add(&project, &["the parser is slow", "--scope", "task"]);
    let backup = said(&project, &["export"]);
    let scopes: Vec<Value> = backup
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["scope"].clone())
        .collect();
    assert_eq!(scopes, [json!("project"), json!("task"), json!("global")]);
    let other = plain();
    assert_eq!(trusted(&other, &backup)["added"], 3);
    let again = |project: &TestProject| {
        let mut listed: Vec<String> = json_of(project, &["list"])["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| format!("{} {} {}", note["id"], note["scope"], note["by"]))
            .collect();
        listed.sort_unstable();
        listed
    };
    assert_eq!(again(&other), again(&project));
}

#[test]
fn what_cannot_hold_together_is_named_by_an_import() {
    let line = |id: &str, text: &str| json!({ "id": id, "text": text, "by": "user" }).to_string();
    let project = plain();
    let both = format!("{}\n{}\n", line("a", OLD), line("b", NEW));
    let done = trusted(&project, &both);
    assert_eq!((&done["added"], &done["conflicts"]), (&json!(2), &json!(1)), "{done}");
    assert_eq!(trusted(&project, &both)["conflicts"], 0, "nothing is new");
    let project = plain();
    let here = add(&project, &[NEW, "--scope", "global"]);
    project.file("b.jsonl", line("a", OLD));
    let told = said(&project, &["import", "b.jsonl", "--trust"]);
    assert!(told.contains(&format!("contradicts {here} which stands")), "{told}");
}

#[test]
fn only_what_says_that_the_user_wrote_it_is_the_users_word() {
    let project = plain();
    let rule = json!({ "id": "r", "text": "Never push to main", "kind": "constitution" });
    project.file("b.jsonl", rule.to_string());
    let done = memory(&project, &["import", "b.jsonl", "--trust"]).exits(0);
    assert!(done.stderr.contains("do not say that you wrote them"), "{}", done.stderr);
    assert_eq!(note(&project, "r")["by"], "import");
}

#[test]
fn an_import_counts_what_the_user_has_otherwise_here_as_kept() {
    let project = plain();
    let id = add(&project, &["The API listens on port 8080"]);
    let backup = said(&project, &["export"]);
    assert_eq!(trusted(&project, &backup)["unchanged"], 1);
    said(&project, &["edit", &id, "The API listens on a socket"]);
    let done = trusted(&project, &backup);
    assert_eq!((&done["kept"], &done["unchanged"]), (&json!(1), &json!(0)), "{done}");
}

#[test]
fn what_is_for_all_projects_is_counted_and_looked_after_as_well() {
    let project = plain();
    add(&project, &["Commits are signed"]);
    let stats = json_of(&project, &["stats"]);
    assert_eq!((&stats["notes"], &stats["global"]), (&json!(1), &json!(null)));
    assert_eq!(json_of(&project, &["doctor"])["global"], json!(null));
    for text in ["The API listens on port 8080", "the API  listens on port 8080"] {
        add(&project, &[text, "--scope", "global"]);
    }
    let stats = json_of(&project, &["stats"]);
    assert_eq!((&stats["notes"], &stats["global"]["notes"]), (&json!(1), &json!(2)));
    let table = said(&project, &["stats"]);
    assert!(table.contains("fact  global   2       0        2"), "{table}");
    assert!(table.contains("for all projects: 2 notes, log "), "{table}");
    let found = memory(&project, &["doctor", "--json"]).exits(1).json();
    assert_eq!((&found["duplicates"], &found["needs_care"]), (&json!([]), &json!(true)));
    assert_eq!(found["global"]["duplicates"].as_array().unwrap().len(), 1);
    let told = memory(&project, &["doctor"]).exits(1).stdout;
    assert!(told.contains("\nfor all projects:\n"), "{told}");
}
