//! Measures the notebook on generated conversations.
//!
//! `measure_notes ENTRIES FOLDER` prints one JSON object with processor times
//! in milliseconds and sizes in bytes.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_memory::event::{Note, NoteKind, Scope};
use ralph_memory::synthetic::{self, TURNS};
use ralph_memory::{Entry, Notebook, Query, note_id};
use rustix::time::{ClockId, clock_gettime};

/// How many questions are asked.
const QUESTIONS: usize = 300;

const SEED: u64 = 7;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.as_slice() {
        [entries, folder] => measure(entries, Path::new(folder)),
        _ => Err("usage: measure_notes ENTRIES FOLDER".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when even this cannot be written.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(entries: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let sessions = entries.parse::<u32>()? / u32::try_from(TURNS)?;
    let notebook = Notebook::open(folder)?;
    let (mut text, mut import) = (0, Duration::ZERO);
    for first in (0..sessions).step_by(2000) {
        let turns = (first..sessions.min(first + 2000))
            .flat_map(|number| synthetic::session(SEED, number).turns);
        let notes: Vec<Note> = turns.map(note).collect();
        text += notes.iter().map(|note| note.text.len()).sum::<usize>();
        let start = cpu();
        notebook.import(notes, Timestamp::from_millis(0))?;
        import += cpu().saturating_sub(start);
    }
    let start = cpu();
    notebook.rebuild()?;
    let rebuild = cpu().saturating_sub(start);
    let stats = notebook.stats()?;
    let mut opening = Vec::new();
    for _ in 0..20 {
        let start = cpu();
        drop(Notebook::open(folder)?);
        opening.push(cpu().saturating_sub(start));
    }
    let questions = synthetic::questions(SEED, sessions)
        .step_by(usize::try_from(sessions)? * 3 / QUESTIONS + 1);
    let mut searching = Vec::new();
    for question in questions {
        let query = Query { text: question.text, limit: 10, ..Query::default() };
        let start = cpu();
        notebook.search(&query)?;
        searching.push(cpu().saturating_sub(start));
    }
    let line = serde_json::json!({
        "notes": notebook.count()?,
        "import_ms": import.as_millis(),
        "rebuild_ms": rebuild.as_millis(),
        "text_bytes": text,
        "log_bytes": stats.log_bytes,
        "database_bytes": stats.database_bytes,
        "open_us": middle(opening).as_micros(),
        "search_us": middle(searching).as_micros(),
    });
    Ok(writeln!(io::stdout(), "{line}")?)
}

fn note(entry: Entry) -> Note {
    let external = entry.external_id.or(entry.id).unwrap_or_default();
    let kind = NoteKind::of(&entry.kind);
    Note {
        title: Some(entry.title).filter(|title| !title.is_empty()),
        files: entry.files,
        since: entry.at.map(Timestamp::as_millis),
        prev: entry.prev,
        next: entry.next,
        group: entry.group,
        external_id: Some(external.clone()),
        ..Note::new(note_id(&external), kind, Scope::Project, entry.text)
    }
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The processor time of this process so far.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
}
