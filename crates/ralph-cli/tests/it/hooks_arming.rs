//! Loops that begin by themselves inside a host, and what ends while they begin.

use ralph_testkit::{TestProject, TurnHold};
use serde_json::{Value, json};

use crate::hooks::{Session, answer, goes_on, stop};
use crate::opencode;

/// A project whose linter finds an error in every line with `BAD`.
pub(crate) fn linted(arm: &str) -> TestProject {
    let project = crate::git();
    project.script(
        "lint.sh",
        "found=$(grep -n BAD *.txt /dev/null | sed 's/:BAD.*/: error: bad line/')\n\
         test -z \"$found\" || { echo \"$found\"; exit 1; }",
    );
    project.file(
        "ralph.toml",
        format!(
            "[hooks]\narm = \"{arm}\"\n\n[gates.lint_clean]\ncommand = \"./lint.sh\"\nformat = \"text\"\n"
        ),
    );
    project.file("old.txt", bad_lines(500)).file("new.txt", "fine\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

fn bad_lines(count: u32) -> String {
    let lines: Vec<String> = (0..count).map(|number| format!("BAD old {number}\n")).collect();
    lines.concat()
}

/// Lets the agent write a file, before and after as the host tells it.
fn write(session: &Session<'_>, file: &str, text: &str) {
    let facts = json!({
        "tool_name": "Write", "tool_use_id": "t",
        "tool_input": { "file_path": session.project.root().join(file), "content": text },
    });
    assert_eq!(session.tell("PreToolUse", &facts), Value::Null);
    session.project.file(file, text);
    session.edit(file);
}

#[test]
fn with_on_errors_a_turn_that_only_talks_is_not_continued() {
    let project = linted("on-errors");
    let session = Session::new(&project, "s-1");
    assert_eq!(session.prompt("explain this file"), Value::Null);
    assert_eq!(session.stop("It holds 500 old findings."), Value::Null);
    assert_eq!(session.run(), Value::Null);
}

#[test]
fn with_on_errors_an_edit_that_breaks_something_is_continued_until_it_is_repaired() {
    let project = linted("on-errors");
    let session = Session::new(&project, "s-1");
    session.prompt("improve new.txt");
    write(&session, "new.txt", "fine\nBAD new\n");
    let said = session.stop("Improved.");
    let reason = goes_on(&said);
    assert!(reason.contains("AUTO-CONTINUE") && reason.contains("new.txt:2"), "{reason}");
    assert!(!reason.contains("old.txt"), "{reason}");
    session.is("running", 2);
    project.file("new.txt", "fine\nbetter\n");
    session.edit("new.txt");
    assert_eq!(session.stop("Repaired.")["decision"], Value::Null);
    session.is("success/verified", 2);
}

#[test]
fn with_on_errors_an_edit_that_breaks_nothing_new_is_left_alone() {
    let project = linted("on-errors");
    let session = Session::new(&project, "s-1");
    session.prompt("improve old.txt");
    write(&session, "old.txt", &bad_lines(400));
    assert_eq!(session.stop("Better, though not good."), Value::Null);
    assert_eq!(session.run(), Value::Null);
}

/// A project whose tests fail if a file has `BAD` in it, and which has no linter.
fn tested(gate: &str) -> TestProject {
    let project = crate::git();
    project.script("test.sh", "! grep -q BAD code.txt || { echo 'not ok 1 - reads'; exit 1; }");
    project.file("ralph.toml", format!("[hooks]\narm = \"on-errors\"\n{gate}"));
    project.file("code.txt", "fine\n").run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

#[test]
fn with_on_errors_a_test_that_an_edit_breaks_is_continued_without_any_linter() {
    let gate = "\n[gates.test_pass]\ncommand = \"./test.sh\"\n";
    for settings in [gate.to_owned(), format!("\n[run]\ncriteria = [\"test_pass\"]\n{gate}")] {
        let project = tested(&settings);
        let session = Session::new(&project, "s-1");
        assert_eq!(session.prompt("improve code.txt"), Value::Null, "a test can begin a loop");
        write(&session, "code.txt", "BAD\n");
        let said = session.stop("Improved.");
        assert!(goes_on(&said).contains("test_pass"), "{said}");
        let told = said["systemMessage"].as_str().unwrap();
        assert!(told.contains("goes on"), "{told}");
        project.file("code.txt", "better\n");
        session.edit("code.txt");
        assert_eq!(session.stop("Repaired.")["decision"], Value::Null);
        session.is("success/verified", 2);
    }
}

#[test]
fn with_on_errors_what_can_be_exploited_is_found_and_that_nothing_else_can_be_is_said() {
    for (locale, words) in
        [("en", "only the security scan can begin a loop"), ("ko", "보안 검사만")]
    {
        let project = crate::git();
        let settings = format!("[run]\nlocale = \"{locale}\"\n\n[hooks]\narm = \"on-errors\"\n");
        project.file("ralph.toml", settings).run_git(&["add", "-A"]);
        project.run_git(&["commit", "-qm", "start"]);
        let session = Session::new(&project, "s-1");
        let told = session.prompt("write code.py");
        let told = told["systemMessage"].as_str().unwrap_or_default();
        assert!(told.contains(words) && told.contains("[gates.lint_clean]"), "{told}");
        assert!(told.chars().count() <= 200, "{told}");
        write(&session, "code.py", "def f(x):\n    return eval(x)\n");
        let said = session.stop("Written.");
        assert!(goes_on(&said).contains("code.py:2"), "{said}");
        project.file("code.py", "def f(x):\n    return x\n");
        session.edit("code.py");
        assert_eq!(session.stop("Repaired.")["decision"], Value::Null);
        assert_eq!(session.prompt("thanks"), Value::Null, "it is said once");
    }
}

#[test]
fn with_on_errors_what_breaks_elsewhere_counts_only_if_the_whole_project_does() {
    for (scope, continues) in [("edited", false), ("project", true)] {
        let project = linted("on-errors");
        let settings = project.read("ralph.toml");
        let scoped = settings.replace("[hooks]\n", &format!("[hooks]\nscope = \"{scope}\"\n"));
        project.file("ralph.toml", scoped);
        let session = Session::new(&project, "s-1");
        session.prompt("improve new.txt");
        write(&session, "new.txt", "better\n");
        project.file("generated.txt", "BAD generated\n");
        let said = session.stop("Improved.");
        assert_eq!(said["decision"] == "block", continues, "{scope}: {said}");
    }
}

#[test]
fn loops_that_nobody_asked_for_stand_down_for_others() {
    let project = linted("on-errors");
    let session = Session::new(&project, "s-1");
    session.prompt("/goal make it pass");
    session.prompt("improve new.txt");
    write(&session, "new.txt", "BAD\n");
    assert_eq!(session.stop("Improved."), Value::Null);
    let other = Session::new(&project, "s-2");
    project.file(".claude/ralph-loop.local.md", "active: true\n");
    other.prompt("improve new.txt");
    write(&other, "new.txt", "BAD\nBAD\n");
    assert_eq!(other.stop("Improved."), Value::Null);
    assert_eq!(session.run(), Value::Null);
}

#[test]
fn with_every_session_the_first_message_is_the_task() {
    let project = linted("every-session");
    let session = Session::new(&project, "s-1");
    assert_eq!(session.prompt("/help"), Value::Null);
    let armed = session.prompt("write a poem");
    let context = armed["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("<promise>DONE</promise>"), "{context}");
    goes_on(&session.stop("A poem."));
    assert_eq!(session.stop("Done.\n\n<promise>DONE</promise>")["decision"], Value::Null);
    session.is("success/claimed", 2);
    assert_eq!(session.prompt("and now a second one"), Value::Null);
    assert_eq!(session.stop("Another poem."), Value::Null);
}

#[test]
fn the_installation_decides_where_the_settings_do_not() {
    let project = crate::git();
    let session = Session::new(&project, "s-1");
    let prompt = json!({ "prompt": "write a poem" });
    let call = session.call("UserPromptSubmit", &prompt);
    assert_eq!(answer(call), Value::Null);
    let armed = answer(session.call_with(&["--arm=every-session"], "UserPromptSubmit", &prompt));
    assert!(armed["systemMessage"].is_string(), "{armed}");
    session.prompt("/ralph stop");
    project.file("ralph.toml", "[hooks]\narm = \"manual\"\n");
    let other = Session::new(&project, "s-2");
    let call = other.call_with(&["--arm=every-session"], "UserPromptSubmit", &prompt);
    assert_eq!(answer(call), Value::Null);
    assert_eq!(other.tell("Stop", &stop("A poem.")), Value::Null);
}

#[test]
fn an_answer_that_ends_while_a_loop_is_resumed_is_no_turn_of_it() {
    let project = opencode::project();
    let hold = TurnHold::new(&project, "gate");
    let mark = project.outside("mark");
    let once = format!("[ -e '{0}' ] && {{ rm '{0}'\n{1}}}", mark.display(), hold.script(""));
    project.script("gate.sh", &format!("{once}\ngrep -q b a"));
    let session = opencode::Session::new(&project, "ses_1");
    session.command("make a hold b --max-iterations 6 --criteria custom:./gate.sh");
    session.breaks("msg_1", &json!({ "name": "MessageAbortedError" }));
    session.is("paused/aborted", 1);
    std::fs::write(&mark, "").unwrap();
    let facts = json!({ "command": "ralph", "arguments": "resume" });
    let resuming = session.call("command.execute.before", &facts).start();
    hold.is_begun();
    assert_eq!(session.idle("msg_2", "It is a file."), Value::Null);
    hold.release();
    let _ = resuming.finish().exits(0);
    opencode::goes_on(&session.idle("msg_3", "Not yet."));
    session.is("running", 3);
}
