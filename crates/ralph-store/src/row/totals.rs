//! The stored form of the counts of gates.

use ralph_core::diagnostics::Totals;
use ralph_core::finding::{Counts, TestCounts};
use serde::{Deserialize, Serialize};

#[derive(Default, Deserialize, Serialize)]
pub(super) struct TotalsRow {
    /// Errors, security issues, warnings, infos.
    counts: [u64; 4],
    /// Passed, failed, skipped.
    tests: Option<[u64; 3]>,
    unexplained: u64,
}

impl From<Totals> for TotalsRow {
    fn from(totals: Totals) -> Self {
        let Totals { counts, tests, unexplained } = totals;
        let Counts { errors, security, warnings, infos } = counts;
        let tests = tests.map(|TestCounts { passed, failed, skipped }| [passed, failed, skipped]);
        Self { counts: [errors, security, warnings, infos], tests, unexplained }
    }
}

impl From<TotalsRow> for Totals {
    fn from(row: TotalsRow) -> Self {
        let TotalsRow { counts: [errors, security, warnings, infos], tests, unexplained } = row;
        let tests = tests.map(|[passed, failed, skipped]| TestCounts { passed, failed, skipped });
        Self { counts: Counts { errors, security, warnings, infos }, tests, unexplained }
    }
}
