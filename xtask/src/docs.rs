//! `cargo xtask docs`: the references that the binary itself knows best, and
//! the plugins that it could install.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cargo::Cargo;
use crate::failure::Failure;
use crate::finding::{self, Finding};
use crate::options::{self, Given};
use crate::{say, workspace};

/// Generated file, and the word after `ralph __docs` that prints it.
const REFERENCES: &[(&str, &str)] = &[
    ("docs/reference/cli.md", "cli"),
    ("docs/reference/config.md", "config"),
    ("docs/reference/config.schema.json", "schema"),
];

/// The word after `ralph __docs` that prints all plugins, and their folder.
const PLUGINS: (&str, &str) = ("plugins", "plugins/");

/// Writes the references, or with `--check` only compares them.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    let root = workspace::root();
    match options::only_flag(args, "--check")? {
        Given::Yes => check(&root),
        Given::No => write(&root),
    }
}

/// Compares the committed files with what the binary prints.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let printed = generate(root)?;
    let mut findings = Vec::new();
    for (path, text) in &printed {
        // A missing file differs from the first line on.
        let committed = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        findings.extend(first_difference(path, &committed, text));
    }
    let files = workspace::files(root)?;
    findings.extend(left_over(files.iter().map(|file| file.path.as_str()), &printed));
    finding::report("docs", findings)
}

fn write(root: &Path) -> Result<(), Failure> {
    for (path, text) in generate(root)? {
        let full = root.join(&path);
        if let Some(folder) = full.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
        }
        std::fs::write(&full, text).map_err(|error| Failure::io(&full, &error))?;
        say::line(&format!("wrote {path}"));
    }
    Ok(())
}

/// Every generated file, by its path.
fn generate(root: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let plugins = print(root, PLUGINS.0)?;
    let mut files: BTreeMap<String, String> = serde_json::from_str(&plugins)
        .map_err(|error| Failure::Failed(format!("`ralph __docs {}`: {error}", PLUGINS.0)))?;
    for &(path, topic) in REFERENCES {
        files.insert(path.to_owned(), print(root, topic)?);
    }
    Ok(files)
}

/// Files of plugins that the binary does not know.
fn left_over<'a>(
    paths: impl Iterator<Item = &'a str>,
    printed: &BTreeMap<String, String>,
) -> Vec<Finding> {
    let is_unknown = |path: &&str| path.starts_with(PLUGINS.1) && !printed.contains_key(*path);
    let what = "is not a file that the binary prints";
    paths.filter(is_unknown).map(|path| Finding::new(path, 1, what, "remove it")).collect()
}

fn print(root: &Path, topic: &str) -> Result<String, Failure> {
    let args =
        ["run", "--quiet", "--package", "ralph-cli", "--bin", "ralph", "--", "__docs", topic];
    let printed = Cargo::new(root, &args).stdout()?;
    if printed.trim().is_empty() {
        return Err(Failure::Failed(format!("`ralph __docs {topic}` printed nothing")));
    }
    Ok(printed)
}

/// The first line on which the committed text is not the printed one.
fn first_difference(path: &str, committed: &str, printed: &str) -> Option<Finding> {
    if committed == printed {
        return None;
    }
    let (mut old, mut new) = (committed.lines(), printed.lines());
    let mut line = 1;
    let what = loop {
        match (old.next(), new.next()) {
            (Some(old), Some(new)) if old == new => line += 1,
            (Some(old), Some(new)) => break format!("is `{old}`, the binary prints `{new}`"),
            (None, Some(new)) => break format!("ends here, the binary prints `{new}`"),
            (Some(old), None) => break format!("is `{old}`, the binary prints no such line"),
            (None, None) => break "line breaks differ from what the binary prints".to_owned(),
        }
    };
    Some(Finding::new(path, line, what, "run `cargo xtask docs` and commit the result"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_difference(committed: &str, printed: &str, line: usize, what: &str) {
        let finding = first_difference("docs/a.md", committed, printed).unwrap();
        assert_eq!((finding.line, finding.what.as_str()), (line, what));
    }

    #[test]
    fn a_file_of_a_plugin_that_nobody_prints_is_found() {
        let printed = BTreeMap::from([("plugins/a/README.md".to_owned(), String::new())]);
        let paths = ["README.md", "plugins/a/README.md", "plugins/a/old.md"];
        let found = left_over(paths.into_iter(), &printed);
        let found: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(found, ["plugins/a/old.md"]);
    }

    #[test]
    fn equal_texts_do_not_differ() {
        assert_eq!(first_difference("docs/a.md", "a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn the_first_differing_line_is_shown_from_both_sides() {
        check_difference("a\nb\n", "a\nc\n", 2, "is `b`, the binary prints `c`");
        check_difference("", "a\n", 1, "ends here, the binary prints `a`");
        check_difference("a\nb\n", "a\n", 2, "is `b`, the binary prints no such line");
        check_difference("a", "a\n", 2, "line breaks differ from what the binary prints");
    }
}
