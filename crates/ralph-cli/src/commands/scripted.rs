//! The hidden command that acts as the scripted agent.

use std::path::PathBuf;

use ralph_agents::scripted::AgentScript;

use crate::error::CliError;

/// Take one turn of a script
#[derive(clap::Args, Debug)]
pub(crate) struct ScriptedArgs {
    /// The script
    script: PathBuf,
}

pub(crate) fn run(args: &ScriptedArgs) -> Result<u8, CliError> {
    let script = AgentScript::load(&args.script).map_err(CliError::usage)?;
    let iteration = std::env::var("RALPH_ITERATION").ok().and_then(|text| text.parse().ok());
    let usage = std::env::var_os("RALPH_USAGE_FILE").map(PathBuf::from);
    let root = std::env::current_dir()?;
    let Some(turn) = script.turn(iteration.unwrap_or(1)) else { return Ok(0) };
    turn.perform(&root, usage.as_deref(), &mut std::io::stdout())
        .map_err(|error| CliError::internal(&error))
}
