//! The messages to the supervisor through its control pipe.
//!
//! The first line is a [`LaunchSpec`] in JSON; every byte after it is a command. The
//! end of the pipe is the command to kill, since it ends early only if we die.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::launch::{ProgramLaunch, StreamMerging};

/// The environment variable that marks every process of one launch, so that
/// they are found even if the supervisor was killed.
pub const TOKEN_VARIABLE: &str = "RALPH_TURN_TOKEN";

/// The order to send SIGTERM to every descendant.
pub(crate) const TERMINATE: u8 = b't';

/// The order to send SIGKILL to every descendant.
pub(crate) const KILL: u8 = b'k';

/// The process between the supervisor and the program, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LaunchMonitor {
    None,
    /// The supervisor's child waits for the program, and ends as it did.
    Child,
}

/// A launch with the process that watches it.
pub(crate) struct LaunchOrder<'a> {
    pub(crate) launch: &'a ProgramLaunch,
    pub(crate) monitor: LaunchMonitor,
}

/// A launch in the form for the supervisor. `OsString` keeps bytes that are not
/// UTF-8; a path would not.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LaunchSpec {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) dir: OsString,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) stdin: Option<OsString>,
    pub(crate) merged: bool,
    pub(crate) monitor: LaunchMonitor,
}

impl LaunchSpec {
    /// Returns the launch with `token` in its environment.
    pub(crate) fn new(order: &LaunchOrder<'_>, token: &str) -> Self {
        let launch = order.launch;
        let mut env = launch.env.clone();
        env.retain(|(name, _)| name != TOKEN_VARIABLE);
        env.push((TOKEN_VARIABLE.into(), token.into()));
        Self {
            program: launch.program.clone(),
            args: launch.args.clone(),
            dir: launch.dir.clone().into(),
            env,
            stdin: launch.stdin.clone().map(Into::into),
            merged: launch.streams == StreamMerging::Merged,
            monitor: order.monitor,
        }
    }

    pub(crate) fn write(&self, control: &mut dyn Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        control.write_all(&line)?;
        control.flush()
    }

    /// Reads a launch; `None` if the pipe ended before the whole line had come.
    pub(crate) fn read(control: &mut dyn BufRead) -> io::Result<Option<Self>> {
        let mut line = Vec::new();
        control.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&line)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> LaunchSpec {
        let launch = ProgramLaunch {
            program: "agent".into(),
            args: vec!["two words\n".into()],
            dir: "/tmp".into(),
            env: vec![("A".into(), "1".into()), (TOKEN_VARIABLE.into(), "outer".into())],
            stdin: Some("/prompt".into()),
            streams: StreamMerging::Merged,
        };
        LaunchSpec::new(&LaunchOrder { launch: &launch, monitor: LaunchMonitor::Child }, "inner")
    }

    #[test]
    fn a_spec_survives_the_pipe() {
        let mut line = Vec::new();
        spec().write(&mut line).unwrap();
        assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        assert_eq!(LaunchSpec::read(&mut line.as_slice()).unwrap(), Some(spec()));
    }

    #[test]
    fn half_a_spec_starts_nothing() {
        let mut line = Vec::new();
        spec().write(&mut line).unwrap();
        assert_eq!(LaunchSpec::read(&mut &line[..line.len() - 1]).unwrap(), None);
        assert_eq!(LaunchSpec::read(&mut &b""[..]).unwrap(), None);
    }

    #[test]
    fn the_token_of_an_outer_launch_is_replaced() {
        let tokens: Vec<_> = spec().env.into_iter().filter(|(k, _)| k == TOKEN_VARIABLE).collect();
        assert_eq!(tokens, [(TOKEN_VARIABLE.into(), "inner".into())]);
    }
}
