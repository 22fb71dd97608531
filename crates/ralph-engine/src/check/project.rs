//! Runs the gates of a project without an agent, as its settings or its files name them.

use std::path::PathBuf;

use ralph_checks::detect::{GateProposal, MissingNeed};
use ralph_checks::security::{EarlierContents, MOST_EARLIER, ScanScope, ScanSelection};
use ralph_checks::{AffectedTest, GateContext, GateWatcher};
use ralph_config::{NoteEnforcement, RunSettings, SettingLayers, SettingValue};
use ralph_core::evidence::GateReport;
use ralph_core::locale::Locale;
use ralph_core::policy::{Criterion, GateSpec};
use ralph_proc::Supervisor;
use ralph_snapshot::{WorkHandle, WorkTree};

use super::{CacheUse, PassCache, check, turn};
use crate::affected::AffectedTests;
use crate::app::App;
use crate::clock::InterruptSignal;
use crate::events::{EventSink, SilentSink};
use crate::ledger::RunLedger;
use crate::run;
use crate::sandbox::{self, MadeSandbox};
use crate::user_error::UserError;

/// Options of a check that are not settings.
pub struct CheckRequest {
    /// The use of passes that the store remembers.
    pub memory: CacheUse,
    /// The files that are scanned.
    pub scan: CheckScanScope,
    /// The way it treats other checks.
    pub turn: CheckQueueMode,
    /// Stops the gates when it is raised.
    pub interrupt: InterruptSignal,
}

/// The files that are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckScanScope {
    /// What differs from the last commit.
    Changed,
    /// All files.
    All,
}

/// The way a check treats other checks of the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckQueueMode {
    /// It does not wait for them.
    Ignored,
    /// It waits, and runs the gates of the settings.
    Taken,
    /// It waits, and runs the gates of the loop that is active here, if there is one.
    TakenForLoop,
}

/// A remark about a check.
#[derive(Clone, Copy, Debug)]
pub enum CheckNote<'a> {
    /// Another check of the work tree runs, and this one waits.
    AnotherCheck,
    /// No file changed, so gates that read changed files read none.
    NothingChanged,
    /// The gates were detected, as the settings name none.
    Detected,
    /// A detected gate cannot run.
    CannotRun {
        /// The gate.
        name: &'a str,
        /// What it needs.
        missing: &'a MissingNeed,
    },
    /// The sandbox of the gates cannot deny everything.
    Sandbox {
        /// What it cannot deny.
        sentence: &'a str,
    },
    /// A change of tests or checks is held against the run.
    Held {
        /// The place of the change.
        place: &'a str,
        /// The change.
        what: &'a str,
    },
}

/// A surface that shows how a check proceeds.
pub trait CheckObserver: GateWatcher + EventSink {
    /// Tells the language of the messages, once it is known.
    fn speaks(&mut self, locale: Locale);

    /// Tells that the files are being read.
    fn reads(&mut self, work: &WorkHandle);

    /// Shows a remark.
    fn note(&mut self, note: CheckNote<'_>);
}

impl GateWatcher for SilentSink {
    fn started(&mut self, _spec: &GateSpec) {}

    fn finished(&mut self, _report: &GateReport) {}

    fn stop(&mut self) -> bool {
        false
    }
}

impl CheckObserver for SilentSink {
    fn speaks(&mut self, _locale: Locale) {}

    fn reads(&mut self, _work: &WorkHandle) {}

