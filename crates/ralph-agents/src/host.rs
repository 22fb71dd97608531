//! Hosts: clients whose hooks report events of their sessions to ralph.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, io};

use ralph_core::host::{HostChannel, HostEvent, HostReply};
use ralph_core::ids::SessionId;
use ralph_core::policy::ContextMode;

use crate::hooks::{self, HookDialect, HookMeaning, HookTrustError, TranscriptWords, rows};
use crate::inspection::{InstallInspection, SettingsScope};
use crate::install::{FolderReader, HostFileError, InstallOptions, InstallPlan};
use crate::servers::{self, ToolServerList};
use crate::{claude, opencode};

/// An invalid payload.
#[derive(Debug, thiserror::Error)]
pub enum BadPayload {
    /// There was no input.
    #[error("the payload is empty")]
    Empty,
    /// It is not an object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// It is not valid JSON.
    #[error("the payload is not JSON: {0}")]
    Json(serde_json::Error),
}

/// A function that looks up an environment variable.
pub type VariableLookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// A host, with its formats and properties.
#[derive(Clone, Copy)]
pub struct Host {
    /// The name used on the command line.
    pub name: &'static str,
    /// Aliases of the name.
    pub aliases: &'static [&'static str],
    /// The program that users start.
    pub program: &'static str,
    /// The variable with the project's folder for hooks, if events do not have
    /// it.
    pub project_variable: Option<&'static str>,
    /// The variable with the session for programs that the host starts, if any.
    pub session_variable: Option<&'static str>,
    /// The variable with the process id of the host, if that may differ from
    /// the parent of its hooks.
    pub process_variable: Option<&'static str>,
    /// The variable that is set, and not to 0, if a user can answer; `None` if the
    /// host does not say.
    pub user_variable: Option<&'static str>,
    /// The limit on how often in a row a hook may continue the agent.
    pub cap: Option<HostCap>,
    /// The way in which its sessions are continued.
    pub reach: HostChannel,
    /// Ways to carry a conversation from turn to turn that it supports.
    pub contexts: &'static [ContextMode],
    /// Commands that start loops of other programs.
    pub foreign_commands: &'static [&'static str],
    /// Files that exist while loops of other programs run.
    pub foreign_files: &'static [&'static str],
    /// The folder of its settings in a project; `None` if it reads hooks only from
    /// the user's settings.
    pub folder: Option<&'static str>,
    /// The folder of the user's settings: the first of these variables that is
    /// set, and the path below it.
    pub(crate) home: &'static [(&'static str, &'static str)],
    /// The list of tool servers for our tools.
    pub servers: ToolServerList,
    /// What shows that loops work in it.
    pub proof: HostProof,
    /// The formats of its files, events and replies.
    pub(crate) protocol: HostProtocol,
}

/// What shows that loops work in a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostProof {
    /// Tests with the real client.
    RealClient,
    /// Tests with payloads that the real client sent.
    Recorded,
    /// The client's documentation.
    Documented,
}

/// A limit of a host on continuations in a row.
#[derive(Clone, Copy, Debug)]
pub struct HostCap {
    /// The variable with it, if any.
    pub variable: Option<&'static str>,
    /// Its default.
    pub usual: u32,
    /// The continuations that count.
    pub scope: CapScope,
    /// Number of continuations at the end of the limit that the host drops.
    pub dropped: u32,
}

/// The continuations that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapScope {
    /// Those of an agent that uses no tool.
    WithoutTools,
    /// All since the user's last prompt.
    SincePrompt,
}

