//! Questions about code: whatever is asked, the answer says how fresh it is.

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::{Value, json};

use crate::{git, plain};

/// A project with two types that have a method of the same name.
fn sample() -> TestProject {
    let project = git();
    project.file(
        "app/store.py",
        "class Store:\n    def save(self):\n        check()\n\n\ndef check():\n    pass\n",
    );
    project.file("app/other.py", "class Other:\n    def save(self):\n        pass\n");
    project.file(
        "tests/test_store.py",
        "from app.store import Store\n\n\ndef test_save():\n    Store().save()\n",
    );
    project
}

fn code(project: &TestProject, args: &[&str]) -> CommandOutput {
    project.ralph(&[&["code"], args].concat()).output()
}

#[track_caller]
fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let answer = code(project, &[args, &["--json"]].concat()).exits(0).json();
    assert_eq!(answer["schema"], 1);
    assert_eq!(answer["freshness"]["state"], "fresh", "{answer}");
    answer
}

#[test]
fn every_question_is_answered_in_json_with_its_freshness() {
    let project = sample();
    let index = json_of(&project, &["index"]);
    assert_eq!((&index["read"], &index["parsed"]), (&json!(3), &json!(3)));
    // Files that were just written may be looked into again, but are known.
    assert_eq!(json_of(&project, &["index"])["parsed"], 0);
    let symbols = json_of(&project, &["symbols", "Stor"]);
    assert_eq!(symbols["symbols"][0]["full_name"], "Store");
    let refs = json_of(&project, &["refs", "Store.save"]);
    assert_eq!(refs["refs"][0]["path"], "tests/test_store.py");
    assert_eq!(
        (&refs["refs"][0]["test"], &refs["refs"][0]["certain"]),
        (&json!(true), &json!(true))
    );
    let callers = json_of(&project, &["callers", "check"]);
    assert_eq!(callers["callers"][0]["symbol"]["full_name"], "Store.save");
    let called = json_of(&project, &["callees", "test_save"]);
    assert_eq!(called["callees"][0]["symbol"]["full_name"], "Store");
    let impact = json_of(&project, &["impact", "app/store.py"]);
    assert_eq!(impact["tests"][0]["name"], "test_save");
    let map = json_of(&project, &["map", "--tokens", "100", "--words", "check"]);
    assert!(map["text"].as_str().unwrap().contains("def check()"), "{map}");
}

#[test]
fn people_get_tables_and_freshness_beside_the_data() {
    let project = sample();
    let answer = code(&project, &["refs", "app/store.py:Store.save"]).exits(0);
    assert!(answer.stdout.contains("tests/test_store.py:5:"), "{}", answer.stdout);
    assert_eq!(answer.stderr, "fresh: 3 files, 0 left out\n");
}

#[test]
fn what_cannot_be_known_is_not_denied() {
    let project = sample();
    project.file("app/size.py", "class Size:\n    def __len__(self):\n        return 1\n");
    project.file("app/broken.py", "from app.size import gone\n\n\ndef f():\n    gone()\n");
    let answer = code(&project, &["callers", "Size.__len__"]).exits(0);
    assert!(answer.stdout.contains("Not known: it is called by syntax"), "{}", answer.stdout);
    assert_eq!(json_of(&project, &["callers", "Size.__len__"])["complete"], false);
    assert_eq!(json_of(&project, &["callers", "check"])["complete"], true);
    let answer = code(&project, &["callees", "broken.py:f"]).exits(0);
    assert!(answer.stdout.contains("imported, but not there: gone"), "{}", answer.stdout);
    assert_eq!(json_of(&project, &["callees", "broken.py:f"])["unresolved"], json!(["gone"]));
}

