//! `ralph check`: runs the gates now, without an agent.

mod servers;
mod wait;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use ralph_checks::detect::GateProposal;
use ralph_checks::security::{EarlierContents, MOST_EARLIER, ScanScope, ScanSelection};
use ralph_checks::{AffectedTest, GateContext, GateWatcher};
use ralph_config::{NoteEnforcement, SettingLayers, SettingValue};
use ralph_core::evidence::GateReport;
use ralph_core::locale::Locale;
use ralph_core::policy::{Criterion, GateSpec};
use ralph_core::wording;
use ralph_engine::RunLedger;
use ralph_engine::affected::AffectedTests;
use ralph_engine::check::{CacheUse, PassCache, check};
use ralph_engine::clock::InterruptSignal;
use ralph_engine::folder_guard;
use ralph_engine::report::span;
use ralph_engine::wire::{CheckView, GateView, sarif};
use ralph_snapshot::WorkTree;

use super::drive;
use super::lsp_helper::ServerKeepAlive;
use crate::app::App;
use crate::error::CliError;
use crate::findings;
use crate::options::CriteriaOptions;
use crate::progress_line::ProgressLine;
use crate::signals::{self, ForcedEndState};
use crate::{out, texts};

/// Run the gates now
///
/// Uses the criteria of ralph.toml or those given; where there are none, every
/// gate that `ralph init` would switch on. A gate that passed on the very same
/// files before is not run again. Exit code 0 when every required gate passes,
/// 1 otherwise.
///
/// Once `ralph code index` has run, the tests affected by the changes since the
/// last commit run first; if one fails, the rest of its gate waits.
///
/// With `--wait` one check runs at a time: the others wait and find what it
/// proved. The gates are those of the loop that is active here, if there is
/// one, so what passes need not run again when its turn ends. Agents call this
/// when gates take longer than a hook may.
///
/// With `--lsp` no gate runs: language servers take a quick look at the files
/// that changed, or at those given.
#[derive(clap::Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    criteria: CriteriaOptions,
    /// Run every gate, whatever is known from before
    #[arg(long)]
    fresh: bool,
    /// Run and scan everything, not what differs from the last commit first or alone, and list
    /// every finding; with `--json` every test too
    #[arg(long)]
    all: bool,
    /// Wait for other checks of this work tree, and check for the loop that is active here
    #[arg(long, conflicts_with_all = ["fresh", "lsp"])]
    wait: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print a SARIF log
    #[arg(long)]
    sarif: bool,
    /// Ask language servers about changed files instead of running gates
    #[arg(long)]
    lsp: bool,
    /// Keep the servers running for five minutes: the next look is quick
    #[arg(long, requires = "lsp")]
    warm: bool,
    /// Files to ask about (default: those that git says changed)
    #[arg(requires = "lsp", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl CheckArgs {
    fn is_for_machines(&self) -> bool {
        self.json || self.sarif
    }

    fn wanted(&self) -> CheckRequest {
        CheckRequest {
            memory: if self.fresh { CacheUse::Ignored } else { CacheUse::Used },
            scan: if self.all { CheckScanScope::All } else { CheckScanScope::Changed },
            turn: match (self.wait, self.criteria.is_given()) {
                (false, _) => CheckQueueMode::Ignored,
                (true, true) => CheckQueueMode::Taken,
                (true, false) => CheckQueueMode::TakenForLoop,
            },
        }
    }
}

pub(crate) fn run(args: &CheckArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    folder_guard::refuse_no_project(&app)?;
    if args.wait {
        wait::fall_back(&app);
    }
    let mut layers = app.layers()?;
    args.criteria.apply(&mut layers)?;
    if args.lsp {
        let warmth = if args.warm { ServerKeepAlive::Kept } else { ServerKeepAlive::Used };
        let reports = servers::look(&app, &layers, &args.files, warmth)?;
        if reports.is_empty() && !args.is_for_machines() {
            out::line(texts::no_server(app.locale()));
            return Ok(0);
        }
        show(&reports, args, app.locale());
        return Ok(u8::from(reports.iter().any(GateReport::blocks)));
    }
    let mut progress = CheckProgressPrinter {
        locale: app.locale(),
        quiet: args.is_for_machines(),
        interrupt: InterruptSignal::default(),
        is_held: false,
        line: None,
    };
    signals::listen(&progress.interrupt, || {}, ForcedEndState::Nothing, progress.locale)?;
    let reports = reports(&app, layers, &args.wanted(), &mut progress);
    progress.line = None;
    if progress.interrupt.is_raised() {
        out::note(texts::interrupted(progress.locale));
        return Ok(130);
    }
    let reports = reports?;
    show(&reports, args, progress.locale);
    Ok(u8::from(progress.is_held || reports.iter().any(GateReport::blocks)))
}

