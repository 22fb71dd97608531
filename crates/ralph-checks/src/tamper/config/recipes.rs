//! Makefiles and justfiles.

use std::collections::BTreeMap;

use super::Change;
use super::commands::{does_less, is_check};
use crate::tamper::assertions::shortened;
use crate::tamper::kind::{Kind, Tampering};

/// A target: what it needs, what it does, and where it is.
#[derive(Default)]
struct Target {
    text: String,
    line: u32,
}

/// Reports targets that serve as checks and do less.
pub(super) fn compare(change: &Change<'_>) -> Vec<Tampering> {
    let (old, new) = (targets(change.old), targets(change.new));
    let mut found = Vec::new();
    for (name, before) in &old {
        if !is_check(name) && !change.rules.is_target(name) {
            continue;
        }
        let setting = format!("{}: {name}", change.path);
        match new.get(name) {
            None => found.push(change.report(1, Kind::CommandWeakened { name: setting, to: None })),
            Some(now) if now.text == before.text => {}
            Some(now) if does_less(&before.text, &now.text) => {
                let to = Some(shortened(&now.text));
                found.push(change.report(now.line, Kind::CommandWeakened { name: setting, to }));
            }
            Some(now) => found.push(change.report(now.line, Kind::SettingChanged { setting })),
        }
    }
    found
}

fn targets(text: &str) -> BTreeMap<String, Target> {
    let mut targets: BTreeMap<String, Target> = BTreeMap::new();
    let mut current: Option<String> = None;
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
                target.text.push_str(" && ");
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
    targets
}
