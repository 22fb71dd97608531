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
fn who_notes_something_sees_what_is_near_and_says_what_it_replaces() {
    let project = plain();
    let old = add(&project, &["CI runs on CircleCI"]);
    let told = said(&project, &["add", "CI runs on GitHub Actions"]);
    assert!(
        told.contains("Nearest notes.") && told.contains(&format!("  {old}  CI runs")),
        "{told}"
    );
    let replaced = json_of(&project, &["add", "CI runs on GitHub Actions", "--replaces", &old]);
    assert_eq!((&replaced["replaced"], &replaced["nearest"]), (&json!([old]), &json!([])));
    let why = said(&project, &["why", &old]);
    assert!(why.contains("the user says now: CI runs on GitHub Actions"), "{why}");
    let notes = json_of(&project, &["list"]);
    assert_eq!(notes["notes"].as_array().unwrap().len(), 1, "{notes}");
    // A rule goes, too, if the user names it, whatever notebook it is in.
    let rule = ["Squash commits", "--kind", "constitution", "--scope", "global"];
    let rule = add(&project, &rule);
    let told = said(&project, &["add", "Commits are merged as they are", "--replaces", &rule]);
    assert!(told.contains(&format!("It takes the place of {rule}")), "{told}");
    let gone = json_of(&project, &["show", &rule]);
    assert!(gone["note"]["retired"].is_object(), "{gone}");
    let unknown = memory(&project, &["add", "x y z", "--replaces", "m000000000000"]).exits(2);
    assert!(unknown.stderr.contains("there is no note"), "{}", unknown.stderr);
    let korean = project.ralph(&["memory", "add", "CI runs on Jenkins"]).env("RALPH_LOCALE", "ko");
    assert!(korean.output().exits(0).stdout.contains("가까운 기록입니다"));
}

#[test]
fn what_says_the_same_adds_nothing() {
    let project = plain();
    let old = add(&project, &["Deploys happen on Fridays"]);
    let other = add(&project, &["We ship every Friday"]);
    let same = ["add", "We ship every Friday", "--same-as", &old];
    assert_eq!(json_of(&project, &same)["note"]["id"], json!(old));
    let notes = json_of(&project, &["list"]);
    assert_eq!(notes["notes"].as_array().unwrap().len(), 1, "{notes}");
    let gone = json_of(&project, &["show", &other]);
    assert!(gone["note"]["retired"]["why"].as_str().unwrap().contains(&old), "{gone}");
}

#[test]
fn what_is_only_alike_stands_and_the_doctor_lists_it() {
    let project = plain();
    let old = add(&project, &["The API listens on port 8080"]);
    let new = add(&project, &["The API listens on port 9090"]);
    let health = project.ralph(&["memory", "doctor", "--json"]).output().exits(0).json();
    assert_eq!(health["near"], json!([{ "older": old, "newer": new }]), "{health}");
    assert_eq!(health["active"], 2);
}

#[test]
fn an_agent_replaces_words_on_trial_at_once_and_the_projects_once_it_is_proven() {
    let project = plain();
    let users = add(&project, &["Releases are cut by Kim"]);
    let agent = |args: &[&str]| {
        let call = project.ralph(&[&["memory", "add", "--json"], args].concat());
        call.env("RALPH_DRIVER", "1").env("RALPH_RUN_ID", "run-0badcafe").output().exits(0).json()
    };
    let trial = agent(&["The cache lives in Redis"])["note"]["id"].as_str().unwrap().to_owned();
    let replaced = agent(&["The cache lives in Valkey", "--replaces", &trial]);
    assert_eq!((&replaced["replaced"], &replaced["pending"]), (&json!([trial]), &json!([])));
    let waits = agent(&["Lee cuts the releases", "--replaces", &users]);
    assert_eq!((&waits["replaced"], &waits["pending"]), (&json!([]), &json!([users])));
    // It is the user who decides about the user's word.
    let promoted = json_of(&project, &["promote", waits["note"]["id"].as_str().unwrap()]);
    assert_eq!(promoted["replaced"], json!([users]), "{promoted}");
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

/// What is still true after somebody on a terminal noted a thing beside an old
/// one, and gave this answer.
fn left_after(answer: &str) -> Vec<String> {
    let project = plain();
    let _ = add(&project, &["The cache of the tiles lies in Redis"]);
    let line = "memory add 'The cache of the tiles lies in a file'";
    let terminal = project.terminal(&format!("'{}' {line}", project.binary().display()));
    terminal.until_shows("Does it replace some of them?");
    terminal.types(answer).presses("Enter");
    terminal.until_ended();
    let listed = json_of(&project, &["list"]);
    let notes = listed["notes"].as_array().unwrap().iter();
    let mut notes: Vec<_> = notes.map(|note| note["text"].as_str().unwrap().to_owned()).collect();
    notes.sort();
    notes
}

#[test]
fn a_person_at_a_terminal_is_asked_what_a_note_replaces() {
    let (file, redis) =
        ("The cache of the tiles lies in a file", "The cache of the tiles lies in Redis");
    assert_eq!(left_after("1"), [file]);
    assert_eq!(left_after("=1"), [redis]);
    assert_eq!(left_after(""), [redis, file]);
    assert_eq!(left_after("7"), [redis], "a wrong number notes nothing");
}
