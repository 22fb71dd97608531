//! OpenCode: inside it through a small plugin.
//!
//! The plugin (`opencode/ralph.ts`) decides nothing. It calls
//! `ralph hook --agent opencode` for each event that may matter, writes one
//! JSON object to its standard input, and does what the one object that comes
//! back says, if any does. Both sides say which version of this protocol they
//! speak, in `v`.
//!
//! An event has `type`, `session`, `directory`, for a session that another one
//! started `parent`, and:
//!
//! | `type` | more |
//! |---|---|
//! | `session.idle` | `message`: `id`, `text`, `summary` of the last message of the assistant |
//! | `session.error` | `error` as OpenCode has it, `message` as above |
//! | `session.deleted` | |
//! | `chat.message` | `text`; `first`: whether nothing was said before |
//! | `command.execute.before` | `command`, `arguments` |
//! | `tool.execute.after` | `tool`, `call`, `title`, `args` |
//! | `permission.asked` | `permission`, `patterns` |
//! | `permission.replied` | |
//! | `prompt.failed` | `attempt`, `error` as text |
//!
//! An action has `do`, which is one of these, and perhaps a `toast` with `text`
//! and `variant`:
//!
//! | `do` | meaning |
//! |---|---|
//! | `prompt` | send `text` to the session after `after_ms`; `attempt` is said again if that fails |
//! | `append` | put `text` behind what the user typed |
//! | `replace` | put `text` in its place |
//! | `none` | nothing but the toast |

mod event;
mod files;
mod look;
mod plan;
mod reply;
mod servers;

pub use event::parse;
pub use look::{inspect, payload};
pub use plan::{plan_install, plan_uninstall, user_folder};
pub use reply::render;
pub(crate) use servers::SERVERS;

/// The name by which the plugin tells `ralph` whose dialect it speaks.
pub const NAME: &str = "opencode";

/// The version of the protocol.
const VERSION: u32 = 1;
