//! OpenCode as an agent: one server for all turns of a run, or the user's
//! server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ralph_proc::{
    ExitReason, ProcError, ProgramLaunch, ProgramLimits, ProgramOutcome, ProgramWatcher,
    StreamMerging, Supervisor,
};
use serde_json::json;

use super::address::{ServerAddress, shown};
use super::consent::{EDITS, MODES};
use super::courier::{TurnMonitor, UnfinishedTurn};
use super::follow::OpenCodeTurnState;
use super::http::OpenCodeConnection;
use super::listener::OpenCodeListener;
use super::server::OpenCodeServer;
use super::visit::{OpenCodeTurn, abort_turn};
use crate::client::{Client, ClientOption, ClientOptions, ClientSetting};
use crate::limits::LimitPatterns;
use crate::listen::TurnListener;
use crate::places::ClientPlaces;
use crate::{Agent, NoticeMood, RunNotice, TurnInput};

/// The default program.
const PROGRAM: &str = "opencode";

/// Timeout for showing a message.
const NEWS: Duration = Duration::from_secs(2);

/// Maximum number of messages that wait for a server; older ones are dropped.
const MOST_NEWS: usize = 4;

/// Variables that a client sets for its child processes, and those that are
/// wrong after the first turn.
const NOT_PASSED_ON: [&str; 6] = [
    "OPENCODE",
    "OPENCODE_PID",
    "RALPH_ITERATION",
    "RALPH_PROMPT_FILE",
    "RALPH_TURN_DEADLINE",
    "RALPH_USAGE_FILE",
];

/// Settings of the client.
pub const SETTINGS: [ClientSetting; 6] = [
    ClientSetting {
        option: ClientOption::Program,
        path: "opencode.program",
        variable: "RALPH_OPENCODE_PROGRAM",
        choices: &[],
        default: PROGRAM,
        help: "The program that `--agent opencode` starts",
    },
    ClientSetting {
        option: ClientOption::PermissionMode,
        path: "opencode.permission_mode",
        variable: "RALPH_OPENCODE_PERMISSION_MODE",
        choices: &MODES,
        default: EDITS,
        help: "What is allowed where it would ask, since nobody is there to be asked; what its own settings allow or deny it does not ask for",
    },
    ClientSetting {
        option: ClientOption::Model,
        path: "opencode.model",
        variable: "RALPH_OPENCODE_MODEL",
        choices: &[],
        default: "the client's own",
        help: "The model to ask for, as PROVIDER/MODEL",
    },
    ClientSetting {
        option: ClientOption::Persona,
        path: "opencode.agent",
        variable: "RALPH_OPENCODE_AGENT",
        choices: &[],
        default: "the client's own",
        help: "Which of its own agents does the work, such as `build`",
    },
    ClientSetting {
        option: ClientOption::Args,
        path: "opencode.args",
        variable: "RALPH_OPENCODE_ARGS",
        choices: &[],
        default: "none",
        help: "More words for the command line of its server, such as `--pure`",
    },
    ClientSetting {
        option: ClientOption::Attach,
        path: "opencode.attach",
        variable: "RALPH_OPENCODE_ATTACH",
        choices: &[],
        default: "a server of our own",
        help: "The address of a server that runs already, with `USER:PASSWORD@` in it or the password in OPENCODE_SERVER_PASSWORD",
    },
];

/// Returns an error in the user's options.
pub(crate) fn fault(options: &ClientOptions) -> Option<String> {
    if let Some(url) = &options.attach
        && ServerAddress::parse(url, &[]).is_none()
    {
        let url = shown(url);
        return Some(format!("`{url}` is no address of a server, such as http://127.0.0.1:4096"));
    }
    let model = options.model.as_ref()?;
    (!model.contains('/')).then(|| format!("the model `{model}` is not written as PROVIDER/MODEL"))
}

/// OpenCode, driven through its server.
#[derive(Debug)]
pub struct OpenCodeAgent {
    pub(super) options: ClientOptions,
    limits: LimitPatterns,
    desk: Mutex<OpenCodeState>,
}

/// The state that lasts from turn to turn.
#[derive(Debug, Default)]
pub(super) struct OpenCodeState {
    /// The server, if ralph started one.
    pub(super) server: Option<OpenCodeServer>,
    /// The connection that the last turn used.
    pub(super) wire: Option<OpenCodeConnection>,
    /// Messages that could not be shown yet.
    news: Vec<(String, NoticeMood)>,
}

