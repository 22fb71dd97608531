//! What this machine can enforce.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bubblewrap;
use crate::confine::{self, SANDBOX_WORD};
use crate::policy::NetworkRule;

/// The means of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxMeans {
    /// The program bubblewrap, if it works.
    pub bubblewrap: Option<PathBuf>,
    /// The version of landlock's interface; 0 without it.
    pub landlock: u8,
    /// True for the system's administrator, whose rights landlock does not take
    /// away.
    pub is_root: bool,
    /// The reason why bubblewrap cannot be used; `None` if it can.
    pub refused: Option<String>,
}

impl SandboxMeans {
    /// Tries what works. `bubblewrap` is the program to try, and `exe` our own,
    /// which is started in it.
    pub fn probe(bubblewrap: Option<&Path>, exe: &Path, network: &NetworkRule) -> Self {
        let landlock = confine::level();
        #[cfg(unix)]
        let is_root = rustix::process::geteuid().is_root();
        #[cfg(not(unix))]
        let is_root = false;
        let Some(program) = bubblewrap else {
            let refused = Some("bubblewrap is not installed".to_owned());
            return Self { bubblewrap: None, landlock, is_root, refused };
        };
        match try_out(program, exe, network) {
            Ok(()) => {
                Self { bubblewrap: Some(program.to_owned()), landlock, is_root, refused: None }
            }
            Err(reason) => Self { bubblewrap: None, landlock, is_root, refused: Some(reason) },
        }
    }

    /// Returns the name of the strongest means; `None` if there is none.
    pub fn name(&self) -> Option<&'static str> {
        match (&self.bubblewrap, self.landlock) {
            (Some(_), _) => Some("bubblewrap"),
            (None, 0) => None,
            (None, _) => Some("landlock"),
        }
    }

    /// Returns the same means without bubblewrap.
    #[must_use]
    pub fn without_bubblewrap(self, reason: &str) -> Self {
        Self { bubblewrap: None, refused: Some(reason.to_owned()), ..self }
    }
}

fn try_out(program: &Path, exe: &Path, network: &NetworkRule) -> Result<(), String> {
    let output = Command::new(program)
        .args(bubblewrap::trial(network.clone()))
        .arg("--")
        .arg(exe)
        .args([SANDBOX_WORD, confine::NOTHING])
        .stdin(Stdio::null())
        .current_dir("/")
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim().lines().last().unwrap_or("bubblewrap does not start").to_owned();
    Err(said)
}
