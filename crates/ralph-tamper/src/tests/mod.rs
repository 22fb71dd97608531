//! Scenarios: what must be noticed, and what must be left alone.
//!
//! They are written down in `scenarios/`: `###` begins one, `---` a file as
//! it was, `+++` a file as it is, and `!!!` is the beginning of a report that
//! must come. Without `!!!` nothing may be held to be weaker.

mod config;
mod graph;
mod honest;
mod odd;
mod tampering;

use super::{FilePair, FileVersion, TamperRules, Tampering, TamperingSeverity, compare};

/// Paths and contents.
type FixtureFiles<'a> = &'a [(&'a str, &'a str)];

/// Compares two trees. Files of one path make a pair.
fn findings(old: FixtureFiles<'_>, new: FixtureFiles<'_>, rules: &TamperRules) -> Vec<Tampering> {
    fn version<'a>(file: &(&'a str, &'a str)) -> FileVersion<'a> {
        FileVersion { path: file.0, contents: file.1.as_bytes() }
    }
    let mut pairs: Vec<FilePair<'_>> = old
        .iter()
        .map(|file| FilePair {
            old: Some(version(file)),
            new: new.iter().find(|other| other.0 == file.0).map(version),
        })
        .collect();
    let added = new.iter().filter(|file| !old.iter().any(|other| other.0 == file.0));
    pairs.extend(added.map(|file| FilePair { old: None, new: Some(version(file)) }));
    compare(&pairs, rules)
}

/// Returns the reported weakenings with their places.
fn weakenings(found: &[Tampering]) -> Vec<String> {
    found
        .iter()
        .filter(|one| one.severity() == TamperingSeverity::Weakening)
        .map(|one| format!("{}: {}", one.place.display(), one.what()))
        .collect()
}

#[derive(Default)]
struct TamperScenario {
    what: String,
    old: Vec<(String, String)>,
    new: Vec<(String, String)>,
    said: Vec<String>,
}

impl TamperScenario {
    /// Returns the error in the answer, if any.
    fn complaint(&self) -> Option<String> {
        fn files(list: &[(String, String)]) -> Vec<(&str, &str)> {
            list.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
        }
        let (old, new) = (files(&self.old), files(&self.new));
        let said = weakenings(&findings(&old, &new, &TamperRules::default()));
        let matches = said.len() == self.said.len()
            && said.iter().zip(&self.said).all(|(said, want)| said.starts_with(want));
        (!matches).then(|| format!("{}\n  want {:#?}\n  got  {said:#?}", self.what, self.said))
    }
}

fn scenarios(text: &str) -> Vec<TamperScenario> {
    let mut all: Vec<TamperScenario> = Vec::new();
    let mut in_new = false;
    for line in text.lines() {
        if let Some(what) = line.strip_prefix("### ") {
            all.push(TamperScenario { what: what.to_owned(), ..TamperScenario::default() });
            continue;
        }
        let Some(scenario) = all.last_mut() else { continue };
        if let Some(said) = line.strip_prefix("!!! ") {
            scenario.said.push(said.to_owned());
        } else if let Some(path) = line.strip_prefix("--- ") {
            in_new = false;
            scenario.old.push((path.to_owned(), String::new()));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            in_new = true;
            scenario.new.push((path.to_owned(), String::new()));
        } else if scenario.said.is_empty() {
            let files = if in_new { &mut scenario.new } else { &mut scenario.old };
            if let Some((_, text)) = files.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    all
}

#[track_caller]
fn must_be_noticed(text: &str) {
    let all = scenarios(text);
    assert!(!all.is_empty() && all.iter().all(|one| !one.said.is_empty()), "no reports wanted");
    must_be_answered(&all);
}

#[track_caller]
fn must_be_left_alone(text: &str) {
    let all = scenarios(text);
    assert!(!all.is_empty() && all.iter().all(|one| one.said.is_empty()), "reports wanted");
    must_be_answered(&all);
}

#[track_caller]
fn must_be_answered(all: &[TamperScenario]) {
    let wrong: Vec<String> = all.iter().filter_map(TamperScenario::complaint).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
