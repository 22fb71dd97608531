//! Looking at a run while it goes on and afterwards.

use ralph_testkit::{BinaryCall, RunningCall, TestProject, TurnHold};

use crate::control::held;
use crate::{git, plain};

/// A project whose agent says something in each of two turns.
fn talked() -> TestProject {
    let project = plain();
    project.agent("echo turn $RALPH_ITERATION; echo aside >&2; echo key ghp_$(printf a1B2%.0s 1 2 3 4 5 6 7 8 9)");
    let _ = project.run_json("do it", &["--max-iterations", "2"]).exits(1);
    project
}

fn logs(project: &TestProject, args: &[&str]) -> BinaryCall {
    project.ralph(&[&["logs"], args].concat())
}

#[test]
fn a_log_is_printed_by_its_turn_without_secrets() {
    let project = talked();
    let last = logs(&project, &[]).output().exits(0).stdout;
    assert!(last.contains("turn 2") && last.contains("aside"), "{last}");
    assert!(last.contains("key [redacted") && !last.contains("ghp_"), "{last}");
    assert_eq!(logs(&project, &["2"]).output().exits(0).stdout, last);
    assert_eq!(logs(&project, &["-f"]).output().exits(0).stdout, last, "the run has ended");
    let first = logs(&project, &["1", "--run", "run-"]).output().exits(2).stderr;
    assert!(first.contains("there is no run"), "{first}");
    let run = &project.ralph(&["runs", "--json"]).output().json()["runs"][0]["id"];
    let run = run.as_str().unwrap();
    assert_eq!(logs(&project, &[run]).output().exits(0).stdout, last);
    let both = logs(&project, &[run, "1"]).output().exits(0).stdout;
    assert_eq!(logs(&project, &["1", "--run", run]).output().exits(0).stdout, both);
    let twice = logs(&project, &[run, "--run", run]).output().exits(2).stderr;
    assert!(twice.contains("name a run"), "{twice}");
    let first = logs(&project, &["1"]).output().exits(0).stdout;
    assert!(first.contains("turn 1") && !first.contains("turn 2"), "{first}");
}

#[test]
fn a_log_that_is_not_there_is_named() {
    let project = talked();
    let missing = logs(&project, &["3"]).output().exits(1).stderr;
    assert!(missing.contains("has no turn 3") && missing.contains("last turn is 2"), "{missing}");
    let _ = logs(&project, &["0"]).output().exits(2);
    let _ = logs(&plain(), &[]).output().exits(1);
}

/// A call that looks at a run while it goes on.
fn beside(project: &TestProject, args: &[&str]) -> RunningCall {
    project.ralph(args).start()
}

#[test]
fn whoever_follows_a_log_hears_the_turn_that_runs_and_ends_with_the_run() {
    let project = git();
    let (running, hold) = held(&project, 1, "echo before");
    let follower = beside(&project, &["logs", "-f"]);
    hold.release();
    let _ = running.finish();
    let said = follower.finish().exits(0).stdout;
    assert!(said.contains("holding"), "{said}");
}

#[test]
fn a_status_that_is_watched_ends_with_the_run() {
    let project = git();
    let (running, hold) = held(&project, 1, "");
    let watcher = beside(&project, &["status", "--watch"]);
    hold.release();
    let ended = running.finish();
    let said = watcher.finish().exits(0).stdout;
    assert!(ended.code.is_some() && said.contains("turns "), "{said}");
    let after = project.ralph(&["status", "--watch"]).output().exits(0).stdout;
    assert_eq!(after, project.ralph(&["status"]).output().exits(0).stdout);
}

#[test]
fn a_turn_that_was_not_accepted_says_why_without_a_claim_and_on_the_last_turn() {
    let project = plain();
    project.agent("echo reading turn $RALPH_ITERATION");
    project.file("check.sh", "echo 'a.c:3:1: error: no such type'; exit 1");
    let gate = ["--criteria", "custom:sh check.sh", "--max-iterations", "2"];
    let args = [&["run", "do it", "--agent-cmd", "./agent.sh"], &gate[..]].concat();
    let output = project.ralph(&args).output().exits(1);
    for line in ["  │ reading turn 1\n", "  │ reading turn 2\n"] {
        assert!(output.stderr.contains(line), "{}", output.stderr);
    }
    let why = "      a.c:3 no such type [";
    assert_eq!(output.stderr.matches(why).count(), 2, "{}", output.stderr);
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.matches("\n        a.c:3 no such type [").count() == 2, "{report}");
    let status = project.ralph(&["status"]).output().exits(0).stdout;
    assert!(status.contains("\nfails    a.c:3 no such type ["), "{status}");
}

