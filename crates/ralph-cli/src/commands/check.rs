//! `ralph check`: runs the gates now, without an agent.

use ralph_checks::Site;
use ralph_core::evidence::GateReport;
use ralph_engine::report::span;
use ralph_engine::wire::{GateView, SCHEMA};
use serde_json::json;

use super::drive;
use crate::app::App;
use crate::config::Settings;
use crate::error::CliError;
use crate::options::CriteriaOptions;
use crate::{out, texts};

/// Run the gates now
///
/// Uses the criteria of ralph.toml or those given. Exit code 0 when every
/// required gate passes, 1 otherwise.
#[derive(clap::Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    criteria: CriteriaOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &CheckArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let mut layers = app.layers()?;
    args.criteria.apply(&mut layers)?;
    let settings = Settings::new(&layers, app.locale())?;
    let gates = drive::gates(&app, &settings.policy.gates)?;
    if gates.is_empty() {
        return Err(CliError::usage("there is no gate to run")
            .with_hint("set run.criteria in ralph.toml, or add `--criteria custom:COMMAND`"));
    }
    let supervisor = App::supervisor();
    let env = drive::gate_env(&app.env, &settings);
    let site = Site { supervisor: &supervisor, root: &app.project.root, env: &env };
    let mut reports = Vec::new();
    for gate in &gates {
        if !args.json {
            out::note(format!("running {} …", gate.spec().name));
        }
        reports.push(gate.run(&site, &mut || false));
    }
    show(&reports, args);
    Ok(u8::from(reports.iter().any(GateReport::blocks)))
}

fn show(reports: &[GateReport], args: &CheckArgs) {
    let passed = !reports.iter().any(GateReport::blocks);
    if args.json {
        let gates: Vec<GateView> = reports.iter().map(GateView::from).collect();
        out::line(json!({ "schema": SCHEMA, "passed": passed, "gates": gates }));
        return;
    }
    let rows = reports.iter().map(|report| {
        vec![
            report.name.clone(),
            report.verdict.describe(),
            span(report.elapsed),
            texts::one_line(&report.command, 60),
        ]
    });
    out::raw(&texts::table(&["gate", "result", "time", "command"], rows));
    for report in reports.iter().filter(|report| !report.passed()) {
        out::line(format!("\n{}:", report.name));
        out::line(report.tail.trim_end());
    }
}
