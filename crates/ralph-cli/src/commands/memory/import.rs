//! `ralph memory import`: adds notes from a file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use ralph_engine::note_lines::{self, ParsedImportLine};
use ralph_engine::wire::memory as wire;
use ralph_memory::consolidate::NoteConflict;
use ralph_memory::event::{EventActor, LogEventKind, NoteAnchor, NoteContent, NoteKind, NoteScope};
use ralph_memory::succession::contradicted;
use ralph_memory::{
    BOTH, ImportCounts, ImportedNote, NoteRetirement, NoteWriter, Notebook, StoredNote, clean,
};

use super::answers::redacted;
use super::books::UserNotebooks;
use crate::error::CliError;
use crate::out;
use ralph_engine::rights::CallRight;

/// Number of notes that are written together.
const PART: usize = 20_000;

/// Number of written notes from which an import compacts the index.
const MANY: u64 = 10_000;

/// Bytes of text that are written together.
const PART_BYTES: usize = 32 << 20;

/// Number of the user's own notes that are compared with others.
const COMPARED: usize = 5_000;

/// Number of refused lines that are listed.
const FEW: usize = 20;

/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Take over notes from a file with one JSON object per line
///
/// Each has `id` and `text`, and may have `title`, `kind`, `why`, `files`,
/// `at` (RFC 3339 or milliseconds), `prev` and `next` (ids of neighbours) and
/// `group` (what it is a part of, such as a session). The id comes back as
/// `external_id`. A second import updates what differs, but for what you wrote
/// or edited here. Lines that are no notes are named and left out; the exit code
/// is 1 then.
#[derive(clap::Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file (`-` for standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take what you wrote as your word again: for an `export` of your own
    #[arg(long)]
    trust: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ImportArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.trust { CallRight::UserOnly } else { CallRight::Anyone }
    }
}

pub(super) fn run(books: &UserNotebooks<'_>, args: &ImportArgs) -> Result<u8, CliError> {
    let trouble = |error: &io::Error| CliError::usage(format!("{}: {error}", args.file.display()));
    let mut reader: Box<dyn BufRead> = if args.file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(&args.file).map_err(|error| trouble(&error))?))
    };
    let mut importing = ImportJob::new(books, args)?;
    let mut bytes = Vec::new();
    let mut number = 0;
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|error| trouble(&error))? == 0 {
            break;
        }
        number += 1;
        // Some editors put a byte order mark in front of a file.
        let line = if number == 1 { bytes.strip_prefix(MARK).unwrap_or(&bytes) } else { &bytes };
        importing.line(number, line)?;
    }
    importing.write()?;
    importing.tidy()?;
    importing.settle()?;
    let conflicts = importing.conflicts()?;
    let ImportJob { done, mut refused, rules, secrets, moved, outside, scope, .. } = importing;
    refused.sort_by_key(|(line, _)| *line);
    for (line, reason) in refused.iter().take(FEW).filter(|_| !args.json) {
        out::note(books.answers.refused_line(*line, reason));
    }
    let answer = || {
        let mut json = wire::imported(&done, &refused, moved, &conflicts);
        json["outside_files"] = outside.into();
        redacted::counted(json, secrets)
    };
    super::print(args.json.then(answer), || {
        books.answers.imported(&done, refused.len()) + &books.answers.conflicts(&conflicts)
    });
    books.answers.redacted(secrets);
    if rules > 0 && args.trust {
        out::note(books.answers.nobodys_rules(rules));
    } else if rules > 0 {
        out::note(books.answers.unvouched(rules));
    }
    if moved > 0 {
        out::note(books.answers.moved_lines(moved, scope));
    }
    if outside > 0 {
        out::note(books.answers.outside_files(outside));
    }
    Ok(u8::from(!refused.is_empty()))
}

