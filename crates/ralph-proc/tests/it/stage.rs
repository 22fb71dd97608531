//! Shared by the tests: scripts to run, a watcher, and a pipe that tells when
//! the last process that holds it is gone.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use ralph_proc::{
    OutputStream, ProgramLaunch, ProgramLimits, ProgramOutcome, ProgramWatcher, StreamMerging,
    Supervisor, WatcherDecision,
};

/// Fails a test instead of letting it hang.
pub(crate) const HANG: Duration = Duration::from_secs(20);

pub(crate) const NO_LIMITS: ProgramLimits =
    ProgramLimits { wall: None, idle: None, grace: Duration::from_millis(100) };

pub(crate) const EXE: &str = env!("CARGO_BIN_EXE_ralph-supervise");

pub(crate) fn supervisor() -> Supervisor {
    Supervisor::new(EXE, [])
}

pub(crate) fn launch(program: &str, args: &[&str]) -> ProgramLaunch {
    ProgramLaunch {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        dir: env::temp_dir(),
        env: vec![("PATH".into(), env::var_os("PATH").unwrap())],
        stdin: None,
        streams: StreamMerging::Apart,
    }
}

pub(crate) fn sh(script: &str) -> ProgramLaunch {
    launch("sh", &["-c", script])
}

/// Lets the program run until its standard output holds the word to answer.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) stdout: String,
    pub(crate) answer: Option<(&'static str, WatcherDecision)>,
}

impl Seen {
    pub(crate) fn answering(word: &'static str, control: WatcherDecision) -> Self {
        Self { answer: Some((word, control)), ..Self::default() }
    }
}

impl ProgramWatcher for Seen {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if stream == OutputStream::Stdout {
            self.stdout.push_str(&String::from_utf8_lossy(bytes));
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        match self.answer {
            Some((word, control)) if self.stdout.contains(word) => control,
            Some(_) | None => WatcherDecision::GoOn,
        }
    }
}

pub(crate) fn run(launch: &ProgramLaunch, limits: &ProgramLimits) -> ProgramOutcome {
    supervisor().run(launch, limits, &mut Seen::default()).unwrap()
}

/// A named pipe. Scripts open it for writing and keep it open; when the last
/// of them is gone, and not before, its reader sees the end.
pub(crate) struct Lifeline {
    path: PathBuf,
    end: Receiver<String>,
}

impl Lifeline {
    pub(crate) fn new(dir: &Path) -> Self {
        let path = dir.join("lifeline");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (sender, end) = channel();
        let pipe = path.clone();
        thread::spawn(move || {
            let mut text = String::new();
            File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            let _ = sender.send(text);
        });
        Self { path, end }
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// A script that leaves a process in a session of its own, without a parent
    /// and deaf to SIGTERM and SIGHUP, and continues once it is there.
    pub(crate) fn daemon(&self) -> String {
        let path = self.path();
        format!(
            "(setsid sh -c 'trap \"\" TERM HUP; echo held >&9; echo up; exec sleep 600' \
             9>{path} &) | read up; "
        )
    }

    /// A daemon without a mark in its environment.
    pub(crate) fn hidden_daemon(&self) -> String {
        self.daemon().replace("setsid sh", "setsid env -i sh")
    }

    /// Waits until no process holds the pipe.
    pub(crate) fn wait_for_end(&self) -> String {
        self.end.recv_timeout(HANG).expect("a process outlived its turn")
    }
}
