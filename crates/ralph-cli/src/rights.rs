//! Decides who may call what: anyone, or only the user.
//!
//! A loop judges its agent, so the agent must not control it. Every command, MCP tool,
//! hook event and `/ralph` word has a right here or in its own file. Each match is
//! exhaustive, so a new one does not compile without a right. Reading is open to
//! anyone. Starting, ending, loosening and deleting is the user's while the calling
//! agent has an open run.

use std::ffi::OsString;

use ralph_core::policy::GateCommand;
use ralph_engine::caller::{self, InvocationKind};
use ralph_engine::command_log::CommandSource;
use ralph_engine::rights::{CallRight, is_of_session, refused, shortened};

use crate::app::App;
use crate::cli::CliCommand;
use crate::error::CliError;

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
            Self::Trust(args) => args.right(),
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
            | Self::Sandbox(_)
            | Self::Code(_)
            | Self::Config(_)
            | Self::Completions(_)
            | Self::Agents(_)
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

/// Renders a command line as a person would type it, shortened.
fn typed(words: impl Iterator<Item = OsString>) -> String {
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let words = std::iter::once("ralph".to_owned()).chain(words).collect();
    shortened(&GateCommand::Argv(words).display())
}

#[cfg(test)]
#[path = "rights_tests.rs"]
mod tests;
