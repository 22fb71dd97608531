//! Kills a git process that hangs.
//!
//! Git opens files that the agent can write: rules, objects, refs. A pipe in
//! place of one would block git, and us, for ever. So a git that we wait for is
//! killed when it sleeps without any work for some seconds. It is killed at
//! once when the work is interrupted.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::work_handle::WorkHandle;

/// Set once a git was killed: the next one will likely hang, too.
static IS_HURRIED: AtomicBool = AtomicBool::new(false);

/// Error text for a git that was killed.
pub(crate) const STUCK: &str = "it waited for something that never came, such as a pipe in the \
                                place of a file, and was ended";

/// A git process that is watched.
#[derive(Debug)]
pub(crate) struct WatchedGit {
    child: Child,
    watch: Arc<GitWatchState>,
}

/// The state of one git process for the watching thread.
#[derive(Debug, Default)]
struct GitWatchState {
    /// Number of threads that wait for its output.
    waits: AtomicU32,
    was_ended: AtomicBool,
    work: WorkHandle,
    #[cfg(target_os = "linux")]
    process: Option<linux::ProcessRef>,
}

/// Input of git; a write may block for ever.
#[derive(Debug)]
pub(crate) struct WatchedInput {
    inner: ChildStdin,
    watch: Arc<GitWatchState>,
}

/// Output of git; a read may block for ever.
#[derive(Debug)]
pub(crate) struct WatchedOutput {
    inner: ChildStdout,
    watch: Arc<GitWatchState>,
}

impl WatchedGit {
    pub(crate) fn new(child: Child, work: &WorkHandle) -> Self {
        let watch = GitWatchState { work: work.clone(), ..GitWatchState::default() };
        #[cfg(target_os = "linux")]
        let watch = linux::watch(&child, watch);
        #[cfg(not(target_os = "linux"))]
        let watch = Arc::new(watch);
        Self { child, watch }
    }

    pub(crate) fn take_input(&mut self) -> Option<WatchedInput> {
        let inner = self.child.stdin.take()?;
        Some(WatchedInput { inner, watch: Arc::clone(&self.watch) })
    }

    pub(crate) fn take_output(&mut self) -> Option<WatchedOutput> {
        let inner = self.child.stdout.take()?;
        Some(WatchedOutput { inner, watch: Arc::clone(&self.watch) })
    }

    /// Reads all its output. The flag is true if it was killed.
    pub(crate) fn output(self) -> io::Result<(std::process::Output, bool)> {
        let output = self.watch.during(|| self.child.wait_with_output())?;
        Ok((output, self.watch.was_ended.load(Ordering::Relaxed)))
    }

    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        let Self { child, watch } = self;
        watch.during(|| child.wait())
    }

    pub(crate) fn kill(&mut self) {
        // It is no error if it has just exited.
        let _ = self.child.kill();
    }
}

impl GitWatchState {
    fn during<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waits.fetch_add(1, Ordering::Relaxed);
        let result = wait();
        self.waits.fetch_sub(1, Ordering::Relaxed);
        result
    }
}