#[test]
fn a_name_of_several_things_lists_them_and_is_no_success() {
    let project = sample();
    let answer = code(&project, &["refs", "save"]).exits(1);
    assert!(answer.stdout.contains("Store.save") && answer.stdout.contains("Other.save"));
    assert!(answer.stderr.contains("`save` could be any of 2"), "{}", answer.stderr);
    let answer = code(&project, &["callers", "chekc", "--json"]).exits(1).json();
    assert_eq!(
        (&answer["error"], &answer["candidates"][0]["name"]),
        (&json!("not_found"), &json!("check"))
    );
}

#[test]
fn nothing_known_is_not_the_same_as_nothing_found() {
    let project = plain();
    project.file("notes.txt", "words\n");
    let answer = code(&project, &["symbols", "x", "--json"]).exits(0).json();
    assert_eq!(answer["freshness"]["state"], "unknown");
    project.file("a.py", "def f():\n    pass\n");
    let answer = code(&project, &["symbols", "zebra", "--json"]).exits(0).json();
    assert_eq!((&answer["freshness"]["state"], &answer["symbols"]), (&json!("fresh"), &json!([])));
}

#[test]
fn a_change_is_seen_by_the_next_question() {
    let project = sample();
    json_of(&project, &["index"]);
    project.file("app/store.py", "class Shop:\n    pass\n");
    assert_eq!(json_of(&project, &["symbols", "Shop"])["total"], 1);
    assert_eq!(json_of(&project, &["symbols", "Store"])["total"], 0);
    project.file("app/store.py", "class (:\n    def (\n");
    let answer = code(&project, &["symbols", "Shop", "--json"]).exits(0).json();
    assert_eq!((&answer["freshness"]["state"], &answer["total"]), (&json!("stale"), &json!(1)));
    assert_eq!(answer["freshness"]["stale"][0]["path"], "app/store.py");
}

#[test]
fn what_is_left_out_is_told_with_the_reason() {
    let project = sample();
    project.file("made.py", "# Code generated by a tool. DO NOT EDIT.\nx = 1\n");
    project.file("line.js", "x".repeat(50_000_000));
    let answer = code(&project, &["index"]).exits(0);
    assert!(answer.stdout.contains("left out made.py: generated"), "{}", answer.stdout);
    assert!(answer.stdout.contains("left out line.js: "), "{}", answer.stdout);
}

#[test]
fn a_damaged_index_is_made_anew() {
    let project = sample();
    json_of(&project, &["index"]);
    let file = project.root().join(".git/ralph/code.1.db");
    std::fs::write(file, "nonsense ".repeat(2000)).unwrap();
    assert_eq!(json_of(&project, &["symbols", "Store"])["total"], 1);
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let project = sample();
    let _ = code(&project, &["symbols", "--kind", "gadget"]).exits(2);
    let _ = code(&project, &["impact"]).exits(2);
    let answer = code(&project, &["impact", "none.py"]).exits(1);
    assert!(answer.stderr.contains("no code is known in none.py"), "{}", answer.stderr);
}

#[test]
fn the_plugin_that_is_installed_is_no_code_of_the_project() {
    let project = sample();
    let plugin = include_str!("../../../ralph-agents/src/opencode/ralph.ts");
    project.file(".opencode/plugins/ralph.ts", plugin);
    let map = json_of(&project, &["map"]);
    assert!(!map["text"].as_str().unwrap().contains("ralph.ts"), "{map}");
}

#[test]
fn an_answer_is_not_complete_where_a_use_is_only_possible() {
    let project = git();
    project.file("app.js", "const app = exports = module.exports = {};\napp.use = () => 1;\n");
    project.file(
        "run.js",
        "const app = require('./app');\nfunction run(x) { x.use(); }\napp.use(run);\n",
    );
    let refs = json_of(&project, &["refs", "app.use"]);
    let sites: Vec<_> = refs["refs"].as_array().unwrap().iter().collect();
    assert_eq!((&sites[0]["line"], &sites[0]["certain"]), (&json!(2), &json!(false)));
    assert_eq!((&sites[1]["line"], &sites[1]["certain"]), (&json!(3), &json!(true)));
    assert_eq!(refs["complete"], false);
}
