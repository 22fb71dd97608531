//! Loops that go on in a new session of the real client.

use ralph_testkit::{ModelScript, ModelTurn, OpenCodeClient, TurnHold, isolated};

use crate::clients::opencode::stage::{DONE, GATE, Stage};

/// Every session is a loop, in Korean, with this context and what else there is.
fn settings(context: &str, more: &str) -> String {
    format!(
        "[run]\nlocale = \"ko\"\nmatch = \"word\"\ncontext = \"{context}\"\n{more}\n\
         [hooks]\narm = \"every-session\"\n"
    )
}

const SUMMARY: &str = "## 요약\n\n파서를 읽었고, 렉서가 남았습니다.";

const LIMIT: &str = "최대 재시도 횟수에 도달했습니다";

/// Waits until a session is deleted, and says which.
#[track_caller]
fn deleted(client: &OpenCodeClient) -> String {
    let gone = client.until("session.deleted", |_| true);
    gone["info"]["id"].as_str().unwrap().to_owned()
}

/// The session that has the loop.
fn here(stage: &Stage) -> String {
    stage.run()["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn without_a_promise_a_new_session_goes_on_with_the_summary_of_the_old_one() {
    isolated(|| {
        let turns =
            [ModelTurn::says("구조를 보고 있습니다."), ModelTurn::says("분석을 마쳤습니다. DONE")];
        let stage = Stage::new(ModelScript::new(turns).asides([ModelTurn::says(SUMMARY)]));
        stage.project.file("ralph.toml", settings("summarize", ""));
        let client = stage.start();
        let old = client.session("work");
        client.says(&old, "프로젝트 구조 분석해줘");
        assert_eq!(deleted(&client), old);
        client.toasts("");
        stage.is("success/claimed", 2);
        assert_eq!(
            stage.heard(1),
            "프로젝트 구조 분석해줘\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)"
        );
        let path = format!(".opencode/sessions/{old}/ralph_summary.md");
        assert_eq!(stage.project.read(&path), SUMMARY);
        let restart = stage.heard(2);
        assert!(restart.contains(SUMMARY), "{restart}");
        assert!(restart.contains("원래 작업:\n프로젝트 구조 분석해줘"), "{restart}");
        assert_eq!(stage.api.main()[1].messages().len(), 1, "the new session is new");
        assert_eq!(client.sessions(), [here(&stage)]);
        stage.api.is_over();
    });
}

#[test]
fn restarts_end_with_a_toast_to_the_letter_and_sessions_that_are_kept_stay() {
    isolated(|| {
        let stage =
            Stage::saying([ModelTurn::says("하나"), ModelTurn::says("둘"), ModelTurn::says("셋")]);
        let more = "max_restarts = 2\nold_session = \"keep\"\n";
        stage.project.file("ralph.toml", settings("fresh", more));
        let client = stage.start();
        let session = client.session("work");
        client.says(&session, "파서를 고쳐 줘");
        let toast = client.until_toast("재시도");
        assert_eq!(toast["message"], LIMIT);
        assert_eq!(toast["variant"], "warning");
        stage.is("failed/max_restarts", 3);
        assert_eq!(client.sessions().len(), 3);
        assert!(stage.heard(3).contains("반복 3/"), "{}", stage.heard(3));
        assert_eq!(stage.api.main().len(), 3);
    });
}

#[test]
fn a_client_that_is_killed_while_it_sums_up_goes_on_when_it_is_started_again() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "summary");
        stage.api.then(
            ModelScript::new([ModelTurn::says("Not yet."), ModelTurn::says(DONE)])
                .asides([ModelTurn::says("Lost.").held(&held), ModelTurn::says("Found.")]),
        );
        let client = stage.start();
        let old = client.session("work");
        client.command(&old, "ralph", "look at it --context summarize");
        held.is_begun();
        drop(client);
        held.release();
        stage.is("running", 2);
        let client = stage.start();
        assert_eq!(deleted(&client), old);
        stage.is("success/claimed", 2);
        assert_eq!(client.sessions(), [here(&stage)]);
        let path = format!(".opencode/sessions/{old}/ralph_summary.md");
        assert_eq!(stage.project.read(&path), "Found.");
        assert!(stage.heard(2).contains("Found."), "{}", stage.heard(2));
        stage.api.is_over();
    });
}

#[test]
fn a_session_that_cannot_be_summed_up_and_one_that_the_user_deletes() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(
            ModelScript::new([
                ModelTurn::says("I looked around."),
                ModelTurn::says("Never said.").held(&held),
            ])
            .asides([ModelTurn::fails(400)]),
        );
        let client = stage.start();
        let old = client.session("work");
        let task = format!("make a hold b --context summarize {GATE}");
        client.command(&old, "ralph", &task);
        client.until_toast("could not be summarised");
        held.is_begun();
        assert!(stage.heard(2).contains("> I looked around."), "{}", stage.heard(2));
        client.delete(&here(&stage));
        client.until_toast("/ralph resume");
        stage.is("paused/interrupted", 2);
        held.release();
        assert_eq!(client.sessions(), [old]);
    });
}