impl Write for WatchedInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { inner, watch } = self;
        watch.during(|| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Read for WatchedOutput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Self { inner, watch } = self;
        let read = watch.during(|| inner.read(buffer))?;
        if read == 0 && watch.was_ended.load(Ordering::Relaxed) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, STUCK));
        }
        Ok(read)
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::OwnedFd;
    use std::process::Child;
    use std::sync::atomic::Ordering;
    use std::sync::{Arc, Condvar, Mutex, Once, PoisonError, Weak};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::{GitWatchState, IS_HURRIED};

    /// Time between two checks of all processes.
    const LOOK: Duration = Duration::from_millis(250);

    /// A git without any work for so long is killed. It waits up to a second
    /// for locks of others.
    const PATIENCE: Duration = Duration::from_secs(4);
    const HURRIED_PATIENCE: Duration = Duration::from_millis(1500);

    static WATCHED: Mutex<Vec<Weak<GitWatchState>>> = Mutex::new(Vec::new());
    static CHANGED: Condvar = Condvar::new();

    /// A reference to a process that stays valid when its number is reused.
    #[derive(Debug)]
    pub(super) struct ProcessRef {
        pid: u32,
        fd: OwnedFd,
        idle: Mutex<IdleTime>,
    }

    /// The time that a process has been idle.
    #[derive(Debug)]
    pub(super) struct IdleTime {
        /// Its processor time at the last check; 0 if it was at work.
        work: u64,
        span: Duration,
        looked: Instant,
    }

    impl IdleTime {
        pub(super) fn new(now: Instant) -> Self {
            Self { work: 0, span: Duration::ZERO, looked: now }
        }

        /// Adds a check. `asleep` is the processor time of a process that
        /// sleeps while we wait for it. A long gap between two checks means
        /// that we were stopped, so it counts no more than one check.
        pub(super) fn add(&mut self, asleep: Option<u64>, now: Instant) -> Duration {
            let passed = now.saturating_duration_since(self.looked).min(2 * LOOK);
            let work = asleep.unwrap_or(0);
            let is_idle = asleep.is_some() && work == self.work;
            self.span = if is_idle { self.span + passed } else { Duration::ZERO };
            (self.work, self.looked) = (work, now);
            self.span
        }
    }

    pub(super) fn watch(child: &Child, watch: GitWatchState) -> Arc<GitWatchState> {
        static STARTED: Once = Once::new();
        let fd = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok();
        let idle = Mutex::new(IdleTime::new(Instant::now()));
        let process = fd.map(|fd| ProcessRef { pid: child.id(), fd, idle });
        let watch = Arc::new(GitWatchState { process, ..watch });
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&watch));
        STARTED.call_once(|| {
            // Without the thread, git runs unwatched.
            let _ = std::thread::Builder::new().name("git-watch".to_owned()).spawn(look_after);
        });
        CHANGED.notify_one();
        watch
    }

    fn look_after() {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            watched.retain(|one| one.strong_count() > 0);
            if watched.is_empty() {
                watched = CHANGED.wait(watched).unwrap_or_else(PoisonError::into_inner);
            }
            (watched, _) =
                CHANGED.wait_timeout(watched, LOOK).unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            watched.iter().filter_map(Weak::upgrade).for_each(|one| look(&one, now));
        }
    }

    fn look(watch: &GitWatchState, now: Instant) {
        let Some(process) = &watch.process else { return };
        let mut idle = process.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let asleep =
            work_of_sleeper(process.pid).filter(|_| watch.waits.load(Ordering::Relaxed) > 0);
        let is_hurried = IS_HURRIED.load(Ordering::Relaxed);
        let patience = if is_hurried { HURRIED_PATIENCE } else { PATIENCE };
        let is_stuck = idle.add(asleep, now) >= patience;
        if is_stuck || watch.work.is_interrupted() {
            watch.was_ended.store(true, Ordering::Relaxed);
            if is_stuck {
                IS_HURRIED.store(true, Ordering::Relaxed);
            }
            // It may have ended by itself.
            let _ = pidfd_send_signal(&process.fd, Signal::KILL);
        }
    }

    /// Returns the processor time of a process that sleeps now.
    fn work_of_sleeper(pid: u32) -> Option<u64> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(&String::from_utf8_lossy(&text))
    }

    pub(super) fn parse(text: &str) -> Option<u64> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        // One more, so that a process without any work differs from none.
        (*fields.first()? == "S").then_some(number(11)? + number(12)? + 1)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn only_a_sleeping_process_can_be_idle() {
        let stat =
            |state: &str| format!("42 (a) b) {state} 7 42 42 0 -1 0 1 2 3 4 50 6 7 8 20 0 1");
        assert_eq!(linux::parse(&stat("S")), Some(57));
        assert_eq!(linux::parse(&stat("D")), None);
        assert_eq!(linux::parse(&stat("R")), None);
    }

    /// Something that never comes: a program that reads it waits for ever.
    fn waits_for_ever(folder: &std::path::Path) -> Command {
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut command = Command::new("cat");
        command.arg(&pipe).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    #[test]
    fn a_program_that_waits_for_ever_is_ended_and_its_silence_is_no_end() {
        IS_HURRIED.store(true, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        let mut command = waits_for_ever(folder.path());
        let mut start = || WatchedGit::new(command.spawn().unwrap(), &WorkHandle::default());
        let mut stuck = start();
        let mut said = Vec::new();
        assert!(stuck.take_output().unwrap().read_to_end(&mut said).is_err());
        assert!(!stuck.wait().unwrap().success());
        let (output, was_ended) = start().output().unwrap();
        assert!(was_ended && !output.status.success());
        // More than the pipe to it holds.
        let fed = start().take_input().unwrap().write_all(&vec![0; 1 << 20]);
        assert_eq!(fed.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn a_program_is_ended_at_once_when_the_work_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkHandle::default();
        let mut stuck = WatchedGit::new(waits_for_ever(folder.path()).spawn().unwrap(), &work);
        work.interrupt();
        let from = std::time::Instant::now();
        assert!(!stuck.wait().unwrap().success());
        assert!(from.elapsed().as_secs() < 1);
    }

    #[test]
    fn patience_is_counted_in_time_and_not_in_looks() {
        use std::time::{Duration, Instant};
        let from = Instant::now();
        let mut idle = linux::IdleTime::new(from);
        let at = |millis: u64| from + Duration::from_millis(millis);
        for look in 0..100 {
            assert!(idle.add(Some(7), at(look)) < Duration::from_millis(100));
        }
        assert!(idle.add(Some(7), at(350)) >= Duration::from_millis(250));
        // We were stopped for an hour, and git with us.
        assert!(idle.add(Some(7), at(3_600_000)) < Duration::from_secs(1));
        assert_eq!(idle.add(Some(8), at(3_600_100)), Duration::ZERO);
        assert_eq!(idle.add(None, at(3_600_200)), Duration::ZERO);
    }
}
