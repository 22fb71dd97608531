//! Answers of language servers about changed files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use ralph_checks::lsp::{ServerReport, ServerVerdict};
use ralph_config::{ServerRules, SettingLayers};
use ralph_core::evidence::{GateExtent, GateFault, GateReport, Verdict};
use ralph_core::finding::{Finding, FindingLevel};
use ralph_core::policy::GateImportance;

use crate::app::App;
use crate::lsp_helper::{self, ServerKeepAlive};
use crate::user_error::UserError;

/// Time limit for all servers. A large project needs most of it the first time.
const DEADLINE: Duration = Duration::from_mins(1);

/// Asks the servers about `files`, or about those that changed. Returns one report for
/// each server. Reports with errors block; if no server answered, all block.
pub fn look(
    app: &App,
    layers: &SettingLayers,
    files: &[PathBuf],
    warmth: ServerKeepAlive,
) -> Result<Vec<GateReport>, UserError> {
    let files = if files.is_empty() { changed(app)? } else { given(app, files)? };
    let rules = ServerRules::new(layers)?;
    let reports = match lsp_helper::ask(app, &rules, &files, warmth, DEADLINE) {
        Some(reports) => reports,
        None => lsp_helper::enclosed_pool(app, rules)?.diagnostics(&files, DEADLINE),
    };
    let answered = reports.iter().any(|report| report.verdict == ServerVerdict::Ok);
    let need = if answered { GateImportance::Advisory } else { GateImportance::Required };
    Ok(reports.into_iter().map(|report| gate_report(report, need)).collect())
}

/// Returns the files that differ from the last commit and still exist.
fn changed(app: &App) -> Result<Vec<PathBuf>, UserError> {
    let root = &app.project.root;
    let unnamed = |why: &str, korean: &str| {
        UserError::usage(format!("which files changed is not known: {why}"))
            .with_hint("name the files: `ralph check --lsp FILE…`")
            .in_korean(
                format!("어느 파일이 바뀌었는지 알 수 없습니다: {korean}"),
                Some("파일을 지정하세요: `ralph check --lsp 파일…`"),
            )
    };
    if app.project.git.is_none() {
        return Err(unnamed("the project is not in git", "프로젝트가 git 에 없습니다"));
    }
    let changes = app.whole_work_tree()?.uncommitted().map_err(|error| {
        let error = error.to_string();
        unnamed(&error, &error)
    })?;
    let changes =
        changes.ok_or_else(|| unnamed("git cannot be asked", "git 에 물어볼 수 없습니다"))?;
    let paths = changes.iter().map(|change| root.join(&change.path));
    Ok(paths.filter(|path| path.is_file()).collect())
}

/// Resolves files that the user named; they must be inside the project.
fn given(app: &App, files: &[PathBuf]) -> Result<Vec<PathBuf>, UserError> {
    let find = |file: &PathBuf| -> Result<PathBuf, UserError> {
        let found = std::fs::canonicalize(file)
            .map_err(|error| UserError::usage(format!("{}: {error}", file.display())))?;
        if found.starts_with(&app.project.root) {
            return Ok(found);
        }
        Err(UserError::usage(format!("{} is outside the project", file.display()))
            .in_korean(format!("{} 은(는) 프로젝트 밖에 있습니다", file.display()), None))
    };
    files.iter().map(find).collect()
}

fn gate_report(report: ServerReport, need: GateImportance) -> GateReport {
    let wrong =
        |finding: &&Finding| matches!(finding.level, FindingLevel::Error | FindingLevel::Security);
    let failing: BTreeSet<String> = report
        .reading
        .findings
        .iter()
        .filter(wrong)
        .map(|found| found.fingerprint.clone())
        .collect();
    let (verdict, tail) = match report.verdict {
        ServerVerdict::Unknown { reason } => (Verdict::Unknown { reason: reason.clone() }, reason),
        ServerVerdict::Ok if failing.is_empty() => (Verdict::Pass, String::new()),
        ServerVerdict::Ok => {
            (Verdict::Fail(GateFault::Findings(failing.len() as u64)), String::new())
        }
    };
    GateReport {
        need: if failing.is_empty() { need } else { GateImportance::Required },
        name: report.server,
        command: String::new(),
        verdict,
        failing,
        reading: report.reading,
        tail,
        elapsed: report.elapsed,
        cached: false,
        usage: None,
        extent: GateExtent::Whole,
    }
}
