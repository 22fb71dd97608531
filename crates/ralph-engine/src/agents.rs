//! The agents of this machine: which are installed, and which one works if none
//! is named.

use std::path::{Path, PathBuf};

use ralph_agents::{KnownAgent, LoginState, known_agents};
use ralph_config::{SettingLayers, SettingValue};

use crate::app::App;
use crate::user_error::UserError;

/// An agent, and what is known about it here without starting it.
#[derive(Clone, Debug)]
pub struct LocalAgent {
    /// The agent.
    pub known: KnownAgent,
    /// Its program, if it is installed.
    pub path: Option<PathBuf>,
    /// True if the project names or contains the program, which therefore is not
    /// started just to look.
    pub is_of_project: bool,
    /// The sign of a login.
    pub login: LoginState,
}

/// Returns all agents, installed or not.
pub fn local_agents(app: &App, layers: &SettingLayers) -> Vec<LocalAgent> {
    let home = app.variable("HOME").map(PathBuf::from).unwrap_or_default();
    let variable = |name: &str| app.variable(name).map(PathBuf::from);
    let is_set = |name: &str| app.variable(name).is_some_and(|value| !value.is_empty());
    let own = app.project_config();
    let local = |known: KnownAgent| {
        let path = app.locate(known.program.as_ref());
        let is_inside = |path: &Path| path.starts_with(&app.project.root);
        LocalAgent {
            is_of_project: known.origins.contains(&own) || path.as_deref().is_some_and(is_inside),
            login: known.login_state(&is_set),
            known,
            path,
        }
    };
    known_agents(layers.rows(), &home, &variable).into_iter().map(local).collect()
}

/// Returns the names of the installed agents that the project did not bring.
pub fn installed_agents(app: &App, layers: &SettingLayers) -> Vec<String> {
    let all = local_agents(app, layers).into_iter();
    let here = all.filter(|agent| agent.path.is_some() && !agent.is_of_project);
    here.map(|agent| agent.known.name).collect()
}

/// Chooses the agent if no setting does: the one that is installed. Returns its
/// name if it was chosen so.
pub fn choose_agent(app: &App, layers: &mut SettingLayers) -> Result<Option<String>, UserError> {
    if layers.get("run.agent").is_some() || layers.get("run.agent_cmd").is_some() {
        return Ok(None);
    }
    match installed_agents(app, layers).as_slice() {
        [only] => {
            layers.set_flag("run.agent", SettingValue::Text(only.clone()));
            Ok(Some(only.clone()))
        }
        [] => {
            let all = local_agents(app, layers);
            let install = all.first().map_or("", |agent| agent.known.install.as_str());
            Err(UserError::usage("there is no agent")
                .with_hint(format!(
                    "install one, such as with `{install}`; `ralph agents --all` lists those it \
                     knows, and `--agent-cmd COMMAND` takes any command"
                ))
                .in_korean(
                    "에이전트가 없습니다",
                    Some(&format!(
                        "`{install}` 처럼 하나를 설치하세요. `ralph agents --all` 로 아는 에이전트를 보고, \
                         `--agent-cmd 명령` 으로 아무 명령이나 쓸 수 있습니다"
                    )),
                ))
        }
        several => {
            let names = several.join(", ");
            Err(UserError::usage(format!("there is no agent chosen; installed are {names}"))
                .with_hint("add `--agent NAME`, or set run.agent in ralph.toml")
                .in_korean(
                    format!("에이전트를 고르지 않았습니다. 설치된 것: {names}"),
                    Some("`--agent 이름` 을 붙이거나 ralph.toml 에 run.agent 를 적으세요"),
                ))
        }
    }
}
