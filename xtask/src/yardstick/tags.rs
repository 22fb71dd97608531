//! Definitions that Universal Ctags finds.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{NameLocation, output};
use crate::failure::TaskFailure;

/// Returns the definitions of these kinds in a project.
pub(super) fn of(
    project: &Path,
    language: &str,
    kinds: &[&str],
) -> Result<BTreeSet<NameLocation>, TaskFailure> {
    let mut command = Command::new("ctags");
    command
        .args(["--recurse", "--output-format=json", "--fields=+nKl", "--sort=no"])
        .arg(format!("--languages={language}"))
        // Otherwise headers of C are taken for C++.
        .args(["--langmap=C:+.h", "--kinds-C=+p", "--kinds-Ruby=+a", "-o", "-", "."])
        .current_dir(project);
    let text = output(&mut command)?;
    let tags = text.split(|byte| *byte == b'\n').filter_map(|line| tag(line, kinds));
    let found: BTreeSet<NameLocation> = tags.collect();
    if found.is_empty() {
        return Err(TaskFailure::Failed("ctags found nothing: install universal-ctags".to_owned()));
    }
    Ok(found)
}

fn tag(line: &[u8], kinds: &[&str]) -> Option<NameLocation> {
    let tag: Value = serde_json::from_slice(line).ok()?;
    let kind = tag["kind"].as_str()?;
    let name = tag["name"].as_str()?;
    // Ctags gives names of its own to things without one.
    let is_named = !name.starts_with("__anon") && !name.contains("anonymous");
    let path = tag["path"].as_str()?.trim_start_matches("./");
    (kinds.contains(&kind) && is_named)
        .then(|| (path.to_owned(), tag["line"].as_u64().unwrap_or(0), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_of_a_wanted_kind_is_taken() {
        let line = br#"{"_type":"tag","name":"f","path":"./a.py","line":3,"kind":"function"}"#;
        assert_eq!(tag(line, &["function"]), Some(("a.py".to_owned(), 3, "f".to_owned())));
        assert_eq!(tag(line, &["class"]), None);
        assert_eq!(tag(b"", &["class"]), None);
    }
}
