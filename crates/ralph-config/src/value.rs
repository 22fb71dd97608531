//! The values of settings, parsed from files, variables and flags.

use std::time::Duration;

use ralph_core::policy::Criterion;
use ralph_core::usage::Usd;

use crate::nearest::nearest;

/// The kind of value that a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or the name of an agent of the user.
    Agent(&'static [&'static str]),
    /// A whole number of at least one.
    Count,
    /// A duration, such as `30m`, `1h30m`, `90s`.
    Span,
    /// US dollars.
    Money,
    /// US dollars to spend, more than zero.
    Budget,
    /// A number of bytes, such as `100MB`.
    Size,
    /// A list of texts; commas separate them in a variable.
    List,
    /// A list of criteria; a variable holds one `custom:` or names with commas.
    Criteria,
    /// A command: text that is split into words, or a list of words.
    Command,
    /// On or off.
    Switch,
}

/// A value that was checked against its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A text.
    Text(String),
    /// A number.
    Count(u64),
    /// A duration.
    Span(Duration),
    /// An amount of money.
    Money(Usd),
    /// A list of texts.
    List(Vec<String>),
    /// True or false.
    Switch(bool),
}

/// An error in a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A word that is not among the choices.
    #[error("`{given}` is not one of {}{}", choices.join(", "), meant(given, choices))]
    Choice {
        /// The word.
        given: String,
        /// The choices.
        choices: &'static [&'static str],
    },
    /// Not a whole number of at least one.
    #[error("`{0}` is not a whole number of at least 1")]
    Count(String),
    /// A number that is too large.
    #[error("`{0}` is more than 4294967295")]
    TooMany(String),
    /// Not a duration.
    #[error(
        "`{0}` is not a duration of some length; write a number and a unit, such as 90s, 30m or 1h30m"
    )]
    Span(String),
    /// Not a size.
    #[error("`{0}` is not a size; write a number and a unit, such as 500KB, 100MB or 2GB")]
    Size(String),
    /// Not an amount of money.
    #[error("`{0}` is not an amount in US dollars, such as 2.50")]
    Money(String),
    /// An amount that buys nothing.
    #[error("`{0}` buys nothing; write an amount in US dollars above 0, such as 2.50")]
    Budget(String),
    /// Neither true nor false.
    #[error("`{0}` is neither true nor false")]
    Switch(String),
    /// A value of another type.
    #[error("expected {expected}, found {found}")]
    Form {
        /// The type that was expected.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// A command that only a shell understands.
    #[error(
        "the command has `{0}` in it, which only a shell understands, and no shell is used; write `sh -c '…'`, or `custom:sh:…` for a gate"
    )]
    NeedsShell(String),
    /// A command without words.
    #[error("the command is empty")]
    EmptyCommand,
    /// A quotation that does not end.
    #[error("the command `{0}` ends inside a quotation")]
    OpenQuote(String),
    /// A text that is not a criterion.
    #[error(
        "`{given}` is not a criterion; {}use {} or custom:COMMAND",
        meant_criterion(given).map_or_else(String::new, |near| format!("did you mean `{near}`? ")),
        criterion_names().join(", ")
    )]
    Criterion {
        /// The text.
        given: String,
    },
}

fn criterion_names() -> [&'static str; Criterion::NAMED.len()] {
    Criterion::NAMED.map(Criterion::name)
}

/// Returns the criterion that a misspelt one meant.
fn meant_criterion(given: &str) -> Option<&'static str> {
    let name = given.split_once(':').map_or(given, |(name, _)| name);
    nearest(name, criterion_names())
}

