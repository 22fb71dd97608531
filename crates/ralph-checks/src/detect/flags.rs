//! The flags that maintainers pass: in CI, in lists of tasks, in hooks.

use super::said::DocumentedCommand;
use super::sight::ProjectFolder;

/// Flags that leave out what a step before would have done.
const RELY_ON_STEPS: [&str; 5] =
    ["--no-build", "--no-compile", "--no-restore", "--skip-build", "--no-deps-check"];

/// The rules for the flags of one tool.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlagRules {
    /// Flags that only say how much is printed, write files, or stand in our
    /// own command already.
    pub(super) unwanted: &'static [&'static str],
    /// The same, with a value.
    pub(super) unwanted_values: &'static [&'static str],
    /// Flags that choose a part: such a command does not check the project.
    pub(super) parts: &'static [&'static str],
}

/// The rules for a tool whose flags are not known one by one.
pub(super) const ANY_TOOL: FlagRules = FlagRules {
    unwanted: &["--cover", "--coverage", "--enable-code-coverage"],
    unwanted_values: &[],
    parts: &["--only", "--filter", "--name", "--tag", "--tags", "--stale", "--failed"],
};

/// Returns what the project passes to a command, with the file that says so, if
/// those who say it best agree and no shell is needed to understand it.
pub(super) fn said(
    folder: &ProjectFolder<'_>,
    call: &[&str],
    rules: FlagRules,
) -> Option<(Vec<String>, String)> {
    let (program, task) = call.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let also = if program == "python3" { "python" } else { program };
    let follows = |said: &DocumentedCommand| {
        let (head, words) = said.arguments().split_at_checked(task.len())?;
        let is_plain = !words.iter().any(|word| word.contains(['*', '?', '<', '>', '~']));
        let words = without(words, &RELY_ON_STEPS, &[]);
        let words = without(&words, rules.unwanted, rules.unwanted_values);
        (head == task && is_plain && !is_part(folder, &words, rules)).then_some(words)
    };
    let agreed = |program| folder.said().agreed_words(program, folder.dir(), follows);
    let (words, origin) = agreed(program).or_else(|| agreed(also))?;
    (!words.is_empty()).then(|| (words, origin.to_owned()))
}

/// True if only some tests are chosen, by a flag or by a file.
fn is_part(folder: &ProjectFolder<'_>, words: &[String], rules: FlagRules) -> bool {
    let name = |word: &str| word.split('=').next().unwrap_or(word).to_owned();
    let is_value = |at: usize| at > 0 && words[at - 1].starts_with('-');
    words.iter().enumerate().any(|(at, word)| {
        rules.parts.contains(&name(word).as_str()) || (!is_value(at) && folder.is_file(word))
    })
}

/// Returns words without some, and without some that have a value.
pub(super) fn without(words: &[String], plain: &[&str], valued: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let (name, has_value) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word.as_str(), false),
        };
        if valued.contains(&name) {
            if !has_value {
                words.next_if(|next| !next.starts_with('-'));
            }
        } else if !plain.contains(&name) {
            kept.push(word.clone());
        }
    }
    kept
}
