//! The list of tool servers in a project's `.mcp.json`.
//!
//! The client keeps rewriting the file with the user's own list, so only the
//! client itself can add an entry there.

use crate::servers::{NONE, ToolServerList};

/// The location and format of the list.
pub(crate) const SERVERS: ToolServerList = ToolServerList {
    project: &[".mcp.json"],
    by_hand: "`claude mcp add --scope user ralph -- ralph mcp` gives agents its tools in every project",
    ..NONE
};
