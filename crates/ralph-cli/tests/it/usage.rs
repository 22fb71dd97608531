//! What cannot be meant is refused by name, before anything starts.

use ralph_testkit::{BinaryCall, TestProject};

use crate::plain;

/// A project whose agent leaves a file behind when it is started.
fn project() -> TestProject {
    let project = plain();
    project.agent("touch started; echo '<promise>DONE</promise>'");
    project
}

/// The call ends as wrong usage, says all `words`, and has written nothing.
#[track_caller]
fn refused(project: &TestProject, call: impl Fn(&TestProject) -> BinaryCall, words: &[&str]) {
    let before = project.everything();
    let output = call(project).output().exits(2);
    for word in words {
        assert!(output.stderr.contains(word), "no `{word}` in: {}", output.stderr);
    }
    assert_eq!(output.stdout, "");
    assert_eq!(project.everything(), before);
}

/// `ralph run TASK --agent-cmd ./agent.sh` with these arguments is refused.
#[track_caller]
fn run_refused(project: &TestProject, more: &[&str], words: &[&str]) {
    let args = [&["run", "do it", "--agent-cmd", "./agent.sh"], more].concat();
    refused(project, |project| project.ralph(&args), words);
}

#[track_caller]
fn args_refused(project: &TestProject, args: &[&str], words: &[&str]) {
    refused(project, |project| project.ralph(args), words);
}

#[test]
fn an_unknown_flag_is_named_with_its_neighbour() {
    let project = project();
    run_refused(&project, &["--max-iteration", "3"], &["--max-iteration", "--max-iterations"]);
    args_refused(&project, &["status", "--jsonn"], &["--jsonn"]);
}

#[test]
fn an_unknown_command_is_named() {
    let project = project();
    args_refused(&project, &["statos"], &["statos", "status"]);
    args_refused(&project, &[], &["Usage: ralph"]);
}

#[test]
fn a_bad_duration_is_named_with_its_flag() {
    let project = project();
    for bad in ["", "5", "abc", "-1m", "5 parsecs", "0s", "99999999999999999999h"] {
        let flag = format!("--max-duration={bad}");
        run_refused(&project, &[&flag], &["--max-duration", bad, "30m"]);
    }
    run_refused(&project, &["--turn-timeout=soon"], &["--turn-timeout", "soon"]);
    run_refused(&project, &["--idle-timeout=1d2"], &["--idle-timeout", "1d2"]);
}

#[test]
fn a_bad_number_is_named_with_its_flag() {
    let project = project();
    for flag in ["--max-iterations", "--max-tokens", "--stagnation-limit"] {
        for bad in ["0", "-1", "abc", "1.5", "", "99999999999999999999"] {
            run_refused(&project, &[&format!("{flag}={bad}")], &[flag, &format!("`{bad}`")]);
        }
    }
    for bad in ["0", "-1", "abc", "NaN", "inf", ""] {
        run_refused(&project, &[&format!("--max-cost={bad}")], &["--max-cost", bad]);
    }
}

#[test]
fn a_word_that_is_no_choice_is_answered_with_the_choices() {
    let project = project();
    run_refused(&project, &["--match", "regex"], &["--match", "regex", "tag, word, contains"]);
    run_refused(&project, &["--trust", "nobody"], &["--trust", "nobody", "claim, evidence"]);
    run_refused(&project, &["--agent", "hal"], &["--agent", "hal", "command"]);
    run_refused(&project, &["--locale", "fr"], &["--locale", "fr", "en, ko"]);
    run_refused(&project, &["--criteria", "tests"], &["--criteria", "tests", "test_pass"]);
}

#[test]
fn an_agent_that_is_no_program_is_named() {
    let project = project();
    project.file("notes.txt", "not a program");
    for program in ["./missing.sh", "no-such-agent", "./notes.txt", "."] {
        args_refused(&project, &["run", "x", "--agent-cmd", program], &[program, "agent"]);
    }
    args_refused(&project, &["run", "x", "--agent-cmd", ""], &["--agent-cmd", "empty"]);
    args_refused(&project, &["run", "x", "--agent-cmd", "./a 'b"], &["--agent-cmd", "quotation"]);
    args_refused(&project, &["run", "x"], &["no agent", "--agent-cmd"]);
    args_refused(&project, &["run", "x", "--agent", "scripted"], &["--script"]);
}

