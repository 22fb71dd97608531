//! Whose word a note is, and what speaks for it.

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::{Value, json};

use crate::{git, plain};

const TEXT: &str = "The API listens on port 8080";

fn user(project: &TestProject, args: &[&str]) -> CommandOutput {
    project.ralph(&[&["memory"], args].concat()).output()
}

/// The same from a session of an agent.
fn agent(project: &TestProject, session: &str, args: &[&str]) -> CommandOutput {
    let call = project.ralph(&[&["memory"], args].concat());
    call.env("CLAUDE_CODE_SESSION_ID", session).output()
}

#[track_caller]
fn id(added: CommandOutput) -> String {
    added.exits(0).json()["note"]["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn json_of(project: &TestProject, args: &[&str]) -> Value {
    user(project, &[args, &["--json"]].concat()).exits(0).json()
}

#[track_caller]
fn note(project: &TestProject, id: &str) -> Value {
    json_of(project, &["show", id])["note"].clone()
}

#[test]
fn mending_withdraws_nothing_of_the_users_for_a_note_of_an_agent() {
    let project = git();
    let text = "never push to the main branch directly";
    let _ = agent(&project, "s-1", &["add", "Never push to the main branch directly"]).exits(0);
    let rule = id(user(&project, &["add", text, "--kind", "constitution", "--json"]));
    project.file(
        "no-print.yml",
        "id: no-print\nlanguage: Python\nmessage: use the log\nrule:\n  pattern: print($$$)\n",
    );
    let said = "output goes through the log";
    let other = "Output goes through the log";
    let _ = agent(&project, "s-1", &["add", other, "--kind", "pattern"]).exits(0);
    let titled = ["add", said, "--title", "no prints", "--rule", "no-print.yml", "--json"];
    let bound = id(user(&project, &titled));
    let found = user(&project, &["doctor", "--json"]).exits(1).json();
    assert_eq!(found["duplicates"].as_array().unwrap().len(), 2, "{found}");
    let _ = user(&project, &["doctor", "--fix"]).exits(1);
    for id in [rule, bound] {
        assert_eq!(note(&project, &id)["retired"], Value::Null);
    }
    project.file("b.py", "print(1)\n");
    let _ = project.ralph(&["check", "--criteria", "memory"]).output().exits(1);
}

#[test]
fn an_agent_says_anew_what_it_noted_for_its_task_and_nothing_else() {
    let project = plain();
    let own = id(agent(&project, "one", &["add", TEXT, "--json"]));
    let _ = agent(&project, "one", &["edit", &own, "The API listens on port 9090"]).exits(0);
    let said = agent(&project, "two", &["edit", &own, "nothing listens"]).exits(1).stderr;
    assert!(said.contains("an agent cannot change notes that are not its own"), "{said}");
    let nobody = project.ralph(&["memory", "edit", &own, "x"]).env("RALPH_DRIVER", "1");
    let _ = nobody.output().exits(1);
    assert_eq!(note(&project, &own)["text"], "The API listens on port 9090");
    // By an import neither, but its own it may bring again.
    let line = json!({ "id": "x", "note_id": own, "text": "nothing listens" });
    project.file("n.jsonl", format!("{line}\n"));
    let refused = agent(&project, "two", &["import", "n.jsonl", "--json"]).exits(1).json();
    let reason = refused["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("only the user changes it"), "{refused}");
    project.file("own.jsonl", "{\"id\":\"fact\",\"text\":\"one\"}\n");
    let _ = agent(&project, "one", &["import", "own.jsonl"]).exits(0);
    project.file("own.jsonl", "{\"id\":\"fact\",\"text\":\"two\"}\n");
    let _ = agent(&project, "two", &["import", "own.jsonl"]).exits(1);
    let done = agent(&project, "one", &["import", "own.jsonl", "--json"]).exits(0).json();
    assert_eq!(done["updated"], 1);
}

#[test]
fn what_the_user_edited_outlives_an_import_of_an_older_export() {
    let project = plain();
    let id = id(user(&project, &["add", TEXT, "--json"]));
    project.file("old.jsonl", user(&project, &["export"]).exits(0).stdout);
    let _ = user(&project, &["edit", &id, "The API listens on port 9090"]).exits(0);
    let done = json_of(&project, &["import", "old.jsonl"]);
    assert_eq!((&done["kept"], &done["updated"]), (&json!(1), &json!(0)));
    let said = user(&project, &["import", "old.jsonl"]).exits(0).stdout;
    assert!(said.contains("kept: 1 (as you have them here)"), "{said}");
    let note = note(&project, &id);
    assert_eq!(
        (&note["text"], &note["by"]),
        (&json!("The API listens on port 9090"), &json!("user"))
    );
    assert_eq!(note["verified"], true);
}

#[test]
fn the_same_text_said_again_keeps_what_it_had_and_gets_what_is_new() {
    let project = plain();
    project.file("a.txt", "a\n").file("b.txt", "b\n");
    let first =
        ["add", TEXT, "--why", "it is free", "--file", "c.txt", "--anchor", "a.txt", "--json"];
    let id = id(user(&project, &first));
    let _ = user(&project, &["add", TEXT]).exits(0);
    let kept = note(&project, &id);
    assert_eq!((&kept["why"], &kept["files"]), (&json!("it is free"), &json!(["c.txt", "a.txt"])));
    project.file("a.txt", "changed\n");
    let more = ["add", TEXT, "--why", "it was free", "--anchor", "a.txt", "--anchor", "b.txt"];
    let _ = user(&project, &more).exits(0);
    let kept = note(&project, &id);
    assert_eq!(kept["files"], json!(["c.txt", "a.txt", "b.txt"]));
    assert_eq!(
        (kept["anchors"].as_array().unwrap().len(), &kept["why"]),
        (2, &json!("it was free"))
    );
    assert_eq!(json_of(&project, &["why", &id])["label"], "verified", "it was looked at anew");
}

#[test]
fn an_agent_adds_a_place_to_look_at_to_its_own_note() {
    let project = plain();
    project.file("a.txt", "a\n");
    let id = id(agent(&project, "one", &["add", TEXT, "--json"]));
    let _ = agent(&project, "two", &["add", TEXT, "--anchor", "a.txt"]).exits(0);
    assert_eq!(note(&project, &id)["anchors"], json!([]), "it is not its own");
    let _ = agent(&project, "one", &["add", TEXT, "--anchor", "a.txt"]).exits(0);
    assert_eq!(note(&project, &id)["anchors"].as_array().unwrap().len(), 1);
}

#[test]
fn saying_it_often_makes_nothing_truer() {
    let project = plain();
    let id = id(agent(&project, "one", &["add", TEXT, "--json"]));
    let why = || json_of(&project, &["why", &id]);
    // It fades as time goes by, and this takes some.
    let believed = || (why()["belief"]["mean"].as_f64().unwrap() * 1000.0).round();
    let before = believed();
    for _ in 0..5 {
        let _ = agent(&project, "one", &["add", TEXT]).exits(0);
    }
    assert_eq!((believed(), &why()["counts"]["seen_again"]), (before, &json!(0)));
    for _ in 0..3 {
        let _ = agent(&project, "two", &["add", TEXT]).exits(0);
    }
    let once = why();
    // It fades from the first moment on.
    assert!((0.49..=0.5).contains(&once["belief"]["for"].as_f64().unwrap()), "{once}");
    assert_eq!(once["counts"]["seen_again"], 1);
    let said = user(&project, &["why", &id]).exits(0).stdout;
    assert!(said.contains("Another task came to the same: two."), "{said}");
    let before = why()["counts"].clone();
    let _ = user(&project, &["rebuild"]).exits(0);
    assert_eq!(why()["counts"], before);
}

#[test]
fn what_two_tasks_came_to_is_the_projects() {
    for again in [TEXT.to_owned(), format!("{TEXT}.")] {
        let project = plain();
        project.file("a.txt", "a\n");
        let first = id(agent(&project, "one", &["add", TEXT, "--anchor", "a.txt", "--json"]));
        let _ = agent(&project, "two", &["add", &again, "--anchor", "a.txt"]).exits(0);
        let done = json_of(&project, &["consolidate"]);
        assert_eq!((&done["promoted"], &done["kept"]), (&json!(1), &json!(0)), "{again}");
        assert_eq!(note(&project, &first)["scope"], "project");
    }
}
