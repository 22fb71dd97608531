//! A loop in one session, from `/ralph` to its end.

use ralph_testkit::{ModelScript, ModelTurn, TurnHold, isolated};
use serde_json::json;

use crate::clients::claude::stage::{DONE, GATE, Stage, notes, writes};

#[test]
fn a_loop_goes_on_until_its_promise_is_verified() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage.api.then(ModelScript::new([
            ModelTurn::says("I looked around."),
            writes(&stage.project, "made", "c\n"),
            ModelTurn::says("I wrote a c."),
            ModelTurn::says("I think about it."),
            ModelTurn::says("I know it now."),
            writes(&stage.project, "made", "b\n"),
            ModelTurn::says(DONE),
        ]));
        let prompt = "/ralph make a b --criteria \"custom:grep -q b made\"";
        let said = stage.session(prompt).output().exits(0);
        assert_eq!(said.result()["result"], DONE);
        stage.is("success/verified", 5).asked(7);
        assert!(stage.heard(1).contains("make a b"), "{}", stage.heard(1));
        for request in [2, 4, 5, 6] {
            assert!(stage.heard(request).contains("Stop hook feedback"), "{request}");
        }
        assert!(notes(&said).contains("custom-1 passes"), "{}", said.stdout);
    });
}

#[test]
fn a_false_promise_is_answered_with_the_test_that_fails() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::says(DONE),
            ModelTurn::runs("touch fixed"),
            ModelTurn::says(DONE),
        ]);
        stage.project.script(
            "check.sh",
            "echo 1..1\n[ -e fixed ] && echo 'ok 1 - adds two numbers' && exit\n\
             echo 'not ok 1 - adds two numbers'\nexit 1",
        );
        let prompt = "/ralph mend it --criteria custom:./check.sh";
        let said = stage.session(prompt).output().exits(0);
        stage.is("success/verified", 2).asked(3);
        let heard = stage.heard(2);
        assert!(heard.contains("adds two numbers"), "{heard}");
        assert_eq!(said.result()["is_error"], false);
    });
}

#[test]
fn the_plugin_runs_a_quick_suite_inside_its_hooks() {
    isolated(|| {
        let stage = Stage::bare(ModelScript::new([
            ModelTurn::says(DONE),
            ModelTurn::runs("touch fixed"),
            ModelTurn::says("It should hold now."),
        ]));
        stage.project.script(
            "check.sh",
            "echo x >> \"$OUTSIDE/runs\"\necho 1..1\n\
             [ -e fixed ] && echo 'ok 1 - adds two numbers' && exit\n\
             echo 'not ok 1 - adds two numbers'\nexit 1",
        );
        let gate =
            "[run]\ncriteria = [\"test_pass\"]\n\n[gates.test_pass]\ncommand = \"./check.sh\"\n";
        stage.project.file("ralph.toml", gate);
        let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/claude-code");
        let session = stage.session("/ralph:ralph mend it").args(["--plugin-dir", plugin]);
        let said = session.output().exits(0);
        assert_eq!(said.result()["result"], "It should hold now.");
        // What failed before the first turn passes, so no claim is needed.
        stage.is("success/verified", 2).asked(3);
        assert_eq!(stage.run()["baseline"]["failed"], json!(["test_pass"]));
        let heard = stage.heard(2);
        assert!(
            heard.contains("Not done yet: test_pass fails (1 test, the same as before)."),
            "{heard}"
        );
        assert!(heard.contains("adds two numbers"), "{heard}");
        assert_eq!(stage.project.kept("runs").lines().count(), 3);
    });
}

#[test]
fn a_suite_that_is_slower_than_its_hook_is_left_to_the_agent() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::says(DONE),
            ModelTurn::runs("echo > \"$OUTSIDE/leave\" & ralph check --wait"),
            ModelTurn::says(DONE),
        ]);
        stage.hooks_within(6);
        let made = format!("mkfifo '{}'", stage.project.outside("leave").display());
        assert!(std::process::Command::new("sh").args(["-c", &made]).status().unwrap().success());
        stage.project.script("check.sh", "read _ < \"$OUTSIDE/leave\"");
        let prompt = "/ralph go on --criteria custom:./check.sh";
        let said = stage.session(prompt).output().exits(0);
        assert_eq!(said.result()["result"], DONE);
        stage.is("success/claimed", 2).asked(3);
        let heard = stage.heard(2);
        assert!(heard.contains("custom-1 has no result"), "{heard}");
        assert!(heard.contains("ralph check --wait"), "{heard}");
        assert_eq!(stage.run()["baseline"]["failed"], json!([]));
    });
}

