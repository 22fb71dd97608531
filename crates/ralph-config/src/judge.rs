//! Reads the judge of a run, and the criterion it judges.

use std::time::Duration;

use ralph_agents::{Client, ClientOptions, OneShotClient};
use ralph_checks::judge::{
    ApiKey, ClientForm, JudgeCommand, JudgeTransport, ModelDialect, ModelEndpoint, TokenPrices,
};
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition};

use super::settings::SettingReader;

/// Timeout of a judge, unless configured.
const TIMEOUT: Duration = Duration::from_mins(5);

/// Settings that only a model as judge uses.
const OF_MODELS: [&str; 4] =
    ["judge.url", "judge.model", "judge.price_input", "judge.price_output"];

/// Settings that an agent as judge does not use.
const NOT_OF_AGENTS: [&str; 5] =
    ["judge.kind", "judge.url", "judge.command", "judge.price_input", "judge.price_output"];

/// The configured judge, without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JudgeChoice {
    /// A model behind an endpoint.
    Model(ModelChoice),
    /// A command, which may get one variable that holds a key.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// The variable that holds its key.
        key_variable: Option<String>,
    },
    /// A coding agent, which may get one more variable that holds a key.
    Agent {
        /// The agent and its options.
        options: ClientOptions,
        /// The variable that holds its key.
        key_variable: Option<String>,
    },
}

/// A model behind an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    dialect: ModelDialect,
    url: String,
    model: String,
    /// The variable that holds the key; `None` when none is sent.
    key_variable: Option<String>,
    prices: Option<TokenPrices>,
}

/// An error in the settings of a judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// Neither a model nor a command is set.
    #[error("there is a criterion for a judge, but no model or command to ask")]
    NobodyToAsk,
    /// A judge of kind `command` without a command.
    #[error("`judge.kind` is `command`, but `judge.command` is not set")]
    NoCommand,
    /// A setting that this kind of judge does not use.
    #[error("`{key}` means nothing to a judge of kind `{kind}`")]
    Useless {
        /// The setting.
        key: &'static str,
        /// The kind of the judge.
        kind: &'static str,
    },
    /// An agent that cannot judge.
    #[error("`judge.agent`: `{name}` is no agent that can judge")]
    NoSuchAgent {
        /// Its name.
        name: String,
    },
    /// An address that is not one of HTTP.
    #[error("`judge.url`: `{url}` is no address that begins with http:// or https://")]
    Url {
        /// The address.
        url: String,
    },
    /// A price for only one direction.
    #[error("`judge.price_input` and `judge.price_output` go together")]
    HalfAPrice,
    /// A limit of money, and a judge of unknown cost.
    #[error("`--max-cost` cannot be kept: what the judge costs is not known")]
    NoPrice,
    /// A judge, and trust in the claim alone.
    #[error("`--trust claim` leaves nothing to a judge")]
    NothingToDecide,
    /// A key that is not set.
    #[error("the judge needs a key, and {variable} is not set")]
    NoKey {
        /// The variable that should hold it.
        variable: String,
    },
}

/// Returns the agents that can judge.
fn able() -> Vec<&'static str> {
    let can = |client: &Client| ClientOptions::new(*client).asked().is_some();
    Client::ALL.into_iter().filter(can).map(Client::name).collect()
}

impl JudgeError {
    /// Returns a hint on what helps.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NobodyToAsk => "set judge.model, and judge.url for a model of your own; or judge.agent, or judge.command".to_owned(),
            Self::NoCommand => "it gets the request as JSON on stdin and answers on stdout".to_owned(),
            Self::NoSuchAgent { .. } => format!("these can: {}", able().join(", ")),
            Self::NoPrice => "set judge.price_input and judge.price_output, in US dollars for a million tokens; 0 for a model of your own".to_owned(),
            Self::NothingToDecide => "leave one of the two out".to_owned(),
            Self::NoKey { variable } => format!(
                "export {variable}, name another in judge.key_variable, or set judge.url for a model of your own"
            ),
            Self::Useless { .. } | Self::Url { .. } | Self::HalfAPrice => return None,
        })
    }
}

