//! A program to start, its time limits, and its ending.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::tail::OutputTail;

/// The longest time between two calls of [`ProgramWatcher::tick`].
pub const TICK: Duration = Duration::from_millis(200);

/// One program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLaunch {
    /// The name or path. A name without a slash is looked up in the `PATH` of
    /// `env`; a relative path with a slash is resolved against `dir`.
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
    /// Treatment of the two output streams.
    pub streams: StreamMerging,
}

/// The treatment of a program's two output streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamMerging {
    /// Each arrives by itself; their relative order is lost.
    #[default]
    Apart,
    /// Standard error goes where standard output goes, and everything arrives
    /// as [`OutputStream::Stdout`] in the order in which it was written.
    Merged,
}

/// Time limits of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLimits {
    /// The time from start to end.
    pub wall: Option<Duration>,
    /// The time without any output on either stream.
    pub idle: Option<Duration>,
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
}

/// One of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The reason why a program is no longer running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// It exited. Code 127 can also mean that it was not found, 126 that it
    /// could not be started; stderr then has the reason.
    Exited(i32),
    /// A signal that we did not send ended it.
    Signaled(i32),
    /// [`ProgramLimits::wall`] was over.
    WallTimeout,
    /// [`ProgramLimits::idle`] was over.
    IdleTimeout,
    /// The watcher asked for the end.
    Stopped,
}

/// The result of a program that ended.
#[derive(Clone, Debug)]
pub struct ProgramOutcome {
    /// The reason for its end.
    pub ending: ExitReason,
    /// The end of its standard output.
    pub stdout: OutputTail,
    /// The end of its standard error.
    pub stderr: OutputTail,
    /// The time from its start until its output was read completely.
    pub elapsed: Duration,
}

/// The answer of a watcher: what happens to the running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatcherDecision {
    /// It keeps running.
    GoOn,
    /// The whole tree gets SIGTERM, and SIGKILL after [`ProgramLimits::grace`].
    Stop,
    /// The whole tree gets SIGKILL now.
    Kill,
}

/// Gets the output of a running program and may end it.
///
/// Both methods are called on the thread of [`Supervisor::run`]. While one of
/// them works, the program can write only until the pipe and a small queue are
/// full; nothing is lost and memory does not grow.
///
/// [`Supervisor::run`]: crate::Supervisor::run
pub trait ProgramWatcher {
    /// Gets the next bytes of a stream, cut anywhere.
    fn output(&mut self, stream: OutputStream, bytes: &[u8]);

    /// Decides whether the program may go on.
    ///
    /// Called at the start, at least every [`TICK`] while the program runs, and
    /// at once after [`Waker::wake`](crate::Waker::wake). During the grace
    /// period of a stop only [`WatcherDecision::Kill`] still makes a difference.
    fn tick(&mut self) -> WatcherDecision;
}
