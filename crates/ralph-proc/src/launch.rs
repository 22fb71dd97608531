//! What to start, how long it may take, and how it ended.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::tail::Tail;

/// The longest time between two calls of [`Watcher::tick`].
pub const TICK: Duration = Duration::from_millis(200);

/// One program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Without a slash it is looked up in the `PATH` of `env`; a relative path
    /// with a slash is resolved against `dir`.
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The working directory.
    pub dir: PathBuf,
    /// The complete environment: nothing of ours is inherited. Only
    /// [`TOKEN_VARIABLE`](crate::TOKEN_VARIABLE) is added.
    pub env: Vec<(OsString, OsString)>,
    /// The file to read as standard input; `None` is an empty input.
    pub stdin: Option<PathBuf>,
    /// Whether its two output streams stay apart.
    pub streams: Streams,
}

/// Whether the two output streams of a program stay apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// Each arrives as itself; their order is lost where they meet.
    #[default]
    Apart,
    /// Standard error goes where standard output goes, and everything arrives
    /// as [`Stream::Stdout`] in the order in which it was written.
    Merged,
}

/// How long a program may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time from start to end.
    pub wall: Option<Duration>,
    /// The time without any output on either stream.
    pub idle: Option<Duration>,
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
}

/// One of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Why a program is no longer running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself. 127 also means that it was not found, 126 that it
    /// could not be started; stderr then says why.
    Exited(i32),
    /// A signal ended it that we did not send.
    Signaled(i32),
    /// [`Limits::wall`] was over.
    WallTimeout,
    /// [`Limits::idle`] was over.
    IdleTimeout,
    /// The watcher asked for the end.
    Stopped,
}

/// What is known about a program that ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ending: Ending,
    /// The end of its standard output.
    pub stdout: Tail,
    /// The end of its standard error.
    pub stderr: Tail,
    /// The time from its start until its output was read completely.
    pub elapsed: Duration,
}

/// A watcher's wish for the running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Let it run.
    GoOn,
    /// SIGTERM to the whole tree, and SIGKILL after [`Limits::grace`].
    Stop,
    /// SIGKILL to the whole tree, now.
    Kill,
}

/// Sees the output of a running program and may end it.
///
/// Both methods are called on the thread of [`Supervisor::run`]. While one of
/// them works the program can write only until the pipe and a small queue are
/// full; nothing is lost and memory does not grow.
///
/// [`Supervisor::run`]: crate::Supervisor::run
pub trait Watcher {
    /// Takes the next bytes of a stream, cut anywhere.
    fn output(&mut self, stream: Stream, bytes: &[u8]);

    /// Decides whether the program may go on.
    ///
    /// Called at the start, at least every [`TICK`] while the program runs, and
    /// at once after [`Waker::wake`](crate::Waker::wake). During the grace
    /// period of a stop only [`Control::Kill`] still makes a difference.
    fn tick(&mut self) -> Control;
}
