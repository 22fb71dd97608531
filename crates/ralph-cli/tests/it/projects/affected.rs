//! Tests that touch what changed go first, with the runners as they are.

use std::fs;

use ralph_testkit::{BinaryCall, CommandOutput, TestProject};
use serde_json::Value;

use crate::projects::tools::Tools;

/// A project in which `a` is tested apart from `b`.
struct Case {
    needs: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
    /// The file whose `+` becomes another operator.
    broken: &'static str,
}

impl Case {
    fn set_up(&self) -> (TestProject, Tools) {
        let tools = Tools::with(self.needs);
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        fs::create_dir(project.outside("home")).unwrap();
        for (path, text) in self.files {
            project.file(path, text);
        }
        if self.files.iter().any(|(path, _)| *path == "package.json") {
            tools.link_packages(&project.root());
        }
        project
            .file(".gitignore", "node_modules\ntarget\n__pycache__\n.pytest_cache\nGemfile.lock\n");
        project.run_git(&["add", "."]);
        project.run_git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]);
        (project, tools)
    }
}

fn with_tools(tools: &Tools, call: BinaryCall) -> CommandOutput {
    let call =
        tools.environment().into_iter().fold(call, |call, (name, value)| call.env(name, value));
    call.output()
}

fn checked(project: &TestProject, tools: &Tools, more: &[&str]) -> Value {
    let args = [&["check", "--json", "--criteria", "test_pass"], more].concat();
    with_tools(tools, project.ralph(&args)).json()["gates"][0].clone()
}

/// Breaks `a` and looks which tests are run.
#[track_caller]
fn check(case: &Case) {
    let (project, tools) = case.set_up();
    let whole = checked(&project, &tools, &[]);
    assert_eq!((&whole["verdict"], &whole["extent"]), (&"pass".into(), &"whole".into()), "{whole}");
    // Of another size: Python tells changes by whole seconds and sizes.
    let broken = project.read(case.broken).replace('+', "- 0 -");
    project.file(case.broken, broken);

    let without = checked(&project, &tools, &[]);
    assert_eq!(without["extent"], "whole", "nothing is run first without an index: {without}");
    let _ = with_tools(&tools, project.ralph(&["code", "index"])).exits(0);
    let first = checked(&project, &tools, &[]);
    assert_eq!(
        (&first["verdict"], &first["extent"]),
        (&"fail".into(), &"affected".into()),
        "{first}"
    );
    assert_eq!(first["failing"], without["failing"], "known by the same names: {first}");
    assert!(run(&first) < run(&without), "{first}");
    let all = checked(&project, &tools, &["--all"]);
    assert_eq!((&all["extent"], &all["failing"]), (&"whole".into(), &without["failing"]), "{all}");
}

/// How many tests were run.
fn run(gate: &Value) -> u64 {
    let count = |name: &str| gate["tests"][name].as_u64().unwrap_or(0);
    count("passed") + count("failed")
}

#[test]
fn pytest_runs_what_the_changes_touch_first() {
    check(&PYTHON);
}

