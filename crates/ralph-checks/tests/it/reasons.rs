//! Reasons of gates without a clear result, as the sources have them.

use std::path::Path;
use std::{fs, io};

use ralph_core::wording::reason_ko;
use regex::Regex;

/// Sources whose errors become reasons, from the folder of all crates.
const ERRORS: &[&str] = &[
    "ralph-checks/src/formats.rs",
    "ralph-checks/src/judge.rs",
    "ralph-checks/src/judge/answer.rs",
    "ralph-checks/src/lsp.rs",
    "ralph-checks/src/security/files.rs",
    "ralph-proc/src/run.rs",
];

/// Crates with gates.
const GATES: &[&str] = &["ralph-checks/src", "ralph-engine/src/driver"];

/// A text of ours in what makes a verdict that is unclear or unknown.
const MADE: &str = r#"(?x)
    (?: \b(?:unclear|unknown|Unknown)\( | \blet\ reason\ =\s | \{\ reason:\s )
    (?: &?[\w.]+(?:\(\))?,\s* )? (?: format!\( )? \s*
    "((?: [^"\\] | \\. )+)" "#;

fn sources(folder: &Path, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if !path.to_string_lossy().contains("tests") {
            let text = fs::read_to_string(&path)?;
            found.push(text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned());
        }
    }
    Ok(())
}

#[test]
fn every_reason_of_a_gate_has_its_korean() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut gates = Vec::new();
    for folder in GATES {
        sources(&crates.join(folder), &mut gates).unwrap();
    }
    let errors: Vec<String> =
        ERRORS.iter().map(|file| fs::read_to_string(crates.join(file)).unwrap()).collect();
    let made = Regex::new(MADE).unwrap();
    let error = Regex::new(r#"#\[error\(\s*"([^"]+)""#).unwrap();
    let gap = Regex::new(r"\{[^}]*\}").unwrap();
    let texts = [(&made, &gates), (&error, &errors)]
        .into_iter()
        .flat_map(|(form, files)| files.iter().flat_map(|file| form.captures_iter(file)));
    let reasons: Vec<String> = texts.map(|found| gap.replace_all(&found[1], "X").into()).collect();
    assert!(reasons.len() > 40, "{reasons:#?}");
    let is_korean = |text: &str| text.chars().any(|c| ('가'..='힣').contains(&c));
    let left: Vec<&String> = reasons.iter().filter(|text| !is_korean(&reason_ko(text))).collect();
    assert!(left.is_empty(), "no Korean in ralph-core/src/wording/reason.rs: {left:#?}");
}
