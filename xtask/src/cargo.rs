//! Running cargo from a task.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::TaskFailure;
use crate::say;
use crate::tally::TestTally;

/// One call of cargo in the workspace root.
pub(crate) struct Cargo<'a> {
    root: &'a Path,
    args: &'a [&'a str],
    env: Option<(&'a str, &'a str)>,
}

impl<'a> Cargo<'a> {
    /// Makes the call `cargo args…`, run in `root`.
    pub(crate) fn new(root: &'a Path, args: &'a [&'a str]) -> Self {
        Self { root, args, env: None }
    }

    /// Sets one variable in the environment of the call.
    pub(crate) fn env(self, name: &'a str, value: &'a str) -> Self {
        Self { env: Some((name, value)), ..self }
    }

    /// Runs the call with the terminal of the task.
    pub(crate) fn run(&self) -> Result<(), TaskFailure> {
        say::line(&format!("$ {self}"));
        let status = self.command().status().map_err(|error| self.not_started(&error))?;
        if status.success() { Ok(()) } else { Err(self.ended(status)) }
    }

    /// Runs the call silently and returns its stdout.
    pub(crate) fn stdout(&self) -> Result<String, TaskFailure> {
        let output = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| self.not_started(&error))?;
        if !output.status.success() {
            return Err(self.ended(output.status));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| TaskFailure::Failed(format!("{self}: the output is not UTF-8")))
    }

    /// Returns true if the call starts and succeeds; its output is dropped.
    pub(crate) fn works(&self) -> bool {
        let quiet = self.command().stdout(Stdio::null()).stderr(Stdio::null()).status();
        quiet.is_ok_and(|status| status.success())
    }

    /// Runs a test runner, shows its output and adds up its summaries.
    ///
    /// The tally counts even if the call itself did not succeed.
    pub(crate) fn count_tests(&self) -> (TestTally, Result<(), TaskFailure>) {
        say::line(&format!("$ {self}"));
        let mut command = self.command();
        // Summaries are parsed as plain text.
        command.env("CARGO_TERM_COLOR", "never").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return (TestTally::default(), Err(self.not_started(&error))),
        };
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (mut tally, stderr_tally) = std::thread::scope(|scope| {
            let stderr = scope.spawn(|| show_and_count(stderr, io::stderr()));
            (show_and_count(stdout, io::stdout()), stderr.join().unwrap_or_default())
        });
        tally += stderr_tally;
        let result = match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(self.ended(status)),
            Err(error) => Err(self.not_started(&error)),
        };
        (tally, result)
    }

    fn command(&self) -> Command {
        // Cargo sets this variable to itself, in our toolchain.
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.args(self.args).envs(self.env).current_dir(self.root);
        command
    }

    fn not_started(&self, error: &io::Error) -> TaskFailure {
        TaskFailure::Failed(format!("{self}: {error}"))
    }

    fn ended(&self, status: std::process::ExitStatus) -> TaskFailure {
        TaskFailure::Failed(format!("{self}: {status}"))
    }
}

impl std::fmt::Display for Cargo<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some((name, value)) = self.env {
            write!(out, "{name}='{value}' ")?;
        }
        write!(out, "cargo {}", self.args.join(" "))
    }
}

fn show_and_count(from: Option<impl Read>, mut to: impl Write) -> TestTally {
    let mut tally = TestTally::default();
    let Some(from) = from else { return tally };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    // A read error ends the output; the exit status decides.
    while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let _ = to.write_all(&line);
        if let Some(summary) = TestTally::parse_summary(&String::from_utf8_lossy(&line)) {
            tally += summary;
        }
        line.clear();
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_shown_unchanged_and_its_summaries_are_summed() {
        let output = "test result: ok. 2 passed; 0 failed\nnoise\n\ntest result: ok. 3 passed";
        let mut shown = Vec::new();
        let tally = show_and_count(Some(output.as_bytes()), &mut shown);
        assert_eq!(tally, TestTally { passed: 5, failed: 0 });
        assert_eq!(String::from_utf8(shown).unwrap(), output);
    }

    #[test]
    fn a_call_is_shown_as_it_could_be_typed() {
        let args = ["doc", "--no-deps"];
        let call = Cargo::new(Path::new("."), &args).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(call.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }
}
