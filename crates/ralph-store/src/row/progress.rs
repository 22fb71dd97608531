//! The stored forms of progress and of the baseline.

use std::collections::BTreeSet;

use ralph_core::progress::Progress;
use ralph_core::run::Baseline;
use ralph_core::{Approach, TreeId};
use serde::{Deserialize, Serialize};

use super::{decode, encode};
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
    approaches: Vec<String>,
    failing: BTreeSet<String>,
    fixed: BTreeSet<String>,
    fewest: Option<u32>,
    #[serde(default)]
    flaky: BTreeSet<String>,
}

#[derive(Deserialize, Serialize)]
struct BaselineRow {
    tree: Option<String>,
    red: BTreeSet<String>,
    failing: BTreeSet<String>,
}

/// The JSON form of progress.
pub(super) fn encode_progress(progress: &Progress) -> Result<String, StoreError> {
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
        approaches,
        failing,
        fixed,
        fewest,
        flaky,
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
        trees: trees.iter().map(TreeId::to_string).collect(),
        approaches: approaches.iter().map(|approach| approach.as_str().to_owned()).collect(),
        failing,
        fixed,
        fewest,
        flaky,
    };
    encode(PROGRESS, &row)
}

/// The progress whose JSON form is `text`.
pub(super) fn decode_progress(text: &str) -> Result<Progress, StoreError> {
    let row: ProgressRow = decode(PROGRESS, text)?;
    Ok(Progress {
        stalled: row.stalled,
        returns: row.returns,
        identical: row.identical,
        questions: row.questions,
        agent_errors: row.agent_errors,
        limit_hits: row.limit_hits,
        last_text: row.last_text,
        last_tree: row.last_tree.map(TreeId::new),
        trees: row.trees.into_iter().map(TreeId::new).collect(),
        approaches: row.approaches.into_iter().map(Approach::new).collect(),
        failing: row.failing,
        fixed: row.fixed,
        fewest: row.fewest,
        flaky: row.flaky,
    })
}

/// The JSON form of a baseline.
pub(super) fn encode_baseline(baseline: &Baseline) -> Result<String, StoreError> {
    let Baseline { tree, red, failing } = baseline.clone();
    let row = BaselineRow { tree: tree.map(|tree| tree.to_string()), red, failing };
    encode(BASELINE, &row)
}

/// The baseline whose JSON form is `text`.
pub(super) fn decode_baseline(text: &str) -> Result<Baseline, StoreError> {
    let BaselineRow { tree, red, failing } = decode(BASELINE, text)?;
    Ok(Baseline { tree: tree.map(TreeId::new), red, failing })
}
