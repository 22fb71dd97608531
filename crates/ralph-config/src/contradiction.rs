//! Errors about settings that contradict each other, with hints.

use ralph_checks::detect::MissingNeed;

use super::gates;
use super::judge::JudgeError;
use super::layers::ConfigError;

/// An error about settings that contradict each other.
#[derive(Debug, thiserror::Error)]
pub enum SettingsConflictError {
    /// An error in a file, variable or flag.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An error in the settings of the judge.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A criterion without a command, which nothing in the project gives.
    #[error("the criterion `{0}` has no command")]
    NoCommand(&'static str),
    /// A criterion that names a gate that does not exist.
    #[error("there is no gate `{given}`")]
    UnknownGate {
        /// The name that the criterion gave.
        given: String,
        /// The gates that exist.
        known: Vec<String>,
    },
    /// A setting of a gate that has no command.
    #[error("`{key}` is set, but there is no `command` or `shell` beside it")]
    WithoutCommand {
        /// The setting.
        key: String,
    },
    /// A folder outside the project.
    #[error("`{key}`: `{dir}` is not a folder below the project's root")]
    Outside {
        /// The setting.
        key: String,
        /// Its value.
        dir: String,
    },
    /// Levels of findings that must be empty, and no gate that looks for them.
    #[error("{}: nothing that could be run here looks for them", levels.join(", "))]
    NothingToCount {
        /// The levels.
        levels: Vec<&'static str>,
        /// Programs that would look for them and are missing.
        missing: Vec<String>,
    },
    /// A required gate that cannot run here.
    #[error("gate {gate} cannot run: {need}")]
    MissingTool {
        /// The gate.
        gate: String,
        /// The program or file that it needs.
        need: MissingNeed,
    },
    /// Trust in evidence without a gate.
    #[error("`--trust evidence` needs at least one gate")]
    NothingToTrust,
    /// An agent that cannot have the context that was asked for.
    #[error("the agent `{agent}` forgets its turns: `--context {context}` is not possible")]
    NoSession {
        /// The agent.
        agent: String,
        /// The context.
        context: &'static str,
    },
    /// A language server lacks a setting.
    #[error("`lsp.{server}` has no `{key}`")]
    IncompleteServer {
        /// The name of the server.
        server: String,
        /// The setting that it lacks.
        key: &'static str,
    },
    /// A run that nothing could end with success.
    #[error(
        "nothing could ever end this run with success: the promise is empty, there are no markers and no gate"
    )]
    NoEnd,
}

