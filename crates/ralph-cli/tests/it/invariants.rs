//! Notes that have a check: given by the user, held against the work.

use std::path::PathBuf;

use ralph_testkit::{CommandOutput, TestProject, TurnHold};
use serde_json::{Value, json};

use crate::secrets::contents;
use crate::{git, hooks, opencode, plain};

const RULE: &str =
    "id: no-print\nlanguage: Python\nmessage: use the log\nrule:\n  pattern: print($$$)\n";

const NOTE: &str = "output goes through the log, never through print";

/// A project with a commit and a note that forbids `print`; its id.
fn held() -> (TestProject, String) {
    let project = git();
    project.file("a.py", "x = 1\nprint('from before')\n");
    commit(&project);
    let id = add(&project, &[]);
    (project, id)
}

fn commit(project: &TestProject) {
    project.run_git(&["add", "."]);
    project.run_git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]);
}

/// Notes that there is no printing, with a rule that lies elsewhere.
#[track_caller]
fn add(project: &TestProject, more: &[&str]) -> String {
    let rule = project.outside("rule.yml");
    std::fs::write(&rule, RULE).unwrap();
    let rule = rule.to_str().unwrap();
    let args = ["memory", "add", NOTE, "--title", "no prints", "--rule", rule, "--json"];
    let added = project.ralph(&[&args, more].concat()).output().exits(0).json();
    assert_eq!(added["note"]["kind"], "pattern");
    assert_eq!(added["check"]["rules"], RULE);
    added["note"]["id"].as_str().unwrap().to_owned()
}

/// The files of the memory's log.
fn logs(project: &TestProject) -> Vec<PathBuf> {
    let mut files = project.everything();
    files.retain(|file| file.to_str().is_some_and(|name| name.contains(".jsonl")));
    files
}

/// The gate of the notes as `ralph check` has it, and the exit code it should have.
#[track_caller]
fn checked(project: &TestProject, code: i32) -> Value {
    let args = ["check", "--criteria", "memory", "--json"];
    project.ralph(&args).output().exits(code).json()["gates"][0].clone()
}

#[track_caller]
fn refused(project: &TestProject, args: &[&str], code: i32, want: &str) -> CommandOutput {
    let output = project.ralph(args).output().exits(code);
    assert!(output.stderr.contains(want), "{}", output.stderr);
    output
}

#[test]
fn what_breaks_a_note_is_found_in_what_changed_and_names_it() {
    let (project, id) = held();
    assert_eq!(checked(&project, 0)["verdict"], "pass");
    project.file("b.py", "def f():\n    print(1)\n");
    let gate = checked(&project, 1);
    assert_eq!((&gate["verdict"], &gate["required"]), (&"fail".into(), &true.into()), "{gate}");
    let [finding] = gate["findings"].as_array().unwrap().as_slice() else { panic!("{gate}") };
    let found = ["file", "line", "rule", "message"].map(|name| finding[name].clone());
    let rule = format!("{id}/no-print");
    assert_eq!(json!(found), json!(["b.py", 2, rule, "no prints: use the log"]));
    let everywhere = ["check", "--criteria", "memory", "--all", "--json"];
    let all = project.ralph(&everywhere).output().exits(1).json();
    assert_eq!(all["gates"][0]["findings"].as_array().unwrap().len(), 2, "{all}");
}

#[test]
fn what_a_file_too_large_to_keep_was_is_not_known() {
    let (project, _) = held();
    let large = format!("print(1)\nx = '{}'\n", "a".repeat(5 << 20));
    project.file("a.py", &large);
    commit(&project);
    project.file("a.py", format!("# a comment\n{large}"));
    let gate = checked(&project, 1);
    assert_eq!((&gate["verdict"], &gate["findings"]), (&json!("unknown"), &json!([])), "{gate}");
    project.file("a.py", &large);
    project.agent("echo '# a comment' >> a.py; echo '<promise>DONE</promise>'");
    let told = project.run_json("explain it", &["--max-iterations", "1"]).exits(1).stdout;
    assert!(told.contains("what was found in it before is not known"), "{told}");
}

