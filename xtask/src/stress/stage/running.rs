//! One process: it is waited for, measured, or killed.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::{LOOK, pause};
use crate::failure::TaskFailure;

/// Longest time of a command on a stage; after that it hangs.
const PATIENCE: Duration = Duration::from_mins(2);

/// A process that was started.
pub(crate) struct MeasuredProcess {
    child: Child,
    shown: String,
    output: [PathBuf; 2],
    started: Instant,
}

/// The result of a process.
pub(crate) struct MeasuredExit {
    /// The command line.
    shown: String,
    /// The exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Most memory it had at a time, in KiB.
    pub(crate) peak_kib: u64,
    pub(crate) elapsed: Duration,
}

/// The state of a process that was to be killed.
pub(crate) enum KillOutcome {
    /// It ended before that.
    Ended(MeasuredExit),
    Killed,
}

impl MeasuredProcess {
    pub(super) fn spawn(mut command: Command, output: [PathBuf; 2]) -> Result<Self, TaskFailure> {
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
        let shown = format!("{} {}", command.get_program().to_string_lossy(), args.join(" "));
        let started = Instant::now();
        let child =
            command.spawn().map_err(|error| TaskFailure::Failed(format!("{shown}: {error}")))?;
        Ok(Self { child, shown, output, started })
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end. A process that hangs is killed, which is an error.
    pub(crate) fn wait(mut self) -> Result<MeasuredExit, TaskFailure> {
        if let Some((code, peak_kib)) = self.wait_until(Instant::now() + PATIENCE)? {
            return Ok(self.finished(code, peak_kib));
        }
        self.kill()?;
        let what = format!("{} hangs for {} s", self.shown, PATIENCE.as_secs());
        Err(TaskFailure::Failed(format!("{what}; its output: {}", self.output[0].display())))
    }

    /// Kills the process after `delay`, with a signal it cannot catch.
    pub(crate) fn kill_after(mut self, delay: Duration) -> Result<KillOutcome, TaskFailure> {
        if let Some((code, peak_kib)) = self.wait_until(self.started + delay)? {
            return Ok(KillOutcome::Ended(self.finished(code, peak_kib)));
        }
        self.kill()?;
        Ok(KillOutcome::Killed)
    }

    fn kill(&mut self) -> Result<(), TaskFailure> {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        ended.map(drop).map_err(|error| TaskFailure::Failed(format!("{}: {error}", self.shown)))
    }

    fn wait_until(&mut self, deadline: Instant) -> Result<Option<(Option<i32>, u64)>, TaskFailure> {
        let mut peak_kib = 0;
        loop {
            let status = self.child.try_wait();
            let status =
                status.map_err(|error| TaskFailure::Failed(format!("{}: {error}", self.shown)))?;
            if let Some(status) = status {
                return Ok(Some((status.code(), peak_kib)));
            }
            peak_kib = peak_kib.max(peak_of(self.child.id()));
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            pause(left.min(LOOK));
        }
    }

    fn finished(self, code: Option<i32>, peak_kib: u64) -> MeasuredExit {
        let elapsed = self.started.elapsed();
        let [stdout, stderr] = self
            .output
            .map(|path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned());
        MeasuredExit { shown: self.shown, code, stdout, stderr, peak_kib, elapsed }
    }
}

impl MeasuredExit {
    /// Returns the result if it has this exit code, else an error.
    pub(crate) fn expect_code(self, code: i32) -> Result<Self, TaskFailure> {
        if self.code == Some(code) {
            return Ok(self);
        }
        Err(TaskFailure::Failed(format!(
            "{} ended with {:?} and not with {code}: {}",
            self.shown,
            self.code,
            self.stderr.trim()
        )))
    }
}

/// Returns the peak memory of a living process; 0 if there is none.
fn peak_of(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_memory_has_a_high_water_mark_and_that_of_nobody_has_not() {
        assert!(peak_of(std::process::id()) > 100);
        assert_eq!(peak_of(u32::MAX), 0);
    }
}
