//! Who judges, and what has to be found fulfilled.

use std::time::Duration;

use ralph_checks::judge::{CommandLine, Dialect, Endpoint, Key, Prices, Transport};
use ralph_core::format::Format;
use ralph_core::policy::{Bar, Criterion, GateCommand, GateSpec, Need};

use super::settings::Reader;

/// A judge's timeout unless configured.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The settings of a judge that is a model.
const OF_MODELS: [&str; 4] =
    ["judge.url", "judge.model", "judge.price_input", "judge.price_output"];

/// How the judge is reached, its key aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JudgeChoice {
    /// A model behind an endpoint.
    Model(ModelChoice),
    /// A command, which may get one variable that holds a key.
    Command { words: Vec<String>, key_variable: Option<String> },
}

/// A model behind an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelChoice {
    dialect: Dialect,
    url: String,
    model: String,
    /// The variable that holds the key; `None` when none is sent.
    key_variable: Option<String>,
    prices: Option<Prices>,
}

/// Settings of a judge that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JudgeError {
    #[error("there is a criterion for a judge, but no model or command to ask")]
    NobodyToAsk,
    #[error("`judge.kind` is `command`, but `judge.command` is not set")]
    NoCommand,
    #[error("`{key}` means nothing to a judge of kind `{kind}`")]
    Useless { key: &'static str, kind: &'static str },
    #[error("`judge.url`: `{url}` is no address that begins with http:// or https://")]
    Url { url: String },
    #[error("`judge.price_input` and `judge.price_output` go together")]
    HalfAPrice,
    #[error("`--max-cost` cannot be kept: what the judge costs is not known")]
    NoPrice,
    #[error("`--trust claim` leaves nothing to a judge")]
    NothingToDecide,
    #[error("the judge needs a key, and {variable} is not set")]
    NoKey { variable: String },
}

impl JudgeError {
    /// What helps.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NobodyToAsk => "set judge.model, and judge.url for a model of your own; or judge.command".to_owned(),
            Self::NoCommand => "it gets the request as JSON on stdin and answers on stdout".to_owned(),
            Self::NoPrice => "set judge.price_input and judge.price_output, in US dollars for a million tokens; 0 for a model of your own".to_owned(),
            Self::NothingToDecide => "leave one of the two out".to_owned(),
            Self::NoKey { variable } => format!(
                "export {variable}, name another in judge.key_variable, or set judge.url for a model of your own"
            ),
            Self::Useless { .. } | Self::Url { .. } | Self::HalfAPrice => return None,
        })
    }
}

/// The gate that stands for the judge, if there is a criterion for it.
pub(super) fn gate(reader: &Reader<'_>) -> Option<GateSpec> {
    let criterion = reader.text("judge.criterion")?.trim();
    (!criterion.is_empty()).then(|| GateSpec {
        name: GateSpec::JUDGE.to_owned(),
        criterion: Criterion::Judge,
        command: GateCommand::Question(criterion.to_owned()),
        dir: String::new(),
        format: Format::Exit,
        bar: Bar::Clean,
        timeout: reader.span("judge.timeout").unwrap_or(TIMEOUT),
        need: Need::Required,
    })
}

/// Who is asked. Without a kind, a command if there is one.
pub(super) fn read(reader: &Reader<'_>) -> Result<JudgeChoice, JudgeError> {
    let command = reader.list("judge.command");
    let named = |name: &str| reader.text(name).map(str::to_owned);
    let key_variable = named("judge.key_variable").filter(|name| !name.trim().is_empty());
    let (kind, dialect) = match (reader.text("judge.kind"), &command) {
        (Some("command"), _) | (None, Some(_)) => {
            if let Some(key) = OF_MODELS.into_iter().find(|key| reader.0.get(key).is_some()) {
                return Err(JudgeError::Useless { key, kind: "command" });
            }
            let words = command.ok_or(JudgeError::NoCommand)?;
            return Ok(JudgeChoice::Command { words, key_variable });
        }
        (Some("anthropic"), _) => ("anthropic", Dialect::Anthropic),
        (Some(_), _) | (None, None) => ("openai", Dialect::OpenAi),
    };
    if command.is_some() {
        return Err(JudgeError::Useless { key: "judge.command", kind });
    }
    let (home, usual_key) = match dialect {
        Dialect::OpenAi => ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        Dialect::Anthropic => ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    };
    let url = named("judge.url");
    // The usual key is for its own provider, whoever else is asked.
    let key_variable = key_variable.or_else(|| url.is_none().then(|| usual_key.to_owned()));
    let url = url.unwrap_or_else(|| home.to_owned());
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if host.is_none_or(|host| host.is_empty() || host.contains(char::is_whitespace)) {
        return Err(JudgeError::Url { url });
    }
    let prices = match (reader.money("judge.price_input"), reader.money("judge.price_output")) {
        (Some(input), Some(output)) => Some(Prices { input, output }),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(JudgeError::HalfAPrice),
    };
    let model = named("judge.model").filter(|model| !model.trim().is_empty());
    let model = model.ok_or(JudgeError::NobodyToAsk)?;
    Ok(JudgeChoice::Model(ModelChoice { dialect, url, model, key_variable, prices }))
}

impl JudgeChoice {
    /// Refuses a judge whose cost would escape a limit of money.
    pub(super) fn ensure_priced(&self) -> Result<(), JudgeError> {
        match self {
            Self::Model(ModelChoice { prices: None, .. }) => Err(JudgeError::NoPrice),
            Self::Model(ModelChoice { prices: Some(_), .. }) | Self::Command { .. } => Ok(()),
        }
    }

    /// The way to the judge, with its key from the environment.
    pub(crate) fn transport(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Transport, JudgeError> {
        let key = |name: &String| {
            let key = variable(name).as_deref().and_then(Key::new);
            key.ok_or_else(|| JudgeError::NoKey { variable: name.clone() })
        };
        Ok(match self {
            Self::Model(choice) => Transport::Model(Endpoint {
                dialect: choice.dialect,
                url: choice.url.clone(),
                model: choice.model.clone(),
                key: choice.key_variable.as_ref().map(key).transpose()?,
                prices: choice.prices,
            }),
            Self::Command { words, key_variable } => Transport::Command(CommandLine {
                words: words.clone(),
                key: match key_variable {
                    Some(name) => Some((name.clone(), key(name)?)),
                    None => None,
                },
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{KEYS, Layers};

    fn layers(set: &[(&'static str, &str)]) -> Layers {
        let mut layers = Layers::default();
        for (path, text) in set {
            let kind = KEYS.iter().find(|key| key.path == *path).unwrap().kind;
            layers.set_flag(path, kind.parse(text).unwrap());
        }
        layers
    }

    fn choice(set: &[(&'static str, &str)]) -> Result<JudgeChoice, JudgeError> {
        read(&Reader(&layers(set)))
    }

    fn key_sent_with(set: &[(&'static str, &str)]) -> Option<String> {
        match choice(set).unwrap() {
            JudgeChoice::Model(model) => model.key_variable,
            JudgeChoice::Command { key_variable, .. } => key_variable,
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
        let of = |text| gate(&Reader(&layers(&[("judge.criterion", text)])));
        assert_eq!(of(" "), None);
        let spec = of("It is kind.").unwrap();
        assert_eq!(spec.command, GateCommand::Question("It is kind.".to_owned()));
        assert_eq!((spec.need, spec.timeout), (Need::Required, TIMEOUT));
    }
}
