//! Settings: reads them from files, variables and flags, and interprets them.
//!
//! [`SettingLayers`] holds every value that is set, with its [`SettingOrigin`]; later layers win. [`RunSettings`]
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
mod sandbox;
mod sandbox_keys;
mod servers;
mod settings;
mod source;
mod value;

pub use arm::ArmingMoment;
pub use contradiction::SettingsConflictError;
pub use gates::{MissingTool, quoted};
pub use judge::{JudgeChoice, JudgeError, ModelChoice};
pub use keys::{KEYS, SettingKey};
pub use layers::{ConfigError, SettingLayers, SettingOrigin};
pub use reference::{reference, schema};
pub use sandbox::{SandboxMode, SandboxRules, SandboxTechnique};
pub use servers::ServerRules;
pub use settings::{
    AgentChoice, FolderChoice, MemoryRules, NoteAudience, NoteEnforcement, OnFail, RetentionLimits,
    RunSettings, SnapshotRules, TestOrder, agent_name, context, counts_edited_only, find_row,
    locale, old_session, security_rules,
};
pub use source::SettingsSource;
pub use value::{SettingKind, SettingValue, ValueError, criteria, render_span, words};
