//! Calls that run while the test observes them, and agents that wait for the
//! test.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, kill_process};
use serde_json::Value;

use crate::{CommandOutput, TestProject};

/// Maximum time for anything that should happen at once. Only a test that fails
/// waits that long.
const PATIENCE: Duration = Duration::from_mins(1);

/// A call of the binary that has not ended yet. Killed when dropped.
pub struct RunningCall {
    child: Child,
    stdout: BufReader<ChildStdout>,
    heard: String,
    stderr: Option<JoinHandle<String>>,
}

/// A signal that a test sends to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Interrupt, as by Ctrl-C.
    Interrupt,
    /// Termination, as at a system shutdown.
    Terminate,
    /// Immediate death.
    Kill,
}

impl RunningCall {
    pub(crate) fn new(mut child: Child) -> Self {
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut errors = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            errors.read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self { child, stdout, heard: String::new(), stderr: Some(stderr) }
    }

    /// Returns its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reads events up to the first that `wanted` accepts.
    #[track_caller]
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            let size = self.stdout.read_line(&mut line).unwrap();
            assert!(size > 0, "it ended before the event came:\n{}", self.heard);
            self.heard.push_str(&line);
            let event: Value = serde_json::from_str(&line).unwrap();
            if wanted(&event) {
                return event;
            }
        }
    }

    /// Reads events until the agent is held, see [`TurnHold`].
    #[track_caller]
    pub fn until_held(&mut self) -> Value {
        self.until(|event| event["text"].as_str().is_some_and(|text| text.contains("holding")))
    }

    /// Waits until it handles Ctrl-C, which before would kill it.
    #[track_caller]
    pub fn until_listening(&self) {
        let status = format!("/proc/{}/status", self.id());
        let deadline = std::time::Instant::now() + PATIENCE;
        let hears = || -> Option<bool> {
            let text = std::fs::read_to_string(&status).ok()?;
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
            let caught = u64::from_str_radix(caught.trim(), 16).ok()?;
            Some(caught >> (rustix::process::Signal::INT.as_raw() - 1) & 1 == 1)
        };
        while hears() != Some(true) {
            assert!(std::time::Instant::now() < deadline, "it never listened");
            std::thread::yield_now();
        }
    }

    /// Sends a signal to the binary alone.
    pub fn signal(&self, signal: Signal) -> &Self {
        let signal = match signal {
            Signal::Interrupt => rustix::process::Signal::INT,
            Signal::Terminate => rustix::process::Signal::TERM,
            Signal::Kill => rustix::process::Signal::KILL,
        };
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self
    }

    /// Waits for its end and returns all its output.
    pub fn finish(mut self) -> CommandOutput {
        let mut rest = Vec::new();
        self.stdout.read_to_end(&mut rest).unwrap();
        let code = self.child.wait().unwrap().code();
        let stderr = self.stderr.take().unwrap().join().unwrap();
        CommandOutput { code, stdout: self.heard.clone() + &String::from_utf8_lossy(&rest), stderr }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // A test that failed must not leave a loop behind; errors mean that it
        // has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets a thread of the test wait for a [`TurnHold`].
#[derive(Clone, Debug)]
pub(crate) struct HoldWaiter {
    gate: PathBuf,
    lifeline: PathBuf,
}

impl HoldWaiter {
    /// Returns once the hold is released.
    pub(crate) fn pass(&self) -> std::io::Result<()> {
        let mut lifeline = OpenOptions::new().write(true).open(&self.lifeline)?;
        lifeline.write_all(b"\n")?;
        File::open(&self.gate)?.read_to_end(&mut Vec::new())?;
        Ok(())
    }
}

/// Holds one turn of an agent until it is released, and notices its death.
///
/// Two named pipes outside the project do it: the turn blocks on one, and
/// every process of the turn has the other open, so its end is theirs.
pub struct TurnHold {
    gate: PathBuf,
    lifeline: PathBuf,
    begun: Receiver<()>,
    over: Receiver<()>,
}

impl TurnHold {
    /// Creates a hold for one turn in this project.
    pub fn new(project: &TestProject, name: &str) -> Self {
        let pipe = |end: &str| {
            let path = project.outside(&format!("{name}.{end}"));
            mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
            path
        };
        let (gate, lifeline) = (pipe("gate"), pipe("lifeline"));
        let ((begins, begun), (ends, over)) = (channel(), channel());
        let path = lifeline.clone();
        std::thread::spawn(move || {
            // A byte arrives when the turn is held, and the end when no process
            // has the pipe open any more. A test that has ended needs neither.
            let Ok(mut pipe) = File::open(path) else { return };
            if pipe.read_exact(&mut [0]).is_ok() {
                let _ = begins.send(());
            }
            if pipe.read_to_end(&mut Vec::new()).is_ok() {
                let _ = ends.send(());
            }
        });
        Self { gate, lifeline, begun, over }
    }

    /// Returns the shell commands that hold the turn. `beside` runs before,
    /// with the lifeline open.
    pub fn script(&self, beside: &str) -> String {
        let (gate, lifeline) = (self.gate.display(), self.lifeline.display());
        format!("exec 3>'{lifeline}'\n{beside}\necho holding\necho >&3\ncat '{gate}'\nexec 3>&-\n")
    }

    /// Returns a handle for a waiter that is not a process of a turn.
    pub(crate) fn turnstile(&self) -> HoldWaiter {
        HoldWaiter { gate: self.gate.clone(), lifeline: self.lifeline.clone() }
    }

    /// Lets the turn continue.
    pub fn release(&self) {
        drop(OpenOptions::new().write(true).open(&self.gate).unwrap());
    }

    /// Waits until the turn is held and what runs beside it has run.
    #[track_caller]
    pub fn is_begun(&self) {
        self.begun.recv_timeout(PATIENCE).unwrap();
    }

    /// Waits until no process of the turn is left.
    #[track_caller]
    pub fn is_over(&self) {
        self.over.recv_timeout(PATIENCE).unwrap();
    }
}
