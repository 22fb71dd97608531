//! A command of the user's as a judge: the request on its standard input, the
//! answer on its standard output.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ralph_core::feedback::last_chars;
use ralph_core::usage::{Usage, Usd};
use ralph_proc::{
    Enclosure, ExitReason, OutputStream, ProgramLaunch, ProgramLimits, ProgramWatcher,
    StreamMerging, Supervisor, WatcherDecision,
};
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use super::key::ApiKey;
use super::prompt::JudgePrompt;
use super::{ANSWER_BYTES, JudgeFailure, RawJudgeAnswer};
use crate::GateContext;

/// The time a command has to end in good order once it timed out.
const GRACE: Duration = Duration::from_secs(2);

/// The maximum length of its error output that is repeated, in characters.
const COMPLAINT_CHARS: usize = 300;

/// The variable that names the file for what the answer cost.
const USAGE_FILE: &str = "RALPH_USAGE_FILE";

/// The maximum size of that file, in bytes.
const USAGE_BYTES: u64 = 64 * 1024;

/// A command that judges.
#[derive(Clone, Debug)]
pub struct JudgeCommand {
    /// The program and its arguments, started without a shell.
    pub words: Vec<String>,
    /// Variables that it gets although they hold keys.
    pub keys: Vec<(String, ApiKey)>,
    /// The differences that apply if it is a coding agent; `None` for a command that knows our
    /// request.
    pub client: Option<ClientForm>,
    /// The enclosure of a coding agent, which needs its login and its model. A command runs in that
    /// of the gates.
    pub enclosure: Option<Arc<dyn Enclosure>>,
}

/// The form in which a coding agent is asked: the request as plain text, in an empty folder.
#[derive(Clone, Copy, Debug)]
pub struct ClientForm {
    /// The option that stands before the system prompt.
    pub system_flag: &'static str,
    /// Variables that it must not get.
    pub without: &'static [&'static str],
    /// Finds the answer in what it printed, and what it used; or says what
    /// went wrong.
    pub read: fn(&str) -> Result<(String, Usage), String>,
}

impl JudgeCommand {
    /// Returns a text that distinguishes this judge from others.
    pub(super) fn identity(&self) -> String {
        format!("command {:?}", self.words)
    }

