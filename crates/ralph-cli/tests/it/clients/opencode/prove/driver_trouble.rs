//! What providers, people and circumstances do to a driven loop.

use ralph_testkit::{
    ModelScript, ModelTurn, OpenCodeClient, RunningCall, Signal, TurnHold, is_alive, isolated,
};

use crate::clients::opencode::driver::{drive, notices, servers};
use crate::clients::opencode::stage::{DONE, GATE, Stage, writes};

const FIRST: &str = "The kettle is in the kitchen.";

#[test]
fn a_key_that_is_refused_ends_the_run_soon() {
    isolated(|| {
        let stage = Stage::new(ModelScript::endless(|_| ModelTurn::fails(401)));
        let ran = drive(&stage, &[]).output().exits(1);
        assert!(ran.stdout.contains("does not accept the credentials"), "{}", ran.stdout);
        stage.is("failed/agent_error", 3);
        assert_eq!(stage.api.main().len(), 3);
    });
}

#[test]
fn a_provider_that_is_down_for_a_moment_costs_no_turn() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::fails(503), ModelTurn::says(DONE)]);
        let ran = drive(&stage, &[]).output().exits(0).ends("success/claimed", 1);
        assert!(ran.values("agent_output", "kind").contains(&"note".to_owned()), "{}", ran.stdout);
    });
}

#[test]
fn a_limit_of_the_provider_is_waited_for_as_long_as_it_says() {
    isolated(|| {
        let stage = Stage::new(ModelScript::endless(|_| {
            ModelTurn::fails(429).header("retry-after", "7200")
        }));
        let mut running = drive(&stage, &[]).start();
        running.until(|event| event["type"] == "waiting");
        stage.is("waiting/limit", 0);
        running.signal(Signal::Interrupt);
        let ran = running.finish().exits(130);
        assert!(notices(&ran).contains("refuses work for now"), "{}", ran.stdout);
        assert_eq!(stage.api.main().len(), 1);
    });
}

/// A run whose second turn is held; the first took as long as the client needs
/// to start.
fn held_run(stage: &Stage, held: &TurnHold, more: &[&str]) -> RunningCall {
    let turns =
        [ModelTurn::says(FIRST), ModelTurn::says("Never said.").held(held), ModelTurn::says(DONE)];
    stage.api.then(ModelScript::new(turns));
    let mut running = drive(stage, more).start();
    running.until(|event| event["text"] == FIRST);
    held.is_begun();
    running
}

#[test]
fn an_interrupted_turn_leaves_no_process() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        let running = held_run(&stage, &held, &[]);
        let [server] = &servers()[..] else { panic!("one server") };
        running.signal(Signal::Interrupt);
        let _ = running.finish().exits(130);
        assert!(!is_alive(server));
        stage.is("paused/interrupted", 2);
        held.release();
    });
}

#[test]
fn a_server_ends_with_the_run_that_is_killed() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        let running = held_run(&stage, &held, &[]);
        running.signal(Signal::Kill);
        let _ = running.finish();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !servers().is_empty() {
            assert!(std::time::Instant::now() < end, "{:?}", servers());
            std::thread::yield_now();
        }
        held.release();
    });
}

#[test]
fn a_conversation_goes_on_after_its_driver_was_killed_in_the_middle_of_a_turn() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        let half = writes(&stage.project, "a", "half\n");
        let turns = [ModelTurn::says(FIRST), half, ModelTurn::says("Never said.").held(&held)];
        stage.api.then(ModelScript::new(turns));
        let gate = ["--criteria", "custom:grep -q whole a"];
        let running = drive(&stage, &gate).start();
        held.is_begun();
        running.signal(Signal::Kill);
        let _ = running.finish();
        held.release();
        let (left, requests) = (stage.run(), stage.api.main().len());
        assert_eq!((&left["status"], requests), (&"running".into(), 3), "{left:#}");
        let made = writes(&stage.project, "a", "whole\n");
        stage.api.then(ModelScript::new([made, ModelTurn::says(DONE)]));
        let resumed =
            OpenCodeClient::ralph(&stage.project, &stage.api, &["resume", "--json"]).output();
        let _ = resumed.exits(0).ends("success/verified", 3);
        assert_eq!(stage.run()["id"], left["id"]);
        let asked = &stage.api.main()[requests];
        assert!(asked.messages().contains(&("assistant".into(), FIRST.into())));
        let news = asked.news();
        assert!(news.contains("task: make a hold b"), "{news}");
        assert!(news.contains("files touched last: a"), "{news}");
        stage.api.is_over();
        assert_eq!(servers(), [""; 0]);
    });
}

#[test]
fn a_server_that_is_killed_fails_its_turn_and_the_session_goes_on() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        let running = held_run(&stage, &held, &["--context", "same"]);
        let [server] = &servers()[..] else { panic!("one server") };
        let killed = stage.project.program("kill").args(["-9", server]).output();
        assert_eq!(killed.code, Some(0), "{}", killed.stderr);
        let ran = running.finish().exits(0).ends("success/claimed", 3);
        held.release();
        assert!(ran.stdout.contains("\"failed\""), "{}", ran.stdout);
        let killed = "the OpenCode server was killed (signal 9)";
        assert!(ran.stdout.contains(killed), "{}", ran.stdout);
        let said = stage.api.main()[2].messages();
        assert!(said.iter().any(|(role, text)| role == "assistant" && text == FIRST));
        stage.api.is_over();
    });
}

#[test]
fn a_silent_turn_is_aborted_and_the_session_goes_on() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        let running = held_run(&stage, &held, &["--context", "same", "--idle-timeout", "10s"]);
        let ran = running.finish().exits(0).ends("success/claimed", 3);
        held.release();
        let turns = ran.values("iteration_ended", "turn");
        assert_eq!(turns, ["finished", "idle_timeout", "finished"], "{}", ran.stdout);
        let said = stage.api.main()[2].messages();
        assert!(said.iter().any(|(role, text)| role == "assistant" && text == FIRST));
    });
}

#[test]
fn a_client_that_does_not_start_says_why() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage.project.script("broken.sh", "echo 'no such database' >&2; exit 7");
        let ran = drive(&stage, &[]).env("RALPH_OPENCODE_PROGRAM", "./broken.sh").output().exits(1);
        stage.is("failed/agent_error", 3);
        let report = stage.project.ralph(&["report"]).output().exits(0).stdout;
        let told = format!("{}{report}", ran.stdout);
        assert!(told.contains("exited with code 7: no such database"), "{told}");
        assert!(notices(&ran).contains("exited with code 7"), "{}", ran.stdout);
    });
}

#[test]
fn a_loop_of_the_plugin_goes_on_with_a_driver() {
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
        held.release();
        drop(client);
        let left = stage.run();
        let made = writes(&stage.project, "a", "b\n");
        stage.api.then(ModelScript::new([made, ModelTurn::says(DONE)]));
        let args = ["resume", "--agent", "opencode", "--json"];
        let resumed = OpenCodeClient::ralph(&stage.project, &stage.api, &args).output().exits(0);
        assert_eq!(resumed.ended()["status"], "success", "{}", resumed.stdout);
        assert_eq!(stage.run()["id"], left["id"]);
    });
}
