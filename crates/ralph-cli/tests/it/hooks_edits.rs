//! Quick looks at what an agent has just edited.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::process::Command;

use ralph_store::{EventQuery, SqliteStore};
use ralph_testkit::{TestProject, tool};
use serde_json::{Value, json};

use crate::hooks::{Session, answer, stop};

/// No linter and no server for Python is here.
const SYSTEM: &str = "/usr/bin:/bin";

const OLD: &str = "def old(x):\n    return eval(x)\n";

fn project() -> TestProject {
    let project = crate::git();
    project.file("old.py", OLD).run_git(&["add", "-A"]);
    project.run_git(&["commit", "-qm", "start"]);
    project
}

/// A session whose agent edits files, and the search path of its hooks.
struct Editor<'a> {
    session: Session<'a>,
    path: String,
}

impl<'a> Editor<'a> {
    /// In a loop that only a claim ends.
    fn new(project: &'a TestProject, path: &str) -> Self {
        let session = Session::new(project, "s-1");
        session.prompt("/ralph work --max-iterations 6");
        Self { session, path: path.to_owned() }
    }

    /// What the agent reads after it wrote a file.
    #[track_caller]
    fn writes(&self, file: &str, text: &str) -> String {
        self.writes_as(file, text, &json!({}))
    }

    #[track_caller]
    fn writes_as(&self, file: &str, text: &str, more: &Value) -> String {
        self.session.project.file(file, text);
        let mut facts = self.session.edited(file);
        for (name, value) in more.as_object().into_iter().flatten() {
            facts[name] = value.clone();
        }
        let said = answer(self.session.call("PostToolUse", &facts).env("PATH", &self.path));
        assert_eq!(said["decision"], Value::Null, "{said}");
        let context = &said["hookSpecificOutput"]["additionalContext"];
        context.as_str().unwrap_or_default().to_owned()
    }
}

/// The facts of every look, in order.
fn looks(project: &TestProject) -> Vec<Value> {
    let home = project.root().join(".git/ralph");
    let store = SqliteStore::open_existing(&home).unwrap().unwrap().store;
    let query = EventQuery { run: None, session: None, after: 0, limit: 1000 };
    let events = store.events(&query).unwrap().into_iter().map(|stored| stored.event);
    let looks = events.filter(|event| event.kind == "diagnostics");
    looks.map(|event| serde_json::from_str(&event.data).unwrap()).collect()
}

/// A folder of programs before those of the system.
fn with_programs(project: &TestProject) -> String {
    format!("{}:{SYSTEM}", project.outside("bin").display())
}

/// A linter that does what this says, unless it is to be a server.
fn fake_ruff(project: &TestProject, body: &str) {
    fs::create_dir_all(project.outside("bin")).unwrap();
    let path = project.outside("bin/ruff");
    fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = server ] && exit 1\n{body}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(path).status().unwrap().success());
}