    /// Asks once.
    pub(super) fn ask(
        &self,
        prompt: &JudgePrompt,
        site: &GateContext<'_>,
        left: Duration,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<RawJudgeAnswer, JudgeFailure> {
        let supervisor = &match self.client {
            Some(_) => site.supervisor.within(self.enclosure.clone()),
            None => site.supervisor.clone(),
        };
        let folder = self.prepare(prompt, supervisor).map_err(|error| no_room(&error))?;
        let usage_file = folder.path().join("usage.json");
        let launch = self.launch(prompt, site, folder.path())?;
        let limits = ProgramLimits { wall: Some(left), idle: None, grace: GRACE };
        let mut listener = JudgeOutputListener { stop, stdout: Vec::new(), too_long: false };
        let outcome = supervisor.run(&launch, &limits, &mut listener);
        let outcome = outcome.map_err(|error| again(error.to_string()))?;
        if listener.too_long {
            return Err(JudgeFailure::TooLong);
        }
        match outcome.ending {
            ExitReason::Exited(0) => {}
            ExitReason::Exited(127) => return Err(never("was not found")),
            ExitReason::Exited(126) => return Err(never("is not executable")),
            ExitReason::Exited(code) => {
                let said = outcome.stderr.text_lossy();
                let said = last_chars(said.trim(), COMPLAINT_CHARS);
                let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                return Err(again(format!("ended with exit code {code}{said}")));
            }
            ExitReason::Signaled(signal) => {
                return Err(again(format!("was killed by signal {signal}")));
            }
            ExitReason::WallTimeout | ExitReason::IdleTimeout => return Err(JudgeFailure::Timeout),
            ExitReason::Stopped => return Err(JudgeFailure::Stopped),
        }
        let text = String::from_utf8_lossy(&listener.stdout).into_owned();
        match self.client {
            None => Ok(RawJudgeAnswer { text, usage: read_usage(&usage_file) }),
            Some(client) => {
                let (text, usage) = (client.read)(&text).map_err(again)?;
                Ok(RawJudgeAnswer { text, usage: Some(usage) })
            }
        }
    }

    fn launch(
        &self,
        prompt: &JudgePrompt,
        site: &GateContext<'_>,
        folder: &Path,
    ) -> Result<ProgramLaunch, JudgeFailure> {
        let mut words = self.words.iter().map(OsString::from);
        let program = words.next().ok_or_else(|| never("is empty"))?;
        let mut args: Vec<OsString> = words.collect();
        let mut env = site.env.to_vec();
        let dir = match self.client {
            None => {
                env.push((USAGE_FILE.into(), folder.join("usage.json").into()));
                site.root.to_owned()
            }
            Some(client) => {
                args.extend([client.system_flag.into(), prompt.system.clone().into()]);
                env.retain(|(name, _)| !client.without.iter().any(|known| name == known));
                folder.join("empty")
            }
        };
        for (name, key) in &self.keys {
            env.retain(|(known, _)| known.to_str() != Some(name));
            env.push((name.into(), key.reveal().into()));
        }
        Ok(ProgramLaunch {
            program,
            args,
            dir,
            env,
            stdin: Some(folder.join("request.json")),
            streams: StreamMerging::Apart,
        })
    }

    /// Writes the request to a folder that disappears afterwards.
    fn prepare(&self, prompt: &JudgePrompt, supervisor: &Supervisor) -> io::Result<TempDir> {
        let place = supervisor.scratch().map_or_else(std::env::temp_dir, Path::to_owned);
        let folder = tempfile::Builder::new().prefix("ralph-judge-").tempdir_in(place)?;
        let request = if self.client.is_some() {
            fs::create_dir(folder.path().join("empty"))?;
            prompt.user()
        } else {
            let (criterion, system) = (&prompt.criterion, &prompt.system);
            let request = json!({
                "schema": 1,
                "criterion": criterion,
                "system": system,
                "prompt": prompt.user(),
            });
            request.to_string()
        };
        fs::write(folder.path().join("request.json"), request)?;
        Ok(folder)
    }
}

#[derive(Deserialize)]
struct JudgeUsageRow {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cost_usd: f64,
}

/// Returns the cost of the answer that the command reports; `None` if it reports none.
fn read_usage(path: &Path) -> Option<Usage> {
    let known = fs::metadata(path).is_ok_and(|file| file.len() <= USAGE_BYTES);
    let text = known.then(|| ralph_files::read(path).ok())??;
    let JudgeUsageRow { input_tokens, output_tokens, cost_usd } =
        serde_json::from_slice(&text).ok()?;
    let cost = Usd::from_dollars(cost_usd)?;
    Some(Usage { input_tokens, output_tokens, cost })
}

/// Keeps the answer, up to a limit.
struct JudgeOutputListener<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    stdout: Vec<u8>,
    too_long: bool,
}

impl ProgramWatcher for JudgeOutputListener<'_> {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        match stream {
            OutputStream::Stdout if (self.stdout.len() + bytes.len()) as u64 > ANSWER_BYTES => {
                self.too_long = true;
            }
            OutputStream::Stdout => self.stdout.extend_from_slice(bytes),
            OutputStream::Stderr => {}
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        if self.too_long {
            WatcherDecision::Kill
        } else if (self.stop)() {
            WatcherDecision::Stop
        } else {
            WatcherDecision::GoOn
        }
    }
}

fn again(what: String) -> JudgeFailure {
    JudgeFailure::Command { what, again: true }
}

fn never(what: &str) -> JudgeFailure {
    JudgeFailure::Command { what: what.to_owned(), again: false }
}

fn no_room(error: &io::Error) -> JudgeFailure {
    again(format!("got no request: {error}"))
}
