//! `ralph memory`: finds, adds and maintains notes.

mod answers;
mod binding;
mod books;
mod bootstrap;
mod changes;
mod choice;
mod consolidate;
mod context;
mod doctor;
mod files;
mod import;
mod promote;
mod search;
mod why;

use std::io::Read;
use std::path::Path;

use clap::builder::RangedU64ValueParser;
use ralph_config::RetentionLimits;
use ralph_engine::wire::{MemorySize, memory as wire};
use ralph_memory::event::{NoteKind, NoteScope};
use ralph_memory::log::EventLog;
use ralph_memory::{
    MemoryError, NoteSelection, Notebook, NotebookStats, RetiredEntries, SearchFilters, StoredNote,
    clean,
};
use serde_json::Value;

use self::books::UserNotebooks;
use crate::app::App;
use crate::error::CliError;
use crate::out;
use crate::texts::part_of;
use ralph_engine::rights::CallRight;

/// Search, add and look after what was learned in this project
///
/// Notes are kept in a log beside the runs; all work trees of a repository
/// share it. Nothing leaves this machine, and secrets are taken out before
/// anything is written.
#[derive(clap::Args, Debug)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    job: MemoryCommand,
}

#[derive(clap::Subcommand, Debug)]
enum MemoryCommand {
    Search(search::SearchArgs),
    Context(context::ContextArgs),
    Add(Box<changes::AddArgs>),
    /// List notes, the newest first
    List(ListArgs),
    /// Show a note with all it says
    Show(NoteArgs),
    /// Explain how much a note is believed, and why
    Why(NoteArgs),
    Edit(changes::EditArgs),
    Forget(changes::ForgetArgs),
    Promote(promote::PromoteArgs),
    /// Print notes, one JSON object per line, as `import` takes them
    Export(ExportArgs),
    Import(import::ImportArgs),
    Consolidate(consolidate::ConsolidateArgs),
    /// Rebuild the search index from the log
    ///
    /// What a damaged log lost and the index still has is put back first, and the
    /// damaged files are kept aside. The exit code is 1 if something is in neither.
    Rebuild(PlainArgs),
    /// Show how many notes there are and what they take
    Stats(PlainArgs),
    Doctor(doctor::MemoryDoctorArgs),
    Bootstrap(bootstrap::BootstrapArgs),
    Files(files::FilesArgs),
}

#[derive(clap::Args, Debug)]
struct PlainArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct NoteArgs {
    /// The note, by its id, the beginning of it, or the id it was imported with
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct ListArgs {
    #[command(flatten)]
    which: WhichArgs,
    /// Only notes about this file
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// How many to list
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50, value_parser = some())]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct ExportArgs {
    #[command(flatten)]
    which: WhichArgs,
}

/// Which notes are meant.
#[derive(clap::Args, Debug)]
struct WhichArgs {
    /// Only of this kind, such as `gotcha` or what an import called it
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only of this scope: `task`, `project`, or `global` for all your projects
    #[arg(long, value_name = "SCOPE", value_parser = scope)]
    scope: Vec<NoteScope>,
    /// Only of this group, such as the session of an import
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Also what was replaced or withdrawn
    #[arg(long)]
    retired: bool,
}

impl WhichArgs {
    fn filters(&self) -> SearchFilters {
        SearchFilters {
            kinds: self.kind.clone(),
            scopes: self.scope.iter().map(|scope| scope.word().to_owned()).collect(),
            group: self.group.as_deref().map(|group| clean::name(group).into_owned()),
            retired: if self.retired { RetiredEntries::Shown } else { RetiredEntries::Hidden },
        }
    }

    /// Returns true if only some of the notes are selected.
    fn narrows(&self) -> bool {
        !(self.kind.is_empty() && self.scope.is_empty()) || self.group.is_some()
    }

    /// Returns the notebooks that are selected; the one for all projects is separate.
    fn homes(&self) -> Vec<NoteScope> {
        let is_meant = |scopes: &[NoteScope]| {
            self.scope.is_empty() || self.scope.iter().any(|scope| scopes.contains(scope))
        };
        let own = is_meant(&[NoteScope::Task, NoteScope::Project]).then_some(NoteScope::Project);
        own.into_iter().chain(is_meant(&[NoteScope::Global]).then_some(NoteScope::Global)).collect()
    }
}

fn scope(word: &str) -> Result<NoteScope, String> {
    NoteScope::ALL.into_iter().find(|scope| scope.word() == word).ok_or_else(|| {
        let words: Vec<&str> = NoteScope::ALL.iter().map(|scope| scope.word()).collect();
        format!("there are {}", words.join(", "))
    })
}

