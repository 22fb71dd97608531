//! The place of a scenario: a folder, projects in it, and a binary.

mod project;
mod running;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::cargo::Cargo;
use crate::failure::TaskFailure;
use crate::workspace;

pub(crate) use self::project::StressProject;
pub(crate) use self::running::{KillOutcome, MeasuredExit, MeasuredProcess};

/// The variable that marks every process of a stage.
const MARKER: &str = "RALPH_STAGE";

/// Longest time in which a tree dies after its driver was killed.
const DYING: Duration = Duration::from_secs(5);

/// Time between two looks at something without a notification.
const LOOK: Duration = Duration::from_millis(2);

/// The part of a scenario that is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScenarioLength {
    /// Enough to notice obvious faults, with the binary of the tests.
    Sample,
    /// All of it, with the released binary.
    Full,
}

impl ScenarioLength {
    /// Builds the binary for this length and returns its path.
    pub(crate) fn build(self, root: &Path) -> Result<PathBuf, TaskFailure> {
        // The tests have built the whole workspace already; for the package alone, some
        // dependencies would be compiled again.
        let (args, folder): (&[&str], _) = match self {
            Self::Sample => (&["build", "--workspace", "--bin", "ralph"], "debug"),
            Self::Full => (&["build", "--profile", "dist", "--package", "ralph-loop"], "dist"),
        };
        Cargo::new(root, args).run()?;
        let binary = workspace::target(root).join(folder).join("ralph");
        fs::canonicalize(&binary).map_err(|error| TaskFailure::io(&binary, &error))
    }
}

/// A folder for one scenario, removed with everything in it unless kept.
pub(crate) struct ScenarioFolder {
    binary: PathBuf,
    folder: TempDir,
    length: ScenarioLength,
}

impl ScenarioFolder {
    /// Makes an empty stage with a copy of the binary.
    ///
    /// An installed binary is a copy, too, and starts faster than the linker's output:
    /// the system caches it in larger pieces.
    pub(crate) fn new(binary: &Path) -> Result<Self, TaskFailure> {
        let folder = tempfile::Builder::new().prefix("ralph-stage-").tempdir();
        let folder = folder.map_err(|error| TaskFailure::io(&std::env::temp_dir(), &error))?;
        let copy = folder.path().join("ralph");
        fs::copy(binary, &copy).map_err(|error| TaskFailure::io(binary, &error))?;
        Ok(Self { binary: copy, folder, length: ScenarioLength::Full })
    }

    /// Sets the length of the scenario.
    pub(crate) fn of_length(self, length: ScenarioLength) -> Self {
        Self { length, ..self }
    }

    /// Returns one of two numbers, by the length.
    pub(crate) fn amount<T>(&self, sample: T, full: T) -> T {
        match self.length {
            ScenarioLength::Sample => sample,
            ScenarioLength::Full => full,
        }
    }

    /// Returns a path on the stage.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Keeps the folder.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// Returns the ids of all processes that were started here and still live.
    pub(crate) fn living(&self) -> Vec<u32> {
        let entry = format!("{MARKER}={}", self.folder.path().display());
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| has_in_environment(*pid, &entry)).collect()
    }

    /// Waits until the last process has died; an error names those that live.
    pub(crate) fn expect_nobody_left(&self) -> Result<(), TaskFailure> {
        let deadline = Instant::now() + DYING;
        loop {
            let living = self.living();
            if living.is_empty() {
                return Ok(());
            }
            if Instant::now() > deadline {
                let names: Vec<String> = living.iter().map(|pid| name_of(*pid)).collect();
                return Err(TaskFailure::Failed(format!("still alive: {}", names.join(", "))));
            }
            pause(LOOK);
        }
    }
}

/// A zombie has no environment, so it does not count as alive.
fn has_in_environment(pid: u32, entry: &str) -> bool {
    let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environ.split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
}

fn name_of(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    format!("{pid} ({})", String::from_utf8_lossy(&line).replace('\0', " ").trim())
}

#[expect(clippy::disallowed_methods, reason = "nothing signals what /proc shows of others")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_the_stage_is_found_until_it_ends() {
        let stage = ScenarioFolder::new(Path::new("/bin/cat")).unwrap();
        let project = stage.project("a").unwrap();
        let mut command = project.program("cat");
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert_eq!(stage.living(), [child.id()]);
        child.kill().unwrap();
        child.wait().unwrap();
        stage.expect_nobody_left().unwrap();
    }
}
