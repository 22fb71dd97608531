//! The installed files: the plugin and the slash commands.
//!
//! The commands only have to exist: the plugin forwards the typed text, and
//! ralph returns the text for the agent. Command texts must not contain the
//! typed text, because the client runs anything after an exclamation mark in
//! backticks, also there. The large `$` argument keeps the client from
//! appending the typed text.

use crate::install::InstallOptions;

/// Paths of the files, below the folder of the client's settings.
pub(super) const PATHS: [&str; 3] =
    ["plugins/ralph.ts", "commands/ralph.md", "commands/cancel-ralph.md"];

/// The plugin, for a `ralph` on the search path.
const PLUGIN: &str = include_str!("ralph.ts");

/// The plugin's line with the call of `ralph`.
const COMMAND: &str = "const COMMAND = [\"ralph\", \"hook\", \"--agent\", \"opencode\"]";

/// First text of the plugin.
const SIGN: &str = "// ralph for OpenCode: ";

const ABOUT_RALPH: &str = "Work on a task until ralph has proven it done";
const ABOUT_CANCEL: &str = "End the ralph loop of this session";

const UNANSWERED: &str = "\
You see this only if ralph did not answer. Do nothing else, and say that no loop
was started or ended, and that the user should run ralph doctor in a terminal.
$999999
";

/// Returns the files with their contents, in the order of [`PATHS`].
pub(super) fn all(wanted: &InstallOptions) -> [(&'static str, String); 3] {
    let [plugin, ralph, cancel] = PATHS;
    [
        (plugin, PLUGIN.replace(COMMAND, &command(wanted))),
        (ralph, markdown(ABOUT_RALPH)),
        (cancel, markdown(ABOUT_CANCEL)),
    ]
}

/// Returns true if this or an older version of `ralph` wrote this text.
pub(super) fn is_ours(text: &str) -> bool {
    let about = text.lines().find_map(|line| line.strip_prefix("description: "));
    text.starts_with(SIGN)
        || about.is_some_and(|about| [ABOUT_RALPH, ABOUT_CANCEL].contains(&about.trim()))
}

/// Returns the plugin's call of `ralph`: the program and its arguments.
pub(super) fn called(plugin: &str) -> Option<Vec<String>> {
    let line = plugin.lines().find_map(|line| line.strip_prefix("const COMMAND = "))?;
    serde_json::from_str(line).ok().filter(|words: &Vec<String>| !words.is_empty())
}

/// Returns true if a file is as this version writes it, except for the call of
/// `ralph`.
pub(super) fn is_current(path: &str, text: &str) -> bool {
    let without_call = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("const COMMAND = "));
        lines.map(str::to_owned).collect()
    };
    match path {
        "plugins/ralph.ts" => without_call(text) == without_call(PLUGIN),
        "commands/ralph.md" => text == markdown(ABOUT_RALPH),
        _ => text == markdown(ABOUT_CANCEL),
    }
}

fn markdown(about: &str) -> String {
    format!("---\ndescription: {about}\n---\n\n{UNANSWERED}")
}

fn command(wanted: &InstallOptions) -> String {
    let timeout = format!("--timeout={}", wanted.gates.as_secs());
    let arm = wanted.arm.as_ref().map(|arm| format!("--arm={arm}"));
    let words = [wanted.program.as_str(), "hook", "--agent", super::NAME, &timeout];
    let words = words.into_iter().chain(arm.as_deref()).map(quoted);
    format!("const COMMAND = [{}]", words.collect::<Vec<_>>().join(", "))
}

/// Renders a string literal of TypeScript, for which JSON is valid.
fn quoted(word: &str) -> String {
    serde_json::Value::from(word).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn plugin(program: &str, arm: Option<&str>) -> String {
        let gates = Duration::from_secs(90);
        let wanted = InstallOptions {
            program: program.to_owned(),
            cap: 0,
            arm: arm.map(str::to_owned),
            looks_before_edits: false,
            gates,
        };
        let [(_, text), _, _] = all(&wanted);
        text
    }

    #[test]
    fn the_plugin_calls_the_program_that_was_asked_for() {
        let text = plugin("/a \"b\"/ralph", Some("every-session"));
        let line = r#"const COMMAND = ["/a \"b\"/ralph", "hook", "--agent", "opencode", "--timeout=90", "--arm=every-session"]"#;
        assert!(text.lines().any(|found| found == line), "{text}");
        assert_eq!(called(&text).unwrap()[..2], ["/a \"b\"/ralph", "hook"]);
        assert_eq!(called(PLUGIN).unwrap()[0], "ralph");
        assert!(is_ours(&text));
    }

    #[test]
    fn the_plugin_uses_nothing_that_would_have_to_be_installed() {
        let text = plugin("ralph", None);
        let imports: Vec<&str> = text.lines().filter(|line| line.contains("import")).collect();
        assert_eq!(imports, ["import { spawn } from \"node:child_process\""]);
        assert!(!text.contains("shell:"), "{text}");
    }

    #[test]
    fn no_command_holds_anything_that_was_typed_or_would_be_run() {
        for text in [markdown(ABOUT_RALPH), markdown(ABOUT_CANCEL)] {
            assert!(is_ours(&text) && is_ours(&text.replace('\n', "\r\n")));
            assert!(!text.contains(['!', '`', '@']) && !text.contains("$ARGUMENTS"), "{text}");
        }
        assert!(!is_ours("---\ndescription: Loop until done\n---\n"));
    }
}