impl JudgeError {
    /// Returns the message and the hint in Korean.
    pub fn korean(&self) -> (String, Option<String>) {
        let (what, hint) = match self {
            Self::NobodyToAsk => (
                "판정 기준은 있지만 물어볼 모델이나 명령이 없습니다",
                "judge.model 을, 자체 모델이라면 judge.url 도 설정하세요. judge.agent 나 judge.command 를 써도 됩니다",
            ),
            Self::NoCommand => (
                "`judge.kind` 가 `command` 인데 `judge.command` 가 없습니다",
                "요청을 표준 입력에서 JSON 으로 받고 표준 출력으로 답합니다",
            ),
            Self::NoSuchAgent { name } => {
                let what =
                    format!("`judge.agent`: `{name}` 은(는) 판정할 수 있는 에이전트가 아닙니다");
                let hint = format!("판정할 수 있는 에이전트: {}", able().join(", "));
                return (what, Some(hint));
            }
            Self::Useless { key, kind } => {
                return (format!("`{key}` 은(는) `{kind}` 판정자에게 의미가 없습니다"), None);
            }
            Self::Url { url } => {
                let what = "http:// 나 https:// 로 시작하는 주소가 아닙니다";
                return (format!("`judge.url`: `{url}` 은(는) {what}"), None);
            }
            Self::HalfAPrice => {
                let what = "`judge.price_input` 과 `judge.price_output` 은 함께 설정해야 합니다";
                return (what.to_owned(), None);
            }
            Self::NoPrice => (
                "판정자의 비용을 알 수 없어 `--max-cost` 를 지킬 수 없습니다",
                "judge.price_input 과 judge.price_output 을 백만 토큰당 미국 달러로 설정하세요. 자체 모델이면 0",
            ),
            Self::NothingToDecide => {
                ("`--trust claim` 이면 판정자가 정할 것이 없습니다", "둘 중 하나를 빼세요")
            }
            Self::NoKey { variable } => {
                let what =
                    format!("판정자에게 키가 필요한데 {variable} 이(가) 설정되지 않았습니다");
                let hint = format!(
                    "{variable} 을(를) 내보내거나, judge.key_variable 에 다른 변수를 적거나, 자체 모델이면 judge.url 을 설정하세요"
                );
                return (what, Some(hint));
            }
        };
        (what.to_owned(), Some(hint.to_owned()))
    }
}

/// Makes the gate of the judge, if there is a criterion for it.
pub(crate) fn gate(reader: &SettingReader<'_>) -> Option<GateSpec> {
    let criterion = reader.text("judge.criterion")?.trim();
    (!criterion.is_empty()).then(|| GateSpec {
        name: GateSpec::JUDGE.to_owned(),
        criterion: Criterion::Judge,
        command: GateCommand::Question(criterion.to_owned()),
        dir: String::new(),
        format: OutputFormat::Exit,
        bar: PassCondition::Clean,
        timeout: reader.span("judge.timeout").unwrap_or(TIMEOUT),
        need: GateImportance::Required,
    })
}

