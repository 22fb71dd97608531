//! The commands: one file for each, with its arguments and its code.

pub(crate) mod agents;
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
pub(crate) mod sandbox;
pub(crate) mod scripted;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod trust;

use crate::cli::{Cli, CliCommand};
use crate::error::CliError;
use crate::{out, rights};

/// Runs a command and returns the exit code.
pub(crate) fn run(cli: Cli) -> Result<u8, CliError> {
    if let Some((app, error)) = rights::refusal(&cli.command) {
        out::note(error.said(app.locale()));
        return Ok(error.exit_code());
    }
    match cli.command {
        CliCommand::Demo(args) => demo::run(&args),
        CliCommand::Init(args) => init::run(&args),
        CliCommand::Run(args) => run::run(&args),
        CliCommand::Start(args) => start::run(&args),
        CliCommand::Stop(args) | CliCommand::Cancel(args) => stop::run(&args),
        CliCommand::Pause(args) => pause::run(&args),
        CliCommand::Resume(args) => resume::run(&args),
        CliCommand::Status(args) => status::run(&args),
        CliCommand::Logs(args) => logs::run(&args),
        CliCommand::Runs(args) => runs::run(&args),
        CliCommand::Sessions(args) => sessions::run(&args),
        CliCommand::Report(args) => report::run(&args),
        CliCommand::Snapshots(args) => snapshots::run(&args),
        CliCommand::Diff(args) => diff::run(&args),
        CliCommand::Rollback(args) => rollback::run(&args),
        CliCommand::Gc(args) => gc::run(&args),
        CliCommand::Allow(args) => allow::run(&args),
        CliCommand::Check(args) => check::run(&args),
        CliCommand::Sandbox(args) => sandbox::run(&args),
        CliCommand::Trust(args) => trust::run(&args),
        CliCommand::Code(args) => code::run(&args),
        CliCommand::Memory(args) => memory::run(&args),
        CliCommand::Mcp(args) => mcp::run(&args),
        CliCommand::Config(args) => config::run(&args),
        CliCommand::Completions(args) => completions::run(&args),
        CliCommand::Agents(args) => agents::run(&args),
        CliCommand::Doctor(args) => doctor::run(&args),
        CliCommand::Install(args) => install::install(&args),
        CliCommand::Uninstall(args) => install::uninstall(&args),
        CliCommand::Hook(args) => Ok(hook::run(&args)),
        CliCommand::Docs(args) => docs::run(&args),
        CliCommand::RunIds(args) => completions::run_ids(&args),
        CliCommand::LspHelper(args) => lsp_helper::run(&args),
        CliCommand::Measure(args) => measure::run(&args),
        CliCommand::Scripted(args) => scripted::run(&args),
    }
}
