//! `ralph memory context`: shows the notes that an agent would get.

use ralph_checks::security::ScanScope;
use ralph_config::MemoryRules;
use ralph_core::locale::Locale;
use ralph_core::memory::hydration::USUAL_TOKENS;
use ralph_engine::recall::{NotePortion, NoteRecall, NoteRequest, RecallError, RecallResult};
use ralph_engine::wire::recall as wire;
use ralph_memory::NoteWriter;
use ralph_memory::event::{EventActor, WorkPhase};

use super::books::UserNotebooks;
use crate::error::CliError;
use crate::out;
use ralph_engine::check::{CheckScanScope, files as changed_files};

/// Show what an agent is shown of the memory, and what is missing
///
/// The text is the one that an agent reads with its prompt: notes that fit the
/// task and the files, the code they are about, and how to cite a note.
/// Nothing is printed if nothing fits.
#[derive(clap::Args, Debug)]
pub(crate) struct ContextArgs {
    /// What the agent is about: `think`, `code` or `verify`
    #[arg(long, value_name = "PHASE", default_value = "think", value_parser = phase)]
    phase: WorkPhase,
    /// What the agent is to do
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Files that it is about
    #[arg(long, value_name = "FILE", num_args = 1..)]
    file: Vec<String>,
    /// How many tokens it may have (default: `memory.tokens`)
    #[arg(long, value_name = "N")]
    tokens: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn phase(word: &str) -> Result<WorkPhase, String> {
    match word {
        "think" => Ok(WorkPhase::Think),
        "code" => Ok(WorkPhase::Code),
        "verify" => Ok(WorkPhase::Verify),
        _ => Err("there are think, code, verify".to_owned()),
    }
}

pub(super) fn run(books: &UserNotebooks<'_>, args: &ContextArgs) -> Result<u8, CliError> {
    let app = books.app;
    let layers = app.counted_layers()?;
    let rules = MemoryRules::new(&layers);
    if !rules.is_enabled {
        out::note(books.answers.off());
    }
    // The user asked for it, even if agents are shown nothing.
    let rules =
        MemoryRules { is_enabled: true, tokens: args.tokens.unwrap_or(rules.tokens), ..rules };
    let Some(recall) = app.recall(rules, app.locale()) else { return Ok(0) };
    if !recall.has_anything() && args.phase == WorkPhase::Verify {
        // Finding changed files would leave traces, and there are no notes to show.
        out::note(books.answers.nothing_to_show());
        return Ok(0);
    }
    let NoteWriter { actor, mut place, .. } = books.writer();
    place.phase = Some(args.phase);
    let wanted = NoteRequest {
        task: args.task.clone(),
        files: files(books, args)?,
        place,
        ..NoteRequest::new(args.phase)
    };
    let now = app.now();
    let found = recall.recall(&wanted, now)?;
    if actor == EventActor::Agent {
        recall.note_shown(&found, &wanted.place, now)?;
    }
    super::print(args.json.then(|| wire::context(&found)), || text(&found, app.locale()));
    if !args.json && found.shown.is_none() {
        let with_room = NoteRecall { tokens: USUAL_TOKENS, ..recall.clone() };
        let fits = recall.tokens < USUAL_TOKENS && with_room.recall(&wanted, now)?.shown.is_some();
        out::note(if fits {
            books.answers.no_room(recall.tokens)
        } else {
            books.answers.nothing_to_show().to_owned()
        });
    }
    Ok(0)
}

/// Warns the author of a rule if the rules no longer fit, so that agents are shown nothing.
pub(super) fn warn_of_long_rules(books: &UserNotebooks<'_>) -> Result<(), CliError> {
    let app = books.app;
    let Some(recall) = app.recall(MemoryRules::new(&app.counted_layers()?), app.locale()) else {
        return Ok(());
    };
    let wanted = NoteRequest { part: NotePortion::Standing, ..NoteRequest::new(WorkPhase::Think) };
    if let Err(RecallError::Hydration(error)) = recall.recall(&wanted, app.now()) {
        out::note(books.answers.long_rules(&error));
    }
    Ok(())
}

/// Returns the files of the question: those named, or in the verify phase those that changed.
fn files(books: &UserNotebooks<'_>, args: &ContextArgs) -> Result<Vec<String>, CliError> {
    if !args.file.is_empty() || args.phase != WorkPhase::Verify {
        return Ok(args.file.iter().map(|file| books.relative_to_root(file)).collect());
    }
    let tree = books.app.whole_work_tree()?;
    Ok(match changed_files(&tree, CheckScanScope::Changed)? {
        ScanScope::Only(paths) => {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        }
        // Without a commit to compare with, all files count.
        ScanScope::All => Vec::new(),
    })
}

/// Renders the text for the agent, or the question that no note answers.
fn text(found: &RecallResult, locale: Locale) -> String {
    let asked = || found.sufficiency.as_ref()?.question(locale).map(|asked| format!("{asked}\n"));
    let shown = found.shown.as_ref().map(|shown| shown.text.clone());
    shown.or_else(asked).unwrap_or_default()
}
