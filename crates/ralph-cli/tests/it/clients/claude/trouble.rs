//! What goes wrong around a loop, and what is left of it then.

use std::path::Path;

use ralph_testkit::{ModelScript, ModelTurn, Signal, TurnHold, isolated};
use serde_json::json;

use crate::clients::claude::stage::{DONE, GATE, Stage, standing};

#[test]
fn an_error_of_the_interface_ends_no_loop() {
    isolated(|| {
        for status in [401, 429, 500, 529] {
            let stage = Stage::saying([
                ModelTurn::says("first"),
                ModelTurn::fails(status).header("retry-after", "1"),
            ]);
            let said = stage.session("/ralph talk").output().exits(1);
            assert_eq!(said.result()["api_error_status"], status);
            let run = stage.run();
            assert_eq!(run["iteration"], 2, "{status}: {run:#}");
            // The client may end before it tells of its error.
            let standing = standing(&run);
            assert!(
                standing.starts_with("waiting/") || standing == "paused/interrupted",
                "{status}: {standing}"
            );
        }
    });
}

#[test]
fn a_session_that_reached_its_turns_leaves_a_loop_that_can_go_on() {
    isolated(|| {
        let stage = Stage::new(ModelScript::endless(|_| ModelTurn::runs("true")));
        let said = stage.session("/ralph work").args(["--max-turns", "2"]).output().exits(1);
        assert_eq!(said.result()["terminal_reason"], "max_turns");
        stage.is("paused/interrupted", 1);
    });
}

#[test]
fn a_signal_pauses_the_loop() {
    isolated(|| {
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let stage = Stage::saying([]);
            let hold = TurnHold::new(&stage.project, "tool");
            let script = hold.script("");
            stage.api.then(ModelScript::new([ModelTurn::says("first"), ModelTurn::runs(&script)]));
            let running = stage.session("/ralph work").start();
            hold.is_begun();
            running.signal(signal);
            running.finish();
            hold.is_over();
            stage.is("paused/interrupted", 2).asked(2);
        }
    });
}

#[test]
fn a_tool_without_permission_is_no_success() {
    isolated(|| {
        let turn =
            |n| if n % 2 == 1 { ModelTurn::runs("echo b > a") } else { ModelTurn::says(DONE) };
        let stage = Stage::new(ModelScript::endless(turn));
        let prompt = format!("/ralph make a hold b {GATE} --max-iterations 2");
        let said = stage.claude().careful(&prompt).output().exits(0);
        assert_eq!(said.result()["permission_denials"].as_array().map(Vec::len), Some(2));
        stage.is("failed/max_iterations", 2).asked(4);
        assert_eq!(stage.project.read("a"), "1\n");
    });
}

#[test]
fn a_binary_that_is_gone_changes_nothing() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("four"), ModelTurn::says("five")]);
        stage.hooks(Path::new("/nowhere/ralph"), &json!({}));
        let said = stage.session("what is two and two?").output().exits(0);
        assert_eq!(said.result()["result"], "four");
        let said = stage.session("/ralph talk").output().exits(0);
        assert_eq!(said.result()["result"], "five");
        stage.asked(2);
        assert_eq!(standing(&stage.run()), "none");
    });
}

#[test]
fn a_state_home_that_cannot_be_written_lets_the_session_go_on() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("four"), ModelTurn::says("five")]);
        // Whoever runs the tests may write everywhere, but not below a file.
        std::fs::write(stage.project.outside("file"), "").unwrap();
        let home = stage.project.outside("file").join("state");
        let said = stage.session("what is two and two?").env("RALPH_HOME", &home).output().exits(0);
        assert_eq!(said.result()["result"], "four");
        let said = stage.session("/ralph talk").env("RALPH_HOME", &home).output().exits(0);
        // The user is told, or the prompt goes its way; no loop begins.
        assert!(stage.api.main().len() <= 2, "{}", said.stdout);
        assert_eq!(standing(&stage.run()), "none");
    });
}
