//! Fills the words of a command line.

use std::path::Path;

use super::{AgentRow, TransportRow};
use crate::session::TurnSession;

/// Returns the words of a row's command line with placeholders filled in, and
/// with `one` for those that stand for a single word. Values are never looked
/// at for placeholders themselves.
pub(super) fn fill(
    row: &AgentRow,
    seat: TurnSession<'_>,
    one: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let transport = row.in_use();
    let mut words = Vec::new();
    for word in &transport.args {
        match word.as_str() {
            "{mode}" => words.extend(transport.modes.get(&row.mode).into_iter().flatten().cloned()),
            "{model}" => {
                if let Some(model) = &row.model {
                    words.extend(with(&transport.model, "{model}", model));
                }
            }
            "{session}" => words.extend(session(transport, seat)),
            "{args}" => words.extend(row.args.iter().cloned()),
            word => words.push(one(word).unwrap_or_else(|| word.to_owned())),
        }
    }
    words
}

fn session(transport: &TransportRow, seat: TurnSession<'_>) -> Vec<String> {
    match seat {
        TurnSession::Nowhere => Vec::new(),
        TurnSession::New(id) | TurnSession::After { id, .. } => {
            with(&transport.start, "{id}", id.as_str())
        }
        TurnSession::Resumed(session) => with(&transport.resume, "{id}", session.id.as_str()),
    }
}

fn with(words: &[String], placeholder: &str, value: &str) -> Vec<String> {
    words.iter().map(|word| if word == placeholder { value } else { word }.to_owned()).collect()
}

/// Returns the newest file that fits a path in which `*` stands for one folder.
pub(super) fn newest(pattern: &Path) -> Option<std::path::PathBuf> {
    let mut found = vec![std::path::PathBuf::new()];
    for part in pattern.components() {
        let is_any = part.as_os_str() == "*";
        let next = |base: std::path::PathBuf| {
            if !is_any {
                return vec![base.join(part)];
            }
            let entries = std::fs::read_dir(base).into_iter().flatten().filter_map(Result::ok);
            entries.map(|entry| entry.path()).collect()
        };
        found = found.into_iter().flat_map(next).filter(|path| path.exists()).collect();
    }
    found.into_iter().max_by_key(|path| path.metadata().and_then(|facts| facts.modified()).ok())
}
