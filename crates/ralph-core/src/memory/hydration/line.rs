//! Renders a note as one line.

use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::LazyLock;

use regex::Regex;

use super::{NoteCandidate, words};
use crate::locale::Locale;
use crate::memory::hydration::NoteCategory;
use crate::memory::notes::{as_data, file_names};
use crate::tokens::estimate;

/// Maximum length of a note shown in full, in tokens.
const LONGEST: usize = 250;

/// Length of the beginning shown of a longer note, in tokens.
const BRIEF: usize = 40;

/// Maximum number of files listed with a note.
const MOST_FILES: usize = 3;

/// The length in which a note is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteLength {
    /// The whole note.
    Full,
    /// Its beginning, with the command that shows the rest.
    Brief,
}

impl NoteLength {
    /// Returns the name in output for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Brief => "brief",
        }
    }
}

/// Renders the longest form of a note that fits into so many tokens.
///
/// A rule is never shortened: half of one may say the opposite.
pub(super) fn fitting(
    note: &NoteCandidate,
    room: usize,
    locale: Locale,
) -> Option<(NoteLength, String)> {
    let whole = full(note, locale);
    let cost = estimate(&whole);
    if cost <= room && (cost <= LONGEST || note.shelf == NoteCategory::Rule) {
        return Some((NoteLength::Full, whole));
    }
    let brief = brief(note, locale);
    (note.shelf != NoteCategory::Rule && estimate(&brief) <= room)
        .then_some((NoteLength::Brief, brief))
}

/// Orders notes by group and id, which are stable; ranks drift.
pub(super) fn order(one: &NoteCandidate, other: &NoteCandidate) -> Ordering {
    let key = |note: &NoteCandidate| (note.shelf, note.id.clone());
    key(one).cmp(&key(other))
}

pub(super) fn full(note: &NoteCandidate, locale: Locale) -> String {
    let mut line = head(note, locale);
    let title = note.title.as_deref().map(said).unwrap_or_default();
    let text = said(&note.text);
    // A title that repeats the beginning of the text adds nothing.
    if !title.is_empty() && !text.starts_with(&title) {
        let _ = write!(line, " {title}:");
    }
    let _ = write!(line, " {text}");
    let mut extra = Vec::new();
    if let Some(why) = note.why.as_deref().map(said).filter(|why| !why.is_empty()) {
        extra.push(format!("{}: {why}", words::why(locale)));
    }
    let files = file_names(note.files.iter().map(String::as_str), MOST_FILES);
    if !files.is_empty() {
        extra.push(said(&files));
    }
    if !extra.is_empty() {
        let _ = write!(line, " ({})", extra.join("; "));
    }
    line.push('\n');
    line
}

fn brief(note: &NoteCandidate, locale: Locale) -> String {
    let mut line = head(note, locale);
    let title = note.title.as_deref().map(said).filter(|title| !title.is_empty());
    let said = title.unwrap_or_else(|| said(&note.text));
    let mut kept = String::new();
    for word in said.split_inclusive(' ') {
        if estimate(&kept) + estimate(word) > BRIEF {
            break;
        }
        kept.push_str(word);
    }
    if kept.is_empty() {
        // One endless word: show at least a part of it.
        kept = said.chars().take(BRIEF).collect();
    }
    let rest = words::rest(&self::said(&note.id), locale);
    let _ = writeln!(line, " {}… {rest}", kept.trim_end());
    line
}

/// Renders `- [id] [LABEL]`.
fn head(note: &NoteCandidate, locale: Locale) -> String {
    let mut line = format!("- [{}]", said(&note.id));
    if let Some(mark) = note.label.mark() {
        let _ = write!(line, " {mark}");
    }
    if note.is_checked {
        let _ = write!(line, " {}", words::checked(locale));
    }
    line
}

/// Puts a text on one line, and masks any label that it gives itself.
fn said(text: &str) -> String {
    static LABEL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\[\s*(verified|hypothesis|stale)\s*\]").ok());
    let text = as_data(text);
    match LABEL.as_ref() {
        Some(label) => label.replace_all(&text, "($1)").into_owned(),
        None => text.replace('[', "("),
    }
}

/// Renders a line of our own text, which may quote others, with its indentation.
pub(super) fn indented(line: &str) -> String {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    format!("{}{}\n", &line[..spaces], said(line))
}
