//! The client alone: what the other tests rely on.

use ralph_testkit::{
    ClaudeClient, MessagesServer, ModelScript, ModelTurn, RequestSender, Signal, TestProject,
    TurnHold, isolated,
};
use serde_json::json;

fn project() -> TestProject {
    TestProject::git(env!("CARGO_BIN_EXE_ralph"))
}

#[test]
fn the_client_says_what_the_model_says() {
    isolated(|| {
        let project = project();
        let api = MessagesServer::saying([ModelTurn::says("four").costs(700, 30)]);
        let said =
            ClaudeClient::new(&project, &api).print("what is two and two?").output().exits(0);
        let result = said.result();
        assert_eq!(result["result"], "four");
        assert_eq!(result["usage"]["input_tokens"], 700);
        assert_eq!(result["usage"]["output_tokens"], 30);
        let asked = api.main();
        assert_eq!(asked.len(), 1);
        assert!(asked[0].news().contains("what is two and two?"));
        assert!(asked[0].tools().contains(&"Bash".to_owned()));
        assert_eq!(result["session_id"], json!(asked[0].session()));
    });
}

#[test]
fn the_client_executes_commands_and_edits_files() {
    isolated(|| {
        let project = project();
        let file = project.root().join("a.txt");
        let edit = json!({ "file_path": file, "old_string": "two", "new_string": "three" });
        let api = MessagesServer::saying([
            ModelTurn::runs("echo one > b.txt; cat b.txt"),
            ModelTurn::says("now")
                .and(ModelTurn::uses("Write", &json!({ "file_path": file, "content": "two\n" }))),
            ModelTurn::uses("Edit", &edit),
            ModelTurn::says("done"),
        ]);
        let said = ClaudeClient::new(&project, &api).print("work").output().exits(0);
        assert_eq!(said.result()["result"], "done");
        assert_eq!(
            (project.read("a.txt"), project.read("b.txt")),
            ("three\n".into(), "one\n".into())
        );
        assert_eq!(api.main()[1].news().lines().next(), Some("one"));
        api.is_over();
    });
}

#[test]
fn two_sessions_have_each_their_own_script() {
    isolated(|| {
        let project = project();
        let held = TurnHold::new(&project, "first");
        let api = MessagesServer::start(
            ModelScript::new([ModelTurn::says("main")])
                .conversation("the first task", [ModelTurn::says("first").held(&held)])
                .conversation("the second task", [ModelTurn::says("second")]),
        );
        let claude = ClaudeClient::new(&project, &api);
        let first = claude.print("the first task").start();
        held.is_begun();
        let second = claude.print("the second task").output().exits(0);
        held.release();
        let first = first.finish().exits(0);
        assert_eq!(first.result()["result"], "first");
        assert_eq!(second.result()["result"], "second");
        assert_ne!(first.result()["session_id"], second.result()["session_id"]);
    });
}

#[test]
fn an_agent_that_another_one_starts_has_a_script_of_its_own() {
    isolated(|| {
        let project = project();
        let task = json!({
            "description": "look around",
            "prompt": "look",
            "subagent_type": "general-purpose",
        });
        let script = ModelScript::new([
            ModelTurn::uses("Agent", &task),
            ModelTurn::says("it is looking"),
            ModelTurn::says("it has looked"),
        ]);
        let api = MessagesServer::start(
            script.subagents([ModelTurn::runs("echo seen"), ModelTurn::says("seen")]),
        );
        let said = ClaudeClient::new(&project, &api).print("work").output().exits(0);
        assert_eq!(said.result()["result"], "it has looked");
        let theirs = api.asked().into_iter().filter(|asked| asked.asker == RequestSender::Subagent);
        assert_eq!(theirs.count(), 2);
        api.is_over();
    });
}

