//! A client in a terminal, as a user sees it.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::drawn::{self, ScreenSize};
use crate::{CommandOutput, TestProject, story, tool};

const SIZE: ScreenSize = ScreenSize { columns: 140, rows: 50 };

/// Maximum time for the screen to change. Only a test that fails waits that
/// long.
const PATIENCE: Duration = Duration::from_secs(90);

/// Interval between checks of the screen while something moves on it.
const GLANCE: Duration = Duration::from_millis(100);

/// Interval between searches of all output for something missed.
const LOOK_BACK: Duration = Duration::from_secs(3);

/// A client in a terminal of its own. Both end when dropped.
pub struct Terminal<'a> {
    project: &'a TestProject,
    socket: PathBuf,
    /// Receives the output; disconnected when the client ends.
    drawn: Receiver<Vec<u8>>,
    /// All output so far.
    record: RefCell<Vec<u8>>,
    /// Length of the output at the last input.
    acted: Cell<usize>,
}

impl<'a> Terminal<'a> {
    #[track_caller]
    pub(crate) fn start(
        project: &'a TestProject,
        variables: &[(&'static str, OsString)],
        client: &Path,
        args: &[&str],
    ) -> Self {
        let pipe = project.outside("terminal.pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let (sender, drawn) = channel();
        let path = pipe.clone();
        thread::spawn(move || {
            let Ok(mut pipe) = File::open(path) else { return };
            let mut bytes = [0; 4096];
            while let Ok(size @ 1..) = pipe.read(&mut bytes) {
                let _ = sender.send(bytes[..size].to_vec());
            }
        });
        let socket = project.outside("terminal");
        let terminal =
            Self { project, socket, drawn, record: RefCell::default(), acted: Cell::default() };
        let (columns, rows) = (SIZE.columns.to_string(), SIZE.rows.to_string());
        let start = terminal.command(&["new-session", "-d", "-x", &columns, "-y", &rows, "--"]);
        let started = start.envs(variables.to_vec()).args([client]).args(args).output();
        assert_eq!(started.code, Some(0), "{}", started.stderr);
        terminal.tell(&["pipe-pane", &format!("exec cat > '{}'", pipe.display())]);
        terminal
    }

    /// Returns the current screen.
    pub fn screen(&self) -> String {
        self.command(&["capture-pane", "-p"]).output().stdout
    }

    /// Returns the screen and its scrollback.
    pub(crate) fn scrolled(&self) -> String {
        self.command(&["capture-pane", "-p", "-J", "-S", "-"]).output().stdout
    }

    /// Types a text, as if pasted, without a final return.
    #[track_caller]
    pub fn types(&self, text: &str) -> &Self {
        self.acted.set(self.record.borrow().len());
        self.tell(&["send-keys", "-l", "--", text]);
        self
    }

    /// Presses a key by its name, as `Enter` or `Escape`.
    #[track_caller]
    pub fn presses(&self, key: &str) -> &Self {
        self.acted.set(self.record.borrow().len());
        self.tell(&["send-keys", key]);
        self
    }

    /// Makes the screen this many columns wide.
    #[track_caller]
    pub fn resizes(&self, columns: usize) -> &Self {
        let (columns, rows) = (columns.to_string(), SIZE.rows.to_string());
        self.tell(&["resize-window", "-x", &columns, "-y", &rows]);
        self
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn until_shows(&self, text: &str) -> &Self {
        let last = self.wait(|screen| screen.contains(text));
        assert!(last.contains(text), "the screen does not show `{text}`:\n{last}");
        self
    }

    /// Waits until the screen matches, and returns it.
    #[track_caller]
    pub fn until(&self, wanted: impl Fn(&str) -> bool) -> String {
        let last = self.wait(&wanted);
        assert!(wanted(&last), "the screen never is as wanted:\n{last}");
        last
    }

    /// Waits until the screen shows a text, or has ever shown it: something
    /// brief may be gone when it is checked.
    #[track_caller]
    pub fn until_has_shown(&self, text: &str) -> &Self {
        let deadline = Instant::now() + PATIENCE;
        while !drawn::was_shown(&self.record.borrow(), SIZE, text) {
            let is_news = self.is_drawn_by(deadline);
            assert!(is_news, "the screen never showed `{text}`:\n{}", self.screen());
            self.pass(GLANCE);
        }
        self
    }

    /// Waits until the screen matches, or did since the last input: a box that
    /// closes by itself may be gone when it is checked.
    #[track_caller]
    pub(crate) fn until_was(&self, wanted: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut look_back = Instant::now() + LOOK_BACK;
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            if Instant::now() >= look_back {
                let record = self.record.borrow();
                let past = drawn::screen_like(&record, self.acted.get(), SIZE, &wanted);
                if let Some(past) = past {
                    return past;
                }
                look_back = Instant::now() + LOOK_BACK;
            }
            let is_news = self.is_drawn_by(deadline.min(look_back));
            assert!(
                is_news || Instant::now() < deadline,
                "the screen never was as wanted:\n{screen}"
            );
            self.pass(GLANCE);
        }
    }

    /// Waits until something is drawn; returns true if it was.
    fn is_drawn_by(&self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = self.drawn.recv_timeout(left);
        let bytes = bytes.map(|bytes| self.record.borrow_mut().extend(bytes));
        bytes.is_ok()
    }

    /// Waits for some time while output arrives.
    fn pass(&self, time: Duration) {
        let end = Instant::now() + time;
        while self.is_drawn_by(end) {}
    }

    /// Waits until the client has ended.
    #[track_caller]
    pub fn until_ended(&self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.drawn.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => panic!("still there:\n{}", self.screen()),
            }
        }
    }

    /// Starts a shell, as a user does.
    #[track_caller]
    pub(crate) fn shell(project: &'a TestProject, variables: &[(&'static str, OsString)]) -> Self {
        let mut variables = variables.to_vec();
        variables.extend([("PS1", format!("{} ", story::PROMPT).into()), ("HISTFILE", "".into())]);
        let args = ["--norc", "--noprofile", "-i"];
        Self::start(project, &variables, Path::new("/bin/bash"), &args)
    }

    /// Returns the first matching screen, or the last if none matched.
    fn wait(&self, wanted: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if wanted(&screen) || !self.is_drawn_by(deadline) {
                return screen;
            }
            // Output that arrives meanwhile is on the next screen as well.
            self.pass(GLANCE);
        }
    }

    #[track_caller]
    fn tell(&self, args: &[&str]) -> CommandOutput {
        let output = self.command(args).output();
        assert_eq!(output.code, Some(0), "{args:?}: {}", output.stderr);
        output
    }

    fn command(&self, args: &[&str]) -> crate::BinaryCall {
        let tmux = self.project.program(tool("tmux"));
        tmux.args(["-f", "/dev/null", "-S"]).args([&self.socket]).args(args)
    }
}

impl TestProject {
    /// Starts a shell that runs this line in a terminal of its own.
    #[track_caller]
    pub fn terminal(&self, line: &str) -> Terminal<'_> {
        Terminal::start(self, &[], Path::new("/bin/sh"), &["-c", line])
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.command(&["kill-server"]).output();
    }
}