#[test]
fn an_old_session_that_is_busy_is_aborted_before_it_is_deleted() {
    isolated(|| {
        let stage = Stage::saying([]);
        let [new, old] = ["new", "old"].map(|name| TurnHold::new(&stage.project, name));
        stage.api.then(ModelScript::new([
            ModelTurn::says("Not yet."),
            ModelTurn::says(DONE).held(&new),
            ModelTurn::says("Never said.").held(&old),
        ]));
        // A command that is none of ours: we do not hear of its turn.
        stage.project.file(".opencode/commands/count.md", "Count the stars.\n");
        let client = stage.start();
        let left = client.session("work");
        client.command(&left, "ralph", "look at it --context fresh");
        new.is_begun();
        client.submits(&left, "count", "");
        old.is_begun();
        new.release();
        client.until("session.error", |error| error["sessionID"] == left.as_str());
        assert_eq!(deleted(&client), left);
        old.release();
        stage.is("success/claimed", 2);
        assert_eq!(client.sessions(), [here(&stage)]);
        stage.api.is_over();
    });
}

#[test]
fn an_abort_while_a_session_is_summed_up_pauses_the_loop() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "summary");
        let summary = ModelTurn::says("Never said.").held(&held);
        stage.api.then(ModelScript::new([ModelTurn::says("Not yet.")]).asides([summary]));
        let client = stage.start();
        let session = client.session("work");
        client.command(&session, "ralph", "look at it --context summarize");
        held.is_begun();
        client.abort(&session);
        client.until_toast("/ralph resume");
        stage.is("paused/aborted", 2);
        held.release();
        assert_eq!(client.sessions(), [session]);
    });
}

#[test]
fn a_loop_whose_session_is_gone_rests_when_the_client_starts() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("Not yet."),
            ModelTurn::says("x").held(&held),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.command(&session, "ralph", "look at it");
        held.is_begun();
        drop(client);
        held.release();
        stage.is("running", 2);
        let sessions = stage.project.outside("home/.local/share/opencode");
        std::fs::remove_dir_all(sessions).unwrap();
        let client = stage.start();
        client.until_toast("/ralph resume");
        stage.is("paused/interrupted", 2);
    });
}

#[test]
fn two_loops_whose_client_is_killed_while_it_sums_them_up_both_go_on() {
    isolated(|| {
        let stage = Stage::saying([]);
        let holds = ["one", "two"].map(|name| TurnHold::new(&stage.project, name));
        let lost = holds.iter().map(|hold| ModelTurn::says("Lost.").held(hold));
        let found = [ModelTurn::says("Found."), ModelTurn::says("Found.")];
        stage.api.then(
            ModelScript::new([])
                .conversation("고쳐 줘", ["아직", "아직", "DONE", "DONE"].map(ModelTurn::says))
                .asides(lost.chain(found).collect::<Vec<_>>()),
        );
        stage.project.file("ralph.toml", settings("summarize", ""));
        let client = stage.start();
        let mut old = ["one", "two"].map(|title| client.session(title));
        for session in &old {
            client.says(session, "파서를 고쳐 줘");
        }
        holds.iter().for_each(TurnHold::is_begun);
        drop(client);
        holds.iter().for_each(TurnHold::release);
        let client = stage.start();
        let mut gone = [deleted(&client), deleted(&client)];
        old.sort();
        gone.sort();
        assert_eq!(gone, old);
        let runs = stage.project.ralph(&["runs", "--json"]).output().exits(0).json();
        let runs = runs["runs"].as_array().unwrap();
        assert!(runs.len() == 2 && runs.iter().all(|run| run["status"] == "success"), "{runs:?}");
        stage.api.is_over();
    });
}

#[test]
fn an_agent_that_says_the_same_each_time_is_retried_five_times_and_the_user_told_so() {
    isolated(|| {
        let stage = Stage::saying(["아직입니다."; 6].map(ModelTurn::says));
        stage.project.file("ralph.toml", settings("summarize", ""));
        let client = stage.start();
        let session = client.session("work");
        client.says(&session, "파서를 고쳐 줘");
        let toast = client.until_toast("재시도");
        assert_eq!(toast["message"], LIMIT);
        stage.is("failed/max_restarts", 6);
        assert_eq!(stage.api.main().len(), 6);
        stage.api.is_over();
    });
}
