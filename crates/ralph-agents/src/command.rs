//! Any program that reads a prompt and prints text.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_core::evidence::{TurnEnd, TurnTimeout};
use ralph_core::usage::Usage;
use ralph_proc::{ExitReason, OutputTail, ProgramLaunch, ProgramOutcome, StreamMerging};
use ralph_redact::{redact, redact_cut};

use crate::limits::{LimitPatterns, LimitSearchText};
use crate::listen::{AgentTurnOutcome, ShownOutput, TurnListener, TurnProcessEnd, TurnStatus};
use crate::usage::read_usage;
use crate::{Agent, TurnClock, TurnInput, TurnReply};

/// An agent given by its command line: prompt on stdin, text on stdout.
#[derive(Clone, Debug)]
pub struct CommandAgent {
    name: &'static str,
    program: OsString,
    args: Vec<OsString>,
    /// The user's words, for the record.
    shown: Vec<String>,
    limits: LimitPatterns,
}

impl CommandAgent {
    /// Creates the agent from these words; `None` without a first word.
    pub fn new(words: &[String], limits: LimitPatterns) -> Option<Self> {
        let (program, args) = words.split_first()?;
        Some(Self {
            name: "command",
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            shown: words.to_vec(),
            limits,
        })
    }

    /// Creates the built-in agent that follows a script; `program` is our own
    /// binary.
    pub fn scripted(program: OsString, script: &Path, limits: LimitPatterns) -> Self {
        Self {
            name: "scripted",
            program,
            args: vec!["__scripted".into(), script.into()],
            shown: vec![script.to_string_lossy().into_owned()],
            limits,
        }
    }
}

impl Agent for CommandAgent {
    fn name(&self) -> &str {
        self.name
    }

    fn command_line(&self) -> Vec<String> {
        self.shown.clone()
    }

    fn launch(&self, turn: &TurnInput<'_>) -> ProgramLaunch {
        ProgramLaunch {
            program: self.program.clone(),
            args: self.args.clone(),
            dir: turn.root.to_owned(),
            env: turn.env.to_vec(),
            stdin: Some(turn.prompt_file.to_owned()),
            streams: StreamMerging::Apart,
        }
    }

    fn listen<'a>(&'a self, turn: &TurnInput<'a>) -> Box<dyn TurnListener + 'a> {
        Box::new(PlainTextListener::new(&self.limits, turn))
    }

    fn program(&self) -> PathBuf {
        PathBuf::from(&self.program)
    }
}

/// A listener for agents whose whole output is their text.
pub(crate) struct PlainTextListener<'a> {
    limits: &'a LimitPatterns,
    prompt_file: &'a Path,
    usage_file: &'a Path,
}

impl<'a> PlainTextListener<'a> {
    pub(crate) fn new(limits: &'a LimitPatterns, turn: &TurnInput<'a>) -> Self {
        let TurnInput { prompt_file, usage_file, .. } = *turn;
        Self { limits, prompt_file, usage_file }
    }
}

impl TurnListener for PlainTextListener<'_> {
    fn read_output(&mut self, _bytes: &[u8]) -> ShownOutput {
        ShownOutput::AsIs
    }

    /// Returns nothing: such an agent reports usage only when it is done.
    fn spent(&self) -> Usage {
        Usage::default()
    }

    fn standing(&self) -> TurnStatus {
        TurnStatus::Working
    }

    fn conclude(&mut self, closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome {
        let TurnProcessEnd { outcome, clock, .. } = *closing;
        let prompt = ralph_files::read_text(self.prompt_file).unwrap_or_default();
        let own = without_echo(outcome.stdout.text_lossy(), prompt.trim());
        let text = without_secrets(&own, &outcome.stdout);
        let stderr = stderr_of(outcome);
        let said = LimitSearchText { text: &text, stderr: &stderr, ending: outcome.ending };
        let end = match self.limits.find(&said, clock.now) {
            Some(hit) => TurnEnd::ProviderLimit { until: hit.until },
            None => plain_end(outcome.ending, &stderr, clock),
        };
        AgentTurnOutcome::plain(TurnReply { end, text, usage: read_usage(self.usage_file) })
    }
}

/// Returns the end of a process's error output, without secrets.
pub(crate) fn stderr_of(outcome: &ProgramOutcome) -> String {
    without_secrets(&outcome.stderr.text_lossy(), &outcome.stderr)
}

/// Removes the prompt from the end of the text: some programs echo it, and a
/// promise in the prompt is not the agent's.
fn without_echo(mut text: String, prompt: &str) -> String {
    if !prompt.is_empty()
        && let Some(own) = text.trim_end().strip_suffix(prompt)
    {
        text.truncate(own.len());
    }
    text
}

/// Redacts the whole text: in a quoted line or less, secrets may no longer be
/// recognisable.
fn without_secrets(text: &str, tail: &OutputTail) -> String {
    let known = if tail.is_truncated() { redact_cut(text) } else { redact(text) };
    known.into_owned()
}

/// Returns the end of a turn, given only the ending of its process.
pub(crate) fn plain_end(ending: ExitReason, stderr: &str, clock: &TurnClock) -> TurnEnd {
    let last_line = || {
        let line = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
        if line.is_empty() { String::new() } else { format!(": {}", shorten(line.trim())) }
    };
    match ending {
        ExitReason::Exited(0) => TurnEnd::Finished,
        ExitReason::Exited(code) => {
            TurnEnd::Failed { what: format!("the agent exited with code {code}{}", last_line()) }
        }
        ExitReason::Signaled(signal) => TurnEnd::Failed {
            what: format!("the agent was killed by signal {signal}{}", last_line()),
        },
        ExitReason::WallTimeout => TurnEnd::TimedOut(TurnTimeout::Wall(clock.wall)),
        ExitReason::IdleTimeout => TurnEnd::TimedOut(TurnTimeout::Idle(clock.idle)),
        ExitReason::Stopped => TurnEnd::UserAbort,
    }
}

fn shorten(line: &str) -> String {
    const MOST: usize = 200;
    let mut short: String = line.chars().take(MOST).collect();
    if line.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prompt_that_ends_the_text_is_an_echo() {
        let prompt = "do it\n<promise>DONE</promise>";
        for (text, own) in [
            ("do it\n<promise>DONE</promise>", ""),
            ("user: do it\n<promise>DONE</promise>\n\n", "user: "),
            ("do it\n<promise>DONE</promise>\nI did.", "do it\n<promise>DONE</promise>\nI did."),
            ("<promise>DONE</promise>\n", "<promise>DONE</promise>\n"),
        ] {
            assert_eq!(without_echo(text.to_owned(), prompt), own);
        }
        assert_eq!(without_echo("text ".to_owned(), ""), "text ");
    }
}
