//! Calls a hook as its host would, and checks the output.

use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ralph_agents::Host;
use ralph_agents::inspection::{HookCall, InstalledHook, SettingsScope};
use ralph_core::host::{HostEventKind, HostReply, PromptEvent, ReplyEffect};
use ralph_core::locale::Locale;
use ralph_files::LogFailure as _;
use serde_json::Value;

use crate::app::App;
use ralph_core::wording::one_line;

/// The name of a session that no host and no run uses.
pub(crate) const SESSION: &str = crate::hook::REHEARSAL;

/// Number of calls that measure the time of a hook.
const TIMES: usize = 3;

/// Longest wait for a hook, whatever its host grants. A test call has nothing to do, so
/// it should return at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Number of characters of a hook's output that are shown.
const SHOWN: usize = 120;

/// A problem with a hook.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(crate) enum HookProblem {
    #[error("`{0}` is not there")]
    NotFound(String),
    #[error("`{program}` cannot be started: {reason}")]
    NotStarted { program: String, reason: String },
    #[error("`{program}` ended with {ending}{said}")]
    Ended { program: String, ending: String, said: String },
    #[error("`{program}` gave no answer within {seconds} s")]
    Slow { program: String, seconds: u64 },
    #[error("`{program}` printed what is not one JSON object: {said}")]
    Chatter { program: String, said: String },
    #[error("`{0}` did not answer `/ralph help`")]
    Mute(String),
    #[error("`{0}` was not started, because only the project names it")]
    Foreign(String),
}

impl HookProblem {
    /// Describes the problem in a language.
    pub(crate) fn said(&self, locale: Locale) -> String {
        let korean = match self {
            Self::NotFound(program) => format!("`{program}` 이(가) 없습니다"),
            Self::NotStarted { program, reason } => {
                format!("`{program}` 을(를) 시작할 수 없습니다: {reason}")
            }
            Self::Ended { program, ending, said } => {
                format!("`{program}` 이(가) {ending} 로 끝났습니다{said}")
            }
            Self::Slow { program, seconds } => {
                format!("`{program}` 이(가) {seconds}초 안에 답하지 않았습니다")
            }
            Self::Chatter { program, said } => {
                format!("`{program}` 의 출력이 JSON 객체 하나가 아닙니다: {said}")
            }
            Self::Foreign(program) => {
                format!("`{program}` 은(는) 프로젝트만 지정한 프로그램이라 시작하지 않았습니다")
            }
            Self::Mute(program) => format!("`{program}` 이(가) `/ralph help` 에 답하지 않았습니다"),
        };
        locale.say(self.to_string(), korean)
    }
}

/// Requirement that a hook answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplyRequirement {
    Answer,
    Nothing,
}

/// A program, and what it is called with.
pub(crate) struct ProgramCall<'a> {
    /// Its name in messages.
    pub(crate) name: &'a str,
    pub(crate) command: Command,
    /// The text on its standard input.
    pub(crate) stdin: &'a str,
    /// The time after which it is killed.
    pub(crate) patience: Duration,
}

/// The result of one call of a hook.
pub(crate) struct HookCallResult {
    pub(crate) stdout: Vec<u8>,
    pub(crate) took: Duration,
}

/// Returns an error for a command that only the project names: it may be anything. A `ralph` of the
/// user's is not, nor is what settings of the user name.
pub(crate) fn refuse_foreign(
    app: &App,
    scope: SettingsScope,
    words: &[String],
) -> Result<(), HookProblem> {
    if scope == SettingsScope::User || app.is_in_trusted_folder() {
        return Ok(());
    }
    let own = std::env::current_exe().ok();
    let is_ours = |program: &String| {
        let found = fs::canonicalize(app.locate(program.as_ref())?).ok()?;
        let has_name = found.file_name() == own.as_ref()?.file_name();
        (has_name && !found.starts_with(&app.project.root)).then_some(())
    };
    match words {
        [program, word, ..] if ["hook", "mcp"].contains(&word.as_str()) => {
            is_ours(program).ok_or_else(|| HookProblem::Foreign(program.clone()))
        }
        _ => Err(HookProblem::Foreign(words.join(" "))),
    }
}

/// Returns the words of a shell line that is nothing but words, else the line as one.
fn plain_words(line: &str) -> Vec<String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || " /._-=:+".contains(one);
    let words = if line.chars().all(is_plain) { line.split(' ').collect() } else { vec![line] };
    words.into_iter().filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Calls a hook a few times; returns the median of the times.
pub(crate) fn rehearse(
    app: &App,
    host: &Host,
    scope: SettingsScope,
    hook: &InstalledHook,
) -> Result<Duration, HookProblem> {
    let words = match &hook.call {
        HookCall::Program(program, args) => [std::slice::from_ref(program), args].concat(),
        HookCall::Line(line) | HookCall::Shell(line) => plain_words(line),
    };
    refuse_foreign(app, scope, &words)?;
    let payload = host.payload(&hook.event, SESSION, &app.project.root);
    let answer = HostReply::of(ReplyEffect::Answer { text: "help".to_owned() });
    let asks = host.parse(payload.as_bytes()).is_ok_and(|event| {
        matches!(event.what, HostEventKind::Prompt(PromptEvent::Sent { .. }))
            && !host.render(&event, &answer).is_empty()
    });
    let is_heard = app.kill_switch().is_none() && !app.is_driven();
    let owed = if asks && is_heard { ReplyRequirement::Answer } else { ReplyRequirement::Nothing };
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let answer = call(app, host, hook, &payload)?;
        judge(program_of(hook), &answer.stdout, owed)?;
        times.push(answer.took);
    }
    times.sort();
    Ok(times[TIMES / 2])
}

