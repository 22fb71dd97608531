//! The failures of a turn, so that they are recognized later.

use std::collections::BTreeSet;
use std::fmt::Write;

use ralph_core::Evidence;
use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::finding::{normalised, test_name};
use ralph_core::format::OutputFormat;
use ralph_core::memory::attempt::signature;
use ralph_redact::redact;

/// Maximum number of a turn's failures.
const MOST: usize = 20;

/// Maximum number of findings in the printed output.
const MOST_FINDINGS: usize = 200;

/// Maximum length of a message, in characters.
const MESSAGE_CHARS: usize = 400;

/// The result of a turn that was checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckedTurn {
    Passed,
    /// The failures, at least one.
    Failed(Vec<TurnFailure>),
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TurnFailure {
    /// Its signature: the same if it fails in the same way.
    pub(super) signature: String,
    /// The fingerprint of the gates.
    pub(super) fingerprint: String,
    /// The failing test or rule.
    pub(super) title: String,
    /// The printed message.
    pub(super) text: String,
    /// The file of the failure.
    pub(super) file: Option<String>,
}

impl TurnFailure {
    fn new(fingerprint: &str, title: &str, message: &str, file: &str) -> Self {
        let message = redact(message);
        let message = if message.trim().is_empty() { title } else { &message };
        Self {
            signature: signature(&format!("{title}: {}", normalised(message))),
            fingerprint: fingerprint.to_owned(),
            title: title.to_owned(),
            text: message.trim().chars().take(MESSAGE_CHARS).collect(),
            file: Some(file.to_owned()).filter(|file| !file.is_empty()),
        }
    }
}

/// Returns the result of a turn's checks; `None` if required checks did not
/// run.
pub(super) fn outcome(evidence: &Evidence) -> Option<CheckedTurn> {
    let measured: Vec<&GateReport> =
        evidence.gates.iter().filter(|gate| !gate.is_judge()).collect();
    let failed = |gate: &&&GateReport| match gate.verdict {
        Verdict::Fail(_) | Verdict::Unclear { .. } => gate.blocks(),
        Verdict::Pass | Verdict::Unknown { .. } => false,
    };
    let mut failures: Vec<TurnFailure> =
        measured.iter().filter(failed).flat_map(|gate| of_gate(gate)).collect();
    failures.retain(|one| !evidence.flaky.contains(&one.fingerprint));
    let mut seen = BTreeSet::new();
    failures.retain(|one| seen.insert(one.signature.clone()));
    failures.truncate(MOST);
    if !failures.is_empty() {
        return Some(CheckedTurn::Failed(failures));
    }
    // A pass of the check of notes proves nothing else.
    let is_proof = measured.iter().any(|gate| !gate.is_memory())
        && !measured.iter().any(|gate| gate.blocks())
        && evidence.weakened.is_empty();
    is_proof.then_some(CheckedTurn::Passed)
}

fn of_gate(gate: &GateReport) -> Vec<TurnFailure> {
    let mut found = Vec::new();
    let tests = gate.reading.tests.as_ref();
    for (id, print) in gate.failing_tests() {
        let about = tests.and_then(|tests| tests.failures.get(id));
        let message = about.map_or("", |about| about.message.as_str());
        let file = about.map_or("", |about| about.place.file.as_str());
        found.push(TurnFailure::new(print, &format!("test {}", test_name(id)), message, file));
    }
    for finding in
        gate.reading.findings.iter().filter(|one| gate.failing.contains(&one.fingerprint))
    {
        let rule = finding.rule.as_deref().unwrap_or_default();
        let title = match format!("{} {rule}", finding.tool).trim_end() {
            // The tool is unknown, but not the command that printed it.
            tool if tool == OutputFormat::Text.name() => gate.command.clone(),
            tool => tool.to_owned(),
        };
        let file = &finding.place.file;
        found.push(TurnFailure::new(&finding.fingerprint, &title, &finding.message, file));
    }
    if found.is_empty() {
        let print = gate.fingerprints().into_iter().next().unwrap_or_default();
        let last = gate.tail.lines().rev().find(|line| !line.trim().is_empty());
        found.push(TurnFailure::new(&print, &gate.command, last.unwrap_or_default(), ""));
    }
    found
}

/// Returns the output of the gates that failed, for people.
pub(super) fn printed(evidence: &Evidence) -> String {
    let mut text = String::new();
    for gate in evidence.gates.iter().filter(|gate| !gate.passed()) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "$ {}\n[{}: {}]", gate.command, gate.name, gate.verdict.describe());
        for finding in gate.reading.findings.iter().take(MOST_FINDINGS) {
            let _ = writeln!(text, "{}: {}", finding.place.display(), finding.message);
        }
        let tests = gate.reading.tests.iter().flat_map(|tests| &tests.failures);
        for (id, about) in tests.take(MOST_FINDINGS) {
            let _ = writeln!(text, "test {id}: {}", about.message);
        }
        let _ = writeln!(text, "{}\n", gate.tail);
    }
    redact(&text).into_owned()
}

#[cfg(test)]
#[path = "failures_tests.rs"]
mod tests;
