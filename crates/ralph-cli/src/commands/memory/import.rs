//! `ralph memory import`.

mod complaint;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use ralph_core::Timestamp;
use ralph_engine::wire::memory as wire;
use ralph_memory::event::{Actor, Anchor, Event, Note, NoteKind, Place, Scope, What};
use ralph_memory::notebook::refusal;
use ralph_memory::{Imported, Refusal, note_id};
use serde::Deserialize;

use self::complaint::complaint;
use super::books::Books;
use crate::error::CliError;
use crate::out;

/// Notes that are written at once.
const PART: usize = 20_000;

/// From so many written notes on, an import leaves the index tidy.
const MANY: u64 = 10_000;

/// Bytes of text that are written at once.
const PART_BYTES: usize = 32 << 20;

/// How many refused lines are named.
const FEW: usize = 20;

/// The longest line that is looked at; what is longer is no note.
const LONGEST_LINE: usize = 16 << 20;

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

/// A line of the file. What else it has is ignored.
#[derive(Deserialize)]
struct Line {
    id: Name,
    text: String,
    #[serde(default)]
    note_id: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    scope: Option<Scope>,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    anchors: Vec<Anchor>,
    #[serde(default)]
    at: Option<Moment>,
    #[serde(default)]
    prev: Option<Name>,
    #[serde(default)]
    next: Option<Name>,
    #[serde(default)]
    group: Option<Name>,
    #[serde(default)]
    by: Option<String>,
}

/// A name; many files have numbers for them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(i64),
}

impl Name {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Moment {
    Millis(i64),
    Text(String),
}

impl Moment {
    fn millis(self) -> Result<i64, String> {
        match self {
            Self::Millis(millis) => jiff::Timestamp::from_millisecond(millis)
                .map(|_| millis)
                .map_err(|_| format!("`at` is {millis}, and no time is that far away")),
            Self::Text(text) => text
                .parse::<jiff::Timestamp>()
                .map(jiff::Timestamp::as_millisecond)
                .map_err(|_| format!("`at` is `{text}`, which is no RFC 3339 time")),
        }
    }
}

pub(super) fn run(books: &Books<'_>, args: &ImportArgs) -> Result<u8, CliError> {
    let trouble = |error: &io::Error| CliError::usage(format!("{}: {error}", args.file.display()));
    let mut reader: Box<dyn BufRead> = if args.file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(&args.file).map_err(|error| trouble(&error))?))
    };
    let mut importing = Importing::new(books, args)?;
    let mut bytes = Vec::new();
    let mut number = 0;
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|error| trouble(&error))? == 0 {
            break;
        }
        number += 1;
        // Some editors put a mark in front of a file.
        let line = if number == 1 { bytes.strip_prefix(MARK).unwrap_or(&bytes) } else { &bytes };
        importing.line(number, line)?;
    }
    importing.write()?;
    importing.tidy()?;
    let Importing { done, mut refused, rules, .. } = importing;
    refused.sort_by_key(|(line, _)| *line);
    for (line, reason) in refused.iter().take(FEW).filter(|_| !args.json) {
        out::note(books.answers.refused_line(*line, reason));
    }
    super::print(args.json.then(|| wire::imported(&done, &refused)), || {
        books.answers.imported(&done, refused.len())
    });
    if rules > 0 {
        out::note(books.answers.unvouched(rules));
    }
    Ok(u8::from(!refused.is_empty()))
}

/// An import under way.
struct Importing {
    notebook: ralph_memory::Notebook,
    at: Timestamp,
    /// Where the agent is that brings them, if one does.
    place: Place,
    scope: Scope,
    notes: Vec<Note>,
    /// Notes that the user vouches for.
    own: Vec<Note>,
    trust: bool,
    /// Rules that nobody vouches for.
    rules: usize,
    /// The line of each note.
    lines: Vec<u64>,
    bytes: usize,
    done: Imported,
    refused: Vec<(u64, String)>,
}

impl Importing {
    fn new(books: &Books<'_>, args: &ImportArgs) -> Result<Self, CliError> {
        if args.trust {
            books.only_for_the_user("vouch for notes")?;
        }
        // What an agent brings along is on trial, like all that it writes.
        let (actor, place) = books.writer();
        let scope = match actor {
            Actor::User | Actor::Ralph | Actor::Import => Scope::Project,
            Actor::Agent => Scope::Task,
        };
        Ok(Self {
            notebook: books.open(&books.home(Scope::Project))?,
            at: books.app.now(),
            place,
            scope,
            notes: Vec::new(),
            own: Vec::new(),
            trust: args.trust,
            rules: 0,
            lines: Vec::new(),
            bytes: 0,
            done: Imported::default(),
            refused: Vec::new(),
        })
    }