#[test]
fn a_note_that_does_not_hold_any_more_binds_nobody() {
    let (project, id) = held();
    project.file("b.py", "print(1)\n");
    let _ = checked(&project, 1);
    let _ = project.ralph(&["memory", "edit", &id, "--no-check"]).output().exits(0);
    let check = ["check", "--criteria", "memory"];
    let _ = refused(&project, &check, 2, "no note has a check");
    let rule = project.outside("rule.yml");
    let again = ["memory", "edit", &id, "--rule", rule.to_str().unwrap()];
    let _ = project.ralph(&again).output().exits(0);
    let _ = checked(&project, 1);
    let _ = project.ralph(&["memory", "forget", &id]).output().exits(0);
    let _ = refused(&project, &check, 2, "no note has a check");
    let log = contents(logs(&project)[0].parent().unwrap());
    assert!(!log.contains("no-print"), "{log}");
}

#[test]
fn a_check_is_tried_before_it_binds_anybody() {
    let project = git();
    let bind = |text: &str, want: &str| {
        let rule = project.outside("bad.yml");
        std::fs::write(&rule, text).unwrap();
        let args = ["memory", "add", NOTE, "--rule", rule.to_str().unwrap()];
        refused(&project, &args, 2, want);
    };
    bind("id: [\n", "bad.yml:");
    bind(&RULE.replace("Python", "Klingon"), "Klingon");
    bind("# nothing\n", "there is no rule");
    bind(&RULE.replace("pattern: print($$$)", "kind: no_such_kind"), "no_such_kind");
    bind(&RULE.replace("use the log", &format!("ghp_{}", "a1B2".repeat(9))), "secret");
    let args = ["memory", "add", NOTE, "--rule", "missing.yml"];
    let _ = refused(&project, &args, 2, "missing.yml");
    let args = ["memory", "add", NOTE, "--test", "test_a"];
    let _ = refused(&project, &args, 2, "nothing in the project tells how its tests are run");
    project.file("ralph.toml", "[gates.test_pass]\ncommand = [\"make\", \"test\"]\n");
    let _ = refused(&project, &args, 2, "`make test` cannot run one test alone");
    assert!(logs(&project).is_empty(), "nothing was noted");
}

#[test]
fn scopes_decide_where_a_check_binds() {
    let (project, id) = held();
    let rule = project.outside("rule.yml");
    let rule = rule.to_str().unwrap();
    let task = ["memory", "add", "x", "--scope", "task", "--rule", rule];
    let _ = refused(&project, &task, 2, "cannot have a check");
    let _ = project.ralph(&["memory", "promote", &id, "--scope", "global"]).output().exits(0);
    project.file("b.py", "print(1)\n");
    assert_eq!(checked(&project, 1)["verdict"], "fail", "the check goes along");
    let shown = project.ralph(&["memory", "show", &id]).output().exits(0).stdout;
    assert!(shown.contains("pattern: print($$$)"), "{shown}");
}

#[test]
fn only_the_user_gives_and_takes_checks() {
    let (project, id) = held();
    let rule = project.outside("rule.yml");
    let rule = rule.to_str().unwrap();
    let driven = |args: &[&str]| {
        let call = project.ralph(args).env("RALPH_DRIVER", "1");
        call.env("RALPH_RUN_ID", "run-0badcafe").output()
    };
    let agent = |args: &[&str], want: &str| {
        let called = driven(args).exits(1);
        assert!(called.stderr.contains(want), "{}", called.stderr);
    };
    agent(&["memory", "add", "mine", "--rule", rule], "an agent cannot give a note a check");
    agent(&["memory", "edit", &id, "--no-check"], "an agent cannot change notes");
    agent(&["memory", "edit", &id, "print is fine"], "an agent cannot change notes");
    agent(&["memory", "forget", &id], "an agent cannot forget notes");
    let noted = driven(&["memory", "add", "prints are fine", "--json"]).exits(0).json();
    let own = noted["note"]["id"].as_str().unwrap().to_owned();
    agent(&["memory", "edit", &own, "--rule", rule], "an agent cannot give a note a check");
    // Who says a note again says nothing about its check.
    let again = ["memory", "add", NOTE, "--kind", "pattern", "--title", "no prints"];
    let _ = driven(&again).exits(0);
    project.file("b.py", "print(1)\n");
    let _ = checked(&project, 1);
}

