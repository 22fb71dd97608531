//! The part of the memory that an agent gets to read: chosen notes and their
//! context, within a token budget.
//!
//! The text depends only on the arguments: it has no time of day, and its order
//! does not follow ranks, which drift. Stable parts come first, so that the agent's
//! provider can cache them. Everything is inside one fence, as notes are data;
//! showing nothing is a valid outcome.

mod budget;
mod line;
mod words;

use crate::locale::Locale;
use crate::memory::label::NoteLabel;
use crate::memory::notes::{CLOSING, OPENING};
use crate::tokens::{estimate, with_margin, without_margin};

use budget::TokenBudget;
pub use budget::{HydrationSection, NoteCategory};
pub use line::NoteLength;

/// Default token budget.
pub const USUAL_TOKENS: usize = 8000;

/// A note that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteCandidate {
    /// Id of the note.
    pub id: String,
    /// The group it belongs to.
    pub shelf: NoteCategory,
    /// Its reliability.
    pub label: NoteLabel,
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// The reason for it.
    pub why: Option<String>,
    /// The files it is about.
    pub files: Vec<String>,
    /// True if a gate checks whether it holds.
    pub is_checked: bool,
}

/// Everything that may be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HydrationInput {
    /// Notes, the best first.
    pub notes: Vec<NoteCandidate>,
    /// State of the work, line by line. Each entry stays one line, whatever it
    /// contains: only the caller knows which parts are data.
    pub resume: Vec<String>,
    /// Definitions and callers of the names in the task, line by line.
    pub code: Vec<String>,
    /// Files that the task will probably touch, with the reason, line by line.
    pub likely: Vec<String>,
    /// Recent changes of the files, line by line.
    pub timeline: Vec<String>,
    /// Written, unless the reader knows already what notes are.
    pub preface: PrefaceMode,
}

/// The explanation of what notes are, before the first of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PrefaceMode {
    /// It is written.
    #[default]
    Written,
    /// It is omitted: the session has it already.
    LeftOut,
}

impl PrefaceMode {
    /// Decides whether a reader of these texts still needs the explanation.
    pub fn after<'a>(read: impl IntoIterator<Item = &'a str>) -> Self {
        let said = |text: &str| {
            [Locale::En, Locale::Ko].iter().any(|locale| text.contains(words::preface(*locale)))
        };
        if read.into_iter().any(said) { Self::LeftOut } else { Self::Written }
    }
}

/// The text that is shown, and its notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HydrationText {
    /// The text, with its fence.
    pub text: String,
    /// Upper bound of its number of tokens.
    pub tokens: usize,
    /// The notes in it, in order.
    pub notes: Vec<ShownNote>,
}

impl HydrationText {
    /// Returns the ids of the notes that are shown.
    pub fn ids(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.id.clone()).collect()
    }
}

/// A note that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownNote {
    /// Id of the note.
    pub id: String,
    /// The section it is in.
    pub section: HydrationSection,
    /// Its reliability.
    pub label: NoteLabel,
    /// The length of its form.
    pub form: NoteLength,
}

/// The reason why nothing can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HydrationError {
    /// The rules do not fit, and no rule may be left out.
    #[error(
        "the rules of the project take {tokens} tokens, and {most} are kept for them, so no note is shown"
    )]
    LongRules {
        /// Number of tokens they need.
        tokens: usize,
        /// Number of tokens reserved for them.
        most: usize,
    },
}

/// A rendered section.
struct RenderedSection {
    section: HydrationSection,
    text: String,
    notes: Vec<ShownNote>,
}