/// A running import.
struct ImportJob<'a> {
    books: &'a UserNotebooks<'a>,
    writer: NoteWriter,
    /// Widest scope of notes that the user does not vouch for.
    scope: NoteScope,
    trust: bool,
    /// The notes for the notebooks of the project and of the user.
    piles: [ImportBatch; 2],
    /// Number of rules that the user does not vouch for.
    rules: usize,
    /// Number of secrets that were removed from the notes.
    secrets: usize,
    /// Number of lines that got another scope than they name.
    moved: usize,
    /// Number of files and anchors of notes that are outside this project.
    outside: usize,
    bytes: usize,
    done: ImportCounts,
    refused: Vec<(u64, String)>,
}

/// The notes that will be written to a notebook.
#[derive(Default)]
struct ImportBatch {
    notes: Vec<ImportedNote>,
    /// The line of each note.
    lines: Vec<u64>,
    /// Ids of all imported notes with global scope.
    ids: Vec<String>,
}

impl<'a> ImportJob<'a> {
    fn new(books: &'a UserNotebooks<'a>, args: &ImportArgs) -> Result<Self, CliError> {
        if args.trust {
            books.only_for_the_user("vouch for notes")?;
        }
        // An agent's import is on trial, like all that it writes.
        let writer = books.writer();
        let scope = match writer.actor {
            EventActor::User | EventActor::Ralph | EventActor::Import => NoteScope::Project,
            EventActor::Agent => NoteScope::Task,
        };
        Ok(Self {
            books,
            writer,
            scope,
            trust: args.trust,
            piles: <[ImportBatch; 2]>::default(),
            rules: 0,
            secrets: 0,
            moved: 0,
            outside: 0,
            bytes: 0,
            done: ImportCounts::default(),
            refused: Vec::new(),
        })
    }

