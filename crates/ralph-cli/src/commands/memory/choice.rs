//! The options that relate a note to those near it.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use ralph_memory::event::{Actor, Note, Scope, What};
use ralph_memory::succession::{self, NEAREST};
use ralph_memory::{Found, Known};

use super::books::{Books, refuse_retired};
use crate::error::CliError;

/// Which older notes a new one stands for.
#[derive(clap::Args, Debug, Clone, Default)]
pub(super) struct ChoiceArgs {
    /// A note that it takes the place of (repeatable)
    #[arg(long, value_name = "ID", conflicts_with = "same_as")]
    pub(super) replaces: Vec<String>,
    /// A note that says the same: that one is kept and nothing is added
    #[arg(long, value_name = "ID")]
    pub(super) same_as: Option<String>,
}

impl ChoiceArgs {
    /// Returns the options, else the answers of a user at a terminal.
    #[expect(clippy::fn_params_excessive_bools, reason = "it is the option of the command line")]
    pub(super) fn or_asked(
        &self,
        books: &Books<'_>,
        near: &[Known],
        json: bool,
    ) -> Result<Self, CliError> {
        let is_chosen = !self.replaces.is_empty() || self.same_as.is_some();
        let is_person = books.writer().0 == Actor::User && !json;
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        if is_chosen || near.is_empty() || !is_person || !is_there {
            return Ok(self.clone());
        }
        write!(io::stderr(), "{}", books.answers.which_replaced(near))?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        read_answer(&answer, near)
    }
}

/// Parses the answer to the question which notes are replaced.
fn read_answer(answer: &str, near: &[Known]) -> Result<ChoiceArgs, CliError> {
    let id = |number: &str| {
        let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let known = place.and_then(|place| near.get(place));
        known.map(|known| known.note.id.clone()).ok_or_else(|| {
            CliError::usage(format!("`{number}` is none of the numbers; nothing was noted"))
                .with_hint("call it again, or use `--replaces ID` and `--same-as ID`")
                .in_korean(
                    format!(
                        "`{number}` 은(는) 목록에 없는 번호입니다. 아무것도 기록하지 않았습니다"
                    ),
                    Some("다시 실행하거나 `--replaces ID`, `--same-as ID` 를 쓰세요"),
                )
        })
    };
    if let Some(same) = answer.trim().strip_prefix('=') {
        return Ok(ChoiceArgs { same_as: Some(id(same.trim())?), ..ChoiceArgs::default() });
    }
    let numbers = answer.split([' ', ',', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    let replaces = numbers.map(id).collect::<Result<_, _>>()?;
    Ok(ChoiceArgs { replaces, same_as: None })
}

/// Returns the notes nearest to a new one, in both notebooks.
pub(super) fn nearest(books: &Books<'_>, note: &Note) -> Result<Vec<Known>, CliError> {
    let mut near: Vec<Found> = Vec::new();
    for scope in [Scope::Project, Scope::Global] {
        let home = books.home(scope);
        let asked = books.ask(&home, |notebook| succession::nearest(notebook, note));
        let found =
            if home == books.home(note.scope) { asked? } else { books.beside(asked, scope) };
        near.extend(found.unwrap_or_default());
    }
    near.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok(near.into_iter().take(NEAREST).map(|found| found.known).collect())
}

/// A note to retire: its folder, its id, and the reason.
type Taken = (PathBuf, String, String);

/// Returns the notes that a new one replaces now; the others are listed in the note.
pub(super) fn take_over(
    books: &Books<'_>,
    ids: &[String],
    note: &mut Note,
) -> Result<Vec<Taken>, CliError> {
    let actor = books.writer().0;
    let mut taken = Vec::new();
    for id in ids {
        let (home, known) = books.find(id)?;
        refuse_retired(&known)?;
        if known.note.id == note.id {
            return Err(CliError::usage(format!("{} cannot replace itself", note.id)));
        }
        let chosen = succession::chosen([&known], actor, &note.text);
        if !chosen.pending.is_empty() && home != books.home(note.scope) {
            books.only_for_the_user("replace a note for all projects")?;
        }
        taken.extend(chosen.replaced.into_iter().map(|(id, why)| (home.clone(), id, why)));
        note.replaces.extend(chosen.pending);
    }
    Ok(taken)
}

/// Repeats a note in other words. A note with those words is retired. Returns the note
/// that stays and its folder.
pub(super) fn say_again(
    books: &Books<'_>,
    same_as: &str,
    note: Note,
    before: Option<&Known>,
) -> Result<(PathBuf, String), CliError> {
    let (actor, place) = books.writer();
    let (home, stays) = books.find(same_as)?;
    refuse_retired(&stays)?;
    let id = stays.note.id.clone();
    let own = books.home(note.scope);
    let goes = before.filter(|before| before.note.id != id && before.retired.is_none());
    let chosen = succession::chosen(goes, actor, &stays.note.text);
    if let Some(other) = chosen.pending.first() {
        return Err(CliError::refused(format!("{other} was noted in these words, and stands"))
            .with_hint("only the user may withdraw it"));
    }
    let scope = note.scope.max(stays.note.scope);
    let (kind, text) = (stays.note.kind.clone(), stays.note.text.clone());
    let again = Note { id: id.clone(), kind, scope, text, ..note };
    books.write(&home, stays.said_by(again, (actor, &place)))?;
    for (old, _) in chosen.replaced {
        let why = books.answers.same_as(&id);
        books.write(&own, What::Retracted { id: old, why })?;
    }
    Ok((home, id))
}
