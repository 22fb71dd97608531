//! `cargo xtask docs`: writes the references that the binary generates, and the plugins
//! that it could install.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cargo::Cargo;
use crate::failure::TaskFailure;
use crate::{options, say, workspace};

/// Generated file, and the word after `ralph __docs` that prints it.
const REFERENCES: &[(&str, &str)] = &[
    ("docs/reference/cli.md", "cli"),
    ("docs/reference/config.md", "config"),
    ("docs/reference/config.schema.json", "schema"),
];

/// The word after `ralph __docs` that prints all plugins.
const PLUGINS: &str = "plugins";

/// Writes the references. A test of the command line compares them.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    options::none(args)?;
    write(&workspace::root())
}

fn write(root: &Path) -> Result<(), TaskFailure> {
    for (path, text) in generate(root)? {
        let full = root.join(&path);
        if let Some(folder) = full.parent() {
            std::fs::create_dir_all(folder).map_err(|error| TaskFailure::io(folder, &error))?;
        }
        std::fs::write(&full, text).map_err(|error| TaskFailure::io(&full, &error))?;
        say::line(&format!("wrote {path}"));
    }
    Ok(())
}

/// Every generated file, by its path.
fn generate(root: &Path) -> Result<BTreeMap<String, String>, TaskFailure> {
    let plugins = print(root, PLUGINS)?;
    let mut files: BTreeMap<String, String> = serde_json::from_str(&plugins)
        .map_err(|error| TaskFailure::Failed(format!("`ralph __docs {PLUGINS}`: {error}")))?;
    for &(path, topic) in REFERENCES {
        files.insert(path.to_owned(), print(root, topic)?);
    }
    Ok(files)
}

fn print(root: &Path, topic: &str) -> Result<String, TaskFailure> {
    let args =
        ["run", "--quiet", "--package", "ralph-loop", "--bin", "ralph", "--", "__docs", topic];
    let printed = Cargo::new(root, &args).stdout()?;
    if printed.trim().is_empty() {
        return Err(TaskFailure::Failed(format!("`ralph __docs {topic}` printed nothing")));
    }
    Ok(printed)
}
