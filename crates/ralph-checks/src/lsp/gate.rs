//! The gate that asks language servers, which stay warm between its runs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ralph_core::evidence::{GateFault, GateReport, Verdict};
use ralph_core::finding::{FindingLevel, ToolReport};
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition};

use super::{ServerPool, ServerReport, ServerVerdict};
use crate::security::{ScanScope, ScanSelection};
use crate::{Gate, GateContext};

/// A server that starts may need most of it; a warm one answers at once.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The maximum number of findings that the report shows as text.
const SHOWN: usize = 50;

/// A gate that passes when no server finds an error in the files chosen.
pub struct LspGate {
    spec: GateSpec,
    pool: Mutex<ServerPool>,
    chosen: ScanSelection,
}

impl LspGate {
    /// Returns the entry of such a gate in the policy of a run.
    pub fn specify(need: GateImportance) -> GateSpec {
        GateSpec {
            name: Criterion::Diagnostics.name().to_owned(),
            criterion: Criterion::Diagnostics,
            command: GateCommand::Argv(vec!["ralph".into(), "check".into(), "--lsp".into()]),
            dir: String::new(),
            format: OutputFormat::Exit,
            bar: PassCondition::NoErrors,
            timeout: TIMEOUT,
            need,
        }
    }

    /// A gate that asks the servers of `pool` about the files chosen.
    pub fn new(need: GateImportance, pool: ServerPool, chosen: ScanSelection) -> Self {
        Self { spec: Self::specify(need), pool: Mutex::new(pool), chosen }
    }
}

impl Gate for LspGate {
    fn spec(&self) -> &GateSpec {
        &self.spec
    }

    fn key(&self) -> String {
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = format!("{:?}", (self.chosen.get(), pool.servers()));
        format!("lsp-2 {}", blake3::hash(asked.as_bytes()).to_hex())
    }

    fn run(&self, site: &GateContext<'_>, _stop: &mut dyn FnMut() -> bool) -> GateReport {
        let unknown = |reason: &str| GateReport::unknown(&self.spec, reason.to_owned());
        let files = match self.chosen.get() {
            ScanScope::Only(files) => files,
            ScanScope::All => return unknown("which files changed is not known"),
        };
        if files.is_empty() {
            return GateReport { verdict: Verdict::Pass, ..unknown("") };
        }
        let started = Instant::now();
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        // They execute code of the project, as the other gates do.
        pool.enclose(site.supervisor.enclosure());
        let reports = pool.diagnostics(&files, self.spec.timeout);
        let (verdict, reading) = judge(reports);
        let failing = match verdict {
            Verdict::Fail(_) => wrong(&reading),
            Verdict::Pass | Verdict::Unclear { .. } | Verdict::Unknown { .. } => BTreeSet::new(),
        };
        let (tail, elapsed) = (tail(&reading), started.elapsed());
        GateReport { verdict, failing, reading, tail, elapsed, ..unknown("") }
    }
}

/// Errors count from any server; without any, every server asked must have answered. Files that no
/// server looks at prove nothing and harm nothing.
fn judge(reports: Vec<ServerReport>) -> (Verdict, ToolReport) {
    let mut reading = ToolReport::default();
    let mut unanswered = Vec::new();
    for report in reports {
        if let ServerVerdict::Unknown { reason } = &report.verdict {
            unanswered.push(format!("{}: {reason}", report.server));
        }
        for level in FindingLevel::ALL {
            reading.counts.add(level, report.reading.counts.of(level));
        }
        reading.findings.extend(report.reading.findings);
        reading.beyond += report.reading.beyond;
    }
    // Not all that was found is listed.
    let count = reading.counts.errors + reading.counts.security;
    let verdict = if count > 0 {
        Verdict::Fail(GateFault::Findings(count))
    } else if unanswered.is_empty() {
        Verdict::Pass
    } else {
        Verdict::Unknown { reason: unanswered.join("; ") }
    };
    (verdict, reading)
}

fn wrong(reading: &ToolReport) -> BTreeSet<String> {
    let wrong = reading.findings.iter();
    let wrong =
        wrong.filter(|found| matches!(found.level, FindingLevel::Error | FindingLevel::Security));
    wrong.map(|found| found.fingerprint.clone()).collect()
}

/// Returns the text that a tool would have printed.
fn tail(reading: &ToolReport) -> String {
    let mut text = String::new();
    for finding in reading.findings.iter().take(SHOWN) {
        let (place, level) = (finding.place.display(), finding.level.name());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{place}: {level}: {} [{}]", finding.message, finding.tool);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::formats::{FindingCollector, ToolFinding};
    use crate::lsp::servers::{LanguageServer, known};

    fn report(levels: &[FindingLevel], verdict: ServerVerdict) -> ServerReport {
        let mut out = FindingCollector::new(Path::new("/"), "");
        for &level in levels {
            let found = ToolFinding { tool: "t", rule: None, level, message: "m", context: "" };
            out.finding(out.place("a", None, None), &found);
        }
        let reading = out.finish();
        ServerReport { server: "t".to_owned(), verdict, reading, elapsed: Duration::ZERO }
    }

    #[test]
    fn a_pass_counts_only_for_the_same_servers() {
        let gate = |more: Option<LanguageServer>| {
            let supervisor = ralph_proc::Supervisor::new("/nowhere", []);
            let mut pool = ServerPool::new(supervisor, "/".into(), Vec::new());
            if let Some(server) = more {
                pool.add(server);
            }
            LspGate::new(GateImportance::Required, pool, ScanSelection::default()).key()
        };
        let mut own = known().remove(0);
        own.name = "own".to_owned();
        assert_eq!(gate(None), gate(None));
        assert_ne!(gate(None), gate(Some(own)));
    }

    fn silent() -> ServerReport {
        report(&[], ServerVerdict::Unknown { reason: "it is not there".to_owned() })
    }

    #[test]
    fn an_error_fails_whoever_else_is_silent() {
        let found = report(&[FindingLevel::Error, FindingLevel::Warning], ServerVerdict::Ok);
        let (verdict, reading) = judge(vec![found, silent()]);
        assert_eq!(verdict, Verdict::Fail(GateFault::Findings(1)));
        assert_eq!((reading.counts.errors, reading.counts.warnings), (1, 1));
    }

    #[test]
    fn an_error_behind_a_long_list_of_warnings_fails() {
        let mut levels = vec![FindingLevel::Warning; 5_000];
        levels.push(FindingLevel::Error);
        let (verdict, reading) = judge(vec![report(&levels, ServerVerdict::Ok)]);
        assert_eq!(verdict, Verdict::Fail(GateFault::Findings(1)));
        assert_eq!((reading.counts.errors, reading.counts.warnings), (1, 5_000));
    }

    #[test]
    fn a_server_that_does_not_answer_is_never_a_pass() {
        let clean = || report(&[FindingLevel::Warning], ServerVerdict::Ok);
        assert_eq!(judge(vec![clean()]).0, Verdict::Pass);
        assert_eq!(judge(Vec::new()).0, Verdict::Pass);
        let (verdict, _) = judge(vec![clean(), silent()]);
        assert_eq!(verdict, Verdict::Unknown { reason: "t: it is not there".to_owned() });
    }
}
