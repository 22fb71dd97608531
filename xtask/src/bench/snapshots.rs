//! Tree ids, snapshots and rollbacks against comparable git commands.
//!
//! All calls are made in one process, as in a run, and take turns with the programs
//! that they are compared with.

mod measured;
mod repository;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use self::measured::MeasureProcess;
use self::repository::{FEW, GeneratedFiles};
use super::samples::{Samples, millis};
use super::{BenchRow, BenchSize, Budget};
use crate::bench::commands::time;
use crate::failure::TaskFailure;
use crate::stress::stage::{ScenarioFolder, StressProject};

/// Number of measurements of each call, after some rounds to warm up.
const ROUNDS: u32 = 15;
const WARM_UP: u32 = 3;

const MOST_AT_START: f64 = 2.0;
const MOST_UNCHANGED: f64 = 1.3;
const MOST_CHANGED: f64 = 1.8;
const MOST_GROWTH: f64 = 1.5;
const MOST_ROLLBACK: f64 = 1.5;
const MOST_OUTSIDE: f64 = 1.5;

/// Returns the numbers of files in the repositories.
fn sizes(extent: BenchSize) -> &'static [u32] {
    match extent {
        BenchSize::Small => &[5_000],
        BenchSize::Usual => &[5_000, 50_000],
        BenchSize::Large => &[5_000, 50_000, 200_000],
    }
}

pub(super) fn measure(binary: &Path, extent: BenchSize) -> Result<Vec<BenchRow>, TaskFailure> {
    let sizes = sizes(extent)
        .iter()
        .map(|count| Ok((GeneratedFiles { count: *count }, ScenarioFolder::new(binary)?)));
    let stages: Vec<_> = sizes.collect::<Result<_, TaskFailure>>()?;
    let (mut rows, mut benches) = (Vec::new(), Vec::new());
    for (files, stage) in &stages {
        let project = stage.git_project("git")?;
        files.commit(&project)?;
        let mut bench =
            SnapshotBench { files: *files, measured: MeasureProcess::start(&project)?, project };
        rows.extend(bench.begun()?);
        rows.extend(bench.unchanged()?);
        rows.extend(bench.changed()?);
        rows.extend(bench.rolled_back()?);
        benches.push(bench);
        // Larger numbers of files outside git have no budget.
        if files.count <= 50_000 {
            rows.extend(outside(stage, *files)?);
        }
    }
    rows.extend(known(&mut benches)?);
    benches.into_iter().try_for_each(|bench| bench.measured.end())?;
    Ok(rows)
}

/// Measures snapshots with known changed paths, the same in each project and in turns.
/// Their time must not grow with the project.
fn known(benches: &mut [SnapshotBench<'_>]) -> Result<Vec<BenchRow>, TaskFailure> {
    let smallest = GeneratedFiles { count: sizes(BenchSize::Small)[0] };
    let mut all: Vec<Samples> = benches.iter().map(|_| Samples::default()).collect();
    for bench in &mut *benches {
        bench.measured.call("start")?;
    }
    for round in 0..WARM_UP + ROUNDS {
        for (bench, samples) in benches.iter_mut().zip(&mut all) {
            let paths = smallest.change(&bench.project, round, FEW)?;
            let call = format!("known\t{}", paths.join("\t"));
            keep(samples, round, bench.measured.call(&call)?);
        }
    }
    let row = |(bench, samples): (&SnapshotBench<'_>, &Samples)| {
        let name = format!("snapshot of 100 known paths, {}", bench.files);
        if bench.files.count == smallest.count {
            return plain(name, samples);
        }
        compared(name, samples, &all[0], (MOST_GROWTH, "times 5k files"))
    };
    Ok(benches.iter().zip(&all).map(row).collect())
}

struct SnapshotBench<'a> {
    files: GeneratedFiles,
    project: StressProject<'a>,
    measured: MeasureProcess,
}

