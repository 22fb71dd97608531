//! A project on a stage, and the commands that run in it.

use std::fs::{self, File, Permissions};
use std::io::PipeReader;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::{MARKER, MeasuredExit, MeasuredProcess, ScenarioFolder};
use crate::failure::TaskFailure;

/// A folder with its own state, configuration and home.
pub(crate) struct StressProject<'a> {
    stage: &'a ScenarioFolder,
    root: PathBuf,
    home: PathBuf,
    variable: Option<(&'static str, PathBuf)>,
}

impl ScenarioFolder {
    /// Makes a new project outside git.
    pub(crate) fn project(&self, name: &str) -> Result<StressProject<'_>, TaskFailure> {
        let project = self.existing_project(name);
        for folder in [&project.root, &project.home] {
            fs::create_dir_all(folder).map_err(|error| TaskFailure::io(folder, &error))?;
        }
        Ok(project)
    }

    /// Makes a project whose folder is made elsewhere.
    pub(crate) fn existing_project(&self, name: &str) -> StressProject<'_> {
        let home = self.path(&format!("{name}-home"));
        StressProject { stage: self, root: self.path(name), home, variable: None }
    }

    /// Makes a new project in a git repository with one commit.
    pub(crate) fn git_project(&self, name: &str) -> Result<StressProject<'_>, TaskFailure> {
        let project = self.project(name)?;
        project.git(&["init", "--quiet", "--initial-branch=main"])?;
        project.git(&["commit", "--quiet", "--allow-empty", "--message=begin"])?;
        Ok(project)
    }
}

impl StressProject<'_> {
    /// Sets a variable for all later commands.
    pub(crate) fn with_variable(self, name: &'static str, value: PathBuf) -> Self {
        Self { variable: Some((name, value)), ..self }
    }

    /// Returns a path in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Returns a path in the `HOME` of the project's processes.
    pub(crate) fn in_home(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    /// Writes an executable shell script of the project.
    pub(crate) fn script(&self, name: &str, body: &str) -> Result<(), TaskFailure> {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n"))
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o755)))
            .map_err(|error| TaskFailure::io(&path, &error))
    }

    /// Runs git, which must succeed.
    pub(crate) fn git(&self, args: &[&str]) -> Result<(), TaskFailure> {
        let mut command = self.program("git");
        command.args(args);
        self.spawn(command)?.wait()?.expect_code(0)?;
        Ok(())
    }

    /// Makes a command in the project, with a clean environment.
    pub(crate) fn program(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().current_dir(&self.root).stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.home).env("XDG_STATE_HOME", self.home.join("state"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Stage");
            command.env(format!("GIT_{role}_EMAIL"), "stage@example.invalid");
        }
        command.envs(self.variable.iter().map(|(name, value)| (name, value)));
        command.env(MARKER, self.stage.folder.path());
        command
    }

    /// Makes a call of the binary in the project, with these arguments.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(&self.stage.binary);
        command.args(args);
        command
    }

    /// Starts the binary; its output goes to files.
    pub(crate) fn start(&self, args: &[&str]) -> Result<MeasuredProcess, TaskFailure> {
        self.spawn(self.command(args))
    }

    /// Starts the binary once the other end of `barrier` is closed.
    pub(crate) fn start_behind(
        &self,
        barrier: &PipeReader,
        args: &[&str],
    ) -> Result<MeasuredProcess, TaskFailure> {
        let barrier = barrier.try_clone().map_err(|error| TaskFailure::io(&self.root, &error))?;
        let mut command = self.program("/bin/sh");
        command.args(["-c", r#"read -r _; exec "$0" "$@" </dev/null"#]);
        command.arg(&self.stage.binary).args(args).stdin(barrier);
        self.spawn(command)
    }

    /// Runs the binary to its end.
    pub(crate) fn ralph(&self, args: &[&str]) -> Result<MeasuredExit, TaskFailure> {
        self.start(args)?.wait()
    }

    /// Returns the JSON output of a command that must succeed.
    pub(crate) fn json(&self, args: &[&str]) -> Result<Value, TaskFailure> {
        let finished = self.ralph(args)?.expect_code(0)?;
        serde_json::from_str(&finished.stdout)
            .map_err(|error| TaskFailure::Failed(format!("{args:?} printed no JSON: {error}")))
    }

    /// Checks that the store is not damaged.
    pub(crate) fn expect_sound_store(&self) -> Result<(), TaskFailure> {
        let report = self.json(&["doctor", "--json"])?;
        let checks = report["checks"].as_array().cloned().unwrap_or_default();
        match checks.iter().find(|check| check["check"] == "store") {
            Some(check) if check["health"] == "ok" => Ok(()),
            Some(check) => Err(TaskFailure::Failed(format!("the store is not sound: {check}"))),
            None => Err(TaskFailure::Failed(format!("doctor has no word on the store: {report}"))),
        }
    }

    /// Starts a command whose output goes to numbered files on the stage.
    pub(crate) fn spawn(&self, mut command: Command) -> Result<MeasuredProcess, TaskFailure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let out = self.stage.path(&format!("{number:04}.out"));
        let err = self.stage.path(&format!("{number:04}.err"));
        command.stdout(create(&out)?).stderr(create(&err)?);
        MeasuredProcess::spawn(command, [out, err])
    }
}

fn create(path: &Path) -> Result<File, TaskFailure> {
    File::create(path).map_err(|error| TaskFailure::io(path, &error))
}