/// Reads the judge. Without a kind it is the command, if there is one.
pub(crate) fn read(reader: &SettingReader<'_>) -> Result<JudgeChoice, JudgeError> {
    let command = reader.list("judge.command");
    let named = |name: &str| reader.text(name).map(str::to_owned);
    let key_variable = named("judge.key_variable").filter(|name| !name.trim().is_empty());
    if let Some(name) = reader.text("judge.agent").map(str::trim).filter(|name| !name.is_empty()) {
        return agent(reader, name, key_variable);
    }
    let (kind, dialect) = match (reader.text("judge.kind"), &command) {
        (Some("command"), _) | (None, Some(_)) => {
            if let Some(key) = OF_MODELS.into_iter().find(|key| reader.0.get(key).is_some()) {
                return Err(JudgeError::Useless { key, kind: "command" });
            }
            let words = command.ok_or(JudgeError::NoCommand)?;
            return Ok(JudgeChoice::Command { words, key_variable });
        }
        (Some("anthropic"), _) => ("anthropic", ModelDialect::Anthropic),
        (Some(_), _) | (None, None) => ("openai", ModelDialect::OpenAi),
    };
    if command.is_some() {
        return Err(JudgeError::Useless { key: "judge.command", kind });
    }
    let (home, usual_key) = match dialect {
        ModelDialect::OpenAi => ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        ModelDialect::Anthropic => ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    };
    let url = named("judge.url");
    // The default key belongs to its own provider, so no other gets it.
    let key_variable = key_variable.or_else(|| url.is_none().then(|| usual_key.to_owned()));
    let url = url.unwrap_or_else(|| home.to_owned());
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if host.is_none_or(|host| host.is_empty() || host.contains(char::is_whitespace)) {
        return Err(JudgeError::Url { url });
    }
    let prices = match (reader.money("judge.price_input"), reader.money("judge.price_output")) {
        (Some(input), Some(output)) => Some(TokenPrices { input, output }),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(JudgeError::HalfAPrice),
    };
    let model = named("judge.model").filter(|model| !model.trim().is_empty());
    let model = model.ok_or(JudgeError::NobodyToAsk)?;
    Ok(JudgeChoice::Model(ModelChoice { dialect, url, model, key_variable, prices }))
}

/// Makes a coding agent the judge, with the user's options and the judge's model.
fn agent(
    reader: &SettingReader<'_>,
    name: &str,
    key_variable: Option<String>,
) -> Result<JudgeChoice, JudgeError> {
    if let Some(key) = NOT_OF_AGENTS.into_iter().find(|key| reader.0.get(key).is_some()) {
        return Err(JudgeError::Useless { key, kind: "agent" });
    }
    let options = Client::named(name).map(|client| reader.client(client));
    let options = options.filter(|options| options.asked().is_some());
    let mut options = options.ok_or_else(|| JudgeError::NoSuchAgent { name: name.to_owned() })?;
    if let Some(model) = reader.text("judge.model") {
        options.model = Some(model.to_owned());
    }
    Ok(JudgeChoice::Agent { options, key_variable })
}

impl JudgeChoice {
    /// Returns the program that it needs, if any.
    pub fn program(&self) -> Option<String> {
        match self {
            Self::Model(_) => None,
            Self::Command { words, .. } => words.first().cloned(),
            Self::Agent { options, .. } => options.asked()?.words.into_iter().next(),
        }
    }

    /// Returns the coding agent that judges, if one does.
    pub fn client(&self) -> Option<Client> {
        match self {
            Self::Agent { options, .. } => Some(options.client),
            Self::Model(_) | Self::Command { .. } => None,
        }
    }

    /// Returns an error for a judge of unknown cost under a limit of money.
    pub(crate) fn ensure_priced(&self) -> Result<(), JudgeError> {
        match self {
            Self::Model(ModelChoice { prices: None, .. }) => Err(JudgeError::NoPrice),
            Self::Model(ModelChoice { prices: Some(_), .. })
            | Self::Command { .. }
            | Self::Agent { .. } => Ok(()),
        }
    }

