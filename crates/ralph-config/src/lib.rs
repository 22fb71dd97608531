//! Settings: reads them from files, variables and flags, and interprets them.
//!
//! [`Layers`] holds every value that is set, with its [`Origin`]; later layers win. [`Settings`]
//! turns them into a policy, gates and an agent. One table, [`KEYS`], defines every
//! setting: parsing, the reference and the JSON schema follow from it.

mod arm;
mod contradiction;
mod gates;
mod judge;
mod keys;
mod layers;
mod nearest;
mod reference;
mod servers;
mod settings;
mod value;

pub use arm::Arm;
pub use contradiction::SettingsError;
pub use gates::{MissingTool, quoted};
pub use judge::{JudgeChoice, JudgeError, ModelChoice};
pub use keys::{KEYS, Key};
pub use layers::{ConfigError, Layers, Origin};
pub use reference::{reference, schema};
pub use servers::ServerRules;
pub use settings::{
    AgentChoice, Audience, Enforce, FolderChoice, MemoryRules, OnFail, Order, Retention, Settings,
    SnapshotRules, agent_name, context, counts_edited_only, locale, old_session, security_rules,
};
pub use value::{Kind, Value, ValueError, criteria, render_span, words};
