//! OpenCode: as a host through a small plugin, and as an agent through its
//! server.
//!
//! The plugin (`opencode/ralph.ts`) decides nothing. For each relevant event it
//! calls `ralph hook --agent opencode` and writes one JSON object to its
//! standard input. It carries out the object that comes back, if any. Both
//! sides state the version of this protocol in `v`.
//!
//! An event has `type`, `session`, `directory`, for a session that another one
//! started `parent`, and:
//!
//! | `type` | more |
//! |---|---|
//! | `session.idle` | `message`: `id`, `text`, `summary` of the last message of the assistant, except replies to an aside |
//! | `session.error` | `error` as OpenCode has it, `message` as above |
//! | `session.deleted` | |
//! | `session.compacted` | the session was shortened, perhaps in the middle of a turn |
//! | `chat.message` | `text`; `first`: true for the first message of the session |
//! | `command.execute.before` | `command`, `arguments` |
//! | `tool.execute.after` | `tool`, `call`, `title`, `args` |
//! | `permission.asked` | `permission`, `patterns` |
//! | `permission.replied` | |
//! | `prompt.failed` | `attempt`, `error` as text |
//! | `started` | no `session`: the plugin was loaded |
//! | `done` | the result of an action with a `run`: `did`, `run`, `attempt`, and `error` as text, or the `text` of a summary, or the session that was `created` |
//! | `wake` | |
//!
//! The last line of the output is the action. Earlier lines arrive while
//! `ralph` is still at work, and have only a `toast`.
//!
//! An action has `do`, which is one of these, and perhaps a `toast` with `text`
//! and `variant`:
//!
//! | `do` | meaning |
//! |---|---|
//! | `prompt` | send `text` to the session after `after_ms`; `attempt` is returned if that fails |
//! | `append` | append `text` to the user's message or to the output of a tool |
//! | `replace` | replace it by `text`; with `aside`, the reply to it is not a turn, and a prompt that is due is sent later unless it is called `off` |
//! | `wake` | report `wake` after `after_ms`, and drop any earlier one of the session |
//! | `none` | only the toast |
//!
//! These have a `run` and a `session`, and are answered with `done`, which may
//! return the next one. Each may be repeated after the client crashed, so the
//! plugin skips what is done already:
//!
//! | `do` | meaning |
//! |---|---|
//! | `check` | report whether the session exists |
//! | `summarize` | summarise the session with its own model |
//! | `create` | create a session with this `title` to replace it, unless there is one |
//! | `select` | show the session |
//! | `prompt` | as above, unless the session has messages; agent and model are those of the session `like` |
//! | `delete` | abort a turn in the session and delete it |
//!
//! The plugin waits for the answer to `tool.execute.after` only for tools that
//! edit files. A prompt that it is about to send is dropped when the user sends
//! a message or a command first.

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
mod places;
mod plan;
mod reply;
mod server;
mod servers;
mod visit;

use std::path::{Path, PathBuf};

use ralph_core::ids::SessionId;

pub(crate) use agent::fault;
pub use agent::{OpenCodeAgent, SETTINGS};
pub(crate) use consent::is_secret;
pub use event::parse;
pub use look::{inspect, payload};
pub(crate) use places::places;
pub use plan::{plan_install, plan_uninstall};
pub use reply::render;
pub(crate) use servers::SERVERS;

/// The name that the plugin passes to `ralph hook --agent`.
pub const NAME: &str = "opencode";

/// The events that the plugin reports, except the results of actions.
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

/// Returns the path of a session's summary in a project.
pub fn summary_file(root: &Path, session: &SessionId) -> PathBuf {
    root.join(".opencode/sessions").join(session.as_str()).join("ralph_summary.md")
}

/// Returns the command that resumes a session.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    let rest = session.as_str().strip_prefix("ses_")?;
    let is_plain = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric());
    let words = ["opencode", "--session", session.as_str()];
    is_plain.then(|| words.map(str::to_owned).to_vec())
}