/// Returns the program of a hook, or its shell command.
pub(crate) fn program_of(hook: &InstalledHook) -> &str {
    match &hook.call {
        HookCall::Program(program, _) => program,
        HookCall::Line(line) | HookCall::Shell(line) => line,
    }
}

/// Checks that a hook printed nothing or one JSON object, and an object where an answer
/// is required.
fn judge(program: &str, stdout: &[u8], owed: ReplyRequirement) -> Result<(), HookProblem> {
    if stdout.is_empty() {
        return match owed {
            ReplyRequirement::Answer => Err(HookProblem::Mute(program.to_owned())),
            ReplyRequirement::Nothing => Ok(()),
        };
    }
    match serde_json::from_slice::<Value>(stdout) {
        Ok(Value::Object(_)) if stdout.starts_with(b"{") => Ok(()),
        Ok(_) | Err(_) => {
            let said = one_line(&String::from_utf8_lossy(stdout), SHOWN);
            Err(HookProblem::Chatter { program: program.to_owned(), said })
        }
    }
}

fn call(
    app: &App,
    host: &Host,
    hook: &InstalledHook,
    payload: &str,
) -> Result<HookCallResult, HookProblem> {
    let command = command(app, hook)?;
    let patience = hook.granted.min(PATIENCE);
    ProgramCall { name: program_of(hook), command, stdin: payload, patience }.answer(app, host)
}

impl ProgramCall<'_> {
    /// Starts the program as the host would, in its project, and waits for its end.
    pub(crate) fn answer(self, app: &App, host: &Host) -> Result<HookCallResult, HookProblem> {
        let Self { name, mut command, stdin, patience } = self;
        let program = || name.to_owned();
        let failed = |error: std::io::Error| HookProblem::NotStarted {
            program: program(),
            reason: error.to_string(),
        };
        let mut stderr = tempfile::tempfile().map_err(failed)?;
        command
            .current_dir(&app.project.root)
            .env_clear()
            .envs(&app.env)
            .envs(host.project_variable.map(|name| (name, &app.project.root)))
            .stdin(given(stdin).map_err(failed)?)
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone().map_err(failed)?);
        let began = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        let (sender, answers) = channel();
        let stdout = child.stdout.take();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|mut stdout| stdout.read_to_end(&mut bytes));
            // The output is not needed when it took too long.
            let _ = sender.send(read.transpose().map(|_| bytes));
        });
        let Ok(read) = answers.recv_timeout(patience) else {
            child.kill().and_then(|()| child.wait()).or_log("ending a hook that is too slow");
            return Err(HookProblem::Slow { program: program(), seconds: patience.as_secs() });
        };
        let (stdout, status) = (read.map_err(failed)?, child.wait().map_err(failed)?);
        let took = began.elapsed();
        if status.success() {
            return Ok(HookCallResult { stdout, took });
        }
        let said = said(&mut stderr).map(|said| format!(": {said}")).unwrap_or_default();
        Err(HookProblem::Ended { program: program(), ending: status.to_string(), said })
    }
}

fn command(app: &App, hook: &InstalledHook) -> Result<Command, HookProblem> {
    match &hook.call {
        HookCall::Program(program, args) => {
            let found =
                app.locate(program.as_ref()).ok_or(HookProblem::NotFound(program.clone()))?;
            let mut command = Command::new(found);
            command.args(args);
            Ok(command)
        }
        HookCall::Line(line) | HookCall::Shell(line) => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", line]);
            Ok(command)
        }
    }
}

/// Makes a standard input with this content.
fn given(payload: &str) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(payload.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// Returns the hook's message to the user, if there is one.
fn said(stderr: &mut File) -> Option<String> {
    let mut text = Vec::new();
    stderr.rewind().ok()?;
    stderr.read_to_end(&mut text).ok()?;
    let text = one_line(&String::from_utf8_lossy(&text), SHOWN);
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_nothing_or_one_object_with_nothing_in_front() {
        let judged = |stdout: &str, owed| judge("r", stdout.as_bytes(), owed);
        assert_eq!(judged("", ReplyRequirement::Nothing), Ok(()));
        assert_eq!(judged("", ReplyRequirement::Answer), Err(HookProblem::Mute("r".to_owned())));
        assert_eq!(judged("{}", ReplyRequirement::Answer), Ok(()));
        assert_eq!(judged("{\"a\":1}\n", ReplyRequirement::Nothing), Ok(()));
        for odd in ["log\n{}", "[]", "{", "{} {}", " {}"] {
            assert!(
                matches!(judged(odd, ReplyRequirement::Nothing), Err(HookProblem::Chatter { .. })),
                "{odd}"
            );
        }
    }
}
