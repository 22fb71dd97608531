//! Checks whether the names in a task are known, so that work on it can start.

mod named;

use crate::locale::Locale;

pub use named::{MentionedNames, named};

/// The answer to whether enough is known to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sufficiency {
    /// Enough is known.
    Ready,
    /// The code was not read yet; it may contain these names.
    ExpandSearch {
        /// Unknown names.
        missing: Vec<String>,
    },
    /// No code contains these names; only a person knows what they mean.
    RequestHuman {
        /// Unknown names.
        missing: Vec<String>,
    },
}

impl Sufficiency {
    /// Judges the names in a task. `undefined` lists those that are not in the
    /// code; `None` if the code was never read.
    pub fn of(named: &MentionedNames, undefined: Option<&[String]>) -> Self {
        match undefined {
            None if named.symbols.is_empty() => Self::Ready,
            None => Self::ExpandSearch { missing: named.symbols.clone() },
            Some([]) => Self::Ready,
            Some(missing) => Self::RequestHuman { missing: missing.to_vec() },
        }
    }

    /// Returns the question to a person, if one is needed.
    pub fn question(&self, locale: Locale) -> Option<String> {
        let Self::RequestHuman { missing } = self else { return None };
        let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Some(locale.say(
            format!("{names} is not in the code. If it is not to be new, what is meant?"),
            format!(
                "{names} 을(를) 코드에서 찾을 수 없습니다. 새로 만들 것이 아니라면 무엇을 뜻하나요?"
            ),
        ))
    }
}

#[cfg(test)]
#[path = "sufficiency_tests.rs"]
mod tests;
