//! Hosts: clients that tell us what happens in their sessions.

use std::fmt;
use std::path::{Path, PathBuf};

use ralph_core::host::{HostEvent, HostReply, Reach};
use ralph_core::ids::SessionId;
use ralph_core::policy::Context;

use crate::inspection::{Inspection, Scope};
use crate::install::{Plan, Read, Unreadable, Wanted};
use crate::servers::Servers;
use crate::{claude, opencode};

/// A payload that says nothing.
#[derive(Debug, thiserror::Error)]
pub enum BadPayload {
    /// There was nothing to read.
    #[error("the payload is empty")]
    Empty,
    /// It is something other than an object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// It does not follow the rules of JSON.
    #[error("the payload is not JSON: {0}")]
    Json(serde_json::Error),
}

/// Looks up a variable of the environment.
pub type Variable<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// One host: its dialect and its habits.
#[derive(Clone, Copy)]
pub struct Host {
    /// The name used on the command line.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// The program that people start it with.
    pub program: &'static str,
    /// The variable in which the host tells its hooks where the project is, if
    /// it does not say so in every event.
    pub project_variable: Option<&'static str>,
    /// The variable in which the host tells the programs that it starts which
    /// session they are for, if it does.
    pub session_variable: Option<&'static str>,
    /// The variable in which the host tells its hooks which process it is, if
    /// that need not be the one that starts them.
    pub process_variable: Option<&'static str>,
    /// The variable that is set, and not to 0, where a user is there who could
    /// answer.
    pub user_variable: &'static str,
    /// How often in a row it lets a hook continue an agent that uses no tool:
    /// the variable that says so, and what holds without it.
    pub cap: Option<(&'static str, u32)>,
    /// How its sessions can be made to go on.
    pub reach: Reach,
    /// How much its agents can be made to remember from turn to turn.
    pub contexts: &'static [Context],
    /// Commands with which other loops begin, and files that they leave while
    /// they go on.
    pub foreign_commands: &'static [&'static str],
    /// See [`Self::foreign_commands`].
    pub foreign_files: &'static [&'static str],
    /// The folder of its settings in a project.
    pub folder: &'static str,
    /// The folder of the user's settings.
    pub user_folder: fn(&Variable<'_>) -> Option<PathBuf>,
    /// Plans an installation into that folder.
    pub install: fn(&Read<'_>, &Wanted) -> Result<Plan, Unreadable>,
    /// Plans its removal.
    pub uninstall: fn(&Read<'_>) -> Result<Plan, Unreadable>,
    /// Where it is told of our tools.
    pub servers: Servers,
    /// What it has to tell us about, in its own names.
    pub events: &'static [&'static str],
    /// What it has to tell us about as well where loops begin with errors.
    pub edit_event: Option<&'static str>,
    /// Looks at what is installed in that folder.
    pub inspect: fn(&Read<'_>, Scope) -> Result<Inspection, Unreadable>,
    /// What it says about one of its events in a session of this name, if
    /// nothing has come of it yet. The root of the project comes last.
    pub payload: fn(&str, &str, &Path) -> String,
    /// Where in a project the summary of a session is kept; `None` for hosts
    /// that make none.
    pub summary_file: Option<fn(&Path, &SessionId) -> PathBuf>,
    /// The command line that goes on with a session; `None` if no session of
    /// this host has such a name.
    pub resume: fn(&SessionId) -> Option<Vec<String>>,
    /// Understands what the host says.
    pub parse: fn(&[u8]) -> Result<HostEvent, BadPayload>,
    /// Says a reply in the host's words; empty if there is nothing to say.
    pub render: fn(&HostEvent, &HostReply) -> String,
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
        reach: Reach::Answers,
        contexts: &[Context::Auto, Context::Same, Context::Summarize, Context::Fresh],
        foreign_commands: &["/goal", "/loop", "/ralph-loop", "/ralph-loop:ralph-loop"],
        foreign_files: &[".claude/ralph-loop.local.md"],
        folder: ".claude",
        user_folder: claude::user_folder,
        install: claude::plan_install,
        uninstall: claude::plan_uninstall,
        servers: claude::SERVERS,
        events: &claude::settings::EVENTS,
        edit_event: Some(claude::settings::BEFORE_EDITS),
        inspect: claude::inspect,
        payload: claude::payload,
        summary_file: None,
        resume: claude::resume_command,
        parse: claude::parse,
        render: claude::render,
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
        reach: Reach::Messages,
        contexts: &[Context::Auto, Context::Same, Context::Summarize, Context::Fresh],
        foreign_commands: &[],
        foreign_files: &[".opencode/ralph-loop.state.json", ".omo/ralph-loop.local.md"],
        folder: ".opencode",
        user_folder: opencode::user_folder,
        install: opencode::plan_install,
        uninstall: opencode::plan_uninstall,
        servers: opencode::SERVERS,
        events: &opencode::EVENTS,
        edit_event: None,
        inspect: opencode::inspect,
        payload: opencode::payload,
        summary_file: Some(opencode::summary_file),
        resume: opencode::resume_command,
        parse: opencode::parse,
        render: opencode::render,
    },
];

impl Host {
    /// The host of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        HOSTS.iter().find(|host| host.name == name || host.aliases.contains(&name))
    }

    /// Whether a user is there who could answer, in this environment.
    pub fn has_user(&self, variable: impl Fn(&str) -> Option<String>) -> bool {
        variable(self.user_variable).is_some_and(|value| !matches!(value.trim(), "" | "0"))
    }

    /// The process of the host, as this environment has it.
    pub fn process(&self, variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
        variable(self.process_variable?)?.trim().parse().ok()
    }

    /// How often in a row the host lets an agent go on that uses no tool, in
    /// this environment; `None` for any number of times.
    pub fn cap(&self, variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
        let (name, default) = self.cap?;
        let said = variable(name).and_then(|value| value.trim().parse().ok());
        Some(said.unwrap_or(default)).filter(|cap| *cap > 0)
    }
}

/// The command line by which the host that has a session goes on with it, told
/// from what the session is called.
pub fn resume_command(session: &SessionId) -> Option<Vec<String>> {
    HOSTS.iter().find_map(|host| (host.resume)(session))
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
            (Host::find(host).unwrap().user_folder)(&variable)
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
