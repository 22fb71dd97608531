//! Decides who may call what: anyone, or only the user.
//!
//! A loop judges its agent, so the agent must not control it. Every command, MCP tool,
//! hook event and `/ralph` word has a right here or in its own file. Each match is
//! exhaustive, so a new one does not compile without a right. Reading is open to
//! anyone. Starting, ending, loosening and deleting is the user's while the calling
//! agent has an open run.

use std::ffi::OsString;

use ralph_core::Run;
use ralph_core::host::HostEventKind;
use ralph_core::policy::GateCommand;
use ralph_core::run::Owner;
use ralph_engine::caller::{self, InvocationKind};
use ralph_engine::command_log::{self, CommandSource};

use crate::app::App;
use crate::cli::CliCommand;
use crate::error::CliError;

/// Number of characters of a command line that are repeated.
const TYPED_CHARS: usize = 200;

/// The callers that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallRight {
    /// Anyone, including an agent in its own loop.
    Anyone,
    /// The user, and agents without an open run.
    UserOnly,
}

impl CliCommand {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        match self {
            Self::Run(_)
            | Self::Start(_)
            | Self::Stop(_)
            | Self::Cancel(_)
            | Self::Pause(_)
            | Self::Resume(_) => CallRight::UserOnly,
            Self::Init(args) => args.right(),
            Self::Rollback(args) => args.right(),
            Self::Gc(args) => args.right(),
            Self::Allow(args) => args.right(),
            Self::Install(args) => args.right(),
            Self::Uninstall(args) => args.right(),
            // Notes have rights of their own: an agent's are on trial.
            Self::Memory(args) => args.right(),
            // These read, or run what the agent is asked to run. The server's tools and
            // the hooks' events have rights of their own.
            Self::Mcp(_)
            | Self::Hook(_)
            | Self::Demo(_)
            | Self::Status(_)
            | Self::Logs(_)
            | Self::Runs(_)
            | Self::Sessions(_)
            | Self::Report(_)
            | Self::Snapshots(_)
            | Self::Diff(_)
            | Self::Check(_)
            | Self::Code(_)
            | Self::Config(_)
            | Self::Completions(_)
            | Self::Doctor(_)
            | Self::Docs(_)
            | Self::RunIds(_)
            | Self::LspHelper(_)
            | Self::Measure(_)
            | Self::Scripted(_) => CallRight::Anyone,
        }
    }

    /// Returns true if it changes all projects of the user.
    fn is_user_wide(&self) -> bool {
        matches!(self, Self::Install(args) if args.is_user_wide())
            || matches!(self, Self::Uninstall(args) if args.is_user_wide())
    }

    /// Returns what a user can type in a session instead.
    fn in_session(&self) -> Option<&'static str> {
        if matches!(self, Self::Stop(_) | Self::Cancel(_)) {
            return Some("/ralph stop");
        }
        let others = [
            (matches!(self, Self::Pause(_)), "/ralph pause"),
            (matches!(self, Self::Resume(_)), "/ralph resume"),
            (matches!(self, Self::Rollback(_)), "/ralph rollback"),
        ];
        others.into_iter().find_map(|(is_it, word)| is_it.then_some(word))
    }
}

/// Returns who may cause an event. The user's events can change a loop, so they are
/// ignored in a turn of our driver.
pub(crate) fn of_event(what: &HostEventKind) -> CallRight {
    match what {
        HostEventKind::Prompted { .. }
        | HostEventKind::CommandCalled { .. }
        | HostEventKind::SessionStarted(_)
        | HostEventKind::SessionEnded { .. }
        | HostEventKind::HostStarted
        | HostEventKind::Done(_)
        | HostEventKind::Woken
        | HostEventKind::Due
        | HostEventKind::TurnEnded(_)
        | HostEventKind::TurnBroken(_)
        | HostEventKind::ChildEnded
        | HostEventKind::PermissionAsked { .. }
        | HostEventKind::PermissionAnswered
        | HostEventKind::NotDelivered { .. }
        | HostEventKind::Compacting
        | HostEventKind::Compacted { .. } => CallRight::UserOnly,
        HostEventKind::ToolAsked(_) | HostEventKind::ToolsUsed(_) | HostEventKind::Other { .. } => {
            CallRight::Anyone
        }
    }
}