impl OpenCodeAgent {
    /// Creates the agent with these options.
    pub fn new(options: &ClientOptions, limits: LimitPatterns) -> Self {
        Self { options: options.clone(), limits, desk: Mutex::default() }
    }

    /// Returns the permission mode.
    pub(super) fn mode(&self) -> &str {
        self.options.permission_mode.as_deref().unwrap_or(EDITS)
    }

    fn program_text(&self) -> &str {
        self.options.program.as_deref().unwrap_or(PROGRAM)
    }

    fn args(&self) -> Vec<String> {
        let args = ["serve", "--hostname", "127.0.0.1", "--port", "0"].map(str::to_owned);
        args.into_iter().chain(self.options.args.iter().cloned()).collect()
    }

    fn desk(&self) -> std::sync::MutexGuard<'_, OpenCodeState> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenCodeState {
    /// Shows the waiting messages.
    pub(super) fn tell_news(&mut self) {
        let Some(wire) = &self.wire else { return };
        for (text, mood) in self.news.drain(..) {
            toast(wire, &text, mood);
        }
    }
}

impl Agent for OpenCodeAgent {
    fn name(&self) -> &str {
        super::NAME
    }

    fn command_line(&self) -> Vec<String> {
        match &self.options.attach {
            Some(url) => vec![self.program_text().to_owned(), "attach".to_owned(), shown(url)],
            None => std::iter::once(self.program_text().to_owned()).chain(self.args()).collect(),
        }
    }

    fn launch(&self, turn: &TurnInput<'_>) -> ProgramLaunch {
        let stays = |name: &OsString| NOT_PASSED_ON.iter().all(|known| name != known);
        ProgramLaunch {
            program: self.program_text().into(),
            args: self.args().into_iter().map(OsString::from).collect(),
            dir: turn.root.to_owned(),
            env: turn.env.iter().filter(|(name, _)| stays(name)).cloned().collect(),
            stdin: None,
            streams: StreamMerging::Apart,
        }
    }

    fn run_turn(
        &self,
        turn: &TurnInput<'_>,
        limits: &ProgramLimits,
        supervisor: &Supervisor,
        watcher: &mut dyn ProgramWatcher,
    ) -> Result<ProgramOutcome, ProcError> {
        let mut desk = self.desk();
        let mut courier = TurnMonitor::new(watcher, limits);
        let mut follow = OpenCodeTurnState::default();
        let visit = OpenCodeTurn { agent: self, turn, supervisor };
        let ending = match visit.run(&mut desk, &mut courier, &mut follow) {
            Ok(()) => ExitReason::Exited(0),
            Err(UnfinishedTurn::Cut(ending)) => {
                abort_turn(&mut desk, &mut courier, &mut follow);
                ending
            }
            Err(UnfinishedTurn::Failed(what)) => {
                abort_turn(&mut desk, &mut courier, &mut follow);
                courier.tell(&json!({ "type": "ralph.failed", "what": what }));
                ExitReason::Exited(1)
            }
            Err(UnfinishedTurn::Killed) => {
                desk.server = None;
                ExitReason::Stopped
            }
        };
        Ok(courier.outcome(ending))
    }

    fn show(&self, news: &RunNotice<'_>) {
        let mut desk = self.desk();
        desk.news.push((news.text.to_owned(), news.mood));
        if desk.news.len() > MOST_NEWS {
            desk.news.remove(0);
        }
        desk.tell_news();
    }

    fn listen<'a>(&'a self, turn: &TurnInput<'a>) -> Box<dyn TurnListener + 'a> {
        Box::new(OpenCodeListener::new(&self.limits, self.mode(), turn.seat))
    }

    fn program(&self) -> PathBuf {
        PathBuf::from(self.program_text())
    }

    fn keeps_sessions(&self) -> bool {
        true
    }

    fn places(&self, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
        Client::OpenCode.places(home, variable)
    }
}

/// Shows a message in a terminal that is attached to the server, if any.
fn toast(wire: &OpenCodeConnection, text: &str, mood: NoticeMood) {
    let variant = match mood {
        NoticeMood::Plain => "info",
        NoticeMood::Good => "success",
        NoticeMood::Bad => "warning",
    };
    // The title is `ralph` already.
    let text = text.strip_prefix("ralph: ").unwrap_or(text);
    let body = json!({ "title": "ralph", "message": text, "variant": variant });
    // There may be no terminal.
    let _ = wire.post("/tui/show-toast", &body, NEWS);
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
