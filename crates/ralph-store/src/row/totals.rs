//! The stored form of the counts of gates.

use ralph_core::diagnostics::GateTotals;
use ralph_core::finding::{FindingCounts, TestCounts};
use serde::{Deserialize, Serialize};

#[derive(Default, Deserialize, Serialize)]
pub(super) struct TotalsRow {
    /// Errors, security issues, warnings, infos.
    counts: [u64; 4],
    /// Passed, failed, skipped.
    tests: Option<[u64; 3]>,
    unexplained: u64,
}

impl From<GateTotals> for TotalsRow {
    fn from(totals: GateTotals) -> Self {
        let GateTotals { counts, tests, unexplained } = totals;
        let FindingCounts { errors, security, warnings, infos } = counts;
        let tests = tests.map(|TestCounts { passed, failed, skipped }| [passed, failed, skipped]);
        Self { counts: [errors, security, warnings, infos], tests, unexplained }
    }
}

impl From<TotalsRow> for GateTotals {
    fn from(row: TotalsRow) -> Self {
        let TotalsRow { counts: [errors, security, warnings, infos], tests, unexplained } = row;
        let tests = tests.map(|[passed, failed, skipped]| TestCounts { passed, failed, skipped });
        Self { counts: FindingCounts { errors, security, warnings, infos }, tests, unexplained }
    }
}
