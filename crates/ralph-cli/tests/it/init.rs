//! What a project is, and what follows from it.

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::plain;

/// A `PATH` with nothing on it but these programs, which leave a note of how
/// they were called and where, and succeed.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
pub(crate) fn only(project: &TestProject, programs: &[&str]) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let bin = project.outside("tools");
    std::fs::create_dir_all(&bin).unwrap();
    for name in ["sh", "git"] {
        let link = bin.join(name);
        let _ = std::os::unix::fs::symlink(format!("/usr/bin/{name}"), link);
    }
    for name in programs {
        let path = bin.join(name);
        let body = format!("#!/bin/sh\necho \"{name} $*\" >> \"$OUTSIDE/calls\"\n");
        std::fs::write(&path, body).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    bin
}

/// A pipeline that vets.
const VETS: &str = "jobs:\n  a:\n    steps:\n    - run: go vet ./...\n";

/// What `ralph init --json --dry-run` says.
#[track_caller]
fn seen(project: &TestProject, programs: &[&str]) -> Value {
    let call = project.ralph(&["init", "--json", "--dry-run"]);
    call.env("PATH", only(project, programs)).output().exits(0).json()
}

#[test]
fn an_agent_that_is_there_becomes_the_agent() {
    let project = plain();
    let file = || project.ralph(&["init", "--dry-run"]).output().exits(0).stdout;
    assert!(file().contains("\n# agent_cmd = \"./agent.sh\"\n"), "{}", file());
    project.agent("exit 0");
    assert!(file().contains("\nagent_cmd = \"./agent.sh\"\n"), "{}", file());
}

#[test]
fn a_first_file_is_written_once_and_never_again() {
    let project = plain();
    project.file("go.mod", "module x\n").file(".github/workflows/ci.yml", VETS);
    let bin = only(&project, &["go"]);
    let before = project.everything();
    let call = project.ralph(&["init", "--dry-run"]).env("PATH", &bin);
    let shown = call.output().exits(0);
    assert_eq!(project.everything(), before);
    assert!(shown.stderr.contains("because of"), "{}", shown.stderr);

    let made = project.ralph(&["init", "--yes"]).env("PATH", &bin).output().exits(0).stdout;
    for word in ["Go", "test_pass", "go test -json ./...", "go.mod", "ralph.toml"] {
        assert!(made.contains(word), "no {word} in {made}");
    }
    assert_eq!(project.read("ralph.toml"), shown.stdout);
    let settings = project.ralph(&["config", "--json"]).output().exits(0).json();
    let criteria = &settings["settings"]["run.criteria"]["value"];
    assert_eq!(criteria, &json!(["test_pass", "build_success", "lint_clean"]));

    project.file("ralph.toml", "# mine\n");
    let refused = project.ralph(&["init"]).output().exits(1);
    assert!(refused.stderr.contains("ralph.toml exists already"), "{}", refused.stderr);
    assert_eq!(project.read("ralph.toml"), "# mine\n");
}

#[test]
fn the_gates_of_a_first_file_are_those_that_run() {
    let project = plain();
    project.file("Makefile", "test:\nlint:\n");
    project.file("tool/justfile", "build:\n");
    let bin = only(&project, &["make"]);
    let _ =
        project.ralph(&["init", "--agent-cmd", "./a 'b c'"]).env("PATH", &bin).output().exits(0);
    let text = project.read("ralph.toml");
    assert!(text.contains("agent_cmd = \"./a 'b c'\""), "{text}");
    assert!(text.contains("# [gates.build_success]\n# command = \"just build\""), "{text}");
    let checked = project.ralph(&["check", "--json"]).env("PATH", &bin).output().exits(0).json();
    let gates = checked["gates"].as_array().unwrap();
    let names: Vec<&str> = gates.iter().filter_map(|gate| gate["name"].as_str()).collect();
    assert_eq!(names, ["test_pass", "lint_clean"]);
    // They run side by side.
    let calls = project.kept("calls");
    let mut calls: Vec<&str> = calls.lines().collect();
    calls.sort_unstable();
    assert_eq!(calls, ["make lint", "make test"]);
}

