//! Claude Code as an agent: its command line and its listener.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_core::usage::{Usage, Usd};
use ralph_proc::{ProgramLaunch, StreamMerging};

use super::stream::ClaudeTurnState;
use super::verdict::{self, ClaudeTurnResult};
use crate::client::{Client, ClientOption, ClientOptions, ClientSetting};
use crate::limits::LimitPatterns;
use crate::listen::{AgentTurnOutcome, ShownOutput, TurnListener, TurnProcessEnd, TurnStatus};
use crate::places::ClientPlaces;
use crate::session::{AgentConversation, ContextWindow, SessionAfterTurn, TurnSession};
use crate::usage::grown;
use crate::{Agent, TurnInput, TurnReply};

/// The default program.
pub(super) const PROGRAM: &str = "claude";

/// The mode that keeps the client's own settings.
const OWN_MODE: &str = "settings";

/// The default mode, for runs without a user: files may be edited, and actions
/// without a rule are refused instead of asked about.
const USUAL_MODE: &str = "acceptEdits";

/// Number of times the client retries its provider. Its default is ten, for any
/// error; we wait longer between retries, without using up a turn.
const RETRIES: (&str, &str) = ("CLAUDE_CODE_MAX_RETRIES", "4");

/// Number of attempts before a permanent error ends the turn. The client may
/// renew its credentials after the first.
const HOPELESS_ATTEMPTS: u64 = 2;

/// A full conversation, whatever its size.
const FULL: ContextWindow = ContextWindow { tokens: 1, window: 1 };

/// Variables that a client sets for its child processes. Our client must not
/// see them.
pub(super) const OF_ANOTHER_CLIENT: [&str; 10] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
];

/// Settings of the client.
pub const SETTINGS: [ClientSetting; 4] = [
    ClientSetting {
        option: ClientOption::Program,
        path: "claude.program",
        variable: "RALPH_CLAUDE_PROGRAM",
        choices: &[],
        default: PROGRAM,
        help: "The program that `--agent claude-code` starts",
    },
    ClientSetting {
        option: ClientOption::PermissionMode,
        path: "claude.permission_mode",
        variable: "RALPH_CLAUDE_PERMISSION_MODE",
        choices: &[USUAL_MODE, "auto", "bypassPermissions", "dontAsk", OWN_MODE],
        default: USUAL_MODE,
        help: "What it may do without asking, since nobody is there to be asked; `settings` leaves that to its own settings",
    },
    ClientSetting {
        option: ClientOption::Model,
        path: "claude.model",
        variable: "RALPH_CLAUDE_MODEL",
        choices: &[],
        default: "the client's own",
        help: "The model to ask for",
    },
    ClientSetting {
        option: ClientOption::Args,
        path: "claude.args",
        variable: "RALPH_CLAUDE_ARGS",
        choices: &[],
        default: "none",
        help: "More words for its command line, such as `--allowedTools 'Bash(npm test:*)'`",
    },
];

/// Claude Code, one process a turn.
#[derive(Clone, Debug)]
pub struct ClaudeAgent {
    options: ClientOptions,
    limits: LimitPatterns,
}

impl ClaudeAgent {
    /// Creates the agent with these options.
    pub fn new(options: &ClientOptions, limits: LimitPatterns) -> Self {
        Self { options: options.clone(), limits }
    }

    fn program_text(&self) -> &str {
        self.options.program.as_deref().unwrap_or(PROGRAM)
    }

    /// Returns the arguments that are the same in every turn.
    fn constant_args(&self) -> Vec<String> {
        let mut args: Vec<&str> = vec!["-p", "--output-format", "stream-json", "--verbose"];
        match self.options.permission_mode.as_deref().unwrap_or(USUAL_MODE) {
            OWN_MODE => {}
            mode => args.extend(["--permission-mode", mode]),
        }
        if let Some(model) = &self.options.model {
            args.extend(["--model", model]);
        }
        args.into_iter().map(str::to_owned).chain(self.options.args.iter().cloned()).collect()
    }

    fn args(&self, turn: &TurnInput<'_>) -> Vec<String> {
        let mut args = self.constant_args();
        match turn.seat {
            TurnSession::Nowhere => {}
            TurnSession::New(id) | TurnSession::After { id, .. } => {
                args.extend(["--session-id".to_owned(), id.to_string()]);
            }
            TurnSession::Resumed(session) => {
                args.extend(["--resume".to_owned(), session.id.to_string()]);
            }
        }
        if let Some(left) = turn.money_left {
            // The client knows prices, and checks the budget after every
            // message.
            let left = left.max(Usd::from_micros(1)).dollars();
            args.extend(["--max-budget-usd".to_owned(), format!("{left:.6}")]);
        }
        args
    }
}

impl Agent for ClaudeAgent {
    fn name(&self) -> &str {
        Client::ClaudeCode.name()
    }

    fn command_line(&self) -> Vec<String> {
        std::iter::once(self.program_text().to_owned()).chain(self.constant_args()).collect()
    }

