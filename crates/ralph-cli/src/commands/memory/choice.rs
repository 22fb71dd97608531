//! The options that relate a note to those near it.

use std::io::{self, IsTerminal, Write};

use ralph_memory::event::EventActor;
use ralph_memory::{NoteChoice, StoredNote};

use super::books::UserNotebooks;
use crate::error::CliError;

/// Which older notes a new one stands for.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct ChoiceArgs {
    /// A note that it takes the place of (repeatable)
    #[arg(long, value_name = "ID", conflicts_with = "same_as")]
    replaces: Vec<String>,
    /// A note that says the same: that one is kept and nothing is added
    #[arg(long, value_name = "ID")]
    same_as: Option<String>,
}

impl ChoiceArgs {
    /// Returns the options, else the answers of a user at a terminal.
    #[expect(clippy::fn_params_excessive_bools, reason = "it is the option of the command line")]
    pub(super) fn or_asked(
        &self,
        books: &UserNotebooks<'_>,
        near: &[StoredNote],
        json: bool,
    ) -> Result<NoteChoice, CliError> {
        let Self { replaces, same_as } = self.clone();
        let is_chosen = !replaces.is_empty() || same_as.is_some();
        let is_person = books.writer().actor == EventActor::User && !json;
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        if is_chosen || near.is_empty() || !is_person || !is_there {
            return Ok(NoteChoice { replaces, same_as });
        }
        write!(io::stderr(), "{}", books.answers.which_replaced(near))?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        read_answer(&answer, near)
    }
}

/// Parses the answer to the question which notes are replaced.
fn read_answer(answer: &str, near: &[StoredNote]) -> Result<NoteChoice, CliError> {
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
        return Ok(NoteChoice { same_as: Some(id(same.trim())?), ..NoteChoice::default() });
    }
    let numbers = answer.split([' ', ',', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    let replaces = numbers.map(id).collect::<Result<_, _>>()?;
    Ok(NoteChoice { replaces, same_as: None })
}