    fn line(&mut self, number: u64, bytes: &[u8]) -> Result<(), CliError> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match note_lines::read(bytes, self.writer.at) {
            Ok(read) => {
                self.bytes += bytes.len();
                self.secrets += clean::secrets_of_note(&read.note);
                self.take(number, read)?;
            }
            Err(reason) => self.refused.push((number, reason)),
        }
        let waiting: usize = self.piles.iter().map(|pile| pile.notes.len()).sum();
        if waiting >= PART || self.bytes >= PART_BYTES { self.write() } else { Ok(()) }
    }

    /// Queues the note of a line for its notebook.
    fn take(&mut self, number: u64, read: ParsedImportLine) -> Result<(), CliError> {
        let ParsedImportLine { note, scope: said, by, retired } = read;
        let note = self.scoped(note, said);
        let is_own = self.trust && by == Some(EventActor::User);
        let actor = if is_own { EventActor::User } else { EventActor::Import };
        // The author of the retirement needs trust, too.
        let retired = retired.map(|end| NoteRetirement {
            who: if self.trust { end.who } else { EventActor::Import },
            ..end
        });
        let is_agents = self.scope == NoteScope::Task;
        let is_rule = note.kind == NoteKind::Constitution && retired.is_none();
        if !is_own && (is_agents || is_rule) {
            let known = self.books.ask(note.scope, |notebook| notebook.get(&note.id))?.flatten();
            // An agent's line must not change a note of the user's.
            if is_agents && known.as_ref().is_some_and(|known| !known.is_own_of(&self.writer.place))
            {
                let reason = format!("{} is not its own, and only the user changes it", note.id);
                self.refused.push((number, reason));
                return Ok(());
            }
            let is_users = known.is_some_and(|known| known.actor == EventActor::User);
            self.rules += usize::from(is_rule && !is_agents && !is_users);
        }
        let pile = &mut self.piles[usize::from(note.scope == NoteScope::Global)];
        if note.scope == NoteScope::Global {
            pile.ids.push(note.id.clone());
        }
        pile.notes.push(ImportedNote { note, actor, retired });
        pile.lines.push(number);
        Ok(())
    }

    /// Gives a note the scope that it may have here.
    fn scoped(&mut self, note: NoteContent, said: Option<NoteScope>) -> NoteContent {
        let scope = match said {
            Some(NoteScope::Global) if self.trust => NoteScope::Global,
            Some(NoteScope::Task) => NoteScope::Task,
            Some(NoteScope::Project | NoteScope::Global) | None => self.scope,
        };
        self.moved += usize::from(said.is_some_and(|said| said != scope));
        match scope {
            // Its files and anchors are in one project only.
            NoteScope::Global => {
                NoteContent { scope, files: Vec::new(), anchors: Vec::new(), ..note }
            }
            NoteScope::Task | NoteScope::Project => self.at_home(NoteContent { scope, ..note }),
        }
    }

    /// Removes files outside this project from a note: an imported note must not lead there.
    fn at_home(&mut self, note: NoteContent) -> NoteContent {
        let before = note.files.len() + note.anchors.len();
        let inside = |file: &str| self.books.lexically_inside(file);
        let files: Vec<String> = note.files.iter().filter_map(|file| inside(file)).collect();
        let anchors = note.anchors.into_iter().filter_map(|anchor| {
            let file = inside(&anchor.file)?;
            Some(NoteAnchor { file, ..anchor })
        });
        let anchors: Vec<NoteAnchor> = anchors.collect();
        self.outside += before - files.len() - anchors.len();
        NoteContent { files, anchors, ..note }
    }

    fn write(&mut self) -> Result<(), CliError> {
        self.bytes = 0;
        let NoteWriter { place, at, .. } = &self.writer;
        for (scope, pile) in BOTH.into_iter().zip(&mut self.piles) {
            let (lines, notes) = (std::mem::take(&mut pile.lines), std::mem::take(&mut pile.notes));
            if notes.is_empty() {
                continue;
            }
            self.books.refuse_elsewhere(scope)?;
            let done = self
                .books
                .notes
                .with(scope, |notebook| notebook.import(notes.clone(), place, *at))?;
            self.done.added += done.added;
            self.done.updated += done.updated;
            self.done.unchanged += done.unchanged;
            self.done.kept += done.kept;
            self.done.said.extend(done.said);
            for (place, refusal) in done.refused {
                let line = usize::try_from(place).ok().and_then(|place| lines.get(place));
                self.refused.push((line.copied().unwrap_or_default(), refusal.to_string()));
            }
        }
        Ok(())
    }

    /// Merges the index segments of the parts. They repeat each other's words and take
    /// a tenth more space.
    fn tidy(&self) -> Result<(), CliError> {
        if self.done.added + self.done.updated >= MANY {
            self.books.each(&BOTH, Notebook::tidy)?;
        }
        Ok(())
    }

    /// Withdraws notes that an earlier import kept for the project, if they are now for
    /// all projects.
    fn settle(&self) -> Result<(), CliError> {
        let stands_in =
            |known: &StoredNote| known.actor == EventActor::Import && known.retired.is_none();
        let mut ends = Vec::new();
        for id in &self.piles[1].ids {
            let known = self.books.ask(NoteScope::Project, |notebook| notebook.get(id))?.flatten();
            if known.is_some_and(|known| stands_in(&known)) {
                let why = self.books.answers.moved(NoteScope::Global).to_owned();
                ends.push(LogEventKind::Retracted { id: id.clone(), why });
            }
        }
        if !ends.is_empty() {
            self.books.notes.write(NoteScope::Project, ends, &self.writer)?;
        }
        Ok(())
    }

    /// Finds notes of the user, as imported, that contradict other notes; each pair once.
    fn conflicts(&self) -> Result<Vec<NoteConflict>, CliError> {
        let notes = &self.books.notes;
        let mut found: Vec<NoteConflict> = Vec::new();
        for contradicts in self.done.said.iter().take(COMPARED) {
            for (_, known) in notes.find(contradicts)? {
                let stands = notes.each(&BOTH, |book| contradicted(book, &known.note))?;
                let stands = stands.into_iter().flat_map(|(_, stands)| stands);
                let conflict = |stands| NoteConflict { stands, contradicts: contradicts.clone() };
                found.extend(stands.map(conflict));
            }
        }
        let pair = |one: &NoteConflict| {
            let NoteConflict { stands, contradicts } = one.clone();
            if stands < contradicts { (stands, contradicts) } else { (contradicts, stands) }
        };
        let mut seen = HashSet::new();
        found.retain(|one| seen.insert(pair(one)));
        Ok(found)
    }
}
