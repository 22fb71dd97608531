//! Language servers that the settings add.

use std::collections::BTreeSet;

use ralph_checks::EnvironmentRules;
use ralph_checks::lsp::LanguageServer;

use super::contradiction::SettingsConflictError;
use super::layers::SettingLayers;
use super::sandbox::SandboxRules;
use super::settings::SettingReader;

/// The settings for starting language servers.
#[derive(Clone, Debug)]
pub struct ServerRules {
    /// The servers under `[lsp.NAME]`.
    pub added: Vec<LanguageServer>,
    /// The variables of our environment that they get.
    pub environment: EnvironmentRules,
    /// The sandbox, which is that of gates.
    pub sandbox: SandboxRules,
}

impl ServerRules {
    /// Reads these rules only, since a look at files needs no gates.
    pub fn new(layers: &SettingLayers) -> Result<Self, SettingsConflictError> {
        let keys = layers.iter().filter_map(|(path, _, _)| path.strip_prefix("lsp."));
        let names: BTreeSet<&str> =
            keys.filter_map(|rest| rest.rsplit_once('.')).map(|(name, _)| name).collect();
        let reader = SettingReader(layers);
        let added = names.into_iter().map(|name| server(&reader, name));
        Ok(Self {
            added: added.collect::<Result<_, _>>()?,
            environment: reader.environment(),
            sandbox: SandboxRules::new(layers)?,
        })
    }
}

fn server(reader: &SettingReader<'_>, name: &str) -> Result<LanguageServer, SettingsConflictError> {
    let path = |key: &str| format!("lsp.{name}.{key}");
    let incomplete = |key: &'static str| SettingsConflictError::IncompleteServer {
        server: name.to_owned(),
        key,
    };
    let command = reader.list(&path("command")).ok_or_else(|| incomplete("command"))?;
    let extensions = reader.list(&path("extensions")).filter(|list| !list.is_empty());
    let extensions = extensions.ok_or_else(|| incomplete("extensions"))?;
    Ok(LanguageServer::configured(name, command, &extensions, reader.text(&path("language"))))
}
