//! The stored form of a gate's parsed output.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::finding::{
    Finding, FindingCounts, FindingLevel, SourceLocation, TestCounts, TestFailure, TestResults,
    TestState, ToolReport,
};
use serde::{Deserialize, Serialize};

use super::{decode, encode, twin};
use crate::error::StoreError;
use crate::run_store::GatePass;

const READING: &str = "what a gate printed";

/// Returns the JSON form of a pass, without its time.
pub(crate) fn encode_pass(pass: &GatePass) -> Result<String, StoreError> {
    let (reading, stamp) = (ToolReportRow::from(pass.reading.clone()), pass.stamp.clone());
    encode(READING, &PassRow { reading, stamp })
}

/// Reads a pass from its JSON form; `None` for that of earlier versions, which
/// lacks the stamp.
pub(crate) fn decode_pass(text: &str, at: Timestamp) -> Option<GatePass> {
    let row = decode::<PassRow>(READING, text).ok()?;
    Some(GatePass { reading: row.reading.into(), stamp: row.stamp, at })
}

#[derive(Deserialize, Serialize)]
struct PassRow {
    reading: ToolReportRow,
    stamp: String,
}

twin!(LevelRow of FindingLevel { Error, Security, Warning, Info });
twin!(TestStateRow of TestState { Passed, Failed, Skipped });

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct ToolReportRow {
    findings: Vec<FindingRow>,
    counts: [u64; 4],
    tests: Option<TestsRow>,
    beyond: u64,
}

#[derive(Deserialize, Serialize)]
struct FindingRow {
    tool: String,
    rule: Option<String>,
    level: LevelRow,
    place: LocationRow,
    message: String,
    fingerprint: String,
}

#[derive(Deserialize, Serialize)]
struct LocationRow(String, Option<u32>, Option<u32>);

#[derive(Deserialize, Serialize)]
struct TestsRow {
    states: BTreeMap<String, TestStateRow>,
    failures: BTreeMap<String, (LocationRow, String)>,
    counts: [u64; 3],
    #[serde(default)]
    printed: u64,
}

impl From<ToolReport> for ToolReportRow {
    fn from(reading: ToolReport) -> Self {
        let ToolReport { findings, counts, tests, beyond, failure_lines: _ } = reading;
        let FindingCounts { errors, security, warnings, infos } = counts;
        Self {
            findings: findings.into_iter().map(FindingRow::from).collect(),
            counts: [errors, security, warnings, infos],
            tests: tests.map(TestsRow::from),
            beyond,
        }
    }
}

impl From<ToolReportRow> for ToolReport {
    fn from(row: ToolReportRow) -> Self {
        let ToolReportRow { findings, counts, tests, beyond } = row;
        let [errors, security, warnings, infos] = counts;
        Self {
            findings: findings.into_iter().map(Finding::from).collect(),
            counts: FindingCounts { errors, security, warnings, infos },
            tests: tests.map(TestResults::from),
            beyond,
            ..Self::default()
        }
    }
}

impl From<Finding> for FindingRow {
    fn from(finding: Finding) -> Self {
        let Finding { tool, rule, level, place, message, fingerprint } = finding;
        Self { tool, rule, level: level.into(), place: place.into(), message, fingerprint }
    }
}

impl From<FindingRow> for Finding {
    fn from(row: FindingRow) -> Self {
        let FindingRow { tool, rule, level, place, message, fingerprint } = row;
        Self { tool, rule, level: level.into(), place: place.into(), message, fingerprint }
    }
}

impl From<SourceLocation> for LocationRow {
    fn from(SourceLocation { file, line, column }: SourceLocation) -> Self {
        Self(file, line, column)
    }
}

impl From<LocationRow> for SourceLocation {
    fn from(LocationRow(file, line, column): LocationRow) -> Self {
        Self { file, line, column }
    }
}

impl From<TestResults> for TestsRow {
    fn from(tests: TestResults) -> Self {
        let TestResults { states, failures, counts, printed } = tests;
        let TestCounts { passed, failed, skipped } = counts;
        let failure =
            |(id, TestFailure { place, message }): (String, _)| (id, (place.into(), message));
        Self {
            states: states.into_iter().map(|(id, state)| (id, state.into())).collect(),
            failures: failures.into_iter().map(failure).collect(),
            counts: [passed, failed, skipped],
            printed,
        }
    }
}

impl From<TestsRow> for TestResults {
    fn from(row: TestsRow) -> Self {
        let TestsRow { states, failures, counts, printed } = row;
        let [passed, failed, skipped] = counts;
        let failure = |(id, (place, message)): (String, (LocationRow, String))| {
            (id, TestFailure { place: place.into(), message })
        };
        Self {
            states: states.into_iter().map(|(id, state)| (id, state.into())).collect(),
            failures: failures.into_iter().map(failure).collect(),
            counts: TestCounts { passed, failed, skipped },
            printed,
        }
    }
}
