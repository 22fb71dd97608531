//! What agents are shown of the memory.

use std::fs;

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::hooks::Session;
use crate::{opencode, plain};

const RULE: &str = "Never push to the main branch.";
const GOTCHA: &str = "The parser loses trailing commas in nested arrays.";
const TASK: &str = "Make the parser keep trailing commas";

fn add(project: &TestProject, kind: &str, text: &str) -> String {
    let added = project.ralph(&["memory", "add", "--json", "--kind", kind, text]).output();
    let added = added.exits(0).json();
    added["note"]["id"].as_str().or(added["id"].as_str()).unwrap().to_owned()
}

/// A project with a rule, something that goes wrong, and other things.
fn remembering() -> (TestProject, [String; 2]) {
    let project = plain();
    project.file("ralph.toml", "[hooks]\nmemory = \"all\"\n");
    let ids = [add(&project, "constitution", RULE), add(&project, "gotcha", GOTCHA)];
    for text in ["Invoices are rounded to cents.", "Avatars are WebP.", "Sessions last an hour."] {
        add(&project, "fact", text);
    }
    (project, ids)
}

fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

/// What stands before the end of what is shown.
fn rules(answer: &Value) -> &str {
    context(answer).split("</ralph-notes>").next().unwrap_or_default()
}

/// All lines of the log that tell of a showing.
fn showings(project: &TestProject) -> Vec<Value> {
    let logs = project.everything().into_iter().filter(|path| {
        path.extension().is_some_and(|end| end == "jsonl")
            && path.parent().is_some_and(|folder| folder.ends_with("memory"))
    });
    let texts: Vec<String> = logs.map(|path| fs::read_to_string(path).unwrap()).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let events = lines.filter_map(|line| serde_json::from_str(line.split_once(' ')?.1).ok());
    events.filter(|event: &Value| event["kind"] == "shown").collect()
}

#[test]
fn a_session_begins_with_rules_and_its_first_task_brings_what_fits_once() {
    let (project, [rule, gotcha]) = remembering();
    let session = Session::new(&project, "s-1");
    let start = session.tell("SessionStart", &json!({ "source": "startup" }));
    assert!(context(&start).contains(&format!("- [{rule}] [VERIFIED] {RULE}")), "{start}");
    assert!(!context(&start).contains(GOTCHA), "{start}");
    let first = session.prompt(TASK);
    assert!(context(&first).contains(&format!("- [{gotcha}] [VERIFIED] {GOTCHA}")), "{first}");
    assert!(!context(&first).contains(RULE), "{first}");
    assert_eq!(session.prompt(TASK), Value::Null);
    let shown = showings(&project);
    let ids: Vec<&Value> = shown.iter().map(|event| &event["data"]["ids"]).collect();
    assert_eq!(ids, [&json!([rule]), &json!([gotcha])]);
    assert!(shown.iter().all(|event| event["session"] == "s-1" && event["actor"] == "ralph"));
}

#[test]
fn without_a_loop_a_session_is_shown_nothing_unless_somebody_wants_it() {
    let (project, [rule, gotcha]) = remembering();
    project.file("ralph.toml", "");
    let session = Session::new(&project, "s-1");
    assert_eq!(session.tell("SessionStart", &json!({ "source": "startup" })), Value::Null);
    assert_eq!(session.prompt(TASK), Value::Null);
    let begun = session.prompt(&format!("/ralph {TASK}"));
    assert!(context(&begun).contains(&rule) && context(&begun).contains(&gotcha), "{begun}");
    let facts = json!({ "prompt": format!("/ralph {TASK}") });
    let call = Session::new(&project, "s-2").call("UserPromptSubmit", &facts);
    let text = call.env("RALPH_HOOKS_MEMORY", "off").output().exits(0).stdout;
    assert!(!text.contains("ralph-notes"), "{text}");
    assert_eq!(showings(&project).len(), 1);
    project.file("ralph.toml", "[hooks]\narm = \"on-errors\"\n");
    let third = Session::new(&project, "s-3");
    let start = third.tell("SessionStart", &json!({ "source": "startup" }));
    assert!(context(&start).contains(&rule), "a loop may begin by itself: {start}");
}

#[test]
fn a_session_that_was_emptied_is_told_again() {
    let (project, _) = remembering();
    let session = Session::new(&project, "s-1");
    let start = session.tell("SessionStart", &json!({ "source": "startup" }));
    let first = session.prompt(TASK);
    let again = session.tell("SessionStart", &json!({ "source": "clear" }));
    assert!(context(&again).starts_with(rules(&start)), "{again}");
    assert_eq!(session.prompt(TASK), first);
}

#[test]
fn a_session_that_was_shortened_knows_again_what_fits_its_task() {
    let (project, [rule, gotcha]) = remembering();
    let session = Session::new(&project, "s-1");
    session.tell("SessionStart", &json!({ "source": "startup" }));
    session.prompt(TASK);
    let again = session.tell("SessionStart", &json!({ "source": "compact" }));
    for id in [&rule, &gotcha] {
        assert!(context(&again).contains(&format!("- [{id}] [VERIFIED]")), "{again}");
    }
    assert_eq!(session.prompt("go on"), Value::Null);
}

#[test]
fn a_host_that_tells_of_no_beginning_gets_everything_with_the_first_message() {
    let (project, [rule, gotcha]) = remembering();
    let session = opencode::Session::new(&project, "ses_1");
    let action = session.opens(TASK);
    assert_eq!(action["do"], "append", "{action}");
    let text = action["text"].as_str().unwrap();
    assert!(text.contains(&rule) && text.contains(&gotcha), "{text}");
    assert_eq!(session.says("and the semicolons"), Value::Null);
}

