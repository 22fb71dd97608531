//! Notes that a test of the project shows to hold, with the runners as they are.

use std::fs;

use ralph_testkit::{BinaryCall, CommandOutput, TestProject};
use serde_json::Value;

use crate::projects::tools::Tools;

fn project(needs: &[&str], files: &[(&str, &str)]) -> (TestProject, Tools) {
    let tools = Tools::with(needs);
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    fs::create_dir(project.outside("home")).unwrap();
    for (path, text) in files {
        project.file(path, text);
    }
    project.file(".gitignore", "target\n__pycache__\n.pytest_cache\nCargo.lock\n");
    project.run_git(&["add", "."]);
    project.run_git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]);
    (project, tools)
}

fn with_tools(tools: &Tools, call: BinaryCall) -> CommandOutput {
    let call =
        tools.environment().into_iter().fold(call, |call, (name, value)| call.env(name, value));
    call.output()
}

/// Notes something that a test shows; its id.
#[track_caller]
fn note(project: &TestProject, tools: &Tools, test: &str) -> String {
    let args = ["memory", "add", "sums are exact", "--test", test, "--json"];
    let added = with_tools(tools, project.ralph(&args)).exits(0).json();
    added["note"]["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn checked(project: &TestProject, tools: &Tools) -> Value {
    let args = ["check", "--criteria", "memory", "--json"];
    with_tools(tools, project.ralph(&args)).json()["gates"][0].clone()
}

/// A note holds, is broken by a change, and a test that is gone is no pass.
#[track_caller]
fn check((project, tools): &(TestProject, Tools), test: &str, (broken, tests): (&str, &str)) {
    let id = note(project, tools, test);
    let gate = checked(project, tools);
    assert_eq!(gate["verdict"], "pass", "{gate}");
    let whole = project.read(broken);
    // Of another size: Python tells changes by whole seconds and sizes.
    project.file(broken, whole.replace('+', "- 0 -"));
    let gate = checked(project, tools);
    let finding = &gate["findings"][0];
    assert_eq!((&gate["verdict"], &finding["rule"]), (&"fail".into(), &id.into()), "{gate}");
    let message = finding["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("sums are exact (test {test}: ")), "{gate}");
    project.file(broken, whole);
    assert_eq!(checked(project, tools)["verdict"], "pass");
    project.file(tests, project.read(tests).replace("adds", "renamed_since"));
    let gate = checked(project, tools);
    assert_eq!(gate["verdict"], "fail", "a test that is gone proves nothing: {gate}");
    let message = gate["findings"][0]["message"].as_str().unwrap();
    let reasons = ["it did not run: ", "no test of this name ran"];
    assert!(reasons.iter().any(|reason| message.contains(reason)), "{gate}");
}

#[test]
fn a_test_of_pytest_holds_a_note() {
    let files = [
        ("conftest.py", ""),
        ("a.py", "def add(a, b):\n    return a + b\n"),
        (
            "tests/test_a.py",
            "from a import add\n\ndef test_adds():\n    assert add(1, 2) == 3\n\ndef test_b():\n    pass\n",
        ),
    ];
    let one = project(&["python3", "pytest"], &files);
    check(&one, "tests/test_a.py::test_adds", ("a.py", "tests/test_a.py"));
    let other = project(&["python3", "pytest"], &files);
    check(&other, "test_adds", ("a.py", "tests/test_a.py"));
}

#[test]
fn a_test_of_cargo_holds_a_note() {
    let text = "pub fn add(a: i32, b: i32) -> i32 { a + b }\n#[cfg(test)]\nmod tests {\n    \
                #[test]\n    fn adds() { assert_eq!(super::add(1, 2), 3); }\n    #[test]\n    fn b() \
                {}\n}\n";
    let manifest = "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let one = project(&["cargo"], &[("Cargo.toml", manifest), ("src/lib.rs", text)]);
    check(&one, "tests::adds", ("src/lib.rs", "src/lib.rs"));
}

#[test]
fn a_test_of_node_holds_a_note() {
    let files = [
        ("package.json", "{\"type\":\"module\",\"scripts\":{\"test\":\"node --test\"}}"),
        ("a.js", "export const add = (a, b) => a + b\n"),
        (
            "a.test.js",
            "import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from \
             './a.js'\ntest('adds', () => assert.equal(add(1, 2), 3))\ntest('b', () => {})\n",
        ),
    ];
    let one = project(&["node"], &files);
    check(&one, "a.test.js::adds", ("a.js", "a.test.js"));
}
