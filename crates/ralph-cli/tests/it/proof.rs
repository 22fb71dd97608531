//! What counts as proof: results that are compared with the start, gates that
//! were executed in this run, and a failure that became a pass.

use ralph_testkit::{CommandOutput, TestProject};

use crate::{git, plain};

/// Runs every `tests/*.t` that `skipped` does not name, and speaks TAP.
const SUITE: &str = r#"echo TAP version 13; n=0; bad=0
for test in tests/*.t; do
  grep -qx "$test" skipped 2>/dev/null && continue
  n=$((n + 1))
  if sh "$test"; then echo "ok $n - $test"; else echo "not ok $n - $test"; bad=1; fi
done
echo "1..$n"
exit $bad"#;

const GATE: [&str; 2] = ["--criteria", "custom:./suite.sh"];

const CLAIM: &str = "echo '<promise>DONE</promise>'";

/// A suite of one test that passes and one that fails until `answer` has 42.
fn suite() -> TestProject {
    let project = git();
    project.script("suite.sh", SUITE);
    project.file("tests/good.t", "true\n").file("tests/bad.t", "grep -q 42 answer\n");
    project.file("answer", "41\n");
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

fn held(output: &CommandOutput) -> String {
    let ended = output.events_of("iteration_ended");
    ended.last().map(|event| event["weakened"].to_string()).unwrap_or_default()
}

#[test]
fn a_test_that_failed_at_the_start_and_no_longer_runs_is_held() {
    let project = suite();
    project.agent(&format!("echo tests/bad.t > skipped; {CLAIM}"));
    let more = [&GATE[..], &["--max-iterations", "1"]].concat();
    let output = project.run_json("fix it", &more).exits(1).ends("failed/max_iterations", 1);
    let held = held(&output);
    assert!(held.contains("tests/bad.t"), "{held}");
    assert!(held.contains("the test failed at the start and no longer runs"), "{held}");
}

#[test]
fn a_run_that_failed_with_something_held_says_so() {
    let project = suite();
    project.agent(&format!("rm tests/bad.t; {CLAIM}"));
    let args = ["run", "fix it", "--agent-cmd", "./agent.sh", "--max-iterations", "1"];
    let output = project.ralph(&[&args[..], &GATE].concat()).output().exits(1);
    let told = [output.stdout, output.stderr].concat();
    assert!(told.contains("but changes of tests or checks are held"), "{told}");
}

#[test]
fn fewer_tests_are_held_where_a_runner_only_counts_them() {
    let project = git();
    let count = "n=$(cat count); echo \"$n passed in 0.1s\"; test -e fixed";
    project.script("suite.sh", count).file("count", "12\n");
    project.agent(&format!("touch fixed; echo 11 > count; {CLAIM}"));
    let more = [&GATE[..], &["--max-iterations", "1"]].concat();
    let output = project.run_json("fix it", &more).exits(1).ends("failed/max_iterations", 1);
    let held = held(&output);
    assert!(held.contains("12 tests ran at the start, 11 run now"), "{held}");
}

#[test]
fn a_fix_is_verified_by_the_test_that_failed() {
    let project = suite();
    project.agent("echo 42 > answer");
    let _ = project.run_json("fix it", &GATE).exits(0).ends("success/verified", 1);
}

#[test]
fn checks_that_pass_from_the_start_prove_nothing_and_the_user_is_told_at_once() {
    let project = suite();
    project.file("answer", "42\n");
    project.agent(&format!("echo done > notes; {CLAIM}"));
    let output = project.run_json("add a feature", &GATE).exits(0).ends("success/claimed", 1);
    let notices = output.values("notice", "text").join("\n");
    assert!(
        notices.contains("All checks already pass, so they cannot prove this task"),
        "{notices}"
    );
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    let why = "Done after 1 turn, by the agent's word; the checks pass, as they did before the first turn.";
    assert!(report.contains(why), "{report}");
}

#[test]
fn an_agent_that_changes_nothing_proves_nothing() {
    let project = suite();
    project.file("answer", "42\n");
    project.agent(CLAIM);
    let _ = project.run_json("add a feature", &GATE).exits(0).ends("success/claimed", 1);
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("by the agent's word; no file was changed."), "{report}");
}

#[test]
fn what_accepts_a_run_is_executed_in_it() {
    let project = suite();
    project.file("answer", "42\n").agent(CLAIM);
    let _ = project.ralph(&["check", "--criteria", "custom:./suite.sh"]).output().exits(0);
    let output = project.run_json("add a feature", &GATE).exits(0).ends("success/claimed", 1);
    let executed = output.events_of("gate_finished");
    let executed = executed.iter().filter(|event| event["gate"]["cached"] == false).count();
    assert_eq!(executed, 1, "{}", output.stdout);
}

#[test]
fn an_installed_package_that_changes_without_its_lock_file_is_held() {
    for (lock, code) in [(Some("package-lock.json"), 4), (None, 0)] {
        let project = suite();
        project.file(".gitignore", "node_modules/\n");
        project.file("node_modules/assert/index.js", "exports.ok = check\n");
        if let Some(lock) = lock {
            project.file(lock, "{}\n");
        }
        let bend = "echo 'exports.ok = () => {}' > node_modules/assert/index.js; echo 42 > answer";
        project.agent(&format!("{bend}; {CLAIM}"));
        let output = project.run_json("fix it", &GATE).exits(code);
        let ended = output.events_of("iteration_ended");
        let told = if code == 4 { "weakened" } else { "edited" };
        let told = ended.last().map(|event| event[told].to_string()).unwrap_or_default();
        assert!(told.contains("node_modules/assert/index.js"), "{told}");
        assert!(told.contains("an installed package was changed"), "{told}");
    }
}

/// Whether `ralph check` passes, and from memory.
fn checks(project: &TestProject, more: &[&str]) -> (bool, bool) {
    let args = [&["check", "--json"], &GATE[..], more].concat();
    let gate = project.ralph(&args).output().json()["gates"][0].clone();
    (gate["verdict"] == "pass", gate["cached"] == true)
}

#[test]
fn a_remembered_pass_does_not_outlive_a_change_of_ignored_files() {
    let project = suite();
    project.file(".gitignore", "build/\n.cache/\n").file("tests/bad.t", "grep -q 1 build/want\n");
    project.file("build/want", "1\n");
    assert_eq!(checks(&project, &[]), (true, false));
    assert_eq!(checks(&project, &[]), (true, true));
    project.file(".cache/CACHEDIR.TAG", "").file(".cache/a", "x");
    assert_eq!(checks(&project, &[]), (true, true));
    project.file("build/want", "22\n");
    assert_eq!(checks(&project, &[]), (false, false));
}

#[test]
fn a_failure_forgets_an_earlier_pass_on_the_same_files() {
    let project = plain();
    let flag = project.outside("flag");
    let gate = format!("test ! -e {}", flag.display());
    project.script("suite.sh", &gate);
    assert_eq!(checks(&project, &[]), (true, false));
    std::fs::write(&flag, "").unwrap_or_default();
    assert_eq!(checks(&project, &["--fresh"]), (false, false));
    std::fs::remove_file(&flag).unwrap_or_default();
    assert_eq!(checks(&project, &[]), (true, false));
}

#[test]
fn known_failures_may_stay_and_what_is_fixed_among_them_is_proof() {
    let project = suite();
    project.file("tests/old.t", "false\n");
    project.agent(&format!("echo 42 > answer; {CLAIM}"));
    let more = [&GATE[..], &["--known-failures"]].concat();
    let _ = project.run_json("fix it", &more).exits(0).ends("success/verified", 1);
    project.agent(&format!("echo more > notes; {CLAIM}"));
    let _ = project.run_json("add a note", &more).exits(0).ends("success/claimed", 1);
    project.agent(&format!("rm answer; {CLAIM}"));
    let broken = [&more[..], &["--max-iterations", "1"]].concat();
    let _ = project.run_json("break it", &broken).exits(1).ends("failed/max_iterations", 1);
}

#[test]
fn many_failures_before_the_first_turn_are_offered_to_be_known() {
    let project = suite();
    for number in 0..12 {
        project.file(&format!("tests/old-{number}.t"), "false\n");
    }
    project.agent("true");
    let more = [&GATE[..], &["--max-iterations", "1"]].concat();
    let output = project.run_json("fix it", &more).exits(1);
    let notices = output.values("notice", "text").join("\n");
    assert!(notices.contains("13 tests fail before the first turn"), "{notices}");
    assert!(notices.contains("--known-failures"), "{notices}");
}

#[test]
fn a_suite_that_ran_no_test_passes_under_no_name() {
    let project = plain();
    for printed in ["Ran 0 tests in 0.000s", "running 0 tests", "no tests ran in 0.01s"] {
        let end = match printed {
            "running 0 tests" => "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured",
            "Ran 0 tests in 0.000s" => "OK",
            _ => "",
        };
        let ruler = "=".repeat(20);
        let line =
            if end.is_empty() { format!("{ruler} {printed} {ruler}") } else { printed.to_owned() };
        project.script("suite.sh", &format!("echo '{line}'; echo; echo '{end}'"));
        assert_eq!(checks(&project, &[]), (false, false), "{printed}");
    }
}
