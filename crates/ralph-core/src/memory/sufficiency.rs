//! Whether enough is known to begin: what a task names has to lead somewhere.
//! What it does not name, nobody is asked about.

mod named;

use crate::locale::Locale;

pub use named::{Named, named};

/// Whether enough is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sufficiency {
    /// It is.
    Ready,
    /// The code was never read: these names may be in it.
    ExpandSearch {
        /// What the task names.
        missing: Vec<String>,
    },
    /// These names are nowhere, so only a person knows what they mean.
    RequestHuman {
        /// What the task names.
        missing: Vec<String>,
    },
}

impl Sufficiency {
    /// Judges what a task names by the names that are not in the code; `None`
    /// if the code was never read.
    pub fn of(named: &Named, undefined: Option<&[String]>) -> Self {
        match undefined {
            None if named.symbols.is_empty() => Self::Ready,
            None => Self::ExpandSearch { missing: named.symbols.clone() },
            Some([]) => Self::Ready,
            Some(missing) => Self::RequestHuman { missing: missing.to_vec() },
        }
    }

    /// The question to a person, if only a person has the answer.
    pub fn question(&self, locale: Locale) -> Option<String> {
        let Self::RequestHuman { missing } = self else { return None };
        let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Some(match locale {
            Locale::En => {
                format!("{names} is not in the code. If it is not to be new, what is meant?")
            }
            Locale::Ko => {
                format!(
                    "{names} 을(를) 코드에서 찾을 수 없습니다. 새로 만들 것이 아니라면 무엇을 뜻하나요?"
                )
            }
        })
    }
}

#[cfg(test)]
#[path = "sufficiency_tests.rs"]
mod tests;
