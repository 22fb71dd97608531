//! Commands that hooks and people wait for, against the cheapest processes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::samples::{Samples, millis};
use super::{BenchRow, Budget};
use crate::failure::TaskFailure;
use crate::stress::stage::{ScenarioFolder, StressProject};

/// Number of measured rounds, after some rounds to warm up.
const ROUNDS: usize = 400;
const WARM_UP: usize = 20;

/// Most time of a command that reads or writes the store, as a multiple of `true`.
const MOST: f64 = 4.0;

struct Contender {
    name: &'static str,
    build: fn(&StressProject<'_>) -> Command,
    has_budget: BudgetPresence,
    samples: Samples,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BudgetPresence {
    Yes,
    No,
}

impl Contender {
    fn new(
        name: &'static str,
        has_budget: BudgetPresence,
        build: fn(&StressProject<'_>) -> Command,
    ) -> Self {
        Self { name, build, has_budget, samples: Samples::default() }
    }
}

/// Lists the commands in the order of a round: `cancel` ends what `start` began.
fn contenders() -> Vec<Contender> {
    vec![
        Contender::new("true", BudgetPresence::No, |project| project.program("true")),
        Contender::new("bash -c :", BudgetPresence::No, |project| {
            let mut bash = project.program("bash");
            bash.args(["-c", ":"]);
            bash
        }),
        Contender::new("ralph --version", BudgetPresence::No, |project| {
            project.command(&["--version"])
        }),
        Contender::new("ralph start", BudgetPresence::Yes, |project| {
            project.command(&["start", "work", "--session", "one"])
        }),
        Contender::new("ralph status --json", BudgetPresence::Yes, |project| {
            project.command(&["status", "--json"])
        }),
        Contender::new("ralph cancel", BudgetPresence::Yes, |project| project.command(&["cancel"])),
    ]
}

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.git_project("project")?;
    let mut contenders = contenders();
    for round in 0..WARM_UP + ROUNDS {
        for contender in &mut contenders {
            let time = time((contender.build)(&project))?;
            if round >= WARM_UP {
                contender.samples.push(time);
            }
        }
    }
    let base = contenders[0].samples.median();
    Ok(contenders.iter().map(|contender| row(contender, base)).collect())
}

fn row(contender: &Contender, base: Duration) -> BenchRow {
    let median = contender.samples.median();
    let ratio = median.as_secs_f64() / base.as_secs_f64();
    let budget = Budget { measured: ratio, most: MOST, unit: "times true" };
    BenchRow::new(contender.name.to_owned(), millis(median))
        .p95(millis(contender.samples.p95()))
        .ratio(format!("{ratio:.2}"))
        .with_budget((contender.has_budget == BudgetPresence::Yes).then_some(budget))
}

/// Runs a command that must succeed; returns its time.
pub(super) fn time(mut command: Command) -> Result<Duration, TaskFailure> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status();
    let elapsed = started.elapsed();
    match status {
        Ok(status) if status.success() => Ok(elapsed),
        Ok(status) => Err(TaskFailure::Failed(format!("{command:?}: {status}"))),
        Err(error) => Err(TaskFailure::Failed(format!("{command:?}: {error}"))),
    }
}
