//! The start of an agent in a sandbox, against one without.

use std::path::Path;
use std::time::Duration;

use super::samples::{Samples, millis};
use super::turns::iterations;
use super::{BenchRow, Budget};
use crate::failure::TaskFailure;
use crate::stress::stage::{ScenarioFolder, StressProject};

/// Turns of one run.
const TURNS: usize = 100;

/// Number of runs of each kind, in turns.
const REPEATS: usize = 5;

/// A kind of sandbox, and the most time of a turn that it may add, in milliseconds.
struct SandboxContender {
    name: &'static str,
    mode: &'static str,
    technique: &'static str,
    most: Option<f64>,
    samples: Samples,
}

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.git_project("project")?;
    project.script("agent.sh", "cat >/dev/null\necho \"turn ${RALPH_ITERATION:-0}\"")?;
    let contender = |name, mode, technique, most| {
        let samples = Samples::default();
        SandboxContender { name, mode, technique, most, samples }
    };
    let mut all = [
        contender("turn without a sandbox", "--sandbox=off", "best", None),
        contender("start in bubblewrap", "--sandbox=require", "best", Some(15.0)),
        contender("start with landlock", "--sandbox=on", "landlock", Some(3.0)),
    ];
    for _ in 0..REPEATS {
        for one in &mut all {
            for turn in turns(&project, one)? {
                one.samples.push(turn);
            }
        }
    }
    let base = all[0].samples.median();
    Ok(all.iter().map(|one| row(one, base)).collect())
}

/// Returns the time of each turn of one run.
fn turns(
    project: &StressProject<'_>,
    one: &SandboxContender,
) -> Result<Vec<Duration>, TaskFailure> {
    let most = TURNS.to_string();
    let args = ["run", "work", "--agent-cmd", "./agent.sh", "--json", one.mode];
    let mut command = project.command(&args);
    command.args(["--max-iterations", &most]).env("RALPH_SANDBOX_TECHNIQUE", one.technique);
    let finished = project.spawn(command)?.wait()?.expect_code(1)?;
    let turns = iterations(&finished.stdout);
    if turns.len() == TURNS {
        return Ok(turns);
    }
    Err(TaskFailure::Failed(format!("{} of {TURNS} turns were told: {}", turns.len(), one.name)))
}

fn row(one: &SandboxContender, base: Duration) -> BenchRow {
    let more = |time: Duration| if one.most.is_some() { time.saturating_sub(base) } else { time };
    let median = more(one.samples.median());
    let budget = |most| Budget { measured: median.as_secs_f64() * 1000.0, most, unit: "ms" };
    BenchRow {
        name: one.name.to_owned(),
        median: millis(median),
        p95: millis(more(one.samples.p95())),
        ratio: String::new(),
        budget: one.most.map(budget),
    }
}