/// Options of a check that are not settings.
pub(crate) struct CheckRequest {
    pub(crate) memory: CacheUse,
    pub(crate) scan: CheckScanScope,
    pub(crate) turn: CheckQueueMode,
}

/// The files that are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckScanScope {
    Changed,
    All,
}

/// The way a check treats other checks of the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckQueueMode {
    /// It does not wait for them.
    Ignored,
    /// It waits, and runs the gates of the settings.
    Taken,
    /// It waits, and runs the gates of the loop that is active here, if there is one.
    TakenForLoop,
}

/// Runs the gates.
pub(crate) fn reports(
    app: &App,
    layers: SettingLayers,
    wanted: &CheckRequest,
    progress: &mut CheckProgressPrinter,
) -> Result<Vec<GateReport>, CliError> {
    // Holds the lock until the gates are done.
    let _turn = match wanted.turn {
        CheckQueueMode::Ignored => None,
        CheckQueueMode::Taken | CheckQueueMode::TakenForLoop => {
            Some(wait::for_turn(app, &progress.interrupt)?)
        }
    };
    if wanted.turn == CheckQueueMode::TakenForLoop
        && let Some(reports) = wait::check_run(app, progress)?
    {
        return Ok(reports);
    }
    check_settings(app, layers, wanted, progress)
}

