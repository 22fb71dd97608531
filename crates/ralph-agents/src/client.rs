//! Clients with a protocol of their own: their names, and what can be set.

use ralph_core::locale::Locale;
use ralph_core::policy::OldSession;
use ralph_core::usage::Usage;

use crate::Agent;
use crate::claude::ClaudeAgent;
use crate::limits::LimitPatterns;
use crate::opencode::OpenCodeAgent;

/// What can be put behind `--agent`, every name and alias.
pub const NAMES: &[&str] = &["command", "scripted", "claude-code", "claude", "opencode"];

/// What a user can set about clients, all of them together.
pub const SETTINGS: &[Setting] = &all_settings();

const fn all_settings() -> [Setting; 10] {
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

/// A client that we know how to drive.
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

    /// The client of this name or alias.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "claude-code" | "claude" => Some(Self::ClaudeCode),
            crate::opencode::NAME => Some(Self::OpenCode),
            _ => None,
        }
    }

    /// The name in configuration, records and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::OpenCode => crate::opencode::NAME,
        }
    }

    /// How it gets onto a computer.
    pub fn install_hint(self, locale: Locale) -> String {
        let (package, setting) = match self {
            Self::ClaudeCode => ("@anthropic-ai/claude-code", "claude.program"),
            Self::OpenCode => ("opencode-ai", "opencode.program"),
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

    /// What a user can set about it.
    pub fn settings(self) -> &'static [Setting] {
        match self {
            Self::ClaudeCode => &crate::claude::SETTINGS,
            Self::OpenCode => &crate::opencode::SETTINGS,
        }
    }
}

/// One thing that a user can set about a client.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Which thing.
    pub option: ClientOption,
    /// Where it stands in a configuration file.
    pub path: &'static str,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// The words it can be; empty for free text.
    pub choices: &'static [&'static str],
    /// What holds without it, in words.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// What can be set about clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientOption {
    /// The program.
    Program,
    /// More words on its command line: a command in configuration files.
    Args,
    /// The model it asks for.
    Model,
    /// What it may do without asking.
    PermissionMode,
    /// Which of its own agents does the work.
    Persona,
    /// The server to use instead of one of our own.
    Attach,
}

/// A client, as the user wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// Which client.
    pub client: Client,
    /// The program, unless it is the usual one.
    pub program: Option<String>,
    /// More words on its command line.
    pub args: Vec<String>,
    /// The model to ask for, unless the client chooses.
    pub model: Option<String>,
    /// What it may do without asking, unless the usual.
    pub permission_mode: Option<String>,
    /// Which of its own agents does the work, unless the client chooses.
    pub persona: Option<String>,
    /// The server to use instead of one of our own.
    pub attach: Option<String>,
    /// What becomes of a conversation whose place another one takes.
    pub old_session: OldSession,
}

/// A client that answers one question in a process of its own.
#[derive(Clone, Debug)]
pub struct AskedClient {
    /// The program and its arguments; the question is its standard input.
    pub words: Vec<String>,
    /// What stands before the words that say who it is.
    pub system_flag: &'static str,
    /// Variables that may hold its credentials.
    pub credentials: &'static [&'static str],
    /// Variables that it must not get.
    pub without: &'static [&'static str],
    /// Finds its final text in what it printed, and what that used; or says
    /// what went wrong.
    pub read: fn(&str) -> Result<(String, Usage), String>,
}

impl ClientOptions {
    /// The client as it comes.
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

    /// What is wrong with these options, whatever the client is asked for.
    pub fn fault(&self) -> Option<String> {
        match self.client {
            Client::ClaudeCode => None,
            Client::OpenCode => crate::opencode::fault(self),
        }
    }

    /// How it is asked one question without tools and memory; `None` for a
    /// client that cannot be.
    pub fn asked(&self) -> Option<AskedClient> {
        match self.client {
            Client::ClaudeCode => Some(crate::claude::asked(self)),
            Client::OpenCode => None,
        }
    }

    /// The agent, ready to take turns.
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
        let clients = NAMES.iter().filter_map(|name| Client::named(name)).count();
        assert_eq!(clients, NAMES.len() - 2, "all but command and scripted are clients");
    }

    #[test]
    fn every_setting_belongs_to_a_client() {
        let count: usize = Client::ALL.iter().map(|client| client.settings().len()).sum();
        assert_eq!(count, SETTINGS.len());
    }
}
