//! Sessions that have children, are deleted, or outlive their client.

use ralph_testkit::{ModelScript, ModelTurn, TurnHold, isolated};
use serde_json::json;

use crate::clients::opencode::stage::{DONE, GATE, Stage, writes};

#[test]
fn a_child_does_not_end_the_loop_and_an_edit_is_answered_with_what_it_made_worse() {
    isolated(|| {
        let stage = Stage::saying([]);
        let task = json!({
            "description": "look", "prompt": "look around for me", "subagent_type": "general",
        });
        let script = ModelScript::new([
            ModelTurn::uses("task", &task),
            writes(&stage.project, "code.py", "def f(x):\n    return eval(x)\n"),
            ModelTurn::says("Not yet."),
            writes(&stage.project, "a", "b\n"),
            ModelTurn::says(DONE),
        ]);
        stage.api.then(script.conversation("look around for me", [ModelTurn::says(DONE)]));
        let client = stage.start();
        let session = client.session("work");
        client.command(&session, "ralph", &format!("make a hold b {GATE}"));
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 2);
        let heard = stage.heard_in("make a hold b");
        assert!(heard[1].contains("<promise>DONE</promise>"), "the child's words: {}", heard[1]);
        assert!(heard[2].contains("code.py:2"), "after the edit: {}", heard[2]);
        assert!(heard[3].contains("[ralph, turn 2 of "), "{}", heard[3]);
        stage.api.is_over();
        // Nothing that the plugin needs had to be installed.
        let modules = stage.project.root().join(".opencode/node_modules");
        assert_eq!(std::fs::read_dir(modules).unwrap().count(), 0);
    });
}

#[test]
fn a_session_that_is_deleted_at_work_leaves_its_loop_to_another_client() {
    isolated(|| {
        let stage = Stage::saying([]);
        let [deleted, killed] =
            ["deleted", "killed"].map(|name| TurnHold::new(&stage.project, name));
        stage.api.then(ModelScript::new([
            ModelTurn::says("Never heard.").held(&deleted),
            ModelTurn::says("Never heard.").held(&killed),
            ModelTurn::says("Where was I?"),
            writes(&stage.project, "a", "b\n"),
            ModelTurn::says(DONE),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.submits(&session, "ralph", &format!("make a hold b {GATE}"));
        deleted.is_begun();
        client.delete(&session);
        stage.until("paused/interrupted");
        deleted.release();
        let session = client.session("more work");
        let id = stage.run()["id"].as_str().unwrap().to_owned();
        client.submits(&session, "ralph", &format!("resume {id}"));
        killed.is_begun();
        stage.is("running", 2);
        drop(client);
        killed.release();
        let client = stage.start();
        client.until_toast("the client ended in the middle of a turn");
        client.says(&session, "go on");
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 4);
        stage.api.is_over();
    });
}