fn kind(word: &str) -> Result<NoteKind, String> {
    NoteKind::OURS.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        let words: Vec<String> = NoteKind::OURS.iter().map(ToString::to_string).collect();
        format!("there are {}", words.join(", "))
    })
}

/// Makes a parser for a count of at least one.
fn some() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// Decodes a question on one line; a JSON string may have several lines.
fn question(line: &str) -> String {
    let is_json = line.trim_start().starts_with('"');
    let decoded = if is_json { serde_json::from_str(line).ok() } else { None };
    decoded.unwrap_or_else(|| line.to_owned())
}

impl MemoryArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        match &self.job {
            MemoryCommand::Forget(_) | MemoryCommand::Promote(_) => CallRight::UserOnly,
            MemoryCommand::Consolidate(args) => args.right(),
            MemoryCommand::Import(args) => args.right(),
            MemoryCommand::Doctor(args) => args.right(),
            // An agent's note is on trial, and it edits only its own notes.
            MemoryCommand::Add(_)
            | MemoryCommand::Edit(_)
            | MemoryCommand::Search(_)
            | MemoryCommand::Context(_)
            | MemoryCommand::List(_)
            | MemoryCommand::Show(_)
            | MemoryCommand::Why(_)
            | MemoryCommand::Export(_)
            | MemoryCommand::Rebuild(_)
            | MemoryCommand::Stats(_)
            | MemoryCommand::Bootstrap(_)
            | MemoryCommand::Files(_) => CallRight::Anyone,
        }
    }
}

pub(crate) fn run(args: &MemoryArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    answer(&app, args).or_else(|error| {
        out::note(error.said(app.locale()));
        Ok(error.exit_code())
    })
}

fn answer(app: &App, args: &MemoryArgs) -> Result<u8, CliError> {
    let books = UserNotebooks::new(app);
    let done = carry_out(&books, args);
    books.tell_remarks();
    done
}

fn carry_out(books: &UserNotebooks<'_>, args: &MemoryArgs) -> Result<u8, CliError> {
    let app = books.app;
    if let Some(place) = app.closed_state() {
        out::note(books.answers.closed(&place, &app.home));
    }
    match &args.job {
        MemoryCommand::Search(args) => search::run(books, args),
        MemoryCommand::Context(args) => context::run(books, args),
        MemoryCommand::Add(args) => changes::add(books, args),
        MemoryCommand::List(args) => list(books, args),
        MemoryCommand::Show(args) => show(books, args),
        MemoryCommand::Why(args) => why::run(books, args),
        MemoryCommand::Edit(args) => changes::edit(books, args),
        MemoryCommand::Forget(args) => changes::forget(books, args),
        MemoryCommand::Promote(args) => promote::run(books, args),
        MemoryCommand::Export(args) => export(books, args),
        MemoryCommand::Import(args) => import::run(books, args),
        MemoryCommand::Consolidate(args) => consolidate::run(books, args),
        MemoryCommand::Rebuild(args) => rebuild(books, args),
        MemoryCommand::Stats(args) => stats(books, args),
        MemoryCommand::Doctor(args) => doctor::run(books, args),
        MemoryCommand::Bootstrap(args) => bootstrap::run(args),
        MemoryCommand::Files(args) => files::run(args),
    }
}

/// Returns the size of the memory on disk, without opening anything.
pub(crate) fn bytes(app: &App) -> Result<Option<MemorySize>, CliError> {
    if !Notebook::exists(&app.home) {
        return Ok(None);
    }
    let log = EventLog::new(&app.home);
    Ok(Some(MemorySize {
        log_bytes: log.size().map_err(MemoryError::from)?,
        most_log_bytes: RetentionLimits::new(&app.counted_layers()?).log_bytes,
        database_bytes: Notebook::database_bytes(&app.home),
    }))
}

/// Prints an answer as JSON or as text.
fn print(json: Option<Value>, text: impl FnOnce() -> String) {
    match json {
        Some(json) => out::line(json),
        None => out::raw(&text()),
    }
}

