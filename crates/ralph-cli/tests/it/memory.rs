//! Notes: written, found, explained and forgotten from the command line.

#[cfg(test)]
mod prove;

use std::fs;

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::{Value, json};

use crate::{git, plain};

fn memory(project: &TestProject, args: &[&str]) -> CommandOutput {
    project.ralph(&[&["memory"], args].concat()).output()
}

#[track_caller]
fn ends(project: &TestProject, args: &[&str], code: i32) {
    let _ = memory(project, args).exits(code);
}

#[track_caller]
fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let answer = memory(project, &[args, &["--json"]].concat()).exits(0).json();
    assert_eq!(answer["schema"], 1);
    answer
}

#[track_caller]
fn add(project: &TestProject, args: &[&str]) -> String {
    let answer = json_of(project, &[&["add"], args].concat());
    answer["note"]["id"].as_str().unwrap_or_default().to_owned()
}

/// The texts of what was found, best first.
fn texts(project: &TestProject, query: &str) -> Vec<String> {
    let answer = json_of(project, &["search", query]);
    let results = answer["results"].as_array().map_or(&[][..], Vec::as_slice);
    results.iter().map(|one| one["text"].as_str().unwrap_or_default().to_owned()).collect()
}

const TALK: &str = r#"{"id":"talk/../1","text":"the cache is warmed before the first request","kind":"turn","group":"talk","at":"2024-01-01T00:00:00Z","next":2}
{"id":2,"text":"and dropped \"afterwards\", 캐시를 비운다","kind":"turn","group":"talk","at":1704067200000,"prev":"talk/../1"}
{"id":"other","text":"migrations run in a transaction","title":"Migrations","files":["db/run.sql"],"group":"db"}
"#;

