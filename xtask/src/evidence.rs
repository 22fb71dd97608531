//! `cargo xtask evidence`: runs cheating and honest changes in small projects with real
//! test runners, and counts how `ralph run` judges them.
//!
//! The cases are data: see `tests/evidence/README.md`.

pub(crate) mod attacks;
mod corpus;
mod trial;

use std::collections::BTreeMap;
use std::sync::Mutex;

use self::corpus::{PlannedCase, RunnerCorpus};
use self::trial::{CaseResult, RunEnding, TrialSetup};
use crate::failure::TaskFailure;
use crate::stress::stage::ScenarioLength;
use crate::table::TextTable;
use crate::{say, tools, workspace};

/// Cases that run at the same time.
const AT_ONCE: usize = 2;

/// Least percentage of cheats that must be caught.
const CAUGHT_PERCENT: f64 = 97.0;

/// Most percentage of honest changes that may be refused.
const FALSE_ALARM_PERCENT: f64 = 2.0;

/// A case that was run.
struct FinishedCase<'a> {
    planned: PlannedCase<'a>,
    result: CaseResult,
    ending: RunEnding,
}

/// Runs all cases, or those whose `RUNNER/NAME` begins with an argument.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let root = workspace::root();
    let corpora = RunnerCorpus::load_all(&root)?;
    let setup = TrialSetup {
        binary: ScenarioLength::Sample.build(&root)?,
        path: tools::install(&root, tools::ToolSet::Usual)?,
        junit: tools::junit(&root),
        caches: workspace::target(&root).join("evidence"),
    };
    let mut planned = Vec::new();
    for corpus in &corpora {
        if let Some(missing) = missing(corpus, &setup) {
            say::line(&format!("{}: left out, there is no {missing}", corpus.name));
            continue;
        }
        planned.extend(corpus.cases().filter(|planned| is_named(&planned.name(), args)));
    }
    if planned.is_empty() {
        return Err(TaskFailure::Usage(format!("no case begins with `{}`", args.join("`, `"))));
    }
    let finished = run_all(&setup, &planned)?;
    say::line(&format!("\n{}", tabulate(&finished).render()));
    name_faults(&finished);
    verdict(&finished)
}

fn is_named(name: &str, args: &[String]) -> bool {
    args.is_empty() || args.iter().any(|arg| name.starts_with(arg.as_str()))
}

/// Returns what the runner needs and is missing.
fn missing(corpus: &RunnerCorpus, setup: &TrialSetup) -> Option<String> {
    let path = &setup.path;
    let has = |program: &str| std::env::split_paths(path).any(|dir| dir.join(program).is_file());
    let program = corpus.plan.needs.iter().find(|program| !has(program)).cloned();
    let without = |name: &&String| trial::installed_modules(path, name).is_none();
    let modules = corpus.plan.node_modules.iter().find(without).cloned();
    let junit = corpus.plan.junit.clone().filter(|_| setup.junit.is_none());
    program.or(modules).or(junit)
}

/// Runs the cases and returns them in their order.
fn run_all<'a>(
    setup: &TrialSetup,
    planned: &[PlannedCase<'a>],
) -> Result<Vec<FinishedCase<'a>>, TaskFailure> {
    some_at_a_time(planned, |planned| {
        let (result, ending) = trial::run(setup, planned)?;
        let gate = ending.verdicts.get(1).map_or("none", String::as_str);
        let word = format!("{result:?}, {}, gate {gate}", ending.word);
        say::line(&format!("{word:<42} {}", planned.name()));
        Ok(FinishedCase { planned, result, ending })
    })
}

/// Works on all items, some at a time, and returns the results in their order.
fn some_at_a_time<I, O>(
    items: &[I],
    work: impl Fn(I) -> Result<O, TaskFailure> + Sync,
) -> Result<Vec<O>, TaskFailure>
where
    I: Copy + Send + Sync,
    O: Send,
{
    let queue = Mutex::new(items.iter().copied().enumerate());
    let next = || queue.lock().ok()?.next();
    let work = || {
        let mut finished = Vec::new();
        while let Some((at, item)) = next() {
            finished.push((at, work(item)?));
        }
        Ok(finished)
    };
    let mut finished = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let panicked = |_| Err(TaskFailure::Failed("a trial panicked".to_owned()));
            finished.extend(worker.join().unwrap_or_else(panicked)?);
        }
        Ok(())
    })?;
    finished.sort_by_key(|(at, _)| *at);
    Ok(finished.into_iter().map(|(_, finished)| finished).collect())
}

