//! Programs that measure a library from within, built as users get it.

use std::path::PathBuf;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::failure::TaskFailure;
use crate::{say, workspace};

/// Builds a benchmark of a package and returns its path.
pub(super) fn bench(package: &str, name: &str) -> Result<PathBuf, TaskFailure> {
    build(package, ("--bench", name))
}

/// Builds an example of a package and returns its path.
pub(super) fn example(package: &str, name: &str) -> Result<PathBuf, TaskFailure> {
    build(package, ("--example", name))
}

fn build(package: &str, (kind, name): (&str, &str)) -> Result<PathBuf, TaskFailure> {
    let root = workspace::root();
    let form = "--message-format=json-render-diagnostics";
    let args = ["build", "--profile", "dist", "--package", package, kind, name, form];
    let call = Cargo::new(&root, &args);
    say::line(&format!("$ {call}"));
    let missing = || TaskFailure::Failed(format!("{call} named no program"));
    executable(&call.stdout()?, name).ok_or_else(missing)
}

/// Finds the program of this name in cargo's messages.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let path = message["executable"].as_str()?;
        (message["target"]["name"] == name).then(|| PathBuf::from(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_where_cargo_says() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"build"},"executable":"/t/build"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"notes"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"notes"},"executable":"/t/notes-1"}"#,
            "\nnoise\n",
        );
        assert_eq!(executable(messages, "notes"), Some(PathBuf::from("/t/notes-1")));
        assert_eq!(executable(messages, "other"), None);
    }
}
