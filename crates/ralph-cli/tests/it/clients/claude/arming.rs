//! Loops that begin by themselves, where the user chose that.

use ralph_testkit::{ModelScript, ModelTurn, TurnHold, isolated};

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
        stage.api.then(ModelScript::new([
            ModelTurn::runs("head old.py"),
            ModelTurn::says("It imports a lot."),
        ]));
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
        stage.api.then(ModelScript::new([
            writes(&stage.project, "new.py", "def broken(:\n"),
            ModelTurn::says("I wrote it."),
            writes(&stage.project, "new.py", "def mended():\n    return 1\n"),
            ModelTurn::says("Now it can be read."),
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
fn a_test_that_an_edit_breaks_is_made_to_go_on_and_the_user_told_why() {
    isolated(|| {
        let stage = Stage::saying([]);
        let good = "def add(a, b):\n    return a + b\n";
        let test = "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    \
                    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
        stage.project.file("calc.py", good).file("test_calc.py", test);
        stage.project.file(
            "ralph.toml",
            "[run]\ncriteria = [\"test_pass\"]\n\n[hooks]\narm = \"on-errors\"\n",
        );
        stage.project.run_git(&["add", "-A"]);
        stage.project.run_git(&["commit", "--quiet", "--message=python"]);
        stage.api.then(ModelScript::new([
            writes(&stage.project, "calc.py", "def add(a, b):\n    return a - b  # quick\n"),
            ModelTurn::says("I made it faster."),
            writes(&stage.project, "calc.py", good),
            ModelTurn::says("As it was."),
        ]));
        let said = stage.session("make calc.py faster").output().exits(0);
        assert_eq!(said.result()["result"], "As it was.");
        stage.asked(4);
        let heard = stage.heard(3);
        assert!(heard.contains("test_add") && !heard.contains("run-00000000"), "{heard}");
        assert!(said.stdout.contains("after this turn 1 test fails, so the agent goes on"));
        assert_eq!(stage.run()["status"], "success", "{:#}", stage.run());
    });
}

#[test]
fn sessions_have_a_loop_each_where_every_session_begins_one() {
    isolated(|| {
        let stage = python("every-session", 0);
        let held = TurnHold::new(&stage.project, "first");
        let script = ModelScript::new([])
            .conversation(
                "talk to me",
                [ModelTurn::says("not yet").held(&held), ModelTurn::says(DONE)],
            )
            .conversation("sing to me", [ModelTurn::says("not yet"), ModelTurn::says(DONE)]);
        stage.api.then(script);
        let first = stage.session("talk to me").start();
        held.is_begun();
        let _ = stage.session("sing to me").output().exits(0);
        held.release();
        let _ = first.finish().exits(0);
        stage.asked(4);
        let runs = stage.project.ralph(&["runs", "--json"]).output().exits(0).json();
        let runs = runs["runs"].as_array().unwrap();
        assert!(runs.len() == 2 && runs.iter().all(|run| run["status"] == "success"), "{runs:#?}");
    });
}

#[test]
fn an_edit_that_breaks_nothing_is_left_alone() {
    isolated(|| {
        let stage = python("on-errors", 500);
        stage.api.then(ModelScript::new([
            writes(&stage.project, "new.py", "def whole():\n    return 1\n"),
            ModelTurn::says("I wrote it."),
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
        stage.api.then(ModelScript::new([ModelTurn::says("not yet"), ModelTurn::says(DONE)]));
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
        stage.api.then(ModelScript::new([
            writes(&stage.project, "new.py", "def broken(:\n"),
            ModelTurn::says("I wrote it."),
            writes(&stage.project, "new.py", "def mended():\n    return 1\n"),
            ModelTurn::says("Now it can be read."),
        ]));
        let said = stage.session("write new.py").output().exits(0);
        assert_eq!(said.result()["result"], "Now it can be read.");
        stage.asked(4);
    });
}
