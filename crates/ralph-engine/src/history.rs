//! What the records of a run show when they are read in a row.

use ralph_core::diagnostics::Totals;
use ralph_core::finding::TestCounts;
use ralph_core::{Run, TreeId};
use ralph_store::IterationRecord;

/// How many values a curve shows: the last ones.
const SHOWN: usize = 24;

/// How counts went from the start to the last iteration, each on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curves {
    /// Errors left; `None` if there never was one.
    pub errors: Option<String>,
    /// Tests that pass; `None` if no gate runs tests.
    pub tests: Option<String>,
}

/// The curves of a run with these iterations.
pub fn curves(run: &Run, iterations: &[IterationRecord]) -> Curves {
    let start = run.baseline.as_ref().map(|start| start.totals).filter(|start| start.is_counted());
    let judged = iterations.iter().filter(|record| !record.gates.is_empty());
    let totals: Vec<Totals> =
        start.into_iter().chain(judged.map(|record| Totals::of(&record.gates))).collect();
    Curves { errors: errors(&totals), tests: tests(&totals) }
}

fn errors(totals: &[Totals]) -> Option<String> {
    let values: Vec<u64> = totals.iter().map(|totals| totals.counts.errors).collect();
    let (first, last) = (values.first()?, values.last()?);
    values.iter().any(|value| *value > 0).then(|| format!("{} {first} → {last}", spark(&values)))
}

fn tests(totals: &[Totals]) -> Option<String> {
    let counts: Vec<TestCounts> = totals.iter().filter_map(|totals| totals.tests).collect();
    let passed: Vec<u64> = counts.iter().map(|counts| counts.passed).collect();
    let share =
        |counts: &TestCounts| format!("{}/{}", counts.passed, counts.passed + counts.failed);
    let (first, last) = (share(counts.first()?), share(counts.last()?));
    Some(format!("{} {first} → {last}", spark(&passed)))
}

fn spark(values: &[u64]) -> String {
    let small: Vec<u32> =
        values.iter().map(|value| u32::try_from(*value).unwrap_or(u32::MAX)).collect();
    sparkline(&small)
}

/// A curve of small numbers as one line of blocks.
pub fn sparkline(values: &[u32]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let top = values.iter().copied().max().unwrap_or(0).max(1);
    let block = |value: u32| {
        let level = u64::from(value) * 7 / u64::from(top);
        BLOCKS[usize::try_from(level).unwrap_or(7)]
    };
    let from = values.len().saturating_sub(SHOWN);
    values[from..].iter().map(|value| block(*value)).collect()
}

/// For each iteration the earlier one whose files it returned to, after they
/// had been different in between; 0 is the start.
pub fn returns(run: &Run, iterations: &[IterationRecord]) -> Vec<Option<u32>> {
    let start = run.baseline.as_ref().and_then(|start| start.tree.as_ref());
    let mut seen: Vec<(&TreeId, u32)> = start.iter().map(|tree| (*tree, 0)).collect();
    let mut last = start;
    let mut returns = Vec::new();
    for record in iterations {
        let Some(tree) = &record.tree else {
            returns.push(None);
            continue;
        };
        let known = seen.iter().rev().find(|(known, _)| *known == tree);
        returns.push(known.filter(|_| last != Some(tree)).map(|(_, number)| *number));
        seen.push((tree, record.number));
        last = Some(tree);
    }
    returns
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
