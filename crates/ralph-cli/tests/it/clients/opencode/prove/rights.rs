//! What the agent of a session cannot do to its loop, and words that are read
//! as what they are.

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::json;

use crate::clients::opencode::stage::{DONE, GATE, Stage};

fn runs(command: &str) -> ModelTurn {
    ModelTurn::uses("bash", &json!({ "command": command, "description": "as scripted" }))
}

#[test]
fn an_agent_that_empties_a_test_can_neither_accept_that_nor_end_its_loop() {
    isolated(|| {
        let stage = Stage::saying([
            runs("sed -i 's/self.assertEqual.*/pass/' test_calc.py"),
            ModelTurn::says(DONE),
            runs("for word in 'allow test_calc.py' stop pause cancel; do ralph $word; done 2>&1"),
            runs("git checkout -q test_calc.py && sed -i s/-/+/ calc.py"),
            ModelTurn::says(DONE),
        ]);
        let test = "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    \
                    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
        stage.project.file("calc.py", "def add(a, b):\n    return a - b\n");
        stage.project.file("test_calc.py", test).run_git(&["add", "-A"]);
        stage.project.run_git(&["commit", "--quiet", "--message=python"]);
        let client = stage.start();
        let session = client.session("work");
        let task = "mend it --criteria \"custom:python3 -B -m unittest -v\"";
        client.submits(&session, "ralph", task);
        client.until_toast("held: test_calc.py");
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 2);
        let ruled = stage.heard(4);
        assert_eq!(ruled.matches("an agent cannot call").count(), 4, "{ruled}");
        let report = stage.project.ralph(&["report", "--json"]).output().exits(0).json();
        assert_eq!(report["refused_commands"].as_array().unwrap().len(), 4, "{report:#}");
        stage.api.is_over();
    });
}

#[test]
fn a_promise_with_words_behind_it_is_told_what_is_wrong_with_it() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::says("<promise>DONE</promise> and here is a summary."),
            ModelTurn::says(DONE),
        ]);
        let client = stage.start();
        let session = client.session("work");
        // A task may begin with the name of a command.
        client.command(&session, "ralph", "status of the build is red");
        client.until_toast("ralph report");
        stage.is("success/claimed", 2);
        assert_eq!(stage.run()["task"], "status of the build is red");
        assert!(stage.heard(2).contains("More text follows"), "{}", stage.heard(2));
        stage.api.is_over();
    });
}

#[test]
fn a_loop_that_an_abort_rested_counts_its_turns_on() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = ralph_testkit::TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("Never said.").held(&held),
            ModelTurn::says("Not yet."),
            runs("echo b > a"),
            ModelTurn::says(DONE),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.submits(&session, "ralph", &format!("make a hold b {GATE}"));
        held.is_begun();
        client.abort(&session);
        client.until_toast("/ralph resume");
        held.release();
        client.submits(&session, "ralph", "resume");
        client.until_toast("turn 2 of 10");
        client.until_toast("done after 3 turns: custom-1 passes");
        assert!(stage.heard(2).contains("[ralph, turn 2 of 10]"), "{}", stage.heard(2));
        assert!(stage.heard(3).contains("[ralph, turn 3 of 10]"), "{}", stage.heard(3));
        stage.api.is_over();
    });
}
