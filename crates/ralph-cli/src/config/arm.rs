//! The setting `hooks.arm`: the moment when loops begin inside a host.

use super::layers::Layers;
use super::settings::Reader;

/// The moment when loops begin inside a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arm {
    Manual,
    OnErrors,
    EverySession,
}

impl Arm {
    /// Returns the moment that the settings name, if they do.
    pub(crate) fn new(layers: &Layers) -> Option<Self> {
        Self::parse(Reader(layers).text("hooks.arm")?)
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "manual" => Some(Self::Manual),
            "on-errors" => Some(Self::OnErrors),
            "every-session" => Some(Self::EverySession),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::OnErrors => "on-errors",
            Self::EverySession => "every-session",
        }
    }
}
