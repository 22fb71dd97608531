//! OpenCode as an agent: one server for all turns of a run, or the user's
//! server.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ralph_proc::{Ending, Launch, Limits, Outcome, ProcError, Streams, Supervisor, Watcher};
use serde_json::json;

use super::address::{Address, shown};
use super::consent::{EDITS, MODES};
use super::courier::{Broken, Courier};
use super::follow::Follow;
use super::http::Wire;
use super::listener::OpenCodeListener;
use super::server::Server;
use super::visit::{Visit, leave};
use crate::client::{ClientOption, ClientOptions, Setting};
use crate::limits::LimitPatterns;
use crate::listen::Listener;
use crate::{Agent, Mood, News, Turn};

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
pub const SETTINGS: [Setting; 6] = [
    Setting {
        option: ClientOption::Program,
        path: "opencode.program",
        variable: "RALPH_OPENCODE_PROGRAM",
        choices: &[],
        default: PROGRAM,
        help: "The program that `--agent opencode` starts",
    },
    Setting {
        option: ClientOption::PermissionMode,
        path: "opencode.permission_mode",
        variable: "RALPH_OPENCODE_PERMISSION_MODE",
        choices: &MODES,
        default: EDITS,
        help: "What is allowed where it would ask, since nobody is there to be asked; what its own settings allow or deny it does not ask for",
    },
    Setting {
        option: ClientOption::Model,
        path: "opencode.model",
        variable: "RALPH_OPENCODE_MODEL",
        choices: &[],
        default: "the client's own",
        help: "The model to ask for, as PROVIDER/MODEL",
    },
    Setting {
        option: ClientOption::Persona,
        path: "opencode.agent",
        variable: "RALPH_OPENCODE_AGENT",
        choices: &[],
        default: "the client's own",
        help: "Which of its own agents does the work, such as `build`",
    },
    Setting {
        option: ClientOption::Args,
        path: "opencode.args",
        variable: "RALPH_OPENCODE_ARGS",
        choices: &[],
        default: "none",
        help: "More words for the command line of its server, such as `--pure`",
    },
    Setting {
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
        && Address::parse(url, &[]).is_none()
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
    desk: Mutex<Desk>,
}

/// The state that lasts from turn to turn.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// The server, if ralph started one.
    pub(super) server: Option<Server>,
    /// The connection that the last turn used.
    pub(super) wire: Option<Wire>,
    /// Messages that could not be shown yet.
    news: Vec<(String, Mood)>,
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

    fn desk(&self) -> std::sync::MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    /// Shows the waiting messages.
    pub(super) fn tell_news(&mut self) {
        let Some(wire) = &self.wire else { return };
        for (text, mood) in self.news.drain(..) {
            toast(wire, &text, mood);
        }
    }
}

impl Agent for OpenCodeAgent {
    fn name(&self) -> &'static str {
        super::NAME
    }

    fn command_line(&self) -> Vec<String> {
        match &self.options.attach {
            Some(url) => vec![self.program_text().to_owned(), "attach".to_owned(), shown(url)],
            None => std::iter::once(self.program_text().to_owned()).chain(self.args()).collect(),
        }
    }

    fn launch(&self, turn: &Turn<'_>) -> Launch {
        let stays = |name: &OsString| NOT_PASSED_ON.iter().all(|known| name != known);
        Launch {
            program: self.program_text().into(),
            args: self.args().into_iter().map(OsString::from).collect(),
            dir: turn.root.to_owned(),
            env: turn.env.iter().filter(|(name, _)| stays(name)).cloned().collect(),
            stdin: None,
            streams: Streams::Apart,
        }
    }

    fn take(
        &self,
        turn: &Turn<'_>,
        limits: &Limits,
        supervisor: &Supervisor,
        watcher: &mut dyn Watcher,
    ) -> Result<Outcome, ProcError> {
        let mut desk = self.desk();
        let mut courier = Courier::new(watcher, limits);
        let mut follow = Follow::default();
        let visit = Visit { agent: self, turn, supervisor };
        let ending = match visit.pay(&mut desk, &mut courier, &mut follow) {
            Ok(()) => Ending::Exited(0),
            Err(Broken::Cut(ending)) => {
                leave(&mut desk, &mut courier, &mut follow);
                ending
            }
            Err(Broken::Failed(what)) => {
                leave(&mut desk, &mut courier, &mut follow);
                courier.tell(&json!({ "type": "ralph.failed", "what": what }));
                Ending::Exited(1)
            }
            Err(Broken::Killed) => {
                desk.server = None;
                Ending::Stopped
            }
        };
        Ok(courier.outcome(ending))
    }

    fn show(&self, news: &News<'_>) {
        let mut desk = self.desk();
        desk.news.push((news.text.to_owned(), news.mood));
        if desk.news.len() > MOST_NEWS {
            desk.news.remove(0);
        }
        desk.tell_news();
    }

    fn listen<'a>(&'a self, turn: &Turn<'a>) -> Box<dyn Listener + 'a> {
        Box::new(OpenCodeListener::new(&self.limits, self.mode(), turn.seat))
    }

    fn program(&self) -> PathBuf {
        PathBuf::from(self.program_text())
    }

    fn keeps_sessions(&self) -> bool {
        true
    }
}

/// Shows a message in a terminal that is attached to the server, if any.
fn toast(wire: &Wire, text: &str, mood: Mood) {
    let variant = match mood {
        Mood::Plain => "info",
        Mood::Good => "success",
        Mood::Bad => "warning",
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
