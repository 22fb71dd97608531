//! The JSON of answers about the files that a task will touch.

use ralph_core::memory::notes;
use ralph_memory::history::{LikelyFile, LikelyReason};
use serde_json::{Value, json};

use super::SCHEMA;
use crate::likely::LearningResult;

/// Length of a shortened commit id.
const SHORT: usize = 10;

/// Returns the result of learning from commits.
pub fn learned(learned: &LearningResult) -> Value {
    let LearningResult { head, commits, read, is_shallow } = learned;
    json!({
        "schema": SCHEMA,
        "head": head,
        "commits": commits,
        "read": read,
        "shallow": is_shallow,
    })
}

/// Returns the files that a task will probably touch.
pub fn files(likely: &[LikelyFile]) -> Value {
    json!({ "schema": SCHEMA, "results": results(likely) })
}

/// Returns the same as one of several answers.
pub fn numbered(index: usize, query: &str, likely: &[LikelyFile]) -> Value {
    json!({ "schema": SCHEMA, "index": index, "query": query, "results": results(likely) })
}

fn results(likely: &[LikelyFile]) -> Vec<Value> {
    let view = |it: &LikelyFile| {
        let reasons: Vec<String> = it.reasons.iter().map(reason).collect();
        let score = (it.score * 10_000.0).round() / 10_000.0;
        json!({ "file": it.file, "score": score, "reasons": reasons })
    };
    likely.iter().map(view).collect()
}

/// Describes why a file is likely. Text of other authors is quoted as data.
pub fn reason(reason: &LikelyReason) -> String {
    match reason {
        LikelyReason::Commit { id, at: _, subject, reverted } => {
            let fate = if *reverted { ", taken back later" } else { "" };
            format!("commit {}{fate}: {}", short(id), notes::as_data(subject))
        }
        LikelyReason::Words(words) => format!("its path or definitions have: {}", words.join(", ")),
        LikelyReason::Defines(name) => format!("defines `{name}`"),
        LikelyReason::Together { file, times } => {
            let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            format!("changed {times} together with {file}")
        }
        LikelyReason::Note { id, title } => format!("note {id}: {title}"),
    }
}

/// Returns a shortened commit id.
pub fn short(id: &str) -> &str {
    &id[..id.floor_char_boundary(SHORT)]
}