/// Renders the choice that a misspelt one meant, as the end of a sentence.
fn meant(given: &str, choices: &[&'static str]) -> String {
    let near = nearest(given, choices.iter().copied());
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

impl ValueError {
    /// Returns the message in Korean.
    pub fn korean(&self) -> String {
        match self {
            Self::Choice { given, choices } => {
                let near = nearest(given, choices.iter().copied());
                let near = near.map(|near| format!(" `{near}` 을(를) 뜻하셨나요?"));
                let near = near.unwrap_or_default();
                format!("`{given}` 은(는) {} 중 하나가 아닙니다.{near}", choices.join(", "))
            }
            Self::Count(given) => format!("`{given}` 은(는) 1 이상의 정수가 아닙니다"),
            Self::TooMany(given) => format!("`{given}` 은(는) 4294967295 보다 큽니다"),
            Self::Span(given) => format!(
                "`{given}` 은(는) 시간이 아닙니다. 90s, 30m, 1h30m 처럼 숫자와 단위를 적으세요"
            ),
            Self::Size(given) => format!(
                "`{given}` 은(는) 크기가 아닙니다. 500KB, 100MB, 2GB 처럼 숫자와 단위를 적으세요"
            ),
            Self::Money(given) => {
                format!("`{given}` 은(는) 2.50 과 같은 미국 달러 금액이 아닙니다")
            }
            Self::Budget(given) => {
                format!(
                    "`{given}` 로는 아무것도 할 수 없습니다. 2.50 처럼 0 보다 큰 금액을 적으세요"
                )
            }
            Self::Switch(given) => format!("`{given}` 은(는) true 도 false 도 아닙니다"),
            Self::Form { expected, found } => {
                format!("{expected} 이(가) 필요한데 {found} 이(가) 있습니다")
            }
            Self::NeedsShell(word) => format!(
                "명령에 셸만 이해하는 `{word}` 이(가) 있지만 셸을 쓰지 않습니다. `sh -c '…'` 나, 게이트라면 `custom:sh:…` 로 적으세요"
            ),
            Self::EmptyCommand => "명령이 비어 있습니다".to_owned(),
            Self::OpenQuote(command) => format!("명령 `{command}` 의 따옴표가 닫히지 않았습니다"),
            Self::Criterion { given } => {
                let near =
                    meant_criterion(given).map(|near| format!(" `{near}` 을(를) 뜻하셨나요?"));
                let (near, names) = (near.unwrap_or_default(), criterion_names().join(", "));
                format!(
                    "`{given}` 은(는) 기준이 아닙니다.{near} 쓸 수 있는 기준: {names}, custom:명령"
                )
            }
        }
    }
}

impl SettingKind {
    /// Parses the value of a flag or a variable.
    pub fn parse(self, text: &str) -> Result<SettingValue, ValueError> {
        match self {
            // The rows of agents are not known here.
            Self::Text | Self::Agent(_) => Ok(SettingValue::Text(text.to_owned())),
            Self::Choice(words) => choice(text, words),
            Self::Count => count(text),
            Self::Span => {
                span(text).map(SettingValue::Span).ok_or_else(|| ValueError::Span(text.into()))
            }
            Self::Money => money(text),
            Self::Budget => budget(text),
            Self::Size => {
                size(text).map(SettingValue::Count).ok_or_else(|| ValueError::Size(text.to_owned()))
            }
            Self::List => Ok(SettingValue::List(split_list(text))),
            Self::Criteria => criteria(&[text.to_owned()]),
            Self::Command => words(text).map(SettingValue::List),
            Self::Switch => switch(text),
        }
    }

    /// Parses a value of a configuration file.
    pub fn read(self, value: &toml::Value) -> Result<SettingValue, ValueError> {
        match (self, value) {
            (Self::List, toml::Value::Array(items)) => texts(items).map(SettingValue::List),
            (Self::Criteria, toml::Value::Array(items)) => criteria(&texts(items)?),
            (Self::Command, toml::Value::Array(items)) => match texts(items)? {
                words if words.is_empty() => Err(ValueError::EmptyCommand),
                words => Ok(SettingValue::List(words)),
            },
            (Self::Switch, toml::Value::Boolean(on)) => Ok(SettingValue::Switch(*on)),
            (Self::Count, toml::Value::Integer(number)) => count(&number.to_string()),
            (Self::Money, toml::Value::Integer(number)) => money(&number.to_string()),
            (Self::Money, toml::Value::Float(number)) => money(&number.to_string()),
            (Self::Budget, toml::Value::Integer(number)) => budget(&number.to_string()),
            (Self::Budget, toml::Value::Float(number)) => budget(&number.to_string()),
            (
                Self::Text
                | Self::Choice(_)
                | Self::Agent(_)
                | Self::Span
                | Self::Size
                | Self::Criteria
                | Self::Command,
                toml::Value::String(text),
            ) => self.parse(text),
            (
                Self::Text
                | Self::Choice(_)
                | Self::Agent(_)
                | Self::Span
                | Self::Criteria
                | Self::Command
                | Self::List
                | Self::Count
                | Self::Switch
                | Self::Size
                | Self::Money
                | Self::Budget,
                other,
            ) => Err(ValueError::Form { expected: self.describe(), found: other.type_str() }),
        }
    }

    /// Describes the expected value.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Choice(_) | Self::Agent(_) => "a word",
            Self::Count => "a whole number",
            Self::Span => "a duration such as \"30m\"",
            Self::Money | Self::Budget => "a number of US dollars",
            Self::Size => "a size such as \"100MB\"",
            Self::List => "a list of texts",
            Self::Criteria => "a list of criteria",
            Self::Command => "a command",
            Self::Switch => "true or false",
        }
    }
}

impl SettingValue {
    /// Returns the value as a configuration file would have it.
    pub fn to_toml(&self) -> toml::Value {
        match self {
            Self::Text(text) => toml::Value::String(text.clone()),
            Self::Count(number) => toml::Value::Integer(i64::try_from(*number).unwrap_or(i64::MAX)),
            Self::Span(span) => toml::Value::String(render_span(*span)),
            Self::Switch(on) => toml::Value::Boolean(*on),
            Self::Money(money) => toml::Value::Float(money.dollars()),
            Self::List(items) => {
                toml::Value::Array(items.iter().cloned().map(toml::Value::String).collect())
            }
        }
    }
}

fn texts(items: &[toml::Value]) -> Result<Vec<String>, ValueError> {
    let text = |item: &toml::Value| {
        item.as_str()
            .map(str::to_owned)
            .ok_or(ValueError::Form { expected: "a list of texts", found: item.type_str() })
    };
    items.iter().map(text).collect()
}

