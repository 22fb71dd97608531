//! A server's process: what it says becomes messages, and it ends with us.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ralph_core::redact::redact;
use ralph_proc::{
    Control, Ending, Feed, Launch, Limits, Outcome, ProcError, Stream, Supervisor, Waker, Watcher,
    resident_memory,
};

use tempfile::TempDir;

use super::Trouble;
use super::framing::Decoder;
use super::wire::Message;

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
pub(super) enum Heard {
    Message(Box<Message>),
    /// It is gone, and nothing more will come.
    Gone(Trouble),
}

/// Both directions of a conversation.
#[derive(Debug)]
pub(super) struct Link {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<(Heard, usize)>,
    backlog: Arc<AtomicUsize>,
}

/// Passes on what a server says.
#[derive(Debug)]
pub(super) struct Teller {
    incoming: Sender<(Heard, usize)>,
    backlog: Arc<AtomicUsize>,
}

/// A new conversation: our side, what we send, and who tells us.
pub(super) fn link() -> (Link, Receiver<Vec<u8>>, Teller) {
    let (outgoing, sent) = channel();
    let (told, incoming) = channel();
    let backlog = Arc::new(AtomicUsize::new(0));
    let teller = Teller { incoming: told, backlog: Arc::clone(&backlog) };
    (Link { outgoing, incoming, backlog }, sent, teller)
}

impl Link {
    /// Sends bytes. Nothing waits; if the server is gone we are told so.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        let _ = self.outgoing.send(bytes);
    }

    /// The next thing that comes within this time.
    pub(super) fn receive(&self, patience: Duration) -> Option<Heard> {
        match self.incoming.recv_timeout(patience) {
            Ok((heard, bytes)) => {
                self.backlog.fetch_sub(bytes, Ordering::Relaxed);
                Some(heard)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Heard::Gone(Trouble::Ended("nobody listens any more".to_owned())))
            }
        }
    }
}

impl Teller {
    /// Passes something on; `false` when more waits than may.
    pub(super) fn tell(&self, heard: Heard, bytes: usize) -> bool {
        let waiting = self.backlog.fetch_add(bytes, Ordering::Relaxed);
        let _ = self.incoming.send((heard, bytes));
        waiting <= MAX_BACKLOG
    }
}

/// A running server. Dropped, it is killed with everything it started.
#[derive(Debug)]
pub(super) struct Process {
    end: Arc<AtomicBool>,
    waker: Waker,
    run: Option<JoinHandle<()>>,
    /// Dropped last: the server may use it.
    _folder: TempDir,
}

/// The conditions under which a process is started, apart from its launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The maximum memory it may use, in bytes.
    pub(super) ceiling: u64,
    /// The place of its cache.
    pub(super) cache: Cache,
}

/// The place of a process's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    /// The same place as for all programs of the user.
    Users,
    /// In a folder that vanishes with it.
    Own,
}

