//! The JSON of a rollback, planned or done.

use std::path::Path;

use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_snapshot::{RollbackOutcome, RollbackPlan, RollbackStep, UntouchedFile, WhyKept};
use serde_json::{Value, json};

use crate::undo::SharedFiles;
use crate::undo::view::word;

/// Renders the plan as JSON.
pub fn planned(plan: &RollbackPlan, shared: &[SharedFiles]) -> Value {
    let steps = |steps: &[RollbackStep]| -> Vec<_> {
        let one = |step: &RollbackStep| {
            let action = word(step.action, Locale::En);
            json!({ "path": step.path.to_string_lossy(), "action": action })
        };
        steps.iter().map(one).collect()
    };
    json!({
        "schema": 1,
        "to": plan.to.to_string(),
        "steps": steps(&plan.steps),
        "conflicts": steps(&plan.conflicts),
        "kept": kept_as_json(&plan.kept),
        "shared": shared.iter().flat_map(shared_as_json).collect::<Vec<_>>(),
    })
}

fn shared_as_json(shared: &SharedFiles) -> impl Iterator<Item = Value> {
    let run = shared.run.to_string();
    let one = move |path| json!({ "path": path, "run_id": run });
    shared.paths.iter().map(|path| path.to_string_lossy().into_owned()).map(one)
}

/// Renders the result as JSON.
pub fn done(run: &Run, done: &RollbackOutcome, kept: &[UntouchedFile]) -> Value {
    let paths = |paths: &mut dyn Iterator<Item = &Path>| -> Vec<_> {
        paths.map(|path| path.to_string_lossy().into_owned()).collect()
    };
    json!({
        "schema": 1,
        "run_id": run.id.to_string(),
        "files": done.steps.len(),
        "left": paths(&mut done.left.iter().map(|path| &**path)),
        "blocked": paths(&mut done.blocked.iter().map(|blocked| &*blocked.path)),
        "kept": kept_as_json(kept),
        "safety": done.safety.as_ref().map(|safety| safety.label.to_string()),
    })
}

fn kept_as_json(kept: &[UntouchedFile]) -> Vec<Value> {
    let why = |kept: &UntouchedFile| match kept.why {
        WhyKept::AppearedLater => "appeared_later",
        WhyKept::NotRecorded => "not_recorded",
        WhyKept::IgnoredThen => "ignored_then",
        WhyKept::Nested => "nested",
        WhyKept::TooLarge => "too_large",
        WhyKept::LeftOut => "written_by_a_gate",
        WhyKept::AppearedMeanwhile => "appeared_meanwhile",
    };
    let one =
        |kept: &UntouchedFile| json!({ "path": kept.path.to_string_lossy(), "why": why(kept) });
    kept.iter().map(one).collect()
}