#[test]
fn an_import_is_found_again_by_the_names_it_came_with() {
    let project = git();
    project.file("talk.jsonl", TALK);
    let done = json_of(&project, &["import", "talk.jsonl"]);
    assert_eq!((&done["added"], &done["refused"]), (&json!(3), &json!([])));
    let answer = json_of(&project, &["search", "When is the cache warmed?", "--limit", "1"]);
    let [first] = answer["results"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(first["external_id"], "talk/../1");
    assert_eq!((&first["kind"], &first["group"]), (&json!("turn"), &json!("talk")));
    assert_eq!(first["at"], "2024-01-01T00:00:00.000Z");
    assert!(first["score"].as_f64().unwrap() > 0.0, "{answer}");
    assert_eq!(json_of(&project, &["search", "캐시"])["results"][0]["external_id"], "2");
    let groups = json_of(&project, &["search", "cache request", "--groups"]);
    assert_eq!(groups["results"][0]["group"], "talk");
    let same = memory(&project, &["search", "cache", "--json"]).stdout;
    assert_eq!(memory(&project, &["search", "cache", "--json"]).stdout, same);
}

#[test]
fn a_second_import_updates_what_differs() {
    let project = plain();
    project.file("talk.jsonl", TALK);
    json_of(&project, &["import", "talk.jsonl"]);
    project.file("talk.jsonl", TALK.replace("transaction", "savepoint"));
    let done = json_of(&project, &["import", "talk.jsonl"]);
    let counts = [&done["added"], &done["updated"], &done["unchanged"]];
    assert_eq!(counts, [&json!(0), &json!(1), &json!(2)]);
    assert!(texts(&project, "transaction").is_empty());
    assert_eq!(texts(&project, "savepoint"), ["migrations run in a savepoint"]);
}

#[test]
fn an_agent_changes_nothing_of_the_users_by_an_import() {
    let project = plain();
    let id = add(&project, &["tests need the database", "--kind", "constitution"]);
    let line = json!({ "id": "x", "note_id": id, "text": "tests need nothing" });
    project.file("talk.jsonl", format!("{line}\n"));
    for variable in ["RALPH_DRIVER", "CLAUDE_CODE_SESSION_ID", "RALPH_HOST_SESSION"] {
        let call = project.ralph(&["memory", "import", "talk.jsonl"]).env(variable, "1");
        let said = call.output().exits(1);
        assert!(said.stdout.contains("only the user") || said.stderr.contains("only the user"));
        let call = project.ralph(&["memory", "forget", &id]).env(variable, "1");
        let _ = call.output().exits(1);
    }
    assert_eq!(texts(&project, "database"), ["tests need the database"]);
}

#[test]
fn bad_lines_are_named_and_the_others_kept() {
    let project = plain();
    let mut file = TALK.as_bytes().to_vec();
    file.extend(b"{\"id\":\"x\",\"text\":\"\xff\"}\n\n[1]\n{\"text\":\"no id\"}\n");
    file.extend(b"{\"id\":\"\",\"text\":\"t\"}\n{\"id\":\"t\",\"text\":\"t\",\"at\":\"soon\"}\n");
    let huge = json!({ "id": "huge", "text": "\u{1}".repeat(300_000) });
    file.extend(format!("{huge}\n").as_bytes());
    let deep = format!("{}\n", "[".repeat(5_000));
    file.extend(deep.as_bytes());
    project.file("bad.jsonl", file);
    let done = memory(&project, &["import", "bad.jsonl", "--json"]).exits(1).json();
    let lines: Vec<u64> = done["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["line"].as_u64().unwrap())
        .collect();
    assert_eq!((lines.as_slice(), &done["added"]), ([4, 6, 7, 8, 9, 10, 11].as_slice(), &json!(3)));
    let said = memory(&project, &["import", "bad.jsonl"]).exits(1);
    assert!(said.stderr.contains("line 7 is left out: it has no `id`"), "{}", said.stderr);
    assert!(said.stderr.contains("line 9 is left out: `at` is `soon`"), "{}", said.stderr);
    ends(&project, &["import", "missing.jsonl"], 2);
}

#[test]
fn several_questions_are_answered_line_by_line() {
    let project = plain();
    project.file("questions.txt", "cache\n\nmigrations \"../\nnothing at all\n");
    let empty = memory(&project, &["search", "--queries", "questions.txt", "--json"]).exits(0);
    assert_eq!(empty.stdout.lines().count(), 4);
    project.file("talk.jsonl", TALK);
    json_of(&project, &["import", "talk.jsonl"]);
    let answer = memory(&project, &["search", "--queries", "questions.txt", "--json"]).exits(0);
    let lines: Vec<Value> =
        answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let indexes: Vec<&Value> = lines.iter().map(|line| &line["index"]).collect();
    assert_eq!(indexes, [&json!(0), &json!(1), &json!(2), &json!(3)]);
    assert_eq!(lines[2]["query"], "migrations \"../");
    assert_eq!(lines[2]["results"][0]["external_id"], "other");
    assert_eq!((&lines[1]["results"], &lines[3]["schema"]), (&json!([]), &json!(1)));
}

#[test]
fn an_agent_notes_for_its_task_alone() {
    let project = git();
    let driven = |args: &[&str]| {
        let call = project.ralph(&[&["memory"], args].concat());
        let call = call.env("RALPH_DRIVER", "1").env("RALPH_RUN_ID", "run-0badcafe");
        call.env("RALPH_ITERATION", "3").output()
    };
    let note = driven(&["add", "the parser wants tabs", "--json"]).exits(0).json();
    let note = &note["note"];
    assert_eq!((&note["scope"], &note["by"]), (&json!("task"), &json!("agent")));
    assert_eq!((&note["run_id"], &note["iteration"]), (&json!("run-0badcafe"), &json!(3)));
    let mine = add(&project, &["the user has spoken", "--kind", "decision"]);
    let _ = driven(&["add", "for everybody", "--scope", "project"]).exits(1);
    let _ = driven(&["edit", &mine, "the agent has spoken"]).exits(1);
    let _ = driven(&["promote", &mine]).exits(1);
    let _ = driven(&["forget", &mine]).exits(1);
    // Said again by an agent, it stays the user's.
    let _ = driven(&["add", "the user has spoken", "--kind", "decision"]).exits(0);
    let shown = json_of(&project, &["show", &mine]);
    assert_eq!(
        (&shown["note"]["scope"], &shown["note"]["by"]),
        (&json!("project"), &json!("user"))
    );
}

#[test]
fn a_belief_is_explained_in_the_language_of_the_reader() {
    let project = git();
    project.file("src/store.py", "def save():\n    pass\n");
    let id = add(&project, &["save takes a lock", "--anchor", "src/store.py#save"]);
    let why = json_of(&project, &["why", &id]);
    assert_eq!((&why["label"], &why["source"]), (&json!("verified"), &json!("user")));
    project.file("src/store.py", "def save():\n    pass\n\ndef load():\n    save()\n");
    assert_eq!(json_of(&project, &["why", &id])["label"], "verified");
    project.file("src/store.py", "def save():\n    return 1\n");
    let said = memory(&project, &["why", &id]).exits(0).stdout;
    assert!(said.contains("You wrote it") && said.contains("[STALE]"), "{said}");
    assert!(said.contains("src/store.py#save has changed since."), "{said}");
    let korean = project.ralph(&["memory", "why", &id]).env("RALPH_LOCALE", "ko").output();
    assert!(korean.stdout.contains("사용자가 썼습니다"), "{}", korean.stdout);
    project.file("src/store.py", "def load():\n    save()\n");
    let said = memory(&project, &["why", &id]).exits(0).stdout;
    assert!(said.contains("src/store.py#save is not there any more."), "{said}");
    ends(&project, &["add", "x", "--anchor", "src/store.py#save"], 2);
    ends(&project, &["add", "x", "--anchor", "../outside"], 2);
}

#[test]
fn notes_are_edited_promoted_and_listed() {
    let project = plain();
    let id =
        add(&project, &["use make", "--kind", "command", "--file", "Makefile", "--scope", "task"]);
    ends(&project, &["edit", &id], 2);
    ends(&project, &["edit", &id, "use just", "--why", "it is faster"], 0);
    ends(&project, &["promote", &id], 0);
    let listed = json_of(&project, &["list", "--file", "Makefile", "--scope", "project"]);
    let note = &listed["notes"][0];
    assert_eq!((&note["id"], &note["text"]), (&json!(id), &json!("use just")));
    assert_eq!(note["why"], "it is faster");
    ends(&project, &["promote", &id, "--scope", "global"], 0);
    assert_eq!(json_of(&project, &["list", "--scope", "project"])["notes"], json!([]));
    for args in [&["list"][..], &["list", "--scope", "global"]] {
        assert_eq!(json_of(&project, args)["notes"][0]["id"], json!(id));
    }
    let from_input = project.ralph(&["memory", "add"]).stdin("typed\nin").output().exits(0);
    assert!(from_input.stdout.starts_with("Noted m"), "{}", from_input.stdout);
    ends(&project, &["show", "../../etc/passwd"], 2);
    ends(&project, &["add", "x", "--kind", "joke"], 2);
    let _ = project.ralph(&["memory", "add"]).stdin("  \n").output().exits(2);
}

#[test]
fn a_forgotten_note_is_in_no_file_any_more() {
    let project = git();
    let id = add(&project, &["call xyzzy42plugh to deploy"]);
    add(&project, &["something else"]);
    let said = memory(&project, &["forget", &id]).exits(0).stdout;
    assert!(said.starts_with(&format!("Forgot {id}")), "{said}");
    ends(&project, &["forget", &id], 2);
    for path in project.everything().into_iter().filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap();
        let word = b"xyzzy42plugh";
        assert!(!bytes.windows(word.len()).any(|part| part == word), "{}", path.display());
    }
}

#[test]
fn secrets_and_private_parts_are_not_kept() {
    let project = git();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("log in with {token} <private>at noon</private> daily");
    add(&project, &[&text]);
    project.file("s.jsonl", format!("{}\n", json!({ "id": "s", "text": text })));
    json_of(&project, &["import", "s.jsonl"]);
    for found in texts(&project, "log daily") {
        assert!(!found.contains(&token) && !found.contains("noon"), "{found}");
    }
    ends(&project, &["add", "<private>all of it</private>"], 2);
}

#[test]
fn a_damaged_index_is_said_and_made_anew() {
    let project = plain();
    add(&project, &["the sky is blue"]);
    let everything = project.everything();
    let of = |end: &str| everything.iter().find(|path| path.to_string_lossy().ends_with(end));
    fs::write(of("memory.1.db").unwrap(), "this is no database").unwrap();
    if let Some(path) = of("memory.1.db-wal") {
        fs::remove_file(path).unwrap();
    }
    let answer = memory(&project, &["search", "sky", "--json"]).exits(0);
    assert!(answer.stderr.contains("is damaged"), "{}", answer.stderr);
    assert_eq!(answer.json()["results"][0]["text"], "the sky is blue");
    assert_eq!(memory(&project, &["search", "sky", "--json"]).stderr, "");
    // What a line of the log lost comes back from the index.
    add(&project, &["grass is green"]);
    let log = of("00000001.jsonl").unwrap();
    let text = fs::read_to_string(log).unwrap().replace("blue", "grey");
    fs::write(log, text).unwrap();
    let stats = json_of(&project, &["rebuild"]);
    let salvage = &stats["salvage"];
    assert_eq!(
        (&stats["notes"], &salvage["damaged"], &salvage["notes"]),
        (&json!(2), &json!(1), &json!(1))
    );
}

#[test]
fn notes_move_to_another_project_with_their_ids() {
    let (here, there) = (plain(), plain());
    let id = add(&here, &["quote \"this\" and 이것", "--kind", "gotcha", "--why", "because"]);
    here.file("talk.jsonl", TALK);
    json_of(&here, &["import", "talk.jsonl"]);
    let exported = memory(&here, &["export"]).exits(0).stdout;
    there.file("notes.jsonl", &exported);
    assert_eq!(json_of(&there, &["import", "notes.jsonl"])["added"], 4);
    let note = &json_of(&there, &["show", &id])["note"];
    assert_eq!((&note["kind"], &note["why"]), (&json!("gotcha"), &json!("because")));
    here.file("notes.jsonl", &exported);
    let again = json_of(&here, &["import", "notes.jsonl"]);
    assert_eq!(again["unchanged"], 4, "{again}");
}

#[test]
fn reading_creates_nothing_and_stats_tell_how_much_there_is() {
    let project = plain();
    let before = project.everything();
    for args in [&["search", "x"][..], &["list"], &["stats"], &["export"], &["rebuild"]] {
        ends(&project, args, 0);
    }
    ends(&project, &["show", "m1"], 2);
    assert_eq!(project.everything(), before);
    add(&project, &["one"]);
    let table = memory(&project, &["stats"]).exits(0).stdout;
    assert!(table.contains("fact  project  1       0        1"), "{table}");
    assert!(table.contains("1 note, log "), "{table}");
    let status = project.ralph(&["status"]).output().exits(0).stdout;
    assert_eq!(status, "There is no run here.\n", "what is remembered is no state of a run");
}

#[test]
fn notes_that_are_said_twice_or_point_at_nothing_are_found_and_mended() {
    let project = plain();
    project.file("a.py", "def save():\n    pass\n");
    let lines = ["The API listens on port 8080", "the API listens on port 8080"];
    let lines = lines.map(|text| format!("{}\n", json!({ "id": text, "text": text })));
    project.file("notes.jsonl", lines.concat());
    json_of(&project, &["import", "notes.jsonl"]);
    let listed = json_of(&project, &["list"]);
    let ids = listed["notes"].as_array().unwrap().iter().map(|note| note["id"].clone());
    let [again, first] = <[Value; 2]>::try_from(ids.collect::<Vec<_>>()).unwrap();
    let stale = add(&project, &["saving is slow", "--anchor", "a.py#save"]);
    project.file("a.py", "");
    let doctor = |more: &[&str]| {
        let args = [&["memory", "doctor", "--json"], more].concat();
        project.ralph(&args).output()
    };
    let found = doctor(&[]).exits(1).json();
    let pair = json!({ "id": again, "first": first, "literal": true, "spare": true });
    assert_eq!(found["duplicates"], json!([pair]));
    assert_eq!(found["stale"], json!([stale]));
    assert_eq!(found["never_shown"].as_array().unwrap().len(), 3);
    let mended = doctor(&["--fix"]).exits(0).json();
    assert_eq!((&mended["duplicates"], &mended["active"]), (&json!([]), &json!(2)));
    let table = memory(&project, &["doctor"]).exits(0).stdout;
    assert!(table.contains(&format!("out of date                  1      {stale}")), "{table}");
    let agent = project.ralph(&["memory", "doctor", "--fix"]).env("RALPH_DRIVER", "1");
    let said = agent.output().exits(1).stderr;
    assert!(said.contains("an agent cannot mend notes"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_takes_no_more_is_told_and_nothing_is_lost() {
    let project = plain();
    add(&project, &["kept from before"]);
    let lines = (0..4_000).map(|number| {
        let text = format!("{number} {}", number * 7_919);
        format!("{}\n", json!({ "id": number, "text": text.repeat(20) }))
    });
    project.file("many.jsonl", lines.collect::<String>());
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" memory import many.jsonl";
    let refused = project.program("sh").args(["-c", script]).args([project.binary()]).output();
    let _ = refused.exits(3);
    assert_eq!(texts(&project, "kept before"), ["kept from before"]);
    assert_eq!(json_of(&project, &["import", "many.jsonl"])["refused"], json!([]));
    assert_eq!(json_of(&project, &["stats"])["notes"], 4_001);
}
