//! An agent of the table: its processes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_files::LogFailure as _;
use ralph_proc::{
    ProcError, ProgramLaunch, ProgramLimits, ProgramOutcome, ProgramWatcher, StreamMerging,
    Supervisor,
};

use super::acp::{self, AcpRun, AcpTask};
use super::listener::RowListener;
use super::template::fill;
use super::{AgentRow, PromptChannel, TransportKind};
use crate::command::PlainTextListener;
use crate::limits::LimitPatterns;
use crate::listen::TurnListener;
use crate::places::ClientPlaces;
use crate::{Agent, TurnInput, TurnSession};

/// An agent of the table, one process a turn.
#[derive(Clone, Debug)]
pub struct RowAgent {
    pub(crate) row: AgentRow,
    limits: LimitPatterns,
}

impl RowAgent {
    /// Creates the agent of a row.
    pub fn new(row: AgentRow, limits: LimitPatterns) -> Self {
        Self { row, limits }
    }

    fn env(&self, turn: &TurnInput<'_>) -> Vec<(OsString, OsString)> {
        let hidden = |name: &OsString| self.row.without.iter().any(|known| name == known.as_str());
        let mut env: Vec<_> = turn.env.iter().filter(|(name, _)| !hidden(name)).cloned().collect();
        for (name, value) in &self.row.env {
            if env.iter().all(|(known, _)| known != name.as_str()) {
                env.push((name.into(), value.into()));
            }
        }
        env
    }
}

impl Agent for RowAgent {
    fn name(&self) -> &str {
        &self.row.name
    }

    fn command_line(&self) -> Vec<String> {
        let shown = fill(&self.row, TurnSession::Nowhere, &|_| None);
        std::iter::once(self.row.started_program().to_owned()).chain(shown).collect()
    }

    fn launch(&self, turn: &TurnInput<'_>) -> ProgramLaunch {
        let channel = self.row.in_use().prompt;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let args = fill(&self.row, turn.seat, &|word| match word {
            "{prompt}" => Some(prompt(turn)),
            "{prompt_file}" => Some(path(&guarded_file(turn))),
            "{usage_file}" => Some(path(turn.usage_file)),
            _ => None,
        });
        let stdin = match (self.row.transport, channel) {
            (TransportKind::Stream | TransportKind::Text, PromptChannel::Stdin) => {
                Some(guarded_file(turn))
            }
            // The protocol has a pipe of its own.
            (_, PromptChannel::Argument | PromptChannel::File) | (TransportKind::Acp, _) => None,
        };
        ProgramLaunch {
            program: self.row.started_program().into(),
            args: args.into_iter().map(OsString::from).collect(),
            dir: turn.root.to_owned(),
            env: self.env(turn),
            stdin,
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
        let quiet = self.row.quiet_time();
        let limits =
            ProgramLimits { idle: limits.idle.map(|idle| idle.max(quiet)), ..limits.clone() };
        let launch = self.launch(turn);
        if self.row.transport != TransportKind::Acp {
            return supervisor.run(&launch, &limits, watcher);
        }
        let task = AcpTask {
            root: turn.root,
            prompt: prompt(turn),
            resumed: match turn.seat {
                TurnSession::Resumed(session) => Some(session.id.as_str()),
                TurnSession::Nowhere | TurnSession::New(_) | TurnSession::After { .. } => None,
            },
            mode: &self.row.mode,
            session_mode: self.row.in_use().session_modes.get(&self.row.mode).map(String::as_str),
            model: self.row.model.as_deref(),
        };
        let run = AcpRun { supervisor, limits: &limits, patience: acp::PATIENCE };
        run.take(launch, task, watcher)
    }

    fn listen<'a>(&'a self, turn: &TurnInput<'a>) -> Box<dyn TurnListener + 'a> {
        if self.row.transport == TransportKind::Text {
            return Box::new(PlainTextListener::new(&self.limits, turn));
        }
        Box::new(RowListener::new(&self.row, &self.limits, turn))
    }

    fn program(&self) -> PathBuf {
        PathBuf::from(self.row.started_program())
    }

    fn keeps_sessions(&self) -> bool {
        self.row.keeps_sessions()
    }

    fn places(&self, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
        let folder = self.row.home_folder(home, variable);
        let below = |path: &String| match (path.strip_prefix("~/"), &folder) {
            (Some(rest), _) => Some(home.join(rest)),
            (None, Some(folder)) => Some(folder.join(path)),
            (None, None) => None,
        };
        ClientPlaces {
            fixed: self.row.obeyed.iter().filter_map(below).collect(),
            open: folder.iter().cloned().chain(self.row.open.iter().filter_map(below)).collect(),
            ..ClientPlaces::default()
        }
    }
}

/// First characters that make a command, a file name or a flag of a text in
/// some agents.
const COMMANDS: [char; 6] = ['/', '!', '@', '#', '$', '-'];

/// Written before a task that begins with such a character.
const LEAD: &str = "The task:\n\n";

/// Returns the prompt, which no agent takes for a command.
fn prompt(turn: &TurnInput<'_>) -> String {
    let text = ralph_files::read_text(turn.prompt_file).unwrap_or_default();
    if text.trim_start().starts_with(COMMANDS) { format!("{LEAD}{text}") } else { text }
}

/// Returns the file with that prompt.
fn guarded_file(turn: &TurnInput<'_>) -> PathBuf {
    let text = prompt(turn);
    if !text.starts_with(LEAD) {
        return turn.prompt_file.to_owned();
    }
    let file = turn.prompt_file.with_extension("guarded.md");
    // Without it the agent would have no task at all, and says so.
    ralph_files::write_own(&file, &text).or_log("writing the prompt");
    file
}