#[test]
fn the_notes_of_a_loop_come_with_its_first_turn() {
    let (project, [rule, gotcha]) = remembering();
    let session = Session::new(&project, "s-1");
    let begun = session.prompt(&format!("/ralph {TASK}"));
    let text = context(&begun);
    assert!(text.starts_with(TASK), "{text}");
    assert!(text.contains(&rule) && text.contains(&gotcha), "{text}");
    let shown = &showings(&project)[0];
    assert_eq!((&shown["run"], &shown["iteration"]), (&session.run()["id"], &json!(1)), "{shown}");
}

#[test]
fn without_a_memory_nothing_is_said_or_made() {
    let project = plain();
    let session = Session::new(&project, "s-1");
    let before = project.everything();
    assert_eq!(session.tell("SessionStart", &json!({ "source": "startup" })), Value::Null);
    assert_eq!(session.prompt(TASK), Value::Null);
    assert_eq!(project.everything(), before);
}

#[test]
fn a_memory_that_is_switched_off_says_nothing() {
    let (project, _) = remembering();
    let session = Session::new(&project, "s-1");
    let call = session.call("SessionStart", &json!({ "source": "startup" }));
    assert_eq!(call.env("RALPH_MEMORY", "false").output().exits(0).stdout, "");
    assert_eq!(showings(&project), Vec::<Value>::new());
}

#[test]
fn a_driver_puts_notes_in_front_of_every_new_conversation() {
    let (project, [rule, gotcha]) = remembering();
    let prompts = project.outside("prompts");
    fs::create_dir_all(&prompts).unwrap();
    project.agent(&format!("cat \"$RALPH_PROMPT_FILE\" > {}/$RALPH_ITERATION", prompts.display()));
    let ended = project.run_json(TASK, &["--max-iterations", "2"]).ended();
    for turn in 1..=2 {
        let prompt = fs::read_to_string(prompts.join(turn.to_string())).unwrap();
        assert!(prompt.starts_with("<ralph-notes>\n"), "{prompt}");
        assert!(prompt.contains(&rule) && prompt.contains(&gotcha), "{prompt}");
        let (notes, rest) = prompt.split_once("</ralph-notes>\n").unwrap();
        assert!(rest.contains(TASK) && !notes.contains(TASK), "{prompt}");
    }
    let shown = showings(&project);
    let turns: Vec<_> = shown.iter().map(|event| event["iteration"].clone()).collect();
    assert_eq!(json!(turns), json!([1, 2]));
    assert!(shown.iter().all(|event| event["run"] == ended["run_id"]), "{shown:?} {ended}");
}

#[test]
fn what_an_agent_reads_can_be_looked_at() {
    let (project, [rule, gotcha]) = remembering();
    let text = project.ralph(&["memory", "context", "--task", TASK]).output().exits(0).stdout;
    assert!(text.starts_with("<ralph-notes>\n") && text.ends_with("</ralph-notes>\n"), "{text}");
    assert!(text.contains(&rule) && text.contains(&gotcha), "{text}");
    let args = ["memory", "context", "--task", TASK, "--json", "--tokens", "4000"];
    let found = project.ralph(&args).output().exits(0).json();
    assert_eq!(found["schema"], 1);
    assert_eq!(found["text"], text);
    assert!(found["tokens"].as_u64().unwrap() <= 4000);
    let notes = json!([
        { "id": rule, "section": "rules", "label": "verified", "form": "full" },
        { "id": gotcha, "section": "gotchas", "label": "verified", "form": "full" },
    ]);
    assert_eq!(found["notes"], notes);
    assert_eq!(found["sufficiency"]["verdict"], "ready");
    assert_eq!(showings(&project), Vec::<Value>::new(), "a person was shown it, no agent");
    let none = project.ralph(&["memory", "context", "--phase", "verify", "--task", "x"]);
    assert!(!none.output().exits(0).stdout.contains(GOTCHA));
}

#[test]
fn whether_enough_is_known_to_begin_is_told() {
    let (project, _) = remembering();
    project.file("app.py", "def save(user):\n    return user\n");
    let judged = |task: &str| {
        let args = ["memory", "context", "--json", "--task", task];
        project.ralph(&args).output().exits(0).json()["sufficiency"].clone()
    };
    let asked = judged("fix the crash in `zzqx_nowhere`");
    assert_eq!(asked["verdict"], "request_human", "{asked}");
    let questions = asked["questions"].to_string();
    assert!(questions.contains("`zzqx_nowhere` is not in the code."), "{questions}");
    assert_eq!(judged("Where is `save`?")["verdict"], "ready");
}

#[test]
fn rules_that_do_not_fit_are_an_error_for_the_user() {
    let project = plain();
    for number in 0..40 {
        add(
            &project,
            "constitution",
            &format!("Rule {number}: {}", "keep it short and tidy ".repeat(12)),
        );
    }
    let refused = project.ralph(&["memory", "context"]).output();
    assert!(refused.stderr.contains("rules of the project take"), "{}", refused.stderr);
    assert!(refused.stderr.contains("memory.tokens"), "{}", refused.stderr);
    project.file("ralph.toml", "[hooks]\nmemory = \"all\"\n");
    let session = Session::new(&project, "s-1");
    let told = session.tell("SessionStart", &json!({ "source": "startup" }));
    let note = told["systemMessage"].as_str().unwrap_or_default();
    assert!(note.contains("rules of the project take"), "{told}");
}
