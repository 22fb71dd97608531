//! A server's process: what it says becomes messages, and it ends with us.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ralph_proc::{
    ExitReason, OutputStream, ProcError, ProgramLaunch, ProgramLimits, ProgramOutcome,
    ProgramWatcher, StdinPipe, Supervisor, Waker, WatcherDecision, resident_memory,
};
use ralph_redact::redact;

use tempfile::TempDir;

use super::ServerFailure;
use super::framing::FrameDecoder;
use super::wire::LspMessage;

/// Marks the processes of one server, to add up their memory.
const MARK: &str = "RALPH_LSP_SERVER";

/// The interval at which memory is measured.
const LOOK: Duration = Duration::from_secs(2);

/// The maximum amount of output that may wait to be read by us, in bytes: a server that floods us
/// is killed.
const MAX_BACKLOG: usize = 64 * 1024 * 1024;

/// Notifications that are not read here.
const NOISE: [&str; 4] =
    ["window/logMessage", "window/showMessage", "telemetry/event", "$/logTrace"];

const MIB: u64 = 1024 * 1024;

/// A message from a server, or the end of its output.
#[derive(Debug)]
pub(super) enum ServerEvent {
    Message(Box<LspMessage>),
    /// It is gone, and nothing more will come.
    Gone(ServerFailure),
}

/// Both directions of a conversation.
#[derive(Debug)]
pub(super) struct ServerConnection {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<(ServerEvent, usize)>,
    backlog: Arc<AtomicUsize>,
}

/// Passes on what a server says.
#[derive(Debug)]
pub(super) struct ServerEventSender {
    incoming: Sender<(ServerEvent, usize)>,
    backlog: Arc<AtomicUsize>,
}

/// A new conversation: our side, what we send, and who tells us.
pub(super) fn link() -> (ServerConnection, Receiver<Vec<u8>>, ServerEventSender) {
    let (outgoing, sent) = channel();
    let (told, incoming) = channel();
    let backlog = Arc::new(AtomicUsize::new(0));
    let teller = ServerEventSender { incoming: told, backlog: Arc::clone(&backlog) };
    (ServerConnection { outgoing, incoming, backlog }, sent, teller)
}

impl ServerConnection {
    /// Sends bytes. Nothing waits; if the server is gone we are told so.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        // A server that is gone is reported by `receive`.
        let _ = self.outgoing.send(bytes);
    }

    /// The next thing that comes within this time.
    pub(super) fn receive(&self, patience: Duration) -> Option<ServerEvent> {
        match self.incoming.recv_timeout(patience) {
            Ok((heard, bytes)) => {
                self.backlog.fetch_sub(bytes, Ordering::Relaxed);
                Some(heard)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(ServerEvent::Gone(ServerFailure::Ended("nobody listens any more".to_owned())))
            }
        }
    }
}

impl ServerEventSender {
    /// Passes something on; `false` when more waits than may.
    pub(super) fn tell(&self, heard: ServerEvent, bytes: usize) -> bool {
        let waiting = self.backlog.fetch_add(bytes, Ordering::Relaxed);
        // The receiver is gone when the conversation ended.
        let _ = self.incoming.send((heard, bytes));
        waiting <= MAX_BACKLOG
    }
}

/// A running server. Dropped, it is killed with everything it started.
#[derive(Debug)]
pub(super) struct ServerProcess {
    end: Arc<AtomicBool>,
    waker: Waker,
    run: Option<JoinHandle<()>>,
    /// Dropped last: the server may use it.
    _folder: TempDir,
}

/// The conditions under which a process is started, apart from its launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerProcessOptions {
    /// The maximum memory it may use, in bytes.
    pub(super) ceiling: u64,
    /// The place of its cache.
    pub(super) cache: ServerCacheLocation,
}

/// The place of a process's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerCacheLocation {
    /// The same place as for all programs of the user.
    Users,
    /// In a folder that vanishes with it.
    Own,
}

impl ServerProcess {
    /// Starts a server.
    pub(super) fn start(
        supervisor: &Supervisor,
        mut launch: ProgramLaunch,
        terms: ServerProcessOptions,
    ) -> Result<(Self, ServerConnection), ServerFailure> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let not_started = |error: std::io::Error| ServerFailure::NotStarted(error.to_string());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{count}", std::process::id());
        launch.env.push((MARK.into(), mark.clone().into()));
        let place = supervisor.scratch().map_or_else(std::env::temp_dir, Path::to_owned);
        let folder = tempfile::Builder::new().prefix("ralph-lsp-").tempdir_in(place);
        let folder = folder.map_err(not_started)?;
        if terms.cache == ServerCacheLocation::Own {
            launch.env.push(("XDG_CACHE_HOME".into(), folder.path().into()));
        }
        let feed = StdinPipe::new(folder.path().join("in")).map_err(not_started)?;
        launch.stdin = Some(feed.path().to_owned());
        let mut writer = feed.writer().map_err(not_started)?;
        let (link, sent, teller) = link();
        // A thread of its own: a server that does not read must not stop us.
        // It ends with the conversation, or when the pipe breaks.
        let write = move || {
            // A broken pipe is the end of the server, which is noticed.
            let _ = sent.into_iter().try_for_each(|bytes| writer.write_all(&bytes));
        };
        thread::Builder::new().name("lsp-write".into()).spawn(write).map_err(not_started)?;
        let end = Arc::new(AtomicBool::new(false));
        let mut listener = ServerOutputListener {
            decoder: FrameDecoder::default(),
            teller,
            feed: Some(feed),
            end: Arc::clone(&end),
            memory: ServerMemoryWatch {
                mark: format!("{MARK}={mark}"),
                ceiling: terms.ceiling,
                looked: Instant::now(),
            },
            trouble: None,
        };
        let (supervisor, waker) = (supervisor.clone(), supervisor.waker());
        let run = move || {
            let limits = ProgramLimits { wall: None, idle: None, grace: Duration::ZERO };
            let outcome = supervisor.run(&launch, &limits, &mut listener);
            listener.finish(outcome);
        };
        let run = thread::Builder::new().name("lsp-run".into()).spawn(run).map_err(not_started)?;
        Ok((Self { end, waker, run: Some(run), _folder: folder }, link))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.end.store(true, Ordering::SeqCst);
        self.waker.wake();
        if let Some(run) = self.run.take() {
            // A thread that panicked has nothing to report.
            let _ = run.join();
        }
    }
}