impl Process {
    /// Starts a server.
    pub(super) fn start(
        supervisor: &Supervisor,
        mut launch: Launch,
        terms: Terms,
    ) -> Result<(Self, Link), Trouble> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let not_started = |error: std::io::Error| Trouble::NotStarted(error.to_string());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{count}", std::process::id());
        launch.env.push((MARK.into(), mark.clone().into()));
        let folder =
            tempfile::Builder::new().prefix("ralph-lsp-").tempdir().map_err(not_started)?;
        if terms.cache == Cache::Own {
            launch.env.push(("XDG_CACHE_HOME".into(), folder.path().into()));
        }
        let feed = Feed::new(folder.path().join("in")).map_err(not_started)?;
        launch.stdin = Some(feed.path().to_owned());
        let mut writer = feed.writer().map_err(not_started)?;
        let (link, sent, teller) = link();
        // A thread of its own: a server that does not read must not stop us.
        // It ends with the conversation, or when the pipe breaks.
        let write = move || {
            let _ = sent.into_iter().try_for_each(|bytes| writer.write_all(&bytes));
        };
        thread::Builder::new().name("lsp-write".into()).spawn(write).map_err(not_started)?;
        let end = Arc::new(AtomicBool::new(false));
        let mut listener = Listener {
            decoder: Decoder::default(),
            teller,
            feed: Some(feed),
            end: Arc::clone(&end),
            memory: Memory {
                mark: format!("{MARK}={mark}"),
                ceiling: terms.ceiling,
                looked: Instant::now(),
            },
            trouble: None,
        };
        let (supervisor, waker) = (supervisor.clone(), supervisor.waker());
        let run = move || {
            let limits = Limits { wall: None, idle: None, grace: Duration::ZERO };
            let outcome = supervisor.run(&launch, &limits, &mut listener);
            listener.finish(outcome);
        };
        let run = thread::Builder::new().name("lsp-run".into()).spawn(run).map_err(not_started)?;
        Ok((Self { end, waker, run: Some(run), _folder: folder }, link))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end.store(true, Ordering::SeqCst);
        self.waker.wake();
        if let Some(run) = self.run.take() {
            let _ = run.join();
        }
    }
}

/// Takes in what the server writes.
struct Listener {
    decoder: Decoder,
    teller: Teller,
    /// Kept until the server has its input open.
    feed: Option<Feed>,
    end: Arc<AtomicBool>,
    memory: Memory,
    /// The reason why we ended it, if we did.
    trouble: Option<Trouble>,
}

struct Memory {
    mark: String,
    ceiling: u64,
    looked: Instant,
}

impl Memory {
    /// Looks from time to time; what is in use, when that is too much.
    fn excess(&mut self) -> Option<Trouble> {
        if self.looked.elapsed() < LOOK {
            return None;
        }
        self.looked = Instant::now();
        let used = resident_memory(&self.mark);
        let trouble = Trouble::Memory { used: used / MIB, ceiling: self.ceiling / MIB };
        (used > self.ceiling).then_some(trouble)
    }
}

impl Listener {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.decoder.push(bytes);
        while let Some(content) =
            self.decoder.next().map_err(|error| Trouble::Broken(error.to_string()))?
        {
            let message: Message = serde_json::from_slice(content)
                .map_err(|error| Trouble::Broken(error.to_string()))?;
            let noise = message.method.as_deref().is_some_and(|method| NOISE.contains(&method));
            if noise && message.id.is_none() {
                continue;
            }
            if !self.teller.tell(Heard::Message(Box::new(message)), content.len()) {
                return Err(Trouble::Broken("it sends more than can be read".to_owned()));
            }
        }
        Ok(())
    }

    fn finish(self, outcome: Result<Outcome, ProcError>) {
        let trouble = self.trouble.unwrap_or_else(|| match outcome {
            Ok(outcome) => Trouble::Ended(describe(&outcome)),
            Err(error) => Trouble::NotStarted(error.to_string()),
        });
        self.teller.tell(Heard::Gone(trouble), 0);
    }
}

impl Watcher for Listener {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stderr || self.trouble.is_some() {
            return;
        }
        self.feed = None;
        self.trouble = self.take(bytes).err();
    }

    fn tick(&mut self) -> Control {
        if self.trouble.is_none() {
            self.trouble = self.memory.excess();
        }
        if self.trouble.is_some() || self.end.load(Ordering::SeqCst) {
            return Control::Kill;
        }
        Control::GoOn
    }
}

/// Describes the way in which it ended, with the end of its error output.
fn describe(outcome: &Outcome) -> String {
    let how = match outcome.ending {
        Ending::Exited(code) => format!("exit code {code}"),
        Ending::Signaled(signal) => format!("signal {signal}"),
        Ending::WallTimeout | Ending::IdleTimeout | Ending::Stopped => "it was stopped".to_owned(),
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
