//! The command line: one definition from which help and references are made.

use clap::{Parser, Subcommand};

use crate::commands;

/// Keeps a coding agent working until the work is proven done
#[derive(Parser, Debug)]
#[command(name = "ralph", version, max_term_width = 100, propagate_version = true)]
#[command(about = "Keeps a coding agent working until the work is proven done")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Demo(commands::demo::DemoArgs),
    Init(commands::init::InitArgs),
    Run(Box<commands::run::RunArgs>),
    Start(Box<commands::start::StartArgs>),
    Stop(commands::stop::StopArgs),
    /// The same as `ralph stop`
    Cancel(commands::stop::StopArgs),
    Pause(commands::pause::PauseArgs),
    Resume(commands::resume::ResumeArgs),
    Status(commands::status::StatusArgs),
    Runs(commands::runs::RunsArgs),
    Sessions(commands::sessions::SessionsArgs),
    Report(commands::report::ReportArgs),
    Snapshots(commands::snapshots::SnapshotsArgs),
    Diff(commands::diff::DiffArgs),
    Rollback(commands::rollback::RollbackArgs),
    Gc(commands::gc::GcArgs),
    Allow(commands::allow::AllowArgs),
    Check(Box<commands::check::CheckArgs>),
    Code(commands::code::CodeArgs),
    Memory(commands::memory::MemoryArgs),
    Mcp(commands::mcp::McpArgs),
    Config(commands::config::ConfigArgs),
    Completions(commands::completions::CompletionsArgs),
    Doctor(commands::doctor::DoctorArgs),
    Install(commands::install::InstallArgs),
    Uninstall(commands::install::UninstallArgs),
    Hook(commands::hook::HookArgs),
    #[command(name = "__docs", hide = true)]
    Docs(commands::docs::DocsArgs),
    #[command(name = "__lsp-helper", hide = true)]
    LspHelper(commands::lsp_helper::LspHelperArgs),
    #[command(name = "__measure", hide = true)]
    Measure(commands::measure::MeasureArgs),
    #[command(name = "__scripted", hide = true)]
    Scripted(commands::scripted::ScriptedArgs),
}
