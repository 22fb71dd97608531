//! The hidden command that the benches use to measure snapshots.
//!
//! Each line of stdin requests one call in this process, and is answered with a line
//! that has its time. So calls can alternate with other programs, and the start of a
//! process is not measured.

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;

use ralph_core::RunId;
use ralph_snapshot::{ConflictPolicy, SnapshotError, SnapshotLabel, Snapshots, WorkTree};
use serde_json::json;

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Measure the calls named on stdin: `tree`, `start`, `snapshot`, `stamp`,
/// `rollback`, and `known` with the paths that changed, tabs between them
#[derive(clap::Args, Debug)]
pub(crate) struct MeasureArgs {}

pub(crate) fn run(_args: &MeasureArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let run = RunId::from_bits(0);
    let tree = app.work_tree(&run)?;
    let snapshots = Snapshots::new(&tree, run);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let started = Instant::now();
        let files = call(&app, &tree, &snapshots, &line)?;
        let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
        out::line(json!({ "call": line, "ms": milliseconds, "files": files }));
    }
    snapshots.remove()?;
    Ok(0)
}

/// Makes one call; returns the number of files it restored.
fn call(
    app: &App,
    tree: &WorkTree,
    snapshots: &Snapshots<'_>,
    name: &str,
) -> Result<usize, CliError> {
    let (name, rest) = name.split_once('\t').unwrap_or((name, ""));
    match name {
        "tree" => tree.tree().map(drop).map_err(SnapshotError::from)?,
        "stamp" => drop(tree.stamp()),
        "start" => drop(snapshots.take(SnapshotLabel::Start, app.now())?),
        "snapshot" => drop(snapshots.take(SnapshotLabel::Iteration(1), app.now())?),
        "known" => {
            let paths: Vec<PathBuf> = rest.split('\t').map(PathBuf::from).collect();
            drop(snapshots.take_known(SnapshotLabel::Iteration(1), &paths, app.now())?);
        }
        "rollback" => return rollback(app, snapshots),
        other => return Err(CliError::usage(format!("there is no call `{other}` to measure"))),
    }
    Ok(0)
}

/// Does what `ralph rollback` does: the plan, the safety snapshot, the files.
fn rollback(app: &App, snapshots: &Snapshots<'_>) -> Result<usize, CliError> {
    let (to, last) =
        (snapshots.get(SnapshotLabel::Start)?, snapshots.get(SnapshotLabel::Iteration(1))?);
    let plan = snapshots.plan(&to, &last, &[])?;
    Ok(snapshots.apply(&plan, ConflictPolicy::Leave, app.now())?.steps.len())
}