fn pipe(project: &TestProject, name: &str) -> File {
    let path = project.outside(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // For both sides, so that neither waits.
    File::options().read(true).write(true).open(path).unwrap()
}

#[test]
fn what_can_be_exploited_is_told_at_once_and_only_once() {
    let project = project();
    let editor = Editor::new(&project, SYSTEM);
    let bad = "def ask():\n    return eval(input())\n";
    let told = editor.writes("ask.py", bad);
    assert!(told.contains("new problem") && told.contains("ask.py:2: "), "{told}");
    assert_eq!(editor.writes("ask.py", bad), "", "the same again");
    assert_eq!(editor.writes("ask.py", &format!("import os\n\n{bad}")), "", "lines moved");
    assert_eq!(editor.writes("ask.py", "def ask():\n    return input()\n"), "", "better");
    assert!(editor.writes("ask.py", bad).contains("ask.py:2: "), "worse again");
    let looks = looks(&project);
    let counts: Vec<_> = looks.iter().map(|look| (&look["security"], &look["new"])).collect();
    let want = [(1, 1), (1, 0), (1, 0), (0, 0), (1, 1)].map(|(all, new)| (json!(all), json!(new)));
    assert_eq!(counts, want.iter().map(|(all, new)| (all, new)).collect::<Vec<_>>());
    assert_eq!(looks[0]["files"], json!(["ask.py"]));
}

#[test]
fn a_secret_in_the_code_is_told_without_the_secret() {
    let project = project();
    let editor = Editor::new(&project, SYSTEM);
    let told = editor.writes("settings.py", "API_KEY = \"9f8a7c6b5d4e3f2a1b0c\"\n");
    assert!(told.contains("settings.py:1: ") && !told.contains("9f8a7c6b5d"), "{told}");
}

#[test]
fn what_was_there_before_the_loop_is_not_the_edits() {
    let project = project();
    let editor = Editor::new(&project, SYSTEM);
    assert_eq!(editor.writes("old.py", &format!("# A remark.\n{OLD}")), "");
    let told = editor.writes("old.py", &format!("{OLD}\ndef more(x):\n    return eval(x)\n"));
    assert!(told.contains("old.py:5: ") && told.lines().count() == 2, "{told}");
}

#[test]
fn a_list_of_problems_is_short_and_the_edit_of_a_child_counts() {
    let project = project();
    let editor = Editor::new(&project, SYSTEM);
    let many: Vec<String> = (0..9).map(|n| format!("def f{n}(x):\n    return eval(x)\n")).collect();
    let told = editor.writes_as("many.py", &many.concat(), &json!({ "agent_id": "a1" }));
    assert!(told.contains("9 new problems") && told.lines().count() == 6, "{told}");
}

#[test]
fn a_real_linter_tells_an_undefined_name_and_not_what_was_there() {
    let project = project();
    project.file("lib.py", "import os\n").run_git(&["add", "-A"]);
    fs::create_dir_all(project.outside("bin")).unwrap();
    symlink(tool("ruff"), project.outside("bin/ruff")).unwrap();
    let editor = Editor::new(&project, &with_programs(&project));
    let told = editor.writes("lib.py", "import os\n\nprint(unheard_of)\n");
    assert!(told.contains("lib.py:3: ") && told.contains("unheard_of"), "{told}");
    assert_eq!(told.lines().count(), 2, "an import that was unused before: {told}");
    assert_eq!(editor.writes("lib.py", "import os\n"), "");
    let look = &looks(&project)[0];
    assert_eq!((&look["tools"], &look["new"]), (&json!(["ralph-security", "ruff"]), &json!(1)));
    assert!(!project.root().join(".ruff_cache").exists());
}

#[test]
fn a_linter_that_hangs_is_left_out_and_ended() {
    let project = project();
    let alive = pipe(&project, "alive");
    let _never = pipe(&project, "never");
    fake_ruff(&project, "exec 9> \"$OUTSIDE/alive\"; read _ < \"$OUTSIDE/never\"");
    let editor = Editor::new(&project, &with_programs(&project));
    let told = editor.writes("ask.py", "eval(input())\n");
    assert!(told.contains("ask.py:1: "), "what did answer is told: {told}");
    assert_eq!(looks(&project)[0]["silent"], json!(["ruff"]));
    let mut end = File::open(project.outside("alive")).unwrap();
    drop(alive);
    end.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn nothing_is_looked_at_without_a_loop_or_after_it() {
    let project = project();
    fake_ruff(&project, "echo >> \"$OUTSIDE/ran\"; echo '[]'");
    let path = with_programs(&project);
    let before = Editor { session: Session::new(&project, "s-1"), path: path.clone() };
    assert_eq!(before.writes("ask.py", "eval(input())\n"), "");
    assert_eq!(project.kept("ran"), "");
    let editor = Editor::new(&project, &path);
    assert_ne!(editor.writes("more.py", "eval(input())\n"), "");
    let ran = project.kept("ran");
    assert_ne!(ran, "");
    answer(editor.session.call("Stop", &stop("Done. <promise>DONE</promise>")));
    editor.session.is("success/claimed", 1);
    assert_eq!(editor.writes("last.py", "eval(input())\n"), "");
    assert_eq!(project.kept("ran"), ran);
}

#[test]
fn files_that_nobody_knows_anything_about_leave_no_trace() {
    let project = project();
    fs::create_dir_all(project.root().join("node_modules/x")).unwrap();
    let editor = Editor::new(&project, SYSTEM);
    for file in ["notes.txt", "Makefile", "node_modules/x/a.js"] {
        assert_eq!(editor.writes(file, "eval(input())\n"), "", "{file}");
    }
    assert_eq!(looks(&project), Vec::<Value>::new());
    let written = project.everything();
    assert!(!written.iter().any(|path| path.ends_with("looks")), "{written:?}");
}

#[test]
fn an_agent_that_we_drive_is_told_as_well() {
    let project = project();
    project.agent(
        r#"echo 'eval(input())' > ask.py
        printf '{"session_id":"inner","hook_event_name":"PostToolUse","tool_name":"Write","tool_use_id":"t","tool_input":{"file_path":"%s/ask.py"}}' "$PWD" |
            "$RALPH" hook --agent claude-code > "$OUTSIDE/answer"
        echo '<promise>DONE</promise>'"#,
    );
    let call = project.run_call("work", &[]).env("RALPH", env!("CARGO_BIN_EXE_ralph"));
    let _ = call.env("PATH", SYSTEM).output().ends("success/claimed", 1);
    assert!(project.kept("answer").contains("ask.py:1: "), "{}", project.kept("answer"));
}

/// A server for files that no linter knows; whoever starts it is heard of.
const SERVER: &str = "[lsp.checker]\nextensions = [\".pyx\"]\nlanguage = \"python\"\n\
    command = [\"sh\", \"-c\", \"echo > $OUTSIDE/started; exec ruff server\"]\n";

#[test]
fn servers_are_warmed_up_behind_the_agents_back_and_then_heard() {
    let project = project();
    project.file("ralph.toml", SERVER);
    fs::create_dir_all(project.outside("bin")).unwrap();
    symlink(tool("ruff"), project.outside("bin/ruff")).unwrap();
    let mut started = pipe(&project, "started");
    let editor = Editor::new(&project, &with_programs(&project));
    assert_eq!(editor.writes("a.pyx", "x = 1\n"), "");
    started.read_exact(&mut [0]).unwrap();
    // Once this is answered, they are warm.
    let args = ["check", "--lsp", "--warm", "a.pyx"];
    let _ = project.ralph(&args).env("PATH", &editor.path).output().exits(0);
    let told = editor.writes("a.pyx", "x = unheard_of\n");
    assert!(told.contains("a.pyx:1: ") && told.contains("unheard_of"), "{told}");
    assert_eq!(editor.writes("a.pyx", "x = unheard_of\n"), "");
}
