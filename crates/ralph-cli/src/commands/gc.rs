//! `ralph gc`: deletes snapshots and logs of old runs.

use ralph_engine::report;
use ralph_engine::retention::{CollectionMode, collect};
use ralph_engine::rights::CallRight;

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Remove snapshots and logs of old runs, and old records of sessions
///
/// Only runs that ended lose them; their records and reports stay. How much
/// is kept is set by `retention.runs`, `retention.days` and `retention.size`.
/// Notes stay; what happened in sessions goes after `memory.days`. If sessions take
/// more than `memory.size`, what is oldest goes sooner, but nothing of the last day.
#[derive(clap::Args, Debug)]
pub(crate) struct GcArgs {
    /// Only show what would go
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl GcArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(crate) fn run(args: &GcArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let mode = if args.dry_run { CollectionMode::DryRun } else { CollectionMode::Remove };
    let collected = collect(&app, mode, &mut |run, size| {
        if !args.json {
            out::line(format!("{run}  {}", report::size(size)));
        }
    })?;
    if args.json {
        out::line(collected.as_json());
    } else {
        out::line(collected.sentence(&app));
    }
    Ok(0)
}
