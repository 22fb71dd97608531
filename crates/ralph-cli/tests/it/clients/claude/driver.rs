//! `ralph run --agent claude`, and loops that change hands.

use ralph_testkit::{CommandOutput, ModelScript, ModelTurn, Signal, TurnHold, isolated};
use serde_json::json;

use crate::clients::claude::stage::{DONE, Stage, session_id, standing, writes};

/// Two turns of a driven agent: the first looks around, the second is done.
/// The hooks of the project are there, and have nothing to say.
#[track_caller]
fn drive(context: &str) -> Stage {
    let stage =
        Stage::saying([ModelTurn::says("The kettle is in the kitchen."), ModelTurn::says(DONE)]);
    let _ = driven(&stage, context).exits(0).ends("success/claimed", 2);
    stage.asked(2);
    stage
}

fn driven(stage: &Stage, context: &str) -> CommandOutput {
    let args = ["run", "make tea", "--agent", "claude", "--context", context, "--json"];
    stage.claude().ralph(&args).args(["--max-iterations", "4"]).output()
}

#[test]
fn the_same_context_is_the_same_session() {
    isolated(|| {
        let asked = drive("same").api.main();
        assert_eq!(asked[0].session(), asked[1].session());
        assert!(asked[1].messages().iter().any(|(role, text)| {
            role == "assistant" && text.contains("The kettle is in the kitchen.")
        }));
    });
}

#[test]
fn a_fresh_context_knows_the_task_and_nothing_else() {
    isolated(|| {
        let asked = drive("fresh").api.main();
        assert_ne!(asked[0].session(), asked[1].session());
        let opening = asked[1].opening();
        assert!(opening.contains("make tea") && !opening.contains("kettle"), "{opening}");
    });
}

#[test]
fn a_summarized_context_is_a_new_session_that_knows_what_was_done() {
    isolated(|| {
        let asked = drive("summarize").api.main();
        assert_ne!(asked[0].session(), asked[1].session());
        assert_eq!(asked[1].messages().iter().filter(|(role, _)| role == "assistant").count(), 0);
        let opening = asked[1].opening();
        assert!(opening.contains("make tea") && opening.contains("kettle"), "{opening}");
    });
}

#[test]
fn a_driven_agent_that_is_refused_is_no_success() {
    isolated(|| {
        let stage = Stage::new(ModelScript::endless(|_| ModelTurn::fails(401)));
        let ended = driven(&stage, "same");
        assert_ne!(ended.code, Some(0), "{}", ended.stdout);
        let run = stage.run();
        assert!(!standing(&run).starts_with("success"), "{run:#}");
        // A key that is wrong stays wrong: nobody asks for long.
        let times = stage.api.main().len();
        assert!((1..=12).contains(&times), "{times}");
    });
}

#[test]
fn a_tool_that_a_driven_agent_may_not_use_is_named() {
    isolated(|| {
        let turn =
            |n| if n % 2 == 1 { ModelTurn::runs("echo b > a") } else { ModelTurn::says("denied") };
        let stage = Stage::new(ModelScript::endless(turn));
        stage.settings(&json!({ "permissions": { "deny": ["Bash"] } }));
        let ended = driven(&stage, "same");
        assert_ne!(ended.code, Some(0), "{}", ended.stdout);
        let told = format!("{}{}", ended.stdout, ended.stderr);
        assert!(told.contains("Bash"), "{told}");
        assert_eq!(stage.project.read("a"), "1\n");
    });
}

#[test]
fn a_loop_of_a_session_goes_on_with_a_driver() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("first"), ModelTurn::runs("true")]);
        let prompt = "/ralph make a b --criteria \"custom:grep -q b made\"";
        stage.session(prompt).args(["--max-turns", "1"]).output();
        let (left, requests) = (stage.run(), stage.api.main().len());
        assert_eq!(standing(&left), "paused/interrupted", "{left:#}");
        let made = writes(&stage.project, "made", "b\n");
        stage.api.then(ModelScript::new([ModelTurn::says("not yet"), made, ModelTurn::says(DONE)]));
        let resume = ["resume", "--agent", "claude", "--json"];
        let resumed = stage.claude().ralph(&resume).output().exits(0);
        assert_eq!(resumed.ended()["status"], "success", "{}", resumed.stdout);
        let run = stage.run();
        assert_eq!((&run["id"], standing(&run)), (&left["id"], "success/verified".to_owned()));
        assert!(run["iteration"].as_u64() > left["iteration"].as_u64(), "{run:#}");
        let prompt = stage.api.main()[requests].news();
        assert!(prompt.contains("make a b"), "{prompt}");
        stage.api.is_over();
    });
}