#[test]
fn a_refusal_of_the_interface_is_an_error() {
    isolated(|| {
        let project = project();
        let api = MessagesServer::saying([401, 529].map(ModelTurn::fails));
        let claude = ClaudeClient::new(&project, &api);
        for status in [401, 529] {
            let result = claude.print("work").output().exits(1).result();
            assert_eq!(result["is_error"], true);
            assert_eq!(result["terminal_reason"], "api_error");
            assert_eq!(result["api_error_status"], status);
        }
        // With no retries a script is consumed one request a session.
        api.is_over();
    });
}

#[test]
fn a_signal_ends_the_client_and_its_command() {
    isolated(|| {
        let project = project();
        for (signal, code) in [(Signal::Interrupt, 0), (Signal::Terminate, 143)] {
            let hold = TurnHold::new(&project, &format!("{signal:?}"));
            let api = MessagesServer::saying([ModelTurn::runs(&hold.script(""))]);
            let running = ClaudeClient::new(&project, &api).print("work").start();
            hold.is_begun();
            running.signal(signal);
            let said = running.finish();
            hold.is_over();
            assert_eq!(said.code, Some(code), "{signal:?}: {}", said.stderr);
            // A client that was interrupted does not always find the time for
            // a last word; one that was terminated has none.
            let results = said.events_of("result");
            let last = results.last().map(|line| line["terminal_reason"].clone());
            let expected = (signal == Signal::Interrupt).then(|| json!("aborted_tools"));
            assert!(last.is_none() || last == expected, "{signal:?}: {}", said.stdout);
        }
    });
}

#[test]
fn a_hook_that_blocks_makes_the_model_go_on() {
    isolated(|| {
        let project = project();
        project.script(
            "hook.sh",
            "cat >> $OUTSIDE/stops\n[ -e $OUTSIDE/blocked ] && exit\ntouch $OUTSIDE/blocked\n\
             echo '{\"decision\":\"block\",\"reason\":\"not yet\"}'",
        );
        let hook =
            json!({ "type": "command", "command": project.root().join("hook.sh"), "args": [] });
        let settings = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } });
        project.file(".claude/settings.json", settings.to_string());
        let api = MessagesServer::saying([ModelTurn::says("one"), ModelTurn::says("two")]);
        let said = ClaudeClient::new(&project, &api).print("count").output().exits(0);
        assert_eq!(said.result()["result"], "two");
        assert!(api.main()[1].news().contains("Stop hook feedback:\nnot yet"));
        assert_eq!(project.kept("stops").matches("\"hook_event_name\":\"Stop\"").count(), 2);
    });
}

#[test]
fn a_person_interrupts_a_turn_and_leaves() {
    isolated(|| {
        let project = project();
        let hold = TurnHold::new(&project, "turn");
        let api =
            MessagesServer::saying([ModelTurn::says("hello"), ModelTurn::runs(&hold.script(""))]);
        let claude = ClaudeClient::new(&project, &api);
        let terminal = claude.terminal(&["--dangerously-skip-permissions"]);
        terminal.until_shows("bypass permissions on");
        terminal.types("greet me").presses("Enter").until_shows("● hello");
        terminal.types("once more").presses("Enter");
        hold.is_begun();
        terminal.presses("Escape").until_shows("Interrupted");
        hold.is_over();
        terminal.types("/exit").presses("Enter");
        terminal.until_ended();
        api.is_over();
    });
}

#[test]
fn what_the_client_asks_for_itself_consumes_no_turn() {
    isolated(|| {
        let project = project();
        let api = MessagesServer::saying([ModelTurn::says("hello"), ModelTurn::says("still here")]);
        let claude = ClaudeClient::new(&project, &api);
        let first = claude.print("greet me").output().exits(0).result();
        let id = first["session_id"].as_str().unwrap();
        let _ = claude.print("/compact").args(["--resume", id]).output().exits(0);
        assert_eq!((api.main().len(), api.everything().len()), (1, 2));
        let last = claude.print("are you there?").args(["--resume", id]).output().exits(0);
        assert_eq!(last.result()["result"], "still here");
        assert!(api.main()[1].opening().contains("as scripted"), "the summary is what is left");
    });
}
