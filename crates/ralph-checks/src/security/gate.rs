//! The gate that scans.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ralph_core::evidence::{GateExtent, GateFault, GateReport, Verdict};
use ralph_core::finding::{FindingLevel, ToolReport};
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition};

use super::{RulePack, ScanResult, ScanScope, TOOL};
use crate::{Gate, GateContext};

/// After this long a scan counts as failed.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The maximum number of findings that the report shows as text.
const SHOWN: usize = 50;

type ScanScopeSource = dyn Fn() -> ScanScope + Send + Sync;

/// A gate that passes when no rule finds anything that can be exploited.
pub struct SecurityGate {
    spec: GateSpec,
    pack: Arc<RulePack>,
    files: Box<ScanScopeSource>,
}

impl SecurityGate {
    /// Returns the entry of such a gate in the policy of a run.
    pub fn specify(need: GateImportance) -> GateSpec {
        GateSpec {
            name: Criterion::Security.name().to_owned(),
            criterion: Criterion::Security,
            command: GateCommand::Argv(vec![TOOL.to_owned()]),
            dir: String::new(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: TIMEOUT,
            need,
        }
    }

    /// A gate over the files that `files` names when it is asked: in a loop
    /// those that changed, otherwise all.
    pub fn new(
        need: GateImportance,
        pack: Arc<RulePack>,
        files: impl Fn() -> ScanScope + Send + Sync + 'static,
    ) -> Self {
        Self { spec: Self::specify(need), pack, files: Box::new(files) }
    }

    fn report(&self, verdict: Verdict, scan: ScanResult, elapsed: Duration) -> GateReport {
        GateReport {
            name: self.spec.name.clone(),
            need: self.spec.need,
            command: self.spec.command.display(),
            verdict,
            failing: exploitable(&scan.reading),
            tail: tail(&scan),
            reading: scan.reading,
            elapsed,
            cached: false,
            usage: None,
            extent: GateExtent::Whole,
        }
    }
}

impl Gate for SecurityGate {
    fn spec(&self) -> &GateSpec {
        &self.spec
    }

    fn key(&self) -> String {
        let files = match (self.files)() {
            ScanScope::All => "all".to_owned(),
            ScanScope::Only(mut paths) => {
                paths.sort_unstable();
                digest(&paths)
            }
        };
        format!("security-3 {} {files}", self.pack.digest())
    }

    fn run(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let started = Instant::now();
        let timeout = self.spec.timeout;
        let mut is_late = false;
        let mut end = || {
            is_late = started.elapsed() > timeout;
            is_late || stop()
        };
        let scan = self.pack.scan_until(site.root, &(self.files)(), &mut end);
        let elapsed = started.elapsed();
        match scan {
            Some(scan) => self.report(judge(&scan), scan, elapsed),
            None if is_late => self.report(
                Verdict::Fail(GateFault::Timeout(timeout)),
                ScanResult::default(),
                elapsed,
            ),
            None => {
                let reason = "it was interrupted".to_owned();
                self.report(Verdict::Unknown { reason }, ScanResult::default(), elapsed)
            }
        }
    }
}

fn judge(scan: &ScanResult) -> Verdict {
    let counts = scan.reading.counts;
    let wrong = counts.security + counts.errors;
    if wrong > 0 {
        return Verdict::Fail(GateFault::Findings(wrong));
    }
    if let Some(unread) = scan.unread.first() {
        return Verdict::Unknown { reason: unread.to_string() };
    }
    if scan.files.scanned == 0 && scan.files.unreadable > 0 {
        return Verdict::Unknown { reason: "the files cannot be read".to_owned() };
    }
    Verdict::Pass
}

fn exploitable(reading: &ToolReport) -> BTreeSet<String> {
    let found = reading.findings.iter();
    let found = found
        .filter(|finding| matches!(finding.level, FindingLevel::Security | FindingLevel::Error));
    found.map(|finding| finding.fingerprint.clone()).collect()
}

/// Returns the text that a tool would have printed.
pub(crate) fn tail(scan: &ScanResult) -> String {
    let mut text = String::new();
    for finding in scan.reading.findings.iter().take(SHOWN) {
        let (place, level) = (finding.place.display(), finding.level.name());
        let rule = finding.rule.as_deref().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{place}: {level}: {} [{rule}]", finding.message);
    }
    for unread in scan.unread.iter().take(SHOWN) {
        let _ = writeln!(text, "{unread}");
    }
    let (scanned, skipped) = (scan.files.scanned, scan.files.skipped());
    let _ = write!(text, "{scanned} files scanned, {skipped} skipped");
    if scan.suppressed > 0 {
        let _ = write!(text, ", {} findings suppressed by comments", scan.suppressed);
    }
    text
}

pub(crate) fn digest(paths: &[PathBuf]) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        hasher.update(path.as_os_str().as_encoded_bytes()).update(b"\0");
    }
    hasher.finalize().to_hex().as_str()[..16].to_owned()
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
