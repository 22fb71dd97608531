//! Language servers that the settings add.

use std::collections::BTreeSet;

use ralph_checks::EnvironmentRules;
use ralph_checks::lsp::Server;

use super::layers::Layers;
use super::settings::Reader;
use crate::error::CliError;

/// The settings for starting language servers.
#[derive(Clone, Debug)]
pub(crate) struct ServerRules {
    /// The servers under `[lsp.NAME]`.
    pub(crate) added: Vec<Server>,
    /// The variables of our environment that they get.
    pub(crate) environment: EnvironmentRules,
}

impl ServerRules {
    /// Reads these rules only, since a look at files needs no gates.
    pub(crate) fn new(layers: &Layers) -> Result<Self, CliError> {
        let keys = layers.iter().filter_map(|(path, _, _)| path.strip_prefix("lsp."));
        let names: BTreeSet<&str> =
            keys.filter_map(|rest| rest.rsplit_once('.')).map(|(name, _)| name).collect();
        let reader = Reader(layers);
        let added = names.into_iter().map(|name| server(&reader, name));
        Ok(Self { added: added.collect::<Result<_, _>>()?, environment: reader.environment() })
    }
}

fn server(reader: &Reader<'_>, name: &str) -> Result<Server, CliError> {
    let path = |key: &str| format!("lsp.{name}.{key}");
    let incomplete = |key: &str| {
        CliError::usage(format!("`lsp.{name}` has no `{key}`"))
            .with_hint("a language server needs `command` and `extensions`")
            .in_korean(
                format!("`lsp.{name}` 에 `{key}` 이(가) 없습니다"),
                Some("언어 서버에는 `command` 와 `extensions` 가 필요합니다"),
            )
    };
    let command = reader.list(&path("command")).ok_or_else(|| incomplete("command"))?;
    let extensions = reader.list(&path("extensions")).filter(|list| !list.is_empty());
    let extensions = extensions.ok_or_else(|| incomplete("extensions"))?;
    Ok(Server::configured(name, command, &extensions, reader.text(&path("language"))))
}
