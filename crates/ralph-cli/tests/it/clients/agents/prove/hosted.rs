//! What holds in a session of every host with hooks, with the real client.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::{Value, json};

use super::DONE;
use super::stage::{self, RealAgent, Stage};

const TASK: &str = "/ralph make a hold b --criteria \"custom:grep -q b a\"";

/// A client in whose sessions loops run.
#[derive(Clone, Copy)]
struct RealHost {
    agent: RealAgent,
    /// Has it take a prompt: the first of a session, or the next one of it.
    say: fn(&Stage, &str, Turn),
    /// The tool that runs a command.
    runs: fn(&str) -> ModelTurn,
    /// Number of continuations after a prompt that it allows.
    cap: Option<usize>,
}

/// The place of a prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    First,
    Next,
}

fn words(stage: &Stage, args: &[&str]) {
    let _ = stage.client().args(args).output().exits(0);
}

const CODEX: RealHost = RealHost {
    agent: stage::CODEX,
    say: |stage, prompt, _| {
        let free = "--dangerously-bypass-approvals-and-sandbox";
        words(stage, &["exec", "--json", free, prompt]);
    },
    runs: |command| ModelTurn::uses("exec_command", &json!({ "cmd": command })),
    cap: None,
};

const COPILOT: RealHost = RealHost {
    agent: stage::COPILOT,
    say: |stage, prompt, _| {
        let json = ["--output-format", "json", "--allow-all", "--no-ask-user"];
        words(stage, &[["-p", prompt].as_slice(), &json].concat());
    },
    runs: |command| ModelTurn::uses("bash", &json!({ "command": command, "description": "x" })),
    cap: Some(8),
};

const GEMINI: RealHost = RealHost {
    agent: stage::GEMINI,
    say: |stage, prompt, _| {
        words(stage, &["-p", prompt, "--approval-mode", "yolo", "--skip-trust"]);
    },
    runs: |command| ModelTurn::uses("run_shell_command", &json!({ "command": command })),
    cap: None,
};

const QWEN: RealHost = RealHost {
    agent: stage::QWEN,
    say: |stage, prompt, _| words(stage, &[prompt, "--approval-mode", "yolo"]),
    ..GEMINI
};

const KIMI: RealHost = RealHost {
    agent: stage::KIMI,
    say: |stage, prompt, turn| match turn {
        Turn::First => words(stage, &["-p", prompt]),
        Turn::Next => words(stage, &["-c", "-p", prompt]),
    },
    runs: |command| ModelTurn::uses("Bash", &json!({ "command": command })),
    cap: Some(1),
};

const DROID: RealHost = RealHost {
    agent: stage::DROID,
    say: |stage, prompt, _| converse(stage, prompt),
    runs: |command| {
        let more = json!({ "command": command, "riskLevel": "low", "riskLevelReason": "x" });
        ModelTurn::uses("Execute", &more)
    },
    cap: None,
};

