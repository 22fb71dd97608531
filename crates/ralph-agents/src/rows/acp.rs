//! Drives an agent by the Agent Client Protocol: one process a turn, and lines
//! of JSON-RPC on its standard streams.
//!
//! The wire is known here alone. The listener reads what the agent says about
//! its turn as it came, and lines of ours, with the key `ralph`, for the rest.

mod client;
mod permission;

use std::io::Write as _;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};
use std::{io, thread};

use ralph_proc::{
    ExitReason, OutputStream, ProcError, ProgramLaunch, ProgramLimits, ProgramOutcome,
    ProgramWatcher, StdinPipe, Supervisor, WatcherDecision,
};
use serde_json::{Value, json};

pub(super) use client::AcpTask;
use client::{AcpClient, AcpOutbox};

use crate::json_lines::JsonLineReader;

/// How long an agent may take, apart from its work.
#[derive(Clone, Copy, Debug)]
pub(super) struct AcpPatience {
    /// To answer a request that needs no work of a model.
    pub(super) answer: Duration,
    /// To end by itself after the turn.
    pub(super) farewell: Duration,
}

/// The usual times: some agents take seconds to start on a busy machine.
pub(super) const PATIENCE: AcpPatience =
    AcpPatience { answer: Duration::from_mins(2), farewell: Duration::from_secs(3) };

/// Number of messages that may wait for an agent that does not read them.
const BACKLOG: usize = 256;

/// The means of a turn.
#[derive(Clone, Copy)]
pub(super) struct AcpRun<'a> {
    pub(super) supervisor: &'a Supervisor,
    pub(super) limits: &'a ProgramLimits,
    pub(super) patience: AcpPatience,
}

impl AcpRun<'_> {
    /// Runs one turn and leaves nothing running.
    pub(super) fn take(
        self,
        mut launch: ProgramLaunch,
        task: AcpTask<'_>,
        watcher: &mut dyn ProgramWatcher,
    ) -> Result<ProgramOutcome, ProcError> {
        let folder = match self.supervisor.scratch() {
            Some(scratch) => tempfile::tempdir_in(scratch),
            None => tempfile::tempdir(),
        };
        let opened =
            folder.and_then(|folder| Ok((AcpInput::open(&folder.path().join("in"))?, folder)));
        let (input, _folder) = opened.map_err(ProcError::Read)?;
        launch.stdin = Some(input.pipe.path().to_owned());
        let mut turn = AcpTurn {
            client: AcpClient::new(task),
            watcher,
            input: Some(input),
            lines: JsonLineReader::default(),
            patience: self.patience,
            grace: self.limits.grace,
            waiting: Instant::now(),
            stopping: None,
        };
        turn.pass_on();
        let outcome = self.supervisor.run(&launch, self.limits, &mut turn)?;
        Ok(turn.outcome(outcome))
    }
}

/// The standard input of an agent, written by a thread: an agent that does not
/// read must not stop us.
struct AcpInput {
    pipe: StdinPipe,
    sender: SyncSender<Vec<u8>>,
}

impl AcpInput {
    fn open(path: &std::path::Path) -> io::Result<Self> {
        let pipe = StdinPipe::new(path.to_owned())?;
        let mut writer = pipe.writer()?;
        let (sender, sent) = sync_channel::<Vec<u8>>(BACKLOG);
        let write = move || {
            // A broken pipe is the end of the agent, which is noticed.
            let _ = sent.into_iter().try_for_each(|bytes| writer.write_all(&bytes));
        };
        thread::Builder::new().name("acp-write".to_owned()).spawn(write)?;
        Ok(Self { pipe, sender })
    }
}

/// One turn: what its process says goes to the client, and on to the watcher.
struct AcpTurn<'a, 'w> {
    client: AcpClient<'a>,
    watcher: &'w mut dyn ProgramWatcher,
    /// `None` once there is nothing more to say.
    input: Option<AcpInput>,
    lines: JsonLineReader,
    patience: AcpPatience,
    grace: Duration,
    /// The start of the present wait: for an answer, or for the end.
    waiting: Instant,
    /// The time of the request to end.
    stopping: Option<Instant>,
}

impl AcpTurn<'_, '_> {
    /// Sends and tells what the client has to say.
    fn pass_on(&mut self) {
        let AcpOutbox { sent, told } = self.client.take_outbox();
        for event in told {
            self.watcher.output(OutputStream::Stdout, format!("{event}\n").as_bytes());
        }
        for message in sent {
            self.waiting = Instant::now();
            let Some(input) = &self.input else { return };
            match input.sender.try_send(format!("{message}\n").into_bytes()) {
                Ok(()) | Err(TrySendError::Disconnected(_)) => {}
                Err(TrySendError::Full(_)) => {
                    self.fail("the agent does not read what it is sent");
                    return;
                }
            }
        }
        if self.client.is_over() && self.input.take().is_some() {
            self.waiting = Instant::now();
        }
    }

    fn fail(&mut self, what: &str) {
        self.client.fail(what);
        let told = self.client.take_outbox().told;
        for event in told {
            self.watcher.output(OutputStream::Stdout, format!("{event}\n").as_bytes());
        }
        self.input = None;
        self.waiting = Instant::now();
    }

    fn outcome(self, outcome: ProgramOutcome) -> ProgramOutcome {
        let ending = match (outcome.ending, self.client.has_worked(), self.stopping) {
            (_, _, Some(_)) => ExitReason::Stopped,
            (_, Some(true), None) => ExitReason::Exited(0),
            (_, Some(false), None) => ExitReason::Exited(1),
            (ending, None, None) => ending,
        };
        ProgramOutcome { ending, ..outcome }
    }
}

impl ProgramWatcher for AcpTurn<'_, '_> {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if stream == OutputStream::Stderr {
            self.watcher.output(stream, bytes);
            return;
        }
        for line in self.lines.push(bytes, &[]) {
            self.client.hear(&line);
            self.pass_on();
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        match self.watcher.tick() {
            WatcherDecision::Kill => {
                self.stopping.get_or_insert_with(Instant::now);
                return WatcherDecision::Kill;
            }
            WatcherDecision::Stop if self.stopping.is_none() => {
                // After its last event there is nothing to stop.
                if self.client.has_worked() != Some(true) {
                    self.stopping = Some(Instant::now());
                }
                self.client.cancel();
                self.pass_on();
            }
            WatcherDecision::Stop | WatcherDecision::GoOn => {}
        }
        let waited = self.waiting.elapsed();
        if let Some(since) = self.stopping {
            let is_late = since.elapsed() >= self.grace / 2;
            let is_idle = self.client.is_over() || !self.client.is_at_work();
            return if is_late || is_idle { WatcherDecision::Stop } else { WatcherDecision::GoOn };
        }
        if self.client.is_over() {
            let worked = self.client.has_worked() == Some(true);
            let ends = !worked || waited >= self.patience.farewell;
            return if ends { WatcherDecision::Stop } else { WatcherDecision::GoOn };
        }
        if !self.client.is_at_work() && waited >= self.patience.answer {
            let seconds = self.patience.answer.as_secs();
            let what = self.client.waits_for();
            self.fail(&format!("the agent did not answer `{what}` within {seconds} seconds"));
            return WatcherDecision::Stop;
        }
        WatcherDecision::GoOn
    }
}

/// Makes an event for the listener.
fn event(kind: &str, what: &str) -> Value {
    json!({ "ralph": kind, "what": what })
}
