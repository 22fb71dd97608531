//! The list of a run's snapshots, and copies of them.

use std::path::Path;

use ralph_core::score::Score;
use ralph_core::{Run, wording};
use ralph_snapshot::{ChangeKind, Snapshot, SnapshotLabel, SnapshotPlace, Snapshots, TreeChange};
use ralph_store::{IterationRecord, SqliteStore};
use serde_json::{Value, json};

use super::{SnapshotName, find, last};
use crate::texts;
use crate::user_error::UserError;
use crate::wire::{self, local_time, moment};

/// A snapshot, with the number of changes since the one before.
pub struct SnapshotListRow {
    snapshot: Snapshot,
    counts: [usize; 3],
    record: Option<IterationRecord>,
}

/// Copies the files of a snapshot that differ from the run's last one.
pub fn copy_out(
    snapshots: &Snapshots<'_>,
    run: &Run,
    name: &str,
    folder: &Path,
) -> Result<(), UserError> {
    let all = snapshots.list()?;
    let wanted: SnapshotName = name.parse().map_err(UserError::usage)?;
    let from = find(wanted, run, &all).ok_or_else(|| no_snapshot(run, name))?;
    let beside: Vec<_> = all.iter().filter(|other| other.is_beside(from)).cloned().collect();
    let last = last(&beside).unwrap_or(from);
    std::fs::create_dir_all(folder)?;
    if std::fs::read_dir(folder)?.next().is_some() {
        return Err(UserError::usage(format!("{} is not empty", folder.display()))
            .in_korean(format!("{} 이(가) 비어 있지 않습니다", folder.display()), None));
    }
    let other = tempfile::tempdir()?;
    snapshots.copy_out(from, folder, last, other.path())?;
    Ok(())
}

/// Returns the snapshots of a run, the oldest first.
pub fn list_snapshots(
    snapshots: &Snapshots<'_>,
    store: &SqliteStore,
    run: &Run,
) -> Result<Vec<SnapshotListRow>, UserError> {
    let all = snapshots.list()?;
    let mut rows: Vec<SnapshotListRow> = Vec::new();
    for (index, snapshot) in all.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &all[before]);
        let changes = match before.filter(|before| before.is_beside(snapshot)) {
            Some(before) => snapshots.changes(before, snapshot)?,
            None => Vec::new(),
        };
        let record = if let SnapshotLabel::Iteration(number) = snapshot.label {
            store.iteration(&run.id, number)?
        } else {
            None
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
    if let SnapshotLabel::Start = label { "start".to_owned() } else { label.to_string() }
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

/// Renders the list as a table, and where the snapshots are kept.
pub fn snapshot_table(rows: &[SnapshotListRow], run: &Run) -> (String, Vec<String>) {
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
    let table = texts::table(&header, cells);
    let mut folders: Vec<String> = rows.iter().map(|row| folder(&row.snapshot)).collect();
    folders.dedup();
    let kept = folders.iter().map(|folder| {
        locale.say(format!("They are kept in {folder}"), format!("보관 위치: {folder}"))
    });
    (table, kept.collect())
}

/// Renders the list as JSON.
pub fn snapshots_as_json(rows: &[SnapshotListRow], run: &Run, bytes: u64) -> Value {
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
                "score": score(row, run).map(wire::score),
                "kept_in": place(&row.snapshot),
                "left_out": row.snapshot.left_out.iter().map(|file| file.path.to_string_lossy()).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "schema": 1,
        "run_id": run.id.to_string(),
        "best_iteration": run.best.map(|best| best.iteration),
        "bytes": bytes,
        "snapshots": list,
    })
}

/// Makes the error for a run without a snapshot of this name.
pub fn no_snapshot(run: &Run, name: &str) -> UserError {
    let id = &run.id;
    UserError::refused(format!("{id} has no snapshot `{name}`"))
        .with_hint(format!("`ralph snapshots {id}` lists them"))
        .in_korean(
            format!("{id} 에는 스냅샷 `{name}` 이(가) 없습니다"),
            Some(&format!("`ralph snapshots {id}` 로 목록을 볼 수 있습니다")),
        )
}
