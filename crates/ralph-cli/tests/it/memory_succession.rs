//! What becomes of notes that cannot hold together, and of one that is said
//! again.

use serde_json::json;

use crate::noting::{add, json_of, memory, said};
use crate::plain;

const OLD: &str = "The HTTP timeout is 30 seconds";
const NEW: &str = "The HTTP timeout is 60 seconds";

#[test]
fn an_edit_does_not_bring_back_what_was_replaced_or_withdrawn() {
    let project = plain();
    let old = add(&project, &[OLD]);
    let new = add(&project, &[NEW]);
    let refused = memory(&project, &["edit", &old, "--why", "it was tried"]).exits(1).stderr;
    assert!(
        refused.contains(&format!("does not hold any more: {new} took its place")),
        "{refused}"
    );
    assert!(refused.contains("hint: `ralph memory add` says it again"), "{refused}");
    let korean = project.ralph(&["memory", "edit", &old, "x"]).env("RALPH_LOCALE", "ko");
    let korean = korean.output().exits(1).stderr;
    assert!(korean.contains("더 이상 유효하지 않습니다"), "{korean}");
    let promoted = memory(&project, &["promote", &old]).exits(1).stderr;
    assert!(promoted.contains("took its place"), "{promoted}");
    assert_eq!(json_of(&project, &["list"])["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_note_that_moves_takes_no_place_of_another_with_its_id() {
    let project = plain();
    let id = add(&project, &["alpha says hello", "--scope", "global"]);
    said(&project, &["edit", &id, "beta says goodbye"]);
    assert_eq!(add(&project, &["alpha says hello"]), id);
    let refused = memory(&project, &["promote", &id, "--scope", "global"]).exits(1).stderr;
    assert!(refused.contains(&format!("already has the id {id}")), "{refused}");
    let kept = json_of(&project, &["list", "--scope", "global"]);
    assert_eq!(kept["notes"][0]["text"], "beta says goodbye");
}

#[test]
fn an_edit_takes_the_place_of_what_it_excludes_as_a_new_note_does() {
    let project = plain();
    let old = add(&project, &[OLD]);
    let rule = add(&project, &["Never run migrations at startup", "--kind", "constitution"]);
    let other = add(&project, &["The timeout is unknown"]);
    let told = said(&project, &["edit", &other, NEW]);
    let why = format!("It takes the place of {old} (it was 30 and is 60)");
    assert!(told.contains(&why), "{told}");
    let told = said(&project, &["edit", &other, "Run migrations at startup"]);
    assert!(told.contains(&format!("It contradicts {rule} which stands")), "{told}");
    // Another title says nothing else.
    let edited = json_of(&project, &["edit", &other, "--title", "Migrations"]);
    assert_eq!((&edited["replaced"], &edited["contradicts"]), (&json!([]), &json!([])));
}

#[test]
fn what_contradicts_in_another_notebook_or_for_a_task_is_named() {
    for (first, second) in [("project", "global"), ("global", "project"), ("task", "task")] {
        let project = plain();
        let old = add(&project, &[OLD, "--scope", first]);
        let told = said(&project, &["add", NEW, "--scope", second]);
        assert!(told.contains(&format!("It contradicts {old} which stands")), "{told}");
        assert_eq!(json_of(&project, &["list"])["notes"].as_array().unwrap().len(), 2);
    }
    let project = plain();
    let global = add(&project, &[OLD, "--scope", "global"]);
    let other = add(&project, &["The timeout is unknown"]);
    let edited = json_of(&project, &["edit", &other, NEW]);
    assert_eq!(edited["contradicts"], json!([global]));
    let project = plain();
    let global = add(&project, &[OLD, "--scope", "global"]);
    let trial = project.ralph(&["memory", "add", NEW, "--json"]).env("RALPH_DRIVER", "1");
    let trial = trial.output().exits(0).json();
    let promoted = json_of(&project, &["promote", trial["note"]["id"].as_str().unwrap()]);
    assert_eq!(promoted["contradicts"], json!([global]));
}

#[test]
fn an_agent_is_shown_the_projects_word_and_not_what_it_denies() {
    let project = plain();
    let global = add(&project, &[OLD, "--scope", "global"]);
    let shown = || said(&project, &["context", "--task", "change the HTTP timeout"]);
    assert!(shown().contains(&global));
    let own = add(&project, &[NEW]);
    let both = shown();
    assert!(both.contains(&own) && !both.contains(&global), "{both}");
    said(&project, &["forget", &own]);
    assert!(shown().contains(&global));
    // An agent's word on trial hides nothing of the user's.
    let trial = project.ralph(&["memory", "add", NEW]).env("RALPH_DRIVER", "1");
    let _ = trial.env("RALPH_RUN_ID", "run-0badcafe").output().exits(0);
    assert!(shown().contains(&global));
}

#[test]
fn a_rule_for_all_projects_gives_way_to_a_rule_alone() {
    let project = plain();
    let rule = |text: &str, scope: &str| {
        add(&project, &[text, "--kind", "constitution", "--scope", scope])
    };
    let global = rule("Never run migrations at startup", "global");
    add(&project, &["Run migrations at startup"]);
    let shown = || said(&project, &["context", "--task", "run the migrations at startup"]);
    assert!(shown().contains(&global));
    let own = rule("Run migrations at startup.", "project");
    let both = shown();
    assert!(both.contains(&own) && !both.contains(&global), "{both}");
}

#[test]
fn the_same_text_is_the_same_note_whatever_its_title_and_kind() {
    let project = plain();
    let id = add(&project, &[OLD, "--title", "Timeouts", "--kind", "gotcha"]);
    let note = |args: &[&str]| json_of(&project, &[&["add", OLD], args].concat())["note"].clone();
    let again = note(&[]);
    assert_eq!(
        [&again["id"], &again["title"], &again["kind"]],
        [&json!(id), &json!("Timeouts"), &json!("gotcha")]
    );
    let more = note(&["--title", "The timeout", "--kind", "decision"]);
    assert_eq!(
        [&more["id"], &more["title"], &more["kind"]],
        [&json!(id), &json!("The timeout"), &json!("decision")]
    );
    assert_eq!(json_of(&project, &["list"])["notes"].as_array().unwrap().len(), 1);
    // Said for a task, it still holds for the project.
    assert_eq!(note(&["--scope", "task"])["scope"], "project");
    // What was edited is known by what it says now.
    said(&project, &["edit", &id, NEW]);
    assert_eq!(add(&project, &[NEW, "--title", "x"]), id);
    // What it said before is another note now.
    let other = add(&project, &[OLD, "--kind", "gotcha", "--title", "Timeouts"]);
    assert_ne!(other, id);
    assert_eq!(add(&project, &[OLD]), other);
    // What was imported stays what it is.
    let project = plain();
    project.file("t.jsonl", json!({ "id": "t", "text": OLD, "group": "talk" }).to_string());
    let _ = memory(&project, &["import", "t.jsonl"]).exits(0);
    let own = add(&project, &[OLD]);
    assert_eq!(json_of(&project, &["show", "t"])["note"]["by"], "import");
    assert_ne!(json_of(&project, &["show", "t"])["note"]["id"], json!(own));
}
