//! `ralph __lsp-helper`: keeps a project's language servers running between calls.

use std::time::Duration;

use ralph_engine::lsp_helper::serve;

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Time that a helper waits for the next question.
const IDLE: Duration = Duration::from_mins(5);

/// Keep language servers warm
#[derive(clap::Args, Debug)]
pub(crate) struct LspHelperArgs {
    /// End when nobody asked for this many milliseconds
    #[arg(long)]
    idle: Option<u64>,
}

pub(crate) fn run(args: &LspHelperArgs) -> Result<u8, CliError> {
    let idle = args.idle.map_or(IDLE, Duration::from_millis);
    // The parent process waits for this line.
    let is_served = serve(&App::discover()?, idle, || out::line("ready"))?;
    if !is_served {
        out::note("another helper is running");
    }
    Ok(u8::from(!is_served))
}
