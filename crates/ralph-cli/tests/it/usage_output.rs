//! Where words go: data to stdout, the rest to stderr, no colours in pipes.

use ralph_testkit::{CommandOutput, TestProject};

use crate::plain;

fn project() -> TestProject {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    project
}

#[track_caller]
fn only_data(output: CommandOutput) {
    let output = output.exits(0);
    assert!(!output.stdout.is_empty());
    assert_eq!(output.stderr, "");
}

#[test]
fn a_task_without_quotes_is_an_error_that_shows_them() {
    let said = plain().ralph(&["run", "fix", "the", "tests"]).args(["--json"]).output().exits(2);
    assert!(said.stderr.contains("in quotes: ralph run \"fix the tests\""), "{}", said.stderr);
    let other = plain().ralph(&["run", "fix it", "--forse"]).output().exits(2);
    assert!(!other.stderr.contains("quotes"), "{}", other.stderr);
}

#[test]
fn errors_are_told_in_the_language_of_the_user() {
    let project = plain();
    let told = |call: &[&str]| project.ralph(call).env("LANG", "ko_KR.UTF-8").output().stderr;
    for call in [&["report"][..], &["run", "x"], &["allow", "a"]] {
        let said = told(call);
        assert!(said.starts_with("오류: ") && said.contains("도움말: "), "{call:?}: {said}");
    }
    let set = project.file("ralph.toml", "[run]\nlocale = \"ko\"\n");
    assert!(set.ralph(&["report"]).output().stderr.starts_with("오류: "));
}

#[test]
fn errors_outside_of_runs_are_told_in_korean_too() {
    let project = plain();
    let korean = |text: &str| text.chars().any(|c| matches!(c, '가'..='힣'));
    for call in [
        &["run", "x", "--agent", "claud"][..],
        &["run", "x", "--agent-cmd", "./none.sh"],
        &["run", "x", "--agent-cmd", "cat", "--criteria", "tests_pass"],
        &["run", "x", "--agent-cmd", "cat", "--max-iterations", "0"],
        &["run", "x", "--agent-cmd", "cat", "--max-duration", "soon"],
        &["check", "--criteria", "custom:no-such-program"],
        &["check", "--criteria", "type_check"],
        &["memory", "get", "nope"],
        &["memory", "search", ""],
        &["rollback", "--path", "/etc/passwd"],
        &["resume", "run-00000000"],
        &["logs", "run-00000000", "zero"],
        &["install", "emacs"],
    ] {
        let said = project.ralph(call).env("LANG", "ko_KR.UTF-8").output().stderr;
        let is_flags = said.contains("--help");
        for line in said.lines().filter(|_| !is_flags) {
            assert!(
                korean(line.split_once(": ").map_or(line, |(_, said)| said)),
                "{call:?}: {said}"
            );
        }
    }
    for (settings, word) in [
        ("[run]\nmax_iteration = 3\n", "run.max_iterations"),
        ("[run]\nagent = \"opencod\"\n", "opencode"),
        ("[run\n", "문법 오류"),
        ("[judge]\ncriterion = \"is it good?\"\n", "판정"),
    ] {
        let project = plain();
        project.file("ralph.toml", settings);
        let call = project.ralph(&["run", "x", "--agent-cmd", "cat"]);
        let said = call.env("LANG", "ko_KR.UTF-8").output().exits(2).stderr;
        assert!(korean(&said) && said.contains(word), "{said}");
    }
}

#[test]
fn a_misspelt_agent_or_criterion_is_told_what_was_meant() {
    let project = plain();
    for (flag, given, meant) in [
        ("--agent", "claud", Some("claude")),
        ("--agent", "opencoed", Some("opencode")),
        ("--agent", "something-else", None),
        ("--criteria", "tests_pass", Some("test_pass")),
        ("--criteria", "lint-clean", Some("lint_clean")),
        ("--criteria", "coverage", None),
    ] {
        let said = project.ralph(&["run", "x", flag, given]).output().exits(2).stderr;
        let hint = meant.map(|meant| format!("did you mean `{meant}`?"));
        assert_eq!(said.contains("did you mean"), hint.is_some(), "{said}");
        assert!(said.contains(&hint.unwrap_or_default()), "{said}");
    }
}

#[test]
fn help_and_version_are_data() {
    let project = project();
    for args in [["--help"].as_slice(), &["--version"], &["run", "--help"], &["help", "run"]] {
        only_data(project.ralph(args).output());
    }
    let version = project.ralph(&["-V"]).output().exits(0);
    assert_eq!(version.stdout, concat!("ralph ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn what_was_asked_for_goes_to_stdout_and_the_rest_to_stderr() {
    let project = project();
    let run = project.ralph(&["run", "do it", "--agent-cmd", "./agent.sh"]).output().exits(0);
    assert!(run.stdout.contains("Done after"), "{}", run.stdout);
    assert!(run.stderr.contains("started"), "{}", run.stderr);
    for command in ["status", "runs", "report", "config", "doctor", "stop"] {
        only_data(project.ralph(&[command]).output());
    }
    let check = project.ralph(&["check", "--criteria", "custom:true"]).output().exits(0);
    assert!(check.stdout.contains("custom-1") && !check.stdout.contains("running"));
    assert!(check.stderr.contains("running custom-1"), "{}", check.stderr);
}

#[test]
fn a_pipe_gets_no_colours_and_no_cursor_movements() {
    let project = project();
    project.file("no.sh", "echo broken; exit 1");
    let gate = ["--criteria", "custom:sh no.sh", "--max-iterations", "1"];
    let run = [&["run", "do it", "--agent-cmd", "./agent.sh"], &gate[..]].concat();
    for args in [
        run.as_slice(),
        &["status"],
        &["report"],
        &["runs"],
        &["doctor"],
        &["--help"],
        &["nonsense"],
        &["check", "--criteria", "custom:sh no.sh"],
    ] {
        for call in [project.ralph(args), project.ralph(args).env("NO_COLOR", "1")] {
            let output = call.env("TERM", "xterm-256color").output();
            let all = output.stdout + &output.stderr;
            assert!(!all.contains(['\x1b', '\r']), "{args:?}: {all:?}");
        }
    }
}

#[test]
fn a_reader_that_left_is_no_reason_to_panic() {
    let project = project();
    let run = ["run", "do it", "--agent-cmd", "./agent.sh", "--json"];
    for args in [
        run.as_slice(),
        &["status", "--json"],
        &["runs"],
        &["report", "--md"],
        &["completions", "bash"],
        &["config"],
        &["--help"],
    ] {
        let output = project.ralph(args).unheard().exits(0);
        assert_eq!(output.stderr, "", "{args:?}");
    }
}
