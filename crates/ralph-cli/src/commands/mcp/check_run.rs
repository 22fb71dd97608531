//! The tool `check_run`: runs the gates, as `ralph check --wait` does.

use std::thread;
use std::time::Duration;

use ralph_config::SettingValue;
use ralph_engine::check::{CacheUse, CheckQueueMode, CheckRequest, CheckScanScope, run_checks};
use ralph_engine::clock::InterruptSignal;
use ralph_engine::wire::{checked, gate};
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::loop_start::CriterionName;
use super::{app, refusal};
use crate::app::App;
use crate::commands::check::CheckProgressPrinter;

const SPEC: ToolSpec = ToolSpec {
    name: "check_run",
    title: "Run the checks",
    description: "Run the checks of the loop, or of the project: tests, build, lints. Tells what fails \
                  and where. Call it before you claim to be done.",
    effect: CallEffect::Runs,
    company: CallConcurrency::Alone,
    patience: ralph_engine::install::MOST,
};

/// Time between two checks whether the caller still waits.
const LOOK: Duration = Duration::from_millis(100);

/// The choice of gates to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckRunInput {
    /// Only these.
    #[serde(default)]
    criteria: Vec<CriterionName>,
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, check)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn check(input: CheckRunInput, call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let app = app()?;
    let interrupt = InterruptSignal::default();
    let reports = while_awaited(call, &interrupt, || run(&app, &input, &interrupt))?;
    if call.is_over() {
        return Err(ToolCallError("the checks were ended before they were done".to_owned()));
    }
    ToolAnswer::new(&checked(&reports, gate))
}

fn run(
    app: &App,
    input: &CheckRunInput,
    interrupt: &InterruptSignal,
) -> Result<Vec<ralph_core::evidence::GateReport>, ToolCallError> {
    let mut layers = app.layers().map_err(refusal)?;
    if !input.criteria.is_empty() {
        let names = input.criteria.iter().map(|criterion| criterion.name().to_owned());
        layers.set_flag("run.criteria", SettingValue::List(names.collect()));
    }
    let turn = if input.criteria.is_empty() {
        CheckQueueMode::TakenForLoop
    } else {
        CheckQueueMode::Taken
    };
    let (memory, scan) = (CacheUse::Used, CheckScanScope::Changed);
    let wanted = CheckRequest { memory, scan, turn, interrupt: interrupt.clone() };
    let mut progress = CheckProgressPrinter::new(app.locale(), interrupt.clone()).quietly();
    let result = run_checks(app, layers, &wanted, &mut progress).map_err(refusal)?;
    Ok(result.reports)
}

/// Does the work; raises `interrupt` once the caller stops waiting.
fn while_awaited<T>(call: &ToolCall, interrupt: &InterruptSignal, work: impl FnOnce() -> T) -> T {
    let done = InterruptSignal::default();
    thread::scope(|threads| {
        threads.spawn(|| {
            while !done.wait(LOOK) {
                if call.is_over() {
                    interrupt.raise();
                    return;
                }
            }
        });
        let came_to = work();
        done.raise();
        came_to
    })
}
