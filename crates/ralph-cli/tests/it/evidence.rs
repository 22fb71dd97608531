//! Gates that understand what they print.

use ralph_testkit::TestProject;
use serde_json::Value;

use crate::{git, plain};

const RUFF: &str = r#"[
 {"code": "F401", "filename": "src/a.py", "location": {"row": 1, "column": 8}, "end_location": {"row": 1, "column": 10}, "message": "`os` imported but unused", "fix": null, "url": null, "noqa_row": 1, "cell": null},
 {"code": "W291", "filename": "src/a.py", "location": {"row": 2, "column": 1}, "end_location": {"row": 2, "column": 2}, "message": "Trailing whitespace", "fix": null, "url": null, "noqa_row": 2, "cell": null}
]"#;

/// A gate that prints what a linter would, and exits as it would.
fn lint(project: &TestProject, output: &str, code: u8) {
    project.file("lint.json", output);
    project.script("lint.sh", &format!("cat lint.json\nexit {code}"));
    project.file(
        "ralph.toml",
        "[run]\ncriteria = [\"lint_clean\"]\n[gates.lint_clean]\ncommand = \"./lint.sh\"\nformat = \"ruff\"\n",
    );
}

fn gate(project: &TestProject, code: i32, more: &[&str]) -> Value {
    let args = [&["check", "--json"], more].concat();
    project.ralph(&args).output().exits(code).json()["gates"][0].clone()
}

#[test]
fn a_linter_is_read_with_levels_and_places() {
    let project = plain();
    lint(&project, RUFF, 1);
    let gate = gate(&project, 1, &[]);
    assert_eq!((&gate["counts"]["errors"], &gate["counts"]["warnings"]), (&1.into(), &1.into()));
    let finding = &gate["findings"][0];
    assert_eq!((&finding["tool"], &finding["rule"]), (&"ruff".into(), &"F401".into()));
    assert_eq!((&finding["file"], &finding["line"]), (&"src/a.py".into(), &1.into()));
    let shown = project.ralph(&["check"]).output().exits(1).stdout;
    assert!(shown.contains("1  error     `os` imported but unused  [ruff F401]"), "{shown}");
    let sarif = project.ralph(&["check", "--sarif"]).output().exits(1).json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "F401");
}

#[test]
fn output_that_contradicts_the_exit_code_is_never_a_pass() {
    let project = plain();
    lint(&project, RUFF, 0);
    assert_eq!(gate(&project, 1, &[])["verdict"], "unclear");
    lint(&project, "[]", 1);
    assert_eq!(gate(&project, 1, &[])["verdict"], "unclear");
    lint(&project, "no JSON", 0);
    assert_eq!(gate(&project, 1, &[])["verdict"], "unclear");
    let tests = "custom:sh:echo '2 passed, 1 failed in 0.1s'; echo 'FAILED t.py::a - no'";
    let told = project.ralph(&["check", "--json", "--criteria", tests]).output().exits(1).json();
    assert!(told["gates"][0]["detail"].as_str().unwrap_or("").contains("exit code 0"), "{told}");
}

#[test]
fn levels_that_may_not_be_left_are_held_to() {
    let project = plain();
    let warns = "custom:sh:echo 'src/a.c:3:1: warning: unused variable [-Wunused]'";
    let check = |more: &[&str], code: i32| {
        let args = [&["check", "--json", "--fresh", "--criteria", warns], more].concat();
        project.ralph(&args).output().exits(code).json()["gates"][0]["counts"].clone()
    };
    assert_eq!(check(&[], 0)["warnings"], 1);
    project.file("lint.sh", "true");
    project.file("ralph.toml", "[gates.lint_clean]\ncommand = \"true\"\n");
    assert_eq!(check(&["--zero-warnings"], 1)["warnings"], 1);
    project.agent("echo '<promise>DONE</promise>'");
    let more = ["--criteria", warns, "--zero-warnings", "--max-iterations", "1"];
    let _ = project.run_json("do it", &more).ends("failed/max_iterations", 1);
    let _ = project.run_json("do it", &more[..2]).ends("success/claimed", 1);
}

#[test]
fn a_tool_that_is_not_there_is_reported_and_nothing_else_fails() {
    let project = plain();
    let output = project.ralph(&["check", "--criteria", "custom:no-such-tool"]).output().exits(2);
    assert!(output.stderr.contains("no-such-tool"), "{}", output.stderr);
    let gone = ["check", "--json", "--criteria", "custom:sh:exec no-such-tool"];
    let gate = project.ralph(&gone).output().exits(1).json()["gates"][0].clone();
    assert_eq!(gate["verdict"], "unknown");
}

/// A project whose tests are lines of `results`, printed as pytest does.
fn tested(project: TestProject) -> TestProject {
    project.script("test.sh", "cat results\ngrep -q ^FAILED results && exit 1\nexit 0");
    project
}

