//! Files installed beside the settings: slash commands, and a plugin with the
//! same commands.
//!
//! The commands only have to exist: our prompt hook reads the typed text before
//! the model does. Their texts have no lines that the client would run. They
//! have no exclamation mark or backtick next to the arguments, which could turn
//! a typed task into such a line.

use std::time::Duration;

use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use crate::hooks::commands::{ABOUT_CANCEL, ABOUT_RALPH, InstallFile};
use crate::hooks::rows::CLAUDE;
use crate::hooks::settings::{EventHook, HookOptions, UninstallRecord, events, hook_of};

/// Timeout of a plugin's hooks that run gates. A plugin does not know the
/// gates, so this is the client's default.
const GATES: Duration = Duration::from_mins(10);

const RALPH: &str = "\
Work on the task below. The user started a loop with it: ralph, a program
outside this conversation, checks the work whenever you stop, and tells you
what is left. A claim that the work is done counts only if those checks agree.

Words that begin with two dashes are settings of the loop, not a part of the
task. Paths behind an at sign are where the work is to be done. If ralph names a
task itself, as it does after the word resume, that one is meant.

If the task is empty, or ralph has said nothing in this conversation, say that
no loop was started and that the user should run ralph doctor in a terminal.

The task:

$ARGUMENTS
";

const CANCEL: &str = "\
The user wants the ralph loop of this session to end. You see this only if ralph
did not answer by itself. Do nothing else, and say that the user should run
ralph cancel in a terminal, and ralph doctor to see why it did not answer.
";

const README: &str = "\
# ralph for Claude Code

Keeps Claude Code working until the work is proven done. When the agent stops,
`ralph` runs the project's own tests, linters and type checks; while they fail
it is told what is left and goes on, and when going on is pointless it is
stopped with the reason. Claims of success count only if the checks agree.

## Use

The plugin calls `ralph`, which must be on the `PATH`; without it nothing
happens. Then, in a session:

    /ralph:ralph make the tests pass --max-iterations 10
    /ralph:ralph status
    /ralph:cancel-ralph

What is typed behind the command is read by `ralph` itself, never by a shell.

## Installed by `ralph` instead

A plugin cannot set variables. Claude Code lets a hook continue an agent that
uses no tool eight times in a row, and no more unless the settings say so:

    \"env\": { \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"0\" }

`ralph install claude-code` writes this too, with commands that need no prefix
and time for the project's own gates. Use one or the other: with both, every
event is reported twice, and one of the reports is ignored.

## What it does to a session

Without a loop nothing that the model reads changes. The hooks listen to
prompts, to tools that were used, to compaction and to the end of turns and
sessions; none is asked before a tool is used. State is kept on this machine
and `ralph` itself sends nothing anywhere.
";

/// Returns the slash commands.
pub(crate) fn commands() -> [InstallFile; 2] {
    let hint = "TASK [--max-iterations N] [--criteria LIST] | status | pause | resume | stop";
    [
        InstallFile {
            path: "commands/ralph.md".to_owned(),
            text: command(ABOUT_RALPH, Some(hint), RALPH),
        },
        InstallFile {
            path: "commands/cancel-ralph.md".to_owned(),
            text: command(ABOUT_CANCEL, None, CANCEL),
        },
    ]
}

/// Returns the files of the plugin, with paths below its own folder.
pub(crate) fn plugin() -> Vec<InstallFile> {
    let file = |path: &str, text| InstallFile { path: path.to_owned(), text };
    let mut files = vec![
        file(".claude-plugin/plugin.json", json(&PluginManifest::this())),
        file("README.md", README.to_owned()),
        file("hooks/hooks.json", json(&PluginHooks::all())),
    ];
    files.extend(commands());
    files
}

fn command(about: &str, hint: Option<&str>, body: &str) -> String {
    // Quoted, since brackets are YAML syntax.
    let hint = hint.map(|hint| format!("argument-hint: \"{hint}\"\n")).unwrap_or_default();
    format!("---\ndescription: {about}\n{hint}disable-model-invocation: true\n---\n\n{body}")
}

#[derive(Serialize)]
struct PluginManifest {
    name: &'static str,
    version: &'static str,
    description: &'static str,
    author: PluginAuthor,
    license: &'static str,
    keywords: [&'static str; 3],
}

#[derive(Serialize)]
struct PluginAuthor {
    name: &'static str,
}

impl PluginManifest {
    fn this() -> Self {
        Self {
            name: "ralph",
            version: env!("CARGO_PKG_VERSION"),
            description: "Keeps Claude Code working until the work is proven done",
            author: PluginAuthor { name: "The ralph authors" },
            license: env!("CARGO_PKG_LICENSE"),
            keywords: ["loop", "verification", "testing"],
        }
    }
}

#[derive(Serialize)]
struct PluginHooks {
    description: &'static str,
    hooks: EventHookGroups,
}

impl PluginHooks {
    fn all() -> Self {
        let wanted = HookOptions {
            program: "ralph".to_owned(),
            cap: 0,
            arm: None,
            looks_before_edits: false,
            stop_timeout: GATES,
            prompt_timeout: GATES,
        };
        let of = |event| (event, [hook_of(&CLAUDE, &wanted, event, &UninstallRecord::default())]);
        Self {
            description: "Checks the work whenever the agent stops, while a loop is on",
            hooks: EventHookGroups(events(&CLAUDE, &wanted).map(of).collect()),
        }
    }
}

/// Groups by event, in the order of the settings.
struct EventHookGroups(Vec<(&'static str, [EventHook; 1])>);

impl Serialize for EventHookGroups {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(event, groups)| (event, groups)))
    }
}

fn json(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let format = PrettyFormatter::with_indent(b"  ");
    // Our own texts and numbers always serialise.
    let _ = value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, format));
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::commands::is_ours;

    #[test]
    fn no_command_holds_anything_that_the_client_would_run() {
        for file in commands() {
            assert!(!file.text.contains(['!', '`']), "{}", file.path);
            assert!(!file.text.contains("allowed-tools"), "{}", file.path);
        }
    }

    #[test]
    fn the_model_cannot_start_a_loop_by_itself() {
        for file in commands() {
            assert!(file.text.starts_with("---\ndescription: "), "{}", file.path);
            assert!(file.text.contains("\ndisable-model-invocation: true\n---\n\n"));
        }
    }

    #[test]
    fn our_own_commands_are_known_again_and_others_are_left_alone() {
        for file in commands() {
            assert!(is_ours(&file.text), "{}", file.path);
            assert!(is_ours(&file.text.replace('\n', "\r\n")), "{}", file.path);
        }
        assert!(!is_ours("---\ndescription: Loop until done\n---\n"));
        assert!(!is_ours(""));
    }

    #[test]
    fn the_plugin_listens_to_every_event_through_the_path() {
        let files = plugin();
        let hooks = files.iter().find(|file| file.path == "hooks/hooks.json").unwrap();
        let hooks: serde_json::Value = serde_json::from_str(&hooks.text).unwrap();
        for event in hooks["hooks"].as_object().unwrap().keys() {
            let entry = &hooks["hooks"][event.as_str()][0]["hooks"][0];
            assert_eq!(entry["command"], "ralph", "{event}");
            assert_eq!(entry["args"][0], "hook", "{event}");
            assert!(entry["timeout"].as_u64().is_some_and(|seconds| seconds <= 600), "{event}");
        }
    }

    #[test]
    fn the_plugin_explains_itself_at_length() {
        let files = plugin();
        let readme = files.iter().find(|file| file.path == "README.md").unwrap();
        assert!(readme.text.split_whitespace().count() >= 40);
    }
}
