//! The answers of `ralph code` about a project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{NameLocation, output};
use crate::failure::TaskFailure;

/// A project in the index.
pub(super) struct IndexedProject {
    binary: PathBuf,
    project: PathBuf,
    state: PathBuf,
}

/// A definition.
pub(super) struct IndexedDefinition {
    pub(super) name: String,
    pub(super) full_name: String,
    pub(super) kind: String,
    pub(super) path: String,
    pub(super) line: u64,
    pub(super) column: u64,
}

impl IndexedDefinition {
    fn of(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Self {
            name: text("name")?,
            full_name: text("full_name")?,
            kind: text("kind")?,
            path: text("path")?,
            line: value["line"].as_u64()?,
            column: value["column"].as_u64()?,
        })
    }

    pub(super) fn spot(&self) -> NameLocation {
        (self.path.clone(), self.line, self.name.clone())
    }

    /// Returns true if definitions of this kind are referred to by name.
    pub(super) fn can_be_asked(&self) -> bool {
        let kinds = [
            "class",
            "struct",
            "enum",
            "interface",
            "alias",
            "function",
            "method",
            "constant",
            "macro",
        ];
        kinds.contains(&self.kind.as_str())
    }
}

impl IndexedProject {
    /// Indexes a project from scratch.
    pub(super) fn index(binary: &Path, project: &Path, state: &Path) -> Result<Self, TaskFailure> {
        let (binary, project, state) = (binary.to_owned(), project.to_owned(), state.to_owned());
        let ours = Self { binary, project, state };
        ours.ask(&["index", "--rebuild", "--json"])?;
        Ok(ours)
    }

    /// Returns all definitions, sorted by place.
    pub(super) fn definitions(&self) -> Result<Vec<IndexedDefinition>, TaskFailure> {
        let answer = self.ask(&["symbols", "--limit", "1000000", "--json"])?;
        let all = answer["symbols"].as_array().into_iter().flatten();
        let mut found: Vec<IndexedDefinition> = all.filter_map(IndexedDefinition::of).collect();
        found.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
        Ok(found)
    }

    /// Returns the sure uses of a definition; `None` if its name is ambiguous.
    pub(super) fn references(
        &self,
        definition: &IndexedDefinition,
    ) -> Result<Option<Vec<(String, u64)>>, TaskFailure> {
        let name = format!("{}:{}", definition.path, definition.full_name);
        let answer = self.ask(&["refs", &name, "--json"])?;
        let is_one = answer["symbols"].as_array().is_some_and(|all| all.len() == 1);
        let sites = answer["refs"].as_array().into_iter().flatten();
        let sure = sites.filter(|site| site["certain"] == true);
        let place =
            |site: &Value| Some((site["path"].as_str()?.to_owned(), site["line"].as_u64()?));
        Ok(is_one.then(|| sure.filter_map(place).collect()))
    }

    fn ask(&self, args: &[&str]) -> Result<Value, TaskFailure> {
        let mut command = Command::new(&self.binary);
        command.arg("code").args(args).current_dir(&self.project).env("RALPH_HOME", &self.state);
        let text = output(&mut command)?;
        serde_json::from_slice(&text)
            .map_err(|error| TaskFailure::Failed(format!("ralph code {}: {error}", args.join(" "))))
    }
}