/// The way in which a host and ralph understand each other.
#[derive(Clone, Copy)]
pub(crate) enum HostProtocol {
    /// Hooks in a dialect.
    Hooks(&'static HookDialect),
    /// A protocol of its own.
    Own(HostFunctions),
}

/// The functions of a host with a protocol of its own.
#[derive(Clone, Copy)]
pub(crate) struct HostFunctions {
    /// Names of the events it must report.
    pub(crate) events: &'static [&'static str],
    /// See [`Host::install`].
    pub(crate) install:
        fn(&FolderReader<'_>, &InstallOptions) -> Result<InstallPlan, HostFileError>,
    /// See [`Host::uninstall`].
    pub(crate) uninstall: fn(&FolderReader<'_>) -> Result<InstallPlan, HostFileError>,
    /// See [`Host::inspect`].
    pub(crate) inspect:
        fn(&FolderReader<'_>, SettingsScope) -> Result<InstallInspection, HostFileError>,
    /// See [`Host::payload`].
    pub(crate) payload: fn(&str, &str, &Path) -> String,
    /// See [`Host::summary_file`].
    pub(crate) summary_file: fn(&Path, &SessionId) -> PathBuf,
    /// See [`Host::resume`].
    pub(crate) resume: fn(&SessionId) -> Option<Vec<String>>,
    /// See [`Host::parse`].
    pub(crate) parse: fn(&[u8]) -> Result<HostEvent, BadPayload>,
    /// See [`Host::render`].
    pub(crate) render: fn(&HostEvent, &HostReply) -> String,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").field(&self.name).finish()
    }
}

/// A host whose hooks answer, without names and files.
const HOOK_HOST: Host = Host {
    name: "",
    aliases: &[],
    program: "",
    project_variable: None,
    session_variable: None,
    process_variable: None,
    user_variable: None,
    cap: None,
    reach: HostChannel::Answers,
    contexts: &[ContextMode::Auto, ContextMode::Same],
    foreign_commands: &[],
    foreign_files: &[],
    folder: None,
    home: &[],
    servers: servers::NONE,
    proof: HostProof::Documented,
    protocol: HostProtocol::Hooks(&rows::CLAUDE),
};

/// All hosts.
pub const HOSTS: &[Host] = &[
    Host {
        name: claude::NAME,
        aliases: &["claude"],
        program: "claude",
        project_variable: Some("CLAUDE_PROJECT_DIR"),
        session_variable: Some("CLAUDE_CODE_SESSION_ID"),
        process_variable: Some("CLAUDE_PID"),
        user_variable: Some("CLAUDE_CODE_SESSION_ATTENDED"),
        cap: Some(HostCap {
            variable: Some("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
            usual: 8,
            scope: CapScope::WithoutTools,
            dropped: 0,
        }),
        contexts: ALL_CONTEXTS,
        foreign_commands: &["/goal", "/loop", "/ralph-loop", "/ralph-loop:ralph-loop"],
        foreign_files: &[".claude/ralph-loop.local.md"],
        folder: Some(".claude"),
        home: &[("CLAUDE_CONFIG_DIR", ""), ("HOME", ".claude")],
        servers: claude::SERVERS,
        proof: HostProof::RealClient,
        ..HOOK_HOST
    },
    Host {
        name: opencode::NAME,
        program: "opencode",
        session_variable: Some("RALPH_HOST_SESSION"),
        user_variable: Some("RALPH_HOST_HAS_USER"),
        reach: HostChannel::Messages,
        contexts: ALL_CONTEXTS,
        foreign_files: &[".opencode/ralph-loop.state.json", ".omo/ralph-loop.local.md"],
        folder: Some(".opencode"),
        home: &[
            ("OPENCODE_CONFIG_DIR", ""),
            ("XDG_CONFIG_HOME", "opencode"),
            ("HOME", ".config/opencode"),
        ],
        servers: opencode::SERVERS,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Own(HostFunctions {
            events: &opencode::EVENTS,
            install: opencode::plan_install,
            uninstall: opencode::plan_uninstall,
            inspect: opencode::inspect,
            payload: opencode::payload,
            summary_file: opencode::summary_file,
            resume: opencode::resume_command,
            parse: opencode::parse,
            render: opencode::render,
        }),
        ..HOOK_HOST
    },
    Host {
        name: "codex",
        program: "codex",
        foreign_commands: &["/goal"],
        folder: Some(".codex"),
        home: &[("CODEX_HOME", ""), ("HOME", ".codex")],
        servers: servers::CODEX,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Hooks(&rows::CODEX),
        ..HOOK_HOST
    },
    Host {
        name: "copilot",
        program: "copilot",
        project_variable: Some("COPILOT_PROJECT_DIR"),
        cap: Some(HostCap { variable: None, usual: 8, scope: CapScope::SincePrompt, dropped: 0 }),
        folder: Some(".github"),
        home: &[("COPILOT_HOME", ""), ("HOME", ".copilot")],
        servers: servers::COPILOT,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Hooks(&rows::COPILOT),
        ..HOOK_HOST
    },
    Host {
        name: "gemini",
        program: "gemini",
        project_variable: Some("GEMINI_PROJECT_DIR"),
        folder: Some(".gemini"),
        home: &[("GEMINI_CLI_HOME", ".gemini"), ("HOME", ".gemini")],
        servers: servers::GEMINI,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Hooks(&rows::GEMINI),
        ..HOOK_HOST
    },
    Host {
        name: "qwen",
        program: "qwen",
        project_variable: Some("QWEN_PROJECT_DIR"),
        cap: Some(HostCap {
            variable: Some("QWEN_CODE_STOP_HOOK_BLOCK_CAP"),
            usual: 8,
            scope: CapScope::SincePrompt,
            dropped: 1,
        }),
        foreign_commands: &["/goal", "/loop"],
        folder: Some(".qwen"),
        home: &[("QWEN_HOME", ""), ("HOME", ".qwen")],
        servers: servers::QWEN,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Hooks(&rows::QWEN),
        ..HOOK_HOST
    },
    Host {
        name: "droid",
        program: "droid",
        project_variable: Some("FACTORY_PROJECT_DIR"),
        folder: Some(".factory"),
        home: &[("HOME", ".factory")],
        servers: servers::DROID,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Hooks(&rows::DROID),
        ..HOOK_HOST
    },
    Host {
        name: "kimi",
        program: "kimi",
        cap: Some(HostCap { variable: None, usual: 1, scope: CapScope::SincePrompt, dropped: 0 }),
        foreign_commands: &["/goal"],
        home: &[("KIMI_CODE_HOME", ""), ("HOME", ".kimi-code")],
        servers: servers::KIMI,
        proof: HostProof::RealClient,
        protocol: HostProtocol::Hooks(&rows::KIMI),
        ..HOOK_HOST
    },
    Host {
        name: "goose",
        program: "goose",
        cap: Some(HostCap {
            variable: Some("GOOSE_STOP_HOOK_BLOCK_CAP"),
            usual: 8,
            scope: CapScope::SincePrompt,
            dropped: 0,
        }),
        folder: Some(".agents/plugins/ralph"),
        home: &[("HOME", ".agents/plugins/ralph")],
        protocol: HostProtocol::Hooks(&rows::GOOSE),
        ..HOOK_HOST
    },
    Host {
        name: "cursor",
        program: "cursor-agent",
        cap: Some(HostCap { variable: None, usual: 5, scope: CapScope::SincePrompt, dropped: 0 }),
        folder: Some(".cursor"),
        home: &[("HOME", ".cursor")],
        protocol: HostProtocol::Hooks(&rows::CURSOR),
        ..HOOK_HOST
    },
];

/// All ways to carry a conversation from turn to turn.
const ALL_CONTEXTS: &[ContextMode] =
    &[ContextMode::Auto, ContextMode::Same, ContextMode::Summarize, ContextMode::Fresh];

impl Host {
    /// Returns the host of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        HOSTS.iter().find(|host| host.name == name || host.aliases.contains(&name))
    }

    /// Returns the folder of the user's settings.
    pub fn user_folder(&self, variable: &VariableLookup<'_>) -> Option<PathBuf> {
        self.home.iter().find_map(|(name, below)| {
            let value = variable(name).filter(|value| !value.is_empty())?;
            let value = PathBuf::from(value);
            Some(if below.is_empty() { value } else { value.join(below) })
        })
    }

    /// Returns the names of the events it must report.
    pub fn events(&self) -> Vec<&'static str> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::settings::usual_events(dialect),
            HostProtocol::Own(functions) => functions.events.to_vec(),
        }
    }

