//! Nobody in a loop rules the loop: what an agent is refused, and who is told.

use ralph_testkit::{CommandOutput, TestProject, TurnHold};
use serde_json::{Value, json};

use crate::{git, hooks};

/// What ends, begins, loosens or deletes.
const RULING: [&str; 9] = [
    "stop",
    "cancel",
    "pause",
    "resume",
    "rollback",
    "gc",
    "allow gate.sh",
    "uninstall claude-code",
    "start more --session other",
];

/// What reads.
const READING: [&str; 6] = [
    "status",
    "report",
    "allow",
    "gc --dry-run",
    "uninstall claude-code --dry-run",
    "memory stats",
];

/// The refused commands of the newest run, as its report lists them.
fn attempts(project: &TestProject) -> Vec<(u64, String)> {
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    let refused = report["refused_commands"].as_array().cloned().unwrap_or_default();
    let facts = |one: &Value| {
        let command = one["command"].as_str().unwrap_or_default().to_owned();
        (one["iteration"].as_u64().unwrap_or_default(), command)
    };
    refused.iter().map(facts).collect()
}

#[track_caller]
fn is_refused(output: &CommandOutput, command: &str) {
    let said = &output.stderr;
    assert!(said.contains(&format!("an agent cannot call `ralph {command}`")), "{said}");
    assert!(said.contains(&format!("ask the user to type `ralph {command}`")), "{said}");
}

#[test]
fn a_driven_agent_cannot_rule_its_run_and_the_report_shows_that_it_tried() {
    let project = git();
    let call = |how: &str, file: &str, lines: &[&str]| {
        let one = |line: &&str| {
            let line = format!("{how} \"$RALPH\" {line}");
            format!("{line} >> $OUTSIDE/{file} 2>&1; echo \"exit $?\" >> $OUTSIDE/{file}\n")
        };
        lines.iter().map(one).collect::<String>()
    };
    let emptied = "env -i PATH=$PATH HOME=$HOME XDG_STATE_HOME=$XDG_STATE_HOME";
    project.agent(&format!(
        "cat > /dev/null\n{}{}{}echo '<promise>DONE</promise>'",
        call("", "shell", &RULING),
        call(emptied, "emptied", &RULING),
        call("", "reading", &READING),
    ));
    let run = project.run_call("do it", &[]).env("RALPH", env!("CARGO_BIN_EXE_ralph"));
    let _ = run.output().ends("success/claimed", 1);
    for file in ["shell", "emptied"] {
        let said = project.kept(file);
        assert_eq!(said.matches("exit 1\n").count(), RULING.len(), "{file}: {said}");
        for command in RULING {
            let words = format!("an agent cannot call `ralph {command}`");
            assert!(said.contains(&words), "{file}: no `{words}` in {said}");
        }
    }
    let read = project.kept("reading");
    assert_eq!(read.matches("exit 0\n").count(), READING.len(), "{read}");

    let tried = attempts(&project);
    assert_eq!(tried.len(), 2 * RULING.len(), "{tried:?}");
    assert_eq!(tried[0], (1, "ralph stop".to_owned()));
    let sentence = "The agent tried `ralph stop` in turn 1; it was refused.";
    for form in [&["report"][..], &["report", "--md"]] {
        let report = project.ralph(form).output().exits(0).stdout;
        assert!(report.contains(sentence), "{report}");
    }
}

