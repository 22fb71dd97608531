//! The front door: runs one program under the supervisor.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use crate::events::QUEUE;
use crate::launch::{Launch, Limits, Outcome, Watcher};
use crate::overlay::{self, OVERLAY_WORD, Overlay, OverlayWay};
use crate::supervised::Supervised;
use crate::turn::Turn;
use crate::waker::Waker;

/// Why a program could not be watched. Nothing of it is left running.
///
/// A program that cannot be started is no such error: it ends with exit code
/// 127 or 126, as in a shell.
#[derive(Debug, thiserror::Error)]
pub enum ProcError {
    /// The supervisor did not start.
    #[error("cannot start the supervisor {}", exe.display())]
    Start {
        /// What was to be executed.
        exe: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The supervisor ended before it knew what to start.
    #[error("the supervisor {} does not listen", exe.display())]
    Handshake {
        /// What was executed.
        exe: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room for the files of an overlay.
    #[error("cannot write down the overlay")]
    Overlay(#[source] io::Error),
    /// No thread could be started to read the output.
    #[error("cannot read the program's output")]
    Read(#[source] io::Error),
    /// The end of the supervisor could not be learned.
    #[error("cannot wait for the supervisor")]
    Wait(#[source] io::Error),
}

/// Starts programs whose whole tree ends with them.
#[derive(Clone, Debug)]
pub struct Supervisor {
    exe: PathBuf,
    args: Vec<OsString>,
    waker: Waker,
    overlay: Option<Arc<(Overlay, OverlayWay)>>,
}

impl Supervisor {
    /// Uses `exe args…` as the supervisor, which must end up in
    /// [`supervisor_main`](crate::supervisor_main).
    pub fn new(exe: impl Into<PathBuf>, args: impl IntoIterator<Item = OsString>) -> Self {
        let (exe, args) = (exe.into(), args.into_iter().collect());
        Self { exe, args, waker: Waker::default(), overlay: None }
    }

    /// A supervisor whose programs see the files of an overlay. Its binary,
    /// called with [`OVERLAY_WORD`](crate::OVERLAY_WORD) first, must end up in
    /// [`overlay_main`](crate::overlay_main).
    #[must_use]
    pub fn with_overlay(&self, overlay: Overlay, way: OverlayWay) -> Self {
        Self { overlay: Some(Arc::new((overlay, way))), ..self.clone() }
    }

    /// Finds out whether programs could be started in the overlay. If not, says
    /// why.
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

    /// Wakes every run of this supervisor and of its clones.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Runs a program and returns when its whole tree is gone and all its
    /// output was given to the watcher.
    ///
    /// Several runs may go on at a time, each on its own thread.
    pub fn run(
        &self,
        launch: &Launch,
        limits: &Limits,
        watcher: &mut dyn Watcher,
    ) -> Result<Outcome, ProcError> {
        let (sender, events) = sync_channel(QUEUE);
        let sender = Arc::new(sender);
        self.waker.register(&sender);
        let Some(overlay) = &self.overlay else {
            let child = Supervised::start(&self.exe, &self.args, launch, &sender)?;
            return Turn::new(child, limits, watcher, self.waker.clone()).drive(&events);
        };
        let folder = tempfile::tempdir().map_err(ProcError::Overlay)?;
        let plan = overlay.0.write(overlay.1, folder.path()).map_err(ProcError::Overlay)?;
        let launch = overlay::wrap(&self.exe, launch, plan);
        let child = Supervised::start(&self.exe, &self.args, &launch, &sender)?;
        Turn::new(child, limits, watcher, self.waker.clone()).drive(&events)
    }
}