const PYTHON: Case = Case {
    needs: &["python3", "pytest"],
    files: &[
        ("conftest.py", ""),
        ("a.py", "def add(a, b):\n    return a + b\n"),
        ("b.py", "def sub(a, b):\n    return a - b\n"),
        ("tests/test_a.py", "from a import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
        ("tests/test_b.py", "from b import sub\n\ndef test_sub():\n    assert sub(2, 1) == 1\n"),
    ],
    broken: "a.py",
};

#[test]
fn node_runs_what_the_changes_touch_first() {
    check(&Case {
        needs: &["node"],
        files: &[
            ("package.json", "{\"type\":\"module\",\"scripts\":{\"test\":\"node --test\"}}"),
            ("a.js", "export const add = (a, b) => a + b;\n"),
            ("b.js", "export const sub = (a, b) => a - b;\n"),
            (
                "test/a.test.js",
                "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../a.js';\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
            ),
            (
                "test/b.test.js",
                "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sub } from '../b.js';\ntest('subs', () => assert.equal(sub(2, 1), 1));\n",
            ),
        ],
        broken: "a.js",
    });
}

const SCRIPTS: &[(&str, &str)] = &[
    ("src/a.ts", "export const add = (a: number, b: number) => a + b;\n"),
    ("src/b.ts", "export const sub = (a: number, b: number) => a - b;\n"),
    (
        "src/a.test.ts",
        "import { expect, it } from 'vitest';\nimport { add } from './a';\nit('adds', () => expect(add(1, 2)).toBe(3));\n",
    ),
    (
        "src/b.test.ts",
        "import { expect, it } from 'vitest';\nimport { sub } from './b';\nit('subs', () => expect(sub(2, 1)).toBe(1));\n",
    ),
    ("package.json", "{\"scripts\":{\"test\":\"vitest\"},\"devDependencies\":{\"vitest\":\"*\"}}"),
];

#[test]
fn vitest_runs_what_the_changes_touch_first() {
    check(&Case { needs: &["npx", "vitest"], files: SCRIPTS, broken: "src/a.ts" });
}

#[test]
fn jest_runs_what_the_changes_touch_first() {
    check(&Case {
        needs: &["npx", "jest"],
        files: &[
            (
                "package.json",
                "{\"scripts\":{\"test\":\"jest\"},\"devDependencies\":{\"jest\":\"*\"}}",
            ),
            ("a.js", "exports.add = (a, b) => a + b;\n"),
            ("b.js", "exports.sub = (a, b) => a - b;\n"),
            (
                "a.test.js",
                "const { add } = require('./a');\ntest('adds', () => expect(add(1, 2)).toBe(3));\n",
            ),
            (
                "b.test.js",
                "const { sub } = require('./b');\ntest('subs', () => expect(sub(2, 1)).toBe(1));\n",
            ),
        ],
        broken: "a.js",
    });
}

#[test]
fn go_runs_what_the_changes_touch_first() {
    check(&Case {
        needs: &["go"],
        files: &[
            ("go.mod", "module example.com/sums\n\ngo 1.20\n"),
            ("a/a.go", "package a\n\nfunc Add(a, b int) int { return a + b }\n"),
            ("b/b.go", "package b\n\nfunc Sub(a, b int) int { return a - b }\n"),
            (
                "a/a_test.go",
                "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error(\"sum\")\n\t}\n}\n",
            ),
            (
                "b/b_test.go",
                "package b\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(2, 1) != 1 {\n\t\tt.Error(\"difference\")\n\t}\n}\n",
            ),
        ],
        broken: "a/a.go",
    });
}

#[test]
fn cargo_runs_what_the_changes_touch_first() {
    check(&Case {
        needs: &["cargo"],
        files: &[
            ("Cargo.toml", "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/lib.rs", "pub mod a;\npub mod b;\n"),
            (
                "src/a.rs",
                "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n}\n",
            ),
            (
                "src/b.rs",
                "pub fn sub(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn subs() {\n        assert_eq!(super::sub(2, 1), 1);\n    }\n}\n",
            ),
        ],
        broken: "src/a.rs",
    });
}

#[test]
fn rspec_runs_what_the_changes_touch_first() {
    check(&Case {
        needs: &["ruby", "bundle", "rspec"],
        files: &[
            (
                "Gemfile",
                "source 'https://rubygems.org'\n\ngem 'rspec'\ngem 'rspec_junit_formatter'\n",
            ),
            ("lib/a.rb", "def add(a, b)\n  a + b\nend\n"),
            ("lib/b.rb", "def sub(a, b)\n  a - b\nend\n"),
            (
                "spec/a_spec.rb",
                "require_relative '../lib/a'\n\nRSpec.describe 'add' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
            ),
            (
                "spec/b_spec.rb",
                "require_relative '../lib/b'\n\nRSpec.describe 'sub' do\n  it 'subs' do\n    expect(sub(2, 1)).to eq(1)\n  end\nend\n",
            ),
        ],
        broken: "lib/a.rb",
    });
}

#[test]
fn phpunit_runs_what_the_changes_touch_first() {
    check(&Case {
        needs: &["php", "phpunit"],
        files: &[
            (
                "phpunit.xml",
                "<?xml version=\"1.0\"?>\n<phpunit cacheResult=\"false\">\n  <testsuites>\n    <testsuite name=\"unit\">\n      <directory>tests</directory>\n    </testsuite>\n  </testsuites>\n</phpunit>\n",
            ),
            (
                "src/A.php",
                "<?php\n\nclass A\n{\n    public static function add(int $a, int $b): int { return $a + $b; }\n}\n",
            ),
            (
                "src/B.php",
                "<?php\n\nclass B\n{\n    public static function sub(int $a, int $b): int { return $a - $b; }\n}\n",
            ),
            (
                "tests/ATest.php",
                "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nrequire_once __DIR__ . '/../src/A.php';\n\nclass ATest extends TestCase\n{\n    public function testAdd(): void { $this->assertSame(3, A::add(1, 2)); }\n}\n",
            ),
            (
                "tests/BTest.php",
                "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nrequire_once __DIR__ . '/../src/B.php';\n\nclass BTest extends TestCase\n{\n    public function testSub(): void { $this->assertSame(1, B::sub(2, 1)); }\n}\n",
            ),
        ],
        broken: "src/A.php",
    });
}

/// Which part of its gate each iteration ran.
fn extents(output: &CommandOutput) -> Vec<String> {
    let finished = output.events_of("gate_finished");
    let turns = finished.iter().filter(|event| event["iteration"] != 0);
    turns.map(|event| event["gate"]["extent"].as_str().unwrap_or("?").to_owned()).collect()
}

fn driven(project: &TestProject, tools: &Tools, agent: &str, more: &[&str]) -> CommandOutput {
    let agent = format!("cat > $OUTSIDE/prompt-$RALPH_ITERATION\n{agent}");
    project.agent(&agent);
    let _ = with_tools(tools, project.ralph(&["code", "index"])).exits(0);
    let args = [&["--criteria", "test_pass"], more].concat();
    with_tools(tools, project.run_call("add a sum", &args))
}

#[test]
fn a_run_hears_early_of_what_it_broke_and_succeeds_by_the_whole_gate_alone() {
    let (project, tools) = PYTHON.set_up();
    let agent = "case $RALPH_ITERATION in\n1) sed -i 's/a + b/a - 0 - b/' a.py;;\n\
                 2) sed -i 's/a - 0 - b/a + b/' a.py; echo '<promise>DONE</promise>';;\nesac";
    let output = driven(&project, &tools, agent, &[]).ends("success/claimed", 2);
    // The pass of the start is remembered, and executed again to accept.
    assert_eq!(extents(&output), ["affected", "whole", "whole"]);
    let told = project.kept("prompt-2");
    assert!(told.contains("in tests that touch what changed; the others wait"), "{told}");
    assert!(told.contains("test_add"), "{told}");
    let off = ["--max-iterations", "2"];
    project.file("a.py", "def add(a, b):\n    return a + b\n");
    project.file("ralph.toml", "[run]\naffected_first = false\n");
    let output = driven(&project, &tools, "sed -i 's/a + b/a - 0 - b/' a.py", &off);
    let extents = extents(&output.ends("failed/max_iterations", 2));
    assert!(extents.iter().all(|extent| extent == "whole"), "{extents:?}");
}

#[test]
fn a_test_that_fails_only_without_the_others_does_not_stand_in_the_way() {
    let (project, tools) = PYTHON.set_up();
    project.file("shared.py", "READY = []\n");
    project.file(
        "tests/test_0.py",
        "import shared\n\ndef test_ready():\n    shared.READY.append(1)\n",
    );
    project.file(
        "tests/test_a.py",
        "import shared\nfrom a import add\n\ndef test_add():\n    assert add(1, 2) == 3 and shared.READY\n",
    );
    let agent = "echo \"# $RALPH_ITERATION\" >> a.py; echo '<promise>DONE</promise>'";
    let output = driven(&project, &tools, agent, &[]).ends("success/claimed", 2);
    assert_eq!(extents(&output), ["affected", "whole"]);
    let last = driven(&project, &tools, agent, &["--max-iterations", "1"]);
    assert_eq!(extents(&last.ends("success/claimed", 1)), ["whole"]);
}
