//! What holds for every agent of the table, with the real program.

mod hosted;
mod stage;

use std::time::{Duration, Instant};

use ralph_testkit::{CommandOutput, ModelScript, ModelTurn, Signal, TurnHold, isolated};

use stage::{RealAgent, Stage, processes};

/// The words with which an agent says that it is done.
const DONE: &str = "All of it is done.\n\n<promise>DONE</promise>";

const FIRST: &str = "The kettle is in the kitchen.";

const GATE: [&str; 2] = ["--criteria", "custom:grep -q b a"];

fn notices(ran: &CommandOutput) -> String {
    ran.values("notice", "text").join("\n")
}

/// A false claim is refused, and a true one accepted.
fn claims(agent: RealAgent, more: &str) {
    let before = processes();
    let stage = Stage::new(agent, []);
    stage.settle(more);
    let script = [ModelTurn::says(DONE), stage.writes("b\n"), ModelTurn::says(DONE)];
    stage.api.then(ModelScript::new(script));
    let ran = stage.run("make a hold b").args(GATE).output();
    let ran = ran.exits(0).ends("success/verified", 2);
    let asked = stage.api.main();
    let news = asked[1].news();
    assert!(news.contains("custom-1"), "{news}");
    let heard = asked[1].messages().iter().any(|(_, text)| text.contains("All of it is done"));
    assert_eq!(heard, agent.remembers, "{:#?}", asked[1].messages());
    let whole: Vec<String> = asked[1].messages().into_iter().map(|(_, text)| text).collect();
    assert!(whole.join("\n").contains("make a hold b"), "{whole:#?}");
    let cost = &ran.ended()["cost"];
    let told = [&cost["input_tokens"], &cost["output_tokens"]].map(|count| count.as_u64().unwrap());
    assert_eq!(told, stage.tokens(), "{}", ran.stdout);
    stage.api.is_over();
    assert_eq!(processes(), before);
}

/// A text that looks like commands is a task, and executed nowhere.
fn hostile(agent: RealAgent) {
    for start in ["/quit", "!touch pwned;", "$(touch pwned)", "@a", "--help"] {
        let stage = Stage::new(agent, [ModelTurn::says(DONE)]);
        let task = format!("{start} explain !`touch pwned`, `touch pwned`, \"quotes\"\n한글");
        let ran = stage.run("-").stdin(task.as_str()).output();
        let _ = ran.exits(0).ends("success/claimed", 1);
        let texts: Vec<String> =
            stage.api.main()[0].messages().into_iter().map(|(_, text)| text).collect();
        let heard = texts.join("\n");
        assert!(heard.contains(&task), "{start}: {heard}");
        assert!(!stage.project.root().join("pwned").exists(), "{start}");
    }
}

/// A key that is refused ends the run, which says what signs in.
fn refused_key(agent: RealAgent) {
    let stage = Stage::scripted(agent, ModelScript::endless(|_| ModelTurn::fails(401)));
    let ran = stage.run("x").output().exits(1);
    assert!(notices(&ran).contains("does not accept the credentials"), "{}", ran.stdout);
}

/// A limit of the provider is waited for, and costs no turn.
fn limit(agent: RealAgent) {
    let stage = Stage::scripted(
        agent,
        ModelScript::endless(|_| ModelTurn::fails(429).header("retry-after", "7200")),
    );
    let mut running = stage.run("x").start();
    running.until(|event| event["type"] == "waiting");
    running.signal(Signal::Interrupt);
    let ran = running.finish().exits(130);
    assert_eq!(ran.ended()["cost"]["input_tokens"], 0, "{}", ran.stdout);
}

/// A driver that is killed leaves no process, and another one goes on.
fn killed(agent: RealAgent) {
    let before = processes();
    let stage = Stage::new(agent, []);
    let hold = TurnHold::new(&stage.project, "turn");
    let half = stage.writes("half\n");
    let last = ModelTurn::says("Never said.").held(&hold);
    stage.api.then(ModelScript::new([ModelTurn::says(FIRST), half, last]));
    let gate = ["--criteria", "custom:grep -q whole a"];
    let running = stage.run("make it whole").args(gate).start();
    hold.is_begun();
    running.signal(Signal::Kill);
    let _ = running.finish();
    hold.release();
    let end = Instant::now() + Duration::from_secs(30);
    while processes() != before {
        assert!(Instant::now() < end, "{:#?}", processes());
        std::thread::yield_now();
    }
    let requests = stage.api.main().len();
    // Some do not write over a file that they have not read since.
    stage.project.file("a", "1\n");
    stage.api.then(ModelScript::new([stage.writes("whole\n"), ModelTurn::says(DONE)]));
    let resumed = stage.ralph(&["resume", "--json"]).output();
    let _ = resumed.exits(0).ends("success/verified", 3);
    let said = stage.api.main()[requests].messages();
    let remembered = said.iter().any(|(_, text)| text.contains(FIRST));
    assert!(remembered || !agent.remembers, "{said:#?}");
    assert_eq!(processes(), before);
}

