//! The plain gate: a command, its exit code and the end of its output.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use ralph_core::claim::plain;
use ralph_core::evidence::{Fault, GateReport, Verdict};
use ralph_core::feedback::last_chars;
use ralph_core::finding::Reading;
use ralph_core::policy::{GateCommand, GateSpec};
use ralph_core::redact::RedactedStream;
use ralph_proc::{Control, Ending, Launch, Limits, Outcome, Stream, Supervisor, Watcher};

use crate::Gate;

/// How much of the output a report keeps.
const TAIL_CHARS: usize = 8_000;

/// The time a gate has to end in good order once it timed out.
const GRACE: Duration = Duration::from_secs(2);

/// Where gates run.
pub struct Site<'a> {
    /// Starts and ends processes.
    pub supervisor: &'a Supervisor,
    /// The project's root: the working directory.
    pub root: &'a Path,
    /// The complete environment, already filtered.
    pub env: &'a [(OsString, OsString)],
}

/// A gate that knows exit codes.
#[derive(Clone, Debug)]
pub struct CommandGate {
    spec: GateSpec,
}

impl CommandGate {
    /// The gate for this specification.
    pub fn new(spec: GateSpec) -> Self {
        Self { spec }
    }

    fn launch(&self, site: &Site<'_>) -> Option<Launch> {
        let words: Vec<OsString> = match &self.spec.command {
            GateCommand::Argv(words) => words.iter().map(OsString::from).collect(),
            GateCommand::Shell(script) => ["sh", "-c", script].map(OsString::from).to_vec(),
        };
        let (program, args) = words.split_first()?;
        Some(Launch {
            program: program.clone(),
            args: args.to_vec(),
            dir: site.root.to_owned(),
            env: site.env.to_vec(),
            stdin: None,
        })
    }

    fn report(&self, verdict: Verdict, tail: &str, elapsed: Duration) -> GateReport {
        GateReport {
            name: self.spec.name.clone(),
            need: self.spec.need,
            command: self.spec.command.display(),
            verdict,
            failing: BTreeSet::new(),
            reading: Reading::default(),
            tail: last_chars(&plain(tail), TAIL_CHARS).to_owned(),
            elapsed,
            cached: false,
        }
    }
}

impl Gate for CommandGate {
    fn spec(&self) -> &GateSpec {
        &self.spec
    }

    fn key(&self) -> String {
        // The debug form of a specification holds every field of it.
        format!("command-1 {:?}", (&self.spec.name, &self.spec.command))
    }

    fn run(&self, site: &Site<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let Some(launch) = self.launch(site) else {
            let reason = "the command is empty".to_owned();
            return self.report(Verdict::Unknown { reason }, "", Duration::ZERO);
        };
        let limits = Limits { wall: Some(self.spec.timeout), idle: None, grace: GRACE };
        let mut watcher = Listener { stop, streams: Default::default(), tail: String::new() };
        match site.supervisor.run(&launch, &limits, &mut watcher) {
            Ok(outcome) => {
                let verdict = self.judge(&outcome);
                self.report(verdict, &watcher.finish(), outcome.elapsed)
            }
            Err(error) => {
                let reason = error.to_string();
                self.report(Verdict::Unknown { reason }, "", Duration::ZERO)
            }
        }
    }
}

impl CommandGate {
    fn judge(&self, outcome: &Outcome) -> Verdict {
        match outcome.ending {
            Ending::Exited(0) => Verdict::Pass,
            Ending::Exited(126) => {
                Verdict::Unknown { reason: "the command is not executable".to_owned() }
            }
            Ending::Exited(127) => {
                Verdict::Unknown { reason: "the command was not found".to_owned() }
            }
            Ending::Exited(code) => Verdict::Fail(Fault::Exit(code)),
            Ending::Signaled(signal) => Verdict::Fail(Fault::Signal(signal)),
            Ending::WallTimeout | Ending::IdleTimeout => {
                Verdict::Fail(Fault::Timeout(self.spec.timeout))
            }
            Ending::Stopped => Verdict::Unknown { reason: "it was interrupted".to_owned() },
        }
    }
}

/// Keeps the end of both streams, redacted, in the order in which lines ended.
struct Listener<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    streams: [RedactedStream; 2],
    tail: String,
}

impl Listener<'_> {
    const KEEP: usize = 4 * TAIL_CHARS;

    fn keep(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > 2 * Self::KEEP {
            self.tail = last_chars(&self.tail, TAIL_CHARS).to_owned();
        }
    }

    fn finish(mut self) -> String {
        for index in 0..self.streams.len() {
            let rest = self.streams[index].finish();
            self.keep(&rest);
        }
        self.tail
    }
}

impl Watcher for Listener<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        let index = match stream {
            Stream::Stdout => 0,
            Stream::Stderr => 1,
        };
        let text = self.streams[index].push(bytes);
        self.keep(&text);
    }

    fn tick(&mut self) -> Control {
        if (self.stop)() { Control::Stop } else { Control::GoOn }
    }
}
