//! Makes a driver from the settings of its run.

use std::path::PathBuf;

use ralph_core::Run;
use ralph_snapshot::ProjectLocation;

use super::{CheckSet, Driver, MemoryUse, RunContext, RunPlaces, TurnInputs};
use crate::app::App;
use crate::clock::InterruptSignal;
use crate::events::EventSink;
use crate::ledger::RunLedger;
use crate::run::{self, RunChecks};
use crate::sandbox::{self, MadeSandbox};
use crate::user_error::UserError;

impl<'a> Driver<'a> {
    /// Makes a driver of this run that is never interrupted. Its gates run in the sandbox
    /// of the settings.
    pub(crate) fn of_run(
        app: &'a App,
        ledger: RunLedger,
        checks: RunChecks,
        run: &Run,
        sink: &'a mut dyn EventSink,
    ) -> Result<Self, UserError> {
        let sandbox = sandbox::of_gates(app, &checks.settings)?;
        let is_gated = !checks.gates.is_empty() || checks.judge.is_some();
        let memory = checks.settings.memory;
        let context = RunContext {
            ledger,
            clock: &app.clock,
            sink,
            interrupt: InterruptSignal::default(),
            supervisor: App::supervisor().within(sandbox.and_then(MadeSandbox::enclosure)),
            tree: app.work_tree(&run.id)?,
            places: RunPlaces {
                root: app.project.root.clone(),
                folder: app.home.join("runs").join(run.id.as_str()),
                foundations: foundations(&app.project),
                shelter: app.home_without_git(),
            },
            held: Vec::new(),
        };
        let set = CheckSet {
            gates: checks.gates,
            judge: checks.judge,
            until: checks.until,
            chosen: checks.chosen,
            affected: run::affected(app, &checks.settings),
            // Without a gate it is not used, and filtering takes time.
            gate_env: if is_gated { run::gate_env(&app.env, &checks.settings) } else { Vec::new() },
        };
        let inputs = TurnInputs {
            agent_env: app.env.clone().into_iter().collect(),
            answer: None,
            template: checks.settings.template,
            enclosure: None,
        };
        let memory = MemoryUse {
            remembers: memory.is_enabled && app.has_a_place_for_memory(),
            recall: app.recall(memory, run.policy.locale),
            left: None,
        };
        Ok(Self::new(context, set, inputs, memory))
    }
}

/// Returns the folders that a run cannot work without.
fn foundations(project: &ProjectLocation) -> Vec<PathBuf> {
    let git = project.git.iter().map(|git| git.dir.clone());
    std::iter::once(project.root.clone()).chain(git).collect()
}
