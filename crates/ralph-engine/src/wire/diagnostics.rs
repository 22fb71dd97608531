//! The JSON of the counts of gates.

use ralph_core::circle::Circle;
use ralph_core::diagnostics::{DiagnosticSnapshot, FileDiagnostics, GateTotals};
use ralph_core::finding::TestCounts;
use ralph_core::run::Baseline;
use ralph_core::score::Score;
use serde::Serialize;

use super::{CountsView, moment};

/// The results of the gates of one iteration.
#[derive(Clone, Debug, Serialize)]
pub struct DiagnosticsView {
    #[serde(flatten)]
    totals: TotalsView,
    files: Vec<FileView>,
    more_files: u64,
    timestamp: String,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct TotalsView {
    #[serde(flatten)]
    counts: CountsView,
    tests: Option<TestCountsView>,
    unexplained: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct TestCountsView {
    run: u64,
    passed: u64,
    failed: u64,
    skipped: u64,
}

#[derive(Clone, Debug, Serialize)]
struct FileView {
    file: String,
    #[serde(flatten)]
    counts: CountsView,
    failed_tests: u64,
}

/// The results of the gates before the first turn.
#[derive(Clone, Debug, Serialize)]
pub struct BaselineView {
    tree: Option<String>,
    failed: Vec<String>,
    failing: usize,
    #[serde(flatten)]
    totals: TotalsView,
}

/// The score of an iteration.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ScoreView {
    weakened: u64,
    failed_tests: u64,
    unexplained: u64,
    errors: u64,
    security: u64,
    warnings: u64,
}

/// A return to the files of an earlier iteration; 0 is the start.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CircleView {
    from: u32,
    to: u32,
}

impl From<&DiagnosticSnapshot> for DiagnosticsView {
    fn from(snapshot: &DiagnosticSnapshot) -> Self {
        Self {
            totals: snapshot.totals.into(),
            files: snapshot.files.iter().map(FileView::from).collect(),
            more_files: snapshot.more_files,
            timestamp: moment(snapshot.at),
        }
    }
}

impl From<GateTotals> for TotalsView {
    fn from(totals: GateTotals) -> Self {
        let GateTotals { counts, tests, unexplained } = totals;
        Self { counts: counts.into(), tests: tests.map(TestCountsView::from), unexplained }
    }
}

impl From<TestCounts> for TestCountsView {
    fn from(counts: TestCounts) -> Self {
        let TestCounts { passed, failed, skipped } = counts;
        Self { run: passed.saturating_add(failed), passed, failed, skipped }
    }
}

impl From<&FileDiagnostics> for FileView {
    fn from(found: &FileDiagnostics) -> Self {
        let FileDiagnostics { file, counts, failed_tests } = found;
        Self { file: file.clone(), counts: (*counts).into(), failed_tests: *failed_tests }
    }
}

impl From<&Baseline> for BaselineView {
    fn from(baseline: &Baseline) -> Self {
        let Baseline { tree, red, failing, totals } = baseline;
        Self {
            tree: tree.as_ref().map(ToString::to_string),
            failed: red.iter().cloned().collect(),
            failing: failing.len(),
            totals: (*totals).into(),
        }
    }
}

impl From<Score> for ScoreView {
    fn from(score: Score) -> Self {
        let Score { weakened, blind: _, failed_tests, unexplained, errors, security, warnings } =
            score;
        Self { weakened, failed_tests, unexplained, errors, security, warnings }
    }
}

impl From<Circle> for CircleView {
    fn from(Circle { from, to }: Circle) -> Self {
        Self { from, to }
    }
}
