//! Forgetting: what is gone is gone from every line of the log.

use ralph_core::Timestamp;

use super::Notebook;
use crate::clean;
use crate::error::MemoryError;
use crate::event::{Actor, Event, Note, Observed, Place, What};
use crate::log::{Entry, Position};

/// Shorter texts of notes stand anywhere by chance, in bytes.
const SHORTEST_TEXT: usize = 12;

/// The same of what is left of a text where something was cut out.
const SHORTEST_REST: usize = 8;

/// Stands where something was cut out.
const CUT: char = '…';

impl Notebook {
    /// Forgets a note for good: its lines in the log are overwritten and the
    /// database is made anew. Says how many lines there were.
    pub fn forget(&self, id: &str, at: Timestamp) -> Result<usize, MemoryError> {
        let what = What::Forgotten { id: id.to_owned() };
        let event = Event { at: at.as_millis(), place: Place::default(), actor: Actor::User, what };
        let texts = self.words_of(id)?;
        let lines =
            self.log.rewrite(|event| forgotten(event, id).or_else(|| silenced(event, &texts)))?;
        // Afterwards, so that whoever has read the old lines hears of it.
        self.log.append(&[event])?;
        self.rebuild()?;
        Ok(lines)
    }

    /// Overwrites what repeats the words of a note that is forgotten, be it one of
    /// another notebook. Says how many lines there were.
    pub fn silence(&self, words: &[String]) -> Result<usize, MemoryError> {
        if words.is_empty() {
            return Ok(0);
        }
        let lines = self.log.rewrite(|event| silenced(event, words))?;
        if lines > 0 {
            self.rebuild()?;
        }
        Ok(lines)
    }

    /// All that a note ever said, each part as [`silence`](Self::silence) takes it.
    pub fn words_of(&self, id: &str) -> Result<Vec<String>, MemoryError> {
        let mut texts = Vec::new();
        self.log.read(Position::default(), |entry| {
            if let Entry::Event(event) = entry
                && let What::Noted(note) = event.what
                && note.id == id
            {
                texts.extend(said_by(&note));
            }
        })?;
        texts.sort_unstable();
        texts.dedup();
        Ok(texts)
    }

    /// Takes out of the log what must not be kept: rules get better, and what
    /// they notice today may have been written yesterday. Says how many lines
    /// were changed.
    pub fn scrub(&self) -> Result<usize, MemoryError> {
        let lines = self.log.rewrite(|event| {
            let cleaned = clean::scrubbed(event.clone());
            (cleaned != *event).then_some(cleaned)
        })?;
        if lines > 0 {
            self.rebuild()?;
        }
        Ok(lines)
    }
}

/// What stands in the log in place of what spoke of a forgotten note.
fn forgotten(event: &Event, id: &str) -> Option<Event> {
    let what = match &event.what {
        What::Noted(note) if note.id == id => What::Forgotten { id: note.id.clone() },
        What::Replaced { id: old, by, why } if (old == id || by == id) && !why.is_empty() => {
            What::Replaced { id: old.clone(), by: by.clone(), why: String::new() }
        }
        What::Retracted { id: old, why } if old == id && !why.is_empty() => {
            What::Retracted { id: old.clone(), why: String::new() }
        }
        What::Bound { id: bound, check: Some(_) } if bound == id => {
            What::Bound { id: bound.clone(), check: None }
        }
        What::Noted(_)
        | What::Replaced { .. }
        | What::Retracted { .. }
        | What::Attempted(_)
        | What::Landed { .. }
        | What::Bound { .. }
        | What::Shown { .. }
        | What::Cited { .. }
        | What::Checked { .. }
        | What::SeenAgain { .. }
        | What::Promoted { .. }
        | What::Corrected { .. }
        | What::Forgotten { .. }
        | What::Observed(_)
        | What::Asked { .. }
        | What::Answered { .. }
        | What::Opened { .. }
        | What::Closed { .. }
        | What::Checkpointed { .. }
        | What::Committed(_) => return None,
    };
    Some(Event { what, ..event.clone() })
}

