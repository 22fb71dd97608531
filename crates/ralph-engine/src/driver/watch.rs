//! Watches a running agent: keeps its log, shows its output, hears requests.

use std::borrow::Cow;
use std::path::Path;

use ralph_core::Run;
use ralph_core::redact::{RedactedStream, Redactor};
use ralph_core::state::{Pause, State};
use ralph_proc::{Control, LineFilter, LogLimits, LogWriter, Stream, Watcher};
use ralph_store::{RunStore, StoreError};

use super::pulse::Pulse;
use super::wished_state;
use crate::clock::{Clock, Interrupt};
use crate::events::{Event, Sink};

/// How much of one turn's output is shown while it runs.
const SHOWN_BYTES: usize = 64 * 1024;

/// Watches one turn.
pub(crate) struct TurnWatch<'a> {
    run: &'a Run,
    store: &'a dyn RunStore,
    clock: &'a dyn Clock,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    log: Option<LogWriter>,
    shown: usize,
    output: RedactedStream,
    pulse: Pulse,
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
        let pulse = Pulse::new(clock.now());
        Self {
            run,
            store,
            clock,
            sink,
            interrupt,
            log: None,
            shown: 0,
            output: RedactedStream::default(),
            pulse,
            wish: None,
        }
    }

    /// Keeps a log at `path`. A log that cannot be written is not worth a run.
    pub(crate) fn with_log(self, path: &Path) -> Self {
        let log =
            LogWriter::create(path, LogLimits::default(), Box::new(Redacting::default())).ok();
        Self { log, ..self }
    }

    /// Closes the log; says what was wished for during the turn.
    pub(crate) fn finish(mut self) -> Option<State> {
        let rest = self.output.finish();
        self.show(&rest);
        if let Some(Err(error)) = self.log.take().map(LogWriter::finish) {
            let text = format!("the log of this turn is incomplete: {error}");
            let event = Event::Notice { run: self.run, text: &text };
            self.sink.event(&event, self.clock.now());
        }
        self.wish
    }

    /// Shows redacted output, as far as there is room for it.
    fn show(&mut self, text: &str) {
        let room = SHOWN_BYTES.saturating_sub(self.shown);
        let piece = &text[..text.floor_char_boundary(room)];
        if piece.is_empty() {
            return;
        }
        self.shown += piece.len();
        let event = Event::AgentOutput { iteration: self.run.iteration, text: piece };
        self.sink.event(&event, self.clock.now());
    }

    /// What others want; an owner that lost its run wants to stop as well.
    fn ask(&mut self) -> Option<State> {
        match self.pulse.ask(self.store, self.run, self.clock.now()) {
            Ok(heard) => {
                if let (true, Some(log)) = (heard.beat, &mut self.log) {
                    // Should we be killed, what was said so far can be read.
                    log.flush();
                }
                heard.request.map(wished_state)
            }
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
        if stream == Stream::Stdout && self.shown < SHOWN_BYTES {
            let text = self.output.push(bytes);
            self.show(&text);
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
        match self.wish {
            Some(_) if self.interrupt.is_urgent() => Control::Kill,
            Some(_) => Control::Stop,
            None => Control::GoOn,
        }
    }
}

/// Redacts every line of a log. A private key on one stream must not be
/// ended by a line on the other.
#[derive(Default)]
struct Redacting {
    stdout: Redactor,
    stderr: Redactor,
}

impl LineFilter for Redacting {
    fn line<'l>(&mut self, stream: Stream, line: &'l str) -> Cow<'l, str> {
        match stream {
            Stream::Stdout => self.stdout.line(line),
            Stream::Stderr => self.stderr.line(line),
        }
    }
}
