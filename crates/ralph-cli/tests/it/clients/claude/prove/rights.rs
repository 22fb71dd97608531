//! What the agent of a session, and another session, cannot do to a loop, and
//! what is a task although it begins like a command.

use ralph_testkit::{ModelScript, ModelTurn, TurnHold, isolated};

use crate::clients::claude::stage::{DONE, Stage, notes};

#[test]
fn an_agent_that_bends_a_test_can_neither_accept_that_nor_end_its_loop() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::runs("sed -i 's/, 5/, -1/' test_calc.py; echo '[run' > ralph.toml"),
            ModelTurn::says(DONE),
            ModelTurn::runs(
                "for word in 'allow test_calc.py' stop pause cancel; do ralph $word; done",
            ),
            ModelTurn::runs(
                "rm ralph.toml; sed -i 's/, -1/, 5/' test_calc.py; sed -i s/-/+/ calc.py",
            ),
            ModelTurn::says(DONE),
        ]);
        let test = "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    \
                    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
        stage.project.file("calc.py", "def add(a, b):\n    return a - b\n");
        stage.project.file("test_calc.py", test).run_git(&["add", "-A"]);
        stage.project.run_git(&["commit", "--quiet", "--message=python"]);
        let prompt = "/ralph mend it --criteria \"custom:python3 -B -m unittest -v\"";
        let said = stage.session(prompt).output().exits(0);
        stage.is("success/verified", 2).asked(5);
        let refused = stage.heard(3);
        assert!(refused.contains("[ralph, turn 2 of 10]"), "{refused}");
        assert!(refused.contains("test_calc.py"), "{refused}");
        assert!(!refused.contains("improvement"), "no praise: {refused}");
        let ruled = stage.heard(4);
        assert_eq!(ruled.matches("an agent cannot call").count(), 4, "{ruled}");
        let notes = notes(&said);
        for told in ["held: test_calc.py", "keeps those it began with", "custom-1 passes"] {
            assert!(notes.contains(told), "{told}: {notes}");
        }
        let report = stage.project.ralph(&["report", "--json"]).output().exits(0).json();
        assert_eq!(report["refused_commands"].as_array().unwrap().len(), 4, "{report:#}");
    });
}

#[test]
fn a_command_in_another_session_names_the_loop_and_leaves_it_alone() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        let turns = [ModelTurn::says("Not yet.").held(&hold), ModelTurn::says(DONE)];
        stage.api.then(ModelScript::new(turns));
        let running = stage.session("/ralph go round and round").start();
        hold.is_begun();
        let other = stage.session("/cancel-ralph").output().exits(0);
        assert!(other.stdout.contains("belongs to another session"), "{}", other.stdout);
        stage.is("running", 1);
        hold.release();
        let _ = running.finish().exits(0);
        stage.is("success/claimed", 2).asked(2);
    });
}

#[test]
fn a_task_may_begin_like_a_command_and_a_long_one_is_not_said_again() {
    isolated(|| {
        let stage = Stage::saying([]);
        let long = format!("help text is wrong{}", ", and so is this".repeat(60));
        for task in ["stop the server from leaking", "resume upload support", &long] {
            stage.api.then(ModelScript::new([ModelTurn::says(DONE)]));
            let before = stage.api.main().len();
            let _ = stage.session(&format!("/ralph {task}")).output().exits(0);
            stage.is("success/claimed", 1);
            assert_eq!(stage.run()["task"], *task);
            let heard = stage.heard(before + 1);
            // The client shows what was typed: what is long is not said again.
            let (_, ours) = heard.split_once("hook additional context: ").unwrap();
            assert_eq!(ours.contains(task), *task != *long, "{heard}");
        }
        let said = stage.session("/ralph read @nowhere.txt").output().exits(0);
        assert!(said.stdout.contains("nowhere.txt"), "{}", said.stdout);
        stage.asked(3);
    });
}