impl SnapshotBench<'_> {
    /// Measures a run before its first turn, and a look at it.
    fn begun(&mut self) -> Result<[BenchRow; 4], TaskFailure> {
        let args = ["run", "work", "--agent-cmd", "true", "--max-iterations", "1"];
        self.project.ralph(&args)?.expect_code(1)?;
        let (mut git, mut start, mut stamp, mut status) = Default::default();
        for round in 0..WARM_UP + ROUNDS {
            keep(&mut git, round, time(git_status(&self.project))?);
            keep(&mut start, round, self.measured.call("start")?);
            keep(&mut stamp, round, self.measured.call("stamp")?);
            keep(&mut status, round, time(self.project.command(&["status"]))?);
        }
        let title = |what: &str| format!("{what}, {}", self.files);
        // A budget in milliseconds grows with the files, but less than proportionally.
        let most_stamp = if self.files.count <= 5_000 { 10.0 } else { 60.0 };
        Ok([
            plain(title("git status before a run"), &git),
            compared(
                title("snapshot of the start"),
                &start,
                &git,
                (MOST_AT_START, "times git status"),
            ),
            bounded(title("stamp of ignored files"), &stamp, most_stamp),
            bounded(title("ralph status"), &status, 10.0),
        ])
    }

    fn unchanged(&mut self) -> Result<[BenchRow; 3], TaskFailure> {
        self.measured.call("start")?;
        let (mut status, mut tree, mut snapshot) = Default::default();
        for round in 0..WARM_UP + ROUNDS {
            keep(&mut status, round, time(git_status(&self.project))?);
            keep(&mut tree, round, self.measured.call("tree")?);
            keep(&mut snapshot, round, self.measured.call("snapshot")?);
        }
        let title = |what: &str| format!("{what}, {}", self.files);
        let unit = "times git status";
        Ok([
            plain(title("git status, nothing changed"), &status),
            compared(title("tree id"), &tree, &status, (MOST_UNCHANGED, unit)),
            compared(title("snapshot"), &snapshot, &status, (MOST_UNCHANGED, unit)),
        ])
    }

    fn changed(&mut self) -> Result<[BenchRow; 2], TaskFailure> {
        let (mut status, mut snapshot) = Default::default();
        for round in 0..WARM_UP + ROUNDS {
            self.files.change_and_add(&self.project, round)?;
            keep(&mut status, round, time(git_status(&self.project))?);
            keep(&mut snapshot, round, self.measured.call("snapshot")?);
        }
        repository::remove_added(&self.project)?;
        time(git_restore(&self.project, &["."]))?;
        let title = |what: &str| format!("{what}, {}", self.files);
        let budget = (MOST_CHANGED, "times git status");
        Ok([
            plain(title("git status, 100 changed or new"), &status),
            compared(title("snapshot of these"), &snapshot, &status, budget),
        ])
    }

    fn rolled_back(&mut self) -> Result<[BenchRow; 2], TaskFailure> {
        self.measured.call("start")?;
        let (mut restore, mut rollback) = Default::default();
        for round in 0..WARM_UP + ROUNDS {
            let paths = self.files.change(&self.project, round, FEW)?;
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            keep(&mut restore, round, time(git_restore(&self.project, &paths))?);
            self.files.change(&self.project, round, FEW)?;
            self.measured.call("snapshot")?;
            keep(&mut rollback, round, self.measured.call("rollback")?);
            self.measured.expect_files(FEW)?;
        }
        let title = |what: &str| format!("{what}, {}", self.files);
        let budget = (MOST_ROLLBACK, "times git restore");
        Ok([
            plain(title("git restore of 100 files"), &restore),
            compared(title("rollback of these"), &rollback, &restore, budget),
        ])
    }
}

fn outside(stage: &ScenarioFolder, files: GeneratedFiles) -> Result<[BenchRow; 2], TaskFailure> {
    let project = stage.project("plain")?;
    files.write(&project)?;
    let mut measured = MeasureProcess::start(&project)?;
    measured.call("start")?;
    let (mut walk, mut snapshot) = Default::default();
    for round in 0..WARM_UP + ROUNDS {
        keep(&mut walk, round, time(stat_walk(&project))?);
        keep(&mut snapshot, round, measured.call("snapshot")?);
    }
    measured.end()?;
    let budget = (MOST_OUTSIDE, "times a stat walk");
    Ok([
        plain(format!("stat walk outside git, {files}"), &walk),
        compared(format!("snapshot outside git, {files}"), &snapshot, &walk, budget),
    ])
}

fn git_status(project: &StressProject<'_>) -> Command {
    let mut git = project.program("git");
    git.args(["status", "--porcelain"]);
    git
}

fn git_restore(project: &StressProject<'_>, paths: &[&str]) -> Command {
    let mut git = project.program("git");
    git.args(["restore", "--"]).args(paths);
    git
}

/// Makes a command that looks at every file and matches none.
fn stat_walk(project: &StressProject<'_>) -> Command {
    let mut find = project.program("find");
    find.args([".", "-size", "+1000000k"]);
    find
}

fn keep(samples: &mut Samples, round: u32, time: Duration) {
    if round >= WARM_UP {
        samples.push(time);
    }
}

pub(super) fn plain(name: String, samples: &Samples) -> BenchRow {
    let (median, p95) = (millis(samples.median()), millis(samples.p95()));
    BenchRow::new(name, median).p95(p95)
}

/// Makes a row with a budget in milliseconds.
fn bounded(name: String, samples: &Samples, most: f64) -> BenchRow {
    let measured = samples.median().as_secs_f64() * 1000.0;
    let budget = Some(Budget { measured, most, unit: "ms" });
    plain(name, samples).with_budget(budget)
}

pub(super) fn compared(
    name: String,
    samples: &Samples,
    base: &Samples,
    (most, unit): (f64, &'static str),
) -> BenchRow {
    let measured = samples.median().as_secs_f64() / base.median().as_secs_f64();
    let budget = Some(Budget { measured, most, unit });
    plain(name, samples).ratio(format!("{measured:.2}")).with_budget(budget)
}
