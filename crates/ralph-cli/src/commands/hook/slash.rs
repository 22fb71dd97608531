//! `/ralph …` as it is typed in a host: a command with its flags, or a task.
//!
//! No shell is involved. A text is a command only if all its words are: the name,
//! flags, runs and paths that exist. Otherwise it is a task; `start` makes any text a
//! task.

mod wanted;
mod words;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

use ralph_core::locale::Locale;

use crate::cli::{Cli, CliCommand};
use crate::error::CliError;
use crate::rights::CallRight;
use words::{PromptWord, words};

pub(super) use wanted::LoopRequest;

/// A parsed `/ralph` prompt.
#[derive(Debug)]
pub(super) enum SlashPrompt {
    /// Starts a loop with this text.
    Arm(String),
    /// Runs a command of ours.
    Call(SessionCommand),
    /// Continues a loop in this session.
    Resume(ResumeWords),
    /// Shows the help.
    Help,
    /// An ambiguous text: its first word, and the command that was probably meant.
    Unclear(String, Option<String>),
    /// A command and one argument that does not belong to it.
    Misfit(String, String),
}

/// A command that was typed in a session.
#[derive(Debug)]
pub(super) struct SessionCommand {
    /// The parsed command.
    pub(super) command: CliCommand,
    /// The words, starting with the name.
    pub(super) words: Vec<String>,
}

/// `/ralph resume`
#[derive(Parser, Debug, PartialEq, Eq)]
#[command(name = "resume")]
pub(super) struct ResumeWords {
    /// The run to go on with
    pub(super) run: Option<String>,
    /// Take it from the session that has it
    #[arg(long)]
    pub(super) takeover: bool,
}

impl SessionCommand {
    /// Returns true if its words name a run.
    pub(super) fn names_run(&self) -> bool {
        self.words.iter().skip(1).any(|word| is_run(word) || word.starts_with("--run"))
    }
}

impl SlashPrompt {
    /// Returns who may type it while our driver runs a turn.
    pub(super) fn right(&self) -> CallRight {
        match self {
            Self::Help | Self::Unclear(..) | Self::Misfit(..) => CallRight::Anyone,
            Self::Call(call) => call.command.right(),
            Self::Arm(_) | Self::Resume(_) => CallRight::UserOnly,
        }
    }
}

/// Splits a prompt into our command's name and the rest; `None` for any other prompt.
fn behind(prompt: &str) -> Option<(&str, &str)> {
    let text = prompt.trim_start().strip_prefix('/')?;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match name.strip_prefix("ralph:").unwrap_or(name) {
        name @ ("ralph" | "cancel-ralph") => Some((name, rest.trim())),
        _ => None,
    }
}

/// Returns true if a prompt is one of our commands.
pub(super) fn is_ours(prompt: &str) -> bool {
    behind(prompt).is_some()
}

/// Parses a prompt that is one of our commands; `None` for any other. `exists` returns
/// true if a word names a file.
pub(super) fn parse(prompt: &str, exists: &dyn Fn(&str) -> bool) -> Option<SlashPrompt> {
    match behind(prompt)? {
        // After an interruption a host may put the prompt back, and the user types behind it.
        ("ralph", rest) if rest.ends_with("/cancel-ralph") => {
            called_as(vec!["stop".to_owned()], exists)
        }
        ("ralph", rest) => Some(understand(rest, exists)),
        (_, rest) => {
            let words = words(rest);
            let names = words.iter().map(|word| word.value(rest).into_owned());
            let called = std::iter::once("stop".to_owned()).chain(names).collect();
            // Whatever else was typed, the user wanted to stop.
            called_as(called, exists).or_else(|| called_as(vec!["stop".to_owned()], exists))
        }
    }
}

