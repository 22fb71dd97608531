//! Reads the output of tools: findings and test outcomes, in bounded memory.
//!
//! One module for each form. A reader takes its input as it comes and hands
//! what it finds to a [`Collector`]; it never guesses, and text it does not
//! know is passed over or, where the form has a grammar, refused.

mod biome;
mod cargo;
mod collector;
mod eslint;
mod json;
mod located;
mod mypy;
mod oxlint;
mod plain_diagnostics;
mod printed;
mod pyright;
mod rubocop;
mod ruff;
#[cfg(test)]
mod sampled;
mod sarif;
mod shellcheck;
mod tsc;

use std::io::{self, BufRead};

use ralph_core::format::Format;

pub use collector::{Collector, Found};

/// Output that is not in the form it should be in.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The bytes could not be read at all.
    #[error("its output cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The output breaks the grammar of its form.
    #[error("its output is not what {form} prints: {what}")]
    Form {
        /// The form, such as `junit`.
        form: &'static str,
        /// What is wrong, with the place where there is one.
        what: String,
    },
}

/// Reads `input` in the given form.
pub fn read(
    format: Format,
    input: &mut dyn BufRead,
    out: &mut Collector,
) -> Result<(), Unreadable> {
    read_diagnostics(format, input, out)
}

/// Reads the diagnostics in output of a form that has some.
fn read_diagnostics(
    format: Format,
    input: &mut dyn BufRead,
    out: &mut Collector,
) -> Result<(), Unreadable> {
    match format {
        Format::Text => plain_diagnostics::read(input, out),
        Format::Cargo => cargo::read(input, out),
        Format::Tsc => tsc::read(input, out),
        Format::Eslint => eslint::read(input, out),
        Format::Biome => biome::read(input, out),
        Format::Oxlint => oxlint::read(input, out),
        Format::Ruff => ruff::read(input, out),
        Format::Mypy => mypy::read(input, out),
        Format::Pyright => pyright::read(input, out),
        Format::Shellcheck => shellcheck::read(input, out),
        Format::Rubocop => rubocop::read(input, out),
        Format::Sarif => sarif::read(input, out),
        Format::Exit
        | Format::Libtest
        | Format::Nextest
        | Format::Junit
        | Format::Jest
        | Format::Tap
        | Format::GoTest
        | Format::Ctest => {
            let what = "it is not a form for diagnostics".to_owned();
            Err(Unreadable::Form { form: format.name(), what })
        }
    }
}

#[cfg(test)]
#[path = "formats/robustness_tests.rs"]
mod robustness_tests;
