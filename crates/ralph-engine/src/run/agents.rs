//! Makes the agent of a run, and refuses programs that are missing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ralph_agents::rows::RowAgent;
use ralph_agents::{Agent, Client, CommandAgent};
use ralph_config::{AgentChoice, RunSettings, find_row};
use ralph_core::locale::Locale;
use ralph_core::run::AgentRef;

use crate::app::{App, own_binary};
use crate::user_error::UserError;

/// Makes the agent of a run.
pub fn agent(
    app: &App,
    settings: &RunSettings,
    script: Option<&Path>,
) -> Result<Box<dyn Agent>, UserError> {
    let patterns = settings.limit_patterns().clone();
    match (&settings.agent, script) {
        (AgentChoice::Scripted, Some(script)) => {
            let script = absolute(script);
            ralph_agents::scripted::AgentScript::load(&script).map_err(UserError::usage)?;
            let program = own_binary().into_os_string();
            Ok(Box::new(CommandAgent::scripted(program, &script, patterns)))
        }
        (AgentChoice::Scripted, None) => Err(UserError::usage("the scripted agent needs a script")
            .with_hint("add `--script FILE`")
            .in_korean(
                "scripted 에이전트에는 스크립트가 필요합니다",
                Some("`--script 파일` 을 붙이세요"),
            )),
        (AgentChoice::Client(client), _) => {
            let options = settings.client(*client);
            if let Some(fault) = options.fault() {
                return Err(UserError::usage(fault));
            }
            let agent = options.agent(patterns);
            if options.attach.is_some() {
                return Ok(agent);
            }
            let found = require_program(app, agent.program().as_os_str(), ProgramUse::Agent);
            match options.program {
                Some(_) => found?,
                None => found.map_err(|error| {
                    let [hint, korean] = [Locale::En, Locale::Ko].map(|to| client.install_hint(to));
                    error.with_hint(hint).with_korean_hint(korean)
                })?,
            }
            Ok(agent)
        }
        (AgentChoice::Row(row), _) => {
            let agent = RowAgent::new(row.as_ref().clone(), patterns);
            let found = require_program(app, agent.program().as_os_str(), ProgramUse::Agent);
            found.map_err(|error| match row.install.as_str() {
                "" => error,
                install => error
                    .with_hint(format!(
                        "install it with `{install}`, or name the program in [agents.{}]",
                        row.name
                    ))
                    .with_korean_hint(format!(
                        "`{install}` 로 설치하거나 [agents.{}] 에 프로그램을 적으세요",
                        row.name
                    )),
            })?;
            Ok(Box::new(agent))
        }
        (AgentChoice::Command(words), _) => {
            let words = words.clone().unwrap_or_default();
            let agent = CommandAgent::new(&words, patterns).ok_or_else(|| {
                UserError::usage("there is no agent")
                    .with_hint("add `--agent-cmd COMMAND`, or set run.agent_cmd in ralph.toml")
                    .in_korean(
                        "에이전트가 없습니다",
                        Some("`--agent-cmd 명령` 을 붙이거나 ralph.toml 에 run.agent_cmd 를 적으세요"),
                    )
            })?;
            require_program(app, agent.program().as_os_str(), ProgramUse::Agent)?;
            Ok(Box::new(agent))
        }
    }
}

/// Returns the record of an agent.
pub fn reference(agent: &dyn Agent) -> AgentRef {
    AgentRef { name: agent.name().to_owned(), command: agent.command_line() }
}

/// Makes the agent of a recorded run.
pub fn recorded_agent(
    app: &App,
    settings: &RunSettings,
    recorded: &AgentRef,
) -> Result<Box<dyn Agent>, UserError> {
    let choice = match (Client::named(&recorded.name), recorded.name.as_str()) {
        (Some(client), _) => AgentChoice::Client(client),
        (None, "scripted") => AgentChoice::Scripted,
        (None, "command") => AgentChoice::Command(Some(recorded.command.clone())),
        (None, name) => AgentChoice::Row(Box::new(find_row(&settings.rows, name)?)),
    };
    let mut settings = settings.clone();
    settings.agent = choice;
    let script = recorded.command.last().map(PathBuf::from);
    agent(app, &settings, script.as_deref())
}

/// The purpose of a program.
#[derive(Clone, Copy)]
pub(super) enum ProgramUse<'a> {
    Agent,
    Judge,
    Gate(&'a str),
}

/// Returns an error if a needed program is missing.
pub(super) fn require_program(
    app: &App,
    program: &OsStr,
    needed: ProgramUse<'_>,
) -> Result<(), UserError> {
    require_program_in(app, &app.project.root, program, needed)
}

pub(super) fn require_program_in(
    app: &App,
    dir: &Path,
    program: &OsStr,
    needed: ProgramUse<'_>,
) -> Result<(), UserError> {
    if app.finds(program, dir) {
        return Ok(());
    }
    let name = program.to_string_lossy();
    let (hint, korean) = if dir.join(program).is_file() {
        (
            format!("the file is there but not executable: chmod +x {name}"),
            format!("파일은 있지만 실행할 수 없습니다: chmod +x {name}"),
        )
    } else if name.contains('=') {
        (
            "no shell is used: set the variable before calling ralph, or use a script".to_owned(),
            "셸을 쓰지 않습니다. 변수는 ralph 를 부르기 전에 설정하거나 스크립트를 쓰세요"
                .to_owned(),
        )
    } else if name.contains('/') {
        (
            format!("relative programs are looked for in {}", dir.display()),
            format!("상대 경로는 {} 에서 찾습니다", dir.display()),
        )
    } else {
        ("it is not on PATH".to_owned(), "PATH 에 없습니다".to_owned())
    };
    let (what, whose) = match needed {
        ProgramUse::Agent => ("the agent".to_owned(), "에이전트".to_owned()),
        ProgramUse::Judge => ("the judge".to_owned(), "판정자".to_owned()),
        ProgramUse::Gate(gate) => {
            (format!("the command of gate {gate}:"), format!("게이트 {gate} 의 명령"))
        }
    };
    Err(UserError::usage(format!("{what} `{name}` is not an executable program"))
        .with_hint(hint)
        .in_korean(
            format!("{whose} `{name}` 은(는) 실행할 수 있는 프로그램이 아닙니다"),
            Some(&korean),
        ))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
