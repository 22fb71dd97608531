//! Ends a git that waits for something that never comes.
//!
//! Git opens files that whoever works on the project can write: rules, objects,
//! refs. A pipe in the place of one would keep it, and us, for ever. A git that
//! we wait for, that sleeps and does no work for some seconds, is ended.

use std::io::{self, Read};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Set when the user wants us to end soon.
static IS_HURRIED: AtomicBool = AtomicBool::new(false);

/// What is said of a git that was ended.
pub(crate) const STUCK: &str = "it waited for something that never came, such as a pipe in the \
                                place of a file, and was ended";

/// Ends a git sooner that does nothing: the user wants us to stop.
pub fn hurry_git() {
    IS_HURRIED.store(true, Ordering::Relaxed);
}

/// A git that is looked after.
#[derive(Debug)]
pub(crate) struct WatchedGit {
    child: Child,
    watch: Arc<Watch>,
}

/// What the thread that looks after all needs to know of one.
#[derive(Debug, Default)]
struct Watch {
    /// How many wait for its next word.
    waits: AtomicU32,
    was_ended: AtomicBool,
    #[cfg(target_os = "linux")]
    handle: Option<linux::Handle>,
}

/// Output of git, whose next word may never come.
#[derive(Debug)]
pub(crate) struct WatchedOutput {
    inner: ChildStdout,
    watch: Arc<Watch>,
}

impl WatchedGit {
    pub(crate) fn new(child: Child) -> Self {
        #[cfg(target_os = "linux")]
        let watch = linux::watch(&child);
        #[cfg(not(target_os = "linux"))]
        let watch = Arc::default();
        Self { child, watch }
    }

    pub(crate) fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(crate) fn take_output(&mut self) -> Option<WatchedOutput> {
        let inner = self.child.stdout.take()?;
        Some(WatchedOutput { inner, watch: Arc::clone(&self.watch) })
    }

    /// Reads all that it says, to its end.
    pub(crate) fn output(self) -> io::Result<(std::process::Output, bool)> {
        let output = self.watch.during(|| self.child.wait_with_output())?;
        Ok((output, self.watch.was_ended.load(Ordering::Relaxed)))
    }

    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        let Self { child, watch } = self;
        watch.during(|| child.wait())
    }

    pub(crate) fn kill(&mut self) {
        // It is no error if it has just ended by itself.
        let _ = self.child.kill();
    }
}

impl Watch {
    fn during<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waits.fetch_add(1, Ordering::Relaxed);
        let result = wait();
        self.waits.fetch_sub(1, Ordering::Relaxed);
        result
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
    use std::time::Duration;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::{IS_HURRIED, Watch};

    /// How often all are looked at.
    const LOOK: Duration = Duration::from_millis(250);

    /// A git that did nothing for so many looks is ended.
    const PATIENCE: u32 = 16;
    const HURRIED_PATIENCE: u32 = 3;

    static WATCHED: Mutex<Vec<Weak<Watch>>> = Mutex::new(Vec::new());
    static CHANGED: Condvar = Condvar::new();

    /// Names a process, also when it is gone and its number is another's.
    #[derive(Debug)]
    pub(super) struct Handle {
        pid: u32,
        process: OwnedFd,
        /// What it had done at the last look, and for how many it stayed so.
        idle: Mutex<(u64, u32)>,
    }

    pub(super) fn watch(child: &Child) -> Arc<Watch> {
        static STARTED: Once = Once::new();
        let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok();
        let handle =
            process.map(|process| Handle { pid: child.id(), process, idle: Mutex::default() });
        let watch = Arc::new(Watch { handle, ..Watch::default() });
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&watch));
        STARTED.call_once(|| {
            // Without the thread git is as it was: not looked after.
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
            watched.iter().filter_map(Weak::upgrade).for_each(|one| look(&one));
        }
    }

    fn look(watch: &Watch) {
        let Some(handle) = &watch.handle else { return };
        let mut idle = handle.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let asleep =
            work_of_sleeper(handle.pid).filter(|_| watch.waits.load(Ordering::Relaxed) > 0);
        *idle = match asleep {
            Some(work) if work == idle.0 => (work, idle.1 + 1),
            Some(work) => (work, 0),
            None => (0, 0),
        };
        let is_hurried = IS_HURRIED.load(Ordering::Relaxed);
        if idle.1 >= if is_hurried { HURRIED_PATIENCE } else { PATIENCE } {
            watch.was_ended.store(true, Ordering::Relaxed);
            // The next one will meet the same.
            IS_HURRIED.store(true, Ordering::Relaxed);
            let _ = pidfd_send_signal(&handle.process, Signal::KILL);
        }
    }

    /// The time that a process worked, if it sleeps now.
    fn work_of_sleeper(pid: u32) -> Option<u64> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(&String::from_utf8_lossy(&text))
    }

    pub(super) fn parse(text: &str) -> Option<u64> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        // One more, so that one who did nothing yet differs from none.
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

    #[test]
    fn a_program_that_waits_for_ever_is_ended_and_its_silence_is_no_end() {
        hurry_git();
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut command = Command::new("cat");
        command.arg(&pipe).stdout(Stdio::piped());
        let mut stuck = WatchedGit::new(command.spawn().unwrap());
        let mut said = Vec::new();
        assert!(stuck.take_output().unwrap().read_to_end(&mut said).is_err());
        assert!(!stuck.wait().unwrap().success());
        let (output, was_ended) = WatchedGit::new(command.spawn().unwrap()).output().unwrap();
        assert!(was_ended && !output.status.success());
    }
}
