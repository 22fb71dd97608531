//! The tools that the client offers to its model.

use ralph_testkit::{ModelTurn, isolated};
use serde_json::json;

use crate::clients::opencode::stage::{DONE, Stage};

#[test]
fn an_agent_looks_starts_a_loop_for_its_session_and_is_held_to_it() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::uses("ralph_loop_status", &json!({})),
            ModelTurn::uses("ralph_loop_start", &json!({ "task": "write a poem" })),
            ModelTurn::says("A poem is hard."),
            ModelTurn::says(DONE),
        ]);
        let client = stage.start();
        let session = client.session("work");
        client.says(&session, "start a loop that writes a poem");
        client.until_toast("loop started");
        client.until_toast("ralph report");
        let tools = stage.api.main()[0].tools();
        for tool in ["loop_start", "loop_status", "loop_stop", "check_run"] {
            assert!(tools.contains(&format!("ralph_{tool}")), "{tools:?}");
        }
        assert!(stage.heard(2).contains("\"runs\":[]"), "{}", stage.heard(2));
        assert!(stage.heard(3).contains("<promise>DONE</promise>"), "{}", stage.heard(3));
        stage.is("success/claimed", 2);
        assert_eq!(stage.run()["session_id"], session);
    });
}
