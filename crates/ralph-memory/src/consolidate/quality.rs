//! What is no use to anybody else, whoever wrote it.

use std::borrow::Cow;

use crate::clean;
use crate::event::{EventActor, NoteContent};
use crate::notebook::StoredNote;

/// A text with fewer words than these says nothing.
const FEWEST_WORDS: usize = 3;

/// A text with fewer characters than these neither; scripts without blanks
/// have few words.
const FEWEST_CHARS: usize = 10;

/// What is wrong with a note; the user may write what he likes.
pub(super) fn fault(known: &StoredNote) -> Option<&'static str> {
    if known.actor == EventActor::User {
        return None;
    }
    let NoteContent { title, text, why, .. } = &known.note;
    let said = [Some(text), title.as_ref(), why.as_ref()];
    let is_secret =
        |text: &String| matches!(clean::text(text), Cow::Owned(clean) if clean != *text);
    if said.into_iter().flatten().any(is_secret) {
        return Some("it holds a secret");
    }
    if !known.orders().is_empty() {
        return Some("it reads like an order to the agent");
    }
    let words = text.split_whitespace().count();
    let is_short = text.chars().count() < FEWEST_CHARS || (words < FEWEST_WORDS && text.is_ascii());
    is_short.then_some("it is too short to say anything")
}
