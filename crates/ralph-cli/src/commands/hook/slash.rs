//! `/ralph …` as it is typed in a host: verbs, flags and a task in any words.
//!
//! Nothing here goes through a shell. A quotation counts as one only where a
//! word begins, so that an apostrophe is an apostrophe.

use std::ops::Range;

use clap::{CommandFactory, Parser};
use ralph_core::run::Task;

use crate::config::Layers;
use crate::error::CliError;
use crate::options::{PolicyOptions, TaskOptions};
use crate::rights::CallRight;

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slash {
    /// Arm a loop.
    Arm(String),
    /// Do something with a loop there is.
    Verb(Verb, Vec<String>),
    /// Neither for certain: this word, and what may have been meant.
    Unclear(String, Option<&'static str>),
}

/// What can be done with a loop there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Stop,
    Status,
    Rollback,
    Resume,
    Pause,
    Allow,
    Help,
}

impl Slash {
    /// Who may type it in a turn that a driver of ours takes.
    pub(super) fn right(&self) -> CallRight {
        match self {
            Self::Verb(Verb::Status | Verb::Help, _) | Self::Unclear(..) => CallRight::Anyone,
            Self::Arm(_)
            | Self::Verb(
                Verb::Stop | Verb::Rollback | Verb::Resume | Verb::Pause | Verb::Allow,
                _,
            ) => CallRight::UserOnly,
        }
    }
}

/// How the verbs are written.
const VERBS: [&str; 9] =
    ["start", "stop", "cancel", "status", "rollback", "resume", "pause", "allow", "help"];

impl Verb {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "stop" | "cancel" | "--cancel" => Self::Stop,
            "status" => Self::Status,
            "rollback" => Self::Rollback,
            "resume" => Self::Resume,
            "pause" => Self::Pause,
            "allow" => Self::Allow,
            "help" | "--help" => Self::Help,
            _ => return None,
        })
    }
}

/// Understands a prompt that is one of our commands; `None` for any other.
pub(super) fn parse(prompt: &str) -> Option<Slash> {
    let text = prompt.trim_start().strip_prefix('/')?;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim();
    match name {
        "ralph" | "ralph:ralph" => Some(understand(rest)),
        "cancel-ralph" | "ralph:cancel-ralph" => Some(Slash::Verb(Verb::Stop, Vec::new())),
        _ => None,
    }
}

fn understand(rest: &str) -> Slash {
    let words = words(rest);
    let Some(first) = words.first() else { return Slash::Verb(Verb::Help, Vec::new()) };
    if first.quote.is_some() {
        return Slash::Arm(rest.to_owned());
    }
    match &rest[first.span.clone()] {
        "start" => Slash::Arm(rest[first.span.end..].trim().to_owned()),
        word => match Verb::parse(word) {
            Some(verb) => {
                let more = words.iter().skip(1).map(|word| word.value(rest).into_owned());
                Slash::Verb(verb, more.collect())
            }
            None if is_no_task(rest, &words) => Slash::Unclear(word.to_owned(), None),
            None => match misspelt(rest, &words) {
                Some(verb) => Slash::Unclear(word.to_owned(), Some(verb)),
                None => Slash::Arm(rest.to_owned()),
            },
        },
    }
}

/// Whether a text begins as a flag does that we do not have, or has no words.
fn is_no_task(text: &str, words: &[Word]) -> bool {
    let is_short_flag = |word: &str| {
        let name = word.strip_prefix('-').and_then(|name| name.chars().next());
        name.is_some_and(char::is_alphanumeric)
    };
    words.first().is_some_and(|word| is_short_flag(&text[word.span.clone()]))
        || !text.contains(char::is_alphanumeric)
}

/// The verb that was meant, if a text looks like one with what can follow it:
/// flags, or a run.
fn misspelt(text: &str, words: &[Word]) -> Option<&'static str> {
    let mut raw = words.iter().map(|word| &text[word.span.clone()]);
    let first = raw.next()?.to_lowercase();
    if !raw.all(|word| word.starts_with('-') || word.starts_with("run-")) {
        return None;
    }
    // In a short word nearly every letter makes another word.
    let most = if first.chars().count() > 4 { 2 } else { 1 };
    let near = VERBS.iter().map(|verb| (distance(&first, verb), *verb));
    near.filter(|(distance, _)| *distance <= most).min().map(|(_, verb)| verb)
}

