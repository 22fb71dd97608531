//! The client in a sandbox of ours.

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::json;

use crate::clients::opencode::driver::{GATED, drive, servers};
use crate::clients::opencode::stage::{DONE, Stage};

#[test]
fn a_driven_loop_in_a_sandbox_comes_to_its_end() {
    isolated(|| {
        let work =
            "echo x > \"$OUTSIDE/leak\"; cat .git/ralph/ralph.1.db | wc -c > seen; echo b > a";
        let command = json!({ "command": work, "description": "work" });
        let turns =
            [ModelTurn::says(DONE), ModelTurn::uses("bash", &command), ModelTurn::says(DONE)];
        let stage = Stage::new(ModelScript::new(turns));
        let more = [&GATED[..], &["--sandbox=require"]].concat();
        let _ = drive(&stage, &more).output().exits(0).ends("success/verified", 2);
        assert_eq!(stage.project.read("seen"), "0\n");
        assert_eq!(stage.project.kept("leak"), "");
        assert_eq!(servers(), [""; 0]);
        stage.api.is_over();
    });
}
