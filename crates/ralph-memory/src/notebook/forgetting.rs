//! Forgetting: what is gone is gone from every line of the log.

use ralph_core::Timestamp;

use super::Notebook;
use crate::clean;
use crate::error::MemoryError;
use crate::event::{EventActor, EventContext, LogEvent, LogEventKind, NoteContent, ToolUseRecord};
use crate::log::{LogEntry, LogPosition};

/// Shorter texts of notes stand anywhere by chance: twelve letters, or eight
/// syllables.
const SHORTEST_TEXT: usize = 24;

/// The same of what is left of a text where something was cut out.
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

    fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.asides.is_empty()
    }
}

impl Notebook {
    /// Forgets a note for good: its lines in the log are overwritten and the
    /// database is made anew. Says how many lines there were.
    ///
    /// What repeats it goes first: as long as the note is there, whoever is
    /// stopped in between knows what to look for when called again.
    pub fn forget(&self, id: &str, at: Timestamp) -> Result<usize, MemoryError> {
        self.mend()?;
        let what = LogEventKind::Forgotten { id: id.to_owned() };
        let event = LogEvent {
            at: at.as_millis(),
            place: EventContext::default(),
            actor: EventActor::User,
            what,
        };
        let words = self.words_of(id)?;
        let repeated = self.log.rewrite(|event| match forgotten(event, id) {
            Some(_) => None,
            None => silenced(event, &words),
        })?;
        let lines = self.log.rewrite(|event| forgotten(event, id))?;
        // Afterwards, so that whoever has read the old lines hears of it.
        self.log.append(&[event])?;
        self.log.drop_copies()?;
        self.remake()?;
        Ok(repeated + lines)
    }

    /// Overwrites what repeats the words of a note that is forgotten, be it one of
    /// another notebook. Says how many lines there were.
    pub fn silence(&self, words: &NoteTexts) -> Result<usize, MemoryError> {
        if words.is_empty() {
            return Ok(0);
        }
        self.mend()?;
        let lines = self.log.rewrite(|event| silenced(event, words))?;
        if lines > 0 {
            self.log.drop_copies()?;
            self.remake()?;
        }
        Ok(lines)
    }

    /// Whether [`silence`](Self::silence) would have something to overwrite.
    pub fn has_repeated(&self, words: &NoteTexts) -> Result<bool, MemoryError> {
        let mut has = false;
        self.log.read(LogPosition::default(), |entry| {
            if let LogEntry::Event(event) = entry {
                has = has || silenced(&event, words).is_some();
            }
        })?;
        Ok(has)
    }

    /// All that a note ever said, as [`silence`](Self::silence) takes it.
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

    /// Takes out of the log what must not be kept: rules get better, and what
    /// they notice today may have been written yesterday. Says how many lines
    /// were changed.
    pub fn scrub(&self) -> Result<usize, MemoryError> {
        self.mend()?;
        let lines = self.log.rewrite(|event| {
            let cleaned = clean::scrubbed(event.clone());
            (cleaned != *event).then_some(cleaned)
        })?;
        if lines > 0 {
            self.log.drop_copies()?;
            self.remake()?;
        }
        Ok(lines)
    }
}

/// What stands in the log in place of what spoke of a forgotten note.
fn forgotten(event: &LogEvent, id: &str) -> Option<LogEvent> {
    let what = match &event.what {
        LogEventKind::Noted(note) if note.id == id => {
            LogEventKind::Forgotten { id: note.id.clone() }
        }
        LogEventKind::Restored(restored) if restored.note.id == id => {
            LogEventKind::Forgotten { id: id.to_owned() }
        }
        LogEventKind::Replaced { id: old, by, why }
            if (old == id || by == id) && !why.is_empty() =>
        {
            LogEventKind::Replaced { id: old.clone(), by: by.clone(), why: String::new() }
        }
        LogEventKind::Retracted { id: old, why } if old == id && !why.is_empty() => {
            LogEventKind::Retracted { id: old.clone(), why: String::new() }
        }
        LogEventKind::Bound { id: bound, check: Some(_) } if bound == id => {
            LogEventKind::Bound { id: bound.clone(), check: None }
        }
        LogEventKind::Noted(_)
        | LogEventKind::Restored(_)
        | LogEventKind::Replaced { .. }
        | LogEventKind::Retracted { .. }
        | LogEventKind::Attempted(_)
        | LogEventKind::Landed { .. }
        | LogEventKind::Bound { .. }
        | LogEventKind::Shown { .. }
        | LogEventKind::Cited { .. }
        | LogEventKind::Checked { .. }
        | LogEventKind::SeenAgain { .. }
        | LogEventKind::Promoted { .. }
        | LogEventKind::Corrected { .. }
        | LogEventKind::Forgotten { .. }
        | LogEventKind::Observed(_)
        | LogEventKind::Asked { .. }
        | LogEventKind::Answered { .. }
        | LogEventKind::Opened { .. }
        | LogEventKind::Closed { .. }
        | LogEventKind::Checkpointed { .. }
        | LogEventKind::Committed(_) => return None,
    };
    Some(LogEvent { what, ..event.clone() })
}

/// How much a text says: a syllable of Hangul more than a letter.
fn weight(text: &str) -> usize {
    text.chars().map(|one| if one.is_ascii() { 2 } else { 3 }).sum()
}

/// A text on one line, in small letters: within a sentence it begins with one.
fn flat(text: &str) -> String {
    located(text).0
}

