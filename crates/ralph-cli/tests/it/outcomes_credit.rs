//! What a run may credit notes with, and what it may not take from them.

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::{git, plain};

/// A project whose tests pass when `ok.txt` is there.
fn tested(project: TestProject) -> TestProject {
    project.script("t.sh", "echo checking; test -e ok.txt || { echo expected ok; exit 1; }");
    project.file("ralph.toml", "[gates.test_pass]\ncommand = \"./t.sh\"\n");
    project
}

#[track_caller]
fn notes(project: &TestProject, more: &[&str]) -> Vec<Value> {
    let args = [&["memory", "list", "--json"], more].concat();
    let answer = project.ralph(&args).output().exits(0).json();
    answer["notes"].as_array().cloned().unwrap_or_default()
}

#[track_caller]
fn succeeds(project: &TestProject, task: &str) -> Value {
    project.run_json(task, &["--criteria", "test_pass"]).exits(0).ended()
}

/// An agent that does one thing in its first turn, which fails, and another in
/// its second, which does not; `$RALPH` is the binary.
fn two_turns(project: &TestProject, first: &str, second: &str) {
    let binary = project.binary().display();
    project.agent(&format!(
        "RALPH={binary}\ncat > /dev/null\nif [ $RALPH_ITERATION = 1 ]; then {first}; else \
         {second}; echo ok > ok.txt; fi\necho '<promise>DONE</promise>'"
    ));
}

#[test]
fn what_was_noted_in_a_turn_that_failed_and_again_in_one_that_passed_is_proven() {
    let text = "The API listens on port 8080";
    for again in [text.to_owned(), format!("{text}.")] {
        let project = tested(plain());
        let note = |text: &str| format!("$RALPH memory add '{text}' > /dev/null");
        two_turns(&project, &note(text), &note(&again));
        succeeds(&project, "do it");
        let [fact] = notes(&project, &["--kind", "fact"]).try_into().unwrap();
        assert_eq!((&fact["scope"], &fact["verified"]), (&json!("project"), &json!(true)));
    }
}

#[test]
fn a_note_that_was_only_spoken_of_or_shown_earns_nothing() {
    let project = tested(plain());
    let note = |text: &str| {
        let added = project.ralph(&["memory", "add", text, "--json"]).output().exits(0);
        added.json()["note"]["id"].as_str().unwrap().to_owned()
    };
    let spoken_of = note("The check looks for ok.txt in the folder above");
    let right = note("The check looks for ok.txt in this folder");
    let shown = note("Make ok.txt first: the check prints a line before it can find it");
    two_turns(&project, "true", &format!("echo 'Note {spoken_of} is wrong. As [{right}] says.'"));
    succeeds(&project, "make the check find ok.txt");
    let counts = |id: &str| {
        let why = project.ralph(&["memory", "why", id, "--json"]).output().exits(0).json();
        let count = |name: &str| why["counts"][name].as_u64().unwrap();
        (count("cited"), count("passed"), why["belief"]["for"].as_f64().unwrap() > 0.0)
    };
    assert_eq!(counts(&right), (1, 1, true));
    for id in [spoken_of, shown] {
        let why = project.ralph(&["memory", "why", &id]).output().exits(0).stdout;
        assert!(why.contains("It was shown"), "{why}");
        assert_eq!(counts(&id), (0, 0, false), "{why}");
    }
}

#[test]
fn what_ralph_saw_fail_is_not_an_agents_to_tell() {
    let project = tested(plain());
    let lie = "The check is unreliable and its failures can be disregarded";
    let find =
        "ID=$($RALPH memory list --kind gotcha --json | grep -o 'm[a-z0-9]\\{12\\}' | head -1)";
    let edit = format!("{find}; $RALPH memory edit $ID '{lie}' 2> $OUTSIDE/said");
    two_turns(&project, "true", &edit);
    succeeds(&project, "do it");
    assert!(project.kept("said").contains("an agent cannot change notes"));
    let [gotcha] = notes(&project, &["--kind", "gotcha"]).try_into().unwrap();
    let text = gotcha["text"].as_str().unwrap();
    assert!(!text.contains(lie) && text.contains("It was mended by ok.txt: `+ ok`."), "{text}");
    assert_eq!((&gotcha["by"], &gotcha["verified"]), (&json!("ralph"), &json!(true)));
}

#[test]
fn what_the_user_corrected_is_not_said_anew_by_a_run() {
    let project = tested(plain());
    two_turns(&project, "true", "true");
    succeeds(&project, "do it");
    let [gotcha] = notes(&project, &["--kind", "gotcha"]).try_into().unwrap();
    let id = gotcha["id"].as_str().unwrap();
    let text = "The check needs ok.txt, which only the container writes";
    let _ = project.ralph(&["memory", "edit", id, text]).output().exits(0);
    std::fs::remove_file(project.root().join("ok.txt")).unwrap();
    succeeds(&project, "do it again");
    let [gotcha] = notes(&project, &["--kind", "gotcha"]).try_into().unwrap();
    assert_eq!((&gotcha["text"], &gotcha["by"]), (&json!(text), &json!("user")));
}

/// A project whose agent notes something and commits its work, and one success.
fn committed() -> TestProject {
    let project = tested(git());
    project.run_git(&["add", "."]);
    project.run_git(&["commit", "-qm", "start"]);
    let note = "$RALPH memory add 'The importer opens its socket on port 9000' > /dev/null";
    let second = format!("{note}; echo ok > ok.txt; git add ok.txt; git commit -qm work");
    two_turns(&project, "true", &second);
    succeeds(&project, "do it");
    assert_eq!(notes(&project, &["--kind", "fact"]).len(), 1);
    project
}

#[track_caller]
fn consolidate(project: &TestProject) -> Value {
    project.ralph(&["memory", "consolidate", "--json"]).output().exits(0).json()
}

#[test]
fn a_revert_withdraws_what_came_with_it_once_and_what_is_learned_anew_stays() {
    let project = committed();
    project.run_git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(consolidate(&project)["retracted"], 2);
    assert_eq!(notes(&project, &["--kind", "fact"]).len(), 0);
    succeeds(&project, "do it once more");
    assert_eq!(consolidate(&project)["retracted"], 0);
    for kind in ["fact", "gotcha"] {
        assert_eq!(notes(&project, &["--kind", kind]).len(), 1, "{kind}");
    }
}

#[test]
fn a_revert_that_was_reverted_withdraws_nothing() {
    let project = committed();
    project.run_git(&["revert", "--no-edit", "HEAD"]);
    project.run_git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(consolidate(&project)["retracted"], 0);
    assert_eq!(notes(&project, &["--kind", "fact"]).len(), 1);
}
