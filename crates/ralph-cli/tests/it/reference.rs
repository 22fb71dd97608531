//! What is written down is what the binary does.

use std::path::PathBuf;

use crate::plain;

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn document(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The files below a folder of the workspace, by their path in it.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn files_below(folder: &str) -> Vec<String> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(full).unwrap().map(Result::unwrap);
    entries
        .flat_map(|entry| {
            let path = format!("{folder}/{}", entry.file_name().display());
            if entry.path().is_dir() { files_below(&path) } else { vec![path] }
        })
        .collect()
}

#[test]
fn the_references_are_what_the_binary_prints() {
    let project = plain();
    for (name, topic) in
        [("cli.md", "cli"), ("config.md", "config"), ("config.schema.json", "schema")]
    {
        let printed = project.ralph(&["__docs", topic]).output().exits(0).stdout;
        let committed = document(&format!("docs/reference/{name}"));
        assert!(committed == printed, "docs/reference/{name} is old: run `cargo xtask docs`");
    }
}

#[test]
fn the_plugins_are_what_the_binary_prints() {
    let printed = plain().ralph(&["__docs", "plugins"]).output().exits(0).stdout;
    let files: std::collections::BTreeMap<String, String> = serde_json::from_str(&printed).unwrap();
    assert!(files.len() >= 5, "{printed}");
    for path in files_below("plugins") {
        assert!(files.contains_key(&path), "the binary prints no {path}: remove it");
    }
    for (path, text) in files {
        assert!(document(&path) == text, "{path} is old: run `cargo xtask docs`");
    }
}

#[test]
fn every_command_has_help_with_a_first_sentence() {
    let project = plain();
    let help = project.ralph(&["--help"]).output().exits(0).stdout;
    let listed = help.lines().take_while(|line| *line != "Options:");
    let mut count = 0;
    for line in listed.filter(|line| line.starts_with("  ")) {
        let (name, about) = line.trim().split_once(' ').unwrap_or((line, ""));
        assert!(!about.trim().is_empty(), "{name} says nothing");
        let whole = project.ralph(&[name, "--help"]).output().exits(0).stdout;
        assert!(whole.contains("\nExamples:\n  ralph "), "{whole}");
        count += 1;
    }
    assert!(count >= 15, "{help}");
    for title in ["Work:", "Look:", "Undo:", "Memory and code:", "Set up:"] {
        assert!(help.contains(&format!("\n\n{title}\n  ")), "{title}\n{help}");
    }
    for machine in ["hook", "mcp", "start"] {
        assert!(!help.contains(&format!("\n  {machine} ")), "{machine}\n{help}");
    }
}
