//! Hosts: clients whose hooks report events of their sessions to ralph.

use std::fmt;
use std::path::{Path, PathBuf};

use ralph_core::host::{HostChannel, HostEvent, HostReply};
use ralph_core::ids::SessionId;
use ralph_core::policy::ContextMode;

use crate::inspection::{InstallInspection, SettingsScope};
use crate::install::{FolderReader, HostFileError, InstallOptions, InstallPlan};
use crate::servers::ToolServerList;
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
    /// The variable that is set, and not to 0, if a user can answer.
    pub user_variable: &'static str,
    /// The variable that limits how often in a row a hook may continue an agent
    /// that uses no tool, and its default.
    pub cap: Option<(&'static str, u32)>,
    /// The way in which its sessions are continued.
    pub reach: HostChannel,
    /// Ways to carry a conversation from turn to turn that it supports.
    pub contexts: &'static [ContextMode],
    /// Commands that start loops of other programs.
    pub foreign_commands: &'static [&'static str],
    /// Files that exist while loops of other programs run.
    pub foreign_files: &'static [&'static str],
    /// The folder of its settings in a project.
    pub folder: &'static str,
    /// The folder of the user's settings: the first of these variables that is
    /// set, and the path below it.
    pub(crate) home: &'static [(&'static str, &'static str)],
    /// The list of tool servers for our tools.
    pub servers: ToolServerList,
    /// The formats of its files, events and replies.
    pub(crate) protocol: HostProtocol,
}

/// The way in which a host and ralph understand each other.
#[derive(Clone, Copy)]
pub(crate) enum HostProtocol {
    /// A protocol of its own.
    Own(HostFunctions),
}

/// The functions of a host with a protocol of its own.
#[derive(Clone, Copy)]
pub(crate) struct HostFunctions {
    /// Names of the events it must report.
    pub(crate) events: &'static [&'static str],
    /// Name of the event it must report, too, if errors start loops.
    pub(crate) edit_event: Option<&'static str>,
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
    pub(crate) summary_file: Option<fn(&Path, &SessionId) -> PathBuf>,
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

/// All hosts.
pub const HOSTS: &[Host] = &[
    Host {
        name: claude::NAME,
        aliases: &["claude"],
        program: "claude",
        project_variable: Some("CLAUDE_PROJECT_DIR"),
        session_variable: Some("CLAUDE_CODE_SESSION_ID"),
        process_variable: Some("CLAUDE_PID"),
        user_variable: "CLAUDE_CODE_SESSION_ATTENDED",
        cap: Some(("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", 8)),
        reach: HostChannel::Answers,
        contexts: &[
            ContextMode::Auto,
            ContextMode::Same,
            ContextMode::Summarize,
            ContextMode::Fresh,
        ],
        foreign_commands: &["/goal", "/loop", "/ralph-loop", "/ralph-loop:ralph-loop"],
        foreign_files: &[".claude/ralph-loop.local.md"],
        folder: ".claude",
        home: &[("CLAUDE_CONFIG_DIR", ""), ("HOME", ".claude")],
        servers: claude::SERVERS,
        protocol: HostProtocol::Own(HostFunctions {
            events: &claude::settings::EVENTS,
            edit_event: Some(claude::settings::BEFORE_EDITS),
            install: claude::plan_install,
            uninstall: claude::plan_uninstall,
            inspect: claude::inspect,
            payload: claude::payload,
            summary_file: None,
            resume: claude::resume_command,
            parse: claude::parse,
            render: claude::render,
        }),
    },
    Host {
        name: opencode::NAME,
        aliases: &[],
        program: "opencode",
        project_variable: None,
        session_variable: Some("RALPH_HOST_SESSION"),
        process_variable: None,
        user_variable: "RALPH_HOST_HAS_USER",
        cap: None,
        reach: HostChannel::Messages,
        contexts: &[
            ContextMode::Auto,
            ContextMode::Same,
            ContextMode::Summarize,
            ContextMode::Fresh,
        ],
        foreign_commands: &[],
        foreign_files: &[".opencode/ralph-loop.state.json", ".omo/ralph-loop.local.md"],
        folder: ".opencode",
        home: &[
            ("OPENCODE_CONFIG_DIR", ""),
            ("XDG_CONFIG_HOME", "opencode"),
            ("HOME", ".config/opencode"),
        ],
        servers: opencode::SERVERS,
        protocol: HostProtocol::Own(HostFunctions {
            events: &opencode::EVENTS,
            edit_event: None,
            install: opencode::plan_install,
            uninstall: opencode::plan_uninstall,
            inspect: opencode::inspect,
            payload: opencode::payload,
            summary_file: Some(opencode::summary_file),
            resume: opencode::resume_command,
            parse: opencode::parse,
            render: opencode::render,
        }),
    },
];

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

    fn functions(&self) -> &HostFunctions {
        let HostProtocol::Own(functions) = &self.protocol;
        functions
    }

    /// Returns the names of the events it must report.
    pub fn events(&self) -> &'static [&'static str] {
        self.functions().events
    }

    /// Returns the name of the event it must report, too, if errors start loops.
    pub fn edit_event(&self) -> Option<&'static str> {
        self.functions().edit_event
    }

    /// Plans an installation into its folder.
    pub fn install(
        &self,
        read: &FolderReader<'_>,
        wanted: &InstallOptions,
    ) -> Result<InstallPlan, HostFileError> {
        (self.functions().install)(read, wanted)
    }

    /// Plans an uninstallation.
    pub fn uninstall(&self, read: &FolderReader<'_>) -> Result<InstallPlan, HostFileError> {
        (self.functions().uninstall)(read)
    }

    /// Inspects what is installed in its folder.
    pub fn inspect(
        &self,
        read: &FolderReader<'_>,
        scope: SettingsScope,
    ) -> Result<InstallInspection, HostFileError> {
        (self.functions().inspect)(read, scope)
    }

    /// Returns a sample payload of an event in a session, given the root of the
    /// project.
    pub fn payload(&self, event: &str, session: &str, root: &Path) -> String {
        (self.functions().payload)(event, session, root)
    }

    /// Returns the path of a session's summary in a project; `None` for hosts
    /// without summaries.
    pub fn summary_file(&self, root: &Path, session: &SessionId) -> Option<PathBuf> {
        self.functions().summary_file.map(|path| path(root, session))
    }

    /// Returns the command that resumes a session; `None` if the id is not one
    /// of this host.
    pub fn resume(&self, session: &SessionId) -> Option<Vec<String>> {
        (self.functions().resume)(session)
    }

    /// Parses a payload.
    pub fn parse(&self, payload: &[u8]) -> Result<HostEvent, BadPayload> {
        (self.functions().parse)(payload)
    }

    /// Renders a reply in the host's format; empty if there is nothing to say.
    pub fn render(&self, event: &HostEvent, reply: &HostReply) -> String {
        (self.functions().render)(event, reply)
    }

    /// Returns true if a user can answer, according to this environment.
    pub fn has_user(&self, variable: impl Fn(&str) -> Option<String>) -> bool {
        variable(self.user_variable).is_some_and(|value| !matches!(value.trim(), "" | "0"))
    }

    /// Returns the process id of the host from this environment.
    pub fn process(&self, variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
        variable(self.process_variable?)?.trim().parse().ok()
    }

    /// Returns the maximum number of continuations in a row, from this
    /// environment; `None` for no limit.
    pub fn cap(&self, variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
        let (name, default) = self.cap?;
        let said = variable(name).and_then(|value| value.trim().parse().ok());
        Some(said.unwrap_or(default)).filter(|cap| *cap > 0)
    }
}

