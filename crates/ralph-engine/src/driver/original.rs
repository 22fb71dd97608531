//! Runs the tests of the start on the present code, and new tests on the code
//! of the start.
//!
//! This happens once all other evidence says that the run is done, and only if
//! tests were changed or added. Gates run on an overlay of the project, so none
//! of its files is written.

mod biting;
mod control;
mod new_code;
mod stage;
mod whole_suite;
mod wording;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use ralph_core::decide::{Decision, decide, is_luck, is_otherwise_done};
use ralph_core::evidence::{Evidence, GateReport, ProofTest, TestEdit, Verdict, WeakenedCheck};
use ralph_core::finding::test_name;
use ralph_core::original::{self, OriginalVerdict};
use ralph_core::policy::{Criterion, GateImportance, GateSpec, OriginalTests, RuleEdition};
use ralph_core::preserve::BaselineTests;
use ralph_core::state::Proof;
use ralph_core::{Run, TreeId};
use ralph_proc::is_lack_of_means;
use ralph_tamper::{
    FilePair, RestoredContents, TamperRules, Tampering, TamperingKind, VisibleFiles, is_material,
    is_runner_config, split, tests_in,
};

use self::stage::{StageOverlay, TrialStage};
use self::whole_suite::{
    SuiteJudgement, fails_without_names, is_whole, state_of, tests_of, whole_start, whole_suite,
};
use self::wording::TrialWording;
use super::suite::GateRunner;
use super::surroundings::OutsideWatch;
use super::tampering::{self, FileVersions};
use super::test_places::{allows_test, is_of_file};
use super::{CheckSet, RunContext, preserve};
use crate::error::EngineError;
use crate::events::RunEvent;

/// Maximum number of objections that are listed.
const NAMED: usize = 20;

/// A run whose tests can be judged against the start.
struct StartCase<'a> {
    run: &'a Run,
    /// All present files.
    project: &'a VisibleFiles,
    start: TreeId,
    present: TreeId,
    rules: TamperRules,
    /// All files that differ from the start.
    files: Vec<FileVersions>,
    /// The tests of the start, gate by gate.
    starts: BTreeMap<String, BaselineTests>,
    /// The gates that name no tests and are judged by their verdict.
    whole: BTreeSet<String>,
    /// The gates that are judged by their tests, by number.
    gates: Vec<usize>,
}

impl StartCase<'_> {
    /// Returns how a gate is judged.
    fn judgement(&self, gate: &str) -> SuiteJudgement {
        if self.whole.contains(gate) { SuiteJudgement::AsWhole } else { SuiteJudgement::ByTests }
    }

    /// Returns true if the user accepted changes of a test.
    fn allows_test(&self, id: &str) -> bool {
        allows_test(&self.rules, id, &self.files)
    }
}

/// Returns both versions of these files, without those that cannot be restored.
fn pairs<'f>(files: impl Iterator<Item = &'f FileVersions>) -> Vec<FilePair<'f>> {
    files.filter(|file| file.is_known()).map(FileVersions::pair).collect()
}

/// Runs tests on files of the start.
pub(super) struct StartTrial<'d, 'a> {
    pub(super) context: &'d mut RunContext<'a>,
    pub(super) checks: &'d mut CheckSet,
}