/// A session of Droid in which a user types: its other modes report no prompt.
fn converse(stage: &Stage, prompt: &str) {
    let form = "stream-jsonrpc";
    let call = stage.client().args(["exec", "--input-format", form, "-o", form]);
    let mut child = call.converse();
    let mut input = child.stdin.take().unwrap();
    let mut send = |id: &str, method: &str, params: Value| {
        let request = json!({
            "jsonrpc": "2.0", "factoryApiVersion": "1.0.0", "type": "request", "id": id,
            "method": method, "params": params,
        });
        writeln!(input, "{request}").unwrap();
    };
    let root = stage.project.root();
    let session = json!({
        "machineId": "m", "cwd": root, "modelId": "custom:stub-0", "autonomyMode": "auto-high",
    });
    send("1", "droid.initialize_session", session);
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
        let said: Value = serde_json::from_str(&line).unwrap();
        if said["id"] == "1" {
            send("2", "droid.add_user_message", json!({ "text": prompt }));
        }
        if said["params"]["notification"]["type"] == "agent_turn_completed" {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A project whose user has installed the hooks.
fn installed(host: RealHost) -> Stage {
    let stage = Stage::new(host.agent, []);
    let install = ["install", host.agent.name, "--user", "--no-tools"];
    let _ = stage.ralph(&install).output().exits(0);
    stage
}

/// The newest run, as `status/reason` and its number of turns.
fn standing(stage: &Stage) -> String {
    let status = stage.ralph(&["status", "--json"]).output().exits(0).json();
    let run = &status["runs"][0];
    let reason = run["reason"].as_str().unwrap_or_default();
    format!("{}/{reason} {}", run["status"].as_str().unwrap_or("none"), run["iteration"])
}

/// A false claim is refused with its finding, and a true one accepted.
fn claims(host: RealHost) {
    let stage = installed(host);
    let claim = || ModelTurn::says(DONE);
    stage.api.then(ModelScript::new([claim(), (host.runs)("printf 'b\\n' > a"), claim()]));
    (host.say)(&stage, TASK, Turn::First);
    stage.api.is_over();
    let asked = stage.api.main();
    let rules = asked[0].messages().into_iter().map(|(_, text)| text).collect::<String>();
    assert!(rules.contains("make a hold b"), "{rules}");
    let news = asked[1].news();
    assert!(news.contains("custom-1"), "{news}");
    if host.cap == Some(1) {
        // The host does not report the end of the only continuation.
        assert_eq!(standing(&stage), "running/ 2");
        stage.api.then(ModelScript::new([claim()]));
        (host.say)(&stage, "go on", Turn::Next);
        assert!(standing(&stage).starts_with("success/verified"), "{}", standing(&stage));
        return;
    }
    assert_eq!(standing(&stage), "success/verified 2");
}

/// A loop ends at its limit, and the agent with it.
fn limit(host: RealHost) {
    let stage = installed(host);
    stage.api.then(ModelScript::new([ModelTurn::says(DONE), ModelTurn::says(DONE)]));
    (host.say)(&stage, &format!("{TASK} --max-iterations 2"), Turn::First);
    stage.api.is_over();
    assert!(standing(&stage).starts_with("failed/"), "{}", standing(&stage));
    assert_eq!(stage.api.main().len(), 2);
}

/// A loop rests where the host does not let its agent go on, and says so.
fn cap(host: RealHost) {
    let stage = installed(host);
    let task = format!("{TASK} --max-iterations 30 --stagnation-limit 30");
    stage.api.then(ModelScript::endless(|_| ModelTurn::says(DONE)));
    (host.say)(&stage, &task, Turn::First);
    let cap = host.cap.unwrap();
    assert_eq!(stage.api.main().len(), cap + 1);
    let number = cap + 1;
    assert_eq!(standing(&stage), format!("paused/capped {number}"));
}

/// Uninstalling leaves no trace, and a session without a loop is as without us.
fn untouched(host: RealHost) {
    let stage = Stage::new(host.agent, []);
    let name = host.agent.name;
    let before = home(&stage);
    let _ = stage.ralph(&["install", name, "--user"]).output().exits(0);
    assert_ne!(home(&stage), before);
    let _ = stage.ralph(&["uninstall", name, "--user"]).output().exits(0);
    assert_eq!(home(&stage), before);
    let _ = stage.ralph(&["install", name, "--user", "--no-tools"]).output().exits(0);
    stage.api.then(ModelScript::new([ModelTurn::says("Hello.")]));
    (host.say)(&stage, "Say hello.", Turn::First);
    stage.api.is_over();
    assert_eq!(stage.api.main().len(), 1);
    let heard: String = stage.api.main()[0].messages().into_iter().map(|(_, text)| text).collect();
    assert!(!heard.contains("[ralph") && !heard.contains("<promise>"), "{heard}");
    assert!(standing(&stage).starts_with("none/"), "{}", standing(&stage));
    assert_eq!(stage.project.run_git(&["status", "--porcelain"]), "");
}

/// The files of the home folder, without what Codex keeps for itself.
fn home(stage: &Stage) -> BTreeMap<PathBuf, String> {
    let codex = stage.project.outside("home/.codex");
    let mut found = files(stage.project.outside("home"));
    found.retain(|path, _| !path.starts_with(&codex) || path.ends_with("hooks.json"));
    found
}

/// Every file below a folder, with its contents.
fn files(folder: PathBuf) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => {
                    let text = std::fs::read(&path).unwrap_or_default();
                    found.insert(path, String::from_utf8_lossy(&text).into_owned());
                }
            }
        }
    }
    found
}

/// A turn that an error of the provider ended is not judged, and not repeated.
fn dead_key(host: RealHost) {
    let stage = installed(host);
    stage.api.then(ModelScript::endless(|_| ModelTurn::fails(401)));
    (host.say)(&stage, TASK, Turn::First);
    assert_eq!(stage.api.main().len(), 1);
    assert!(standing(&stage).ends_with(" 1"), "{}", standing(&stage));
}

/// Makes a test of each of these cases for a host.
macro_rules! host {
    ($name:ident = $host:ident: $($case:ident),*) => {
        mod $name {
            use super::*;
            $(host!(@case $host $case);)*
        }
    };
    (@case $host:ident claims) => {
        #[test]
        fn a_false_claim_is_refused_in_session_and_a_true_one_accepted() {
            isolated(|| claims($host));
        }
    };
    (@case $host:ident limit) => {
        #[test]
        fn a_loop_ends_at_its_limit() {
            isolated(|| limit($host));
        }
    };
    (@case $host:ident cap) => {
        #[test]
        fn a_loop_rests_where_the_host_lets_it_go_on_no_more() {
            isolated(|| cap($host));
        }
    };
    (@case $host:ident untouched) => {
        #[test]
        fn a_session_without_a_loop_is_as_without_us() {
            isolated(|| untouched($host));
        }
    };
    (@case $host:ident dead_key) => {
        #[test]
        fn a_dead_key_does_not_make_it_spin() {
            isolated(|| dead_key($host));
        }
    };
}

host!(codex = CODEX: claims, limit, untouched);
host!(copilot = COPILOT: claims, limit, cap, untouched);
host!(gemini = GEMINI: claims, limit, untouched);
host!(qwen = QWEN: claims, limit, untouched);
host!(kimi = KIMI: claims, untouched);
host!(droid = DROID: claims, limit, untouched, dead_key);
