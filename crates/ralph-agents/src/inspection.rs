//! What a host's folder says about us, and about others who do the same.

use std::path::PathBuf;
use std::time::Duration;

/// Whose settings are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of one project.
    Project,
    /// Those of the user, which hold in every project.
    User,
}

/// What was found in one folder. Paths are below that folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Our hooks.
    pub hooks: Vec<InstalledHook>,
    /// The file that passes events on to us, in a host that needs one.
    pub plugin: Option<CommandFile>,
    /// Our commands, whether they are there or not.
    pub commands: Vec<CommandFile>,
    /// How often in a row an agent may be continued that uses no tool.
    pub cap: Option<Cap>,
    /// The file that switches every hook off.
    pub switched_off_by: Option<PathBuf>,
    /// What else hears of the end of a turn and may make the agent go on.
    pub others: Vec<Other>,
    /// Our own plugin, by its names, where it is switched on.
    pub own_plugins: Vec<String>,
}

impl Inspection {
    /// Whether anything of ours was found.
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
    /// The host's name for what it hears of.
    pub event: String,
    /// How it is called.
    pub call: HookCall,
    /// How long the host lets it run.
    pub granted: Duration,
    /// How long it gives itself, if its installation says so.
    pub own: Option<Duration>,
    /// Whether it may run gates.
    pub runs_gates: bool,
    /// When loops begin, as it was installed; `None` if somebody has to ask.
    pub arm: Option<String>,
}

/// How a host calls a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookCall {
    /// A program with its arguments.
    Program(String, Vec<String>),
    /// A line for the shell, as older versions installed it.
    Shell(String),
}

/// One of our files in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFile {
    /// Its file.
    pub path: PathBuf,
    /// What is there.
    pub state: CommandState,
}

/// What stands in the place of a file of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandState {
    /// What this version would write.
    Current,
    /// What another version wrote.
    Old,
    /// Something of somebody else's.
    Foreign,
    /// Nothing.
    Missing,
}

/// A limit to continuations that settings name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cap {
    /// The file it is in.
    pub file: PathBuf,
    /// What it says.
    pub value: String,
    /// Whether we wrote it.
    pub is_ours: bool,
}

/// Somebody else who hears of the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// A hook: its file, and its command line or kind.
    Hook(PathBuf, String),
    /// A plugin that is known to loop, by its name.
    Plugin(PathBuf, String),
}
