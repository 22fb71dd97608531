//! Secrets in captured text, wherever it goes.
//!
//! They are put together at run time, so that none stands in this file.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use ralph_testkit::{CommandOutput, TestProject, TurnHold};

use crate::{git, plain};

/// A token in the form of a well-known service.
fn token() -> String {
    format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36])
}

/// What every line of a private key's body holds.
const BODY: &str = "qLmNbVcXzAsDfGhJkL";

/// A private key with a body of so many lines.
fn private_key(lines: u32) -> String {
    let armour = |word: &str| format!("-----{word} RSA {} KEY-----\n", "PRIVATE");
    let mut text = armour("BEGIN");
    for line in 0..lines {
        let _ = writeln!(text, "{BODY}{line:032x}pOiUyTrEwQ");
    }
    text + &armour("END")
}

/// Everything that is kept in the files of a folder, logs unpacked.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
pub(crate) fn contents(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &contents(&path);
            continue;
        }
        let bytes = match path.extension() {
            Some(end) if end == "gz" => {
                Command::new("gzip").arg("-dc").arg(&path).output().unwrap().stdout
            }
            Some(_) | None => fs::read(&path).unwrap(),
        };
        let _ = writeln!(text, "== {} ==\n{}", path.display(), String::from_utf8_lossy(&bytes));
    }
    text
}

/// Checks that a run said and kept nothing with `secret` in it.
#[track_caller]
pub(crate) fn is_nowhere(
    secret: &str,
    project: &TestProject,
    output: &CommandOutput,
    state: &Path,
) {
    let read = |args: &[&str]| project.ralph(args).output().exits(0).stdout;
    let places = [
        ("its words", output.stdout.clone() + &output.stderr),
        ("status", read(&["status", "--json"])),
        ("report", read(&["report"]) + &read(&["report", "--json"])),
        ("the last prompt", project.kept("prompt")),
        ("state", contents(state)),
    ];
    for (place, text) in places {
        let line = text.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "in {place}");
    }
}

/// Runs an agent that writes `first` and, once that was read, `then`; gives
/// all text that the stream shows of it.
#[track_caller]
fn shown_in_two_pieces(first: &str, then: &str) -> String {
    let project = plain();
    let hold = TurnHold::new(&project, "agent");
    let holds = hold.script("").replace("echo holding", &format!("printf 'holding\\n{first}'"));
    project.agent(&format!("{holds}printf '{then}\\n'\necho '<promise>DONE</promise>'"));
    let mut running = project.run_call("do it", &[]).start();
    running.until_held();
    hold.release();
    let output = running.finish().exits(0).ends("success/claimed", 1);
    output.values("agent_output", "text").concat()
}

#[test]
fn a_token_that_comes_in_two_pieces_is_not_shown() {
    let token = token();
    let (first, then) = token.split_at(18);
    let shown = shown_in_two_pieces(&format!("tok {first}"), then);
    assert!(shown.contains("tok [redacted:") && shown.contains("DONE"), "{shown}");
    assert!(!shown.contains(first) && !shown.contains(then), "{shown}");
}

#[test]
fn a_character_that_comes_in_two_pieces_is_shown_whole() {
    let shown = shown_in_two_pieces(r"caf\303", r"\251 \360\237\246\200");
    assert!(shown.contains("café 🦀\n"), "{shown}");
}

#[test]
fn a_token_on_the_error_stream_is_not_kept_or_repeated() {
    let project = git();
    let said = format!("cat > $OUTSIDE/prompt; echo 'bad token {}' >&2; exit 1", token());
    project.agent(&said);
    let args = ["run", "do it", "--agent-cmd", "./agent.sh"];
    let output = project.ralph(&args).output().exits(1);
    assert!(output.stdout.contains("bad token [redacted:"), "{}", output.stdout);
    assert!(project.kept("prompt").contains("bad token [redacted:"));
    is_nowhere(&token()[..12], &project, &output, &project.root().join(".git/ralph"));
}

#[test]
fn a_token_at_the_end_of_what_is_quoted_is_not_cut_into_view() {
    let project = plain();
    let lead = "x".repeat(170);
    project.agent(&format!("cat > $OUTSIDE/prompt; echo '{lead} {}' >&2; exit 1", token()));
    let output = project.run_json("do it", &[]).exits(1).ends("failed/agent_error", 3);
    is_nowhere(&token()[..12], &project, &output, &project.state());
}

/// Runs an agent that prints a key of so many lines, with a line on the error
/// stream in between, and ends like this.
#[track_caller]
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn key_is_nowhere(lines: u32, end: &str) {
    let project = plain();
    fs::write(project.outside("key"), private_key(lines)).unwrap();
    project.agent(&format!(
        "cat > $OUTSIDE/prompt\nhead -n 20 $OUTSIDE/key\necho 'A line in between.' >&2\n\
         tail -n +21 $OUTSIDE/key\n{end}"
    ));
    let output = project.run_json("do it", &["--max-iterations", "2"]).exits(1);
    is_nowhere(BODY, &project, &output, &project.state());
}

#[test]
fn a_private_key_is_not_kept_with_another_stream_in_between() {
    key_is_nowhere(40, "exit 0");
}

#[test]
fn a_private_key_longer_than_what_is_kept_leaves_nothing_behind() {
    key_is_nowhere(5_000, "exit 0");
}

#[test]
fn a_private_key_on_the_error_stream_is_not_quoted() {
    key_is_nowhere(40, "head -n 30 $OUTSIDE/key >&2; exit 1");
}

#[test]
fn a_private_key_in_a_gates_output_leaves_nothing_behind() {
    let project = plain();
    fs::write(project.outside("key"), private_key(400)).unwrap();
    project.agent("cat > $OUTSIDE/prompt; echo going on");
    let prints =
        "head -n 9 $OUTSIDE/key; echo 'A line in between.' >&2; tail -n +10 $OUTSIDE/key; false";
    let gate = format!("custom:sh:{prints}");
    let more = ["--criteria", gate.as_str(), "--max-iterations", "2"];
    let output = project.run_json("do it", &more).exits(1);
    is_nowhere(BODY, &project, &output, &project.state());
}