#[test]
fn a_terminal_that_became_narrower_breaks_lines_between_words_and_keeps_no_old_ones() {
    let project = plain();
    let hold = TurnHold::new(&project, "agent");
    let said = "reading the code of the whole project from its beginning to its end";
    project.agent(&format!("echo {said}\n{}echo '<promise>DONE</promise>'", hold.script("")));
    let binary = project.binary().display();
    let line = format!("'{binary}' run 'do it' --agent-cmd ./agent.sh; echo the run is over; cat");
    let screen = project.terminal(&line);
    screen.until_shows(said).until_shows("agent at work").resizes(50);
    hold.release();
    let shown = screen.until_shows("the run is over").screen();
    assert_eq!(shown.matches("agent at work").count(), 0, "{shown}");
    assert_eq!(shown.matches("│ reading the code").count(), 1, "{shown}");
    assert!(shown.contains("\n    beginning to its end\n"), "{shown}");
}

const LONG_LINE: &str =
    "echo one line that is longer than a narrow terminal is wide, word by word; exit 1\n";

#[test]
fn what_a_narrow_terminal_shows_of_doctor_and_check_is_broken_between_words() {
    for (call, code) in [(&["doctor"][..], 0), (&["check", "--criteria", "custom:sh fails.sh"], 1)]
    {
        let project = plain();
        project.file("fails.sh", LONG_LINE);
        let piped = project.ralph(call).output().exits(code);
        let known = piped.stdout + &piped.stderr;
        // How long something took is another each time.
        let is_time =
            |word: &str| word.trim_end_matches("ms").parse::<f32>().is_ok() || word == "ms";
        let binary = project.binary().display();
        let call = call.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let screen = project.terminal(&format!("read x; '{binary}' {call}; echo all is said; cat"));
        screen.resizes(60).presses("Enter").until_shows("all is said");
        let shown = screen.screen().replace("all is said", "");
        for word in shown.split_whitespace().filter(|word| !is_time(word)) {
            let is_whole = known.split_whitespace().any(|known| known == word);
            // Only what is wider than the terminal cannot be whole.
            let is_part =
                known.split_whitespace().any(|known| known.len() > 60 && known.contains(word));
            assert!(
                is_whole || is_part,
                "`{word}` is no word of:\n{known}\non the screen:\n{shown}"
            );
        }
    }
}

#[test]
fn what_a_gate_says_in_a_turn_is_shown_once() {
    let project = git();
    project.agent("echo 2 > tests/test_a.py; echo '<promise>DONE</promise>'");
    project.file("tests/test_a.py", "1\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    let gate = ["--criteria", "custom:grep -q 2 tests/test_a.py", "--max-iterations", "2"];
    let call = project.ralph(&["run", "x", "--agent-cmd", "./agent.sh"]).args(gate);
    let shown = call.output().stderr;
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains("custom-1")).collect();
    let said = |line: &&str| line.rsplit_once(" (").map_or(*line, |(said, _)| said).to_owned();
    let once: std::collections::BTreeSet<String> = lines.iter().map(said).collect();
    assert_eq!(once.len(), lines.len(), "{shown}");
}

#[test]
fn nothing_is_said_to_be_acceptable_that_is_not_accepted_any_more() {
    let project = git();
    project.agent("echo '@unittest.skip(1)' > tests/test_a.py; echo '<promise>DONE</promise>'");
    project.file("tests/test_a.py", "def test_a(): assert 1 == 2\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    let call = project.ralph(&["run", "x", "--agent-cmd", "./agent.sh"]);
    let gate = ["--criteria", "custom:grep -q skip tests/test_a.py", "--max-iterations", "1"];
    let shown = call.args(gate).output().exits(1);
    assert!(shown.stderr.contains("held: tests/test_a.py"), "{}", shown.stderr);
    assert!(!(shown.stderr + &shown.stdout).contains("ralph allow"));
    let refused = project.ralph(&["allow", "tests/test_a.py"]).output().exits(1).stderr;
    assert!(refused.contains("has ended"), "{refused}");
}

#[test]
fn a_task_can_come_from_standard_input() {
    let project = plain();
    project.agent("cat > prompt; echo '<promise>DONE</promise>'");
    let call = project.ralph(&["run", "-", "--agent-cmd", "./agent.sh"]);
    let _ = call.stdin(*b"read this task").output().exits(0);
    assert!(project.read("prompt").contains("read this task"));
}

#[test]
fn a_list_of_runs_is_in_one_language_and_names_the_time_zone() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    for locale in ["en", "ko"] {
        let _ = project.run_json("do it", &["--locale", locale]).exits(0);
    }
    let list = project.ralph(&["list"]).env("TZ", "KST-9").output().exits(0).stdout;
    assert_eq!(list.matches("success (claimed)").count(), 2, "{list}");
    assert_eq!(list.matches(" KST ").count(), 2, "{list}");
}

#[test]
fn ids_of_runs_are_offered_to_the_shell() {
    let project = talked();
    let ids = project.ralph(&["__run-ids"]).output().exits(0).stdout;
    let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
    assert_eq!(ids.trim(), runs["runs"][0]["id"]);
}
