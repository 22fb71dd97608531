//! A project's settings count only after the user accepted them.

use std::fs;

use ralph_testkit::{BinaryCall, TestProject};
use serde_json::{Value, json};

use crate::{git, hooks};

/// Leaves a mark outside the project if anything of the project's settings is started.
const MARK: &str = "cat > /dev/null\necho ran >> $OUTSIDE/ran\necho '<promise>DONE</promise>'";

/// A call by a user who has accepted nothing beforehand.
fn call(project: &TestProject, words: &[&str]) -> BinaryCall {
    project.ralph(words).env("RALPH_TRUSTED_FOLDERS", "")
}

fn settings(agent: &str) -> String {
    format!(
        "[run]\nagent_cmd = \"{agent}\"\ncriteria = [\"custom:./gate.sh\"]\n\n\
         [judge]\ncriterion = \"it is good\"\ncommand = \"./judge.sh\"\n\n\
         [lsp.mine]\ncommand = \"./server.sh\"\nextensions = [\".x\"]\n"
    )
}

/// A clone of a project whose settings name programs.
fn clone() -> TestProject {
    let project = git();
    for name in ["agent.sh", "gate.sh", "judge.sh", "server.sh"] {
        project.script(name, MARK);
    }
    project.file("a.x", "1\n").file("ralph.toml", settings("./agent.sh"));
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

#[test]
fn nothing_that_only_the_project_names_is_started_before_the_user_accepts_it() {
    let project = clone();
    for words in [
        &["run", "do it"][..],
        &["check"],
        &["check", "--lsp", "a.x"],
        &["start", "do it", "--session", "s-1"],
        &["sandbox", "--", "true"],
    ] {
        let said = call(&project, words).output().exits(2).stderr;
        assert!(said.contains("ralph.toml names commands and rules that you have not"), "{said}");
        assert!(said.contains("hint: `ralph trust` in a terminal"), "{said}");
    }
    for words in
        [&["status"][..], &["gc"], &["sessions"], &["memory", "context"], &["sandbox", "show"]]
    {
        let _ = call(&project, words).output().exits(0);
    }
    let config = call(&project, &["config", "--json"]).output().exits(0);
    assert_eq!(config.json()["settings"]["run.agent_cmd"]["origin"], "default");
    assert!(config.stderr.contains("you have not accepted"), "{}", config.stderr);
    let doctor = call(&project, &["doctor", "--json"]).output();
    assert!(doctor.stdout.contains("you have not accepted"), "{}", doctor.stdout);
    assert_eq!(project.kept("ran"), "");
}

#[test]
fn doctor_starts_no_hook_and_no_server_that_only_the_project_names() {
    let project = clone();
    project.script("ralph", "echo ran >> $OUTSIDE/ran");
    for program in ["./ralph", "sh"] {
        let args = if program == "sh" { &["-c", "echo ran > $OUTSIDE/ran", "x"][..] } else { &[] };
        let args = [args, &["hook", "--agent", "claude-code"]].concat();
        let hook = json!({ "type": "command", "command": program, "timeout": 60, "args": args });
        let entry = json!([{ "matcher": "", "hooks": [hook] }]);
        let settings = json!({ "hooks": { "Stop": entry, "UserPromptSubmit": entry } });
        project.file(".claude/settings.json", settings.to_string());
        let server = json!({ "command": "./ralph", "args": ["mcp"] });
        project.file(".mcp.json", json!({ "mcpServers": { "ralph": server } }).to_string());
        let doctor = call(&project, &["doctor"]).output();
        if program == "./ralph" {
            let said = "was not started, because only the project names it";
            assert!(doctor.stdout.contains(said), "{}", doctor.stdout);
        }
        assert_eq!(project.kept("ran"), "");
    }
}

#[test]
fn tools_of_agents_run_no_checks_of_the_project() {
    let project = clone();
    let mut server = crate::mcp::Server::start(&project, &[("RALPH_TRUSTED_FOLDERS", "")]);
    let said = server.refused("check_run", &json!({}));
    assert!(said.contains("you have not accepted"), "{said}");
    assert_eq!(project.kept("ran"), "");
}

#[test]
fn what_was_accepted_counts_until_it_changes_or_is_taken_back() {
    let project = clone();
    let trust = |words: &[&str]| call(&project, &[&["trust"], words].concat()).output();
    let said = trust(&[]).exits(2).stderr;
    assert!(said.contains("  run.agent_cmd = \"./agent.sh\""), "{said}");
    assert!(said.contains("`ralph trust --yes` accepts them"), "{said}");
    assert_eq!(trust(&["--show", "--json"]).exits(1).json()["standing"], "new");
    let _ = trust(&["--yes"]).exits(0);
    assert_eq!(trust(&["--show", "--json"]).exits(0).json()["standing"], "accepted");
    let _ = call(&project, &["check"]).output().exits(0);
    assert_eq!(project.kept("ran"), "ran\n");

    project.file("ralph.toml", settings("./other.sh"));
    let said = call(&project, &["check", "--fresh"]).output().exits(2).stderr;
    assert!(said.contains("ralph.toml has changed since you accepted it"), "{said}");
    let _ = call(&project, &["check", "--fresh", "--trust-project"]).output().exits(0);
    let _ = call(&project, &["check", "--fresh"]).output().exits(2);
    project.file("ralph.toml", settings("./agent.sh"));
    let _ = call(&project, &["check", "--fresh"]).output().exits(0);
    let _ = trust(&["--revoke"]).exits(0);
    let _ = call(&project, &["check", "--fresh"]).output().exits(2);
    let korean = call(&project, &["check"]).env("LANG", "ko_KR.UTF-8").output().exits(2).stderr;
    assert!(korean.contains("수락하지 않은 명령과 규칙"), "{korean}");
}

#[test]
fn on_a_terminal_the_user_is_asked_once() {
    let project = clone();
    let ask = |words: &str, answer: &str| {
        let binary = project.binary().display();
        let line = format!("env RALPH_TRUSTED_FOLDERS= '{binary}' {words}; echo \"code $?\"; cat");
        let terminal = project.terminal(&line);
        if !answer.is_empty() {
            let screen = terminal.until(|screen| screen.contains("Accept these settings? [y/N]"));
            assert!(screen.contains("run.agent_cmd = \"./agent.sh\""), "{screen}");
            terminal.types(answer).presses("Enter");
        }
        let screen = terminal.until(|screen| screen.contains("code "));
        drop(terminal);
        fs::remove_file(project.outside("terminal.pipe")).unwrap();
        // It goes with the server.
        let _ = fs::remove_file(project.outside("terminal"));
        screen
    };
    assert!(ask("check", "n").contains("code 2"));
    assert_eq!(project.kept("ran"), "");
    assert!(ask("check", "y").contains("code 0"));
    assert!(ask("check --fresh", "").contains("code 0"));
}

#[test]
fn a_file_that_ralph_wrote_for_the_user_counts() {
    let project = git();
    project.file("Makefile", "test:\n\ttrue\n");
    let _ = call(&project, &["init", "--yes"]).output().exits(0);
    let _ = call(&project, &["check"]).output().exits(0);
    // An agent does not ask for the user.
    fs::remove_file(project.root().join("ralph.toml")).unwrap();
    let _ = call(&project, &["trust", "--revoke"]).output().exits(0);
    let init = call(&project, &["init", "--yes"]).env("CLAUDE_CODE_SESSION_ID", "s-1");
    let _ = init.output().exits(0);
    let _ = call(&project, &["check"]).output().exits(2);
}

#[test]
fn an_agent_cannot_accept_for_the_user() {
    let project = clone();
    let tries = ["trust", "trust --yes", "trust --revoke", "check --trust-project"];
    let emptied = "env -i PATH=$PATH HOME=$HOME XDG_STATE_HOME=$XDG_STATE_HOME";
    let mut body = String::new();
    for (how, line) in ["", emptied].iter().flat_map(|how| tries.map(|line| (*how, line))) {
        body += how;
        body += " \"$RALPH\" ";
        body += line;
        body += " >> $OUTSIDE/said 2>&1; echo \"exit $?\" >> $OUTSIDE/said\n";
    }
    let change = "sed -i s/agent.sh/evil.sh/ ralph.toml\n";
    project.agent(&format!("cat > /dev/null\n{change}{body}echo '<promise>DONE</promise>'"));
    let run = ["run", "do it", "--trust-project", "--judge", "", "--json"];
    let _ = call(&project, &run).env("RALPH", env!("CARGO_BIN_EXE_ralph")).output();
    let said = project.kept("said");
    assert_eq!(said.matches("an agent cannot call `").count(), 2 * tries.len(), "{said}");
    assert_eq!(said.matches("exit 1\n").count(), 2 * tries.len(), "{said}");
    let _ = call(&project, &["check"]).output().exits(2);

    // In a session without a loop, too.
    let left = call(&project, &["trust", "--yes"]).env("CLAUDE_CODE_SESSION_ID", "s-1");
    let said = left.output().exits(1).stderr;
    assert!(said.contains("ask the user to type `ralph trust` in a terminal"), "{said}");
}

#[test]
fn a_run_goes_on_with_the_settings_that_it_began_with_and_the_next_one_asks() {
    let project = clone();
    project.agent(
        "cat > /dev/null\nsed -i s/gate.sh/evil.sh/ ralph.toml\n\
         \"$RALPH\" check --wait > $OUTSIDE/checked 2>&1\n\
         git checkout -q ralph.toml\necho '<promise>DONE</promise>'",
    );
    let run = ["run", "do it", "--trust-project", "--judge", "", "--json"];
    let run = call(&project, &run).env("RALPH", env!("CARGO_BIN_EXE_ralph")).output();
    assert_eq!(run.ended()["status"], "success", "{}\n{}", run.stdout, run.stderr);
    let checked = project.kept("checked");
    assert!(checked.contains("custom-1  passed"), "{checked}");
    assert!(!checked.contains("accept"), "{checked}");
    let _ = call(&project, &["run", "do it"]).output().exits(2);
}

#[test]
fn a_project_in_which_the_user_ran_an_older_version_counts_as_it_is_now() {
    let project = clone();
    let _ = project.ralph(&["run", "do it", "--judge", ""]).output().exits(0);
    // An older version recorded nothing about what was accepted.
    let older = |name: &str| {
        let runs = fs::read_dir(project.root().join(".git/ralph/runs")).unwrap();
        runs.for_each(|run| fs::remove_file(run.unwrap().path().join(name)).unwrap());
    };
    fs::remove_dir_all(project.state().join("ralph/trust")).unwrap();
    let _ = call(&project, &["check"]).output().exits(2);
    older("settings/accepted");
    let _ = call(&project, &["check"]).output().exits(0);
    project.file("ralph.toml", settings("./other.sh"));
    let _ = call(&project, &["check"]).output().exits(2);
}

#[test]
fn a_linked_work_tree_counts_and_a_copy_or_a_project_inside_does_not() {
    let project = clone();
    let _ = call(&project, &["trust", "--yes"]).output().exits(0);
    let linked = project.outside("linked");
    project.run_git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let _ = call(&project, &["check"]).dir(&linked).output().exits(0);

    let copy = project.outside("copy");
    let copied = project.program("cp").args(["-r"]).args([&project.root(), &copy]);
    let _ = copied.output().exits(0);
    let _ = call(&project, &["check"]).dir(&copy).output().exits(2);
    // A copy that claims to be a work tree of the repository.
    fs::remove_dir_all(copy.join(".git")).unwrap();
    for place in [project.root().join(".git"), project.root().join(".git/worktrees/linked")] {
        fs::write(copy.join(".git"), format!("gitdir: {}\n", place.display())).unwrap();
        let _ = call(&project, &["check"]).dir(&copy).output().exits(2);
    }
    let inside = project.root().join("vendor/inside");
    fs::create_dir_all(&inside).unwrap();
    fs::write(inside.join("ralph.toml"), settings("./agent.sh")).unwrap();
    let init = project.program("git").args(["init", "-q"]).dir(&inside);
    let _ = init.output().exits(0);
    let _ = call(&project, &["check"]).dir(&inside).output().exits(2);
}

#[test]
fn a_hook_starts_nothing_of_the_project_and_tells_the_user_once_a_session() {
    let project = clone();
    project.file(
        "ralph.toml",
        format!("{}\n[hooks]\narm = \"every-session\"\n", settings("./agent.sh")),
    );
    let session = hooks::Session::new(&project, "s-1");
    let tell = |event: &str, facts: &Value| {
        hooks::answer(session.call(event, facts).env("RALPH_TRUSTED_FOLDERS", ""))
    };
    let begun = tell("SessionStart", &json!({ "source": "startup" }));
    let note = begun["systemMessage"].as_str().unwrap_or_default().replace('\n', " ");
    assert!(note.contains("names commands and rules that you have not accepted"), "{begun}");
    assert_eq!(tell("UserPromptSubmit", &json!({ "prompt": "explain this" })), Value::Null);
    assert_eq!(tell("PostToolUse", &session.edited("a.x")), Value::Null);
    assert_eq!(tell("Stop", &hooks::stop("It is a number.")), Value::Null);
    let asked = tell("UserPromptSubmit", &json!({ "prompt": "/ralph do it" }));
    assert!(asked.to_string().contains("you have not accepted"), "{asked}");
    assert_eq!(project.kept("ran"), "");
}
