//! Makefiles and justfiles.

use std::collections::{BTreeMap, HashSet};

use super::ConfigChange;
use super::commands::{does_less, is_check};
use crate::assertions::shortened;
use crate::kind::{Tampering, TamperingKind};

/// A target: what it needs, what it does, and where it is.
#[derive(Default)]
struct RecipeTarget {
    text: String,
    line: u32,
}

/// Reports targets that serve as checks and do less.
pub(super) fn compare(change: &ConfigChange<'_>) -> Vec<Tampering> {
    let (old, new) = (targets(change.old), targets(change.new));
    let mut found = escapes(change);
    found.extend(overruled(change, &new));
    for (name, before) in &old {
        if !is_check(name) && !change.rules.is_target(name) {
            continue;
        }
        let setting = format!("{}: {name}", change.path);
        match new.get(name) {
            None => found
                .push(change.report(1, TamperingKind::CommandWeakened { name: setting, to: None })),
            Some(now) if now.text == before.text => {}
            Some(now) if does_less(&before.text, &now.text) => {
                let to = Some(shortened(&now.text));
                found.push(
                    change.report(now.line, TamperingKind::CommandWeakened { name: setting, to }),
                );
            }
            Some(now) => {
                found.push(change.report(now.line, TamperingKind::SettingChanged { setting }));
            }
        }
    }
    found
}

/// Returns the targets that serve as checks, and the lines that include other files.
pub(super) fn of_checks(text: &str) -> String {
    let targets = targets(text).into_iter().filter(|(name, _)| is_check(name));
    let is_read = |line: &&str| {
        ["include ", "-include ", "sinclude ", "import "].iter().any(|word| line.starts_with(word))
    };
    let read = text.lines().filter(is_read).map(str::to_owned);
    let texts: Vec<String> = read.chain(targets.map(|(_, target)| target.text)).collect();
    texts.join("\n")
}

/// Words that make every recipe of a makefile succeed.
fn escapes(change: &ConfigChange<'_>) -> Vec<Tampering> {
    let is_escape = |line: &str| {
        let (name, value) = line.split_once(['=', ':']).unwrap_or((line, ""));
        let name = name.trim().trim_end_matches([':', '+', '?', ' ']);
        let mut words = value.trim_start_matches('=').split_whitespace();
        match name.trim_start_matches("export ") {
            ".IGNORE" => true,
            "SHELL" => words.any(|word| word.ends_with("/true") || matches!(word, "true" | "echo")),
            "MAKEFLAGS" | "GNUMAKEFLAGS" => words.any(|word| {
                // `-j$(nproc)` is one letter and its value.
                let letters = word.trim_start_matches('-');
                let end = letters.find(|c: char| !c.is_alphabetic()).unwrap_or(letters.len());
                let is_long = word.starts_with("--");
                matches!(word, "--ignore-errors" | "--dry-run" | "--touch" | "--just-print")
                    || (!is_long && letters[..end].contains(['i', 'n', 't']))
            }),
            _ => false,
        }
    };
    let known: HashSet<&str> = change.old.lines().map(str::trim).collect();
    let lines = (1..).zip(change.new.lines()).filter(|(_, line)| !line.starts_with([' ', '\t']));
    let added = lines.filter(|(_, line)| is_escape(line) && !known.contains(line.trim()));
    added
        .map(|(number, line)| {
            let (setting, to) = (change.path.to_owned(), Some(shortened(line)));
            change.report(number, TamperingKind::SettingWeakened { setting, from: None, to })
        })
        .collect()
}

/// A new file that make reads instead of the one a gate was made for.
fn overruled(change: &ConfigChange<'_>, new: &BTreeMap<String, RecipeTarget>) -> Option<Tampering> {
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    if !change.old.is_empty() || !matches!(name, "GNUmakefile" | "makefile") {
        return None;
    }
    let (target, now) = new.iter().find(|(target, _)| change.rules.is_target(target))?;
    let name = format!("{}: {target}", change.path);
    let to = Some(shortened(&now.text));
    Some(change.report(now.line, TamperingKind::CommandWeakened { name, to }))
}

/// The targets of a file, with the values of its variables put in.
fn targets(text: &str) -> BTreeMap<String, RecipeTarget> {
    let mut targets: BTreeMap<String, RecipeTarget> = BTreeMap::new();
    let mut current: Option<String> = None;
    let variables = variables(text);
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(target) = current.as_ref().and_then(|name| targets.get_mut(name)) {
                // `@` only silences; `-` lets a command fail.
                let command = trimmed.trim_start_matches('@');
                let escape = if command.starts_with('-') { " || true" } else { "" };
                let command = command.trim_start_matches(['-', '@']);
                if !target.text.is_empty() {
                    target.text.push_str(" && ");
                }
                target.text.push_str(command);
                target.text.push_str(escape);
            }
            continue;
        }
        current = None;
        let Some((head, needs)) = line.split_once(':') else { continue };
        if needs.starts_with('=') || head.contains('=') {
            continue;
        }
        for name in head.split_whitespace().take(1) {
            let target = targets.entry(name.trim_start_matches('@').to_owned()).or_default();
            target.line = number;
            target.text.push_str(needs.trim());
            current = Some(name.trim_start_matches('@').to_owned());
        }
    }
    for target in targets.values_mut() {
        target.text = expanded(&target.text, &variables);
    }
    targets
}

/// Variables of a makefile or justfile; the last value counts.
fn variables(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter(|line| !line.starts_with([' ', '\t', '#']));
    let assigned = lines.filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim().trim_end_matches([':', '?', '+']).trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| (name, value.trim().trim_matches(['"', '\''])))
    });
    assigned.collect()
}

/// A command with the values of variables in place of their names, a few
/// levels deep.
fn expanded(text: &str, variables: &BTreeMap<&str, &str>) -> String {
    const DEPTH: usize = 3;
    const LONGEST: usize = 64 * 1024;
    let mut text = text.to_owned();
    for _ in 0..DEPTH {
        for (name, value) in variables {
            for form in [format!("$({name})"), format!("${{{name}}}"), format!("{{{{{name}}}}}")] {
                if text.len() < LONGEST && text.contains(&form) {
                    text = text.replace(&form, value);
                }
            }
        }
    }
    text
}