#[test]
fn a_tree_of_many_projects_is_shown_with_what_is_missing() {
    let project = plain();
    project.file("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    project.file("crates/a/Cargo.toml", "[package]\nname = \"a\"\n");
    project.file("web/package.json", r#"{"scripts": {"test": "vitest"}}"#);
    project.file("api/pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n");
    project.file("old/package.json", "{");
    let seen = seen(&project, &["cargo", "cargo-clippy", "npx", "python3", "pytest"]);
    let rows: Vec<(&str, &str, Option<&str>)> = seen["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (it["name"].as_str().unwrap(), it["dir"].as_str().unwrap(), it["missing"].as_str())
        })
        .collect();
    let want = [
        ("test_pass:cargo", "", None),
        ("build_success", "", None),
        ("lint_clean:clippy", "", None),
        ("test_pass:api", "api", None),
        ("lint_clean", "api", Some("ruff")),
        ("test_pass:web", "web", Some("node_modules/.bin/vitest")),
    ];
    assert_eq!(rows, want);
    assert!(seen["notices"][0].as_str().unwrap().starts_with("old/package.json cannot be read"));
    let text = seen["file"].as_str().unwrap();
    let header = "[gates.\"test_pass:api\"]\ncommand = \"python3 -m pytest --junitxml={report}\"\n";
    assert!(text.contains(header), "{text}");
    // Tests stay required; a linter that is not here does not become so.
    let web = "# Needed: `node_modules/.bin/vitest` is not here: run `npm install`\n\
               [gates.\"test_pass:web\"]\n";
    assert!(text.contains(web), "{text}");
    let lint = "# Not required: `ruff` is not here\n# [gates.lint_clean]\n";
    assert!(text.contains(lint), "{text}");
    let clippy = "# Not required: nothing in the project says that clippy is used\n\
                  # [gates.\"lint_clean:clippy\"]\n";
    assert!(text.contains(clippy), "{text}");
    assert!(!project.root().join("ralph.toml").exists());
}

#[test]
fn a_criterion_without_a_command_runs_what_was_detected() {
    let project = plain();
    project.file("Makefile", "test:\n\ttrue\n");
    let bin = only(&project, &["make"]);
    let call = project.ralph(&["check", "--tests-pass", "--json"]).env("PATH", &bin);
    let checked = call.output().exits(0).json();
    assert_eq!(checked["gates"][0]["name"], "test_pass");
    assert_eq!(project.kept("calls"), "make test\n");
}

