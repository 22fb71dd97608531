//! The JSON of the counts of gates.

use ralph_core::circle::Circle;
use ralph_core::diagnostics::{DiagnosticSnapshot, FileDiagnostics, GateTotals};
use ralph_core::finding::TestCounts;
use ralph_core::run::Baseline;
use ralph_core::score::Score;
use serde_json::{Value, json};

use super::findings::counts;
use super::moment;

/// Returns the results of the gates of one iteration.
pub(super) fn diagnostics(snapshot: &DiagnosticSnapshot) -> Value {
    let DiagnosticSnapshot { totals: all, files, more_files, at } = snapshot;
    let mut view = totals(*all);
    view["files"] = files.iter().map(file).collect();
    view["more_files"] = json!(more_files);
    view["timestamp"] = json!(moment(*at));
    view
}

fn totals(totals: GateTotals) -> Value {
    let GateTotals { counts: found, tests, unexplained } = totals;
    let mut view = counts(found);
    view["tests"] = json!(tests.map(|TestCounts { passed, failed, skipped }| {
        let run = passed.saturating_add(failed);
        json!({ "run": run, "passed": passed, "failed": failed, "skipped": skipped })
    }));
    view["unexplained"] = json!(unexplained);
    view
}

fn file(found: &FileDiagnostics) -> Value {
    let FileDiagnostics { file, counts: found, failed_tests } = found;
    let mut view = counts(*found);
    view["file"] = json!(file);
    view["failed_tests"] = json!(failed_tests);
    view
}

/// Returns the results of the gates before the first turn.
pub(super) fn baseline(baseline: &Baseline) -> Value {
    let Baseline { tree, red, failing, totals: found } = baseline;
    let mut view = totals(*found);
    view["tree"] = json!(tree.as_ref().map(ToString::to_string));
    view["failed"] = json!(red);
    view["failing"] = json!(failing.len());
    view
}

/// Returns the score of an iteration.
pub fn score(score: Score) -> Value {
    let Score { weakened, blind: _, failed_tests, unexplained, errors, security, warnings } = score;
    json!({
        "weakened": weakened,
        "failed_tests": failed_tests,
        "unexplained": unexplained,
        "errors": errors,
        "security": security,
        "warnings": warnings,
    })
}

/// Returns a return to the files of an earlier iteration; 0 is the start.
pub(super) fn circle(Circle { from, to }: Circle) -> Value {
    json!({ "from": from, "to": to })
}