fn understand(rest: &str, exists: &dyn Fn(&str) -> bool) -> SlashPrompt {
    let words = words(rest);
    let Some(first) = words.first() else { return SlashPrompt::Help };
    if first.quote.is_some() {
        return SlashPrompt::Arm(rest.to_owned());
    }
    match &rest[first.span.clone()] {
        "start" => return SlashPrompt::Arm(rest[first.span.end..].trim().to_owned()),
        "help" | "--help" | "-h" if words.len() == 1 => return SlashPrompt::Help,
        _ => {}
    }
    let typed: Vec<String> = words.iter().map(|word| word.value(rest).into_owned()).collect();
    let quoted = words.iter().filter(|word| word.quote.is_some());
    let quoted: Vec<String> = quoted.map(|word| word.value(rest).into_owned()).collect();
    let is_argument = |word: &str| quoted.iter().any(|quoted| quoted == word) || exists(word);
    if let Some(command) = called_as(typed.clone(), &is_argument) {
        return command;
    }
    if let [command, word] = typed.as_slice()
        && is_command(command)
        && looks_like_argument(word)
    {
        return SlashPrompt::Misfit(command.clone(), word.clone());
    }
    let word = typed.into_iter().next().unwrap_or_default();
    if is_no_task(rest, &words) {
        return SlashPrompt::Unclear(word, None);
    }
    match misspelt(rest, &words) {
        Some(meant) => SlashPrompt::Unclear(word, Some(meant)),
        None => SlashPrompt::Arm(rest.to_owned()),
    }
}

/// Parses these words as a command, if all of them belong to it.
fn called_as(mut typed: Vec<String>, is_argument: &dyn Fn(&str) -> bool) -> Option<SlashPrompt> {
    if typed.first()? == "--cancel" {
        "stop".clone_into(&mut typed[0]);
    }
    let has_turns = typed[0] == "logs";
    let is_turn = |word: &str| has_turns && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_argument =
        |word: &str| is_run(word) || is_range(word) || is_turn(word) || is_argument(word);
    if typed[0] == "resume" {
        let command = ResumeWords::command();
        let matches = command.clone().try_get_matches_from(&typed).ok()?;
        let is_whole = given(&command, &matches).iter().all(|word| is_argument(word));
        let words = ResumeWords::from_arg_matches(&matches).ok()?;
        return is_whole.then_some(SlashPrompt::Resume(words));
    }
    if !is_command(&typed[0]) {
        return None;
    }
    let command = Cli::command();
    let line = std::iter::once("ralph".to_owned()).chain(typed.iter().cloned());
    let matches = command.clone().try_get_matches_from(line).ok()?;
    let is_whole = given(&command, &matches).iter().all(|word| is_argument(word));
    let parsed = Cli::from_arg_matches(&matches).ok()?;
    is_whole.then_some(SlashPrompt::Call(SessionCommand { command: parsed.command, words: typed }))
}

/// Returns true if a word is the name or an alias of a command.
fn is_command(word: &str) -> bool {
    let command = Cli::command();
    let mut known = command.get_subcommands().filter(|one| !one.get_name().starts_with("__"));
    known.any(|one| one.get_name() == word || one.get_all_aliases().any(|alias| alias == word))
}

/// Returns true if a word looks like an argument: a number, a run, a path.
fn looks_like_argument(word: &str) -> bool {
    let is_number = word.chars().all(|c| c.is_ascii_digit());
    is_number || word.starts_with("run-") || word.trim_end_matches('.').contains(['/', '.'])
}

/// Returns the positional arguments of a command and its subcommands.
fn given(command: &clap::Command, matches: &ArgMatches) -> Vec<String> {
    let is_typed =
        |id: &str| matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
    let places = command.get_positionals().map(|arg| arg.get_id().as_str());
    let values = places.filter(|id| is_typed(id)).filter_map(|id| matches.get_raw(id)).flatten();
    let mut given: Vec<String> = values.map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        given.extend(self::given(command, matches));
    }
    given
}

/// Returns true if a word looks like a run's id or the beginning of one.
fn is_run(word: &str) -> bool {
    let digits = word.strip_prefix("run-").unwrap_or_default();
    !digits.is_empty() && digits.len() <= 8 && digits.chars().all(|c| c.is_ascii_hexdigit())
}

/// Returns true if a word names two snapshots.
fn is_range(word: &str) -> bool {
    word.split_once("..").is_some_and(|(from, to)| !from.is_empty() && !to.is_empty())
}

/// Returns true if a text begins with an unknown short flag, or has no letters or digits.
fn is_no_task(text: &str, words: &[PromptWord]) -> bool {
    let is_short_flag = |word: &str| {
        let name = word.strip_prefix('-').and_then(|name| name.chars().next());
        name.is_some_and(char::is_alphanumeric)
    };
    words.first().is_some_and(|word| is_short_flag(&text[word.span.clone()]))
        || !text.contains(char::is_alphanumeric)
}