    /// Returns the name of the event it must report, too, if errors start loops.
    pub fn edit_event(&self) -> Option<&'static str> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => dialect.named(HookMeaning::BeforeEdit),
            HostProtocol::Own(_) => None,
        }
    }

    /// Plans an installation into its folder.
    pub fn install(
        &self,
        read: &FolderReader<'_>,
        wanted: &InstallOptions,
    ) -> Result<InstallPlan, HostFileError> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::plan_install(dialect, read, wanted),
            HostProtocol::Own(functions) => (functions.install)(read, wanted),
        }
    }

    /// Plans an uninstallation.
    pub fn uninstall(&self, read: &FolderReader<'_>) -> Result<InstallPlan, HostFileError> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::plan_uninstall(dialect, read),
            HostProtocol::Own(functions) => (functions.uninstall)(read),
        }
    }

    /// Inspects what is installed in its folder.
    pub fn inspect(
        &self,
        read: &FolderReader<'_>,
        scope: SettingsScope,
    ) -> Result<InstallInspection, HostFileError> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::inspect(dialect, read, scope),
            HostProtocol::Own(functions) => (functions.inspect)(read, scope),
        }
    }

    /// Returns a sample payload of an event in a session, given the root of the
    /// project.
    pub fn payload(&self, event: &str, session: &str, root: &Path) -> String {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::payload(dialect, event, session, root),
            HostProtocol::Own(functions) => (functions.payload)(event, session, root),
        }
    }

    /// Returns the path of a session's summary in a project; `None` for hosts
    /// without summaries.
    pub fn summary_file(&self, root: &Path, session: &SessionId) -> Option<PathBuf> {
        match &self.protocol {
            HostProtocol::Hooks(_) => None,
            HostProtocol::Own(functions) => Some((functions.summary_file)(root, session)),
        }
    }

    /// Returns the command that resumes a session; `None` if the id is not one
    /// of this host.
    pub fn resume(&self, session: &SessionId) -> Option<Vec<String>> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => dialect.resume_command(session),
            HostProtocol::Own(functions) => (functions.resume)(session),
        }
    }

    /// Parses a payload.
    pub fn parse(&self, payload: &[u8]) -> Result<HostEvent, BadPayload> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::parse(dialect, payload),
            HostProtocol::Own(functions) => (functions.parse)(payload),
        }
    }

    /// Renders a reply in the host's format; empty if there is nothing to say.
    pub fn render(&self, event: &HostEvent, reply: &HostReply) -> String {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => hooks::render(dialect, event, reply),
            HostProtocol::Own(functions) => (functions.render)(event, reply),
        }
    }

    /// Returns what someone says in a line of a transcript; `None` for other
    /// lines.
    pub fn words(&self, line: &str) -> Option<TranscriptWords> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => dialect.transcript.words(line),
            HostProtocol::Own(_) => None,
        }
    }

    /// Returns the folder below the user's settings that has a folder for each
    /// project with the sessions, and the transcript of a session there; `None`
    /// if events name the transcript.
    pub fn transcript(&self, session: &SessionId) -> Option<(&'static str, PathBuf)> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => dialect.transcript.place(session),
            HostProtocol::Own(_) => None,
        }
    }

    /// Makes our hooks in a project trusted, if the host asks for that, and returns
    /// their number; `None` for hosts that run every hook. `command` starts the
    /// host, without arguments.
    pub fn trust(
        &self,
        command: impl FnOnce() -> io::Result<Command>,
        root: &Path,
    ) -> Option<Result<usize, HookTrustError>> {
        match &self.protocol {
            HostProtocol::Hooks(dialect) if dialect.asks_for_trust => {
                let command = command().map_err(HookTrustError::from);
                Some(command.and_then(|command| hooks::trust(dialect, command, root)))
            }
            HostProtocol::Hooks(_) | HostProtocol::Own(_) => None,
        }
    }

    /// Returns true if the cap is a part of its settings, and can be installed.
    pub fn has_cap_setting(&self) -> bool {
        match &self.protocol {
            HostProtocol::Hooks(dialect) => dialect.settings.has_cap(),
            HostProtocol::Own(_) => false,
        }
    }

    /// Returns true if a user can answer, according to this environment.
    pub fn has_user(&self, variable: impl Fn(&str) -> Option<String>) -> bool {
        let value = self.user_variable.and_then(variable);
        value.is_some_and(|value| !matches!(value.trim(), "" | "0"))
    }

    /// Returns the process id of the host from this environment.
    pub fn process(&self, variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
        variable(self.process_variable?)?.trim().parse().ok()
    }

    /// Returns the maximum number of continuations in a row, from this
    /// environment or else as it was `installed`; `None` for no limit.
    pub fn cap(
        &self,
        variable: impl Fn(&str) -> Option<String>,
        installed: Option<u32>,
    ) -> Option<u32> {
        let cap = self.cap?;
        let said = cap.variable.and_then(variable);
        let installed = || match &self.protocol {
            HostProtocol::Hooks(dialect) => dialect.settings.installed_cap(installed?),
            HostProtocol::Own(_) => None,
        };
        let said = said.and_then(|value| value.trim().parse().ok()).or_else(installed);
        let most = said.unwrap_or(cap.usual);
        (most > 0).then(|| most.saturating_sub(cap.dropped))
    }
}

/// Returns the command that resumes a session, of the host whose ids have this
/// form.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    HOSTS.iter().find_map(|host| host.resume(session))
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
