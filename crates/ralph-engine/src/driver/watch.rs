//! Watches a running agent: writes its log, shows its output, receives
//! requests.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use ralph_agents::{Cut, Listener, Piece, PieceKind, Shown, Standing};
use ralph_core::locale::Locale;
use ralph_core::redact::{RedactedStream, Redactor, redact};
use ralph_core::state::{Pause, State};
use ralph_core::{Run, Timestamp};
use ralph_proc::{Control, LineFilter, LogLimits, LogWriter, Stream, Watcher};
use ralph_store::{RunStore, StoreError};

use super::last_lines::LastLines;
use super::pulse::Pulse;
use super::session::Checkpoints;
use super::wished_state;
use crate::clock::{Clock, Interrupt};
use crate::events::{Event, Sink};

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
    store: &'a dyn RunStore,
    clock: &'a dyn Clock,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    listener: &'a mut dyn Listener,
    log: Option<LogWriter>,
    /// The time of the last flush of the log.
    flushed: Timestamp,
    last_lines: LastLines,
    /// True if the output can be shown to people unchanged.
    is_plain: bool,
    shown: usize,
    output: RedactedStream,
    pulse: Pulse,
    checkpoints: Option<Checkpoints>,
    /// The time of the last output.
    heard: Timestamp,
    wish: Option<State>,
    cut: Option<Cut>,
}

/// The reasons why a turn was ended early.
pub(crate) struct Ended {
    /// The state that the user or another process requested.
    pub(crate) wish: Option<State>,
    /// The reason why we ended it ourselves.
    pub(crate) cut: Option<Cut>,
}

/// The receivers of a turn's events, and the sources of requests.
pub(crate) struct Audience<'a> {
    pub(crate) store: &'a dyn RunStore,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) interrupt: &'a Interrupt,
}

impl<'a> TurnWatch<'a> {
    pub(crate) fn new(
        run: &'a Run,
        listener: &'a mut dyn Listener,
        audience: Audience<'a>,
    ) -> Self {
        let Audience { store, clock, sink, interrupt } = audience;
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
            pulse: Pulse::new(now),
            checkpoints: None,
            heard: now,
            wish: None,
            cut: None,
        }
    }

    /// Writes a log to `path`. A log that cannot be written does not stop the
    /// run.
    pub(crate) fn with_log(self, path: &Path) -> Self {
        let filter = Redacting { last_lines: self.last_lines.clone(), ..Redacting::default() };
        let log = LogWriter::create(path, LogLimits::default(), Box::new(filter)).ok();
        Self { log, ..self }
    }

    /// Records checkpoints during the turn.
    pub(crate) fn with_checkpoints(self, checkpoints: Option<Checkpoints>) -> Self {
        Self { checkpoints, ..self }
    }

    /// Closes the log. Returns the reasons why the turn was ended, if any.
    pub(crate) fn finish(mut self) -> Ended {
        let rest = self.output.finish();
        self.show(PieceKind::Output, &rest);
        if let Some(Err(error)) = self.log.take().map(LogWriter::finish) {
            let text = format!("the log of this turn is incomplete: {error}");
            let event = Event::Notice { run: self.run, text: &text };
            self.sink.event(&event, self.clock.now());
        }
        self.show_last_lines();
        Ended { wish: self.wish, cut: self.cut }
    }

    /// Shows redacted output, as far as there is room for it.
    fn show(&mut self, kind: PieceKind, text: &str) {
        let most = match kind {
            PieceKind::Output => SHOWN_BYTES,
            PieceKind::Text | PieceKind::Tool | PieceKind::Child | PieceKind::Note => {
                SHOWN_PIECES_BYTES
            }
        };
        let room = most.saturating_sub(self.shown);
        let piece = &text[..text.floor_char_boundary(room)];
        if piece.is_empty() {
            return;
        }
        self.shown += piece.len();
        let event = Event::AgentOutput { iteration: self.run.iteration, kind, text: piece };
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
    fn reason_to_cut(&self) -> Option<Cut> {
        match self.listener.standing() {
            Standing::Done => {
                let lingers = self.clock.now().since(self.heard) >= LINGER;
                lingers.then_some(Cut::Lingering)
            }
            Standing::Hopeless => Some(Cut::Hopeless),
            Standing::Working => self.is_over_budget().then_some(Cut::Budget),
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
        let text = match self.run.policy.locale {
            Locale::En => {
                format!("stopping the agent (up to {grace}; Ctrl-C again ends it now)")
            }
            Locale::Ko => {
                format!(
                    "에이전트를 멈추는 중입니다 (최대 {grace}; Ctrl-C를 다시 누르면 바로 끝냅니다)"
                )
            }
        };
        let event = Event::Notice { run: self.run, text: &text };
        self.sink.event(&event, self.clock.now());
    }

    /// Returns the state that others request. An owner that lost its run stops
    /// as well.
    fn ask(&mut self) -> Option<State> {
        match self.pulse.ask(self.store, self.run, self.clock.now()) {
            Ok(request) => request.map(wished_state),
            Err(StoreError::Stale { .. }) => Some(State::Stopped),
            // A busy or missing store shows again when the turn is stored.
            Err(_) => None,
        }
    }
}

impl Watcher for TurnWatch<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(log) = &mut self.log {
            log.write(stream, bytes);
        }
        self.heard = self.clock.now();
        if stream == Stream::Stderr {
            return;
        }
        match self.listener.hear(bytes) {
            Shown::AsIs if self.shown < SHOWN_BYTES => {
                let text = self.output.push(bytes);
                self.show(PieceKind::Output, &text);
            }
            Shown::AsIs => {}
            Shown::Pieces(pieces) => {
                self.is_plain = false;
                for Piece { kind, text } in pieces {
                    self.show(kind, &redact(&text));
                }
            }
        }
    }

    fn tick(&mut self) -> Control {
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
                Some(State::Paused(Pause::Interrupted))
            } else {
                self.ask()
            };
        }
        if self.wish.is_none() && self.cut.is_none() {
            self.cut = self.reason_to_cut();
        }
        match (&self.wish, self.cut) {
            (Some(_), _) if self.interrupt.is_urgent() => Control::Kill,
            (Some(_), _) | (None, Some(_)) => Control::Stop,
            (None, None) => Control::GoOn,
        }
    }
}

/// Redacts every line of a log and keeps the last ones. A line of one stream
/// must not end a private key on the other.
#[derive(Default)]
struct Redacting {
    stdout: Redactor,
    stderr: Redactor,
    last_lines: LastLines,
}

impl LineFilter for Redacting {
    fn line<'l>(&mut self, stream: Stream, line: &'l str) -> Cow<'l, str> {
        let redacted = match stream {
            Stream::Stdout => self.stdout.line(line),
            Stream::Stderr => self.stderr.line(line),
        };
        self.last_lines.push(&redacted);
        redacted
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
