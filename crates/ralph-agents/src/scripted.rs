//! The built-in agent that follows a script, for demos and tests without a
//! model, key or network.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The agent's turns; the last one repeats.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AgentScript {
    /// The turns in order.
    pub turns: Vec<ScriptedTurn>,
}

/// One turn of a script.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedTurn {
    /// Files to write before the final text: path within the project to
    /// content.
    pub write: BTreeMap<String, String>,
    /// Files to remove.
    pub remove: Vec<String>,
    /// The final text.
    pub say: String,
    /// The exit code.
    pub exit: u8,
    /// Usage to report, in the format of the usage file.
    pub usage: Option<serde_json::Value>,
}

/// An error in a script or its execution.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The script file cannot be read.
    #[error("cannot read script {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The script is not valid.
    #[error("script {} is not valid: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The error, with line and column.
        source: serde_json::Error,
    },
    /// The script has no turns.
    #[error("script {} has no turns", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A path leads out of the project.
    #[error("`{path}` leads out of the project")]
    Outside {
        /// The path as written.
        path: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl AgentScript {
    /// Reads and validates a script.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let text = fs::read_to_string(path)
            .map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
        let script: Self = serde_json::from_str(&text)
            .map_err(|source| ScriptError::Parse { path: path.to_owned(), source })?;
        if script.turns.is_empty() {
            return Err(ScriptError::Empty { path: path.to_owned() });
        }
        for turn in &script.turns {
            for file in turn.write.keys().chain(&turn.remove) {
                inside(Path::new("."), file)?;
            }
        }
        Ok(script)
    }

    /// Returns the turn for an iteration, counted from 1.
    pub fn turn(&self, iteration: u32) -> Option<&ScriptedTurn> {
        let index = usize::try_from(iteration.saturating_sub(1)).unwrap_or(usize::MAX);
        self.turns.get(index).or_else(|| self.turns.last())
    }
}

impl ScriptedTurn {
    /// Performs the turn below `root`, and writes its text to `out`.
    pub fn perform(
        &self,
        root: &Path,
        usage_file: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<u8, ScriptError> {
        for (file, content) in &self.write {
            let path = inside(root, file)?;
            write(&path, content)?;
        }
        for file in &self.remove {
            let path = inside(root, file)?;
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(ScriptError::Write { path, source }),
            }
        }
        if let (Some(usage), Some(path)) = (&self.usage, usage_file) {
            write(path, &usage.to_string())?;
        }
        let spoken = writeln!(out, "{}", self.say).and_then(|()| out.flush());
        spoken.map_err(|source| ScriptError::Write { path: PathBuf::from("stdout"), source })?;
        Ok(self.exit)
    }
}

fn write(path: &Path, content: &str) -> Result<(), ScriptError> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, content))
        .map_err(|source| ScriptError::Write { path: path.to_owned(), source })
}

fn inside(root: &Path, file: &str) -> Result<PathBuf, ScriptError> {
    let relative = Path::new(file);
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if plain && !file.is_empty() {
        Ok(root.join(relative))
    } else {
        Err(ScriptError::Outside { path: file.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_turn_repeats() {
        let turn = |say: &str| ScriptedTurn { say: say.to_owned(), ..ScriptedTurn::default() };
        let script = AgentScript { turns: vec![turn("a"), turn("b")] };
        let said: Vec<&str> =
            (1..=4).map(|number| script.turn(number).unwrap().say.as_str()).collect();
        assert_eq!(said, ["a", "b", "b", "b"]);
    }

    #[test]
    fn a_script_stays_in_its_project() {
        for path in ["", "../x", "/etc/passwd", "a/../../b", "."] {
            assert!(inside(Path::new("/project"), path).is_err(), "{path}");
        }
        assert!(inside(Path::new("/project"), "src/lib.rs").is_ok());
    }
}
