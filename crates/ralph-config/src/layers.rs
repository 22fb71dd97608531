//! The layers of settings: files, variables and flags. Later ones win.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ralph_agents::rows::{RowError, RowTable};
use ralph_core::policy::Criterion;

use super::keys::{self, KEYS};
use super::settings::find_row;
use super::source::SettingsSource;
use super::value::{SettingValue, ValueError};

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// A file and the line.
    File(PathBuf, usize),
    /// An environment variable.
    Variable(&'static str),
    /// A flag of the command line.
    Flag,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => write!(f, "{name}"),
            Self::Flag => f.write_str("command line"),
        }
    }
}

/// An error in a settings file, variable or flag.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file that is not TOML.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The error.
        message: String,
    },
    /// A key that no setting has.
    #[error("{}:{line}: unknown key `{key}`{}", path.display(), suggestion(key))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The key.
        key: String,
    },
    /// A value that its setting does not take.
    #[error("{origin}: `{key}`: {source}")]
    Value {
        /// The origin of the value.
        origin: SettingOrigin,
        /// The setting.
        key: String,
        /// The error.
        source: ValueError,
    },
    /// Two settings that exclude each other.
    #[error("`{key}` and `{other}` cannot both be set")]
    Conflict {
        /// One setting.
        key: String,
        /// The other one.
        other: String,
    },
    /// A table `[agents.NAME]` with an error.
    #[error("{}:{line}: `agents.{name}`: {source}", path.display())]
    Agent {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The name of the agent.
        name: String,
        /// The error.
        source: RowError,
    },
    /// An agent that is not known.
    #[error(
        "`{given}` is no agent for `--agent` or run.agent; there are {known}{}",
        agent_suggestion(given)
    )]
    UnknownAgent {
        /// The name.
        given: String,
        /// The names that there are.
        known: String,
    },
    /// A pattern of provider limits that is not a regular expression.
    #[error("{0}")]
    Pattern(#[from] ralph_agents::limits::BadPattern),
}

impl ConfigError {
    /// Returns the message in Korean.
    pub fn korean(&self) -> String {
        match self {
            Self::Read { path, source } => {
                format!("{} 을(를) 읽을 수 없습니다: {source}", path.display())
            }
            Self::Syntax { path, line, column, message } => {
                format!("{}:{line}:{column}: TOML 문법 오류: {message}", path.display())
            }
            Self::UnknownKey { path, line, key } => {
                let near = keys::nearest(key).map(|near| format!(". `{near}` 을(를) 뜻하셨나요?"));
                let near = near.unwrap_or_default();
                format!("{}:{line}: 알 수 없는 키 `{key}`{near}", path.display())
            }
            Self::Value { origin, key, source } => {
                format!("{origin}: `{key}`: {}", source.korean())
            }
            Self::Conflict { key, other } => {
                format!("`{key}` 와 `{other}` 은(는) 함께 설정할 수 없습니다")
            }
            Self::Agent { path, line, name, source } => {
                format!(
                    "{}:{line}: `agents.{name}` 이(가) 잘못되었습니다: {source}",
                    path.display()
                )
            }
            Self::UnknownAgent { given, known } => {
                format!(
                    "`--agent` 나 run.agent 의 `{given}` 은(는) 에이전트가 아닙니다. 쓸 수 있는 것: {known}"
                )
            }
            Self::Pattern(error) => {
                format!("한도 패턴 `{}` 은(는) 정규식이 아닙니다", error.pattern)
            }
        }
    }
}

fn agent_suggestion(given: &str) -> String {
    let near = crate::nearest::nearest(given, ralph_agents::NAMES.iter().copied());
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

fn suggestion(key: &str) -> String {
    if matches!(key, "gates.custom.command" | "gates.custom.shell") {
        return "; put `custom:COMMAND` or `custom:sh:SCRIPT` into `run.criteria`".to_owned();
    }
    if let Some(near) = keys::nearest(key) {
        return format!("; did you mean `{near}`?");
    }
    if key.starts_with("gates.") {
        let names = Criterion::NAMED.map(Criterion::name).join(", ");
        return format!(
            "; a gate has the name of its criterion ({names}); a command of your own goes into \
             `run.criteria` as `custom:COMMAND`"
        );
    }
    String::new()
}

/// The settings, each with its origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingLayers {
    values: BTreeMap<String, (SettingValue, SettingOrigin)>,
    rows: RowTable,
}

impl SettingLayers {
    /// Returns the value at this path, if it is set.
    pub fn get(&self, path: &str) -> Option<&SettingValue> {
        self.values.get(path).map(|(value, _)| value)
    }