#[test]
fn twelve_turns_without_a_tool_are_no_trouble_with_the_cap_lifted() {
    isolated(|| {
        let turn = |n| {
            if n < 13 { ModelTurn::says(&format!("thought {n}")) } else { ModelTurn::says(DONE) }
        };
        let stage = Stage::new(ModelScript::endless(turn));
        let _ = stage.session("/ralph think twelve times --max-iterations 20").output().exits(0);
        stage.is("success/claimed", 13).asked(13);
    });
}

#[test]
fn a_loop_that_the_hosts_cap_ends_is_not_called_done() {
    isolated(|| {
        let stage = Stage::new(ModelScript::endless(|n| ModelTurn::says(&format!("thought {n}"))));
        stage.hooks(stage.project.binary(), &json!({}));
        let said = stage.session("/ralph think --max-iterations 20").output().exits(0);
        // The host lets an agent go on eight times in a row.
        stage.is("paused/capped", 9).asked(9);
        assert!(notes(&said).contains("--cap"), "{}", said.stdout);
        // The user's word makes it go on.
        let id = crate::clients::claude::stage::session_id(&said);
        stage.api.then(ModelScript::new([ModelTurn::says(DONE)]));
        let _ = stage.session("go on").args(["--resume", &id]).output().exits(0);
        stage.is("success/claimed", 10).asked(10);
    });
}

#[test]
fn nobody_is_pressed_while_a_background_task_runs() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "build");
        let build = json!({
            "command": hold.script(""), "description": "build", "run_in_background": true,
        });
        stage.api.then(ModelScript::new([
            ModelTurn::uses("Bash", &build),
            ModelTurn::says("I wait for the build."),
            ModelTurn::runs("echo b > a"),
            ModelTurn::says(DONE),
        ]));
        let prompt = format!("/ralph build it {GATE} --max-iterations 3");
        let mut running = stage.session(&prompt).start();
        running.until(|line| line["type"] == "result");
        stage.is("waiting/child", 1).asked(2);
        hold.release();
        let said = running.finish().exits(0);
        stage.is("success/verified", 1).asked(4);
        assert_eq!(said.result()["result"], DONE);
    });
}

#[test]
fn a_cancelled_loop_lets_the_agent_fall_silent() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("first"),
            ModelTurn::says("second").held(&hold),
            ModelTurn::says("never"),
        ]));
        let running = stage.session("/ralph go round and round").start();
        hold.is_begun();
        stage.is("running", 2);
        let _ = stage.project.ralph(&["cancel"]).output().exits(0);
        hold.release();
        let said = running.finish().exits(0);
        assert_eq!(said.result()["result"], "second");
        stage.is("stopped", 2).asked(2);
    });
}

#[test]
fn a_word_to_an_agent_at_work_does_not_end_its_loop() {
    isolated(|| {
        let stage = Stage::saying([]);
        let [tool, text] = ["tool", "text"].map(|name| TurnHold::new(&stage.project, name));
        stage.api.then(ModelScript::new([
            ModelTurn::runs(&tool.script("")),
            ModelTurn::says("I looked around.").held(&text),
            ModelTurn::says("I hurry up."),
            ModelTurn::says(DONE),
        ]));
        let claude = stage.claude();
        let terminal = claude.terminal(&["--dangerously-skip-permissions"]);
        terminal.until_shows("bypass permissions on");
        terminal.types("/ralph go round and round ").presses("Enter");
        tool.is_begun();
        terminal.types("look closely").presses("Enter").until_shows("look closely");
        tool.release();
        text.is_begun();
        stage.is("running", 1);
        terminal.types("and hurry up").presses("Enter").until_shows("hurry up");
        text.release();
        terminal.until_shows("All of it is done.");
        terminal.types("/exit").presses("Enter").until_ended();
        stage.is("success/claimed", 3);
    });
}

#[test]
fn a_person_aborts_a_turn_and_cancels_the_loop() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("I looked around."),
            ModelTurn::runs(&hold.script("")),
            ModelTurn::says("I count to three."),
            ModelTurn::says("never"),
        ]));
        let claude = stage.claude();
        let terminal = claude.terminal(&["--dangerously-skip-permissions"]);
        terminal.until_shows("bypass permissions on");
        terminal.types("/ralph go round and round ").presses("Enter");
        hold.is_begun();
        terminal.presses("Escape").until_shows("Interrupted");
        hold.is_over();
        // The host does not tell of an abort: the next word of the user does.
        terminal.types("count to three").presses("Enter").until_shows("I count to three.");
        terminal.until_shows("/ralph resume");
        stage.is("paused/aborted", 2).asked(3);
        terminal.types("/cancel-ralph ").presses("Enter").until_shows("a command in the session");
        terminal.types("/exit").presses("Enter").until_ended();
        stage.is("stopped", 2).asked(3);
    });
}
