//! `ralph report`: the proof of one run.

use ralph_engine::report::{ReportMarkup, RunReport};

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Print why a run ended, every gate with its output, the tree and the cost
#[derive(clap::Args, Debug)]
pub(crate) struct ReportArgs {
    /// The run (default: the newest of this work tree)
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    md: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ReportArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let (store, run) = app.recorded(args.run.as_deref())?;
    let report = RunReport::load(&store, run)?;
    if args.json {
        out::line(report.json());
    } else if args.md {
        out::raw(&report.text(ReportMarkup::Markdown));
    } else {
        out::text(&report.text(ReportMarkup::Plain));
    }
    Ok(0)
}
