//! The setting `hooks.arm`: the moment when loops begin inside a host.

use super::layers::SettingLayers;
use super::settings::SettingReader;

/// The moment when loops begin inside a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmingMoment {
    /// Only when the user or the agent asks for one.
    Manual,
    /// When a turn leaves errors.
    OnErrors,
    /// With every session.
    EverySession,
}

impl ArmingMoment {
    /// Returns the moment that the settings name, if they do.
    pub fn new(layers: &SettingLayers) -> Option<Self> {
        Self::parse(SettingReader(layers).text("hooks.arm")?)
    }

    /// Parses the name in the settings.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "manual" => Some(Self::Manual),
            "on-errors" => Some(Self::OnErrors),
            "every-session" => Some(Self::EverySession),
            _ => None,
        }
    }

    /// Returns the name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::OnErrors => "on-errors",
            Self::EverySession => "every-session",
        }
    }
}