/// Takes in what the server writes.
struct ServerOutputListener {
    decoder: FrameDecoder,
    teller: ServerEventSender,
    /// Kept until the server has its input open.
    feed: Option<StdinPipe>,
    end: Arc<AtomicBool>,
    memory: ServerMemoryWatch,
    /// The reason why we ended it, if we did.
    trouble: Option<ServerFailure>,
}

struct ServerMemoryWatch {
    mark: String,
    ceiling: u64,
    looked: Instant,
}

impl ServerMemoryWatch {
    /// Looks from time to time; what is in use, when that is too much.
    fn excess(&mut self) -> Option<ServerFailure> {
        if self.looked.elapsed() < LOOK {
            return None;
        }
        self.looked = Instant::now();
        let used = resident_memory(&self.mark);
        let trouble = ServerFailure::Memory { used: used / MIB, ceiling: self.ceiling / MIB };
        (used > self.ceiling).then_some(trouble)
    }
}

impl ServerOutputListener {
    fn take(&mut self, bytes: &[u8]) -> Result<(), ServerFailure> {
        self.decoder.push(bytes);
        while let Some(content) =
            self.decoder.next().map_err(|error| ServerFailure::Broken(error.to_string()))?
        {
            let message: LspMessage = serde_json::from_slice(content)
                .map_err(|error| ServerFailure::Broken(error.to_string()))?;
            let noise = message.method.as_deref().is_some_and(|method| NOISE.contains(&method));
            if noise && message.id.is_none() {
                continue;
            }
            if !self.teller.tell(ServerEvent::Message(Box::new(message)), content.len()) {
                return Err(ServerFailure::Broken("it sends more than can be read".to_owned()));
            }
        }
        Ok(())
    }

    fn finish(self, outcome: Result<ProgramOutcome, ProcError>) {
        let trouble = self.trouble.unwrap_or_else(|| match outcome {
            Ok(outcome) => ServerFailure::Ended(describe(&outcome)),
            Err(error) => ServerFailure::NotStarted(error.to_string()),
        });
        self.teller.tell(ServerEvent::Gone(trouble), 0);
    }
}

impl ProgramWatcher for ServerOutputListener {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if stream == OutputStream::Stderr || self.trouble.is_some() {
            return;
        }
        self.feed = None;
        self.trouble = self.take(bytes).err();
    }

    fn tick(&mut self) -> WatcherDecision {
        if self.trouble.is_none() {
            self.trouble = self.memory.excess();
        }
        if self.trouble.is_some() || self.end.load(Ordering::SeqCst) {
            return WatcherDecision::Kill;
        }
        WatcherDecision::GoOn
    }
}

/// Describes the way in which it ended, with the end of its error output.
fn describe(outcome: &ProgramOutcome) -> String {
    let how = match outcome.ending {
        ExitReason::Exited(code) => format!("exit code {code}"),
        ExitReason::Signaled(signal) => format!("signal {signal}"),
        ExitReason::WallTimeout | ExitReason::IdleTimeout | ExitReason::Stopped => {
            "it was stopped".to_owned()
        }
    };
    match telling(&outcome.stderr.text_lossy()) {
        Some(line) => {
            let line: String = line.chars().take(200).collect();
            format!("{how}, {}", redact(&line))
        }
        None => how,
    }
}

/// The line that says why a program ended: the last one that calls itself an
/// error, because a trace of calls may follow it; else the last one.
fn telling(words: &str) -> Option<&str> {
    let lines = || words.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let is_error =
        |line: &&str| line.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("error"));
    lines().find(is_error).or_else(|| lines().next())
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn an_error_is_told_and_not_the_end_of_its_trace() {
        let words = "note: x\nerror: no such toolchain\n\nStack backtrace:\n  15: <unknown>\n";
        assert_eq!(telling(words), Some("error: no such toolchain"));
        assert_eq!(telling("Traceback\n  File x\nValueError: y\n\n"), Some("ValueError: y"));
        assert_eq!(telling(" \n"), None);
    }
}
