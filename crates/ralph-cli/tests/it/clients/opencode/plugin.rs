//! The plugin by itself, in the runtime that the client has inside.

use std::fs;
use std::path::Path;

use ralph_testkit::{TestProject, isolated, tool};
use serde_json::{Value, json};

const RECORDED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../ralph-agents/tests/opencode/recorded");

const WORLD: &str = include_str!("runtime/world.ts");

/// What a script of the runtime prints, with the plugin as it is installed but
/// for the processes that it would start.
fn executes(script: &str, argument: &str) -> Value {
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    let _ = project.ralph(&["install", "opencode"]).output().exits(0);
    let plugin = project.read(".opencode/plugins/ralph.ts");
    let plugin = plugin.replace("\"node:child_process\"", "\"./world.ts\"");
    let plugin = plugin.replace("const PATIENCE = 5000", "const PATIENCE = 20");
    project.file("ralph.ts", plugin).file("world.ts", WORLD).file("script.ts", script);
    let call = project.program(tool("opencode")).env("BUN_BE_BUN", "1");
    call.args(["run", "./script.ts", argument]).output().exits(0).json()
}

#[test]
fn what_the_plugin_tells_of_every_recorded_session_is_as_written_down() {
    isolated(|| {
        let account = executes(include_str!("runtime/play.ts"), RECORDED);
        let account = account.as_object().unwrap();
        assert!(account.len() >= 17, "{:?}", account.keys());
        for (name, told) in account {
            let told = told.as_array().unwrap().iter().map(|event| format!("{event}\n"));
            let told = told.collect::<Vec<_>>().concat();
            let expected = Path::new(RECORDED).join(format!("{name}.told.jsonl"));
            // Set by hand when the plugin is meant to tell something else; the
            // difference is read before it is committed.
            if std::env::var_os("UPDATE_RECORDED").is_some() {
                fs::write(&expected, &told).unwrap();
            }
            let written = fs::read_to_string(&expected).unwrap_or_default();
            assert!(told == written, "{} should hold:\n{told}", expected.display());
        }
    });
}

#[test]
fn the_plugin_carries_out_what_it_is_told_unless_it_is_overtaken() {
    isolated(|| {
        let account = executes(include_str!("runtime/scenes.ts"), "");
        let check = |name: &str, told: &[&str], prompts: usize| {
            let found = (&account[name]["told"], account[name]["prompts"].as_array().map(Vec::len));
            assert_eq!(found, (&json!(told), Some(prompts)), "{name}: {account:#}");
        };
        check("goes on", &["session.idle"], 1);
        assert_eq!(account["is loaded before anybody answers"]["came"], json!(["started"]));
        check("shows what comes before an answer", &["session.idle"], 1);
        assert_eq!(account["shows what comes before an answer"]["toasts"], json!(["soon"]));
        check("gives way to a word", &["session.idle", "chat.message"], 0);
        check("gives way to a command", &["session.idle", "command.execute.before"], 0);
        check("gives way to the end of the session", &["session.idle", "session.deleted"], 0);
        check(
            "gives way to a turn that was taken meanwhile",
            &["session.idle", "chat.message", "session.idle"],
            1,
        );
        check("gives way to a turn that is under way", &["session.idle", "chat.message"], 0);
        check("goes on after a word that nobody answers", &["session.idle", "chat.message"], 1);
        let (asked, idle) = ("command.execute.before", "session.idle");
        check("goes on although a question was answered", &[idle, asked], 1);
        check("is called off by an answer", &[idle, asked], 0);
        for (name, end) in [
            ("leaves out what was said to an aside", "msg_1"),
            ("hears of work that goes on after an aside", "msg_4"),
        ] {
            check(name, &[asked, idle], 1);
            assert_eq!(account[name]["ends"], json!([end]), "{name}");
        }
        check("leaves out a summary from before its prompt", &["session.idle"], 1);
        let parents = &account["asks again who began a session"]["came"];
        assert_eq!(parents, &json!([null, "ses_1"]));
        let known = &account["knows a client that ends with its turn"]["came"];
        assert_eq!(known, &json!([false, false, true, true]), "whether it listens");
        check(
            "is told of silences as they were",
            &["session.error", "session.idle", "session.idle"],
            1,
        );
        let ends = &account["is told of silences as they were"]["ends"];
        assert_eq!(ends, &json!(["msg_1", "msg_1", "msg_1"]), "the next turn has begun by then");
        check("wakes once", &["session.idle", "wake"], 1);
        check("wakes for nothing", &["session.idle", "wake"], 0);
        check("wakes once for the last", &["session.idle", "session.idle", "wake"], 1);
        for (tool, returned) in
            [("write", "done\n\nworse"), ("apply_patch", "done\n\nworse"), ("bash", "done")]
        {
            assert_eq!(account[format!("returns from {tool}")]["came"], returned, "{tool}");
        }
        let returned = &account["returns although a prompt is due"];
        assert_eq!(
            (&returned["came"], &returned["told"]),
            (&json!("done"), &json!(["session.idle"]))
        );
        check("does not know the words", &["session.idle", "session.idle"], 0);
        let toasts = account["does not know the words"]["toasts"].as_array().unwrap();
        assert_eq!(toasts.len(), 1, "{toasts:?}");
        assert!(toasts[0].as_str().unwrap().contains("ralph install opencode"), "{toasts:?}");
        let hangs = &account["goes on although nobody answers"];
        assert_eq!(hangs["came"], json!(["hello", "again", "SIGKILL", "SIGKILL"]));
        let toast = |name: &str| {
            let toasts = account[name]["toasts"].as_array().unwrap();
            assert_eq!(toasts.len(), 1, "{name}: {toasts:?}");
            toasts[0].as_str().unwrap().to_owned()
        };
        assert!(toast("goes on although nobody answers").contains("goes on without it: no answer"));
        assert!(toast("says which signal ended it").contains("ended by SIGSEGV"));
        let misfit = toast("says at the first message that it does not fit");
        assert!(misfit.contains("different versions"), "{misfit}");
        assert_eq!(account["tells of a plan"]["came"], json!(["plan"]));
    });
}