/// The same, and for each byte of it where the letter begins that it is from.
fn located(text: &str) -> (String, Vec<usize>) {
    let (mut flat, mut places) = (String::with_capacity(text.len()), Vec::new());
    let mut is_between = false;
    for (at, one) in text.char_indices() {
        if one.is_whitespace() {
            is_between = !flat.is_empty();
            continue;
        }
        let blank = std::mem::take(&mut is_between).then_some(' ');
        flat.extend(blank.into_iter().chain(one.to_lowercase()));
        places.resize(flat.len(), at);
    }
    (flat, places)
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
    fitting.any(|begun| piece.ends_with(begun) && weight(begun) >= SHORTEST_REST)
}

/// Whether the end of a text stands at the beginning of a piece.
fn goes_on(piece: &str, text: &str) -> bool {
    let rests = text.char_indices().rev().map(|(start, _)| text[start..].trim_start());
    let mut fitting = rests.take_while(|rest| rest.len() <= piece.len());
    fitting.any(|rest| piece.starts_with(rest) && weight(rest) >= SHORTEST_REST)
}

/// A reason without the texts that it repeats; `None` if it repeats none. It is
/// somebody else's, so all else of it stays.
fn without(why: &str, texts: &[String]) -> Option<String> {
    if !texts.iter().any(|text| repeats(why, text)) {
        return None;
    }
    let (small, places) = located(why);
    let found = texts.iter().flat_map(|text| {
        small.match_indices(text.as_str()).map(|(at, text)| (at, at + text.len() - 1))
    });
    let mut cuts: Vec<(usize, usize)> =
        found.map(|(first, last)| whole_words(why, (places[first], places[last]))).collect();
    if cuts.is_empty() {
        // It had been cut before, and nobody knows where the text ends.
        return Some(String::new());
    }
    cuts.sort_unstable();
    let (mut left, mut done) = (String::new(), 0);
    for (start, end) in cuts {
        if start >= done {
            left.push_str(&why[done..start]);
            left.push(CUT);
        }
        done = done.max(end);
    }
    left.push_str(&why[done..]);
    let left = left.trim();
    let says = left.chars().any(char::is_alphanumeric);
    Some(if says { left.to_owned() } else { String::new() })
}

/// The words that a first and a last letter stand in: Korean ones end in
/// particles, which say nothing alone.
fn whole_words(said: &str, (first, last): (usize, usize)) -> (usize, usize) {
    let is_letter = |one: char| one.is_alphanumeric();
    let start = said[..first].trim_end_matches(is_letter).len();
    let rest = said[last..].char_indices().skip(1).find(|(_, one)| !is_letter(*one));
    (start, rest.map_or(said.len(), |(at, _)| last + at))
}

/// What stands in the log in place of what repeats texts that are forgotten.
fn silenced(event: &LogEvent, words: &NoteTexts) -> Option<LogEvent> {
    let NoteTexts { texts, asides } = words;
    let repeats = |said: &str| texts.iter().chain(asides).any(|text| repeats(said, text));
    let what = match &event.what {
        LogEventKind::Observed(used) => {
            let ToolUseRecord { about, error, .. } = &**used;
            if !repeats(about) && !error.as_deref().is_some_and(repeats) {
                return None;
            }
            let tool = used.tool.clone();
            LogEventKind::Observed(Box::new(ToolUseRecord {
                tool,
                files: used.files.clone(),
                ..ToolUseRecord::default()
            }))
        }
        // What another note says is its own; why, it has from elsewhere.
        LogEventKind::Noted(note) => {
            let why = without(note.why.as_deref()?, texts)?;
            let why = Some(why).filter(|why| !why.is_empty());
            LogEventKind::Noted(Box::new(NoteContent { why, ..(**note).clone() }))
        }
        LogEventKind::Replaced { id, by, why } => {
            LogEventKind::Replaced { id: id.clone(), by: by.clone(), why: without(why, texts)? }
        }
        LogEventKind::Retracted { id, why } => {
            LogEventKind::Retracted { id: id.clone(), why: without(why, texts)? }
        }
        LogEventKind::Restored(restored) => {
            let why = restored.note.why.as_deref().and_then(|why| without(why, texts));
            let ended = restored.retired.as_ref().and_then(|end| without(&end.2, texts));
            if why.is_none() && ended.is_none() {
                return None;
            }
            let mut left = restored.clone();
            if let Some(why) = why {
                left.note.why = Some(why).filter(|why| !why.is_empty());
            }
            if let (Some(end), Some(ended)) = (&mut left.retired, ended) {
                end.2 = ended;
            }
            LogEventKind::Restored(left)
        }
        LogEventKind::Asked { text } if repeats(text) => {
            LogEventKind::Asked { text: String::new() }
        }
        LogEventKind::Answered { text } if repeats(text) => {
            LogEventKind::Answered { text: String::new() }
        }
        LogEventKind::Closed { state, why } if repeats(why) => {
            LogEventKind::Closed { state: *state, why: String::new() }
        }
        LogEventKind::Checkpointed { about, files } if repeats(about) => {
            LogEventKind::Checkpointed { about: String::new(), files: files.clone() }
        }
        LogEventKind::Asked { .. }
        | LogEventKind::Answered { .. }
        | LogEventKind::Closed { .. }
        | LogEventKind::Checkpointed { .. }
        | LogEventKind::Opened { .. }
        | LogEventKind::Committed(_)
        | LogEventKind::Shown { .. }
        | LogEventKind::Cited { .. }
        | LogEventKind::Checked { .. }
        | LogEventKind::SeenAgain { .. }
        | LogEventKind::Promoted { .. }
        | LogEventKind::Corrected { .. }
        | LogEventKind::Forgotten { .. }
        | LogEventKind::Attempted(_)
        | LogEventKind::Landed { .. }
        | LogEventKind::Bound { .. } => return None,
    };
    Some(LogEvent { what, ..event.clone() })
}

#[cfg(test)]
#[path = "forgetting_tests.rs"]
mod tests;
