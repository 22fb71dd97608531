//! The state of our installation in a host's folder, and of other loops there.

use std::path::PathBuf;
use std::time::Duration;

/// The settings to inspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsScope {
    /// Those of one project.
    Project,
    /// Those of the user, for all projects.
    User,
}

/// The findings in one folder. Paths are relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallInspection {
    /// Our hooks.
    pub hooks: Vec<InstalledHook>,
    /// The file that forwards events to ralph, in a host that needs one.
    pub plugin: Option<CommandFile>,
    /// Our commands, installed or missing.
    pub commands: Vec<CommandFile>,
    /// The limit on continuations in a row.
    pub cap: Option<ContinuationCap>,
    /// The file that disables all hooks.
    pub switched_off_by: Option<PathBuf>,
    /// Other hooks and plugins that may continue the agent at the end of a
    /// turn.
    pub others: Vec<ForeignLoop>,
    /// Names of our own plugin, if enabled.
    pub own_plugins: Vec<String>,
}

impl InstallInspection {
    /// Returns true if anything of ours is installed.
    pub fn is_installed(&self) -> bool {
        let mut files = self.commands.iter().chain(&self.plugin);
        let is_ours = |file: &CommandFile| match file.state {
            CommandState::Current | CommandState::Old => true,
            CommandState::Foreign | CommandState::Missing => false,
        };
        !self.hooks.is_empty() || !self.own_plugins.is_empty() || files.any(is_ours)
    }
}

/// One hook of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    /// The file it is in.
    pub file: PathBuf,
    /// The host's name of the event.
    pub event: String,
    /// The command of the hook.
    pub call: HookCall,
    /// The host's timeout for it.
    pub granted: Duration,
    /// Its own time limit, if the installation sets one.
    pub own: Option<Duration>,
    /// True if it may run gates.
    pub runs_gates: bool,
    /// The installed condition that starts loops; `None` if the user starts
    /// them.
    pub arm: Option<String>,
}

/// The command of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookCall {
    /// A program with its arguments.
    Program(String, Vec<String>),
    /// A shell command line, for a host that takes no other.
    Line(String),
    /// A shell command line of an older version.
    Shell(String),
}

/// One of our files in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFile {
    /// Its path.
    pub path: PathBuf,
    /// Its state.
    pub state: CommandState,
}

/// The state of one of our files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandState {
    /// As this version writes it.
    Current,
    /// As another version wrote it.
    Old,
    /// A file of another origin.
    Foreign,
    /// There is no file.
    Missing,
}

/// A limit on continuations in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinuationCap {
    /// The file it is in.
    pub file: PathBuf,
    /// Its value.
    pub value: String,
    /// True if we wrote it.
    pub is_ours: bool,
}

/// Another program that may continue the agent at the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignLoop {
    /// A hook: its file, and its command line or kind.
    Hook(PathBuf, String),
    /// A plugin that is known to loop: its file and name.
    Plugin(PathBuf, String),
}
