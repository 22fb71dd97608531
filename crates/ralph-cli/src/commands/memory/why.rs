//! `ralph memory why`.

use ralph_core::memory::label::{Anchored, Grounds, Label};
use ralph_engine::wire::memory::{self as wire, Reasons};
use ralph_memory::anchor;

use super::NoteArgs;
use super::books::Books;
use crate::error::CliError;
use crate::texts::one_line;

pub(super) fn run(books: &Books<'_>, args: &NoteArgs) -> Result<u8, CliError> {
    let (_, known) = books.find(&args.id)?;
    let root = &books.app.project.root;
    let anchored: Vec<Anchored> =
        known.note.anchors.iter().map(|one| anchor::look(root, one)).collect();
    let grounds =
        Grounds { is_verified: known.verified, has_citation: !known.note.anchors.is_empty() };
    let label = Label::of(grounds, &anchored);
    let now = books.app.now();
    let words = books.answers.reasons(&known, (label, &anchored), now);
    let reasons = Reasons { known: &known, label, anchored: &anchored, now, words: &words };
    super::print(args.json.then(|| wire::why(&reasons)), || {
        let said = known.note.title.as_deref().unwrap_or(&known.note.text);
        let mut text = format!("{}  {}\n", known.note.id, one_line(said, 100));
        for line in &words {
            text.push_str("- ");
            text.push_str(line);
            text.push('\n');
        }
        text
    });
    Ok(0)
}