/// Runs the gates that the settings name.
fn check_settings(
    app: &App,
    mut layers: SettingLayers,
    wanted: &CheckRequest,
    progress: &mut CheckProgressPrinter,
) -> Result<Vec<GateReport>, CliError> {
    let mut settings = app.settings(&layers)?;
    let asked = settings.memory.enforce == NoteEnforcement::Asked;
    if settings.policy.gates.iter().all(GateSpec::is_memory) && !asked {
        choose_detected(app, &mut layers, settings.policy.locale);
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
    let gates = drive::gates(app, &settings.policy.gates, &chosen)?;
    if gates.is_empty() && asked {
        return Err(CliError::usage("no note has a check")
            .with_hint("`ralph memory add --rule FILE` or `--test TEST` gives it one").in_korean("검사가 있는 메모가 없습니다", Some("`ralph memory add --rule 파일` 이나 `--test 테스트` 로 검사를 붙일 수 있습니다")));
    }
    if gates.is_empty() && missing.is_empty() {
        return Err(CliError::usage("there is no gate to run")
            .with_hint("set run.criteria in ralph.toml, or add `--criteria custom:COMMAND`")
            .in_korean(
                "실행할 검사가 없습니다",
                Some("ralph.toml 에 run.criteria 를 적거나 `--criteria custom:명령` 을 붙이세요"),
            ));
    }
    progress.locale = settings.policy.locale;
    let supervisor = App::supervisor();
    let env = drive::gate_env(&app.env, &settings);
    let site = GateContext { supervisor: &supervisor, root: &app.project.root, env: &env };
    let (ledger, _) = RunLedger::open(&app.home)?;
    let tree = app.whole_work_tree()?;
    progress.interrupt.interrupt_on_request(tree.handle());
    progress.line = ProgressLine::show(tree.handle(), progress.locale);
    let reads_files = |spec: &GateSpec| {
        let read = [Criterion::Security, Criterion::Diagnostics, Criterion::Memory];
        read.contains(&spec.criterion)
    };
    // Asking git what changed takes longer than all the rest.
    if settings.policy.gates.iter().any(reads_files) {
        let files = files(&tree, wanted.scan)?;
        if matches!(&files, ScanScope::Only(paths) if paths.is_empty()) && !progress.quiet {
            progress.line = None;
            out::note(texts::nothing_changed(settings.policy.locale));
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
    let affected = drive::affected(app, &settings).filter(|_| is_quick);
    let first =
        || affected.as_ref().map(|affected| first(affected, app, &tree)).unwrap_or_default();
    let mut reports = check(&gates, &site, &cache, &first, progress)?;
    for report in &mut reports {
        report.hold_to(&settings.policy.zero, &[]);
    }
    for (spec, need) in missing {
        let reason = texts::missing_need(&need, settings.policy.locale);
        reports.push(GateReport::unknown(&spec, reason));
    }
    Ok(reports)
}

/// Chooses the gates that `ralph init` would switch on, if no criteria are set. Tests
/// that cannot run here are included, and unknown.
fn choose_detected(app: &App, layers: &mut SettingLayers, locale: Locale) {
    let found = app.detected();
    let wanted: Vec<&GateProposal> = found.proposals.iter().filter(|it| it.is_wanted()).collect();
    if !wanted.is_empty() {
        out::note(texts::detected_gates(locale));
    }
    for GateProposal { name, missing, .. } in &wanted {
        if let Some(missing) = missing {
            out::note(texts::gate_cannot_run(name, missing, locale));
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
pub(crate) fn files(tree: &WorkTree, scan: CheckScanScope) -> Result<ScanScope, CliError> {
    let committed = tree.committed().map_err(|error| CliError::internal(&error))?;
    let Some(committed) = committed.filter(|_| scan == CheckScanScope::Changed) else {
        return Ok(ScanScope::All);
    };
    let changes = tree.tree().and_then(|present| tree.changes(&committed, &present));
    let changes = changes.map_err(|error| CliError::internal(&error))?;
    Ok(ScanScope::Only(changes.into_iter().map(|change| change.path).collect()))
}

/// Returns the contents of files in the last commit.
fn committed(tree: &WorkTree, paths: &[PathBuf]) -> Result<EarlierContents, CliError> {
    let trouble = |error| CliError::internal(&error);
    match tree.committed().map_err(trouble)? {
        Some(commit) if !paths.is_empty() => {
            tree.contents(&commit, paths, MOST_EARLIER).map_err(trouble)
        }
        Some(_) | None => Ok(EarlierContents::new()),
    }
}

/// Prints which gate runs, if standard error is a terminal.
pub(crate) struct CheckProgressPrinter {
    pub(crate) locale: Locale,
    pub(crate) quiet: bool,
    /// Stops the gates when it is raised.
    pub(crate) interrupt: InterruptSignal,
    /// True if changes of tests or checks are held against the run.
    pub(crate) is_held: bool,
    /// The progress of reading the files, shown until a message is printed.
    pub(crate) line: Option<ProgressLine>,
}

impl CheckProgressPrinter {
    fn say(&mut self, text: &str) {
        self.line = None;
        if !self.quiet || io::stderr().is_terminal() {
            out::note(text);
        }
    }

    fn say_started(&mut self, gate: &str) {
        self.say(&texts::gate_running(gate, self.locale));
    }
}

impl GateWatcher for CheckProgressPrinter {
    fn started(&mut self, spec: &GateSpec) {
        self.say_started(&spec.name);
    }

    fn finished(&mut self, report: &GateReport) {
        // The table tells people the same.
        if !self.quiet {
            return;
        }
        let verdict = wording::verdict(&report.verdict, self.locale);
        self.say(&format!("{}: {verdict} ({})", report.name, span(report.elapsed)));
    }

    fn first_started(&mut self, spec: &GateSpec) {
        self.say(&texts::gate_first(&spec.name, self.locale));
    }

    fn first_finished(&mut self, report: &GateReport) {
        self.finished(report);
    }

    fn changed(&mut self, files: &[PathBuf]) {
        let files = files.iter().map(PathBuf::as_path);
        self.say(&wording::changed_by_checks(files, self.locale));
    }

    fn stop(&mut self) -> bool {
        self.interrupt.is_raised()
    }
}

fn show(reports: &[GateReport], args: &CheckArgs, locale: Locale) {
    if args.json {
        let view: fn(&GateReport) -> GateView =
            if args.all { GateView::with_every_test } else { |report| GateView::from(report) };
        out::line(serde_json::json!(CheckView::new(reports, view)));
    } else if args.sarif {
        out::line(sarif(reports));
    } else {
        let most = if args.all { usize::MAX } else { findings::FEW };
        out::text(&findings::render(reports, most, locale));
    }
}