impl<'a> StartTrial<'_, 'a> {
    fn gate_runner(&mut self) -> GateRunner<'_, 'a> {
        GateRunner { context: self.context, checks: self.checks }
    }

    fn outside(&self) -> OutsideWatch<'_, 'a> {
        OutsideWatch { context: self.context, checks: self.checks }
    }

    /// Runs the tests of the start on the present code if the run would be done
    /// otherwise. Runs new tests on the code of the start if nothing else
    /// proves the work.
    pub(crate) fn judge_by_start(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if !is_otherwise_done(run, &run.policy, evidence) {
            return Ok(());
        }
        let began = Instant::now();
        let project = VisibleFiles::new(&self.context.places.root);
        self.run_start_tests(run, evidence, &project)?;
        self.outside().look_at_packages(run, evidence)?;
        self.outside().look_at_surroundings(run, evidence, &project)?;
        if is_luck(run, evidence) {
            let gates: Vec<&str> = evidence.gates.iter().map(|gate| gate.name.as_str()).collect();
            let (place, what) = (gates.join(", "), wording::luck(run.policy.locale).to_owned());
            evidence.edited.push(TestEdit { place, what });
        }
        evidence.aside = evidence.aside.saturating_add(began.elapsed());
        Ok(())
    }

    /// Does the same for a caller who waits for the gates and judges nothing.
    /// The results are stored.
    pub(crate) fn precompute_judgement(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if evidence.gates.iter().any(GateReport::blocks) {
            return Ok(());
        }
        self.run_start_tests(run, evidence, &VisibleFiles::new(&self.context.places.root))
    }

    fn run_start_tests(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
        project: &VisibleFiles,
    ) -> Result<(), EngineError> {
        // A start that cannot be read holds the run already.
        let Ok(Some(mut case)) = self.case(run, evidence, project) else { return Ok(()) };
        self.learn_start(&mut case, evidence)?;
        if case.gates.is_empty() {
            return Ok(());
        }
        let sealed = self.context.sealed_for_gates(run);
        let known = self.context.held.len();
        let heard = self.run_case_tests(&case, evidence);
        self.context.restore_sealed_files(run, sealed)?;
        evidence.weakened.extend(self.context.held[known..].iter().cloned());
        heard
    }

    /// Runs the tests of the start, and new ones on the code of the start.
    fn run_case_tests(
        &mut self,
        case: &StartCase<'_>,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        let run = case.run;
        self.run_changed_start_tests(case, evidence)?;
        // A check that turned green needs no other proof.
        let is_proven = decide(run, &run.policy, evidence).decision
            == Decision::Complete(Proof::Verified)
            || run.baseline.as_ref().is_some_and(|baseline| !baseline.red.is_empty())
            || run.policy.gates.iter().any(GateSpec::is_judge);
        if is_proven || !evidence.weakened.is_empty() {
            return Ok(());
        }
        evidence.biting = self.proof_tests(case, evidence)?;
        let told = |one: &ProofTest| TestEdit {
            place: test_name(&one.id).to_owned(),
            what: wording::bite(one.bite, run.policy.locale).to_owned(),
        };
        evidence.edited.extend(evidence.biting.iter().take(NAMED).map(told));
        Ok(())
    }

    /// Runs the tests at the start now, if there was no time for it then.
    fn learn_start(
        &mut self,
        case: &mut StartCase<'_>,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        for index in case.gates.clone() {
            let name = self.checks.gates[index].spec().name.clone();
            if case.starts.contains_key(&name) {
                continue;
            }
            let Some(report) = self.run_gate_on_start(case, index)? else { continue };
            match report.reading.tests {
                Some(tests) if report.verdict.is_known() => {
                    preserve::add(&self.context.places.folder, &name, &tests)?;
                    case.starts.insert(name, ralph_core::preserve::start(&tests));
                }
                // A suite that did not even load is compared with its present
                // result.
                None if report.verdict.is_known() => {
                    case.starts.insert(name, BaselineTests::default());
                }
                Some(_) | None => self.pass_on_lack_of_time(&report, evidence),
            }
        }
        case.gates.retain(|index| case.starts.contains_key(&self.checks.gates[*index].spec().name));
        Ok(())
    }

    /// Runs a gate on the files of the start; `None` if that is not possible.
    fn run_gate_on_start(
        &mut self,
        case: &StartCase<'_>,
        index: usize,
    ) -> Result<Option<GateReport>, EngineError> {
        let whole = |file: &FileVersions| (file.path().to_owned(), file.restored());
        let all = case.files.iter().filter(|file| file.is_known()).map(whole).collect();
        match self.overlaid(&case.files, &all) {
            Ok(supervisor) => {
                let stage = TrialStage::Start;
                let overlay = StageOverlay { stage, supervisor: &supervisor, restored: &all };
                self.run_on_stage(case, index, overlay).map(Some)
            }
            Err(_) => Ok(None),
        }
    }

    /// Marks a gate without a result if a hook had no time for it: a caller
    /// with more time runs it.
    fn pass_on_lack_of_time(&self, report: &GateReport, evidence: &mut Evidence) {
        let own = evidence.gates.iter_mut().find(|own| own.name == report.name);
        if let (Some(_), Some(own), Verdict::Unknown { .. }) =
            (self.checks.until, own, &report.verdict)
        {
            own.verdict = report.verdict.clone();
        }
    }

    /// Returns the case to judge; `None` if there is nothing to judge.
    fn case<'r>(
        &self,
        run: &'r Run,
        evidence: &Evidence,
        project: &'r VisibleFiles,
    ) -> Result<Option<StartCase<'r>>, EngineError> {
        let is_off = run.policy.tests.original == OriginalTests::Off;
        if is_off || run.policy.edition == RuleEdition::First {
            return Ok(None);
        }
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.clone());
        let Some((start, present)) = start.zip(evidence.tree.clone()) else { return Ok(None) };
        if start == present {
            return Ok(None);
        }
        let mut starts = preserve::load(&self.context.places.folder);
        let mut whole = BTreeSet::new();
        for gate in &evidence.gates {
            if is_whole(gate, starts.get(&gate.name)) {
                whole.insert(gate.name.clone());
                starts.insert(gate.name.clone(), whole_start(run, gate));
            }
        }
        let is_judged = |index: &usize| {
            let spec = self.checks.gates[*index].spec();
            let report = evidence.gates.iter().find(|report| report.name == spec.name);
            let has_tests = report.is_some_and(|report| report.reading.tests.is_some());
            // A custom command may be a suite, too.
            let is_suite = matches!(spec.criterion, Criterion::TestPass | Criterion::Custom);
            spec.need == GateImportance::Required && (has_tests || is_suite)
        };
        let gates: Vec<usize> = (0..self.checks.gates.len()).filter(is_judged).collect();
        if gates.is_empty() {
            return Ok(None);
        }
        let (rules, files) =
            (self.outside().rules(run)?, self.outside().both_versions(run, &present)?);
        Ok(Some(StartCase { run, project, start, present, rules, files, starts, whole, gates }))
    }

    /// Runs the tests of the start on the present code, if tests were changed.
    fn run_changed_start_tests(
        &mut self,
        case: &StartCase<'_>,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        let open = case.files.iter().filter(|file| !case.rules.allows(file.path()));
        // Git references tell whether another person wrote a file. The agent
        // can write them, so they excuse nothing here.
        let material = split(&pairs(open.clone()), case.project).tests;
        let lost = open.filter(|file| !file.is_known() && is_material(file.path()));
        let lost: Vec<WeakenedCheck> = lost
            .map(|file| WeakenedCheck {
                place: file.path().to_owned(),
                what: wording::cannot_restore(case.run.policy.locale).to_owned(),
            })
            .collect();
        if material.is_empty() {
            evidence.weakened.extend(lost);
            return Ok(());
        }
        let trial = TrialWording::new(&material, case.run.policy.locale);
        let supervisor = match self.overlaid(&case.files, &material) {
            Ok(supervisor) => supervisor,
            Err(reason) => {
                let (place, what) = (trial.places(), trial.not_possible(&reason));
                if is_lack_of_means(&reason) {
                    evidence.edited.push(TestEdit { place, what });
                } else {
                    evidence.weakened.push(WeakenedCheck { place, what });
                }
                evidence.weakened.extend(lost);
                return Ok(());
            }
        };
        self.context.emit(&RunEvent::Notice { run: case.run, text: trial.announced() });
        let stage = TrialStage::TestsOfStart;
        let overlay = StageOverlay { stage, supervisor: &supervisor, restored: &material };
        let (mut verdicts, mut doubts) = (Vec::new(), Vec::new());
        for index in case.gates.clone() {
            let heard = self.run_gate_start_tests(case, index, overlay, evidence)?;
            if heard.as_ref().is_some_and(|heard| heard.objections.is_empty()) {
                doubts.extend(self.run_controls(case, index, &material, evidence)?);
            }
            verdicts.extend(
                heard.map(|verdict| (self.checks.gates[index].spec().name.clone(), verdict)),
            );
        }
        if verdicts.len() == case.gates.len() {
            self.replace_reading(case, &material, evidence);
        }
        evidence.weakened.extend(lost);
        for (gate, verdict) in verdicts {
            if verdict.objections.is_empty() {
                evidence.edited.push(TestEdit { what: trial.all_pass(&verdict), place: gate });
                continue;
            }
            doubts.extend(trial.held(&verdict, |id| case.allows_test(id)).into_iter().take(NAMED));
        }
        if evidence.forgets_failure {
            let (place, what) = (trial.places(), trial.forgotten().to_owned());
            evidence.edited.push(TestEdit { place, what });
        }
        let is_told = case.run.policy.allowed.tests
            || case.run.policy.tests.original == OriginalTests::Report;
        if is_told {
            let told = |one: WeakenedCheck| TestEdit {
                what: ralph_core::wording::accepted(&one.what, case.run.policy.locale),
                place: one.place,
            };
            evidence.accepts_changes |= !doubts.is_empty();
            evidence.edited.extend(doubts.into_iter().map(told));
        } else {
            evidence.weakened.extend(doubts);
        }
        Ok(())
    }

    /// Runs the tests of one gate as they were at the start; `None` if they
    /// cannot be run.
    fn run_gate_start_tests(
        &mut self,
        case: &StartCase<'_>,
        index: usize,
        overlay: StageOverlay<'_>,
        evidence: &mut Evidence,
    ) -> Result<Option<StartSuiteResult>, EngineError> {
        let name = self.checks.gates[index].spec().name.clone();
        let report = self.run_on_stage(case, index, overlay)?;
        let own = evidence.gates.iter().find(|report| report.name == name).cloned();
        let Some((then, own)) = case.starts.get(&name).zip(own) else { return Ok(None) };
        if let Verdict::Unknown { reason } = &report.verdict {
            if self.checks.until.is_none() {
                let trial = TrialWording::new(overlay.restored, case.run.policy.locale);
                let what = trial.not_possible(reason);
                evidence.edited.push(TestEdit { place: trial.places(), what });
            }
            self.pass_on_lack_of_time(&report, evidence);
            return Ok(None);
        }
        let (mut then, mut judgement) = (then, case.judgement(&name));
        let judged = tests_of(&report, &own, judgement);
        let mut verdict = original::judge(then, &tests_of(&own, &own, judgement), &judged);
        let whole = whole_start(case.run, &own);
        if verdict.objections.is_empty() && fails_without_names(&report, then, &whole) {
            // Only its verdict can be compared.
            (then, judgement) = (&whole, SuiteJudgement::AsWhole);
            let judged = whole_suite(&own, state_of(&report));
            verdict = original::judge(then, &whole_suite(&own, state_of(&own)), &judged);
        }
        if !verdict.objections.is_empty() {
            let tests = |report: &GateReport| tests_of(report, &own, judgement);
            let again = self.report_on(case.run, index, overlay);
            // A suite that passes without a test is no control.
            let names_some = |report: &GateReport| {
                judgement == SuiteJudgement::AsWhole
                    || report.reading.tests.is_some()
                    || !report.passed()
            };
            let control = self.run_gate_on_start(case, index)?.filter(names_some);
            verdict.confirm(then, &tests(&again), control.as_ref().map(tests).as_ref());
        }
        let why_not_run = wording::why_not_run(&report, then);
        let is_whole = judgement == SuiteJudgement::AsWhole;
        Ok(Some(StartSuiteResult { verdict, why_not_run, is_whole }))
    }

    /// Reports static findings about tests that were run as they were at the
    /// start, without counting them.
    fn replace_reading(
        &mut self,
        case: &StartCase<'_>,
        material: &BTreeMap<String, RestoredContents>,
        evidence: &mut Evidence,
    ) {
        // A suite that names no tests is assumed to run them all. A custom
        // command may run none of them.
        let runs_all = |index: &usize| {
            let spec = self.checks.gates[*index].spec();
            spec.criterion == Criterion::TestPass && case.whole.contains(&spec.name)
        };
        let has_whole = case.gates.iter().any(runs_all);
        let names_tests =
            |index: &&usize| !case.whole.contains(&self.checks.gates[**index].spec().name);
        let naming: Vec<&usize> = case.gates.iter().filter(names_tests).collect();
        let has_names = !naming.is_empty();
        let ids: Vec<&String> = naming
            .into_iter()
            .filter_map(|index| case.starts.get(&self.checks.gates[*index].spec().name))
            .flat_map(|start| start.passed.iter().chain(&start.failed).chain(&start.skipped))
            .collect();
        let is_run = |path: &str| {
            let old = case.files.iter().find(|file| file.path() == path);
            let names = old.map(|file| tests_in(path, &file.old_text())).unwrap_or_default();
            has_whole
                || (has_names && names.is_empty())
                || ids.iter().any(|id| {
                    is_of_file(id, path)
                        || names.iter().any(|(name, _)| id.ends_with(name.as_str()))
                })
        };
        let is_heard = |one: &Tampering| {
            let is_about_tests = one.kind.is_about_tests()
                || matches!(one.kind, TamperingKind::CollectionChanged { .. })
                || is_runner_config(&one.place.file);
            is_about_tests && material.contains_key(&one.place.file) && is_run(&one.place.file)
        };
        let found = self.outside().tampering(&case.rules, case.run, &case.files);
        let (heard, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_heard);
        let judged: Vec<String> =
            case.gates.iter().map(|index| self.checks.gates[*index].spec().name.clone()).collect();
        let locale = case.run.policy.locale;
        evidence.weakened.clear();
        evidence.edited.clear();
        evidence.accepts_changes = false;
        preserve::compare_but(&judged, &self.context.places.folder, locale, evidence);
        tampering::accept(&case.rules, case.run, &case.files, evidence);
        self.outside().look_at_programs(case.run, evidence);
        evidence.weakened.extend(self.context.held.iter().cloned());
        tampering::report(others, &case.rules, case.run, evidence);
        let told = |one: Tampering| TestEdit {
            place: one.place.display(),
            what: one.kind.describe(locale),
        };
        evidence.edited.extend(heard.into_iter().take(NAMED).map(told));
    }
}

/// The result of a gate's tests of the start, and the reason why some could not
/// be run.
struct StartSuiteResult {
    verdict: OriginalVerdict,
    why_not_run: Option<String>,
    /// True if the suite names no tests and was judged by its verdict.
    is_whole: bool,
}

impl std::ops::Deref for StartSuiteResult {
    type Target = OriginalVerdict;

    fn deref(&self) -> &OriginalVerdict {
        &self.verdict
    }
}
