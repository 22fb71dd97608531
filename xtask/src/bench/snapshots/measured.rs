//! The process that makes the calls.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::failure::TaskFailure;
use crate::stress::stage::StressProject;

/// The process `ralph __measure`, which answers each line with the time of a call.
pub(super) struct MeasureProcess {
    child: Child,
    calls: ChildStdin,
    answers: BufReader<ChildStdout>,
    last: Value,
}

impl MeasureProcess {
    pub(super) fn start(project: &StressProject<'_>) -> Result<Self, TaskFailure> {
        let mut command = project.command(&["__measure"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| TaskFailure::Failed(format!("__measure: {error}")))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(calls), Some(answers)) => {
                Ok(Self { child, calls, answers: BufReader::new(answers), last: Value::Null })
            }
            (None, _) | (_, None) => Err(TaskFailure::Failed("__measure has no pipes".to_owned())),
        }
    }

    /// Makes a call; returns its time.
    pub(super) fn call(&mut self, name: &str) -> Result<Duration, TaskFailure> {
        let mut answer = String::new();
        writeln!(self.calls, "{name}")
            .and_then(|()| self.answers.read_line(&mut answer))
            .map_err(|error| TaskFailure::Failed(format!("__measure {name}: {error}")))?;
        self.last = serde_json::from_str(&answer).unwrap_or_default();
        let time = self.last["ms"].as_f64().map(|ms| Duration::from_secs_f64(ms / 1000.0));
        time.ok_or_else(|| TaskFailure::Failed(format!("__measure {name} answered {answer:?}")))
    }

    /// Checks that the last call restored this many files.
    pub(super) fn expect_files(&self, count: u32) -> Result<(), TaskFailure> {
        if self.last["files"] == count {
            return Ok(());
        }
        Err(TaskFailure::Failed(format!("{count} files were to be put back: {}", self.last)))
    }

    pub(super) fn end(self) -> Result<(), TaskFailure> {
        let Self { mut child, calls, .. } = self;
        drop(calls);
        match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(TaskFailure::Failed(format!("__measure: {status}"))),
            Err(error) => Err(TaskFailure::Failed(format!("__measure: {error}"))),
        }
    }
}