#[test]
fn a_criterion_whose_tool_is_missing_is_refused_before_anything_starts() {
    let project = plain();
    project.file("package.json", r#"{"devDependencies": {"vitest": "3"}}"#);
    project.agent("touch started");
    let bin = only(&project, &["npx"]);
    let args = ["run", "do it", "--agent-cmd", "./agent.sh", "--criteria", "test_pass"];
    let refused = project.ralph(&args).env("PATH", &bin).output().exits(2);
    assert!(refused.stderr.contains("node_modules/.bin/vitest"), "{}", refused.stderr);
    assert!(refused.stderr.contains("[gates.test_pass]"), "{}", refused.stderr);
    assert!(!project.root().join("started").exists());
    let _ = project.ralph(&["config"]).env("PATH", &bin).output().exits(0);
}

#[test]
fn zero_errors_adds_detected_linters_and_reports_those_that_are_missing() {
    let project = plain();
    project.file("go.mod", "module x\n").file(".golangci.yml", "");
    let bin = only(&project, &["go"]);
    let call = project.ralph(&["check", "--zero-errors", "--json"]).env("PATH", &bin);
    let checked = call.output().exits(0).json();
    let verdicts: Vec<Option<&str>> =
        checked["gates"].as_array().unwrap().iter().map(|gate| gate["verdict"].as_str()).collect();
    assert_eq!(verdicts, [Some("unknown"), Some("pass")]);
    assert_eq!(project.kept("calls"), "go vet ./...\n");

    let both = project.ralph(&["check", "--zero-errors", "--no-zero-errors"]).output().exits(2);
    assert!(both.stderr.contains("--no-zero-errors"), "{}", both.stderr);
    let empty = plain();
    let refused = empty.ralph(&["check", "--zero-errors"]).output().exits(2);
    assert!(refused.stderr.contains("zero errors"), "{}", refused.stderr);
}

#[test]
fn a_gate_with_a_folder_that_does_not_exist_is_named() {
    let project = plain();
    let file = "[run]\ncriteria = [\"test_pass\"]\n[gates.\"test_pass:web\"]\n\
                command = \"true\"\ndir = \"web\"\n";
    project.file("ralph.toml", file);
    let refused = project.ralph(&["check"]).output().exits(2);
    assert!(refused.stderr.contains("test_pass:web"), "{}", refused.stderr);
    let settings = project.ralph(&["config", "--json"]).output().exits(0).json();
    let shown = &settings["settings"]["gates.test_pass:web.dir"];
    assert_eq!(shown["value"], "web");
    assert!(shown["origin"].as_str().unwrap().ends_with("ralph.toml:5"), "{shown}");
}

#[test]
fn check_without_settings_runs_what_was_detected_and_tells_what_cannot_run() {
    let project = plain();
    project.file("go.mod", "module x\n").file(".github/workflows/ci.yml", VETS);
    project.file("web/package.json", r#"{"scripts": {"test": "vitest run"}}"#);
    let bin = only(&project, &["go", "npx"]);
    let output = project.ralph(&["check", "--json"]).env("PATH", bin).output().exits(1);
    let gates = output.json()["gates"].clone();
    let seen: Vec<(&str, &str)> = gates
        .as_array()
        .unwrap()
        .iter()
        .map(|gate| (gate["name"].as_str().unwrap(), gate["verdict"].as_str().unwrap()))
        .collect();
    let want = [
        ("test_pass:go", "unclear"),
        ("build_success", "pass"),
        ("lint_clean", "pass"),
        ("test_pass:web", "unknown"),
    ];
    assert_eq!(seen, want, "{gates}");
    assert!(output.stderr.contains("`ralph init`"), "{}", output.stderr);
    let cannot =
        "test_pass:web cannot run: `node_modules/.bin/vitest` is not here: run `npm install`";
    assert!(output.stderr.contains(cannot), "{}", output.stderr);
    assert!(!project.kept("calls").contains("npx"), "{}", project.kept("calls"));
}

type Files = &'static [(&'static str, &'static str)];

/// A project whose packages are not installed, the program that runs its tests,
/// and the command that installs them.
const NOT_INSTALLED: [(Files, &str, &str); 4] = [
    (
        &[
            (
                "package.json",
                r#"{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}"#,
            ),
            ("package-lock.json", "{}"),
        ],
        "npm",
        "npm ci",
    ),
    (
        &[
            ("composer.json", r#"{"require-dev": {"phpunit/phpunit": "11"}}"#),
            ("src/a.php", "<?php\n"),
        ],
        "composer",
        "composer install",
    ),
    (&[("mix.exs", ""), ("mix.lock", "%{}\n")], "mix", "mix deps.get"),
    (
        &[("pytest.ini", ""), ("requirements-dev.txt", "pytest\n")],
        "python3",
        "pip install -r requirements-dev.txt",
    ),
];

#[test]
fn tests_without_their_packages_are_unknown_and_never_left_out() {
    for (files, program, install) in NOT_INSTALLED {
        let project = plain();
        for (name, text) in files {
            project.file(name, text);
        }
        let bin = only(&project, &[program, "php", "find", "xargs"]);
        let check = |args: &[&str]| project.ralph(args).env("PATH", &bin).output();
        let bare = check(&["check"]).exits(1);
        let told = format!("{}{}", bare.stdout, bare.stderr);
        assert!(told.contains(install), "{told}");

        let _ = check(&["init"]).exits(0);
        let file: toml::Table = toml::from_str(&project.read("ralph.toml")).unwrap();
        let criteria = file["run"]["criteria"].as_array().unwrap();
        assert!(criteria.contains(&"test_pass".into()), "{file}");
        assert!(project.read("ralph.toml").contains(&format!("run `{install}`")), "{file}");
    }
}

#[test]
fn a_gate_that_fails_without_its_packages_is_unknown() {
    let project = plain();
    let (files, ..) = NOT_INSTALLED[0];
    for (name, text) in files {
        project.file(name, text);
    }
    project.file(
        "ralph.toml",
        "[run]\ncriteria = [\"test_pass\"]\n[gates.test_pass]\ncommand = \"npm test\"\n",
    );
    let bin = only(&project, &[]);
    let npm = bin.join("npm");
    std::fs::write(&npm, "#!/bin/sh\necho 'sh: 1: mocha: not found'\nexit 1\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&npm, mode).unwrap();
    let output = project.ralph(&["check", "--json"]).env("PATH", &bin).output().exits(1);
    let gate = output.json()["gates"][0].clone();
    assert_eq!(gate["verdict"], "unknown", "{gate}");
    assert!(gate.to_string().contains("`node_modules` is not here: run `npm ci`"), "{gate}");
}

#[test]
fn a_gate_that_edits_files_is_told_of() {
    let project = plain();
    project.file("a.txt", "old\n");
    let edits = "custom:sh:echo new > a.txt; echo x > b.txt";
    let output = project.ralph(&["check", "--criteria", edits]).output().exits(0);
    let told = "Files changed while the checks ran: a.txt, b.txt";
    assert!(output.stderr.contains(told), "{}", output.stderr);
    let looks = project.ralph(&["check", "--criteria", "custom:cat a.txt"]).output().exits(0);
    assert!(!looks.stderr.contains("Files changed"), "{}", looks.stderr);

    project.agent("echo '<promise>DONE</promise>'");
    let again = "custom:sh:date +%N > a.txt";
    let args =
        ["run", "x", "--agent-cmd", "./agent.sh", "--criteria", again, "--max-iterations", "1"];
    let ran = project.ralph(&args).output();
    assert!(ran.stderr.contains("Files changed while the checks ran: a.txt"), "{}", ran.stderr);
}

#[test]
fn trying_leaves_out_what_neither_passes_nor_names_what_fails() {
    let project = plain();
    project.file(
        "Makefile",
        "test:\n\t@echo 'not ok 1 - adds'; exit 1\nlint:\n\texit 3\nbuild:\n\ttrue\n",
    );
    let dry = project.ralph(&["init", "--try", "--dry-run", "--json"]).output().exits(0).json();
    assert!(!project.root().join("ralph.toml").exists());
    let seen: Vec<(&str, bool)> = dry["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["required"].as_bool().unwrap()))
        .collect();
    assert_eq!(seen, [("test_pass", true), ("build_success", true), ("lint_clean", false)]);

    let made = project.ralph(&["init", "--try"]).output().exits(0);
    assert!(made.stdout.contains("when it was tried"), "{}", made.stdout);
    for told in ["test_pass: failed", "build_success: passed", "lint_clean: failed"] {
        assert!(made.stderr.contains(told), "{}", made.stderr);
    }
    let text = project.read("ralph.toml");
    assert!(text.contains("criteria = [\"test_pass\", \"build_success\"]"), "{text}");
    let lint = "# Not required: when it was tried: ";
    assert!(text.contains(lint), "{text}");
    assert!(text.contains("# [gates.lint_clean]\n# command = \"make lint\""), "{text}");
    let refused = project.ralph(&["init", "--try"]).output().exits(1);
    assert!(!refused.stderr.contains("running"), "{}", refused.stderr);
}

#[test]
fn a_person_at_a_terminal_is_asked_whether_the_gates_are_tried() {
    for (answer, required) in [("n", true), ("", false)] {
        let project = plain();
        project.file("Makefile", "test:\n\ttrue\nlint:\n\texit 3\n");
        let terminal = project.terminal(&format!("'{}' init", project.binary().display()));
        terminal.until_shows("require only those that work? [Y/n]");
        terminal.types(answer).presses("Enter");
        terminal.until_ended();
        let written = project.read("ralph.toml");
        assert_eq!(written.contains("\n[gates.lint_clean]"), required, "{answer}: {written}");
    }
}

#[test]
fn what_real_tools_do_decides_what_is_required() {
    let project = plain();
    project.file("package.json", r#"{"scripts": {"test": "node --test"}}"#);
    let adds = "require('node:test')('adds', () => require('node:assert').equal(1 + 1, 2));\n";
    project.file("a.test.js", adds);
    project.file("api/setup.py", "");
    let fails = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.fail('red')\n";
    project.file("api/test_a.py", fails);
    // The program is there, and there is nothing for it to run.
    project.file("tool/package.json", r#"{"scripts": {"test": "node --test"}}"#);
    let made = project.ralph(&["init", "--try", "--json"]).output().exits(0).json();
    let seen: Vec<(&str, bool)> = made["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["required"].as_bool().unwrap()))
        .collect();
    let want = [("test_pass:node", true), ("test_pass:api", true), ("test_pass:tool", false)];
    assert_eq!(seen, want, "{made}");
    let reason = made["proposals"][2]["reason"].as_str().unwrap();
    assert!(reason.contains("no test ran"), "{reason}");
    let _ = project.ralph(&["check"]).output().exits(1);
    project.file("api/test_a.py", fails.replace("self.fail('red')", "pass"));
    let _ = project.ralph(&["check"]).output().exits(0);
}