#[test]
fn a_gate_that_is_no_program_is_named() {
    let project = project();
    let criteria = ["--criteria", "custom:./no-gate.sh --all"];
    run_refused(&project, &criteria, &["custom-1", "./no-gate.sh"]);
    let start = [&["start", "x", "--session", "s"], &criteria[..]].concat();
    args_refused(&project, &start, &["custom-1", "./no-gate.sh"]);
    args_refused(&project, &[&["check"], &criteria[..]].concat(), &["custom-1", "./no-gate.sh"]);
    run_refused(&project, &["--criteria", "custom:"], &["--criteria", "empty"]);
    run_refused(&project, &["--criteria", "custom:sh: "], &["--criteria", "empty"]);
}

#[test]
fn a_criterion_without_a_command_is_named_with_the_remedy() {
    let project = project();
    run_refused(&project, &["--criteria", "type_check"], &["type_check", "[gates.type_check]"]);
    run_refused(&project, &["--tests-pass"], &["test_pass", "[gates.test_pass]"]);
}

#[test]
fn a_configuration_that_cannot_be_read_is_named() {
    let project = project();
    std::fs::create_dir(project.root().join("ralph.toml")).unwrap();
    run_refused(&project, &[], &["ralph.toml", "it is not a file"]);
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_neighbour() {
    let project = project();
    project.file("ralph.toml", "[run]\npromise = \"OK\"\nmax_iteration = 3\n");
    run_refused(&project, &[], &["ralph.toml:3", "run.max_iteration`", "run.max_iterations"]);
    project.file("ralph.toml", "[runn]\npromise = \"OK\"\n");
    run_refused(&project, &[], &["ralph.toml:1", "runn"]);
    project.file("ralph.toml", "[gates.tests]\ncommand = \"make test\"\n");
    run_refused(&project, &[], &["ralph.toml:1", "gates.tests"]);
}

#[test]
fn a_value_of_the_wrong_type_is_named_with_its_line() {
    let project = project();
    for (text, line, words) in [
        ("[run]\nmax_iterations = \"many\"\n", 2, ["run.max_iterations", "a whole number"]),
        ("[run]\n\nmax_duration = 30\n", 3, ["run.max_duration", "a duration"]),
        ("[run]\nmax_iterations = 0\n", 2, ["run.max_iterations", "at least 1"]),
        ("[run]\ncriteria = [1]\n", 2, ["run.criteria", "integer"]),
        ("[run]\nagent_cmd = []\n", 2, ["run.agent_cmd", "empty"]),
        ("run = 5\n", 1, ["run", "ralph.toml"]),
        ("[run\n", 1, ["ralph.toml", ":1:"]),
    ] {
        project.file("ralph.toml", text);
        run_refused(&project, &[], &[&format!("ralph.toml:{line}"), words[0], words[1]]);
    }
}

#[test]
fn a_configuration_that_is_not_text_is_named() {
    let project = project();
    project.file("ralph.toml", b"[run]\npromise = \"\xff\"\n");
    run_refused(&project, &[], &["ralph.toml"]);
}

#[test]
fn a_bad_variable_is_named() {
    let project = project();
    let args = ["run", "do it", "--agent-cmd", "./agent.sh"];
    for (name, value) in [
        ("RALPH_MAX_ITERATIONS", "many"),
        ("RALPH_MAX_DURATION", "10"),
        ("RALPH_TRUST", "nobody"),
        ("RALPH_LOCALE", "fr"),
        ("RALPH_LIMIT_PATTERNS", "("),
    ] {
        refused(&project, |project| project.ralph(&args).env(name, value), &[value]);
    }
    let call = |project: &TestProject| project.ralph(&args).env("RALPH_MAX_ITERATIONS", "many");
    refused(&project, call, &["RALPH_MAX_ITERATIONS"]);
}

#[test]
fn a_task_that_says_nothing_is_refused() {
    let project = project();
    args_refused(&project, &["run", "", "--agent-cmd", "./agent.sh"], &["task is empty"]);
    args_refused(&project, &["run", " \n\t", "--agent-cmd", "./agent.sh"], &["task is empty"]);
    args_refused(&project, &["run", "--agent-cmd", "./agent.sh"], &["no task"]);
    args_refused(&project, &["start", "--session", "s"], &["no task"]);
}

#[test]
fn a_task_file_that_is_no_task_is_named() {
    let project = project();
    project.file("binary.md", b"do \xff\xfe it").file("empty.md", "\n");
    project.file("huge.md", "x".repeat(1024 * 1024 + 1));
    for (file, word) in [
        ("missing.md", "missing.md"),
        ("binary.md", "UTF-8"),
        ("huge.md", "1 MiB"),
        ("empty.md", "empty"),
        (".", "directory"),
    ] {
        let args = ["run", "--prompt-file", file, "--agent-cmd", "./agent.sh"];
        args_refused(&project, &args, &[word]);
    }
    let args = ["run", "--prompt-file", "-", "--agent-cmd", "./agent.sh"];
    refused(&project, |project| project.ralph(&args).stdin(*b"\xff"), &["UTF-8"]);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let project = project();
    run_refused(&project, &["--trust", "evidence"], &["--trust evidence", "gate", "--criteria"]);
    run_refused(&project, &["--prompt-file", "task.md"], &["--prompt-file", "cannot be used"]);
    run_refused(&project, &["--context", "same"], &["--context same"]);
    run_refused(&project, &["--script", "s.json"], &["--script", "--agent-cmd"]);
    args_refused(&project, &["stop", "--all", "--run", "run-1"], &["--all", "--run"]);
    args_refused(&project, &["report", "--md", "--json"], &["--md", "--json"]);
    args_refused(&project, &["config", "--schema", "--json"], &["--schema", "--json"]);
    project.file("ralph.toml", "[run]\nmarkers = []\n");
    run_refused(&project, &["--promise", ""], &["nothing could ever end"]);
    project.file("ralph.toml", "[gates.test_pass]\ncommand = \"true\"\nshell = \"true\"\n");
    let both = ["gates.test_pass.command", "gates.test_pass.shell"];
    run_refused(&project, &["--tests-pass"], &both);
}

#[test]
fn a_session_id_that_could_match_too_much_is_refused() {
    let project = project();
    for id in ["", "../x", "a/b", "a\"b", "a'b", "a b", "null", ".", "..", "a\nb"] {
        let args = ["start", "do it", "--session", id];
        args_refused(&project, &args, &["is not a session id"]);
    }
    args_refused(&project, &["start", "do it"], &["--session"]);
}

#[test]
fn what_an_agent_could_never_be_asked_is_refused_before_anything_runs() {
    let project = plain();
    for (option, hint) in [
        (["--attach", "localhost:4999"], "`localhost:4999` is no address of a server"),
        (["--model", "nope"], "`nope` is not written as PROVIDER/MODEL"),
    ] {
        let args = [&["run", "fix it", "--agent", "opencode"][..], &option].concat();
        let refused = project.ralph(&args).output().exits(2);
        assert!(refused.stderr.contains(hint), "{}", refused.stderr);
    }
    assert_eq!(project.ralph(&["runs"]).output().exits(0).stdout, "There is no run here.\n");
}

#[test]
fn a_run_does_not_start_in_the_home_folder_or_the_root_unless_the_user_says_so() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    let home = |args: &[&str]| project.ralph(args).env("HOME", project.root()).output();
    let args = ["run", "x", "--agent-cmd", "./agent.sh"];
    let refused = home(&args).exits(2);
    assert!(refused.stderr.contains("this is your home folder"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--any-folder"), "{}", refused.stderr);
    let root = project.ralph(&["run", "x", "--agent-cmd", "true"]).dir("/").output().exits(2);
    assert!(root.stderr.contains("the root of the file system"), "{}", root.stderr);
    let _ = home(&[&args[..], &["--any-folder"]].concat()).exits(0);
}

#[test]
fn what_reads_a_whole_project_does_not_start_in_the_home_folder_or_the_root() {
    let project = plain();
    for args in [&["check"][..], &["init"], &["code", "map"]] {
        let home = project.ralph(args).env("HOME", project.root()).output().exits(2);
        assert!(home.stderr.contains("this is your home folder, not a project"), "{}", home.stderr);
        let root = project.ralph(args).dir("/").output().exits(2);
        assert!(root.stderr.contains("the root of the file system"), "{}", root.stderr);
    }
    project.file("ralph.toml", "");
    let _ = project.ralph(&["code", "map"]).env("HOME", project.root()).output().exits(0);
}