/// What a note says that is forgotten, each part as it is compared.
fn said_by(note: &Note) -> Vec<String> {
    let Note { title, text, why, .. } = note;
    let parts = [Some(text), title.as_ref(), why.as_ref()].into_iter().flatten();
    parts.map(|part| flat(part)).filter(|part| part.len() >= SHORTEST_TEXT).collect()
}

/// A text on one line, in small letters: within a sentence it begins with one.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether what was said repeats a text. What is kept of sessions is cut, so the
/// beginning or the end of the text may be all that is left of it.
fn repeats(said: &str, text: &str) -> bool {
    let said = flat(said);
    let pieces: Vec<&str> = said.split(CUT).map(str::trim).collect();
    let mut cuts = pieces.windows(2);
    said.contains(text) || cuts.any(|cut| has_begun(cut[0], text) || goes_on(cut[1], text))
}

/// Whether the beginning of a text stands at the end of a piece.
fn has_begun(piece: &str, text: &str) -> bool {
    let begun = text.char_indices().map(|(end, _)| text[..end].trim_end());
    let mut fitting = begun.take_while(|begun| begun.len() <= piece.len());
    fitting.any(|begun| begun.len() >= SHORTEST_REST && piece.ends_with(begun))
}

/// Whether the end of a text stands at the beginning of a piece.
fn goes_on(piece: &str, text: &str) -> bool {
    let rests = text.char_indices().rev().map(|(start, _)| text[start..].trim_start());
    let mut fitting = rests.take_while(|rest| rest.len() <= piece.len());
    fitting.any(|rest| rest.len() >= SHORTEST_REST && piece.starts_with(rest))
}

/// What stands in the log in place of what repeats texts that are forgotten.
fn silenced(event: &Event, texts: &[String]) -> Option<Event> {
    let repeats = |said: &str| texts.iter().any(|text| repeats(said, text));
    let what = match &event.what {
        What::Observed(used) => {
            let Observed { about, error, .. } = &**used;
            if !repeats(about) && !error.as_deref().is_some_and(repeats) {
                return None;
            }
            let tool = used.tool.clone();
            What::Observed(Box::new(Observed {
                tool,
                files: used.files.clone(),
                ..Observed::default()
            }))
        }
        // What another note says is its own; why, it has from elsewhere.
        What::Noted(note) if note.why.as_deref().is_some_and(repeats) => {
            What::Noted(Box::new(Note { why: None, ..(**note).clone() }))
        }
        What::Replaced { id, by, why } if repeats(why) => {
            What::Replaced { id: id.clone(), by: by.clone(), why: String::new() }
        }
        What::Retracted { id, why } if repeats(why) => {
            What::Retracted { id: id.clone(), why: String::new() }
        }
        What::Asked { text } if repeats(text) => What::Asked { text: String::new() },
        What::Answered { text } if repeats(text) => What::Answered { text: String::new() },
        What::Closed { state, why } if repeats(why) => {
            What::Closed { state: *state, why: String::new() }
        }
        What::Checkpointed { about, files } if repeats(about) => {
            What::Checkpointed { about: String::new(), files: files.clone() }
        }
        What::Asked { .. }
        | What::Answered { .. }
        | What::Closed { .. }
        | What::Checkpointed { .. }
        | What::Opened { .. }
        | What::Committed(_)
        | What::Noted(_)
        | What::Shown { .. }
        | What::Cited { .. }
        | What::Checked { .. }
        | What::SeenAgain { .. }
        | What::Replaced { .. }
        | What::Promoted { .. }
        | What::Retracted { .. }
        | What::Corrected { .. }
        | What::Forgotten { .. }
        | What::Attempted(_)
        | What::Landed { .. }
        | What::Bound { .. } => return None,
    };
    Some(Event { what, ..event.clone() })
}

#[cfg(test)]
#[path = "forgetting_tests.rs"]
mod tests;
