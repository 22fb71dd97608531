//! The tests of the start judge the present code, and new tests the code of
//! the start.

use ralph_testkit::{CommandOutput, TestProject, tools_path};
use serde_json::{Value, json};

use crate::hooks::{Session, answer, goes_on, stop};
use crate::{git, plain};

/// The time that hooks of the plugin have.
const PLUGIN: [&str; 2] = ["--timeout", "600"];

/// Runs every `tests/*.t` and speaks TAP. `lib.sh` is the code.
const SUITE: &str = r#"echo TAP version 13; n=0; bad=0
for test in tests/*.t; do
  n=$((n + 1))
  if sh "$test"; then echo "ok $n - $test"; else echo "not ok $n - $test"; bad=1; fi
done
echo "1..$n"
exit $bad"#;

const GATE: [&str; 2] = ["--criteria", "custom:sh suite.sh"];

const CLAIM: &str = "echo '<promise>DONE</promise>'";

/// The program doubles, and should add one: `bad.t` knows.
fn files(project: &TestProject) {
    project.file("suite.sh", SUITE).file("lib.sh", "next() { echo $(($1 * 2)); }\n");
    project.file("tests/good.t", ". ./lib.sh; test $(next 1) = 2\n");
    project.file("tests/bad.t", ". ./lib.sh; test $(next 5) = 6\n");
}

fn suite() -> TestProject {
    let project = git();
    files(&project);
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

/// The same with code that is right.
fn green() -> TestProject {
    let project = suite();
    project.file("lib.sh", "next() { echo $(($1 + 1)); }\n");
    project
}

const FIX: &str = "echo 'next() { echo $(($1 + 1)); }' > lib.sh";

fn run(project: &TestProject, agent: &str, more: &[&str]) -> CommandOutput {
    project.agent(&format!("{agent}; {CLAIM}"));
    project.run_json("fix it", &[&GATE[..], more].concat())
}

fn last(output: &CommandOutput, key: &str) -> String {
    let ended = output.events_of("iteration_ended");
    ended.last().map(|event| event[key].to_string()).unwrap_or_default()
}

#[test]
fn a_test_that_was_bent_is_refused_once_and_then_the_user_is_asked() {
    let project = suite();
    let bend = "echo '. ./lib.sh; test $(next 5) = 10' > tests/bad.t";
    let output = run(&project, bend, &[]).exits(4).ends("waiting/human", 2);
    let held = last(&output, "weakened");
    assert!(held.contains("`tests/bad.t` passes only because it was changed"), "{held}");
    let status = project.ralph(&["status"]).output().stdout;
    assert!(status.contains("ralph allow tests/bad.t && ralph resume"), "{status}");
    let _ = project.ralph(&["allow", "tests/bad.t"]).output().exits(0);
    let resumed = project.ralph(&["resume", "--json"]).output().exits(0);
    let _ = resumed.ends("success/verified", 2);
}

#[test]
fn a_test_that_is_gone_or_replaced_still_fails_as_it_was() {
    for bend in ["rm tests/bad.t", "mv tests/bad.t bad.txt; echo true > tests/other.t"] {
        let output = run(&suite(), bend, &[]).exits(4).ends("waiting/human", 2);
        let held = last(&output, "weakened");
        assert!(held.contains("`tests/bad.t` failed at the start and is gone"), "{held}");
    }
}

#[test]
fn a_suite_that_names_no_tests_is_judged_by_how_it_ends_whatever_its_criterion() {
    let bend = "echo '. ./lib.sh; test $(next 5) = 10' > tests/bad.t";
    let quiet = "custom:sh:sh suite.sh >/dev/null";
    let project = suite();
    project.agent(&format!("{bend}; {CLAIM}"));
    let output = project.run_json("fix it", &["--criteria", quiet]);
    let _ = output.exits(4).ends("waiting/human", 2);
    let project = suite();
    project.file("tests/good.t", "true\n");
    project.agent(&format!("{FIX}; echo true > tests/more.t; {CLAIM}"));
    let output = project.run_json("fix it", &["--criteria", quiet]);
    let _ = output.exits(0).ends("success/verified", 1);
}

#[test]
fn tests_of_the_start_that_end_without_naming_one_do_not_pass() {
    // Like a program that aborts before it prints what it found.
    let suite =
        "for test in tests/*.t; do sh $test || exit 134; done; ls tests/*.t | sed 's/^/ok 1 - /'";
    let project = self::suite();
    project.file("suite.sh", format!("{suite}\n")).file("tests/good.t", "true\n");
    let bend = "echo true > tests/bad.t";
    let _ = run(&project, bend, &[]).exits(4).ends("waiting/human", 2);
}

#[test]
fn what_turns_green_without_a_change_is_called_luck_and_not_verified() {
    let project = suite();
    project.file("tests/good.t", "true\n");
    project.file("tests/bad.t", "echo x >> .git/count; test $(wc -l < .git/count) -gt 2\n");
    let output = run(&project, "echo x > work", &[]).exits(0).ends("success/claimed", 2);
    let told = last(&output, "edited");
    assert!(told.contains("failed on the same files"), "{told}");
}

#[test]
fn a_suite_that_names_no_test_any_more_is_not_proven_by_its_exit_code() {
    let project = suite();
    project.file("Makefile", "test:\n\tsh suite.sh\n");
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=make"]);
    project.agent(&format!("mkdir -p test; echo see tests > test/README; {CLAIM}"));
    // `make: 'test' is up to date.`
    let output = project.run_json("fix it", &["--criteria", "custom:make test"]);
    let output = output.exits(4).ends("waiting/human", 2);
    let held = last(&output, "weakened");
    assert!(held.contains("2 tests of the start cannot run"), "{held}");
}

#[test]
fn the_file_that_a_manifest_names_as_the_product_is_code() {
    let project = git();
    let manifest =
        r#"{"main":"./cart.js","exports":"./cart.js","scripts":{"start":"node cart.js"}}"#;
    project.file("package.json", manifest);
    project.file("cart.js", "exports.total = (a, b) => a - b;\n");
    let test = "const test = require('node:test');\nconst { total } = require('../cart');\n\
                test('adds', () => require('node:assert').strictEqual(total(1, 2), 3));\n";
    project.file("test/cart.test.js", test);
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project.agent(&format!("sed -i 's/a - b/a + b/' cart.js; {CLAIM}"));
    let call = project.run_call("fix it", &["--criteria", "custom:node --test"]);
    let output = call.env("PATH", tools_path()).output();
    let _ = output.exits(0).ends("success/verified", 1);
}

#[test]
fn what_the_tests_of_the_start_say_is_no_edit() {
    let project = suite();
    project.agent(&format!("{FIX}; echo '# sure' >> tests/bad.t; {CLAIM}"));
    let call = project.ralph(&["run", "fix it", "--agent-cmd", "./agent.sh"]).args(GATE);
    let shown = call.output().exits(0).stderr;
    assert!(shown.contains("  checked: custom-1: "), "{shown}");
    assert!(!shown.contains("edited: custom-1"), "{shown}");
}

#[test]
fn a_helper_of_the_tests_cannot_take_the_place_of_the_code() {
    let project = suite();
    project.file("tests/setup.sh", ". ./lib.sh\n");
    project.file("tests/bad.t", ". ./tests/setup.sh; test $(next 5) = 6\n");
    let bend = "echo 'next() { echo 6; }' > tests/setup.sh";
    let output = run(&project, bend, &[]).exits(4);
    let held = last(&output, "weakened");
    assert!(held.contains("tests/setup.sh"), "{held}");
}

#[test]
fn tests_that_are_moved_renamed_and_folded_are_never_held() {
    let project = suite();
    let refactor = "{ echo set -e; cat tests/bad.t tests/good.t; } > tests/adds_one.t; \
                    rm tests/bad.t tests/good.t";
    let output = run(&project, &format!("{FIX}; {refactor}"), &[]);
    let output = output.exits(0).ends("success/verified", 1);
    let edited = last(&output, "edited");
    assert!(edited.contains("all 2 tests of the start pass on the present code"), "{edited}");
}

#[test]
fn behaviour_that_changes_with_its_test_is_a_question() {
    let project = green();
    let change = "echo 'next() { echo $(($1 + 2)); }' > lib.sh; \
                  sed -i 's/= 2/= 3/' tests/good.t; sed -i 's/= 6/= 7/' tests/bad.t";
    let output = run(&project, change, &[]).exits(4).ends("waiting/human", 2);
    let held = last(&output, "weakened");
    assert!(held.contains("was changed together with the code"), "{held}");
    let _ = project.ralph(&["allow", "tests"]).output().exits(0);
    let resumed = project.ralph(&["resume", "--json"]).output().exits(0);
    let _ = resumed.ends("success/verified", 2);
    let told = green();
    let output = run(&told, change, &["--allow-test-changes"]).exits(0).ends("success/verified", 1);
    let edited = last(&output, "edited");
    assert!(edited.contains("was changed together with the code"), "{edited}");
    let allowed = green();
    let more = ["--allow-test-changes=tests/good.t,tests/bad.t"];
    let _ = run(&allowed, change, &more).exits(0);
    for (value, code) in [("report", 0), ("off", 0), ("hold", 4)] {
        let project = green();
        project.file("ralph.toml", format!("[run]\noriginal_tests = \"{value}\"\n"));
        let _ = run(&project, change, &[]).exits(code);
    }
}

#[test]
fn tests_that_cannot_run_against_the_new_code_are_named() {
    let project = green();
    project.file("suite.sh", format!("sh -n tests/*.t && . ./lib.sh && next 1 || exit 2\n{SUITE}"));
    let rename = "sed -i 's/next/succ/' lib.sh tests/*.t suite.sh";
    let output = run(&project, rename, &[]).exits(4);
    let held = last(&output, "weakened");
    assert!(held.contains("fails now") || held.contains("cannot run"), "{held}");
}

/// Code that is right only where `sign` shows that the judge is at work.
fn right_only_if(sign: &str) -> String {
    format!(
        "echo 'if {sign}; then next() {{ echo $(($1 + 1)); }}; \
         else next() {{ echo $(($1 * 2)); }}; fi' > lib.sh"
    )
}

#[test]
fn code_that_behaves_well_only_in_the_overlay_is_held() {
    let signs = ["grep -q \" $PWD .* overlay \" /proc/self/mountinfo", "test -n \"$NX_DAEMON\""];
    for sign in signs {
        let bend = "echo '. ./lib.sh; test $(next 5) = 10' > tests/bad.t";
        let output = run(&suite(), &format!("{}; {bend}", right_only_if(sign)), &[]).exits(4);
        let held = last(&output, "weakened");
        assert!(held.contains("`tests/bad.t` gives another result"), "{held}");
    }
    let empty = format!("{}; echo true > tests/bad.t", right_only_if(signs[0]));
    let project = suite();
    let output = run(&project, &empty, &[]).exits(0).ends("success/claimed", 1);
    let told = last(&output, "edited");
    assert!(told.contains("what failed then is no longer tested"), "{told}");
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("they would also pass on the code of the start"), "{report}");
}

#[test]
fn a_new_test_that_cannot_run_in_an_overlay_is_the_users_to_accept() {
    let project = suite();
    let new = "echo '! grep -q \" $PWD .* overlay \" /proc/self/mountinfo' > tests/new.t";
    let output = run(&project, &format!("{FIX}; {new}; echo '# a' >> tests/good.t"), &[]);
    let held = last(&output.exits(4), "weakened");
    assert!(held.contains("`tests/new.t` gives another result"), "{held}");
    let _ = project.ralph(&["allow", "tests/new.t"]).output().exits(0);
    let resumed = project.ralph(&["resume", "--json"]).output().exits(0);
    let _ = resumed.ends("success/verified", 2);
}

#[test]
fn a_test_that_never_runs_in_an_overlay_is_no_reproach() {
    let project = suite();
    project.file("tests/good.t", "! grep -q \" $PWD .* overlay \" /proc/self/mountinfo\n");
    let refactor = "mv tests/bad.t tests/adds_one.t";
    let _ = run(&project, &format!("{FIX}; {refactor}"), &[]).exits(0).ends("success/verified", 1);
}

#[test]
fn a_new_test_that_fails_without_the_work_proves_it() {
    let project = green();
    let feature = "echo 'prev() { echo $(($1 - 1)); }' >> lib.sh; \
                   echo '. ./lib.sh; test $(prev 5) = 4' > tests/prev.t";
    let output = run(&project, feature, &[]).exits(0).ends("success/verified", 1);
    let edited = last(&output, "edited");
    assert!(edited.contains("it passes now and fails on the code of the start"), "{edited}");
}

#[test]
fn a_new_test_that_never_failed_proves_nothing_and_is_no_reproach() {
    let project = green();
    let feature = "echo 'prev() { echo 1; }' >> lib.sh; echo true > tests/prev.t";
    let _ = run(&project, feature, &[]).exits(0).ends("success/claimed", 1);
}

#[test]
fn the_agent_is_asked_for_a_test_once_if_all_checks_pass_already() {
    let project = green();
    project.file("ralph.toml", "[gates.test_pass]\ncommand = [\"sh\", \"suite.sh\"]\n");
    project.agent(&format!("cat > prompt; {CLAIM}"));
    let _ = project.run_json("add prev", &["--criteria", "test_pass"]).exits(0);
    let prompt = project.read("prompt");
    assert!(prompt.contains("add a test that fails without it"), "{prompt}");
    let quiet = green();
    let text =
        "[run]\nnew_tests = \"ignore\"\n[gates.test_pass]\ncommand = [\"sh\", \"suite.sh\"]\n";
    quiet.file("ralph.toml", text);
    quiet.agent(&format!("cat > prompt; {CLAIM}"));
    let _ = quiet.run_json("add prev", &["--criteria", "test_pass"]).exits(0);
    assert!(!quiet.read("prompt").contains("fails without it"));
}

#[test]
fn a_test_that_is_added_excuses_nothing_else() {
    let project = suite();
    let early = project.outside("early");
    std::fs::create_dir_all(&early).unwrap();
    let plant = format!(
        "printf '#!/bin/sh\\nexec /bin/sh \"$@\"' > {0}; chmod +x {0}",
        early.join("sh").display()
    );
    project.agent(&format!("{FIX}; echo true > tests/more.t; {plant}; {CLAIM}"));
    let path = format!("{}:{}", early.display(), std::env::var("PATH").unwrap());
    let output = project.run_call("fix it", &GATE).env("PATH", path).output();
    let held = last(&output, "weakened");
    assert!(held.contains("early/sh"), "{held}");
}

#[test]
fn a_judge_that_agrees_does_not_spare_the_tests_of_the_start() {
    let server = ralph_testkit::ModelServer::agreeing();
    let project = suite();
    project.file("ralph.toml", format!("[judge]\nurl = \"{}\"\nmodel = \"m\"\n", server.url()));
    let bend = "echo true > tests/bad.t";
    let output = run(&project, bend, &["--judge", "It adds one."]).exits(4);
    let held = last(&output, "weakened");
    assert!(held.contains("tests/bad.t"), "{held}");
}

#[test]
fn a_file_that_became_a_folder_is_a_file_again() {
    let project = suite();
    let bend = "rm tests/bad.t; mkdir tests/bad.t; echo x > tests/bad.t/keep";
    let more = ["--max-iterations", "1"];
    project.file(
        "suite.sh",
        SUITE.replace(
            "for test in tests/*.t",
            "for test in $(find tests -maxdepth 1 -name '*.t' -type f)",
        ),
    );
    let output = run(&project, bend, &more);
    let held = last(&output, "weakened");
    assert!(held.contains("tests/bad.t"), "{held}");
}

#[test]
fn it_works_without_git() {
    let project = plain();
    files(&project);
    let _ = run(&project, "echo true > tests/bad.t", &[]).exits(4).ends("waiting/human", 2);
}

#[test]
fn a_test_that_commits_leaves_no_commit_behind_even_in_a_linked_work_tree() {
    let project = suite();
    let linked = project.outside("linked");
    let place = linked.to_string_lossy().into_owned();
    project.run_git(&["worktree", "add", "--quiet", &place]);
    let commit = "git commit --quiet --allow-empty --message=by-a-test && false";
    std::fs::write(linked.join("tests/bad.t"), commit).unwrap();
    project.agent(&format!("echo true > tests/bad.t; {CLAIM}"));
    std::fs::copy(project.root().join("agent.sh"), linked.join("agent.sh")).unwrap();
    let count = || project.run_git(&["rev-list", "--all", "--count", "--grep=by-a-test"]);
    let output = project.run_call("fix it", &GATE).dir(&linked).output().exits(4);
    let held = last(&output, "weakened");
    assert!(held.contains("tests/bad.t"), "{held}");
    // The gate at the start is run in place, as gates are.
    assert_eq!(count().trim(), "1");
}

#[test]
fn without_permission_for_namespaces_it_is_said_and_the_reader_of_the_sources_has_the_word() {
    let project = suite();
    project.agent(&format!("echo '. ./lib.sh; test $(next 5) = 10' > tests/bad.t; {CLAIM}"));
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"";
    let ralph = project.binary().to_string_lossy().into_owned();
    let run = [&ralph, "run", "fix it", "--agent-cmd", "./agent.sh", "--json"];
    let unshare = project.program("unshare").args(["--user", "--map-root-user", "sh", "-c"]);
    let output = unshare.args([forbid, "sh"]).args(run).args(GATE).output();
    let edited = last(&output, "edited");
    assert!(edited.contains("the tests of the start could not be run"), "{edited}");
}

/// A session in which a test was bent and the loop rests because of it.
fn held_session<'p>(project: &'p TestProject, prompt: &str) -> Session<'p> {
    let session = Session::new(project, "s-1");
    let tell = |event: &str, facts: &Value| answer(session.call(event, facts).args(PLUGIN));
    let gate = "--criteria 'custom:sh suite.sh'";
    tell("UserPromptSubmit", &json!({ "prompt": format!("/ralph {prompt} {gate}") }));
    project.file("tests/bad.t", ". ./lib.sh; test $(next 5) = 10\n");
    session.edit("tests/bad.t");
    let refused = tell("Stop", &stop("Done. <promise>DONE</promise>"));
    assert!(goes_on(&refused).contains("passes only because it was changed"), "{refused}");
    let rests = tell("Stop", &stop("It is right so. <promise>DONE</promise>"));
    assert_eq!(rests["decision"], Value::Null, "{rests}");
    assert!(rests.to_string().contains("/ralph allow tests/bad.t"), "{rests}");
    session.is("waiting/human", 2);
    session
}

#[test]
fn a_session_rests_until_the_user_allows_what_is_held() {
    let project = suite();
    let session = held_session(&project, "fix next");
    let tell = |prompt: &str| {
        answer(session.call("UserPromptSubmit", &json!({ "prompt": prompt })).args(PLUGIN))
    };
    let elsewhere = tell("/ralph allow tests/good.t").to_string();
    assert!(elsewhere.contains("nothing is held at `tests/good.t`"), "{elsewhere}");
    assert!(elsewhere.contains("tests/bad.t"), "{elsewhere}");
    session.is("waiting/human", 2);
    tell("/ralph allow tests/bad.t");
    session.is("success/verified", 2);
    let refused = tell("/ralph allow tests/good.t").to_string();
    assert!(refused.contains("no loop of this session waits"), "{refused}");
}

#[test]
fn what_a_waiting_check_found_out_is_not_run_again_by_a_hook_without_time() {
    let project = suite();
    let session = Session::new(&project, "s-1");
    let soon =
        |event: &str, facts: &Value| answer(session.call(event, facts).args(["--timeout", "5"]));
    let prompt = "/ralph fix next --criteria 'custom:sh suite.sh'";
    soon("UserPromptSubmit", &json!({ "prompt": prompt }));
    project.file("tests/bad.t", "true\n");
    session.edit("tests/bad.t");
    let checked = project.ralph(&["check", "--wait"]).output().exits(1);
    assert!(checked.stderr.contains("held: tests/bad.t"), "{}", checked.stderr);
    let refused = soon("Stop", &stop("Done. <promise>DONE</promise>"));
    assert!(goes_on(&refused).contains("tests/bad.t"), "{refused}");
}

/// A suite of node, which names tests without their files.
fn node_suite() -> TestProject {
    let project = git();
    project.file("package.json", r#"{ "scripts": { "test": "node --test" } }"#);
    project.file("calc.js", "exports.add = (a, b) => a - b;\nexports.mul = (a, b) => a * b;\n");
    project.file(
        "test/calc.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\n\
         const { add, mul } = require('../calc.js');\n\
         test('adds two numbers', () => { assert.strictEqual(add(2, 3), 5); });\n\
         test('multiplies', () => { assert.strictEqual(mul(2, 3), 6); });\n",
    );
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

#[test]
fn a_file_that_is_allowed_covers_its_tests_whatever_the_runner_calls_them() {
    let project = node_suite();
    let skip = "sed -i \"s/test('adds/test.skip('adds/\" test/calc.test.js";
    project.agent(&format!("{skip}; echo '// done' >> calc.js; {CLAIM}"));
    let gate = ["--criteria", "custom:node --test"];
    let output = project.run_call("fix it", &gate).env("PATH", tools_path()).output();
    let output = output.exits(4).ends("waiting/human", 2);
    let held = last(&output, "weakened");
    assert!(held.contains("adds two numbers"), "{held}");
    let status = project.ralph(&["status"]).output().stdout;
    assert!(status.contains("ralph allow test/calc.test.js && ralph resume"), "{status}");
    let _ = project.ralph(&["allow", "test/calc.test.js"]).output().exits(0);
    let resumed = project.ralph(&["resume", "--json"]).env("PATH", tools_path()).output();
    let resumed = resumed.exits(0).ends("success/verified", 2);
    // What was accepted was not fixed, and teaches nothing.
    let ended = resumed.events_of("run_ended")[0].to_string();
    assert!(!ended.contains("Kept"), "{ended}");
    let report = project.ralph(&["report"]).output().stdout;
    assert!(!report.contains("fixed"), "{report}");
    assert!(report.contains("1 of 1 tests"), "{report}");
}