/// Returns the command that was probably meant, if only flags or runs follow the first word.
fn misspelt(text: &str, words: &[PromptWord]) -> Option<String> {
    let mut raw = words.iter().map(|word| &text[word.span.clone()]);
    let first = raw.next()?.to_lowercase();
    if !raw.all(|word| word.starts_with('-') || is_run(word)) {
        return None;
    }
    // A short word needs a smaller distance: one changed letter often makes another word.
    let most = if first.chars().count() > 4 { 2 } else { 1 };
    let command = Cli::command();
    let names = command.get_subcommands().filter(|known| !known.get_name().starts_with("__"));
    let names = names.map(|known| known.get_name().to_owned()).chain(["help".to_owned()]);
    let near =
        names.filter(|name| name.len() > 3).map(|name| (strsim::osa_distance(&first, &name), name));
    near.filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
}

/// Makes the error for an ambiguous text.
pub(super) fn unclear(word: &str, meant: Option<&str>) -> CliError {
    let hint = format!("To use it as a task, quote it: `/ralph \"{word} …\"`");
    let korean = format!("작업으로 쓰려면 따옴표로 묶으세요: `/ralph \"{word} …\"`");
    match meant {
        Some(verb) => CliError::usage(format!("unknown command `{word}`"))
            .with_hint(format!("did you mean `/ralph {verb}`? {hint}"))
            .in_korean(
                format!("알 수 없는 명령 `{word}`"),
                Some(&format!("`/ralph {verb}` 을(를) 뜻하셨나요? {korean}")),
            ),
        None => CliError::usage(format!("`{word}` is neither a task nor a flag"))
            .with_hint(format!("`/ralph help` lists the flags. {hint}"))
            .in_korean(
                format!("`{word}` 은(는) 작업도 플래그도 아닙니다"),
                Some(&format!("`/ralph help` 로 플래그를 볼 수 있습니다. {korean}")),
            ),
    }
}

/// Makes the error for a command with an unsuitable argument.
pub(super) fn misfit(command: &str, word: &str) -> CliError {
    CliError::usage(format!("`{word}` does not fit `/ralph {command}`"))
        .with_hint(format!("To use it as a task, quote it: `/ralph \"{command} {word}\"`"))
        .in_korean(
            format!("`{word}` 은(는) `/ralph {command}` 에 맞지 않습니다"),
            Some(&format!("작업으로 쓰려면 따옴표로 묶으세요: `/ralph \"{command} {word}\"`")),
        )
}

/// Returns the help on what can be typed.
pub(super) fn help(locale: Locale) -> &'static str {
    match locale {
        Locale::En => {
            "/ralph TASK [flags]   work on the task until it is proven done\n\
             /ralph status | report | runs | diff | check   look at the loop of this session\n\
             /ralph pause | resume   let the loop rest, and go on with it\n\
             /cancel-ralph   end it (while the agent works: Esc first)\n\
             /ralph allow PATH | rollback   accept changes of tests, or undo the loop's changes\n\
             Flags: --max-iterations N, --max-duration 30m, --criteria test_pass, --criteria \"custom:COMMAND\"\n\
             `ralph run --help` in a terminal lists all flags."
        }
        Locale::Ko => {
            "/ralph 작업 [플래그]   증명될 때까지 작업합니다\n\
             /ralph status | report | runs | diff | check   이 세션의 루프를 봅니다\n\
             /ralph pause | resume   루프를 쉬게 하고 이어서 진행합니다\n\
             /cancel-ralph   루프를 끝냅니다(에이전트가 작업 중이면 먼저 Esc)\n\
             /ralph allow 경로 | rollback   테스트 변경을 허용하거나 루프의 변경을 되돌립니다\n\
             이런 플래그를 씁니다: --max-iterations N, --max-duration 30m, --criteria test_pass, --criteria \"custom:명령\"\n\
             모든 플래그는 터미널에서 `ralph run --help` 로 볼 수 있습니다."
        }
    }
}

#[cfg(test)]
#[path = "slash_tests.rs"]
mod tests;
