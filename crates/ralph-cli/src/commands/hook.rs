//! `ralph hook`: the command that hosts call for each event of a session.
//!
//! Whatever goes wrong here, the host continues as if we were not there: the exit code
//! is 0 and stdout holds one JSON object or nothing.

mod arm;
mod auto;
mod calls;
mod capture;
mod deadline;
mod edits;
mod log;
mod notes;
mod session;
mod slash;
mod standing;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use deadline::AnswerDeadline;
use ralph_agents::Host;
use ralph_config::ArmingMoment;
use ralph_core::host::{
    ActionReport, EventAgent, HostEvent, HostEventKind, HostReply, NoteTone, SessionStart,
};
use ralph_core::{SessionId, Timestamp};
use ralph_engine::clock::{SystemClock, TimeSource};
use ralph_engine::host::SessionDir;
use slash::{LoopRequest, SlashPrompt};

use crate::app::App;
use crate::error::CliError;
use crate::rights::{self, CallRight};

pub(crate) use auto::blindness;

/// Most bytes of a payload that are read. Hosts send whole files.
const MOST_PAYLOAD: u64 = 512 * 1024 * 1024;

/// Longest time of a hook if its installation does not say.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Answer an event of a host; payload on stdin, answer on stdout
///
/// Hosts call this; `ralph install` tells them to. It always exits with 0.
#[derive(clap::Args, Debug)]
pub(crate) struct HookArgs {
    /// Host whose hook format to use
    #[arg(long, value_name = "NAME", value_parser = crate::commands::install::names())]
    agent: String,
    /// Seconds after which the host would end this process
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// When loops begin, unless the settings say so
    #[arg(long, value_name = "WHEN")]
    arm: Option<String>,
}

/// One call of a host.
struct HookInvocation {
    host: &'static Host,
    timeout: Duration,
    /// The moment when loops begin, as the installation has it.
    arm: Option<ArmingMoment>,
    /// The moment when this process began.
    heard: Timestamp,
    /// The calling process; 0 if it is not known.
    caller: u32,
}

/// Answers a call without the command line's parser. Most calls do not concern us and
/// must cost almost nothing.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let heard = SystemClock.now();
    if let Some(call) = HookInvocation::read(args, heard) {
        // The host reads our streams, so a panic is not printed.
        std::panic::set_hook(Box::new(|_| {}));
        let _ = std::panic::catch_unwind(|| answer(&call));
    }
    ExitCode::SUCCESS
}

/// Returns the error that a line would cause if it were typed in a session. Every path
/// is assumed to exist.
pub(crate) fn fault_of(line: &str) -> Option<CliError> {
    match slash::parse(line, &|_| true)? {
        SlashPrompt::Arm(text) => LoopRequest::read(&text, &|_| true).err(),
        SlashPrompt::Unclear(word, meant) => Some(slash::unclear(&word, meant.as_deref())),
        SlashPrompt::Misfit(command, word) => Some(slash::misfit(&command, &word)),
        SlashPrompt::Call(_) | SlashPrompt::Resume(_) | SlashPrompt::Help => None,
    }
}

/// Answers a call that went through the command line's parser.
pub(crate) fn run(args: &HookArgs) -> u8 {
    let words = ["--agent".to_owned(), args.agent.clone()].into_iter();
    let timeout = args.timeout.map(|seconds| format!("--timeout={seconds}"));
    let arm = args.arm.as_ref().map(|arm| format!("--arm={arm}"));
    main(words.chain(timeout).chain(arm).map(OsString::from).collect());
    0
}

impl HookInvocation {
    fn read(args: Vec<OsString>, heard: Timestamp) -> Option<Self> {
        let (mut name, mut timeout, mut arm) = (None, TIMEOUT, None);
        let words: Vec<String> =
            args.into_iter().filter_map(|word| word.into_string().ok()).collect();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag, Some(value)),
                None => (word, words.next()),
            };
            match (flag, value) {
                ("--agent", Some(value)) => name = Some(value),
                ("--timeout", Some(value)) => {
                    timeout = value.parse().map_or(timeout, Duration::from_secs);
                }
                ("--arm", Some(value)) => arm = ArmingMoment::parse(value),
                // Marks of the installation, and flags of later versions.
                (_, _) => {}
            }
        }
        let host = Host::find(name?)?;
        let named = host.process(|name| std::env::var(name).ok());
        Some(Self { host, timeout, arm, heard, caller: named.unwrap_or_else(caller) })
    }
}

fn answer(call: &HookInvocation) {
    let mut payload = Vec::new();
    let read = std::io::stdin().lock().take(MOST_PAYLOAD).read_to_end(&mut payload);
    if read.is_err() {
        return;
    }
    if let Some(name) = switched_off_by() {
        return say_switched_off(call, &payload, name);
    }
    let Ok(mut event) = (call.host.parse)(&payload) else { return };
    drop(payload);
    let Some(app) = app(call, &event) else { return };
    log_oddities(&app, &event);
    if event.what == HostEventKind::HostStarted {
        note_load(&app, call.host);
    }
    let has_notes = notes::concerns(&app, call, &event);
    let standing = if has_notes { standing::look(&app, call, &event) } else { None };
    // It comes before anything else that may fail.
    let kept = capture::take(&app, call, &mut event);
    standing::note(&app, call, &event, kept);
    let is_ours = concerns_us(&app, call, &event);
    if !is_ours && !has_notes {
        return;
    }
    let deadline = AnswerDeadline::start(call.timeout);
    let answer = || session::HookRequest::new(&app, call, &event, &deadline).answer();
    let answered = if is_ours { answer() } else { Ok(HostReply::silent()) };
    let reply = answered.unwrap_or_else(|error| {
        let session = event.session.as_ref().map_or("no session", SessionId::as_str);
        log::write(&app.home, &format!("{session}: {error}"));
        apology(&app, &event, &error)
    });
    let reply = app.with_fallback(reply);
    capture::begin(&app, &event, &reply, kept);
    let reply = if has_notes { notes::add(&app, call, &event, reply, standing) } else { reply };
    deadline.answer(&(call.host.render)(&event, &reply));
}

