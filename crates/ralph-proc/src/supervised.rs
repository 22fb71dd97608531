//! Our side of one supervised program.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::SyncSender;

use crate::events::{ProgramEvent, spawn_reader};
use crate::launch::{ExitReason, OutputStream};
use crate::random::random_bits;
use crate::run::ProcError;
use crate::strays;
use crate::tree::kill_marked;
use crate::wire::{KILL, LaunchOrder, LaunchSpec, TERMINATE, TOKEN_VARIABLE};

/// A running supervisor. Dropping it before its end kills its tree and waits
/// for it.
pub(crate) struct RunningSupervisor {
    child: Child,
    /// The control pipe. Closing it makes the supervisor kill. `None` if there
    /// is none.
    control: Option<ChildStdin>,
    token: String,
}

impl RunningSupervisor {
    /// Starts the program; its output and its end arrive as events.
    pub(crate) fn start(
        exe: &Path,
        args: &[OsString],
        order: &LaunchOrder<'_>,
        events: &SyncSender<ProgramEvent>,
    ) -> Result<Self, ProcError> {
        let token = format!("{:032x}", random_bits());
        let spec = LaunchSpec::new(order, &token);
        let mut command = command(exe, args, &spec);
        let child = command
            // Also here, so that a child between fork and exec is marked.
            .env(TOKEN_VARIABLE, &token)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| ProcError::Start { exe: exe.into(), source })?;
        strays::enlist(child.id());
        let mut supervised = Self { child, control: None, token };
        supervised.listen(events).map_err(ProcError::Read)?;
        supervised.control = supervised.child.stdin.take();
        match supervised.send(&spec) {
            // A Ctrl-C in its first moment killed it before it listened: that
            // is an ending like any other, and its event is on the way.
            Err(_) if supervised.was_signaled() => Ok(supervised),
            Err(source) => Err(ProcError::Handshake { exe: exe.into(), source }),
            Ok(()) => Ok(supervised),
        }
    }

    /// Asks the whole tree to end.
    pub(crate) fn terminate(&mut self) {
        self.order(TERMINATE);
    }

    /// Kills the whole tree.
    pub(crate) fn kill(&mut self) {
        self.order(KILL);
    }

    /// Kills the supervisor itself, if it does not finish its work.
    pub(crate) fn abandon(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
    }

    /// Kills the supervisor if it was stopped: it would neither end its
    /// programs nor read orders.
    pub(crate) fn end_if_stopped(&mut self) {
        #[cfg(target_os = "linux")]
        {
            let stat = i32::try_from(self.child.id()).ok().and_then(crate::procfs::ProcessStat::of);
            if stat.is_some_and(|stat| stat.is_stopped) && !self.has_ended() {
                strays::note_stopped();
                self.abandon();
                // A tracer would keep its end from us.
                kill_marked(&format!("{TOKEN_VARIABLE}={}", self.token));
            }
        }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Waits for the end and makes sure that no process is left.
    pub(crate) fn reap(&mut self) -> Result<ExitReason, ProcError> {
        let status = self.child.wait().map_err(ProcError::Wait)?;
        strays::strike_off(self.child.id());
        self.control = None;
        let ending = ending_of(status);
        if let ExitReason::Signaled(_) = ending {
            // Mostly the program's own signal, passed on; but if the supervisor
            // itself was killed, its tree is still there.
            kill_marked(&format!("{TOKEN_VARIABLE}={}", self.token));
        }
        Ok(ending)
    }

    fn listen(&mut self, events: &SyncSender<ProgramEvent>) -> io::Result<()> {
        if let Some(pipe) = self.child.stdout.take() {
            spawn_reader(OutputStream::Stdout, pipe, events.clone())?;
        }
        if let Some(pipe) = self.child.stderr.take() {
            spawn_reader(OutputStream::Stderr, pipe, events.clone())?;
        }
        #[cfg(unix)]
        crate::events::spawn_waiter(self.child.id(), events.clone())?;
        Ok(())
    }

    fn send(&mut self, spec: &LaunchSpec) -> io::Result<()> {
        self.control.as_mut().map_or(Ok(()), |control| spec.write(control))
    }

    fn was_signaled(&mut self) -> bool {
        self.control = None;
        self.child.wait().is_ok_and(|status| matches!(ending_of(status), ExitReason::Signaled(_)))
    }

    /// Sends an order. An order that cannot be sent is not needed: the reader
    /// of the pipe is gone, and the event of its end is on the way.
    fn order(&mut self, order: u8) {
        match &mut self.control {
            Some(control) => {
                // See above.
                let _ = control.write_all(&[order]);
            }
            None => self.abandon(),
        }
    }
}

impl Drop for RunningSupervisor {
    fn drop(&mut self) {
        if self.has_ended() {
            strays::strike_off(self.child.id());
            return;
        }
        if self.control.take().is_none() {
            self.abandon();
        }
        // Its status is not asked for any more.
        let _ = self.reap();
    }
}

#[cfg(unix)]
fn command(exe: &Path, args: &[OsString], _spec: &LaunchSpec) -> Command {
    let mut command = Command::new(exe);
    command.args(args).stdin(Stdio::piped());
    command
}

/// Starts the program itself as our child: there is no supervisor on this
/// system.
#[cfg(not(unix))]
fn command(_exe: &Path, _args: &[OsString], spec: &LaunchSpec) -> Command {
    let input = spec.stdin.as_ref().and_then(|path| std::fs::File::open(path).ok());
    let mut command = Command::new(&spec.program);
    command.args(&spec.args).current_dir(&spec.dir).env_clear();
    command.envs(spec.env.iter().map(|(name, value)| (name, value)));
    command.stdin(input.map_or_else(Stdio::null, Stdio::from));
    command
}

fn ending_of(status: ExitStatus) -> ExitReason {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitReason::Signaled(signal);
    }
    // A status is a code or a signal; anything else counts as a failure.
    ExitReason::Exited(status.code().unwrap_or(1))
}
