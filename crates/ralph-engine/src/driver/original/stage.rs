//! Runs gates on other files than the present ones, in an overlay.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ralph_core::Run;
use ralph_core::evidence::GateReport;
use ralph_proc::{FileOverlay, OverlayContent, OverlayFile, OverlayMethod, Supervisor};
use ralph_snapshot::EarlierKind;
use ralph_store::GatePass;
use ralph_tamper::{FileLanguage, RestoredContents, byte_code_folders};

use super::{StartCase, StartTrial};
use crate::driver::tampering::FileVersions;
use crate::error::EngineError;

/// Variables that make runners continue after a file that does not load, and
/// keep out daemons that know the real files.
const ENVIRONMENT: [(&str, &str); 2] = [
    ("PYTEST_ADDOPTS", "--continue-on-collection-errors"),
    ("GRADLE_OPTS", "-Dorg.gradle.daemon=false"),
];

/// The variable for another daemon.
const NX_DAEMON: &str = "NX_DAEMON";

/// The files that a gate runs on.
#[derive(Clone, Copy, Debug)]
pub(super) enum TrialStage {
    /// The tests of the start and the present code.
    TestsOfStart,
    /// The present tests and the code of the start.
    CodeOfStart,
    /// Everything as it was at the start.
    Start,
    /// The present files.
    Present,
}

/// A stage that is set up: an overlay of the project, and what it replaces.
#[derive(Clone, Copy)]
pub(super) struct StageOverlay<'a> {
    pub(super) stage: TrialStage,
    /// Starts programs that see the overlay instead of the project.
    pub(super) supervisor: &'a Supervisor,
    /// The files that differ from the project.
    pub(super) restored: &'a BTreeMap<String, RestoredContents>,
}

impl StartTrial<'_, '_> {
    /// Runs a gate on a stage. In a session a result counts that a caller with
    /// more time found in this run.
    pub(super) fn run_on_stage(
        &mut self,
        case: &StartCase<'_>,
        index: usize,
        overlay: StageOverlay<'_>,
    ) -> Result<GateReport, EngineError> {
        let StageOverlay { stage, restored, .. } = overlay;
        let paths: Vec<&String> = restored.keys().collect();
        let key = format!("{stage:?} {} {paths:?} {}", case.start, self.checks.gates[index].key());
        let is_session = case.run.session().is_some();
        if is_session
            && let Some(known) = self.context.ledger.store().pass(&key, &case.present)?
            && known.at >= case.run.started_at
        {
            return Ok(GateReport::remembered(self.checks.gates[index].spec(), known.reading));
        }
        let report = self.report_on(case.run, index, overlay);
        // Stored results count as passes, so a suite that names no tests must
        // pass.
        let is_told = report.reading.tests.is_some() || report.passed();
        if is_session && is_told && report.verdict.is_known() {
            let (reading, at) = (report.reading.clone(), self.context.clock.now());
            let known = GatePass { reading, stamp: String::new(), at };
            self.context.ledger.store().remember_pass(&key, &case.present, &known)?;
        }
        Ok(report)
    }

    /// Runs a gate on a stage and with the variables for it.
    pub(super) fn report_on(
        &mut self,
        run: &Run,
        index: usize,
        StageOverlay { stage, supervisor, .. }: StageOverlay<'_>,
    ) -> GateReport {
        let own = std::mem::replace(&mut self.context.supervisor, supervisor.clone());
        let env = self.checks.gate_env.clone();
        for (name, value) in ENVIRONMENT {
            let known = self.checks.gate_env.iter_mut().find(|(known, _)| known == name);
            match known {
                Some((_, known)) => {
                    known.push(" ");
                    known.push(value);
                }
                None => self.checks.gate_env.push((name.into(), value.into())),
            }
        }
        self.checks.gate_env.retain(|(name, _)| name != NX_DAEMON);
        self.checks.gate_env.push((NX_DAEMON.into(), "false".into()));
        let gates = std::mem::take(&mut self.checks.gates);
        let mut reports = self.gate_runner().execute_shown_as(
            run,
            &[&*gates[index]],
            stage.remark(run.policy.locale),
        );
        self.checks.gates = gates;
        self.checks.gate_env = env;
        self.context.supervisor = own;
        let spec = self.checks.gates[index].spec();
        reports.pop().unwrap_or_else(|| GateReport::unknown(spec, "it did not run".to_owned()))
    }

    /// Returns a supervisor whose programs see these files instead of the
    /// present ones, or the reason why that is not possible.
    pub(super) fn overlaid(
        &self,
        files: &[FileVersions],
        restored: &BTreeMap<String, RestoredContents>,
    ) -> Result<Supervisor, String> {
        let programs: BTreeSet<&str> = files
            .iter()
            .filter(|file| file.was == EarlierKind::Program)
            .map(FileVersions::path)
            .collect();
        let mut seen: Vec<OverlayFile> = Vec::new();
        for (path, restored) in without_conflicts(restored) {
            let seen_as = match restored {
                RestoredContents::Absent => OverlayContent::Nothing,
                RestoredContents::Contents(bytes) if programs.contains(&**path) => {
                    OverlayContent::Program(bytes.clone())
                }
                RestoredContents::Contents(bytes) => OverlayContent::File(bytes.clone()),
            };
            seen.push(OverlayFile { path: path.into(), seen: seen_as });
        }
        if restored.keys().any(|path| FileLanguage::of(path) == Some(FileLanguage::Python)) {
            // Byte code of other versions would be used for these.
            let folders = byte_code_folders(&self.context.places.root).into_iter();
            seen.extend(folders.map(|path| OverlayFile { path, seen: OverlayContent::Nothing }));
        }
        let overlay = FileOverlay {
            root: self.context.places.root.clone(),
            files: seen,
            others: self.context.tree.git_folders_elsewhere(),
            fixed: Vec::new(),
        };
        let layered = self.context.supervisor.with_overlay(overlay.clone(), OverlayMethod::Layers);
        let Err(reason) = layered.probe_overlay() else { return Ok(layered) };
        let fixed =
            self.context.tree.ignored().into_iter().chain([PathBuf::from(".git")]).collect();
        let copied = self
            .context
            .supervisor
            .with_overlay(FileOverlay { fixed, ..overlay }, OverlayMethod::Copy);
        copied.probe_overlay().map(|()| copied).map_err(|_| reason)
    }
}

/// Returns the restored files without impossible ones: a path cannot be absent
/// where a file is, or above or below it.
fn without_conflicts(
    restored: &BTreeMap<String, RestoredContents>,
) -> impl Iterator<Item = (&String, &RestoredContents)> {
    let files: Vec<&Path> = restored
        .iter()
        .filter(|(_, seen)| **seen != RestoredContents::Absent)
        .map(|(path, _)| Path::new(path))
        .collect();
    restored.iter().filter(move |(path, seen)| {
        let path = Path::new(path);
        let is_near = |file: &&Path| file.starts_with(path) || path.starts_with(file);
        **seen != RestoredContents::Absent || !files.iter().any(is_near)
    })
}
