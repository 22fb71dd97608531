//! The gates and the judge that prove the work of a run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ralph_checks::judge::{CriterionJudge, JudgeTransport};
use ralph_checks::lsp::LspGate;
use ralph_checks::security::{RulePack, ScanSelection, SecurityGate};
use ralph_checks::{CommandGate, Gate};
use ralph_config::{JudgeError, RunSettings, ServerRules, TestOrder};
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec};

use super::agents::{ProgramUse, require_program, require_program_in};
use crate::affected::AffectedTests;
use crate::app::App;
use crate::sandbox::{self, MadeSandbox};
use crate::user_error::UserError;
use crate::{invariants, lsp_helper};

/// The gates and the judge that prove the work of a run.
pub struct RunChecks {
    /// The gates that measure.
    pub gates: Vec<Box<dyn Gate>>,
    /// The judge, if there is one.
    pub judge: Option<CriterionJudge>,
    /// The moment when they must be done; `None` without a limit.
    pub until: Option<Instant>,
    /// The files for gates that read files themselves.
    pub chosen: ScanSelection,
    /// The settings.
    pub settings: RunSettings,
}

impl RunChecks {
    /// Makes the gates and the judge that these settings ask for; an error if a program
    /// for one is missing.
    pub fn new(app: &App, settings: RunSettings) -> Result<Self, UserError> {
        require_commands(app, &settings.policy.gates)?;
        Self::of_running(app, settings)
    }

    /// Makes the checks of a run that continues. Its programs may have vanished since it began.
    pub fn of_running(app: &App, settings: RunSettings) -> Result<Self, UserError> {
        let chosen = ScanSelection::default();
        let gates = found_gates(app, &settings.policy.gates, &chosen)?;
        let judge = judge(app, &settings, &settings.policy.gates)?;
        Ok(Self { gates, judge, until: None, chosen, settings })
    }

    /// Makes empty checks, for callers that run none.
    pub fn none(settings: RunSettings) -> Self {
        let (gates, chosen) = (Vec::new(), ScanSelection::default());
        Self { gates, judge: None, until: None, chosen, settings }
    }

    /// Limits the same checks to this moment. The result of a slower gate comes from
    /// `ralph check --wait`.
    #[must_use]
    pub fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }
}

/// Makes the gates that measure. Each required one must have a folder and a program that exist.
///
/// `chosen` holds the files for gates that read files themselves.
pub fn gates(
    app: &App,
    specs: &[GateSpec],
    chosen: &ScanSelection,
) -> Result<Vec<Box<dyn Gate>>, UserError> {
    require_commands(app, specs)?;
    found_gates(app, specs, chosen)
}

fn require_commands(app: &App, specs: &[GateSpec]) -> Result<(), UserError> {
    let is_needed = |spec: &&GateSpec| spec.need == GateImportance::Required && is_command(spec);
    specs.iter().filter(is_needed).try_for_each(|spec| require_command(app, spec))
}

/// Returns true if the gate runs a program of the user's.
fn is_command(spec: &GateSpec) -> bool {
    let is_ours = matches!(
        spec.criterion,
        Criterion::Security | Criterion::Diagnostics | Criterion::Memory | Criterion::Judge
    );
    !is_ours
}

/// Makes the same gates without looking for their programs. A gate without its program
/// proves nothing.
fn found_gates(
    app: &App,
    specs: &[GateSpec],
    chosen: &ScanSelection,
) -> Result<Vec<Box<dyn Gate>>, UserError> {
    let mut gates: Vec<Box<dyn Gate>> = Vec::new();
    for spec in specs.iter().filter(|spec| !spec.is_judge()) {
        if spec.criterion == Criterion::Security {
            let (pack, chosen) = (Arc::new(security_pack(app)?), chosen.clone());
            gates.push(Box::new(SecurityGate::new(spec.need, pack, move || chosen.get())));
            continue;
        }
        if spec.criterion == Criterion::Diagnostics {
            let pool = lsp_helper::pool(app, ServerRules::new(&app.layers()?)?);
            gates.push(Box::new(LspGate::new(spec.need, pool, chosen.clone())));
            continue;
        }
        if spec.is_memory() {
            gates.push(Box::new(invariants::gate(app, spec.need, specs, chosen)));
            continue;
        }
        gates.push(Box::new(CommandGate::new(spec.clone())));
    }
    Ok(gates)
}

/// Returns the rules over syntax trees, with those of the project.
pub fn security_pack(app: &App) -> Result<RulePack, UserError> {
    let folders = ralph_config::security_rules(&app.layers()?);
    let folders: Vec<PathBuf> =
        folders.iter().map(|folder| app.project.root.join(folder)).collect();
    RulePack::with_user_rules(&folders).map_err(|error| {
        let hint = error.hint();
        let error = UserError::usage(error.to_string());
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    })
}

fn require_command(app: &App, spec: &GateSpec) -> Result<(), UserError> {
    let dir = app.project.root.join(&spec.dir);
    if !dir.is_dir() {
        let what = format!("the folder of gate {}, `{}`, does not exist", spec.name, spec.dir);
        return Err(UserError::usage(what).in_korean(
            format!("게이트 {} 의 폴더 `{}` 이(가) 없습니다", spec.name, spec.dir),
            None,
        ));
    }
    match &spec.command {
        GateCommand::Argv(words) => words.first().map_or(Ok(()), |program| {
            require_program_in(app, &dir, program.as_ref(), ProgramUse::Gate(&spec.name))
        }),
        GateCommand::Shell(_) | GateCommand::Question(_) => Ok(()),
    }
}

/// Makes the judge that these gates ask for.
pub fn judge(
    app: &App,
    settings: &RunSettings,
    specs: &[GateSpec],
) -> Result<Option<CriterionJudge>, UserError> {
    let Some(spec) = specs.iter().find(|spec| spec.is_judge()) else { return Ok(None) };
    let choice = settings.judge.as_ref().ok_or(JudgeError::NobodyToAsk)?;
    if let Some(program) = choice.program() {
        require_program(app, program.as_ref(), ProgramUse::Judge)?;
    }
    let mut transport = choice.transport(&|name| app.variable(name))?;
    if let (JudgeTransport::Command(command), Some(client)) = (&mut transport, choice.client()) {
        let made = sandbox::of_judge(app, &settings.sandbox, client)?;
        command.enclosure = made.and_then(MadeSandbox::enclosure);
    }
    Ok(CriterionJudge::new(spec.clone(), transport))
}

/// Returns the source of tests that run first, if the settings want it.
pub fn affected(app: &App, settings: &RunSettings) -> Option<AffectedTests> {
    match settings.order() {
        TestOrder::AffectedFirst => {
            Some(AffectedTests { root: app.project.root.clone(), state: app.home.clone() })
        }
        TestOrder::AsTheyCome => None,
    }
}

/// Returns the variables of our environment that gates get.
pub fn gate_env(
    env: &BTreeMap<OsString, OsString>,
    settings: &RunSettings,
) -> Vec<(OsString, OsString)> {
    settings.environment().filter(env.clone())
}