#[test]
fn a_note_of_an_agent_becomes_the_users_when_it_gets_a_check() {
    let (project, _) = held();
    let noted = project.ralph(&["memory", "add", "prints are slow", "--json"]);
    let noted = noted.env("RALPH_DRIVER", "1").output().exits(0).json();
    let id = noted["note"]["id"].as_str().unwrap();
    let rule = project.outside("rule.yml");
    let bind = ["memory", "edit", id, "--rule", rule.to_str().unwrap(), "--json"];
    let bound = project.ralph(&bind).output().exits(0).json();
    let note = &bound["note"];
    assert_eq!((&note["by"], &note["scope"]), (&"user".into(), &"project".into()), "{bound}");
}

#[test]
fn the_user_decides_what_becomes_of_work_that_breaks_a_note() {
    let (project, _) = held();
    project.file("b.py", "print(1)\n");
    project.script("ok.sh", "true");
    let check = |setting: &str| {
        project.file("ralph.toml", format!("[memory]\n{setting}\n"));
        let args = ["check", "--criteria", "custom:./ok.sh", "--json"];
        let output = project.ralph(&args).output();
        let gates = output.json()["gates"].as_array().unwrap().clone();
        let seen: Vec<String> =
            gates.iter().map(|gate| format!("{} {}", gate["name"], gate["verdict"])).collect();
        (seen.join(", ").replace('"', ""), gates.len())
    };
    assert_eq!(check("enforce = \"require\""), ("custom-1 pass, memory fail".to_owned(), 2));
    assert_eq!(check("enforce = \"report\""), ("custom-1 pass, memory fail".to_owned(), 2));
    assert_eq!(check("enforce = \"off\""), ("custom-1 pass".to_owned(), 1));
    assert_eq!(check("enabled = false"), ("custom-1 pass".to_owned(), 1));
    project.file("ralph.toml", "[memory]\nenforce = \"report\"\n");
    let _ = project.ralph(&["check", "--criteria", "custom:./ok.sh"]).output().exits(0);
    project.file("ralph.toml", "[memory]\nenforce = \"never\"\n");
    let _ = refused(&project, &["check"], 2, "memory.enforce");
}

#[test]
fn where_no_note_has_a_check_there_is_no_gate_and_nothing_is_created() {
    let project = git();
    project.script("ok.sh", "true");
    let args = ["check", "--criteria", "custom:./ok.sh", "--json"];
    let output = project.ralph(&args).output().exits(0).json();
    assert_eq!(output["gates"].as_array().unwrap().len(), 1, "{output}");
    let notes = |path: &PathBuf| path.to_string_lossy().contains("memory");
    assert!(!project.everything().iter().any(notes));
    let _ = project.ralph(&["memory", "add", "a fact"]).output().exits(0);
    let output = project.ralph(&args).output().exits(0).json();
    assert_eq!(output["gates"].as_array().unwrap().len(), 1, "{output}");
}

#[test]
fn who_damages_the_index_is_not_rid_of_checks() {
    let (project, _) = held();
    project.file("b.py", "print(1)\n");
    for file in project.everything() {
        if file.file_name().is_some_and(|name| name == "memory.1.db") {
            std::fs::write(&file, "no database").unwrap();
        }
    }
    let _ = checked(&project, 1);
    for file in project.everything() {
        if file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("memory.1.db")) {
            std::fs::remove_file(&file).unwrap();
            std::fs::create_dir_all(file.join("in-the-way")).unwrap();
        }
    }
    assert_eq!(checked(&project, 1)["verdict"], "unknown");
}

