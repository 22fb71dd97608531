//! Loops in sessions, from their beginning to their end.

use ralph_testkit::{ModelScript, ModelTurn, isolated};

use crate::clients::opencode::stage::{DONE, GATE, Stage, writes};

#[test]
fn a_loop_goes_on_until_its_promise_is_verified() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage.api.then(ModelScript::new([
            ModelTurn::says("I looked around."),
            ModelTurn::says(DONE),
            writes(&stage.project, "a", "b\n"),
            ModelTurn::says(DONE),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.command(&session, "ralph", &format!("make a hold b {GATE}"));
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 3);
        assert!(stage.heard(1).starts_with("make a hold b\n\n"), "{}", stage.heard(1));
        assert!(stage.heard(2).starts_with("[ralph, turn 2 of "), "{}", stage.heard(2));
        assert!(
            stage.heard(3).contains("Not done yet: custom-1 fails."),
            "a false promise: {}",
            stage.heard(3)
        );
        let report = stage.project.ralph(&["report", "--json"]).output().exits(0).json();
        assert_eq!(report["tools"][0]["tool"], "write", "{report}");
        stage.api.is_over();
    });
}

#[test]
fn in_korean_the_first_message_begins_a_loop_and_the_limit_ends_it() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("하나"), ModelTurn::says("둘")]);
        let settings = "[run]\nlocale = \"ko\"\nmatch = \"word\"\nmax_iterations = 2\n\n\
                        [hooks]\narm = \"every-session\"\n";
        stage.project.file("ralph.toml", settings);
        let client = stage.start();
        let session = client.session("work");
        client.says(&session, "파서를 고쳐 줘");
        let toast = client.until_toast("재시도");
        assert_eq!(toast["message"], "최대 재시도 횟수에 도달했습니다");
        assert_eq!(toast["variant"], "warning");
        let task = "파서를 고쳐 줘\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)";
        assert_eq!(stage.heard(1), task);
        assert!(!stage.heard(2).contains("(중요:"), "once is enough: {}", stage.heard(2));
        stage.is("failed/max_iterations", 2);
    });
}

#[test]
fn of_two_sessions_only_the_one_with_the_loop_goes_on() {
    isolated(|| {
        let script = ModelScript::new([])
            .conversation(
                "make a hold b",
                [ModelTurn::says("Not yet."), ModelTurn::says("Nor now.")],
            )
            .conversation(
                "what is two and two?",
                [ModelTurn::says("Four. <promise>DONE</promise>")],
            );
        let stage = Stage::new(script);
        let client = stage.start();
        let [looping, other] = ["looping", "other"].map(|title| client.session(title));
        let task = format!("make a hold b {GATE} --max-iterations 2");
        client.command(&looping, "ralph", &task);
        client.says(&other, "what is two and two?");
        client.until_toast("stopped after 2 turns, the limit");
        stage.is("failed/max_iterations", 2);
        assert_eq!(stage.api.main().len(), 3);
        stage.api.is_over();
    });
}

#[test]
fn every_session_begins_a_loop_of_its_own_with_its_first_words_that_want_an_answer() {
    isolated(|| {
        let turns = || [ModelTurn::says("아직입니다."), ModelTurn::says("마쳤습니다. DONE")];
        let script = ModelScript::new([])
            .conversation("파서를 고쳐 줘", turns())
            .conversation("이 프로젝트는 파이썬입니다", turns());
        let stage = Stage::new(script);
        let settings = "[run]\nlocale = \"ko\"\nmatch = \"word\"\n\n\
                        [hooks]\narm = \"every-session\"\n";
        stage.project.file("ralph.toml", settings);
        let client = stage.start();
        let [one, two] = ["one", "two"].map(|title| client.session(title));
        client.notes(&two, "이 프로젝트는 파이썬입니다");
        client.says(&one, "파서를 고쳐 줘");
        client.says(&two, "렉서를 고쳐 줘");
        client.until_toast("완료");
        client.until_toast("완료");
        stage.api.is_over();
        let runs = stage.project.ralph(&["runs", "--json"]).output().exits(0).json();
        for (session, task) in [(&one, "파서를 고쳐 줘"), (&two, "렉서를 고쳐 줘")] {
            let mut runs = runs["runs"].as_array().unwrap().iter();
            let run = runs.find(|run| run["session_id"] == session.as_str()).unwrap();
            assert_eq!((&run["task"], &run["status"]), (&task.into(), &"success".into()), "{run}");
        }
        let heard = stage.heard_in("이 프로젝트는 파이썬입니다");
        let asked = "렉서를 고쳐 줘\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)";
        assert!(heard[0].ends_with(asked), "{}", heard[0]);
    });
}