const GATE: &str = "custom:./test.sh";

#[test]
fn a_test_that_passed_at_the_start_must_still_run() {
    let project = tested(git());
    let passing = "TAP version 13\n1..2\nok 1 - adds\nok 2 - subtracts\n";
    project.file("results", passing);
    project.agent(
        "printf 'TAP version 13\\n1..1\\nok 1 - adds\\n' > results\necho '<promise>DONE</promise>'",
    );
    let output = project.run_json("do it", &["--criteria", GATE, "--max-iterations", "1"]);
    let output = output.ends("failed/max_iterations", 1);
    let ended = &output.events_of("iteration_ended")[0];
    assert_eq!(ended["weakened"][0]["place"], "subtracts", "{ended}");
}

#[test]
fn a_flaky_test_is_tried_again_and_does_not_hold_a_run_up() {
    let project = plain();
    // Fails on its first run after every change, and passes on the next.
    project.script(
        "test.sh",
        "if [ -f $OUTSIDE/tried ] || [ ! -f work ]; then rm -f $OUTSIDE/tried; \
         echo 'TAP version 13'; echo '1..1'; echo 'ok 1 - adds'; exit 0; fi\n\
         touch $OUTSIDE/tried\n\
         echo 'TAP version 13'; echo '1..1'; echo 'not ok 1 - adds'; exit 1",
    );
    project.agent("echo x > work\necho '<promise>DONE</promise>'");
    let output = project.run_json("do it", &["--criteria", GATE]);
    let _ = output.ends("success/claimed", 1);
}

#[test]
fn language_servers_judge_what_a_run_changed() {
    let project = plain();
    project.file("old.py", "import os\n");
    project.agent(
        "if [ -f new.py ]; then echo 'print(1)' > new.py; else echo 'import os' > new.py; fi\n\
         cat > $OUTSIDE/prompt-$RALPH_ITERATION\necho '<promise>DONE</promise>'",
    );
    // The servers are those of the tools; without Python's types only ruff looks.
    let only = ralph_testkit::tool("ruff");
    let path = format!("{}:/usr/bin:/bin", only.parent().unwrap().display());
    let run = project.run_call("do it", &["--criteria", "diagnostics"]).env("PATH", path);
    let output = run.output().ends("success/claimed", 2);
    let gates = output.events_of("gate_finished");
    let verdicts: Vec<&str> =
        gates.iter().filter_map(|event| event["gate"]["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["pass", "fail", "pass"], "{gates:?}");
    let prompt = project.kept("prompt-2");
    assert!(prompt.contains("new.py:1") && !prompt.contains("old.py"), "{prompt}");
}

/// A suite that writes a report and prints its result, as pytest does. Nobody
/// says the form of the report. The code under test is `lib.sh`.
fn reported() -> TestProject {
    let project = git();
    project.file(
        "ralph.toml",
        "[run]\ncriteria = [\"test_pass\"]\n[gates.test_pass]\n\
         command = [\"sh\", \"suite.sh\", \"{report}\"]\n",
    );
    project.file(
        "suite.sh",
        "xml() { echo \"<testsuite tests='1'><testcase name='adds'>$1</testcase></testsuite>\"; }\n\
         export REPORT=$1; . ./lib.sh\n\
         if [ \"$right\" = yes ]; then xml > $1; echo '1 passed in 0.01s'; else\n\
         xml '<failure/>' > $1; echo '1 failed in 0.01s'; $end; exit 1; fi\n",
    );
    project.file("lib.sh", "right=no\n");
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

#[test]
fn code_that_writes_the_report_itself_does_not_speak_for_the_runner() {
    let forge = "xml > $REPORT; exit 0";
    let project = reported();
    project.agent(&format!("echo '{forge}' > lib.sh; echo '<promise>DONE</promise>'"));
    let output = project.run_json("fix it", &[]).exits(4).ends("waiting/human", 2);
    let held = output.events_of("iteration_ended")[1]["weakened"].to_string();
    assert!(held.contains("no longer prints their number"), "{held}");

    let project = reported();
    let late = "end2() { xml > $REPORT; exit 0; }; end=end2";
    project.agent(&format!("echo '{late}' > lib.sh; echo '<promise>DONE</promise>'"));
    let output = project.run_json("fix it", &["--max-iterations", "1"]).exits(1);
    let gates = output.events_of("gate_finished");
    let last = gates.last().unwrap().to_string();
    assert!(last.contains("unclear") && last.contains("it printed that 1 failed"), "{last}");

    let project = reported();
    project.agent("echo right=yes > lib.sh; echo '<promise>DONE</promise>'");
    let _ = project.run_json("fix it", &[]).exits(0).ends("success/verified", 1);
}