/// Returns the command that resumes a session, of the host whose ids have this
/// form.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    HOSTS.iter().find_map(|host| host.resume(session))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_taken_up_by_the_host_that_has_such_names() {
        let command = |name: &str| {
            resume_command(&SessionId::new(name).unwrap()).map(|words| words.join(" "))
        };
        let uuid = "0e6cbc56-2b9a-4f6e-9a4c-0a3a7c8f1d2e";
        assert_eq!(command(uuid), Some(format!("claude --resume {uuid}")));
        let id = "ses_4f2aB9cd01";
        assert_eq!(command(id), Some(format!("opencode --session {id}")));
        for odd in ["s-1", "ses_", "ses_a.b", "0e6cbc56-2b9a-4f6e-9a4c", "--help"] {
            assert_eq!(command(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_host_is_found_by_each_of_its_names() {
        for name in ["claude-code", "claude"] {
            assert_eq!(Host::find(name).unwrap().name, "claude-code");
        }
        assert_eq!(Host::find("opencode").unwrap().name, "opencode");
        assert!(Host::find("").is_none());
    }

    #[test]
    fn a_cap_of_nought_is_no_cap() {
        let host = Host::find("claude-code").unwrap();
        for (said, cap) in
            [(None, Some(8)), (Some("0"), None), (Some("30"), Some(30)), (Some("x"), Some(8))]
        {
            assert_eq!(host.cap(|_| said.map(str::to_owned)), cap);
        }
        assert_eq!(Host::find("opencode").unwrap().cap(|_| None), None);
    }

    #[test]
    fn an_environment_tells_of_the_process_and_of_a_user() {
        let host = Host::find("claude-code").unwrap();
        for (said, has_user) in [(None, false), (Some("0"), false), (Some("1"), true)] {
            assert_eq!(host.has_user(|_| said.map(str::to_owned)), has_user, "{said:?}");
        }
        assert_eq!(host.process(|_| Some("12".to_owned())), Some(12));
        assert_eq!(host.process(|_| None), None);
        assert_eq!(Host::find("opencode").unwrap().process(|_| Some("12".to_owned())), None);
    }

    #[test]
    fn the_users_settings_are_where_the_host_looks_for_them() {
        let folder = |host: &str, known: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = known.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            Host::find(host).unwrap().user_folder(&variable)
        };
        let home = ("HOME", "/h");
        assert_eq!(folder("claude", &[home]), Some("/h/.claude".into()));
        assert_eq!(folder("claude", &[home, ("CLAUDE_CONFIG_DIR", "/c")]), Some("/c".into()));
        assert_eq!(folder("opencode", &[home]), Some("/h/.config/opencode".into()));
        let named = [home, ("XDG_CONFIG_HOME", "/x")];
        assert_eq!(folder("opencode", &named), Some("/x/opencode".into()));
        let named = [home, ("OPENCODE_CONFIG_DIR", "/o")];
        assert_eq!(folder("opencode", &named), Some("/o".into()));
        assert_eq!(folder("opencode", &[]), None);
    }
}
