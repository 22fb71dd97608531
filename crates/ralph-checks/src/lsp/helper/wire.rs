//! The messages through the socket: one line of JSON each way.

use std::path::PathBuf;
use std::time::Duration;

use ralph_core::finding::{Finding, FindingCounts, FindingLevel, SourceLocation, ToolReport};
use serde::{Deserialize, Serialize};

use super::super::pool::{ServerReport, ServerVerdict};

/// A question to a helper.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HelperRequest {
    /// Stands for the settings the asker would start servers with.
    pub(super) key: String,
    pub(super) files: Vec<PathBuf>,
    pub(super) deadline_ms: u64,
}

/// The answer of a helper.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HelperResponse {
    Reports(Vec<HelperServerReport>),
    /// It was started with other settings, and ends.
    Outdated,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HelperServerReport {
    server: String,
    /// The reason why it is unknown; none when it is known.
    reason: Option<String>,
    elapsed_ms: u64,
    findings: Vec<HelperFinding>,
    /// Errors, security, warnings, infos.
    counts: [u64; 4],
    beyond: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct HelperFinding {
    tool: String,
    rule: Option<String>,
    level: String,
    file: String,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    fingerprint: String,
}

impl From<&ServerReport> for HelperServerReport {
    fn from(report: &ServerReport) -> Self {
        let reason = match &report.verdict {
            ServerVerdict::Ok => None,
            ServerVerdict::Unknown { reason } => Some(reason.clone()),
        };
        Self {
            server: report.server.clone(),
            reason,
            elapsed_ms: u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX),
            findings: report.reading.findings.iter().map(Into::into).collect(),
            counts: FindingLevel::ALL.map(|level| report.reading.counts.of(level)),
            beyond: report.reading.beyond,
        }
    }
}

impl From<&Finding> for HelperFinding {
    fn from(finding: &Finding) -> Self {
        Self {
            tool: finding.tool.clone(),
            rule: finding.rule.clone(),
            level: finding.level.name().to_owned(),
            file: finding.place.file.clone(),
            line: finding.place.line,
            column: finding.place.column,
            message: finding.message.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }
}

impl HelperServerReport {
    /// The report it stands for; `None` when it makes no sense.
    pub(super) fn read(self) -> Option<ServerReport> {
        let mut counts = FindingCounts::default();
        for (level, count) in FindingLevel::ALL.into_iter().zip(self.counts) {
            counts.add(level, count);
        }
        let findings = self.findings.into_iter().map(HelperFinding::read).collect::<Option<_>>()?;
        Some(ServerReport {
            server: self.server,
            verdict: self
                .reason
                .map_or(ServerVerdict::Ok, |reason| ServerVerdict::Unknown { reason }),
            reading: ToolReport { findings, counts, beyond: self.beyond, ..ToolReport::default() },
            elapsed: Duration::from_millis(self.elapsed_ms),
        })
    }
}

impl HelperFinding {
    fn read(self) -> Option<Finding> {
        Some(Finding {
            tool: self.tool,
            rule: self.rule,
            level: FindingLevel::ALL.into_iter().find(|level| level.name() == self.level)?,
            place: SourceLocation { file: self.file, line: self.line, column: self.column },
            message: self.message,
            fingerprint: self.fingerprint,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_the_socket() {
        let place = SourceLocation { file: "ä b.py".to_owned(), line: Some(3), column: None };
        let finding = Finding {
            tool: "ruff".to_owned(),
            rule: Some("F401".to_owned()),
            level: FindingLevel::Security,
            place,
            message: "a\nb".to_owned(),
            fingerprint: "f".to_owned(),
        };
        let counts = FindingCounts { errors: 1, security: 2, warnings: 3, infos: 4 };
        for verdict in [ServerVerdict::Ok, ServerVerdict::Unknown { reason: "why".to_owned() }] {
            let findings = vec![finding.clone()];
            let report = ServerReport {
                server: "ruff".to_owned(),
                verdict,
                reading: ToolReport { findings, counts, beyond: 5, ..ToolReport::default() },
                elapsed: Duration::from_millis(7),
            };
            let line = serde_json::to_string(&HelperServerReport::from(&report)).unwrap();
            let read: HelperServerReport = serde_json::from_str(&line).unwrap();
            assert_eq!(read.read(), Some(report));
        }
    }
}
