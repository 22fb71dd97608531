//! The languages of messages and feedback.

use std::fmt;
use std::str::FromStr;

/// A language that feedback and messages are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Locale {
    /// English, `en`.
    #[default]
    En,
    /// Korean, `ko`.
    Ko,
}

/// Text that names no supported language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a language ralph speaks; expected `en` or `ko`")]
pub struct ParseLocaleError(String);

impl Locale {
    /// Returns the one of two texts that is in this language.
    pub fn say<T>(self, english: T, korean: T) -> T {
        match self {
            Self::En => english,
            Self::Ko => korean,
        }
    }

    /// Returns the name used in config files and on the command line.
    pub fn as_str(self) -> &'static str {
        self.say("en", "ko")
    }
}

impl FromStr for Locale {
    type Err = ParseLocaleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "en" => Ok(Self::En),
            "ko" => Ok(Self::Ko),
            _ => Err(ParseLocaleError(text.to_owned())),
        }
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_reads_back_from_its_name() {
        for locale in [Locale::En, Locale::Ko] {
            assert_eq!(locale.as_str().parse(), Ok(locale));
        }
    }

    #[test]
    fn an_unknown_locale_is_refused_by_name() {
        let error = "fr".parse::<Locale>().unwrap_err();
        assert_eq!(error.to_string(), "`fr` is not a language ralph speaks; expected `en` or `ko`");
    }
}
