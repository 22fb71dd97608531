//! The output formats that gates can parse.

use std::str::FromStr;

use crate::policy::UnknownWord;

/// The format of the output of a gate's command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutputFormat {
    /// Only the exit code counts.
    Exit,
    /// Plain text in a common format: `file:line:col: level: message` and the
    /// summaries of common test runners.
    #[default]
    Text,
    /// `cargo … --message-format=json`, from rustc and clippy.
    Cargo,
    /// The text of `cargo test`, from libtest.
    Libtest,
    /// The text of `cargo nextest run`.
    Nextest,
    /// `JUnit` XML.
    Junit,
    /// `jest --json` and `vitest --reporter=json`.
    Jest,
    /// The Test Anything Protocol, as of `node --test` and `prove`.
    Tap,
    /// `go test -json`.
    GoTest,
    /// `ctest`.
    Ctest,
    /// `tsc --pretty false`.
    Tsc,
    /// `eslint --format json`.
    Eslint,
    /// `biome … --reporter=json`.
    Biome,
    /// `oxlint --format=json`.
    Oxlint,
    /// `ruff check --output-format=json`.
    Ruff,
    /// `mypy`.
    Mypy,
    /// `pyright --outputjson`.
    Pyright,
    /// `shellcheck --format=json1`.
    Shellcheck,
    /// `rubocop --format json`.
    Rubocop,
    /// SARIF.
    Sarif,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [Self; 20] = [
        Self::Exit,
        Self::Text,
        Self::Cargo,
        Self::Libtest,
        Self::Nextest,
        Self::Junit,
        Self::Jest,
        Self::Tap,
        Self::GoTest,
        Self::Ctest,
        Self::Tsc,
        Self::Eslint,
        Self::Biome,
        Self::Oxlint,
        Self::Ruff,
        Self::Mypy,
        Self::Pyright,
        Self::Shellcheck,
        Self::Rubocop,
        Self::Sarif,
    ];

    /// Returns true for test runners, whose output without a test is never a pass.
    pub fn is_of_tests(self) -> bool {
        matches!(
            self,
            Self::Libtest
                | Self::Nextest
                | Self::Junit
                | Self::Jest
                | Self::Tap
                | Self::GoTest
                | Self::Ctest
        )
    }

    /// Returns the name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Text => "text",
            Self::Cargo => "cargo",
            Self::Libtest => "libtest",
            Self::Nextest => "nextest",
            Self::Junit => "junit",
            Self::Jest => "jest",
            Self::Tap => "tap",
            Self::GoTest => "go-test",
            Self::Ctest => "ctest",
            Self::Tsc => "tsc",
            Self::Eslint => "eslint",
            Self::Biome => "biome",
            Self::Oxlint => "oxlint",
            Self::Ruff => "ruff",
            Self::Mypy => "mypy",
            Self::Pyright => "pyright",
            Self::Shellcheck => "shellcheck",
            Self::Rubocop => "rubocop",
            Self::Sarif => "sarif",
        }
    }
}

impl FromStr for OutputFormat {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| UnknownWord {
            given: text.to_owned(),
            choices: "exit, text, cargo, libtest, nextest, junit, jest, tap, go-test, ctest, tsc, \
                      eslint, biome, oxlint, ruff, mypy, pyright, shellcheck, rubocop, sarif",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_an_error_lists_them_all() {
        let error = "nothing".parse::<OutputFormat>().unwrap_err().to_string();
        for format in OutputFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(error.contains(format.name()), "{error}");
        }
    }
}