    /// Returns every value that is set, with its origin, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SettingValue, &SettingOrigin)> {
        self.values.iter().map(|(path, (value, origin))| (path.as_str(), value, origin))
    }

    /// Sets a value from a flag.
    pub fn set_flag(&mut self, path: &'static str, value: SettingValue) {
        self.values.insert(path.to_owned(), (value, SettingOrigin::Flag));
    }

    /// Returns the agents that are rows, with the tables `[agents.NAME]`.
    pub fn rows(&self) -> &RowTable {
        &self.rows
    }

    /// Sets a key of an agent's row from a flag.
    pub fn set_row_flag(&mut self, name: &str, key: &str, value: &str) -> Result<(), RowError> {
        let table = toml::Table::from_iter([(key.to_owned(), value.into())]);
        self.rows.change(name, &table, None)
    }

    /// Adds a file; a file that does not exist adds nothing.
    pub fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        self.add_source(&SettingsSource::read(path)?)
    }

    /// Adds a file that was read.
    pub fn add_source(&mut self, source: &SettingsSource) -> Result<(), ConfigError> {
        let SettingsSource { path, text, table } = source;
        self.add_table(&SettingsText { path, text }, "", table)?;
        self.agent_is_known()
    }

    /// Checks the name of the agent, since another layer may hide a misspelt one.
    fn agent_is_known(&self) -> Result<(), ConfigError> {
        match self.get("run.agent") {
            Some(SettingValue::Text(name)) if !ralph_agents::NAMES.contains(&name.as_str()) => {
                find_row(&self.rows, name).map(drop)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn add_table(
        &mut self,
        source: &SettingsText<'_>,
        prefix: &str,
        table: &toml::Table,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            if let ("", "agents", Some(rows)) = (prefix, name.as_str(), value.as_table()) {
                self.add_rows(source, rows)?;
                continue;
            }
            let full = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            if let (Some(inner), true) = (value.as_table(), keys::is_table(&full)) {
                self.add_table(source, &full, inner)?;
            } else {
                self.add_value(source, &full, value)?;
            }
        }
        Ok(())
    }

    fn add_rows(
        &mut self,
        source: &SettingsText<'_>,
        rows: &toml::Table,
    ) -> Result<(), ConfigError> {
        for (name, row) in rows {
            let form = || RowError::Form(format!("expected a table, found {}", row.type_str()));
            let table = row.as_table().ok_or_else(form);
            table.and_then(|table| self.rows.change(name, table, Some(source.path))).map_err(
                |error| ConfigError::Agent {
                    path: source.path.to_owned(),
                    line: source.line_of(&format!("agents.{name}")),
                    name: name.clone(),
                    source: error,
                },
            )?;
        }
        Ok(())
    }

    fn add_value(
        &mut self,
        source: &SettingsText<'_>,
        full: &str,
        value: &toml::Value,
    ) -> Result<(), ConfigError> {
        let line = source.line_of(full);
        let Some(key) = keys::find(full) else {
            return Err(ConfigError::UnknownKey {
                path: source.path.to_owned(),
                line,
                key: full.to_owned(),
            });
        };
        let origin = SettingOrigin::File(source.path.to_owned(), line);
        let value = key.kind.read(value).map_err(|error| ConfigError::Value {
            origin: origin.clone(),
            key: full.to_owned(),
            source: error,
        })?;
        self.values.insert(full.to_owned(), (value, origin));
        Ok(())
    }

    /// Adds the values of variables.
    pub fn add_variables(
        &mut self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        for key in KEYS {
            let Some(name) = key.variable else { continue };
            let Some(text) = variable(name) else { continue };
            let origin = SettingOrigin::Variable(name);
            let value = key.kind.parse(&text).map_err(|source| ConfigError::Value {
                origin: origin.clone(),
                key: key.path.to_owned(),
                source,
            })?;
            self.values.insert(key.path.to_owned(), (value, origin));
        }
        Ok(())
    }
}

/// A file's path and text, to find line numbers.
struct SettingsText<'a> {
    path: &'a Path,
    text: &'a str,
}

impl SettingsText<'_> {
    /// Returns the line of a key, or of the header of its table.
    ///
    /// The parser has accepted the file, so searching headers and keys is enough. Other
    /// ways of writing yield the first line.
    fn line_of(&self, full: &str) -> usize {
        let mut table = String::new();
        for (index, line) in self.text.lines().enumerate() {
            let line = line.trim();
            let at = if let Some(header) = line.strip_prefix('[') {
                let header = header.split(']').next().unwrap_or("").trim();
                table = header.replace(['"', '\''], "");
                table.clone()
            } else if let Some((name, _)) = line.split_once('=') {
                let name = name.trim().replace(['"', '\''], "");
                if table.is_empty() { name } else { format!("{table}.{name}") }
            } else {
                continue;
            };
            if at == full {
                return index + 1;
            }
        }
        1
    }
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