/// Returns an error if an agent with an open run calls a command that is the user's.
/// The attempt is recorded, and the error is in the context's language.
pub(crate) fn refusal(command: &CliCommand) -> Option<(App, CliError)> {
    if command.right() == CallRight::Anyone {
        return None;
    }
    // A command that needs a project reports its absence itself.
    let here = App::discover().ok()?;
    let (app, run) = match caller::open_run(&here, InvocationKind::Command) {
        Some(run) => (here, run),
        None if command.is_user_wide() => caller::open_run_elsewhere(&here)?,
        None => return None,
    };
    if is_of_session(&run) && caller::source(&app) == CommandSource::Session {
        return None;
    }
    let typed = typed(std::env::args_os().skip(1));
    let error = refused(&app, &run, &typed, command.in_session());
    Some((app, error))
}

/// Returns an error for a user's command that was typed in a turn of our driver: it did
/// not come from that session.
pub(crate) fn ensure_in_session(app: &App, right: CallRight, text: &str) -> Result<(), CliError> {
    if right == CallRight::Anyone {
        return Ok(());
    }
    match caller::open_run(app, InvocationKind::Child) {
        Some(run) if !is_of_session(&run) => Err(refused(app, &run, &shortened(text), None)),
        Some(_) | None => Ok(()),
    }
}

/// Returns an error for a user's tool if the calling agent has an open run.
pub(crate) fn ensure_tool(app: &App, name: &str) -> Result<(), CliError> {
    match caller::open_run(app, InvocationKind::Child) {
        Some(run) => Err(refused(app, &run, name, None)),
        None => Ok(()),
    }
}

fn is_of_session(run: &Run) -> bool {
    matches!(run.owner, Some(Owner::Session(_)))
}

/// Records the attempt, and makes the error that tells what the user can do.
fn refused(app: &App, run: &Run, tried: &str, in_session: Option<&str>) -> CliError {
    // An attempt that cannot be recorded is refused, too.
    if let Ok(Some(store)) = app.existing_store() {
        let _ = command_log::record_refusal(&store, run, tried, app.now());
    }
    let id = &run.id;
    let is_command = tried.starts_with("ralph ");
    let by_hand = if is_command { tried.to_owned() } else { format!("ralph stop --run {id}") };
    let in_session = in_session.filter(|_| is_of_session(run));
    let (english, korean) = match in_session {
        Some(word) => (format!(" or `{word}` in the session"), format!(" 또는 세션에서 `{word}`")),
        None => (String::new(), String::new()),
    };
    let hint = if is_command {
        format!("ask the user to type `{by_hand}` in a terminal{english}; the attempt is on record")
    } else {
        format!(
            "finish the task, or ask the user to type /cancel-ralph in the session or `{by_hand}` \
             in a terminal; the attempt is on record"
        )
    };
    let korean_hint = format!(
        "사용자에게 터미널에서 `{by_hand}`{korean} 입력을 부탁하세요. 이 시도는 기록되었습니다"
    );
    CliError::refused(format!("an agent cannot call `{tried}` while its own run {id} is open"))
        .with_hint(hint)
        .in_korean(
            format!(
                "에이전트는 자신의 루프 {id} 이(가) 끝나기 전에는 `{tried}` 을(를) 실행할 수 없습니다"
            ),
            Some(&korean_hint),
        )
}

/// Renders a command line as a person would type it, shortened.
fn typed(words: impl Iterator<Item = OsString>) -> String {
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let words = std::iter::once("ralph".to_owned()).chain(words).collect();
    shortened(&GateCommand::Argv(words).display())
}

fn shortened(text: &str) -> String {
    ralph_core::wording::one_line(&ralph_redact::redact(text), TYPED_CHARS)
}

#[cfg(test)]
#[path = "rights_tests.rs"]
mod tests;
