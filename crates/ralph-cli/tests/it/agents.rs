//! Agents that are rows of a table, with programs that stand in for them.

use ralph_testkit::{CommandOutput, TestProject};

const GUIDE: &str = include_str!("../../../../docs/guide/agents.md");

fn project() -> TestProject {
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    project.file("a", "1\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

/// The example of the guide, with a program that speaks like it.
fn mine(body: &str) -> TestProject {
    let start = GUIDE.find("[agents.mine]").unwrap();
    let example = &GUIDE[start..start + GUIDE[start..].find("```").unwrap()];
    assert!(example.lines().count() <= 10, "{example}");
    let project = project();
    project.file("ralph.toml", example).script("mine.sh", body);
    project
}

#[test]
fn an_agent_is_added_with_ten_lines_of_the_guide() {
    let project = mine(
        r#"echo "$*" >> "$OUTSIDE/calls"
           cat > /dev/null
           echo '{"type":"system","subtype":"init","session_id":"s-1"}'
           if [ "$4" = s-1 ]; then
             echo b > a
             echo '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"path":"a"}}]}}'
           fi
           echo '{"type":"assistant","message":{"content":[{"type":"text","text":"<promise>DONE</promise>"}]}}'
           echo '{"type":"result","usage":{"input_tokens":10,"output_tokens":2}}'
           echo '{"type":"end","ok":true}'"#,
    );
    let args = ["run", "make a hold b", "--agent", "mine", "--json", "--max-iterations", "3"];
    let gate = ["--criteria", "custom:grep -q b a", "--context", "same"];
    let ran = project.ralph(&args).args(gate).output().exits(0).ends("success/verified", 2);
    assert_eq!(project.kept("calls"), "--json --edit\n--json --edit --continue s-1\n");
    assert_eq!(ran.ended()["cost"]["input_tokens"], 20, "{}", ran.stdout);
    assert_eq!(ran.values("agent_output", "kind"), ["text", "tool", "text"], "{}", ran.stdout);
}

#[test]
fn the_status_of_the_last_event_counts_whatever_the_exit_code_is() {
    for (end, told) in [
        (r#"{"type":"end","ok":false,"why":"the disk is full"}"#, "the disk is full"),
        ("", "ended without its last event"),
    ] {
        let project = mine(&format!(
            r#"cat > /dev/null
               echo '{{"type":"assistant","message":{{"content":[{{"type":"text","text":"<promise>DONE</promise>"}}]}}}}'
               echo '{end}'"#
        ));
        let args = ["run", "x", "--agent", "mine", "--json", "--max-iterations", "2"];
        let ran = project.ralph(&args).output();
        assert_ne!(ran.code, Some(0), "{}", ran.stdout);
        let report = project.ralph(&["report", "--json"]).output().stdout;
        assert!(format!("{}{report}", ran.stdout).contains(told), "{told}: {}", ran.stdout);
    }
}

#[test]
fn an_agent_that_nobody_knows_is_an_error_that_names_those_there_are() {
    let project = project();
    let ran = project.ralph(&["run", "x", "--agent", "codx"]).output().exits(2);
    assert!(ran.stderr.contains("`codx` is no agent"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `codex`?"), "{}", ran.stderr);
    project.file("ralph.toml", "[agents.codex]\nmode = \"wild\"\n");
    let ran = project.ralph(&["run", "x", "--agent", "codex"]).output().exits(2);
    assert!(ran.stderr.contains("ralph.toml:1: `agents.codex`: `wild`"), "{}", ran.stderr);
}

#[test]
fn an_agent_that_is_not_installed_says_how_to_install_it() {
    let project = project();
    let ran = project.ralph(&["run", "x", "--agent", "codex"]).env("PATH", "/usr/bin:/bin");
    let ran = ran.output().exits(2);
    assert!(ran.stderr.contains("npm install -g @openai/codex"), "{}", ran.stderr);
}

/// A project, and a folder that is the whole search path but for the system's.
fn with_agents(names: &[&str]) -> (TestProject, String) {
    let project = project();
    let folder = project.outside("bin");
    std::fs::create_dir_all(&folder).unwrap();
    for name in names {
        project.script("program", "cat > /dev/null 2>&1; echo \"agent version 1.2.3\"");
        std::fs::copy(project.root().join("program"), folder.join(name)).unwrap();
    }
    std::fs::remove_file(project.root().join("program")).ok();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    (project, path)
}

#[test]
fn the_installed_agents_are_listed_with_versions_and_signs_of_a_login() {
    let (project, path) = with_agents(&["codex", "pi"]);
    let table = "[agents.pi]\nprogram = \"./started.sh\"\n";
    project.file("ralph.toml", table).script("started.sh", "touch started; echo 9.9.9");
    let call = |more: &[&str]| {
        let args = [&["agents"], more].concat();
        project.ralph(&args).env("PATH", &path).env("CODEX_API_KEY", "k").output().exits(0)
    };
    let shown = call(&[]).stdout;
    assert!(shown.contains("codex") && shown.contains("1.2.3"), "{shown}");
    assert!(shown.contains("a key in CODEX_API_KEY"), "{shown}");
    assert!(!shown.contains("gemini"), "{shown}");
    let view = call(&["--json"]).json();
    let all = view["agents"].as_array().unwrap();
    let pi = all.iter().find(|agent| agent["name"] == "pi").unwrap();
    assert_eq!((&pi["of_project"], pi["version"].is_null()), (&true.into(), true), "{pi}");
    assert!(!project.root().join("started").exists(), "a program of the project was started");
    assert!(call(&["--all"]).stdout.contains("npm install -g @google/gemini-cli"));
}

#[test]
fn the_only_installed_agent_is_taken_and_of_several_one_must_be_named() {
    let (project, path) = with_agents(&["crush"]);
    let ran = project.ralph(&["run", "x", "--max-iterations", "1"]).env("PATH", &path).output();
    assert!(ran.stderr.contains("The agent is crush"), "{}", ran.stderr);
    let made = project.ralph(&["init", "--dry-run"]).env("PATH", &path).output().exits(0);
    assert!(made.stdout.contains("agent = \"crush\""), "{}", made.stdout);
    for (names, told) in [(&["crush", "pi"][..], "installed are crush, pi"), (&[], "--all")] {
        let (project, path) = with_agents(names);
        let ran = project.ralph(&["run", "x"]).env("PATH", &path).output().exits(2);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}

#[test]
fn the_matrix_of_the_readme_is_that_of_the_rows() {
    let readme = include_str!("../../../../README.md");
    assert!(readme.contains(&ralph_agents::agent_matrix()), "{}", ralph_agents::agent_matrix());
}

/// Runs an agent of the Agent Client Protocol that behaves like this.
fn over_acp(behaviour: &str, more: &[&str]) -> (TestProject, CommandOutput) {
    let project = project();
    let program = project.acp_agent();
    let table = format!(
        "[run]\nidle_timeout = \"3s\"\ngrace = \"2s\"\n[agents.scripted-acp]\nprogram = {program:?}\n\
         transport = \"acp\"\nargs = [\"{behaviour}\"]\nacp = {{ args = [\"{{args}}\"], dialect = \"acp\" }}\n"
    );
    let settings = project.outside("config/ralph/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(settings, table).unwrap();
    let args = ["run", "make a hold b", "--agent", "scripted-acp", "--json"];
    let gate = ["--criteria", "custom:grep -q b a", "--max-iterations", "2"];
    let ran = project.ralph(&args).args(gate).args(more).output();
    (project, ran)
}

#[test]
fn an_agent_of_the_protocol_is_driven_and_may_edit_files() {
    let (project, ran) = over_acp("good", &[]);
    let ran = ran.exits(0).ends("success/verified", 1);
    assert_eq!(project.read("a"), "1\nb\n");
    assert_eq!(ran.ended()["cost"]["input_tokens"], 100, "{}", ran.stdout);
}

#[test]
fn an_agent_of_the_protocol_that_misbehaves_ends_in_time_with_the_right_outcome() {
    for (behaviour, turn, told) in [
        ("garbage", "finished", ""),
        ("huge", "finished", ""),
        ("stubborn", "finished", ""),
        ("dies", "failed", "exited with code 3"),
        ("flood", "failed", "does not read what it is sent"),
        ("deaf", "idle_timeout", ""),
        ("mute", "idle_timeout", ""),
        ("silent", "idle_timeout", ""),
    ] {
        let began = std::time::Instant::now();
        let (_project, ran) = over_acp(behaviour, &[]);
        let turns = ran.values("iteration_ended", "turn");
        assert_eq!(turns.first().map(String::as_str), Some(turn), "{behaviour}: {}", ran.stdout);
        assert!(ran.stdout.contains(told), "{behaviour}: {}", ran.stdout);
        assert_eq!(ran.code == Some(0), turn == "finished", "{behaviour}: {}", ran.stdout);
        assert!(began.elapsed() < std::time::Duration::from_mins(1), "{behaviour}");
    }
}

#[test]
fn a_conversation_that_the_agent_forgot_begins_again() {
    let (_project, ran) =
        over_acp("forgets", &["--criteria", "custom:grep -q 'b.*' missing", "--context", "same"]);
    assert!(ran.stdout.contains("no longer knows the conversation"), "{}", ran.stdout);
    assert_eq!(ran.values("iteration_ended", "turn"), ["finished", "finished"], "{}", ran.stdout);
}
