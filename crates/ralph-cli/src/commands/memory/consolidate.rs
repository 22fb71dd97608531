//! `ralph memory consolidate`: decides about notes on trial.

use std::fmt::Write;

use ralph_core::locale::Locale;
use ralph_core::wording::learned;
use ralph_engine::wire::memory as wire;
use ralph_engine::{EngineError, landed};
use ralph_memory::consolidate::{
    ConsolidationContext, ConsolidationResult, NoteConflict, consolidate,
};
use ralph_memory::event::NoteScope;
use ralph_snapshot::WorkTree;

use super::books::UserNotebooks;
use crate::error::CliError;
use ralph_engine::rights::CallRight;

/// Decide what becomes of notes on trial
///
/// What checks proved, what two tasks found out by themselves and what you wrote
/// is taken over into the project; what says the same is merged, what is no longer
/// so is replaced, and what came with a commit that was reverted is withdrawn.
/// What contradicts you waits for you. A run that succeeds does this by itself.
#[derive(clap::Args, Debug)]
pub(crate) struct ConsolidateArgs {
    /// Only show what would be decided
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ConsolidateArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(super) fn run(books: &UserNotebooks<'_>, args: &ConsolidateArgs) -> Result<u8, CliError> {
    books.only_for_the_user("consolidate notes")?;
    let app = books.app;
    let tree = WorkTree::open(&app.project, &app.home.join("trees")).map_err(EngineError::from)?;
    let reverted = tree.reverted().map_err(EngineError::from)?;
    let taken_back = landed::taken_back(&app.home, &app.project, &tree, &reverted);
    let occasion = ConsolidationContext {
        now: app.now(),
        reverted,
        taken_back,
        ..ConsolidationContext::default()
    };
    let decided = books.ask(NoteScope::Project, |notebook| {
        let decided = consolidate(notebook, &occasion)?;
        if !args.dry_run {
            notebook.write(&decided.events)?;
        }
        Ok(decided)
    })?;
    let decided = decided.unwrap_or_default();
    super::print(args.json.then(|| wire::consolidated(&decided)), || told(&decided, app.locale()));
    Ok(0)
}

fn told(decided: &ConsolidationResult, locale: Locale) -> String {
    let counts = learned::consolidated(decided.counts, locale);
    let nothing = match locale {
        Locale::En => "There is nothing to decide.",
        Locale::Ko => "정할 것이 없습니다.",
    };
    let mut text = format!("{}\n", counts.as_deref().unwrap_or(nothing));
    for replacement in &decided.replacements {
        text.push_str(&learned::replaced(replacement, locale));
        text.push('\n');
    }
    for NoteConflict { stands, contradicts } in &decided.conflicts {
        // Writing to a string cannot fail.
        let _ = match locale {
            Locale::En => writeln!(
                text,
                "{contradicts} contradicts {stands}: promote the one or edit the other"
            ),
            Locale::Ko => {
                writeln!(
                    text,
                    "{contradicts} 기록은 {stands} 기록과 어긋납니다. 앞의 것을 `ralph memory promote` 로 채택하거나 뒤의 것을 `ralph memory edit` 로 고치세요."
                )
            }
        };
    }
    text
}
