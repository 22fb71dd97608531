//! The tool `check_run`: runs the gates, as `ralph check --wait` does.

use std::thread;
use std::time::Duration;

use ralph_config::Value;
use ralph_engine::check::Memory;
use ralph_engine::clock::Interrupt;
use ralph_engine::wire::{CheckView, GateView};
use ralph_mcp::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::loop_start::Criterion;
use super::{app, refusal};
use crate::app::App;
use crate::commands::check::{self, Progress, Scan, Turn, Wanted};
use crate::commands::install;

const SPEC: Spec = Spec {
    name: "check_run",
    title: "Run the checks",
    description: "Run the checks of the loop, or of the project: tests, build, lints. Tells what fails \
                  and where. Call it before you claim to be done.",
    effect: Effect::Runs,
    company: Company::Alone,
    patience: install::MOST,
};

/// Time between two checks whether the caller still waits.
const LOOK: Duration = Duration::from_millis(100);

/// The choice of gates to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Only these.
    #[serde(default)]
    criteria: Vec<Criterion>,
}

pub(super) fn tool() -> Tool {
    Tool::new(SPEC, check)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn check(input: Input, call: &Call) -> Result<Answer, Refusal> {
    let app = app()?;
    let interrupt = Interrupt::default();
    let reports = while_awaited(call, &interrupt, || run(&app, &input, &interrupt))?;
    if call.is_over() {
        return Err(Refusal("the checks were ended before they were done".to_owned()));
    }
    Answer::new(&CheckView::new(&reports, |report| GateView::from(report)))
}

fn run(
    app: &App,
    input: &Input,
    interrupt: &Interrupt,
) -> Result<Vec<ralph_core::evidence::GateReport>, Refusal> {
    let mut layers = app.layers().map_err(refusal)?;
    if !input.criteria.is_empty() {
        let names = input.criteria.iter().map(|criterion| criterion.name().to_owned());
        layers.set_flag("run.criteria", Value::List(names.collect()));
    }
    let turn = if input.criteria.is_empty() { Turn::TakenForLoop } else { Turn::Taken };
    let wanted = Wanted { memory: Memory::Used, scan: Scan::Changed, turn };
    let (locale, interrupt) = (app.locale(), interrupt.clone());
    let mut progress = Progress { locale, quiet: true, interrupt, is_held: false, line: None };
    check::reports(app, layers, &wanted, &mut progress).map_err(refusal)
}

/// Does the work; raises `interrupt` once the caller stops waiting.
fn while_awaited<T>(call: &Call, interrupt: &Interrupt, work: impl FnOnce() -> T) -> T {
    let done = Interrupt::default();
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
