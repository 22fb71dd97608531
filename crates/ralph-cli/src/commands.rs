//! The commands: one file for each, with its arguments and its code.

pub(crate) mod allow;
pub(crate) mod check;
pub(crate) mod code;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod docs;
pub(crate) mod doctor;
pub(crate) mod drive;
pub(crate) mod gc;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod invariants;
pub(crate) mod logs;
pub(crate) mod lsp_helper;
pub(crate) mod mcp;
pub(crate) mod measure;
pub(crate) mod memory;
pub(crate) mod pause;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod rollback;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod scripted;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;

use crate::cli::{Cli, Command};
use crate::error::CliError;
use crate::{out, rights};

/// Runs a command and returns the exit code.
pub(crate) fn run(cli: Cli) -> Result<u8, CliError> {
    if let Some((app, error)) = rights::refusal(&cli.command) {
        out::note(error.said(app.locale()));
        return Ok(error.exit_code());
    }
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Start(args) => start::run(&args),
        Command::Stop(args) | Command::Cancel(args) => stop::run(&args),
        Command::Pause(args) => pause::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Logs(args) => logs::run(&args),
        Command::Runs(args) => runs::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Snapshots(args) => snapshots::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Rollback(args) => rollback::run(&args),
        Command::Gc(args) => gc::run(&args),
        Command::Allow(args) => allow::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Code(args) => code::run(&args),
        Command::Memory(args) => memory::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Install(args) => install::install(&args),
        Command::Uninstall(args) => install::uninstall(&args),
        Command::Hook(args) => Ok(hook::run(&args)),
        Command::Docs(args) => docs::run(&args),
        Command::RunIds(args) => completions::run_ids(&args),
        Command::LspHelper(args) => lsp_helper::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Scripted(args) => scripted::run(&args),
    }
}
