//! `ralph status`: shows the state of the runs of this work tree.

use std::io;
use std::time::Duration;

use ralph_core::Run;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::owner;
use ralph_engine::tool::{RunFacts, run_facts, run_list};

use super::memory;
use crate::app::App;
use crate::error::CliError;
use crate::region::LiveRegion;
use crate::{out, texts};

/// Time between two updates of a watched status.
const GLANCE: Duration = Duration::from_secs(1);

/// Show where the runs of this work tree stand
#[derive(clap::Args, Debug)]
pub(crate) struct StatusArgs {
    /// The run to show (default: the open ones, else the newest)
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Show it again and again until no run is at work
    #[arg(long, short, conflicts_with = "json")]
    watch: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatusArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    if args.json {
        let list = run_list(&app, args.run.as_deref())?.with_memory(memory::bytes(&app)?);
        out::line(serde_json::to_string_pretty(&list).map_err(|error| CliError::internal(&error))?);
        return Ok(0);
    }
    if args.watch {
        return watch(&app, args.run.as_deref());
    }
    let found = run_facts(&app, args.run.as_deref())?;
    out::text(&rendered(&app, &found));
    Ok(0)
}

fn rendered(app: &App, found: &[RunFacts]) -> String {
    if found.is_empty() {
        return format!("{}\n", ralph_engine::app::no_run(app.locale()));
    }
    let mut text = String::new();
    for RunFacts { run, iterations, commands } in found {
        text.push_str(&texts::status(run, iterations, app.now()));
        if let Some(back) = commands.standing_rollback() {
            let note = rolled_back(run, &back.sentence(run.policy.locale));
            text.push_str(&texts::fact("note", &note, run.policy.locale));
        }
        if app.is_left(run) {
            text.push_str(&texts::fact("note", &client_gone(run), run.policy.locale));
        }
    }
    text
}

/// Redraws the status on a terminal; elsewhere prints it after each turn or run.
fn watch(app: &App, given: Option<&str>) -> Result<u8, CliError> {
    let (pause, mut region) = (InterruptSignal::default(), LiveRegion::default());
    let mut last = None;
    loop {
        let found = run_facts(app, given)?;
        let text = rendered(app, &found);
        let wide = out::width(&io::stdout());
        if let Some(wide) = wide {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            out::steer(&region.draw(&lines, wide, |_, line| line.to_owned()));
        } else {
            let now: Vec<_> = found
                .iter()
                .map(|RunFacts { run, .. }| (run.id.clone(), run.iteration, run.state.clone()))
                .collect();
            if last.as_ref() != Some(&now) {
                out::raw(&text);
                last = Some(now);
            }
        }
        out::flush();
        if !found.iter().any(|found| owner::is_at_work(&found.run)) {
            // The shell's prompt goes below the status.
            out::steer(wide.map_or("", |_| "\n"));
            return Ok(0);
        }
        pause.wait(GLANCE);
    }
}

/// Renders the remark that files of a run were rolled back, and how to undo it.
fn rolled_back(run: &Run, sentence: &str) -> String {
    let id = &run.id;
    run.policy.locale.say(
        format!("{sentence} `ralph rollback {id} --undo` undoes that."),
        format!("{sentence} `ralph rollback {id} --undo` 로 취소합니다."),
    )
}

/// Renders the advice about a run whose client is gone.
fn client_gone(run: &Run) -> String {
    let id = &run.id;
    run.policy.locale.say(
        format!(
            "its client is gone; `/ralph resume {id}` in a session or `ralph resume {id} --agent NAME` goes on, `ralph stop {id}` ends it"
        ),
        format!(
            "클라이언트가 사라졌습니다. 세션에서 `/ralph resume {id}` 또는 `ralph resume {id} --agent NAME` 으로 계속하고, `ralph stop {id}` 로 끝냅니다"
        ),
    )
}
