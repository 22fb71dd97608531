//! `ralph sessions`: lists the sessions of agents in this project, and resumes one.

use ralph_agents::host;
use ralph_config::MemoryRules;
use ralph_core::SessionId;
use ralph_engine::sessions::{SessionRenderer, ask, find, is_told, seen, take_up};
use ralph_engine::wire::sessions::{self as wire, ListedSession};
use ralph_memory::event::SessionStatus;
use ralph_memory::{SessionFilter, SessionRecord, resume};
use serde_json::Value;

use super::resume::ResumeArgs;
use crate::app::App;
use crate::error::CliError;
use crate::out;
use crate::texts::part_of;

/// List the sessions of agents in this work tree, the latest first
///
/// Sessions are kept where memory is in use: those of hosts that tell `ralph`
/// of theirs, and runs. `ralph resume ID` goes on with one.
#[derive(clap::Args, Debug)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    job: Option<SessionsCommand>,
    /// Also those of other work trees, and older ones
    #[arg(long)]
    all: bool,
    /// Only those in this state: `active`, `paused`, `completed` or `failed`
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Vec<SessionStatus>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum SessionsCommand {
    /// Show a session with what was said and done in it last
    Show(ShowArgs),
}

#[derive(clap::Args, Debug)]
struct ShowArgs {
    /// The session, by its id, its host's name for it, or the beginning of one
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Number of sessions that are listed without `--all`.
const USUAL: usize = 20;

fn state(word: &str) -> Result<SessionStatus, String> {
    SessionStatus::ALL.into_iter().find(|state| state.word() == word).ok_or_else(|| {
        let words: Vec<&str> = SessionStatus::ALL.iter().map(|state| state.word()).collect();
        format!("there are {}", words.join(", "))
    })
}

pub(crate) fn run(args: &SessionsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let answers = SessionRenderer::new(app.locale(), app.now());
    if let Some(SessionsCommand::Show(args)) = &args.job {
        let seen = seen(&app, *find(&app, &args.id)?);
        print(args.json.then(|| wire::one(&seen)), || answers.one(&seen));
        return Ok(0);
    }
    let filter = SessionFilter {
        states: args.state.clone(),
        worktree: (!args.all).then(|| app.worktree()),
        limit: (!args.all).then_some(USUAL),
        ..SessionFilter::default()
    };
    let found = ask(&app, |book| book.sessions(&filter))?.unwrap_or_default();
    let found = found.into_iter().map(|session| seen(&app, session));
    let found: Vec<ListedSession> =
        found.filter(|seen| seen.is_alive || is_told(&seen.session)).collect();
    print(args.json.then(|| wire::list(&found)), || answers.list(&found));
    if !args.json && !args.all && found.is_empty() {
        let elsewhere = SessionFilter { worktree: None, limit: None, ..filter.clone() };
        let all = ask(&app, |book| book.count_sessions(&elsewhere))?.unwrap_or_default();
        if all > 0 {
            out::note(app.locale().say(
                "Sessions of other folders are known: `ralph sessions --all` lists them.",
                "다른 폴더의 세션이 있습니다. `ralph sessions --all` 로 볼 수 있습니다.",
            ));
        }
    }
    if !args.json && filter.limit == Some(found.len()) {
        let all = ask(&app, |book| book.count_sessions(&filter))?.unwrap_or_default();
        if let Some(part) = part_of(found.len(), all, "--all", app.locale()) {
            out::note(part);
        }
    }
    Ok(0)
}

/// Prints the context that an agent needs to continue a session, and its host's command
/// for it. The session becomes active again, unless it was completed.
pub(super) fn resume(
    app: &App,
    session: &SessionRecord,
    args: &ResumeArgs,
) -> Result<u8, CliError> {
    if let Some(flag) = args.for_a_driver() {
        let text = format!("{} is a session of a host, and {flag} is for runs", session.id);
        return Err(CliError::usage(text).with_hint("`ralph run` begins a run").in_korean(
            format!("{} 은(는) 호스트의 세션이고 {flag} 은(는) 실행에만 씁니다", session.id),
            Some("`ralph run` 으로 실행을 시작합니다"),
        ));
    }
    if !is_told(session) {
        let text = format!("nothing is kept of what happened in session {}", session.id);
        return Err(CliError::refused(text).in_korean(
            format!("세션 {} 에서 있었던 일은 보관되어 있지 않습니다", session.id),
            None,
        ));
    }
    let layers = app.counted_layers()?;
    // The user asked for it, even if agents are shown nothing.
    let rules = MemoryRules { is_enabled: true, ..MemoryRules::new(&layers) };
    let Some(recall) = app.recall(rules, app.locale()) else { return Ok(0) };
    let now = app.now();
    let mut seen = seen(app, session.clone());
    let goes_on = match session.state {
        SessionStatus::Paused | SessionStatus::Failed => true,
        SessionStatus::Active | SessionStatus::Completed => false,
    };
    if goes_on && !seen.is_alive {
        take_up(app, session)?;
        seen.session.state = SessionStatus::Active;
    }
    let found = recall.resumed(&seen.session, now)?;
    let name = session.place().session.as_deref().and_then(SessionId::new);
    let command = name.as_ref().and_then(host::resume_command);
    let answers = SessionRenderer::new(app.locale(), now);
    if !args.json {
        out::note(answers.resuming(&seen, resume::age(&seen.session, now)));
        out::note(answers.host(command.as_deref()));
    }
    let text = || found.shown.as_ref().map(|shown| shown.text.clone()).unwrap_or_default();
    print(args.json.then(|| wire::resumed(&seen, &found, command.as_deref())), text);
    Ok(0)
}

/// Prints an answer as JSON or as text.
fn print(json: Option<Value>, text: impl FnOnce() -> String) {
    match json {
        Some(json) => out::line(json),
        None => out::raw(&text()),
    }
}
