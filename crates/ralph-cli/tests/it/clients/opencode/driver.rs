//! `ralph run --agent opencode`: loops that are driven through a server.

use ralph_testkit::{BinaryCall, CommandOutput, ModelScript, ModelTurn, OpenCodeClient, isolated};

use crate::clients::opencode::stage::{DONE, Stage, writes};

/// A check that fails until the file `a` has a `b`.
pub(crate) const GATED: [&str; 2] = ["--criteria", "custom:grep -q b a"];

/// A call that drives the client in the stage's project.
pub(crate) fn drive(stage: &Stage, more: &[&str]) -> BinaryCall {
    let args = ["run", "make a hold b", "--agent", "opencode", "--json"];
    let most: &[&str] =
        if more.contains(&"--max-iterations") { &[] } else { &["--max-iterations", "4"] };
    let args: Vec<&str> = args.iter().chain(most).chain(more).copied().collect();
    OpenCodeClient::ralph(&stage.project, &stage.api, &args)
}

/// Servers of the client that run, by their process ids. The test has process
/// ids of its own, so they can only be those of its runs.
pub(crate) fn servers() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let is_server = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        words[0].ends_with(b"opencode") && words.contains(&b"serve".as_slice())
    };
    processes
        .filter(is_server)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// What the user was told beside the conversation.
pub(crate) fn notices(ran: &CommandOutput) -> String {
    ran.values("notice", "text").join("\n")
}

#[test]
fn a_driven_loop_goes_on_until_its_promise_is_verified() {
    isolated(|| {
        let stage = Stage::saying([]);
        let made = writes(&stage.project, "a", "b\n");
        stage.api.then(ModelScript::new([
            ModelTurn::says(DONE),
            made.costs(40, 4),
            ModelTurn::says(DONE),
        ]));
        let ran = drive(&stage, &GATED).output().exits(0).ends("success/verified", 2);
        assert!(stage.heard(2).contains("custom-1"), "a false promise: {}", stage.heard(2));
        let kinds = ran.values("agent_output", "kind");
        assert_eq!(kinds, ["note", "text", "tool", "text"], "{}", ran.stdout);
        let report = stage.project.ralph(&["report", "--json"]).output().exits(0).json();
        assert_eq!(report["tools"][0]["tool"], "write", "{report}");
        assert_eq!(ran.ended()["cost"]["input_tokens"], 2040, "{}", ran.stdout);
        stage.api.is_over();
        assert_eq!(servers(), [""; 0]);
    });
}

/// Two turns: the first looks around, the second is done.
pub(crate) fn two_turns(more: &[&str]) -> (Stage, CommandOutput) {
    let stage =
        Stage::saying([ModelTurn::says("The kettle is in the kitchen."), ModelTurn::says(DONE)]);
    let ran = drive(&stage, more).output().exits(0).ends("success/claimed", 2);
    (stage, ran)
}

#[test]
fn the_same_context_is_the_same_session() {
    isolated(|| {
        let (stage, _) = two_turns(&["--context", "same"]);
        let said = stage.api.main()[1].messages();
        assert!(said.contains(&("assistant".into(), "The kettle is in the kitchen.".into())));
    });
}

#[test]
fn the_task_of_a_driven_loop_is_never_run_by_the_client() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("What an odd task. <promise>DONE</promise>")]);
        let task = "explain !`touch pwned`, $(touch pwned), \"quotes\", @a and /ralph stop\n한글";
        let args = ["run", task, "--agent", "opencode", "--json"];
        let ran = OpenCodeClient::ralph(&stage.project, &stage.api, &args).output().exits(0);
        let _ = ran.ends("success/claimed", 1);
        assert!(stage.heard(1).starts_with(task), "{}", stage.heard(1));
        assert!(!stage.project.root().join("pwned").exists());
    });
}