#[test]
fn a_daemon_of_the_agents_is_known_by_its_environment_and_the_user_is_free() {
    let project = git();
    let hold = TurnHold::new(&project, "agent");
    let daemon = "(setsid sh -c '\"$RALPH\" pause > $OUTSIDE/daemon 2>&1; \
                  echo > $OUTSIDE/pipe' &)\ncat $OUTSIDE/pipe > /dev/null";
    let body = format!("mkfifo $OUTSIDE/pipe\n{daemon}\n{}", hold.script(""));
    project.agent(&format!("{body}\necho '<promise>DONE</promise>'"));
    let run = project.run_call("do it", &[]).env("RALPH", env!("CARGO_BIN_EXE_ralph"));
    let mut running = run.start();
    running.until_held();
    assert!(project.kept("daemon").contains("an agent cannot call"), "{}", project.kept("daemon"));
    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    let id = status["runs"][0]["id"].as_str().unwrap().to_owned();
    // Nothing above this process tells of the run: its chain is broken.
    for command in RULING {
        let words: Vec<&str> = command.split(' ').collect();
        let left = project.ralph(&words).env("RALPH_RUN_ID", &id).env("RALPH_DRIVER", "1");
        is_refused(&left.output().exits(1), command);
    }
    let stopped = project.ralph(&["stop"]).output().exits(0).stdout;
    assert!(stopped.contains("Stopped: you ended the run."), "{stopped}");
    let _ = running.finish().ends("stopped", 1);
    let free = project.ralph(&["gc"]).env("RALPH_RUN_ID", &id).env("RALPH_DRIVER", "1");
    let _ = free.output().exits(0);
}

#[test]
fn a_driven_agent_that_plays_a_host_is_refused_too() {
    let project = git();
    let payload = hooks::Session::new(&project, "s-1")
        .payload("UserPromptSubmit", &json!({ "prompt": "/ralph stop" }));
    project.file("payload.json", payload);
    project.agent(
        "cat > /dev/null\n\
         env -i PATH=$PATH HOME=$HOME CLAUDE_PROJECT_DIR=$PWD \"$RALPH\" hook --agent claude-code \
         < payload.json > $OUTSIDE/answer\n\
         echo '<promise>DONE</promise>'",
    );
    let run = project.run_call("do it", &[]).env("RALPH", env!("CARGO_BIN_EXE_ralph"));
    let _ = run.output().ends("success/claimed", 1);
    let answer = project.kept("answer");
    assert!(answer.contains("an agent cannot call"), "{answer}");
    assert_eq!(attempts(&project), [(1, "/ralph stop".to_owned())]);
}

/// A call from the shell of the agent of this session.
fn in_shell(project: &TestProject, line: &str, environment: &str) -> CommandOutput {
    let script = format!("{environment} \"$0\" {line}; exit $?");
    let shell = project.program("sh").args(["-c", &script]).args([project.binary()]);
    shell.output()
}

#[test]
fn an_agent_in_a_session_cannot_rule_its_loop_but_a_command_in_the_session_can() {
    let project = git();
    let session = hooks::Session::new(&project, "s-1");
    session.prompt("/ralph do it");
    session.is("running", 1);
    let emptied = "env -i PATH=\"$PATH\" HOME=\"$HOME\"";
    let other = "env CLAUDE_CODE_SESSION_ID=s-2";
    let forged = "env RALPH_SESSION_COMMAND=s-1";
    for (command, environment) in RULING.iter().zip(["", emptied, other, forged].iter().cycle()) {
        is_refused(&in_shell(&project, command, environment).exits(1), command);
    }
    let said = in_shell(&project, "stop", "").exits(1).stderr;
    assert!(said.contains("or `/ralph stop` in the session"), "{said}");
    let korean = in_shell(&project, "stop", "env LANG=ko_KR.UTF-8").exits(1).stderr;
    assert!(korean.contains("에이전트는 자신의 루프"), "{korean}");
    let away = project.ralph(&["stop"]).env("CLAUDE_CODE_SESSION_ID", "s-1");
    is_refused(&away.output().exits(1), "stop");
    session.is("running", 1);
    let _ = in_shell(&project, "status", "").exits(0);
    assert_eq!(attempts(&project).len(), RULING.len() + 3);

    let answer = session.prompt("/ralph pause");
    let said = hooks::goes_on(&answer);
    assert!(said.contains("Paused: a command in the session asked for it."), "{said}");
    session.is("paused/asked", 1);
    is_refused(&in_shell(&project, "stop", "").exits(1), "stop");
    let answer = session.prompt("/cancel-ralph");
    let said = hooks::goes_on(&answer);
    assert!(said.contains("Stopped: a command in the session ended the run."), "{said}");
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("a command in the session ended the run"), "{report}");
    assert!(!report.contains("you ended"), "{report}");
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    assert_eq!(report["asked_by"], "session");
    let _ = in_shell(&project, "gc", "").exits(0);
}

