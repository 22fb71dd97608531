//! What is remembered in a project that cannot be written to.

use std::fs;

use ralph_testkit::{CommandOutput, TestProject, isolated};
use serde_json::json;

use crate::git;

/// A project with a note of the user, and calls of it where nothing in it can
/// be changed.
struct Closed(TestProject);

impl Closed {
    fn new() -> Self {
        let project = git();
        project.file("store.py", "def save():\n    pass\n");
        project.file("ralph.toml", "[hooks]\nmemory = \"all\"\n");
        for args in [&["the timeout is 30 seconds"][..], &["rebase", "--kind", "constitution"]] {
            let _ = project.ralph(&[&["memory", "add"], args].concat()).output().exits(0);
        }
        Self(project)
    }

    /// A call in a namespace in which the project is mounted to be read.
    fn call(&self, args: &[&str], stdin: &str) -> CommandOutput {
        let Self(project) = self;
        let script =
            "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && exec \"$0\" \"$@\"";
        let call = project.program("unshare").args(["--mount", "sh", "-c", script]);
        call.args([project.binary()]).args(args).stdin(stdin).output()
    }

    fn ralph(&self, args: &[&str]) -> CommandOutput {
        self.call(args, "")
    }
}

#[test]
fn what_is_there_is_read_and_nothing_is_kept_elsewhere() {
    isolated(|| {
        let closed = Closed::new();
        let before = closed.0.everything();
        for (args, word) in [
            (&["memory", "list"][..], "the timeout is 30 seconds"),
            (&["memory", "search", "timeout"], "the timeout is 30 seconds"),
            (&["memory", "export"], "the timeout is 30 seconds"),
            (&["memory", "context", "--task", "change the timeout"], "the timeout is 30 seconds"),
            (&["memory", "files", "save in store"], "store.py"),
        ] {
            let said = closed.ralph(args).exits(0);
            assert!(said.stdout.contains(word), "{args:?}: {} {}", said.stdout, said.stderr);
        }
        let refused = closed.ralph(&["memory", "add", "another"]);
        let home = closed.0.root().join(".git/ralph/memory");
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(home.to_str().unwrap()), "{}", refused.stderr);
        assert!(refused.stderr.contains("Read-only file system"), "{}", refused.stderr);
        assert_eq!(closed.0.everything(), before);
        // The log alone is enough.
        for name in ["memory.1.db", "memory.1.db-wal", "memory.1.db-shm"] {
            let _ = fs::remove_file(closed.0.root().join(".git/ralph").join(name));
        }
        let said = closed.ralph(&["memory", "search", "timeout"]).exits(0);
        assert!(said.stdout.contains("30 seconds"), "{}", said.stdout);
    });
}

#[test]
fn a_note_is_not_moved_out_of_a_project_that_cannot_let_go_of_it() {
    isolated(|| {
        let closed = Closed::new();
        let listed = closed.0.ralph(&["memory", "list", "--json"]).output().exits(0).json();
        let id = listed["notes"][0]["id"].as_str().unwrap();
        let refused = closed.ralph(&["memory", "promote", id, "--scope", "global"]);
        assert!(refused.stderr.contains("Read-only file system"), "{}", refused.stderr);
        let global = closed.0.ralph(&["memory", "list", "--scope", "global", "--json"]);
        assert_eq!(global.output().exits(0).json()["notes"], json!([]));
        let shown = closed.0.ralph(&["memory", "show", id, "--json"]).output().exits(0).json();
        assert_eq!(shown["note"]["retired"], json!(null));
        let again = ["memory", "promote", id, "--scope", "global"];
        let _ = closed.0.ralph(&again).output().exits(0);
    });
}

#[test]
fn a_note_is_not_forgotten_while_what_repeats_it_has_to_stay() {
    isolated(|| {
        let closed = Closed::new();
        let text = "The launch codename is Zanzibar";
        let added = ["memory", "add", text, "--scope", "global", "--json"];
        let added = closed.0.ralph(&added).output().exits(0).json();
        let id = added["note"]["id"].as_str().unwrap();
        let _ = closed.ralph(&["memory", "show", id]).exits(0);
        let because = ["memory", "add", "The launch is in May", "--why", text];
        let _ = closed.0.ralph(&because).output().exits(0);
        let refused = closed.ralph(&["memory", "forget", id]).exits(1);
        assert!(refused.stderr.contains("cannot be written to"), "{}", refused.stderr);
        let _ = closed.0.ralph(&["memory", "show", id]).output().exits(0);
        let done = closed.0.ralph(&["memory", "forget", id, "--json"]).output().exits(0).json();
        assert_eq!(done["lines"], 2, "{done}");
        // What does not repeat it is in nobody's way.
        let added = closed.0.ralph(&["memory", "add", "Tabs are eight wide", "--scope", "global"]);
        let added = added.args(["--json"]).output().exits(0).json();
        let id = added["note"]["id"].as_str().unwrap();
        assert_eq!(closed.ralph(&["memory", "forget", id]).exits(0).stderr, "");
    });
}

