//! Fifty processes write to one store at once; no write may be lost or refused.

use super::dice::SplitMixRng;
use super::stage::{MeasuredExit, ScenarioFolder, StressProject};
use crate::failure::TaskFailure;

/// Number of processes that run at once.
const CROWD: usize = 50;

/// Number of rounds in a sample and in full.
const ROUNDS: [usize; 2] = [1, 4];

pub(super) fn run(stage: &ScenarioFolder, dice: &mut SplitMixRng) -> Result<String, TaskFailure> {
    let main = stage.git_project("main")?;
    let mut trees = Vec::new();
    for number in 0..CROWD {
        let name = format!("tree{number:02}");
        main.git(&["worktree", "add", "--quiet", "--detach", &format!("../{name}")])?;
        trees.push(stage.existing_project(&name));
    }
    let [sample, full] = ROUNDS;
    let rounds = stage.amount(sample, full);
    let mut processes = 0;
    for _ in 0..rounds {
        processes += everybody_starts(&trees)?;
        processes += everybody_cancels_and_looks(&trees, dice)?;
    }
    let written = stopped_runs(&main)?;
    if written != CROWD * rounds {
        return Err(TaskFailure::Failed(format!("{written} of {} runs are kept", CROWD * rounds)));
    }
    processes += one_wins(&trees[0])?;
    main.expect_sound_store()?;
    Ok(format!("{processes} processes, {CROWD} at a time, {written} runs kept, one winner of one"))
}

/// Runs all commands at once; each is a project and its arguments.
fn at_once(commands: &[(&StressProject<'_>, Vec<&str>)]) -> Result<Vec<MeasuredExit>, TaskFailure> {
    let pipe = std::io::pipe();
    let (barrier, lock) = pipe.map_err(|error| TaskFailure::Failed(format!("pipe: {error}")))?;
    let mut running = Vec::new();
    for (project, args) in commands {
        running.push(project.start_behind(&barrier, args)?);
    }
    drop(lock);
    running.into_iter().map(super::stage::MeasuredProcess::wait).collect()
}

fn everybody_starts(trees: &[StressProject<'_>]) -> Result<usize, TaskFailure> {
    let names: Vec<String> = (0..trees.len()).map(|number| format!("session-{number}")).collect();
    let commands: Vec<_> = trees
        .iter()
        .zip(&names)
        .map(|(tree, name)| (tree, vec!["start", "work", "--session", name]))
        .collect();
    all_succeed(at_once(&commands)?)
}

fn everybody_cancels_and_looks(
    trees: &[StressProject<'_>],
    dice: &mut SplitMixRng,
) -> Result<usize, TaskFailure> {
    let commands: Vec<_> = trees
        .iter()
        .flat_map(|tree| {
            let look = if dice.below(2) == 0 { "status" } else { "runs" };
            [(tree, vec!["cancel"]), (tree, vec![look, "--json"])]
        })
        .collect();
    all_succeed(at_once(&commands)?)
}

fn all_succeed(finished: Vec<MeasuredExit>) -> Result<usize, TaskFailure> {
    let count = finished.len();
    for one in finished {
        one.expect_code(0)?;
    }
    Ok(count)
}

fn stopped_runs(project: &StressProject<'_>) -> Result<usize, TaskFailure> {
    let list = project.json(&["runs", "--json", "--limit", "10000"])?;
    let runs = list["runs"].as_array().cloned().unwrap_or_default();
    Ok(runs.iter().filter(|run| run["status"] == "stopped").count())
}

/// Checks that only one of many processes gets the run of a work tree.
fn one_wins(tree: &StressProject<'_>) -> Result<usize, TaskFailure> {
    let commands: Vec<_> =
        (0..CROWD).map(|_| (tree, vec!["start", "work", "--session", "one"])).collect();
    let mut winners = 0;
    for one in at_once(&commands)? {
        if one.code == Some(0) {
            winners += 1;
        } else {
            let one = one.expect_code(2)?;
            if !one.stderr.contains("already has a loop") {
                return Err(TaskFailure::Failed(format!("a loser said: {}", one.stderr.trim())));
            }
        }
    }
    if winners != 1 {
        return Err(TaskFailure::Failed(format!("{winners} processes have the one run")));
    }
    tree.ralph(&["cancel"])?.expect_code(0)?;
    Ok(CROWD)
}