    fn launch(&self, turn: &TurnInput<'_>) -> ProgramLaunch {
        let foreign = |name: &OsString| OF_ANOTHER_CLIENT.iter().any(|known| name == known);
        let mut env: Vec<_> = turn.env.iter().filter(|(name, _)| !foreign(name)).cloned().collect();
        if env.iter().all(|(name, _)| name != RETRIES.0) {
            env.push((RETRIES.0.into(), RETRIES.1.into()));
        }
        ProgramLaunch {
            program: self.program_text().into(),
            args: self.args(turn).into_iter().map(OsString::from).collect(),
            dir: turn.root.to_owned(),
            env,
            stdin: Some(turn.prompt_file.to_owned()),
            streams: StreamMerging::Apart,
        }
    }

    fn listen<'a>(&'a self, turn: &TurnInput<'a>) -> Box<dyn TurnListener + 'a> {
        Box::new(ClaudeListener::new(&self.limits, turn.seat))
    }

    fn program(&self) -> PathBuf {
        PathBuf::from(self.program_text())
    }

    fn keeps_sessions(&self) -> bool {
        true
    }

    fn places(&self, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
        Client::ClaudeCode.places(home, variable)
    }
}

/// Parses the client's output during one turn.
pub(super) struct ClaudeListener<'a> {
    limits: &'a LimitPatterns,
    stream: ClaudeTurnState,
    /// The session that is resumed, if any.
    resumed: Option<&'a AgentConversation>,
}

impl<'a> ClaudeListener<'a> {
    pub(super) fn new(limits: &'a LimitPatterns, seat: TurnSession<'a>) -> Self {
        let resumed = match seat {
            TurnSession::Resumed(session) => Some(session),
            TurnSession::Nowhere | TurnSession::New(_) | TurnSession::After { .. } => None,
        };
        Self { limits, stream: ClaudeTurnState::default(), resumed }
    }

    /// Returns the session's usage before this turn. If the total fell, the
    /// client restarted its count at zero.
    fn before(&self) -> Usage {
        let charged = self.resumed.map_or(Usage::default(), |session| session.charged);
        let total = self.stream.total(charged);
        let fell = total.cost < charged.cost || total.tokens() < charged.tokens();
        if fell { Usage::default() } else { charged }
    }

    fn total(&self) -> Usage {
        let charged = self.resumed.map_or(Usage::default(), |session| session.charged);
        self.stream.total(charged)
    }

    /// Returns true if the client did not find the session to resume.
    fn is_lost(&self, closing: &TurnProcessEnd<'_>) -> bool {
        const WORDS: &str = "No conversation found";
        if self.resumed.is_none() || self.stream.is_alive {
            return false;
        }
        let complaint = self.stream.result.as_ref().map_or("", |result| result.complaint());
        complaint.contains(WORDS) || closing.outcome.stderr.text_lossy().contains(WORDS)
    }

    fn kept(&self, closing: &TurnProcessEnd<'_>) -> SessionAfterTurn {
        if self.is_lost(closing) {
            return SessionAfterTurn::Lost;
        }
        let known = || self.resumed.map(|session| session.id.clone());
        let Some(id) = self.stream.session.clone().or_else(known) else {
            return SessionAfterTurn::Nothing;
        };
        let context = self.stream.context();
        let context = context.or_else(|| self.resumed.and_then(|session| session.context));
        let context = if self.stream.has_overflowed() { Some(FULL) } else { context };
        SessionAfterTurn::Session(AgentConversation { id, charged: self.total(), context })
    }

    fn remarks(&self, verdict: &ClaudeTurnResult) -> Vec<String> {
        let skipped = match self.stream.skipped() {
            0 => None,
            1 => Some("one line of the client's output could not be read".to_owned()),
            lines => Some(format!("{lines} lines of the client's output could not be read")),
        };
        verdict.remark.iter().cloned().chain(skipped).collect()
    }
}

impl TurnListener for ClaudeListener<'_> {
    fn read_output(&mut self, bytes: &[u8]) -> ShownOutput {
        ShownOutput::Pieces(self.stream.push(bytes))
    }

    fn spent(&self) -> Usage {
        grown(self.before(), self.total())
    }

    fn standing(&self) -> TurnStatus {
        let hopeless = self.stream.retry.as_ref().is_some_and(|retry| {
            retry.attempt >= HOPELESS_ATTEMPTS && matches!(retry.status, Some(401 | 403))
        });
        if self.stream.is_over() {
            TurnStatus::Done
        } else if hopeless && !self.stream.is_alive {
            TurnStatus::Hopeless
        } else {
            TurnStatus::Working
        }
    }

    fn conclude(&mut self, closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome {
        self.stream.finish();
        let verdict = verdict::judge(&self.stream, closing, self.limits);
        let remarks = self.remarks(&verdict);
        let result = self.stream.result.as_ref();
        let known = result.is_some() || self.stream.is_alive;
        AgentTurnOutcome {
            spoken: TurnReply {
                end: verdict.end,
                text: verdict.text,
                usage: known.then(|| self.spent()),
            },
            kept: self.kept(closing),
            refusals: result.map(|result| result.refusals.clone()).unwrap_or_default(),
            remarks,
        }
    }
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
