//! The stored forms of gate reports and of usage.

use std::collections::BTreeSet;
use std::time::Duration;

use ralph_core::evidence::{GateExtent, GateFault, GateReport, TestEdit, Verdict, WeakenedCheck};
use ralph_core::usage::{Usage, Usd};
use serde::{Deserialize, Serialize};

use super::policy::NeedRow;
use super::reading::ToolReportRow;
use super::{decode, encode};
use crate::error::StoreError;

const GATES: &str = "the gates of an iteration";
const CHANGES: &str = "what was done to the checks";
const USAGE: &str = "usage";

#[derive(Deserialize, Serialize)]
struct ReportRow {
    name: String,
    need: NeedRow,
    command: String,
    verdict: VerdictRow,
    failing: BTreeSet<String>,
    #[serde(default)]
    reading: ToolReportRow,
    tail: String,
    elapsed: Duration,
    cached: bool,
    #[serde(default)]
    usage: Option<GateUsageRow>,
    #[serde(default)]
    extent: ExtentRow,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum ExtentRow {
    #[default]
    Whole,
    Affected,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum VerdictRow {
    Pass,
    Exit(i32),
    Signal(i32),
    Timeout(Duration),
    Findings(u64),
    Refused,
    Unclear(String),
    Unknown(String),
}

#[derive(Deserialize, Serialize)]
struct ChangesRow {
    weakened: Vec<[String; 2]>,
    edited: Vec<[String; 2]>,
}

#[derive(Deserialize, Serialize)]
struct GateUsageRow {
    input_tokens: u64,
    output_tokens: u64,
    cost_micros: u64,
}

/// Returns the JSON form of gate reports.
pub(crate) fn encode_gates(gates: &[GateReport]) -> Result<String, StoreError> {
    let rows: Vec<ReportRow> = gates.iter().cloned().map(ReportRow::from).collect();
    encode(GATES, &rows)
}

/// Reads gate reports from their JSON form.
pub(crate) fn decode_gates(text: &str) -> Result<Vec<GateReport>, StoreError> {
    let rows: Vec<ReportRow> = decode(GATES, text)?;
    Ok(rows.into_iter().map(GateReport::from).collect())
}

/// Returns the JSON form of the changes that were made to checks.
pub(crate) fn encode_changes(
    weakened: &[WeakenedCheck],
    edited: &[TestEdit],
) -> Result<String, StoreError> {
    let weakened = weakened.iter().map(|one| [one.place.clone(), one.what.clone()]).collect();
    let edited = edited.iter().map(|one| [one.place.clone(), one.what.clone()]).collect();
    encode(CHANGES, &ChangesRow { weakened, edited })
}

/// Reads the changes that were made to checks from their JSON form.
pub(crate) fn decode_changes(
    text: &str,
) -> Result<(Vec<WeakenedCheck>, Vec<TestEdit>), StoreError> {
    let ChangesRow { weakened, edited } = decode(CHANGES, text)?;
    let weakened = weakened.into_iter().map(|[place, what]| WeakenedCheck { place, what });
    let edited = edited.into_iter().map(|[place, what]| TestEdit { place, what });
    Ok((weakened.collect(), edited.collect()))
}

/// Returns the JSON form of usage.
pub(crate) fn encode_usage(usage: Usage) -> Result<String, StoreError> {
    encode(USAGE, &GateUsageRow::from(usage))
}

/// Reads usage from its JSON form.
pub(crate) fn decode_usage(text: &str) -> Result<Usage, StoreError> {
    Ok(decode::<GateUsageRow>(USAGE, text)?.into())
}

impl From<Usage> for GateUsageRow {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cost } = usage;
        Self { input_tokens, output_tokens, cost_micros: cost.micros() }
    }
}

impl From<GateUsageRow> for Usage {
    fn from(row: GateUsageRow) -> Self {
        let GateUsageRow { input_tokens, output_tokens, cost_micros } = row;
        Self { input_tokens, output_tokens, cost: Usd::from_micros(cost_micros) }
    }
}

impl From<GateReport> for ReportRow {
    fn from(report: GateReport) -> Self {
        let GateReport {
            name,
            need,
            command,
            verdict,
            failing,
            reading,
            tail,
            elapsed,
            cached,
            usage,
            extent,
        } = report;
        let extent = match extent {
            GateExtent::Whole => ExtentRow::Whole,
            GateExtent::Affected => ExtentRow::Affected,
        };
        let (reading, usage) = (reading.into(), usage.map(Into::into));
        let verdict = match verdict {
            Verdict::Pass => VerdictRow::Pass,
            Verdict::Fail(GateFault::Exit(code)) => VerdictRow::Exit(code),
            Verdict::Fail(GateFault::Signal(signal)) => VerdictRow::Signal(signal),
            Verdict::Fail(GateFault::Timeout(after)) => VerdictRow::Timeout(after),
            Verdict::Fail(GateFault::Findings(count)) => VerdictRow::Findings(count),
            Verdict::Fail(GateFault::Refused) => VerdictRow::Refused,
            Verdict::Unclear { reason } => VerdictRow::Unclear(reason),
            Verdict::Unknown { reason } => VerdictRow::Unknown(reason),
        };
        Self {
            name,
            need: need.into(),
            command,
            verdict,
            failing,
            reading,
            tail,
            elapsed,
            cached,
            usage,
            extent,
        }
    }
}

impl From<ReportRow> for GateReport {
    fn from(row: ReportRow) -> Self {
        let ReportRow {
            name,
            need,
            command,
            verdict,
            failing,
            reading,
            tail,
            elapsed,
            cached,
            usage,
            extent,
        } = row;
        let extent = match extent {
            ExtentRow::Whole => GateExtent::Whole,
            ExtentRow::Affected => GateExtent::Affected,
        };
        let (reading, usage) = (reading.into(), usage.map(Into::into));
        let verdict = match verdict {
            VerdictRow::Pass => Verdict::Pass,
            VerdictRow::Exit(code) => Verdict::Fail(GateFault::Exit(code)),
            VerdictRow::Signal(signal) => Verdict::Fail(GateFault::Signal(signal)),
            VerdictRow::Timeout(after) => Verdict::Fail(GateFault::Timeout(after)),
            VerdictRow::Findings(count) => Verdict::Fail(GateFault::Findings(count)),
            VerdictRow::Refused => Verdict::Fail(GateFault::Refused),
            VerdictRow::Unclear(reason) => Verdict::Unclear { reason },
            VerdictRow::Unknown(reason) => Verdict::Unknown { reason },
        };
        Self {
            name,
            need: need.into(),
            command,
            verdict,
            failing,
            reading,
            tail,
            elapsed,
            cached,
            usage,
            extent,
        }
    }
}
