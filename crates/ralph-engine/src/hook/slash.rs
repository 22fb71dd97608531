//! `/ralph …` as it is typed in a session: what it can be, and what is said about it. The
//! surface parses it, since it knows the command line.

use ralph_config::SettingLayers;
use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_core::run::Task;

use crate::rights::CallRight;
use crate::user_error::UserError;

/// A parsed `/ralph` prompt.
#[derive(Debug)]
pub enum SlashPrompt {
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
pub struct SessionCommand {
    /// The words, starting with the name.
    pub words: Vec<String>,
    /// Its effect on the loop.
    pub effect: CommandEffect,
    /// The argument that names its run.
    pub run_argument: RunArgument,
    /// True if its words name a run.
    pub names_run: bool,
    /// The callers that are allowed.
    pub right: CallRight,
}

/// The effect of a command that is typed in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEffect {
    /// Changes the open loop of the session.
    Rules,
    /// Takes back a loop of the session, which may have ended.
    TakesBack,
    /// Shows the loop of the session.
    Shows,
    /// Has nothing to do with a loop.
    Plain,
    /// Accepts changes, if there are paths.
    Allows,
    /// It does nothing; the user should type this instead.
    Elsewhere(&'static str),
}

impl CommandEffect {
    /// Returns true if the command changes the loop of the session.
    pub(super) fn changes_loop(self) -> bool {
        matches!(self, Self::Rules | Self::TakesBack)
    }
}

/// The argument by which a command gets its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunArgument {
    /// `--run=ID`
    Flag,
    /// `ID`
    Positional,
}

impl SessionCommand {
    /// Returns the words with the id of a run.
    pub(super) fn with_run(&self, run: &Run) -> Vec<String> {
        let naming = match self.run_argument {
            RunArgument::Flag => format!("--run={}", run.id),
            RunArgument::Positional => run.id.to_string(),
        };
        let mut words = self.words.clone();
        // Behind `--` it would count as a path.
        words.insert(words.len().min(1), naming);
        words
    }
}

/// `/ralph resume`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeWords {
    /// The run to go on with.
    pub run: Option<String>,
    /// True if it is taken from the session that has it.
    pub takeover: bool,
}

/// A change of the settings.
pub type SettingChange = Box<dyn Fn(&mut SettingLayers) -> Result<(), UserError>>;

/// A task that is typed with flags.
pub struct TypedTask {
    /// The task.
    pub task: Task,
    /// Applies the flags to the settings.
    pub flags: SettingChange,
}

/// A surface that knows the commands that can be typed in a session. `exists` returns
/// true if a word names a file.
pub trait SessionCommands: std::panic::RefUnwindSafe {
    /// Parses a prompt that is one of our commands; `None` for any other.
    fn parse(&self, prompt: &str, exists: &dyn Fn(&str) -> bool) -> Option<SlashPrompt>;

    /// Parses a task with its flags. Unknown flags and paths that do not exist are errors.
    fn task(&self, text: &str, exists: &dyn Fn(&str) -> bool) -> Result<TypedTask, UserError>;
}

impl SlashPrompt {
    /// Returns who may type it while our driver runs a turn.
    pub(super) fn right(&self) -> CallRight {
        match self {
            Self::Help | Self::Unclear(..) | Self::Misfit(..) => CallRight::Anyone,
            Self::Call(call) => call.right,
            Self::Arm(_) | Self::Resume(_) => CallRight::UserOnly,
        }
    }
}

/// Splits a prompt into our command's name and the rest; `None` for any other prompt.
pub fn behind(prompt: &str) -> Option<(&str, &str)> {
    let text = prompt.trim_start().strip_prefix('/')?;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match name.strip_prefix("ralph:").unwrap_or(name) {
        name @ ("ralph" | "cancel-ralph") => Some((name, rest.trim())),
        _ => None,
    }
}

/// Returns true if a prompt is one of our commands.
pub fn is_ours(prompt: &str) -> bool {
    behind(prompt).is_some()
}

/// Makes the error for an ambiguous text.
pub fn unclear(word: &str, meant: Option<&str>) -> UserError {
    let hint = format!("To use it as a task, quote it: `/ralph \"{word} …\"`");
    let korean = format!("작업으로 쓰려면 따옴표로 묶으세요: `/ralph \"{word} …\"`");
    match meant {
        Some(verb) => UserError::usage(format!("unknown command `{word}`"))
            .with_hint(format!("did you mean `/ralph {verb}`? {hint}"))
            .in_korean(
                format!("알 수 없는 명령 `{word}`"),
                Some(&format!("`/ralph {verb}` 을(를) 뜻하셨나요? {korean}")),
            ),
        None => UserError::usage(format!("`{word}` is neither a task nor a flag"))
            .with_hint(format!("`/ralph help` lists the flags. {hint}"))
            .in_korean(
                format!("`{word}` 은(는) 작업도 플래그도 아닙니다"),
                Some(&format!("`/ralph help` 로 플래그를 볼 수 있습니다. {korean}")),
            ),
    }
}

/// Makes the error for a command with an unsuitable argument.
pub fn misfit(command: &str, word: &str) -> UserError {
    UserError::usage(format!("`{word}` does not fit `/ralph {command}`"))
        .with_hint(format!("To use it as a task, quote it: `/ralph \"{command} {word}\"`"))
        .in_korean(
            format!("`{word}` 은(는) `/ralph {command}` 에 맞지 않습니다"),
            Some(&format!("작업으로 쓰려면 따옴표로 묶으세요: `/ralph \"{command} {word}\"`")),
        )
}

/// Returns the help on what can be typed.
pub fn help(locale: Locale) -> &'static str {
    locale.say(
        "/ralph TASK [flags]   work on the task until it is proven done\n\
        /ralph status | report | runs | diff | check   look at the loop of this session\n\
        /ralph pause | resume   let the loop rest, and go on with it\n\
        /cancel-ralph   end it (while the agent works: Esc first)\n\
        /ralph allow PATH | rollback   accept changes of tests, or undo the loop's changes\n\
        Flags: --max-iterations N, --max-duration 30m, --criteria test_pass, --criteria \"custom:COMMAND\"\n\
        `ralph run --help` in a terminal lists all flags.",
        "/ralph 작업 [플래그]   증명될 때까지 작업합니다\n\
        /ralph status | report | runs | diff | check   이 세션의 루프를 봅니다\n\
        /ralph pause | resume   루프를 쉬게 하고 이어서 진행합니다\n\
        /cancel-ralph   루프를 끝냅니다(에이전트가 작업 중이면 먼저 Esc)\n\
        /ralph allow 경로 | rollback   테스트 변경을 허용하거나 루프의 변경을 되돌립니다\n\
        이런 플래그를 씁니다: --max-iterations N, --max-duration 30m, --criteria test_pass, --criteria \"custom:명령\"\n\
        모든 플래그는 터미널에서 `ralph run --help` 로 볼 수 있습니다.",
    )
}
