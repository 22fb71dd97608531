//! Agents that are rows of a table, with programs that stand in for them.

use ralph_testkit::TestProject;

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