    fn note(&mut self, _note: CheckNote<'_>) {}
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// One report for each gate.
    pub reports: Vec<GateReport>,
    /// True if changes of tests or checks are held against the run.
    pub is_held: bool,
}

/// Runs the gates.
pub fn run_checks(
    app: &App,
    layers: SettingLayers,
    wanted: &CheckRequest,
    observer: &mut dyn CheckObserver,
) -> Result<CheckResult, UserError> {
    // Holds the lock until the gates are done.
    let _turn = match wanted.turn {
        CheckQueueMode::Ignored => None,
        CheckQueueMode::Taken | CheckQueueMode::TakenForLoop => {
            Some(turn::wait(app, &wanted.interrupt, observer)?)
        }
    };
    if wanted.turn == CheckQueueMode::TakenForLoop
        && let Some(reports) = turn::check_run(app, &wanted.interrupt, observer)?
    {
        return Ok(reports);
    }
    check_settings(app, layers, wanted, observer)
}

/// Runs the gates that the settings name.
fn check_settings(
    app: &App,
    mut layers: SettingLayers,
    wanted: &CheckRequest,
    observer: &mut dyn CheckObserver,
) -> Result<CheckResult, UserError> {
    let mut settings = app.settings(&layers)?;
    let asked = settings.memory.enforce == NoteEnforcement::Asked;
    if settings.policy.gates.iter().all(GateSpec::is_memory) && !asked {
        choose_detected(app, &mut layers, observer);
        settings = app.settings(&layers)?;
    }
    // A gate that cannot run is reported as unknown.
    let mut missing = Vec::new();
    settings.policy.gates.retain(|spec| {
        let need = settings.missing.iter().find(|missing| missing.gate == spec.name);
        missing.extend(need.map(|missing| (spec.clone(), missing.need.clone())));
        need.is_none()
    });
    let chosen = ScanSelection::default();
    let gates = run::gates(app, &settings.policy.gates, &chosen)?;
    if gates.is_empty() && asked {
        return Err(UserError::usage("no note has a check")
            .with_hint("`ralph memory add --rule FILE` or `--test TEST` gives it one").in_korean("검사가 있는 메모가 없습니다", Some("`ralph memory add --rule 파일` 이나 `--test 테스트` 로 검사를 붙일 수 있습니다")));
    }
    if gates.is_empty() && missing.is_empty() {
        return Err(UserError::usage("there is no gate to run")
            .with_hint("set run.criteria in ralph.toml, or add `--criteria custom:COMMAND`")
            .in_korean(
                "실행할 검사가 없습니다",
                Some("ralph.toml 에 run.criteria 를 적거나 `--criteria custom:명령` 을 붙이세요"),
            ));
    }
    observer.speaks(settings.policy.locale);
    let supervisor = supervisor(app, &settings, observer)?;
    let env = run::gate_env(&app.env, &settings);
    let site = GateContext { supervisor: &supervisor, root: &app.project.root, env: &env };
    let (ledger, _) = RunLedger::open(&app.home)?;
    let tree = app.whole_work_tree()?;
    wanted.interrupt.interrupt_on_request(tree.handle());
    observer.reads(tree.handle());
    let reads_files = |spec: &GateSpec| {
        let read = [Criterion::Security, Criterion::Diagnostics, Criterion::Memory];
        read.contains(&spec.criterion)
    };
    // Asking git what changed takes longer than all the rest.
    if settings.policy.gates.iter().any(reads_files) {
        let files = files(&tree, wanted.scan)?;
        if matches!(&files, ScanScope::Only(paths) if paths.is_empty()) {
            observer.note(CheckNote::NothingChanged);
        }
        let paths = match &files {
            ScanScope::Only(paths) => paths.clone(),
            ScanScope::All => Vec::new(),
        };
        chosen.set(files);
        if settings.policy.gates.iter().any(GateSpec::is_memory) {
            chosen.set_before(committed(&tree, &paths)?);
        }
    }
    let cache =
        PassCache { store: ledger.store(), tree: &tree, memory: wanted.memory, now: app.now() };
    let is_quick = wanted.scan == CheckScanScope::Changed && wanted.memory == CacheUse::Used;
    let affected = run::affected(app, &settings).filter(|_| is_quick);
    let first =
        || affected.as_ref().map(|affected| first(affected, app, &tree)).unwrap_or_default();
    let mut reports = check(&gates, &site, &cache, &first, observer)?;
    for report in &mut reports {
        report.hold_to(&settings.policy.zero, &[]);
    }
    for (spec, need) in missing {
        let reason = missing_need(&need, settings.policy.locale);
        reports.push(GateReport::unknown(&spec, reason));
    }
    Ok(CheckResult { reports, is_held: false })
}

/// Returns a supervisor that starts gates in their sandbox. What that cannot deny is said.
fn supervisor(
    app: &App,
    settings: &RunSettings,
    observer: &mut dyn CheckObserver,
) -> Result<Supervisor, UserError> {
    let sandbox = sandbox::of_gates(app, settings)?;
    if let Some(made) = sandbox.as_ref().filter(|made| !made.is_whole()) {
        observer.note(CheckNote::Sandbox { sentence: &made.sentence(settings.policy.locale) });
    }
    Ok(App::supervisor().within(sandbox.and_then(MadeSandbox::enclosure)))
}

/// Chooses the gates that `ralph init` would switch on, if no criteria are set. Tests
/// that cannot run here are included, and unknown.
fn choose_detected(app: &App, layers: &mut SettingLayers, observer: &mut dyn CheckObserver) {
    let found = app.detected();
    let wanted: Vec<&GateProposal> = found.proposals.iter().filter(|it| it.is_wanted()).collect();
    if !wanted.is_empty() {
        observer.note(CheckNote::Detected);
    }
    for GateProposal { name, missing, .. } in &wanted {
        if let Some(missing) = missing {
            observer.note(CheckNote::CannotRun { name, missing });
        }
    }
    let names = wanted.into_iter().map(|proposal| proposal.name.clone()).collect();
    layers.set_flag("run.criteria", SettingValue::List(names));
}

/// Returns the tests that touch what differs from the last commit.
fn first(affected: &AffectedTests, app: &App, tree: &WorkTree) -> Vec<AffectedTest> {
    let Ok(ScanScope::Only(paths)) = files(tree, CheckScanScope::Changed) else {
        return Vec::new();
    };
    let changed: Vec<String> =
        paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    affected.of(&changed, app.now())
}

/// Returns the files for gates that read files themselves.
pub fn files(tree: &WorkTree, scan: CheckScanScope) -> Result<ScanScope, UserError> {
    let committed = tree.committed().map_err(|error| UserError::internal(&error))?;
    let Some(committed) = committed.filter(|_| scan == CheckScanScope::Changed) else {
        return Ok(ScanScope::All);
    };
    let changes = tree.tree().and_then(|present| tree.changes(&committed, &present));
    let changes = changes.map_err(|error| UserError::internal(&error))?;
    Ok(ScanScope::Only(changes.into_iter().map(|change| change.path).collect()))
}

/// Returns the contents of files in the last commit.
fn committed(tree: &WorkTree, paths: &[PathBuf]) -> Result<EarlierContents, UserError> {
    let trouble = |error| UserError::internal(&error);
    match tree.committed().map_err(trouble)? {
        Some(commit) if !paths.is_empty() => {
            tree.contents(&commit, paths, MOST_EARLIER).map_err(trouble)
        }
        Some(_) | None => Ok(EarlierContents::new()),
    }
}

/// Tells what is missing, and what installs it.
pub fn missing_need(missing: &MissingNeed, locale: Locale) -> String {
    match (locale, &missing.install) {
        (Locale::En, _) => missing.to_string(),
        (Locale::Ko, Some(install)) => {
            format!("`{}` 이(가) 없습니다. `{install}` 을(를) 실행하세요", missing.what)
        }
        (Locale::Ko, None) => format!("`{}` 이(가) 없습니다", missing.what),
    }
}
