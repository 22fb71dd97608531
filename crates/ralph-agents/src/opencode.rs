//! OpenCode: inside it through a small plugin, and driven from outside through
//! its server.
//!
//! The plugin (`opencode/ralph.ts`) decides nothing. It calls
//! `ralph hook --agent opencode` for each event that may matter, writes one
//! JSON object to its standard input, and does what the object that comes
//! back says, if any does. Both sides say which version of this protocol they
//! speak, in `v`.
//!
//! An event has `type`, `session`, `directory`, for a session that another one
//! started `parent`, and:
//!
//! | `type` | more |
//! |---|---|
//! | `session.idle` | `message`: `id`, `text`, `summary` of the last message of the assistant, but for what it said to an aside |
//! | `session.error` | `error` as OpenCode has it, `message` as above |
//! | `session.deleted` | |
//! | `session.compacted` | the session was shortened, perhaps in the middle of a turn |
//! | `chat.message` | `text`; `first`: whether nothing was said before |
//! | `command.execute.before` | `command`, `arguments` |
//! | `tool.execute.after` | `tool`, `call`, `title`, `args` |
//! | `permission.asked` | `permission`, `patterns` |
//! | `permission.replied` | |
//! | `prompt.failed` | `attempt`, `error` as text |
//! | `started` | no `session`: the plugin was loaded |
//! | `done` | what came of an action with a `run`, which is said again: `did`, `run`, `attempt`, and `error` as text, or the `text` of a summary, or the session that was `created` |
//! | `wake` | |
//!
//! The last line of what comes back is the action. Lines before it come while
//! `ralph` is still at work, and have a `toast` only.
//!
//! An action has `do`, which is one of these, and perhaps a `toast` with `text`
//! and `variant`:
//!
//! | `do` | meaning |
//! |---|---|
//! | `prompt` | send `text` to the session after `after_ms`; `attempt` is said again if that fails |
//! | `append` | put `text` behind what the user typed, or behind what a tool returned |
//! | `replace` | put `text` in its place; with `aside`, what is said to it is no turn, and what is due stays due unless it is `off` |
//! | `wake` | tell `wake` after `after_ms`, and forget any earlier one of the session |
//! | `none` | nothing but the toast |
//!
//! These have a `run` and a `session`, and are answered with `done`, which may
//! bring the next one. Each may be asked for again after the client died, so
//! what is done already is not done twice:
//!
//! | `do` | meaning |
//! |---|---|
//! | `check` | say whether the session exists |
//! | `summarize` | sum the session up with its own model |
//! | `create` | begin a session with this `title` in its place, unless there is one |
//! | `select` | show the session |
//! | `prompt` | as above, unless something was said in the session; agent and model are those of the session `like` |
//! | `delete` | delete the session, ending a turn in it first |
//!
//! The plugin waits for the answer to `tool.execute.after` only where the tool
//! edits files. While it waits for an answer or to send a prompt it may be
//! overtaken: what the user says or a command that is typed takes the place of
//! that prompt.

mod address;
mod agent;
mod consent;
mod courier;
mod event;
mod files;
mod follow;
mod guard;
mod http;
mod listener;
mod look;
mod plan;
mod reply;
mod server;
mod servers;
mod visit;

use std::path::{Path, PathBuf};

use ralph_core::ids::SessionId;

pub(crate) use agent::fault;
pub use agent::{OpenCodeAgent, SETTINGS};
pub use event::parse;
pub use look::{inspect, payload};
pub use plan::{plan_install, plan_uninstall, user_folder};
pub use reply::render;
pub(crate) use servers::SERVERS;

/// The name by which the plugin tells `ralph` whose dialect it speaks.
pub const NAME: &str = "opencode";

/// What the plugin tells of sessions, but for what came of an action.
pub const EVENTS: [&str; 11] = [
    "session.idle",
    "session.error",
    "session.deleted",
    "session.compacted",
    "chat.message",
    "command.execute.before",
    "tool.execute.after",
    "permission.asked",
    "permission.replied",
    "prompt.failed",
    "wake",
];

/// The version of the protocol.
const VERSION: u32 = 1;

/// The file in a project that holds what a session was summed up in.
pub fn summary_file(root: &Path, session: &SessionId) -> PathBuf {
    root.join(".opencode/sessions").join(session.as_str()).join("ralph_summary.md")
}

/// The command line that goes on with a session.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    let rest = session.as_str().strip_prefix("ses_")?;
    let is_plain = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric());
    let words = ["opencode", "--session", session.as_str()];
    is_plain.then(|| words.map(str::to_owned).to_vec())
}