    fn line(&mut self, number: u64, bytes: &[u8]) -> Result<(), CliError> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match note(bytes, self.scope).and_then(|(note, by)| Ok((self.allowed(note)?, by))) {
            Ok((note, by)) => {
                self.bytes += bytes.len();
                // Without a word on who wrote it, it is whose file it is.
                if self.trust && by.is_none_or(|by| by == wire::actor_word(Actor::User)) {
                    self.own.push(note);
                } else {
                    self.rules += usize::from(self.is_unvouched_rule(&note)?);
                    self.notes.push(note);
                    self.lines.push(number);
                }
            }
            Err(reason) => self.refused.push((number, reason)),
        }
        if self.notes.len() + self.own.len() >= PART || self.bytes >= PART_BYTES {
            self.write()
        } else {
            Ok(())
        }
    }

    /// Refuses an agent what is not its own: it could say something else under
    /// the name of what the user wrote.
    fn allowed(&self, note: Note) -> Result<Note, String> {
        if self.scope != Scope::Task {
            return Ok(note);
        }
        let known = self.notebook.get(&note.id).map_err(|error| error.to_string())?;
        if known.is_some_and(|known| !known.is_own_of(&self.place)) {
            return Err(format!("{} is not its own, and only the user changes it", note.id));
        }
        Ok(note)
    }

    /// Whether a note says what holds always without being the user's word.
    fn is_unvouched_rule(&self, note: &Note) -> Result<bool, CliError> {
        if note.kind != NoteKind::Constitution || self.scope == Scope::Task {
            return Ok(false);
        }
        Ok(self.notebook.get(&note.id)?.is_none_or(|known| known.actor != Actor::User))
    }

    /// Writes what the user vouches for. What was said or withdrawn here stays.
    fn write_own(&mut self) -> Result<(), CliError> {
        let mut events = Vec::new();
        for note in std::mem::take(&mut self.own) {
            match self.notebook.get(&note.id)? {
                Some(known) if known.actor == Actor::User || known.retired.is_some() => {
                    self.done.unchanged += 1;
                    continue;
                }
                Some(_) => self.done.updated += 1,
                None => self.done.added += 1,
            }
            let (what, place) = (What::Noted(Box::new(note)), Place::default());
            events.push(Event { at: self.at.as_millis(), place, actor: Actor::User, what });
        }
        Ok(self.notebook.write(&events)?)
    }

    fn write(&mut self) -> Result<(), CliError> {
        self.write_own()?;
        let lines = std::mem::take(&mut self.lines);
        self.bytes = 0;
        let done = self.notebook.import(std::mem::take(&mut self.notes), &self.place, self.at)?;
        self.done.added += done.added;
        self.done.updated += done.updated;
        self.done.unchanged += done.unchanged;
        self.done.kept += done.kept;
        for (place, refusal) in done.refused {
            let line = usize::try_from(place).ok().and_then(|place| lines.get(place));
            self.refused.push((line.copied().unwrap_or_default(), refusal.to_string()));
        }
        Ok(())
    }

    /// Each part that was written is a segment of its own in the index, with
    /// the same words: together they take a tenth more room.
    fn tidy(&self) -> Result<(), CliError> {
        if self.done.added + self.done.updated >= MANY {
            self.notebook.tidy()?;
        }
        Ok(())
    }
}

/// The note of a line and who is said to have written it, or why there is none.
fn note(bytes: &[u8], scope: Scope) -> Result<(Note, Option<String>), String> {
    if bytes.len() > LONGEST_LINE {
        return Err(format!("it has {} bytes, at most {LONGEST_LINE} are read", bytes.len()));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
    let line: Line = serde_json::from_str(text).map_err(|error| complaint(text, &error))?;
    let external = line.id.text();
    if external.is_empty() {
        return Err("its `id` is empty".to_owned());
    }
    let since = line.at.map(Moment::millis).transpose()?;
    let id = line.note_id.filter(|id| is_ours(id)).unwrap_or_else(|| note_id(&external));
    let kind = line.kind.filter(|kind| !kind.is_empty());
    let scope = match line.scope {
        Some(given) if scope == Scope::Project && given != Scope::Global => given,
        Some(_) | None => scope,
    };
    let kind = NoteKind::of(kind.as_deref().unwrap_or("fact"));
    let note = Note {
        title: line.title.filter(|title| !title.is_empty()),
        why: line.why.filter(|why| !why.is_empty()),
        files: line.files,
        anchors: line.anchors,
        since,
        prev: line.prev.map(Name::text),
        next: line.next.map(Name::text),
        group: line.group.map(Name::text),
        external_id: (external != id).then_some(external),
        ..Note::new(id, kind, scope, line.text)
    };
    let nothing = note.text.trim().is_empty().then_some(Refusal::Empty);
    match nothing.or_else(|| refusal(&note)) {
        Some(refusal) => Err(refusal.to_string()),
        None => Ok((note, line.by)),
    }
}

/// Whether an id is one that we made: `m` and twelve digits.
fn is_ours(id: &str) -> bool {
    let digits = id.strip_prefix('m').unwrap_or_default();
    digits.len() == 12 && digits.bytes().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase())
}