#[test]
fn no_memory_is_begun_elsewhere_for_a_project_that_takes_none() {
    isolated(|| {
        let closed = Closed(git());
        let before = closed.0.everything();
        for args in [&["memory", "add", "x y z"][..], &["memory", "import", "/dev/null"]] {
            let said = closed.ralph(args);
            let is_refused = said.code != Some(0);
            assert_eq!(is_refused, args.contains(&"add"), "{args:?}: {}", said.stderr);
        }
        let refused = closed.ralph(&["memory", "add", "x y z"]).stderr;
        let home = closed.0.root().join(".git/ralph/memory");
        assert!(refused.contains(home.to_str().unwrap()), "{refused}");
        assert!(refused.contains("Read-only file system"), "{refused}");
        assert_eq!(closed.0.everything(), before);
        // What is for all projects, and what the user chose, has another place.
        let _ = closed.ralph(&["memory", "add", "x y z", "--scope", "global"]).exits(0);
        let start = json!({
            "session_id": "s-1",
            "transcript_path": "/nowhere.jsonl",
            "cwd": closed.0.root(),
            "hook_event_name": "SessionStart",
            "source": "startup",
        });
        let args = ["hook", "--agent", "claude-code"];
        assert_eq!(closed.call(&args, &start.to_string()).exits(0).stderr, "");
    });
}

#[test]
fn a_folder_of_somebody_else_is_no_reason_to_begin_a_memory_elsewhere() {
    isolated(|| {
        let closed = Closed(git());
        let home = closed.0.root().join(".git/ralph");
        fs::create_dir(&home).unwrap();
        let before = closed.0.everything();
        let refused = closed.ralph(&["memory", "add", "x y z"]);
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(home.to_str().unwrap()), "{}", refused.stderr);
        assert_eq!(closed.0.everything(), before);
    });
}

#[test]
fn no_loop_begins_a_memory_elsewhere() {
    isolated(|| {
        let closed = Closed(git());
        let memories = || {
            let all = closed.0.everything().into_iter();
            all.filter(|path| path.ends_with("memory")).collect::<Vec<_>>()
        };
        closed.0.agent("echo 'I did it. <promise>DONE</promise>'");
        let run = ["run", "paint it", "--agent-cmd", "./agent.sh", "--criteria", "custom:true"];
        let said = closed.ralph(&run).exits(0);
        assert_eq!(
            said.stderr.matches("Nothing of this run is remembered").count(),
            1,
            "{}",
            said.stderr
        );
        assert_eq!(memories(), Vec::<std::path::PathBuf>::new());
        let prompt = json!({
            "session_id": "s-1", "transcript_path": "/nowhere.jsonl", "cwd": closed.0.root(),
            "hook_event_name": "UserPromptSubmit", "prompt": "/ralph paint it --criteria custom:true",
        });
        let armed = closed.call(&["hook", "--agent", "claude-code"], &prompt.to_string()).exits(0);
        assert!(armed.stdout.contains("paint it"), "{}", armed.stdout);
        assert_eq!(memories(), Vec::<std::path::PathBuf>::new());
    });
}

#[test]
fn hooks_show_what_is_there_once() {
    isolated(|| {
        let closed = Closed::new();
        let hook = |facts: serde_json::Value| {
            let mut payload = json!({ "session_id": "s-1", "transcript_path": "/nowhere.jsonl" });
            payload["cwd"] = json!(closed.0.root());
            for (name, value) in facts.as_object().unwrap() {
                payload[name] = value.clone();
            }
            let args = ["hook", "--agent", "claude-code"];
            closed.call(&args, &payload.to_string()).exits(0).stdout
        };
        let start = hook(json!({ "hook_event_name": "SessionStart", "source": "startup" }));
        assert!(start.contains("rebase"), "{start}");
        let task = json!({ "hook_event_name": "UserPromptSubmit", "prompt": "change the timeout" });
        let first = hook(task.clone());
        assert!(first.contains("30 seconds"), "{first}");
        let again = hook(task);
        assert!(!again.contains("30 seconds"), "{again}");
    });
}

#[test]
fn a_home_that_cannot_be_used_is_not_an_empty_one() {
    let project = git();
    project.file("in-the-way", "");
    for job in [&["list"][..], &["search", "x"], &["add", "x"]] {
        let call = project.ralph(&[&["memory"], job].concat());
        let said = call.env("RALPH_HOME", project.root().join("in-the-way/home")).output();
        assert_ne!(said.code, Some(0), "{job:?}");
        assert!(said.stderr.contains("cannot use"), "{job:?}: {}", said.stderr);
    }
    let call = project.ralph(&["memory", "list"]).env("RALPH_HOME", project.outside("new"));
    let _ = call.output().exits(0);
    assert!(!project.outside("new").exists());
}
