//! A settings file, read once: to decide whether it counts, and to use it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::layers::ConfigError;

/// Most bytes of a settings file. Hooks read it, so it must take no time.
const MOST_BYTES: usize = 1024 * 1024;

/// The content of a settings file.
#[derive(Clone, Debug)]
pub struct SettingsSource {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) table: toml::Table,
}

impl SettingsSource {
    /// Reads a file; one that does not exist sets nothing.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        match ralph_files::read_text(path) {
            Ok(text) if text.len() > MOST_BYTES => Err(ConfigError::Read {
                path: path.to_owned(),
                source: io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"),
            }),
            Ok(text) => Self::parse(path, text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::parse(path, String::new())
            }
            Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
        }
    }

    /// Parses the text of a file.
    pub fn parse(path: &Path, text: String) -> Result<Self, ConfigError> {
        let table: toml::Table = toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let (line, column) = position(&text, at);
            let message = error.message().to_owned();
            ConfigError::Syntax { path: path.to_owned(), line, column, message }
        })?;
        Ok(Self { path: path.to_owned(), text, table })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all that it sets, without comments and order.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// Returns each value that it sets, by its path.
    pub fn values(&self) -> BTreeMap<String, toml::Value> {
        let mut values = BTreeMap::new();
        flatten("", &self.table, &mut values);
        values
    }
}

fn flatten(prefix: &str, table: &toml::Table, values: &mut BTreeMap<String, toml::Value>) {
    for (name, value) in table {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value.as_table() {
            Some(inner) => flatten(&path, inner, values),
            None => drop(values.insert(path, value.clone())),
        }
    }
}

/// Returns the line and column of a byte, both counted from one.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    (line, column)
}