#[test]
fn a_command_that_took_the_place_of_its_shell_is_still_the_agents() {
    let project = git();
    let session = hooks::Session::new(&project, "s-1");
    project
        .file("typed.json", session.payload("UserPromptSubmit", &json!({ "prompt": "/ralph x" })));
    let hook =
        "CLAUDE_PROJECT_DIR=$PWD \"$RALPH\" hook --agent claude-code < typed.json > /dev/null";
    for (name, code) in [("claude", 1), ("script", 0)] {
        project.script(name, &format!("{hook}\n\"$RALPH\" stop\nexit $?"));
        let host = project.program(project.root().join(name)).env("RALPH", project.binary());
        let output = host.output().exits(code);
        assert_eq!(output.stderr.contains("an agent cannot call"), code == 1, "{}", output.stderr);
    }
}

#[test]
fn an_agent_cannot_take_its_hooks_away_from_another_folder() {
    let project = git();
    let away = "mkdir -p $OUTSIDE/away && cd $OUTSIDE/away";
    project.agent(&format!(
        "cat > /dev/null\n({away} && \"$RALPH\" uninstall claude-code --user) 2> $OUTSIDE/said\n\
         echo '<promise>DONE</promise>'"
    ));
    let run = project.run_call("do it", &[]).env("RALPH", env!("CARGO_BIN_EXE_ralph"));
    let _ = run.output().ends("success/claimed", 1);
    assert!(project.kept("said").contains("an agent cannot call"), "{}", project.kept("said"));
    assert_eq!(attempts(&project).len(), 1);
}

const BROKEN: &str = "[run\n";

#[test]
fn a_driven_run_goes_on_when_its_settings_are_broken_and_says_so_once() {
    let project = git();
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:test -f done\"]\n");
    project.agent(
        "cat > /dev/null\n\
         echo '[run' > ralph.toml\n\
         echo '<promise>DONE</promise>'",
    );
    let run = project.ralph(&[
        "run",
        "do it",
        "--agent-cmd",
        "./agent.sh",
        "--max-iterations",
        "2",
        "--allow-test-changes",
    ]);
    let output = run.output().exits(1);
    assert_eq!(output.stderr.matches("The run keeps those it began with").count(), 1);
    assert!(output.stdout.contains("ralph rollback"), "{}", output.stdout);
    let _ = project.ralph(&["rollback", "--force"]).output().exits(0);
    assert!(project.read("ralph.toml").contains("custom:"));
}

#[test]
fn a_loop_in_a_session_goes_on_when_its_settings_are_broken_and_says_so_once() {
    let project = git();
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:test -f done\"]\n");
    let session = hooks::Session::new(&project, "s-1");
    session.prompt("/ralph do it");
    project.file("ralph.toml", BROKEN);
    let said = session.stop("done <promise>DONE</promise>");
    hooks::goes_on(&said);
    let note = said["systemMessage"].as_str().unwrap_or_default();
    assert!(note.contains("The run keeps those it began with"), "{said}");
    session.is("running", 2);
    let said = session.stop("done <promise>DONE</promise>");
    hooks::goes_on(&said);
    assert!(!said.to_string().contains("began with"), "{said}");
    project.file("done", "");
    let _ = project.ralph(&["check", "--wait"]).output().exits(0);
    let said = session.stop("done <promise>DONE</promise>");
    assert!(said["systemMessage"].as_str().unwrap_or_default().contains("done after"), "{said}");
    session.is("success/verified", 3);
}
