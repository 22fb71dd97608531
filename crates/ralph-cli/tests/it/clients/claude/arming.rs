//! Loops that begin by themselves, where the user chose that.

use ralph_testkit::{Script, Turn, isolated};

use crate::clients::claude::stage::{DONE, Stage, standing, writes};

/// A project in Python with as many findings of its linter.
fn python(arm: &str, findings: usize) -> Stage {
    let stage = Stage::saying([]);
    let imports =
        (0..findings).map(|n| format!("import module_{n}")).collect::<Vec<_>>().join("\n");
    stage.project.file("old.py", imports);
    stage
        .project
        .file("pyproject.toml", "[project]\nname = \"a\"\nversion = \"1\"\n\n[tool.ruff]\n");
    if !arm.is_empty() {
        stage.project.file("ralph.toml", format!("[hooks]\narm = \"{arm}\"\n"));
    }
    stage.project.run_git(&["add", "-A"]);
    stage.project.run_git(&["commit", "--quiet", "--message=python"]);
    stage
}

#[test]
fn a_question_about_a_project_full_of_old_findings_is_answered_once() {
    isolated(|| {
        let stage = python("on-errors", 500);
        stage.api.then(Script::new([Turn::runs("head old.py"), Turn::says("It imports a lot.")]));
        let said = stage.session("explain this file").output().exits(0);
        assert_eq!(said.result()["result"], "It imports a lot.");
        stage.asked(2);
        assert_eq!(standing(&stage.run()), "none");
    });
}

#[test]
fn an_edit_that_breaks_something_is_made_to_go_on() {
    isolated(|| {
        let stage = python("on-errors", 500);
        stage.api.then(Script::new([
            writes(&stage.project, "new.py", "def broken(:\n"),
            Turn::says("I wrote it."),
            writes(&stage.project, "new.py", "def mended():\n    return 1\n"),
            Turn::says("Now it can be read."),
        ]));
        let said = stage.session("write new.py").output().exits(0);
        assert_eq!(said.result()["result"], "Now it can be read.");
        stage.asked(4);
        assert!(stage.heard(3).contains("new.py"), "{}", stage.heard(3));
        assert!(!stage.heard(3).contains("old.py"), "{}", stage.heard(3));
        assert_eq!(stage.run()["status"], "success", "{:#}", stage.run());
    });
}

#[test]
fn an_edit_that_breaks_nothing_is_left_alone() {
    isolated(|| {
        let stage = python("on-errors", 500);
        stage.api.then(Script::new([
            writes(&stage.project, "new.py", "def whole():\n    return 1\n"),
            Turn::says("I wrote it."),
        ]));
        let _ = stage.session("write new.py").output().exits(0);
        stage.asked(2);
        assert_eq!(standing(&stage.run()), "none");
    });
}

#[test]
fn the_first_message_of_every_session_is_a_task_where_the_user_chose_that() {
    isolated(|| {
        let stage = python("every-session", 0);
        stage.api.then(Script::new([Turn::says("not yet"), Turn::says(DONE)]));
        let _ = stage.session("talk to me").output().exits(0);
        stage.asked(2);
        let run = stage.run();
        assert_eq!((&run["task"], &run["status"]), (&"talk to me".into(), &"success".into()));
    });
}

#[test]
fn an_installation_that_arms_on_errors_notices_what_an_edit_breaks() {
    isolated(|| {
        let stage = python("", 3);
        let install = ["install", "claude-code", "--arm", "on-errors"];
        let _ = stage.project.ralph(&install).output().exits(0);
        stage.api.then(Script::new([
            writes(&stage.project, "new.py", "def broken(:\n"),
            Turn::says("I wrote it."),
            writes(&stage.project, "new.py", "def mended():\n    return 1\n"),
            Turn::says("Now it can be read."),
        ]));
        let said = stage.session("write new.py").output().exits(0);
        assert_eq!(said.result()["result"], "Now it can be read.");
        stage.asked(4);
    });
}
