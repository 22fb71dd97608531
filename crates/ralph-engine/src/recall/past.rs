//! What is known against work that is being checked: changes of the same files
//! that failed, and notes that contradict each other.

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::notes::file_names;
use ralph_memory::consolidate::{Conflict, Occasion, consolidate};
use ralph_memory::event::Place;
use ralph_memory::{AttemptQuery, MemoryError, Notebook, PastAttempt};

use super::Wanted;
use super::gather::Books;

/// Attempts that are looked through.
const LOOKED_AT: usize = 100;

/// Attempts, and contradictions, that are told.
const MOST: usize = 3;

/// How much of a text is quoted, in characters.
const QUOTED: usize = 120;

/// What is said of it, line by line.
pub(super) fn told(
    books: &Books,
    wanted: &Wanted,
    (now, locale): (Timestamp, Locale),
) -> Result<Vec<String>, MemoryError> {
    let mut lines = Vec::new();
    for book in &books.0 {
        lines.extend(failed(book, wanted, locale)?);
        lines.extend(conflicts(book, &wanted.place, (now, locale))?);
    }
    Ok(lines)
}

/// Changes of the files that failed, the latest last.
fn failed(book: &Notebook, wanted: &Wanted, locale: Locale) -> Result<Vec<String>, MemoryError> {
    if wanted.files.is_empty() {
        return Ok(Vec::new());
    }
    let files = wanted.files.clone();
    let query = AttemptQuery { files, limit: LOOKED_AT, ..AttemptQuery::default() };
    let mut failed = book.attempts(&query)?;
    failed.retain(|past| !past.tried.failures.is_empty());
    let first = failed.len().saturating_sub(MOST);
    Ok(failed[first..].iter().map(|past| attempt(past, locale)).collect())
}

fn attempt(past: &PastAttempt, locale: Locale) -> String {
    let files = file_names(past.tried.changes.iter().map(|trace| trace.file.as_str()), MOST);
    let run = past.place.run.as_deref().unwrap_or("?");
    let iteration = past.place.iteration.unwrap_or(0);
    let failure = quoted(past.tried.failures.first().map_or("", String::as_str));
    let approach = past.tried.approach.as_deref().map(quoted);
    match locale {
        Locale::En => {
            let said = approach.map(|said| format!(", described as {said}")).unwrap_or_default();
            format!("A change of {files} failed in iteration {iteration} of {run}: {failure}{said}")
        }
        Locale::Ko => {
            let said = approach.map(|said| format!(" (당시의 설명: {said})")).unwrap_or_default();
            format!("{run}의 {iteration}번째 반복에서 {files} 변경이 실패함: {failure}{said}")
        }
    }
}

/// New notes that contradict what stands.
pub(super) fn conflicts(
    book: &Notebook,
    place: &Place,
    (now, locale): (Timestamp, Locale),
) -> Result<Vec<String>, MemoryError> {
    let of = (place.run.is_some() || place.session.is_some()).then(|| place.clone());
    let decided = consolidate(book, &Occasion { of, now, ..Occasion::default() })?;
    let mut lines = Vec::new();
    for Conflict { stands, contradicts } in decided.conflicts.iter().take(MOST) {
        let (Some(stands), Some(new)) = (book.get(stands)?, book.get(contradicts)?) else {
            continue;
        };
        let [one, other] =
            [stands.note, new.note].map(|note| format!("[{}] {}", note.id, quoted(&note.text)));
        lines.push(match locale {
            Locale::En => {
                format!("Only one of these can hold, and the user decides which: {one}; {other}")
            }
            Locale::Ko => format!("둘 중 하나만 맞으며, 사용자가 정합니다: {one}; {other}"),
        });
    }
    Ok(lines)
}

fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}…\"", text[..end].trim_end()),
        None => format!("\"{text}\""),
    }
}
