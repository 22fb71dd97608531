//! The stored form of a gate's parsed output.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::finding::{
    Counts, Finding, Level, Place, Reading, TestCounts, TestFailure, TestState, Tests,
};
use serde::{Deserialize, Serialize};

use super::{decode, encode, twin};
use crate::error::StoreError;
use crate::run_store::GatePass;

const READING: &str = "what a gate printed";

/// Returns the JSON form of a pass, without its time.
pub(crate) fn encode_pass(pass: &GatePass) -> Result<String, StoreError> {
    let (reading, stamp) = (ReadingRow::from(pass.reading.clone()), pass.stamp.clone());
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
    reading: ReadingRow,
    stamp: String,
}

twin!(LevelRow of Level { Error, Security, Warning, Info });
twin!(TestStateRow of TestState { Passed, Failed, Skipped });

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct ReadingRow {
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
    place: PlaceRow,
    message: String,
    fingerprint: String,
}

#[derive(Deserialize, Serialize)]
struct PlaceRow(String, Option<u32>, Option<u32>);

#[derive(Deserialize, Serialize)]
struct TestsRow {
    states: BTreeMap<String, TestStateRow>,
    failures: BTreeMap<String, (PlaceRow, String)>,
    counts: [u64; 3],
    #[serde(default)]
    printed: u64,
}

impl From<Reading> for ReadingRow {
    fn from(reading: Reading) -> Self {
        let Reading { findings, counts, tests, beyond, failure_lines: _ } = reading;
        let Counts { errors, security, warnings, infos } = counts;
        Self {
            findings: findings.into_iter().map(FindingRow::from).collect(),
            counts: [errors, security, warnings, infos],
            tests: tests.map(TestsRow::from),
            beyond,
        }
    }
}

impl From<ReadingRow> for Reading {
    fn from(row: ReadingRow) -> Self {
        let ReadingRow { findings, counts, tests, beyond } = row;
        let [errors, security, warnings, infos] = counts;
        Self {
            findings: findings.into_iter().map(Finding::from).collect(),
            counts: Counts { errors, security, warnings, infos },
            tests: tests.map(Tests::from),
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

impl From<Place> for PlaceRow {
    fn from(Place { file, line, column }: Place) -> Self {
        Self(file, line, column)
    }
}

impl From<PlaceRow> for Place {
    fn from(PlaceRow(file, line, column): PlaceRow) -> Self {
        Self { file, line, column }
    }
}

impl From<Tests> for TestsRow {
    fn from(tests: Tests) -> Self {
        let Tests { states, failures, counts, printed } = tests;
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

impl From<TestsRow> for Tests {
    fn from(row: TestsRow) -> Self {
        let TestsRow { states, failures, counts, printed } = row;
        let [passed, failed, skipped] = counts;
        let failure = |(id, (place, message)): (String, (PlaceRow, String))| {
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
