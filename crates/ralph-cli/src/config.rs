//! Settings: reads them from files, variables and flags, and interprets them.

mod arm;
mod contradiction;
mod gates;
mod judge;
mod keys;
mod layers;
mod reference;
mod servers;
mod settings;
mod value;

pub(crate) use arm::Arm;
pub(crate) use contradiction::SettingsError;
pub(crate) use gates::quoted;
pub(crate) use judge::JudgeError;
pub(crate) use keys::KEYS;
pub(crate) use layers::{ConfigError, Layers, Origin};
pub(crate) use reference::{reference, schema};
pub(crate) use servers::ServerRules;
pub(crate) use settings::{
    AgentChoice, Audience, Enforce, FolderChoice, MemoryRules, OnFail, Order, Retention, Settings,
    SnapshotRules, agent_name, context, counts_edited_only, locale, old_session, security_rules,
};
pub(crate) use value::{Kind, Value, ValueError, criteria, render_span, words};
