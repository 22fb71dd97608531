//! Every session begins a loop by itself, and each has its own.

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::hooks::{self, goes_on};
use crate::opencode::{Session, korean, text};
use crate::opencode_moving::done;

const INSTRUCTION: &str = "\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)";

/// The newest run of a session, wherever it stands.
#[track_caller]
fn run_of(project: &TestProject, session: &str) -> Value {
    let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
    let mut runs = runs["runs"].as_array().into_iter().flatten();
    runs.find(|run| run["session_id"] == session).cloned().unwrap_or_default()
}

#[track_caller]
fn stands(project: &TestProject, session: &str, standing: &str, iteration: u64) {
    let run = run_of(project, session);
    let found = (run["status"].as_str(), run["iteration"].as_u64());
    assert_eq!(found, (Some(standing), Some(iteration)), "{run}");
}

#[test]
fn sessions_at_the_same_time_have_a_loop_each_and_a_command_means_its_own() {
    let project = hooks::project();
    project.file("ralph.toml", "[hooks]\narm = \"every-session\"\n");
    let [one, two] = ["s-1", "s-2"].map(|id| hooks::Session::new(&project, id));
    for (session, task) in [(&one, "write a poem"), (&two, "write a song")] {
        let armed = session.prompt(task);
        let told = armed["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(told.contains("<promise>DONE</promise>"), "{armed}");
    }
    assert!(goes_on(&one.stop("Not yet.")).contains("write a poem"));
    let shown = one.prompt("/ralph status");
    assert!(goes_on(&shown).contains("write a poem"), "{shown}");
    assert!(!goes_on(&shown).contains("write a song"), "{shown}");
    assert_eq!(two.stop("Done.\n\n<promise>DONE</promise>")["decision"], Value::Null);
    stands(&project, "s-2", "success", 1);
    stands(&project, "s-1", "running", 2);
    let ended = one.prompt("/cancel-ralph");
    assert!(goes_on(&ended).contains(run_of(&project, "s-1")["id"].as_str().unwrap()), "{ended}");
    stands(&project, "s-1", "stopped", 2);
}

#[test]
fn a_gated_loop_keeps_another_gated_one_out_and_the_user_is_told_in_both_languages() {
    for (locale, words) in [("en", "already has an active run with checks"), ("ko", "검사가 있는")]
    {
        let project = hooks::project();
        let settings = format!(
            "[run]\nlocale = \"{locale}\"\ncriteria = [\"custom:grep -q b a\"]\n\n\
             [hooks]\narm = \"every-session\"\n"
        );
        project.file("ralph.toml", settings);
        let [one, two] = ["ses_1", "ses_2"].map(|id| Session::new(&project, id));
        text(&one.opens("make a hold b"), "append");
        let refused = two.opens("make it hold c");
        let toast = &refused["toast"];
        assert!(toast["text"].as_str().unwrap().contains(words), "{refused}");
        assert_eq!(toast["variant"], "error", "{refused}");
        assert_eq!(run_of(&project, "ses_2"), Value::Null);
    }
}

#[test]
fn words_that_want_no_answer_are_not_the_task() {
    let project = korean();
    let session = Session::new(&project, "ses_1");
    text(&session.opens("이 프로젝트는 파이썬입니다"), "append");
    assert_eq!(text(&session.opens("파서를 고쳐 줘"), "append"), INSTRUCTION);
    assert_eq!(run_of(&project, "ses_1")["task"], "파서를 고쳐 줘");
    session.idle("msg_1", "아직입니다.");
    assert_eq!(session.opens("그리고 테스트도"), Value::Null, "a turn was taken");
    assert_eq!(run_of(&project, "ses_1")["task"], "파서를 고쳐 줘");
    let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "{runs}");
}

