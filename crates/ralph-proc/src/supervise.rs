//! The supervisor process: starts one program, and kills its descendants.

use std::process::ExitCode;

/// Runs as the supervisor: the whole life of a process started by
/// [`Supervisor::run`](crate::Supervisor::run).
///
/// It reads orders from standard input and ends as the program ended (same exit
/// code, or by the same signal). Before that it kills the program's whole tree.
/// It also kills the tree on order, at the end of standard input, and on
/// SIGTERM, SIGINT or SIGHUP. The caller must do nothing else and return the
/// code from `main`.
pub fn supervisor_main() -> ExitCode {
    #[cfg(unix)]
    return unix::main();
    #[cfg(not(unix))]
    ExitCode::from(126)
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode, Stdio};
    use std::thread;

    use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::Errno;
    use rustix::process::{
        Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, setrlimit, setsid, wait,
    };
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::tree::{ProcessTree, adopt_orphans};
    use crate::wire::{KILL, LaunchSpec, TERMINATE};

    /// The reason why the program did not start.
    #[derive(Debug, thiserror::Error)]
    enum StartError {
        #[error("{0}")]
        Program(io::Error),
        #[error("no directory {}", .0.display())]
        Directory(PathBuf),
        #[error("standard input {}: {source}", path.display())]
        Input { path: PathBuf, source: io::Error },
        #[error("cannot guard it: {0}")]
        Guard(io::Error),
    }

    impl StartError {
        /// Returns the exit code that a shell would give.
        fn code(&self) -> u8 {
            match self {
                Self::Program(error) if error.kind() == io::ErrorKind::NotFound => 127,
                Self::Program(_) | Self::Directory(_) | Self::Input { .. } | Self::Guard(_) => 126,
            }
        }
    }

    pub(super) fn main() -> ExitCode {
        // A session of our own: Ctrl-C reaches only our parent, and a program
        // that asks for a password on the terminal gets an error, not a hang.
        let _ = setsid();
        // The program may have the same user, and must not control the
        // supervisor.
        crate::close_memory();
        let spec = match LaunchSpec::read(&mut io::stdin().lock()) {
            Ok(Some(spec)) => spec,
            Ok(None) => return ExitCode::FAILURE,
            Err(error) => {
                // The exit code tells it, too.
                let _ = writeln!(io::stderr(), "ralph: the supervisor got no launch: {error}");
                return ExitCode::FAILURE;
            }
        };
        match supervise(&spec) {
            Ok(status) => end_like(status),
            Err(error) => {
                let program = Path::new(&spec.program).display();
                // The exit code tells it, too.
                let _ = writeln!(io::stderr(), "ralph: cannot start {program}: {error}");
                ExitCode::from(error.code())
            }
        }
    }

    /// Runs the program to its end. No descendant is left afterwards. The
    /// status is `None` if the kernel does not report it.
    fn supervise(spec: &LaunchSpec) -> Result<Option<WaitStatus>, StartError> {
        adopt_orphans().map_err(|errno| StartError::Guard(errno.into()))?;
        // Registered before there is a program to kill, handled after.
        let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(StartError::Guard)?;
        let agent = start(spec)?;
        let tree = ProcessTree::of(agent, spec.monitor);
        if let Err(error) = guard(tree, signals) {
            tree.end();
            return Err(StartError::Guard(error));
        }
        let status = wait_for(agent);
        tree.end();
        Ok(status)
    }

    fn start(spec: &LaunchSpec) -> Result<Pid, StartError> {
        let dir = Path::new(&spec.dir);
        // Checked first: a missing directory would look like a missing program.
        if !dir.is_dir() {
            return Err(StartError::Directory(dir.into()));
        }
        let input = match &spec.stdin {
            Some(path) => open_input(Path::new(path))
                .map(Stdio::from)
                .map_err(|source| StartError::Input { path: path.into(), source })?,
            None => Stdio::null(),
        };
        let errors = if spec.merged {
            let output = io::stdout().as_fd().try_clone_to_owned();
            Stdio::from(output.map_err(StartError::Guard)?)
        } else {
            Stdio::inherit()
        };
        let child = Command::new(&spec.program)
            .args(&spec.args)
            .current_dir(dir)
            .env_clear()
            .envs(spec.env.iter().map(|(name, value)| (name, value)))
            .stdin(input)
            .stderr(errors)
            .process_group(0)
            .spawn()
            .map_err(StartError::Program)?;
        Ok(Pid::from_child(&child))
    }

    /// Opens a file or a pipe. It does not block on a pipe without a writer,
    /// which might never come.
    fn open_input(path: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let input = rustix::fs::open(path, flags, Mode::empty())?;
        let flags = fcntl_getfl(&input)?;
        fcntl_setfl(&input, flags - OFlags::NONBLOCK)?;
        Ok(input.into())
    }

    /// Starts the threads that kill the tree on order and on signals.
    fn guard(tree: ProcessTree, mut signals: Signals) -> io::Result<()> {
        let on_signal = move || signals.forever().for_each(|_| tree.kill());
        thread::Builder::new().name("signals".into()).spawn(on_signal)?;
        thread::Builder::new().name("control".into()).spawn(move || obey(tree))?;
        Ok(())
    }

    /// Follows orders from the control pipe until it ends, as it does when our
    /// parent dies.
    fn obey(tree: ProcessTree) {
        for order in io::stdin().lock().bytes() {
            match order {
                Ok(TERMINATE) => tree.signal(Signal::TERM),
                Ok(KILL) => tree.kill(),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        tree.kill();
    }

    /// Reaps children until it reaps the program.
    fn wait_for(agent: Pid) -> Option<WaitStatus> {
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if pid == agent => return Some(status),
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    fn end_like(status: Option<WaitStatus>) -> ExitCode {
        let Some(status) = status else { return ExitCode::FAILURE };
        let Some(signal) = status.terminating_signal() else {
            let code = status.exit_status().and_then(|code| u8::try_from(code).ok());
            return code.map_or(ExitCode::FAILURE, ExitCode::from);
        };
        // The program may have left a core file; ours would replace it.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        // If that fails, the exit code below tells the signal.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        // Only a signal that the default handler does not emulate gets here;
        // shells write it so.
        u8::try_from(128 + signal).map_or(ExitCode::FAILURE, ExitCode::from)
    }
}