/// How many letters have to be added, left out, changed or swapped with the
/// next one to make one word the other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let changed = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            let is_swap =
                i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
            if is_swap {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// Why nothing was done about a word that may have been meant otherwise.
pub(super) fn unclear(word: &str, meant: Option<&str>) -> CliError {
    let hint = format!("a task that begins like that goes into quotes: `/ralph \"{word} …\"`");
    let korean = format!("그렇게 시작하는 작업은 따옴표로 묶으세요: `/ralph \"{word} …\"`");
    match meant {
        Some(verb) => CliError::usage(format!("`{word}` is nothing that a loop can do"))
            .with_hint(format!("did you mean `/ralph {verb}`? {hint}"))
            .in_korean(
                format!("`{word}` 은(는) 루프의 명령이 아닙니다"),
                Some(&format!("`/ralph {verb}` 을(를) 뜻하셨나요? {korean}")),
            ),
        None => CliError::usage(format!("`{word}` is neither a task nor a flag"))
            .with_hint(format!("`/ralph help` lists the flags; {hint}"))
            .in_korean(
                format!("`{word}` 은(는) 작업도 플래그도 아닙니다"),
                Some(&format!("`/ralph help` 로 플래그를 볼 수 있습니다. {korean}")),
            ),
    }
}

/// `/ralph TASK [flags]`
#[derive(Parser, Debug)]
#[command(name = "/ralph", no_binary_name = true, disable_help_flag = true, color = clap::ColorChoice::Never)]
struct SlashArgs {
    #[command(flatten)]
    task: TaskOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

/// A loop that is to be armed.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) task: Task,
    policy: PolicyOptions,
}

impl Wanted {
    /// Reads a task with its flags. What is no flag of ours is an error,
    /// never a part of the task.
    pub(super) fn read(text: &str) -> Result<Self, CliError> {
        let taken = take_flags(text);
        let mut args = taken.flags;
        args.extend(taken.targets.iter().map(|target| format!("--target={target}")));
        args.push("--".to_owned());
        args.push(taken.task);
        let parsed = SlashArgs::try_parse_from(args).map_err(|error| explain(&error))?;
        Ok(Self { task: parsed.task.read()?, policy: parsed.policy })
    }

    /// Puts the flags on top of the settings.
    pub(super) fn apply(&self, layers: &mut Layers) -> Result<(), CliError> {
        self.policy.apply(layers)
    }
}

/// What is wrong, without the usage of a command line that nobody typed.
fn explain(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let tip = text.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    let hint = tip.map_or_else(
        || "put the task in quotes if it is a part of it; `/ralph help` lists the flags".to_owned(),
        |tip| format!("{tip}; or put the task in quotes if it is a part of it"),
    );
    let korean =
        "작업의 일부라면 작업을 따옴표로 묶으세요. `/ralph help` 로 플래그를 볼 수 있습니다";
    CliError::usage(line)
        .with_hint(hint)
        .in_korean(format!("플래그를 이해할 수 없습니다: {line}"), Some(korean))
}

/// The flags that `/ralph` knows, for its help.
pub(super) fn help() -> String {
    let mut command = SlashArgs::command().term_width(90);
    let flags = command.render_help().to_string();
    let flags = flags.split_once("Options:").map_or(flags.as_str(), |(_, flags)| flags);
    format!(
        "/ralph TASK [flags]    work on the task until it is proven done\n\
         /ralph status          where the loop stands\n\
         /ralph pause | resume  rest, and go on\n\
         /ralph stop            end it (also /cancel-ralph)\n\
         /ralph rollback        put the files back as they were before it\n\n\
         Flags:{flags}"
    )
}

struct Taken {
    task: String,
    flags: Vec<String>,
    targets: Vec<String>,
}

/// Takes the flags out of a text; what remains is the task, as it was typed.
fn take_flags(text: &str) -> Taken {
    let (mut flags, mut targets) = (Vec::new(), Vec::new());
    let mut cut: Vec<Range<usize>> = Vec::new();
    let mut left: Vec<Word> = Vec::new();
    let mut at = 0;
    while let Some(start) = next_word(text, at) {
        if is_flag(&text[start..]) {
            let (flag, end) = read_flag(text, start);
            flags.push(flag);
            cut.push(start..end);
            at = end;
            continue;
        }
        let word = word_at(text, start);
        let raw = &text[word.span.clone()];
        if word.quote.is_none() && raw.len() > 1 {
            targets.extend(raw.strip_prefix('@').map(str::to_owned));
        }
        at = word.span.end;
        left.push(word);
    }
    let task = match left.as_slice() {
        [only] if only.quote.is_some() => only.value(text).into_owned(),
        _ => without(text, &cut),
    };
    Taken { task, flags, targets }
}

fn is_flag(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic))
}