/// Selects and renders what is shown; `None` if there is nothing to show.
pub fn hydrate(
    material: &HydrationInput,
    tokens: usize,
    locale: Locale,
) -> Result<Option<HydrationText>, HydrationError> {
    check_rules(material, tokens, locale)?;
    let opening = match material.preface {
        PrefaceMode::Written => format!("{OPENING}\n{}\n", words::preface(locale)),
        PrefaceMode::LeftOut => format!("{OPENING}\n"),
    };
    let closing = format!("{CLOSING}\n");
    let frame = estimate(&opening) + estimate(&closing);
    let Some(free) = with_margin(tokens).checked_sub(frame) else { return Ok(None) };
    let mut room = TokenBudget::new(tokens, free);
    let has =
        |section: HydrationSection| material.notes.iter().any(|it| it.shelf.section() == section);
    let mut written: Vec<RenderedSection> = HydrationSection::BY_PRECEDENCE
        .into_iter()
        // Its unused room is not passed on: all shares together exceed the budget.
        .filter(|section| *section != HydrationSection::Invariants || has(*section))
        .filter_map(|section| room.fill(section, |room| write(section, material, room, locale)))
        .collect();
    if written.is_empty() {
        return Ok(None);
    }
    written.sort_by_key(|written| written.section);
    let sections: String = written.iter().map(|written| written.text.as_str()).collect();
    let text = format!("{opening}{sections}{closing}");
    let tokens = without_margin(estimate(&text));
    let notes = written.into_iter().flat_map(|written| written.notes).collect();
    Ok(Some(HydrationText { text, tokens, notes }))
}

fn check_rules(
    material: &HydrationInput,
    tokens: usize,
    locale: Locale,
) -> Result<(), HydrationError> {
    let rules = material.notes.iter().filter(|note| note.shelf == NoteCategory::Rule);
    let lines = rules.map(|rule| estimate(&line::full(rule, locale)));
    let heading = estimate(words::heading(HydrationSection::Rules, locale));
    let tokens_taken = without_margin(lines.sum::<usize>() + heading);
    let most = HydrationSection::Rules.share(tokens);
    if tokens_taken > most && material.notes.iter().any(|note| note.shelf == NoteCategory::Rule) {
        return Err(HydrationError::LongRules { tokens: tokens_taken, most });
    }
    Ok(())
}

/// Renders one section within a number of tokens; `None` if nothing fits.
fn write(
    section: HydrationSection,
    material: &HydrationInput,
    room: usize,
    locale: Locale,
) -> Option<(usize, RenderedSection)> {
    let heading = format!("{}\n", words::heading(section, locale));
    let mut left = room.checked_sub(estimate(&heading))?;
    let (body, notes) = match section {
        HydrationSection::Code => (block(&material.code, &mut left), Vec::new()),
        HydrationSection::Likely => (block(&material.likely, &mut left), Vec::new()),
        HydrationSection::Timeline => (block(&material.timeline, &mut left), Vec::new()),
        HydrationSection::Task => (block(&material.resume, &mut left), Vec::new()),
        HydrationSection::Rules
        | HydrationSection::Invariants
        | HydrationSection::Known
        | HydrationSection::Gotchas
        | HydrationSection::Failures => shelve(section, material, &mut left, locale),
    };
    if body.is_empty() {
        return None;
    }
    let text = format!("{heading}{body}");
    Some((room - left, RenderedSection { section, text, notes }))
}

/// Renders as many lines as fit.
fn block(lines: &[String], left: &mut usize) -> String {
    let mut body = String::new();
    for line in lines {
        let line = line::indented(line);
        let cost = estimate(&line);
        if cost > *left {
            break;
        }
        *left -= cost;
        body.push_str(&line);
    }
    body
}

/// Selects notes by rank, and renders them in a stable order.
fn shelve(
    section: HydrationSection,
    material: &HydrationInput,
    left: &mut usize,
    locale: Locale,
) -> (String, Vec<ShownNote>) {
    let mut taken: Vec<(&NoteCandidate, NoteLength, String)> = Vec::new();
    for note in material.notes.iter().filter(|note| note.shelf.section() == section) {
        let on_shelf = taken.iter().filter(|(other, ..)| other.shelf == note.shelf).count();
        if on_shelf >= note.shelf.limit() || taken.iter().any(|(other, ..)| other.id == note.id) {
            continue;
        }
        if let Some((form, text)) = line::fitting(note, *left, locale) {
            *left -= estimate(&text);
            taken.push((note, form, text));
        }
    }
    taken.sort_by(|(one, ..), (other, ..)| line::order(one, other));
    let shown = taken.iter().map(|(note, form, _)| ShownNote {
        id: note.id.clone(),
        section,
        label: note.label,
        form: *form,
    });
    let notes = shown.collect();
    (taken.into_iter().map(|(.., text)| text).collect(), notes)
}

#[cfg(test)]
#[path = "hydration_tests.rs"]
mod tests;