fn list(books: &UserNotebooks<'_>, args: &ListArgs) -> Result<u8, CliError> {
    books.refuse_unknown_kinds(&args.which.kind)?;
    let files = args.file.iter().map(|file| books.relative_to_root(file)).collect();
    let filters = args.which.filters();
    let selection = NoteSelection { filters, files, limit: Some(args.limit) };
    let found = books.each(&args.which.homes(), |notebook| notebook.list(&selection))?;
    let is_joined = found.len() > 1;
    let mut notes: Vec<StoredNote> = found.into_iter().flat_map(|(_, notes)| notes).collect();
    if is_joined {
        // The notes of one notebook are already sorted.
        notes.sort_by_key(|known| std::cmp::Reverse(known.recorded));
    }
    notes.truncate(args.limit);
    if notes.is_empty() && (args.which.narrows() || !args.file.is_empty()) && !args.json {
        out::raw(books.answers.none_like_that());
        return Ok(0);
    }
    let label = books.labels();
    if args.json {
        out::line(wire::notes(&notes, label));
        return Ok(0);
    }
    out::raw(&books.answers.list(&notes, label));
    if notes.len() == args.limit {
        let all = books.each(&args.which.homes(), |notebook| notebook.count_of(&selection))?;
        let all = all.into_iter().map(|(_, count)| count).sum();
        if let Some(part) = part_of(notes.len(), all, "--limit", books.app.locale()) {
            out::note(part);
        }
    }
    Ok(0)
}

fn show(books: &UserNotebooks<'_>, args: &NoteArgs) -> Result<u8, CliError> {
    let (home, known) = books.find(&args.id)?;
    let check = books.ask(home, |notebook| notebook.check_of(&known.note.id))?.flatten();
    let check = check.as_ref();
    let label = books.labels()(&known);
    print(args.json.then(|| wire::note(&known, label, check)), || {
        books.answers.note(&known, label, check)
    });
    Ok(0)
}

fn export(books: &UserNotebooks<'_>, args: &ExportArgs) -> Result<u8, CliError> {
    books.refuse_unknown_kinds(&args.which.kind)?;
    let selection = NoteSelection { filters: args.which.filters(), ..NoteSelection::default() };
    for (_, notes) in books.each(&args.which.homes(), |notebook| notebook.list(&selection))? {
        // The oldest first, as they were written.
        notes.iter().rev().for_each(|known| out::line(wire::exported(known)));
    }
    Ok(0)
}

fn rebuild(books: &UserNotebooks<'_>, args: &PlainArgs) -> Result<u8, CliError> {
    let rebuilt = |notebook: &Notebook| Ok((notebook.rebuild()?, notebook.stats()?));
    let own = books.ask(NoteScope::Project, rebuilt)?.unwrap_or_default();
    let global = books.notes.beside(NoteScope::Global, rebuilt);
    let json = || {
        let mut json = wire::all_stats(&own.1, global.as_ref().map(|(_, stats)| stats));
        json["salvage"] = wire::salvage(&own.0);
        if let Some((salvage, _)) = &global {
            json["global"]["salvage"] = wire::salvage(salvage);
        }
        json
    };
    print(args.json.then(json), || {
        let of_all = global.as_ref().filter(|(_, stats)| !stats.notes.is_empty());
        let of_all = of_all.map(|(salvage, stats)| books.answers.rebuilt_of_all(salvage, stats));
        books.answers.rebuilt(&own.0, &own.1) + &of_all.unwrap_or_default()
    });
    let is_whole = own.0.is_whole() && global.is_none_or(|(salvage, _)| salvage.is_whole());
    Ok(u8::from(!is_whole))
}

fn stats(books: &UserNotebooks<'_>, args: &PlainArgs) -> Result<u8, CliError> {
    // Damage is always checked again, whatever was read before.
    let verified = |notebook: &Notebook| {
        Ok(NotebookStats { damaged: notebook.damage()?, ..notebook.stats()? })
    };
    let own = books.ask(NoteScope::Project, verified)?.unwrap_or_default();
    let global = books.notes.beside(NoteScope::Global, verified);
    let global = global.as_ref();
    print(args.json.then(|| wire::all_stats(&own, global)), || books.answers.stats(&own, global));
    Ok(0)
}

/// Reads a file with a question on each line; `-` is standard input.
fn questions(path: &Path) -> Result<String, CliError> {
    let text = if path.as_os_str() == "-" {
        let mut text = Vec::new();
        std::io::stdin().lock().read_to_end(&mut text).map(|_| text)
    } else {
        std::fs::read(path)
    };
    let text = text.map_err(|error| {
        CliError::usage(format!("cannot read {}: {error}", path.display()))
            .in_korean(format!("{} 을(를) 읽을 수 없습니다: {error}", path.display()), None)
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns a path relative to the root, if it exists below the current folder.
fn below(root: &Path, path: &str) -> Option<String> {
    let real = std::fs::canonicalize(Path::new(path)).ok()?;
    let inside = real.strip_prefix(root).ok()?.to_str()?;
    (!inside.is_empty()).then(|| inside.replace('\\', "/"))
}
