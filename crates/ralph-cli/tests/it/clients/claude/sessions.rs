//! Loops and sessions: which one is meant, and what else goes on in it.

use ralph_testkit::{ModelScript, ModelTurn, RequestSender, TurnHold, isolated};
use serde_json::json;

use crate::clients::claude::stage::{DONE, GATE, Stage, session_id};

#[test]
fn of_two_sessions_in_a_project_only_the_one_with_a_loop_goes_on() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        let looping = [ModelTurn::says("not yet").held(&hold), ModelTurn::says(DONE)];
        stage.api.then(
            ModelScript::new(looping).conversation("what is a?", [ModelTurn::says("a file")]),
        );
        let running = stage.session("/ralph talk").start();
        hold.is_begun();
        let other = stage.session("what is a?").output().exits(0);
        assert_eq!(other.result()["result"], "a file");
        stage.is("running", 1).asked(2);
        hold.release();
        let _ = running.finish().exits(0);
        stage.is("success/claimed", 2).asked(3);
        for asked in stage.api.main() {
            let is_looping = asked.session() != session_id(&other);
            assert_eq!(asked.news().contains("<promise>"), is_looping, "{}", asked.news());
        }
    });
}

#[test]
fn an_agent_below_the_main_one_neither_ends_nor_continues_a_loop() {
    isolated(|| {
        let task = json!({
            "description": "look around",
            "prompt": "look",
            "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        let script = ModelScript::new([
            ModelTurn::uses("Agent", &task),
            ModelTurn::says("It looked."),
            ModelTurn::runs("echo b > a"),
            ModelTurn::says(DONE),
        ]);
        let stage = Stage::new(script.subagents([ModelTurn::says(DONE)]));
        let _ = stage.session(&format!("/ralph make a hold b {GATE}")).output().exits(0);
        stage.is("success/verified", 2);
        let theirs =
            stage.api.asked().into_iter().filter(|asked| asked.asker == RequestSender::Subagent);
        assert_eq!(theirs.count(), 1);
        stage.api.is_over();
    });
}

#[test]
fn a_session_that_was_left_goes_on_with_its_loop() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("first"), ModelTurn::runs("true")]);
        let prompt = format!("/ralph make a hold b {GATE}");
        let left = stage.session(&prompt).args(["--max-turns", "1"]).output();
        let id = session_id(&left);
        assert_eq!(left.result()["terminal_reason"], "max_turns", "{}", left.stdout);
        let before = stage.run()["iteration"].as_u64().unwrap();
        stage.is("paused/interrupted", before);
        stage.api.then(ModelScript::new([
            ModelTurn::says("where was I?"),
            ModelTurn::runs("echo b > a"),
            ModelTurn::says(DONE),
        ]));
        let resumed = stage.session("go on").args(["--resume", &id]).output().exits(0);
        assert_eq!(session_id(&resumed), id);
        stage.is("success/verified", before + 2);
        let requests = stage.api.main();
        let first = &requests[requests.len() - 3];
        assert!(first.news().contains("make a hold b"), "{}", first.news());
    });
}

#[test]
fn an_agent_that_changes_its_folder_does_not_lose_its_loop() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::runs("mkdir -p deep/down && cd deep/down && pwd"),
            ModelTurn::says("I am deep down."),
            ModelTurn::runs("cd .. && echo b > ../a && pwd"),
            ModelTurn::says(DONE),
        ]);
        let _ = stage.session(&format!("/ralph make a hold b {GATE}")).output().exits(0);
        stage.is("success/verified", 2).asked(4);
    });
}
