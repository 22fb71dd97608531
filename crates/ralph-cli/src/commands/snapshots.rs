//! `ralph snapshots`: lists the snapshots of a run.

use std::path::Path;

use ralph_core::score::Score;
use ralph_core::{Run, wording};
use ralph_engine::undo::{self, SnapshotName};
use ralph_engine::wire::{ScoreView, local_time, moment};
use ralph_snapshot::{ChangeKind, Snapshot, SnapshotLabel, SnapshotPlace, Snapshots, TreeChange};
use ralph_store::{IterationRecord, RunStore, SqliteStore};
use serde_json::json;

use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};

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

/// A snapshot, with the number of changes since the one before.
struct SnapshotListRow {
    snapshot: Snapshot,
    counts: [usize; 3],
    record: Option<IterationRecord>,
}

pub(crate) fn run(args: &SnapshotsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let (store, run) = app.recorded(args.run.as_deref())?;
    let tree = app.work_tree(&run.id)?;
    let snapshots = Snapshots::new(&tree, run.id.clone());
    if let Some([name, folder]) = args.copy.as_deref() {
        return copy(&snapshots, &run, name, Path::new(folder));
    }
    let rows = rows(&snapshots, &store, &run)?;
    if args.json {
        show_json(&rows, &run, snapshots.space_used()?);
    } else if rows.is_empty() {
        out::line(run.policy.locale.say(
            format!("{} has no snapshots.", run.id),
            format!("{} 에는 스냅샷이 없습니다.", run.id),
        ));
    } else {
        show(&rows, &run);
    }
    Ok(0)
}

/// Copies the files of a snapshot that differ from the run's last one.
fn copy(snapshots: &Snapshots<'_>, run: &Run, name: &str, folder: &Path) -> Result<u8, CliError> {
    let all = snapshots.list()?;
    let wanted: SnapshotName = name.parse().map_err(CliError::usage)?;
    let from = undo::find(wanted, run, &all).ok_or_else(|| texts::no_snapshot(run, name))?;
    let beside: Vec<_> = all.iter().filter(|other| other.is_beside(from)).cloned().collect();
    let last = undo::last(&beside).unwrap_or(from);
    std::fs::create_dir_all(folder)?;
    if std::fs::read_dir(folder)?.next().is_some() {
        return Err(CliError::usage(format!("{} is not empty", folder.display()))
            .in_korean(format!("{} 이(가) 비어 있지 않습니다", folder.display()), None));
    }
    let other = tempfile::tempdir()?;
    snapshots.copy_out(from, folder, last, other.path())?;
    let folder = folder.display();
    out::line(run.policy.locale.say(
        format!("Copied what differs to {folder}."),
        format!("다른 파일을 {folder} 에 복사했습니다."),
    ));
    Ok(0)
}

fn rows(
    snapshots: &Snapshots<'_>,
    store: &SqliteStore,
    run: &Run,
) -> Result<Vec<SnapshotListRow>, CliError> {
    let all = snapshots.list()?;
    let mut rows: Vec<SnapshotListRow> = Vec::new();
    for (index, snapshot) in all.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &all[before]);
        let changes = match before.filter(|before| before.is_beside(snapshot)) {
            Some(before) => snapshots.changes(before, snapshot)?,
            None => Vec::new(),
        };
        let record = match snapshot.label {
            SnapshotLabel::Iteration(number) => store.iteration(&run.id, number)?,
            SnapshotLabel::Start
            | SnapshotLabel::Resumed(_)
            | SnapshotLabel::Safety(_)
            | SnapshotLabel::After(_) => None,
        };
        rows.push(SnapshotListRow { snapshot: snapshot.clone(), counts: counts(&changes), record });
    }
    Ok(rows)
}

fn counts(changes: &[TreeChange]) -> [usize; 3] {
    let count = |kind: ChangeKind| changes.iter().filter(|change| change.kind == kind).count();
    [count(ChangeKind::Added), count(ChangeKind::Modified), count(ChangeKind::Removed)]
}

fn name(label: SnapshotLabel) -> String {
    match label {
        SnapshotLabel::Start => "start".to_owned(),
        SnapshotLabel::Iteration(_)
        | SnapshotLabel::Resumed(_)
        | SnapshotLabel::Safety(_)
        | SnapshotLabel::After(_) => label.to_string(),
    }
}

fn place(snapshot: &Snapshot) -> String {
    match &snapshot.place {
        SnapshotPlace::Git { reference, .. } => reference.clone(),
        SnapshotPlace::Files { manifest } => manifest.display().to_string(),
    }
}

/// Returns the folder that holds a snapshot and its neighbours.
fn folder(snapshot: &Snapshot) -> String {
    let place = place(snapshot);
    place.rsplit_once('/').map_or(place.clone(), |(folder, _)| folder.to_owned())
}

/// Returns the score of a snapshot; `None` if no gate ran.
fn score(row: &SnapshotListRow, run: &Run) -> Option<Score> {
    let record = row.record.as_ref().filter(|record| !record.gates.is_empty())?;
    let score = Score::of_gates(&record.gates, &run.policy.gates, &run.progress.flaky);
    Some(Score { weakened: record.weakened.len() as u64, ..score })
}

fn show(rows: &[SnapshotListRow], run: &Run) {
    let locale = run.policy.locale;
    let is_the_best = locale.say("best", "최고");
    let best = run.best.map(|best| best.iteration);
    let cells = rows.iter().map(|row| {
        let [added, modified, removed] = row.counts;
        let gates = row.record.as_ref().map_or(String::new(), |record| {
            let passed = record.gates.iter().filter(|gate| gate.passed()).count();
            format!("{passed}/{}", record.gates.len())
        });
        let score = score(row, run);
        let is_best = row.record.as_ref().is_some_and(|record| Some(record.number) == best);
        vec![
            name(row.snapshot.label),
            local_time(row.snapshot.at),
            format!("+{added} ~{modified} -{removed}"),
            gates,
            score.map_or(String::new(), |score| wording::score(&score, locale)),
            if is_best { is_the_best.to_owned() } else { String::new() },
        ]
    });
    let header = locale.say(
        ["snapshot", "time", "files", "gates", "score", ""],
        ["스냅샷", "시각", "파일", "게이트", "점수", ""],
    );
    out::text(&texts::table(&header, cells));
    let mut folders: Vec<String> = rows.iter().map(|row| folder(&row.snapshot)).collect();
    folders.dedup();
    for folder in folders {
        out::line(locale.say(format!("They are kept in {folder}"), format!("보관 위치: {folder}")));
    }
}

fn show_json(rows: &[SnapshotListRow], run: &Run, bytes: u64) {
    let list: Vec<_> = rows
        .iter()
        .map(|row| {
            let [added, modified, removed] = row.counts;
            json!({
                "label": name(row.snapshot.label),
                "at": moment(row.snapshot.at),
                "tree": row.snapshot.tree.to_string(),
                "added": added,
                "modified": modified,
                "removed": removed,
                "failing": row.record.as_ref().map(|record| record.failing),
                "score": score(row, run).map(ScoreView::from),
                "kept_in": place(&row.snapshot),
                "left_out": row.snapshot.left_out.iter().map(|file| file.path.to_string_lossy()).collect::<Vec<_>>(),
            })
        })
        .collect();
    out::line(json!({
        "schema": 1,
        "run_id": run.id.to_string(),
        "best_iteration": run.best.map(|best| best.iteration),
        "bytes": bytes,
        "snapshots": list,
    }));
}
