//! What an agent is shown of the memory: chosen notes and what belongs to them,
//! within a number of tokens.
//!
//! The text is a function of what goes in: it has no times of day, and its order
//! does not depend on ranks, which drift. What changes least stands first, so
//! that the agent's provider can keep it. Everything is inside one fence, as
//! notes are data; showing nothing is a valid outcome.

mod budget;
mod line;
mod words;

use crate::locale::Locale;
use crate::memory::label::Label;
use crate::memory::notes::{CLOSING, OPENING};
use crate::tokens::{estimate, with_margin, without_margin};

use budget::Room;
pub use budget::{Section, Shelf};
pub use line::Form;

/// How many tokens are shown if nobody says otherwise.
pub const USUAL_TOKENS: usize = 8000;

/// A note that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub id: String,
    /// Where it is put.
    pub shelf: Shelf,
    /// How far it can be relied upon.
    pub label: Label,
    /// What it says in a few words.
    pub title: Option<String>,
    /// What it says.
    pub text: String,
    /// Why it is so.
    pub why: Option<String>,
    /// The files it is about.
    pub files: Vec<String>,
    /// A gate checks whether it holds.
    pub is_checked: bool,
}

/// All there is to choose from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Material {
    /// Notes, the best first.
    pub notes: Vec<Candidate>,
    /// Where the work stands, line by line. Each stays one line, whatever is
    /// in it: only whoever wrote it knows what is data there.
    pub resume: Vec<String>,
    /// Where the names of the task are defined and who calls them, line by line.
    pub code: Vec<String>,
    /// Files that the task will probably touch, and why, line by line.
    pub likely: Vec<String>,
    /// What was done to the files lately, line by line.
    pub timeline: Vec<String>,
    /// Whether the reader knows already what notes are.
    pub preface: Preface,
}

/// Whether it is said what notes are, before the first of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Preface {
    /// It is.
    #[default]
    Written,
    /// The session knows it.
    LeftOut,
}

impl Preface {
    /// What is left to say to a reader who has read these texts.
    pub fn after<'a>(read: impl IntoIterator<Item = &'a str>) -> Self {
        let said = |text: &str| {
            [Locale::En, Locale::Ko].iter().any(|locale| text.contains(words::preface(*locale)))
        };
        if read.into_iter().any(said) { Self::LeftOut } else { Self::Written }
    }
}

/// What is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hydration {
    /// The text, with its fence.
    pub text: String,
    /// At most how many tokens it has.
    pub tokens: usize,
    /// The notes in it, in their order there.
    pub notes: Vec<ShownNote>,
}

impl Hydration {
    /// The names of the notes that are shown.
    pub fn ids(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.id.clone()).collect()
    }
}

/// A note that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownNote {
    /// Its name.
    pub id: String,
    /// Where it stands.
    pub section: Section,
    /// How far it can be relied upon.
    pub label: Label,
    /// How much of it is there.
    pub form: Form,
}

/// Why nothing can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HydrationError {
    /// Rules hold always, so none is left out, and they do not fit.
    #[error(
        "the rules of the project take {tokens} tokens, and {most} are kept for them, so no note is shown"
    )]
    LongRules {
        /// How many they take.
        tokens: usize,
        /// How many they may take.
        most: usize,
    },
}

/// A section as it will be written.
struct Written {
    section: Section,
    text: String,
    notes: Vec<ShownNote>,
}

/// Chooses what is shown; `None` when there is nothing to say.
pub fn hydrate(
    material: &Material,
    tokens: usize,
    locale: Locale,
) -> Result<Option<Hydration>, HydrationError> {
    check_rules(material, tokens, locale)?;
    let opening = match material.preface {
        Preface::Written => format!("{OPENING}\n{}\n", words::preface(locale)),
        Preface::LeftOut => format!("{OPENING}\n"),
    };
    let closing = format!("{CLOSING}\n");
    let frame = estimate(&opening) + estimate(&closing);
    let Some(free) = with_margin(tokens).checked_sub(frame) else { return Ok(None) };
    let mut room = Room::new(tokens, free);
    let has = |section: Section| material.notes.iter().any(|it| it.shelf.section() == section);
    let mut written: Vec<Written> = Section::BY_PRECEDENCE
        .into_iter()
        // What it leaves is not for others: together they have more than there is.
        .filter(|section| *section != Section::Invariants || has(*section))
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
    Ok(Some(Hydration { text, tokens, notes }))
}

fn check_rules(material: &Material, tokens: usize, locale: Locale) -> Result<(), HydrationError> {
    let rules = material.notes.iter().filter(|note| note.shelf == Shelf::Rule);
    let lines = rules.map(|rule| estimate(&line::full(rule, locale)));
    let heading = estimate(words::heading(Section::Rules, locale));
    let tokens_taken = without_margin(lines.sum::<usize>() + heading);
    let most = Section::Rules.share(tokens);
    if tokens_taken > most && material.notes.iter().any(|note| note.shelf == Shelf::Rule) {
        return Err(HydrationError::LongRules { tokens: tokens_taken, most });
    }
    Ok(())
}

/// Writes one section into so many tokens; `None` if nothing fits.
fn write(
    section: Section,
    material: &Material,
    room: usize,
    locale: Locale,
) -> Option<(usize, Written)> {
    let heading = format!("{}\n", words::heading(section, locale));
    let mut left = room.checked_sub(estimate(&heading))?;
    let (body, notes) = match section {
        Section::Code => (block(&material.code, &mut left), Vec::new()),
        Section::Likely => (block(&material.likely, &mut left), Vec::new()),
        Section::Timeline => (block(&material.timeline, &mut left), Vec::new()),
        Section::Task => (block(&material.resume, &mut left), Vec::new()),
        Section::Rules
        | Section::Invariants
        | Section::Known
        | Section::Gotchas
        | Section::Failures => shelve(section, material, &mut left, locale),
    };
    if body.is_empty() {
        return None;
    }
    let text = format!("{heading}{body}");
    Some((room - left, Written { section, text, notes }))
}

/// As many lines as there is room for.
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

/// Chooses notes by rank, and writes them in an order of their own.
fn shelve(
    section: Section,
    material: &Material,
    left: &mut usize,
    locale: Locale,
) -> (String, Vec<ShownNote>) {
    let mut taken: Vec<(&Candidate, Form, String)> = Vec::new();
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