    /// Makes the connection to the judge, with its key from the environment.
    pub fn transport(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<JudgeTransport, JudgeError> {
        let key = |name: &String| {
            let key = variable(name).as_deref().and_then(ApiKey::new);
            key.ok_or_else(|| JudgeError::NoKey { variable: name.clone() })
        };
        Ok(match self {
            Self::Model(choice) => JudgeTransport::Model(ModelEndpoint {
                dialect: choice.dialect,
                url: choice.url.clone(),
                model: choice.model.clone(),
                key: choice.key_variable.as_ref().map(key).transpose()?,
                prices: choice.prices,
            }),
            Self::Command { words, key_variable } => JudgeTransport::Command(JudgeCommand {
                words: words.clone(),
                keys: match key_variable {
                    Some(name) => vec![(name.clone(), key(name)?)],
                    None => Vec::new(),
                },
                client: None,
                enclosure: None,
            }),
            Self::Agent { options, key_variable } => {
                let asked = options.asked().ok_or(JudgeError::NobodyToAsk)?;
                let own = |name: &&str| Some(((*name).to_owned(), ApiKey::new(&variable(name)?)?));
                let mut keys: Vec<(String, ApiKey)> =
                    asked.credentials.iter().filter_map(own).collect();
                if let Some(name) = key_variable {
                    keys.push((name.clone(), key(name)?));
                }
                let OneShotClient { words, system_flag, without, read, .. } = asked;
                JudgeTransport::Command(JudgeCommand {
                    words,
                    keys,
                    client: Some(ClientForm { system_flag, without, read }),
                    enclosure: None,
                })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KEYS, SettingLayers};

    fn layers(set: &[(&'static str, &str)]) -> SettingLayers {
        let mut layers = SettingLayers::default();
        for (path, text) in set {
            let kind = KEYS.iter().find(|key| key.path == *path).unwrap().kind;
            layers.set_flag(path, kind.parse(text).unwrap());
        }
        layers
    }

    fn choice(set: &[(&'static str, &str)]) -> Result<JudgeChoice, JudgeError> {
        read(&SettingReader(&layers(set)))
    }

    fn key_sent_with(set: &[(&'static str, &str)]) -> Option<String> {
        match choice(set).unwrap() {
            JudgeChoice::Model(model) => model.key_variable,
            JudgeChoice::Command { key_variable, .. } | JudgeChoice::Agent { key_variable, .. } => {
                key_variable
            }
        }
    }

    #[test]
    fn the_usual_key_goes_only_to_its_own_provider() {
        let model = ("judge.model", "m");
        let own = ("judge.url", "http://localhost:8080/v1");
        assert_eq!(key_sent_with(&[model]).as_deref(), Some("OPENAI_API_KEY"));
        let claude = [("judge.kind", "anthropic"), model];
        assert_eq!(key_sent_with(&claude).as_deref(), Some("ANTHROPIC_API_KEY"));
        assert_eq!(key_sent_with(&[model, own]), None);
        let named = [model, own, ("judge.key_variable", "MY_KEY")];
        assert_eq!(key_sent_with(&named).as_deref(), Some("MY_KEY"));
        assert_eq!(key_sent_with(&[("judge.command", "./judge")]), None);
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let useless = |key, kind| JudgeError::Useless { key, kind };
        for (set, want) in [
            (&[][..], JudgeError::NobodyToAsk),
            (&[("judge.kind", "command")], JudgeError::NoCommand),
            (
                &[("judge.agent", "claude"), ("judge.command", "./judge")],
                useless("judge.command", "agent"),
            ),
            (
                &[("judge.agent", "opencode")],
                JudgeError::NoSuchAgent { name: "opencode".to_owned() },
            ),
            (
                &[("judge.command", "./judge"), ("judge.model", "m")],
                useless("judge.model", "command"),
            ),
            (
                &[("judge.kind", "openai"), ("judge.command", "./judge")],
                useless("judge.command", "openai"),
            ),
            (
                &[("judge.model", "m"), ("judge.url", "localhost:8080")],
                JudgeError::Url { url: "localhost:8080".to_owned() },
            ),
            (&[("judge.model", "m"), ("judge.price_input", "1")], JudgeError::HalfAPrice),
        ] {
            assert_eq!(choice(set), Err(want));
        }
    }

    #[test]
    fn a_key_that_is_not_set_is_missed_before_anything_starts() {
        let choice = choice(&[("judge.model", "m")]).unwrap();
        let missing = choice.transport(&|_| None).unwrap_err();
        assert_eq!(missing, JudgeError::NoKey { variable: "OPENAI_API_KEY".to_owned() });
        assert!(choice.transport(&|_| Some("k".to_owned())).is_ok());
    }

    #[test]
    fn an_empty_criterion_asks_nobody() {
        let of = |text| gate(&SettingReader(&layers(&[("judge.criterion", text)])));
        assert_eq!(of(" "), None);
        let spec = of("It is kind.").unwrap();
        assert_eq!(spec.command, GateCommand::Question("It is kind.".to_owned()));
        assert_eq!((spec.need, spec.timeout), (GateImportance::Required, TIMEOUT));
    }
}
