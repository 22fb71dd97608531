//! Notes about failed attempts of a run, for later runs.

use ralph_core::Run;
use ralph_core::memory::attempt::{self, TaskAttempt};
use ralph_core::wording::learned;
use ralph_memory::event::{AttemptRecord, LogEventKind, NoteContent, NoteKind, NoteScope};
use ralph_memory::{AttemptQuery, MemoryError, Notebook, note_of, try_name};

use super::MOST_FILES;
use super::closing::MOST_ATTEMPTS;

/// Maximum number of a run's attempts that are noted: the last ones knew most.
const MOST_NOTED: usize = 3;

/// Returns notes about all attempts of a run that ends without success.
pub(super) fn given_up(
    run: &Run,
    notebook: &Notebook,
    last: &AttemptRecord,
) -> Result<Vec<LogEventKind>, MemoryError> {
    let mut tries = of_run(run, notebook, last)?;
    tries.retain(|(_, tried)| !tried.failures.is_empty());
    Ok(noted(run, &tries))
}

/// Returns the attempts that a successful run took back, turn by turn.
pub(super) fn taken_back(
    run: &Run,
    notebook: &Notebook,
    last: &AttemptRecord,
) -> Result<Vec<(u32, AttemptRecord)>, MemoryError> {
    let tries = of_run(run, notebook, last)?;
    let attempts: Vec<TaskAttempt> = tries.iter().map(|(_, tried)| tried.attempt()).collect();
    Ok(attempt::given_up(&attempts).into_iter().map(|at| tries[at].clone()).collect())
}

/// Returns all attempts of a run, turn by turn, up to the last one.
fn of_run(
    run: &Run,
    notebook: &Notebook,
    last: &AttemptRecord,
) -> Result<Vec<(u32, AttemptRecord)>, MemoryError> {
    let of_run = Some(run.id.to_string());
    let query = AttemptQuery { run: of_run, limit: MOST_ATTEMPTS, ..AttemptQuery::default() };
    let known = notebook.attempts(&query)?.into_iter();
    let known = known.map(|past| (past.place.iteration.unwrap_or(0), past.tried));
    Ok(known.chain([(run.iteration, last.clone())]).collect())
}

/// Returns notes about the last of these attempts that can be described.
pub(super) fn noted(run: &Run, tries: &[(u32, AttemptRecord)]) -> Vec<LogEventKind> {
    let told = tries.iter().filter_map(|(iteration, tried)| note(run, *iteration, tried));
    let mut notes: Vec<LogEventKind> =
        told.map(|note| LogEventKind::Noted(Box::new(note))).collect();
    notes.drain(..notes.len().saturating_sub(MOST_NOTED));
    notes
}

fn note(run: &Run, iteration: u32, tried: &AttemptRecord) -> Option<NoteContent> {
    let hunks = tried.hunks.as_deref()?;
    let failure = tried.printed.as_deref().or(tried.failures.first().map(String::as_str))?;
    let text = learned::tried_in_vain(tried.approach.as_deref(), hunks, failure, run.policy.locale);
    let name = try_name(run.id.as_str(), iteration);
    let files = tried.changes.iter().take(MOST_FILES).map(|trace| trace.file.clone());
    Some(NoteContent {
        files: files.collect(),
        external_id: Some(name.clone()),
        ..NoteContent::new(note_of(&name), NoteKind::Approach, NoteScope::Project, text)
    })
}
