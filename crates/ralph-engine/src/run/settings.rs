//! The settings of a run that continues.

use ralph_config::{RunSettings, SettingLayers, SettingValue};
use ralph_core::Run;

use crate::app::App;
use crate::user_error::UserError;

/// Interprets the present settings for a run, or those it began with if they cannot be
/// used. The run's own policy stays.
pub fn settings_of(app: &App, run: &Run) -> Result<RunSettings, UserError> {
    settings_with(app, run, &|_| Ok(()))
}

/// Interprets the same settings with changes.
pub fn settings_with(
    app: &App,
    run: &Run,
    change: &dyn Fn(&mut SettingLayers) -> Result<(), UserError>,
) -> Result<RunSettings, UserError> {
    app.fall_back_on(&run.id);
    let read = |mut layers: SettingLayers| {
        change(&mut layers)?;
        interpret(app, run, layers)
    };
    let present = app.layers().and_then(read);
    present.or_else(|error| read(app.begun_layers(error)?))
}

fn interpret(app: &App, run: &Run, mut layers: SettingLayers) -> Result<RunSettings, UserError> {
    layers.set_flag("run.criteria", SettingValue::List(Vec::new()));
    let judged = run.policy.gates.iter().find(|gate| gate.is_judge());
    let criterion = judged.map(|gate| gate.command.display()).unwrap_or_default();
    layers.set_flag("judge.criterion", SettingValue::Text(criterion));
    let trust = if judged.is_some() { "evidence" } else { "claim" };
    layers.set_flag("run.trust", SettingValue::Text(trust.to_owned()));
    layers.set_flag("run.promise", SettingValue::Text("DONE".to_owned()));
    for path in ["run.zero_errors", "run.zero_warnings"] {
        layers.set_flag(path, SettingValue::Switch(false));
    }
    if run.session().is_some() {
        // The context of a host's agent is not ours to choose.
        layers.set_flag("run.context", SettingValue::Text("auto".to_owned()));
    }
    // The gates of the run are its own.
    let mut settings = app.plain_settings(&layers)?;
    settings.policy = run.policy.clone();
    Ok(settings)
}
/// Returns an error for a run of another work tree, whose files would prove nothing.
pub fn refuse_elsewhere(app: &App, run: &Run) -> Result<(), UserError> {
    if run.worktree == app.worktree() {
        return Ok(());
    }
    Err(UserError::refused(format!("{} belongs to {}", run.id, run.worktree))
        .with_hint("change to that folder first")
        .in_korean(
            format!("{} 은(는) {} 의 실행입니다", run.id, run.worktree),
            Some("먼저 그 폴더로 이동하세요"),
        ))
}
