//! Watches a running agent: keeps its log, shows its output, hears requests.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use ralph_core::redact::Redactor;
use ralph_core::state::{Pause, State};
use ralph_core::{Run, Timestamp};
use ralph_proc::{Control, LineFilter, LogLimits, LogWriter, Stream, Watcher};
use ralph_store::{RunStore, StoreError};

use super::wished_state;
use crate::clock::{Clock, Interrupt};
use crate::events::{Event, Sink};

/// How often the owner says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// How much of one turn's output is shown while it runs.
const SHOWN_BYTES: usize = 64 * 1024;

/// How much is shown at once.
const PIECE_BYTES: usize = 4 * 1024;

/// Watches one turn.
pub(crate) struct TurnWatch<'a> {
    run: &'a Run,
    store: &'a dyn RunStore,
    clock: &'a dyn Clock,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    log: Option<LogWriter>,
    shown: usize,
    redactor: Redactor,
    heartbeat: Timestamp,
    wish: Option<State>,
}

impl<'a> TurnWatch<'a> {
    pub(crate) fn new(
        run: &'a Run,
        store: &'a dyn RunStore,
        clock: &'a dyn Clock,
        sink: &'a mut dyn Sink,
        interrupt: &'a Interrupt,
    ) -> Self {
        let heartbeat = clock.now();
        Self {
            run,
            store,
            clock,
            sink,
            interrupt,
            log: None,
            shown: 0,
            redactor: Redactor::new(),
            heartbeat,
            wish: None,
        }
    }

    /// Keeps a log at `path`. A log that cannot be written is not worth a run.
    pub(crate) fn with_log(self, path: &Path) -> Self {
        let log =
            LogWriter::create(path, LogLimits::default(), Box::new(Redacting(Redactor::new())))
                .ok();
        Self { log, ..self }
    }

    /// Closes the log; says what was wished for during the turn.
    pub(crate) fn finish(self) -> Option<State> {
        if let Some(Err(error)) = self.log.map(LogWriter::finish) {
            let text = format!("the log of this turn is incomplete: {error}");
            let event = Event::Notice { run: self.run, text: &text };
            self.sink.event(&event, self.clock.now());
        }
        self.wish
    }

    fn show(&mut self, bytes: &[u8]) {
        let room = SHOWN_BYTES.saturating_sub(self.shown).min(PIECE_BYTES);
        if room == 0 {
            return;
        }
        let piece = &bytes[..bytes.len().min(room)];
        self.shown += piece.len();
        let text = String::from_utf8_lossy(piece);
        let clean: Vec<String> =
            text.split('\n').map(|line| self.redactor.line(line).into_owned()).collect();
        let event = Event::AgentOutput { iteration: self.run.iteration, text: &clean.join("\n") };
        self.sink.event(&event, self.clock.now());
    }

    /// What others want; an owner that lost its run wants to stop as well.
    fn ask(&mut self) -> Option<State> {
        let now = self.clock.now();
        let answer = if now.since(self.heartbeat) >= HEARTBEAT {
            self.heartbeat = now;
            self.store.heartbeat(&self.run.id, self.run.epoch, now)
        } else {
            self.store.pending(&self.run.id, self.run.epoch)
        };
        match answer {
            Ok(request) => request.map(wished_state),
            Err(StoreError::Stale { .. }) => Some(State::Stopped),
            // A busy or vanished store is met again when the turn is recorded.
            Err(_) => None,
        }
    }
}

impl Watcher for TurnWatch<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(log) = &mut self.log {
            log.write(stream, bytes);
        }
        if stream == Stream::Stdout {
            self.show(bytes);
        }
    }

    fn tick(&mut self) -> Control {
        self.sink.tick(self.clock.now());
        if self.wish.is_none() {
            self.wish = if self.interrupt.is_raised() {
                Some(State::Paused(Pause::Interrupted))
            } else {
                self.ask()
            };
        }
        if self.wish.is_some() { Control::Stop } else { Control::GoOn }
    }
}

/// Redacts every line of a log.
struct Redacting(Redactor);

impl LineFilter for Redacting {
    fn line<'l>(&mut self, line: &'l str) -> Cow<'l, str> {
        self.0.line(line)
    }
}
