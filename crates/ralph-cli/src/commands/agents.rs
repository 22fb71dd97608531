//! `ralph agents`: the agents of this machine, and how each can be used.

use std::path::Path;
use std::thread;

use ralph_agents::LoginState;
use ralph_core::locale::Locale;
use ralph_engine::agents::{LocalAgent, local_agents};
use ralph_engine::doctor::try_out;
use ralph_proc::ExitReason;
use serde_json::{Value as Json, json};

use crate::app::App;
use crate::error::CliError;
use crate::out;
use crate::texts;

/// List the agents on this machine, and how each can be used
///
/// Only programs that you installed are asked for their version; one that the
/// project names or contains is not started. A login is told by its files and
/// variables, without a request, so it may have expired.
#[derive(clap::Args, Debug)]
pub(crate) struct AgentsArgs {
    /// Also those that are not installed, and how to install them
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &AgentsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let locale = app.locale();
    let agents = local_agents(&app, &app.layers()?);
    let shown = agents.iter().filter(|agent| args.all || args.json || agent.path.is_some());
    let shown: Vec<(&LocalAgent, Option<String>)> = thread::scope(|scope| {
        let asked: Vec<_> =
            shown.map(|agent| (agent, scope.spawn(|| version(&app, agent)))).collect();
        // A thread that panicked has no version.
        asked.into_iter().map(|(agent, version)| (agent, version.join().ok().flatten())).collect()
    });
    if args.json {
        let views: Vec<Json> =
            shown.iter().map(|(agent, version)| view(agent, version.as_deref())).collect();
        out::line(json!({ "schema": 1, "agents": views }));
        return Ok(0);
    }
    if shown.is_empty() {
        out::note(locale.say(
            "No agent is installed. `ralph agents --all` says how to install one.",
            "설치된 에이전트가 없습니다. `ralph agents --all` 로 설치 방법을 볼 수 있습니다.",
        ));
        return Ok(0);
    }
    let heads = match locale {
        Locale::En => ["agent", "version", "use", "login"],
        Locale::Ko => ["에이전트", "버전", "사용", "로그인"],
    };
    let rows = shown.iter().map(|(agent, version)| row(agent, version.as_deref(), locale));
    out::raw(&texts::table(&heads, rows));
    Ok(0)
}

/// Asks a program that the user installed for its version.
fn version(app: &App, agent: &LocalAgent) -> Option<String> {
    let path = agent.path.as_ref().filter(|_| !agent.is_of_project)?;
    let outcome = try_out(app, path.clone().into_os_string(), &agent.known.version).ok()?;
    let text = outcome.stdout.text_lossy();
    let is_number =
        |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let word =
        text.split([' ', '\n', '/']).map(|word| word.trim_start_matches('v')).find(is_number)?;
    let word = word.trim_end_matches(['.', ',', ')']);
    (outcome.ending == ExitReason::Exited(0)).then(|| texts::one_line(word, 30))
}

fn row(agent: &LocalAgent, version: Option<&str>, locale: Locale) -> Vec<String> {
    let known = &agent.known;
    let version = match (&agent.path, version) {
        (None, _) => locale.say("not installed", "설치되지 않음").to_owned(),
        (Some(_), _) if agent.is_of_project => {
            locale.say("of the project", "프로젝트의 것").to_owned()
        }
        (Some(_), Some(version)) => version.to_owned(),
        (Some(_), None) => locale.say("unknown", "알 수 없음").to_owned(),
    };
    let driven = locale.say("driven", "구동").to_owned();
    let uses = if known.in_session {
        locale.say(format!("{driven}, in session"), format!("{driven}, 세션 안"))
    } else {
        driven
    };
    let command = &known.login.command;
    let login = match (&agent.path, &agent.login) {
        (None, _) if known.install.is_empty() => String::new(),
        (None, _) => format!("`{}`", known.install),
        (Some(_), LoginState::Key(name)) => {
            locale.say(format!("a key in {name}"), format!("{name} 에 키가 있음"))
        }
        (Some(_), LoginState::File(path)) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            locale.say(format!("signed in ({name})"), format!("로그인됨 ({name})"))
        }
        (Some(_), LoginState::Unknown) if command.is_empty() => {
            locale.say("unknown", "알 수 없음").to_owned()
        }
        (Some(_), LoginState::Unknown) => {
            locale.say(format!("no sign of one: `{command}`"), format!("흔적 없음: `{command}`"))
        }
    };
    vec![known.name.clone(), version, uses, login]
}

fn view(agent: &LocalAgent, version: Option<&str>) -> Json {
    let LocalAgent { known, path, is_of_project, login } = agent;
    let (login, sign) = match login {
        LoginState::Key(name) => ("key", Some(name.clone())),
        LoginState::File(path) => ("file", Some(path.display().to_string())),
        LoginState::Unknown => ("unknown", None),
    };
    json!({
        "name": known.name,
        "title": known.title,
        "program": known.program,
        "path": path.as_deref().map(Path::to_path_buf),
        "version": version,
        "of_project": is_of_project,
        "driven_by": known.transports,
        "in_session": known.in_session,
        "login": login,
        "login_sign": sign,
        "login_command": known.login.command,
        "install": known.install,
        "proof": known.proof.how.words(),
        "tested_version": known.proof.version,
    })
}
