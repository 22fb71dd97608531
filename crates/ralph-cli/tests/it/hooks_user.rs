//! What the user of a session is told, and when the loop waits for the user.

use serde_json::{Value, json};

use crate::hooks::{GATED, Session, answer, goes_on, project, stop};

fn note(answer: &Value) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

#[test]
fn an_agent_that_plans_is_not_pushed_on() {
    let project = project();
    let session = Session::new(&project, "s-1");
    session.prompt(GATED);
    let mut planned = stop("Here is my plan.");
    planned["permission_mode"] = json!("plan");
    let said = session.tell("Stop", &planned);
    assert!(said["decision"].is_null() && note(&said).contains("plan mode"), "{said}");
    session.is("waiting/human", 1);
    session.prompt("do it");
    session.is("running", 1);
    goes_on(&session.stop("Not yet."));
}

#[test]
fn a_question_waits_for_a_user_who_is_there() {
    let project = project();
    let question = stop("Two ways are possible. Which one do you want?");
    let asks = |name: &str, attended: &str| {
        let session = Session::new(&project, name);
        session.prompt(GATED);
        let call = session.call("Stop", &question);
        let said = answer(call.env("CLAUDE_CODE_SESSION_ATTENDED", attended));
        let standing = session.run()["status"].as_str().unwrap().to_owned();
        (said, standing)
    };
    let (said, standing) = asks("s-1", "0");
    assert_eq!((said["decision"].as_str(), standing.as_str()), (Some("block"), "running"));
    Session::new(&project, "s-1").prompt("/cancel-ralph");
    let (said, standing) = asks("s-2", "1");
    assert_eq!((said["decision"].as_str(), standing.as_str()), (None, "waiting"), "{said}");
    assert!(note(&said).contains("Which one do you want?"), "{said}");
    let session = Session::new(&project, "s-2");
    let told = session.prompt("the first one");
    let context = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert!(!context.contains("Nobody"), "{context}");
    session.is("running", 2);
}

#[test]
fn the_user_is_told_that_checks_pass_already() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let begun = session.prompt("/ralph tidy up --criteria \"custom:grep -q 1 a\"");
    assert!(note(&begun).contains("The checks pass already"), "{begun}");
}

#[test]
fn the_user_is_told_when_a_check_is_made_weaker() {
    let project = project();
    let skipped = |mark: &str| {
        format!(
            "import unittest\n\n\nclass T(unittest.TestCase):\n{mark}    def test_a(self):\n        self.assertIn('b', open('a').read())\n"
        )
    };
    project.file("test_a.py", skipped("")).run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "tests"]);
    let session = Session::new(&project, "s-1");
    session.prompt("/ralph fix it --criteria \"custom:python3 -m unittest -q\"");
    project.file("test_a.py", skipped("    @unittest.skip('flaky')\n"));
    session.edit("test_a.py");
    let refused = session.stop("Done.\n\n<promise>DONE</promise>");
    goes_on(&refused);
    assert!(note(&refused).contains("A change of the checks is held: test_a.py"), "{refused}");
}

#[test]
fn a_command_is_answered_where_ralph_is_switched_off() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let said = session.call("UserPromptSubmit", &json!({ "prompt": "/ralph fix it" }));
    let said = answer(said.env("RALPH_DISABLE", "1"));
    assert!(goes_on(&said).contains("switched off by RALPH_DISABLE"), "{said}");
    let silent = session.call("UserPromptSubmit", &json!({ "prompt": "fix it" }));
    assert_eq!(answer(silent.env("RALPH_DISABLE", "1")), Value::Null);
    assert_eq!(session.run(), Value::Null);
}

#[test]
fn a_path_that_is_not_there_begins_no_loop() {
    let project = project();
    let session = Session::new(&project, "s-1");
    let said = session.prompt("/ralph tidy @b");
    assert!(goes_on(&said).contains("`@b` names no file"), "{said}");
    assert!(session.prompt("/ralph tidy @a")["systemMessage"].is_string());
}
