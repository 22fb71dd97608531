//! Forgetting: what is gone is gone from every line of the log.

use super::Notebook;
use crate::clean::{self, EventTextRole};
use crate::error::MemoryError;
use crate::event::{LogEvent, LogEventKind, NoteContent};
use crate::log::{LineEdit, LogEntry, LogError, LogPosition};

/// Minimum weight of a text that is looked for: twelve letters, or eight syllables.
/// Shorter ones stand anywhere by chance.
const SHORTEST_TEXT: usize = 24;

/// Minimum weight of what is left of a text where something was cut out.
const SHORTEST_REST: usize = 16;

/// Stands where something was cut out.
const CUT: char = '…';

/// All that a note ever said, as it is looked for elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteTexts {
    /// What it said.
    texts: Vec<String>,
    /// Its titles and reasons: other notes may have the same ones for
    /// themselves.
    asides: Vec<String>,
}

impl NoteTexts {
    /// Adds those of another note.
    pub fn extend(&mut self, other: Self) {
        for (all, more) in [(&mut self.texts, other.texts), (&mut self.asides, other.asides)] {
            all.extend(more);
            all.sort_unstable();
            all.dedup();
        }
    }

    fn of(note: &NoteContent) -> Self {
        let NoteContent { title, text, why, .. } = note;
        let said = |parts: &[Option<&String>]| {
            let parts = parts.iter().flatten().map(|part| flat(part));
            parts.filter(|part| weight(part) >= SHORTEST_TEXT).collect()
        };
        Self { texts: said(&[Some(text)]), asides: said(&[title.as_ref(), why.as_ref()]) }
    }
}

impl Notebook {
    /// Forgets a note for good, and what repeats it: the log is written anew without
    /// them, and so is the database. Returns how many lines there were.
    pub fn forget(&self, id: &str) -> Result<usize, MemoryError> {
        self.mend()?;
        let words = self.words_of(id)?;
        self.overwrite(|event| forgotten(event, id).or_else(|| silenced(event, &words)))
    }

    /// Overwrites what repeats a note that is forgotten, perhaps of another notebook.
    /// Returns how many lines there were.
    pub fn silence(&self, words: &NoteTexts) -> Result<usize, MemoryError> {
        if *words == NoteTexts::default() {
            return Ok(0);
        }
        self.overwrite(|event| silenced(event, words))
    }

    /// Returns true if [`silence`](Self::silence) would have something to overwrite.
    pub fn has_repeated(&self, words: &NoteTexts) -> Result<bool, MemoryError> {
        let mut has = false;
        self.log.read(LogPosition::default(), |entry| {
            if let LogEntry::Event(event) = entry {
                has = has || silenced(&event, words).is_some();
            }
        })?;
        Ok(has)
    }

    /// Returns all that a note ever said, as [`silence`](Self::silence) takes it.
    pub fn words_of(&self, id: &str) -> Result<NoteTexts, MemoryError> {
        let mut words = NoteTexts::default();
        self.log.read(LogPosition::default(), |entry| {
            let LogEntry::Event(event) = entry else { return };
            let note = if let LogEventKind::Restored(restored) = &event.what {
                &restored.note
            } else if let LogEventKind::Noted(note) = &event.what {
                note
            } else {
                return;
            };
            if note.id == id {
                words.extend(NoteTexts::of(note));
            }
        })?;
        Ok(words)
    }

    /// Takes secrets out of the log: rules improve, and what they find today may have
    /// been written yesterday. Returns how many lines were changed.
    pub fn scrub(&self) -> Result<usize, MemoryError> {
        self.overwrite(|event| {
            let cleaned = clean::event(event.clone());
            (cleaned != *event).then_some(cleaned)
        })
    }

    fn overwrite(
        &self,
        change: impl Fn(&LogEvent) -> Option<LogEvent>,
    ) -> Result<usize, MemoryError> {
        self.mend()?;
        let mut lines = 0;
        self.rewrite(|event| match change(event) {
            Some(other) => {
                lines += 1;
                LineEdit::Change(Box::new(other))
            }
            None => LineEdit::Keep,
        })?;
        if lines > 0 {
            self.log.drop_copies()?;
        }
        Ok(lines)
    }

