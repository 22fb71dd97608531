//! What checks teach: kept, told to later runs, and withdrawn again.

use std::fs;

use ralph_testkit::TestProject;
use serde_json::Value;

use crate::{git, plain};

/// A check that says what is missing.
const GATE: &str = "echo checking; grep -q right a.txt || { echo expected right; exit 1; }";

const CHECKED: [&str; 2] = ["--criteria", "custom:./gate.sh"];

#[track_caller]
fn notes(project: &TestProject, kind: &str) -> Vec<Value> {
    let answer = project.ralph(&["memory", "list", "--kind", kind, "--json"]).output();
    answer.exits(0).json()["notes"].as_array().cloned().unwrap_or_default()
}

/// A project with an agent that is wrong in its first turn and right in its
/// second.
fn learning(project: TestProject) -> TestProject {
    project.script("gate.sh", GATE);
    project.file("a.txt", "start\n");
    project.agent(
        "cat > $OUTSIDE/prompt-$RALPH_ITERATION\nif [ $RALPH_ITERATION = 1 ]; then echo wrong > \
         a.txt; echo Write it down.; else echo right > a.txt; echo '<promise>DONE</promise>'; fi",
    );
    project
}

#[test]
fn what_failed_and_what_mended_it_is_known_to_the_next_run() {
    let project = learning(plain());
    let first = project.run_json("write it", &CHECKED).exits(0).ends("success/verified", 2);
    assert_eq!(first.ended()["memory"], "Kept 1 note.");
    let [gotcha] = notes(&project, "gotcha").try_into().unwrap();
    assert_eq!((&gotcha["scope"], &gotcha["verified"]), (&"project".into(), &true.into()));
    let text = "expected right. It was mended by a.txt: `- wrong` `+ right`. \
                Tried in vain before: \"Write it down\".";
    assert_eq!((&gotcha["title"], &gotcha["text"]), (&"./gate.sh".into(), &text.into()));
    for kind in ["skill", "command", "pattern", "approach"] {
        assert_eq!(notes(&project, kind).len(), 0, "nobody wrote a {kind}");
    }

    project.file("a.txt", "start\n");
    let _ = project.run_json("write it again", &CHECKED).exits(0);
    let told = project.kept("prompt-2");
    let id = gotcha["id"].as_str().unwrap();
    assert!(told.contains(&format!("[{id}] [VERIFIED] ./gate.sh: {text}")), "{told}");
    assert_eq!(told.matches(&format!("[{id}]")).count(), 1, "{told}");
    assert!(told.contains("The files are as turn 1 of run-"), "{told}");
    assert!(told.contains("\"Write it down\". Try something else."), "{told}");
    assert_eq!(notes(&project, "gotcha").len(), 1);
}

#[test]
fn a_change_of_tests_alone_is_no_mend() {
    let project = learning(plain());
    project.script("gate.sh", "grep -q right tests/test_a.txt || { echo expected 3; exit 1; }");
    project.file("tests/test_a.txt", "start\n");
    project.agent(
        "cat > /dev/null\nif [ $RALPH_ITERATION = 1 ]; then echo wrong > a.txt; else echo right > \
         tests/test_a.txt; echo 'It fits. <promise>DONE</promise>'; fi",
    );
    let _ = project.run_json("write it", &CHECKED);
    let [gotcha] = notes(&project, "gotcha").try_into().unwrap();
    let told = (&gotcha["text"], &gotcha["verified"]);
    assert_eq!(told, (&"expected 3".into(), &false.into()));
}

#[test]
fn a_note_that_an_agent_cites_earns_what_comes_of_it() {
    let project = learning(plain());
    let _ = project.run_json("write it", &CHECKED).exits(0);
    let [gotcha] = notes(&project, "gotcha").try_into().unwrap();
    let id = gotcha["id"].as_str().unwrap();
    let counts = || {
        let why = project.ralph(&["memory", "why", id, "--json"]).output().exits(0).json();
        ["shown", "cited", "passed", "failed"].map(|name| why["counts"][name].as_u64().unwrap())
    };
    let [shown, cited, passed, failed] = counts();
    project.file("a.txt", "start\n");
    project.agent(&format!(
        "cat > /dev/null\nif [ $RALPH_ITERATION = 1 ]; then echo wrong > a.txt; else echo right > \
         a.txt; echo 'because of [{id}] <promise>DONE</promise>'; fi",
    ));
    let _ = project.run_json("write it again", &CHECKED).exits(0).ends("success/verified", 2);
    let [more_shown, more_cited, more_passed, more_failed] = counts();
    assert!(more_shown > shown);
    assert_eq!((more_cited, more_passed, more_failed), (cited + 1, passed + 1, failed));
}

#[test]
fn taking_a_note_is_not_citing_it_and_a_failure_is_not_held_against_it() {
    let project = plain();
    project.script("gate.sh", GATE);
    let add = format!("{} memory add 'mind the gap' --kind gotcha", project.binary().display());
    project.agent(&format!("cat > /dev/null\necho wrong > a.txt\n{add}"));
    let limits = ["--criteria", "custom:./gate.sh", "--max-iterations", "1"];
    let ran = project.run_json("write it", &limits);
    assert!(ran.stdout.contains("Noted m"), "{}", ran.stdout);
    let all = notes(&project, "gotcha");
    let mine = all.iter().find(|note| note["text"] == "mind the gap").unwrap();
    let why = ["memory", "why", mine["id"].as_str().unwrap(), "--json"];
    let counts = project.ralph(&why).output().exits(0).json()["counts"].clone();
    assert_eq!((&counts["cited"], &counts["failed"]), (&0.into(), &0.into()), "{counts}");
}

