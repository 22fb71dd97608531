//! More of what a driven client does.

use ralph_testkit::{ModelScript, ModelTurn, TestProject, isolated};
use serde_json::{Value, json};

use crate::clients::opencode::driver::{GATED, drive, notices, servers, two_turns};
use crate::clients::opencode::stage::{DONE, Stage, writes};

#[test]
fn a_fresh_context_knows_the_task_and_nothing_else() {
    isolated(|| {
        let (stage, _) = two_turns(&["--context", "fresh"]);
        let opening = stage.api.main()[1].opening();
        assert!(opening.contains("make a hold b") && !opening.contains("kettle"), "{opening}");
    });
}

/// The summaries that were kept: sessions, and what stands in their files.
fn summaries(project: &TestProject) -> Vec<(String, String)> {
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
        let stage = Stage::saying([ModelTurn::says("Not yet."), ModelTurn::says(DONE)]);
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
        let stage = Stage::saying([ModelTurn::says("Not yet."), ModelTurn::fails(401)]);
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
        let stage = Stage::saying([ModelTurn::says("Not yet."), ModelTurn::says(DONE)]);
        let client = stage.start();
        let ran = drive(&stage, &["--attach", &client.url()]).output().exits(0);
        let _ = ran.ends("success/claimed", 2);
        assert_eq!(servers(), [client.id().to_string()]);
        client.until_toast("ralph report");
        for text in ["loop started (run-", "turn 1 of 4", "turn 2 of 4", "ralph report"] {
            assert_eq!(client.toasts(text), 1, "{text}");
        }
        stage.api.is_over();
    });
}

#[test]
fn two_runs_in_two_projects_do_not_meet() {
    isolated(|| {
        let stages = ["first", "second"].map(|name| {
            let stage = Stage::saying([ModelTurn::says("Not yet.")]);
            let made = writes(&stage.project, "a", &format!("b of the {name}\n"));
            stage.api.then(ModelScript::new([
                ModelTurn::says("Not yet."),
                made,
                ModelTurn::says(DONE),
            ]));
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
        let turns = || [ModelTurn::uses("bash", &command), ModelTurn::says(DONE)];
        let stage = Stage::saying(turns());
        let settings: Value = json!({ "permission": { "bash": "ask" } });
        stage.project.file("opencode.json", settings.to_string());
        let ran = drive(&stage, &[]).output().exits(0);
        assert!(notices(&ran).contains("denied bash: echo b"), "{}", ran.stdout);
        assert!(notices(&ran).contains("permission.bash"), "{}", ran.stdout);
        assert!(stage.heard(2).contains("No one can"), "{}", stage.heard(2));
        assert_eq!(stage.project.read("a"), "1\n");
        stage.api.then(ModelScript::new(turns()));
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
            ModelTurn::uses("question", &json!({ "questions": [question] })),
            ModelTurn::says(DONE),
        ]);
        let ran = drive(&stage, &[]).output().exits(0).ends("success/claimed", 1);
        assert!(notices(&ran).contains("Tea or coffee?"), "{}", ran.stdout);
        assert!(stage.heard(2).contains("No one can"), "{}", stage.heard(2));
    });
}

#[test]
fn a_driven_run_has_the_agent_and_the_model_that_the_user_chose() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says(DONE)]);
        let poet = r#"{"agent": {"poet": {"mode": "primary", "prompt": "You are a poet."}}}"#;
        stage.project.file("opencode.json", poet);
        stage
            .project
            .file("ralph.toml", "[opencode]\nagent = \"poet\"\nargs = [\"--print-logs\"]\n");
        let _ = drive(&stage, &["--model", "scripted/model"]).output().exits(0);
        let system = stage.api.main()[0].system();
        assert!(system.contains("You are a poet."), "{system}");
        let unknown =
            drive(&stage, &["--model", "scripted/other", "--max-iterations", "1"]).output();
        assert!(unknown.exits(1).stdout.contains("scripted/other"));
    });
}
