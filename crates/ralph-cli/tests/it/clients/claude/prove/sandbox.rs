//! The client in a sandbox of ours.

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::json;

use crate::clients::claude::stage::{DONE, Stage};

#[test]
fn a_driven_loop_in_a_sandbox_comes_to_its_end() {
    isolated(|| {
        let stage = Stage::bare(ModelScript::new([]));
        stage.settings(&json!({ "permissions": { "allow": ["Bash", "Edit"] } }));
        let leak = stage.project.outside("leak");
        let work = "cat .git/ralph/ralph.1.db | wc -c > seen; echo b > a";
        let work = ModelTurn::runs(&format!("echo x > {}; {work}", leak.display()));
        stage.api.then(ModelScript::new([ModelTurn::says(DONE), work, ModelTurn::says(DONE)]));
        let args = ["run", "make a hold b", "--agent", "claude", "--sandbox=require", "--json"];
        let call = stage.claude().ralph(&args).args(["--criteria", "custom:grep -q b a"]);
        let ran = call.args(["--max-iterations", "4"]).output().exits(0);
        let _ = ran.ends("success/verified", 2);
        assert_eq!(stage.project.read("seen"), "0\n");
        assert_eq!(stage.project.kept("leak"), "");
        stage.api.is_over();
    });
}
