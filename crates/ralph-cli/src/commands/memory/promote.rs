//! `ralph memory promote`: widens the scope of a note.

use ralph_memory::event::{EventActor, LogEventKind, NoteContent, NoteScope};
use ralph_memory::log::EventLog;
use ralph_memory::succession::NoteSuccession;
use ralph_memory::{MemoryError, NoteWriter};

use super::books::{UserNotebooks, refuse_retired};
use super::{binding, changes};
use crate::error::CliError;

/// Take a note of a task over into the project, or into all your projects
#[derive(clap::Args, Debug)]
pub(crate) struct PromoteArgs {
    /// The note
    #[arg(value_name = "ID")]
    id: String,
    /// For whom it is to be
    #[arg(long, value_name = "SCOPE", value_parser = super::scope, default_value = "project")]
    scope: NoteScope,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(books: &UserNotebooks<'_>, args: &PromoteArgs) -> Result<u8, CliError> {
    books.only_for_the_user("promote notes")?;
    let (home, known) = books.find(&args.id)?;
    books.refuse_elsewhere(args.scope)?;
    refuse_retired(&known)?;
    let id = known.note.id.clone();
    let note = NoteContent { scope: args.scope, ..known.note.clone() };
    let older = books.notes.succession(&note)?;
    let writer = books.writer();
    if books.notes.home(args.scope) == books.notes.home(home) {
        // The user who promotes a note becomes its author.
        let said = known.actor != EventActor::User;
        let said = said.then(|| LogEventKind::Noted(Box::new(note)));
        let promoted = LogEventKind::Promoted { id: id.clone(), scope: args.scope };
        let events = said.into_iter().chain([promoted]).chain(older.events(&id));
        books.notes.write(home, events.collect(), &writer)?;
    } else {
        move_over(books, home, note, &older, &writer)?;
    }
    let scope = args.scope;
    let told = changes::WrittenNote { scope, id: &id, secrets: 0, older: &older, near: &[] };
    changes::tell(books, args.json, told)?;
    Ok(0)
}

/// Moves a note from one notebook to the other; the first keeps its history.
///
/// It is written to the new notebook before it is withdrawn from the old one. So
/// nothing is lost if the move is interrupted, and a second call completes it. Both
/// notebooks are checked for write access first.
fn move_over(
    books: &UserNotebooks<'_>,
    from: NoteScope,
    note: NoteContent,
    older: &NoteSuccession,
    writer: &NoteWriter,
) -> Result<(), CliError> {
    let (notes, to) = (&books.notes, note.scope);
    books.refuse_elsewhere(from)?;
    EventLog::new(notes.home(from)).probe().map_err(MemoryError::from)?;
    let (id, scope) = (note.id.clone(), note.scope);
    // The same file name may mean another file in another project, and an edited note
    // keeps its id.
    let there = notes.with(to, |notebook| notebook.get(&id))?;
    if there.is_some_and(|other| other.retired.is_none() && other.note.text != note.text) {
        let what = format!("another note that is {} already has the id {id}", scope.word());
        return Err(CliError::refused(what)
            .with_hint(format!(
                "`ralph memory add --scope {}` with its text makes a note of its own",
                scope.word()
            ))
            .in_korean(
                format!("같은 id {id} 의 {} 메모가 이미 있습니다", scope.word()),
                Some(&format!(
                    "`ralph memory add --scope {}` 로 그 내용을 새 메모로 남길 수 있습니다",
                    scope.word()
                )),
            ));
    }
    let check = notes.with(from, |notebook| notebook.check_of(&id))?;
    if let Some(check) = &check {
        binding::refuse_scope(check, scope)?;
    }
    // Its files and anchors are in this project only.
    let note = match scope {
        NoteScope::Global => NoteContent { files: Vec::new(), anchors: Vec::new(), ..note },
        NoteScope::Task | NoteScope::Project => note,
    };
    let bound = check.map(|check| LogEventKind::Bound { id: id.clone(), check: Some(check) });
    let moved = std::iter::once(LogEventKind::Noted(Box::new(note))).chain(bound);
    notes.write(to, moved.chain(older.events(&id)).collect(), writer)?;
    let why = books.answers.moved(scope).to_owned();
    let gone = vec![LogEventKind::Retracted { id: id.clone(), why }];
    notes.write(from, gone, writer).map_err(|error| {
        CliError::from(error)
            .about(&format!("{id} is {} now, and still where it was as well", scope.word()))
            .with_hint("call it again to withdraw it there")
    })
}
