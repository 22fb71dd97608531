//! `/ralph …` as it is typed in a host: a command with its flags, or a task.
//!
//! No shell is involved. A text is a command only if all its words are: the name,
//! flags, runs and paths that exist. Otherwise it is a task; `start` makes any text a
//! task.

mod wanted;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

use ralph_engine::hook::{
    CommandEffect, ResumeWords, RunArgument, SessionCommand, SessionCommands, SlashPrompt,
    TypedTask, behind, misfit, unclear,
};

use crate::cli::{Cli, CliCommand};
use crate::error::CliError;
use ralph_engine::hook::words::{PromptWord, words};

use wanted::LoopRequest;

/// `/ralph resume`
#[derive(Parser, Debug)]
#[command(name = "resume")]
struct ResumeArgs {
    /// The run to go on with
    run: Option<String>,
    /// Take it from the session that has it
    #[arg(long)]
    takeover: bool,
}

/// The commands that can be typed in a session.
pub(super) struct TypedCommands;

impl SessionCommands for TypedCommands {
    fn parse(&self, prompt: &str, exists: &dyn Fn(&str) -> bool) -> Option<SlashPrompt> {
        parse(prompt, exists)
    }

    fn task(&self, text: &str, exists: &dyn Fn(&str) -> bool) -> Result<TypedTask, CliError> {
        let LoopRequest { task, policy } = LoopRequest::read(text, exists)?;
        Ok(TypedTask { task, flags: Box::new(move |layers| policy.apply(layers)) })
    }
}

/// Returns the error that a line would cause if it were typed in a session. Every path
/// is assumed to exist.
pub(super) fn fault_of(line: &str) -> Option<CliError> {
    match parse(line, &|_| true)? {
        SlashPrompt::Arm(text) => LoopRequest::read(&text, &|_| true).err(),
        SlashPrompt::Unclear(word, meant) => Some(unclear(&word, meant.as_deref())),
        SlashPrompt::Misfit(command, word) => Some(misfit(&command, &word)),
        SlashPrompt::Call(_) | SlashPrompt::Resume(_) | SlashPrompt::Help => None,
    }
}

fn effect(command: &CliCommand) -> CommandEffect {
    match command {
        CliCommand::Rollback(_) => CommandEffect::TakesBack,
        CliCommand::Stop(_) | CliCommand::Cancel(_) | CliCommand::Pause(_) => CommandEffect::Rules,
        CliCommand::Status(_)
        | CliCommand::Report(_)
        | CliCommand::Snapshots(_)
        | CliCommand::Diff(_)
        | CliCommand::Logs(_) => CommandEffect::Shows,
        CliCommand::Allow(_) => CommandEffect::Allows,
        CliCommand::Runs(_)
        | CliCommand::Sessions(_)
        | CliCommand::Check(_)
        | CliCommand::Code(_)
        | CliCommand::Memory(_)
        | CliCommand::Config(_)
        | CliCommand::Agents(_)
        | CliCommand::Doctor(_) => CommandEffect::Plain,
        CliCommand::Run(_) | CliCommand::Start(_) | CliCommand::Resume(_) => {
            CommandEffect::Elsewhere("/ralph TASK")
        }
        CliCommand::Demo(_)
        | CliCommand::Init(_)
        | CliCommand::Gc(_)
        | CliCommand::Mcp(_)
        | CliCommand::Completions(_)
        | CliCommand::Install(_)
        | CliCommand::Uninstall(_)
        | CliCommand::Hook(_)
        | CliCommand::Docs(_)
        | CliCommand::LspHelper(_)
        | CliCommand::Measure(_)
        | CliCommand::RunIds(_)
        | CliCommand::Sandbox(_)
        | CliCommand::Trust(_)
        | CliCommand::Scripted(_) => CommandEffect::Elsewhere(""),
    }
}

/// Describes a parsed command for the session.
fn typed_command(command: &CliCommand, words: Vec<String>) -> SessionCommand {
    let by_flag = matches!(
        command,
        CliCommand::Stop(_)
            | CliCommand::Cancel(_)
            | CliCommand::Allow(_)
            | CliCommand::Diff(_)
            | CliCommand::Logs(_)
    );
    let run_argument = if by_flag { RunArgument::Flag } else { RunArgument::Positional };
    let names_run = words.iter().skip(1).any(|word| is_run(word) || word.starts_with("--run"));
    SessionCommand {
        effect: effect(command),
        run_argument,
        names_run,
        right: command.right(),
        words,
    }
}

/// Parses a prompt that is one of our commands; `None` for any other. `exists` returns
/// true if a word names a file.
fn parse(prompt: &str, exists: &dyn Fn(&str) -> bool) -> Option<SlashPrompt> {
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
        let command = ResumeArgs::command();
        let matches = command.clone().try_get_matches_from(&typed).ok()?;
        let is_whole = given(&command, &matches).iter().all(|word| is_argument(word));
        let ResumeArgs { run, takeover } = ResumeArgs::from_arg_matches(&matches).ok()?;
        return is_whole.then_some(SlashPrompt::Resume(ResumeWords { run, takeover }));
    }
    if !is_command(&typed[0]) {
        return None;
    }
    let command = Cli::command();
    let line = std::iter::once("ralph".to_owned()).chain(typed.iter().cloned());
    let matches = command.clone().try_get_matches_from(line).ok()?;
    let is_whole = given(&command, &matches).iter().all(|word| is_argument(word));
    let parsed = Cli::from_arg_matches(&matches).ok()?;
    is_whole.then(|| SlashPrompt::Call(typed_command(&parsed.command, typed)))
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

#[cfg(test)]
#[path = "slash_tests.rs"]
mod tests;
