//! Watches a running agent: writes its log, shows its output, receives
//! requests.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use ralph_agents::{
    OutputPiece, OutputPieceKind, ShownOutput, TurnCutReason, TurnListener, TurnStatus,
};
use ralph_core::state::{PauseReason, RunState};
use ralph_core::{Run, Timestamp};
use ralph_proc::{LineFilter, LogLimits, LogWriter, OutputStream, ProgramWatcher, WatcherDecision};
use ralph_redact::{RedactedStream, Redactor, redact};
use ralph_store::{SqliteStore, StoreError};

use super::last_lines::LastLines;
use super::pulse::DriverHeartbeat;
use super::session::CheckpointRecorder;
use super::state_for_request;
use crate::clock::{InterruptSignal, TimeSource};
use crate::events::{EventSink, RunEvent};

/// Maximum length of one turn's output that is shown, in bytes.
const SHOWN_BYTES: usize = 64 * 1024;

/// Maximum length for an agent that marks what to show. A turn of hours has
/// more to show than a program that floods its output.
const SHOWN_PIECES_BYTES: usize = 1024 * 1024;

/// Maximum age of output that is not readable in the log yet.
const FLUSH: Duration = Duration::from_secs(1);

/// Time that a process may stay after it has nothing more to say.
const LINGER: Duration = Duration::from_secs(10);

/// Watches one turn.
pub(crate) struct TurnWatch<'a> {
    run: &'a Run,
    store: &'a SqliteStore,
    clock: &'a dyn TimeSource,
    sink: &'a mut dyn EventSink,
    interrupt: &'a InterruptSignal,
    listener: &'a mut dyn TurnListener,
    log: Option<LogWriter>,
    /// The time of the last flush of the log.
    flushed: Timestamp,
    last_lines: LastLines,
    /// True if the output can be shown to people unchanged.
    is_plain: bool,
    shown: usize,
    output: RedactedStream,
    pulse: DriverHeartbeat,
    checkpoints: Option<CheckpointRecorder>,
    /// The time of the last output.
    heard: Timestamp,
    wish: Option<RunState>,
    cut: Option<TurnCutReason>,
}

/// The reasons why a turn was ended early.
pub(crate) struct EarlyTurnEnd {
    /// The state that the user or another process requested.
    pub(crate) wish: Option<RunState>,
    /// The reason why we ended it ourselves.
    pub(crate) cut: Option<TurnCutReason>,
}

/// The receivers of a turn's events, and the sources of requests.
pub(crate) struct TurnChannels<'a> {
    pub(crate) store: &'a SqliteStore,
    pub(crate) clock: &'a dyn TimeSource,
    pub(crate) sink: &'a mut dyn EventSink,
    pub(crate) interrupt: &'a InterruptSignal,
}

impl<'a> TurnWatch<'a> {
    pub(crate) fn new(
        run: &'a Run,
        listener: &'a mut dyn TurnListener,
        audience: TurnChannels<'a>,
    ) -> Self {
        let TurnChannels { store, clock, sink, interrupt } = audience;
        let now = clock.now();
        Self {
            run,
            store,
            clock,
            sink,
            interrupt,
            listener,
            log: None,
            flushed: now,
            last_lines: LastLines::default(),
            is_plain: true,
            shown: 0,
            output: RedactedStream::default(),
            pulse: DriverHeartbeat::new(now),
            checkpoints: None,
            heard: now,
            wish: None,
            cut: None,
        }
    }

    /// Writes a log to `path`. A log that cannot be written does not stop the
    /// run.
    pub(crate) fn with_log(self, path: &Path) -> Self {
        let filter = LogRedactor { last_lines: self.last_lines.clone(), ..LogRedactor::default() };
        let log = LogWriter::create(path, LogLimits::default(), Box::new(filter)).ok();
        Self { log, ..self }
    }

    /// Records checkpoints during the turn.
    pub(crate) fn with_checkpoints(self, checkpoints: Option<CheckpointRecorder>) -> Self {
        Self { checkpoints, ..self }
    }

    /// Closes the log. Returns the reasons why the turn was ended, if any.
    pub(crate) fn finish(mut self) -> EarlyTurnEnd {
        let rest = self.output.finish();
        self.show(OutputPieceKind::Output, &rest);
        if let Some(Err(error)) = self.log.take().map(LogWriter::finish) {
            let text = format!("the log of this turn is incomplete: {error}");
            let event = RunEvent::Notice { run: self.run, text: &text };
            self.sink.event(&event, self.clock.now());
        }
        self.show_last_lines();
        EarlyTurnEnd { wish: self.wish, cut: self.cut }
    }

