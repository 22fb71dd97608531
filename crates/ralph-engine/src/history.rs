//! Shows the records of a run as curves and returns to earlier files.

use ralph_core::diagnostics::GateTotals;
use ralph_core::finding::TestCounts;
use ralph_core::{Run, TreeId};
use ralph_store::IterationRecord;

/// Maximum number of values of a curve: the last ones.
const SHOWN: usize = 24;

/// The counts from the start to the last iteration, each as one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryCurves {
    /// Errors left; `None` if there never was one.
    pub errors: Option<String>,
    /// Tests that pass; `None` if no gate runs tests.
    pub tests: Option<String>,
}

/// Returns the curves of a run with these iterations.
pub fn curves(run: &Run, iterations: &[IterationRecord]) -> HistoryCurves {
    let start = run.baseline.as_ref().map(|start| start.totals).filter(|start| start.is_counted());
    let judged = iterations.iter().filter(|record| !record.gates.is_empty());
    let totals: Vec<GateTotals> =
        start.into_iter().chain(judged.map(|record| GateTotals::of(&record.gates))).collect();
    HistoryCurves { errors: errors(&totals), tests: tests(&totals) }
}

fn errors(totals: &[GateTotals]) -> Option<String> {
    let values: Vec<u64> = totals.iter().map(|totals| totals.counts.errors).collect();
    let (first, last) = (values.first()?, values.last()?);
    let most = values.iter().copied().max().filter(|most| *most > 0)?;
    Some(format!("{} {first} → {last}", sparkline(&values, most)))
}

fn tests(totals: &[GateTotals]) -> Option<String> {
    let counts: Vec<TestCounts> = totals.iter().filter_map(|totals| totals.tests).collect();
    let passed: Vec<u64> = counts.iter().map(|counts| counts.passed).collect();
    let share =
        |counts: &TestCounts| format!("{}/{}", counts.passed, counts.passed + counts.failed);
    let (first, last) = (share(counts.first()?), share(counts.last()?));
    let most = counts.iter().map(|counts| counts.passed + counts.failed).max()?;
    Some(format!("{} {first} → {last}", sparkline(&passed, most)))
}

/// Returns the curve of failures after each iteration, and the current number.
pub fn failing_curve(values: &[u32]) -> String {
    let most = values.iter().copied().max().unwrap_or(0);
    let values: Vec<u64> = values.iter().copied().map(u64::from).collect();
    let curve = sparkline(&values, u64::from(most));
    let now = values.last().map_or_else(String::new, u64::to_string);
    format!("{curve} {now}").trim_start().to_owned()
}

/// Draws a curve as one line of blocks, each as high as its share of `most`.
///
/// Only `most` itself fills its block, and only zero has the lowest one. A
/// single value has no curve.
fn sparkline(values: &[u64], most: u64) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let block = |value: u64| {
        let level = (value.min(most).saturating_mul(7) / most.max(1)).max(value.min(1));
        BLOCKS[usize::try_from(level).unwrap_or(7)]
    };
    if values.len() < 2 {
        return String::new();
    }
    let from = values.len().saturating_sub(SHOWN);
    values[from..].iter().map(|value| block(*value)).collect()
}

/// Returns, for each iteration, the earlier one whose files it returned to
/// after they had differed in between; 0 is the start.
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
