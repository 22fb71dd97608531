//! `ralph run --agent opencode`: loops that are driven through a server.

use ralph_testkit::{Call, OpenCode, Script, Turn, isolated};
use serde_json::{Value, json};

use crate::stage::{Stage, writes};

const DONE: &str = "All of it is done.\n\n<promise>DONE</promise>";

/// A call that drives the client in the stage's project.
fn drive(stage: &Stage, more: &[&str]) -> Call {
    let args = ["run", "make a hold b", "--agent", "opencode", "--json", "--max-iterations", "4"];
    let args: Vec<&str> = args.iter().chain(more).copied().collect();
    OpenCode::ralph(&stage.project, &stage.api, &args)
}

const GATED: [&str; 2] = ["--criteria", "custom:grep -q b a"];

#[test]
fn a_driven_loop_goes_on_until_its_promise_is_verified() {
    isolated(|| {
        let stage = Stage::saying([Turn::says(DONE)]);
        let made = writes(&stage.project, "a", "b\n");
        stage.api.then(Script::new([Turn::says(DONE), made, Turn::says(DONE)]));
        let ran = drive(&stage, &GATED).output().exits(0).ends("success/verified", 2);
        let asked = stage.api.main();
        assert_eq!(asked.len(), 3);
        assert_eq!(asked[0].session(), asked[2].session());
        assert!(asked[1].news().contains("custom-1"), "{}", asked[1].news());
        let tools: Vec<Value> = ran.events_of("agent_output");
        assert!(tools.iter().any(|event| event["kind"] == "tool"), "{tools:#?}");
        assert!(ran.ended()["cost"].is_object() || ran.stdout.contains("tokens"), "{}", ran.stdout);
    });
}
