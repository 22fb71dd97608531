//! Loops under the hands of a person, and a `ralph` that does not answer.

use std::fs;
use std::time::{Duration, Instant};

use ralph_testkit::{ModelScript, ModelTurn, TurnHold, isolated};

use crate::clients::opencode::stage::{DONE, Stage, writes};

#[test]
fn commands_during_a_turn_are_answered_beside_it_and_lose_no_promise() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says(DONE).held(&hold),
            ModelTurn::says("It is running."),
            ModelTurn::says("No such command."),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.submits(&session, "ralph", "go round and round");
        hold.is_begun();
        client.submits(&session, "ralph", "resume");
        client.until_toast("nothing to resume");
        client.submits(&session, "ralph", "report");
        client.until_toast("go round and round");
        hold.release();
        client.until_toast("done after 1 turn");
        stage.is("success/claimed", 1);
    });
}

#[test]
fn a_ralph_that_hangs_holds_up_no_message() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage
            .api
            .then(ModelScript::new([ModelTurn::says("Hello."), ModelTurn::says("Hello again.")]));
        let plugin = ".opencode/plugins/ralph.ts";
        let slow = stage.project.outside("slow.sh");
        fs::write(&slow, "#!/bin/sh\nexec sleep 600\n").unwrap();
        #[cfg(unix)]
        fs::set_permissions(&slow, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let text = stage.project.read(plugin);
        let line = text.lines().find(|line| line.starts_with("const COMMAND")).unwrap();
        let call = format!("const COMMAND = [{:?}]", slow.to_str().unwrap());
        stage.project.file(plugin, text.replace(line, &call));
        let client = stage.start();
        let session = client.session("talk");
        let since = Instant::now();
        client.says(&session, "hello");
        client.until_toast("goes on without it: no answer within 5 s");
        assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
        stage.api.until_asked(1);
        client.says(&session, "hello again");
        stage.api.until_asked(2);
        stage.api.is_over();
        assert_eq!(client.toasts("goes on without it"), 1);
    });
}

#[test]
fn a_turn_that_weakens_a_test_is_refused_without_praise_and_the_user_told() {
    isolated(|| {
        let stage = Stage::saying([]);
        let test = |mark: &str| {
            format!(
                "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        \
                 self.assertEqual(1, 1)\n\n{mark}    def test_a(self):\n        \
                 self.assertIn('b', open('a').read())\n"
            )
        };
        stage.project.file("test_a.py", test("")).run_git(&["add", "-A"]);
        stage.project.run_git(&["commit", "--quiet", "--message=tests"]);
        stage.api.then(ModelScript::new([
            writes(&stage.project, "test_a.py", &test("    @unittest.skip('flaky')\n")),
            ModelTurn::says(DONE),
            writes(&stage.project, "test_a.py", &test("")),
            writes(&stage.project, "a", "b\n"),
            ModelTurn::says(DONE),
        ]));
        let client = stage.start();
        let session = client.session("work");
        let task = "fix it --criteria \"custom:python3 -m unittest -v\"";
        client.submits(&session, "ralph", task);
        client.until_toast("A change of the checks is held");
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 2);
        let refused = stage.heard(3);
        assert!(refused.starts_with("[ralph, turn 2 of "), "{refused}");
        assert!(refused.contains("tests or checks were changed"), "{refused}");
        assert!(!refused.contains("improvement"), "{refused}");
    });
}
