//! Scripts that change files, without what changes them: a gate never edits
//! the user's files.

use super::package::NodePackage;
use crate::detect::said::{changes_files, script_changes_files, script_parts};

/// The maximum depth to which scripts that run each other are followed.
const DEPTH: usize = 4;

/// Words without which a tool only reports what it would mend.
const MENDS: [&str; 7] = [
    "-u",
    "--fix",
    "--autocorrect",
    "--auto-correct",
    "--update",
    "--update-snapshot",
    "--updateSnapshot",
];

/// Words with which a manager runs the scripts of other packages.
const ELSEWHERE: [&str; 9] =
    ["-ws", "-w", "-r", "-F", "--workspaces", "--workspace", "--recursive", "--filter", "--prefix"];

/// Returns the script that changes files: this one, or one that it runs.
pub(super) fn culprit(package: &NodePackage<'_>, name: &str) -> Option<String> {
    found(package, name, DEPTH)
}

fn found(package: &NodePackage<'_>, name: &str, depth: usize) -> Option<String> {
    if depth == 0 {
        return None;
    }
    around(name).into_iter().filter_map(|name| package.script(&name)).find_map(|script| {
        if script_changes_files(script) {
            return Some(script.to_owned());
        }
        let mut parts = script_parts(script).into_iter();
        parts.find_map(|(part, _)| run_by(package, &called(&part)?, depth - 1))
    })
}

/// Returns the script that changes files among those that a call runs.
fn run_by(package: &NodePackage<'_>, call: &ScriptCall, depth: usize) -> Option<String> {
    if call.is_elsewhere {
        package.members().find_map(|member| found(&member, &call.name, depth))
    } else {
        found(package, &call.name, depth)
    }
}

/// Returns what of a script changes no file, as a script; `None` if that takes
/// more than leaving out a command or a flag.
pub(super) fn without(package: &NodePackage<'_>, name: &str) -> Option<String> {
    kept(package, name, DEPTH).filter(|kept| !kept.is_empty())
}

fn kept(package: &NodePackage<'_>, name: &str, depth: usize) -> Option<String> {
    if depth == 0 {
        return None;
    }
    let mut kept: Vec<String> = Vec::new();
    for script in around(name).into_iter().filter_map(|name| package.script(&name)) {
        for (part, operator) in script_parts(script) {
            if !matches!(operator, "&&" | "") {
                return None;
            }
            let inner = called(&part).filter(|call| run_by(package, call, DEPTH).is_some());
            let part = match inner {
                Some(call) if call.is_elsewhere => return None,
                Some(call) => self::kept(package, &call.name, depth - 1)?,
                None => mended(part.trim()).unwrap_or_default(),
            };
            kept.extend(Some(part).filter(|part| !part.is_empty()));
        }
    }
    Some(kept.join(" && "))
}

/// The scripts that run for a name, in their order.
fn around(name: &str) -> [String; 3] {
    [format!("pre{name}"), name.to_owned(), format!("post{name}")]
}

/// A script that a command runs.
struct ScriptCall {
    name: String,
    /// True if it is one of other packages.
    is_elsewhere: bool,
}

/// The script that a command runs: `npm run lint`, `pnpm lint`, `yarn lint`.
fn called(command: &str) -> Option<ScriptCall> {
    let own = command.split(" -- ").next().unwrap_or(command);
    let mut flags = own.split_whitespace().map(|word| word.split('=').next().unwrap_or(word));
    let is_elsewhere = flags.any(|flag| ELSEWHERE.contains(&flag));
    let mut words = command.split_whitespace().filter(|word| !word.starts_with('-'));
    let manager = words.next()?;
    let named = match (manager, words.next()?) {
        ("npm" | "pnpm" | "yarn" | "bun", "run" | "run-script") => words.next()?,
        ("npm", "test" | "t") => "test",
        ("pnpm" | "yarn", name) => name,
        (_, _) => return None,
    };
    Some(ScriptCall { name: named.to_owned(), is_elsewhere })
}

/// A command that changes no file; `None` if it does nothing else.
fn mended(command: &str) -> Option<String> {
    let words = |text: &str| ralph_proc::split_words(text).unwrap_or_default();
    if !changes_files(&words(command)) {
        return Some(command.to_owned());
    }
    let is_flag = |word: &&str| !MENDS.contains(&word.split('=').next().unwrap_or(word));
    let kept: Vec<&str> = command.split(' ').filter(is_flag).collect();
    let kept = kept.join(" ");
    (!changes_files(&words(&kept))).then_some(kept)
}