/// What the usual mode does not allow is refused, told, and can be allowed.
fn refused_tool(agent: RealAgent, more: &str) {
    let Some(command) = agent.refused else { panic!("it refuses nothing") };
    // A redirection alone counts as an edit for some.
    let writes = "python3 -c 'open(\"a\", \"w\").write(\"b\\n\")'";
    let turns = || [command(writes), ModelTurn::says(DONE)];
    let stage = Stage::new(agent, turns());
    stage.settle(more);
    let ran = stage.run("x").output().exits(0);
    assert!(notices(&ran).contains("denied"), "{}", ran.stdout);
    assert!(notices(&ran).contains("mode = \"all\""), "{}", ran.stdout);
    assert_eq!(stage.project.read("a"), "1\n");
    stage.api.then(ModelScript::new(turns()));
    stage.settle(&format!("mode = \"all\"\n{more}"));
    let ran = stage.run("x").output().exits(0);
    assert_eq!(stage.project.read("a"), "b\n", "{}", ran.stdout);
}

/// Makes a test of each of these cases for an agent.
macro_rules! agent {
    ($name:ident = $agent:ident: $($case:ident),*) => {
        mod $name {
            use super::*;
            $(agent!(@case $agent $case);)*
        }
    };
    (@case $agent:ident claims) => {
        #[test]
        fn a_false_claim_is_refused_and_a_true_one_accepted() {
            isolated(|| claims(stage::$agent, ""));
        }
    };
    (@case $agent:ident claims_over_acp) => {
        #[test]
        fn a_claim_is_judged_over_the_protocol_too() {
            isolated(|| claims(stage::$agent, "transport = \"acp\"\n"));
        }
    };
    (@case $agent:ident hostile) => {
        #[test]
        fn a_task_that_looks_like_commands_is_executed_nowhere() {
            isolated(|| hostile(stage::$agent));
        }
    };
    (@case $agent:ident refused_key) => {
        #[test]
        fn a_key_that_is_refused_ends_the_run_which_says_what_signs_in() {
            isolated(|| refused_key(stage::$agent));
        }
    };
    (@case $agent:ident limit) => {
        #[test]
        fn a_limit_of_the_provider_is_waited_for() {
            isolated(|| limit(stage::$agent));
        }
    };
    (@case $agent:ident killed) => {
        #[test]
        fn a_driver_that_is_killed_leaves_no_process_and_another_one_goes_on() {
            isolated(|| killed(stage::$agent));
        }
    };
    (@case $agent:ident refused_tool) => {
        #[test]
        fn what_is_not_allowed_is_refused_and_told() {
            isolated(|| refused_tool(stage::$agent, ""));
        }
    };
    (@case $agent:ident refused_tool_over_acp) => {
        #[test]
        fn what_is_not_allowed_is_refused_and_told_over_the_protocol_too() {
            isolated(|| refused_tool(stage::$agent, "transport = \"acp\"\n"));
        }
    };
}

agent!(codex = CODEX: claims, hostile, refused_key, limit, killed);
agent!(copilot = COPILOT: claims, claims_over_acp, hostile, refused_key, limit, killed, refused_tool, refused_tool_over_acp);
agent!(gemini = GEMINI: claims, hostile, refused_key, limit, killed, refused_tool);
// It retries a limit without end, in silence: the idle limit ends such a turn.
agent!(qwen = QWEN: claims, hostile, refused_key, killed, refused_tool);
// It does not say that a provider refused.
agent!(kimi = KIMI: claims, hostile, killed, refused_tool);
agent!(droid = DROID: claims, hostile, refused_key, limit, killed);
agent!(pi = PI: claims, hostile, refused_key, limit, killed);
agent!(cline = CLINE: claims, hostile, refused_key, limit, killed);
