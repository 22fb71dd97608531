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

/// The pieces of a Markdown text that are code, one a line or span.
fn code(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            pieces.push(line.to_owned());
        } else {
            // Spans of one line stay together: `ralph x` and the flags it has.
            pieces.push(line.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(" "));
        }
    }
    pieces
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
fn every_command_and_flag_of_the_readme_exists() {
    let project = plain();
    let mut commands = 0;
    for piece in code(&document("README.md")) {
        let words: Vec<&str> = piece.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == "ralph") else { continue };
        let Some(command) = words.get(at + 1) else { continue };
        if !command.starts_with(|c: char| c.is_ascii_lowercase()) {
            continue;
        }
        // Of commands that only group others, the next word is the command.
        let inner = words.get(at + 2).filter(|_| ["code", "memory"].contains(command));
        let call: Vec<&str> = [Some(command), inner].into_iter().flatten().copied().collect();
        let asked = [&call[..], &["--help"]].concat();
        let help = project.ralph(&asked).output().exits(0).stdout;
        commands += 1;
        for flag in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
            assert!(help.contains(flag), "`ralph {}` has no {flag}", call.join(" "));
        }
    }
    assert!(commands >= 5, "{commands}");
}

#[test]
fn every_call_in_the_guides_would_be_understood() {
    let project = plain();
    for name in ["claude-code", "driving-claude-code"] {
        let text = document(&format!("docs/guide/{name}.md"));
        let shown =
            text.lines().filter_map(|line| line.trim_start_matches("$ ").strip_prefix("ralph "));
        let named = text.split('`').filter_map(|span| span.strip_prefix("ralph "));
        let calls: Vec<&str> = shown.chain(named).filter(|call| !call.contains('\n')).collect();
        assert!(calls.len() >= 3, "{name}");
        for call in calls {
            let words: Vec<&str> = call.split_whitespace().collect();
            let help = project.ralph(&[words[0], "--help"]).output().exits(0).stdout;
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                assert!(help.contains(flag), "{name}: `ralph {call}`");
            }
        }
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