fn choice(text: &str, words: &'static [&'static str]) -> Result<SettingValue, ValueError> {
    if words.contains(&text) {
        Ok(SettingValue::Text(text.to_owned()))
    } else {
        Err(ValueError::Choice { given: text.to_owned(), choices: words })
    }
}

fn count(text: &str) -> Result<SettingValue, ValueError> {
    match text.parse::<u64>() {
        Ok(number) if number > u64::from(u32::MAX) => Err(ValueError::TooMany(text.to_owned())),
        Ok(number) if number >= 1 => Ok(SettingValue::Count(number)),
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => {
            Err(ValueError::TooMany(text.to_owned()))
        }
        Ok(_) | Err(_) => Err(ValueError::Count(text.to_owned())),
    }
}

fn switch(text: &str) -> Result<SettingValue, ValueError> {
    match text {
        "true" | "1" => Ok(SettingValue::Switch(true)),
        "false" | "0" => Ok(SettingValue::Switch(false)),
        _ => Err(ValueError::Switch(text.to_owned())),
    }
}

fn money(text: &str) -> Result<SettingValue, ValueError> {
    let amount = text.strip_prefix('$').unwrap_or(text);
    let parsed = amount.parse::<f64>().ok().and_then(Usd::from_dollars);
    parsed.map(SettingValue::Money).ok_or_else(|| ValueError::Money(text.to_owned()))
}

fn budget(text: &str) -> Result<SettingValue, ValueError> {
    let amount = money(text)?;
    let is_none = amount == SettingValue::Money(Usd::default());
    if is_none { Err(ValueError::Budget(text.to_owned())) } else { Ok(amount) }
}

fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Words with a meaning in a shell. Without one they would silently become arguments:
/// `true && false` would pass.
const OPERATORS: [&str; 12] = ["&&", "||", "|", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>"];

/// Splits a text into words as a shell would, without expansion.
pub fn words(text: &str) -> Result<Vec<String>, ValueError> {
    let words =
        ralph_proc::split_words(text).map_err(|_| ValueError::OpenQuote(text.to_owned()))?;
    let for_a_shell = |word: &&String| {
        OPERATORS.contains(&word.as_str()) || (word.len() > 1 && word.ends_with(';'))
    };
    match words.iter().find(for_a_shell) {
        Some(word) => Err(ValueError::NeedsShell(word.clone())),
        None if words.is_empty() => Err(ValueError::EmptyCommand),
        None => Ok(words),
    }
}

/// Parses criteria: `a,b`, or `custom:` and the rest of the value.
pub fn criteria(given: &[String]) -> Result<SettingValue, ValueError> {
    let mut all = Vec::new();
    for text in given {
        if text.starts_with("custom:") {
            all.push(checked_criterion(text)?);
            continue;
        }
        for name in split_list(text) {
            all.push(checked_criterion(&name)?);
        }
    }
    Ok(SettingValue::List(all))
}

fn checked_criterion(text: &str) -> Result<String, ValueError> {
    if let Some(command) = text.strip_prefix("custom:") {
        match command.strip_prefix("sh:") {
            Some(script) if script.trim().is_empty() => return Err(ValueError::EmptyCommand),
            Some(_) => {}
            None => drop(words(command)?),
        }
        return Ok(text.to_owned());
    }
    let name = match text.split_once(':') {
        // It names one of several gates of the criterion.
        Some((name, label)) if !label.trim().is_empty() => name,
        Some(_) | None => text,
    };
    let known = Criterion::NAMED.iter().any(|criterion| criterion.name() == name);
    if known { Ok(text.to_owned()) } else { Err(ValueError::Criterion { given: text.to_owned() }) }
}

/// Parses a number of bytes such as `100MB`, with units of 1000.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim().to_ascii_uppercase().as_str() {
        "B" => 1,
        "KB" | "K" => 1_000,
        "MB" | "M" => 1_000_000,
        "GB" | "G" => 1_000_000_000,
        _ => return None,
    };
    number.checked_mul(unit).filter(|bytes| *bytes > 0)
}

/// Parses a duration such as `1h30m`, with the units in any order.
pub(crate) fn span(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let part = match rest[..unit].trim() {
            "ms" => Duration::from_millis(number),
            "s" => Duration::from_secs(number),
            "m" | "min" => Duration::from_secs(number.checked_mul(60)?),
            "h" => Duration::from_secs(number.checked_mul(3600)?),
            "d" => Duration::from_secs(number.checked_mul(86400)?),
            _ => return None,
        };
        rest = &rest[unit..];
        total = total.checked_add(part)?;
    }
    (!total.is_zero()).then_some(total)
}

/// Renders the shortest text that `span` parses.
pub fn render_span(span: Duration) -> String {
    let millis = span.as_millis();
    let units = [(3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
    let mut left = millis;
    let mut text = String::new();
    for (size, unit) in units {
        if left >= size {
            text.push_str(&(left / size).to_string());
            text.push_str(unit);
            left %= size;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
