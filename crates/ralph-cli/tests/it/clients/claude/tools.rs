//! The tools that the client offers to its model.

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::json;

use crate::clients::claude::stage::{DONE, Stage, session_id};

#[test]
fn an_agent_looks_starts_a_loop_for_its_session_and_is_held_to_it() {
    isolated(|| {
        let stage = Stage::bare(ModelScript::new([
            ModelTurn::uses("mcp__ralph__loop_status", &json!({})),
            ModelTurn::uses("mcp__ralph__loop_start", &json!({ "task": "write a poem" })),
            ModelTurn::says("A poem is hard."),
            ModelTurn::says(DONE),
        ]));
        let _ = stage.project.ralph(&["install", "claude-code"]).output().exits(0);
        // Otherwise the model would have to look for them first.
        let session = stage.session("start a loop that writes a poem");
        let said = session.env("ENABLE_TOOL_SEARCH", "false").output().exits(0);
        let tools = stage.api.main()[0].tools();
        for tool in ["loop_start", "loop_status", "loop_stop", "check_run"] {
            let name = format!("mcp__ralph__{tool}");
            assert!(tools.contains(&name), "{tools:?}");
        }
        assert!(stage.heard(2).contains("\"runs\":[]"), "{}", stage.heard(2));
        assert!(stage.heard(3).contains("<promise>DONE</promise>"), "{}", stage.heard(3));
        stage.is("success/claimed", 2).asked(4);
        assert_eq!(stage.run()["session_id"], session_id(&said));
    });
}
