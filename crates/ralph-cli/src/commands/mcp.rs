//! `ralph mcp`: the tools that agents get through their client.
//!
//! Each tool has its own file: its arguments, its description for the model, and a
//! function. Standard output belongs to the protocol.

mod approach_check;
mod check_run;
mod code_map;
mod code_refs;
mod code_symbols;
mod loop_start;
mod loop_status;
mod loop_stop;
mod memory_add;
mod memory_get;
mod memory_search;
mod notebook;
mod paths;
mod tries;

use ralph_agents::host::HOSTS;
use ralph_mcp::{ServeError, ServerDescription, ServerTool, ToolCallError};

use crate::app::App;
use crate::error::CliError;
use crate::out;
use ralph_engine::rights::{self, CallRight};

/// Serve ralph's tools to an agent over MCP, on stdin and stdout
///
/// Clients start this; `ralph install` tells them to. It ends when its input
/// does. What an agent can ask for never makes its own loop weaker: it can
/// start one, look at it and run its gates, but only the user ends it early.
#[derive(clap::Args, Debug)]
pub(crate) struct McpArgs {
    /// What uninstalling has to know
    #[arg(long, hide = true)]
    kept: bool,
}

const INSTRUCTIONS: &str = "\
ralph runs the project's checks at the end of every turn of a loop and tells you what still fails. \
Before you say that you are done, call `check_run`. Before you change files, ask `memory_search` \
about them. Start a loop only when the user asks for one.";

/// Lists every tool and who may call it, in the order that clients show.
fn tools() -> Vec<(ServerTool, CallRight)> {
    use CallRight::{Anyone, UserOnly};
    vec![
        (loop_start::tool(), UserOnly),
        (loop_status::tool(), Anyone),
        (loop_stop::tool(), UserOnly),
        (check_run::tool(), Anyone),
        (memory_search::tool(), Anyone),
        (memory_get::tool(), Anyone),
        (memory_add::tool(), Anyone),
        (approach_check::tool(), Anyone),
        (code_symbols::tool(), Anyone),
        (code_refs::tool(), Anyone),
        (code_map::tool(), Anyone),
    ]
}

/// Guards a tool that only the user may call: an agent with an open run is refused.
fn served(tool: ServerTool, right: CallRight) -> ServerTool {
    match right {
        CallRight::Anyone => tool,
        CallRight::UserOnly => {
            tool.guarded(|name| rights::ensure_tool(&app()?, name).map_err(refusal))
        }
    }
}

pub(crate) fn run(_args: &McpArgs) -> Result<u8, CliError> {
    let about = ServerDescription {
        name: "ralph",
        version: env!("CARGO_PKG_VERSION"),
        instructions: INSTRUCTIONS,
    };
    let tools = tools().into_iter().map(|(tool, right)| served(tool, right));
    match ralph_mcp::serve(about, tools.collect()) {
        Ok(()) => Ok(0),
        Err(ServeError::Thread(error)) => Err(error.into()),
        Err(error @ ServeError::Handshake(_)) => {
            out::note(&error);
            Ok(1)
        }
    }
}

/// Finds the project of the client. Every call does, since the server lives as long as
/// the client.
fn app() -> Result<App, ToolCallError> {
    let named = HOSTS.iter().filter_map(|host| host.project_variable);
    let mut folders = named.filter_map(std::env::var_os).filter(|value| !value.is_empty());
    let app = match folders.next() {
        Some(folder) => App::at(folder.as_ref(), std::env::vars_os().collect()),
        None => App::discover(),
    };
    app.map_err(refusal)
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped with it")]
fn refusal(error: CliError) -> ToolCallError {
    ToolCallError(error.in_line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_begins_or_ends_a_loop_is_the_users() {
        let marks: Vec<(&str, CallRight)> =
            tools().iter().map(|(tool, right)| (tool.name(), *right)).collect();
        let users = |right: CallRight| {
            let marks = marks.iter().filter(move |(_, mark)| *mark == right);
            marks.map(|(name, _)| *name).collect::<Vec<_>>()
        };
        assert_eq!(users(CallRight::UserOnly), ["loop_start", "loop_stop"]);
        let open = [
            "loop_status",
            "check_run",
            "memory_search",
            "memory_get",
            "memory_add",
            "approach_check",
            "code_symbols",
            "code_refs",
            "code_map",
        ];
        assert_eq!(users(CallRight::Anyone), open);
    }
}
