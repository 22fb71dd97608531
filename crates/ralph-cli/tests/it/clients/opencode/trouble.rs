//! What people and circumstances do to loops.

use ralph_testkit::{ModelScript, ModelTurn, OpenCodeClient, TurnHold, isolated};

use crate::clients::opencode::stage::{DONE, GATE, Stage, writes};

#[test]
fn an_abort_pauses_the_loop() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("Not yet."),
            ModelTurn::says("Never said.").held(&held),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.command(&session, "ralph", &format!("make a hold b {GATE}"));
        held.is_begun();
        client.abort(&session);
        client.until_toast("/ralph resume");
        stage.is("paused/aborted", 2);
        held.release();
        assert_eq!(stage.api.main().len(), 2, "nobody was told to go on");
    });
}

#[test]
fn a_promise_counts_although_the_user_asked_how_it_goes_meanwhile() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            writes(&stage.project, "a", "b\n"),
            ModelTurn::says(DONE).held(&held),
            ModelTurn::says("It stands at one of many."),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.submits(&session, "ralph", &format!("make a hold b {GATE}"));
        held.is_begun();
        client.submits(&session, "ralph", "status");
        client.until_toast("make a hold b");
        held.release();
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 1);
        stage.api.is_over();
    });
}

#[test]
fn a_program_that_is_gone_costs_one_toast_and_no_turn() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("Hello."), ModelTurn::says("Still here.")]);
        let plugin = stage.project.read(".opencode/plugins/ralph.ts");
        let binary = stage.project.binary().to_str().unwrap().to_owned();
        assert!(plugin.contains(&binary), "{plugin}");
        stage.project.file(".opencode/plugins/ralph.ts", plugin.replace(&binary, "/gone/ralph"));
        let client = stage.start();
        let session = client.session("work");
        for text in ["hello?", "are you there?"] {
            client.says(&session, text);
            client.until("session.idle", |_| true);
        }
        assert_eq!(stage.heard(1), "hello?");
        assert_eq!(client.toasts("/gone/ralph"), 1);
        stage.api.is_over();
    });
}

#[test]
fn a_program_of_another_time_costs_one_toast_and_no_turn() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("Hello."), ModelTurn::says("Still here.")]);
        let plugin = stage.project.read(".opencode/plugins/ralph.ts");
        let binary = stage.project.binary().to_str().unwrap().to_owned();
        stage.project.script("old", "echo '{\"v\":0,\"do\":\"replace\",\"text\":\"no\"}'");
        let old = stage.project.root().join("old");
        let plugin = plugin.replace(&binary, old.to_str().unwrap());
        stage.project.file(".opencode/plugins/ralph.ts", plugin);
        let client = stage.start();
        let session = client.session("work");
        for text in ["hello?", "are you there?"] {
            client.says(&session, text);
            client.until("session.idle", |_| true);
        }
        assert_eq!(stage.heard(1), "hello?");
        assert_eq!(client.toasts("run `ralph install opencode` again"), 1);
        stage.api.is_over();
    });
}

#[test]
fn a_client_that_ends_with_its_first_turn_is_left_alone() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("Hello.")]);
        stage.project.file("ralph.toml", "[hooks]\narm = \"every-session\"\n");
        let said = OpenCodeClient::once(&stage.project, &stage.api, "hello?").output().exits(0);
        assert!(said.stdout.contains("Hello."), "{}", said.stdout);
        assert_eq!(stage.heard(1), "hello?");
        assert_eq!(stage.run(), serde_json::Value::Null);
    });
}

#[test]
fn a_task_is_never_run_by_the_client() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("What an odd task. <promise>DONE</promise>")]);
        let client = stage.start();
        let session = client.session("work");
        let task = "it's \"odd\": !`touch pwned` $(touch pwned) {{PROMPT}} $1 $ARGUMENTS\n@a ; 'b";
        client.command(&session, "ralph", task);
        client.until_toast("ralph report");
        assert!(stage.heard(1).starts_with(task), "{}", stage.heard(1));
        assert_eq!(stage.run()["task"], task);
        assert!(!stage.project.root().join("pwned").exists());
    });
}
