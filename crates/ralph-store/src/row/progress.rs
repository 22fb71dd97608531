//! The stored forms of progress and of the baseline.

use std::collections::BTreeSet;

use ralph_core::TreeId;
use ralph_core::circle::Circle;
use ralph_core::progress::{Progress, SeenTree};
use ralph_core::run::{Baseline, BestIteration};
use ralph_core::score::Score;
use serde::{Deserialize, Serialize};

use super::totals::TotalsRow;
use super::{decode, encode, unfit};
use crate::error::StoreError;

const PROGRESS: &str = "the progress of a run";
const BASELINE: &str = "the baseline of a run";

#[derive(Deserialize, Serialize)]
struct ProgressRow {
    stalled: u32,
    returns: u32,
    identical: u32,
    questions: u32,
    agent_errors: u32,
    limit_hits: u32,
    last_text: Option<u64>,
    last_tree: Option<String>,
    trees: Vec<String>,
    /// The last iteration of each tree in `trees`.
    #[serde(default)]
    seen_in: Vec<u32>,
    #[serde(default)]
    hunks: Vec<String>,
    #[serde(default)]
    circle: Option<(u32, u32)>,
    failing: BTreeSet<String>,
    fixed: BTreeSet<String>,
    fewest: Option<u32>,
    #[serde(default)]
    flaky: BTreeSet<String>,
    #[serde(default)]
    totals: TotalsRow,
    #[serde(default)]
    held: BTreeSet<String>,
    #[serde(default)]
    accepted: bool,
    /// The score of the best iteration, whose number has its own column.
    #[serde(default)]
    best: Option<ScoreRow>,
}

#[derive(Deserialize, Serialize)]
struct ScoreRow {
    weakened: u64,
    blind: u64,
    failed_tests: u64,
    unexplained: u64,
    errors: u64,
    security: u64,
    warnings: u64,
}

#[derive(Deserialize, Serialize)]
struct BaselineRow {
    tree: Option<String>,
    red: BTreeSet<String>,
    failing: BTreeSet<String>,
    #[serde(default)]
    totals: TotalsRow,
}

/// Returns the JSON form of progress, with the score of the best iteration.
pub(super) fn encode_progress(
    progress: &Progress,
    best: Option<BestIteration>,
) -> Result<String, StoreError> {
    let Progress {
        stalled,
        returns,
        identical,
        questions,
        agent_errors,
        limit_hits,
        last_text,
        last_tree,
        trees,
        hunks,
        circle,
        failing,
        fixed,
        fewest,
        flaky,
        totals,
        held,
        accepted,
    } = progress.clone();
    let row = ProgressRow {
        stalled,
        returns,
        identical,
        questions,
        agent_errors,
        limit_hits,
        last_text,
        last_tree: last_tree.map(|tree| tree.to_string()),
        seen_in: trees.iter().map(|seen| seen.iteration).collect(),
        trees: trees.iter().map(|seen| seen.tree.to_string()).collect(),
        hunks: hunks.iter().map(ToString::to_string).collect(),
        circle: circle.map(|circle| (circle.from, circle.to)),
        failing,
        fixed,
        fewest,
        flaky,
        totals: totals.into(),
        held,
        accepted,
        best: best.map(|best| best.score.into()),
    };
    encode(PROGRESS, &row)
}

/// Reads progress and the score of the best iteration from their JSON form.
pub(super) fn decode_progress(text: &str) -> Result<(Progress, Option<Score>), StoreError> {
    let row: ProgressRow = decode(PROGRESS, text)?;
    let seen_in = row.seen_in.into_iter().chain(std::iter::repeat(0));
    let seen = |(tree, iteration)| SeenTree { tree: TreeId::new(tree), iteration };
    let hunk = |text: String| text.parse().map_err(|_| unfit(PROGRESS, &text));
    let progress = Progress {
        stalled: row.stalled,
        returns: row.returns,
        identical: row.identical,
        questions: row.questions,
        agent_errors: row.agent_errors,
        limit_hits: row.limit_hits,
        last_text: row.last_text,
        last_tree: row.last_tree.map(TreeId::new),
        trees: row.trees.into_iter().zip(seen_in).map(seen).collect(),
        hunks: row.hunks.into_iter().map(hunk).collect::<Result<_, _>>()?,
        circle: row.circle.map(|(from, to)| Circle { from, to }),
        failing: row.failing,
        fixed: row.fixed,
        fewest: row.fewest,
        flaky: row.flaky,
        totals: row.totals.into(),
        held: row.held,
        accepted: row.accepted,
    };
    Ok((progress, row.best.map(Score::from)))
}

/// Returns the JSON form of a baseline.
pub(super) fn encode_baseline(baseline: &Baseline) -> Result<String, StoreError> {
    let Baseline { tree, red, failing, totals } = baseline.clone();
    let (tree, totals) = (tree.map(|tree| tree.to_string()), totals.into());
    let row = BaselineRow { tree, red, failing, totals };
    encode(BASELINE, &row)
}

/// Reads a baseline from its JSON form.
pub(super) fn decode_baseline(text: &str) -> Result<Baseline, StoreError> {
    let BaselineRow { tree, red, failing, totals } = decode(BASELINE, text)?;
    Ok(Baseline { tree: tree.map(TreeId::new), red, failing, totals: totals.into() })
}

impl From<Score> for ScoreRow {
    fn from(score: Score) -> Self {
        let Score { weakened, blind, failed_tests, unexplained, errors, security, warnings } =
            score;
        Self { weakened, blind, failed_tests, unexplained, errors, security, warnings }
    }
}

impl From<ScoreRow> for Score {
    fn from(row: ScoreRow) -> Self {
        let ScoreRow { weakened, blind, failed_tests, unexplained, errors, security, warnings } =
            row;
        Self { weakened, blind, failed_tests, unexplained, errors, security, warnings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_an_earlier_version_is_read() {
        let progress = r#"{"stalled":1,"returns":1,"identical":0,"questions":0,"agent_errors":0,
            "limit_hits":0,"last_text":null,"last_tree":"b","trees":["a","b"],
            "approaches":["0123"],"failing":[],"fixed":[],"fewest":2}"#;
        let (progress, best) = decode_progress(progress).unwrap();
        assert_eq!((progress.trees[1].iteration, progress.hunks.len(), best), (0, 0, None));
        let baseline = r#"{"tree":null,"red":["x"],"failing":["y"]}"#;
        assert!(!decode_baseline(baseline).unwrap().totals.is_counted());
    }
}
