//! Runs one program under the supervisor.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use crate::enclosure::Enclosure;
use crate::events::QUEUE;
use crate::launch::{ProgramLaunch, ProgramLimits, ProgramOutcome, ProgramWatcher};
use crate::overlay::{self, FileOverlay, OVERLAY_WORD, OverlayMethod};
use crate::supervised::RunningSupervisor;
use crate::turn::WatchedRun;
use crate::waker::Waker;
use crate::wire::{LaunchMonitor, LaunchOrder};

/// The reason why a program could not be watched. No part of it is left
/// running.
///
/// A program that cannot be started is not such an error: it ends with exit
/// code 127 or 126, as in a shell.
#[derive(Debug, thiserror::Error)]
pub enum ProcError {
    /// The supervisor did not start.
    #[error("cannot start the supervisor {}", exe.display())]
    Start {
        /// The program that was to be executed.
        exe: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The supervisor ended before it read the launch.
    #[error("the supervisor {} does not listen", exe.display())]
    Handshake {
        /// The program that was executed.
        exe: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The files of an overlay cannot be written.
    #[error("cannot write down the overlay")]
    Overlay(#[source] io::Error),
    /// No thread could be started to read the output.
    #[error("cannot read the program's output")]
    Read(#[source] io::Error),
    /// The exit status of the supervisor is not available.
    #[error("cannot wait for the supervisor")]
    Wait(#[source] io::Error),
}

/// Starts programs whose whole tree ends with them.
#[derive(Clone, Debug)]
pub struct Supervisor {
    exe: PathBuf,
    args: Vec<OsString>,
    waker: Waker,
    overlay: Option<Arc<(FileOverlay, OverlayMethod)>>,
    enclosure: Option<Arc<dyn Enclosure>>,
}

impl Supervisor {
    /// Uses `exe args…` as the supervisor, which must end up in
    /// [`supervisor_main`](crate::supervisor_main).
    pub fn new(exe: impl Into<PathBuf>, args: impl IntoIterator<Item = OsString>) -> Self {
        let (exe, args) = (exe.into(), args.into_iter().collect());
        Self { exe, args, waker: Waker::default(), overlay: None, enclosure: None }
    }

    /// Returns a supervisor whose programs see the files of an overlay. Its
    /// binary, called with [`OVERLAY_WORD`](crate::OVERLAY_WORD) first, must
    /// end up in [`overlay_main`](crate::overlay_main).
    #[must_use]
    pub fn with_overlay(&self, overlay: FileOverlay, way: OverlayMethod) -> Self {
        Self { overlay: Some(Arc::new((overlay, way))), ..self.clone() }
    }

    /// Returns a supervisor whose programs run inside this enclosure, or freely
    /// without one.
    #[must_use]
    pub fn within(&self, enclosure: Option<Arc<dyn Enclosure>>) -> Self {
        Self { enclosure, ..self.clone() }
    }

    /// Returns the enclosure of the programs.
    pub fn enclosure(&self) -> Option<Arc<dyn Enclosure>> {
        self.enclosure.clone()
    }

    /// Returns the folder for temporary files that we and the programs can both
    /// write to; `None` if they can write wherever we can.
    pub fn scratch(&self) -> Option<&Path> {
        self.enclosure.as_ref().map(|enclosure| enclosure.scratch())
    }

    /// Checks that programs can be started in the overlay; otherwise returns
    /// the reason.
    pub fn probe_overlay(&self) -> Result<(), String> {
        let Some(overlay) = &self.overlay else { return Ok(()) };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let plan = overlay.0.write(overlay.1, folder.path()).map_err(|error| error.to_string())?;
        let output = Command::new(&self.exe)
            .arg(OVERLAY_WORD)
            .arg(plan)
            .env_clear()
            .current_dir(&overlay.0.root)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    /// Returns a waker for every run of this supervisor and of its clones.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Runs a program. Returns when its whole tree is gone and all its output
    /// was given to the watcher.
    ///
    /// Several runs may be active at a time, each on its own thread.
    pub fn run(
        &self,
        launch: &ProgramLaunch,
        limits: &ProgramLimits,
        watcher: &mut dyn ProgramWatcher,
    ) -> Result<ProgramOutcome, ProcError> {
        let Some(enclosure) = &self.enclosure else {
            return self.run_launch(launch, LaunchMonitor::None, limits, watcher);
        };
        let monitor =
            if enclosure.has_monitor() { LaunchMonitor::Child } else { LaunchMonitor::None };
        let outcome = self.run_launch(&enclosure.enclose(launch), monitor, limits, watcher);
        enclosure.leave();
        outcome
    }

    fn run_launch(
        &self,
        launch: &ProgramLaunch,
        monitor: LaunchMonitor,
        limits: &ProgramLimits,
        watcher: &mut dyn ProgramWatcher,
    ) -> Result<ProgramOutcome, ProcError> {
        let (sender, events) = sync_channel(QUEUE);
        let sender = Arc::new(sender);
        self.waker.register(&sender);
        let started = |launch: &ProgramLaunch| {
            RunningSupervisor::start(
                &self.exe,
                &self.args,
                &LaunchOrder { launch, monitor },
                &sender,
            )
        };
        let Some(overlay) = &self.overlay else {
            return WatchedRun::new(started(launch)?, limits, watcher, self.waker.clone())
                .drive(&events);
        };
        let folder = tempfile::tempdir().map_err(ProcError::Overlay)?;
        let plan = overlay.0.write(overlay.1, folder.path()).map_err(ProcError::Overlay)?;
        let launch = overlay::wrap(&self.exe, launch, plan);
        WatchedRun::new(started(&launch)?, limits, watcher, self.waker.clone()).drive(&events)
    }
}