impl SettingsConflictError {
    /// Returns a hint on what helps.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoCommand(name) => Some(format!(
                "nothing in the project tells how; add `[gates.{name}]` with `command = \"…\"` to ralph.toml, or use `--criteria custom:COMMAND`"
            )),
            Self::UnknownGate { known, .. } if known.is_empty() => None,
            Self::UnknownGate { known, .. } => Some(format!("there is {}", known.join(", "))),
            Self::WithoutCommand { .. } => {
                Some("`ralph init --dry-run` shows the commands that were detected".to_owned())
            }
            Self::NothingToCount { missing, .. } if missing.is_empty() => Some(
                "add `[gates.lint_clean]` with `command = \"…\"` to ralph.toml, and the criterion"
                    .to_owned(),
            ),
            Self::NothingToCount { missing, .. } => {
                Some(format!("install one of {}", missing.join(", ")))
            }
            Self::MissingTool { gate, need: MissingNeed { install: Some(install), .. } } => {
                Some(format!(
                    "run `{install}`, or say what to run instead in `[gates.{}]` of ralph.toml",
                    gates::quoted(gate)
                ))
            }
            Self::MissingTool { gate, .. } => Some(format!(
                "install it, or say what to run instead in `[gates.{}]` of ralph.toml",
                gates::quoted(gate)
            )),
            Self::NothingToTrust => Some("add `--criteria custom:COMMAND`".to_owned()),
            Self::NoSession { .. } => Some("use `--context fresh` or leave it out".to_owned()),
            Self::IncompleteServer { .. } => {
                Some("a language server needs `command` and `extensions`".to_owned())
            }
            Self::NoEnd => Some("set a promise or add `--criteria custom:COMMAND`".to_owned()),
            Self::Judge(error) => error.hint(),
            Self::Config(_) | Self::Outside { .. } => None,
        }
    }
    /// Returns the message in Korean.
    pub fn korean(&self) -> String {
        match self {
            Self::Config(error) => error.korean(),
            Self::Judge(error) => error.korean().0,
            Self::NoCommand(name) => format!("기준 `{name}` 에 명령이 없습니다"),
            Self::UnknownGate { given, .. } => format!("`{given}` 게이트가 없습니다"),
            Self::WithoutCommand { key } => {
                format!("`{key}` 은(는) 설정되어 있지만 옆에 `command` 나 `shell` 이 없습니다")
            }
            Self::Outside { key, dir } => {
                format!("`{key}`: `{dir}` 은(는) 프로젝트 루트 아래의 폴더가 아닙니다")
            }
            Self::NothingToCount { levels, .. } => {
                format!(
                    "{}: 여기서 실행할 수 있는 것 중에는 이를 찾는 것이 없습니다",
                    levels.join(", ")
                )
            }
            Self::MissingTool { gate, need } => {
                format!("게이트 {gate} 에 필요한 `{}` 이(가) 없습니다", need.what)
            }
            Self::NothingToTrust => {
                "`--trust evidence` 에는 게이트가 하나 이상 필요합니다".to_owned()
            }
            Self::NoSession { agent, context } => format!(
                "에이전트 `{agent}` 은(는) 이전 턴을 기억하지 못하므로 `--context {context}` 을(를) 쓸 수 없습니다"
            ),
            Self::IncompleteServer { server, key } => {
                format!("`lsp.{server}` 에 `{key}` 이(가) 없습니다")
            }
            Self::NoEnd => {
                "이 실행은 성공으로 끝날 수 없습니다: 약속이 비어 있고 표시도 게이트도 없습니다"
                    .to_owned()
            }
        }
    }

    /// Returns the hint in Korean.
    pub fn korean_hint(&self) -> Option<String> {
        Some(match self {
            Self::NoCommand(name) => format!(
                "프로젝트에서 방법을 찾지 못했습니다. ralph.toml 에 `[gates.{name}]` 과 `command = \"…\"` 를 추가하거나 `--criteria custom:명령` 을 쓰세요"
            ),
            Self::UnknownGate { known, .. } if known.is_empty() => return None,
            Self::UnknownGate { known, .. } => format!("쓸 수 있는 게이트: {}", known.join(", ")),
            Self::WithoutCommand { .. } => {
                "`ralph init --dry-run` 으로 감지된 명령을 볼 수 있습니다".to_owned()
            }
            Self::NothingToCount { missing, .. } if missing.is_empty() => {
                "ralph.toml 에 `[gates.lint_clean]` 과 `command = \"…\"`, 그리고 기준을 추가하세요"
                    .to_owned()
            }
            Self::NothingToCount { missing, .. } => {
                format!("다음 중 하나를 설치하세요: {}", missing.join(", "))
            }
            Self::MissingTool { gate, need: MissingNeed { install: Some(install), .. } } => {
                format!(
                    "`{install}` 을(를) 실행하거나 ralph.toml 의 `[gates.{}]` 에 대신 실행할 명령을 적으세요",
                    gates::quoted(gate)
                )
            }
            Self::MissingTool { gate, .. } => format!(
                "설치하거나 ralph.toml 의 `[gates.{}]` 에 대신 실행할 명령을 적으세요",
                gates::quoted(gate)
            ),
            Self::NothingToTrust => "`--criteria custom:명령` 을 붙이세요".to_owned(),
            Self::NoSession { .. } => "`--context fresh` 를 쓰거나 빼세요".to_owned(),
            Self::IncompleteServer { .. } => {
                "언어 서버에는 `command` 와 `extensions` 가 필요합니다".to_owned()
            }
            Self::NoEnd => "약속을 정하거나 `--criteria custom:명령` 을 붙이세요".to_owned(),
            Self::Judge(error) => return error.korean().1,
            Self::Config(_) | Self::Outside { .. } => return None,
        })
    }
}