/// Logs events that would otherwise go unnoticed.
fn log_oddities(app: &App, event: &HostEvent) {
    let is_nameless = event.session.is_none() && event.what != HostEventKind::HostStarted;
    if is_nameless && SessionDir::any_is_marked(&app.home) {
        let text = format!("{}: the session it names cannot be one", event.name);
        log::write(&app.home, &text);
    }
    if let HostEventKind::Done(ActionReport { run, deed, result: Err(error), .. }) = &event.what {
        log::write(&app.home, &format!("{run}: {deed:?}: {error}"));
    }
}

/// Leaves a mark that tells `ralph doctor` that the host has loaded our hooks. It is in
/// the user's state, so opening a project does not change it.
fn note_load(app: &App, host: &Host) {
    if let Some(mark) = app.load_mark(host.name) {
        let made = mark.parent().map(std::fs::create_dir_all).transpose();
        let _ = made.and_then(|_| std::fs::write(mark, app.worktree()));
    }
}

/// Makes the reply for a turn of a loop whose end we cannot judge. The agent stops, and
/// only this tells the user why.
fn apology(app: &App, event: &HostEvent, error: &CliError) -> HostReply {
    let has_loop = |session| SessionDir::new(&app.home, session).is_marked();
    let is_end =
        matches!(event.what, HostEventKind::TurnEnded(_)) && event.actor == EventAgent::Main;
    if is_end && event.session.as_ref().is_some_and(has_loop) {
        return HostReply::silent().with_note(said(app, error)).in_tone(NoteTone::Error);
    }
    HostReply::silent()
}

/// Returns the variable that switches us off. It is checked before anything else.
fn switched_off_by() -> Option<&'static str> {
    let is_on =
        |name: &&str| std::env::var_os(name).is_some_and(|value| value == "1" || value == "true");
    crate::app::KILL_SWITCHES.into_iter().find(is_on)
}

/// Answers our own commands while ralph is switched off. The user must not believe that
/// a loop began.
fn say_switched_off(call: &HookInvocation, payload: &[u8], name: &str) {
    let Ok(event) = (call.host.parse)(payload) else { return };
    if matches!(&event.what, HostEventKind::Prompted { text, .. } if slash::is_ours(text)) {
        let text = format!("ralph: switched off by {name}; unset it and restart the client.");
        let reply = session::answer(text).in_tone(NoteTone::Warning);
        print(&(call.host.render)(&event, &reply));
    }
}

/// Finds the project of the session where the host says it is. The event's folder moves
/// when the agent changes its own.
fn app(call: &HookInvocation, event: &HostEvent) -> Option<App> {
    let said = call.host.project_variable.and_then(std::env::var_os);
    let said = said.filter(|value| !value.is_empty());
    let here = || std::env::current_dir().ok();
    let folder = said.map(PathBuf::from).or_else(|| event.folder.clone()).or_else(here)?;
    App::at(&folder, std::env::vars_os().collect()).ok()
}

/// Returns true if an event can matter, without opening the store.
fn concerns_us(app: &App, call: &HookInvocation, event: &HostEvent) -> bool {
    if matches!(event.what, HostEventKind::HostStarted | HostEventKind::Done(_)) {
        return !app.is_driven() && SessionDir::any_is_marked(&app.home);
    }
    let Some(session) = &event.session else { return false };
    if app.is_driven() {
        // The driver decides; what tools do is recorded all the same.
        let is_open = rights::of_event(&event.what) == CallRight::Anyone;
        return is_open && matches!(event.what, HostEventKind::ToolsUsed(_));
    }
    if SessionDir::new(&app.home, session).is_marked() {
        return event.actor == EventAgent::Main
            || matches!(event.what, HostEventKind::ToolsUsed(_));
    }
    let is_automatic = || arm::mode(app, call) != ArmingMoment::Manual;
    match &event.what {
        HostEventKind::Prompted { text, .. } => {
            event.actor == EventAgent::Main && (slash::is_ours(text) || is_automatic())
        }
        HostEventKind::SessionStarted(SessionStart::Cleared | SessionStart::Forked) => true,
        HostEventKind::ToolAsked(_) | HostEventKind::ToolsUsed(_) | HostEventKind::TurnEnded(_) => {
            event.actor == EventAgent::Main && is_automatic()
        }
        HostEventKind::HostStarted
        | HostEventKind::Done(_)
        | HostEventKind::SessionStarted(_)
        | HostEventKind::Woken
        | HostEventKind::CommandCalled { .. }
        | HostEventKind::TurnBroken(_)
        | HostEventKind::ChildEnded
        | HostEventKind::PermissionAsked { .. }
        | HostEventKind::PermissionAnswered
        | HostEventKind::NotDelivered { .. }
        | HostEventKind::Due
        | HostEventKind::Compacting
        | HostEventKind::Compacted { .. }
        | HostEventKind::SessionEnded { .. }
        | HostEventKind::Other { .. } => false,
    }
}

/// Returns the id of the parent process; 0 if it is not known.
fn caller() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    return 0;
}

/// Prints an answer as a whole; a host that hung up does not matter.
fn print(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// Renders an error for the user.
fn said(app: &App, error: &CliError) -> String {
    format!("ralph: {}", error.said(app.chosen_locale()))
}
