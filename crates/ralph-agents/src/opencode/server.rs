//! A server that ralph starts for the first turn, and ends with the run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use ralph_proc::{
    ExitReason, OutputStream, OutputTail, ProcError, ProgramLaunch, ProgramLimits, ProgramWatcher,
    Supervisor, Waker, WatcherDecision,
};
use ralph_redact::redact;

use super::address::{PASSWORD_VARIABLE, ServerAddress, USER_VARIABLE};
use crate::line::one_line;

/// Text that it prints once it listens. Earlier requests may never be answered.
const LISTENING: &str = "opencode server listening on ";

/// Time between asking it to end and killing it.
const GRACE: Duration = Duration::from_secs(3);

/// Number of bytes kept of its output.
const TAIL: usize = 8 * 1024;

/// A server process. Dropping it ends the process and all that its tools left
/// running.
#[derive(Debug)]
pub(super) struct OpenCodeServer {
    vitals: ServerHandle,
    signs: Receiver<String>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

/// The status of a server, shared with code that does not own it.
#[derive(Clone, Debug)]
pub(super) struct ServerHandle(Arc<ServerState>);

#[derive(Debug)]
struct ServerState {
    password: String,
    is_unwanted: AtomicBool,
    /// The ending in words, once it has ended.
    ended: Mutex<Option<String>>,
    said: Mutex<OutputTail>,
}

impl OpenCodeServer {
    /// Starts the server with a new random password.
    pub(super) fn start(supervisor: &Supervisor, mut launch: ProgramLaunch) -> io::Result<Self> {
        let password = format!("{:032x}", ralph_proc::random_bits());
        let ours = [(USER_VARIABLE, "opencode"), (PASSWORD_VARIABLE, &password)];
        launch.env.retain(|(name, _)| ours.iter().all(|(own, _)| name != own));
        launch.env.extend(ours.map(|(name, value)| (name.into(), value.into())));
        let shared = Arc::new(ServerState {
            password,
            is_unwanted: AtomicBool::new(false),
            ended: Mutex::default(),
            said: Mutex::new(OutputTail::new(TAIL)),
        });
        let (sender, signs) = channel();
        let (watched, supervisor, waker) =
            (Arc::clone(&shared), supervisor.clone(), supervisor.waker());
        let run = move || {
            let mut overseer =
                ServerWatcher { shared: &watched, signs: Some(sender), line: Vec::new() };
            let limits = ProgramLimits { wall: None, idle: None, grace: GRACE };
            let ended = supervisor.run(&launch, &limits, &mut overseer);
            *lock(&watched.ended) = Some(in_words(ended.map(|outcome| outcome.ending)));
        };
        let thread = thread::Builder::new().name("server".to_owned()).spawn(run)?;
        Ok(Self { vitals: ServerHandle(shared), signs, waker, thread: Some(thread) })
    }

    /// Returns its address, once it listens.
    pub(super) fn address(&self) -> Option<ServerAddress> {
        match self.signs.try_recv() {
            Ok(base) => Some(ServerAddress::own(&base, &self.vitals.0.password)),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
        }
    }

    /// Returns its status handle.
    pub(super) fn vitals(&self) -> ServerHandle {
        self.vitals.clone()
    }
}

impl ServerHandle {
    /// Returns how it ended, with its last output; `None` while it runs.
    pub(super) fn ended(&self) -> Option<String> {
        let how = lock(&self.0.ended).clone()?;
        Some(format!("{how}{}", self.last_words()))
    }

    /// Returns the last line of its output, with a colon before it.
    pub(super) fn last_words(&self) -> String {
        let said = lock(&self.0.said).text_lossy();
        let said = redact(&said).replace(&self.0.password, "***");
        let line = said.lines().rev().find(|line| !line.trim().is_empty());
        let line = line.filter(|line| !line.contains(LISTENING));
        line.map(|line| format!(": {}", one_line(line, 200))).unwrap_or_default()
    }
}

impl Drop for OpenCodeServer {
    fn drop(&mut self) {
        self.vitals.0.is_unwanted.store(true, Ordering::SeqCst);
        self.waker.wake();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing to report.
            let _ = thread.join();
        }
    }
}

/// Reads the server's output, and ends it when it is no longer wanted.
struct ServerWatcher<'a> {
    shared: &'a ServerState,
    /// `None` once the address was sent.
    signs: Option<Sender<String>>,
    line: Vec<u8>,
}

impl ProgramWatcher for ServerWatcher<'_> {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        lock(&self.shared.said).push(bytes);
        if stream == OutputStream::Stderr || self.signs.is_none() {
            return;
        }
        self.line.extend_from_slice(bytes);
        let text = String::from_utf8_lossy(&self.line);
        // Only a whole line has a whole address.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let found = whole.lines().find_map(|line| Some(line.split_once(LISTENING)?.1.trim()));
        if let Some(address) = found {
            // The receiver is gone when the server is no longer wanted.
            let _ = self.signs.take().map(|signs| signs.send(address.to_owned()));
        }
        if self.line.len() > TAIL {
            self.line.clear();
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        if self.shared.is_unwanted.load(Ordering::SeqCst) {
            WatcherDecision::Stop
        } else {
            WatcherDecision::GoOn
        }
    }
}

/// Describes the ending, to follow the server's name.
fn in_words(ended: Result<ExitReason, ProcError>) -> String {
    match ended {
        Ok(ExitReason::Exited(127)) => "was not found".to_owned(),
        Ok(ExitReason::Exited(code)) => format!("exited with code {code}"),
        Ok(ExitReason::Signaled(signal)) => format!("was killed (signal {signal})"),
        Ok(ExitReason::Stopped | ExitReason::WallTimeout | ExitReason::IdleTimeout) => {
            "was stopped".to_owned()
        }
        Err(error) => format!("ended: {error}"),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
