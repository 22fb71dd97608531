//! Finds new notes that contradict others, while work is checked.

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::notes::orders;
use ralph_memory::consolidate::{ConsolidationContext, NoteConflict, consolidate};
use ralph_memory::event::EventContext;
use ralph_memory::{BOTH, MemoryError, Notebook, Notebooks};

/// Maximum number of contradictions that are reported.
const MOST: usize = 3;

/// Maximum length of a quoted text, in characters.
const QUOTED: usize = 120;

/// Returns new notes that contradict existing ones, line by line. Texts that
/// read like an order to the agent are left out.
pub(super) fn conflicts(
    books: &Notebooks,
    place: &EventContext,
    now: Timestamp,
    locale: Locale,
) -> Result<Vec<String>, MemoryError> {
    let of = (place.run.is_some() || place.session.is_some()).then(|| place.clone());
    let occasion = ConsolidationContext { of, now, ..ConsolidationContext::default() };
    let lines = books.each(&BOTH, |book| lines(book, &occasion, locale))?;
    Ok(lines.into_iter().flat_map(|(_, lines)| lines).collect())
}

fn lines(
    book: &Notebook,
    occasion: &ConsolidationContext,
    locale: Locale,
) -> Result<Vec<String>, MemoryError> {
    let mut lines = Vec::new();
    let decided = consolidate(book, occasion)?;
    for NoteConflict { stands, contradicts } in decided.conflicts.iter().take(MOST) {
        let (Some(stands), Some(new)) = (book.get(stands)?, book.get(contradicts)?) else {
            continue;
        };
        if !orders(&new.note.text).is_empty() {
            continue;
        }
        let [one, other] =
            [stands.note, new.note].map(|note| format!("[{}] {}", note.id, quoted(&note.text)));
        lines.push(locale.say(
            format!("Only one of these can hold, and the user decides which: {one}; {other}"),
            format!("둘 중 하나만 맞으며, 사용자가 정합니다: {one}; {other}"),
        ));
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