/// The flag that begins at `start` with its value, and where it ends.
fn read_flag(text: &str, start: usize) -> (String, usize) {
    let is_end = |c: char| c == '=' || c.is_whitespace();
    let end = text[start..].find(is_end).map_or(text.len(), |length| start + length);
    let name = &text[start..end];
    let value = if text[end..].starts_with('=') {
        Some(end + 1)
    } else if takes_value(name) {
        next_word(text, end)
    } else {
        None
    };
    match value {
        Some(at) => {
            let (value, end) = read_value(text, at);
            (format!("{name}={value}"), end)
        }
        None => (name.to_owned(), end),
    }
}

/// The value that begins here, as a shell would read it: quotation marks may
/// stand anywhere in it. One that is never closed is an ordinary character.
fn read_value(text: &str, start: usize) -> (String, usize) {
    let mut value = String::new();
    let mut rest = text[start..].char_indices();
    while let Some((offset, c)) = rest.next() {
        let at = start + offset;
        if c.is_whitespace() {
            return (value, at);
        }
        let inner = &text[at + c.len_utf8()..];
        match inner.find(c).filter(|_| matches!(c, '"' | '\'')) {
            Some(length) => {
                value.push_str(&inner[..length]);
                rest = text[start..].char_indices();
                let end = offset + c.len_utf8() + length;
                rest.by_ref().take_while(|(seen, _)| *seen < end).for_each(drop);
            }
            None => value.push(c),
        }
    }
    (value, text.len())
}

/// Whether this flag, given without `=`, takes the next word.
fn takes_value(flag: &str) -> bool {
    let Some(name) = flag.strip_prefix("--") else { return false };
    let command = SlashArgs::command();
    let mut args = command.get_arguments();
    args.any(|arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        let is_it = arg.get_long() == Some(name) || aliases.contains(&name);
        is_it && arg.get_action().takes_values()
    })
}

/// The text without these parts, otherwise as it is.
fn without(text: &str, cut: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for part in cut {
        out.push_str(&text[from..part.start]);
        // One gap goes with the part, the other one stays.
        let gap = text[part.end..].chars().next().filter(|c| c.is_whitespace());
        from = part.end + gap.map_or(0, char::len_utf8);
    }
    out.push_str(&text[from.min(text.len())..]);
    out.trim().to_owned()
}

/// A word of a text.
#[derive(Debug)]
struct Word {
    span: Range<usize>,
    /// What it stands in as a whole.
    quote: Option<char>,
}

impl Word {
    /// The word without its quotation marks.
    fn value<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        let raw = &text[self.span.clone()];
        match self.quote {
            Some(quote) => unquoted(&raw[1..raw.len() - 1], quote),
            None => raw.into(),
        }
    }
}

fn unquoted(inner: &str, quote: char) -> std::borrow::Cow<'_, str> {
    if quote == '"' && inner.contains('\\') {
        return inner.replace("\\\"", "\"").replace("\\\\", "\\").into();
    }
    inner.into()
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“')
}

fn closing(quote: char) -> char {
    if quote == '“' { '”' } else { quote }
}

/// Splits a text into words; a quotation that is closed before a gap is one.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(start) = next_word(text, at) {
        let word = word_at(text, start);
        at = word.span.end;
        words.push(word);
    }
    words
}

/// Where the next word begins.
fn next_word(text: &str, at: usize) -> Option<usize> {
    text[at..].find(|c: char| !c.is_whitespace()).map(|gap| at + gap)
}

fn word_at(text: &str, start: usize) -> Word {
    let bare = || {
        let length = text[start..].find(char::is_whitespace);
        Word { span: start..length.map_or(text.len(), |length| start + length), quote: None }
    };
    quoted(text, start).unwrap_or_else(bare)
}

/// The quotation that begins here, if it ends before a gap.
fn quoted(text: &str, start: usize) -> Option<Word> {
    let quote = text[start..].chars().next().filter(|c| is_quote(*c))?;
    let close = closing(quote);
    let mut is_escaped = false;
    for (offset, c) in text[start..].char_indices().skip(1) {
        if c == close && !is_escaped {
            let end = start + offset + c.len_utf8();
            let is_closed = text[end..].chars().next().is_none_or(char::is_whitespace);
            // Typographic marks are wider than a byte: they stay in the task.
            let quote = (quote.len_utf8() == 1).then_some(quote);
            if is_closed {
                return Some(Word { span: start..end, quote });
            }
        }
        is_escaped = c == '\\' && !is_escaped && quote == '"';
    }
    None
}

#[cfg(test)]
#[path = "slash_tests.rs"]
mod tests;