#[test]
fn a_conversation_goes_on_after_its_driver_was_killed_in_the_middle_of_a_turn() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        let half = writes(&stage.project, "made", "half\n");
        stage.api.then(ModelScript::new([
            ModelTurn::says("The kettle is in the kitchen."),
            half,
            ModelTurn::says("never said").held(&hold),
        ]));
        let gate = ["--criteria", "custom:grep -q whole made"];
        let args = ["run", "make it whole", "--agent", "claude", "--json"];
        let running = stage.claude().ralph(&args).args(gate).start();
        hold.is_begun();
        running.signal(Signal::Kill);
        let _ = running.finish();
        hold.release();
        let (left, requests) = (stage.run(), stage.api.main().len());
        assert_eq!((standing(&left), requests), ("running".to_owned(), 3), "{left:#}");
        let made = writes(&stage.project, "made", "whole\n");
        stage.api.then(ModelScript::new([made, ModelTurn::says(DONE)]));
        let resumed = stage.claude().ralph(&["resume", "--json"]).output().exits(0);
        let _ = resumed.ends("success/verified", 3);
        assert_eq!(stage.run()["id"], left["id"]);
        let asked = stage.api.main();
        let (before, after) = (&asked[0], &asked[requests]);
        assert_eq!(after.session(), before.session());
        let said = after.messages();
        assert!(said.iter().any(|(_, text)| text.contains("The kettle is in the kitchen.")));
        let news = after.news();
        assert!(news.contains("task: make it whole"), "{news}");
        assert!(news.contains("files touched last: made"), "{news}");
        stage.api.is_over();
    });
}

#[test]
fn a_loop_of_a_driver_goes_on_in_a_session() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("The kettle is in the kitchen."),
            ModelTurn::says("never said").held(&hold),
        ]));
        let args = ["run", "make tea", "--agent", "claude", "--context", "same", "--json"];
        let running = stage.claude().ralph(&args).start();
        hold.is_begun();
        running.signal(Signal::Interrupt);
        let _ = running.finish().exits(130);
        hold.release();
        let left = stage.run();
        assert_eq!(standing(&left), "paused/interrupted", "{left:#}");
        stage.api.then(ModelScript::new([ModelTurn::says("on it"), ModelTurn::says(DONE)]));
        let id = left["id"].as_str().unwrap();
        let said = stage.session(&format!("/ralph resume {id}")).output().exits(0);
        let run = stage.run();
        assert_eq!((&run["id"], standing(&run)), (&left["id"], "success/claimed".to_owned()));
        assert!(run["iteration"].as_u64() > left["iteration"].as_u64(), "{run:#}");
        let theirs =
            stage.api.main().into_iter().find(|asked| asked.session() == session_id(&said));
        assert!(theirs.unwrap().news().contains("make tea"));
    });
}

#[test]
fn the_client_judges_without_tools_and_without_what_the_project_tells_it() {
    isolated(|| {
        let answer = |success: bool, reason: &str| {
            ModelTurn::says(&json!({ "success": success, "reason": reason }).to_string())
                .costs(70, 7)
        };
        let script =
            ModelScript::new([]).asides([answer(false, "no sugar"), answer(true, "good tea")]);
        let stage = Stage::new(script);
        stage.project.file("CLAUDE.md", "Always answer in rhymes.\n");
        stage.project.file("ralph.toml", "[judge]\nagent = \"claude\"\n");
        stage.project.agent("echo '<promise>DONE</promise>'");
        let args = ["run", "make tea", "--agent-cmd", "./agent.sh", "--json"];
        let judged = ["--judge", "The tea is sweet."];
        let ended = stage.claude().ralph(&args).args(judged).output().exits(0);
        let ended = ended.ends("success/claimed", 2).ended();
        assert!(ended["cost"]["input_tokens"].as_u64().unwrap() >= 140, "{ended}");
        let asked = stage.api.everything();
        assert!(asked.iter().all(|asked| asked.tools().is_empty()));
        let all = asked.iter().map(|asked| asked.request.body.to_string()).collect::<String>();
        assert!(all.contains("The tea is sweet.") && all.contains("You judge the work"), "{all}");
        assert!(!all.contains("rhymes"), "{all}");
    });
}