/// An agent that prints in its first turn and mends it in its second, and says
/// both times that it is done.
fn printing(project: &TestProject) {
    project.agent(
        "cat > $OUTSIDE/prompt-$RALPH_ITERATION\nif [ $RALPH_ITERATION = 1 ]; then echo 'print(1)' \
         > b.py; else echo 'log(1)' > b.py; fi\necho '<promise>DONE</promise>'",
    );
}

#[test]
fn a_run_is_told_what_it_broke_and_succeeds_once_it_is_mended() {
    let (project, id) = held();
    printing(&project);
    project.script("ok.sh", "true");
    let run = project.run_json("write b.py", &["--criteria", "custom:./ok.sh"]);
    let _ = run.exits(0).ends("success/claimed", 2);
    let told = project.kept("prompt-2");
    let line = format!("b.py:1 no prints: use the log [ralph-memory {id}/no-print]");
    assert!(told.contains(&line), "{told}");
}

#[test]
fn a_claim_alone_is_not_believed_over_a_broken_note() {
    let (project, _) = held();
    printing(&project);
    let _ = project.run_json("write b.py", &[]).exits(0).ends("success/claimed", 2);
    project.file("b.py", "x = 1\n");
    let claims = ["--trust", "claim"];
    let _ = project.run_json("write b.py", &claims).exits(0).ends("success/claimed", 1);
    project.file("b.py", "x = 1\n");
    project.file("ralph.toml", "[memory]\nenforce = \"report\"\n");
    let _ = project.run_json("write b.py", &[]).exits(0).ends("success/claimed", 1);
}

#[test]
fn a_note_that_is_forgotten_during_a_run_is_held_against_nobody() {
    let (project, id) = held();
    let hold = TurnHold::new(&project, "agent");
    project.agent(&format!(
        "cat > /dev/null\n{}echo 'print(1)' > b.py\necho '<promise>DONE</promise>'",
        hold.script("")
    ));
    let mut running = project.run_call("write b.py", &[]).start();
    running.until_held();
    let _ = project.ralph(&["memory", "forget", &id]).output().exits(0);
    hold.release();
    let _ = running.finish().exits(0).ends("success/claimed", 1);
}

#[test]
fn hosts_hear_of_a_broken_note_when_the_agent_falls_silent() {
    let (project, id) = held();
    let session = hooks::Session::new(&project, "s-1");
    let _ = session.prompt("/ralph \"write b.py\"");
    project.file("b.py", "print(1)\n");
    let answer = session.stop("<promise>DONE</promise>");
    let told = hooks::goes_on(&answer);
    assert!(told.contains(&format!("[ralph-memory {id}/no-print]")), "{told}");
    project.file("b.py", "log(1)\n");
    let _ = session.stop("<promise>DONE</promise>");
    session.is("success/claimed", 2);

    project.file("b.py", "x = 1\n");
    let session = opencode::Session::new(&project, "ses_1");
    let _ = session.command("\"write b.py\"");
    project.file("b.py", "print(2)\n");
    let told = session.idle("msg_1", "<promise>DONE</promise>").to_string();
    assert!(told.contains(&format!("[ralph-memory {id}/no-print]")), "{told}");
}

