//! The settings of the sandbox.

use ralph_sandbox::{CACHE_NAMES, NetworkRule};

use super::layers::{ConfigError, SettingLayers};
use super::settings::SettingReader;
use super::value::ValueError;

/// The use of a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxMode {
    /// None.
    #[default]
    Off,
    /// As much of one as this machine can enforce.
    On,
    /// A whole one; without it nothing starts.
    Require,
}

impl SandboxMode {
    /// Values of the setting.
    pub const NAMES: &[&str] = &["off", "on", "require"];

    /// Returns the mode of this name.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "on" => Some(Self::On),
            "require" => Some(Self::Require),
            _ => None,
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Require => "require",
        }
    }
}

/// The technique of the sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxTechnique {
    /// bubblewrap where it works, else landlock.
    #[default]
    Best,
    /// Landlock alone.
    Landlock,
}

/// All settings of the sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxRules {
    /// The sandbox of agents.
    pub agent: SandboxMode,
    /// The sandbox of gates.
    pub gates: SandboxMode,
    /// The technique.
    pub technique: SandboxTechnique,
    /// The network of agents.
    pub network: NetworkRule,
    /// The network of gates.
    pub gate_network: NetworkRule,
    /// The caches that stay writable, by their names.
    pub caches: Vec<String>,
    /// Places that can be read although they were hidden.
    pub read: Vec<String>,
    /// Places that can be written to.
    pub write: Vec<String>,
    /// Places that are hidden.
    pub hide: Vec<String>,
}

impl SandboxRules {
    /// Reads these rules only.
    pub fn new(layers: &SettingLayers) -> Result<Self, ConfigError> {
        let reader = SettingReader(layers);
        let mode = |path| reader.text(path).and_then(SandboxMode::named);
        let hosts = reader.list("sandbox.hosts");
        let network = |path: &str| match (reader.text(path), &hosts) {
            (Some("off"), _) => Some(NetworkRule::Off),
            (Some("hosts"), hosts) => Some(NetworkRule::Hosts(hosts.clone().unwrap_or_default())),
            (Some(_), _) => Some(NetworkRule::On),
            (None, _) => None,
        };
        let list = |path| reader.list(path).unwrap_or_default();
        let agent = mode("sandbox.mode").unwrap_or_default();
        // A list of hosts alone says what is meant.
        let chosen = network("sandbox.network").or(hosts.clone().map(NetworkRule::Hosts));
        let chosen = chosen.unwrap_or_default();
        let technique = match reader.text("sandbox.technique") {
            Some("landlock") => SandboxTechnique::Landlock,
            Some(_) | None => SandboxTechnique::Best,
        };
        Ok(Self {
            agent,
            gates: mode("sandbox.gates").unwrap_or(agent),
            technique,
            gate_network: network("sandbox.gates_network").unwrap_or_else(|| chosen.clone()),
            network: chosen,
            caches: caches(layers, &reader)?,
            read: list("sandbox.read"),
            write: list("sandbox.write"),
            hide: list("sandbox.hide"),
        })
    }
}

fn caches(layers: &SettingLayers, reader: &SettingReader<'_>) -> Result<Vec<String>, ConfigError> {
    const PATH: &str = "sandbox.caches";
    let all = || CACHE_NAMES.iter().map(|&name| name.to_owned()).collect();
    let chosen = reader.list(PATH).unwrap_or_else(all);
    let Some(unknown) = chosen.iter().find(|name| !CACHE_NAMES.contains(&name.as_str())) else {
        return Ok(chosen);
    };
    let set = layers.iter().find(|(path, _, _)| *path == PATH);
    let Some((_, _, origin)) = set else { return Ok(chosen) };
    Err(ConfigError::Value {
        origin: origin.clone(),
        key: PATH.to_owned(),
        source: ValueError::Choice { given: unknown.clone(), choices: CACHE_NAMES },
    })
}

#[cfg(test)]
mod tests {
    use super::super::value::SettingValue;
    use super::*;

    fn rules(set: &[(&'static str, SettingValue)]) -> Result<SandboxRules, ConfigError> {
        let mut layers = SettingLayers::default();
        for (path, value) in set {
            layers.set_flag(path, value.clone());
        }
        SandboxRules::new(&layers)
    }

    fn text(text: &str) -> SettingValue {
        SettingValue::Text(text.to_owned())
    }

    fn list(items: &[&str]) -> SettingValue {
        SettingValue::List(items.iter().map(|&item| item.to_owned()).collect())
    }

    #[test]
    fn gates_follow_the_agent_unless_they_are_set_apart() {
        let both = rules(&[("sandbox.mode", text("require"))]).unwrap();
        assert_eq!((both.agent, both.gates), (SandboxMode::Require, SandboxMode::Require));
        let apart = rules(&[("sandbox.gates", text("on")), ("sandbox.gates_network", text("off"))]);
        let apart = apart.unwrap();
        assert_eq!((apart.agent, apart.gates), (SandboxMode::Off, SandboxMode::On));
        assert_eq!((apart.network, apart.gate_network), (NetworkRule::On, NetworkRule::Off));
    }

    #[test]
    fn a_list_of_hosts_limits_the_network_to_them() {
        let hosts = || NetworkRule::Hosts(vec!["crates.io".to_owned()]);
        let alone = rules(&[("sandbox.hosts", list(&["crates.io"]))]).unwrap();
        assert_eq!((alone.network, alone.gate_network), (hosts(), hosts()));
        let off = rules(&[("sandbox.hosts", list(&["a"])), ("sandbox.network", text("off"))]);
        assert_eq!(off.unwrap().network, NetworkRule::Off);
    }

    #[test]
    fn an_unknown_cache_is_an_error() {
        let error = rules(&[("sandbox.caches", list(&["npm", "crago"]))]).unwrap_err();
        let want = "command line: `sandbox.caches`: `crago` is not one of cargo, npm, pip, go; \
                    did you mean `cargo`?";
        assert_eq!(error.to_string(), want);
    }
}
