//! `ralph memory why`: explains how much a note is believed.

use ralph_engine::wire::memory::{self as wire, BeliefReasons};
use ralph_memory::anchor::AnchorResolver;

use super::NoteArgs;
use super::books::UserNotebooks;
use crate::error::CliError;
use crate::texts::one_line;

pub(super) fn run(books: &UserNotebooks<'_>, args: &NoteArgs) -> Result<u8, CliError> {
    let (_, known) = books.find(&args.id)?;
    let anchored = known.look(&mut AnchorResolver::new(&books.app.project.root));
    let label = known.label(&anchored);
    let now = books.app.now();
    let words = books.answers.reasons(&known, label, &anchored, now);
    let reasons = BeliefReasons { known: &known, label, anchored: &anchored, now, words: &words };
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