#[test]
fn what_must_hold_is_told_while_the_work_is_checked() {
    let (project, id) = held();
    let pattern = ["memory", "add", "handlers return a Result", "--kind", "pattern", "--json"];
    let other = [&pattern[..], &["--file", "b.py"]].concat();
    let other = project.ralph(&other).output().exits(0).json();
    let other = other["note"]["id"].as_str().unwrap().to_owned();
    project.file("b.py", "x = 1\n");
    let context = |locale: &str| {
        let args = ["memory", "context", "--phase", "verify"];
        project.ralph(&args).env("RALPH_LOCALE", locale).output().exits(0).stdout
    };
    let english = context("en");
    assert!(english.contains("## What must hold"), "{english}");
    assert!(english.contains(&format!("- [{id}] [VERIFIED] (checked by a gate)")), "{english}");
    assert!(english.contains(&format!("[{other}]")), "{english}");
    let korean = context("ko");
    assert!(korean.contains("지켜져야 하는 것") && korean.contains("(검사됨)"), "{korean}");
    let elsewhere = ["memory", "context", "--phase", "verify", "--file", "main.go"];
    let elsewhere = project.ralph(&elsewhere).output().exits(0).stdout;
    assert!(!elsewhere.contains(&id), "a rule for Python is not about Go: {elsewhere}");
}

#[test]
fn what_failed_with_the_changed_files_and_what_contradicts_is_told_while_checking() {
    let project = plain();
    project.script("gate.sh", "grep -q right a.txt || { echo expected right; exit 1; }");
    project.file("a.txt", "start\n");
    project.agent("cat > /dev/null; echo wrong > a.txt; echo Write it down.");
    let _ = project
        .run_json("write it", &["--criteria", "custom:./gate.sh", "--max-iterations", "1"])
        .exits(1);
    let user = ["memory", "add", "the cache is never cleared on save"];
    let _ = project.ralph(&user).output().exits(0);
    let agent = project.ralph(&["memory", "add", "the cache is always cleared on save"]);
    let _ = agent.env("RALPH_DRIVER", "1").output().exits(0);
    let verify = ["memory", "context", "--phase", "verify", "--file", "a.txt"];
    let told = project.ralph(&verify).output().exits(0).stdout;
    assert!(told.contains("expected right"), "{told}");
    assert!(told.contains("Only one of these can hold"), "{told}");
    let korean = project.ralph(&verify).env("RALPH_LOCALE", "ko").output().exits(0).stdout;
    assert!(korean.contains("둘 중 하나만"), "{korean}");
}

#[test]
fn after_a_failure_an_agent_reads_which_patterns_its_files_have() {
    let project = plain();
    project.script("gate.sh", "grep -q right a.txt || { echo expected right; exit 1; }");
    project.file("a.txt", "start\n");
    project.agent(
        "cat > $OUTSIDE/prompt-$RALPH_ITERATION\nif [ $RALPH_ITERATION = 1 ]; then echo wrong > \
         a.txt; else echo right > a.txt; echo '<promise>DONE</promise>'; fi",
    );
    let pattern = "lines end with a word in lower case";
    // More patterns than a prompt has room for: this one is not among the newest.
    let about = ["memory", "add", pattern, "--kind", "pattern", "--file", "a.txt"];
    let _ = project.ralph(&about).output().exits(0);
    for text in [
        "handlers return a Result",
        "SQL stands beside its query in a file",
        "widgets draw once per frame",
        "every migration can be undone",
        "dates are UTC until somebody reads them",
    ] {
        let _ = project.ralph(&["memory", "add", text, "--kind", "pattern"]).output().exits(0);
    }
    let run = project.run_json("write it", &["--criteria", "custom:./gate.sh"]);
    let _ = run.exits(0).ends("success/verified", 2);
    let (first, second) = (project.kept("prompt-1"), project.kept("prompt-2"));
    assert!(!first.contains(pattern), "{first}");
    assert!(second.contains("## What must hold") && second.contains(pattern), "{second}");
}