#[test]
fn a_note_for_all_projects_earns_the_same() {
    let project = learning(plain());
    let add = ["memory", "add", "Write right, not wrong", "--scope", "global", "--json"];
    let added = project.ralph(&add).output().exits(0).json();
    let id = added["note"]["id"].as_str().unwrap();
    project.agent(&format!(
        "cat > /dev/null\necho right > a.txt; echo 'because of [{id}] <promise>DONE</promise>'",
    ));
    let _ = project.run_json("write it", &CHECKED).exits(0).ends("success/verified", 1);
    let why = project.ralph(&["memory", "why", id, "--json"]).output().exits(0).json();
    assert_eq!((&why["counts"]["cited"], &why["counts"]["passed"]), (&1.into(), &1.into()));
}

#[test]
fn nothing_is_learned_without_checks_and_nothing_kept_where_memory_is_off() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    let _ = project.run_json("do it", &[]).exits(0);
    let off = learning(plain());
    off.file("ralph.toml", "[memory]\nenabled = false\n");
    let _ = off.run_json("write it", &CHECKED).exits(0);
    let notes = project.ralph(&["memory", "list", "--json"]).output().exits(0).json();
    assert_eq!(notes["notes"].as_array().map(Vec::len), Some(0), "{notes}");
    let files = off.everything();
    assert!(!files.iter().any(|file| file.ends_with("memory")), "{files:?}");
}

#[test]
fn trouble_with_the_memory_is_none_of_the_run() {
    let project = learning(plain());
    let _ = project.run_json("write it", &CHECKED).exits(0);
    for file in project.everything() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name == "000001.jsonl" || name.starts_with("memory.1.db") {
            fs::remove_file(&file).unwrap();
            fs::create_dir_all(file.join("in-the-way")).unwrap();
        }
    }
    project.file("a.txt", "start\n");
    let _ = project.run_json("write it", &CHECKED).exits(0).ends("success/verified", 2);
}

#[test]
fn what_came_with_a_commit_goes_when_it_is_reverted() {
    let project = learning(git());
    project.run_git(&["add", "."]);
    project.run_git(&["commit", "-qm", "start"]);
    project.agent(
        "if [ $RALPH_ITERATION = 1 ]; then echo wrong > a.txt; else echo right > a.txt; \
         git commit -qam right; echo '<promise>DONE</promise>'; fi",
    );
    let _ = project.run_json("write it", &CHECKED).exits(0);
    assert_eq!(notes(&project, "gotcha").len(), 1);
    project.run_git(&["revert", "--no-edit", "HEAD"]);
    let consolidate = |more: &[&str]| {
        let args = [&["memory", "consolidate", "--json"], more].concat();
        project.ralph(&args).output().exits(0).json()
    };
    assert_eq!(consolidate(&["--dry-run"])["retracted"], 1);
    assert_eq!(consolidate(&[])["retracted"], 1);
    assert_eq!(notes(&project, "gotcha").len(), 0);
    assert_eq!(consolidate(&[])["retracted"], 0);
}

#[test]
fn what_the_user_committed_after_a_run_goes_when_it_is_reverted() {
    for paths in [&["."][..], &["a.txt"]] {
        let project = learning(git());
        project.run_git(&["add", "."]);
        project.run_git(&["commit", "-qm", "start"]);
        let _ = project.run_json("write it", &CHECKED).exits(0);
        project.file("beside.txt", "of the user\n");
        project.run_git(&[&["add"], paths].concat());
        project.run_git(&["commit", "-qm", "by hand"]);
        let consolidate = || {
            let args = ["memory", "consolidate", "--json"];
            project.ralph(&args).output().exits(0).json()["retracted"].clone()
        };
        assert_eq!(consolidate(), 0);
        // Another commit says nothing about the run.
        project.file("other.txt", "1\n");
        project.run_git(&["add", "other.txt"]);
        project.run_git(&["commit", "-qm", "other"]);
        project.run_git(&["revert", "--no-edit", "HEAD"]);
        assert_eq!(consolidate(), 0);
        project.run_git(&["revert", "--no-edit", "HEAD~2"]);
        assert_eq!(consolidate(), 1, "{paths:?}");
        assert_eq!(notes(&project, "gotcha").len(), 0);
    }
}

#[test]
fn an_agent_cannot_decide_what_becomes_of_its_notes() {
    let project = plain();
    let called = project.ralph(&["memory", "consolidate"]).env("RALPH_DRIVER", "1");
    let said = called.output().exits(1).stderr;
    assert!(said.contains("an agent cannot consolidate notes"), "{said}");
}

#[test]
fn old_output_of_failed_checks_is_let_go() {
    let project = learning(plain());
    let _ = project.run_json("write it", &CHECKED).exits(0);
    let printed = || {
        let files = project.everything().into_iter();
        files.filter(|file| file.to_string_lossy().ends_with(".checks.txt")).count()
    };
    assert!(printed() > 0);
    let _ = project.ralph(&["gc"]).env("RALPH_RETENTION_SIZE", "1B").output().exits(0);
    assert_eq!(printed(), 0);
}
