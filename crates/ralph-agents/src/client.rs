//! Clients with a protocol of their own: their names and settings.

use ralph_core::locale::Locale;
use ralph_core::policy::OldSession;
use ralph_core::usage::Usage;

use crate::Agent;
use crate::claude::ClaudeAgent;
use crate::limits::LimitPatterns;
use crate::opencode::OpenCodeAgent;

/// Values of `--agent`, with aliases.
pub const NAMES: &[&str] = &[
    "command",
    "scripted",
    "claude-code",
    "claude",
    "opencode",
    "aider",
    "amp",
    "cline",
    "codex",
    "copilot",
    "crush",
    "cursor",
    "droid",
    "gemini",
    "goose",
    "kimi",
    "kiro",
    "pi",
    "qwen",
];

/// The settings of all clients.
pub const SETTINGS: &[ClientSetting] = &all_settings();

const fn all_settings() -> [ClientSetting; 10] {
    let ([claude, _, _, _], opencode) = (crate::claude::SETTINGS, crate::opencode::SETTINGS);
    let mut all = [claude; 10];
    let mut index = 0;
    while index < all.len() {
        let own = crate::claude::SETTINGS.len();
        all[index] =
            if index < own { crate::claude::SETTINGS[index] } else { opencode[index - own] };
        index += 1;
    }
    all
}

/// A client that ralph can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenCode.
    OpenCode,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::OpenCode];

    /// Returns the client of this name or alias.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "claude-code" | "claude" => Some(Self::ClaudeCode),
            crate::opencode::NAME => Some(Self::OpenCode),
            _ => None,
        }
    }

    /// Returns the name in configuration, records and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::OpenCode => crate::opencode::NAME,
        }
    }

    /// Returns its package of the npm registry.
    pub fn package(self) -> &'static str {
        match self {
            Self::ClaudeCode => "@anthropic-ai/claude-code",
            Self::OpenCode => "opencode-ai",
        }
    }

    /// Returns a hint on how to install it.
    pub fn install_hint(self, locale: Locale) -> String {
        let package = self.package();
        let setting = match self {
            Self::ClaudeCode => "claude.program",
            Self::OpenCode => "opencode.program",
        };
        match locale {
            Locale::En => format!(
                "install it with `npm install -g {package}`, or name the program in {setting}"
            ),
            Locale::Ko => {
                format!("`npm install -g {package}` 로 설치하거나 {setting} 에 프로그램을 적으세요")
            }
        }
    }

    /// Returns its settings.
    pub fn settings(self) -> &'static [ClientSetting] {
        match self {
            Self::ClaudeCode => &crate::claude::SETTINGS,
            Self::OpenCode => &crate::opencode::SETTINGS,
        }
    }
}

/// A setting of a client.
#[derive(Clone, Copy, Debug)]
pub struct ClientSetting {
    /// The option it sets.
    pub option: ClientOption,
    /// Its path in a configuration file.
    pub path: &'static str,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// The allowed values; empty for free text.
    pub choices: &'static [&'static str],
    /// The default, in words.
    pub default: &'static str,
    /// A description.
    pub help: &'static str,
}

/// An option of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientOption {
    /// The program.
    Program,
    /// More arguments: a command line in configuration files.
    Args,
    /// The model it asks for.
    Model,
    /// The actions that need no permission.
    PermissionMode,
    /// The client's own agent that does the work.
    Persona,
    /// The server to use instead of starting one.
    Attach,
}

/// A client with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// The client.
    pub client: Client,
    /// The program, if not the default.
    pub program: Option<String>,
    /// More arguments.
    pub args: Vec<String>,
    /// The model, if not the client's default.
    pub model: Option<String>,
    /// The permission mode, if not the default.
    pub permission_mode: Option<String>,
    /// The client's own agent that does the work, if not its default.
    pub persona: Option<String>,
    /// The server to use instead of starting one.
    pub attach: Option<String>,
    /// The fate of a conversation that is replaced by another.
    pub old_session: OldSession,
}

/// A client that answers one question in a process of its own.
#[derive(Clone, Debug)]
pub struct OneShotClient {
    /// The program and its arguments; the question is its standard input.
    pub words: Vec<String>,
    /// The flag before the system prompt.
    pub system_flag: &'static str,
    /// Variables that may hold its credentials.
    pub credentials: &'static [&'static str],
    /// Variables that are removed from its environment.
    pub without: &'static [&'static str],
    /// Parses its output into the final text and its usage, or an error.
    pub read: fn(&str) -> Result<(String, Usage), String>,
}

impl ClientOptions {
    /// Returns default options.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            program: None,
            args: Vec::new(),
            model: None,
            permission_mode: None,
            persona: None,
            attach: None,
            old_session: OldSession::Delete,
        }
    }

    /// Returns an error in these options.
    pub fn fault(&self) -> Option<String> {
        match self.client {
            Client::ClaudeCode => None,
            Client::OpenCode => crate::opencode::fault(self),
        }
    }

    /// Returns the command for a single question without tools and memory;
    /// `None` if the client cannot do this.
    pub fn asked(&self) -> Option<OneShotClient> {
        match self.client {
            Client::ClaudeCode => Some(crate::claude::asked(self)),
            Client::OpenCode => None,
        }
    }

    /// Creates the agent.
    pub fn agent(&self, limits: LimitPatterns) -> Box<dyn Agent> {
        match self.client {
            Client::ClaudeCode => Box::new(ClaudeAgent::new(self, limits)),
            Client::OpenCode => Box::new(OpenCodeAgent::new(self, limits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_found_by_its_name_which_can_be_chosen() {
        for client in Client::ALL {
            assert_eq!(Client::named(client.name()), Some(client));
            assert!(NAMES.contains(&client.name()));
        }
        let rows = crate::rows::RowTable::default().names();
        for name in &NAMES[2..] {
            assert!(Client::named(name).is_some() || rows.contains(&(*name).to_owned()), "{name}");
        }
    }

    #[test]
    fn every_setting_belongs_to_a_client() {
        let count: usize = Client::ALL.iter().map(|client| client.settings().len()).sum();
        assert_eq!(count, SETTINGS.len());
    }
}