#[test]
fn lines_that_were_there_before_are_held_against_nobody() {
    let (project, id) = held();
    project.file("b.py", "print(1)\n");
    project.run_git(&["add", "."]);
    project.run_git(&["commit", "-qm", "start"]);
    project.agent("cat > /dev/null\necho 'x = 1' >> b.py\necho '<promise>DONE</promise>'");
    let _ = project.run_json("add a line", &[]).exits(0).ends("success/claimed", 1);
    let _ = project.ralph(&["check", "--criteria", "memory"]).output().exits(0);
    project.file("b.py", "print(2)\nprint(1)\nx = 1\n");
    let said = project.ralph(&["check", "--criteria", "memory"]).output().exits(1);
    let told = |said: &CommandOutput, line: u32| said.stdout.contains(&format!("{line}  error "));
    assert!(told(&said, 1) && !told(&said, 2), "{}", said.stdout);
    assert!(said.stdout.contains(&id), "{}", said.stdout);
    let all = project.ralph(&["check", "--all", "--criteria", "memory"]).output().exits(1);
    assert!(told(&all, 2), "{}", all.stdout);
}

#[test]
fn a_test_that_is_not_there_cannot_be_given_to_a_note() {
    let project = plain();
    project.file("ralph.toml", "[gates.test_pass]\ncommand = \"python3 -m pytest\"\n");
    project.file("tests/test_a.py", "def test_exact():\n    pass\n");
    let add =
        |test: &str| project.ralph(&["memory", "add", "sums are exact", "--test", test]).output();
    let said = add("tests/nope.py::test_exact").exits(2).stderr;
    assert!(said.contains("there is no file `tests/nope.py`"), "{said}");
    let said = add("tests/test_a.py::test_nope").exits(0).stderr;
    assert!(said.contains("no test called test_nope was found"), "{said}");
    assert_eq!(add("tests/test_a.py::test_exact").exits(0).stderr, "");
    project.file("ralph.toml", "[gates.test_pass]\ncommand = \"python3 -m unittest\"\n");
    let said = add("tests/test_a.py").exits(2).stderr;
    assert!(said.contains("`python3 -m unittest` cannot run one test alone"), "{said}");
    assert!(said.contains("pytest, vitest, jest"), "{said}");
}

#[test]
fn a_flaky_test_of_a_note_is_tried_again_and_does_not_hold_a_run_up() {
    let project = plain();
    // Fails on its first run after every change, and passes on the next.
    project.script(
        "pytest",
        "if [ -f $OUTSIDE/tried ] || [ ! -f work ]; then rm -f $OUTSIDE/tried; \
         echo 'TAP version 13'; echo '1..1'; echo 'ok 1 - test_exact'; exit 0; fi\n\
         touch $OUTSIDE/tried\n\
         echo 'TAP version 13'; echo '1..1'; echo 'not ok 1 - test_exact'; exit 1",
    );
    project.script("ok.sh", "true");
    let gate = "[gates.test_pass]\ncommand = \"./pytest\"\nformat = \"tap\"\n";
    project.file("ralph.toml", gate);
    project.file("tests/test_a.py", "def test_exact():\n    pass\n");
    let test = ["memory", "add", "sums are exact", "--test", "tests/test_a.py::test_exact"];
    let _ = project.ralph(&test).output().exits(0);
    project.agent("echo x > work\necho '<promise>DONE</promise>'");
    let run = project.run_json("do it", &["--criteria", "custom:./ok.sh"]);
    let _ = run.ends("success/claimed", 1);
}

#[test]
fn what_a_rule_found_moves_with_a_renamed_file() {
    let (project, _) = held();
    project.run_git(&["mv", "a.py", "b.py"]);
    assert_eq!(checked(&project, 0)["verdict"], "pass");
    project.file("b.py", "x = 1\nprint('from before')\nprint(2)\n");
    assert_eq!(checked(&project, 1)["counts"]["errors"], 1);
}

#[test]
fn who_asks_for_the_gate_by_name_gets_it_whatever_is_enforced() {
    let (project, _) = held();
    project.file("b.py", "print(1)\n");
    for enforce in ["off", "report"] {
        project.file("ralph.toml", format!("[memory]\nenforce = \"{enforce}\"\n"));
        let _ = project.ralph(&["check", "--criteria", "memory"]).output().exits(1);
    }
}
