//! `ralph check`: runs the gates now, without an agent.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use ralph_checks::GateWatcher;
use ralph_core::Timestamp;
use ralph_core::evidence::GateReport;
use ralph_core::locale::Locale;
use ralph_core::policy::GateSpec;
use ralph_core::wording;
use ralph_engine::check::{
    self, CacheUse, CheckNote, CheckObserver, CheckQueueMode, CheckRequest, CheckResult,
    CheckScanScope, run_checks,
};
use ralph_engine::clock::InterruptSignal;
use ralph_engine::events::{EventSink, RunEvent};
use ralph_engine::folder_guard;
use ralph_engine::lsp_helper::ServerKeepAlive;
use ralph_engine::report::span;
use ralph_engine::wire::{checked, gate, gate_with_every_test, sarif};
use ralph_snapshot::WorkHandle;
use serde_json::Value;

use super::trust;
use crate::app::App;
use crate::error::CliError;
use crate::options::{CriteriaOptions, SandboxOptions, TrustOptions};
use crate::progress_line::ProgressLine;
use crate::signals::{self, ForcedEndState};
use crate::{out, texts};
use ralph_engine::report::findings;

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
    #[command(flatten)]
    sandbox: SandboxOptions,
    #[command(flatten)]
    trust: TrustOptions,
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

    fn wanted(&self, interrupt: InterruptSignal) -> CheckRequest {
        CheckRequest {
            interrupt,
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
        check::fall_back(&app);
    }
    let mut layers = trust::settings(&app, &args.trust)?;
    args.criteria.apply(&mut layers)?;
    args.sandbox.apply(&mut layers)?;
    if args.lsp {
        let warmth = if args.warm { ServerKeepAlive::Kept } else { ServerKeepAlive::Used };
        let reports = check::look(&app, &layers, &args.files, warmth)?;
        if reports.is_empty() && !args.is_for_machines() {
            out::line(texts::no_server(app.locale()));
            return Ok(0);
        }
        show(&reports, args, app.locale());
        return Ok(u8::from(reports.iter().any(GateReport::blocks)));
    }
    let interrupt = InterruptSignal::default();
    let progress = CheckProgressPrinter::new(app.locale(), interrupt.clone());
    let mut progress = if args.is_for_machines() { progress.quietly() } else { progress };
    signals::listen(&interrupt, || {}, ForcedEndState::Nothing, progress.locale)?;
    let result = run_checks(&app, layers, &args.wanted(interrupt), &mut progress);
    progress.line = None;
    if progress.interrupt.is_raised() {
        out::note(texts::interrupted(progress.locale));
        return Ok(130);
    }
    let CheckResult { reports, is_held } = result?;
    show(&reports, args, progress.locale);
    Ok(u8::from(is_held || reports.iter().any(GateReport::blocks)))
}

/// Prints which gate runs, if standard error is a terminal.
pub(crate) struct CheckProgressPrinter {
    locale: Locale,
    quiet: bool,
    interrupt: InterruptSignal,
    /// The progress of reading the files, shown until a message is printed.
    line: Option<ProgressLine>,
}

impl CheckProgressPrinter {
    /// Makes one that stops the gates once `interrupt` is raised.
    pub(crate) fn new(locale: Locale, interrupt: InterruptSignal) -> Self {
        Self { locale, quiet: false, interrupt, line: None }
    }

    /// Prints only what a terminal may show beside data.
    pub(crate) fn quietly(self) -> Self {
        Self { quiet: true, ..self }
    }

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

impl CheckObserver for CheckProgressPrinter {
    fn speaks(&mut self, locale: Locale) {
        self.locale = locale;
    }

    fn reads(&mut self, work: &WorkHandle) {
        self.line = ProgressLine::show(work, self.locale);
    }

    fn note(&mut self, note: CheckNote<'_>) {
        match note {
            CheckNote::Held { place, what } => {
                self.say(&texts::held_change(place, what, self.locale));
            }
            CheckNote::AnotherCheck => out::note(texts::another_check(self.locale)),
            CheckNote::Detected => out::note(texts::detected_gates(self.locale)),
            CheckNote::CannotRun { name, missing } => {
                out::note(texts::gate_cannot_run(name, missing, self.locale));
            }
            CheckNote::Sandbox { sentence } => out::note(sentence),
            CheckNote::NothingChanged if self.quiet => {}
            CheckNote::NothingChanged => {
                self.line = None;
                out::note(texts::nothing_changed(self.locale));
            }
        }
    }
}

impl EventSink for CheckProgressPrinter {
    fn event(&mut self, event: &RunEvent<'_>, _at: Timestamp) {
        match event {
            RunEvent::GateStarted { name, .. } => self.say_started(name),
            RunEvent::GateFinished { report, .. } => self.finished(report),
            RunEvent::Notice { text, .. } => self.say(text),
            RunEvent::RunStarted { .. }
            | RunEvent::IterationStarted { .. }
            | RunEvent::AgentOutput { .. }
            | RunEvent::IterationEnded { .. }
            | RunEvent::Waiting { .. }
            | RunEvent::RunBroken { .. }
            | RunEvent::RunEnded { .. } => {}
        }
    }
}

fn show(reports: &[GateReport], args: &CheckArgs, locale: Locale) {
    if args.json {
        let view: fn(&GateReport) -> Value = if args.all { gate_with_every_test } else { gate };
        out::line(checked(reports, view));
    } else if args.sarif {
        out::line(sarif(reports));
    } else {
        let most = if args.all { usize::MAX } else { findings::FEW };
        out::text(&findings::render(reports, most, locale));
    }
}
