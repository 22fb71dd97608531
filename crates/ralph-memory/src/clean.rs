//! What never enters the memory: secrets, what the user marked as private, and
//! notes that were only shown again.

use std::borrow::Cow;

use ralph_core::memory::notes::without_notes;
use ralph_core::redact::redact;

use crate::event::{Event, Note, What};

/// How much is kept of what somebody said in a session, in characters.
const LONGEST_SAID: usize = 2000;

/// How much is kept of what a tool was about, in characters.
const LONGEST_ABOUT: usize = 300;

/// How much is kept of what went wrong, in characters.
const LONGEST_ERROR: usize = 600;

/// Files of one use of a tool or of one commit that are kept.
const MOST_FILES: usize = 50;

/// More of a text is not even read, in bytes.
const LONGEST_READ: usize = 64 * 1024;

const OPENING: &str = "<private>";
const CLOSING: &str = "</private>";

/// A text as it may be kept.
pub fn text(text: &str) -> Cow<'_, str> {
    let shown = without_notes(text);
    let open = without_private(&shown);
    if let Cow::Owned(open) = open {
        return Cow::Owned(redact(&open).into_owned());
    }
    match shown {
        Cow::Borrowed(text) => redact(text),
        Cow::Owned(shown) => Cow::Owned(redact(&shown).into_owned()),
    }
}

/// A note as it may be kept.
#[must_use]
pub fn note(mut note: Note) -> Note {
    clean_note(&mut note);
    note
}

/// An event as it may be kept.
#[must_use]
pub fn event(mut event: Event) -> Event {
    match &mut event.what {
        What::Noted(note) => clean_note(note),
        What::Replaced { why, .. } | What::Retracted { why, .. } => clean(why),
        What::Checked { failures, .. } => failures.iter_mut().for_each(clean),
        What::Attempted(tried) => {
            tried.approach.iter_mut().chain(&mut tried.failures).for_each(clean);
        }
        What::Observed(used) => {
            shorten(&mut used.tool, LONGEST_ABOUT);
            shorten(&mut used.about, LONGEST_ABOUT);
            used.error.iter_mut().for_each(|error| shorten(error, LONGEST_ERROR));
            used.files.truncate(MOST_FILES);
            used.files.iter_mut().for_each(clean);
        }
        What::Asked { text } | What::Answered { text } => shorten(text, LONGEST_SAID),
        What::Opened { source, .. } => shorten(source, LONGEST_ABOUT),
        What::Closed { why: about, .. } | What::Checkpointed { about } => {
            shorten(about, LONGEST_ERROR);
        }
        What::Committed(made) => {
            shorten(&mut made.subject, LONGEST_ABOUT);
            made.files.truncate(MOST_FILES);
        }
        What::Landed { .. }
        | What::Bound { .. }
        | What::Shown { .. }
        | What::Cited { .. }
        | What::SeenAgain { .. }
        | What::Promoted { .. }
        | What::Corrected { .. }
        | What::Forgotten { .. } => {}
    }
    event
}

fn clean_note(note: &mut Note) {
    let Note { title, text, why, .. } = note;
    [Some(text), title.as_mut(), why.as_mut()].into_iter().flatten().for_each(clean);
}

fn clean(value: &mut String) {
    if let Cow::Owned(cleaned) = text(value) {
        *value = cleaned;
    }
}

/// Cleans a text and cuts it: the beginning says what it is about, the end
/// what came of it. What is cut out goes with what must not be kept, so that
/// no half of a secret passes for something else.
fn shorten(value: &mut String, most: usize) {
    if value.len() > LONGEST_READ {
        value.truncate(value.floor_char_boundary(LONGEST_READ));
        value.truncate(value.rfind(char::is_whitespace).unwrap_or_default());
    }
    clean(value);
    let length = value.chars().count();
    if length > most {
        let end = most / 3;
        let start = value.chars().take(most - end - 1);
        let end = value.chars().skip(length - end);
        *value = start.chain(['…']).chain(end).collect();
    }
}

/// A text without what stands between private marks; a mark that is never
/// closed hides all that follows.
fn without_private(text: &str) -> Cow<'_, str> {
    if find(text, OPENING).is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = find(rest, OPENING) {
        kept.push_str(&rest[..start]);
        rest = behind_private(&rest[start + OPENING.len()..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// What follows the end of a private part, which may have others in it.
fn behind_private(mut inside: &str) -> &str {
    let mut depth = 1;
    while depth > 0 {
        let Some(end) = find(inside, CLOSING) else { return "" };
        depth -= 1;
        if let Some(start) = find(&inside[..end], OPENING) {
            depth += 2;
            inside = &inside[start + OPENING.len()..];
        } else {
            inside = &inside[end + CLOSING.len()..];
        }
    }
    inside
}

/// Where a mark stands, in whatever case.
fn find(text: &str, mark: &str) -> Option<usize> {
    let found = |at: &usize| {
        let here = text.as_bytes().get(*at..*at + mark.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(mark.as_bytes()))
    };
    text.match_indices('<').map(|(at, _)| at).find(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, want: &str) {
        assert_eq!(text(given), want);
    }

    #[test]
    fn private_parts_secrets_and_recalled_notes_are_left_out() {
        check("plain < text", "plain < text");
        check("a <private>b</private> c <PRIVATE>d</Private>e", "a  c e");
        check("a <private>b<private>c</private>d</private> e", "a  e");
        check("a <private>b<private>c</private>d", "a ");
        check("a <private>never closed", "a ");
        check("a <ralph-notes>\n- old\n</ralph-notes>b", "a b");
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert!(!text(&format!("token {token} here")).contains(&token));
        let split = format!("token <private>x</private>{token}");
        assert!(!text(&split).contains(&token));
    }
}