    /// Writes the log anew, and the database if that changed anything.
    pub(super) fn rewrite(
        &self,
        mut edit: impl FnMut(&LogEvent) -> LineEdit,
    ) -> Result<(), MemoryError> {
        let held = self.log.lock()?;
        let is_other = self.log.rewrite(&held, |event| Ok::<_, LogError>(edit(event)))?.is_some();
        drop(held);
        if is_other { self.remake() } else { Ok(()) }
    }
}

/// Returns what replaces an event that speaks of a forgotten note.
fn forgotten(event: &LogEvent, id: &str) -> Option<LogEvent> {
    let mut left = event.clone();
    let is_it = |other: &String| other == id;
    if let LogEventKind::Noted(note) = &event.what
        && is_it(&note.id)
    {
        left.what = LogEventKind::Forgotten { id: id.to_owned() };
    } else if let LogEventKind::Restored(restored) = &event.what
        && is_it(&restored.note.id)
    {
        left.what = LogEventKind::Forgotten { id: id.to_owned() };
    } else if let LogEventKind::Replaced { id: old, by, why } = &mut left.what
        && (is_it(old) || is_it(by))
    {
        why.clear();
    } else if let LogEventKind::Retracted { id: old, why } = &mut left.what
        && is_it(old)
    {
        why.clear();
    } else if let LogEventKind::Bound { id: bound, check } = &mut left.what
        && is_it(bound)
    {
        *check = None;
    }
    (left != *event).then_some(left)
}

/// Returns what replaces an event that repeats forgotten texts. Another note keeps what
/// it says, and loses a reason that repeats them.
fn silenced(event: &LogEvent, words: &NoteTexts) -> Option<LogEvent> {
    let NoteTexts { texts, asides } = words;
    let repeats_text = |said: &String| texts.iter().any(|text| repeats(said, text));
    let mut left = event.clone();
    if let LogEventKind::Noted(note) = &mut left.what {
        note.why = note.why.take().filter(|why| !repeats_text(why));
    } else if let LogEventKind::Restored(restored) = &mut left.what {
        let note = &mut restored.note;
        note.why = note.why.take().filter(|why| !repeats_text(why));
        restored
            .retired
            .iter_mut()
            .map(|end| &mut end.why)
            .filter(|why| repeats_text(why))
            .for_each(String::clear);
    } else {
        let is_reason =
            matches!(left.what, LogEventKind::Replaced { .. } | LogEventKind::Retracted { .. });
        clean::each(&mut left, &mut |value, role| {
            let is_text = matches!(role, EventTextRole::Text(_));
            let is_aside = || !is_reason && asides.iter().any(|aside| repeats(value, aside));
            if is_text && (repeats_text(value) || is_aside()) {
                value.clear();
            }
        });
    }
    (left != *event).then_some(left)
}

/// Returns how much a text says: a syllable of Hangul more than a letter.
fn weight(text: &str) -> usize {
    text.chars().map(|one| if one.is_ascii() { 2 } else { 3 }).sum()
}

/// Returns a text on one line, in small letters: within a sentence it begins with one.
fn flat(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Returns true if what was said repeats a text. What is kept of sessions is cut, so the
/// beginning or the end of the text may be all that is left of it.
fn repeats(said: &str, text: &str) -> bool {
    let said = flat(said);
    let pieces: Vec<&str> = said.split(CUT).map(str::trim).collect();
    let mut cuts = pieces.windows(2);
    said.contains(text) || cuts.any(|cut| has_begun(cut[0], text) || goes_on(cut[1], text))
}

/// Returns true if the beginning of a text stands at the end of a piece.
fn has_begun(piece: &str, text: &str) -> bool {
    let begun = text.char_indices().map(|(end, _)| text[..end].trim_end());
    let mut fitting = begun.take_while(|begun| begun.len() <= piece.len());
    fitting.any(|begun| piece.ends_with(begun) && weight(begun) >= SHORTEST_REST)
}

/// Returns true if the end of a text stands at the beginning of a piece.
fn goes_on(piece: &str, text: &str) -> bool {
    let rests = text.char_indices().rev().map(|(start, _)| text[start..].trim_start());
    let mut fitting = rests.take_while(|rest| rest.len() <= piece.len());
    fitting.any(|rest| piece.starts_with(rest) && weight(rest) >= SHORTEST_REST)
}

#[cfg(test)]
#[path = "forgetting_tests.rs"]
mod tests;
