//! Runs each proposed gate once, to see which of them work here.

use crate::check::{
    CacheUse, CheckObserver, CheckQueueMode, CheckRequest, CheckScanScope, run_checks,
};
use crate::clock::InterruptSignal;
use ralph_checks::detect::{DetectedGates, GateProposal, ProposalRole};
use ralph_config::{SettingLayers, SettingValue};
use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::locale::Locale;
use ralph_core::policy::Criterion;
use ralph_core::wording;

use crate::UserError;
use crate::app::App;

/// Tries the gates that would be required and can run, and decides whether they stay
/// required. Returns a line for each; an interrupted trial decides nothing.
pub fn try_gates(
    app: &App,
    found: &mut DetectedGates,
    interrupt: &InterruptSignal,
    progress: &mut dyn CheckObserver,
) -> Result<Vec<String>, UserError> {
    let can_run = |it: &&GateProposal| it.is_wanted() && it.missing.is_none();
    let names: Vec<String> =
        found.proposals.iter().filter(can_run).map(|it| it.name.clone()).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut layers = SettingLayers::default();
    layers.set_flag("run.criteria", SettingValue::List(names));
    let wanted = CheckRequest {
        interrupt: interrupt.clone(),
        memory: CacheUse::Ignored,
        scan: CheckScanScope::All,
        turn: CheckQueueMode::Ignored,
    };
    let result = run_checks(app, layers, &wanted, progress);
    if interrupt.is_raised() {
        return Ok(Vec::new());
    }
    let (reports, locale) = (result?.reports, app.locale());
    judge(found, &reports, locale);
    let line = |report: &GateReport| {
        format!("{}: {}", report.name, wording::verdict(&report.verdict, locale))
    };
    Ok(reports.iter().map(line).collect())
}

/// Makes gates optional that neither pass nor name what fails. Tests stay required if
/// no others are left: without them a check proves nothing.
fn judge(found: &mut DetectedGates, reports: &[GateReport], locale: Locale) {
    let before = found.clone();
    for proposal in &mut found.proposals {
        let report = reports.iter().find(|report| report.name == proposal.name);
        if let Some(reason) = report.and_then(|report| objection(report, locale)) {
            proposal.standing = ProposalRole::Aside(reason);
        }
    }
    if !found.of(Criterion::TestPass).any(GateProposal::is_wanted) {
        for (proposal, earlier) in found.proposals.iter_mut().zip(before.proposals) {
            if proposal.criterion == Criterion::TestPass {
                proposal.standing = earlier.standing;
            }
        }
    }
}

/// Returns why a gate that was tried is not required; `None` if it is.
fn objection(report: &GateReport, locale: Locale) -> Option<String> {
    let names_something = !report.failing.is_empty() || !report.reading.findings.is_empty();
    match &report.verdict {
        Verdict::Pass => return None,
        Verdict::Fail(_) if names_something => return None,
        Verdict::Fail(_) | Verdict::Unclear { .. } | Verdict::Unknown { .. } => {}
    }
    let verdict = wording::verdict(&report.verdict, locale);
    Some(locale.say(format!("when it was tried: {verdict}"), format!("실행해 본 결과: {verdict}")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ralph_checks::detect::detect;
    use ralph_core::evidence::GateFault;
    use ralph_core::policy::{GateImportance, GateSpec, PassCondition};

    use super::*;

    fn report(proposal: &GateProposal, verdict: Verdict, failing: &[&str]) -> GateReport {
        let spec = GateSpec {
            name: proposal.name.clone(),
            criterion: proposal.criterion,
            command: proposal.command.clone(),
            dir: proposal.dir.clone(),
            format: proposal.format,
            bar: PassCondition::Clean,
            timeout: std::time::Duration::from_secs(1),
            need: GateImportance::Required,
        };
        let failing = failing.iter().map(|&it| it.to_owned()).collect();
        GateReport { verdict, failing, ..GateReport::unknown(&spec, String::new()) }
    }

    /// Returns which gates of a Go module with a web page stay required, given the
    /// results of trying them.
    fn kept(results: &[(Verdict, &[&str])]) -> Vec<(String, bool)> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("go.mod"), "").unwrap();
        std::fs::write(folder.path().join(".golangci.yml"), "").unwrap();
        let mut found = detect(folder.path(), &|_: &str, _: &Path| true);
        let tried = found.proposals.iter().filter(|it| it.is_wanted()).zip(results);
        let reports: Vec<GateReport> =
            tried.map(|(it, (verdict, failing))| report(it, verdict.clone(), failing)).collect();
        judge(&mut found, &reports, Locale::En);
        found.proposals.iter().map(|it| (it.name.clone(), it.is_wanted())).collect()
    }

    fn list(wanted: [bool; 4]) -> Vec<(String, bool)> {
        let names = ["test_pass", "build_success", "lint_clean:go", "lint_clean"];
        names.iter().map(|&name| name.to_owned()).zip(wanted).collect()
    }

    #[test]
    fn what_passes_or_names_what_fails_stays_required() {
        let results: [(Verdict, &[&str]); 3] = [
            (Verdict::Fail(GateFault::Exit(1)), &["test a"]),
            (Verdict::Pass, &[]),
            (Verdict::Fail(GateFault::Exit(3)), &[]),
        ];
        assert_eq!(kept(&results), list([true, true, false, false]));
    }

    #[test]
    fn the_only_tests_stay_required_whatever_becomes_of_them() {
        let unclear = || Verdict::Unclear { reason: "no test ran".to_owned() };
        let results: [(Verdict, &[&str]); 3] =
            [(unclear(), &[]), (unclear(), &[]), (Verdict::Pass, &[])];
        assert_eq!(kept(&results), list([true, false, false, true]));
    }
}