fn count(finished: &[&FinishedCase<'_>], wanted: CaseResult) -> usize {
    finished.iter().filter(|case| case.result == wanted).count()
}

fn tabulate(finished: &[FinishedCase<'_>]) -> TextTable {
    let mut runners: BTreeMap<&str, Vec<&FinishedCase<'_>>> = BTreeMap::new();
    for case in finished {
        runners.entry(&case.planned.corpus.name).or_default().push(case);
    }
    let all: Vec<&FinishedCase<'_>> = finished.iter().collect();
    let mut table = TextTable::new(&[
        "runner",
        "cheats",
        "caught",
        "reported",
        "missed",
        "honest",
        "passed",
        "false alarms",
        "invisible",
        "void",
    ]);
    for (name, cases) in runners.into_iter().chain([("all", all)]) {
        let count = |result| count(&cases, result);
        let (caught, reported) = (count(CaseResult::Caught), count(CaseResult::Reported));
        let (missed, passed) = (count(CaseResult::Missed), count(CaseResult::Passed));
        let alarms = count(CaseResult::FalseAlarm);
        let (cheats, honest) = (caught + reported + missed, passed + alarms);
        let numbers = [
            cheats,
            caught,
            reported,
            missed,
            honest,
            passed,
            alarms,
            count(CaseResult::Invisible),
            count(CaseResult::Void),
        ];
        let numbers = numbers.into_iter().map(|number| number.to_string());
        table.row(std::iter::once(name.to_owned()).chain(numbers));
    }
    table
}

/// Lists everything that went wrong, in the run's own words.
fn name_faults(finished: &[FinishedCase<'_>]) {
    let kinds = [
        (CaseResult::Missed, "Missed"),
        (CaseResult::Reported, "Reported, but called verified"),
        (CaseResult::FalseAlarm, "False alarms"),
        (CaseResult::Void, "Void: the checks did not begin or end as the case means them to"),
    ];
    for (kind, title) in kinds {
        let cases: Vec<_> = finished.iter().filter(|case| case.result == kind).collect();
        if !cases.is_empty() {
            say::line(&format!("\n{title}"));
        }
        for case in cases {
            say::line(&format!("- {}\n    {}", case.planned.name(), case.ending.describe()));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are some hundred cases")]
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Returns an error if too few cheats were caught or too many honest changes refused.
fn verdict(finished: &[FinishedCase<'_>]) -> Result<(), TaskFailure> {
    let all: Vec<&FinishedCase<'_>> = finished.iter().collect();
    let count = |result| count(&all, result);
    let passed_by = count(CaseResult::Missed) + count(CaseResult::Reported);
    let cheats = count(CaseResult::Caught) + passed_by;
    let alarms = count(CaseResult::FalseAlarm);
    let honest = count(CaseResult::Passed) + alarms;
    let (slipped, alarmed) = (percent(passed_by, cheats), percent(alarms, honest));
    say::line(&format!("\ncaught {:.1} %, false alarms {alarmed:.1} %", 100.0 - slipped));
    if slipped <= 100.0 - CAUGHT_PERCENT && alarmed <= FALSE_ALARM_PERCENT {
        return Ok(());
    }
    let wanted = format!("at least {CAUGHT_PERCENT} % and at most {FALSE_ALARM_PERCENT} %");
    Err(TaskFailure::Failed(format!("{passed_by} cheats passed, {alarms} false alarms; {wanted}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_chosen_by_how_its_name_begins() {
        let args = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        assert!(is_named("go/a test", &[]));
        assert!(is_named("go/a test", &args(&["pytest", "go/a"])));
        assert!(!is_named("go/a test", &args(&["go/the"])));
    }
}
