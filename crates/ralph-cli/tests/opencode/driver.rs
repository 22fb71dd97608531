//! `ralph run --agent opencode`: loops that are driven through a server.

use ralph_testkit::{Call, OpenCode, Output, Project, Script, Turn, isolated};
use serde_json::{Value, json};

use crate::stage::{DONE, Stage, writes};

/// A check that fails until the file `a` has a `b`.
const GATED: [&str; 2] = ["--criteria", "custom:grep -q b a"];

/// A call that drives the client in the stage's project.
pub(crate) fn drive(stage: &Stage, more: &[&str]) -> Call {
    let args = ["run", "make a hold b", "--agent", "opencode", "--json"];
    let most: &[&str] =
        if more.contains(&"--max-iterations") { &[] } else { &["--max-iterations", "4"] };
    let args: Vec<&str> = args.iter().chain(most).chain(more).copied().collect();
    OpenCode::ralph(&stage.project, &stage.api, &args)
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
pub(crate) fn notices(ran: &Output) -> String {
    ran.values("notice", "text").join("\n")
}

#[test]
fn a_driven_loop_goes_on_until_its_promise_is_verified() {
    isolated(|| {
        let stage = Stage::saying([]);
        let made = writes(&stage.project, "a", "b\n");
        stage.api.then(Script::new([Turn::says(DONE), made.costs(40, 4), Turn::says(DONE)]));
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
fn two_turns(more: &[&str]) -> (Stage, Output) {
    let stage = Stage::saying([Turn::says("The kettle is in the kitchen."), Turn::says(DONE)]);
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
fn a_fresh_context_knows_the_task_and_nothing_else() {
    isolated(|| {
        let (stage, _) = two_turns(&["--context", "fresh"]);
        let opening = stage.api.main()[1].opening();
        assert!(opening.contains("make a hold b") && !opening.contains("kettle"), "{opening}");
    });
}

/// The summaries that were kept: sessions, and what stands in their files.
fn summaries(project: &Project) -> Vec<(String, String)> {
    let folder = project.root().join(".opencode/sessions");
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(entry.path().join("ralph_summary.md"));
            (name, text.unwrap_or_default())
        })
        .collect()
}

#[test]
fn in_korean_a_new_session_begins_with_the_summary_of_the_old_one() {
    isolated(|| {
        let (stage, _) = two_turns(&["--context", "summarize", "--locale", "ko"]);
        let kept = summaries(&stage.project);
        let [(session, summary)] = kept.as_slice() else { panic!("{kept:?}") };
        assert!(session.starts_with("ses_") && summary.contains("as scripted"), "{kept:?}");
        let asked = &stage.api.main()[1];
        assert!(asked.messages().iter().all(|(role, _)| role != "assistant"));
        let opening = asked.opening();
        assert!(opening.contains(summary.trim()) && opening.contains("make a hold b"), "{opening}");
        let seen = stage.project.run_git(&["status", "--porcelain", "--untracked-files=all"]);
        assert!(!seen.contains("sessions"), "{seen}");
        let client = stage.start();
        assert!(!client.sessions().contains(session), "the old one is gone");
    });
}

#[test]
fn a_session_that_was_summed_up_can_be_kept() {
    isolated(|| {
        let stage = Stage::saying([Turn::says("Not yet."), Turn::says(DONE)]);
        stage.project.file("ralph.toml", "[run]\nold_session = \"keep\"\n");
        let _ = drive(&stage, &["--context", "summarize"]).output().exits(0);
        let [(session, _)] = &summaries(&stage.project)[..] else { panic!("no summary") };
        let client = stage.start();
        assert!(client.sessions().contains(session));
    });
}

#[test]
fn a_session_stays_as_long_as_the_one_that_follows_it_has_not_spoken() {
    isolated(|| {
        let stage = Stage::saying([Turn::says("Not yet."), Turn::fails(401)]);
        let args = ["--context", "summarize", "--max-iterations", "2"];
        let ran = drive(&stage, &args).output().exits(1);
        assert_eq!(ran.values("iteration_ended", "turn"), ["finished", "failed"]);
        let [(session, _)] = &summaries(&stage.project)[..] else { panic!("no summary") };
        let client = stage.start();
        assert!(client.sessions().contains(session));
    });
}

#[test]
fn a_server_of_the_user_is_used_and_left_alone() {
    isolated(|| {
        let stage = Stage::saying([Turn::says("Not yet."), Turn::says(DONE)]);
        let client = stage.start();
        let ran = drive(&stage, &["--attach", &client.url()]).output().exits(0);
        let _ = ran.ends("success/claimed", 2);
        assert_eq!(servers(), [client.id().to_string()]);
        client.until_toast("ralph report");
        for text in ["armed run-", "iteration 1/4", "iteration 2/4", "ralph report"] {
            assert_eq!(client.toasts(text), 1, "{text}");
        }
        stage.api.is_over();
    });
}

#[test]
fn the_task_of_a_driven_loop_is_never_run_by_the_client() {
    isolated(|| {
        let stage = Stage::saying([Turn::says("What an odd task. <promise>DONE</promise>")]);
        let task = "explain !`touch pwned`, $(touch pwned), \"quotes\", @a and /ralph stop\n한글";
        let args = ["run", task, "--agent", "opencode", "--json"];
        let ran = OpenCode::ralph(&stage.project, &stage.api, &args).output().exits(0);
        let _ = ran.ends("success/claimed", 1);
        assert!(stage.heard(1).starts_with(task), "{}", stage.heard(1));
        assert!(!stage.project.root().join("pwned").exists());
    });
}

#[test]
fn two_runs_in_two_projects_do_not_meet() {
    isolated(|| {
        let stages = ["first", "second"].map(|name| {
            let stage = Stage::saying([Turn::says("Not yet.")]);
            let made = writes(&stage.project, "a", &format!("b of the {name}\n"));
            stage.api.then(Script::new([Turn::says("Not yet."), made, Turn::says(DONE)]));
            stage
        });
        let running = stages.each_ref().map(|stage| drive(stage, &GATED).start());
        for (running, name) in running.into_iter().zip(["first", "second"]) {
            let _ = running.finish().exits(0).ends("success/verified", 2);
            let stage = &stages[usize::from(name == "second")];
            assert_eq!(stage.project.read("a"), format!("b of the {name}\n"));
            stage.api.is_over();
        }
        assert_eq!(servers(), [""; 0]);
    });
}

#[test]
fn what_the_client_would_ask_for_is_answered_by_the_settings() {
    isolated(|| {
        let command = json!({ "command": "echo b > a", "description": "as scripted" });
        let turns = || [Turn::uses("bash", &command), Turn::says(DONE)];
        let stage = Stage::saying(turns());
        let settings: Value = json!({ "permission": { "bash": "ask" } });
        stage.project.file("opencode.json", settings.to_string());
        let ran = drive(&stage, &[]).output().exits(0);
        assert!(notices(&ran).contains("denied bash: echo b"), "{}", ran.stdout);
        assert!(notices(&ran).contains("permission.bash"), "{}", ran.stdout);
        assert!(stage.heard(2).contains("Nobody is here"), "{}", stage.heard(2));
        assert_eq!(stage.project.read("a"), "1\n");
        stage.api.then(Script::new(turns()));
        let all = drive(&stage, &[]).env("RALPH_OPENCODE_PERMISSION_MODE", "all");
        let ran = all.output().exits(0);
        assert_eq!((notices(&ran).as_str(), stage.project.read("a").as_str()), ("", "b\n"));
    });
}

#[test]
fn a_question_to_a_person_is_answered_by_nobody() {
    isolated(|| {
        let option = json!({ "label": "Tea", "description": "hot" });
        let question =
            json!({ "question": "Tea or coffee?", "header": "Drink", "options": [option] });
        let stage = Stage::saying([
            Turn::uses("question", &json!({ "questions": [question] })),
            Turn::says(DONE),
        ]);
        let ran = drive(&stage, &[]).output().exits(0).ends("success/claimed", 1);
        assert!(notices(&ran).contains("Tea or coffee?"), "{}", ran.stdout);
        assert!(stage.heard(2).contains("Nobody is here"), "{}", stage.heard(2));
    });
}
