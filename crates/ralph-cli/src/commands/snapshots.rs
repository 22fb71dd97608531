//! `ralph snapshots`: lists the snapshots of a run.

use std::path::Path;

use ralph_engine::undo::{copy_out, list_snapshots, snapshot_table, snapshots_as_json};
use ralph_snapshot::Snapshots;

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// List the snapshots of a run
#[derive(clap::Args, Debug)]
pub(crate) struct SnapshotsArgs {
    /// The run (default: the newest of this work tree)
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Copy the files of a snapshot that the run changed into a folder
    #[arg(long, value_names = ["SNAPSHOT", "DIR"], num_args = 2)]
    copy: Option<Vec<String>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SnapshotsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let (store, run) = app.recorded(args.run.as_deref())?;
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    if let Some([name, folder]) = args.copy.as_deref() {
        copy_out(&snapshots, &run, name, Path::new(folder))?;
        let folder = Path::new(folder).display();
        out::line(run.policy.locale.say(
            format!("Copied what differs to {folder}."),
            format!("다른 파일을 {folder} 에 복사했습니다."),
        ));
        return Ok(0);
    }
    let rows = list_snapshots(&snapshots, &store, &run)?;
    if args.json {
        out::line(snapshots_as_json(&rows, &run, snapshots.space_used()?));
    } else if rows.is_empty() {
        out::line(run.policy.locale.say(
            format!("{} has no snapshots.", run.id),
            format!("{} 에는 스냅샷이 없습니다.", run.id),
        ));
    } else {
        let (table, kept) = snapshot_table(&rows, &run);
        out::text(&table);
        kept.into_iter().for_each(out::line);
    }
    Ok(0)
}
