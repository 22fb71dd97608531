//! What providers do to loops.

use ralph_testkit::{ModelScript, ModelTurn, OpenCodeClient, isolated};

use crate::clients::opencode::stage::{DONE, Stage};

/// Runs a loop with this task to its success, in a session of its own.
#[track_caller]
fn succeeds(stage: &Stage, client: &OpenCodeClient, task: &str, iteration: u64) {
    let session = client.session(task);
    client.command(&session, "ralph", task);
    client.until_toast("ralph report");
    stage.is("success/claimed", iteration);
}

#[test]
fn an_error_of_the_provider_is_tried_again_and_a_refusal_waits_for_the_user() {
    isolated(|| {
        let script = ModelScript::new([])
            .conversation(
                "task of errors",
                [ModelTurn::refuses(400, "bad request"), ModelTurn::says(DONE)],
            )
            .conversation("task of keys", [ModelTurn::fails(401), ModelTurn::says(DONE)]);
        let stage = Stage::new(script);
        let client = stage.start();
        let session = client.session("errors");
        client.command(&session, "ralph", "task of errors");
        let toast = client.until_toast("the provider failed (");
        assert_eq!(toast["variant"], "error");
        client.until_toast("ralph report");
        stage.is("success/claimed", 2);
        let again = &stage.heard_in("task of errors")[1];
        assert!(again.contains("ITERATION 2/"), "{again}");
        let session = client.session("keys");
        client.command(&session, "ralph", "task of keys");
        client.until_toast("invalid x-api-key");
        stage.is("waiting/human", 1);
        client.says(&session, "I set the key");
        client.until_toast("ralph report");
        // The turn that could not be taken is taken under its number.
        stage.is("success/claimed", 1);
        stage.api.is_over();
    });
}

#[test]
fn what_the_client_deals_with_by_itself_counts_as_nothing() {
    isolated(|| {
        let long = "prompt is too long: 210000 tokens > 200000 maximum";
        // A conversation that was made shorter begins with something else.
        let script = ModelScript::new([ModelTurn::says(DONE)])
            .conversation("task of haste", [ModelTurn::fails(429), ModelTurn::says(DONE)])
            .conversation("task of load", [ModelTurn::fails(503), ModelTurn::says(DONE)])
            .conversation("task of length", [ModelTurn::refuses(400, long)]);
        let stage = Stage::new(script);
        let client = stage.start();
        succeeds(&stage, &client, "task of haste", 1);
        succeeds(&stage, &client, "task of load", 1);
        succeeds(&stage, &client, "task of length", 1);
        assert_eq!(client.toasts("bad request"), 0);
        stage.api.is_over();
    });
}

#[test]
fn a_limit_of_the_provider_lifts_by_itself() {
    isolated(|| {
        let limit = ModelTurn::refuses(400, "usage limit reached|1700000000");
        let stage = Stage::saying([limit, ModelTurn::says("Not yet."), ModelTurn::says(DONE)]);
        let client = stage.start();
        succeeds(&stage, &client, "make it so", 2);
        assert_eq!(client.toasts("goes on by itself"), 1);
        stage.api.is_over();
    });
}