    /// Shows redacted output, as far as there is room for it.
    fn show(&mut self, kind: OutputPieceKind, text: &str) {
        let most =
            if let OutputPieceKind::Output = kind { SHOWN_BYTES } else { SHOWN_PIECES_BYTES };
        let room = most.saturating_sub(self.shown);
        let piece = &text[..text.floor_char_boundary(room)];
        if piece.is_empty() {
            return;
        }
        self.shown += piece.len();
        let event = RunEvent::AgentOutput { iteration: self.run.iteration, kind, text: piece };
        self.sink.event(&event, self.clock.now());
    }

    /// Shows the agent's last lines, if they are for people and new.
    fn show_last_lines(&mut self) {
        if let Some(lines) = self.last_lines.news().filter(|_| self.is_plain) {
            self.sink.last_lines(&lines, self.clock.now());
        }
    }

    /// Makes the output readable for others, from time to time.
    fn flush(&mut self, now: Timestamp) {
        if self.heard >= self.flushed && now.since(self.flushed) >= FLUSH {
            self.flushed = now;
            if let Some(log) = &mut self.log {
                log.flush();
            }
        }
    }

    /// Returns the reason to end this turn without a request.
    fn reason_to_cut(&self) -> Option<TurnCutReason> {
        match self.listener.standing() {
            TurnStatus::Done => {
                let lingers = self.clock.now().since(self.heard) >= LINGER;
                lingers.then_some(TurnCutReason::Lingering)
            }
            TurnStatus::Hopeless => Some(TurnCutReason::Hopeless),
            TurnStatus::Working => self.is_over_budget().then_some(TurnCutReason::Budget),
        }
    }

    fn is_over_budget(&self) -> bool {
        let limits = &self.run.policy.limits;
        if limits.tokens.is_none() && limits.cost.is_none() {
            return false;
        }
        let usage = self.run.usage + self.listener.spent();
        limits.is_over_budget(&usage)
    }

    /// Reports at once that Ctrl-C was received: the agent may take its time.
    fn say_stopping(&mut self) {
        let grace = crate::report::span(self.run.policy.turns.grace);
        let text = self.run.policy.locale.say(
            format!("stopping the agent (up to {grace}; Ctrl-C again ends it now)"),
            format!(
                "에이전트를 멈추는 중입니다 (최대 {grace}; Ctrl-C를 다시 누르면 바로 끝냅니다)"
            ),
        );
        let event = RunEvent::Notice { run: self.run, text: &text };
        self.sink.event(&event, self.clock.now());
    }

    /// Returns the state that others request. An owner that lost its run stops
    /// as well.
    fn ask(&mut self) -> Option<RunState> {
        match self.pulse.ask(self.store, self.run, self.clock.now()) {
            Ok(request) => request.map(state_for_request),
            Err(StoreError::Stale { .. }) => Some(RunState::Stopped),
            // A busy or missing store shows again when the turn is stored.
            Err(_) => None,
        }
    }
}

impl ProgramWatcher for TurnWatch<'_> {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if let Some(log) = &mut self.log {
            log.write(stream, bytes);
        }
        self.heard = self.clock.now();
        if stream == OutputStream::Stderr {
            return;
        }
        match self.listener.read_output(bytes) {
            ShownOutput::AsIs if self.shown < SHOWN_BYTES => {
                let text = self.output.push(bytes);
                self.show(OutputPieceKind::Output, &text);
            }
            ShownOutput::AsIs => {}
            ShownOutput::Pieces(pieces) => {
                self.is_plain = false;
                for OutputPiece { kind, text } in pieces {
                    self.show(kind, &redact(&text));
                }
            }
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        let now = self.clock.now();
        self.show_last_lines();
        self.flush(now);
        self.sink.tick(now);
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.tick(now);
        }
        if self.wish.is_none() {
            self.wish = if self.interrupt.is_raised() {
                self.say_stopping();
                Some(RunState::Paused(PauseReason::Interrupted))
            } else {
                self.ask()
            };
        }
        if self.wish.is_none() && self.cut.is_none() {
            self.cut = self.reason_to_cut();
        }
        match (&self.wish, self.cut) {
            (Some(_), _) if self.interrupt.is_urgent() => WatcherDecision::Kill,
            (Some(_), _) | (None, Some(_)) => WatcherDecision::Stop,
            (None, None) => WatcherDecision::GoOn,
        }
    }
}

/// Redacts every line of a log and keeps the last ones. A line of one stream
/// must not end a private key on the other.
#[derive(Default)]
struct LogRedactor {
    stdout: Redactor,
    stderr: Redactor,
    last_lines: LastLines,
}

impl LineFilter for LogRedactor {
    fn line<'l>(&mut self, stream: OutputStream, line: &'l str) -> Cow<'l, str> {
        let redacted = match stream {
            OutputStream::Stdout => self.stdout.line(line),
            OutputStream::Stderr => self.stderr.line(line),
        };
        self.last_lines.push(&redacted);
        redacted
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
