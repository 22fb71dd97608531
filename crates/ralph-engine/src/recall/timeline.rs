//! Lists recent changes, by other sessions and commits, to the files that an
//! agent is about to change.

use std::fmt::Write as _;
use std::path::Path;

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::notes::{file_names, orders};
use ralph_core::memory::sufficiency::MentionedNames;
use ralph_memory::event::WorkPhase;
use ralph_memory::{Notebook, SessionObservation, session_id};

use super::shelves::day;
use super::{NotePortion, NoteRecall, NoteRequest, RecallError};
use crate::commits;

/// Maximum age of a listed change, in milliseconds.
const LATELY: i64 = 7 * 24 * 60 * 60 * 1000;

/// Maximum number of lines.
const SHOWN: usize = 10;

/// Maximum number of observations that are read: many share one line.
const LOOKED_AT: usize = 200;

/// Maximum number of files in a line.
const MOST_FILES: usize = 3;

/// Maximum length of an observation's subject or error, in characters.
const TOLD: usize = 120;

/// Returns the files that the agent is about to change, as far as they are
/// named.
pub(super) fn files(
    root: &Path,
    wanted: &NoteRequest,
    named: &MentionedNames,
    found: &[String],
) -> Vec<String> {
    let named = named.files.iter().map(|file| {
        let inside = Path::new(file).strip_prefix(root).ok().and_then(Path::to_str);
        inside.unwrap_or(file).trim_start_matches("./").trim_start_matches('/').to_owned()
    });
    let mut files: Vec<String> = wanted.files.iter().cloned().chain(named).collect();
    // A task may name a file by the end of its path.
    let is_meant = |path: &&String| {
        files.iter().any(|file| path.strip_suffix(file.as_str()).is_some_and(|b| b.ends_with('/')))
    };
    let whole: Vec<String> = found.iter().filter(is_meant).cloned().collect();
    files.extend(whole);
    files.sort_unstable();
    files.dedup();
    files
}

/// Returns the recent changes to files, line by line, the latest first.
pub(super) fn of(
    recall: &NoteRecall,
    wanted: &NoteRequest,
    files: &[String],
    now: Timestamp,
) -> Result<Vec<String>, RecallError> {
    let matters = match wanted.phase {
        WorkPhase::Think | WorkPhase::Code => {
            wanted.part != NotePortion::Standing && !files.is_empty()
        }
        WorkPhase::Verify | WorkPhase::Consolidate => false,
    };
    if !matters || !Notebook::exists(&recall.home) {
        return Ok(Vec::new());
    }
    let book = Notebook::open_within(&recall.home, recall.patience)?;
    commits::notice(&book, &recall.root, now);
    let since = now.as_millis().saturating_sub(LATELY);
    let mut done = book.timeline(files, since, LOOKED_AT)?;
    // The agent knows its own changes.
    let own = session_id(&wanted.place);
    done.retain(|one| own.is_none() || one.session != own);
    let mut lines: Vec<(String, usize)> = Vec::new();
    for line in done.iter().map(|one| line(one, files, recall.locale)) {
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, times)) => *times += 1,
            None => lines.push((line, 1)),
        }
    }
    let told = lines.into_iter().take(SHOWN).map(|(line, times)| match times {
        1 => format!("- {line}"),
        _ => format!("- {line} (×{times})"),
    });
    Ok(told.collect())
}

fn line(one: &SessionObservation, files: &[String], locale: Locale) -> String {
    let mut line = format!("{} {}", day(Timestamp::from_millis(one.at)), one.tool);
    let touched = one.files.iter().filter(|file| files.contains(file)).map(String::as_str);
    let _ = write!(line, " {}", file_names(touched, MOST_FILES));
    let error = one.error.as_deref().unwrap_or_default();
    // The output of a tool may have been written by anyone.
    if !orders(&one.about).is_empty() || !orders(error).is_empty() {
        return line;
    }
    let is_file = one.files.iter().any(|file| one.about.ends_with(file.as_str()));
    if !one.about.is_empty() && !is_file {
        let _ = write!(line, ": {}", told(&one.about));
    }
    if !error.is_empty() {
        let failed = locale.say("failed", "실패");
        let _ = write!(line, " ({failed}: {})", told(error));
    }
    line
}

fn told(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
