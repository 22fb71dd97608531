//! The gate for notes that have a check, and the gates that run their tests.

use ralph_checks::invariants::InvariantGate;
use ralph_checks::security::ScanSelection;
use ralph_config::SettingValue;
use ralph_core::policy::{Criterion, GateImportance, GateSpec};
use ralph_engine::invariants::held;

use crate::app::App;

/// Makes the gate for the notes of this project and of its user. `specs` are all gates
/// of the settings.
pub(crate) fn gate(
    app: &App,
    need: GateImportance,
    specs: &[GateSpec],
    chosen: &ScanSelection,
) -> InvariantGate {
    let homes = app.note_homes();
    let notes = move || held(&homes).map_err(|error| format!("notes cannot be read: {error}"));
    InvariantGate::new(need, notes, runners(app, specs), chosen.clone())
}

/// Returns the gates that run the project's tests: those in `specs`, else those of the
/// settings or the project's files.
pub(crate) fn runners(app: &App, specs: &[GateSpec]) -> Vec<GateSpec> {
    let runs_tests = |spec: &&GateSpec| spec.criterion == Criterion::TestPass;
    let given: Vec<GateSpec> = specs.iter().filter(runs_tests).cloned().collect();
    if !given.is_empty() {
        return given;
    }
    let Ok(mut layers) = app.layers() else { return Vec::new() };
    let tests = vec![Criterion::TestPass.name().to_owned()];
    layers.set_flag("run.criteria", SettingValue::List(tests));
    // Without a command for tests no gate can run one.
    let gates = app.plain_settings(&layers).map(|settings| settings.policy.gates);
    gates.unwrap_or_default().iter().filter(runs_tests).cloned().collect()
}