#[test]
fn a_host_that_starts_again_is_asked_about_each_of_its_loops() {
    let project = korean();
    for id in ["ses_1", "ses_2", "ses_3"] {
        text(&Session::new(&project, id).opens("파서를 고쳐 줘"), "append");
    }
    let started = json!({ "v": 1, "type": "started", "directory": project.root() });
    let hook = project.ralph(&["hook", "--agent", "opencode"]).stdin(started.to_string());
    let said = hook.output().exits(0).stdout;
    let mut asked: Vec<String> = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|action| action["do"] == "check")
        .map(|action| action["session"].as_str().unwrap().to_owned())
        .collect();
    asked.sort();
    assert_eq!(asked, ["ses_1", "ses_2", "ses_3"], "{said}");
}

/// A loop that goes on in a new session each time, told by its plugin: what it
/// comes to if all sessions say the same.
fn repeats(more: &str) -> (Value, u64) {
    let project = korean();
    let settings = project.read("ralph.toml");
    let summed = format!("[run]\ncontext = \"fresh\"\n{more}");
    project.file("ralph.toml", settings.replace("[run]\n", &summed));
    text(&Session::new(&project, "ses_0").opens("파서를 고쳐 줘"), "append");
    let run = run_of(&project, "ses_0")["id"].clone();
    for turn in 0.. {
        let old = format!("ses_{turn}");
        let mut action = Session::new(&project, &old).idle(&format!("msg_{turn}"), "아직입니다.");
        let (toast, next) = (action["toast"].clone(), format!("ses_{}", turn + 1));
        while action["run"] == run {
            action = done(&project, &action, &json!({ "created": next }));
        }
        if turn > 9 || run_of(&project, &next).is_null() {
            return (toast, turn);
        }
    }
    unreachable!("numbers do not end")
}

#[test]
fn an_agent_that_says_the_same_each_time_has_all_of_its_retries() {
    let (toast, retries) = repeats("");
    assert_eq!((toast["text"].as_str(), retries), (Some("최대 재시도 횟수에 도달했습니다"), 5));
    let (toast, retries) = repeats("stagnation_limit = 3\n");
    let said = toast["text"].as_str().unwrap();
    assert!(said.contains("진전") && retries == 2, "{retries}: {said}");
}

#[test]
fn of_loops_at_the_same_time_none_is_taken_back_alone_where_they_share_files() {
    let project = hooks::project();
    let [one, two] = ["s-1", "s-2"].map(|id| hooks::Session::new(&project, id));
    let done = "Done.\n\n<promise>DONE</promise>";
    one.prompt("/ralph write");
    two.prompt("/ralph write as well");
    let write = |session: &hooks::Session<'_>, file: &str, text: &str| {
        project.file(file, text);
        session.edit(file);
    };
    write(&one, "alone", "one\n");
    write(&one, "shared", "one\n");
    one.stop("Not yet.");
    write(&two, "shared", "one\ntwo\n");
    two.stop(done);
    one.stop(done);
    let [first, second] =
        ["s-1", "s-2"].map(|id| run_of(&project, id)["id"].as_str().unwrap().to_owned());
    for args in [["rollback", &first].as_slice(), &["rollback", &first, "--path", "shared"]] {
        let refused = project.ralph(args).output().exits(1).stderr;
        assert!(refused.contains("shared (") && refused.contains(&second), "{refused}");
        assert!(refused.contains("--force"), "{refused}");
    }
    assert_eq!(project.read("shared"), "one\ntwo\n");
    let plan =
        project.ralph(&["rollback", &second, "--dry-run", "--json"]).output().exits(0).json();
    assert!(plan["shared"].to_string().contains(&first), "{plan}");
    let _ = project.ralph(&["rollback", &first, "--force"]).output().exits(0);
    assert!(!project.root().join("shared").exists());
}

#[test]
fn loops_after_one_another_share_nothing() {
    let project = hooks::project();
    let session = hooks::Session::new(&project, "s-1");
    for text in ["one\n", "two\n"] {
        session.prompt("/ralph write");
        project.file("a", text);
        session.edit("a");
        session.stop("Done.\n\n<promise>DONE</promise>");
    }
    let id = run_of(&project, "s-1")["id"].as_str().unwrap().to_owned();
    let _ = project.ralph(&["rollback", &id]).output().exits(0);
    assert_eq!(project.read("a"), "one\n");
}
